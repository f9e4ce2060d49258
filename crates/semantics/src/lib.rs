//! What a network does: compiled guards and updates, transitions, the zone graph, exact times for its paths.

pub mod clock_bounds;
pub mod code;
pub mod concretise;
mod deadlock;
mod levels;
pub mod packing;
mod precondition;
pub mod predicate_goal;
pub mod structure;
pub mod transitions;
pub mod zone_graph;
