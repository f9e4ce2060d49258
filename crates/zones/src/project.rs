//! Zones over other clocks: dropping, adding, reordering and assigning clocks in one pass.
//!
//! A search stores only the clocks that are active in a location (Daws and Yovine 1996), so the dimension changes from
//! location to location. Dropping clocks of a closed matrix is taking a part of it, which is closed; a new clock that is a constant or free has the
//! row and column of the reference clock, shifted. `O(n²)` for any mixture, and an edge's resets come for free with it.

use crate::bound::{Bound, INFINITE};
use crate::kernel::stride_for;
use crate::zone::Zone;

/// Where the value of a clock of the new zone comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A clock of the old zone.
    Keep(u32),
    /// A constant, not negative.
    Value(i32),
    /// Anything.
    Free,
}

impl Zone {
    /// Projects onto some clocks, in the given order. The reference clock is kept and not named; no clock twice.
    pub fn select(&mut self, kept: &[usize]) {
        self.rebuild(kept.iter().map(|&clock| Source::Keep(clock as u32)));
    }

    /// Appends a clock.
    ///
    /// # Panics
    /// If its value is not admissible.
    pub fn insert(&mut self, source: Source) {
        self.rebuild((1..self.dim as u32).map(Source::Keep).chain([source]));
    }

    /// Becomes the zone whose clock `i + 1` has the value of `sources[i]`. A clock may be kept twice.
    ///
    /// # Panics
    /// If a constant is negative or not admissible, or a clock does not exist.
    pub fn remap(&mut self, sources: &[Source]) {
        self.rebuild(sources.iter().copied());
    }

    fn rebuild(&mut self, sources: impl Sources) {
        let dim = 1 + sources.clone().count();
        let stride = stride_for(dim);
        self.spare.clear();
        self.spare.resize(dim * stride, Bound::INFINITY);
        // Value c: the reference clock plus c. Twice the constant keeps the comparison as it is.
        let origin = |source: Source| match source {
            Source::Keep(clock) => (clock as usize, 0),
            Source::Value(value) => {
                assert!(value >= 0 && Bound::is_admissible(i64::from(value)), "no value of a clock: {value}");
                (0, 2 * value)
            }
            Source::Free => (0, 0),
        };
        let all = || std::iter::once(Source::Value(0)).chain(sources.clone());
        for ((i, source), row) in all().enumerate().zip(self.spare.chunks_exact_mut(stride)) {
            if source != Source::Free {
                let (from, plus) = origin(source);
                let old = &self.cells[from * self.stride..][..self.dim];
                for (bound, (column, minus)) in row.iter_mut().zip(all().map(origin)) {
                    let raw = old[column].0;
                    bound.0 = if raw == INFINITE { INFINITE } else { raw + plus - minus };
                }
            }
            row[i] = Bound::LE_ZERO;
        }
        self.dim = dim;
        self.stride = stride;
        std::mem::swap(&mut self.cells, &mut self.spare);
    }
}

/// An iterator over sources that can be walked more than once.
trait Sources: Iterator<Item = Source> + Clone {}
impl<T: Iterator<Item = Source> + Clone> Sources for T {}
