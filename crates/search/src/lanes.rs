//! The next level of a highway while it is chosen: at most `width` states out of those offered, one after the other.
//!
//! [`Selection::Ideal`] gives every state a random rank, its hash under a seed drawn for the level, and keeps those with the
//! smallest ranks. A state that is offered again has the same rank: kept, it is recognised; not kept, it is turned away again. So
//! the choice is a uniform subset of the *distinct* states offered, and nothing but the states that are kept takes memory
//! (Cohen & Kaplan 2007 call it bottom-k sampling; docs/algorithms.md §4.2). The paper needs a set of everything that was offered.
//!
//! [`Selection::Approximate`] is the paper's Algorithm 1, reservoir sampling: the c-th offer, unless it is among those kept,
//! replaces a random one of them with probability width/c. What was turned away or replaced and comes back counts as new, which favours
//! states with many predecessors in the level before (Property 8).
//!
//! Cost: `width` states with their packed form; an offer takes a hash of the packed state, a lookup and, for the ideal
//! choice, O(log width) when the state is taken.

use crate::hash::rank_state;
use crate::per_state::StateId;
use crate::random::Random;
use hashbrown::HashTable;
use std::collections::BinaryHeap;
use std::hash::Hash;

/// Which states of a level are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selection {
    #[default]
    Ideal,
    Approximate,
}

/// A state that is kept for now.
#[derive(Debug, Clone)]
pub(crate) struct Lane<S, U, L> {
    pub state: S,
    pub from: StateId,
    pub label: L,
    rank: u64,
    key: Vec<u64>,
    payload: Vec<U>,
}

/// An offer in its packed form.
pub(crate) struct Offer<'o, S, U, L> {
    pub state: &'o S,
    pub key: &'o [u64],
    pub payload: &'o [U],
    pub from: StateId,
    pub label: L,
}

/// The states kept of a level.
#[derive(Debug)]
pub(crate) struct Lanes<S, U, L> {
    selection: Selection,
    width: usize,
    seed: u64,
    /// Offers that were not among the kept ones.
    considered: u64,
    lanes: Vec<Lane<S, U, L>>,
    /// Lanes by rank.
    table: HashTable<u32>,
    /// The greatest rank first; for the ideal choice.
    worst: BinaryHeap<(u64, u32)>,
    /// Something was turned away or replaced.
    pub full: bool,
}

impl<S: Clone, U: Copy + Eq + Hash, L: Copy> Lanes<S, U, L> {
    pub fn new(selection: Selection, width: usize) -> Self {
        Self {
            selection,
            width: width.max(1),
            seed: 0,
            considered: 0,
            lanes: Vec::new(),
            table: HashTable::new(),
            worst: BinaryHeap::new(),
            full: false,
        }
    }

    /// Begins the next level.
    pub fn start(&mut self, seed: u64) {
        self.seed = seed;
        self.considered = 0;
        self.lanes.clear();
        self.table.clear();
        self.worst.clear();
    }

    pub fn offer(&mut self, offer: &Offer<'_, S, U, L>, random: &mut Random) {
        let rank = rank_state(self.seed, offer.key, offer.payload);
        let same = |&lane: &u32| {
            let lane = &self.lanes[lane as usize];
            lane.rank == rank && lane.key == offer.key && lane.payload == offer.payload
        };
        if self.table.find(rank, same).is_some() {
            return;
        }
        self.considered += 1;
        if self.lanes.len() < self.width {
            let place = self.lanes.len() as u32;
            self.lanes.push(Lane {
                state: offer.state.clone(),
                from: offer.from,
                label: offer.label,
                rank,
                key: offer.key.to_vec(),
                payload: offer.payload.to_vec(),
            });
            self.enter(place, rank);
            return;
        }
        self.full = true;
        let place = match self.selection {
            Selection::Ideal => match self.worst.peek() {
                Some(&(worst, place)) if rank < worst => {
                    self.worst.pop();
                    place
                }
                _ => return,
            },
            Selection::Approximate if random.below(self.considered) < self.width as u64 => {
                random.index(self.width) as u32
            }
            Selection::Approximate => return,
        };
        self.replace(place, rank, offer);
    }

    fn enter(&mut self, place: u32, rank: u64) {
        let lanes = &self.lanes;
        self.table.insert_unique(rank, place, |&lane| lanes[lane as usize].rank);
        if self.selection == Selection::Ideal {
            self.worst.push((rank, place));
        }
    }

    fn replace(&mut self, place: u32, rank: u64, offer: &Offer<'_, S, U, L>) {
        let lane = &mut self.lanes[place as usize];
        if let Ok(entry) = self.table.find_entry(lane.rank, |&other| other == place) {
            entry.remove();
        }
        lane.state.clone_from(offer.state);
        lane.key.clear();
        lane.key.extend_from_slice(offer.key);
        lane.payload.clear();
        lane.payload.extend_from_slice(offer.payload);
        (lane.from, lane.label, lane.rank) = (offer.from, offer.label, rank);
        self.enter(place, rank);
    }

    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// What was kept: in the order of ranks, which is random, or of the lanes.
    pub fn kept(&self) -> impl Iterator<Item = &Lane<S, U, L>> {
        let order: Vec<u32> = match self.selection {
            Selection::Ideal => self.worst.clone().into_sorted_vec().into_iter().map(|(_, place)| place).collect(),
            Selection::Approximate => (0..self.lanes.len() as u32).collect(),
        };
        order.into_iter().map(|place| &self.lanes[place as usize])
    }

    /// An estimate: states are counted with their packed form.
    pub fn bytes(&self) -> usize {
        let lane = |lane: &Lane<S, U, L>| {
            size_of::<Lane<S, U, L>>() + 3 * (lane.key.capacity() * 8 + lane.payload.capacity() * size_of::<U>())
        };
        let first = self.lanes.first().map_or(0, lane);
        first * self.lanes.len() + self.table.allocation_size() + self.worst.capacity() * size_of::<(u64, u32)>()
    }
}
