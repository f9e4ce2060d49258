//! Deep random search: Grosu, Huang, Smolka, Tan & Tripakis, "Deep Random Search for Efficient Model Checking of Timed
//! Automata" (Monterey Workshop 2006; docs/algorithms.md §4.1). A Las Vegas algorithm: its answers are right, its time is random.
//!
//! A walk goes from a state to a random successor that is *new*, not generated before, as long as there is one. All states on the
//! way that have other new successors form the *fringe*; when a walk ends, the next one starts at a uniformly random
//! state of the fringe. Walks end at the current cutoff, too, which grows by an increment whenever the fringe is empty.
//!
//! How ours differs from the printed algorithm, which is wrong in places (docs/algorithms.md §4.1):
//! - The root stays in the fringe while it has new successors. The paper forgets the children that the first walks do not
//!   take, and is incomplete.
//! - New means: not covered by a state that was reached in as few steps or fewer. Without the depths, a state that is first reached
//!   by a detour hides what lies behind it from the cutoff, and traces are not the shortest with increment 1.
//! - A greater cutoff goes on from the states that met the old one; the paper starts over.
//! - A state at the last cutoff cuts the search off only if it has a new successor. Then nothing is proved but up to that depth.
//! - States know their parents, so there are traces.
//!
//! Subsumption is the store's; [`equality`](crate::equality) is the paper's way. [`Fringe::Children`] is the variant of the paper's
//! conclusion: the other new successors go into the fringe instead of their parent, so that each state is expanded once.
//!
//! What it preserves: every state that is reachable within the cutoff is covered by a stored one when the fringe is empty, since
//! a state leaves the fringe only when none of its successors is new. So it is complete without a cutoff on finite graphs, and
//! finds the shortest traces to within the increment. Without increment and cutoff depths do not matter and are ignored.
//! Cost: a visit generates all successors of a state, and a state is visited at most once per successor, and once more; 8 bytes a
//! state and a label beside the store, 4 in the fringe.

use crate::budget::{Budget, Limits, Reason};
use crate::fringe::{Core, Fresh};
use crate::goal::Goal;
use crate::per_state::StateId;
use crate::search::{Stop, is_first};
use crate::statistics::Statistics;
use crate::store::Status;
use crate::strategy::Strategy;
use crate::system::Covering;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use crate::fringe::{Fringe, Settings};

/// A deep random search in progress.
pub struct DeepRandom<'a, T: Covering, G> {
    system: &'a T,
    scratch: T::Scratch,
    current: T::State,
    /// The state that `current` is, and its place in the fringe, while a walk is under way.
    at: Option<(StateId, usize)>,
    /// Successors of it that were looked at before an interruption, and how many of them are new.
    skip: usize,
    fresh: u64,
    /// The new successor drawn so far.
    next: T::State,
    label: T::Label,
    core: Core<T, G>,
}

impl<'a, T: Covering<State: Clone>, G: Goal<T>> DeepRandom<'a, T, G> {
    pub fn new(system: &'a T, goal: G, settings: Settings, seed: u64) -> Self {
        Self {
            system,
            scratch: T::Scratch::default(),
            current: T::State::default(),
            at: None,
            skip: 0,
            fresh: 0,
            next: T::State::default(),
            label: T::Label::default(),
            core: Core::new(system, goal, settings, seed),
        }
    }

    /// Sets limits and a flag that cancels the search from outside.
    pub fn limited(mut self, limits: Limits, cancel: Option<Arc<AtomicBool>>) -> Self {
        self.core.budget = Budget::new(limits, cancel);
        self
    }

    fn begin(&mut self) -> Option<Stop<T::Error>> {
        let Self { system, scratch, core, skip, .. } = self;
        let (mut stop, mut seen) = (None, 0);
        let result = system.initial(scratch, &mut |state| {
            seen += 1;
            if seen <= *skip {
                return ControlFlow::Continue(());
            }
            core.counts.generated += 1;
            if core.is_old(*system, state, 0) {
                return ControlFlow::Continue(());
            }
            let Some(id) = core.keep(*system, state, None, 0) else {
                stop = Some(Stop::OutOfBudget(Reason::Capacity));
                return ControlFlow::Break(());
            };
            core.root = core.root.or(Some(id));
            core.wait(id, 0);
            stop = match core.goal.holds(*system, state) {
                Ok(false) => return ControlFlow::Continue(()),
                Ok(true) => Some(Stop::Found(id)),
                Err(error) if is_first(&mut core.failed) => Some(Stop::Failed { at: Some(id), error }),
                Err(_) => return ControlFlow::Continue(()),
            };
            ControlFlow::Break(())
        });
        if let Err(error) = result
            && is_first(&mut core.failed)
        {
            stop = Some(Stop::Failed { at: None, error });
        }
        *skip = if stop.is_some() { seen } else { 0 };
        core.started = stop.is_none();
        stop
    }

    /// Where the next walk starts: at the root at first, then anywhere in the fringe.
    fn start_walk(&mut self) -> Option<Stop<T::Error>> {
        let core = &mut self.core;
        let from_root = core.walks_left > 0 && core.root.is_some() && core.fringe.first().copied() == core.root;
        core.walks_left = if from_root { core.walks_left - 1 } else { 0 };
        if core.fringe.is_empty() {
            return self.deepen();
        }
        let place = if from_root { 0 } else { core.random.index(core.fringe.len()) };
        let id = core.fringe[place];
        if core.store.load(self.system, id, &mut self.current) {
            core.counts.walks += 1;
            self.at = Some((id, place));
        } else {
            core.fringe.swap_remove(place);
        }
        None
    }

    fn expand(&mut self, id: StateId, place: usize) -> Option<Stop<T::Error>> {
        let Self { system, scratch, current, core, skip, fresh, next, label: drawn, .. } = self;
        let depth = core.depths.at(id).saturating_add(1);
        let (mut stop, mut seen) = (None, 0);
        let result = system.successors(scratch, current, &mut |label, state| {
            seen += 1;
            if seen <= *skip {
                return ControlFlow::Continue(());
            }
            if let Err(pause) = core.tick() {
                seen -= 1;
                stop = Some(pause.into());
                return ControlFlow::Break(());
            }
            match core.generated(*system, (id, label), state, depth) {
                Ok(Fresh::No) => {}
                Ok(Fresh::Yes) => {
                    *fresh += 1;
                    if core.random.below(*fresh) == 0 {
                        next.clone_from(state);
                        *drawn = label;
                    }
                }
                Err(why) => {
                    stop = Some(why);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        if let Err(error) = result
            && is_first(&mut core.failed)
        {
            stop = Some(Stop::Failed { at: Some(id), error });
        }
        if stop.is_some() {
            *skip = seen;
            return stop;
        }
        *skip = 0;
        core.counts.explored += 1;
        self.at = None;
        match core.settings.fringe {
            Fringe::Nodes => self.go_on(id, place, depth),
            Fringe::Children => {
                core.fringe.swap_remove(place);
                self.go_to_a_child(depth);
                None
            }
        }
    }

    /// Takes the successor that was drawn; the state stays in the fringe if there are others.
    fn go_on(&mut self, id: StateId, place: usize, depth: u32) -> Option<Stop<T::Error>> {
        let core = &mut self.core;
        let fresh = std::mem::take(&mut self.fresh);
        if fresh <= 1 {
            core.fringe.swap_remove(place);
        }
        if fresh == 0 {
            return None;
        }
        let Some(child) = core.keep(self.system, &self.next, Some((id, self.label)), depth) else {
            return Some(Stop::OutOfBudget(Reason::Capacity));
        };
        if core.wait(child, depth) {
            std::mem::swap(&mut self.current, &mut self.next);
            self.at = Some((child, core.fringe.len() - 1));
        }
        None
    }

    /// All new successors are stored: one of them is next, the others wait.
    fn go_to_a_child(&mut self, depth: u32) {
        let core = &mut self.core;
        let mut children = std::mem::take(&mut core.children);
        children.retain(|child| core.store.status(*child) != Status::Dead);
        core.random.shuffle(&mut children);
        let mut waits = false;
        for child in &children {
            waits = core.wait(*child, depth);
        }
        if let Some(&child) = children.last().filter(|_| waits) {
            core.store.load(self.system, child, &mut self.current);
            self.at = Some((child, core.fringe.len() - 1));
        }
        children.clear();
        core.children = children;
    }

    /// The fringe is empty: goes deeper, or ends.
    fn deepen(&mut self) -> Option<Stop<T::Error>> {
        let core = &mut self.core;
        let last = core.settings.cutoff.unwrap_or(u32::MAX);
        if core.parked.is_empty() {
            return Some(Stop::Exhausted { proof: !core.failed });
        }
        if let Some(increment) = core.settings.increment.filter(|_| core.cutoff < last) {
            core.cutoff = core.cutoff.saturating_add(increment.get()).min(last);
            core.fringe = std::mem::take(&mut core.parked);
            return None;
        }
        self.look_beyond()
    }

    /// Whether a state at the last cutoff has a successor that nothing covers; one state per step.
    fn look_beyond(&mut self) -> Option<Stop<T::Error>> {
        let Self { system, scratch, current, core, .. } = self;
        let Some(&id) = core.parked.get(core.looked_beyond).filter(|_| !core.cut) else {
            return Some(Stop::Exhausted { proof: !core.cut && !core.failed });
        };
        core.looked_beyond += 1;
        if core.store.load(*system, id, current) {
            let result = system.successors(scratch, current, &mut |_, state| {
                core.cut = core.store.coverer_of(*system, state).is_none();
                if core.cut { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            // An error beyond the cutoff is not reported, but not excluded either.
            core.cut |= result.is_err();
        }
        None
    }
}

impl<T: Covering<State: Clone>, G: Goal<T>> Strategy for DeepRandom<'_, T, G> {
    type State = T::State;
    type Label = T::Label;
    type Error = T::Error;

    fn step(&mut self) -> Option<Stop<T::Error>> {
        self.core.budget.start();
        if let Err(pause) = self.core.tick() {
            return Some(pause.into());
        }
        if !self.core.started {
            return self.begin();
        }
        if let Some(reason) = self.core.spent() {
            return Some(Stop::OutOfBudget(reason));
        }
        match self.at {
            Some((id, place)) => self.expand(id, place),
            None => self.start_walk(),
        }
    }

    fn trace(&self, id: StateId) -> Vec<T::Label> {
        self.core.steps.path(id)
    }

    fn statistics(&self) -> Statistics {
        let core = &self.core;
        let bytes = core.bytes() as u64;
        Statistics {
            stored: core.store.len() as u64,
            waiting: (core.fringe.len() + core.parked.len()) as u64,
            keys: core.store.keys() as u64,
            bytes,
            peak_bytes: core.counts.peak_bytes.max(bytes),
            elapsed: core.budget.elapsed(),
            ..core.counts
        }
    }

    fn each_stored(&mut self, visit: &mut dyn FnMut(&T::State)) {
        let mut state = T::State::default();
        for id in 0..self.core.store.ids() as u32 {
            if self.core.store.load(self.system, StateId::from_raw(id), &mut state) {
                visit(&state);
            }
        }
    }
}
