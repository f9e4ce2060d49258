//! Extra_LU and its coarser form Extra⁺_LU.
//!
//! Behrmann, Bouyer, Larsen, Pelánek, "Lower and upper bounds in zone-based abstractions of timed automata" (STTT 2006), definitions 6
//! and 9. With `c_ij` the constant of `D[i][j]`:
//!
//! - Extra_LU: `∞` if `c_ij > L(i)`; else `(<, -U(j))` if `-c_ij > U(j)`.
//! - Extra⁺_LU: `∞` if `c_ij > L(i)`, or `-c_0i > L(i)`, or `-c_0j > U(j)` and `i ≠ 0`; else `(<, -U(j))` if `-c_0j > U(j)` and
//!   `i = 0`.
//!
//! Where U(j) is minus infinity row 0 gets `(<=, 0)`. Sound for reachability in automata without diagonal constraints. `O(n²)`, and a
//! closure of `O(n³)` if something changed, in which clocks without outgoing bounds are no pivots.

use crate::bound::{Bound, INFINITE};
use crate::clock_bounds::ClockBounds;
use crate::pivot::close_relaxed;
use crate::zone::Zone;

impl Zone {
    /// Extra_LU. The zone grows, or stays as it is.
    ///
    /// # Panics
    /// If the bounds are for another dimension.
    pub fn extrapolate_lu(&mut self, bounds: &ClockBounds) {
        assert_eq!(self.dim, bounds.dim());
        let mut changed = false;
        for i in 0..self.dim {
            let above = bounds.above[i];
            let row = &mut self.cells[i * self.stride..][..self.dim];
            for (j, bound) in row.iter_mut().enumerate() {
                let new = if i == j {
                    continue;
                } else if bound.0 > above {
                    Bound::INFINITY
                } else if bound.0 < bounds.below[j] {
                    relaxed_lower(i, bounds.below[j])
                } else {
                    continue;
                };
                changed |= new != *bound;
                *bound = new;
            }
        }
        if changed {
            self.close_relaxed();
        }
    }

    /// Extra⁺_LU. The zone grows, or stays as it is.
    ///
    /// # Panics
    /// If the bounds are for another dimension.
    pub fn extrapolate_lu_plus(&mut self, bounds: &ClockBounds) {
        assert_eq!(self.dim, bounds.dim());
        let mut changed = false;
        let (lower, rest) = self.cells.split_at_mut(self.stride);
        for (i, row) in (1..self.dim).zip(rest.chunks_exact_mut(self.stride)) {
            let above = bounds.above[i];
            let beyond = above == i32::MIN || lower[i].0 < 1 - above;
            for (j, (bound, first)) in row[..self.dim].iter_mut().zip(lower.iter()).enumerate() {
                let forget = beyond || bound.0 > above || first.0 < bounds.below[j];
                if forget && i != j && bound.0 != INFINITE {
                    *bound = Bound::INFINITY;
                    changed = true;
                }
            }
        }
        for (j, bound) in lower[..self.dim].iter_mut().enumerate().skip(1) {
            if bound.0 < bounds.below[j] {
                let new = relaxed_lower(0, bounds.below[j]);
                changed |= new != *bound;
                *bound = new;
            }
        }
        if changed {
            self.close_relaxed();
        }
    }

    /// Closes after bounds were relaxed; a superset of a zone is not empty.
    fn close_relaxed(&mut self) {
        let range = close_relaxed(self.stride, &mut self.cells);
        self.note(range);
    }
}

/// What a lower bound beyond U(j) becomes: `(<, -U(j))`, nothing at all if there is no U(j).
#[inline(always)]
fn relaxed_lower(i: usize, below: i32) -> Bound {
    match (below, i) {
        (i32::MAX, 0) => Bound::LE_ZERO,
        (i32::MAX, _) => Bound::INFINITY,
        _ => Bound(below),
    }
}
