//! How far into the control flow of its components a discrete state lies, for the rank order: the
//! sum of the topological levels of all local states, and of the modes of operators.

use crate::component::{Component, LocalState, Target};
use crate::operators::Operator;
use crate::world::{Slots, World};
use search::levels::levels;

/// Per component the level of each local state.
pub(crate) struct LocalLevels(Vec<Vec<u32>>);

impl LocalLevels {
    pub fn new(world: &World<'_>) -> LocalLevels {
        LocalLevels(world.components.iter().map(|component| levels_of(component)).collect())
    }

    pub fn of(&self, world: &World<'_>, slots: &Slots) -> u32 {
        let local = |leaf: &crate::world::Leaf| {
            let levels = self.0.get(leaf.component as usize);
            levels.and_then(|levels| levels.get(slots[leaf.slot as usize] as usize)).copied().unwrap_or(0)
        };
        let left = world.operators().filter(|operator: &&dyn Operator| operator.has_left(slots)).count() as u32;
        world.leaves.iter().map(local).fold(left, u32::saturating_add)
    }
}

fn levels_of(component: &Component) -> Vec<u32> {
    let targets = |state: &LocalState| -> Vec<usize> {
        let edges = state.outputs.iter().chain(&state.inputs);
        let state_of = |target| match target {
            Target::State(target) => Some(target as usize),
            Target::Error(_) => None,
        };
        edges.filter_map(|edge| state_of(edge.target)).collect()
    };
    let targets: Vec<Vec<usize>> = component.states.iter().map(targets).collect();
    if targets.is_empty() { Vec::new() } else { levels(&targets, 0) }
}
