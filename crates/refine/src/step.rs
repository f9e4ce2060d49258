//! Steps of systems: constraints, resets and changes, whatever made them.

use crate::component::Origin;
use zones::Constraint;

/// What a system can do: where `guard` holds, the resets and changes happen.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Step {
    pub guard: Vec<Constraint>,
    pub resets: Vec<(u32, i32)>,
    pub changes: Vec<(u32, u32)>,
    /// Which edges of which leaves are taken; ignored inputs have no edge.
    pub taken: Vec<(u32, Option<Origin>)>,
    /// An evaluation that fails: leaf and error.
    pub error: Option<(u32, u32)>,
}

impl Step {
    /// Both at once.
    pub fn with(&self, other: &Step) -> Step {
        let mut both = self.clone();
        both.guard.extend_from_slice(&other.guard);
        both.resets.extend_from_slice(&other.resets);
        both.changes.extend_from_slice(&other.changes);
        both.taken.extend_from_slice(&other.taken);
        both.error = both.error.or(other.error);
        both
    }

    /// The same, only where the constraints hold as well.
    pub fn only_where(&self, constraints: &[Constraint]) -> Step {
        let mut step = self.clone();
        step.guard.extend_from_slice(constraints);
        step
    }
}
