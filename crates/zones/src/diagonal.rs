//! Diagonal constraints `x - y ≺ c`: splitting zones, and a simulation test that knows them.
//!
//! Extrapolation with constants per clock is unsound once guards compare differences (Bouyer, "Untameable timed automata!", STACS 2003). Two
//! sound ways: split every zone until each diagonal constraint holds everywhere or nowhere in it (Bengtsson and Yi 2004, §4.4), or test
//! G-simulation (Gastin, Mukherjee, Srivathsan, CONCUR 2018, CAV 2019), which needs no splitting in storage. Delays do not
//! change a difference, so the test eliminates one constraint φ after the other:
//!
//! ```text
//! Z ⊑ Z'   iff   (Z ∧ φ) ⊑ (Z' ∧ φ)  and  (Z ∧ ¬φ) ⊑ Z'
//! ```
//!
//! and ends in the a≼LU test. Exponential in the number of diagonal constraints that cut the zone.

use crate::clock_bounds::ClockBounds;
use crate::view::{Constraint, ZoneRef};
use crate::zone::Zone;

impl Zone {
    /// The parts of this zone in each of which every one of the constraints holds everywhere or nowhere.
    pub fn split(self, diagonals: &[Constraint]) -> Vec<Zone> {
        let mut parts = vec![self];
        for &diagonal in diagonals {
            for k in 0..parts.len() {
                let mut outside = parts[k].clone();
                if !parts[k].implies(diagonal) && parts[k].constrain_all(&[diagonal]) {
                    let kept = outside.constrain_all(&[diagonal.negated()]);
                    debug_assert!(kept, "not implied, so the complement is met somewhere");
                    parts.push(outside);
                }
            }
        }
        parts
    }

    /// Whether every valuation of this zone is simulated by one of the other, as far as the diagonal constraints and
    /// constraints within the bounds can tell.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn is_simulated_by(&self, other: &Zone, bounds: &ClockBounds, diagonals: &[Constraint]) -> bool {
        let Some((&diagonal, rest)) = diagonals.split_first() else {
            let (mut left, mut right) = (Vec::new(), Vec::new());
            self.store(&mut left);
            other.store(&mut right);
            let right = ZoneRef::from_stored(other.dim(), &right);
            return ZoneRef::from_stored(self.dim(), &left).is_subset_alu(right, bounds);
        };
        let mut inside = self.clone();
        if inside.constrain_all(&[diagonal]) {
            let mut part = other.clone();
            if !part.constrain_all(&[diagonal]) || !inside.is_simulated_by(&part, bounds, rest) {
                return false;
            }
        }
        let mut outside = self.clone();
        self.implies(diagonal)
            || (outside.constrain_all(&[diagonal.negated()]) && outside.is_simulated_by(other, bounds, rest))
    }
}
