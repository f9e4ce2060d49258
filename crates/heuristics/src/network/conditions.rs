//! Conditions over integers, evaluated by the register code.

use model::network::{ExprId, Network, ProcessId};
use semantics::code::{Discrete, IntId, Machine, Programs, RunErrorKind};

/// Instructions that one evaluation may take; a loop in a function that is asked about values it never sees may be endless.
const STEPS: u64 = 1 << 16;

/// Compiles and evaluates.
pub struct Conditions<'n> {
    pub programs: Programs<'n>,
    pub machine: Machine,
}

impl<'n> Conditions<'n> {
    pub fn new(network: &'n Network) -> Conditions<'n> {
        Conditions { programs: Programs::new(network), machine: Machine::new().with_step_limit(STEPS) }
    }

    pub fn compile(&mut self, expr: ExprId) -> IntId {
        self.programs.int(expr)
    }

    /// Whether a condition is true.
    pub fn truth(&mut self, id: IntId, process: ProcessId, frame: &[i32], state: &Discrete) -> Truth {
        match self.machine.int(&self.programs, id, process, frame, state) {
            Ok(value) => Truth::Known(value != 0),
            Err(error) if is_unknown(error.kind) => Truth::Unknown,
            Err(_) => Truth::Fails,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    Known(bool),
    /// An error of the model: no run goes on from here.
    Fails,
    /// It cannot be said.
    Unknown,
}

/// Whether an error tells nothing about the model.
pub fn is_unknown(kind: RunErrorKind) -> bool {
    matches!(kind, RunErrorKind::Unsupported(_) | RunErrorKind::EndlessLoop)
}
