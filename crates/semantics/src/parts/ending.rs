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
        let waits = self.graph.time_passes(&mut scratch.inner)?;
        let stopped = scratch.inner.stopped.clone();
        let runs = |clock: &usize| stopped.get(*clock) != Some(&true);
        if waits && (1..zone.dim()).filter(runs).all(|clock| zone.upper(clock).is_infinite()) {
            return Ok(End::Idle);
        }
        let part = scratch.parts.get(state.part as usize).cloned();
        let invariants = scratch.inner.constraints.clone();
        let urgent = if waits { self.graph.urgent_guards(&mut scratch.inner, &state.state) } else { Vec::new() };
        let some_stopped = stopped.contains(&true);
        // All that delays lead to, also those that leave the part.
        let mut later = zone.clone();
        if waits {
            if some_stopped {
                later.up_stopped(&stopped);
            } else {
                later.up();
            }
            if !later.constrain_all(&invariants) {
                return Ok(End::Open);
            }
        }
        let waits = waits && !some_stopped;
        let mut rest = Federation::from(zone.clone());
        if let Some(part) = part.filter(|part| waits && !part.whole)
            && let Some(part) = part.zone(zone.dim())
        {
            for mut outside in later.minus(&part).zones().iter().cloned() {
                outside.down();
                rest.subtract_zone(&outside);
            }
        }
        let possible = self.possible(scratch, state, &later)?;
        // With a guard on an urgent synchronisation time may stop where nothing is possible.
        let mut blocked = Federation::empty(zone.dim());
        for constraints in urgent {
            let mut zone = zone.clone();
            if zone.constrain_all(&constraints) {
                blocked.add(zone);
            }
        }
        for zone in possible {
            blocked.subtract_zone(&zone);
            let mut past = zone;
            if waits {
                past.down();
            }
            rest.subtract_zone(&past);
        }
        rest.unite(&blocked);
        Ok(if rest.is_empty() { End::Open } else { End::Stuck(rest) })
    }

    /// The parts of a zone in which some action is possible at once.
    fn possible(&self, scratch: &mut PartScratch, state: &PartState, zone: &Zone) -> Result<Vec<Zone>, RunError> {
        let graph = self.graph;
        let inner = &mut scratch.inner;
        let mut from = state.state.clone();
        from.zone.copy_from(zone);
        graph.enumerate(inner, &from.discrete)?;
        graph.enter(inner, &from);
        let mut possible = Vec::new();
        for index in 0..inner.transitions.len() {
            let Some(constraints) = graph.precondition(inner, &from, index)? else { continue };
            let mut zone = zone.clone();
            if zone.constrain_all(&constraints) {
                possible.push(zone);
            }
        }
        Ok(possible)
    }
}
