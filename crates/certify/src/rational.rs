//! Exact numbers for time: rationals with 128-bit parts. Whatever does not fit is an error, never a wrong number.

use crate::error::{ErrorKind, EvalError};
use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedMul, CheckedSub, Signed, Zero};

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
    fitting(a.checked_add(b))
}

pub(crate) fn subtract(a: &Rational, b: &Rational) -> Result<Rational> {
    fitting(a.checked_sub(b))
}

pub(crate) fn multiply(a: &Rational, b: &Rational) -> Result<Rational> {
    fitting(a.checked_mul(b))
}

/// `a / divisor` for an integer that is not zero.
pub(crate) fn divide(a: &Rational, divisor: i64) -> Result<Rational> {
    if divisor == 0 {
        return fitting(None);
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
}
