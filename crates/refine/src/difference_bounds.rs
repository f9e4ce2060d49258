//! What is known about the differences of a component's clocks, while it is unfolded.
//!
//! A zone with constants as they are written, which may be too large for [`zones`]: there the unit
//! of time is chosen after all components are unfolded. Only emptiness is asked. A bound is twice
//! its constant, less one if it is strict.

use crate::unfold::Limit;

const NO_BOUND: i64 = i64::MAX / 4;

#[derive(Clone, Debug)]
pub(crate) struct DifferenceBounds {
    dim: usize,
    /// Of the difference of row and column, closed.
    bounds: Vec<i64>,
}

pub(crate) fn bound(constant: i64, strict: bool) -> i64 {
    2 * constant - i64::from(strict)
}

fn sum(one: i64, other: i64) -> i64 {
    if one == NO_BOUND || other == NO_BOUND {
        return NO_BOUND;
    }
    // Strict if one of them is.
    bound((one + 1).div_euclid(2) + (other + 1).div_euclid(2), one % 2 != 0 || other % 2 != 0)
}

impl DifferenceBounds {
    /// Clocks count from 1, and none is negative.
    pub fn new(clocks: usize) -> DifferenceBounds {
        let dim = clocks + 1;
        let mut bounds = vec![NO_BOUND; dim * dim];
        for at in 0..dim {
            bounds[at] = 0;
            bounds[at * dim + at] = 0;
        }
        DifferenceBounds { dim, bounds }
    }

    /// Adds `left - right ≺ constant`; `false` if nothing is left then.
    #[must_use]
    pub fn constrain(&mut self, left: u32, right: u32, bound: i64) -> bool {
        let (left, right, dim) = (left as usize, right as usize, self.dim);
        if bound >= self.bounds[left * dim + right] {
            return true;
        }
        if sum(bound, self.bounds[right * dim + left]) < 0 {
            return false;
        }
        for row in 0..dim {
            let to_left = sum(self.bounds[row * dim + left], bound);
            for column in 0..dim {
                let through = sum(to_left, self.bounds[right * dim + column]);
                let entry = &mut self.bounds[row * dim + column];
                *entry = (*entry).min(through);
            }
        }
        true
    }

    #[must_use]
    pub fn limit(&mut self, limit: Limit) -> bool {
        let constant = i64::from(limit.constant);
        match limit.upper {
            true => self.constrain(limit.clock, 0, bound(constant, limit.strict)),
            false => self.constrain(0, limit.clock, bound(-constant, limit.strict)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emptiness_is_seen_through_chains() {
        let upper = |clock, constant| Limit { clock, upper: true, constant, strict: false };
        let mut known = DifferenceBounds::new(3);
        // x1 - x2 < 1, x2 - x3 < 1: x1 - x3 < 2, and all may be equal.
        assert!(known.constrain(1, 2, bound(1, true)) && known.constrain(2, 3, bound(1, true)));
        assert!(!known.clone().constrain(3, 1, bound(-2, false)));
        assert!(!known.clone().constrain(3, 1, bound(-2, true)));
        assert!(known.clone().constrain(3, 1, bound(-1, true)));
        assert!(known.limit(upper(3, 0)));
        assert!(!known.clone().limit(Limit { clock: 1, upper: false, constant: 2, strict: false }));
        assert!(known.limit(Limit { clock: 1, upper: false, constant: 1, strict: true }));
        // No clock is negative.
        assert!(!DifferenceBounds::new(1).limit(Limit { clock: 1, upper: true, constant: 0, strict: true }));
        assert!(!DifferenceBounds::new(1).limit(upper(0, -1)));
    }

    #[test]
    fn constants_may_be_as_large_as_they_get() {
        let mut known = DifferenceBounds::new(2);
        assert!(known.constrain(1, 2, bound(-i64::from(i32::MAX), true)));
        assert!(!known.clone().limit(Limit { clock: 2, upper: true, constant: i32::MAX, strict: false }));
        assert!(known.limit(Limit { clock: 1, upper: false, constant: i32::MAX, strict: false }));
    }
}
