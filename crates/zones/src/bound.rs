//! Bounds of difference constraints: `x - y < c`, `x - y <= c`, or no bound at all.
//!
//! One 32-bit integer per bound, `2c + 1` for `<= c` and `2c` for `< c`, so that the order of the integers is the
//! order of tightness and an addition is three instructions (Bengtsson and Yi, "Timed automata: semantics,
//! algorithms and tools", 2004, §4.2). Constants lie strictly between `-2^28` and `2^28`; infinity is `2^29`, above every finite
//! bound. Sums of two finite bounds therefore never wrap in 32 bits, and a sum that leaves the admissible range is
//! recognised: [`Bound::checked_add`] refuses it, `+` relaxes it (to infinity, or to the smallest bound).

use std::fmt;
use std::ops::Add;

/// The right-hand side of `x - y ≺ c`. Smaller means tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Bound(pub(crate) i32);

pub(crate) const INFINITE: i32 = 1 << 29;
/// The smallest finite raw value; the largest is `INFINITE - 1`.
pub(crate) const SMALLEST: i32 = -INFINITE + 2;

impl Bound {
    /// No constraint: `x - y < ∞`.
    pub const INFINITY: Bound = Bound(INFINITE);
    /// `x - y <= 0`.
    pub const LE_ZERO: Bound = Bound(1);
    /// `x - y < 0`.
    pub const LT_ZERO: Bound = Bound(0);
    /// The largest admissible constant; the smallest is its negation.
    pub const MAX_CONSTANT: i32 = (1 << 28) - 1;

    /// `x - y <= constant`.
    ///
    /// # Panics
    /// If the constant is not admissible; [`Bound::try_le`] asks first.
    #[inline]
    pub const fn le(constant: i32) -> Bound {
        match Bound::try_le(constant) {
            Some(bound) => bound,
            None => panic!("the constant of a bound must lie strictly between -2^28 and 2^28"),
        }
    }

    /// `x - y < constant`.
    ///
    /// # Panics
    /// If the constant is not admissible; [`Bound::try_lt`] asks first.
    #[inline]
    pub const fn lt(constant: i32) -> Bound {
        match Bound::try_lt(constant) {
            Some(bound) => bound,
            None => panic!("the constant of a bound must lie strictly between -2^28 and 2^28"),
        }
    }

    /// `x - y <= constant`, if the constant is admissible.
    #[inline]
    pub const fn try_le(constant: i32) -> Option<Bound> {
        if Bound::is_admissible(constant as i64) { Some(Bound(2 * constant + 1)) } else { None }
    }

    /// `x - y < constant`, if the constant is admissible.
    #[inline]
    pub const fn try_lt(constant: i32) -> Option<Bound> {
        if Bound::is_admissible(constant as i64) { Some(Bound(2 * constant)) } else { None }
    }

    /// Whether bounds with this constant exist.
    #[inline]
    pub const fn is_admissible(constant: i64) -> bool {
        -(Bound::MAX_CONSTANT as i64) <= constant && constant <= Bound::MAX_CONSTANT as i64
    }

    /// The constant `c` of `< c` or `<= c`. Meaningless for infinity.
    #[inline]
    pub const fn constant(self) -> i32 {
        self.0 >> 1
    }

    /// Whether the comparison is `<`. Infinity is strict.
    #[inline]
    pub const fn is_strict(self) -> bool {
        self.0 & 1 == 0
    }

    #[inline]
    pub const fn is_infinite(self) -> bool {
        self.0 >= INFINITE
    }

    /// The bound of `y - x` in the complement of `x - y ≺ c`: `< -c` for `<= c` and `<= -c` for `< c`.
    /// Infinity has no complement.
    #[inline]
    pub const fn negated(self) -> Bound {
        debug_assert!(!self.is_infinite());
        Bound(1 - self.0)
    }

    /// The encoded integer: `2c + 1` for `<= c`, `2c` for `< c`.
    #[inline]
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// The inverse of [`Bound::raw`].
    #[inline]
    pub const fn from_raw(raw: i32) -> Option<Bound> {
        if SMALLEST <= raw && raw <= INFINITE { Some(Bound(raw)) } else { None }
    }

    /// The sum, or nothing if both are finite and their sum is not admissible.
    #[inline]
    pub const fn checked_add(self, other: Bound) -> Option<Bound> {
        if self.is_infinite() || other.is_infinite() {
            return Some(Bound::INFINITY);
        }
        let sum = add_raw(self.0, other.0);
        if SMALLEST <= sum && sum < INFINITE { Some(Bound(sum)) } else { None }
    }

    /// Whether a valuation with this difference, given in `1/scale` units, meets the bound.
    #[inline]
    pub const fn admits(self, difference: i64, scale: i64) -> bool {
        if self.is_infinite() {
            return true;
        }
        let limit = self.constant() as i64 * scale;
        if self.is_strict() { difference < limit } else { difference <= limit }
    }
}

/// Sum of two finite encoded bounds: weak only if both are weak.
#[inline(always)]
pub(crate) const fn add_raw(a: i32, b: i32) -> i32 {
    (a & (b | -2)) + (b & -2)
}

/// The bound of the sum of two differences. It saturates on the safe side: an inadmissible sum becomes infinity or the
/// smallest bound, both of which are weaker than the sum.
impl Add for Bound {
    type Output = Bound;

    #[inline]
    fn add(self, other: Bound) -> Bound {
        if self.is_infinite() || other.is_infinite() {
            return Bound::INFINITY;
        }
        Bound(add_raw(self.0, other.0).clamp(SMALLEST, INFINITE))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_infinite(), self.is_strict()) {
            (true, _) => f.write_str("<inf"),
            (_, true) => write!(f, "<{}", self.constant()),
            (_, false) => write!(f, "<={}", self.constant()),
        }
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_tightness() {
        let chain =
            [Bound::lt(-1), Bound::le(-1), Bound::lt(0), Bound::le(0), Bound::lt(7), Bound::le(7), Bound::INFINITY];
        assert!(chain.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn sums_are_weak_only_if_both_are() {
        assert_eq!(Bound::le(3) + Bound::le(-5), Bound::le(-2));
        assert_eq!(Bound::le(3) + Bound::lt(-5), Bound::lt(-2));
        assert_eq!(Bound::lt(3) + Bound::le(-5), Bound::lt(-2));
        assert_eq!(Bound::lt(3) + Bound::lt(-5), Bound::lt(-2));
        assert_eq!(Bound::INFINITY + Bound::lt(-5), Bound::INFINITY);
    }

    #[test]
    fn negation_is_the_complement() {
        for c in -3..=3 {
            assert_eq!(Bound::le(c).negated(), Bound::lt(-c));
            assert_eq!(Bound::lt(c).negated(), Bound::le(-c));
        }
    }

    #[test]
    fn the_limits_are_guarded() {
        let max = Bound::MAX_CONSTANT;
        assert_eq!(Bound::le(max).constant(), max);
        assert_eq!(Bound::lt(-max).constant(), -max);
        assert!(Bound::le(max) < Bound::INFINITY);
        assert!(!Bound::le(max).is_infinite());
        for outside in [max + 1, -max - 1, i32::MAX, i32::MIN] {
            assert_eq!(Bound::try_le(outside), None);
            assert_eq!(Bound::try_lt(outside), None);
        }
        assert_eq!(Bound::le(max).checked_add(Bound::le(1)), None);
        assert_eq!(Bound::lt(-max).checked_add(Bound::le(-1)), None);
        assert_eq!(Bound::le(max) + Bound::le(max), Bound::INFINITY);
        assert_eq!(Bound::lt(-max) + Bound::lt(-max), Bound::lt(-max));
        assert_eq!(Bound::from_raw(Bound::lt(-max).raw()), Some(Bound::lt(-max)));
        assert_eq!(Bound::from_raw(i32::MIN), None);
    }
}
