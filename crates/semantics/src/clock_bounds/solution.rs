//! The fixpoint over the locations of one process.

use super::DIVERGED;
use super::analysis::{Assignment, Assignments, Comparison};
use model::network::{ExprId, ProcessId};
use std::collections::{BTreeMap, BTreeSet};

/// Lower and upper bounds of clocks.
pub type Bounds = BTreeMap<u32, (Option<i64>, Option<i64>)>;

/// The bounds of one process while they grow.
pub struct Solution {
    pub process: ProcessId,
    pub bounds: Vec<Bounds>,
    /// Every branch of every edge.
    pub steps: Vec<Step>,
    /// What is compared, where.
    pub comparisons: Vec<(usize, Comparison)>,
}

/// A way from one location to another.
pub struct Step {
    pub source: usize,
    pub target: usize,
    pub assignments: Assignments,
    pub updates: Vec<ExprId>,
}

impl Solution {
    /// Passes bounds on until nothing changes; `true` when something did. `read` are bounds that count everywhere for clocks
    /// that are copied to.
    pub fn solve(&mut self, read: &Bounds, diverges: &mut bool) -> bool {
        let mut any = false;
        // Without assignments that raise bounds in a circle, as many rounds as there are places for bounds are enough.
        let clocks: BTreeSet<u32> = self.bounds.iter().flat_map(|bounds| bounds.keys().copied()).collect();
        let enough = (self.bounds.len() + 1) * (clocks.len() + read.len() + 1);
        for round in 0.. {
            *diverges |= round > enough;
            let mut changed = false;
            for Step { source, target, assignments, .. } in &self.steps {
                let incoming = before(&self.bounds[*target], assignments, read);
                for (clock, (lower, upper)) in incoming {
                    let entry = self.bounds[*source].entry(clock);
                    changed |= matches!(entry, std::collections::btree_map::Entry::Vacant(_));
                    let entry = entry.or_insert((None, None));
                    let new = (entry.0.max(lower), entry.1.max(upper));
                    *diverges |= new.0.max(new.1).is_some_and(|bound| bound > DIVERGED);
                    // Which clocks are active counts all the same.
                    if *diverges {
                        continue;
                    }
                    changed |= *entry != new;
                    *entry = new;
                }
            }
            any |= changed;
            if !changed {
                break;
            }
        }
        any
    }
}

/// The bounds before an edge that follow from those after it, and from what is read elsewhere of the clocks copied to.
fn before(after: &Bounds, assignments: &Assignments, read: &Bounds) -> Bounds {
    let mut bounds = after.clone();
    let copies = assignments.sure.iter().chain(&assignments.possible_copies).filter(|one| one.source.is_some());
    for copy in copies {
        if let Some(bound) = read.get(&copy.target) {
            raise(&mut bounds, copy.target, *bound);
        }
    }
    // In which order the possible ones are made is not known: pass bounds on until nothing changes.
    let pass_on = |bounds: &mut Bounds| {
        for _ in 0..=assignments.possible_copies.len() {
            for copy in &assignments.possible_copies {
                let Some(target) = bounds.get(&copy.target).copied() else { continue };
                copy_bounds(bounds, copy, target);
            }
        }
    };
    pass_on(&mut bounds);
    for assignment in assignments.sure.iter().rev() {
        if let Some(target) = bounds.remove(&assignment.target) {
            copy_bounds(&mut bounds, assignment, target);
        }
        pass_on(&mut bounds);
    }
    bounds
}

/// Makes the bounds of a clock at least these; `true` when they were smaller.
pub fn raise(bounds: &mut Bounds, clock: u32, (lower, upper): (Option<i64>, Option<i64>)) -> bool {
    let known = bounds.get(&clock).copied();
    let (old_lower, old_upper) = known.unwrap_or((None, None));
    let new = (old_lower.max(lower), old_upper.max(upper));
    bounds.insert(clock, new);
    known != Some(new)
}

/// After `y = x + c` a comparison of y with n is one of x with n - c.
fn copy_bounds(bounds: &mut Bounds, assignment: &Assignment, (lower, upper): (Option<i64>, Option<i64>)) {
    let Some((source, offset)) = assignment.source else { return };
    let shift = |bound: Option<i64>| bound.map(|bound| (bound - offset).max(0));
    let entry = bounds.entry(source).or_insert((None, None));
    *entry = (entry.0.max(shift(lower)), entry.1.max(shift(upper)));
}

pub fn add(bounds: &mut Bounds, clock: u32, below: bool, above: bool, bound: i64) {
    // A comparison with a negative number is decided, and the clock is named all the same.
    let bound = Some(bound.clamp(0, DIVERGED));
    let entry = bounds.entry(clock).or_insert((None, None));
    if below {
        entry.0 = entry.0.max(bound);
    }
    if above {
        entry.1 = entry.1.max(bound);
    }
}
