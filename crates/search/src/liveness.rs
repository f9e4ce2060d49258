//! Search for runs that never end: Couvreur's algorithm in the form of Gaiser & Schwoon, "Comparison of
//! algorithms for checking emptiness on Büchi automata" (2009; docs/algorithms.md §5.2), with explicit stacks.
//!
//! A depth-first search keeps the strongly connected components that are not finished, with the marks each has
//! collected (see [`components`](crate::components)). As soon as a component has all wanted marks a lasso exists,
//! and it is built from the depth-first stack and a search within the component. A component that is left
//! unaccepting is *closed* for good: nothing reachable from it is wanted.
//!
//! `E[] p` is the case without marks, in the graph cut down to p: the first edge to a current state is a cycle;
//! a state where runs may end is a witness too. Leads-to is the same from every reachable trigger; closed states
//! stay closed from one trigger to the next, so that the whole costs two visits of the graph at most. Where what lies
//! before the triggers is a graph of its own ([`Start::Entered`]), covered states are skipped there as in any search for states.
//!
//! States are compared for equality. [`Pruning::Closed`] also skips states that a closed one covers: a run from the
//! smaller state would be one from the larger, which has none. This is the sound half of subsumption (Laarman,
//! Olesen, Dalsgaard, Larsen & van de Pol, CAV 2013: "covered by a red state"); states that are merely current or
//! visited never prune.
//!
//! Cost: each state is expanded once (leads-to: twice); beside the interned state 4 bytes for its number, 4 bytes
//! while current, and the untaken steps of the states on the depth-first stack.

use crate::budget::{Budget, Limits, Pause, Reason};
use crate::components::{Components, Place};
use crate::intern::Interner;
use crate::lasso::{Inner, Lasso, Marks, cycle_through};
use crate::per_state::{PerState, StateId, push_tight, table_bytes};
use crate::runs::{Runs, Start};
use crate::search::is_first;
use crate::statistics::Statistics;
use crate::system::{Covering, TransitionSystem};
use crate::trace::Steps;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How a liveness search ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<L, E> {
    Found(Lasso<L>),
    /// There is no such run, unless a depth limit cut some off.
    Exhausted {
        proof: bool,
    },
    OutOfBudget(Reason),
    Cancelled,
    /// The model failed at the end of this path. Said once, of the first error; stepping on goes on without what failed, and
    /// proves nothing any more.
    Failed {
        path: Vec<L>,
        error: E,
    },
}

impl<L, E> From<Pause> for Outcome<L, E> {
    fn from(pause: Pause) -> Self {
        match pause {
            Pause::Cancelled => Self::Cancelled,
            Pause::OutOfBudget(reason) => Self::OutOfBudget(reason),
        }
    }
}

/// Which states need no visit because of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pruning {
    #[default]
    Equal,
    /// Also those that a closed state covers. The runs looked for must respect covering.
    Closed,
}

/// A state on the depth-first stack.
#[derive(Debug, Clone, Copy)]
struct Frame<L> {
    state: StateId,
    /// How it was entered; meaningless for the first.
    label: L,
    /// Where its untaken steps begin.
    steps: usize,
}

/// A liveness search in progress.
pub struct Liveness<'a, T: Covering, R> {
    system: &'a T,
    scratch: T::Scratch,
    loaded: T::State,
    runs: R,
    pruning: Pruning,
    states: Interner<T::Unit>,
    budget: Budget,
    counts: Statistics,
    complete: bool,
    /// Where runs may start, still to be looked at, and how these states were reached.
    starts: VecDeque<StateId>,
    reached: PerState<bool>,
    paths: Steps<T::Label>,
    begun: bool,
    components: Components,
    stack: Vec<Frame<T::Label>>,
    /// Untaken steps of all states on the stack, the next one last.
    untaken: Vec<(T::Label, StateId)>,
    /// The top of the stack is still to be expanded.
    unexpanded: bool,
    failed: bool,
    /// An error that is still to be told, with the path to it.
    failure: Option<(Vec<T::Label>, T::Error)>,
}

type Result<V, T> = std::result::Result<V, Outcome<<T as TransitionSystem>::Label, <T as TransitionSystem>::Error>>;

impl<'a, T: Covering, R: Runs<T>> Liveness<'a, T, R> {
    pub fn new(system: &'a T, runs: R) -> Self {
        Self {
            system,
            scratch: T::Scratch::default(),
            loaded: T::State::default(),
            runs,
            pruning: Pruning::Equal,
            states: Interner::new(system),
            budget: Budget::default(),
            counts: Statistics::default(),
            complete: true,
            starts: VecDeque::new(),
            reached: PerState::new(false),
            paths: Steps::default(),
            begun: false,
            components: Components::default(),
            stack: Vec::new(),
            untaken: Vec::new(),
            unexpanded: false,
            failed: false,
            failure: None,
        }
    }

    pub const fn pruning(mut self, pruning: Pruning) -> Self {
        self.pruning = pruning;
        self
    }

    /// Sets limits and a flag that cancels the search from outside.
    pub fn limited(mut self, limits: Limits, cancel: Option<Arc<AtomicBool>>) -> Self {
        self.budget = Budget::new(limits, cancel);
        self
    }

    /// Limits may be raised while the search is paused.
    pub fn limits_mut(&mut self) -> &mut Limits {
        &mut self.budget.limits
    }

    /// Steps until the search ends or pauses.
    pub fn run(&mut self) -> Outcome<T::Label, T::Error> {
        loop {
            if let Some(outcome) = self.step() {
                return outcome;
            }
        }
    }

    /// Takes one step of the depth-first search. `None`: there is more to do. A paused search may go on; one that
    /// found a run is over.
    pub fn step(&mut self) -> Option<Outcome<T::Label, T::Error>> {
        self.budget.start();
        self.advance().err()
    }

    fn advance(&mut self) -> Result<(), T> {
        if let Some((path, error)) = self.failure.take() {
            return Err(Outcome::Failed { path, error });
        }
        self.tick()?;
        if !self.begun {
            return self.begin();
        }
        let Some(&frame) = self.stack.last() else { return self.next_start() };
        if self.unexpanded {
            self.expand()
        } else if self.untaken.len() > frame.steps {
            let Some((label, to)) = self.untaken.pop() else { return Ok(()) };
            match self.components.place(to) {
                Place::Unseen => self.visit(to, label),
                Place::Closed => Ok(()),
                Place::Current(number) => self.close_cycle(number),
            }
        } else {
            self.leave(frame.state);
            Ok(())
        }
    }

    fn begin(&mut self) -> Result<(), T> {
        let Self { system, scratch, states, starts, reached, .. } = self;
        let mut full = false;
        let result = system.initial(scratch, &mut |state| match states.intern(*system, state) {
            Some(id) => {
                if !reached.at(id) {
                    reached.set(id, true);
                    starts.push_back(id);
                }
                ControlFlow::Continue(())
            }
            None => {
                full = true;
                ControlFlow::Break(())
            }
        });
        self.begun = true;
        if let Err(error) = result {
            self.fails(error, None);
        }
        if full { Err(Outcome::OutOfBudget(Reason::Capacity)) } else { Ok(()) }
    }

    /// The depth-first search from the last start is through: on to the next.
    fn next_start(&mut self) -> Result<(), T> {
        let Some(&id) = self.starts.front() else {
            return Err(Outcome::Exhausted { proof: self.complete && !self.failed });
        };
        self.states.load(self.system, id, &mut self.loaded);
        let starts = self.runs.starts(self.system, &self.loaded).unwrap_or_else(|error| {
            self.fails(error, Some(id));
            false
        });
        match self.runs.start() {
            Start::Initial => {}
            Start::Reachable => self.reach(id)?,
            Start::Entered if starts => {}
            Start::Entered => {
                if self.pruning == Pruning::Closed && self.states.is_retired(self.system, id, &self.loaded) {
                    self.counts.covered += 1;
                } else {
                    self.reach(id)?;
                    self.states.retire(id);
                }
            }
        }
        self.starts.pop_front();
        if starts && self.components.place(id) == Place::Unseen { self.visit(id, T::Label::default()) } else { Ok(()) }
    }

    /// Adds the successors of a reachable state to the starts.
    fn reach(&mut self, id: StateId) -> Result<(), T> {
        let first = self.untaken.len();
        self.collect(id, first)?;
        for (label, to) in self.untaken.drain(first..) {
            if !self.reached.at(to) {
                self.reached.set(to, true);
                self.paths.record(to, Some((id, label)));
                self.starts.push_back(to);
            }
        }
        Ok(())
    }

    /// Appends the successors of `id` to `untaken`; on a pause none of them.
    fn collect(&mut self, id: StateId, first: usize) -> Result<(), T> {
        self.states.load(self.system, id, &mut self.loaded);
        let other_bytes = self.bytes() - self.states.bytes();
        let Self { system, scratch, loaded, states, untaken, budget, counts, .. } = self;
        let mut halted = None;
        let result = system.successors(scratch, loaded, &mut |label, state| {
            counts.generated += 1;
            let tick =
                budget.tick().and_then(|due| if due { budget.check(other_bytes + states.bytes()) } else { Ok(()) });
            match (tick, states.intern(*system, state)) {
                (Ok(()), Some(to)) => {
                    push_tight(untaken, (label, to));
                    return ControlFlow::Continue(());
                }
                (Ok(()), None) => halted = Some(Outcome::OutOfBudget(Reason::Capacity)),
                (Err(pause), _) => halted = Some(pause.into()),
            }
            ControlFlow::Break(())
        });
        if let Err(error) = result {
            self.fails(error, Some(id).filter(|_| self.stack.is_empty()));
        }
        match halted {
            None => {
                self.counts.explored += 1;
                Ok(())
            }
            Some(outcome) => {
                self.untaken.truncate(first);
                Err(outcome)
            }
        }
    }

    fn visit(&mut self, id: StateId, label: T::Label) -> Result<(), T> {
        if self.budget.limits.depth.is_some_and(|limit| self.stack.len() as u64 > u64::from(limit)) {
            self.complete = false;
            return Ok(());
        }
        self.states.load(self.system, id, &mut self.loaded);
        let pruned = self.pruning == Pruning::Closed && self.states.is_retired(self.system, id, &self.loaded);
        if pruned {
            self.counts.covered += 1;
        }
        let frame = Frame { state: id, label, steps: self.untaken.len() };
        push_tight(&mut self.stack, frame);
        let (stays, ends, marks) = self.judge(pruned);
        if !stays {
            self.stack.pop();
            self.components.close(id);
        } else if ends {
            return Err(Outcome::Found(Lasso { prefix: self.path(self.stack.len()), cycle: Vec::new() }));
        } else {
            self.components.enter(id, marks);
            self.unexpanded = true;
            self.counts.depth = self.counts.depth.max(self.stack.len() as u32 - 1);
        }
        Ok(())
    }

    /// Whether the loaded state may be on a run, may end it, and its marks. What cannot be evaluated is not so.
    fn judge(&mut self, pruned: bool) -> (bool, bool, Marks) {
        if pruned {
            return (false, false, Marks::NONE);
        }
        let stays = self.runs.stays(self.system, &self.loaded).unwrap_or_else(|error| {
            self.fails(error, None);
            false
        });
        if !stays {
            return (false, false, Marks::NONE);
        }
        let ends = self.runs.ends(self.system, &self.loaded).unwrap_or_else(|error| {
            self.fails(error, None);
            false
        });
        let marks = self.runs.marks(self.system, &self.loaded).unwrap_or_else(|error| {
            self.fails(error, None);
            Marks::NONE
        });
        (true, ends, marks)
    }

    fn expand(&mut self) -> Result<(), T> {
        let Some(&Frame { state, steps, .. }) = self.stack.last() else { return Ok(()) };
        self.collect(state, steps)?;
        self.untaken[steps..].reverse();
        self.unexpanded = false;
        Ok(())
    }

    /// A step led to the current state with this number.
    fn close_cycle(&mut self, number: u32) -> Result<(), T> {
        match self.components.merge(number) {
            Some(root) if root.marks.contains(self.runs.wanted()) => Err(self.lasso(root.number)),
            _ => Ok(()),
        }
    }

    /// All steps of the last state are taken.
    fn leave(&mut self, id: StateId) {
        self.stack.pop();
        for &member in self.components.leave(id) {
            if self.pruning == Pruning::Closed && self.complete {
                self.states.retire(member);
            }
        }
    }

    /// The lasso into the component with this root, which has all wanted marks.
    fn lasso(&mut self, root: u32) -> Outcome<T::Label, T::Error> {
        let Some(place) =
            self.stack.iter().position(|frame| self.components.place(frame.state) == Place::Current(root))
        else {
            return Outcome::Exhausted { proof: false };
        };
        let (start, prefix, wanted) = (self.stack[place].state, self.path(place + 1), self.runs.wanted());
        let Self { system, scratch, loaded, states, runs, components, .. } = self;
        let mut member_steps = |id, out: &mut Vec<Inner<T::Label>>| {
            states.load(*system, id, loaded);
            // What fails here has failed before: the states of a component have been expanded and judged.
            let _ = system.successors(scratch, loaded, &mut |label, state| {
                let inside = states.intern(*system, state).filter(|&to| components.is_within(to, root));
                out.extend(inside.map(|to| (label, to, runs.marks(*system, state).unwrap_or(Marks::NONE))));
                ControlFlow::Continue(())
            });
        };
        match cycle_through(start, wanted, &mut member_steps) {
            Some(cycle) => Outcome::Found(Lasso { prefix, cycle }),
            None => Outcome::Exhausted { proof: false },
        }
    }

    /// The labels to the last of the first `frames` states of the stack.
    fn path(&self, frames: usize) -> Vec<T::Label> {
        let Some(first) = self.stack.first() else { return Vec::new() };
        let mut path = self.paths.path(first.state);
        path.extend(self.stack[..frames].iter().skip(1).map(|frame| frame.label));
        path
    }

    /// Notes an error, if it is the first, at a state that was reached without the stack, or at the top of the stack.
    fn fails(&mut self, error: T::Error, at: Option<StateId>) {
        if is_first(&mut self.failed) {
            let path = at.map_or_else(|| self.path(self.stack.len()), |id| self.paths.path(id));
            self.failure = Some((path, error));
        }
    }

    fn tick(&mut self) -> Result<(), T> {
        if self.budget.tick()? {
            let bytes = self.bytes();
            self.counts.peak_bytes = self.counts.peak_bytes.max(bytes as u64);
            self.budget.check(bytes)?;
        }
        let spent = self.budget.spent(self.states.len() as u64, self.counts.explored);
        spent.map_or(Ok(()), |reason| Err(Outcome::OutOfBudget(reason)))
    }

    /// All memory held.
    pub fn bytes(&self) -> usize {
        self.states.bytes()
            + self.components.bytes()
            + self.reached.bytes()
            + self.paths.bytes()
            + self.starts.capacity() * size_of::<StateId>()
            + table_bytes(&self.stack)
            + table_bytes(&self.untaken)
    }

    pub fn statistics(&self) -> Statistics {
        let (bytes, stored) = (self.bytes() as u64, self.states.len() as u64);
        Statistics {
            stored,
            peak_stored: stored,
            waiting: self.untaken.len() as u64,
            bytes,
            peak_bytes: self.counts.peak_bytes.max(bytes),
            elapsed: self.budget.elapsed(),
            ..self.counts
        }
    }
}
