//! Matrices under construction: any bounds, not closed, perhaps empty. Closing one is the only way to a [`Zone`].
//!
//! Closing is Floyd and Warshall's algorithm, `O(n³)`, with the diagonal tested after every pivot.

use crate::bound::Bound;
use crate::zone::Zone;

/// A conjunction of constraints that has not been closed.
pub struct Unclosed {
    zone: Zone,
}

impl Unclosed {
    /// No constraints but that clocks are not negative.
    pub fn new(dim: usize) -> Unclosed {
        Unclosed { zone: Zone::universal(dim) }
    }

    /// Adds `x_i - x_j ≺ bound`.
    pub fn constrain(&mut self, i: usize, j: usize, bound: Bound) {
        let bound = bound.min(self.zone.at(i, j));
        self.zone.set(i, j, bound);
    }

    /// Replaces the bound of `x_i - x_j`, also by a weaker one. Clocks stay non-negative.
    pub fn replace(&mut self, i: usize, j: usize, bound: Bound) {
        let bound = if i == 0 || i == j { bound.min(Bound::LE_ZERO) } else { bound };
        self.zone.set(i, j, bound);
    }

    /// The zone of all valuations that meet the constraints, if there are any.
    pub fn close(mut self) -> Option<Zone> {
        let consistent = (0..self.zone.dim).all(|i| self.zone.at(i, i) >= Bound::LE_ZERO);
        (consistent && (0..self.zone.dim).all(|k| self.zone.close_through(k))).then_some(self.zone)
    }
}

impl From<Zone> for Unclosed {
    fn from(zone: Zone) -> Unclosed {
        Unclosed { zone }
    }
}
