//! What a network does: compiled guards and updates, transitions, the zone graph, exact times for its paths.

pub mod clock_bounds;
pub mod code;
pub mod compiled;
pub mod concrete;
pub mod concretise;
mod deadlock;
pub mod formula;
mod levels;
pub mod location_distance;
pub mod non_zeno;
pub mod packing;
pub mod parts;
pub mod precise;
mod precondition;
pub mod predicate_goal;
pub mod reads;
pub mod structure;
pub mod transitions;
pub mod zone_graph;
