//! Which pairs of states need not be looked at, because others break a rule whenever they do.
//!
//! Both sides are deterministic, so `S <= T` is a question of reachability: of a pair in which S
//! waits where the invariant of T does not hold, or outputs where no edge of T is allowed. Seen
//! that way the constraints of S are guards of the way there, and those of T occur the other way
//! round, in what breaks a rule: `z <= 7` in T asks whether `z > 7` is reached. A simulation by
//! lower and upper bounds (Behrmann, Bouyer, Larsen, Pelánek 2006; a≼LU of Herbreteau, Srivathsan,
//! Walukiewicz 2012) of that automaton keeps the answer, and is far coarser than one by M bounds,
//! which keeps every verdict about both sides.
//!
//! What is counted for a clock, per local state, and backwards along edges that do not reset it:
//!
//! - on the left: invariants and all edges, as they are written;
//! - on the right: invariants and outputs negated. Where an action has several edges, which one is
//!   taken matters, so they count as written too. Where it has one, they need not: a valuation that
//!   does not meet it breaks a rule at once;
//! - on the right, inputs: both ways, unless it is the invariant that a loop repeats, which holds
//!   where no rule is broken.
//!
//! Only the direction of a constraint is used, not T's guards as a whole, so bounds taken naively
//! from the edges of T as though T were to move freely would be wrong (they say nothing of where T
//! *cannot* follow). Next to a quotient, which has states outside of invariants, all bounds are M
//! bounds. Zones are exact, unless they are to be a relation (`pairs.rs`): then what the bounds add
//! to a zone by extrapolation is simulated by what was there. Either way a violation that is found
//! has a run along the same steps.

use crate::component::{Component, LocalEdge, LocalState, Target};
use crate::frame::{Active, Frame};
use crate::local_analysis::knows_its_clocks;
use crate::world::{NodeId, Slots, World};
use std::collections::HashMap;
use zones::{ClockBounds, Constraint};

/// On which side of `<=` a component is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Side {
    Left,
    Right,
}

/// Per clock of a component the largest constants of lower and upper bounds, or
/// [`ClockBounds::NONE`].
#[derive(Clone, PartialEq, Eq, Debug)]
struct Constants {
    lower: Box<[i32]>,
    upper: Box<[i32]>,
}

impl Constants {
    fn none(clocks: usize) -> Constants {
        let none: Box<[i32]> = vec![ClockBounds::NONE; clocks].into();
        Constants { lower: none.clone(), upper: none }
    }

    fn count(&mut self, one: &Constraint) {
        let (list, clock) = if one.left != 0 { (&mut self.upper, one.left) } else { (&mut self.lower, one.right) };
        if clock != 0 {
            let own = &mut list[clock as usize - 1];
            *own = (*own).max(one.bound.constant().abs());
        }
    }

    fn is_active(&self, clock: u32) -> bool {
        [&self.lower, &self.upper].iter().any(|list| list[clock as usize - 1] != ClockBounds::NONE)
    }

    /// Takes over what holds after an edge; whether anything is new.
    fn take(&mut self, after: &Constants, resets: &[(u32, i32)]) -> bool {
        let mut changed = false;
        for (own, after) in [(&mut self.lower, &after.lower), (&mut self.upper, &after.upper)] {
            for (clock, (own, after)) in (1..).zip(own.iter_mut().zip(after)) {
                if *after > *own && !resets.iter().any(|(reset, _)| *reset == clock) {
                    *own = *after;
                    changed = true;
                }
            }
        }
        changed
    }
}

pub struct Simulation {
    /// Per leaf of either side the constants of its local states; `None` if M bounds are used.
    leaves: Option<Vec<(u32, usize)>>,
    tables: Vec<Vec<Constants>>,
    sides: [NodeId; 2],
}

impl Simulation {
    pub fn new(world: &World<'_>, left: NodeId, right: NodeId) -> Simulation {
        let sides = [left, right];
        if !sides.iter().all(|side| world.is_flat(*side)) {
            return Simulation { leaves: None, tables: Vec::new(), sides };
        }
        let (mut leaves, mut tables) = (Vec::new(), Vec::<Vec<Constants>>::new());
        let mut known: HashMap<(u32, Side), usize> = HashMap::new();
        for (side, node) in [(Side::Left, left), (Side::Right, right)] {
            for leaf in world.leaves_of(node) {
                let component = world.leaves[leaf as usize].component;
                let table = *known.entry((component, side)).or_insert_with(|| {
                    tables.push(constants(&world.components[component as usize], side));
                    tables.len() - 1
                });
                leaves.push((leaf, table));
            }
        }
        // With M bounds, of which that is known, the simulation is finer and as right.
        let know_their_clocks = leaves.iter().all(|(leaf, table): &(u32, usize)| {
            let is_active = |at: usize, clock: u32| tables[*table][at].is_active(clock);
            knows_its_clocks(&world.component_of(*leaf).states, &is_active)
        });
        Simulation { leaves: know_their_clocks.then_some(leaves), tables, sides }
    }

    /// The clocks that matter in a pair, with their bounds.
    pub fn frame(&self, world: &World<'_>, slots: &Slots, active: &mut Active, frame: &mut Frame) {
        match &self.leaves {
            None => active.watch(world, &self.sides, slots, &[]),
            Some(leaves) => {
                active.clocks.clear();
                for &(leaf, table) in leaves {
                    let place = &world.leaves[leaf as usize];
                    let own = &self.tables[table][slots[place.slot as usize] as usize];
                    for (clock, (lower, upper)) in (place.clocks + 1..).zip(own.lower.iter().zip(&own.upper)) {
                        if *lower != ClockBounds::NONE || *upper != ClockBounds::NONE {
                            active.clocks.push((clock, *lower, *upper));
                        }
                    }
                }
            }
        }
        frame.set(active);
    }
}

fn constants(component: &Component, side: Side) -> Vec<Constants> {
    let count = |state: &LocalState| {
        let mut own = Constants::none(component.clocks);
        match side {
            Side::Left => {
                let edges = state.outputs.iter().chain(&state.inputs).flat_map(|edge| &edge.allowed);
                state.invariant.iter().chain(edges).for_each(|one| own.count(one));
            }
            Side::Right => count_right(state, &mut own),
        }
        own
    };
    let mut table: Vec<Constants> = component.states.iter().map(count).collect();
    propagate(&component.states, &mut table);
    table
}

fn count_right(state: &LocalState, own: &mut Constants) {
    state.invariant.iter().for_each(|one| own.count(&one.negated()));
    for edge in &state.outputs {
        let several = LocalState::edges(&state.outputs, edge.action).len() > 1;
        for one in &edge.allowed {
            own.count(&one.negated());
            if several {
                own.count(one);
            }
        }
    }
    for one in state.inputs.iter().flat_map(|edge| &edge.allowed) {
        own.count(&one.negated());
        if !state.invariant.contains(one) {
            own.count(one);
        }
    }
}

/// Backwards along the edges that do not reset.
fn propagate(states: &[LocalState], table: &mut [Constants]) {
    let mut coming: Vec<Vec<(u32, &LocalEdge)>> = vec![Vec::new(); states.len()];
    for (at, state) in (0..).zip(states) {
        for edge in state.outputs.iter().chain(&state.inputs) {
            if let Target::State(target) = edge.target
                && target != at
            {
                coming[target as usize].push((at, edge));
            }
        }
    }
    let mut work: Vec<u32> = (0..states.len() as u32).collect();
    while let Some(target) = work.pop() {
        let after = table[target as usize].clone();
        for (at, edge) in &coming[target as usize] {
            if table[*at as usize].take(&after, &edge.resets) {
                work.push(*at);
            }
        }
    }
}
