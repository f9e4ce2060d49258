//! Evaluations that have no result: they end the analysis, as an error of the model.

use model::source::Span;
use semantics::code::RunError;
use std::fmt;

#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    pub reason: String,
    /// The expression that failed.
    pub span: Span,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Failure {}

impl From<RunError> for Box<Failure> {
    fn from(error: RunError) -> Box<Failure> {
        Box::new(Failure { reason: error.kind.to_string(), span: error.span })
    }
}

/// Boxed, because it is rare and what it stands beside is small.
pub type Result<T> = std::result::Result<T, Box<Failure>>;
