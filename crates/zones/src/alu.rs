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
use crate::vector::{all_le, by_stride, store_row};
use crate::view::ZoneRef;
use crate::zone::Zone;

/// In place of a clock's bound where there is no condition: the sum with any L, and with itself, is below every bound
/// and does not wrap.
const FAR: i32 = -(1 << 30);

/// A zone made ready to be tested against many stored ones.
#[derive(Clone, Default)]
pub struct AluTest {
    dim: usize,
    /// What the entries of a stored zone must reach to cover.
    needed: Vec<Bound>,
}

impl AluTest {
    pub fn new() -> AluTest {
        AluTest::default()
    }

    /// Sets the zone whose coverage is asked about.
    ///
    /// # Panics
    /// If the bounds are for another dimension.
    pub fn prepare(&mut self, zone: &Zone, bounds: &ClockBounds) {
        assert_eq!(zone.dim(), bounds.dim());
        self.dim = zone.dim();
        // Room for the last row to be written with its padding.
        self.needed.resize(self.dim * self.dim + zone.stride, Bound(FAR));
        prepare(zone.stride, &zone.cells, bounds, &mut self.needed);
    }

    /// Whether a≼LU of the stored zone includes the zone.
    #[must_use]
    #[inline]
    pub fn is_covered_by(&self, stored: ZoneRef<'_>) -> bool {
        debug_assert_eq!(self.dim, stored.dim());
        all_le(&self.needed[..self.dim * self.dim], stored.bounds())
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

by_stride! {
    /// Computes the entries that a covering zone must reach.
    fn prepare = prepare_fixed, prepare_wide (cells: &[Bound], bounds: &ClockBounds, needed: &mut [Bound]) -> ()
}

#[inline(always)]
fn prepare_fixed<const S: usize>(cells: &[Bound], bounds: &ClockBounds, needed: &mut [Bound]) {
    let (rows, _) = cells.as_chunks::<S>();
    let dim = bounds.dim();
    let mut gate = [FAR; S];
    for ((gate, first), &below) in gate.iter_mut().zip(&rows[0]).zip(&bounds.below) {
        *gate = gated(first.0, below);
    }
    for (y, (row, &above)) in rows.iter().zip(&bounds.above).enumerate() {
        let above = above.max(FAR);
        let mut out = [Bound(FAR); S];
        for ((out, bound), &gate) in out.iter_mut().zip(row).zip(&gate) {
            *out = need(bound.0, gate, above);
        }
        store_row(&out, &mut needed[y * dim..]);
    }
}

fn prepare_wide(stride: usize, cells: &[Bound], bounds: &ClockBounds, needed: &mut [Bound]) {
    let gate: Vec<i32> = cells.iter().zip(&bounds.below).map(|(first, &below)| gated(first.0, below)).collect();
    let rows = cells.chunks_exact(stride).zip(needed.chunks_exact_mut(gate.len()));
    for ((row, out), &above) in rows.zip(&bounds.above) {
        for ((out, bound), &gate) in out.iter_mut().zip(row).zip(&gate) {
            *out = need(bound.0, gate, above.max(FAR));
        }
    }
}

/// `D[0][x]`, or out of sight where the smallest value of the clock is beyond U.
#[inline(always)]
fn gated(first: i32, below: i32) -> i32 {
    if first > below { first } else { FAR }
}

/// `min(D[y][x], D[0][x] + 2 L(y))`, the second rounded up to an even number; `above` is `2 L(y) + 1`.
#[inline(always)]
fn need(bound: i32, gate: i32, above: i32) -> Bound {
    Bound(bound.min((gate + above) & -2))
}
