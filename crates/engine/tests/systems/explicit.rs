//! Refinement by an explicit game, straight from the definition and from the drafts of components: nothing of the engines is used.
//!
//! Time is either regions (Alur and Dill 1994), which is exact, or whole steps, which is exact if no bound is strict: a run of such a system
//! can be moved to whole moments, and a bound of the right side that it breaks stays broken when the moments are rounded suitably (Henzinger,
//! Manna, Pnueli 1992).

use crate::draft::{Bound, Component, Edge};
use std::collections::HashSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    Regions,
    Steps,
}

/// The integral part of a clock, and where its fraction stands among those of all clocks: 0 if it has none. Beyond the largest
/// constant, one more than that and 0.
type Value = (i32, u32);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Pair {
    locations: Vec<usize>,
    values: Vec<Value>,
}

/// Components that act together: composed or conjoined, both synchronise on what is common.
struct Side<'c> {
    components: &'c [&'c Component],
    /// Where its locations and clocks begin in a pair.
    first: usize,
    clocks: Vec<usize>,
}

struct Game<'c> {
    sides: [Side<'c>; 2],
    largest: i32,
    time: Time,
}

/// Whether the components on the left, together, refine those on the right.
pub fn refines(left: &[&Component], right: &[&Component], time: Time) -> bool {
    let mut clocks = 0;
    let mut side = |components, first| {
        let mut own = Vec::new();
        for component in components as &[&Component] {
            own.push(clocks);
            clocks += component.clocks;
        }
        Side { components, first, clocks: own }
    };
    let sides = [side(left, 0), side(right, left.len())];
    let constants = |component: &&Component| -> i32 {
        let guards = component.edges.iter().flat_map(|edge| &edge.guard);
        guards.chain(component.invariants.iter().flatten()).map(|one| one.constant).max().unwrap_or(0)
    };
    let largest = left.iter().chain(right).map(constants).max().unwrap_or(0);
    Game { sides, largest, time }.holds(clocks)
}

impl Game<'_> {
    fn holds(&self, clocks: usize) -> bool {
        let count = self.sides.iter().map(|side| side.components.len()).sum();
        let start = Pair { locations: vec![0; count], values: vec![(0, 0); clocks] };
        let mut known = HashSet::from([start.clone()]);
        let mut waiting = vec![start];
        while let Some(pair) = waiting.pop() {
            let Some(next) = self.successors(&pair) else { return false };
            for pair in next {
                if known.insert(pair.clone()) {
                    waiting.push(pair);
                }
            }
        }
        true
    }

    /// The pairs that must be in the relation if this one is; `None` if a rule is broken.
    fn successors(&self, pair: &Pair) -> Option<Vec<Pair>> {
        let [left, right] = &self.sides;
        let mut next = Vec::new();
        let mut later = pair.clone();
        self.pass(&mut later.values);
        if left.allows_waiting(&later) {
            if !right.allows_waiting(&later) {
                return None;
            }
            next.push(later);
        }
        for action in 0..crate::draft::ACTIONS.len() {
            if left.has_output(action) {
                let Some(after) = left.act(pair, action) else { continue };
                match right.knows(action) {
                    true => next.push(right.act_from(pair, after, action)?),
                    false => next.push(after),
                }
            } else if right.has_input(action) {
                let Some(after) = right.act(pair, action) else { continue };
                match left.knows(action) {
                    true => next.push(left.act_from(pair, after, action)?),
                    false => next.push(after),
                }
            }
        }
        next.iter_mut().for_each(|pair| dense(&mut pair.values));
        Some(next)
    }

    /// The next region, or the next whole moment.
    fn pass(&self, values: &mut [Value]) {
        let beyond = (self.largest + 1, 0);
        let near = |value: &&mut Value| **value != beyond;
        if self.time == Time::Steps {
            values.iter_mut().filter(near).for_each(|value| value.0 += 1);
            return;
        }
        if values.iter().any(|value| value.1 == 0 && *value != beyond) {
            for value in values.iter_mut().filter(near) {
                value.1 += 1;
                if value.0 == self.largest {
                    *value = beyond;
                }
            }
        } else {
            let last = values.iter().map(|value| value.1).max().unwrap_or(0);
            for value in values.iter_mut().filter(near).filter(|value| value.1 == last) {
                *value = (value.0 + 1, 0);
            }
        }
        dense(values);
    }
}

/// Fractions numbered without gaps.
fn dense(values: &mut [Value]) {
    let mut ranks: Vec<u32> = values.iter().map(|value| value.1).filter(|rank| *rank > 0).collect();
    ranks.sort_unstable();
    ranks.dedup();
    for value in values.iter_mut().filter(|value| value.1 > 0) {
        value.1 = ranks.partition_point(|rank| *rank < value.1) as u32 + 1;
    }
}

fn holds(one: &Bound, value: Value) -> bool {
    let (whole, fraction) = (value.0, value.1 > 0);
    match (one.upper, one.strict) {
        (true, true) => whole < one.constant,
        (true, false) => whole < one.constant || whole == one.constant && !fraction,
        (false, false) => whole >= one.constant,
        (false, true) => whole > one.constant || whole == one.constant && fraction,
    }
}

impl Side<'_> {
    fn has_output(&self, action: usize) -> bool {
        self.components.iter().any(|one| one.outputs.contains(&action))
    }

    fn has_input(&self, action: usize) -> bool {
        !self.has_output(action) && self.components.iter().any(|one| one.inputs.contains(&action))
    }

    fn knows(&self, action: usize) -> bool {
        self.has_output(action) || self.has_input(action)
    }

    fn allows_waiting(&self, pair: &Pair) -> bool {
        self.components.iter().enumerate().all(|(n, component)| {
            let location = pair.locations[self.first + n];
            component.invariants[location].iter().all(|one| holds(one, pair.values[self.clocks[n] + one.clock]))
        })
    }

    fn act(&self, pair: &Pair, action: usize) -> Option<Pair> {
        self.act_from(pair, pair.clone(), action)
    }

    /// What this side does in a pair, written into the pair that the other side has already made of it.
    fn act_from(&self, pair: &Pair, mut after: Pair, action: usize) -> Option<Pair> {
        for (n, component) in self.components.iter().enumerate() {
            let location = pair.locations[self.first + n];
            let value = |clock: usize| pair.values[self.clocks[n] + clock];
            let is_allowed = |edge: &&Edge| {
                let reset = |clock: usize| if edge.resets.contains(&clock) { (0, 0) } else { value(clock) };
                edge.from == location
                    && edge.action == action
                    && edge.guard.iter().all(|one| holds(one, value(one.clock)))
                    && component.invariants[edge.to].iter().all(|one| holds(one, reset(one.clock)))
            };
            let takes_part = component.inputs.contains(&action) || component.outputs.contains(&action);
            match component.edges.iter().find(is_allowed) {
                Some(edge) => {
                    after.locations[self.first + n] = edge.to;
                    edge.resets.iter().for_each(|clock| after.values[self.clocks[n] + clock] = (0, 0));
                }
                None if takes_part && component.outputs.contains(&action) => return None,
                // It does not take part, or ignores an input.
                None => {}
            }
        }
        Some(after)
    }
}
