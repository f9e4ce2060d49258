//! The one search loop. Breadth-first, depth-first, random, best-first and rank-ordered search are the same loop
//! with another frontier and another heuristic; limits, progress, threads and pages drive it by `step`.
//!
//! One step takes a state from the frontier, generates its successors, and for each asks the goal, the store and
//! the heuristic before the frontier gets it. The goal is asked when a state is stored, the initial ones
//! included; a covered state is not asked, since its coverer was (`Covering` demands that goals respect covering).
//! What holds for steps rather than states is asked for every generated step.
//!
//! `Exhausted { proof: true }` is said only if nothing was left out: no state beyond a depth limit, none evicted,
//! no unreliable dead end, nothing that failed. A paused search goes on where it stopped: a state whose expansion was interrupted
//! is expanded again, and the successors it already has are covered by themselves. So is a state with very many successors, which are
//! taken up in several steps.

use crate::budget::{Budget, Limits, Pause, Reason};
use crate::frontier::Frontier;
use crate::generation::Core;
use crate::goal::Goal;
use crate::heuristic::{Blind, Heuristic};
use crate::per_state::StateId;
use crate::statistics::Statistics;
use crate::store::Store;
use crate::system::Covering;
use crate::trace::Steps;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Why a search stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop<E> {
    /// The goal holds here. Stepping on looks for the next such state; it may give states other ids.
    Found(StateId),
    /// Nothing waits any more. `proof`: every reachable state is covered by a stored one, so the goal, not
    /// found, is unreachable.
    Exhausted {
        proof: bool,
    },
    OutOfBudget(Reason),
    Cancelled,
    /// The model failed while successors of `at` were generated, or the goal could not be asked there (`None`: on the way to an
    /// initial state). Said once, of the first error; stepping on goes on without what failed, and proves nothing any more.
    Failed {
        at: Option<StateId>,
        error: E,
    },
}

/// Notes that the model has failed. `true`: for the first time.
pub fn is_first(failed: &mut bool) -> bool {
    !std::mem::replace(failed, true)
}

impl<E> From<Pause> for Stop<E> {
    fn from(pause: Pause) -> Self {
        match pause {
            Pause::Cancelled => Self::Cancelled,
            Pause::OutOfBudget(reason) => Self::OutOfBudget(reason),
        }
    }
}

/// Whether a state reached by more steps may cover one reached by fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depths {
    /// It may: fewest states, but a limit on depth or the length of traces is then not exact (but for
    /// breadth-first search).
    #[default]
    Ignored,
    /// It may not: for A*, and for depth limits that mean what they say in every order.
    Respected,
}

/// Starting over: after `first` explored states, then after `growth` percent of that, and so on. With a growth
/// above 100 some round is long enough to finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restarts {
    pub first: u64,
    pub growth: u64,
}

/// A search in progress.
pub struct Search<'a, T: Covering, G, F, H = Blind> {
    system: &'a T,
    scratch: T::Scratch,
    /// The state being expanded.
    current: T::State,
    core: Core<T, G, F, H>,
    restarts: Option<Restarts>,
    /// How many states this round may explore, and the count at which it ends.
    round: u64,
    round_end: u64,
}

impl<'a, T: Covering, G: Goal<T>, F: Frontier> Search<'a, T, G, F, Blind> {
    pub fn new(system: &'a T, goal: G, frontier: F) -> Self {
        Self::with_heuristic(system, goal, frontier, Blind)
    }
}

impl<'a, T: Covering, G: Goal<T>, F: Frontier, H: Heuristic<T>> Search<'a, T, G, F, H> {
    pub fn with_heuristic(system: &'a T, goal: G, frontier: F, heuristic: H) -> Self {
        let core = Core::new(system, goal, frontier, heuristic);
        let (scratch, current) = (T::Scratch::default(), T::State::default());
        Self { system, scratch, current, core, restarts: None, round: u64::MAX, round_end: u64::MAX }
    }

    /// Sets limits and a flag that cancels the search from outside.
    pub fn limited(mut self, limits: Limits, cancel: Option<Arc<AtomicBool>>) -> Self {
        self.core.budget = Budget::new(limits, cancel);
        self
    }

    pub const fn depths(mut self, rule: Depths) -> Self {
        self.core.depth_rule = rule;
        self
    }

    pub const fn restarting(mut self, restarts: Restarts) -> Self {
        self.round = restarts.first;
        self.round_end = restarts.first;
        self.restarts = Some(restarts);
        self
    }

    /// Steps until the search stops.
    pub fn run(&mut self) -> Stop<T::Error> {
        loop {
            if let Some(stop) = self.step() {
                return stop;
            }
        }
    }

    /// Expands one state (the first step: stores the initial states). `None`: there is more to do.
    pub fn step(&mut self) -> Option<Stop<T::Error>> {
        self.core.budget.start();
        if !self.core.started {
            return self.begin();
        }
        if self.core.counts.explored >= self.round_end {
            self.start_over();
            return None;
        }
        self.core.collect();
        if let Some(reason) = self.core.spent() {
            return Some(Stop::OutOfBudget(reason));
        }
        if let Err(stop) = self.core.tick() {
            return Some(stop);
        }
        let Some(id) = self.core.next() else {
            return self.look_beyond();
        };
        let depth = self.core.depths.at(id);
        if self.core.budget.limits.depth.is_some_and(|limit| depth >= limit) {
            self.core.park(id);
            return None;
        }
        self.core.store.load(self.system, id, &mut self.current);
        self.expand(id, depth)
    }

    fn begin(&mut self) -> Option<Stop<T::Error>> {
        let Self { system, scratch, core, .. } = self;
        let result = system.initial(scratch, &mut |state| core.generated(*system, None, state, 0));
        if let Err(error) = result
            && core.fails()
        {
            return Some(Stop::Failed { at: None, error });
        }
        let stop = core.stop.take();
        if stop.is_none() {
            core.started = true;
            core.frontier.close(None);
            core.evict();
        }
        stop
    }

    fn expand(&mut self, id: StateId, depth: u32) -> Option<Stop<T::Error>> {
        let Self { system, scratch, current, core, .. } = self;
        core.begin_slice();
        let mut visit =
            |label, state: &T::State| core.generated(*system, Some((id, label)), state, depth.saturating_add(1));
        let result = system.successors(scratch, current, &mut visit);
        let stop = match result {
            Err(error) if core.fails() => Some(Stop::Failed { at: Some(id), error }),
            _ => core.stop.take(),
        };
        if stop.is_some() || core.is_slice_over() {
            core.resume = Some(id);
        } else {
            core.counts.explored += 1;
            core.frontier.close(Some(id));
            core.evict();
        }
        stop
    }

    /// Nothing waits. Unless a state at the depth limit has a successor that nothing covers, everything
    /// has been seen; one such state is looked at per step.
    fn look_beyond(&mut self) -> Option<Stop<T::Error>> {
        let Self { system, scratch, current, core, .. } = self;
        let next = core.parked.get(core.looked_beyond).filter(|_| core.complete && !core.cut);
        let Some(&id) = next else {
            return Some(Stop::Exhausted { proof: core.complete && !core.cut && !core.failed });
        };
        core.looked_beyond += 1;
        if !core.store.load(*system, id, current) {
            return None;
        }
        let mut visit = |_, state: &T::State| match core.store.coverer_of(*system, state) {
            Some(_) => ControlFlow::Continue(()),
            None => {
                core.cut = true;
                ControlFlow::Break(())
            }
        };
        let result = system.successors(scratch, current, &mut visit);
        if result.is_err() {
            // The error lies beyond the limit: not reported, but not excluded either.
            core.cut = true;
        }
        None
    }

    fn start_over(&mut self) {
        if let Some(Restarts { growth, .. }) = self.restarts {
            let round = u128::from(self.round) * u128::from(growth) / 100;
            self.round = u64::try_from(round).unwrap_or(u64::MAX).max(1);
            self.round_end = self.core.counts.explored.saturating_add(self.round);
        }
        self.core.reset();
    }

    /// Raises the depth limit and goes on from the states that met the old one: iterative deepening that repeats
    /// nothing.
    pub fn deepen(&mut self, limit: Option<u32>) {
        self.core.budget.limits.depth = limit;
        self.core.unpark(self.system, &mut self.current);
    }

    /// The labels from an initial state to `id`.
    pub fn trace(&self, id: StateId) -> Vec<T::Label> {
        self.core.steps.path(id)
    }

    /// Remembers a state under a number, in place of what was remembered under it. Ids stand only until the search steps on.
    pub fn remember(&mut self, n: usize, id: StateId) {
        self.core.remember(n, id);
    }

    /// The labels from an initial state to the remembered one.
    pub fn remembered(&self, n: usize) -> Option<Vec<T::Label>> {
        self.core.remembered(n)
    }

    pub fn steps(&self) -> &Steps<T::Label> {
        &self.core.steps
    }

    pub fn store(&self) -> &Store<T::Unit> {
        &self.core.store
    }

    /// Rebuilds a stored state; `false` if it is dead.
    pub fn load(&mut self, id: StateId, state: &mut T::State) -> bool {
        self.core.store.load(self.system, id, state)
    }

    /// Limits may be raised while the search is paused.
    pub fn limits_mut(&mut self) -> &mut Limits {
        &mut self.core.budget.limits
    }

    pub fn goal(&self) -> &G {
        &self.core.goal
    }

    /// A snapshot, cheap enough for every step.
    pub fn statistics(&self) -> Statistics {
        self.core.statistics()
    }
}
