//! Evidence about refinements `S <= T` of timed I/O systems.
//!
//! - [`counter_example`]: a timed run of both sides that ends where a rule is broken; `S <= T` does not hold.
//! - [`relation`]: a set of pairs of states that keeps every rule; `S <= T` holds.
//! - [`comparable`]: whether the actions of S and T fit, without which neither means anything.
//! - [`SystemRun`]: a timed run of one system to a state that a query writes.
//!
//! What a system is and does is written down once for concrete states and once for zones; both begin with the tree of operators in
//! [`systems`]. Components that occur twice have two states.

pub mod comparable;
pub mod counter_example;
mod edges_over;
mod local;
mod pair_states;
mod pair_trace;
pub mod relation;
mod relation_file;
mod system_run;
mod systems;

pub use comparable::{Mismatch, mismatch, mismatch_while};
pub use counter_example::{CounterExample, PairMoves, Rule, replay_refinement};
pub use pair_trace::{ActionKind, BrokenRule, PairTrace, PairTraceStep, SCHEMA};
pub use relation::{Local, Mode, PairClock, PairZone, Related, Relation, check_relation, check_relation_while};
pub use system_run::{StartState, SystemGoal, SystemRun, SystemStep};
pub use systems::Action;
