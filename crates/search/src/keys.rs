//! Discrete parts, each kept once. A short key is a record of its own (see [`records`](crate::records)); one more word
//! beside each key is its *head*, where the store chains states to it: found with the key in the same cache line.
//!
//! A long key is cut into [`blocks`](crate::blocks). Every distinct block is kept once, the key is the list of the ids of its blocks, and that
//! list, if it is still long, is cut into blocks again: tree compression (Blom, Lisser, van de Pol & Weber 2009; Laarman, van
//! de Pol & Weber, SPIN 2011), with a fan-out wider than two. States that differ in one place share all other blocks. The
//! keys that come one after another are successors of one state, so each level remembers its last words: only blocks that
//! differ from them are looked up, which is the incremental insertion of Laarman et al. without asking the system what
//! changed.
//!
//! Cost: a short key takes its words and one more, and 6-11 bytes of table. A long one takes that of its shortened list and,
//! on every level, of the blocks that no other key has. Interning one compares it with the last one, and looks up what
//! differs.

use crate::blocks::{BLOCK, Block, Blocks};
use crate::collection::Renaming;
use crate::per_state::table_bytes;
use crate::records::Records;
use std::borrow::Cow;

/// Words that are compared at once with the last ones.
const STRETCH: usize = 8 * BLOCK;
/// A key of more words is cut into blocks.
const SHORT: usize = 6;

/// Hash-consed discrete parts.
#[derive(Debug, Clone)]
pub struct Keys {
    /// Words of a key.
    words: usize,
    /// From the words of keys upwards; none for short keys.
    levels: Vec<Level>,
    /// Heads and keys, or the ids of their blocks on the last level.
    roots: Records,
}

#[derive(Debug, Clone)]
struct Level {
    blocks: Blocks,
    /// The last words that were cut up, padded to whole blocks, and the ids of their blocks, two to a word.
    last: Vec<u64>,
    ids: Vec<u64>,
}

impl Level {
    fn new(words: usize) -> Self {
        let count = words.div_ceil(BLOCK);
        let mut level =
            Self { blocks: Blocks::default(), last: vec![0; count * BLOCK], ids: vec![0; count.div_ceil(2)] };
        level.start();
        level
    }

    /// The block of zeros has the id 0, and so the remembered zeros have their ids.
    fn start(&mut self) {
        self.blocks.clear();
        self.blocks.intern(&[0; BLOCK]);
        self.last.fill(0);
        self.ids.fill(0);
    }

    /// Finds the ids of blocks that differ from the remembered ones. `None`: one is unknown and may not be added.
    fn cut(&mut self, words: &[u64], add: bool) -> Option<()> {
        for (n, part) in words.chunks(STRETCH).enumerate() {
            if self.last[n * STRETCH..][..part.len()] != *part {
                let first = n * (STRETCH / BLOCK);
                part.chunks(BLOCK).enumerate().try_for_each(|(n, block)| self.settle(first + n, block, add))?;
            }
        }
        Some(())
    }

    /// Makes the words with these ids the remembered ones.
    fn recall(&mut self, ids: &[u64]) {
        let blocks = self.last.as_chunks_mut::<BLOCK>().0;
        for (n, (known, &pair)) in self.ids.iter_mut().zip(ids).enumerate() {
            if *known != pair {
                for (at, id, old) in
                    [(2 * n, pair as u32, *known as u32), (2 * n + 1, (pair >> 32) as u32, (*known >> 32) as u32)]
                {
                    if let Some(block) = blocks.get_mut(at).filter(|_| id != old) {
                        *block = self.blocks.block(id);
                    }
                }
                *known = pair;
            }
        }
    }

    /// Finds the id of one block.
    #[inline]
    fn settle(&mut self, n: usize, words: &[u64], add: bool) -> Option<()> {
        let mut block: Block = [0; BLOCK];
        block[..words.len()].copy_from_slice(words);
        let last = &mut self.last[n * BLOCK..][..BLOCK];
        if *last != block {
            let id = if add { self.blocks.intern(&block)? } else { self.blocks.find(&block)? };
            last.copy_from_slice(&block);
            let (pair, shift) = (&mut self.ids[n / 2], n % 2 * 32);
            *pair = *pair & !(u64::from(u32::MAX) << shift) | u64::from(id) << shift;
        }
        Some(())
    }
}

impl Keys {
    /// The number of key ids there are; the bits above are used by the store for the status of states.
    pub const COUNT: usize = 1 << 30;

    pub fn new(words: usize) -> Self {
        let (mut levels, mut left) = (Vec::new(), words);
        while left > SHORT {
            let level = Level::new(left);
            left = level.ids.len();
            levels.push(level);
        }
        Self { words, levels, roots: Records::new(left, 1) }
    }

    pub fn len(&self) -> usize {
        self.roots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// The id of `key`, if it is known.
    #[inline]
    pub fn find(&mut self, key: &[u64]) -> Option<u32> {
        let Self { levels, roots, .. } = self;
        roots.find(shortened(levels, key, false)?)
    }

    /// The id of `key`, new or known; `None` when the ids are used up.
    #[inline]
    pub fn intern(&mut self, key: &[u64]) -> Option<u32> {
        debug_assert_eq!(key.len(), self.words);
        let Self { levels, roots, .. } = self;
        roots.intern(shortened(levels, key, true)?, Self::COUNT)
    }

    /// The words of a key, remembered as the last ones: reads what differs from them, and the successors of the state whose
    /// key it is will be compared with it.
    #[inline]
    pub fn recall(&mut self, id: u32) -> &[u64] {
        let Self { words, levels, roots } = self;
        let mut ids = roots.record(id);
        for level in levels.iter_mut().rev() {
            level.recall(ids);
            ids = &level.last;
        }
        &ids[..*words]
    }

    /// The words of a key.
    pub fn words(&self, id: u32) -> Cow<'_, [u64]> {
        let root = self.roots.record(id);
        if self.levels.is_empty() {
            return Cow::Borrowed(root);
        }
        let mut words = Vec::with_capacity(self.words.next_multiple_of(BLOCK));
        self.expand(self.levels.len() - 1, root, &mut words);
        words.truncate(self.words);
        Cow::Owned(words)
    }

    /// Appends the key's words below ids on a level. Levels are few: each is an eighth of the one below.
    fn expand(&self, level: usize, ids: &[u64], words: &mut Vec<u64>) {
        let blocks = &self.levels[level].blocks;
        for pair in ids {
            for id in [*pair as u32, (*pair >> 32) as u32] {
                if words.len() >= self.words {
                    return;
                }
                let block = blocks.block(id);
                match level {
                    0 => words.extend_from_slice(&block),
                    _ => self.expand(level - 1, &block, words),
                }
            }
        }
    }

    /// A number free for the owner; `u32::MAX` at first.
    #[inline]
    pub fn head(&self, id: u32) -> u32 {
        self.roots.head(id) as u32
    }

    #[inline]
    pub fn set_head(&mut self, id: u32, head: u32) {
        self.roots.set_head(id, u64::from(head));
    }

    /// Renames the states that the heads are.
    pub(crate) fn rename(&mut self, renaming: &Renaming) {
        for head in self.roots.heads_mut() {
            *head = u64::from(renaming.raw(*head as u32));
        }
    }

    pub fn clear(&mut self) {
        self.levels.iter_mut().for_each(Level::start);
        self.roots.clear();
    }

    pub fn bytes(&self) -> usize {
        let levels = self.levels.iter();
        self.roots.bytes()
            + levels
                .map(|level| level.blocks.bytes() + table_bytes(&level.last) + table_bytes(&level.ids))
                .sum::<usize>()
    }
}

/// The ids of a key's blocks on the last level; of a short key its words. `None`: some block is unknown and may not be added.
#[inline]
fn shortened<'k>(levels: &'k mut [Level], key: &'k [u64], add: bool) -> Option<&'k [u64]> {
    let mut words = key;
    for level in levels {
        level.cut(words, add)?;
        words = &level.ids;
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::HashMap;

    #[test]
    fn equal_keys_get_one_id() {
        let mut keys = Keys::new(2);
        let ids: Vec<_> = [[1, 2], [2, 1], [1, 2]].iter().map(|key| keys.intern(key)).collect();
        assert_eq!(ids, [Some(0), Some(1), Some(0)]);
        assert_eq!(*keys.words(1), [2, 1]);
        assert_eq!(keys.find(&[3, 3]), None);
    }

    #[test]
    fn a_system_without_discrete_part_has_one_key() {
        let mut keys = Keys::new(0);
        assert_eq!((keys.intern(&[]), keys.intern(&[])), (Some(0), Some(0)));
        assert!(keys.words(0).is_empty());
    }

    #[test]
    fn keys_of_every_length_are_what_was_put_in() {
        let mut random = Random::new(1);
        for length in (1..80).chain([200, 513, 4001]) {
            let (mut keys, mut known) = (Keys::new(length), HashMap::new());
            let mut key = vec![0; length];
            for _ in 0..300 {
                for _ in 0..random.index(4) {
                    let at = random.index(length);
                    key[at] = random.index(3) as u64 * 0x1_0000_0001;
                }
                assert_eq!(keys.find(&key), known.get(&key).copied(), "{key:?}");
                let next = known.len() as u32;
                let id = *known.entry(key.clone()).or_insert(next);
                assert_eq!(keys.intern(&key), Some(id));
                keys.set_head(id, id + 7);
            }
            for (n, (key, id)) in known.iter().enumerate() {
                assert_eq!((keys.words(*id).as_ref(), keys.head(*id)), (key.as_slice(), id + 7));
                assert_eq!(keys.recall(*id), key.as_slice());
                if n % 3 == 0 {
                    assert_eq!(keys.intern(key), Some(*id));
                }
            }
            assert_eq!(keys.len(), known.len());
            keys.clear();
            assert_eq!((keys.len(), keys.find(&key), keys.intern(&key)), (0, None, Some(0)));
            assert_eq!(*keys.words(0), key);
        }
    }

    #[test]
    fn keys_that_differ_in_one_place_share_the_rest() {
        let mut keys = Keys::new(500);
        let mut key = vec![7; 500];
        for n in 0..10_000 {
            key[n % 500] = n as u64;
            keys.intern(&key);
        }
        assert!(keys.bytes() < 10_000 * 300, "{}", keys.bytes());
    }
}
