//! A run as plain data: delays and the edges taken, and how it goes on after its last step.

use crate::rational::Rational;
use model::network::{EdgeId, ProcessId};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub steps: Vec<Step>,
    /// After the last step.
    pub final_delay: Rational,
    pub ending: Ending,
}

/// A delay, then one action transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub delay: Rational,
    /// The edges that are taken together, in any order.
    pub moves: Vec<Move>,
}

/// The part of one process in a transition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    pub process: ProcessId,
    /// Counted within the template.
    pub edge: EdgeId,
    /// Values of the select variables, in the order of the label.
    pub select: Vec<i32>,
    /// Which branch, for an edge that leads to a branchpoint.
    pub branch: usize,
}

/// How a run goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The run says nothing about what comes after.
    Open,
    /// It goes on with the step of this number, for ever: the last state is the one before that step.
    Lasso(usize),
    /// Time passes for ever and nothing happens.
    IdleForever,
    /// Nothing can happen any more, whatever delay is still possible.
    Stuck,
}
