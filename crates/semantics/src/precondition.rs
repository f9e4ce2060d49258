//! Under which clock constraints a transition exists: its guard, and the target's invariants seen from the source.
//!
//! An invariant on a clock that the transition sets to a constant is decided, one on a clock that it keeps or copies is a
//! constraint on the source's clock. Costs one run of the updates and of the target's invariants.

use crate::code::{ClockBound, RunError};
use crate::zone_graph::{ClockValue, Scratch, State, ZoneGraph};
use model::network::{ClockId, Relation};
use zones::{Constraint, Zone};

impl ZoneGraph<'_> {
    /// The constraints on the source's zone under which the transition exists; `None` when it does not exist at all.
    /// `scratch.transitions` must be those of `from`, and its clocks entered.
    pub(crate) fn precondition(
        &self,
        scratch: &mut Scratch,
        from: &State,
        index: usize,
    ) -> Result<Option<Vec<Constraint>>, RunError> {
        // What is not possible here at all must not fail either.
        if !self.guard(scratch, from, index) {
            return Ok(None);
        }
        let mut constraints = Vec::new();
        for bound in scratch.transitions.bounds(index) {
            self.constrain(bound, &scratch.index, &mut constraints);
        }
        self.update(scratch, from, index)?;
        if !self.invariant_facts(scratch)? {
            return Ok(None);
        }
        self.assigned(scratch, index)?;
        let value_of = |clock: Option<ClockId>| match clock {
            None => (None, 0),
            Some(clock) => {
                let n = clock.index() as u32;
                match scratch.values.iter().find(|(assigned, _)| *assigned == n) {
                    Some((_, ClockValue::Constant(value))) => (None, i64::from(*value)),
                    Some((_, ClockValue::Old(old, offset))) => (Some(ClockId::new(*old as usize)), i64::from(*offset)),
                    None => (Some(clock), 0),
                }
            }
        };
        for fact in &scratch.facts.bounds {
            let ((plus, added), (minus, taken)) = (value_of(fact.plus), value_of(fact.minus));
            let bound = i64::from(fact.bound) - added + taken;
            if plus.is_none() && minus.is_none() {
                if !decided(fact.relation, bound) {
                    return Ok(None);
                }
                continue;
            }
            let bound = bound.clamp(i64::from(i32::MIN) + 1, i64::from(i32::MAX)) as i32;
            self.constrain(
                &ClockBound { plus, minus, relation: fact.relation, bound },
                &scratch.index,
                &mut constraints,
            );
        }
        Ok(Some(constraints))
    }
}

/// `0 ~ bound`
fn decided(relation: Relation, bound: i64) -> bool {
    match relation {
        Relation::Lt => 0 < bound,
        Relation::Le => 0 <= bound,
        Relation::Eq => 0 == bound,
        Relation::Ne => 0 != bound,
        Relation::Ge => 0 >= bound,
        Relation::Gt => 0 > bound,
    }
}

/// The part of a zone that does not meet a conjunction, in disjoint pieces.
pub(crate) fn without(zone: Zone, conjunction: &[Constraint], pieces: &mut Vec<Zone>) {
    let mut rest = zone;
    for constraint in conjunction {
        let outside = constraint.negated();
        if rest.admits(outside) {
            let mut piece = rest.clone();
            if piece.constrain(outside.left as usize, outside.right as usize, outside.bound) {
                pieces.push(piece);
            }
        }
        if !rest.constrain(constraint.left as usize, constraint.right as usize, constraint.bound) {
            return;
        }
    }
}
