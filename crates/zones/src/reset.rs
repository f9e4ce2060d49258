//! Assignments to clocks: `x := c`, `x := y + c`, `x := x + c`, and forgetting a clock. All `O(n)`.
//!
//! Bengtsson and Yi 2004, algorithms 9 to 12. An assigned clock differs from a known one by a constant, so that its row
//! and its column are those of the other, shifted; the result is closed without a closure. Clocks are never negative:
//! where a negative `c` would make one so, the valuations concerned are dropped first.

use crate::bound::Bound;
use crate::view::Constraint;
use crate::zone::Zone;

impl Zone {
    /// `clock := value`.
    ///
    /// # Panics
    /// If the value is negative or not admissible.
    #[inline]
    pub fn reset(&mut self, clock: usize, value: i32) {
        assert!(value >= 0, "clocks are not negative");
        assert!(0 < clock && clock < self.dim);
        let (plus, minus) = (Bound::le(value), Bound::le(-value));
        let (dim, stride) = (self.dim, self.stride);
        // Neither sum can leave the admissible range: lower bounds are negative and upper bounds positive.
        let (reference, row) = self.cells.split_at_mut(clock * stride);
        for (bound, &lower) in row[..dim].iter_mut().zip(&reference[..dim]) {
            *bound = plus + lower;
        }
        for row in self.cells.chunks_exact_mut(stride) {
            row[clock] = row[0] + minus;
        }
        self.set(clock, clock, Bound::LE_ZERO);
    }

    /// Forgets the value of a clock: afterwards it is anything.
    pub fn free(&mut self, clock: usize) {
        assert!(0 < clock && clock < self.dim);
        self.row_mut(clock).fill(Bound::INFINITY);
        for row in self.cells.chunks_exact_mut(self.stride) {
            row[clock] = row[0];
        }
        self.set(clock, clock, Bound::LE_ZERO);
    }

    /// `clock := other`.
    pub fn copy_clock(&mut self, clock: usize, other: usize) {
        if clock != other {
            self.assign(clock, other, 0);
        }
    }

    /// `clock := other + offset`, for the valuations in which that is not negative. Answers whether there are any; if not,
    /// the zone is unchanged.
    ///
    /// # Panics
    /// If the offset is not admissible.
    #[must_use = "false says that the value would always be negative"]
    pub fn copy_sum(&mut self, clock: usize, other: usize, offset: i32) -> bool {
        let enough = Constraint::new(0, other, Bound::le(offset.min(0)));
        if !self.admits(enough) {
            return false;
        }
        if clock != other {
            // What is overwritten must not count as too large on the way.
            self.free(clock);
        }
        if !self.constrain_all(&[enough]) {
            return false;
        }
        if clock == other {
            self.move_by(clock, offset);
        } else {
            self.assign(clock, other, offset);
        }
        true
    }

    /// `clock := clock + offset`, for the valuations in which that is not negative. Answers whether there are any.
    ///
    /// # Panics
    /// If the offset is not admissible.
    #[must_use = "false says that the value would always be negative"]
    pub fn shift(&mut self, clock: usize, offset: i32) -> bool {
        self.copy_sum(clock, clock, offset)
    }

    fn assign(&mut self, clock: usize, other: usize, offset: i32) {
        assert!(0 < clock && clock < self.dim && other < self.dim);
        let (plus, minus) = (Bound::le(offset), Bound::le(-offset));
        for j in (0..self.dim).filter(|&j| j != clock) {
            let bound = self.sum(self.at(other, j), plus);
            self.set(clock, j, bound);
            let bound = self.sum(self.at(j, other), minus);
            self.set(j, clock, bound);
        }
    }

    fn move_by(&mut self, clock: usize, offset: i32) {
        assert!(0 < clock && clock < self.dim);
        let (plus, minus) = (Bound::le(offset), Bound::le(-offset));
        for j in (0..self.dim).filter(|&j| j != clock) {
            let bound = self.sum(self.at(clock, j), plus);
            self.set(clock, j, bound);
            let bound = self.sum(self.at(j, clock), minus);
            self.set(j, clock, bound);
        }
    }
}
