//! A value that changes at a constant rate.

use super::window::FOREVER;

/// `value` at the moment `at`, and `rate` ticks more with every tick.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Line {
    pub value: i64,
    pub at: i64,
    pub rate: i64,
}

impl Line {
    /// Never changes.
    pub fn constant(value: i64) -> Line {
        Line { value, at: 0, rate: 0 }
    }

    #[inline]
    pub fn value(self, moment: i64) -> i64 {
        match self.rate {
            0 => self.value,
            1 => self.value + (moment - self.at),
            rate => clamp(i128::from(self.value) + i128::from(rate) * i128::from(moment - self.at)),
        }
    }

    /// The difference of two values over time.
    #[inline]
    pub fn minus(self, other: Line) -> Line {
        let at = self.at.max(other.at);
        Line { value: self.value(at) - other.value(at), at, rate: self.rate - other.rate }
    }

    /// The value, so much higher at all times.
    #[inline]
    pub fn plus(self, offset: i64) -> Line {
        Line { value: self.value + offset, ..self }
    }

    /// For a rate other than 0: the moment when the value is `bound`, the next (or last) whole one.
    pub(super) fn reaches(self, bound: i64, next: bool) -> i64 {
        let (distance, rate) = (i128::from(bound) - i128::from(self.value), i128::from(self.rate));
        let quotient = distance.div_euclid(rate);
        let exact = quotient * rate == distance;
        // The rest of a Euclidean division is not negative: for a negative rate the quotient is rounded up.
        let moment = match (exact, rate > 0, next) {
            (true, ..) | (_, true, false) | (_, false, true) => quotient,
            (_, true, true) => quotient + 1,
            (_, false, false) => quotient - 1,
        };
        clamp(i128::from(self.at) + moment)
    }
}

fn clamp(value: i128) -> i64 {
    value.clamp(-i128::from(FOREVER), i128::from(FOREVER)) as i64
}
