//! A query in, a verdict out: which engine answers, limits, reports. The one public API of Zonewalk.

pub mod auto;
mod beginnings;
mod bell;
mod certificate;
pub mod check;
pub mod claim;
pub mod curves;
pub mod curves_file;
mod deadlocks;
pub mod directed;
pub mod explicit;
mod extremum;
pub mod failure;
mod fastest;

pub mod info;
mod lasso;
pub mod limits;
pub mod liveness;
pub mod options;
mod order;
pub mod place;
pub mod problem;
pub mod prospects;
pub mod query_kind;
pub mod reachability;
pub mod replay;
pub mod report;
pub mod shown;
mod statistics;
pub mod strategies;
mod systems;
pub mod turns;
mod unbounded;
mod walks;
pub mod witness;

/// The front end, for those who load models themselves.
pub use model;
