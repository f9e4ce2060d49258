//! Why something was refused: a reason that programs can match on, and a sentence for people.

use model::source::Span;
use std::fmt;

/// What went wrong while an expression or an update was evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvalError {
    pub kind: ErrorKind,
    pub span: Option<Span>,
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ErrorKind {
    /// An assigned, passed or returned value outside the declared range.
    OutOfRange,
    /// An array index, or the argument of a process set, outside its range.
    Index,
    Division,
    /// A shift by a negative number, or a negative exponent.
    NegativeOperand,
    /// A negative value assigned to a clock.
    NegativeClock,
    Assertion,
    /// A function that does not come to an end, or recursion without bound.
    Endless,
    /// A function that should return a value and does not.
    NoValue,
    /// Reads or writes something that is not there at this moment.
    NotAvailable,
    /// Floating point that decides something, dynamic processes, clocks used as numbers.
    Unsupported,
    /// A number beyond the exact arithmetic of this crate.
    Overflow,
}

impl ErrorKind {
    /// Whether the model is at fault, and not what this crate can evaluate.
    pub fn is_of_the_model(self) -> bool {
        !matches!(self, ErrorKind::NotAvailable | ErrorKind::Unsupported | ErrorKind::Overflow)
    }
}

impl EvalError {
    pub fn new(kind: ErrorKind, span: Option<Span>, text: impl Into<String>) -> EvalError {
        EvalError { kind, span, text: text.into() }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Why a run, a claim about a run, or a certificate is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The step of the run, counted from 0; `None` when the reason is not in one step.
    pub step: Option<usize>,
    pub reason: Reason,
    pub text: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The model cannot be evaluated here: out of range, division by zero and the like.
    ModelError(EvalError),
    /// The initial state breaks an invariant, so there is no state at all.
    NoInitialState,

    NegativeDelay,
    /// Time cannot pass in an urgent location.
    UrgentLocation,
    /// Time cannot pass in a committed location.
    CommittedLocation,
    /// The invariant does not hold throughout the delay.
    DelayInvariant,
    /// A synchronisation on an urgent channel is enabled before the delay ends.
    UrgentChannel,

    NoMove,
    UnknownProcess,
    UnknownEdge,
    UnknownBranch,
    SelectValues,
    /// A process moves twice in one step.
    MovesTwice,
    WrongSource,
    GuardFalse,
    /// An edge without synchronisation together with another edge.
    NotInternal,
    /// Edges of one step name different channels.
    DifferentChannels,
    /// A binary synchronisation without exactly one sender and one receiver.
    NotAPair,
    /// A broadcast without exactly one sender.
    NotOneSender,
    /// A process that could receive the broadcast, or must take part, does not.
    MissingParticipant,
    /// A process takes part that does not belong to the synchronisation.
    ExtraParticipant,
    /// Some process is in a committed location, and no such process moves.
    CommittedFirst,
    /// A transition of higher priority is enabled at the same moment.
    HigherPriority,
    TargetInvariant,

    /// The run ends differently from what it says.
    NotALasso,
    NotIdle,
    NotStuck,
    /// The claim needs a run that is complete, and this one is open-ended.
    OpenEnd,
    /// The run is right, and does not show what is claimed.
    ClaimFalse,

    /// The trace or certificate is not of the expected form.
    Malformed,
    /// The initial states are not covered by the certificate.
    InitialNotCovered,
    /// A successor of a stored state is not covered by the certificate.
    SuccessorNotCovered,
    /// A stored state satisfies the goal.
    GoalInside,
}

impl Refusal {
    pub fn new(reason: Reason, text: impl Into<String>) -> Refusal {
        Refusal { step: None, reason, text: text.into() }
    }

    pub(crate) fn at(mut self, step: usize) -> Refusal {
        self.step.get_or_insert(step);
        self
    }
}

impl From<EvalError> for Refusal {
    fn from(error: EvalError) -> Refusal {
        let text = error.text.clone();
        Refusal::new(Reason::ModelError(error), text)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(f, "step {}: {}", step + 1, self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl std::error::Error for Refusal {}
impl std::error::Error for EvalError {}
