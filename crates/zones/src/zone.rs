//! The working zone: an owned matrix with padded rows on which successors are computed.
//!
//! A zone is the set of clock valuations that meet a conjunction of difference constraints, kept as the matrix of the
//! tightest bounds of all differences `x_i - x_j` (Dill 1989; Bengtsson and Yi 2004). Clock 0 is the reference clock, always zero.
//!
//! A [`Zone`] is closed and non-empty at every moment a caller can see it. Operations that could empty it test that first
//! on the closed matrix, answer `false` and leave a valid zone behind; a matrix that is not closed is the type
//! [`Unclosed`](crate::Unclosed), and only closing it gives a `Zone`.
//!
//! Rows are padded to whole vectors with infinity (see `vector.rs`). One `Zone` is meant to be reused: `load` a stored zone,
//! operate, `store`; no step allocates once the largest dimension has been seen.

use crate::bound::Bound;
use crate::pivot::Range;
use crate::vector::{load_rows, store_rows, stride_for};
use crate::view::{ZoneRef, is_closed};

/// A closed, non-empty zone to compute with.
pub struct Zone {
    pub(crate) dim: usize,
    pub(crate) stride: usize,
    /// `dim` rows of `stride` bounds.
    pub(crate) cells: Vec<Bound>,
    /// The next matrix while clocks are rearranged.
    pub(crate) spare: Vec<Bound>,
    /// One entry per clock: where it comes from while clocks are rearranged, whether it changed in an intersection.
    pub(crate) origins: Vec<usize>,
    pub(crate) overflowed: bool,
}

impl Zone {
    /// All clocks zero. `dim` counts the reference clock.
    ///
    /// # Panics
    /// If `dim` is zero.
    pub fn zero(dim: usize) -> Zone {
        let mut zone =
            Zone { dim: 0, stride: 0, cells: Vec::new(), spare: Vec::new(), origins: Vec::new(), overflowed: false };
        zone.set_zero(dim);
        zone
    }

    /// All valuations.
    pub fn universal(dim: usize) -> Zone {
        let mut zone = Zone::zero(dim);
        zone.set_universal(dim);
        zone
    }

    /// Becomes the zone of dimension `dim` in which all clocks are zero.
    pub fn set_zero(&mut self, dim: usize) {
        self.reshape(dim);
        for i in 0..dim {
            self.row_mut(i).fill(Bound::LE_ZERO);
        }
    }

    /// Becomes the zone of all valuations of dimension `dim`.
    pub fn set_universal(&mut self, dim: usize) {
        self.reshape(dim);
        self.row_mut(0).fill(Bound::LE_ZERO);
        for i in 1..dim {
            self.row_mut(i).fill(Bound::INFINITY);
            self.set(i, i, Bound::LE_ZERO);
        }
    }

    /// Becomes a copy of a stored zone.
    #[inline]
    pub fn load(&mut self, stored: ZoneRef<'_>) {
        debug_assert!(is_closed(stored.dim(), stored.bounds()), "the stored bounds are those of a zone");
        self.reshape(stored.dim());
        load_rows(self.stride, &mut self.cells, self.dim, stored.bounds());
    }

    /// Becomes a copy of another zone, without allocating if there is room.
    pub fn copy_from(&mut self, other: &Zone) {
        self.dim = other.dim;
        self.stride = other.stride;
        self.cells.clone_from(&other.cells);
        self.overflowed |= other.overflowed;
    }

    /// Appends the bounds without padding; `ZoneRef::from_stored` reads them.
    #[inline]
    pub fn store(&self, arena: &mut Vec<Bound>) {
        let start = arena.len();
        let end = start + self.dim * self.dim;
        // Room for the last row to be written with its padding.
        arena.resize(end + self.stride, Bound::INFINITY);
        store_rows(self.stride, &self.cells, self.dim, &mut arena[start..]);
        arena.truncate(end);
    }

    /// Clocks, the reference clock included.
    #[inline]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The tightest bound of `x_i - x_j`.
    #[inline]
    pub fn at(&self, i: usize, j: usize) -> Bound {
        assert!(j < self.dim);
        self.cells[i * self.stride + j]
    }

    /// The largest value of a clock.
    #[inline]
    pub fn upper(&self, clock: usize) -> Bound {
        self.at(clock, 0)
    }

    /// Minus the smallest value of a clock.
    #[inline]
    pub fn lower(&self, clock: usize) -> Bound {
        self.at(0, clock)
    }

    /// Whether some bound since [`Zone::clear_overflow`] was not admissible. The zone is then a superset of what it should be and need
    /// not be closed: no verdict may rest on it. The mark survives `load`, so that one question per search is enough.
    #[inline]
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    pub fn clear_overflow(&mut self) {
        self.overflowed = false;
    }

    #[inline]
    pub(crate) fn note(&mut self, range: Range) {
        self.overflowed |= range == Range::Left;
    }

    /// A sum that remembers when it was not admissible.
    #[inline]
    pub(crate) fn sum(&mut self, a: Bound, b: Bound) -> Bound {
        self.overflowed |= a.checked_add(b).is_none();
        a + b
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, i: usize, j: usize, bound: Bound) {
        debug_assert!(j < self.dim);
        self.cells[i * self.stride + j] = bound;
    }

    #[inline]
    pub(crate) fn row(&self, i: usize) -> &[Bound] {
        &self.cells[i * self.stride..][..self.dim]
    }

    #[inline]
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [Bound] {
        &mut self.cells[i * self.stride..][..self.dim]
    }

    /// Makes room for `dim` clocks; the padding is infinite, the rest is for the caller to write.
    #[inline]
    pub(crate) fn reshape(&mut self, dim: usize) {
        assert!(dim > 0, "a zone has at least the reference clock");
        if self.dim != dim {
            self.dim = dim;
            self.stride = stride_for(dim);
            self.cells.clear();
            self.cells.resize(dim * self.stride, Bound::INFINITY);
        }
    }

    /// Whether the invariants of the type hold; for tests and debug assertions.
    pub fn is_valid(&self) -> bool {
        let mut bounds = Vec::new();
        self.store(&mut bounds);
        is_closed(self.dim, &bounds)
            && self.cells.chunks_exact(self.stride).all(|row| row[self.dim..].iter().all(|pad| *pad == Bound::INFINITY))
    }
}

impl Clone for Zone {
    fn clone(&self) -> Zone {
        Zone { spare: Vec::new(), origins: Vec::new(), cells: self.cells.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Zone) {
        self.copy_from(other);
    }
}

impl std::fmt::Debug for Zone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::fmt::Display for Zone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut bounds = Vec::new();
        self.store(&mut bounds);
        std::fmt::Display::fmt(&ZoneRef::from_stored(self.dim, &bounds), f)
    }
}
