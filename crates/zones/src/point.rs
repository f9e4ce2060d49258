//! Single valuations: membership of exact values.
//!
//! Values are integers in units of `1/scale`, so that rational valuations are tested without rounding. `O(n²)`.

use crate::view::ZoneRef;
use crate::zone::Zone;

impl ZoneRef<'_> {
    /// Whether the zone contains the valuation in which clock `i + 1` has the value `values[i] / scale`.
    ///
    /// # Panics
    /// If there is not one value per clock.
    #[must_use]
    pub fn contains(self, values: &[i64], scale: i64) -> bool {
        assert_eq!(values.len() + 1, self.dim());
        (0..self.dim()).all(|i| contains_row(self.row(i), i, values, scale))
    }
}

impl Zone {
    /// Whether the zone contains the valuation in which clock `i + 1` has the value `values[i] / scale`.
    ///
    /// # Panics
    /// If there is not one value per clock.
    #[must_use]
    pub fn contains(&self, values: &[i64], scale: i64) -> bool {
        assert_eq!(values.len() + 1, self.dim());
        (0..self.dim()).all(|i| contains_row(self.row(i), i, values, scale))
    }
}

fn contains_row(row: &[crate::Bound], i: usize, values: &[i64], scale: i64) -> bool {
    let value = |clock: usize| if clock == 0 { 0 } else { values[clock - 1] };
    row.iter().enumerate().all(|(j, bound)| bound.admits(value(i) - value(j), scale))
}
