//! The best state first: a binary heap on (value, tie, id). Greedy search takes the estimate as the value, A* the
//! estimate plus the depth; ties go to the newest, the oldest or any of the best. On plateaus the tie decides
//! everything (docs/algorithms.md §3.2). Cost: 12 bytes a state, O(log n) a push or pop.

use crate::collection::Renaming;
use crate::frontier::{Frontier, Open};
use crate::per_state::StateId;
use crate::random::Random;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The estimate alone.
    Greedy,
    /// Depth plus estimate (A*). With estimates that may drop by more than one per step, use a search that
    /// respects depths.
    Total,
}

/// Which of several best states goes first.
#[derive(Debug, Clone)]
pub enum Ties {
    Fifo,
    Lifo,
    Random(Random),
}

impl Ties {
    /// Ids grow with time, so they order newest and oldest.
    const fn by_age(&self, id: StateId) -> Option<u32> {
        match self {
            Self::Fifo => Some(id.raw()),
            Self::Lifo => Some(u32::MAX - id.raw()),
            Self::Random(_) => None,
        }
    }
}

/// Best-first order.
#[derive(Debug, Clone)]
pub struct BestFirst {
    value: Value,
    ties: Ties,
    heap: BinaryHeap<Reverse<(u32, u32, StateId)>>,
}

impl BestFirst {
    pub const fn new(value: Value, ties: Ties) -> Self {
        Self { value, ties, heap: BinaryHeap::new() }
    }
}

impl Frontier for BestFirst {
    fn push(&mut self, open: Open) {
        let value = match self.value {
            Value::Greedy => open.estimate,
            Value::Total => open.estimate.saturating_add(open.depth),
        };
        let tie = match &mut self.ties {
            Ties::Random(random) => (random.next_u64() >> 32) as u32,
            ties => ties.by_age(open.id).unwrap_or(0),
        };
        self.heap.push(Reverse((value, tie, open.id)));
    }

    fn pop(&mut self) -> Option<StateId> {
        self.heap.pop().map(|Reverse((_, _, id))| id)
    }

    fn rename(&mut self, renaming: &Renaming) {
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.retain_mut(|Reverse((_, tie, id))| {
            let stays = renaming.apply(id);
            *tie = self.ties.by_age(*id).unwrap_or(*tie);
            stays
        });
        self.heap = entries.into();
    }

    fn clear(&mut self) {
        self.heap.clear();
    }

    fn bytes(&self) -> usize {
        self.heap.capacity() * size_of::<(u32, u32, StateId)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(value: Value, ties: Ties, estimates: &[u32]) -> Vec<u32> {
        let mut frontier = BestFirst::new(value, ties);
        for (raw, &estimate) in (0..).zip(estimates) {
            frontier.push(Open { id: StateId::from_raw(raw), parent: None, depth: raw, estimate });
        }
        std::iter::from_fn(|| frontier.pop()).map(StateId::raw).collect()
    }

    #[test]
    fn the_smallest_value_goes_first_and_ties_as_asked() {
        assert_eq!(order(Value::Greedy, Ties::Fifo, &[2, 1, 2, 1]), [1, 3, 0, 2]);
        assert_eq!(order(Value::Greedy, Ties::Lifo, &[2, 1, 2, 1]), [3, 1, 2, 0]);
        assert_eq!(order(Value::Total, Ties::Fifo, &[9, 1, 1, 1]), [1, 2, 3, 0]);
        let random = |seed| order(Value::Greedy, Ties::Random(Random::new(seed)), &[1; 20]);
        assert_eq!(random(1), random(1));
        assert_ne!(random(1), random(2));
    }
}
