//! Extra_M and its coarser form Extra⁺_M: extrapolation with one maximal constant per clock.
//!
//! Behrmann, Bouyer, Larsen, Pelánek 2006, definitions 4 and 8 (the first is the classical k-extrapolation of Daws and Tripakis). With `c_ij` the
//! constant of `D[i][j]`:
//!
//! - Extra_M: `∞` if `c_ij > M(i)`; else `(<, -M(j))` if `-c_ij > M(j)`.
//! - Extra⁺_M: `∞` if `c_ij > M(i)`, or `-c_0i > M(i)`, or `-c_0j > M(j)` and `i ≠ 0`; else `(<, -M(j))` if `-c_0j > M(j)` and `i = 0`.
//!
//! These are the LU forms with L = U = M, and computed as such. Unlike the LU forms they keep a bisimulation, so they are
//! the ones for deadlock, liveness and refinement. Cost as in [`extrapolate_lu`](crate::Zone::extrapolate_lu).

use crate::clock_bounds::ClockBounds;
use crate::zone::Zone;

impl Zone {
    /// Extra_M, with M(x) = max(L(x), U(x)).
    ///
    /// # Panics
    /// If the bounds are for another dimension.
    pub fn extrapolate_m(&mut self, bounds: &ClockBounds) {
        if bounds.is_same() { self.extrapolate_lu(bounds) } else { self.extrapolate_lu(&bounds.maximal()) }
    }

    /// Extra⁺_M, with M(x) = max(L(x), U(x)).
    ///
    /// # Panics
    /// If the bounds are for another dimension.
    pub fn extrapolate_m_plus(&mut self, bounds: &ClockBounds) {
        if bounds.is_same() { self.extrapolate_lu_plus(bounds) } else { self.extrapolate_lu_plus(&bounds.maximal()) }
    }
}
