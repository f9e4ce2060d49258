//! Discrete parts, each kept once. A key is a fixed number of words in one arena; a table finds its id.
//! Table entries carry 32 bits of the hash, so that growing the table reads no key.
//! Cost per distinct key: its words, 9-19 bytes of table, 4 bytes for whatever the store chains to it.

use crate::hash::{hash_words, spread};
use crate::per_state::{push_tight, reserve_tight, table_bytes};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Hash-consed discrete parts.
#[derive(Debug, Clone)]
pub struct Keys {
    stride: usize,
    words: Vec<u64>,
    /// (hash, id)
    table: HashTable<(u32, u32)>,
    /// One number per key, free for the owner; `u32::MAX` at first.
    heads: Vec<u32>,
}

impl Keys {
    /// The number of key ids there are; the bits above are used by the store for the status of states.
    pub const COUNT: usize = 1 << 30;

    pub fn new(stride: usize) -> Self {
        Self { stride, words: Vec::new(), table: HashTable::new(), heads: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.heads.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The id of `key`, if it is known.
    #[inline]
    pub fn find(&self, key: &[u64]) -> Option<u32> {
        let hash = hash_words(key);
        self.table.find(spread(hash), |&(other, id)| other == hash && self.words(id) == key).map(|&(_, id)| id)
    }

    /// The id of `key`, new or known; `None` when the ids are used up.
    #[inline]
    pub fn intern(&mut self, key: &[u64]) -> Option<u32> {
        debug_assert_eq!(key.len(), self.stride);
        let hash = hash_words(key);
        let Self { stride, words, table, heads } = self;
        let known = |&(other, id): &(u32, u32)| other == hash && words[id as usize * *stride..][..*stride] == *key;
        match table.entry(spread(hash), known, |&(hash, _)| spread(hash)) {
            Entry::Occupied(entry) => Some(entry.get().1),
            Entry::Vacant(_) if heads.len() >= Self::COUNT => None,
            Entry::Vacant(entry) => {
                let id = heads.len() as u32;
                entry.insert((hash, id));
                reserve_tight(words, *stride);
                words.extend_from_slice(key);
                push_tight(heads, u32::MAX);
                Some(id)
            }
        }
    }

    #[inline]
    pub fn words(&self, id: u32) -> &[u64] {
        let start = id as usize * self.stride;
        &self.words[start..start + self.stride]
    }

    #[inline]
    pub fn head(&self, id: u32) -> u32 {
        self.heads[id as usize]
    }

    #[inline]
    pub fn set_head(&mut self, id: u32, head: u32) {
        self.heads[id as usize] = head;
    }

    pub fn clear(&mut self) {
        self.words.clear();
        self.table.clear();
        self.heads.clear();
    }

    pub fn bytes(&self) -> usize {
        table_bytes(&self.words) + table_bytes(&self.heads) + self.table.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_get_one_id() {
        let mut keys = Keys::new(2);
        let ids: Vec<_> = [[1, 2], [2, 1], [1, 2]].iter().map(|key| keys.intern(key)).collect();
        assert_eq!(ids, [Some(0), Some(1), Some(0)]);
        assert_eq!(keys.words(1), [2, 1]);
        assert_eq!(keys.find(&[3, 3]), None);
    }

    #[test]
    fn a_system_without_discrete_part_has_one_key() {
        let mut keys = Keys::new(0);
        assert_eq!((keys.intern(&[]), keys.intern(&[])), (Some(0), Some(0)));
        assert!(keys.words(0).is_empty());
    }
}
