//! Highway search: Engels, Groote, van Weerdenburg & Willemse, "Search algorithms for automated validation" (Journal of Logic
//! and Algebraic Programming 2009; docs/algorithms.md §4.2). Breadth-first search that keeps at most `width` states of every level, drawn
//! uniformly from the successors of the last level that were never kept before. Width 1 is a random walk that revisits
//! nothing; a width that is never exceeded is breadth-first search.
//!
//! How the states are drawn is in [`lanes`](crate::lanes): ideally, which needs no more memory here than the approximation,
//! or as in the paper's Algorithm 1. The goal is asked of every successor, also of those that are not kept (the paper's Definition
//! 5: all states *considered*).
//!
//! How ours differs: the paper compares states for equality, we ask the store, so that on zone graphs what a kept state
//! covers is not kept again (see [`equality`](crate::equality) for the paper's way). A simulation ends when no successor is
//! new, or at a number of states; then another may follow, with other random numbers. Traces come from the tree of first
//! visits: a state on level n is reached by n steps, so they are at most as long as the highway.
//!
//! What it preserves: what it finds is there. It never proves anything, not even when no lane was ever full; that is said by
//! [`Highway::left_nothing_out`]. Cost: the states kept, in the store; time for the successors of these.

use crate::budget::{Budget, Limits, Pause, Reason};
use crate::goal::Goal;
use crate::lanes::{Lanes, Offer, Selection};
use crate::per_state::{PerState, StateId, table_bytes};
use crate::random::Random;
use crate::search::{Stop, is_first};
use crate::statistics::Statistics;
use crate::store::{Insertion, Store};
use crate::strategy::{Simulations, Strategy};
use crate::system::Covering;
use crate::trace::Steps;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A highway search in progress.
pub struct Highway<'a, T: Covering, G> {
    system: &'a T,
    scratch: T::Scratch,
    current: T::State,
    goal: G,
    simulations: Simulations,
    seed: u64,
    random: Random,
    budget: Budget,
    counts: Statistics,
    /// States visited before this simulation.
    before: u64,
    started: bool,
    visited: Store<T::Unit>,
    steps: Steps<T::Label>,
    depths: PerState<u32>,
    /// The states of this level, and how many of them have been expanded.
    level: Vec<StateId>,
    expanded: usize,
    depth: u32,
    lanes: Lanes<T::State, T::Unit, T::Label>,
    /// Successors of the next state that were considered before an interruption.
    skip: usize,
    key: Vec<u64>,
    payload: Vec<T::Unit>,
    /// Something was not kept, in this simulation.
    left_out: bool,
    /// The model has failed once.
    failed: bool,
}

impl<'a, T: Covering<State: Clone>, G: Goal<T>> Highway<'a, T, G> {
    pub fn new(system: &'a T, goal: G, selection: Selection, width: NonZeroUsize, seed: u64) -> Self {
        Self {
            system,
            scratch: T::Scratch::default(),
            current: T::State::default(),
            goal,
            simulations: Simulations::default(),
            seed,
            random: Random::of_run(seed, 0),
            budget: Budget::default(),
            counts: Statistics::default(),
            before: 0,
            started: false,
            visited: Store::new(system),
            steps: Steps::default(),
            depths: PerState::new(0),
            level: Vec::new(),
            expanded: 0,
            depth: 0,
            lanes: Lanes::new(selection, width.get()),
            skip: 0,
            key: vec![0; system.key_words()],
            payload: Vec::new(),
            left_out: false,
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

    /// Whether the last simulation kept every state it considered: it was a breadth-first search.
    pub const fn left_nothing_out(&self) -> bool {
        !self.left_out
    }

    /// The states of the current level.
    pub fn level(&self) -> &[StateId] {
        &self.level
    }

    /// Rebuilds a state that was visited.
    pub fn load(&mut self, id: StateId, state: &mut T::State) -> bool {
        self.visited.load(self.system, id, state)
    }

    fn begin(&mut self) -> Option<Stop<T::Error>> {
        let Self { system, scratch, goal, visited, steps, depths, level, counts, skip, failed, .. } = self;
        let (mut stop, mut seen) = (None, 0);
        let result = system.initial(scratch, &mut |state| {
            seen += 1;
            if seen <= *skip {
                return ControlFlow::Continue(());
            }
            counts.generated += 1;
            let id = match visited.insert(*system, state) {
                Insertion::New(id) => id,
                Insertion::Covered(_) => return ControlFlow::Continue(()),
                Insertion::Full => {
                    stop = Some(Stop::OutOfBudget(Reason::Capacity));
                    return ControlFlow::Break(());
                }
            };
            steps.record(id, None);
            depths.set(id, 0);
            level.push(id);
            stop = match goal.holds(*system, state) {
                Ok(false) => return ControlFlow::Continue(()),
                Ok(true) => Some(Stop::Found(id)),
                Err(error) if is_first(failed) => Some(Stop::Failed { at: Some(id), error }),
                Err(_) => return ControlFlow::Continue(()),
            };
            ControlFlow::Break(())
        });
        if let Err(error) = result
            && is_first(failed)
        {
            stop = Some(Stop::Failed { at: None, error });
        }
        if stop.is_some() {
            *skip = seen;
            return stop;
        }
        self.skip = 0;
        self.started = true;
        let seed = self.random.next_u64();
        self.lanes.start(seed);
        None
    }

    fn expand(&mut self, id: StateId) -> Option<Stop<T::Error>> {
        if !self.visited.load(self.system, id, &mut self.current) {
            // Another state of its level covers it.
            self.expanded += 1;
            return None;
        }
        let bytes = self.bytes();
        let Self { system, scratch, current, goal, visited, steps, depths, lanes, budget, counts, .. } = self;
        let Self { random, skip, key, payload, depth, failed, .. } = self;
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
            let mut found = goal.holds_for_step(*system, label);
            if visited.coverer_of(*system, state).is_some() {
                counts.covered += 1;
            } else {
                system.key(state, key);
                payload.clear();
                system.pack(state, payload);
                lanes.offer(&Offer { state, key, payload, from: id, label }, random);
                match goal.holds(*system, state) {
                    Ok(holds) => found |= holds,
                    Err(error) if is_first(failed) => {
                        stop = Some(Stop::Failed { at: mention(visited, steps, id, label), error });
                        return ControlFlow::Break(());
                    }
                    Err(_) => {}
                }
            }
            if found {
                let place = mention(visited, steps, id, label);
                stop = Some(place.map_or(Stop::OutOfBudget(Reason::Capacity), Stop::Found));
                if let Some(place) = place {
                    depths.set(place, *depth + 1);
                }
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if let Err(error) = result
            && is_first(failed)
        {
            stop = Some(Stop::Failed { at: Some(id), error });
        }
        if stop.is_some() {
            *skip = seen;
            return stop;
        }
        *skip = 0;
        counts.explored += 1;
        self.expanded += 1;
        None
    }

    /// All states of the level are expanded: those that were kept become the next one.
    fn advance(&mut self) -> Option<Stop<T::Error>> {
        self.left_out |= std::mem::take(&mut self.lanes.full);
        let depth = self.depth.saturating_add(1);
        self.level.clear();
        self.expanded = 0;
        if self.budget.limits.depth.is_some_and(|limit| depth > limit) && !self.lanes.is_empty() {
            self.left_out = true;
            return None;
        }
        for lane in self.lanes.kept() {
            match self.visited.insert(self.system, &lane.state) {
                Insertion::New(id) => {
                    self.steps.record(id, Some((lane.from, lane.label)));
                    self.depths.set(id, depth);
                    self.level.push(id);
                }
                Insertion::Covered(_) => {}
                Insertion::Full => return Some(Stop::OutOfBudget(Reason::Capacity)),
            }
        }
        self.depth = depth;
        if !self.level.is_empty() {
            self.counts.depth = self.counts.depth.max(depth);
        }
        self.counts.peak_stored = self.counts.peak_stored.max(self.visited.len() as u64);
        let seed = self.random.next_u64();
        self.lanes.start(seed);
        None
    }

    fn start_over(&mut self) {
        self.counts.restarts += 1;
        self.before = self.counts.explored;
        self.random = Random::of_run(self.seed, self.counts.restarts);
        self.visited.clear();
        self.steps.clear();
        self.depths.clear();
        self.level.clear();
        (self.expanded, self.depth, self.skip, self.started, self.left_out) = (0, 0, 0, false, false);
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
        self.visited.bytes() + self.steps.bytes() + self.depths.bytes() + table_bytes(&self.level) + self.lanes.bytes()
    }
}

/// A place in traces for a successor that is not kept.
fn mention<U: Copy, L: Copy + Default>(
    visited: &mut Store<U>,
    steps: &mut Steps<L>,
    from: StateId,
    label: L,
) -> Option<StateId> {
    let place = visited.mention()?;
    steps.record(place, Some((from, label)));
    Some(place)
}

impl<T: Covering<State: Clone>, G: Goal<T>> Strategy for Highway<'_, T, G> {
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
        let over = self.level.is_empty();
        if over || spent {
            if self.counts.restarts >= self.simulations.restarts {
                self.left_out |= !over;
                return Some(if over { Stop::Exhausted { proof: false } } else { Stop::OutOfBudget(Reason::Explored) });
            }
            self.start_over();
            return None;
        }
        match self.level.get(self.expanded) {
            Some(&id) => self.expand(id),
            None => self.advance(),
        }
    }

    fn trace(&self, id: StateId) -> Vec<T::Label> {
        self.steps.path(id)
    }

    fn statistics(&self) -> Statistics {
        let bytes = self.bytes() as u64;
        Statistics {
            stored: self.visited.len() as u64,
            waiting: (self.level.len() - self.expanded) as u64,
            keys: self.visited.keys() as u64,
            bytes,
            peak_bytes: self.counts.peak_bytes.max(bytes),
            elapsed: self.budget.elapsed(),
            ..self.counts
        }
    }
}
