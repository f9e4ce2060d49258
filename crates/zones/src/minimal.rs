//! The minimal constraint form: the constraints of a zone that do not follow from the others.
//!
//! Larsen, Larsson, Pettersson, Yi, "Efficient verification of real-time systems: compact data structure and state-space reduction" (RTSS 1997).
//! Clocks with a constant difference form a class; within a class a cycle of constraints is kept, between the
//! representatives of classes the bounds that no detour over a third representative matches. That clocks are not negative
//! is understood and not listed. `O(n³)` to compute, usually `O(n)` constraints: a stored zone gets small, inclusion of a full
//! zone in a minimal one is one comparison per constraint, and subtraction has few pieces. The form is not unique,
//! so it is never compared or hashed.

use crate::bound::Bound;
use crate::view::{Constraint, ZoneRef};
use crate::zone::Zone;

/// A zone as its minimal constraints.
#[derive(Clone, Debug)]
pub struct Minimal {
    dim: usize,
    constraints: Vec<Constraint>,
}

impl Minimal {
    pub fn new(zone: ZoneRef<'_>) -> Minimal {
        let mut constraints = Vec::new();
        push_minimal(zone, &mut constraints);
        Minimal { dim: zone.dim(), constraints }
    }

    pub fn dim(&self) -> usize {
        self.dim
    }

    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Whether every valuation of a full zone is in this one.
    #[must_use]
    pub fn includes(&self, zone: ZoneRef<'_>) -> bool {
        self.constraints.iter().all(|c| zone.at(c.left as usize, c.right as usize) <= c.bound)
    }

    /// The full zone.
    pub fn to_zone(&self) -> Zone {
        let mut zone = Zone::universal(self.dim);
        let kept = zone.constrain_all(&self.constraints);
        assert!(kept, "the minimal constraints of a zone are consistent");
        zone
    }

    /// Appends the constraints as words: one word each if clocks and constants are small, else two.
    pub fn pack(&self, words: &mut Vec<u32>) {
        let small = self.dim <= 1 << 8 && self.constraints.iter().all(|c| i16::try_from(c.bound.raw()).is_ok());
        assert!(self.dim <= 1 << 16, "zones of more than 65536 clocks are not packed");
        words.push((self.constraints.len() as u32) << 1 | u32::from(!small));
        for c in &self.constraints {
            if small {
                words.push(c.left << 24 | c.right << 16 | u32::from(c.bound.raw() as i16 as u16));
            } else {
                words.extend([c.left << 16 | c.right, c.bound.raw() as u32]);
            }
        }
    }

    /// Reads what `pack` wrote for a zone of this dimension.
    pub fn unpack(dim: usize, words: &[u32]) -> Minimal {
        Minimal { dim, constraints: packed_constraints(words).collect() }
    }

    /// How many words the packed zone at the start of `words` takes.
    pub fn packed_len(words: &[u32]) -> usize {
        1 + ((words[0] >> 1) << (words[0] & 1)) as usize
    }

    /// Whether every valuation of a full zone is in a packed one.
    #[must_use]
    pub fn packed_includes(words: &[u32], zone: ZoneRef<'_>) -> bool {
        packed_constraints(words).all(|c| zone.at(c.left as usize, c.right as usize) <= c.bound)
    }
}

fn packed_constraints(words: &[u32]) -> impl Iterator<Item = Constraint> {
    let large = words[0] & 1 == 1;
    words[1..Minimal::packed_len(words)].chunks_exact(if large { 2 } else { 1 }).map(move |words| match *words {
        [word] => {
            Constraint { left: word >> 24, right: word >> 16 & 0xff, bound: Bound(i32::from(word as u16 as i16)) }
        }
        [clocks, bound] => Constraint { left: clocks >> 16, right: clocks & 0xffff, bound: Bound(bound as i32) },
        _ => unreachable!("chunks of one or two words"),
    })
}

fn push_minimal(zone: ZoneRef<'_>, constraints: &mut Vec<Constraint>) {
    let dim = zone.dim();
    let mut push = |i: usize, j: usize| {
        let understood = i == 0 && zone.at(i, j) == Bound::LE_ZERO;
        if !understood {
            constraints.push(Constraint::new(i, j, zone.at(i, j)));
        }
    };
    let same_class = |i: usize, j: usize| zone.at(i, j) + zone.at(j, i) == Bound::LE_ZERO;
    let mut representatives: Vec<usize> = Vec::new();
    // The clock of each class that was met last, in the order of the representatives.
    let mut last: Vec<usize> = Vec::new();
    for clock in 0..dim {
        match representatives.iter().position(|&first| same_class(first, clock)) {
            Some(class) => {
                push(last[class], clock);
                last[class] = clock;
            }
            None => {
                representatives.push(clock);
                last.push(clock);
            }
        }
    }
    for (first, last) in representatives.iter_mut().zip(last) {
        if *first != last {
            push(last, *first);
        }
        // The first of the smallest clocks of the class, so that no lower bound is listed that another clock's not being negative implies.
        *first = (*first..=last)
            .filter(|&clock| same_class(*first, clock))
            .min_by_key(|&clock| std::cmp::Reverse(zone.at(0, clock)))
            .unwrap_or(last);
    }
    for &i in &representatives {
        for &j in &representatives {
            let bound = zone.at(i, j);
            let detour = |&k: &usize| k != i && k != j && zone.at(i, k) + zone.at(k, j) <= bound;
            if i != j && !bound.is_infinite() && !representatives.iter().any(detour) {
                push(i, j);
            }
        }
    }
}
