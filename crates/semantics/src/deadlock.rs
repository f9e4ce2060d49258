//! The deadlocked part of a symbolic state: valuations from which no action is possible, now or after any delay.
//!
//! It is the zone without the past of every transition's precondition (where time cannot pass: without the preconditions
//! themselves). The zone is closed under delay, so a valuation that can reach a precondition by waiting reaches it inside the
//! zone. The result is not convex: a federation.
//!
//! Where a guard cannot be evaluated nobody knows whether its transition is possible. Such valuations
//! are told apart ([`Deadlocked::possible`]): they are no deadlocks, and nothing else either.
//!
//! Where lower and upper bounds widened the zone it is first cut by the invariants, which the widening does not heed. It is then
//! not closed under delay any more: the result may have more valuations than are deadlocks, but never fewer.

use crate::code::RunError;
use crate::zone_graph::{Abstraction, Scratch, State, ZoneGraph};
use search::system::TransitionSystem;
use std::ops::ControlFlow;
use zones::{Federation, Zone};

/// The valuations of a state that are deadlocks.
pub struct Deadlocked {
    pub sure: Federation,
    /// Those that are deadlocks or not as a guard holds that cannot be evaluated, together with the
    /// sure ones.
    pub possible: Option<(Federation, RunError)>,
}

impl Deadlocked {
    fn all(sure: Federation) -> Deadlocked {
        Deadlocked { sure, possible: None }
    }
}

impl ZoneGraph<'_> {
    /// The valuations of a state that are deadlocks.
    pub fn deadlocked(
        &self,
        scratch: &mut <Self as TransitionSystem>::Scratch,
        state: &State,
    ) -> Result<Deadlocked, RunError> {
        let waits = self.waits(scratch, state);
        let mut inside: Option<(Zone, Federation)> = None;
        let (mut result, mut is_first, mut is_none) = (Ok(()), true, false);
        // Where a guard cannot be evaluated nobody can say whether something is possible.
        let mut unclear: Vec<(RunError, Zone)> = Vec::new();
        self.each_batch(scratch, state, &mut |scratch| {
            if std::mem::take(&mut is_first) {
                unclear = self.where_guards_fail(scratch, state);
            }
            result = self.without_possible(scratch, state, waits, &mut inside, &mut is_none);
            if is_none || result.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        result?;
        if is_none {
            return Ok(Deadlocked::all(Federation::empty(state.zone.dim())));
        }
        let rest = match inside {
            Some((_, rest)) => rest,
            // There is no transition at all.
            None => {
                self.within_invariants(scratch, state)?.map_or(Federation::empty(state.zone.dim()), Federation::from)
            }
        };
        let Some((error, _)) = unclear.first() else { return Ok(Deadlocked::all(rest)) };
        let (error, mut sure) = (*error, rest.clone());
        for (_, mut zone) in unclear {
            if waits {
                zone.down();
            }
            sure.subtract_zone(&zone);
        }
        Ok(Deadlocked { sure, possible: Some((rest, error)) })
    }

    /// Takes the valuations away from which a listed transition is possible. `is_none`: there are no others.
    fn without_possible(
        &self,
        scratch: &mut Scratch,
        state: &State,
        waits: bool,
        inside: &mut Option<(Zone, Federation)>,
        is_none: &mut bool,
    ) -> Result<(), RunError> {
        for index in 0..scratch.transitions.len() {
            let Some(constraints) = self.precondition(scratch, state, index)? else { continue };
            if constraints.is_empty() {
                // Possible here and now, whatever the clocks are: most states are decided by this.
                *is_none = true;
                return Ok(());
            }
            let (whole, rest) = match inside {
                Some(inside) => inside,
                None => {
                    let Some(whole) = self.within_invariants(scratch, state)? else {
                        *is_none = true;
                        return Ok(());
                    };
                    inside.insert((whole.clone(), Federation::from(whole)))
                }
            };
            let mut zone = whole.clone();
            if !zone.constrain_all(&constraints) {
                continue;
            }
            if waits {
                zone.down();
            }
            rest.subtract_zone(&zone);
            if rest.is_empty() {
                *is_none = true;
                return Ok(());
            }
        }
        Ok(())
    }

    /// The zone of a state that was entered, where its invariants hold.
    fn within_invariants(&self, scratch: &mut Scratch, state: &State) -> Result<Option<Zone>, RunError> {
        let mut zone = state.zone.clone();
        if !matches!(self.abstraction, Abstraction::LowerUpper | Abstraction::Simulation) {
            return Ok(Some(zone));
        }
        scratch.start_from(state);
        if !self.invariant_facts(scratch)? {
            return Ok(None);
        }
        let mut constraints = Vec::new();
        for bound in &scratch.facts.bounds {
            self.constrain(bound, &scratch.index, &mut constraints);
        }
        Ok(zone.constrain_all(&constraints).then_some(zone))
    }

    /// Whether time can pass in a state.
    pub fn waits(&self, scratch: &mut Scratch, state: &State) -> bool {
        scratch.start_from(state);
        self.time_passes(scratch)
    }
}
