//! An answer does not contradict what the explicit exploration knows.

use crate::compare::{Failure, Subject, exact, failure, may_give_up, measured};
use crate::draft::Draft;
use crate::explicit::{Explicit, Node, Values};
use crate::lassos::{recurring, staying};
use certify::{Rational, Semantics, State};
use engine::report::{Answer, Evidence, Verdict};
use model::check::{Query, QueryKind};
use model::network::{ExprId, Network};
use model::syntax::query::{Extremum, PathQuantifier};
use std::collections::BTreeSet;

pub fn is_right(
    draft: &Draft,
    subject: &Subject,
    truth: &Explicit,
    index: usize,
    answer: &Answer,
) -> Result<(), Failure> {
    let text = || format!("{}: {:?} {:?} {:?}", answer.query, answer.verdict, answer.value, answer.reason);
    if answer.internal {
        return failure("an internal error", text());
    }
    match answer.verdict {
        Verdict::Unknown if !may_give_up(draft, answer.reason.as_deref()) => {
            return failure("no verdict without a reason", text());
        }
        Verdict::Error if !draft.traits.errors => return failure("an error that is none", text()),
        Verdict::Satisfied | Verdict::Violated => {}
        _ => return Ok(()),
    }
    let Some(query) = &subject.queries[index].query else { return Ok(()) };
    let (network, found) = (subject.network(), &truth.found[index]);
    let everything = exact(draft, truth).is_some();
    if let QueryKind::Extremum { kind, .. } = query.kind {
        let cell = (0..network.ints.len()).find(|cell| network.int_name(*cell) == measured(&answer.query));
        let values: BTreeSet<i32> = cell.iter().flat_map(|cell| found.iter().map(|state| state.ints[*cell])).collect();
        let said = answer.value.as_deref().unwrap_or_default();
        let fits = match cell {
            Some(_) => integers(kind, &values, said, everything),
            None => reals(kind, &truth.values[index], said, everything, truth),
        };
        if !fits {
            let known = cell.map_or_else(|| format!("{:?}", truth.values[index]), |_| format!("{values:?}"));
            return failure("a wrong extremum", format!("{}; known {known}", text()));
        }
        return Ok(());
    }
    // Whether there is what the query looks for, and whether the answer says so.
    let (there, sought) = match query.kind {
        QueryKind::Path { quantifier, predicate, .. } => match quantifier {
            PathQuantifier::ExistsEventually => (!found.is_empty(), Verdict::Satisfied),
            PathQuantifier::AlwaysGlobally => (!found.is_empty(), Verdict::Violated),
            PathQuantifier::ExistsGlobally => (stays(network, truth, predicate, true), Verdict::Satisfied),
            PathQuantifier::AlwaysEventually => (stays(network, truth, predicate, false), Verdict::Violated),
        },
        QueryKind::LeadsTo { from, to, .. } => (unanswered(network, truth, from, to), Verdict::Violated),
        QueryKind::Buchi { predicate } => (again(network, truth, predicate), Verdict::Satisfied),
        _ => return Ok(()),
    };
    if there && answer.verdict != sought {
        return failure("a wrong proof", text());
    }
    // Witnesses are replayed. What is found without one is at least in the explicit graph, if that is exact.
    let unshown = answer.verdict == sought && answer.evidence != Evidence::Witness;
    if unshown && everything && !there && discrete(network, truth, query) {
        return failure("found without a run", text());
    }
    Ok(())
}

/// In which nodes a predicate holds from entering to leaving, or does not hold.
fn throughout(network: &Network, truth: &Explicit, predicate: ExprId, holds: bool) -> Vec<bool> {
    let semantics = Semantics::new(network);
    let exact = |value: &i64| Rational::new(i128::from(*value), i128::from(truth.ticks));
    let inside = |node: &Node| {
        let clocks = node.clocks.iter().map(exact).collect();
        let state = State { discrete: node.discrete.clone(), clocks, time: Rational::from_integer(0) };
        let allowed = semantics.delays(&state);
        let outside = allowed.and_then(|allowed| semantics.moments(&state, predicate, !holds, &allowed));
        outside.is_ok_and(|outside| outside.is_empty())
    };
    truth.nodes.iter().map(inside).collect()
}

/// Whether no node changes its mind about the predicates of a query while time passes.
fn discrete(network: &Network, truth: &Explicit, query: &Query) -> bool {
    let constant = |predicate: ExprId| {
        let (holds, fails) =
            (throughout(network, truth, predicate, true), throughout(network, truth, predicate, false));
        holds.iter().zip(&fails).all(|(holds, fails)| holds != fails)
    };
    match query.kind {
        QueryKind::Path { predicate, .. } | QueryKind::Buchi { predicate } => constant(predicate),
        QueryKind::LeadsTo { from, to, .. } => constant(from) && constant(to),
        _ => false,
    }
}

fn stays(network: &Network, truth: &Explicit, predicate: ExprId, holds: bool) -> bool {
    staying(truth, &throughout(network, truth, predicate, holds)).first() == Some(&true)
}

fn unanswered(network: &Network, truth: &Explicit, from: ExprId, to: ExprId) -> bool {
    let asking = throughout(network, truth, from, true);
    let quiet = staying(truth, &throughout(network, truth, to, false));
    asking.iter().zip(&quiet).any(|(asking, quiet)| *asking && *quiet)
}

fn again(network: &Network, truth: &Explicit, predicate: ExprId) -> bool {
    recurring(truth, &throughout(network, truth, predicate, true))
}

/// Whether what was said about integers fits the values that are known, which may be `everything`.
fn integers(kind: Extremum, values: &BTreeSet<i32>, said: &str, everything: bool) -> bool {
    let number = |text: &str| text.trim().parse::<i32>().ok();
    let ends = |text: &str| match text.split_once("..") {
        Some((from, to)) => Some((number(from)?, number(to)?)),
        None => Some((number(text)?, number(text)?)),
    };
    let list: Option<Vec<(i32, i32)>> = said.split(", ").map(ends).collect();
    let Some(list) = list else { return values.is_empty() };
    let (least, largest) = (list.iter().map(|(from, _)| *from).min(), list.iter().map(|(_, to)| *to).max());
    let (first, last) = (values.first().copied(), values.last().copied());
    let inside = |value: &i32| list.iter().any(|(from, to)| (from..=to).contains(&value));
    match kind {
        Extremum::Sup if everything => largest == last,
        Extremum::Sup => largest >= last,
        Extremum::Inf if everything => least == first,
        Extremum::Inf => first.is_none_or(|first| least <= Some(first)),
        Extremum::Bounds => {
            let count: i32 = list.iter().map(|(from, to)| to - from + 1).sum();
            values.iter().all(inside) && (!everything || count as usize == values.len())
        }
    }
}

/// Whether what was said about a clock (`3`, `< 3`, `> 2`, `inf`) fits the values that are known.
fn reals(kind: Extremum, values: &Values, said: &str, everything: bool, truth: &Explicit) -> bool {
    let (open, text) = match said.strip_prefix(['<', '>']) {
        Some(rest) => (true, rest.trim()),
        None => (false, said),
    };
    let number = text.parse::<i64>().ok().map(|n| Rational::from_integer(i128::from(n)));
    let cap = truth.cap.map(|cap| Rational::new(i128::from(cap), i128::from(truth.ticks)));
    match (kind, number) {
        (Extremum::Sup, None) if said == "inf" => {
            let finite = values.largest.is_some_and(|(largest, _)| largest.is_some());
            !(everything && finite && !values.beyond)
        }
        (_, None) => values.largest.is_none(),
        (Extremum::Sup, Some(said)) => match values.largest {
            None => !everything,
            Some((None, _)) => false,
            Some((Some(largest), _)) if everything && !values.beyond && cap.is_none_or(|cap| largest < cap) => {
                said == largest && !open
            }
            Some((Some(largest), only_near)) => said > largest || said == largest && (!open || only_near),
        },
        (_, Some(said)) => match values.least {
            None => !everything || values.beyond,
            Some((least, _)) if everything && !values.beyond => said == least && !open,
            Some((least, only_near)) => said < least || said == least && (!open || only_near),
        },
    }
}
