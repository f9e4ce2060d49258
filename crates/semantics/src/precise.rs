//! Moments and clocks as the sum of two doubles, about 32 decimal digits.
//!
//! A run goes on for 10^10 time units and more, and a clock that is read now may have been reset a
//! moment ago. With one double the error of a clock follows the time of the run: after 2^24 units a
//! delay is off by 2^-29, and a clock that was to reach its bound stands beside it. With two the
//! error of a moment of 10^10 units is 10^-22, far below what a clock is compared with, so a clock
//! that was to reach 1200 holds 1200. Sums and differences of integers are exact.
//!
//! The sums are Knuth's and Dekker's, with the error bounds of Joldes, Muller and Popescu (2017),
//! algorithms 3, 4, 6, 9 and
//! 15. Nothing but additions, multiplications and fused multiplications of IEEE 754 is used, so every machine gives the same.
//! A sum costs 20 operations instead of one.

use model::network::Relation;
use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// `high + low`, where `high` is the double nearest to the sum. What is infinite or no number has
/// `low` 0.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Precise {
    high: f64,
    low: f64,
}

impl Precise {
    pub const ZERO: Precise = Precise { high: 0.0, low: 0.0 };
    pub const INFINITY: Precise = Precise { high: f64::INFINITY, low: 0.0 };
    pub const NEG_INFINITY: Precise = Precise { high: f64::NEG_INFINITY, low: 0.0 };

    /// The nearest double.
    #[inline]
    pub fn value(self) -> f64 {
        self.high
    }

    /// Both parts, the greater one first.
    pub(crate) fn parts(self) -> (f64, f64) {
        (self.high, self.low)
    }

    pub(crate) fn from_parts((high, low): (f64, f64)) -> Precise {
        Precise { high, low }
    }

    pub fn is_finite(self) -> bool {
        self.high.is_finite()
    }

    /// The lesser one; as for doubles, what is no number does not count.
    pub fn min(self, other: Precise) -> Precise {
        if other < self || self.high.is_nan() { other } else { self }
    }

    /// The greater one; as for doubles, what is no number does not count.
    pub fn max(self, other: Precise) -> Precise {
        if other > self || self.high.is_nan() { other } else { self }
    }

    /// An order of all numbers; what is none has its place as well.
    pub fn order(self, other: Precise) -> Ordering {
        self.high.total_cmp(&other.high).then(self.low.total_cmp(&other.low))
    }

    /// Two parts that a first sum has brought together.
    #[inline]
    fn of(high: f64, low: f64) -> Precise {
        let sum = high + low;
        if sum.is_finite() { Precise { high: sum, low: low - (sum - high) } } else { Precise { high: sum, low: 0.0 } }
    }
}

/// A sum and what rounding took from it.
#[inline]
fn sum(left: f64, right: f64) -> (f64, f64) {
    let sum = left + right;
    let part = sum - left;
    (sum, (left - (sum - part)) + (right - part))
}

/// A product and what rounding took from it.
#[inline]
fn product(left: f64, right: f64) -> (f64, f64) {
    let product = left * right;
    (product, left.mul_add(right, -product))
}

impl From<f64> for Precise {
    #[inline]
    fn from(value: f64) -> Precise {
        Precise { high: value, low: 0.0 }
    }
}

impl PartialOrd for Precise {
    #[inline]
    fn partial_cmp(&self, other: &Precise) -> Option<Ordering> {
        match self.high.partial_cmp(&other.high) {
            Some(Ordering::Equal) => self.low.partial_cmp(&other.low),
            different => different,
        }
    }
}

impl Add for Precise {
    type Output = Precise;

    #[inline]
    fn add(self, other: Precise) -> Precise {
        let (high, rest) = sum(self.high, other.high);
        if !high.is_finite() {
            return Precise::from(high);
        }
        let (low, last) = sum(self.low, other.low);
        let first = Precise::of(high, rest + low);
        Precise::of(first.high, last + first.low)
    }
}

impl Add<f64> for Precise {
    type Output = Precise;

    #[inline]
    fn add(self, other: f64) -> Precise {
        let (high, rest) = sum(self.high, other);
        if high.is_finite() { Precise::of(high, self.low + rest) } else { Precise::from(high) }
    }
}

impl AddAssign for Precise {
    #[inline]
    fn add_assign(&mut self, other: Precise) {
        *self = *self + other;
    }
}

impl Neg for Precise {
    type Output = Precise;

    #[inline]
    fn neg(self) -> Precise {
        Precise { high: -self.high, low: -self.low }
    }
}

impl Sub for Precise {
    type Output = Precise;

    #[inline]
    fn sub(self, other: Precise) -> Precise {
        self + -other
    }
}

impl Mul<f64> for Precise {
    type Output = Precise;

    #[inline]
    fn mul(self, factor: f64) -> Precise {
        if factor == 1.0 {
            return self;
        }
        let (high, rest) = product(self.high, factor);
        if high.is_finite() { Precise::of(high, self.low.mul_add(factor, rest)) } else { Precise::from(high) }
    }
}

impl Div<f64> for Precise {
    type Output = Precise;

    #[inline]
    fn div(self, divisor: f64) -> Precise {
        if divisor == 1.0 {
            return self;
        }
        let quotient = self.high / divisor;
        let (high, rest) = product(quotient, divisor);
        if !quotient.is_finite() || !high.is_finite() {
            return Precise::from(quotient);
        }
        Precise::of(quotient, ((self.high - high - rest) + self.low) / divisor)
    }
}

/// Moments that are closer than this, in time units, are the same moment.
pub const NEAR: f64 = 1e-9;

/// How far apart two computed numbers of this size may be and still be equal.
pub fn tolerance(left: f64, right: f64) -> f64 {
    NEAR + 1e-13 * left.abs().max(right.abs())
}

/// Compares two computed numbers, equal ones up to rounding.
pub fn compare(left: Precise, relation: Relation, right: Precise) -> bool {
    let (near, over) = (tolerance(left.value(), right.value()), (left - right).value());
    match relation {
        Relation::Lt => over < -near,
        Relation::Le => over <= near,
        Relation::Eq => over.abs() <= near,
        Relation::Ne => over.abs() > near,
        Relation::Ge => over >= -near,
        Relation::Gt => over > near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::random::Random;

    fn drawn(random: &mut Random) -> f64 {
        (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    #[test]
    fn integers_and_halves_are_exact() {
        let large = Precise::from(1e15) + 1e15 + 0.5;
        assert_eq!((large - Precise::from(2e15)).value(), 0.5);
        let mut clock = Precise::ZERO;
        for _ in 0..1000 {
            clock += Precise::from(1e13) + 0.125;
        }
        assert_eq!(clock - Precise::from(1e16), Precise::from(125.0));
    }

    /// Against numbers of 128 bits: a drawn double is a multiple of 2^-53.
    #[test]
    fn sums_of_many_fractions_keep_thirty_digits() {
        let mut random = Random::new(1);
        let (mut total, mut exact) = (Precise::from(1e10), 10i128.pow(10) << 53);
        for _ in 0..100_000 {
            let bits = i128::from(random.next_u64() >> 11);
            let part = Precise::from(bits as f64 / (1u64 << 53) as f64);
            (total, exact) =
                if random.below(2) == 0 { (total + part, exact + bits) } else { (total - part, exact - bits) };
        }
        let units = exact >> 53;
        let rest = (exact - (units << 53)) as f64 / (1u64 << 53) as f64;
        let error = (total - Precise::from(units as f64) - Precise::from(rest)).value();
        assert!(error.abs() < 1e-16, "{error}");
    }

    #[test]
    fn a_delay_leads_to_the_bound() {
        let mut random = Random::new(2);
        for _ in 0..10_000 {
            let (now, x) = (Precise::from(1e10 * drawn(&mut random)), drawn(&mut random) * 100.0);
            let bound = 1200.0;
            for rate in [1.0, 2.0, 0.3, 7.25] {
                let delay = (Precise::from(bound) - Precise::from(x)) / rate;
                let at = now + delay;
                assert_eq!((Precise::from(x) + (at - now) * rate).value(), bound, "{x} {rate}");
            }
        }
    }

    #[test]
    fn what_is_infinite_stays_infinite() {
        let one = Precise::from(1.0);
        assert_eq!(Precise::INFINITY + one, Precise::INFINITY);
        assert_eq!(one - Precise::INFINITY, -Precise::INFINITY);
        assert_eq!(Precise::INFINITY * 2.0, Precise::INFINITY);
        assert_eq!(one / 0.0, Precise::INFINITY);
        assert_eq!(Precise::INFINITY / 3.0, Precise::INFINITY);
        assert_eq!(one.min(Precise::INFINITY), one);
        let none = Precise::INFINITY - Precise::INFINITY;
        assert!(none.value().is_nan() && none.min(one) == one && one.min(none) == one && none.max(one) == one);
        assert!(one < Precise::INFINITY && one.max(Precise::INFINITY) == Precise::INFINITY);
    }
}
