//! Queries about infinite runs on random networks: the engine agrees with the region graph, and a law that relates networks
//! holds. Runs that are found are replayed by the engine itself; a replay that fails is an internal error.

use crate::compare::{Failure, Subject, failure, patient};
use crate::draft::{Draft, Kind, Process};
use crate::random::Random;
use crate::regions::{Condition, Regions, Units};
use crate::{generate, laws, number, shrink, strategies};
use engine::report::{Answer, Verdict};
use model::check::QueryKind;
use model::network::ExprId;
use model::syntax::query::PathQuantifier;

/// No clock is compared with more, in time units of scale 1: neither by the networks nor by the queries here.
const LARGEST: i64 = 5;
const MOST_REGIONS: usize = 600;

/// Random queries about infinite runs.
fn queries(random: &mut Random, draft: &Draft) -> Vec<String> {
    (0..3)
        .map(|_| {
            let (p, q) = (predicate(random, draft), predicate(random, draft));
            match random.below(4) {
                0 => format!("E[] {p}"),
                1 => format!("A<> {p}"),
                2 => format!("{p} --> {q}"),
                _ => format!("buchi: {p}"),
            }
        })
        .collect()
}

fn predicate(random: &mut Random, draft: &Draft) -> String {
    let count = *random.pick(&[1, 1, 2, 2, 3]);
    let mut text = atom(random, draft);
    for _ in 1..count {
        let joint = *random.pick(&["&&", "||"]);
        text = format!("({text} {joint} {})", atom(random, draft));
    }
    if random.one_in(3) { format!("!({text})") } else { format!("({text})") }
}

fn atom(random: &mut Random, draft: &Draft) -> String {
    if random.one_in(2) {
        let process = random.pick(&draft.processes);
        let places: Vec<&str> = (process.locations.iter())
            .filter(|location| location.kind != Kind::Branchpoint)
            .map(|location| location.name.as_str())
            .collect();
        return format!("{}.{}", process.instance(), random.pick(&places));
    }
    let declared = |name: &str| draft.globals.iter().any(|line| line.starts_with(&format!("clock {name}")));
    let globals = ["x", "y"].into_iter().filter(|name| declared(name)).map(str::to_owned);
    let local = |process: &Process| {
        process.locals.iter().any(|line| line == "clock z;").then(|| format!("{}.z", process.instance()))
    };
    let clocks: Vec<String> = globals.chain(draft.processes.iter().filter_map(local)).collect();
    let operator = random.pick(&["<=", ">=", "==", "<", ">", "!="]);
    format!("{} {operator} {}*K", random.pick(&clocks), random.below(LARGEST as usize + 1))
}

/// Whether the region graph can decide: what it needs to know about clocks must fit into regions.
fn fits(draft: &Draft) -> bool {
    let stops = |process: &Process| {
        process.locations.iter().flat_map(|location| &location.invariant).any(|text| text.contains('\''))
    };
    !draft.traits.diagonal && !draft.traits.errors && !draft.processes.iter().any(stops)
}

/// What the region graph says: the verdict, or `None` when it is too large.
fn truth(subject: &Subject, draft: &Draft, index: usize) -> Option<Verdict> {
    let kind = &subject.queries[index].query.as_ref()?.kind;
    let largest = LARGEST * draft.scale;
    let explore = |predicates: &[ExprId], units: Units| {
        Regions::explore(subject.network(), predicates, largest, units, MOST_REGIONS)
    };
    let first = |holds: bool| Condition { predicate: 0, holds };
    let verdict = |satisfied: bool| if satisfied { Verdict::Satisfied } else { Verdict::Violated };
    Some(match kind {
        QueryKind::Path { quantifier, predicate, .. } => {
            let regions = explore(&[*predicate], Units::Ignored)?;
            match quantifier {
                PathQuantifier::ExistsGlobally => verdict(regions.always(first(true))),
                PathQuantifier::AlwaysEventually => verdict(!regions.always(first(false))),
                _ => return None,
            }
        }
        QueryKind::LeadsTo { from, to, .. } => {
            let regions = explore(&[*from, *to], Units::Ignored)?;
            verdict(!regions.unanswered(first(true), Condition { predicate: 1, holds: true }))
        }
        QueryKind::Buchi { predicate } => verdict(explore(&[*predicate], Units::Counted)?.infinitely(first(true))),
        _ => return None,
    })
}

fn examine(draft: &Draft, seed: u64, compared: &mut usize) -> Result<(), Failure> {
    let subject = match Subject::load(draft) {
        // There is nothing to ask of a network without a first state.
        Err(failure) if failure.kind.contains("whose invariant does not hold at the start") => return Ok(()),
        other => other?,
    };
    let answers = subject.answers(&patient());
    for (index, answer) in answers.iter().enumerate() {
        let text = || format!("{}: {:?} {:?}", answer.query, answer.verdict, answer.reason);
        if answer.internal {
            return failure("an internal error", text());
        }
        // The same, found out later because the network declares inputs and outputs.
        if answer.unsupported && answer.reason.as_ref().is_some_and(|reason| reason.contains("invariant does not hold"))
        {
            return Ok(());
        }
        let gives_up = |answer: &Answer| {
            let limit = answer.reason.as_deref().is_some_and(|reason| reason.contains("limit"));
            limit || draft.traits.approximated
        };
        strategies::agree_on_runs(&subject, index, answer, &mut Random::new(seed ^ index as u64))?;
        match answer.verdict {
            Verdict::Unknown if !gives_up(answer) => return failure("no verdict without a reason", text()),
            Verdict::Error if !draft.traits.errors => return failure("an error that is none", text()),
            Verdict::Unknown | Verdict::Error => continue,
            Verdict::Satisfied | Verdict::Violated => {}
        }
        let Some(truth) = fits(draft).then(|| truth(&subject, draft, index)).flatten() else { continue };
        *compared += 1;
        if truth != answer.verdict {
            return failure("the region graph disagrees", text());
        }
    }
    laws::hold(draft, &answers, &mut Random::new(seed))
}

#[test]
fn infinite_runs_agree_with_the_region_graph() {
    let (count, first) = (number("ZONEWALK_FUZZ", 1_000), number("ZONEWALK_FUZZ_SEED", 1));
    let mut compared = 0;
    for seed in first..first + count {
        let mut draft = generate::generate(seed);
        draft.queries = queries(&mut Random::new(seed ^ 0xB0C1), &draft);
        let Err(failure) = examine(&draft, seed, &mut compared) else { continue };
        let mut last = failure.clone();
        let small = shrink::shrink(draft, &mut |smaller| match examine(smaller, seed, &mut 0) {
            Err(found) if found.kind == last.kind => {
                last = found;
                true
            }
            _ => false,
        });
        panic!("seed {seed}: {}: {}\n{small}", last.kind, last.text);
    }
    assert!(compared as u64 > count / 2, "only {compared} answers could be compared");
}
