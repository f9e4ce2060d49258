//! Exact times for a path of pairs.
//!
//! The moments of the steps are the unknowns; a clock is the moment at which it is looked at minus the moment of its last reset
//! plus the value it was set to. So every guard, every invariant and the broken rule at the end bound a difference of two moments,
//! and shortest paths (Bellman and Ford) give the earliest solution. Moments are counted in ticks: with more ticks to a unit than
//! there are moments, `< c` is `<= c` minus one tick without any loss, since no cycle has as many strict constraints as a unit has ticks.

use crate::refinement::{Broken, Violation};
use crate::world::{NodeId, World};
use zones::{Bound, Constraint};

/// The moments of the steps of a path, and that at which the rule is broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Times {
    /// One per step.
    pub steps: Vec<i64>,
    pub end: i64,
    /// Ticks per unit of the constants in the world.
    pub ticks: i64,
    /// Model time per such unit.
    pub unit: u32,
}

/// Differences of moments: `moment[left] - moment[right] <= bound`.
struct Differences {
    edges: Vec<(usize, usize, i64)>,
    moments: usize,
    ticks: i64,
}

impl Differences {
    fn add(&mut self, left: usize, right: usize, bound: Bound, offset: i64) {
        let strict = i64::from(bound.is_strict());
        let ticks = (i64::from(bound.constant()) + offset) * self.ticks - strict;
        self.edges.push((right, left, ticks));
    }

    /// The earliest moments after moment 0.
    fn solve(&self) -> Option<Vec<i64>> {
        // Earliest: the longest paths from 0, which are shortest paths with edges turned around.
        let mut value = vec![0i64; self.moments];
        for _ in 0..=self.moments {
            let mut changed = false;
            for &(right, left, bound) in &self.edges {
                // left - right <= bound, so right >= left - bound.
                let least = value[left] - bound;
                if value[right] < least {
                    value[right] = least;
                    changed = true;
                }
            }
            if !changed {
                return (value[0] == 0).then_some(value);
            }
        }
        None
    }
}

/// The earliest times at which a violation happens; `None` if it does not.
pub fn times(world: &World<'_>, left: NodeId, right: NodeId, violation: &Violation) -> Option<Times> {
    let count = violation.path.len();
    let moments = count + 2;
    // Moment 0 is the start, moment n the n-th step, the last the end.
    let mut system = Differences { edges: Vec::new(), moments, ticks: moments as i64 + 1 };
    let values = world.initial_values();
    let mut since: Vec<(usize, i64)> = values.iter().map(|value| (0, i64::from(*value))).collect();
    let mut slots = world.initial();
    let constrain = |system: &mut Differences, since: &[(usize, i64)], at: usize, one: &Constraint| {
        let (clock, upper) = if one.right == 0 { (one.left, true) } else { (one.right, false) };
        let Some((reset, value)) = (clock as usize).checked_sub(1).map(|clock| since[clock]) else { return };
        match upper {
            true => system.add(at, reset, one.bound, -value),
            false => system.add(reset, at, one.bound, value),
        }
    };
    let hold = |system: &mut Differences, since: &[(usize, i64)], slots: &[u32], at: usize, sides: &[NodeId]| {
        let mut invariant = Vec::new();
        sides.iter().for_each(|side| world.invariant(*side, slots, &mut invariant));
        invariant.iter().for_each(|one| constrain(system, since, at, one));
    };
    let both = [left, right];
    hold(&mut system, &since, &slots, 0, &both);
    for (n, step) in violation.path.iter().enumerate() {
        let at = n + 1;
        system.add(n, at, Bound::LE_ZERO, 0);
        hold(&mut system, &since, &slots, at, &both);
        for part in step.left.iter().chain(&step.right) {
            part.guard.iter().for_each(|one| constrain(&mut system, &since, at, one));
        }
        for part in step.left.iter().chain(&step.right) {
            for (clock, value) in &part.resets {
                since[*clock as usize - 1] = (at, i64::from(*value));
            }
            for (slot, value) in &part.changes {
                slots[*slot as usize] = *value;
            }
        }
        hold(&mut system, &since, &slots, at, &both);
    }
    let end = count + 1;
    system.add(count, end, Bound::LE_ZERO, 0);
    match &violation.broken {
        Broken::Output { place, .. } | Broken::Input { place, .. } => {
            hold(&mut system, &since, &slots, end, &both);
            place.iter().for_each(|one| constrain(&mut system, &since, end, one));
        }
        Broken::Delay { limit } => {
            hold(&mut system, &since, &slots, end, &[left]);
            constrain(&mut system, &since, end, &limit.negated());
        }
    }
    let ticks = system.ticks;
    let moments = system.solve()?;
    Some(Times { steps: moments[1..=count].to_vec(), end: moments[end], ticks, unit: world.unit })
}
