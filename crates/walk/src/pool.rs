//! The edges that may begin a transition now, each with a number of tickets, so that one ticket can be drawn with every
//! ticket equally likely.
//!
//! Edges are kept in buckets. A bucket holds edges with the same gate and with about the same number of tickets: between
//! half of a power of two and that power, which is what each of them counts; a ticket that its edge does not have is drawn
//! again. Putting an edge in, taking it out and drawing one cost the same however many there are. Closing a gate takes
//! all edges behind it out at once.
//!
//! The order inside of a bucket depends on its history, so a pool is copied, not rebuilt, when a walk starts again.

use semantics::random::Random;

pub(crate) const NONE: u32 = u32::MAX;

/// What does not change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    /// Where its members stand.
    pub start: u32,
    /// Every member counts for two to this power.
    pub class: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Pool {
    /// The members of all buckets, each with room for all that can ever be in it.
    members: Vec<u32>,
    lens: Vec<u32>,
    /// Where an edge stands in `members`, or `NONE`.
    positions: Vec<u32>,
}

impl Pool {
    pub fn new(edges: usize, buckets: usize) -> Pool {
        Pool { members: vec![NONE; edges], lens: vec![0; buckets], positions: vec![NONE; edges] }
    }

    #[inline]
    pub fn contains(&self, edge: u32) -> bool {
        self.positions[edge as usize] != NONE
    }

    #[inline]
    pub fn members(&self, buckets: &[Bucket], bucket: u32) -> &[u32] {
        let start = buckets[bucket as usize].start as usize;
        &self.members[start..start + self.lens[bucket as usize] as usize]
    }

    #[inline]
    pub fn insert(&mut self, buckets: &[Bucket], bucket: u32, edge: u32) {
        if self.positions[edge as usize] != NONE {
            return;
        }
        let len = &mut self.lens[bucket as usize];
        let at = buckets[bucket as usize].start + *len;
        *len += 1;
        self.members[at as usize] = edge;
        self.positions[edge as usize] = at;
    }

    #[inline]
    pub fn remove(&mut self, buckets: &[Bucket], bucket: u32, edge: u32) {
        let at = self.positions[edge as usize];
        if at == NONE {
            return;
        }
        let len = &mut self.lens[bucket as usize];
        *len -= 1;
        let last = self.members[(buckets[bucket as usize].start + *len) as usize];
        self.members[at as usize] = last;
        self.positions[last as usize] = at;
        self.positions[edge as usize] = NONE;
    }

    /// Draws an edge and the number of a ticket from the open stretches of buckets; `None` when they are all empty.
    #[inline]
    pub fn draw(&self, buckets: &[Bucket], open: &[(u32, u32)], random: &mut Random) -> Option<(u32, u32)> {
        let weight = |bucket: u32| u64::from(self.lens[bucket as usize]) << buckets[bucket as usize].class;
        let all = || open.iter().flat_map(|(first, end)| *first..*end);
        let total: u64 = all().map(weight).sum();
        if total == 0 {
            return None;
        }
        let mut drawn = random.below(total);
        for bucket in all() {
            let here = weight(bucket);
            if drawn < here {
                let Bucket { start, class } = buckets[bucket as usize];
                let member = self.members[start as usize + (drawn >> class) as usize];
                return Some((member, (drawn & ((1 << class) - 1)) as u32));
            }
            drawn -= here;
        }
        None
    }

    pub fn bytes(&self) -> usize {
        4 * (self.members.len() + self.lens.len() + self.positions.len())
    }

    pub fn copy_from(&mut self, other: &Pool) {
        self.members.copy_from_slice(&other.members);
        self.lens.copy_from_slice(&other.lens);
        self.positions.copy_from_slice(&other.positions);
    }
}
