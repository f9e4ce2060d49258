//! Where a run may end in a part: time can pass for ever within it, or nothing can happen any more until time stops.

use super::{PartGraph, PartScratch, PartState, Phase};
use crate::code::RunError;
use zones::{Federation, Zone};

/// How a run can end in a state.
#[derive(Clone, Debug)]
pub enum End {
    Open,
    /// Time passes for ever, within the part.
    Idle,
    /// No action is possible from these valuations, now or later, and what is left of time lies within the part.
    Stuck(Federation),
}

impl PartGraph<'_, '_> {
    /// How a run can end in a state. Where the graph approximates, ends may be found that are none.
    pub fn end(&self, scratch: &mut PartScratch, state: &PartState) -> Result<End, RunError> {
        if state.phase == Phase::Before || !self.cut_up_own(scratch, state, state.phase)? {
            return Ok(End::Open);
        }
        let zone = &state.state.zone;
        let waits = self.graph.time_passes(&mut scratch.inner);
        let PartScratch { inner, parts, later, .. } = scratch;
        let runs = |clock: &usize| inner.stopped.get(*clock) != Some(&true);
        if waits && (1..zone.dim()).filter(runs).all(|clock| zone.upper(clock).is_infinite()) {
            return Ok(End::Idle);
        }
        // All that delays lead to, also those that leave the part.
        later.set_discrete(&state.state);
        later.clocks.clone_from(&state.state.clocks);
        later.zone.copy_from(zone);
        let some_stopped = inner.stopped.contains(&true);
        if waits {
            if some_stopped {
                later.zone.up_stopped(&inner.stopped);
            } else {
                later.zone.up();
            }
            if !later.zone.constrain_all(&inner.constraints) {
                return Ok(End::Open);
            }
        }
        // With a guard on an urgent synchronisation time may stop where nothing is possible.
        let mut blocked = Federation::empty(zone.dim());
        for constraints in if waits { self.graph.urgent_guards(inner, &state.state) } else { Vec::new() } {
            let mut zone = zone.clone();
            if zone.constrain_all(&constraints) {
                blocked.add(zone);
            }
        }
        let waits = waits && !some_stopped;
        let part = parts.get(state.part as usize).filter(|part| waits && !part.whole);
        let part = part.and_then(|part| part.zone(zone.dim()));
        let Some(possible) = self.possible(scratch, zone, waits, &mut blocked)? else { return Ok(End::Open) };
        let mut rest = Federation::from(zone.clone());
        possible.iter().for_each(|past| rest.subtract_zone(past));
        if let Some(part) = part {
            for mut outside in scratch.later.zone.minus(&part).zones().iter().cloned() {
                outside.down();
                rest.subtract_zone(&outside);
            }
        }
        rest.unite(&blocked);
        Ok(if rest.is_empty() { End::Open } else { End::Stuck(rest) })
    }

    /// The valuations from which some action of the state in `scratch.later` is possible, at once or after a delay where
    /// time passes; `None` when the zone has no others. What is possible at once is taken from `blocked`.
    fn possible(
        &self,
        scratch: &mut PartScratch,
        zone: &Zone,
        waits: bool,
        blocked: &mut Federation,
    ) -> Result<Option<Vec<Zone>>, RunError> {
        let PartScratch { inner, later, .. } = scratch;
        self.graph.enumerate(inner, later);
        self.graph.no_guard_fails(inner, later)?;
        let mut possible = Vec::new();
        for index in 0..inner.transitions.len() {
            let Some(constraints) = self.graph.precondition(inner, later, index)? else { continue };
            let mut past = later.zone.clone();
            if !past.constrain_all(&constraints) {
                continue;
            }
            if !blocked.is_empty() {
                blocked.subtract_zone(&past);
            }
            if waits {
                past.down();
            }
            if blocked.is_empty() && zone.is_subset(&past) {
                return Ok(None);
            }
            possible.push(past);
        }
        Ok(Some(possible))
    }
}
