//! The store under equality, for searches that subsumption would mislead (accepting cycles, docs/algorithms.md §5.2).
//! Keys are shared as in `store`; a second table finds the state by key and payload, so that a key with many
//! payloads costs no scan. States may be *retired*: then those they cover can be recognised too. Cost: 12 bytes per state beside its payload, 9-19 bytes of table, one lookup in each.

use crate::arena::{Arena, Slot};
use crate::hash::{hash_payload, spread};
use crate::keys::Keys;
use crate::per_state::{PerState, StateId, push_tight, table_bytes};
use crate::system::{Covering, Relation};
use hashbrown::HashTable;

/// States of one system, each once.
#[derive(Debug, Clone)]
pub struct Interner<U> {
    keys: Keys,
    slots: Vec<Slot>,
    key_ids: Vec<u32>,
    arena: Arena<U>,
    /// (hash of key and payload, state)
    table: HashTable<(u32, u32)>,
    /// Per retired state: the next retired state of its key.
    retired: PerState<u32>,
    key: Vec<u64>,
    payload: Vec<U>,
}

impl<U: Copy + Eq + std::hash::Hash> Interner<U> {
    pub fn new<T: Covering<Unit = U>>(system: &T) -> Self {
        let words = system.key_words();
        Self {
            keys: Keys::new(words),
            slots: Vec::new(),
            key_ids: Vec::new(),
            arena: Arena::default(),
            table: HashTable::new(),
            retired: PerState::new(StateId::NONE),
            key: vec![0; words],
            payload: Vec::new(),
        }
    }

    /// The id of `state`, new or known. `None`: there are no ids left, or its payload is too long to be named.
    pub fn intern<T: Covering<Unit = U>>(&mut self, system: &T, state: &T::State) -> Option<StateId> {
        system.key(state, &mut self.key);
        self.payload.clear();
        system.pack(state, &mut self.payload);
        let key = self.keys.intern(&self.key)?;
        let hash = hash_payload(key, &self.payload);
        let known = self.table.find(spread(hash), |&(other, id)| {
            other == hash
                && self.key_ids[id as usize] == key
                && self.arena.payload(self.slots[id as usize]) == self.payload
        });
        if let Some(&(_, id)) = known {
            return Some(StateId::from_raw(id));
        }
        if self.slots.len() >= StateId::COUNT {
            return None;
        }
        let slot = self.arena.store(|units| units.extend_from_slice(&self.payload))?;
        let id = self.slots.len() as u32;
        push_tight(&mut self.slots, slot);
        push_tight(&mut self.key_ids, key);
        self.table.insert_unique(spread(hash), (hash, id), |&(hash, _)| spread(hash));
        Some(StateId::from_raw(id))
    }

    pub fn load<T: Covering<Unit = U>>(&mut self, system: &T, id: StateId, state: &mut T::State) {
        let payload = self.arena.payload(self.slots[id.index()]);
        system.unpack(self.keys.recall(self.key_ids[id.index()]), payload, state);
    }

    /// Marks a state as one whose smaller companions need no visit.
    pub fn retire(&mut self, id: StateId) {
        let key = self.key_ids[id.index()];
        self.retired.set(id, self.keys.head(key));
        self.keys.set_head(key, id.raw());
    }

    /// Whether a retired state covers this one, which is `state`.
    pub fn is_retired<T: Covering<Unit = U>>(&self, system: &T, id: StateId, state: &T::State) -> bool {
        let mut cursor = self.keys.head(self.key_ids[id.index()]);
        while cursor != StateId::NONE {
            let id = StateId::from_raw(cursor);
            if system.relate(self.arena.payload(self.slots[id.index()]), state) == Relation::Covers {
                return true;
            }
            cursor = self.retired.at(id);
        }
        false
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// All memory held, payloads included.
    pub fn bytes(&self) -> usize {
        self.keys.bytes()
            + table_bytes(&self.slots)
            + table_bytes(&self.key_ids)
            + self.arena.bytes()
            + self.table.allocation_size()
            + self.retired.bytes()
    }
}
