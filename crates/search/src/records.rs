//! Records of one length, each kept once, in one arena; a table finds the id of a record. Table entries carry 32 bits of
//! the hash, so that growing the table reads no record. Cost per record: its words, 9-19 bytes of table.

use crate::hash::{hash_words, spread};
use crate::per_state::{reserve_tight, table_bytes};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Hash-consed records.
#[derive(Debug, Clone)]
pub struct Records {
    /// Words before a record that are no part of it.
    head: usize,
    stride: usize,
    words: Vec<u64>,
    /// (hash, id)
    table: HashTable<(u32, u32)>,
}

impl Records {
    /// Records of `words` words, each behind `head` words that are free for the owner, all bits of which are set at first.
    pub fn new(words: usize, head: usize) -> Self {
        Self { head, stride: (head + words).max(1), words: Vec::new(), table: HashTable::new() }
    }

    pub fn len(&self) -> usize {
        self.words.len() / self.stride
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The id of a record, if it is known.
    #[inline]
    pub fn find(&self, record: &[u64]) -> Option<u32> {
        let hash = hash_words(record);
        self.table.find(spread(hash), |&(other, id)| other == hash && self.record(id) == record).map(|&(_, id)| id)
    }

    /// The id of a record, new or known; `None` when there are `limit` ids already.
    #[inline]
    pub fn intern(&mut self, record: &[u64], limit: usize) -> Option<u32> {
        let hash = hash_words(record);
        let id = self.len() as u32;
        let Self { head, stride, words, table } = self;
        let known = |&(other, id): &(u32, u32)| {
            other == hash && words[id as usize * *stride + *head..][..record.len()] == *record
        };
        match table.entry(spread(hash), known, |&(hash, _)| spread(hash)) {
            Entry::Occupied(entry) => Some(entry.get().1),
            Entry::Vacant(_) if id as usize >= limit => None,
            Entry::Vacant(entry) => {
                entry.insert((hash, id));
                reserve_tight(words, *stride);
                words.resize(words.len() + *head, u64::MAX);
                words.extend_from_slice(record);
                Some(id)
            }
        }
    }

    #[inline]
    pub fn record(&self, id: u32) -> &[u64] {
        let start = id as usize * self.stride;
        &self.words[start + self.head..start + self.stride]
    }

    /// The first word before a record.
    #[inline]
    pub fn head(&self, id: u32) -> u64 {
        self.words[id as usize * self.stride]
    }

    #[inline]
    pub fn set_head(&mut self, id: u32, head: u64) {
        self.words[id as usize * self.stride] = head;
    }

    /// The first words before all records.
    pub fn heads_mut(&mut self) -> impl Iterator<Item = &mut u64> {
        self.words.iter_mut().step_by(self.stride)
    }

    pub fn clear(&mut self) {
        self.words.clear();
        self.table.clear();
    }

    pub fn bytes(&self) -> usize {
        table_bytes(&self.words) + self.table.allocation_size()
    }
}
