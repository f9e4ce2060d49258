//! The passing of time, forwards and backwards, for all clocks or with some stopped.
//!
//! `up` and `down`: Bengtsson and Yi 2004, algorithms 6 and 7, `O(n)` and `O(n²)`. `delay_within` is entering a location: `Z ∧ I`,
//! delay, `∧ I` again. Once `Z ⊆ I`, the second intersection can only lower upper bounds of clocks: for `D` closed with
//! `D[k][0] <= c_k` we have `D[a][b] <= D[a][0] + D[0][b] <= D[a][k] + c_k + D[0][b]`, so no difference changes and
//! column 0 is `min_k (D[a][k] + c_k)`. That costs `O(n)` per invariant instead of `O(n²)`. Lower bounds and
//! differences of clocks in an invariant stay true while time passes. `up_stopped` is UPPAAL's over-approximation for
//! stopwatches, as in UDBM's `dbm_up_stop`.

use crate::bound::{Bound, INFINITE, add_raw};
use crate::vector::by_stride;
use crate::view::Constraint;
use crate::zone::Zone;

impl Zone {
    /// Adds everything that can be reached by letting time pass.
    #[inline]
    pub fn up(&mut self) {
        for i in 1..self.dim {
            self.set(i, 0, Bound::INFINITY);
        }
    }

    /// Adds everything from which the zone can be reached by letting time pass.
    pub fn down(&mut self) {
        lower_bounds(self.stride, &mut self.cells);
        self.row_mut(0)[0] = Bound::LE_ZERO;
        let dim = self.dim;
        self.cells[dim..self.stride].fill(Bound::INFINITY);
    }

    /// Keeps what meets the invariants and lets time pass as long as they hold. Answers whether anything meets them;
    /// if not, the zone meets some of them and no time has passed.
    #[must_use = "false says that no valuation meets the invariants"]
    #[inline]
    pub fn delay_within(&mut self, invariants: &[Constraint]) -> bool {
        if !self.constrain_all(invariants) {
            return false;
        }
        self.up_within(invariants);
        true
    }

    /// Time passes while the upper bounds among `invariants` hold; the zone meets them already.
    #[inline]
    fn up_within(&mut self, invariants: &[Constraint]) {
        self.up();
        let mut large = false;
        let uppers = || invariants.iter().filter(|constraint| constraint.right == 0);
        for &Constraint { left, bound, .. } in uppers() {
            let left = left as usize;
            for row in self.cells.chunks_exact_mut(self.stride).skip(1) {
                let difference = row[left].0;
                let sum = if difference == INFINITE { INFINITE } else { add_raw(difference, bound.0) };
                large |= (sum >= INFINITE) & (difference != INFINITE);
                row[0].0 = row[0].0.min(sum);
            }
        }
        if large {
            let finite = |row: &[Bound]| uppers().any(|constraint| !row[constraint.left as usize].is_infinite());
            let lost = |row: &[Bound]| row[0].is_infinite() && finite(row);
            self.overflowed |= self.cells.chunks_exact(self.stride).skip(1).any(lost);
        }
    }

    /// Lets time pass while the clocks marked in `stopped` stand still. `stopped[0]` is not looked at.
    ///
    /// An over-approximation: how far the running clocks have come relative to the stopped ones is forgotten.
    pub fn up_stopped(&mut self, stopped: &[bool]) {
        assert_eq!(stopped.len(), self.dim);
        for running in (1..self.dim).filter(|&clock| !stopped[clock]) {
            let row = &mut self.cells[running * self.stride..][..self.dim];
            row[0] = Bound::INFINITY;
            for (bound, &stands) in row.iter_mut().zip(stopped).skip(1) {
                if stands {
                    *bound = Bound::INFINITY;
                }
            }
        }
    }
}

by_stride! {
    /// Row 0 becomes the minimum of zero and all other rows.
    fn lower_bounds = lower_bounds_fixed, lower_bounds_wide (cells: &mut [Bound]) -> ()
}

#[inline(always)]
fn lower_bounds_fixed<const S: usize>(cells: &mut [Bound]) {
    let (rows, _) = cells.as_chunks_mut::<S>();
    let mut lower = [Bound::LE_ZERO; S];
    for row in &rows[1..] {
        for (bound, &other) in lower.iter_mut().zip(row) {
            bound.0 = bound.0.min(other.0);
        }
    }
    rows[0] = lower;
}

fn lower_bounds_wide(stride: usize, cells: &mut [Bound]) {
    let (lower, rest) = cells.split_at_mut(stride);
    lower.fill(Bound::LE_ZERO);
    for row in rest.chunks_exact(stride) {
        for (bound, &other) in lower.iter_mut().zip(row) {
            bound.0 = bound.0.min(other.0);
        }
    }
}
