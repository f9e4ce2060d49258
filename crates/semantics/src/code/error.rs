//! Evaluations that have no result. They end the analysis of a model; they do not just disable an edge.

use model::network::{Builtin, ProcessId, Range};
use model::source::Span;
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunError {
    pub kind: RunErrorKind,
    /// The expression that failed.
    pub span: Span,
    /// Whose code ran.
    pub process: ProcessId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RunErrorKind {
    /// Assigned, passed as an argument or returned.
    OutOfRange {
        value: i32,
        range: Range,
    },
    /// Of an array, or of a set of processes; `lo .. lo + len` is allowed.
    Index {
        value: i32,
        lo: i32,
        len: u32,
    },
    DivisionByZero,
    NegativeShift {
        by: i32,
    },
    NegativeExponent {
        exponent: i32,
    },
    /// A clock is set to a negative value.
    NegativeClock {
        value: i32,
    },
    AssertionFailed,
    /// The steps allowed for one run are used up.
    EndlessLoop,
    /// The disjunction of clock constraints that a predicate stands for has too many cases.
    TooManyCases,
    /// A built-in function of values that it is not defined for.
    Undefined(Builtin),
    /// Nothing these engines can compute: floating-point numbers, foreign functions.
    Unsupported(&'static str),
}

impl fmt::Display for RunErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunErrorKind::OutOfRange { value, range } => write!(f, "the value {value} is outside the range {range}"),
            RunErrorKind::Index { value, lo, len } => {
                let hi = i64::from(*lo) + i64::from(*len) - 1;
                write!(f, "the index {value} is outside the range [{lo},{hi}]")
            }
            RunErrorKind::DivisionByZero => f.write_str("a division by zero"),
            RunErrorKind::NegativeShift { by } => write!(f, "a shift by a negative number, {by}"),
            RunErrorKind::NegativeExponent { exponent } => write!(f, "a negative exponent, {exponent}"),
            RunErrorKind::NegativeClock { value } => write!(f, "a clock is set to a negative value, {value}"),
            RunErrorKind::AssertionFailed => f.write_str("the assertion does not hold"),
            RunErrorKind::EndlessLoop => f.write_str("the computation does not come to an end"),
            RunErrorKind::TooManyCases => f.write_str("the predicate splits into too many cases over clocks"),
            RunErrorKind::Undefined(function) => {
                write!(f, "`{}` of values that it is not defined for", function.name())
            }
            RunErrorKind::Unsupported(what) => write!(f, "this cannot be computed exactly: {what}"),
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for RunError {}
