//! Walks over pairs: what they must find, how often they find what chance decides, and that threads do not matter.

use crate::ask::Asked;
use crate::draft::{Bounds, I, O, P, Q, component, text, variant};
use engine::options::Options;
use engine::report::{Answer, Verdict};
use model::check::Override;
use model::load::{load, load_bytes};
use search::random::Random;
use std::path::PathBuf;
use walk::delay::DelayChoice;

const TEXT: &str = "
    broadcast chan i, o;
    process Lazy() { state A; init A; }
    process Busy() { clock x; state A { x <= 5 }, B; init A; trans A -> B { sync o!; }; }
    process Ten() { clock x; state A { x <= 10 }, B; init A; trans A -> B { sync o!; }; }
    process Nine() { clock x; state A { x <= 10 }, B; init A; trans A -> B { guard x <= 9; sync o!; }; }
    process Free() { state A, B; init A; trans A -> B { sync o!; }; }
    process Soon() { clock x; state A, B; init A; trans A -> B { guard x <= 1; sync o!; }; }
    process Late() { clock x; state A { x <= 10 }, B; init A; trans A -> B { guard x >= 8; sync o!; }; }
    process Narrow() { clock x; state A { x <= 10 }, B; init A; trans A -> B { guard x <= 9; sync o!; }; }
    process Strict() { clock x; state A { x < 10 }, B; init A; trans A -> B { guard x > 8; sync o!; }; }
    system Lazy, Busy, Ten, Nine, Free, Soon, Late, Narrow, Strict;
    IO Lazy { i?, o! } IO Busy { i?, o! } IO Ten { i?, o! } IO Nine { i?, o! } IO Free { i?, o! }
    IO Soon { i?, o! } IO Late { i?, o! } IO Narrow { i?, o! }
    IO Strict { i?, o! }";

fn asked() -> Asked {
    Asked::new(load_bytes("walks.xta", TEXT.as_bytes(), &[]), TEXT)
}

fn walk(asked: &mut Asked, query: &str, search: &str, seed: u64) -> Answer {
    let options = Options {
        search: search.parse().expect("a search"),
        seed,
        walks: Some(100_000),
        max_depth: Some(200),
        threads: Some(1),
        ..Options::default()
    };
    asked.answer(query, &options)
}

/// How many walks it takes on average: one over the probability that a walk finds a violation.
fn mean(query: &str, search: &str) -> f64 {
    let mut asked = asked();
    let seeds = 400;
    let mut walks = 0;
    for seed in 0..seeds {
        let answer = walk(&mut asked, query, search, seed);
        assert_eq!(answer.verdict, Verdict::Violated, "{query}: {:?}", answer.reason);
        walks += answer.stats.walks;
    }
    walks as f64 / seeds as f64
}

/// Whatever the seed, the first walk finds it.
#[test]
fn the_delay_rule_of_the_initial_pair_is_checked_by_every_walk() {
    let mut asked = asked();
    for query in ["refinement: Lazy <= Busy", "refinement: Ten <= Busy"] {
        for search in ["ret", "rcf"] {
            for seed in 0..20 {
                let answer = walk(&mut asked, query, search, seed);
                assert_eq!((answer.verdict, answer.stats.walks), (Verdict::Violated, 1), "{query} {search} {seed}");
            }
        }
    }
}

/// What a walk did at random moments is shown at the earliest ones, in as few fractions as there can be.
#[test]
fn runs_of_walks_have_the_earliest_times() {
    let mut asked = asked();
    let rows = [
        ("refinement: Lazy <= Busy", "6"),
        ("refinement: Ten <= Busy", "6"),
        ("refinement: Ten <= Nine", "10"),
        ("refinement: Free <= Soon", "2"),
        ("refinement: Busy <= Late", "0"),
        // Beyond 9, and before 10.
        ("refinement: Strict <= Nine", "19/2"),
    ];
    for (query, expected) in rows {
        for (search, seed) in [("ret", 1), ("rcf", 2), ("sem", 3)] {
            let answer = walk(&mut asked, query, search, seed);
            let trace = answer.refinement.unwrap_or_else(|| panic!("{query}: {:?}", answer.reason));
            assert!(trace.steps.iter().all(|step| step.time == "0"), "{query} {search}: inputs can come at once");
            assert_eq!(trace.final_delay, expected, "{query} {search}");
        }
    }
}

/// Four standard deviations of the mean of 400 geometric draws with probability p are 0.2 / p.
fn about(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 0.2 * expected, "{what}: {found} walks on average, not {expected}");
}

/// The race has the probabilities of the stochastic semantics. An environment with rate 1 sends inputs, which change nothing here.
#[test]
fn sampling_has_the_probabilities_of_the_semantics() {
    // Uniform in [0, 10], and the right side stops at 9. Inputs are ignored: what is left of an interval is drawn from alike.
    about(mean("refinement: Ten <= Nine", "sem"), 10.0, "uniform");
    // Uniform in [8, 10].
    about(mean("refinement: Late <= Narrow", "sem"), 2.0, "uniform from the first output on");
    // More than 1, exponential with rate 1.
    about(mean("refinement: Free <= Soon", "sem"), 1f64.exp(), "exponential");
    // Not a matter of time.
    about(mean("refinement: Busy <= Lazy", "sem"), 1.0, "certain");
}

/// All nodes have to be as late as possible in seven rounds. Where late steps do not give way that takes some 80,000 walks on average.
#[test]
fn late_steps_give_way() {
    let model = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models/leader-election-ring.xml");
    let sizes = ["N=8", "v=2"].map(|one| Override::parse(one).expect("a size"));
    let mut asked = Asked::new(load(&model, &sizes), "the leader election");
    for search in ["ret", "rcf"] {
        for seed in 1..=3 {
            let options = Options {
                search: search.parse().expect("a search"),
                seed,
                walks: Some(10_000),
                threads: Some(1),
                ..Options::default()
            };
            let answer = asked.answer("refinement: Node <= Spec", &options);
            assert_eq!(answer.verdict, Verdict::Violated, "{search} {seed}: {:?}", answer.reason);
        }
    }
}

/// A walk is given by the seed and its number, and the first that finds something is shown.
#[test]
fn threads_do_not_change_what_is_found() {
    let mut compared = 0;
    for seed in 0..40 {
        let mut random = Random::new(1_000 + seed);
        let a = component("A", &[I], &[O, Q], Bounds::Any, &mut random);
        let b = component("B", &[O], &[P], Bounds::Any, &mut random);
        let c = variant(&a, "C", Bounds::Any, &mut random);
        let d = variant(&b, "D", Bounds::Any, &mut random);
        let text = text(&[&a, &b, &c, &d]);
        let mut asked = Asked::new(load_bytes("systems.xta", text.as_bytes(), &[]), &text);
        for search in ["ret", "rcf", "sem"] {
            let mut found = |threads: usize| {
                let options = Options {
                    search: search.parse().expect("a search"),
                    walks: Some(200),
                    max_depth: Some(30),
                    threads: Some(threads),
                    delays: DelayChoice::Uniform,
                    ..Options::default()
                };
                let answer = asked.answer("refinement: A || B <= C || D", &options);
                (answer.verdict, answer.reason, format!("{:?}", answer.refinement))
            };
            let one = found(1);
            compared += u32::from(one.0 == Verdict::Violated);
            for threads in [2, 5] {
                let more = found(threads);
                assert_eq!((one.0, &one.2), (more.0, &more.2), "seed {seed}, {search}, {threads} threads");
                assert!(one.0 == Verdict::Unknown || one.1 == more.1);
            }
        }
    }
    assert!(compared > 20, "{compared}");
}
