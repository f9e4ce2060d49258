//! One walk: the present state, the edges that may begin a transition, and how to go on.
//!
//! A step has two halves. First a transition is tried: its guards are evaluated, its updates run with a log of what they
//! overwrite, and the invariants that it touches are evaluated; this gives the window of moments at which it can be taken,
//! or the log takes everything back. Then the step is taken at one of these moments, and what depends on changed cells,
//! locations and clocks is brought up to date. Nothing else is touched, and nothing is allocated once the buffers have
//! grown, so a step costs what it changes.
//!
//! [`Walker::draw`] chooses with every possible transition equally likely. It draws tickets from the pool until one stands for a
//! transition that is possible; every transition has one ticket, so the one that is found is uniform. After some failures,
//! and where processes are committed, it lists the tickets and draws them without putting them back, which keeps that.

mod invariants;
mod listing;
mod upkeep;

use crate::combine::Options;
use crate::deadlines::Deadlines;
use crate::pool::{NONE, Pool};
use crate::tables::{On, Tables};
use crate::watch::What;
use model::network::{ClockId, LocationId};
use semantics::code::{Discrete, Effects, Facts, Machine, RunError};
use semantics::concrete::{Clocks, FOREVER, System, Window, at_fault};
use semantics::transitions::Move;

/// One way to take an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket {
    pub(crate) actor: u32,
    pub(crate) way: u32,
    /// Where its partner stands on the list of its channel's receivers, or `NONE`: the way then only counts branches.
    pub(crate) partner: u32,
}

impl Ticket {
    pub(crate) fn new(actor: u32, way: u32) -> Ticket {
        Ticket { actor, way, partner: NONE }
    }
}

/// What a walk's state consists of; copied when it starts again.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub discrete: Discrete,
    pub clocks: Clocks,
    pub now: i64,
    /// The last moment until which time may pass.
    pub until: i64,
    pub pool: Pool,
    /// The stretches of buckets that are open: those without a gate, then one per gate.
    pub open: Vec<(u32, u32)>,
    deadlines: Deadlines,
    /// Processes in committed locations.
    pub committed: Vec<u32>,
    /// How many processes listen on the channel of each gate.
    listening: Vec<u32>,
    /// How many processes keep time from passing.
    held: u32,
    /// How many processes set the rate of a clock.
    imposed: Vec<u16>,
}

impl Live {
    fn copy_from(&mut self, other: &Live) {
        self.discrete.locations.copy_from_slice(&other.discrete.locations);
        self.discrete.ints.copy_from_slice(&other.discrete.ints);
        self.clocks.copy_from(&other.clocks);
        self.pool.copy_from(&other.pool);
        self.open.copy_from_slice(&other.open);
        self.deadlines.copy_from(&other.deadlines);
        self.imposed.copy_from_slice(&other.imposed);
        self.listening.copy_from_slice(&other.listening);
        self.committed.clone_from(&other.committed);
        (self.now, self.until, self.held) = (other.now, other.until, other.held);
    }
}

/// A state of a walk with everything that is known about it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    live: Live,
    facts: Vec<(u32, Facts)>,
}

impl Live {
    /// About how much memory it takes.
    fn bytes(&self) -> usize {
        let small = self.discrete.locations.len() + self.discrete.ints.len() + self.imposed.len() + self.open.len();
        let clocks = self.imposed.len() * std::mem::size_of::<semantics::concrete::Line>();
        self.pool.bytes() + 8 * small + clocks + 32 * self.discrete.locations.len()
    }
}

/// What the facts of a piece of an invariant take, about.
const FACTS: usize = 200;

impl Snapshot {
    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        self.live.bytes() + FACTS * self.facts.len()
    }
}

pub struct Walker<'t, 's, 'n> {
    pub(crate) tables: &'t Tables<'s, 'n>,
    pub(crate) live: Live,
    initial: Live,
    /// What each piece of the present invariants says about clocks; nothing for pieces of other locations.
    facts: Vec<Facts>,
    initial_facts: Vec<Facts>,
    /// Pieces whose facts are not the initial ones.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    pub(crate) machine: Machine,
    pub(crate) options: Options,
    /// The transition that is being tried.
    pub(crate) moves: Vec<Move>,
    left: Vec<LocationId>,
    effects: Effects,
    /// Pieces of invariants that the transition touches, and what these say afterwards.
    pending: Vec<u32>,
    pending_facts: Vec<Facts>,
    is_pending: Vec<bool>,
    rerated: Vec<ClockId>,
    /// Clocks whose rates fewer processes set than before.
    freed: Vec<ClockId>,
    tickets: Vec<Ticket>,
    /// Edges that begin more transitions than are listed, and how many about.
    crowds: Vec<(u32, u32)>,
    first: Listed,
    /// `first` is that of the first ticket.
    is_first_known: bool,
    listed: Vec<(Ticket, Window)>,
    pieces: Vec<(Ticket, Window)>,
    levels: Vec<(u32, u32)>,
    actors: Vec<u32>,
    /// For what is computed from scratch.
    system: Option<Box<System<'s, 'n>>>,
}

/// What the first ticket of a list stands for: often it is the only one.
struct Listed {
    moves: Vec<Move>,
    window: Window,
    channel: u32,
}

/// A walk that gets here ends: later moments could not be told apart from [`FOREVER`].
pub const TIME_LIMIT: i64 = 1 << 60;

impl<'t, 's, 'n> Walker<'t, 's, 'n> {
    /// `None` when the invariants do not hold at the start.
    pub fn new(tables: &'t Tables<'s, 'n>) -> Result<Option<Walker<'t, 's, 'n>>, RunError> {
        let network = tables.structure.network;
        let count = network.processes.len();
        let live = Live {
            discrete: Discrete::initial(network),
            clocks: Clocks::initial(network),
            now: 0,
            until: 0,
            pool: Pool::new(tables.actors.len(), tables.buckets.len()),
            open: std::iter::once(tables.free)
                .chain(tables.gates.iter().map(|gate| match gate.on {
                    On::Cell(cell) => gate.open(network.ints[cell as usize].initial),
                    On::Channel(_) => gate.open(0),
                }))
                .collect(),
            deadlines: Deadlines::new(count, FOREVER),
            committed: Vec::new(),
            listening: vec![0; tables.gates.len()],
            held: 0,
            imposed: vec![0; network.clocks.len()],
        };
        let mut walker = Walker {
            tables,
            initial: live.clone(),
            live,
            facts: vec![Facts::default(); tables.pieces.len()],
            initial_facts: Vec::new(),
            touched: Vec::new(),
            is_touched: vec![false; tables.pieces.len()],
            machine: Machine::default(),
            options: Options::default(),
            moves: Vec::new(),
            left: Vec::new(),
            effects: Effects::default(),
            pending: Vec::new(),
            pending_facts: Vec::new(),
            is_pending: vec![false; tables.pieces.len()],
            freed: Vec::new(),
            rerated: Vec::new(),
            tickets: Vec::new(),
            crowds: Vec::new(),
            first: Listed { moves: Vec::new(), window: Window::EMPTY, channel: NONE },
            is_first_known: true,
            listed: Vec::new(),
            pieces: Vec::new(),
            levels: Vec::new(),
            actors: Vec::new(),
            system: None,
        };
        for process in 0..count {
            let location = walker.live.discrete.locations[process];
            walker.enter(process as u32, location);
            tables.pieces_at(process as u32, location).for_each(|piece| walker.pend(piece));
        }
        let window = walker.invariants_after(Window { from: 0, to: 0 })?;
        walker.settle()?;
        walker.clear_pending();
        walker.initial = walker.live.clone();
        walker.initial_facts = walker.facts.clone();
        walker.touched.clear();
        walker.is_touched.fill(false);
        Ok((!window.is_empty()).then_some(walker))
    }

    /// About how much memory a walk takes.
    pub fn bytes(&self) -> usize {
        2 * (self.live.bytes() + FACTS * self.facts.len()) + (64 << 10) * std::mem::size_of::<i32>()
    }

    /// Starts again.
    pub fn restart(&mut self) {
        self.clear_pending();
        self.live.copy_from(&self.initial);
        for piece in self.touched.drain(..) {
            self.facts[piece as usize].clone_from(&self.initial_facts[piece as usize]);
            self.is_touched[piece as usize] = false;
        }
    }

    /// The present state, to come back to.
    pub fn snapshot(&self) -> Snapshot {
        let facts = self.touched.iter().map(|piece| (*piece, self.facts[*piece as usize].clone())).collect();
        Snapshot { live: self.live.clone(), facts }
    }

    /// As [`Walker::snapshot`], into memory that was used before.
    pub fn snapshot_into(&self, snapshot: &mut Snapshot) {
        snapshot.live.copy_from(&self.live);
        snapshot.facts.clear();
        snapshot.facts.extend(self.touched.iter().map(|piece| (*piece, self.facts[*piece as usize].clone())));
    }

    /// Goes back, or ahead, to a state of this walker.
    pub fn resume(&mut self, snapshot: &Snapshot) {
        self.restart();
        self.live.copy_from(&snapshot.live);
        for (piece, facts) in &snapshot.facts {
            self.facts[*piece as usize].clone_from(facts);
            self.is_touched[*piece as usize] = true;
            self.touched.push(*piece);
        }
    }

    /// Where a participant of the tried transition comes from and leads to.
    #[inline]
    pub fn tried_move(&self, n: usize) -> (LocationId, LocationId) {
        (self.left[n], self.live.discrete.locations[self.moves[n].process as usize])
    }

    pub fn discrete(&self) -> &Discrete {
        &self.live.discrete
    }

    pub fn clocks(&self) -> &Clocks {
        &self.live.clocks
    }

    pub fn now(&self) -> i64 {
        self.live.now
    }

    /// The last moment until which time may pass, [`FOREVER`] where nothing ends it.
    pub fn until(&self) -> i64 {
        self.live.until
    }

    /// The edges of the transition that is being tried, or was taken last.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Tries a transition: when it is possible at some moment the state is the one after it, except for the clocks, and
    /// the window says when. Otherwise nothing has changed.
    #[inline]
    pub fn attempt(&mut self, ticket: Ticket) -> Result<Option<Window>, RunError> {
        let horizon = Window { from: self.live.now, to: self.live.until };
        match self.combine(ticket, horizon)? {
            Some(window) if !window.is_empty() => self.proceed(window),
            _ => Ok(None),
        }
    }

    /// Tries the transition that was put together, whose guards hold within the window.
    #[inline]
    fn proceed(&mut self, window: Window) -> Result<Option<Window>, RunError> {
        self.left.clear();
        self.left.extend(self.moves.iter().map(|one| self.live.discrete.locations[one.process as usize]));
        self.effects.clear();
        match self.act_within(window) {
            Ok(window) if !window.is_empty() => Ok(Some(window)),
            other => {
                self.retract();
                other.map(|_| None)
            }
        }
    }

    /// Makes the state the one after the transition; the moments of the window at which its invariants hold.
    #[inline]
    fn act_within(&mut self, window: Window) -> Result<Window, RunError> {
        let structure = self.tables.structure;
        structure.act_noting(&mut self.machine, &self.moves, &mut self.live.discrete, &mut self.effects)?;
        self.pend_touched();
        self.invariants_after(window)
    }

    /// Takes back what was tried.
    pub fn retract(&mut self) {
        for (one, location) in self.moves.iter().zip(&self.left) {
            self.live.discrete.locations[one.process as usize] = *location;
        }
        for (cell, old) in self.effects.written.drain(..).rev() {
            self.live.discrete.ints[cell as usize] = old;
        }
        self.clear_pending();
    }

    /// Takes the tried transition at a moment of its window.
    #[inline]
    pub fn take(&mut self, moment: i64) -> Result<(), RunError> {
        let tables = self.tables;
        self.live.now = moment;
        if !self.effects.resets.is_empty() {
            let assigned = self.live.clocks.assign(&self.effects.resets, moment);
            assigned.map_err(|kind| at_fault(tables.structure, kind, &self.moves))?;
        }
        for n in 0..self.moves.len() {
            let process = self.moves[n].process;
            let (from, to) = (self.left[n], self.live.discrete.locations[process as usize]);
            if from != to {
                self.leave(process, from);
                self.enter(process, to);
            }
        }
        for n in 0..self.effects.written.len() {
            let (cell, old) = self.effects.written[n];
            if self.live.discrete.ints[cell as usize] == old {
                continue;
            }
            let gate = tables.gate_of[cell as usize];
            if gate != NONE {
                let value = self.live.discrete.ints[cell as usize];
                self.live.open[gate as usize + 1] = tables.gates[gate as usize].open(value);
            }
            for watcher in tables.watch.of(cell) {
                if let What::Guard(edge) = watcher.what() {
                    self.refresh(watcher.process, edge);
                }
            }
        }
        if !self.effects.written.is_empty() {
            for (range, watcher) in tables.watch.wide() {
                if let What::Guard(edge) = watcher.what()
                    && self.effects.written.iter().any(|(cell, _)| range.contains(cell))
                {
                    self.refresh(watcher.process, edge);
                }
            }
        }
        self.settle()?;
        self.clear_pending();
        Ok(())
    }
}
