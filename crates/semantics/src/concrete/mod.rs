//! Concrete timed states: exact values of clocks, how long time may pass, when each transition can be taken.
//!
//! Time is counted in ticks of 2^-20 of a time unit, in integers. Every moment of a run is a whole number of ticks, so a
//! strict bound is a closed one that is a tick tighter, and everything is exact. A set of moments is a [`Window`], the
//! value of a clock over time a [`Line`].
//!
//! [`System`] computes everything from scratch, in the order in which the language defines it. It is what faster engines
//! are compared with.

mod clocks;
mod line;
mod system;
mod window;

pub use clocks::Clocks;
pub use line::Line;
pub use system::{Candidate, System, TimedState, at_fault, outside};
pub use window::{FOREVER, UNIT, Window};
