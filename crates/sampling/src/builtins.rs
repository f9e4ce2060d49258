//! The built-in functions of the language, those that draw random numbers among them.
//!
//! Random variates: inversion for uniform, arcsine, triangular and Weibull; Box and Muller's method
//! for the normal; Marsaglia and Tsang's for gamma, from which beta follows; Poisson by counting
//! exponential gaps, in parts when the mean is large, since Poisson variables add up.

use super::special;
use model::network::arithmetic::double_builtin;
use model::network::{Builtin, Value};
use search::random::Random;

/// A number of `0..1`, each of its 2^53 values equally likely.
pub fn uniform(random: &mut Random) -> f64 {
    (random.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A delay of rate 1.
pub fn exponential(random: &mut Random) -> f64 {
    -(1.0 - uniform(random)).ln()
}

pub fn normal(random: &mut Random) -> f64 {
    let size = (2.0 * exponential(random)).sqrt();
    size * (std::f64::consts::TAU * uniform(random)).cos()
}

/// Shape `shape`, scale 1.
fn gamma(random: &mut Random, shape: f64) -> f64 {
    if shape < 1.0 {
        let lift = (1.0 - uniform(random)).powf(1.0 / shape);
        return gamma(random, shape + 1.0) * lift;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(random);
        let v = (1.0 + c * x).powi(3);
        let u = 1.0 - uniform(random);
        if v > 0.0 && u.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

fn poisson(random: &mut Random, mean: f64) -> f64 {
    // A sum of parts costs as much as the mean is large; beyond this the normal approximation is as
    // good.
    if mean > 1e6 {
        return (mean + mean.sqrt() * normal(random)).round().max(0.0);
    }
    let (mut left, mut count) = (mean, 0.0);
    loop {
        left -= exponential(random);
        if left < 0.0 {
            return count;
        }
        count += 1.0;
    }
}

/// A built-in function of as many arguments as it has; an integer or a truth comes as a double.
/// `None` where it is not defined.
pub fn builtin(random: &mut Random, function: Builtin, arguments: [f64; 3]) -> Option<f64> {
    let [x, y, z] = arguments;
    let defined = |holds: bool| holds.then_some(());
    Some(match function {
        Builtin::Random => {
            defined(x.is_finite())?;
            x * uniform(random)
        }
        Builtin::RandomPoisson => {
            defined(x.is_finite() && x >= 0.0)?;
            poisson(random, x)
        }
        Builtin::RandomArcsine => {
            defined(x <= y)?;
            x + (y - x) * (std::f64::consts::FRAC_PI_2 * uniform(random)).sin().powi(2)
        }
        Builtin::RandomBeta => {
            defined(x > 0.0 && y > 0.0 && x.is_finite() && y.is_finite())?;
            let (a, b) = (gamma(random, x), gamma(random, y));
            if a + b > 0.0 { a / (a + b) } else { 0.5 }
        }
        Builtin::RandomGamma => {
            defined(x > 0.0 && y >= 0.0 && x.is_finite())?;
            y * gamma(random, x)
        }
        Builtin::RandomNormal => x + y * normal(random),
        Builtin::RandomWeibull => {
            defined(x > 0.0 && y >= 0.0)?;
            y * exponential(random).powf(1.0 / x)
        }
        Builtin::RandomTri => {
            defined(x <= y && y <= z)?;
            let u = uniform(random);
            let (width, left) = (z - x, y - x);
            if u * width < left { x + (u * width * left).sqrt() } else { z - ((1.0 - u) * width * (z - y)).sqrt() }
        }
        Builtin::Erf => special::erf(x),
        Builtin::Erfc => special::erfc(x),
        Builtin::Tgamma => special::gamma(x),
        Builtin::Lgamma => special::ln_gamma(x),
        Builtin::Logb | Builtin::Ilogb => exponent(x),
        Builtin::Nextafter if x < y => x.next_up(),
        Builtin::Nextafter if x > y => x.next_down(),
        Builtin::Nextafter => y,
        // The numbers that the C library of Linux has for the classes.
        Builtin::Fpclassify => match x.classify() {
            std::num::FpCategory::Nan => 0.0,
            std::num::FpCategory::Infinite => 1.0,
            std::num::FpCategory::Zero => 2.0,
            std::num::FpCategory::Subnormal => 3.0,
            std::num::FpCategory::Normal => 4.0,
        },
        Builtin::Isunordered => f64::from(u8::from(x.is_nan())),
        _ => match double_builtin(function, arguments.get(..function.arity())?)? {
            Value::Double(value) => value,
            Value::Int(value) => f64::from(value),
            _ => return None,
        },
    })
}

/// The exponent of a number to base 2.
fn exponent(x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if !x.is_finite() {
        return x.abs();
    }
    let (x, shift) = if x.is_normal() { (x, 0) } else { (x * (1u64 << 54) as f64, 54) };
    (((x.to_bits() >> 52) & 0x7ff) as i32 - 1023 - shift).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance of 200,000 draws, against what they should be, within five standard
    /// errors.
    #[test]
    fn variates_have_their_moments() {
        type Draw = fn(&mut Random) -> f64;
        let table: [(&str, Draw, f64, f64); 7] = [
            ("uniform", uniform, 0.5, 1.0 / 12.0),
            ("exponential", exponential, 1.0, 1.0),
            ("normal", normal, 0.0, 1.0),
            ("gamma 3", |random| gamma(random, 3.0), 3.0, 3.0),
            ("gamma 1/2", |random| gamma(random, 0.5), 0.5, 0.5),
            ("poisson 4", |random| poisson(random, 4.0), 4.0, 4.0),
            ("poisson 2e6", |random| poisson(random, 2e6), 2e6, 2e6),
        ];
        for (name, draw, mean, variance) in table {
            let mut random = Random::new(11);
            let n = 200_000;
            let drawn: Vec<f64> = (0..n).map(|_| draw(&mut random)).collect();
            let found = drawn.iter().sum::<f64>() / f64::from(n);
            let spread = drawn.iter().map(|x| (x - found).powi(2)).sum::<f64>() / f64::from(n);
            assert!((found - mean).abs() < 5.0 * (variance / f64::from(n)).sqrt(), "{name}: mean {found}");
            assert!((spread / variance - 1.0).abs() < 0.05, "{name}: variance {spread}");
        }
    }

    #[test]
    fn exponents() {
        for (x, expected) in [(1.0, 0.0), (10.0, 3.0), (-0.5, -1.0), (5e-324, -1074.0)] {
            assert_eq!(exponent(x), expected, "{x}");
        }
    }
}
