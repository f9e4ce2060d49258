//! Determinism, and what makes a specification an implementation.
//!
//! A system is deterministic if in no reachable state an action has two steps with different
//! effects. It is an implementation if it is also output-urgent (no time passes where an output is
//! possible) and has independent progress (time can pass for ever, or an output becomes possible).
//! All of this is asked on the reachable zones, which is exact: guards and invariants do not tell
//! valuations apart that extrapolation unites.

use crate::component::Origin;
use crate::error::{GoOn, Open};
use crate::explore::reaches;
use crate::frame::Frame;
use crate::world::{NodeId, Slots, Step, World};
use crate::zone_state::ZoneState;
use zones::{Bound, Constraint, Federation, Zone};

/// A state that shows what is wrong.
#[derive(Clone, Debug)]
pub struct Place {
    pub slots: Box<[u32]>,
    /// What is known about the clocks there.
    pub clocks: Vec<Constraint>,
    pub action: Option<u32>,
    /// Edges of components between which it has to choose.
    pub edges: Vec<(u32, Origin)>,
}

#[derive(Clone, Debug)]
pub enum Flaw {
    /// Two steps of one action.
    Nondeterministic(Place),
    /// An output is possible, and time may pass.
    NotUrgent(Place),
    /// Time cannot pass for ever, and no output is possible from here on.
    NoProgress(Place),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    Determinism,
    Implementation,
}

/// Looks for a reachable state with a flaw.
pub fn flaws(world: &World<'_>, system: NodeId, asked: Asked, go_on: &mut GoOn<'_>) -> Result<Option<Flaw>, Open> {
    let mut found = None;
    reaches(world, system, go_on, |state| {
        let flaw = nondeterministic(world, system, state);
        found = match asked {
            Asked::Determinism => flaw,
            Asked::Implementation => {
                flaw.or_else(|| not_urgent(world, system, state)).or_else(|| no_progress(world, system, state))
            }
        };
        found.is_some()
    })?;
    Ok(found)
}

fn place(slots: &Slots, frame: &Frame, zone: &Zone, action: Option<u32>) -> Place {
    Place { slots: slots.into(), clocks: frame.bounds_of(zone), action, edges: Vec::new() }
}

fn same_effect(slots: &Slots, one: &Step, other: &Step) -> bool {
    let target = |step: &Step| {
        let mut target = slots.to_vec();
        step.changes.iter().for_each(|(slot, value)| target[*slot as usize] = *value);
        let mut resets = step.resets.clone();
        resets.sort_unstable();
        (target, resets)
    };
    one.error.is_none() && other.error.is_none() && target(one) == target(other)
}

/// The edges in which two steps differ.
fn differing(one: &Step, other: &Step) -> Vec<(u32, Origin)> {
    let edges = |a: &Step, b: &Step| -> Vec<(u32, Origin)> {
        let own = a.taken.iter().filter(|taken| !b.taken.contains(taken));
        own.filter_map(|(leaf, origin)| Some((*leaf, (*origin)?))).collect()
    };
    [edges(one, other), edges(other, one)].concat()
}

fn nondeterministic(world: &World<'_>, system: NodeId, state: &ZoneState) -> Option<Flaw> {
    let ZoneState { slots, frame, zone } = state;
    for action in world.actions(system, slots) {
        let steps = world.steps(system, slots, action);
        for (n, one) in steps.iter().enumerate() {
            let mut first = zone.clone();
            if steps.len() == 1 || !first.constrain_all(&frame.constraints(&one.guard)) {
                continue;
            }
            for other in &steps[..n] {
                let mut both = first.clone();
                if both.constrain_all(&frame.constraints(&other.guard)) && !same_effect(slots, one, other) {
                    let place = place(slots, frame, &both, Some(action));
                    return Some(Flaw::Nondeterministic(Place { edges: differing(other, one), ..place }));
                }
            }
        }
    }
    None
}

fn outputs(world: &World<'_>, system: NodeId, slots: &Slots) -> Vec<(u32, Step)> {
    let actions = world.outputs(system, slots);
    let steps = |action: u32| world.steps(system, slots, action).into_iter().map(move |step| (action, step));
    actions.into_iter().flat_map(steps).collect()
}

fn not_urgent(world: &World<'_>, system: NodeId, state: &ZoneState) -> Option<Flaw> {
    let ZoneState { slots, frame, zone } = state;
    let mut invariant = Vec::new();
    world.invariant(system, slots, &mut invariant);
    // Where some time can pass: upper bounds of the invariant are not reached.
    for one in invariant.iter_mut().filter(|one| one.right == 0) {
        one.bound = Bound::lt(one.bound.constant());
    }
    let mut waiting = zone.clone();
    if !waiting.constrain_all(&frame.constraints(&invariant)) {
        return None;
    }
    outputs(world, system, slots).into_iter().find_map(|(action, step)| {
        let mut both = waiting.clone();
        let possible = both.constrain_all(&frame.constraints(&step.guard));
        possible.then(|| Flaw::NotUrgent(place(slots, frame, &both, Some(action))))
    })
}

/// Whether some state of a zone has neither time without end nor an output to come.
pub(crate) fn no_progress(world: &World<'_>, system: NodeId, state: &ZoneState) -> Option<Flaw> {
    let ZoneState { slots, frame, zone } = state;
    let mut invariant = Vec::new();
    world.invariant(system, slots, &mut invariant);
    if invariant.iter().all(|one| one.right != 0) {
        return None;
    }
    let mut stuck = Federation::from(zone.clone());
    for (_, step) in outputs(world, system, slots) {
        let mut before = Zone::universal(frame.dim());
        let constraints: Vec<Constraint> = invariant.iter().chain(&step.guard).copied().collect();
        if before.constrain_all(&frame.constraints(&constraints)) {
            before.down();
            stuck.subtract_zone(&before);
        }
    }
    stuck.zones().first().map(|zone| Flaw::NoProgress(place(slots, frame, zone, None)))
}
