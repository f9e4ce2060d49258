//! Zones: sets of clock valuations given by difference constraints, and what a model checker does with them.
//!
//! - [`Bound`], [`Constraint`]: the right-hand side of `x - y ≺ c`, and the whole.
//! - [`Zone`]: a closed, non-empty zone to compute with. [`ZoneRef`]: one in storage. [`Unclosed`]: one under construction.
//! - [`Minimal`]: a zone as its minimal constraints. [`Federation`]: a union of zones.
//! - [`ClockBounds`]: the constants that extrapolation and the simulation test [`AluTest`] use.
//! - [`Packed`]: a zone as searches store and compare it, in 16 bits a bound where they suffice.
//!
//! Dimensions count the reference clock 0, which is always zero.
//!
//! ```
//! use zones::{Bound, Constraint, Zone, ZoneRef};
//!
//! let mut zone = Zone::zero(3); // two clocks, both 0
//! assert!(zone.delay_within(&[Constraint::upper(1, Bound::le(5))])); // x1 <= 5 while time passes
//! assert!(zone.constrain(0, 1, Bound::le(-2))); // x1 >= 2
//! zone.reset(1, 0);
//! assert_eq!(zone.at(2, 1), Bound::le(5)); // x2 - x1 <= 5
//!
//! let mut arena = Vec::new();
//! zone.store(&mut arena);
//! let stored = ZoneRef::from_stored(3, &arena);
//! assert!(stored.is_subset(stored));
//! assert!(!zone.constrain(2, 0, Bound::lt(2))); // x2 < 2 leaves nothing
//! ```

mod alu;
mod bound;
mod clock_bounds;
mod constrain;
mod delay;
mod diagonal;
mod extrapolate_lu;
mod extrapolate_m;
mod federation;
mod hull;
mod include;
mod instant;
mod minimal;
mod packed;
mod pivot;
mod point;
mod project;
mod reset;
mod subtract;
mod unclosed;
mod vector;
mod view;
mod zone;

pub use alu::AluTest;
pub use bound::Bound;
pub use clock_bounds::ClockBounds;
pub use federation::Federation;
pub use include::Relation;
pub use minimal::Minimal;
pub use packed::Packed;
pub use project::Source;
pub use unclosed::Unclosed;
pub use view::{Constraint, ZoneRef};
pub use zone::Zone;

/// The example in the README.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
