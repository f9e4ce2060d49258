//! Options of statistics: how sure and how precise, and where curves go. The names are those of `verifyta`.

use super::Options;
use super::row::{Group, OptionRow, Reals, Rows, Value};

/// How sure and how precise statistics are to be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StatisticalOptions {
    pub alpha: f64,
    pub beta: f64,
    pub epsilon: f64,
    pub lower_delta: f64,
    pub upper_delta: f64,
    pub u0: f64,
    pub u1: f64,
    pub discretization: f64,
}

impl Default for StatisticalOptions {
    fn default() -> StatisticalOptions {
        StatisticalOptions {
            alpha: 0.05,
            beta: 0.05,
            epsilon: 0.05,
            lower_delta: 0.01,
            upper_delta: 0.01,
            u0: 0.9,
            u1: 1.1,
            discretization: 0.01,
        }
    }
}

/// A row of statistics with a real number.
const fn number(
    name: &'static str,
    (word, range): (&'static str, Reals),
    default: Option<&'static str>,
    set: fn(&mut Options, f64),
    help: &'static str,
) -> OptionRow {
    let value = Value::Real { range, set };
    OptionRow { name, value, word, default, group: Group::Statistics, is_common: false, help }
}

const PROBABILITY: (&str, Reals) = ("P", Reals::Probability);
const RATIO: (&str, Reals) = ("RATIO", Reals::Positive);

pub static ALPHA: OptionRow = number(
    "alpha",
    PROBABILITY,
    Some("0.05"),
    |options, alpha| options.statistics.alpha = alpha,
    "Intervals have confidence 1 - P; a test calls a true claim false with at most P",
);

pub static BETA: OptionRow = number(
    "beta",
    PROBABILITY,
    Some("0.05"),
    |options, beta| options.statistics.beta = beta,
    "A test calls a false claim true with at most P",
);

pub static EPSILON: OptionRow = number(
    "epsilon",
    PROBABILITY,
    Some("0.05"),
    |options, epsilon| options.statistics.epsilon = epsilon,
    "How far an estimate may lie from the ends of its interval",
);

pub static DELTA: OptionRow = number(
    "delta",
    PROBABILITY,
    Some("0.01"),
    |options, delta| (options.statistics.lower_delta, options.statistics.upper_delta) = (delta, delta),
    "How far from its bound a probability that is tested need not be told apart from it",
);

pub static LOWER_DELTA: OptionRow = number(
    "lower-delta",
    PROBABILITY,
    None,
    |options, delta| options.statistics.lower_delta = delta,
    "The same below its bound only",
);

pub static UPPER_DELTA: OptionRow = number(
    "upper-delta",
    PROBABILITY,
    None,
    |options, delta| options.statistics.upper_delta = delta,
    "The same above its bound only",
);

pub static U0: OptionRow = number(
    "u0",
    RATIO,
    Some("0.9"),
    |options, odds| options.statistics.u0 = odds,
    "Odds up to which the left of two compared probabilities counts as smaller",
);

pub static U1: OptionRow = number(
    "u1",
    RATIO,
    Some("1.1"),
    |options, odds| options.statistics.u1 = odds,
    "Odds from which it counts as larger",
);

pub static DISCRETIZATION: OptionRow = number(
    "discretization",
    ("TIME", Reals::Positive),
    Some("0.01"),
    |options, step| options.statistics.discretization = step,
    "The longest time step for clocks whose rates change while time passes",
);

pub static CSV: OptionRow = OptionRow {
    name: "csv",
    value: Value::File(|_| ()),
    word: "FILE",
    default: None,
    group: Group::Statistics,
    is_common: false,
    help: "Write the curves of a simulation or of an estimate to a file; numbered as --certificate is",
};

pub static PLOT: OptionRow = OptionRow {
    name: "plot",
    value: Value::File(|_| ()),
    word: "FILE",
    default: None,
    group: Group::Statistics,
    is_common: false,
    help: "Draw the same curves as an SVG picture",
};

pub const RUNS: Rows = &[&ALPHA, &DISCRETIZATION];
pub const PRECISION: Rows = &[&EPSILON];
/// `delta` comes before the other two, which correct what it sets.
pub const TEST: Rows = &[&BETA, &DELTA, &LOWER_DELTA, &UPPER_DELTA];
pub const COMPARISON: Rows = &[&BETA, &EPSILON, &U0, &U1];
pub const CURVES: Rows = &[&CSV, &PLOT];
