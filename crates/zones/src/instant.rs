//! The borders of a zone in the direction of time.
//!
//! Where a zone ends while time passes and what lies right behind its end: a valuation of which every moment right before is
//! in the zone, or every moment right after. A bound of a difference that grows with time is an upper border: right before
//! it the difference is smaller, so `< c` and `<= c` both allow `c`; right after it is larger, so both demand `< c`. A
//! difference that shrinks is a lower border, with the roles changed. What does not change with time stays. The result is
//! a zone for each of the constraints and so for their conjunction, whatever form it has.
//!
//! Costs a closure, `O(n³)`.

use crate::bound::Bound;
use crate::unclosed::Unclosed;
use crate::zone::Zone;

/// Which bounds of differences in the direction of time become weak, and which strict.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Instant {
    Before,
    After,
}

impl Zone {
    /// The valuations that were in the zone at every moment right before; `None` when there are none. Clocks that are
    /// `stopped` stand still, the reference clock always does.
    pub fn right_after(&self, stopped: &[bool]) -> Option<Zone> {
        self.bordering(Instant::After, stopped)
    }

    /// The valuations that will be in the zone at every moment right after; `None` when there are none.
    pub fn right_before(&self, stopped: &[bool]) -> Option<Zone> {
        self.bordering(Instant::Before, stopped)
    }

    fn bordering(&self, instant: Instant, stopped: &[bool]) -> Option<Zone> {
        let stands = |clock: usize| clock == 0 || stopped.get(clock) == Some(&true);
        let mut result = Unclosed::from(self.clone());
        for i in 0..self.dim() {
            for j in (0..self.dim()).filter(|&j| stands(i) != stands(j)) {
                let bound = self.at(i, j);
                if bound.is_infinite() {
                    continue;
                }
                let grows = stands(j);
                let constant = bound.constant();
                let weak = grows == (instant == Instant::After);
                result.replace(i, j, if weak { Bound::le(constant) } else { Bound::lt(constant) });
            }
        }
        result.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `low ≺ x ≺ high` for the one clock.
    fn zone(low: Bound, high: Bound) -> Zone {
        let mut zone = Zone::universal(2);
        assert!(zone.constrain(0, 1, low) && zone.constrain(1, 0, high));
        zone
    }

    #[test]
    fn borders_of_an_interval() {
        let cases = [
            // zone, right after it, right before it
            ((Bound::le(-1), Bound::le(2)), Some((Bound::lt(-1), Bound::le(2))), Some((Bound::le(-1), Bound::lt(2)))),
            ((Bound::lt(-1), Bound::lt(2)), Some((Bound::lt(-1), Bound::le(2))), Some((Bound::le(-1), Bound::lt(2)))),
            // A single moment has nothing right before or after it that is in it.
            ((Bound::le(-2), Bound::le(2)), None, None),
            ((Bound::le(0), Bound::lt(1)), Some((Bound::lt(0), Bound::le(1))), Some((Bound::le(0), Bound::lt(1)))),
        ];
        for ((low, high), after, before) in cases {
            let zone_of = |bounds: Option<(Bound, Bound)>| bounds.map(|(low, high)| zone(low, high));
            let zone = zone(low, high);
            assert_eq!(zone.right_after(&[]), zone_of(after));
            assert_eq!(zone.right_before(&[]), zone_of(before));
        }
    }

    #[test]
    fn what_stands_still_has_no_borders() {
        let mut zone = Zone::universal(3);
        assert!(zone.constrain(1, 0, Bound::lt(2)) && zone.constrain(2, 0, Bound::lt(3)));
        let after = zone.right_after(&[false, false, true]).expect("not empty");
        assert_eq!((after.upper(1), after.upper(2)), (Bound::le(2), Bound::lt(3)));
        // A difference to a stopped clock grows like the running clock does.
        assert!(zone.constrain(1, 2, Bound::lt(0)));
        let after = zone.right_after(&[false, false, true]).expect("not empty");
        assert_eq!((after.at(1, 2), after.at(2, 1)), (Bound::le(0), zone.at(2, 1)));
    }
}
