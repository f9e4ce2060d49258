//! The values that a clock takes: a union of intervals with whole ends, each end open or closed.
//!
//! Zones have whole bounds, so what they say about one clock is put together from single numbers and from the gaps between two
//! neighbours. Both get positions in one order: the number n has 2n, and all values between n and n + 1 together have 2n + 1.

use std::collections::BTreeMap;
use zones::Bound;

/// The position of what has no end.
const ENDLESS: i64 = i64::MAX;

/// A set of positions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Values {
    /// First and last position of each part. Between two parts there is at least one position.
    parts: BTreeMap<i64, i64>,
}

/// The position of a number.
pub fn number(value: i64) -> i64 {
    value.saturating_mul(2)
}

/// The first position within a lower bound as zones have it, of minus the clock.
pub fn first(lower: Bound) -> i64 {
    number(-i64::from(lower.constant())) + i64::from(lower.is_strict())
}

/// The last position within an upper bound.
fn last(upper: Bound) -> i64 {
    if upper.is_infinite() { ENDLESS } else { number(i64::from(upper.constant())) - i64::from(upper.is_strict()) }
}

impl Values {
    /// Adds what lies between the bounds that a zone has for a clock.
    pub fn add_between(&mut self, lower: Bound, upper: Bound) {
        self.add(first(lower), last(upper));
    }

    /// Adds everything from a position on.
    pub fn add_from(&mut self, from: i64) {
        self.add(from, ENDLESS);
    }

    fn add(&mut self, from: i64, to: i64) {
        if from > to {
            return;
        }
        let (mut from, mut to) = (from, to);
        while let Some((&known, &end)) = self.parts.range(..=to.saturating_add(1)).next_back() {
            if known <= from && to <= end {
                return;
            }
            if end.saturating_add(1) < from {
                break;
            }
            self.parts.remove(&known);
            (from, to) = (from.min(known), to.max(end));
        }
        self.parts.insert(from, to);
    }

    /// Those that are not larger than a number.
    pub fn up_to(&self, constant: i32) -> Values {
        let end = number(i64::from(constant));
        let parts = self.parts.range(..=end).map(|(from, to)| (*from, (*to).min(end)));
        Values { parts: parts.collect() }
    }

    /// Whether there is a larger value than this one.
    pub fn goes_beyond(&self, constant: i32) -> bool {
        self.parts.values().next_back().is_some_and(|to| *to > number(i64::from(constant)))
    }
}

/// `0 .. 3, 5, > 7 .. < 9, 12 .. inf`
impl std::fmt::Display for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        for (n, (from, to)) in self.parts.iter().enumerate() {
            f.write_str(if n == 0 { "" } else { ", " })?;
            match from.rem_euclid(2) {
                0 => write!(f, "{}", from / 2)?,
                _ => write!(f, "> {}", from.div_euclid(2))?,
            }
            match *to {
                ENDLESS => f.write_str(" .. inf")?,
                to if to == *from && to % 2 == 0 => {}
                to if to % 2 == 0 => write!(f, " .. {}", to / 2)?,
                to => write!(f, " .. < {}", to / 2 + 1)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Values;
    use zones::Bound;

    fn of(parts: &[(i64, i64)]) -> Values {
        let mut values = Values::default();
        parts.iter().for_each(|(from, to)| values.add(*from, *to));
        values
    }

    #[test]
    fn parts_that_touch_become_one() {
        assert_eq!(of(&[(0, 4), (10, 12), (5, 9)]), of(&[(0, 12)]));
        assert_eq!(of(&[(0, 4), (6, 7), (20, 30), (3, 22)]), of(&[(0, 30)]));
        assert_eq!(of(&[(6, 7), (0, 4)]).parts.len(), 2);
        assert_eq!(of(&[(0, 30), (4, 5), (9, 8)]), of(&[(0, 30)]));
    }

    #[test]
    fn any_order_gives_the_same() {
        // Every subset of the intervals within 0 to 6 that three draws give, in both orders, against a set of positions.
        let intervals: Vec<(i64, i64)> = (0..7).flat_map(|from| (from..7).map(move |to| (from, to))).collect();
        for one in &intervals {
            for two in &intervals {
                for three in &intervals {
                    let values = of(&[*one, *two, *three]);
                    assert_eq!(values, of(&[*three, *two, *one]));
                    let inside = |at: i64| [one, two, three].iter().any(|(from, to)| (*from..=*to).contains(&at));
                    for at in 0..7 {
                        let found = values.parts.iter().any(|(from, to)| (*from..=*to).contains(&at));
                        assert_eq!(found, inside(at), "{one:?} {two:?} {three:?} {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn ends_are_told() {
        let mut values = Values::default();
        assert_eq!(values.to_string(), "");
        values.add_between(Bound::le(0), Bound::le(3));
        values.add_between(Bound::le(-5), Bound::le(5));
        values.add_between(Bound::lt(-7), Bound::lt(9));
        values.add_between(Bound::lt(-10), Bound::lt(11));
        assert_eq!(values.to_string(), "0 .. 3, 5, > 7 .. < 9, > 10 .. < 11");
        values.add_between(Bound::le(-12), Bound::INFINITY);
        assert_eq!(values.to_string(), "0 .. 3, 5, > 7 .. < 9, > 10 .. < 11, 12 .. inf");
        assert_eq!(values.up_to(8).to_string(), "0 .. 3, 5, > 7 .. 8");
        assert!(values.goes_beyond(1 << 20) && !values.up_to(8).goes_beyond(8) && values.up_to(8).goes_beyond(7));
    }
}
