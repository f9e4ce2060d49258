//! Reads UPPAAL models and queries into a typed, instantiated network.

pub mod diagnostic;
pub mod limits;
pub mod source;
pub mod syntax;
