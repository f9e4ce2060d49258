//! `sup`, `inf` and `bounds`: the values that expressions take over all reachable states.
//!
//! Integers are evaluated in every stored state that meets the predicate. For clocks the zone's bounds are read off. Under the
//! simulation by lower and upper bounds (Herbreteau, Srivathsan, Walukiewicz 2012) a clock with a lower bound K and no upper
//! one may only be replaced by a larger value, or by one that is beyond K as well: the largest value is exact if it is not
//! beyond K. In the same way an upper bound K keeps the smallest value, and both keep every value up to K: for `bounds` the
//! intervals of all zones are put together and cut off there. So a search with the model's largest constant as K comes
//! first, and where a value is beyond K another one with a larger K. A clock that grows without end is known from a run
//! (`unbounded`).
//!
//! Which clock is meant may depend on the state, as in `sup: x[i]`: then each state counts with the clock that it picks.
//!
//! With stopwatches the values are those of an over-approximation. They are the real ones if runs attain them, which
//! exact times along the paths to them decide.

mod measured;
pub(crate) mod values;

use crate::check::{Asked, failed, stats};
use crate::limits::Watch;
use crate::reachability::{Met, Outcome, TOO_LARGE, out_of_budget};
use crate::report::{Answer, Evidence, Verdict};
use crate::searches::orders::{Loop, Order, order_for_extremes, small};
use crate::unbounded::{Growing, Growth, grows_without_end};
use crate::witness::attains;
use certify::{Claim, Literal, Rational};
use measured::{Ask, Measured, Seen, Wanted};
use model::check::Quantity;
use model::network::{ClockId, ExprId, Relation};
use model::syntax::query::Extremum;
use search::budget::Limits;
use search::search::{Search, Stop};
use semantics::clock_bounds::{ClockBounds, ClockUse, clocks_of};
use semantics::code::{ClockBound, ClockCode, Machine, PredicateId};
use semantics::compiled::Compiled;
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{Abstraction, ZoneGraph};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Instant;

/// The factor between the constants up to which a clock is kept apart, and the last one that is tried if the model has no
/// larger ones.
const FACTOR: i32 = 16;
const LAST: i32 = 1 << 26;
const LAST_APPROXIMATED: i32 = 1 << 18;
/// How many states in which a clock is beyond the constant are asked whether it grows without end.
const ASKED: usize = 8;
/// Runs with more steps are not replayed to show that a value is real.
const STEPS: usize = 20_000;

/// What is asked for.
#[derive(Clone, Copy)]
struct Sought<'a> {
    kind: Extremum,
    predicate: Option<ExprId>,
    quantities: &'a [Quantity],
}

pub(crate) fn answer(
    answer: &mut Answer,
    asked: &Asked,
    kind: Extremum,
    predicate: Option<ExprId>,
    quantities: &[Quantity],
    watch: &mut Watch,
) {
    let sought = Sought { kind, predicate, quantities };
    let query = predicate.map(|predicate| ClockBounds::of_predicate(asked.network, predicate)).unwrap_or_default();
    let model = Compiled::new(asked.network, query, |_| ()).0.graph(Abstraction::Simulation);
    let constants = (0..asked.network.clocks.len() as u32).filter_map(|clock| model.largest_constant(clock));
    let mut constant = constants.max().unwrap_or(0).saturating_add(1).max(1);
    // What an over-approximation does without end need not be worth following.
    let last = if model.approximates() { LAST_APPROXIMATED } else { LAST };
    let enough = constant.saturating_mul(FACTOR);
    while let Some(Beyond { grows, known }) = attempt(answer, asked, sought, watch, constant) {
        if grows && constant >= enough {
            answer.reason = Some(format!(
                "a clock grows without end, and which values it takes beyond {constant} is not known; up to there: {known}"
            ));
            return;
        }
        if constant >= last {
            answer.reason = Some(format!("a clock takes values beyond {constant}"));
            return;
        }
        constant = constant.saturating_mul(FACTOR).min(last);
    }
}

/// A clock went beyond the constant, and the result is not final.
struct Beyond {
    /// It is known to grow without end.
    grows: bool,
    /// What `bounds` knows up to the constant.
    known: String,
}

/// One exploration, whose result is final if there is nothing to give back.
fn attempt(answer: &mut Answer, asked: &Asked, sought: Sought, watch: &mut Watch, constant: i32) -> Option<Beyond> {
    let started = Instant::now();
    let Asked { network, options, .. } = *asked;
    let Sought { kind, predicate, quantities } = sought;
    let mut everywhere = predicate.map(|predicate| ClockBounds::of_predicate(network, predicate)).unwrap_or_default();
    // All clocks that a quantity may stand for, in whichever state.
    let meant = |quantity: &Quantity| match (quantity, network.processes.first()) {
        (Quantity::Clock(place), Some(process)) => clocks_of(network, process, place),
        _ => Vec::new(),
    };
    for clock in quantities.iter().flat_map(meant) {
        let lower = (kind != Extremum::Inf).then_some(constant);
        let upper = (kind != Extremum::Sup).then_some(constant);
        everywhere.uses.push(ClockUse { clock, lower, upper });
    }
    let (graph, (compiled, list)) = Compiled::new(network, everywhere, |structure| {
        let programs = &mut structure.programs;
        let compiled = predicate.map(|predicate| programs.predicate(predicate));
        let list: Option<Vec<(Ask, Seen)>> = quantities
            .iter()
            .map(|quantity| match quantity {
                Quantity::Int(expr) => Some((Ask::Int(programs.int(*expr)), Seen::Ints(BTreeSet::new()))),
                Quantity::Clock(place) => {
                    let code = programs.clock(place)?;
                    let is_fixed = meant(quantity).len() == 1;
                    Some((Ask::Clock { code, is_fixed }, Seen::of_clock()))
                }
            })
            .collect();
        (compiled, list)
    });
    let graph = graph.graph(Abstraction::Simulation);
    // There is a clock without any process to be in a state.
    let Some(list) = list else {
        answer.reason = Some("there is no process".to_owned());
        return None;
    };
    let asks: Vec<Ask> = list.iter().map(|(ask, _)| *ask).collect();
    let news = Rc::new(RefCell::new(Vec::new()));
    let goal = Measured {
        kind,
        quantities: list,
        predicate: compiled.map(|predicate| PredicateGoal::new(&graph, predicate)),
        machine: Machine::default(),
        wants: if graph.approximates() { Wanted::Extremes } else { Wanted::Unbounded(ASKED) },
        news: news.clone(),
    };
    let mut holds = compiled.map(|predicate| PredicateGoal::new(&graph, predicate));
    let searched = Loop { explores_all: true, small: small(network), is_long: None, seed: options.seed };
    let Order { name, frontier, levels, restarts } = order_for_extremes(options, &searched);
    let limits = Limits { explored: options.strategies.states, ..watch.limits(options) };
    let mut search = Search::with_heuristic(&graph, goal, frontier, levels).limited(limits, watch.cancel());
    if let Some(restarts) = restarts {
        search = search.restarting(restarts);
    }
    // For each quantity the search remembers the path to its extreme value; whether it is known to grow without end.
    let mut endless: Vec<Option<Growth>> = vec![None; asks.len()];
    let mut met: Option<Met> = None;
    let stop = loop {
        match search.step() {
            Some(Stop::Found(id)) => {
                for n in news.borrow_mut().drain(..) {
                    search.remember(n, id);
                    let is_known = endless[n].is_some_and(|growth| kind != Extremum::Bounds || growth.from.is_some());
                    let Ask::Clock { code, is_fixed } = asks[n] else { continue };
                    if graph.approximates() || is_known {
                        continue;
                    }
                    let labels = search.trace(id);
                    let Some(clock) = clock_at_end(&graph, &labels, code) else { continue };
                    let growing = Growing { clock, is_fixed, beyond: constant };
                    endless[n] = grows_without_end(&graph, &labels, growing, holds.as_mut(), predicate).or(endless[n]);
                }
            }
            Some(Stop::Failed { at, error }) => {
                let labels = at.map(|id| search.trace(id)).unwrap_or_default();
                watch.note_error(&error);
                met = met.or(Some(Met::new(&graph, error, labels)));
            }
            Some(stop) => break stop,
            None => watch.tick(&|| search.statistics()),
        }
    };
    answer.search = Some(name.to_owned());
    answer.stats = stats(&search.statistics());
    if let Some(met) = met {
        // What is beyond the error is not known, and so no value is.
        match met.conclude(network, predicate) {
            Outcome::ModelError(error, path) => failed(answer, asked, &error, &path, predicate),
            Outcome::Unknown(reason) | Outcome::Unsupported(reason) => answer.reason = Some(reason),
            _ => answer.reason = Some("the model has an error".to_owned()),
        }
        return None;
    }
    answer.reason = match stop {
        Stop::Exhausted { proof: true } if graph.too_large() => Some(TOO_LARGE.to_owned()),
        Stop::Exhausted { proof: true } => None,
        Stop::OutOfBudget(reason) => Some(out_of_budget(reason).to_owned()),
        Stop::Cancelled => Some("interrupted".to_owned()),
        _ => Some("the search was cut off".to_owned()),
    };
    if answer.reason.is_some() {
        return None;
    }
    let seen = || search.goal().quantities.iter().map(|(_, seen)| seen);
    let is_open = |seen: &Seen, growth: &Option<Growth>| !seen.is_final(kind, *growth, constant);
    if seen().zip(&endless).any(|(seen, growth)| is_open(seen, growth)) {
        let grows =
            seen().zip(&endless).filter(|(seen, growth)| is_open(seen, growth)).all(|(_, growth)| growth.is_some());
        let known = texts(kind, seen().map(|seen| seen.text(kind, None, constant)));
        return Some(Beyond { grows, known });
    }
    let in_time = || options.time_limit.is_none_or(|limit| started.elapsed() < limit) && !watch.is_cancelled();
    let is_real = |n: usize, seen: &Seen| {
        let Some(labels) = search.remembered(n) else { return seen.is_none() };
        labels.len() <= STEPS && in_time() && attained(&graph, &labels, compiled, predicate, (asks[n], kind, seen))
    };
    if !graph.approximates() || seen().enumerate().all(|(n, seen)| is_real(n, seen)) {
        answer.verdict = Verdict::Satisfied;
        answer.evidence = Evidence::Exhaustive;
    } else {
        answer.reason = Some("only an over-approximation is known".to_owned());
    }
    answer.value = Some(texts(kind, seen().zip(&endless).map(|(seen, growth)| seen.text(kind, *growth, constant))));
    None
}

/// What is known of all quantities. Those of `bounds` are lists themselves.
fn texts(kind: Extremum, texts: impl Iterator<Item = String>) -> String {
    let between = if kind == Extremum::Bounds { "; " } else { ", " };
    texts.collect::<Vec<_>>().join(between)
}

/// The clock that is meant in the state at the end of a path.
fn clock_at_end(graph: &ZoneGraph, labels: &[u32], code: ClockCode) -> Option<u32> {
    let followed = graph.follow(labels).ok()?;
    let clock = Machine::default().clock(&graph.structure.programs, code, &followed.first()?.state.discrete);
    clock.ok().map(|clock| clock.index() as u32)
}

/// Whether a run along the path shows the value, by a replay.
fn attained(
    graph: &ZoneGraph,
    labels: &[u32],
    compiled: Option<PredicateId>,
    predicate: Option<ExprId>,
    (ask, kind, seen): (Ask, Extremum, &Seen),
) -> bool {
    let clock = match ask {
        Ask::Int(_) => None,
        Ask::Clock { code, .. } => clock_at_end(graph, labels, code),
    };
    let bound = match (kind, clock, seen) {
        (Extremum::Bounds, ..) => return false,
        (_, None, Seen::Ints(_)) => None,
        (Extremum::Sup, Some(clock), Seen::Clock { upper: Some(upper), .. }) => {
            Some((clock, Relation::Ge, upper.constant(), upper.is_strict() || upper.is_infinite()))
        }
        (Extremum::Inf, Some(clock), Seen::Clock { lower: Some(lower), .. }) => {
            Some((clock, Relation::Le, -lower.constant(), lower.is_strict()))
        }
        _ => return false,
    };
    let mut further = Vec::new();
    if let Some((clock, relation, constant, open)) = bound {
        if open {
            return false;
        }
        let plus = Some(ClockId::new(clock as usize));
        further.push(ClockBound { plus, minus: None, relation, bound: constant });
    }
    let mut goal = compiled.map(|predicate| PredicateGoal::new(graph, predicate));
    let claim = predicate.map(|predicate| Claim::Reaches(Literal::is(predicate)));
    let Some(replay) = attains(graph, labels, goal.as_mut(), claim, &further) else { return false };
    bound.is_none_or(|(clock, _, constant, _)| {
        replay.last.clocks.get(clock as usize) == Some(&Rational::from_integer(i128::from(constant)))
    })
}
