//! Blocks of a few words, each kept once and without its zeros: what a key is made of (see [`keys`](crate::keys)). Most words
//! of a block are small numbers or ids of other blocks, and many are 0: queues that are not full, processes where they
//! started, parts that are alike in all states. So a block is kept in halves of words: a mask of the halves that are not 0,
//! and these. The form is canonical, so equal blocks are equal slices. The id of a block is where it begins in the arena.
//!
//! Cost: 4 bytes and 4 for each half that is not 0 (the words themselves would be 32), and 6-11 bytes of table.

use crate::hash::{hash_words, spread};
use crate::per_state::{reserve_tight, table_bytes};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Words of a block.
pub const BLOCK: usize = 4;

pub type Block = [u64; BLOCK];

/// Hash-consed blocks.
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    /// Of each block its mask and the halves that are not 0.
    halves: Vec<u32>,
    /// Ids.
    table: HashTable<u32>,
}

/// A block as it is kept.
struct Kept {
    halves: [u32; 1 + 2 * BLOCK],
    len: usize,
}

impl Kept {
    #[inline]
    fn new(block: &Block) -> Self {
        let (mut halves, mut len) = ([0; 1 + 2 * BLOCK], 1);
        for (n, &word) in block.iter().enumerate() {
            for (half, bit) in [(word as u32, 1 << (2 * n)), ((word >> 32) as u32, 2 << (2 * n))] {
                // Written always, counted only when it is not 0: no branch.
                halves[len] = half;
                len += usize::from(half != 0);
                halves[0] |= if half == 0 { 0 } else { bit };
            }
        }
        Self { halves, len }
    }

    fn as_slice(&self) -> &[u32] {
        &self.halves[..self.len]
    }
}

/// The block that begins at `id`.
#[inline]
fn block(halves: &[u32], id: u32) -> Block {
    let mut mask = halves[id as usize];
    let mut block = [0; BLOCK];
    for &half in &halves[id as usize + 1..][..mask.count_ones() as usize] {
        let n = mask.trailing_zeros() as usize % (2 * BLOCK);
        block[n / 2] |= u64::from(half) << (n % 2 * 32);
        mask &= mask - 1;
    }
    block
}

#[inline]
fn hash(block: &Block) -> u64 {
    spread(hash_words(block))
}

impl Blocks {
    /// The id of a block, if it is known.
    #[inline]
    pub fn find(&self, wanted: &Block) -> Option<u32> {
        let kept = Kept::new(wanted);
        self.table.find(hash(wanted), |&id| self.halves[id as usize..].starts_with(kept.as_slice())).copied()
    }

    /// The id of a block, new or known; `None` when the ids are used up. The first one gets 0.
    #[inline]
    pub fn intern(&mut self, wanted: &Block) -> Option<u32> {
        let Self { halves, table } = self;
        let kept = Kept::new(wanted);
        let next = u32::try_from(halves.len()).ok();
        let same = |&id: &u32| halves[id as usize..].starts_with(kept.as_slice());
        match table.entry(hash(wanted), same, |&id| hash(&block(halves, id))) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(entry) => {
                entry.insert(next?);
                reserve_tight(halves, kept.len);
                halves.extend_from_slice(kept.as_slice());
                next
            }
        }
    }

    #[inline]
    pub fn block(&self, id: u32) -> Block {
        block(&self.halves, id)
    }

    pub fn clear(&mut self) {
        self.halves.clear();
        self.table.clear();
    }

    pub fn bytes(&self) -> usize {
        table_bytes(&self.halves) + self.table.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::HashMap;

    #[test]
    fn blocks_are_what_was_put_in() {
        let (mut random, mut blocks, mut known) = (Random::new(1), Blocks::default(), HashMap::new());
        for _ in 0..20_000 {
            let block: Block = std::array::from_fn(|_| match random.index(4) {
                0 => random.index(3) as u64,
                1 => (random.index(3) as u64) << 32,
                2 => u64::MAX - random.index(2) as u64,
                _ => 0,
            });
            assert_eq!(blocks.find(&block), known.get(&block).copied());
            let id = blocks.intern(&block);
            assert_eq!(known.entry(block).or_insert_with(|| id.unwrap_or(u32::MAX)), &id.unwrap_or(u32::MAX - 1));
        }
        known.iter().for_each(|(block, id)| assert_eq!(blocks.block(*id), *block));
    }

    #[test]
    fn zeros_take_no_room() {
        let mut blocks = Blocks::default();
        (1..1000).for_each(|n| assert_eq!(blocks.intern(&[0, n, 0, 0]), Some(2 * (n as u32 - 1))));
        assert_eq!(blocks.intern(&[0; BLOCK]), Some(1998));
    }
}
