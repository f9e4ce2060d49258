//! The store under subsumption: the unified passed/waiting list (David, Behrmann, Larsen & Yi 2003; docs/algorithms.md §2.1).
//! This is the only place of the program where subsumption lives.
//!
//! Per key there is a chain of live states, none of which covers another, waiting and passed alike. A new state
//! goes once along its chain: covered by a stored one, it is dropped; stored ones that it covers die. A dead
//! state gives its payload back but keeps an id, so that traces through it stand, until no trace goes through it
//! (see `collection`); its entry in the frontier is skipped when it is popped, and it remembers who covered it.
//!
//! Two worked examples. Intervals as payloads, key A: storing `[2,3]` gives state 0, then `[2,3]` again is covered by
//! state 0, then `[1,5]` gives state 1 and kills state 0, whose `coverer` is now 1. When the frontier pops 0,
//! `pass(0)` is false and the search goes on to 1.
//! A search that must respect depths (A*, iterative deepening) passes the order of a stored state's depth
//! against the new one: a stored state that is deeper does not cover, and one that is less deep is not killed.
//!
//! Cost: 16 bytes per state beside its payload, the key once (see `keys`), one hash lookup and one pass over the
//! chain per insertion.

use crate::arena::{Arena, Slot};
use crate::collection::Renaming;
use crate::keys::Keys;
use crate::per_state::{StateId, push_tight, release_slack, table_bytes};
use crate::system::{Covering, Relation};
use std::borrow::Cow;
use std::cmp::Ordering;

/// What a stored state is to the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Stored, its successors not yet generated.
    Waiting,
    /// Stored, its successors generated.
    Passed,
    /// Covered by a later state, or forgotten.
    Dead,
}

/// What became of a new state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insertion {
    /// Stored as waiting; `Store::erased` lists the states it killed.
    New(StateId),
    /// Not stored: this state covers it, or it and others of the same key do together.
    Covered(StateId),
    /// Not stored: there are no ids left, or the payload is too long to be named.
    Full,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    slot: Slot,
    /// Key id; the two high bits are the status.
    key: u32,
    /// Alive: the next state of the chain. Dead: the state that covers this one. Or `NONE`.
    next: u32,
}

const STATUS_SHIFT: u32 = 30;
const KEY_MASK: u32 = (1 << STATUS_SHIFT) - 1;

impl Node {
    const fn status(self) -> Status {
        match self.key >> STATUS_SHIFT {
            0 => Status::Waiting,
            1 => Status::Passed,
            _ => Status::Dead,
        }
    }

    const fn set_status(&mut self, status: Status) {
        self.key = self.key & KEY_MASK | (status as u32) << STATUS_SHIFT;
    }

    const fn key_id(self) -> u32 {
        self.key & KEY_MASK
    }
}

/// A store of states of one system.
#[derive(Debug, Clone)]
pub struct Store<U> {
    keys: Keys,
    nodes: Vec<Node>,
    arena: Arena<U>,
    live: usize,
    waiting: usize,
    key: Vec<u64>,
    erased: Vec<(StateId, Status)>,
}

impl<U: Copy> Store<U> {
    pub fn new<T: Covering<Unit = U>>(system: &T) -> Self {
        let words = system.key_words();
        Self {
            keys: Keys::new(words),
            nodes: Vec::new(),
            arena: Arena::default(),
            live: 0,
            waiting: 0,
            key: vec![0; words],
            erased: Vec::new(),
        }
    }

    /// Stores a state unless a stored one covers it.
    pub fn insert<T: Covering<Unit = U>>(&mut self, system: &T, state: &T::State) -> Insertion {
        self.insert_ordered(system, state, |_| Ordering::Equal)
    }

    /// The same with a cost beside the payload: `cost` compares that of a stored state with the new one's. A
    /// stored state covers only if its cost is not greater, and is killed only if its cost is not less.
    pub fn insert_ordered<T: Covering<Unit = U>>(
        &mut self,
        system: &T,
        state: &T::State,
        cost: impl Fn(StateId) -> Ordering,
    ) -> Insertion {
        self.erased.clear();
        if self.nodes.len() >= StateId::COUNT {
            return Insertion::Full;
        }
        system.key(state, &mut self.key);
        let Some(key) = self.keys.intern(&self.key) else { return Insertion::Full };
        if let Some(first) = self.coverers_together(system, state, key, &cost) {
            return Insertion::Covered(first);
        }
        let new = StateId::from_raw(self.nodes.len() as u32);
        let mut previous = StateId::NONE;
        let mut cursor = self.keys.head(key);
        while cursor != StateId::NONE {
            let id = StateId::from_raw(cursor);
            let Node { slot, next, .. } = self.nodes[id.index()];
            match self.relation(system, state, slot, cost(id)) {
                Relation::Covers => return Insertion::Covered(id),
                Relation::Covered => {
                    self.unlink(key, previous, next);
                    let was = self.kill(id, new.raw());
                    self.erased.push((id, was));
                }
                Relation::Neither => previous = cursor,
            }
            cursor = next;
        }
        let Some(slot) = self.arena.store(|units| system.pack(state, units)) else { return Insertion::Full };
        push_tight(&mut self.nodes, Node { slot, key, next: self.keys.head(key) });
        self.keys.set_head(key, new.raw());
        self.live += 1;
        self.waiting += 1;
        Insertion::New(new)
    }

    /// The first state of a chain that covers the new one together.
    fn coverers_together<T: Covering<Unit = U>>(
        &self,
        system: &T,
        state: &T::State,
        key: u32,
        cost: &impl Fn(StateId) -> Ordering,
    ) -> Option<StateId> {
        if !system.unites() {
            return None;
        }
        let named = |raw: u32| (raw != StateId::NONE).then(|| StateId::from_raw(raw));
        let chain = std::iter::successors(named(self.keys.head(key)), |id| named(self.nodes[id.index()].next));
        let chain = chain.filter(|id| cost(*id) != Ordering::Greater);
        let first = chain.clone().next()?;
        let payloads = chain.map(|id| self.arena.payload(self.nodes[id.index()].slot));
        system.covers_together(payloads, state).then_some(first)
    }

    #[inline]
    fn relation<T: Covering<Unit = U>>(&self, system: &T, new: &T::State, slot: Slot, cost: Ordering) -> Relation {
        let stored = self.arena.payload(slot);
        // Chains hold no two states of which one covers the other: once the new one has covered, none covers it.
        match cost {
            Ordering::Equal if self.erased.is_empty() => system.relate(stored, new),
            Ordering::Less if self.erased.is_empty() => match system.relate(stored, new) {
                Relation::Covers => Relation::Covers,
                _ => Relation::Neither,
            },
            Ordering::Less => Relation::Neither,
            Ordering::Equal | Ordering::Greater if system.is_covered(stored, new) => Relation::Covered,
            Ordering::Equal | Ordering::Greater => Relation::Neither,
        }
    }

    /// The live state that covers `state`, if there is one.
    pub fn coverer_of<T: Covering<Unit = U>>(&mut self, system: &T, state: &T::State) -> Option<StateId> {
        self.coverer_among(system, state, |_| true)
    }

    /// The same among some of the states.
    pub fn coverer_among<T: Covering<Unit = U>>(
        &mut self,
        system: &T,
        state: &T::State,
        admits: impl Fn(StateId) -> bool,
    ) -> Option<StateId> {
        system.key(state, &mut self.key);
        let key = self.keys.find(&self.key)?;
        let mut cursor = self.keys.head(key);
        while cursor != StateId::NONE {
            let (id, node) = (StateId::from_raw(cursor), self.nodes[cursor as usize]);
            if admits(id) && system.relate(self.arena.payload(node.slot), state) == Relation::Covers {
                return Some(id);
            }
            cursor = node.next;
        }
        None
    }

    /// Gives an id to a state that is not kept: it has a place in traces, but covers nothing and waits for nothing.
    pub fn mention(&mut self) -> Option<StateId> {
        if self.nodes.len() >= StateId::COUNT {
            return None;
        }
        let id = StateId::from_raw(self.nodes.len() as u32);
        let key = (Status::Dead as u32) << STATUS_SHIFT;
        push_tight(&mut self.nodes, Node { slot: Slot::EMPTY, key, next: StateId::NONE });
        Some(id)
    }

    /// The states killed by the last insertion, and what they were before.
    pub fn erased(&self) -> &[(StateId, Status)] {
        &self.erased
    }

    fn unlink(&mut self, key: u32, previous: u32, next: u32) {
        if previous == StateId::NONE {
            self.keys.set_head(key, next);
        } else {
            self.nodes[previous as usize].next = next;
        }
    }

    fn kill(&mut self, id: StateId, coverer: u32) -> Status {
        let node = &mut self.nodes[id.index()];
        let was = node.status();
        node.set_status(Status::Dead);
        node.next = coverer;
        self.arena.free(node.slot);
        node.slot = Slot::EMPTY;
        self.live -= 1;
        self.waiting -= usize::from(was == Status::Waiting);
        was
    }

    /// Marks a waiting state as passed. `false`: it is dead or was passed before, and is not to be expanded.
    #[inline]
    pub fn pass(&mut self, id: StateId) -> bool {
        let node = &mut self.nodes[id.index()];
        let waits = node.status() == Status::Waiting;
        if waits {
            node.set_status(Status::Passed);
            self.waiting -= 1;
        }
        waits
    }

    /// Makes a passed state wait again. `false`: it is dead or waits already.
    pub fn reopen(&mut self, id: StateId) -> bool {
        let node = &mut self.nodes[id.index()];
        let passed = node.status() == Status::Passed;
        if passed {
            node.set_status(Status::Waiting);
            self.waiting += 1;
        }
        passed
    }

    /// Drops a live state that nothing covers. The stored set need no longer cover what was generated: a search
    /// that forgets proves nothing.
    pub fn forget(&mut self, id: StateId) {
        let node = self.nodes[id.index()];
        if node.status() == Status::Dead {
            return;
        }
        let mut previous = StateId::NONE;
        let mut cursor = self.keys.head(node.key_id());
        while cursor != id.raw() && cursor != StateId::NONE {
            previous = cursor;
            cursor = self.nodes[cursor as usize].next;
        }
        self.unlink(node.key_id(), previous, node.next);
        self.kill(id, StateId::NONE);
    }

    pub fn status(&self, id: StateId) -> Status {
        self.nodes[id.index()].status()
    }

    /// Who covered this dead state. Following coverers leads to a live state, unless one was forgotten.
    pub fn coverer(&self, id: StateId) -> Option<StateId> {
        let node = self.nodes[id.index()];
        (node.status() == Status::Dead && node.next != StateId::NONE).then(|| StateId::from_raw(node.next))
    }

    /// Rebuilds a live state. `false`: the state is dead and its payload gone.
    pub fn load<T: Covering<Unit = U>>(&mut self, system: &T, id: StateId, state: &mut T::State) -> bool {
        let node = self.nodes[id.index()];
        if node.status() == Status::Dead {
            return false;
        }
        system.unpack(self.keys.recall(node.key_id()), self.arena.payload(node.slot), state);
        true
    }

    /// Key and payload of a live state, packed.
    pub fn packed(&self, id: StateId) -> Option<(Cow<'_, [u64]>, &[U])> {
        let node = self.nodes[id.index()];
        (node.status() != Status::Dead).then(|| (self.keys.words(node.key_id()), self.arena.payload(node.slot)))
    }

    /// The live states in the order of storing. At the end of an exhaustive search they are its certificate.
    pub fn live(&self) -> impl Iterator<Item = StateId> + '_ {
        (0..self.nodes.len() as u32).map(StateId::from_raw).filter(|&id| self.status(id) != Status::Dead)
    }

    /// The number of live states.
    pub const fn len(&self) -> usize {
        self.live
    }

    pub const fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The number of live states that wait.
    pub const fn waiting(&self) -> usize {
        self.waiting
    }

    /// The number of ids given, dead states included.
    pub fn ids(&self) -> usize {
        self.nodes.len()
    }

    /// The number of distinct discrete parts.
    pub fn keys(&self) -> usize {
        self.keys.len()
    }

    /// Gives up dead states, and the others their new names. Who was covered by a state that is given up counts as
    /// covered by its coverer.
    pub(crate) fn rename(&mut self, renaming: &Renaming) {
        // A coverer is younger than what it covers, and so has been renamed before.
        for id in (0..self.nodes.len()).rev() {
            let Node { next, .. } = self.nodes[id];
            let name = match renaming.raw(next) {
                StateId::NONE => self.nodes.get(next as usize).map_or(StateId::NONE, |coverer| coverer.next),
                name => name,
            };
            self.nodes[id].next = name;
        }
        let mut id = 0;
        self.nodes.retain(|_| {
            id += 1;
            renaming.of(StateId::from_raw(id - 1)).is_some()
        });
        release_slack(&mut self.nodes);
        self.keys.rename(renaming);
    }

    pub fn clear(&mut self) {
        self.keys.clear();
        self.nodes.clear();
        self.arena.clear();
        self.live = 0;
        self.waiting = 0;
    }

    /// All memory held, payloads included.
    pub fn bytes(&self) -> usize {
        self.keys.bytes() + table_bytes(&self.nodes) + self.arena.bytes()
    }

    /// The part of it that holds payloads.
    pub fn payload_bytes(&self) -> usize {
        self.arena.bytes()
    }
}
