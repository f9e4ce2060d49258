//! Timed I/O automata: components, operators over them, refinement, consistency.

pub mod alphabet;
pub mod component;
pub mod consistency;
mod describe;
pub mod determinism;
pub mod error;
pub mod explore;
pub mod frame;
mod pair_walk;
mod prospects;
mod quotient;
pub mod refinement;
pub mod run;
mod sampling;
mod simulation;
pub mod state_predicate;
pub mod walks;
pub mod world;
