//! Subtraction of zones, which gives federations.
//!
//! `D \ E`: for the constraints `g_1, g_2, ...` of E's minimal form the pieces are `D ∧ g_1 ∧ ... ∧ g_{k-1} ∧ ¬g_k`, disjoint by
//! construction (David, Håkansson, Larsen, Pettersson, "Model checking timed automata with priorities using DBM subtraction", FORMATS 2006).
//! `O(n²)` per piece after the minimal form's `O(n³)`; constraints that D meets anyway give no piece.

use crate::federation::Federation;
use crate::minimal::Minimal;
use crate::view::{Constraint, ZoneRef};
use crate::zone::Zone;

impl Zone {
    /// The valuations of this zone that are not in the other.
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn minus(&self, other: &Zone) -> Federation {
        let mut result = Federation::from(self.clone());
        result.subtract_zone(other);
        result
    }
}

impl Federation {
    /// Removes the valuations of a zone.
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn subtract_zone(&mut self, other: &Zone) {
        assert_eq!(self.dim, other.dim());
        let mut bounds = Vec::new();
        other.store(&mut bounds);
        let minimal = Minimal::new(ZoneRef::from_stored(self.dim, &bounds));
        let mut pieces = Vec::new();
        for zone in self.zones.drain(..) {
            push_difference(zone, minimal.constraints(), &mut pieces);
        }
        self.zones = pieces;
    }

    /// Removes the valuations of another federation.
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn subtract(&mut self, other: &Federation) {
        for zone in &other.zones {
            if self.is_empty() {
                return;
            }
            self.subtract_zone(zone);
        }
    }
}

/// Appends the pieces of `zone` that violate some of the constraints.
fn push_difference(mut zone: Zone, constraints: &[Constraint], pieces: &mut Vec<Zone>) {
    // A zone that meets the complement of one constraint throughout is a single piece.
    if constraints.iter().any(|&constraint| !zone.admits(constraint)) {
        pieces.push(zone);
        return;
    }
    for &constraint in constraints {
        if zone.implies(constraint) {
            continue;
        }
        let mut piece = zone.clone();
        if piece.constrain_all(&[constraint.negated()]) {
            pieces.push(piece);
        }
        if !zone.constrain_all(&[constraint]) {
            return;
        }
    }
}
