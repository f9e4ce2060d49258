//! Arriving in a state: its invariants hold, and time passes where it may.

use super::{Abstraction, Scratch, State, ZoneGraph};
use crate::code::{RunError, RunErrorKind};
use crate::structure::marks;
use model::network::ProcessId;
use zones::{Constraint, Zone};

const OTHER_RATE: &str = "a clock gets a rate other than 0 and 1, and zones know running and stopped clocks only";

/// Whether zones can follow a clock with this rate.
fn is_for_zones(rate: i32) -> bool {
    matches!(rate, 0 | 1)
}

impl ZoneGraph<'_> {
    /// Evaluates the invariants of the target into `scratch.facts`. `false` when an integer part does not hold.
    pub(crate) fn invariant_facts(&self, scratch: &mut Scratch) -> Result<bool, RunError> {
        let Scratch { machine, facts, target, .. } = scratch;
        facts.clear();
        let structure = &self.structure;
        for process in marks::with(&target.marks, marks::INVARIANT) {
            let location = target.discrete.locations[process];
            let Some(invariant) = structure.location(process, location).invariant else { continue };
            let id = ProcessId::new(process);
            let before = facts.rates.len();
            if !machine.condition(&structure.programs, invariant, id, &[], &target.discrete, facts)? {
                return Ok(false);
            }
            // Rates are values of expressions: only here it shows whether zones can follow them.
            if facts.rates.get(before..).is_some_and(|rates| rates.iter().any(|(_, rate)| !is_for_zones(*rate))) {
                let span = structure.network.template_of(id).location(location).span;
                return Err(RunError { kind: RunErrorKind::Unsupported(OTHER_RATE), span, process: id });
            }
        }
        Ok(true)
    }

    /// Puts the invariants of the target into `constraints`, and which of its clocks stand still into `stopped`.
    /// `false` when an integer invariant does not hold.
    pub(crate) fn invariants(&self, scratch: &mut Scratch) -> Result<bool, RunError> {
        if !self.invariant_facts(scratch)? {
            return Ok(false);
        }
        let Scratch { facts, target, constraints, stopped, target_index, .. } = scratch;
        constraints.clear();
        for (n, clock) in target.clocks.iter().enumerate() {
            target_index[*clock as usize] = n as u32 + 1;
        }
        for bound in &facts.bounds {
            self.constrain(bound, target_index, constraints);
        }
        stopped.clear();
        stopped.resize(target.clocks.len() + 1, false);
        for (clock, rate) in &facts.rates {
            let n = target_index[clock.index()] as usize;
            if *rate == 0 && n > 0 {
                stopped[n] = true;
            }
        }
        for clock in &target.clocks {
            target_index[*clock as usize] = 0;
        }
        Ok(true)
    }

    /// Whether time can pass in the target.
    pub(crate) fn time_passes(&self, scratch: &mut Scratch) -> bool {
        let Scratch { enumerator, urgent, target, .. } = scratch;
        let structure = &self.structure;
        if marks::any(&target.marks, marks::NO_DELAY) {
            return false;
        }
        if !marks::any(&target.marks, marks::URGENT_EDGE) {
            return true;
        }
        enumerator.urgent(structure, &target.discrete, urgent) != Some(true)
    }

    /// Intersects the target with its invariants and lets time pass. `false` when nothing is left.
    pub(super) fn settle(&self, scratch: &mut Scratch) -> Result<bool, RunError> {
        if !self.invariants(scratch)? {
            return Ok(false);
        }
        if !scratch.target.zone.constrain_all(&scratch.constraints) {
            return Ok(false);
        }
        if self.time_passes(scratch) {
            let Scratch { target, constraints, stopped, .. } = scratch;
            if stopped.contains(&true) {
                target.zone.up_stopped(stopped);
                if !target.zone.constrain_all(constraints) {
                    return Ok(false);
                }
            } else if !target.zone.delay_within(constraints) {
                return Ok(false);
            }
        }
        let Scratch { target: State { zone, clocks, bounds, packed, cuts, .. }, target_index, .. } = scratch;
        if zone.overflowed() {
            self.note_too_large();
        }
        let mut abstraction = if scratch.exact { Abstraction::None } else { self.abstraction };
        if self.knows_cuts() {
            abstraction = Abstraction::None;
            self.cut(clocks, target_index, cuts);
        }
        match abstraction {
            Abstraction::LowerUpper | Abstraction::Simulation => zone.extrapolate_lu_plus(bounds),
            Abstraction::Maximal => zone.extrapolate_m_plus(bounds),
            Abstraction::None => {}
        }
        packed.set(zone);
        Ok(true)
    }

    /// Extrapolates the target's zone with maximal bounds. Comparisons between clocks cut it into cells first, and hold again
    /// after the extrapolation (Bengtsson, Yi 2003); without any there is one cell, which stays in the target.
    pub(crate) fn extrapolate_cells(&self, scratch: &mut Scratch) -> Option<Vec<Zone>> {
        let Scratch { target: State { zone, clocks, bounds, cuts, .. }, target_index, exact, .. } = scratch;
        if zone.overflowed() {
            self.note_too_large();
        }
        if *exact || self.abstraction == Abstraction::None {
            return None;
        }
        if !self.knows_cuts() {
            zone.extrapolate_m_plus(bounds);
            return None;
        }
        self.cut(clocks, target_index, cuts);
        let mut cells = zone.clone().split(cuts);
        for cell in &mut cells {
            let met: Vec<Constraint> = cuts.iter().copied().filter(|cut| cell.implies(*cut)).collect();
            cell.extrapolate_m_plus(bounds);
            let kept = cell.constrain_all(&met);
            debug_assert!(kept, "what the cell was before meets them");
        }
        Some(cells)
    }

    /// The guards under which an urgent synchronisation is enabled, where all have one. Time must have been asked for by
    /// [`ZoneGraph::time_passes`]; `state` has the clocks.
    pub(crate) fn urgent_guards(&self, scratch: &mut Scratch, state: &State) -> Vec<Vec<Constraint>> {
        if !marks::any(&scratch.target.marks, marks::URGENT_EDGE) {
            return Vec::new();
        }
        self.enter(scratch, state);
        let Scratch { urgent, index, .. } = scratch;
        let guard = |n: usize| {
            let mut constraints = Vec::new();
            urgent.bounds(n).iter().for_each(|bound| self.constrain(bound, index, &mut constraints));
            constraints
        };
        (0..urgent.len()).map(guard).collect()
    }
}
