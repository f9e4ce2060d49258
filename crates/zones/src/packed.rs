//! Zones as searches keep them by the million: 16 bits a bound, no diagonal, and comparisons on that form.
//!
//! The matrix of `n` rows is written in one line and every cell of the diagonal left out. These lie `n + 1` apart, so what
//! remains are `n - 1` groups of `n` cells, and group `g` has the end of row `g` and the start of row `g + 1`.
//!
//! A zone with a finite bound that 16 bits cannot hold takes two units a bound; its length tells.
//!
//! Inclusion is one run over two slices, a vector at a time. Inclusion in a≼LU (see [`AluTest`](crate::AluTest)) is the same run; only a
//! bound that fails is looked at closely, and most often it decides. So a search that compares by simulation pays for it only
//! where simulation can make a difference, in both directions, and nothing has to be prepared.

use crate::bound::{Bound, INFINITE};
use crate::clock_bounds::ClockBounds;
use crate::vector::on_avx2;
use crate::zone::Zone;

/// An infinite bound in storage.
const INFINITE_UNIT: i16 = i16::MAX;
const LARGEST: i32 = i16::MAX as i32 - 1;

/// A zone ready to be stored, and to be compared with stored ones of the same dimension.
#[derive(Clone, Default, Debug)]
pub struct Packed {
    dim: usize,
    units: Vec<i16>,
}

impl Packed {
    pub fn new() -> Packed {
        Packed::default()
    }

    /// Takes a zone.
    pub fn set(&mut self, zone: &Zone) {
        self.dim = zone.dim();
        self.units.resize(self.cells(), 0);
        if !pack(zone.stride, &zone.cells, self.dim, &mut self.units) {
            self.units.clear();
            for group in 1..self.dim {
                let (above, row) = (zone.row(group - 1), zone.row(group));
                let bounds = above[group..].iter().chain(&row[..group]);
                self.units.extend(bounds.flat_map(|bound| [bound.0 as i16, (bound.0 >> 16) as i16]));
            }
        }
    }

    /// Takes a zone of a dimension as it was stored.
    pub fn set_stored(&mut self, dim: usize, units: &[i16]) {
        self.dim = dim;
        self.units.clear();
        self.units.extend_from_slice(units);
    }

    /// What is to be stored.
    #[inline]
    pub fn units(&self) -> &[i16] {
        &self.units
    }

    fn cells(&self) -> usize {
        self.dim * (self.dim - 1)
    }

    /// Whether a stored zone includes this one; with bounds, whether a≼LU of it does.
    #[must_use]
    #[inline]
    pub fn is_covered_by(&self, stored: &[i16], bounds: Option<&ClockBounds>) -> bool {
        self.compare(&self.units, stored, bounds)
    }

    /// Whether this zone includes a stored one; with bounds, whether a≼LU of it does.
    #[must_use]
    #[inline]
    pub fn covers(&self, stored: &[i16], bounds: Option<&ClockBounds>) -> bool {
        self.compare(stored, &self.units, bounds)
    }

    #[inline]
    fn compare(&self, small: &[i16], large: &[i16], bounds: Option<&ClockBounds>) -> bool {
        if small.len() == self.cells() && large.len() == small.len() {
            return covered(small, large, self.dim, bounds);
        }
        let (small, large) = (Wide::new(small, self.dim), Wide::new(large, self.dim));
        (0..self.cells()).all(|n| {
            let (bound, other) = (small.at(n), large.at(n));
            bound <= other || bounds.is_some_and(|bounds| is_simulated(n, other, bounds, |n| small.at(n)))
        })
    }
}

impl Zone {
    /// Becomes the zone of a dimension whose units were stored.
    ///
    /// # Panics
    /// If there are too few units.
    pub fn unpack(&mut self, dim: usize, units: &[i16]) {
        self.reshape(dim);
        let cells = dim * (dim - 1);
        self.set(0, 0, Bound::LE_ZERO);
        let stride = self.stride;
        if units.len() == cells {
            unpack(stride, &mut self.cells, dim, units);
            return;
        }
        let units = Wide::new(units, dim);
        let mut bounds = (0..cells).map(|n| units.at(n));
        for group in 1..dim {
            let (above, row) = self.cells[(group - 1) * stride..].split_at_mut(stride);
            let targets = above[group..dim].iter_mut().chain(&mut row[..group]);
            targets.zip(&mut bounds).for_each(|(cell, bound)| cell.0 = bound);
            row[group] = Bound::LE_ZERO;
        }
    }
}

on_avx2! {
    /// Writes the cells in 16 bits. `false`: some do not fit.
    fn pack = pack_any (stride: usize, cells: &[Bound], dim: usize, units: &mut [i16]) -> bool
}

#[inline(always)]
fn pack_any(stride: usize, cells: &[Bound], dim: usize, units: &mut [i16]) -> bool {
    let mut large = 0;
    for (group, out) in (1..dim).zip(units.chunks_exact_mut(dim)) {
        let (first, second) = out.split_at_mut(dim - group);
        let (above, row) = (&cells[(group - 1) * stride..][group..dim], &cells[group * stride..][..group]);
        for (out, from) in [(first, above), (second, row)] {
            for (unit, bound) in out.iter_mut().zip(from) {
                large |= i32::from((bound.0 != INFINITE) & (bound.0 > LARGEST)) | i32::from(bound.0 < -LARGEST);
                *unit = bound.0.min(LARGEST + 1) as i16;
            }
        }
    }
    large == 0
}

on_avx2! {
    fn unpack = unpack_any (stride: usize, cells: &mut [Bound], dim: usize, units: &[i16]) -> ()
}

#[inline(always)]
fn unpack_any(stride: usize, cells: &mut [Bound], dim: usize, units: &[i16]) {
    for (group, from) in (1..dim).zip(units.chunks_exact(dim)) {
        let (first, second) = from.split_at(dim - group);
        let (above, row) = cells[(group - 1) * stride..].split_at_mut(stride);
        for (out, from) in [(&mut above[group..dim], first), (&mut row[..group], second)] {
            for (cell, &unit) in out.iter_mut().zip(from) {
                cell.0 = if unit == INFINITE_UNIT { INFINITE } else { i32::from(unit) };
            }
        }
        row[group] = Bound::LE_ZERO;
    }
}

on_avx2! {
    /// Whether one zone includes another, or simulates it within bounds.
    fn covered = covered_any (small: &[i16], large: &[i16], dim: usize, bounds: Option<&ClockBounds>) -> bool
}

#[inline(always)]
fn covered_any(small: &[i16], large: &[i16], dim: usize, bounds: Option<&ClockBounds>) -> bool {
    debug_assert_eq!(bounds.map_or(dim, ClockBounds::dim), dim);
    const BLOCK: usize = 16;
    let excused = |start: usize, small_block: &[i16], large_block: &[i16]| {
        bounds.is_some_and(|bounds| {
            small_block.iter().zip(large_block).enumerate().all(|(n, (bound, other))| {
                bound <= other || is_simulated(start + n, bound_of(*other), bounds, |n| bound_of(small[n]))
            })
        })
    };
    let len = small.len().min(large.len());
    let (small_blocks, large_blocks) = (small.as_chunks::<BLOCK>().0, large.as_chunks::<BLOCK>().0);
    for (n, (a, b)) in small_blocks.iter().zip(large_blocks).enumerate() {
        if !block_le(a, b) && !excused(n * BLOCK, a, b) {
            return false;
        }
    }
    match (small.last_chunk::<BLOCK>(), large.last_chunk::<BLOCK>()) {
        // The rest once more with what precedes it, as one full block.
        (Some(a), Some(b)) => block_le(a, b) || excused(len - BLOCK, a, b),
        _ => block_le(small, large) || excused(0, small, large),
    }
}

#[inline(always)]
fn block_le(a: &[i16], b: &[i16]) -> bool {
    let mut above = 0;
    for (a, b) in a.iter().zip(b) {
        above |= i16::from(a > b);
    }
    above == 0
}

/// Whether a cell in which a zone exceeds another keeps it from being in a≼LU of that: cell `n` of the other is `other`.
#[inline]
fn is_simulated(n: usize, other: i32, bounds: &ClockBounds, small: impl Fn(usize) -> i32) -> bool {
    let dim = bounds.dim();
    let (group, place) = (n / dim, n % dim);
    let in_row = dim - 1 - group;
    let (row, column) = if place < in_row { (group, group + 1 + place) } else { (group + 1, place - in_row) };
    let first = if column == 0 { Bound::LE_ZERO.0 } else { small(column - 1) };
    let above = bounds.above[row];
    first <= bounds.below[column] || above == i32::MIN || (other & -2) - (above - 1) >= first
}

#[inline(always)]
fn bound_of(unit: i16) -> i32 {
    if unit == INFINITE_UNIT { INFINITE } else { i32::from(unit) }
}

/// Stored units in either form.
struct Wide<'a> {
    units: &'a [i16],
    is_wide: bool,
}

impl Wide<'_> {
    fn new(units: &[i16], dim: usize) -> Wide<'_> {
        Wide { units, is_wide: units.len() > dim * (dim - 1) }
    }

    fn at(&self, n: usize) -> i32 {
        if self.is_wide {
            i32::from(self.units[2 * n] as u16) | i32::from(self.units[2 * n + 1]) << 16
        } else {
            bound_of(self.units[n])
        }
    }
}
