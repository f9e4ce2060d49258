//! The deadlocked part of a symbolic state: valuations from which no action is possible, now or after any delay.
//!
//! It is the zone without the past of every transition's precondition (where time cannot pass: without the preconditions
//! themselves). The zone is closed under delay, so a valuation that can reach a precondition by waiting reaches it inside the
//! zone. The result is not convex: a federation.

use crate::code::RunError;
use crate::zone_graph::{Scratch, State, ZoneGraph};
use search::system::TransitionSystem;
use zones::Federation;

impl ZoneGraph<'_> {
    /// The valuations of a state that are deadlocks.
    pub fn deadlocked(
        &self,
        scratch: &mut <Self as TransitionSystem>::Scratch,
        state: &State,
    ) -> Result<Federation, RunError> {
        self.enumerate(scratch, &state.discrete)?;
        self.enter(scratch, state);
        self.no_guard_fails(scratch, state)?;
        let waits = self.waits(scratch, state)?;
        let mut rest = Federation::from(state.zone.clone());
        for index in 0..scratch.transitions.len() {
            let Some(constraints) = self.precondition(scratch, state, index)? else { continue };
            if constraints.is_empty() {
                // Possible here and now, whatever the clocks are: most states are decided by this.
                return Ok(Federation::empty(state.zone.dim()));
            }
            let mut zone = state.zone.clone();
            if !zone.constrain_all(&constraints) {
                continue;
            }
            if waits {
                zone.down();
            }
            rest.subtract_zone(&zone);
            if rest.is_empty() {
                break;
            }
        }
        Ok(rest)
    }

    /// Whether time can pass in a state.
    pub fn waits(&self, scratch: &mut Scratch, state: &State) -> Result<bool, RunError> {
        scratch.start_from(state);
        self.time_passes(scratch)
    }
}
