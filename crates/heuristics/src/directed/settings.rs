//! Which of the directed searches it is, and what it tells on the way.

use search::best_first::{Ties, Value};

/// Which directed search it is.
#[derive(Debug, Clone)]
pub struct Settings {
    pub value: Value,
    pub ties: Ties,
    /// The probability with which any successor is taken, not the best.
    pub epsilon: f64,
    /// Successors by operators of relaxed plans wait in a second queue.
    pub prefers: bool,
    /// Transitions that seem useless are put off.
    pub useless: bool,
    /// Only some operators are permitted; more when this many states in a row led to nothing better.
    pub plateau_guard: Option<u64>,
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            value: Value::Greedy,
            ties: Ties::Lifo,
            epsilon: 0.0,
            prefers: false,
            useless: false,
            plateau_guard: None,
            seed: 1,
        }
    }
}

/// What an explored state looked like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Logged {
    pub estimate: u32,
    pub depth: u32,
}
