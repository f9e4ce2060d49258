//! Timed I/O automata: components, operators over them, refinement, consistency.

pub mod alphabet;
pub mod component;
pub mod consistency;
mod declared_actions;
mod describe;
pub mod determinism;
mod diagonals;
mod difference_bounds;
pub mod error;
pub mod explicit;
pub mod explore;
pub mod frame;
mod local_analysis;
mod pair_steps;
mod pair_walk;
mod prospects;
pub mod prune;
mod quotient;
pub mod refinement;
pub mod run;
mod sampling;
mod simulation;
pub mod state_predicate;
mod unfold;
mod walk_plan;
pub mod walks;
pub mod world;
