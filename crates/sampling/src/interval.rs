//! Intervals of delays, and sets of them: when a condition holds while time passes.
//!
//! Ends know whether they belong to the interval. Clocks are floating-point numbers here, so a
//! moment that is computed in two ways comes out a little different; [`NEAR`] says how far apart
//! two moments may be and still count as one.

use semantics::precise::{NEAR, Precise};

/// Empty when `lo > hi`, or when `lo == hi` and an end is open.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    pub lo: Precise,
    pub hi: Precise,
    pub lo_open: bool,
    pub hi_open: bool,
}

impl Interval {
    pub const ALL: Interval =
        Interval { lo: Precise::NEG_INFINITY, hi: Precise::INFINITY, lo_open: false, hi_open: false };
    pub const EMPTY: Interval =
        Interval { lo: Precise::INFINITY, hi: Precise::NEG_INFINITY, lo_open: false, hi_open: false };

    pub fn of_truth(holds: bool) -> Interval {
        if holds { Interval::ALL } else { Interval::EMPTY }
    }

    pub fn is_empty(self) -> bool {
        match self.lo.partial_cmp(&self.hi) {
            Some(std::cmp::Ordering::Less) => false,
            Some(std::cmp::Ordering::Equal) => self.lo_open || self.hi_open,
            // Also for what is no number.
            _ => true,
        }
    }

    pub fn intersect(self, other: Interval) -> Interval {
        let (lo, lo_open) = match self.lo.order(other.lo) {
            std::cmp::Ordering::Greater => (self.lo, self.lo_open),
            std::cmp::Ordering::Less => (other.lo, other.lo_open),
            std::cmp::Ordering::Equal => (self.lo, self.lo_open || other.lo_open),
        };
        let (hi, hi_open) = match self.hi.order(other.hi) {
            std::cmp::Ordering::Less => (self.hi, self.hi_open),
            std::cmp::Ordering::Greater => (other.hi, other.hi_open),
            std::cmp::Ordering::Equal => (self.hi, self.hi_open || other.hi_open),
        };
        Interval { lo, hi, lo_open, hi_open }
    }

    /// Whether the moment belongs to it, up to rounding.
    pub fn holds_at(self, moment: Precise) -> bool {
        let from = if self.lo_open { moment > self.lo + NEAR } else { moment >= self.lo + -NEAR };
        let to = if self.hi_open { moment < self.hi + -NEAR } else { moment <= self.hi + NEAR };
        !self.is_empty() && from && to
    }

    /// The first moment of `0..=length` that belongs to it; an open end counts when something after
    /// it belongs to it.
    pub fn first_within(self, length: Precise) -> Option<Precise> {
        if self.is_empty() || self.hi.value() < -NEAR || (self.hi_open && self.hi.value() <= NEAR) {
            return None;
        }
        let start = self.lo.max(Precise::ZERO);
        let open = self.lo_open && self.lo.value() >= -NEAR;
        let inside = if open { start < length + -NEAR } else { start <= length + NEAR };
        inside.then(|| start.min(length))
    }
}

/// A union of intervals that do not touch, in order.
#[derive(Clone, PartialEq, Debug)]
pub struct Set {
    list: Vec<Interval>,
}

impl Set {
    pub fn of(interval: Interval) -> Set {
        Set { list: if interval.is_empty() { Vec::new() } else { vec![interval] } }
    }

    pub fn intervals(&self) -> &[Interval] {
        &self.list
    }

    pub fn complement(&self) -> Set {
        let mut list = Vec::with_capacity(self.list.len() + 1);
        let mut rest = Interval::ALL;
        for one in &self.list {
            let before = Interval { hi: one.lo, hi_open: !one.lo_open, ..rest };
            if one.lo > Precise::NEG_INFINITY && !before.is_empty() {
                list.push(before);
            }
            rest = Interval { lo: one.hi, lo_open: !one.hi_open, ..Interval::ALL };
        }
        if rest.lo < Precise::INFINITY {
            list.push(rest);
        }
        Set { list }
    }

    pub fn intersect(&self, other: &Set) -> Set {
        let mut list = Vec::new();
        for left in &self.list {
            list.extend(other.list.iter().map(|right| left.intersect(*right)).filter(|both| !both.is_empty()));
        }
        Set { list }
    }

    pub fn unite(&self, other: &Set) -> Set {
        self.complement().intersect(&other.complement()).complement()
    }

    pub fn first_within(&self, length: Precise) -> Option<Precise> {
        self.list.iter().find_map(|one| one.first_within(length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(lo: f64, hi: f64) -> Interval {
        Interval { lo: lo.into(), hi: hi.into(), lo_open: false, hi_open: false }
    }

    fn first(interval: Interval) -> Option<f64> {
        interval.first_within(Precise::from(5.0)).map(Precise::value)
    }

    #[test]
    fn a_set_and_its_complement_share_the_line() {
        let pieces =
            Set::of(closed(1.0, 2.0)).unite(&Set::of(Interval { lo_open: true, ..closed(3.0, f64::INFINITY) }));
        assert_eq!(pieces.intervals().len(), 2);
        let gaps = pieces.complement();
        assert_eq!(gaps.intervals().len(), 2);
        assert_eq!(gaps.complement(), pieces);
        assert!(gaps.intersect(&pieces).intervals().is_empty());
        let last = gaps.intervals()[1];
        assert!(last.holds_at(Precise::from(3.0)) && !last.holds_at(Precise::from(2.0)));
    }

    #[test]
    fn the_first_moment_of_a_stretch() {
        assert_eq!(first(closed(1.0, 2.0)), Some(1.0));
        assert_eq!(first(closed(-1.0, 2.0)), Some(0.0));
        assert_eq!(first(closed(5.0, 5.0)), Some(5.0));
        assert_eq!(first(Interval { lo_open: true, ..closed(5.0, 9.0) }), None);
        assert_eq!(first(closed(6.0, 7.0)), None);
        assert_eq!(first(closed(-3.0, -1.0)), None);
        assert_eq!(first(Interval::EMPTY), None);
        assert_eq!(first(Interval { hi_open: true, ..closed(-1.0, 0.0) }), None);
    }
}
