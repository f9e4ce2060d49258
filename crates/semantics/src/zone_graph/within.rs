//! Graphs cut down to runs on which a predicate holds at every moment: it counts as an invariant of every location.

use super::{Scratch, State, ZoneGraph};
use crate::code::{PredicateId, RunError};
use model::network::Relation;
use std::sync::atomic::Ordering;

impl ZoneGraph<'_> {
    /// Cuts the graph down to runs on which a predicate holds at every moment. States where it is a disjunction of clock
    /// constraints are left out, and [`ZoneGraph::left_out`] says so.
    pub fn stay_within(&mut self, predicate: PredicateId) {
        self.within = Some(predicate);
    }

    pub fn within(&self) -> Option<PredicateId> {
        self.within
    }

    pub fn left_out(&self) -> bool {
        self.left_out.load(Ordering::Relaxed)
    }

    /// Adds the bounds of the predicate to stay within to `scratch.facts`. `false` when it does not hold at all.
    pub(super) fn within_facts(&self, scratch: &mut Scratch) -> Result<bool, RunError> {
        let Some(predicate) = self.within else { return Ok(true) };
        let Scratch { machine, facts, target, dnf, .. } = scratch;
        dnf.clear();
        machine.predicate(&self.structure.programs, predicate, &target.discrete, dnf)?;
        if dnf.is_true() {
            return Ok(true);
        }
        let mut cases = dnf.iter();
        let (first, more) = (cases.next(), cases.next().is_some());
        let Some(case) = first else { return Ok(false) };
        if more || case.deadlock.is_some() || case.bounds.iter().any(|bound| bound.relation == Relation::Ne) {
            self.left_out.store(true, Ordering::Relaxed);
            return Ok(false);
        }
        facts.bounds.extend_from_slice(case.bounds);
        Ok(true)
    }

    /// Whether the predicate to stay within constrains clocks in a discrete state.
    pub fn within_has_bounds(&self, scratch: &mut Scratch, state: &State) -> Result<bool, RunError> {
        let Some(predicate) = self.within else { return Ok(false) };
        scratch.dnf.clear();
        scratch.machine.predicate(&self.structure.programs, predicate, &state.discrete, &mut scratch.dnf)?;
        Ok(!scratch.dnf.is_true())
    }
}
