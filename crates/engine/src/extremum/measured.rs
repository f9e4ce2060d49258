//! What a search for extreme values looks at in every state, and what it has seen.

use super::values::{Values, number};
use crate::unbounded::Growth;
use model::syntax::query::Extremum;
use search::goal::Goal;
use semantics::code::{ClockCode, IntId, Machine, RunError};
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{State, ZoneGraph};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use zones::{Bound, Zone};

/// What has been seen of one quantity.
pub enum Seen {
    Ints(BTreeSet<i32>),
    /// The largest upper bound and the smallest lower bound (as the zone has it: of minus the clock), and for `bounds` all
    /// that lies in zones.
    Clock {
        upper: Option<Bound>,
        lower: Option<Bound>,
        values: Values,
    },
}

#[derive(Clone, Copy)]
pub enum Ask {
    Int(IntId),
    Clock {
        code: ClockCode,
        /// It is the same clock in every state.
        is_fixed: bool,
    },
}

pub struct Measured {
    pub kind: Extremum,
    pub quantities: Vec<(Ask, Seen)>,
    pub predicate: Option<PredicateGoal>,
    pub machine: Machine,
    /// Whether every state that shows a new extreme value is wanted, or only those in which a clock is without bound.
    pub wants: Wanted,
    /// Quantities for which the last state is one of those.
    pub news: Rc<RefCell<Vec<usize>>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Extremes,
    /// That many.
    Unbounded(usize),
}

impl Seen {
    pub fn of_clock() -> Seen {
        Seen::Clock { upper: None, lower: None, values: Values::default() }
    }

    /// No state had a value at all.
    pub fn is_none(&self) -> bool {
        match self {
            Seen::Ints(values) => values.is_empty(),
            Seen::Clock { upper, .. } => upper.is_none(),
        }
    }

    /// Whether a search that keeps values up to the constant apart has seen enough.
    pub fn is_final(&self, kind: Extremum, growth: Option<Growth>, constant: i32) -> bool {
        let Seen::Clock { upper: Some(upper), lower: Some(lower), values } = self else { return true };
        let is_below = -lower.constant() > constant || -lower.constant() == constant && lower.is_strict();
        match kind {
            Extremum::Sup => growth.is_some() || !upper.is_infinite() && upper.constant() <= constant,
            Extremum::Inf => !is_below,
            Extremum::Bounds => {
                let from = growth.and_then(|growth| growth.from);
                !values.goes_beyond(constant) || from.is_some_and(|from| from <= number(i64::from(constant)) + 1)
            }
        }
    }

    /// The answer, as far as it is known up to the constant.
    pub fn text(&self, kind: Extremum, growth: Option<Growth>, constant: i32) -> String {
        let none = "no state".to_owned();
        match (kind, self) {
            (_, Seen::Clock { .. }) if self.is_none() => none,
            (Extremum::Sup, Seen::Ints(values)) => values.last().map_or(none, |value| value.to_string()),
            (Extremum::Inf, Seen::Ints(values)) => values.first().map_or(none, |value| value.to_string()),
            (Extremum::Bounds, Seen::Ints(values)) => intervals(values),
            (Extremum::Sup, Seen::Clock { upper, .. }) => upper.map_or(none, upper_text),
            (Extremum::Inf, Seen::Clock { lower, .. }) => lower.map_or(none, lower_text),
            (Extremum::Bounds, Seen::Clock { values, .. }) => {
                let mut values = values.up_to(constant);
                if let Some(from) = growth.and_then(|growth| growth.from) {
                    values.add_from(from);
                }
                values.to_string()
            }
        }
    }
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
                (Ask::Clock { code, .. }, Seen::Clock { upper, lower, values }) => {
                    let clock = self.machine.clock(&graph.structure.programs, *code, &state.discrete)?.index();
                    let Some(n) = state.clocks.iter().position(|active| *active as usize == clock) else { continue };
                    for zone in parts {
                        let (high, low): (Bound, Bound) = (Zone::upper(zone, n + 1), Zone::lower(zone, n + 1));
                        is_extreme |= match self.kind {
                            Extremum::Inf => lower.is_none_or(|known| low > known),
                            _ => upper.is_none_or(|known| high > known),
                        };
                        is_unbounded |= self.kind != Extremum::Inf && high.is_infinite();
                        *upper = Some(upper.map_or(high, |known| known.max(high)));
                        if self.kind == Extremum::Bounds {
                            values.add_between(low, high);
                        }
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
