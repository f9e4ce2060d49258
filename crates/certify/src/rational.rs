//! Exact numbers for time: rationals with 128-bit parts. Whatever does not fit is an error, never a wrong number.

use crate::error::{ErrorKind, EvalError};
use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedMul, Signed, Zero};
use std::cmp::Ordering;

/// A point of time, a delay or the value of a clock, in time units of the model.
pub type Rational = Ratio<i128>;

/// Numerators and denominators stay below this, so that no operation on two numbers comes near the edge of 128 bits
/// without the checked arithmetic noticing.
const LARGEST: i128 = 1 << 120;

type Result<T> = std::result::Result<T, EvalError>;

fn fitting(value: Option<Rational>) -> Result<Rational> {
    value
        .filter(|value| value.numer().abs() < LARGEST && *value.denom() < LARGEST)
        .ok_or_else(|| EvalError::new(ErrorKind::Overflow, None, "a moment in time that takes more than 120 bits"))
}

pub fn integer(value: i64) -> Rational {
    Rational::from_integer(i128::from(value))
}

pub(crate) fn add(a: &Rational, b: &Rational) -> Result<Rational> {
    fitting(quick_sum(a, b).or_else(|| a.checked_add(b)))
}

/// The sum of two numbers of which one is an integer, or which have one denominator: so are most numbers of a run.
fn quick_sum(a: &Rational, b: &Rational) -> Option<Rational> {
    if a.denom() == b.denom() {
        return Some(fraction(a.numer().checked_add(b.numer())?, u64::try_from(*a.denom()).ok()?));
    }
    let (whole, part) = if a.is_integer() { (a, b) } else { (b, a) };
    // A fraction stays in lowest terms when an integer is added.
    let numerator = whole.is_integer().then(|| whole.numer().checked_mul(part.denom()))??.checked_add(*part.numer())?;
    Some(Rational::new_raw(numerator, *part.denom()))
}

pub(crate) fn subtract(a: &Rational, b: &Rational) -> Result<Rational> {
    add(a, &-*b)
}

pub(crate) fn multiply(a: &Rational, b: &Rational) -> Result<Rational> {
    if a.is_integer() && b.is_integer() {
        return fitting(a.numer().checked_mul(b.numer()).map(Rational::from_integer));
    }
    fitting(a.checked_mul(b))
}

/// `numerator / denominator` in lowest terms; the denominator is not 0.
fn fraction(numerator: i128, denominator: u64) -> Rational {
    let remainder = match u64::try_from(numerator.unsigned_abs()) {
        Ok(small) => small % denominator,
        Err(_) => (numerator.unsigned_abs() % u128::from(denominator)) as u64,
    };
    let divisor = greatest_common_divisor(denominator, remainder);
    match (divisor, i64::try_from(numerator), i64::try_from(divisor)) {
        (1, _, _) => Rational::new_raw(numerator, i128::from(denominator)),
        (_, Ok(small), Ok(divisor)) => {
            Rational::new_raw(i128::from(small / divisor), i128::from(denominator / divisor.unsigned_abs()))
        }
        _ => Rational::new_raw(numerator / i128::from(divisor), i128::from(denominator / divisor)),
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// As `a.cmp(b)`, without divisions where the parts are small.
pub(crate) fn order(a: &Rational, b: &Rational) -> Ordering {
    let parts = [a.numer(), a.denom(), b.numer(), b.denom()].map(|part| i64::try_from(*part).map(i128::from));
    match parts {
        [Ok(an), Ok(ad), Ok(bn), Ok(bd)] => (an * bd).cmp(&(bn * ad)),
        _ => a.cmp(b),
    }
}

/// `a / divisor` for an integer that is not zero.
pub(crate) fn divide(a: &Rational, divisor: i64) -> Result<Rational> {
    match divisor {
        0 => return fitting(None),
        1 => return Ok(*a),
        _ => {}
    }
    multiply(a, &Rational::new(i128::from(divisor.signum()), i128::from(divisor).abs()))
}

/// Reads `3`, `3/2` or `-1/4`. `None` for anything else, a zero denominator and numbers that are too large.
pub fn parse(text: &str) -> Option<Rational> {
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(numerator.strip_prefix('-').unwrap_or(numerator)) || !digits(denominator) {
        return None;
    }
    let numerator: i128 = numerator.parse().ok().filter(|n: &i128| *n > -LARGEST && *n < LARGEST)?;
    let denominator: i128 = denominator.parse().ok().filter(|n: &i128| *n < LARGEST && !n.is_zero())?;
    Some(Rational::new(numerator, denominator))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::CheckedSub;

    #[test]
    fn numbers_are_read_as_written() {
        assert_eq!(parse("3/2"), Some(Rational::new(3, 2)));
        assert_eq!(parse("6/4").map(|n| n.to_string()), Some("3/2".to_owned()));
        assert_eq!(parse("7").map(|n| n.to_string()), Some("7".to_owned()));
        for bad in
            ["", "-", "1/0", "1/-2", "a", "1.5", "+1", "1/", "/2", " 1", "99999999999999999999999999999999999999"]
        {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let huge = Rational::from_integer(LARGEST - 1);
        assert!(add(&huge, &huge).is_err());
        assert!(multiply(&huge, &huge).is_err());
        let thin = Rational::new(1, LARGEST - 1);
        assert!(add(&thin, &Rational::new(1, LARGEST - 2)).is_err());
    }

    #[test]
    fn quick_ways_give_the_same_numbers() {
        let numbers: Vec<Rational> = [1, 2, 3, 6, 1 << 16, 1 << 62, 1 << 70]
            .into_iter()
            .flat_map(|d| [0, 1, -1, 2, 5, -6, 1 << 15, -(1 << 63), 1 << 63].map(|n| Rational::new(n, d)))
            .collect();
        for a in &numbers {
            for b in &numbers {
                assert_eq!(order(a, b), a.cmp(b), "{a} {b}");
                let pairs = [
                    (add(a, b), a.checked_add(b)),
                    (subtract(a, b), a.checked_sub(b)),
                    (multiply(a, b), a.checked_mul(b)),
                ];
                for (quick, plain) in pairs {
                    // The parts are compared: equal numbers that are not in lowest terms would do harm.
                    let raw = |number: Option<Rational>| number.map(|number| (*number.numer(), *number.denom()));
                    assert_eq!(raw(quick.ok()), raw(fitting(plain).ok()), "{a} {b}");
                }
            }
        }
    }
}
