//! Random dives in an exhaustive search.
//!
//! What is near is best found breadth first: with the fewest steps. What is nowhere takes the fewest states in rank order (see
//! [`rank`](crate::rank)). What is far down in a graph that is too wide to be seen level by level is found by neither, but often by
//! deep random search (Grosu et al. 2006; see [`deep_random`](crate::deep_random)). Here the three are one search. It begins breadth
//! first, or in rank order, and is done with that if it is small. From then on it dives: the next state is any new
//! successor of the last one, and where there is none, any state that waits. The first states of a large search
//! are taken so ([`Small::first_dives`]), then every fourth one, and the others in rank order. Where everything has to be seen anyway
//! it is every sixteenth after [`MANY`].
//!
//! Unlike deep random search it keeps all successors of a state, so nothing is generated twice, and every state is explored in the
//! end: the order decides nothing but when. What dives cost where there is nothing to find are small states explored before larger ones of the same
//! key, up to 21 percent more explorations than in rank order. But the rank order has models on which large states arrive late and
//! everything is explored many times (the FDDI ring: 31,475 explorations for 647 states); there a twentieth of it is enough with dives, which
//! bring large states from far away. Measured in `docs/measurements-strategies.md`.
//!
//! Cost: that of the rank order. States that are taken out of turn stay in its heap, and are removed when they are the half of it.

use crate::collection::Renaming;
use crate::frontier::{Fifo, Frontier, Open};
use crate::per_state::StateId;
use crate::random::Random;
use crate::rank::Ranked;
use crate::store::Status;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// So many states of a large search are taken before there are fewer dives, if everything has to be seen.
pub const MANY: u64 = 2_000;

/// What a search may do and still be small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Small {
    pub explored: u64,
    pub stored: u64,
}

impl Small {
    /// What is taken by dives before the rank order has its turns: about as much as the search has done by then.
    const fn first_dives(self) -> u64 {
        self.stored * 6 / 5
    }
}

/// To be used with the heuristic [`Levels`](crate::heuristic::Levels).
#[derive(Debug)]
pub struct Dives {
    small: Small,
    explores_all: bool,
    /// Taken and pushed so far.
    taken: u64,
    pushed: u64,
    /// What waits while the search is small and explored breadth first.
    breadth: Option<Fifo>,
    rank: Ranked,
    random: Random,
    /// Taken since the search is large; `None` before.
    large: Option<u64>,
    /// For those who want to know that it is.
    is_large: Arc<AtomicBool>,
    /// Whether the last state was taken by a dive, how many new successors it has, and the one of them where the dive goes on.
    dives: bool,
    fresh: u64,
    next: Option<StateId>,
}

impl Dives {
    /// `explores_all`: it is expected to see every state, and begins in rank order; otherwise breadth first. `is_large` is set when it
    /// is no longer small.
    pub fn new(small: Small, explores_all: bool, seed: u64, is_large: Arc<AtomicBool>) -> Dives {
        Dives {
            small,
            explores_all,
            taken: 0,
            pushed: 0,
            breadth: (!explores_all).then(Fifo::default),
            rank: Ranked::default(),
            random: Random::new(seed),
            large: None,
            is_large,
            dives: false,
            fresh: 0,
            next: None,
        }
    }

    fn while_small(&mut self) -> Option<StateId> {
        let Some(breadth) = &mut self.breadth else { return self.rank.pop() };
        let id = breadth.pop()?;
        self.rank.take(id);
        Some(id)
    }

    fn dive(&mut self) -> Option<StateId> {
        let next = self.next.take().filter(|next| self.rank.waits(*next));
        let id = next.or_else(|| self.rank.any(&mut self.random))?;
        self.rank.take(id);
        Some(id)
    }
}

impl Frontier for Dives {
    fn push(&mut self, open: Open) {
        self.pushed += 1;
        if let Some(breadth) = &mut self.breadth {
            breadth.push(open);
        }
        self.rank.push(open);
        if self.dives {
            self.fresh += 1;
            if self.random.below(self.fresh) == 0 {
                self.next = Some(open.id);
            }
        }
    }

    fn pop(&mut self) -> Option<StateId> {
        if self.large.is_none() && (self.taken > self.small.explored || self.pushed > self.small.stored) {
            self.large = Some(0);
            self.breadth = None;
            self.is_large.store(true, Ordering::Relaxed);
        }
        self.taken += 1;
        let Some(large) = &mut self.large else { return self.while_small() };
        *large += 1;
        let every = if self.explores_all && *large > MANY { 16 } else { 4 };
        self.dives = *large <= self.small.first_dives() || large.is_multiple_of(every);
        if self.dives {
            self.fresh = 0;
            if let Some(id) = self.dive() {
                return Some(id);
            }
        }
        self.rank.pop()
    }

    fn close(&mut self, parent: Option<StateId>) {
        self.rank.close(parent);
    }

    fn covers(&mut self, new: StateId, old: StateId, was: Status) {
        self.rank.covers(new, old, was);
    }

    fn rename(&mut self, renaming: &Renaming) {
        self.next = self.next.take().filter(|next| self.rank.waits(*next));
        if self.next.as_mut().is_some_and(|next| !renaming.apply(next)) {
            self.next = None;
        }
        self.breadth.iter_mut().for_each(|breadth| breadth.rename(renaming));
        self.rank.rename(renaming);
    }

    fn clear(&mut self) {
        self.breadth.iter_mut().for_each(Frontier::clear);
        self.rank.clear();
        self.next = None;
    }

    fn bytes(&self) -> usize {
        self.breadth.as_ref().map_or(0, Frontier::bytes) + self.rank.bytes()
    }
}
