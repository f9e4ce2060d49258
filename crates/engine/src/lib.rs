//! A query in, a verdict out: which engine answers, limits, reports. The one public API of Zonewalk.

pub mod check;
pub mod info;
pub mod options;
pub mod place;
pub mod query_kind;
pub mod report;

/// The front end, for those who load models themselves.
pub use model;
