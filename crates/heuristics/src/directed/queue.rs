//! The successors that wait, the best first: buckets by value, in each of them the newest, the oldest or any first.
//!
//! Two additions from planning. Successors by *preferred* operators (those of the relaxed plan of their parent) wait in a second
//! queue as well; the two take turns, and each time a better estimate than ever is seen the second one gets a thousand turns
//! more (Richter & Helmert, ICAPS 2009). And with a probability *epsilon* any of all waiting successors is taken, which leads
//! out of plateaus (Valenzano, Sturtevant, Schaeffer & Xie, ICAPS 2014).
//!
//! Cost: 12 bytes a successor and a tree over the distinct values.

use search::best_first::Ties;
use search::random::Random;
use std::collections::{BTreeMap, VecDeque};

/// A successor that waits: whose it is, by which step, and how far from the goal it seems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<L> {
    pub parent: u32,
    pub label: L,
    pub estimate: u32,
}

/// Turns that the preferred queue gets for every improvement.
const BOOST: i64 = 1000;

#[derive(Debug, Clone)]
struct Buckets<L> {
    buckets: BTreeMap<u32, VecDeque<Entry<L>>>,
    len: usize,
}

impl<L> Default for Buckets<L> {
    fn default() -> Self {
        Self { buckets: BTreeMap::new(), len: 0 }
    }
}

impl<L: Copy> Buckets<L> {
    fn push(&mut self, value: u32, entry: Entry<L>) {
        self.buckets.entry(value).or_default().push_back(entry);
        self.len += 1;
    }

    fn pop(&mut self, ties: &mut Ties) -> Option<Entry<L>> {
        let mut first = self.buckets.first_entry()?;
        let bucket = first.get_mut();
        let entry = match ties {
            Ties::Fifo => bucket.pop_front(),
            Ties::Lifo => bucket.pop_back(),
            Ties::Random(random) => bucket.swap_remove_back(random.index(bucket.len())),
        };
        if bucket.is_empty() {
            first.remove();
        }
        self.len -= 1;
        entry
    }

    /// Any of them, each equally likely.
    fn pop_any(&mut self, random: &mut Random) -> Option<Entry<L>> {
        let mut index = random.index(self.len);
        let value = self.buckets.iter().find_map(|(value, bucket)| {
            let found = index < bucket.len();
            if !found {
                index -= bucket.len();
            }
            found.then_some(*value)
        })?;
        let bucket = self.buckets.get_mut(&value)?;
        let entry = bucket.swap_remove_back(index);
        if bucket.is_empty() {
            self.buckets.remove(&value);
        }
        self.len -= 1;
        entry
    }

    fn bytes(&self) -> usize {
        self.buckets.values().map(|bucket| bucket.capacity() * size_of::<Entry<L>>() + 64).sum()
    }
}

/// The open list of a directed search.
#[derive(Debug, Clone)]
pub struct Queue<L> {
    all: Buckets<L>,
    preferred: Option<Buckets<L>>,
    ties: Ties,
    epsilon: f64,
    random: Random,
    /// How often each was asked, the boosts taken off.
    turns: (i64, i64),
    best: u32,
}

impl<L: Copy> Queue<L> {
    pub fn new(ties: Ties, epsilon: f64, prefers: bool, random: Random) -> Self {
        let preferred = prefers.then(Buckets::default);
        Self { all: Buckets::default(), preferred, ties, epsilon, random, turns: (0, 0), best: u32::MAX }
    }

    pub fn push(&mut self, value: u32, entry: Entry<L>, prefers: bool) {
        if entry.estimate < self.best {
            self.best = entry.estimate;
            self.turns.1 -= BOOST;
        }
        self.all.push(value, entry);
        if let Some(preferred) = self.preferred.as_mut().filter(|_| prefers) {
            preferred.push(value, entry);
        }
    }

    /// The next successor. With a second queue the same one may come twice.
    pub fn pop(&mut self) -> Option<Entry<L>> {
        // 2^-53: as many bits as a double has.
        if self.epsilon > 0.0 && ((self.random.next_u64() >> 11) as f64) * 2f64.powi(-53) < self.epsilon {
            return self.all.pop_any(&mut self.random);
        }
        if let Some(preferred) = self.preferred.as_mut().filter(|preferred| preferred.len > 0)
            && self.turns.1 <= self.turns.0
        {
            self.turns.1 += 1;
            return preferred.pop(&mut self.ties);
        }
        self.turns.0 += 1;
        self.all.pop(&mut self.ties)
    }

    pub fn len(&self) -> usize {
        self.all.len
    }

    pub fn is_empty(&self) -> bool {
        self.all.len == 0
    }

    /// What the queue takes now.
    pub fn bytes(&self) -> usize {
        self.all.bytes() + self.preferred.as_ref().map_or(0, Buckets::bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(ties: Ties, epsilon: f64, values: &[(u32, bool)], prefers: bool) -> Vec<u32> {
        let mut queue = Queue::new(ties, epsilon, prefers, Random::new(1));
        for (label, (value, preferred)) in (0..).zip(values) {
            queue.push(*value, Entry { parent: 0, label, estimate: *value }, *preferred);
        }
        std::iter::from_fn(|| queue.pop()).map(|entry| entry.label).collect()
    }

    const PLAIN: [(u32, bool); 4] = [(2, false), (1, false), (2, false), (1, false)];

    #[test]
    fn the_smallest_value_goes_first_and_ties_as_asked() {
        assert_eq!(order(Ties::Fifo, 0.0, &PLAIN, false), [1, 3, 0, 2]);
        assert_eq!(order(Ties::Lifo, 0.0, &PLAIN, false), [3, 1, 2, 0]);
        let many = [(1, false); 20];
        assert_ne!(order(Ties::Random(Random::new(1)), 0.0, &many, false), order(Ties::Fifo, 0.0, &many, false));
    }

    #[test]
    fn nothing_is_lost_by_chance() {
        let mut all = order(Ties::Lifo, 0.5, &[(1, false), (2, false), (3, false), (2, false)], false);
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
    }

    #[test]
    fn preferred_successors_go_first_after_an_improvement() {
        let order = order(Ties::Fifo, 0.0, &[(1, false), (3, true), (2, true)], true);
        assert_eq!(order, [2, 1, 0, 2, 1]);
    }
}
