//! Inclusion in the abstraction a≼LU, without computing the abstraction.
//!
//! Herbreteau, Srivathsan, Walukiewicz, "Better abstractions for timed automata" (LICS 2012; Information and Computation 2016): a≼LU(Z') is the set of
//! valuations that some valuation of Z' simulates as far as constraints within the bounds L and U can tell, the coarsest
//! abstraction that is sound for reachability given these bounds. For closed `Z = D` and `Z' = E`, Z is *not* included iff there are
//! clocks x, y (0 included) with
//!
//! ```text
//! D[0][x] >= (<=, -U(x))   and   E[y][x] < D[y][x]   and   E[y][x] + (<, -L(y)) < D[0][x].
//! ```
//!
//! As an encoded bound is `2c` or `2c + 1`, the third condition is `E[y][x] < e` with `e = D[0][x] + 2 L(y)` rounded up to the next even
//! number. So both conditions on E say `E[y][x] < min(D[y][x], e)`, a number that does not depend on E: [`AluTest`] computes
//! this matrix once for a new zone (`O(n²)`), and then each comparison with a stored zone is a plain inclusion test, one run over `n²` bounds
//! that ends at the first block that fails. With L = U = M it is the test for a≼M.
//!
//! The bounds are those of the *included* zone's location. Not for liveness or deadlock.

use crate::bound::Bound;
use crate::clock_bounds::ClockBounds;
use crate::kernel::all_le;
use crate::view::ZoneRef;

/// No condition on this entry.
const NEVER: Bound = Bound(i32::MIN);

/// A zone made ready to be tested against many stored ones.
#[derive(Default)]
pub struct AluTest {
    dim: usize,
    /// What the entries of a zone must reach to simulate.
    needed: Vec<Bound>,
    /// Row 0 of the zone, where the clock is within U.
    gate: Vec<i32>,
}

impl AluTest {
    pub fn new() -> AluTest {
        AluTest::default()
    }

    /// Sets the zone whose coverage is asked about.
    ///
    /// # Panics
    /// If the bounds are for another dimension.
    pub fn prepare(&mut self, zone: ZoneRef<'_>, bounds: &ClockBounds) {
        assert_eq!(zone.dim(), bounds.dim());
        self.dim = zone.dim();
        gate(zone.row(0), bounds, &mut self.gate);
        self.needed.clear();
        self.needed.reserve(self.dim * self.dim);
        for (y, row) in zone.bounds().chunks_exact(self.dim).enumerate() {
            let lower = bounds.lower(y);
            if lower == ClockBounds::NONE {
                self.needed.extend(std::iter::repeat_n(NEVER, self.dim));
                continue;
            }
            self.needed.extend(row.iter().zip(&self.gate).map(|(bound, &first)| {
                let enough = (first.wrapping_add(2 * lower + 1)) & -2;
                if first == i32::MIN { NEVER } else { Bound(bound.0.min(enough)) }
            }));
        }
    }

    /// Whether a≼LU of the stored zone includes the zone.
    #[must_use]
    #[inline]
    pub fn is_covered_by(&self, stored: ZoneRef<'_>) -> bool {
        debug_assert_eq!(self.dim, stored.dim());
        all_le(&self.needed, stored.bounds())
    }
}

impl ZoneRef<'_> {
    /// Whether a≼LU of the other zone includes this one. For one pair; [`AluTest`] serves one zone against many.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn is_subset_alu(self, other: ZoneRef<'_>, bounds: &ClockBounds) -> bool {
        assert_eq!((self.dim(), self.dim()), (other.dim(), bounds.dim()));
        let within = |y: usize, x: usize| {
            let first = self.at(0, x).0;
            let (lower, upper) = (bounds.lower(y), bounds.upper(x));
            lower == ClockBounds::NONE
                || upper == ClockBounds::NONE
                || first <= -2 * upper
                || other.at(y, x) >= self.at(y, x)
                || (other.at(y, x).0 & -2) - 2 * lower >= first
        };
        (0..self.dim()).all(|y| (0..self.dim()).all(|x| within(y, x)))
    }

    /// Whether a≼M of the other zone includes this one, M(x) = max(L(x), U(x)).
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn is_subset_am(self, other: ZoneRef<'_>, bounds: &ClockBounds) -> bool {
        self.is_subset_alu(other, &bounds.maximal())
    }
}

/// Row 0, with `i32::MIN` where the smallest value of the clock is beyond U.
fn gate(first: &[Bound], bounds: &ClockBounds, gate: &mut Vec<i32>) {
    gate.clear();
    gate.extend(first.iter().zip(&bounds.upper).map(|(bound, &upper)| {
        let within = upper != ClockBounds::NONE && bound.0 > upper.wrapping_mul(-2);
        if within { bound.0 } else { i32::MIN }
    }));
}
