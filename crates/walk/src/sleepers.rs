//! Edges that cannot be taken before some moment, and when that is.
//!
//! An edge whose own guard holds only after time has to stop is drawn in vain again and again: a task that waits for its
//! period, a deadline that is far away. When that is noticed the edge falls asleep until the moment at which its guard begins
//! to hold. It wakes when time may pass until then, when a clock of its guard is set or changes its rate, and when a cell that its
//! guard reads changes. So every time an edge is woken has been paid for by a draw that failed, and a draw meets few edges that
//! cannot be taken.
//!
//! A binary heap with the earliest moment at the top. Whoever owns it is told where each edge stands, to take it out.

/// The moment of an edge that only a change wakes.
pub(crate) const NEVER: i64 = i64::MAX;

#[derive(Clone, Default, Debug)]
pub(crate) struct Sleepers {
    heap: Vec<(i64, u32)>,
}

impl Sleepers {
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// The earliest moment, [`NEVER`] when nobody sleeps.
    #[inline]
    pub fn earliest(&self) -> i64 {
        self.heap.first().map_or(NEVER, |(moment, _)| *moment)
    }

    /// The edge that wakes first.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        self.heap.first().map(|(_, edge)| *edge)
    }

    pub fn push(&mut self, moment: i64, edge: u32, stands: &mut dyn FnMut(u32, u32)) {
        self.heap.push((moment, edge));
        self.rise(self.heap.len() - 1, stands);
    }

    /// Takes out the edge that stands there.
    pub fn remove(&mut self, at: u32, stands: &mut dyn FnMut(u32, u32)) {
        let at = at as usize;
        let Some(last) = self.heap.pop() else { return };
        if at < self.heap.len() {
            self.heap[at] = last;
            let at = self.rise(at, stands);
            self.sink(at, stands);
        }
    }

    fn rise(&mut self, mut at: usize, stands: &mut dyn FnMut(u32, u32)) -> usize {
        while at > 0 && self.heap[at] < self.heap[(at - 1) / 2] {
            self.heap.swap(at, (at - 1) / 2);
            stands(self.heap[at].1, at as u32);
            at = (at - 1) / 2;
        }
        stands(self.heap[at].1, at as u32);
        at
    }

    fn sink(&mut self, mut at: usize, stands: &mut dyn FnMut(u32, u32)) {
        loop {
            let child = 2 * at + 1;
            let Some(least) = (child..(child + 2).min(self.heap.len())).min_by_key(|n| self.heap[*n]) else { break };
            if self.heap[at] <= self.heap[least] {
                break;
            }
            self.heap.swap(at, least);
            stands(self.heap[at].1, at as u32);
            at = least;
        }
        stands(self.heap[at].1, at as u32);
    }

    pub fn copy_from(&mut self, other: &Sleepers) {
        self.heap.clone_from(&other.heap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::random::Random;

    /// Against a plain list, with edges taken out from anywhere.
    #[test]
    fn the_first_to_wake_is_at_the_top() {
        let mut random = Random::new(5);
        let (mut sleepers, mut plain) = (Sleepers::default(), Vec::<(i64, u32)>::new());
        let mut places = vec![u32::MAX; 64];
        for _ in 0..20_000 {
            let edge = random.index(places.len()) as u32;
            match plain.iter().position(|(_, other)| *other == edge) {
                Some(n) => {
                    plain.swap_remove(n);
                    let at = places[edge as usize];
                    sleepers.remove(at, &mut |edge, at| places[edge as usize] = at);
                }
                None => {
                    let moment = random.below(50) as i64;
                    plain.push((moment, edge));
                    sleepers.push(moment, edge, &mut |edge, at| places[edge as usize] = at);
                }
            }
            assert_eq!(sleepers.len(), plain.len());
            assert_eq!(sleepers.first(), plain.iter().min().map(|(_, edge)| *edge));
            assert_eq!(sleepers.earliest(), plain.iter().min().map_or(NEVER, |(moment, _)| *moment));
        }
    }
}
