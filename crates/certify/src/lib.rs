//! Replays runs and checks certificates, independently of every engine.
//!
//! The crate knows the network of the `model` crate and nothing else: its own tree-walking interpreter, exact rationals,
//! its own plain zones. It is meant to be read and believed; that long runs are replayed quickly comes second, and is kept
//! apart from the rules, in the module `course`.

mod bounds;
pub mod certificate;
mod certificate_file;
pub mod claim;
mod clauses;
mod clocks;
mod course;
#[cfg(test)]
mod course_tests;
pub mod error;
pub mod formula;
mod interpreter;
mod invariants;
pub mod line;
mod offers;
mod predicate;
pub mod rational;
pub mod record;
pub mod refinement;
pub mod replay;
pub mod run;
pub mod semantics;
mod special_edges;
pub mod state;
mod step;
mod symbolic;
pub mod trace;
pub mod transition;
mod update;
pub mod zone;

pub use certificate::{Certificate, check_certificate, check_certificate_while};
pub use claim::{Claim, Literal, check_claim, check_failure};
pub use error::{ErrorKind, EvalError, Reason, Refusal};
pub use rational::Rational;
pub use record::{Changes, Record, record, record_failing};
pub use replay::{Replay, replay};
pub use run::{Ending, Move, Run, Step};
pub use semantics::Semantics;
pub use state::{Discrete, State};
pub use trace::Trace;
