//! Random networks on which everything must agree: the zone graph under every abstraction and in every order, an explicit
//! exploration by the independent rules of `certify`, the replay of every witness, and laws that relate networks.
//!
//! `ZONEWALK_FUZZ=100000 cargo test --release -p engine --test differential` looks at more networks,
//! `ZONEWALK_FUZZ_SEED=7` begins somewhere else, and `ZONEWALK_FUZZ_PATIENCE=100` gives each query less time. A failure is
//! shrunk and shown as a model with its query; keep it in `tests/regressions`.

mod answers;
mod certificates;
mod compare;
mod directed;
mod draft;
mod explicit;
mod generate;
mod infinite;
mod labels;
mod lassos;
mod laws;
mod queries;
mod random;
mod regions;
mod regressions;
mod shrink;
#[path = "../common/side_by_side.rs"]
mod side_by_side;
mod strategies;
mod walks;
mod zones;

use compare::{Effort, Failure, examine};
use draft::Draft;
use model::deep_stack::on_deep_stack;
use side_by_side::side_by_side;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Examines a network; a panic is a failure like any other.
fn examined(draft: &Draft, seed: u64) -> Result<(), Failure> {
    // One deep stack for everything that would make its own.
    let result = catch_unwind(AssertUnwindSafe(|| on_deep_stack(|| examine(draft, seed, Effort::default()))));
    result.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Failure { kind: "a panic".to_owned(), text: text.unwrap_or_default() })
    })
}

/// The shrunk network with everything needed to see the failure again.
fn report(seed: u64, draft: Draft, failure: &Failure) -> String {
    let mut last = failure.clone();
    let small = shrink::shrink(draft, &mut |smaller| match examined(smaller, seed) {
        Err(found) if found.kind == last.kind => {
            last = found;
            true
        }
        _ => false,
    });
    let queries: String = small.queries.iter().map(|query| format!("// query: {query}\n")).collect();
    format!("seed {seed}: {}: {}\n{queries}{small}", last.kind, last.text)
}

#[test]
fn everything_agrees_on_random_networks() {
    let (count, first) = (number("ZONEWALK_FUZZ", 1_000), number("ZONEWALK_FUZZ_SEED", 1));
    let most = number("ZONEWALK_FUZZ_FAILURES", 1) as usize;
    // By seed, the kind of failure and its text.
    let failures: Mutex<Vec<(u64, String, String)>> = Mutex::default();
    let known = || failures.lock().expect("nothing panics here");
    std::panic::set_hook(Box::new(|_| {}));
    side_by_side(first..first + count, |seed| {
        if known().len() >= most {
            return;
        }
        let draft = generate::generate(seed);
        if std::env::var_os("ZONEWALK_FUZZ_SHOW").is_some() {
            eprintln!("{seed}");
            if std::env::var("ZONEWALK_FUZZ_SHOW").is_ok_and(|value| value == "text") {
                eprintln!("{draft}{:#?}", draft.queries);
            }
        }
        let Err(failure) = examined(&draft, seed) else { return };
        if known().iter().any(|(_, kind, _)| *kind == failure.kind) {
            return;
        }
        let text = report(seed, draft, &failure);
        eprintln!("{text}");
        known().push((seed, failure.kind, text));
    });
    let _ = std::panic::take_hook();
    let mut failures = failures.into_inner().expect("nothing panics here");
    failures.sort_unstable_by_key(|(seed, ..)| *seed);
    let texts: Vec<String> = failures.into_iter().map(|(.., text)| text).collect();
    assert!(texts.is_empty(), "{}", texts.join("\n\n"));
}

/// Most of what the exhaustive engine finds within a second is found by a few short walks.
#[test]
fn walks_find_what_is_there() {
    let (mut there, mut found) = (0, 0);
    for seed in 1..=150 {
        let draft = generate::generate(seed);
        let Ok(subject) = compare::Subject::load(&draft) else { continue };
        let mut random = random::Random::new(seed);
        for (index, answer) in subject.answers(&compare::patient()).iter().enumerate() {
            match walks::agree(&subject, index, answer, &mut random) {
                Ok((goals, hits)) => (there, found) = (there + goals, found + hits),
                Err(failure) => panic!("seed {seed}: {}: {}", failure.kind, failure.text),
            }
        }
    }
    assert!(there >= 50 && 10 * found >= 8 * there, "{found} of {there} goals found");
}
