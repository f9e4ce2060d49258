//! `sup`, `inf` and `bounds`: the values that expressions take over all reachable states.
//!
//! Integers are evaluated in every stored state that meets the predicate. For clocks the zone's bounds are read off; they are
//! exact as long as nothing beyond them is compared away, so the clock is kept apart up to a constant, and when a value
//! reaches that constant the search is repeated with a larger one.

use crate::check::{Asked, failed, stats};
use crate::limits::Watch;
use crate::reachability::{TOO_LARGE, out_of_budget};
use crate::report::{Answer, Evidence, Verdict};
use model::check::Quantity;
use model::network::{ExprId, Network, Place};
use model::syntax::query::Extremum;
use search::frontier::Fifo;
use search::goal::Goal;
use search::search::{Search, Stop};
use semantics::clock_bounds::{ClockBounds, ClockUse, clocks_of};
use semantics::code::{IntId, Machine, RunError};
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{Abstraction, State, ZoneGraph};
use std::collections::BTreeSet;
use zones::{Bound, Zone};

/// Constants up to which a clock is first kept apart, and the factor between attempts.
const FIRST: i32 = 1 << 10;
const LAST: i32 = 1 << 26;

/// What has been seen of one quantity.
enum Seen {
    Ints(BTreeSet<i32>),
    /// The largest upper bound and the smallest lower bound (as the zone has it: of minus the clock).
    Clock {
        upper: Option<Bound>,
        lower: Option<Bound>,
    },
}

struct Measured {
    quantities: Vec<(Ask, Seen)>,
    predicate: Option<PredicateGoal>,
    machine: Machine,
}

#[derive(Clone, Copy)]
enum Ask {
    Int(IntId),
    Clock(u32),
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
    let has_clocks = quantities.iter().any(|quantity| matches!(quantity, Quantity::Clock(_)));
    let mut largest = if has_clocks { FIRST } else { 0 };
    loop {
        let again = attempt(answer, asked, kind, predicate, quantities, watch, largest);
        if !again || largest >= LAST {
            return;
        }
        largest = largest.saturating_mul(16).min(LAST);
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
fn attempt(
    answer: &mut Answer,
    asked: &Asked,
    kind: Extremum,
    predicate: Option<ExprId>,
    quantities: &[Quantity],
    watch: &mut Watch,
    largest: i32,
) -> bool {
    let Asked { network, options, .. } = *asked;
    let goal_predicate = predicate;
    let mut everywhere = predicate.map(|predicate| ClockBounds::of_predicate(network, predicate)).unwrap_or_default();
    let mut asked_clocks = Vec::new();
    for quantity in quantities {
        if let Quantity::Clock(place) = quantity
            && let Some(clock) = clock_of(network, place)
        {
            everywhere.uses.push(ClockUse { clock, lower: Some(largest), upper: Some(largest) });
            asked_clocks.push(clock);
        }
    }
    let mut graph = ZoneGraph::new(network, Abstraction::Simulation, everywhere);
    let predicate = predicate.map(|predicate| graph.predicate(predicate));
    let mut clocks = asked_clocks.into_iter();
    let list: Vec<(Ask, Seen)> = quantities
        .iter()
        .map(|quantity| match quantity {
            Quantity::Int(expr) => (Ask::Int(graph.structure.programs.int(*expr)), Seen::Ints(BTreeSet::new())),
            Quantity::Clock(_) => (Ask::Clock(clocks.next().unwrap_or(0)), Seen::Clock { upper: None, lower: None }),
        })
        .collect();
    let goal = Measured {
        quantities: list,
        predicate: predicate.map(|predicate| PredicateGoal::new(&graph, predicate)),
        machine: Machine::default(),
    };
    let mut search = Search::new(&graph, goal, Fifo::default()).limited(watch.limits(options), watch.cancel());
    let stop = loop {
        match search.step() {
            Some(stop) => break stop,
            None => watch.tick(&|| search.statistics()),
        }
    };
    answer.search = Some("bfs".to_owned());
    answer.stats = stats(&search.statistics());
    answer.reason = match stop {
        Stop::Exhausted { proof: true } if graph.too_large() => Some(TOO_LARGE.to_owned()),
        Stop::Exhausted { proof: true } => None,
        Stop::Failed { error, .. } if graph.approximates() || graph.too_large() => {
            Some(format!("an over-approximation has an error: {error}"))
        }
        Stop::Failed { at, error } => {
            let labels = at.map(|id| search.trace(id)).unwrap_or_default();
            failed(answer, asked, &error, &labels, goal_predicate);
            return false;
        }
        Stop::OutOfBudget(reason) => Some(out_of_budget(reason).to_owned()),
        Stop::Cancelled => Some("interrupted".to_owned()),
        _ => Some("the search was cut off".to_owned()),
    };
    if answer.reason.is_some() {
        return false;
    }
    let measured = search.goal();
    let beyond = measured.quantities.iter().any(|(_, seen)| match seen {
        Seen::Clock { upper: Some(upper), .. } => {
            kind != Extremum::Inf && !upper.is_infinite() && upper.constant() > largest
        }
        _ => false,
    });
    if graph.approximates() {
        answer.reason = Some("only an over-approximation is known".to_owned());
    } else {
        answer.verdict = Verdict::Satisfied;
        answer.evidence = Evidence::Exhaustive;
    }
    answer.value = Some(measured.quantities.iter().map(|(_, seen)| value(kind, seen)).collect::<Vec<_>>().join(", "));
    beyond
}

impl<'n> Goal<ZoneGraph<'n>> for Measured {
    /// Looks at every state and never finds enough.
    fn holds(&mut self, graph: &ZoneGraph<'n>, state: &State) -> Result<bool, RunError> {
        let parts = match &mut self.predicate {
            Some(predicate) => predicate.parts(graph, state)?,
            None => vec![state.zone.clone()],
        };
        if parts.is_empty() {
            return Ok(false);
        }
        for (ask, seen) in &mut self.quantities {
            match (ask, seen) {
                (Ask::Int(id), Seen::Ints(values)) => {
                    values.insert(self.machine.int(
                        &graph.structure.programs,
                        *id,
                        model::network::ProcessId::new(0),
                        &[],
                        &state.discrete,
                    )?);
                }
                (Ask::Clock(clock), Seen::Clock { upper, lower }) => {
                    let Some(n) = state.clocks.iter().position(|active| active == clock) else { continue };
                    for zone in &parts {
                        let (high, low): (Bound, Bound) = (Zone::upper(zone, n + 1), Zone::lower(zone, n + 1));
                        *upper = Some(upper.map_or(high, |known| known.max(high)));
                        *lower = Some(lower.map_or(low, |known| known.max(low)));
                    }
                }
                _ => {}
            }
        }
        Ok(false)
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
