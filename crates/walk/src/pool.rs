//! The edges that may begin a transition now, each with a number of tickets, so that one ticket can be drawn with every
//! ticket equally likely.
//!
//! Edges are kept in buckets. A bucket holds edges with the same gate and with about the same number of tickets: between
//! half of a power of two and that power, which is what each of them counts; a ticket that its edge does not have is drawn
//! again. Putting an edge in, taking it out and drawing one cost the same however many there are. Closing a gate takes
//! all edges behind it out at once.
//!
//! Edges that cannot be taken yet may sleep (see [`crate::sleepers`]): they belong to the pool, but are not drawn.
//!
//! The order inside of a bucket depends on its history, so a pool is copied, not rebuilt, when a walk starts again.

use crate::sleepers::Sleepers;

pub(crate) const NONE: u32 = u32::MAX;

/// The position of a sleeping edge: this and where it stands among them.
const ASLEEP: u32 = 1 << 31;

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
    /// Where an edge stands in `members` or among the sleepers, or `NONE`.
    positions: Vec<u32>,
    sleepers: Sleepers,
}

impl Pool {
    pub fn new(edges: usize, buckets: usize) -> Pool {
        Pool {
            members: vec![NONE; edges],
            lens: vec![0; buckets],
            positions: vec![NONE; edges],
            sleepers: Sleepers::default(),
        }
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

    /// Puts an edge in, awake.
    #[inline]
    pub fn insert(&mut self, buckets: &[Bucket], bucket: u32, edge: u32) {
        let at = self.positions[edge as usize];
        if at < ASLEEP {
            return;
        }
        if at != NONE {
            self.rouse(at);
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
        if at >= ASLEEP {
            if at != NONE {
                self.rouse(at);
                self.positions[edge as usize] = NONE;
            }
            return;
        }
        let len = &mut self.lens[bucket as usize];
        *len -= 1;
        let last = self.members[(buckets[bucket as usize].start + *len) as usize];
        self.members[at as usize] = last;
        self.positions[last as usize] = at;
        self.positions[edge as usize] = NONE;
    }

    /// Takes an edge out of those that sleep.
    fn rouse(&mut self, at: u32) {
        let positions = &mut self.positions;
        self.sleepers.remove(at & !ASLEEP, &mut |edge, at| positions[edge as usize] = ASLEEP | at);
    }

    #[inline]
    pub fn is_asleep(&self, edge: u32) -> bool {
        let at = self.positions[edge as usize];
        at >= ASLEEP && at != NONE
    }

    /// Lets an edge of the pool sleep until a moment.
    pub fn sleep(&mut self, buckets: &[Bucket], bucket: u32, edge: u32, moment: i64) {
        self.remove(buckets, bucket, edge);
        let positions = &mut self.positions;
        self.sleepers.push(moment, edge, &mut |edge, at| positions[edge as usize] = ASLEEP | at);
    }

    /// The sleeping edge that wakes first, if that is not after a moment.
    #[inline]
    pub fn wakes(&self, moment: i64) -> Option<u32> {
        if self.sleepers.earliest() <= moment { self.sleepers.first() } else { None }
    }

    /// How many tickets, and how many edges, the open stretches of buckets have.
    #[inline]
    pub fn count(&self, buckets: &[Bucket], open: &[(u32, u32)]) -> (u64, u64) {
        let (mut tickets, mut edges) = (0, 0);
        for bucket in open.iter().flat_map(|(first, end)| *first..*end) {
            let len = u64::from(self.lens[bucket as usize]);
            tickets += len << buckets[bucket as usize].class;
            edges += len;
        }
        (tickets, edges)
    }

    /// The edge of a ticket of the open stretches of buckets, and the number of the ticket among those of the edge.
    #[inline]
    pub fn ticket(&self, buckets: &[Bucket], open: &[(u32, u32)], mut number: u64) -> Option<(u32, u32)> {
        for bucket in open.iter().flat_map(|(first, end)| *first..*end) {
            let Bucket { start, class } = buckets[bucket as usize];
            let here = u64::from(self.lens[bucket as usize]) << class;
            if number < here {
                let member = self.members[start as usize + (number >> class) as usize];
                return Some((member, (number & ((1 << class) - 1)) as u32));
            }
            number -= here;
        }
        None
    }

    pub fn bytes(&self) -> usize {
        4 * (self.members.len() + self.lens.len() + self.positions.len()) + 16 * self.sleepers.len()
    }

    pub fn copy_from(&mut self, other: &Pool) {
        self.members.copy_from_slice(&other.members);
        self.lens.copy_from_slice(&other.lens);
        self.positions.copy_from_slice(&other.positions);
        self.sleepers.copy_from(&other.sleepers);
    }
}
