//! Zones over other clocks: dropping, adding, reordering and assigning clocks in one pass.
//!
//! A search stores only the clocks that are active in a location (Daws and Yovine 1996), so the dimension changes from
//! location to location. Dropping clocks of a closed matrix is taking a part of it, which is closed; a new clock that is a constant or free has the
//! row and column of the reference clock, shifted. `O(n²)` for any mixture, and an edge's resets come for free with it.

use crate::bound::Bound;
use crate::vector::stride_for;
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
    /// Projects onto some clocks, in the given order. The reference clock is kept and not named.
    ///
    /// # Panics
    /// If a clock does not exist.
    pub fn select(&mut self, kept: &[usize]) {
        self.begin(kept.len());
        for (origin, &clock) in self.origins.iter_mut().skip(1).zip(kept) {
            *origin = clock;
        }
        self.rebuild();
    }

    /// Appends a clock.
    ///
    /// # Panics
    /// If its value is negative or not admissible.
    pub fn insert(&mut self, source: Source) {
        self.begin(self.dim);
        for (clock, origin) in self.origins.iter_mut().enumerate() {
            *origin = clock;
        }
        self.origins[self.dim] = 0;
        self.rebuild();
        self.assign_source(self.dim - 1, source);
    }

    /// Becomes the zone whose clock `i + 1` has the value of `sources[i]`. A clock may be kept twice. Cheapest, `O(n)` per
    /// assigned clock, if the clocks that are kept stay where they are.
    ///
    /// # Panics
    /// If a constant is negative or not admissible, or a clock does not exist.
    pub fn remap(&mut self, sources: &[Source]) {
        let in_place = |(clock, source): (u32, &Source)| !matches!(source, Source::Keep(old) if *old != clock);
        if sources.len() + 1 != self.dim || !(1..).zip(sources).all(in_place) {
            self.begin(sources.len());
            for (origin, source) in self.origins.iter_mut().skip(1).zip(sources) {
                *origin = if let Source::Keep(clock) = *source { clock as usize } else { 0 };
            }
            self.rebuild();
        }
        for (clock, &source) in (1..).zip(sources) {
            self.assign_source(clock, source);
        }
    }

    fn assign_source(&mut self, clock: usize, source: Source) {
        match source {
            Source::Keep(_) => {}
            Source::Value(value) => self.reset(clock, value),
            Source::Free => self.free(clock),
        }
    }

    /// All clocks of the new zone come from the reference clock until told otherwise.
    fn begin(&mut self, clocks: usize) {
        self.origins.clear();
        self.origins.resize(clocks + 1, 0);
    }

    /// Takes rows and columns from where `origins` says.
    fn rebuild(&mut self) {
        let dim = self.origins.len();
        let stride = stride_for(dim);
        self.spare.clear();
        self.spare.resize(dim * stride, Bound::INFINITY);
        for (row, &from) in self.spare.chunks_exact_mut(stride).zip(&self.origins) {
            let old = &self.cells[from * self.stride..][..self.dim];
            for (bound, &column) in row.iter_mut().zip(&self.origins) {
                *bound = old[column];
            }
        }
        self.dim = dim;
        self.stride = stride;
        std::mem::swap(&mut self.cells, &mut self.spare);
    }
}
