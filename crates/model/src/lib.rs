//! Reads UPPAAL models and queries into a typed, instantiated network.

pub mod check;
pub mod deep_stack;
pub mod diagnostic;
pub mod limits;
pub mod load;
pub mod network;
pub mod read;
mod shared;
pub mod source;
pub mod syntax;
pub mod write;

/// The example in the README.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
