//! A discrete state with a zone over the clocks that matter there: what is stored of one system,
//! and the better part of what is stored of two.
//!
//! The slots are the key under which the store keeps it, two to a word; the zone is the rest. The
//! frame follows from the slots and is worked out anew whenever a state is made: that costs less
//! than to look it up in a table, and nothing to keep.

use crate::frame::Frame;
use crate::world::Slots;
use zones::{Bound, Zone, ZoneRef};

#[derive(Clone, Debug)]
pub struct ZoneState {
    pub slots: Vec<u32>,
    pub frame: Frame,
    pub zone: Zone,
}

impl Default for ZoneState {
    fn default() -> ZoneState {
        ZoneState { slots: Vec::new(), frame: Frame::default(), zone: Zone::zero(1) }
    }
}

impl ZoneState {
    /// Whether the zone is the whole space.
    pub(crate) fn is_largest(&self) -> bool {
        let dim = self.zone.dim();
        let is_free = |i: usize, j: usize| match i {
            0 => self.zone.at(0, j) == Bound::LE_ZERO,
            _ => i == j || self.zone.at(i, j).is_infinite(),
        };
        (0..dim).all(|i| (0..dim).all(|j| is_free(i, j)))
    }

    /// The slots of another state, with changes.
    pub(crate) fn follow<'c>(&mut self, from: &Slots, changes: impl IntoIterator<Item = &'c (u32, u32)>) {
        self.slots.clear();
        self.slots.extend_from_slice(from);
        for (slot, value) in changes {
            self.slots[*slot as usize] = *value;
        }
    }
}

/// The number of words that so many slots take.
pub(crate) fn words_of(slots: usize) -> usize {
    slots.div_ceil(2)
}

pub(crate) fn write_key(slots: &Slots, words: &mut [u64]) {
    for (word, pair) in words.iter_mut().zip(slots.chunks(2)) {
        *word = u64::from(pair[0]) | pair.get(1).map_or(0, |second| u64::from(*second) << 32);
    }
}

/// The slots of a world with so many.
pub(crate) fn read_key(key: &[u64], count: usize, slots: &mut Vec<u32>) {
    slots.clear();
    slots.extend(key.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]).take(count));
}

/// A zone that was stored in this frame.
pub(crate) fn stored<'z>(frame: &Frame, bounds: &'z [Bound]) -> ZoneRef<'z> {
    ZoneRef::from_stored(frame.dim(), bounds)
}
