//! Intersection: with one constraint, with several, with a zone.
//!
//! One constraint on a closed matrix: `O(1)` to see that it changes nothing or leaves nothing, else one pass of `O(n²)`
//! (Bengtsson and Yi 2004, algorithm 8). Because emptiness is known before anything is written, a zone that would
//! become empty is left as it was. With a whole zone: only the clocks at the ends of changed entries are pivots of the
//! closure (as UDBM's `dbm_closex` does), and the diagonal is looked at after each pivot, because in a matrix with a negative cycle
//! the entries would double from pivot to pivot.

use crate::bound::Bound;
use crate::pivot::{close_through, tighten};
use crate::vector::all_le;
use crate::view::{Constraint, ZoneRef};
use crate::zone::Zone;

impl Zone {
    /// Keeps the valuations with `x_i - x_j ≺ bound`. Answers whether there are any; if not, the zone is unchanged.
    #[must_use = "false says that no valuation meets the constraint"]
    #[inline]
    pub fn constrain(&mut self, i: usize, j: usize, bound: Bound) -> bool {
        if bound >= self.at(i, j) {
            return true;
        }
        if bound + self.at(j, i) < Bound::LE_ZERO {
            return false;
        }
        let range = tighten(self.stride, &mut self.cells, i, bound, j);
        self.note(range);
        true
    }

    /// Keeps the valuations that meet all constraints. Answers whether there are any; if not, the zone meets some of them.
    #[must_use = "false says that no valuation meets the constraints"]
    #[inline]
    pub fn constrain_all(&mut self, constraints: &[Constraint]) -> bool {
        constraints
            .iter()
            .all(|&Constraint { left, right, bound }| self.constrain(left as usize, right as usize, bound))
    }

    /// Whether some valuation meets the constraint.
    #[must_use]
    #[inline]
    pub fn admits(&self, constraint: Constraint) -> bool {
        constraint.bound + self.at(constraint.right as usize, constraint.left as usize) >= Bound::LE_ZERO
    }

    /// Whether every valuation meets the constraint.
    #[must_use]
    #[inline]
    pub fn implies(&self, constraint: Constraint) -> bool {
        self.at(constraint.left as usize, constraint.right as usize) <= constraint.bound
    }

    /// Keeps the valuations that are also in the other zone. Answers whether there are any; if not, the zone holds some
    /// unspecified valid zone.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use = "false says that the zones are disjoint"]
    pub fn intersect(&mut self, other: ZoneRef<'_>) -> bool {
        assert_eq!(self.dim, other.dim());
        if self.is_visibly_disjoint(other) {
            return false;
        }
        // Marks the clocks at the ends of changed entries.
        self.origins.clear();
        self.origins.resize(self.dim, 0);
        let (dim, stride) = (self.dim, self.stride);
        let rows = self.cells.chunks_exact_mut(stride).zip(other.bounds().chunks_exact(dim));
        for (i, (row, theirs)) in rows.enumerate() {
            if all_le(&row[..dim], theirs) {
                continue;
            }
            self.origins[i] = 1;
            for ((mine, &theirs), mark) in row.iter_mut().zip(theirs).zip(&mut self.origins) {
                *mark |= usize::from(theirs < *mine);
                *mine = theirs.min(*mine);
            }
        }
        for k in 0..dim {
            if self.origins[k] == 1 && !self.close_through(k) {
                self.load(other);
                return false;
            }
        }
        true
    }

    /// Whether the bounds of some clock contradict each other.
    fn is_visibly_disjoint(&self, other: ZoneRef<'_>) -> bool {
        (1..self.dim).any(|clock| {
            self.at(clock, 0) + other.at(0, clock) < Bound::LE_ZERO
                || other.at(clock, 0) + self.at(0, clock) < Bound::LE_ZERO
        })
    }

    /// One pivot of a closure; false if it shows that nothing is left.
    pub(crate) fn close_through(&mut self, k: usize) -> bool {
        let range = close_through(self.stride, &mut self.cells, k);
        self.note(range);
        self.cells.iter().step_by(self.stride + 1).all(|&bound| bound >= Bound::LE_ZERO)
    }
}
