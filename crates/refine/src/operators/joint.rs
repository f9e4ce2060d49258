//! What is common to operators whose operands take the actions that they know together.

use crate::step::Step;
use crate::world::{NodeId, Slots, World};
use std::collections::HashMap;

/// Operands, and which of them know an action.
#[derive(Debug)]
pub struct Joint {
    pub operands: Vec<NodeId>,
    parts: HashMap<u32, Vec<NodeId>>,
}

impl Joint {
    pub fn new(world: &World<'_>, operands: Vec<NodeId>) -> Joint {
        let mut parts: HashMap<u32, Vec<NodeId>> = HashMap::new();
        for &operand in &operands {
            let alphabet = world.alphabet(operand);
            for action in alphabet.outputs.iter().chain(&alphabet.inputs) {
                parts.entry(*action).or_default().push(operand);
            }
        }
        Joint { operands, parts }
    }

    /// Every combination of steps of the operands that know the action.
    pub fn steps(&self, world: &World<'_>, slots: &Slots, action: u32) -> Vec<Step> {
        let Some(parts) = self.parts.get(&action) else { return Vec::new() };
        let mut joint = vec![Step::default()];
        for part in parts {
            joint = world.combined(&joint, &world.steps(*part, slots, action));
            if joint.is_empty() {
                break;
            }
        }
        joint
    }
}
