//! Random search by one random simulation: the baseline of the paper on highway search (Engels, Groote, van Weerdenburg &
//! Willemse 2009, Definitions 2 and 3; docs/algorithms.md §4.2). From each state it goes on to one of the distinct successors, each equally
//! likely, whether or not it has been there before. The goal is asked of all successors, also of those not taken.
//!
//! The successor is drawn as a highway of width 1 draws it ([`lanes`](crate::lanes)): the smallest of random ranks that equal states
//! share, so that a state with two edges to it is no more likely than another. A simulation ends where there is no successor,
//! or after a number of states; then another may follow. It never proves anything.
//!
//! A trace is the walk without its loops: where a state is left for the last time, the walk goes on from its first visit. Cost:
//! the distinct states of the walk, which only serve to find these loops, and 4 bytes and a label a step.

use crate::budget::{Budget, Limits, Pause, Reason};
use crate::goal::Goal;
use crate::hash::rank_state;
use crate::intern::Interner;
use crate::per_state::{StateId, push_tight, table_bytes};
use crate::random::Random;
use crate::search::Stop;
use crate::statistics::Statistics;
use crate::strategy::{Simulations, Strategy};
use crate::system::Covering;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A random search in progress.
pub struct RandomSimulation<'a, T: Covering, G> {
    system: &'a T,
    scratch: T::Scratch,
    goal: G,
    simulations: Simulations,
    seed: u64,
    random: Random,
    budget: Budget,
    counts: Statistics,
    /// States visited before this simulation.
    before: u64,
    started: bool,
    over: bool,
    current: T::State,
    /// The walk so far: how each state was reached, and which it is.
    walk: Vec<(T::Label, StateId)>,
    visited: Interner<T::Unit>,
    /// The successor drawn so far, under ranks of this seed.
    next: T::State,
    drawn: Option<(u64, T::Label)>,
    rank_seed: u64,
    /// Successors that were considered before an interruption.
    skip: usize,
    /// The step to what was found.
    last: Option<T::Label>,
    key: Vec<u64>,
    payload: Vec<T::Unit>,
    /// The model has failed once.
    failed: bool,
}

impl<'a, T: Covering<State: Clone>, G: Goal<T>> RandomSimulation<'a, T, G> {
    pub fn new(system: &'a T, goal: G, seed: u64) -> Self {
        Self {
            system,
            scratch: T::Scratch::default(),
            goal,
            simulations: Simulations::default(),
            seed,
            random: Random::of_run(seed, 0),
            budget: Budget::default(),
            counts: Statistics::default(),
            before: 0,
            started: false,
            over: false,
            current: T::State::default(),
            walk: Vec::new(),
            visited: Interner::new(system),
            next: T::State::default(),
            drawn: None,
            rank_seed: 0,
            skip: 0,
            last: None,
            key: vec![0; system.key_words()],
            payload: Vec::new(),
            failed: false,
        }
    }

    /// Sets limits and a flag that cancels the search from outside.
    pub fn limited(mut self, limits: Limits, cancel: Option<Arc<AtomicBool>>) -> Self {
        self.budget = Budget::new(limits, cancel);
        self
    }

    pub const fn simulating(mut self, simulations: Simulations) -> Self {
        self.simulations = simulations;
        self
    }

    /// One of the initial states.
    fn begin(&mut self) -> Option<Stop<T::Error>> {
        if self.skip == 0 {
            self.rank_seed = self.random.next_u64();
        }
        let Self { system, scratch, goal, counts, next, drawn, rank_seed, skip, key, payload, failed, .. } = self;
        let (mut stop, mut seen) = (None, 0);
        let result = system.initial(scratch, &mut |state| {
            seen += 1;
            if seen <= *skip {
                return ControlFlow::Continue(());
            }
            counts.generated += 1;
            let rank = rank(*system, *rank_seed, state, key, payload);
            if drawn.is_none_or(|(least, _)| rank < least) {
                *drawn = Some((rank, T::Label::default()));
                next.clone_from(state);
            }
            stop = match goal.holds(*system, state) {
                Ok(false) => return ControlFlow::Continue(()),
                Ok(true) => Some(Stop::Found(StateId::from_raw(0))),
                Err(_) if *failed => return ControlFlow::Continue(()),
                Err(error) => Some(Stop::Failed { at: Some(StateId::from_raw(0)), error }),
            };
            ControlFlow::Break(())
        });
        if let Err(error) = result
            && !*failed
        {
            stop = Some(Stop::Failed { at: None, error });
        }
        *failed |= matches!(stop, Some(Stop::Failed { .. }));
        if stop.is_some() {
            self.skip = seen;
            return stop;
        }
        self.started = true;
        self.advance()
    }

    /// Looks at all successors of the current state.
    fn expand(&mut self) -> Option<Stop<T::Error>> {
        if self.skip == 0 {
            self.rank_seed = self.random.next_u64();
        }
        self.last = None;
        let bytes = self.bytes();
        let steps = self.walk.len() as u32;
        let Self { system, scratch, current, goal, counts, next, drawn, rank_seed, skip, .. } = self;
        let Self { key, payload, budget, last, failed, .. } = self;
        let (mut stop, mut seen) = (None, 0);
        let result = system.successors(scratch, current, &mut |label, state| {
            seen += 1;
            if seen <= *skip {
                return ControlFlow::Continue(());
            }
            if let Err(pause) = budget.tick().and_then(|due| if due { budget.check(bytes) } else { Ok(()) }) {
                seen -= 1;
                stop = Some(pause.into());
                return ControlFlow::Break(());
            }
            counts.generated += 1;
            let rank = rank(*system, *rank_seed, state, key, payload);
            if drawn.is_none_or(|(least, _)| rank < least) {
                *drawn = Some((rank, label));
                next.clone_from(state);
            }
            let place = StateId::from_raw(steps);
            let found = match goal.holds(*system, state) {
                Ok(holds) => holds || goal.holds_for_step(*system, label),
                Err(_) if *failed => goal.holds_for_step(*system, label),
                Err(error) => {
                    *last = Some(label);
                    stop = Some(Stop::Failed { at: Some(place), error });
                    return ControlFlow::Break(());
                }
            };
            if found {
                *last = Some(label);
                stop = Some(Stop::Found(place));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if let Err(error) = result
            && !*failed
        {
            let at = StateId::from_raw(steps.saturating_sub(1));
            stop = Some(Stop::Failed { at: Some(at), error });
        }
        *failed |= matches!(stop, Some(Stop::Failed { .. }));
        if stop.is_some() {
            self.skip = seen;
            return stop;
        }
        self.counts.explored += 1;
        self.advance()
    }

    /// Goes on to the successor that was drawn.
    fn advance(&mut self) -> Option<Stop<T::Error>> {
        self.skip = 0;
        let Some((_, label)) = self.drawn.take() else {
            self.over = true;
            return None;
        };
        std::mem::swap(&mut self.current, &mut self.next);
        let known = self.visited.len();
        let Some(id) = self.visited.intern(self.system, &self.current) else {
            return Some(Stop::OutOfBudget(Reason::Capacity));
        };
        if self.visited.len() == known {
            self.counts.covered += 1;
        }
        push_tight(&mut self.walk, (label, id));
        let steps = self.walk.len() as u32 - 1;
        self.counts.depth = self.counts.depth.max(steps);
        self.over = self.budget.limits.depth.is_some_and(|limit| steps >= limit);
        None
    }

    fn start_over(&mut self) {
        self.counts.restarts += 1;
        self.before = self.counts.explored;
        self.random = Random::of_run(self.seed, self.counts.restarts);
        self.visited = Interner::new(self.system);
        self.walk.clear();
        (self.started, self.over, self.skip, self.drawn, self.last) = (false, false, 0, None, None);
    }

    fn tick(&mut self) -> Result<(), Pause> {
        if self.budget.tick()? {
            let bytes = self.bytes();
            self.counts.peak_bytes = self.counts.peak_bytes.max(bytes as u64);
            self.budget.check(bytes)?;
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.visited.bytes() + table_bytes(&self.walk)
    }
}

fn rank<T: Covering>(system: &T, seed: u64, state: &T::State, key: &mut [u64], payload: &mut Vec<T::Unit>) -> u64 {
    system.key(state, key);
    payload.clear();
    system.pack(state, payload);
    rank_state(seed, key, payload)
}

impl<T: Covering<State: Clone>, G: Goal<T>> Strategy for RandomSimulation<'_, T, G> {
    type State = T::State;
    type Label = T::Label;
    type Error = T::Error;

    fn step(&mut self) -> Option<Stop<T::Error>> {
        self.budget.start();
        if let Err(pause) = self.tick() {
            return Some(pause.into());
        }
        if !self.started {
            return self.begin();
        }
        if let Some(reason) = self.budget.spent(self.visited.len() as u64, self.counts.explored) {
            return Some(Stop::OutOfBudget(reason));
        }
        let spent = self.simulations.states.is_some_and(|most| self.counts.explored - self.before >= most);
        if self.over || spent {
            if self.counts.restarts >= self.simulations.restarts {
                let over = self.over;
                return Some(if over { Stop::Exhausted { proof: false } } else { Stop::OutOfBudget(Reason::Explored) });
            }
            self.start_over();
            return None;
        }
        self.expand()
    }

    /// The states of a walk are numbered by their steps.
    fn trace(&self, id: StateId) -> Vec<T::Label> {
        let walk = &self.walk[..self.walk.len().min(id.index() + 1)];
        let exits: HashMap<StateId, usize> = walk.iter().enumerate().map(|(at, &(_, state))| (state, at)).collect();
        let mut labels = Vec::new();
        let mut at = 0;
        while let Some(&(label, state)) = walk.get(at) {
            if at > 0 {
                labels.push(label);
            }
            at = exits.get(&state).copied().unwrap_or(at) + 1;
        }
        if id.index() >= self.walk.len() {
            labels.extend(self.last);
        }
        labels
    }

    fn statistics(&self) -> Statistics {
        let bytes = self.bytes() as u64;
        Statistics {
            stored: self.visited.len() as u64,
            bytes,
            peak_stored: self.counts.peak_stored.max(self.visited.len() as u64),
            peak_bytes: self.counts.peak_bytes.max(bytes),
            elapsed: self.budget.elapsed(),
            ..self.counts
        }
    }
}
