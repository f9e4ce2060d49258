//! The states that wait, in the order in which they will be taken up. Frontiers hold ids only; 4 bytes a state.
//!
//! The loop tells a frontier what happens: `covers` for every stored state that a new one kills, then `push` for
//! the new one, and `close` when all successors of a state have been pushed. Dead states may stay in the frontier;
//! the loop skips them. A frontier of bounded size (highway, beam) names in `evict` what it does not want.

use crate::collection::Renaming;
use crate::per_state::{StateId, push_tight, table_bytes};
use crate::random::Random;
use crate::store::Status;
use std::collections::VecDeque;

/// A new state on its way into a frontier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open {
    pub id: StateId,
    /// Whose successor it is; `None` for an initial state.
    pub parent: Option<StateId>,
    /// Steps from an initial state.
    pub depth: u32,
    /// What the heuristic said.
    pub estimate: u32,
}

/// An order of exploration.
pub trait Frontier {
    fn push(&mut self, open: Open);

    /// The next state to expand, or a dead one.
    fn pop(&mut self) -> Option<StateId>;

    /// All successors of `parent` (`None`: all initial states) have been pushed.
    fn close(&mut self, parent: Option<StateId>) {
        let _ = parent;
    }

    /// The new state, not yet pushed, has killed a stored one.
    fn covers(&mut self, new: StateId, old: StateId, was: Status) {
        let _ = (new, old, was);
    }

    /// A waiting state that is to be forgotten; asked after each expansion until there is none.
    fn evict(&mut self) -> Option<StateId> {
        None
    }

    /// States have other ids, and some are given up; none of these waits, but they may still be in the frontier.
    fn rename(&mut self, renaming: &Renaming);

    fn clear(&mut self);

    fn bytes(&self) -> usize;
}

impl<F: Frontier + ?Sized> Frontier for Box<F> {
    fn push(&mut self, open: Open) {
        (**self).push(open);
    }
    fn pop(&mut self) -> Option<StateId> {
        (**self).pop()
    }
    fn close(&mut self, parent: Option<StateId>) {
        (**self).close(parent);
    }
    fn covers(&mut self, new: StateId, old: StateId, was: Status) {
        (**self).covers(new, old, was);
    }
    fn evict(&mut self) -> Option<StateId> {
        (**self).evict()
    }
    fn rename(&mut self, renaming: &Renaming) {
        (**self).rename(renaming);
    }
    fn clear(&mut self) {
        (**self).clear();
    }
    fn bytes(&self) -> usize {
        (**self).bytes()
    }
}

/// First come, first served: breadth-first search.
#[derive(Debug, Clone, Default)]
pub struct Fifo {
    queue: VecDeque<StateId>,
}

impl Frontier for Fifo {
    fn push(&mut self, open: Open) {
        self.queue.push_back(open.id);
    }

    fn pop(&mut self) -> Option<StateId> {
        self.queue.pop_front()
    }

    fn rename(&mut self, renaming: &Renaming) {
        self.queue.retain_mut(|id| renaming.apply(id));
    }

    fn clear(&mut self) {
        self.queue.clear();
    }

    fn bytes(&self) -> usize {
        self.queue.capacity() * size_of::<StateId>()
    }
}

/// Last come, first served: depth-first search. The first successor generated is the first taken up, or the last one, or the
/// successors of a state are shuffled.
#[derive(Debug, Clone, Default)]
pub struct Lifo {
    stack: Vec<StateId>,
    /// Where the successors of the state being expanded begin.
    batch: usize,
    siblings: Siblings,
}

/// Which of the successors of a state goes first.
#[derive(Debug, Clone, Default)]
enum Siblings {
    #[default]
    First,
    Last,
    Shuffled(Random),
}

impl Lifo {
    /// Random depth-first search.
    pub fn shuffled(seed: u64) -> Self {
        Self { siblings: Siblings::Shuffled(Random::new(seed)), ..Self::default() }
    }

    /// Depth-first search in which the last successor generated is the first taken up.
    pub fn last_first() -> Self {
        Self { siblings: Siblings::Last, ..Self::default() }
    }
}

impl Frontier for Lifo {
    fn push(&mut self, open: Open) {
        push_tight(&mut self.stack, open.id);
    }

    fn pop(&mut self) -> Option<StateId> {
        let next = self.stack.pop();
        self.batch = self.stack.len();
        next
    }

    fn close(&mut self, _: Option<StateId>) {
        let siblings = &mut self.stack[self.batch..];
        match &mut self.siblings {
            Siblings::First => siblings.reverse(),
            Siblings::Last => {}
            Siblings::Shuffled(random) => random.shuffle(siblings),
        }
        self.batch = self.stack.len();
    }

    fn rename(&mut self, renaming: &Renaming) {
        self.batch = self.stack[..self.batch].iter().filter(|id| renaming.of(**id).is_some()).count();
        self.stack.retain_mut(|id| renaming.apply(id));
    }

    fn clear(&mut self) {
        self.stack.clear();
        self.batch = 0;
    }

    fn bytes(&self) -> usize {
        table_bytes(&self.stack)
    }
}

/// Any of the waiting states, each equally likely.
#[derive(Debug, Clone)]
pub struct Uniform {
    bag: Vec<StateId>,
    random: Random,
}

impl Uniform {
    pub fn new(seed: u64) -> Self {
        Self { bag: Vec::new(), random: Random::new(seed) }
    }
}

impl Frontier for Uniform {
    fn push(&mut self, open: Open) {
        push_tight(&mut self.bag, open.id);
    }

    fn pop(&mut self) -> Option<StateId> {
        if self.bag.is_empty() {
            return None;
        }
        let index = self.random.index(self.bag.len());
        Some(self.bag.swap_remove(index))
    }

    fn rename(&mut self, renaming: &Renaming) {
        self.bag.retain_mut(|id| renaming.apply(id));
    }

    fn clear(&mut self) {
        self.bag.clear();
    }

    fn bytes(&self) -> usize {
        table_bytes(&self.bag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(mut frontier: impl Frontier) -> Vec<u32> {
        for raw in 0..5 {
            frontier.push(Open { id: StateId::from_raw(raw), parent: None, depth: 0, estimate: 0 });
        }
        frontier.close(None);
        std::iter::from_fn(|| frontier.pop()).map(StateId::raw).collect()
    }

    #[test]
    fn successors_are_taken_in_the_order_of_generation() {
        assert_eq!(order(Fifo::default()), [0, 1, 2, 3, 4]);
        assert_eq!(order(Lifo::default()), [0, 1, 2, 3, 4]);
        assert_eq!(order(Lifo::last_first()), [4, 3, 2, 1, 0]);
    }

    #[test]
    fn random_orders_repeat_by_seed_and_lose_nothing() {
        for orders in [[1, 1, 2].map(|seed| order(Uniform::new(seed))), [1, 1, 2].map(|s| order(Lifo::shuffled(s)))] {
            assert_eq!(orders[0], orders[1]);
            assert_ne!(orders[0], orders[2]);
            let mut sorted = orders[2].clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
    }
}
