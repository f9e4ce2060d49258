//! Discrete parts, each kept once. A key is a fixed number of words in one arena; a table finds its id.
//! Table entries carry 32 bits of the hash, so that growing the table reads no key. One more word beside each
//! key is its *head*, where the store chains states to it: found with the key in the same cache line.
//! Cost per distinct key: its words and one more, 9-19 bytes of table.

use crate::hash::{hash_words, spread};
use crate::per_state::{reserve_tight, table_bytes};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Hash-consed discrete parts.
#[derive(Debug, Clone)]
pub struct Keys {
    /// Words of a key and its head.
    stride: usize,
    /// Head and words of each key.
    records: Vec<u64>,
    /// (hash, id)
    table: HashTable<(u32, u32)>,
}

impl Keys {
    /// The number of key ids there are; the bits above are used by the store for the status of states.
    pub const COUNT: usize = 1 << 30;

    pub fn new(words: usize) -> Self {
        Self { stride: words + 1, records: Vec::new(), table: HashTable::new() }
    }

    pub fn len(&self) -> usize {
        self.records.len() / self.stride
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
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
        debug_assert_eq!(key.len() + 1, self.stride);
        let hash = hash_words(key);
        let id = self.len() as u32;
        let Self { stride, records, table } = self;
        let known =
            |&(other, id): &(u32, u32)| other == hash && records[id as usize * *stride + 1..][..key.len()] == *key;
        match table.entry(spread(hash), known, |&(hash, _)| spread(hash)) {
            Entry::Occupied(entry) => Some(entry.get().1),
            Entry::Vacant(_) if id as usize >= Self::COUNT => None,
            Entry::Vacant(entry) => {
                entry.insert((hash, id));
                reserve_tight(records, *stride);
                records.push(u64::from(u32::MAX));
                records.extend_from_slice(key);
                Some(id)
            }
        }
    }

    #[inline]
    pub fn words(&self, id: u32) -> &[u64] {
        let start = id as usize * self.stride;
        &self.records[start + 1..start + self.stride]
    }

    /// A number free for the owner; `u32::MAX` at first.
    #[inline]
    pub fn head(&self, id: u32) -> u32 {
        self.records[id as usize * self.stride] as u32
    }

    #[inline]
    pub fn set_head(&mut self, id: u32, head: u32) {
        self.records[id as usize * self.stride] = u64::from(head);
    }

    pub fn clear(&mut self) {
        self.records.clear();
        self.table.clear();
    }

    pub fn bytes(&self) -> usize {
        table_bytes(&self.records) + self.table.allocation_size()
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
