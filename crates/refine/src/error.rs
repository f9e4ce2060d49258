//! Why a system cannot be built or asked about.

use model::network::{Network, ProcessId};
use model::source::Span;
use search::statistics::Statistics;
use std::fmt;

/// A component or a combination of components that is no timed I/O system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// Something that these engines do not have, or too much of it.
    Unsupported { component: String, verdict: &'static str, reason: String, place: Option<Span> },
    /// The operator is not defined for the operands.
    Combination(String),
    /// Its owner did not want to wait any longer, or had no more room.
    Stopped,
}

/// Why it is not known what a system does, or where it goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Open {
    /// The initial state violates its invariant.
    NoStart,
    /// An evaluation of a component fails: leaf and error.
    Failed(u32, u32),
    /// A bound left the range that zones have.
    Overflow,
    /// Its owner did not want to wait any longer, or had no more room; or an action has too many
    /// steps (`World::crowded`).
    Stopped,
}

/// Asked now and then whether to go on, with what is done and in use.
pub type GoOn<'g> = dyn FnMut(&Statistics) -> bool + 'g;

/// Nothing but bytes in use.
pub fn holding(bytes: u64) -> Statistics {
    Statistics { bytes, peak_bytes: bytes, ..Statistics::default() }
}

impl Unfit {
    pub fn component(network: &Network, process: ProcessId, reason: impl Into<String>) -> Unfit {
        let component = network.process(process).name.clone();
        Unfit::Unsupported { component, verdict: "is no timed I/O automaton", reason: reason.into(), place: None }
    }

    /// A component that would be fit if there were less of it.
    pub fn too_large(network: &Network, process: ProcessId, reason: impl Into<String>) -> Unfit {
        let component = network.process(process).name.clone();
        Unfit::Unsupported { component, verdict: "is too large", reason: reason.into(), place: None }
    }

    /// The same with the place in the model.
    pub fn at(self, span: Option<Span>) -> Unfit {
        match self {
            Unfit::Unsupported { component, verdict, reason, .. } => {
                Unfit::Unsupported { component, verdict, reason, place: span }
            }
            other => other,
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Unsupported { component, verdict, reason, .. } => {
                write!(f, "`{component}` {verdict}: {reason}")
            }
            Unfit::Combination(reason) => f.write_str(reason),
            Unfit::Stopped => f.write_str("a limit is reached"),
        }
    }
}
