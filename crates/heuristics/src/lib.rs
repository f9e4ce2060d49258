//! Directed search: how far a state seems to be from a goal, and searches that follow such estimates.
//!
//! | question | answer |
//! | --- | --- |
//! | what is asked of a heuristic? | [`guidance`]: estimates, transitions as operators, relaxed plans |
//! | how far is the goal in a network? | [`network`]: graph distances `dL`, `dU`; relaxed plans `hL`, `hU` ([`relaxed`]) |
//! | how far in an explicit graph? | [`explicit`]: exactly |
//! | who searches? | [`directed`]: greedy best-first and A*, useless transitions, under-approximation refinement |

pub mod directed;
pub mod explicit;
pub mod guidance;
pub mod interrupt;
pub mod network;
pub mod relaxed;
