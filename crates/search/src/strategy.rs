//! What every search offers its owner, whatever its strategy: it is driven step by step, says why it stops, how the state was
//! reached at which it stopped, and what it did so far. [`Search`] with its orders, [`RandomSimulation`], [`Highway`] and
//! [`DeepRandom`] are strategies.
//!
//! [`RandomSimulation`]: crate::random_simulation::RandomSimulation
//! [`Highway`]: crate::highway::Highway
//! [`DeepRandom`]: crate::deep_random::DeepRandom

use crate::frontier::Frontier;
use crate::goal::Goal;
use crate::heuristic::Heuristic;
use crate::per_state::StateId;
use crate::search::{Search, Stop};
use crate::statistics::Statistics;
use crate::system::Covering;

/// A search in progress.
pub trait Strategy {
    type State;
    type Label;
    type Error;

    /// Does a little. `None`: there is more to do. After a finding, stepping on looks for the next one.
    fn step(&mut self) -> Option<Stop<Self::Error>>;

    /// The labels from an initial state to the one of the last stop.
    fn trace(&self, id: StateId) -> Vec<Self::Label>;

    /// A snapshot, cheap enough for every step.
    fn statistics(&self) -> Statistics;

    /// Visits the states that are stored, if they are all that is needed to see that nothing else is reachable once the search
    /// has proved it.
    fn each_stored(&mut self, visit: &mut dyn FnMut(&Self::State)) {
        let _ = visit;
    }

    /// Steps until the search stops.
    fn run(&mut self) -> Stop<Self::Error> {
        loop {
            if let Some(stop) = self.step() {
                return stop;
            }
        }
    }
}

impl<T: Covering, G: Goal<T>, F: Frontier, H: Heuristic<T>> Strategy for Search<'_, T, G, F, H> {
    type State = T::State;
    type Label = T::Label;
    type Error = T::Error;

    fn step(&mut self) -> Option<Stop<T::Error>> {
        Search::step(self)
    }

    fn trace(&self, id: StateId) -> Vec<T::Label> {
        Search::trace(self, id)
    }

    fn statistics(&self) -> Statistics {
        Search::statistics(self)
    }

    fn each_stored(&mut self, visit: &mut dyn FnMut(&T::State)) {
        let mut state = T::State::default();
        for id in 0..self.store().ids() as u32 {
            if self.load(StateId::from_raw(id), &mut state) {
                visit(&state);
            }
        }
    }
}

/// How often a simulation is made, and how long each may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Simulations {
    /// States that one may visit; `None` is no limit.
    pub states: Option<u64>,
    /// How many are made after the first.
    pub restarts: u64,
}
