//! Deep random search for runs that never end, which its paper (Grosu, Huang, Smolka, Tan & Tripakis 2006) leaves open: "the main issue
//! here is deciding when a deep random walk has formed a lasso" (docs/algorithms.md §5.3).
//!
//! Walks and fringe are those of [`deep_random`](crate::deep_random), on states that are compared for equality. Every state knows
//! the step that first led to it, so the states visited form a tree, and the current walk together with the way from the
//! root to its start is a path of that tree. The path knows its states with their positions and where each mark was seen
//! last: a successor on the path is a *back edge*, and closes an accepting lasso if every wanted mark was seen at or after its
//! position. All other known successors are *cross edges*, which close nothing here. A state where runs may end is a
//! witness, too.
//!
//! An accepting cycle may need cross edges, so walks alone miss some. Every expanded state has recorded its steps: when the
//! fringe is empty and no walk has closed a lasso, the search of [`liveness`](crate::liveness) for strongly connected components
//! goes over this record, which generates nothing again. What it does not find is not there.
//!
//! What it preserves: a lasso that is found is one of the system; "none" is said after the last step alone, and only if no
//! cutoff left anything out. Depths are those of the first visit, so that a cutoff says how deep walks went, not that there is
//! nothing up to there. Runs that start anywhere ([`Start::Reachable`]) are for [`liveness`](crate::liveness).
//! Cost: as that search, and a label and 4 bytes for each step of the graph; each state is expanded once.

use crate::budget::{Budget, Limits, Pause, Reason};
use crate::deep_random::{Fringe, Settings};
use crate::intern::Interner;
use crate::lasso::{Lasso, Marks};
use crate::liveness::{Liveness, Outcome};
use crate::per_state::{PerState, StateId, push_tight, table_bytes};
use crate::random::Random;
use crate::recorded::{Recorded, RecordedRuns};
use crate::runs::{Runs, Start};
use crate::search::is_first;
use crate::statistics::Statistics;
use crate::system::{Covering, TransitionSystem};
use crate::trace::Steps;
use crate::walk_path::WalkPath;
use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is known of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Known {
    #[default]
    Unseen,
    /// No run may be here.
    Outside,
    /// Visited, before runs start.
    Before,
    Within,
}

/// A search for lassos by deep random walks.
pub struct DeepLassos<'a, T: Covering, R> {
    system: &'a T,
    scratch: T::Scratch,
    loaded: T::State,
    runs: R,
    settings: Settings,
    random: Random,
    budget: Budget,
    cancel: Option<Arc<AtomicBool>>,
    counts: Statistics,
    states: Interner<T::Unit>,
    initial: Vec<StateId>,
    known: PerState<Known>,
    marks: PerState<Marks>,
    depths: PerState<u32>,
    tree: Steps<T::Label>,
    /// The steps of all expanded states, and the range of those of each; it ends at 0 for a state that is not expanded.
    edges: Vec<(T::Label, StateId)>,
    ranges: PerState<(u32, u32)>,
    begun: bool,
    cutoff: u32,
    walks_left: u64,
    fringe: Vec<StateId>,
    parked: Vec<StateId>,
    looked_beyond: usize,
    /// A cutoff left something out.
    cut: bool,
    /// The end of the walk, and its place in the fringe.
    at: Option<(StateId, usize)>,
    path: WalkPath,
    failed: bool,
    /// An error that is still to be told, with the path to it.
    failure: Option<(Vec<T::Label>, T::Error)>,
}

type Halt<T> = Outcome<<T as TransitionSystem>::Label, <T as TransitionSystem>::Error>;

impl<'a, T: Covering, R: Runs<T>> DeepLassos<'a, T, R> {
    pub fn new(system: &'a T, runs: R, settings: Settings, seed: u64) -> Self {
        Self {
            system,
            scratch: T::Scratch::default(),
            loaded: T::State::default(),
            settings,
            random: Random::new(seed),
            budget: Budget::default(),
            cancel: None,
            counts: Statistics::default(),
            states: Interner::new(system),
            initial: Vec::new(),
            known: PerState::new(Known::Unseen),
            marks: PerState::new(Marks::NONE),
            depths: PerState::new(0),
            tree: Steps::default(),
            edges: Vec::new(),
            ranges: PerState::new((0, 0)),
            begun: false,
            cutoff: settings.increment.map_or(u32::MAX, NonZeroU32::get).min(settings.cutoff.unwrap_or(u32::MAX)),
            walks_left: settings.walks,
            fringe: Vec::new(),
            parked: Vec::new(),
            looked_beyond: 0,
            cut: false,
            at: None,
            path: WalkPath::new(runs.wanted()),
            failed: false,
            failure: None,
            runs,
        }
    }

    /// Sets limits and a flag that cancels the search from outside.
    pub fn limited(mut self, limits: Limits, cancel: Option<Arc<AtomicBool>>) -> Self {
        self.budget = Budget::new(limits, cancel.clone());
        self.cancel = cancel;
        self
    }

    /// Steps until the search ends or pauses.
    pub fn run(&mut self) -> Halt<T> {
        loop {
            if let Some(outcome) = self.step() {
                return outcome;
            }
        }
    }

    /// Does a little. `None`: there is more to do. A paused search may go on; one that found a run is over.
    pub fn step(&mut self) -> Option<Halt<T>> {
        self.budget.start();
        self.advance().err()
    }

    fn advance(&mut self) -> Result<(), Halt<T>> {
        if let Some((path, error)) = self.failure.take() {
            return Err(Outcome::Failed { path, error });
        }
        self.tick()?;
        if self.budget.limits.explored.is_some_and(|limit| self.counts.explored >= limit) {
            return Err(Outcome::OutOfBudget(Reason::Explored));
        }
        match self.at {
            _ if !self.begun => self.begin(),
            None => self.start_walk(),
            Some((id, place)) => self.walk_on(id, place),
        }
    }

    fn begin(&mut self) -> Result<(), Halt<T>> {
        if self.runs.start() == Start::Reachable {
            return Err(Outcome::Exhausted { proof: false });
        }
        let Self { system, scratch, states, initial, counts, .. } = self;
        let mut full = false;
        let result = system.initial(scratch, &mut |state| {
            counts.generated += 1;
            match states.intern(*system, state) {
                Some(id) => initial.push(id),
                None => full = true,
            }
            if full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.begun = true;
        if let Err(error) = result
            && is_first(&mut self.failed)
        {
            self.failure = Some((Vec::new(), error));
        }
        if full {
            return Err(Outcome::OutOfBudget(Reason::Capacity));
        }
        for id in self.initial.clone() {
            if self.known.at(id) == Known::Unseen && self.visit(id, None)? {
                self.wait(id);
            }
        }
        Ok(())
    }

    /// Where the next walk starts: at the root at first, then anywhere in the fringe.
    fn start_walk(&mut self) -> Result<(), Halt<T>> {
        if self.fringe.is_empty() {
            return self.deepen();
        }
        let from_root = self.walks_left > 0 && self.fringe.first() == self.initial.first();
        self.walks_left = if from_root { self.walks_left - 1 } else { 0 };
        let place = if from_root { 0 } else { self.random.index(self.fringe.len()) };
        let id = self.fringe[place];
        self.path.clear();
        for state in self.tree.states(id) {
            self.path.lengthen(state, self.marks.at(state));
        }
        self.counts.walks += 1;
        self.at = Some((id, place));
        Ok(())
    }

    fn walk_on(&mut self, id: StateId, place: usize) -> Result<(), Halt<T>> {
        if !self.is_expanded(id) {
            self.expand(id)?;
            if let Some(lasso) = self.closed_lasso(id) {
                return Err(Outcome::Found(lasso));
            }
        }
        let (first, end) = self.ranges.at(id);
        let (mut fresh, mut drawn) = (0, None);
        for (label, to) in &self.edges[first as usize..end as usize] {
            if self.known.at(*to) == Known::Unseen {
                fresh += 1;
                if self.random.below(fresh) == 0 {
                    drawn = Some((*label, *to));
                }
            }
        }
        let Some((label, to)) = drawn else {
            self.fringe.swap_remove(place);
            self.at = None;
            return Ok(());
        };
        if !self.visit(to, Some((id, label)))? {
            return Ok(());
        }
        if self.settings.fringe == Fringe::Children {
            for edge in first as usize..end as usize {
                let (label, other) = self.edges[edge];
                if self.known.at(other) == Known::Unseen && self.visit(other, Some((id, label)))? {
                    self.wait(other);
                }
            }
            fresh = 1;
        }
        if fresh <= 1 {
            self.fringe.swap_remove(place);
        }
        self.at = None;
        if self.wait(to) {
            self.path.lengthen(to, self.marks.at(to));
            self.at = Some((to, self.fringe.len() - 1));
        }
        Ok(())
    }

    /// The lasso that a step of the end of the path to a state on the path closes, if it has all that is wanted.
    fn closed_lasso(&self, id: StateId) -> Option<Lasso<T::Label>> {
        let (first, end) = self.ranges.at(id);
        let steps = &self.edges[first as usize..end as usize];
        let closes = |to: StateId| self.known.at(to) == Known::Within && self.path.closes(to);
        let &(label, start) = steps.iter().find(|(_, to)| closes(*to))?;
        let round = self.path.after(start).iter().filter_map(|state| self.tree.last(*state));
        let cycle = round.map(|(_, label)| label).chain([label]).collect();
        Some(Lasso { prefix: self.tree.path(start), cycle })
    }

    /// Judges an unseen state. `false`: no run may be in it.
    fn visit(&mut self, id: StateId, from: Option<(StateId, T::Label)>) -> Result<bool, Halt<T>> {
        self.states.load(self.system, id, &mut self.loaded);
        self.tree.record(id, from);
        let (known, ends, marks) = self.judge(id, from.is_none());
        self.known.set(id, known);
        if known == Known::Outside {
            return Ok(false);
        }
        if ends {
            return Err(Outcome::Found(Lasso { prefix: self.tree.path(id), cycle: Vec::new() }));
        }
        self.marks.set(id, marks);
        let depth = from.map_or(0, |(parent, _)| self.depths.at(parent).saturating_add(1));
        self.depths.set(id, depth);
        self.counts.depth = self.counts.depth.max(depth);
        Ok(true)
    }

    /// What the loaded state is, whether a run may end in it, and its marks. What cannot be evaluated is not so.
    fn judge(&mut self, id: StateId, initial: bool) -> (Known, bool, Marks) {
        let Self { runs, system, loaded, failed, failure, tree, .. } = self;
        let mut fails = |error| {
            if is_first(failed) {
                *failure = Some((tree.path(id), error));
            }
        };
        let mut is_so = |judged: Result<bool, T::Error>| {
            judged.unwrap_or_else(|error| {
                fails(error);
                false
            })
        };
        let starts = match runs.start() {
            Start::Initial if !initial => true,
            _ => is_so(runs.starts(system, loaded)),
        };
        if !starts {
            let outside = runs.start() == Start::Initial;
            return (if outside { Known::Outside } else { Known::Before }, false, Marks::NONE);
        }
        if !is_so(runs.stays(system, loaded)) {
            return (Known::Outside, false, Marks::NONE);
        }
        let ends = is_so(runs.ends(system, loaded));
        let marks = runs.marks(system, loaded).unwrap_or_else(|error| {
            fails(error);
            Marks::NONE
        });
        (Known::Within, ends, marks)
    }

    /// Puts a visited state into the fringe. `false`: it is at the cutoff.
    fn wait(&mut self, id: StateId) -> bool {
        let waits = self.depths.at(id) < self.cutoff;
        push_tight(if waits { &mut self.fringe } else { &mut self.parked }, id);
        waits
    }

    fn is_expanded(&self, id: StateId) -> bool {
        self.ranges.at(id).1 > 0
    }

    /// Records the steps of a state; on a pause none of them.
    fn expand(&mut self, id: StateId) -> Result<(), Halt<T>> {
        self.states.load(self.system, id, &mut self.loaded);
        // A place of its own for every state, so that one without successors counts as expanded.
        if self.edges.is_empty() {
            push_tight(&mut self.edges, (T::Label::default(), id));
        }
        let first = self.edges.len();
        let other_bytes = self.bytes() - self.states.bytes();
        let Self { system, scratch, loaded, states, edges, budget, counts, .. } = self;
        let mut halted = None;
        let result = system.successors(scratch, loaded, &mut |label, state| {
            counts.generated += 1;
            let tick =
                budget.tick().and_then(|due| if due { budget.check(other_bytes + states.bytes()) } else { Ok(()) });
            match (tick, states.intern(*system, state)) {
                (Err(pause), _) => halted = Some(pause.into()),
                (Ok(()), Some(to)) if edges.len() < u32::MAX as usize => {
                    push_tight(edges, (label, to));
                    return ControlFlow::Continue(());
                }
                _ => halted = Some(Outcome::OutOfBudget(Reason::Capacity)),
            }
            ControlFlow::Break(())
        });
        if let Err(error) = result
            && is_first(&mut self.failed)
        {
            self.failure = Some((self.tree.path(id), error));
        }
        if let Some(halted) = halted {
            self.edges.truncate(first);
            return Err(halted);
        }
        self.ranges.set(id, (first as u32, self.edges.len() as u32));
        self.counts.explored += 1;
        Ok(())
    }

    /// The fringe is empty: goes deeper, or ends.
    fn deepen(&mut self) -> Result<(), Halt<T>> {
        let last = self.settings.cutoff.unwrap_or(u32::MAX);
        if let Some(increment) = self.settings.increment.filter(|_| !self.parked.is_empty() && self.cutoff < last) {
            self.cutoff = self.cutoff.saturating_add(increment.get()).min(last);
            self.fringe = std::mem::take(&mut self.parked);
            return Ok(());
        }
        // States at the last cutoff have their steps recorded, too; new states behind them are left out.
        let Some(&id) = self.parked.get(self.looked_beyond) else { return Err(self.finish()) };
        self.expand(id)?;
        self.looked_beyond += 1;
        let (first, end) = self.ranges.at(id);
        let steps = &self.edges[first as usize..end as usize];
        self.cut |= steps.iter().any(|(_, to)| self.known.at(*to) == Known::Unseen);
        Ok(())
    }

    /// Every step is recorded: looks for components with all that is wanted.
    fn finish(&mut self) -> Halt<T> {
        let Limits { time, bytes, .. } = self.budget.limits;
        let limits = Limits {
            time: time.map(|time| time.saturating_sub(self.budget.elapsed())),
            bytes: bytes.map(|bytes| bytes.saturating_sub(self.bytes() as u64)),
            ..Limits::default()
        };
        let recorded = Recorded { initial: &self.initial, edges: &self.edges, ranges: &self.ranges };
        let runs = RecordedRuns {
            start: self.runs.start(),
            wanted: self.runs.wanted(),
            known: &self.known,
            marks: &self.marks,
        };
        let mut search = Liveness::new(&recorded, runs).limited(limits, self.cancel.clone());
        let outcome = search.run();
        self.counts.peak_bytes = self.counts.peak_bytes.max(self.bytes() as u64 + search.statistics().peak_bytes);
        match outcome {
            Outcome::Found(lasso) => Outcome::Found(lasso),
            Outcome::Exhausted { proof } => Outcome::Exhausted { proof: proof && !self.cut && !self.failed },
            Outcome::OutOfBudget(reason) => Outcome::OutOfBudget(reason),
            Outcome::Cancelled => Outcome::Cancelled,
            Outcome::Failed { error, .. } => match error {},
        }
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
        self.states.bytes()
            + self.known.bytes()
            + self.marks.bytes()
            + self.depths.bytes()
            + self.tree.bytes()
            + self.ranges.bytes()
            + self.path.bytes()
            + table_bytes(&self.edges)
            + table_bytes(&self.fringe)
            + table_bytes(&self.parked)
    }

    /// A snapshot, cheap enough for every step.
    pub fn statistics(&self) -> Statistics {
        let bytes = self.bytes() as u64;
        Statistics {
            stored: self.states.len() as u64,
            peak_stored: self.states.len() as u64,
            waiting: (self.fringe.len() + self.parked.len()) as u64,
            bytes,
            peak_bytes: self.counts.peak_bytes.max(bytes),
            elapsed: self.budget.elapsed(),
            ..self.counts
        }
    }
}
