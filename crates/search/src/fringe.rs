//! The books of deep random search: which states are new, which are kept and how they were reached, which are in the fringe, and
//! which wait at the cutoff. See [`deep_random`](crate::deep_random) for what it is for.

use crate::budget::{Budget, Pause, Reason};
use crate::goal::Goal;
use crate::per_state::{PerState, StateId, push_tight, table_bytes};
use crate::random::Random;
use crate::search::{Stop, is_first};
use crate::statistics::Statistics;
use crate::store::{Insertion, Store};
use crate::system::Covering;
use crate::trace::Steps;
use std::cmp::Ordering;
use std::num::NonZeroU32;

/// What a walk leaves in the fringe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fringe {
    /// The states that have other new successors.
    #[default]
    Nodes,
    /// Those successors.
    Children,
}

/// The parameters of the paper, and the variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Walks from the initial state before the fringe is asked.
    pub walks: u64,
    /// How deep to look at most; `None`: as deep as it goes.
    pub cutoff: Option<u32>,
    /// By how much the depth grows from round to round; `None`: there is one round.
    pub increment: Option<NonZeroU32>,
    pub fringe: Fringe,
}

impl Default for Settings {
    fn default() -> Self {
        Self { walks: 1, cutoff: None, increment: None, fringe: Fringe::Nodes }
    }
}

/// Whether a successor may be where the walk goes on.
pub(crate) enum Fresh {
    No,
    Yes,
}

/// What successors do not borrow.
pub(crate) struct Core<T: Covering, G> {
    pub goal: G,
    pub settings: Settings,
    pub random: Random,
    pub store: Store<T::Unit>,
    pub steps: Steps<T::Label>,
    pub depths: PerState<u32>,
    pub budget: Budget,
    pub counts: Statistics,
    /// The depth at which walks end now.
    pub cutoff: u32,
    pub started: bool,
    pub walks_left: u64,
    pub root: Option<StateId>,
    pub fringe: Vec<StateId>,
    /// States at the cutoff, and how many of them have been looked beyond.
    pub parked: Vec<StateId>,
    pub looked_beyond: usize,
    /// One of them has a successor that nothing covers.
    pub cut: bool,
    /// New successors of the state being expanded, for the variant.
    pub children: Vec<StateId>,
    /// The model has failed once.
    pub failed: bool,
}

impl<T: Covering, G: Goal<T>> Core<T, G> {
    pub fn new(system: &T, goal: G, settings: Settings, seed: u64) -> Self {
        Self {
            goal,
            settings,
            random: Random::new(seed),
            store: Store::new(system),
            steps: Steps::default(),
            depths: PerState::new(0),
            budget: Budget::default(),
            counts: Statistics::default(),
            cutoff: settings.increment.map_or(u32::MAX, NonZeroU32::get).min(settings.cutoff.unwrap_or(u32::MAX)),
            started: false,
            walks_left: settings.walks,
            root: None,
            fringe: Vec::new(),
            parked: Vec::new(),
            looked_beyond: 0,
            cut: false,
            children: Vec::new(),
            failed: false,
        }
    }

    /// Whether depths matter.
    fn is_bounded(&self) -> bool {
        self.settings.cutoff.is_some() || self.settings.increment.is_some()
    }

    pub fn is_old(&mut self, system: &T, state: &T::State, depth: u32) -> bool {
        let (bounded, depths) = (self.is_bounded(), &self.depths);
        self.store.coverer_among(system, state, |id| !bounded || depths.at(id) <= depth).is_some()
    }

    /// Stores a new state.
    pub fn keep(
        &mut self,
        system: &T,
        state: &T::State,
        from: Option<(StateId, T::Label)>,
        depth: u32,
    ) -> Option<StateId> {
        let (bounded, depths) = (self.is_bounded(), &self.depths);
        let cost = |id| if bounded { depths.at(id).cmp(&depth) } else { Ordering::Equal };
        let Insertion::New(id) = self.store.insert_ordered(system, state, cost) else { return None };
        self.counts.erased += self.store.erased().len() as u64;
        self.steps.record(id, from);
        self.depths.set(id, depth);
        self.counts.depth = self.counts.depth.max(depth);
        self.counts.peak_stored = self.counts.peak_stored.max(self.store.len() as u64);
        Some(id)
    }

    /// Puts a stored state into the fringe. `false`: it is at the cutoff.
    pub fn wait(&mut self, id: StateId, depth: u32) -> bool {
        let waits = depth < self.cutoff;
        push_tight(if waits { &mut self.fringe } else { &mut self.parked }, id);
        self.counts.peak_waiting = self.counts.peak_waiting.max((self.fringe.len() + self.parked.len()) as u64);
        waits
    }

    /// Asks the goal of a successor. What is found is stored at once, and so are all new ones in the variant.
    pub fn generated(
        &mut self,
        system: &T,
        from: (StateId, T::Label),
        state: &T::State,
        depth: u32,
    ) -> Result<Fresh, Stop<T::Error>> {
        self.counts.generated += 1;
        if self.goal.holds_for_step(system, from.1) {
            let id = self.store.mention().ok_or(Stop::OutOfBudget(Reason::Capacity))?;
            self.steps.record(id, Some(from));
            return Err(Stop::Found(id));
        }
        if self.is_old(system, state, depth) {
            self.counts.covered += 1;
            return Ok(Fresh::No);
        }
        let variant = self.settings.fringe == Fringe::Children;
        let holds = match self.goal.holds(system, state) {
            Err(error) if is_first(&mut self.failed) => Err(error),
            holds => Ok(holds.unwrap_or(false)),
        };
        if !variant && matches!(holds, Ok(false)) {
            return Ok(Fresh::Yes);
        }
        let id = self.keep(system, state, Some(from), depth).ok_or(Stop::OutOfBudget(Reason::Capacity))?;
        if variant {
            self.children.push(id);
        } else {
            self.wait(id, depth);
        }
        match holds {
            Ok(false) => Ok(Fresh::No),
            Ok(true) => Err(Stop::Found(id)),
            Err(error) => Err(Stop::Failed { at: Some(id), error }),
        }
    }

    pub fn tick(&mut self) -> Result<(), Pause> {
        if self.budget.tick()? {
            let bytes = self.bytes();
            self.counts.peak_bytes = self.counts.peak_bytes.max(bytes as u64);
            self.budget.check(bytes)?;
        }
        Ok(())
    }

    pub fn spent(&self) -> Option<Reason> {
        self.budget.spent(self.store.len() as u64, self.counts.explored)
    }

    pub fn bytes(&self) -> usize {
        self.store.bytes()
            + self.steps.bytes()
            + self.depths.bytes()
            + table_bytes(&self.fringe)
            + table_bytes(&self.parked)
    }
}
