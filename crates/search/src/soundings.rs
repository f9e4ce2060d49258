//! Soundings: before an exhaustive search goes on that has turned out to be a large one, short searches look whether something lies
//! where they go first.
//!
//! They are meant for depth-first search, which is lucky or lost. Where it is lucky it takes some hundred states: it goes straight down, and
//! backtracking stays near the end of that way, where a state is that needs many steps and then one of several last ones. Deep random search
//! and [dives](crate::dives) start again anywhere and do not come back there for long. So each sounding has a budget of states, a multiple
//! of what makes a search a large one. Swarms of small searches pay for the same reason (Holzmann, Joshi & Groce, "Swarm
//! verification", 2008).
//!
//! What it preserves: the exhaustive search is not touched, so that its answers are what they were; what a sounding finds is there, and where it
//! sees everything that is a proof. When it begins and ends is counted in states, so it finds the same on every machine. Between two soundings the main
//! search explores a quarter of what a small one stores: what it finds soon should not wait for all of them. None begins
//! while at most half as many states wait as were explored: that search may soon be done. An error that a sounding meets is left to the exhaustive
//! search. Cost: the states of the soundings. Statistics are those of the search that is under way: of the exhaustive
//! one in the end, unless a sounding has the answer.

use crate::budget::{Limits, Reason};
use crate::dives::Small;
use crate::per_state::StateId;
use crate::search::Stop;
use crate::statistics::Statistics;
use crate::strategy::Strategy;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A sounding stores so many times what a small search does.
const DEEPER: u64 = 8;
/// A search that does not grow until it has explored so many times what a small one does is not sounded.
const LATEST: u64 = 8;

/// Some search of a system.
pub type Searching<'a, S, L, E> = Box<dyn Strategy<State = S, Label = L, Error = E> + 'a>;

/// What its owner may want to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sounded {
    /// The sounding of this number has an answer.
    Answer(usize),
    /// The one under way has ended in vain.
    Vain,
    /// None is under way or due.
    Nothing,
}

/// What a sounding may use of what its main search may.
pub fn limits(small: Small, limits: Limits) -> Limits {
    let stored = small.stored.saturating_mul(DEEPER);
    Limits { stored: Some(limits.stored.map_or(stored, |limit| limit.min(stored))), ..limits }
}

/// An exhaustive search with soundings.
pub struct Sounding<'a, S, L, E, M, H> {
    main: Searching<'a, S, L, E>,
    small: Small,
    is_large: Arc<AtomicBool>,
    make: M,
    hear: H,
    /// The one under way.
    side: Option<Searching<'a, S, L, E>>,
    /// How many were made.
    made: usize,
    /// What the main search has explored when the next one begins.
    next_at: u64,
    over: bool,
}

impl<'a, S, L, E, M, H> Sounding<'a, S, L, E, M, H>
where
    M: FnMut(usize) -> Option<Searching<'a, S, L, E>>,
    H: FnMut(Sounded),
{
    /// `is_large` is set by the main search when it is not `small` any more, or by others who know that; `make` makes the sounding of a
    /// number, from 0 on, until there are no more.
    pub fn new(main: Searching<'a, S, L, E>, (small, is_large): (Small, Arc<AtomicBool>), make: M, hear: H) -> Self {
        Sounding { main, small, is_large, make, hear, side: None, made: 0, next_at: 0, over: false }
    }

    /// Begins with the next one when the main search is large, if that is far from its end.
    fn begin(&mut self) {
        if !self.is_large.load(Ordering::Relaxed) {
            return;
        }
        let Statistics { explored, stored, waiting, .. } = self.main.statistics();
        let is_small = explored <= self.small.explored && stored <= self.small.stored;
        if is_small || explored < self.next_at {
            return;
        }
        let is_growing = waiting * 2 > explored;
        if is_growing {
            self.side = (self.make)(self.made);
            self.made += 1;
        }
        self.next_at = explored + self.small.stored / 4;
        self.over = self.side.is_none() && (is_growing || explored > self.small.explored * LATEST);
        if self.side.is_none() {
            (self.hear)(Sounded::Nothing);
        }
    }
}

impl<'a, S, L, E, M, H> Strategy for Sounding<'a, S, L, E, M, H>
where
    M: FnMut(usize) -> Option<Searching<'a, S, L, E>>,
    H: FnMut(Sounded),
{
    type State = S;
    type Label = L;
    type Error = E;

    fn step(&mut self) -> Option<Stop<E>> {
        if self.side.is_none() && !self.over {
            self.begin();
        }
        let Some(side) = &mut self.side else { return self.main.step() };
        match side.step()? {
            // The exhaustive search will meet the error as well.
            Stop::Failed { .. } => None,
            stop @ (Stop::Found(_) | Stop::Exhausted { proof: true }) => {
                (self.hear)(Sounded::Answer(self.made.saturating_sub(1)));
                Some(stop)
            }
            stop @ (Stop::OutOfBudget(Reason::Time) | Stop::Cancelled) => Some(stop),
            Stop::Exhausted { proof: false } | Stop::OutOfBudget(_) => {
                self.side = None;
                (self.hear)(Sounded::Vain);
                None
            }
        }
    }

    fn trace(&self, id: StateId) -> Vec<L> {
        self.side.as_ref().unwrap_or(&self.main).trace(id)
    }

    fn statistics(&self) -> Statistics {
        self.side.as_ref().unwrap_or(&self.main).statistics()
    }

    fn each_stored(&mut self, visit: &mut dyn FnMut(&S)) {
        self.side.as_mut().unwrap_or(&mut self.main).each_stored(visit);
    }
}
