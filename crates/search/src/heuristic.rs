//! What a search knows of a new state besides that it is new: one number for the frontier, or that nothing of
//! interest can follow. Distances to a goal are heuristics of other crates; here are the blind one and the
//! topological level (docs/algorithms.md §2.2).

use crate::system::{Levelled, TransitionSystem};

/// What a heuristic says of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimate {
    /// Smaller is better; what it counts is between heuristic and frontier.
    Value(u32),
    /// No goal can follow. `reliable`: this is certain; otherwise dropping the state makes the search incomplete.
    DeadEnd { reliable: bool },
}

/// Looks at every newly stored state.
pub trait Heuristic<T: TransitionSystem> {
    fn estimate(&mut self, system: &T, state: &T::State) -> Estimate;
}

/// Knows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blind;

impl<T: TransitionSystem> Heuristic<T> for Blind {
    #[inline]
    fn estimate(&mut self, _: &T, _: &T::State) -> Estimate {
        Estimate::Value(0)
    }
}

/// The topological level plus one; 0 for states that nothing can strictly cover.
#[derive(Debug, Clone, Copy, Default)]
pub struct Levels;

impl Levels {
    /// The value of states that are the largest of their key.
    pub const LARGEST: u32 = 0;
}

impl<T: Levelled> Heuristic<T> for Levels {
    fn estimate(&mut self, system: &T, state: &T::State) -> Estimate {
        let level = if system.is_largest(state) { Self::LARGEST } else { system.level(state).saturating_add(1) };
        Estimate::Value(level)
    }
}

/// Knows nothing unless there is one.
impl<T: TransitionSystem, H: Heuristic<T>> Heuristic<T> for Option<H> {
    #[inline]
    fn estimate(&mut self, system: &T, state: &T::State) -> Estimate {
        match self {
            Some(heuristic) => heuristic.estimate(system, state),
            None => Estimate::Value(0),
        }
    }
}
