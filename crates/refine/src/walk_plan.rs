//! What walks over pairs know before they begin: which leaves an action concerns, and what they
//! have to look at.

use crate::prospects::Prospects;
use crate::walks::TICKS;
use crate::world::{NodeId, World};

/// A leaf that takes part in an action, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub leaf: u32,
    pub output: bool,
}

/// Per action of a side the leaves that take part, one list after the other.
#[derive(Default)]
pub(crate) struct Parts {
    starts: Vec<u32>,
    list: Vec<Part>,
}

impl Parts {
    fn new(world: &World<'_>, leaves: &[u32]) -> Parts {
        let mut all: Vec<(u32, Part)> = Vec::new();
        for &leaf in leaves {
            let component = world.component_of(leaf);
            for (actions, output) in [(&component.outputs, true), (&component.inputs, false)] {
                all.extend(actions.iter().map(|action| (*action, Part { leaf, output })));
            }
        }
        all.sort_by_key(|(action, _)| *action);
        let mut starts = vec![0; world.network.channels.len() + 1];
        all.iter().for_each(|(action, _)| starts[*action as usize + 1] += 1);
        for n in 1..starts.len() {
            starts[n] += starts[n - 1];
        }
        Parts { starts, list: all.into_iter().map(|(_, part)| part).collect() }
    }

    pub fn of(&self, action: u32) -> &[Part] {
        let at = action as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(from), Some(to)) => &self.list[*from as usize..*to as usize],
            _ => &[],
        }
    }
}

/// What does not change from walk to walk.
pub(crate) struct Plan<'w, 'n> {
    pub world: &'w World<'n>,
    pub left: NodeId,
    pub right: NodeId,
    /// No quotient: leaves act by themselves.
    pub flat: bool,
    pub left_leaves: Vec<u32>,
    pub right_leaves: Vec<u32>,
    pub left_parts: Parts,
    pub right_parts: Parts,
    /// Two leaves of the left side may output the same.
    pub shared: bool,
    /// Some component has an evaluation that fails.
    pub fallible: bool,
    pub prospects: Prospects,
    /// Inputs of the left side, and those that only the right one has.
    pub inputs: Vec<u32>,
    /// How long to wait at most where nothing ends.
    pub horizon: i64,
}

impl<'w, 'n> Plan<'w, 'n> {
    pub fn new(world: &'w World<'n>, left: NodeId, right: NodeId) -> Plan<'w, 'n> {
        let largest = |component: &std::sync::Arc<crate::component::Component>| {
            component.states.iter().flat_map(|state| state.maximal.iter().copied()).max().unwrap_or(0)
        };
        let constant = world.components.iter().map(largest).max().unwrap_or(0).max(0);
        let flat = world.is_flat(left) && world.is_flat(right);
        let (left_leaves, right_leaves) = (world.leaves_of(left), world.leaves_of(right));
        let left_parts = Parts::new(world, &left_leaves);
        let outputs: usize = left_leaves.iter().map(|leaf| world.component_of(*leaf).outputs.len()).sum();
        Plan {
            world,
            left,
            right,
            flat,
            shared: outputs != world.alphabet(left).outputs.len(),
            fallible: world.components.iter().any(|component| !component.errors.is_empty()),
            prospects: Prospects::new(world, &right_leaves),
            right_parts: Parts::new(world, &right_leaves),
            left_parts,
            left_leaves,
            right_leaves,
            // Inputs of the right side are all that the left one has, and perhaps more.
            inputs: world.alphabet(right).inputs.clone(),
            horizon: (i64::from(constant) + 1) * TICKS,
        }
    }
}
