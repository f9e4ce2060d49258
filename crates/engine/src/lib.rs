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
pub mod explicit;
mod extremum;
pub mod failure;
mod fastest;

pub mod info;
mod lasso;
pub mod limits;
pub mod liveness;
mod nearest;
pub mod options;
pub mod place;
pub mod problem;
pub mod prospects;
pub mod questions;
pub mod reachability;
pub mod replay;
pub mod report;
pub mod searches;
pub mod shown;
mod statistics;
mod systems;
pub mod turns;
mod unbounded;
mod walks;
pub mod witness;

/// The front end, for those who load models themselves.
pub use model;
