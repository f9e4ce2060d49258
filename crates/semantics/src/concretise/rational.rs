//! Exact numbers that never wrap: rationals with 128-bit parts, and sums of one and a multiple of an ε.
//!
//! ε is smaller than every positive number: a strict bound `> c` is the bound `>= c + ε`, and sums are compared part by part.
//! Coefficients of paths are mostly -1, 0 and 1, so integers have a shorter way.

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, One, Zero};

pub(super) type Rational = Ratio<i128>;

/// Exact arithmetic needs more than 128 bits, or more work than is worth it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GaveUp;

pub(super) type Result<T> = std::result::Result<T, GaveUp>;

pub(super) fn integer(value: i64) -> Rational {
    Rational::from_integer(i128::from(value))
}

pub(super) fn add(a: &Rational, b: &Rational) -> Result<Rational> {
    if a.denom().is_one() && b.denom().is_one() {
        return a.numer().checked_add(b.numer()).map(Rational::from_integer).ok_or(GaveUp);
    }
    a.checked_add(b).ok_or(GaveUp)
}

pub(super) fn multiply(a: &Rational, b: &Rational) -> Result<Rational> {
    if a.denom().is_one() && b.denom().is_one() {
        return a.numer().checked_mul(b.numer()).map(Rational::from_integer).ok_or(GaveUp);
    }
    a.checked_mul(b).ok_or(GaveUp)
}

pub(super) fn divide(a: &Rational, b: &Rational) -> Result<Rational> {
    if b.is_one() {
        return Ok(*a);
    }
    if b.is_zero() {
        return Err(GaveUp);
    }
    a.checked_div(b).ok_or(GaveUp)
}

pub(super) fn negate(a: &Rational) -> Result<Rational> {
    Rational::zero().checked_sub(a).ok_or(GaveUp)
}

/// A number and a multiple of ε.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Moment {
    pub real: Rational,
    pub epsilons: Rational,
}

impl Moment {
    pub(super) fn zero() -> Moment {
        Moment { real: Rational::zero(), epsilons: Rational::zero() }
    }

    pub(super) fn new(real: i64, epsilons: i64) -> Moment {
        Moment { real: integer(real), epsilons: integer(epsilons) }
    }

    pub(super) fn add(&self, other: &Moment) -> Result<Moment> {
        Ok(Moment { real: add(&self.real, &other.real)?, epsilons: add(&self.epsilons, &other.epsilons)? })
    }

    pub(super) fn times(&self, factor: &Rational) -> Result<Moment> {
        Ok(Moment { real: multiply(&self.real, factor)?, epsilons: multiply(&self.epsilons, factor)? })
    }

    /// The number that this is for an ε.
    pub(super) fn at(&self, epsilon: &Rational) -> Result<Rational> {
        add(&self.real, &multiply(&self.epsilons, epsilon)?)
    }
}
