//! Records of one length, each kept once, in one arena; a table finds the id of a record. The table holds ids alone: a look at
//! the record costs less than a hash beside each id, and growing reads each record once. Cost per record: its words,
//! 6-11 bytes of table.

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
    /// Ids.
    table: HashTable<u32>,
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
        self.table.find(spread(hash_words(record)), |&id| self.record(id) == record).copied()
    }

    /// The id of a record, new or known; `None` when there are `limit` ids already.
    #[inline]
    pub fn intern(&mut self, record: &[u64], limit: usize) -> Option<u32> {
        let id = self.len() as u32;
        let Self { head, stride, words, table } = self;
        let stored = |id: u32| &words[id as usize * *stride + *head..][..record.len()];
        let hash = |record: &[u64]| spread(hash_words(record));
        match table.entry(hash(record), |&id| stored(id) == record, |&id| hash(stored(id))) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(_) if id as usize >= limit => None,
            Entry::Vacant(entry) => {
                entry.insert(id);
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
