//! `sup`, `inf` and `bounds`: the values that expressions take over all reachable states.
//!
//! Integers are evaluated in every stored state that meets the predicate. For clocks the zone's bounds are read off. Under the
//! simulation by lower and upper bounds (Herbreteau, Srivathsan, Walukiewicz 2012) a clock with a lower bound K and no upper
//! one may only be replaced by a larger value, or by one that is beyond K as well: the largest value is exact if it is not
//! beyond K. In the same way an upper bound K keeps the smallest value. So a search with the model's largest constant as K comes
//! first, and where a value is beyond K another one with a larger K. A clock that grows without end is known from a run
//! (`unbounded`).
//!
//! With stopwatches the values are those of an over-approximation. They are the real ones if runs attain them, which
//! exact times along the paths to them decide.

use crate::check::{Asked, failed, stats};
use crate::limits::Watch;
use crate::order::{Order, order, small};
use crate::reachability::{Met, Outcome, TOO_LARGE, out_of_budget};
use crate::report::{Answer, Evidence, Verdict};
use crate::unbounded::grows_without_end;
use crate::witness::attains;
use certify::{Claim, Literal, Rational};
use model::check::Quantity;
use model::network::{ClockId, ExprId, Network, Place, Relation};
use model::syntax::query::Extremum;
use search::goal::Goal;
use search::search::{Search, Stop};
use semantics::clock_bounds::{ClockBounds, ClockUse, clocks_of};
use semantics::code::{ClockBound, IntId, Machine, PredicateId, RunError};
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{Abstraction, State, ZoneGraph};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Instant;
use zones::{Bound, Zone};

/// The factor between the constants up to which a clock is kept apart, and the last one that is tried if the model has no
/// larger ones.
const FACTOR: i32 = 16;
const LAST: i32 = 1 << 26;
const LAST_APPROXIMATED: i32 = 1 << 18;
/// How many states in which a clock is beyond the constant are asked whether it grows without end.
const ASKED: usize = 8;
/// Runs with more steps are not replayed to show that a value is real.
const STEPS: usize = 20_000;

/// What has been seen of one quantity.
enum Seen {
    Ints(BTreeSet<i32>),
    /// The largest upper bound and the smallest lower bound (as the zone has it: of minus the clock).
    Clock {
        upper: Option<Bound>,
        lower: Option<Bound>,
    },
}

#[derive(Clone, Copy)]
enum Ask {
    Int(IntId),
    Clock(u32),
}

struct Measured {
    kind: Extremum,
    quantities: Vec<(Ask, Seen)>,
    predicate: Option<PredicateGoal>,
    machine: Machine,
    /// Whether every state that shows a new extreme value is wanted, or only those in which a clock is without bound.
    wants: Wanted,
    /// Quantities for which the last state is one of those.
    news: Rc<RefCell<Vec<usize>>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Extremes,
    /// That many.
    Unbounded(usize),
}

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
    if quantities
        .iter()
        .any(|quantity| matches!(quantity, Quantity::Clock(place) if clock_of(asked.network, place).is_none()))
    {
        answer.unsupported = true;
        answer.reason = Some("values of a clock whose index depends on the state are not supported".to_owned());
        return;
    }
    let sought = Sought { kind, predicate, quantities };
    let query = predicate.map(|predicate| ClockBounds::of_predicate(asked.network, predicate)).unwrap_or_default();
    let model = ZoneGraph::new(asked.network, Abstraction::Simulation, query);
    let constants = (0..asked.network.clocks.len() as u32).filter_map(|clock| model.largest_constant(clock));
    let mut constant = constants.max().unwrap_or(0).saturating_add(1).max(1);
    // What an over-approximation does without end need not be worth following.
    let last = if model.approximates() { LAST_APPROXIMATED } else { LAST };
    while attempt(answer, asked, sought, watch, constant) {
        if constant >= last {
            answer.reason = Some(format!("a clock takes values beyond {constant}"));
            return;
        }
        constant = constant.saturating_mul(FACTOR).min(last);
    }
}

/// The clock that a place stands for in every state.
fn clock_of(network: &Network, place: &Place) -> Option<u32> {
    match clocks_of(network, network.processes.first()?, place)[..] {
        [clock] => Some(clock),
        _ => None,
    }
}

/// One exploration; `true` when a clock went beyond the constant and the result is not final.
fn attempt(answer: &mut Answer, asked: &Asked, sought: Sought, watch: &mut Watch, constant: i32) -> bool {
    let started = Instant::now();
    let Asked { network, options, .. } = *asked;
    let Sought { kind, predicate, quantities } = sought;
    let mut everywhere = predicate.map(|predicate| ClockBounds::of_predicate(network, predicate)).unwrap_or_default();
    let mut clocks = Vec::new();
    for quantity in quantities {
        if let Quantity::Clock(place) = quantity
            && let Some(clock) = clock_of(network, place)
        {
            let lower = (kind != Extremum::Inf).then_some(constant);
            let upper = (kind != Extremum::Sup).then_some(constant);
            everywhere.uses.push(ClockUse { clock, lower, upper });
            clocks.push(clock);
        }
    }
    let mut graph = ZoneGraph::new(network, Abstraction::Simulation, everywhere);
    let compiled = predicate.map(|predicate| graph.predicate(predicate));
    let mut clocks = clocks.into_iter();
    let list: Vec<(Ask, Seen)> = quantities
        .iter()
        .map(|quantity| match quantity {
            Quantity::Int(expr) => (Ask::Int(graph.structure.programs.int(*expr)), Seen::Ints(BTreeSet::new())),
            Quantity::Clock(_) => (Ask::Clock(clocks.next().unwrap_or(0)), Seen::Clock { upper: None, lower: None }),
        })
        .collect();
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
    let Order { name, frontier, levels, restarts } = order(options, true, small(network), None);
    let mut search =
        Search::with_heuristic(&graph, goal, frontier, levels).limited(watch.limits(options), watch.cancel());
    if let Some(restarts) = restarts {
        search = search.restarting(restarts);
    }
    // For each quantity the search remembers the path to its extreme value; whether it is known to grow without end.
    let mut endless = vec![false; asks.len()];
    let mut met: Option<Met> = None;
    let stop = loop {
        match search.step() {
            Some(Stop::Found(id)) => {
                for n in news.borrow_mut().drain(..) {
                    search.remember(n, id);
                    if let (Ask::Clock(clock), false, false) = (asks[n], graph.approximates(), endless[n]) {
                        endless[n] = grows_without_end(&graph, &search.trace(id), clock, holds.as_mut(), predicate);
                    }
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
        return false;
    }
    answer.reason = match stop {
        Stop::Exhausted { proof: true } if graph.too_large() => Some(TOO_LARGE.to_owned()),
        Stop::Exhausted { proof: true } => None,
        Stop::OutOfBudget(reason) => Some(out_of_budget(reason).to_owned()),
        Stop::Cancelled => Some("interrupted".to_owned()),
        _ => Some("the search was cut off".to_owned()),
    };
    if answer.reason.is_some() {
        return false;
    }
    let seen = || search.goal().quantities.iter().map(|(_, seen)| seen);
    if seen().zip(&endless).any(|(seen, endless)| !endless && is_beyond(kind, seen, constant)) {
        return true;
    }
    let in_time = || options.time_limit.is_none_or(|limit| started.elapsed() < limit) && !watch.is_cancelled();
    let is_real = |n: usize, seen: &Seen| {
        let Some(labels) = search.remembered(n) else { return is_none(seen) };
        labels.len() <= STEPS && in_time() && attained(&graph, &labels, compiled, predicate, (asks[n], kind, seen))
    };
    if !graph.approximates() || seen().enumerate().all(|(n, seen)| is_real(n, seen)) {
        answer.verdict = Verdict::Satisfied;
        answer.evidence = Evidence::Exhaustive;
    } else {
        answer.reason = Some("only an over-approximation is known".to_owned());
    }
    answer.value = Some(seen().map(|seen| value(kind, seen)).collect::<Vec<_>>().join(", "));
    false
}

/// No state had a value at all.
fn is_none(seen: &Seen) -> bool {
    match seen {
        Seen::Ints(values) => values.is_empty(),
        Seen::Clock { upper, .. } => upper.is_none(),
    }
}

/// Whether the extreme value of a clock lies where values are not kept apart.
fn is_beyond(kind: Extremum, seen: &Seen, constant: i32) -> bool {
    let Seen::Clock { upper: Some(upper), lower: Some(lower) } = seen else { return false };
    let above = upper.is_infinite() || upper.constant() > constant;
    let below = -lower.constant() > constant || -lower.constant() == constant && lower.is_strict();
    match kind {
        Extremum::Sup => above,
        Extremum::Inf => below,
        Extremum::Bounds => above || below,
    }
}

/// Whether a run along the path shows the value, by a replay.
fn attained(
    graph: &ZoneGraph,
    labels: &[u32],
    compiled: Option<PredicateId>,
    predicate: Option<ExprId>,
    (ask, kind, seen): (Ask, Extremum, &Seen),
) -> bool {
    let bound = match (kind, ask, seen) {
        (Extremum::Bounds, ..) => return false,
        (_, Ask::Int(_), _) => None,
        (Extremum::Sup, Ask::Clock(clock), Seen::Clock { upper: Some(upper), .. }) => {
            Some((clock, Relation::Ge, upper.constant(), upper.is_strict() || upper.is_infinite()))
        }
        (Extremum::Inf, Ask::Clock(clock), Seen::Clock { lower: Some(lower), .. }) => {
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

impl<'n> Goal<ZoneGraph<'n>> for Measured {
    /// Looks at every state; stops only at those that somebody wants to know.
    fn holds(&mut self, graph: &ZoneGraph<'n>, state: &State) -> Result<bool, RunError> {
        let several;
        let parts = match &mut self.predicate {
            Some(predicate) => {
                several = predicate.parts(graph, state)?;
                several.as_slice()
            }
            None => std::slice::from_ref(&state.zone),
        };
        if parts.is_empty() {
            return Ok(false);
        }
        let mut news = self.news.borrow_mut();
        news.clear();
        for (index, (ask, seen)) in self.quantities.iter_mut().enumerate() {
            let (mut is_extreme, mut is_unbounded) = (false, false);
            match (ask, seen) {
                (Ask::Int(id), Seen::Ints(values)) => {
                    let process = model::network::ProcessId::new(0);
                    let value = self.machine.int(&graph.structure.programs, *id, process, &[], &state.discrete)?;
                    is_extreme = match self.kind {
                        Extremum::Inf => values.first().is_none_or(|first| value < *first),
                        _ => values.last().is_none_or(|last| value > *last),
                    };
                    values.insert(value);
                }
                (Ask::Clock(clock), Seen::Clock { upper, lower }) => {
                    let Some(n) = state.clocks.iter().position(|active| active == clock) else { continue };
                    for zone in parts {
                        let (high, low): (Bound, Bound) = (Zone::upper(zone, n + 1), Zone::lower(zone, n + 1));
                        is_extreme |= match self.kind {
                            Extremum::Inf => lower.is_none_or(|known| low > known),
                            _ => upper.is_none_or(|known| high > known),
                        };
                        is_unbounded |= self.kind != Extremum::Inf && high.is_infinite();
                        *upper = Some(upper.map_or(high, |known| known.max(high)));
                        *lower = Some(lower.map_or(low, |known| known.max(low)));
                    }
                }
                _ => {}
            }
            match &mut self.wants {
                Wanted::Extremes if is_extreme => news.push(index),
                Wanted::Unbounded(left) if is_unbounded && *left > 0 => {
                    *left -= 1;
                    news.push(index);
                }
                _ => {}
            }
        }
        Ok(!news.is_empty())
    }
}

fn value(kind: Extremum, seen: &Seen) -> String {
    let none = "no state".to_owned();
    match (kind, seen) {
        (Extremum::Sup, Seen::Ints(values)) => values.last().map_or(none, |value| value.to_string()),
        (Extremum::Inf, Seen::Ints(values)) => values.first().map_or(none, |value| value.to_string()),
        (Extremum::Bounds, Seen::Ints(values)) => intervals(values),
        (Extremum::Sup, Seen::Clock { upper, .. }) => upper.map_or(none, upper_text),
        (Extremum::Inf, Seen::Clock { lower, .. }) => lower.map_or(none, lower_text),
        (Extremum::Bounds, Seen::Clock { upper, lower }) => match (lower, upper) {
            (Some(lower), Some(upper)) => format!("{} .. {}", lower_text(*lower), upper_text(*upper)),
            _ => none,
        },
    }
}

fn upper_text(bound: Bound) -> String {
    match (bound.is_infinite(), bound.is_strict()) {
        (true, _) => "inf".to_owned(),
        (_, true) => format!("< {}", bound.constant()),
        _ => bound.constant().to_string(),
    }
}

fn lower_text(bound: Bound) -> String {
    let prefix = if bound.is_strict() { "> " } else { "" };
    format!("{prefix}{}", -bound.constant())
}

/// `0..3, 7`
fn intervals(values: &BTreeSet<i32>) -> String {
    let mut parts: Vec<(i32, i32)> = Vec::new();
    for value in values {
        match parts.last_mut() {
            Some((_, end)) if end.checked_add(1) == Some(*value) => *end = *value,
            _ => parts.push((*value, *value)),
        }
    }
    let text = |(from, to): &(i32, i32)| if from == to { from.to_string() } else { format!("{from}..{to}") };
    parts.iter().map(text).collect::<Vec<_>>().join(", ")
}
