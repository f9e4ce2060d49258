//! What a search looks for: a predicate on states, on steps, or both.

use crate::system::TransitionSystem;

/// What is looked for.
pub trait Goal<T: TransitionSystem> {
    /// Asked of every stored state. Must respect covering.
    fn holds(&mut self, system: &T, state: &T::State) -> Result<bool, T::Error>;

    /// Asked of every generated step, whether or not its target is new.
    fn holds_for_step(&mut self, system: &T, label: T::Label) -> bool {
        let _ = (system, label);
        false
    }
}

/// A goal from a predicate that cannot fail.
pub const fn state_goal<F>(predicate: F) -> StateGoal<F> {
    StateGoal(predicate)
}

/// See [`state_goal`].
#[derive(Debug, Clone, Copy)]
pub struct StateGoal<F>(F);

impl<T: TransitionSystem, F: FnMut(&T::State) -> bool> Goal<T> for StateGoal<F> {
    fn holds(&mut self, _: &T, state: &T::State) -> Result<bool, T::Error> {
        Ok((self.0)(state))
    }
}
