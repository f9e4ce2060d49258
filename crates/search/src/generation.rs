//! What happens to a generated state: budget, goal, store, heuristic, frontier, in this order. The parts of a
//! search that successors do not borrow, so that a visitor can hold them while the system generates.

use crate::budget::{Budget, Reason};
use crate::collection::{Renaming, is_due};
use crate::frontier::{Frontier, Open};
use crate::goal::Goal;
use crate::heuristic::{Estimate, Heuristic};
use crate::per_state::{PerState, StateId, push_tight, table_bytes};
use crate::search::{Depths, Stop, is_first};
use crate::statistics::Statistics;
use crate::store::{Insertion, Status, Store};
use crate::system::Covering;
use crate::trace::Steps;
use std::ops::ControlFlow;

/// A state that the owner of the search may ask for; its trace if it is of an earlier round.
#[derive(Debug, Clone)]
pub(crate) enum Remembered<L> {
    Nothing,
    State(StateId),
    Trace(Vec<L>),
}

pub(crate) struct Core<T: Covering, G, F, H> {
    pub goal: G,
    pub frontier: F,
    pub heuristic: H,
    pub store: Store<T::Unit>,
    pub steps: Steps<T::Label>,
    pub depths: PerState<u32>,
    pub depth_rule: Depths,
    pub budget: Budget,
    pub counts: Statistics,
    /// Nothing was left out so far.
    pub complete: bool,
    /// The model has failed once.
    pub failed: bool,
    pub started: bool,
    /// States at the depth limit, and how many of them have been looked beyond.
    pub parked: Vec<StateId>,
    pub looked_beyond: usize,
    /// One of them has a successor that nothing covers.
    pub cut: bool,
    /// States that died since the last collection.
    pub deaths: usize,
    /// What the owner of the search remembers.
    pub remembered: Vec<Remembered<T::Label>>,
    /// A state whose expansion was interrupted.
    pub resume: Option<StateId>,
    /// Why the visitor broke off.
    pub stop: Option<Stop<T::Error>>,
    /// How many successors one step takes up, and how many it has.
    pub slice: u64,
    pub in_slice: u64,
}

/// A step that takes up more successors than this is made in several: whoever drives the search may have something else to do.
const SLICE: u64 = 4096;

impl<T: Covering, G: Goal<T>, F: Frontier, H: Heuristic<T>> Core<T, G, F, H> {
    pub fn new(system: &T, goal: G, frontier: F, heuristic: H) -> Self {
        Self {
            goal,
            frontier,
            heuristic,
            store: Store::new(system),
            steps: Steps::default(),
            depths: PerState::new(0),
            depth_rule: Depths::Ignored,
            budget: Budget::default(),
            counts: Statistics::default(),
            complete: true,
            failed: false,
            started: false,
            parked: Vec::new(),
            looked_beyond: 0,
            cut: false,
            deaths: 0,
            remembered: Vec::new(),
            resume: None,
            stop: None,
            slice: SLICE,
            in_slice: 0,
        }
    }

    /// A step begins.
    pub fn begin_slice(&mut self) {
        self.in_slice = 0;
    }

    /// Whether the slice is used up: the state is to be expanded again, with twice as many successors, so that all slices together cost
    /// at most twice what one expansion does.
    pub fn is_slice_over(&mut self) -> bool {
        let is_over = self.in_slice >= self.slice;
        self.slice = if is_over { self.slice.saturating_mul(2) } else { SLICE };
        is_over
    }

    /// The next state to expand: the interrupted one, or what the frontier says, dead states skipped.
    pub fn next(&mut self) -> Option<StateId> {
        if let Some(id) = self.resume.take() {
            if self.store.status(id) != Status::Dead {
                return Some(id);
            }
            self.frontier.close(Some(id));
        }
        loop {
            let id = self.frontier.pop()?;
            if self.store.pass(id) {
                return Some(id);
            }
        }
    }

    /// Puts a state at the depth limit aside.
    pub fn park(&mut self, id: StateId) {
        push_tight(&mut self.parked, id);
        self.frontier.close(Some(id));
    }

    /// The limits that hold between expansions.
    pub fn spent(&self) -> Option<Reason> {
        self.budget.spent(self.store.len() as u64, self.counts.explored)
    }

    /// Takes up a generated state. Breaks with `stop` set when the search must stop.
    #[inline]
    pub fn generated(
        &mut self,
        system: &T,
        from: Option<(StateId, T::Label)>,
        state: &T::State,
        depth: u32,
    ) -> ControlFlow<()> {
        if let Err(stop) = self.tick() {
            return self.halt(stop);
        }
        self.counts.generated += 1;
        self.in_slice += 1;
        if let Some((_, label)) = from
            && self.goal.holds_for_step(system, label)
        {
            return self.found_by_step(from, depth);
        }
        let insertion = match self.depth_rule {
            Depths::Ignored => self.store.insert(system, state),
            Depths::Respected => {
                let depths = &self.depths;
                self.store.insert_ordered(system, state, |id| depths.at(id).cmp(&depth))
            }
        };
        match insertion {
            Insertion::Covered(_) => {
                self.counts.covered += 1;
                self.goes_on(from)
            }
            Insertion::New(id) => self.stored(system, id, from, state, depth),
            Insertion::Full => self.halt(Stop::OutOfBudget(Reason::Capacity)),
        }
    }

    fn stored(
        &mut self,
        system: &T,
        id: StateId,
        from: Option<(StateId, T::Label)>,
        state: &T::State,
        depth: u32,
    ) -> ControlFlow<()> {
        self.steps.record(id, from);
        self.depths.set(id, depth);
        let parent = from.map(|(parent, _)| parent);
        let mut parent_died = false;
        for &(old, was) in self.store.erased() {
            self.counts.erased += 1;
            self.deaths += 1;
            self.frontier.covers(id, old, was);
            parent_died |= parent == Some(old);
        }
        self.counts.depth = self.counts.depth.max(depth);
        self.counts.peak_stored = self.counts.peak_stored.max(self.store.len() as u64);
        self.counts.peak_waiting = self.counts.peak_waiting.max(self.store.waiting() as u64);
        match self.heuristic.estimate(system, state) {
            Estimate::Value(estimate) => {
                self.frontier.push(Open { id, parent, depth, estimate });
            }
            Estimate::DeadEnd { reliable } => {
                self.store.pass(id);
                self.complete &= reliable;
            }
        }
        match self.goal.holds(system, state) {
            // A successor that covers its parent has all the other successors among its own.
            Ok(false) if parent_died => ControlFlow::Break(()),
            Ok(false) => self.goes_on(from),
            Ok(true) => self.halt(Stop::Found(id)),
            Err(error) if self.fails() => self.halt(Stop::Failed { at: Some(id), error }),
            Err(_) if parent_died => ControlFlow::Break(()),
            Err(_) => self.goes_on(from),
        }
    }

    /// The next successor may come, unless the slice is used up.
    fn goes_on(&self, from: Option<(StateId, T::Label)>) -> ControlFlow<()> {
        match from {
            Some(_) if self.in_slice >= self.slice => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn found_by_step(&mut self, from: Option<(StateId, T::Label)>, depth: u32) -> ControlFlow<()> {
        let Some(id) = self.store.mention() else {
            return self.halt(Stop::OutOfBudget(Reason::Capacity));
        };
        self.steps.record(id, from);
        self.depths.set(id, depth);
        self.halt(Stop::Found(id))
    }

    /// Notes that the model has failed. `true`: for the first time.
    pub fn fails(&mut self) -> bool {
        is_first(&mut self.failed)
    }

    fn halt(&mut self, stop: Stop<T::Error>) -> ControlFlow<()> {
        self.stop = Some(stop);
        ControlFlow::Break(())
    }

    #[inline]
    pub fn tick(&mut self) -> Result<(), Stop<T::Error>> {
        if self.budget.tick()? {
            let bytes = self.bytes();
            self.counts.peak_bytes = self.counts.peak_bytes.max(bytes as u64);
            self.budget.check(bytes)?;
        }
        Ok(())
    }

    /// Makes the states at the depth limit wait again.
    pub fn unpark(&mut self, system: &T, state: &mut T::State) {
        self.looked_beyond = 0;
        self.cut = false;
        for id in std::mem::take(&mut self.parked) {
            if !self.store.load(system, id, state) || !self.store.reopen(id) {
                continue;
            }
            if let Estimate::Value(estimate) = self.heuristic.estimate(system, state) {
                let parent = self.steps.last(id).map(|(parent, _)| parent);
                self.frontier.push(Open { id, parent, depth: self.depths.at(id), estimate });
            }
        }
        self.frontier.close(None);
    }

    /// Forgets what the frontier does not want.
    pub fn evict(&mut self) {
        while let Some(id) = self.frontier.evict() {
            self.store.forget(id);
            self.deaths += 1;
            self.complete = false;
        }
    }

    /// Between expansions: dead states that nothing needs give their ids back, if they are many.
    pub fn collect(&mut self) {
        let ids = self.store.ids();
        if !is_due(self.deaths, ids) {
            return;
        }
        self.deaths = 0;
        let remembered = self.remembered.iter().filter_map(|known| match known {
            Remembered::State(id) => Some(*id),
            _ => None,
        });
        let roots = self.store.live().chain(remembered).chain(self.resume);
        let renaming = Renaming::of_trees(ids, roots, |id| self.steps.last(id).map(|(parent, _)| parent));
        if renaming.is_identity() {
            return;
        }
        self.store.rename(&renaming);
        self.steps.rename(&renaming);
        self.depths.rename(&renaming);
        self.frontier.rename(&renaming);
        self.looked_beyond = self.parked[..self.looked_beyond].iter().filter(|id| renaming.of(**id).is_some()).count();
        self.parked.retain_mut(|id| renaming.apply(id));
        for known in &mut self.remembered {
            if let Remembered::State(id) = known {
                renaming.apply(id);
            }
        }
        self.resume = self.resume.and_then(|id| renaming.of(id));
    }

    pub fn remember(&mut self, n: usize, id: StateId) {
        if self.remembered.len() <= n {
            self.remembered.resize_with(n + 1, || Remembered::Nothing);
        }
        self.remembered[n] = Remembered::State(id);
    }

    pub fn remembered(&self, n: usize) -> Option<Vec<T::Label>> {
        match self.remembered.get(n)? {
            Remembered::Nothing => None,
            Remembered::State(id) => Some(self.steps.path(*id)),
            Remembered::Trace(labels) => Some(labels.clone()),
        }
    }

    /// Forgets everything but the counts of work done and what the owner remembers.
    pub fn reset(&mut self) {
        for known in &mut self.remembered {
            if let Remembered::State(id) = known {
                *known = Remembered::Trace(self.steps.path(*id));
            }
        }
        self.deaths = 0;
        self.store.clear();
        self.steps.clear();
        self.depths.clear();
        self.frontier.clear();
        self.counts.restarts += 1;
        self.counts.depth = 0;
        self.complete = true;
        self.started = false;
        self.parked.clear();
        self.looked_beyond = 0;
        self.cut = false;
        self.resume = None;
    }

    pub fn bytes(&self) -> usize {
        self.store.bytes()
            + self.steps.bytes()
            + self.depths.bytes()
            + self.frontier.bytes()
            + table_bytes(&self.parked)
    }

    pub fn statistics(&self) -> Statistics {
        let bytes = self.bytes() as u64;
        Statistics {
            stored: self.store.len() as u64,
            waiting: self.store.waiting() as u64,
            keys: self.store.keys() as u64,
            bytes,
            peak_bytes: self.counts.peak_bytes.max(bytes),
            elapsed: self.budget.elapsed(),
            ..self.counts
        }
    }
}
