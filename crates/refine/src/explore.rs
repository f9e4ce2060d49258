//! What one system can reach when its environment sends any input at any time.

use crate::error::GoOn;
use crate::frame::Frame;
use crate::world::{NodeId, Slots, Step, World};
use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use zones::{Constraint, Zone};

#[derive(Debug)]
pub enum Explored<T> {
    /// Everything was visited.
    All(Vec<Reached>),
    Found(T),
    /// The initial state violates its invariant.
    NoStart,
    /// An evaluation of a component fails: leaf and error.
    Failed(u32, u32),
    Overflow,
    Stopped,
}

/// A discrete state with the zones found for it, time having passed in them.
#[derive(Clone, Debug)]
pub struct Reached {
    pub slots: Box<[u32]>,
    pub frame: Frame,
    pub zones: Vec<Zone>,
}

/// Whether the initial valuation meets the invariant of the initial state.
pub fn starts(world: &World<'_>, system: NodeId) -> bool {
    let slots = world.initial();
    let mut invariant = Vec::new();
    world.invariant(system, &slots, &mut invariant);
    let frame = Frame::new(world, &[system], &slots);
    let never = |one: &&Constraint| one.left == 0 && one.right == 0;
    !invariant.iter().any(|one| never(&one)) && frame.start(world).constrain_all(&frame.constraints(&invariant))
}

/// Where an exploration begins, and which clocks it keeps although the system does not need them.
pub struct Start<'s> {
    pub slots: Vec<u32>,
    /// Conjunctions over the clocks; `None` for the values that clocks have at the start.
    pub clocks: Option<&'s [Vec<Constraint>]>,
    pub watched: &'s [(u32, i32)],
}

/// Visits the states that are reachable from the initial one: a discrete state with a zone, time having passed in it.
pub fn explore<T>(
    world: &World<'_>,
    system: NodeId,
    go_on: &mut GoOn<'_>,
    visit: &mut dyn FnMut(&Slots, &Frame, &Zone) -> Option<T>,
) -> Explored<T> {
    if !starts(world, system) {
        return Explored::NoStart;
    }
    let start = Start { slots: world.initial(), clocks: None, watched: &[] };
    explore_from(world, system, &start, go_on, visit, None)
}

/// The discrete states that are reachable, or why they are not known.
pub fn reachable<T>(world: &World<'_>, system: NodeId, go_on: &mut GoOn<'_>) -> Result<Vec<Box<[u32]>>, Explored<T>> {
    match explore::<()>(world, system, go_on, &mut |_, _, _| None) {
        Explored::All(states) => Ok(states.into_iter().map(|state| state.slots).collect()),
        Explored::Found(()) | Explored::Stopped => Err(Explored::Stopped),
        Explored::NoStart => Err(Explored::NoStart),
        Explored::Failed(leaf, error) => Err(Explored::Failed(leaf, error)),
        Explored::Overflow => Err(Explored::Overflow),
    }
}

/// About what a stored zone takes.
pub(crate) fn bytes_of(zone: &Zone) -> u64 {
    64 + 4 * (zone.dim() * zone.dim().next_multiple_of(8)) as u64
}

/// How a zone came about: from which one, by which step of which action.
struct Came {
    from: u32,
    action: u32,
    step: u32,
}

/// The steps that lead to a zone.
fn steps_to(world: &World<'_>, system: NodeId, start: &Slots, trail: &[Came], mut at: u32) -> Vec<(u32, Step)> {
    let mut labels = Vec::new();
    while let Some(Came { from, action, step }) = trail.get(at as usize).filter(|came| came.from != START) {
        labels.push((*action, *step));
        at = *from;
    }
    let mut slots = start.to_vec();
    let mut path = Vec::with_capacity(labels.len());
    for (action, n) in labels.into_iter().rev() {
        let Some(step) = world.steps(system, &slots, action).into_iter().nth(n as usize) else { break };
        step.changes.iter().for_each(|(slot, value)| slots[*slot as usize] = *value);
        path.push((action, step));
    }
    path
}

/// Nothing led to the zones of the start.
const START: u32 = u32::MAX;

/// Visits the states that are reachable from a start. The steps that led to what was found go into `path`.
pub fn explore_from<T>(
    world: &World<'_>,
    system: NodeId,
    start: &Start<'_>,
    go_on: &mut GoOn<'_>,
    visit: &mut dyn FnMut(&Slots, &Frame, &Zone) -> Option<T>,
    mut path: Option<&mut Vec<(u32, Step)>>,
) -> Explored<T> {
    // Where a path is wanted: what led to each zone that was to be explored.
    let mut trail: Vec<Came> = Vec::new();
    let mut index: HashMap<Box<[u32]>, usize> = HashMap::new();
    // What is stored, and what waits.
    let bytes = Cell::new(0u64);
    let add = |more: u64| bytes.set(bytes.get() + more);
    let mut states: Vec<Reached> = Vec::new();
    let mut waiting: VecDeque<(usize, Zone, u32)> = VecDeque::new();
    let mut sources = Vec::new();
    let mut find = |states: &mut Vec<Reached>, slots: &Slots| -> usize {
        if let Some(known) = index.get(slots) {
            return *known;
        }
        let slots: Box<[u32]> = slots.into();
        let frame = Frame::watching(world, &[system], &slots, start.watched);
        add(2 * (slots.len() as u64 * 4) + 200 + 32 * frame.dim() as u64);
        index.insert(slots.clone(), states.len());
        states.push(Reached { slots, frame, zones: Vec::new() });
        states.len() - 1
    };
    let enter = |state: &mut Reached, mut zone: Zone| -> Option<Zone> {
        let Reached { slots, frame, zones } = state;
        let mut invariant = Vec::new();
        world.invariant(system, slots, &mut invariant);
        if !zone.delay_within(&frame.constraints(&invariant)) {
            return None;
        }
        frame.extrapolate(&mut zone);
        if zones.iter().any(|other| zone.is_subset(other)) {
            return None;
        }
        zones.retain(|other| !other.is_subset(&zone));
        zones.push(zone.clone());
        add(2 * bytes_of(&zone));
        Some(zone)
    };
    let first = find(&mut states, &start.slots);
    let frame = &states[first].frame;
    let zones: Vec<Zone> = match start.clocks {
        None => vec![frame.start(world)],
        Some(conjunctions) => conjunctions.iter().filter_map(|conjunction| frame.where_all(conjunction)).collect(),
    };
    let has_trail = path.is_some();
    let came = |trail: &mut Vec<Came>, from: u32, action: u32, step: u32| -> u32 {
        if !has_trail {
            return START;
        }
        add(16);
        trail.push(Came { from, action, step });
        trail.len() as u32 - 1
    };
    for zone in zones {
        waiting.extend(enter(&mut states[first], zone).map(|zone| (first, zone, came(&mut trail, START, 0, 0))));
    }
    while let Some((at, zone, node)) = waiting.pop_front() {
        if !go_on(bytes.get()) {
            return Explored::Stopped;
        }
        if zone.overflowed() {
            return Explored::Overflow;
        }
        if let Some((leaf, error)) = world.error(&states[at].slots) {
            return Explored::Failed(leaf, error);
        }
        if let Some(found) = visit(&states[at].slots, &states[at].frame, &zone) {
            if let Some(path) = &mut path {
                **path = steps_to(world, system, &start.slots, &trail, node);
            }
            return Explored::Found(found);
        }
        let slots = states[at].slots.clone();
        let mut actions = world.alphabet(system).inputs.clone();
        world.possible_outputs(system, &slots, &mut actions);
        actions.sort_unstable();
        actions.dedup();
        for action in actions {
            for (n, step) in (0usize..).zip(world.steps(system, &slots, action)) {
                if n.is_multiple_of(64) && !go_on(bytes.get()) {
                    return Explored::Stopped;
                }
                let mut next = zone.clone();
                if !next.constrain_all(&states[at].frame.constraints(&step.guard)) {
                    continue;
                }
                if let Some((leaf, error)) = step.error {
                    return Explored::Failed(leaf, error);
                }
                let mut target = slots.to_vec();
                for (slot, value) in &step.changes {
                    target[*slot as usize] = *value;
                }
                let to = find(&mut states, &target);
                states[to].frame.receive(&mut next, &states[at].frame, &step.resets, &mut sources);
                waiting.extend(
                    enter(&mut states[to], next).map(|zone| (to, zone, came(&mut trail, node, action, n as u32))),
                );
            }
        }
    }
    Explored::All(states)
}
