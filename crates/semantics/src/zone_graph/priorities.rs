//! Priorities: a transition that another one of higher priority blocks exists only where the other does not.

use super::{Scratch, State, ZoneGraph};
use crate::code::RunError;
use crate::precondition::without;
use search::system::Visit;
use std::ops::ControlFlow;
use zones::{Constraint, Zone};

/// Channel and process priority, and the constraints under which a transition exists.
pub(crate) type Precondition = ((u32, u32), Option<Vec<Constraint>>);
impl ZoneGraph<'_> {
    /// Successors where transitions of higher priority block others: each guard without the preconditions of those.
    pub(super) fn successors_by_priority(
        &self,
        scratch: &mut Scratch,
        from: &State,
        visit: &mut Visit<'_, Self>,
    ) -> Result<(), RunError> {
        let preconditions = self.preconditions(scratch, from)?;
        let mut result = Ok(());
        for index in 0..preconditions.len() {
            for piece in self.pieces(scratch, from, index, &preconditions) {
                scratch.guarded.copy_from(&piece);
                match self.take(scratch, from, index) {
                    Ok(true) => {
                        if let ControlFlow::Break(()) = visit(scratch.transitions.get(index).label, &scratch.target) {
                            return Ok(());
                        }
                    }
                    Ok(false) => {}
                    Err(error) => result = result.and(Err(error)),
                }
            }
        }
        result
    }

    /// The priority and the precondition of each transition.
    pub(crate) fn preconditions(&self, scratch: &mut Scratch, from: &State) -> Result<Vec<Precondition>, RunError> {
        (0..scratch.transitions.len())
            .map(|index| Ok((scratch.transitions.get(index).priority, self.precondition(scratch, from, index)?)))
            .collect()
    }

    /// Where a transition's guard holds and no transition of higher priority exists.
    pub(crate) fn pieces(
        &self,
        scratch: &mut Scratch,
        from: &State,
        index: usize,
        preconditions: &[Precondition],
    ) -> Vec<Zone> {
        let (own, exists) = &preconditions[index];
        if exists.is_none() || !self.guard(scratch, from, index) {
            return Vec::new();
        }
        let blockers =
            || preconditions.iter().filter(|(priority, _)| priority > own).filter_map(|(_, some)| some.as_ref());
        if blockers().any(|blocker| blocker.iter().all(|constraint| scratch.guarded.implies(*constraint))) {
            return Vec::new();
        }
        let mut pieces = vec![scratch.guarded.clone()];
        for blocker in blockers() {
            if blocker.iter().all(|constraint| scratch.guarded.admits(*constraint)) {
                let whole = std::mem::take(&mut pieces);
                whole.into_iter().for_each(|zone| without(zone, blocker, &mut pieces));
            }
        }
        pieces
    }
}
