//! Breadth first while a search is small, in rank order from then on.
//!
//! What is near is best found breadth first: with the fewest steps. What is far, or nowhere, takes the fewest states in rank order
//! (see [`rank`](crate::rank)). Whoever watches over the search says when it is no longer small, and nothing is explored twice:
//! the ranks are kept from the start, and only the order of what waits changes. Until then a waiting state costs 4 bytes more;
//! what was taken breadth first is still in the heap of ranks and is skipped there.

use crate::collection::Renaming;
use crate::frontier::{Fifo, Frontier, Open};
use crate::per_state::StateId;
use crate::rank::Ranked;
use crate::store::Status;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// To be used with the heuristic [`Levels`](crate::heuristic::Levels).
#[derive(Debug)]
pub struct BreadthThenRank {
    is_large: Arc<AtomicBool>,
    /// Empty when the search is large.
    breadth: Fifo,
    rank: Ranked,
}

impl BreadthThenRank {
    /// `is_large` may be set from outside at any moment, and stays set.
    pub fn new(is_large: Arc<AtomicBool>) -> BreadthThenRank {
        BreadthThenRank { is_large, breadth: Fifo::default(), rank: Ranked::default() }
    }

    fn is_large(&self) -> bool {
        self.is_large.load(Ordering::Relaxed)
    }
}

impl Frontier for BreadthThenRank {
    fn push(&mut self, open: Open) {
        if !self.is_large() {
            self.breadth.push(open);
        }
        self.rank.push(open);
    }

    fn pop(&mut self) -> Option<StateId> {
        if self.is_large() {
            self.breadth = Fifo::default();
            return self.rank.pop();
        }
        let id = self.breadth.pop()?;
        self.rank.take(id);
        Some(id)
    }

    fn close(&mut self, parent: Option<StateId>) {
        self.rank.close(parent);
    }

    fn covers(&mut self, new: StateId, old: StateId, was: Status) {
        self.rank.covers(new, old, was);
    }

    fn rename(&mut self, renaming: &Renaming) {
        self.breadth.rename(renaming);
        self.rank.rename(renaming);
    }

    fn clear(&mut self) {
        self.breadth.clear();
        self.rank.clear();
    }

    fn bytes(&self) -> usize {
        self.breadth.bytes() + self.rank.bytes()
    }
}
