//! Greedy best-first search and A* with zones built late, and the loop that useless transitions and under-approximations share.
//!
//! A step takes the best successor that waits, builds its state, drops it if a stored one covers it, and else sketches its
//! own successors: label, discrete part, estimate (docs/algorithms.md §3.2, where the printed algorithm tests the state for its child). A zone
//! is built only for what is taken up. The greedy searches ask the goal of a successor whose estimate is 0 at once, when it is
//! generated; A* asks when a state is taken up, as it must for its runs to be the shortest.
//!
//! | search | value by which a successor waits | also |
//! | --- | --- | --- |
//! | greedy | estimate | |
//! | A* | steps + estimate | a state reached by more steps does not cover one reached by fewer |
//! | useless transitions | estimate, + steps if the transition seems useless | [`useless_transitions`] |
//! | under-approximation | estimate | only operators that are permitted: [`under_approximation`] |
//!
//! All are complete. Dead ends, reliable or not, wait behind all others: everything reachable is seen before "nowhere" is said,
//! with what may go wrong there. A successor whose parent died is
//! dropped as well: what covers the parent is stored, and its own successors cover the successor.
//!
//! Cost: beside the store 12 bytes a waiting successor and 16 bytes a stored state.

mod expansion;
pub mod queue;
mod settings;
pub mod under_approximation;
mod useless_transitions;

use crate::guidance::{Guidance, Operator};
use expansion::Expansion;
use queue::{Entry, Queue};
use search::best_first::Value;
use search::budget::{Budget, Limits, Reason};
use search::goal::Goal;
use search::per_state::{PerState, StateId};
use search::random::Random;
use search::search::{Stop, is_first};
use search::statistics::Statistics;
use search::store::{Insertion, Store};
use search::strategy::Strategy;
use search::system::{Covering, Deferred};
use search::trace::Steps;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use under_approximation::Refinement;

pub use settings::{Logged, Settings};

/// A directed search in progress.
pub struct Directed<'a, T: Covering + Deferred, G, H> {
    system: &'a T,
    scratch: T::Scratch,
    current: T::State,
    goal: G,
    guidance: H,
    settings: Settings,
    queue: Queue<T::Label>,
    store: Store<T::Unit>,
    steps: Steps<T::Label>,
    depths: PerState<u32>,
    /// The operator by which each state was reached.
    operators: PerState<Operator>,
    budget: Budget,
    counts: Statistics,
    started: bool,
    complete: bool,
    /// Stored states whose successors are to be sketched before anything else, with their estimates.
    ready: Vec<(StateId, Option<u32>)>,
    /// Steps of the state being explored that may lead to the goal.
    promising: Vec<T::Label>,
    plan: Vec<Operator>,
    refinement: Option<Refinement<T::Label>>,
    log: Option<Log<'a>>,
    found: Option<StateId>,
    /// The model has failed once.
    failed: bool,
    /// An error that is still to be told.
    failure: Option<(Option<StateId>, T::Error)>,
}

/// Who is told of every explored state.
type Log<'a> = Box<dyn FnMut(Logged) + 'a>;

const NONE: u32 = u32::MAX;
/// The value of dead ends.
const LAST: u32 = u32::MAX / 2;

impl<'a, T: Covering + Deferred, G: Goal<T>, H: Guidance<T>> Directed<'a, T, G, H> {
    pub fn new(system: &'a T, goal: G, guidance: H, settings: Settings) -> Self {
        let random = Random::of_run(settings.seed, 1);
        let queue = Queue::new(settings.ties.clone(), settings.epsilon, settings.prefers, random);
        let refinement = settings.plateau_guard.map(Refinement::new);
        Self {
            system,
            scratch: T::Scratch::default(),
            current: T::State::default(),
            goal,
            guidance,
            settings,
            queue,
            store: Store::new(system),
            steps: Steps::default(),
            depths: PerState::new(0),
            operators: PerState::new(NONE),
            budget: Budget::default(),
            counts: Statistics::default(),
            started: false,
            complete: true,
            ready: Vec::new(),
            promising: Vec::new(),
            plan: Vec::new(),
            refinement,
            log: None,
            found: None,
            failed: false,
            failure: None,
        }
    }

    /// Sets limits and a flag that cancels the search from outside.
    pub fn limited(mut self, limits: Limits, cancel: Option<Arc<AtomicBool>>) -> Self {
        self.budget = Budget::new(limits, cancel);
        self
    }

    /// Tells the estimate of every explored state.
    pub fn logging(mut self, log: impl FnMut(Logged) + 'a) -> Self {
        self.log = Some(Box::new(log));
        self
    }

    /// Takes up one successor, or explores one state.
    fn advance(&mut self) -> Option<Stop<T::Error>> {
        self.budget.start();
        if let Some((at, error)) = self.failure.take() {
            return Some(Stop::Failed { at, error });
        }
        if !self.started {
            return self.begin();
        }
        if let Some(reason) = self.spent() {
            return Some(Stop::OutOfBudget(reason));
        }
        if let Err(stop) = self.tick() {
            return Some(stop);
        }
        if self.release() || self.plan_some() {
            return None;
        }
        if let Some((id, estimate)) = self.ready.pop() {
            return self.explore(id, estimate);
        }
        match self.queue.pop() {
            Some(entry) => self.take_up(entry),
            None if self.widen() => None,
            None => Some(Stop::Exhausted { proof: self.complete && !self.failed }),
        }
    }

    fn spent(&self) -> Option<Reason> {
        self.budget.spent(self.store.len() as u64, self.counts.explored)
    }

    fn tick(&mut self) -> Result<(), Stop<T::Error>> {
        if self.budget.tick()? {
            let bytes = self.bytes();
            self.counts.peak_bytes = self.counts.peak_bytes.max(bytes as u64);
            self.budget.check(bytes)?;
        }
        Ok(())
    }

    fn begin(&mut self) -> Option<Stop<T::Error>> {
        let mut arrived = Vec::new();
        let Self { system, scratch, store, .. } = self;
        let result = system.initial(scratch, &mut |state| {
            arrived.push(store.insert(*system, state));
            ControlFlow::Continue(())
        });
        if let Err(error) = result {
            self.fails(None, error);
        }
        self.started = true;
        self.counts.generated += arrived.len() as u64;
        arrived.reverse();
        for insertion in arrived {
            match insertion {
                Insertion::New(id) => {
                    self.steps.record(id, None);
                    self.depths.set(id, 0);
                    self.ready.push((id, None));
                }
                Insertion::Covered(_) => {}
                Insertion::Full => return Some(Stop::OutOfBudget(Reason::Capacity)),
            }
        }
        for n in 0..self.ready.len() {
            let id = self.ready[n].0;
            if self.store.load(self.system, id, &mut self.current) {
                match self.goal.holds(self.system, &self.current) {
                    Ok(true) => return Some(self.found(id)),
                    Ok(false) => {}
                    Err(error) => self.fails(Some(id), error),
                }
            }
        }
        None
    }

    /// Notes an error, if it is the first; it is told by the next step.
    fn fails(&mut self, at: Option<StateId>, error: T::Error) {
        if is_first(&mut self.failed) {
            self.failure = Some((at, error));
        }
    }

    fn found(&mut self, id: StateId) -> Stop<T::Error> {
        self.found = Some(id);
        Stop::Found(id)
    }

    /// Whether a state reached by more steps may cover one reached by fewer.
    fn respects_depths(&self) -> bool {
        self.settings.value == Value::Total || self.budget.limits.depth.is_some()
    }

    /// Builds the states of a waiting successor and stores those that are new.
    fn take_up(&mut self, entry: Entry<T::Label>) -> Option<Stop<T::Error>> {
        let parent = StateId::from_raw(entry.parent);
        let depth = self.depths.at(parent).saturating_add(1);
        if !self.store.load(self.system, parent, &mut self.current) {
            return None;
        }
        let beyond = self.budget.limits.depth.is_some_and(|limit| depth > limit);
        let respects = self.respects_depths();
        let Self { system, scratch, current, store, depths, counts, complete, .. } = self;
        let (mut arrived, mut full) = (Vec::new(), false);
        let result = system.complete(scratch, current, entry.label, &mut |state| {
            if beyond {
                *complete &= store.coverer_of(*system, state).is_some();
                return ControlFlow::Continue(());
            }
            let insertion = if respects {
                store.insert_ordered(*system, state, |id| depths.at(id).cmp(&depth))
            } else {
                store.insert(*system, state)
            };
            match insertion {
                Insertion::New(id) => {
                    counts.erased += store.erased().len() as u64;
                    depths.set(id, depth);
                    arrived.push(id);
                }
                Insertion::Covered(_) => counts.covered += 1,
                Insertion::Full => full = true,
            }
            ControlFlow::Continue(())
        });
        if let Err(error) = result {
            self.fails(Some(parent), error);
        }
        let operator = self.operator_of(entry.label);
        for id in &arrived {
            self.steps.record(*id, Some((parent, entry.label)));
            self.operators.set(*id, operator);
            self.ready.push((*id, Some(entry.estimate)));
        }
        self.counts.depth = self.counts.depth.max(if arrived.is_empty() { 0 } else { depth });
        self.counts.peak_stored = self.counts.peak_stored.max(self.store.len() as u64);
        for id in arrived {
            if self.store.load(self.system, id, &mut self.current) {
                match self.goal.holds(self.system, &self.current) {
                    Ok(true) => return Some(self.found(id)),
                    Ok(false) => {}
                    Err(error) => self.fails(Some(id), error),
                }
            }
        }
        full.then_some(Stop::OutOfBudget(Reason::Capacity))
    }

    fn bytes(&self) -> usize {
        self.store.bytes()
            + self.steps.bytes()
            + self.depths.bytes()
            + self.operators.bytes()
            + self.queue.bytes()
            + self.guidance.bytes()
            + self.refinement.as_ref().map_or(0, Refinement::bytes)
    }

    /// How many operators the run to a state has.
    fn used(&self, id: StateId) -> u64 {
        let states = self.steps.states(id);
        let mut used: Vec<Operator> = states.iter().skip(1).map(|id| self.operators.at(*id)).collect();
        used.sort_unstable();
        used.dedup();
        used.len() as u64
    }
}

impl<T: Covering + Deferred, G: Goal<T>, H: Guidance<T>> Strategy for Directed<'_, T, G, H> {
    type State = T::State;
    type Label = T::Label;
    type Error = T::Error;

    fn step(&mut self) -> Option<Stop<T::Error>> {
        self.advance()
    }

    fn trace(&self, id: StateId) -> Vec<T::Label> {
        self.steps.path(id)
    }

    fn statistics(&self) -> Statistics {
        let bytes = self.bytes() as u64;
        let mut statistics = Statistics {
            stored: self.store.len() as u64,
            waiting: self.queue.len() as u64,
            keys: self.store.keys() as u64,
            bytes,
            peak_bytes: self.counts.peak_bytes.max(bytes),
            elapsed: self.budget.elapsed(),
            evaluations: self.guidance.evaluations(),
            ..self.counts
        };
        if let Some(refinement) = &self.refinement {
            statistics.refinements = refinement.refinements();
            statistics.allowed = refinement.permitted();
            statistics.transitions = self.guidance.operators();
            statistics.used = self.found.map_or(0, |id| self.used(id));
        }
        statistics
    }

    fn each_stored(&mut self, visit: &mut dyn FnMut(&T::State)) {
        let mut state = T::State::default();
        for id in 0..self.store.ids() as u32 {
            if self.store.load(self.system, StateId::from_raw(id), &mut state) {
                visit(&state);
            }
        }
    }
}
