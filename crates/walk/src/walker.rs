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

use crate::combine::Options;
use crate::deadlines::Deadlines;
use crate::pool::{NONE, Pool};
use crate::tables::{Fixed, Membership, On, Tables};
use crate::watch::What;
use semantics::code::{Discrete, Effects, Facts, Machine, RunError, RunErrorKind};
use semantics::concrete::{Clocks, FOREVER, Window, at_fault, outside};
use semantics::network::{ClockId, LocationId, LocationKind, ProcessId};
use semantics::random::Random;
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

impl Snapshot {
    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        let live = &self.live;
        let small = live.discrete.locations.len() + live.discrete.ints.len() + live.imposed.len() + live.open.len();
        let clocks = live.imposed.len() * std::mem::size_of::<semantics::concrete::Line>();
        live.pool.bytes() + 8 * small + clocks + 200 * self.facts.len() + 32 * live.discrete.locations.len()
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
    listed: Vec<(Ticket, Window)>,
    pieces: Vec<(Ticket, Window)>,
    actors: Vec<u32>,
}

/// Draws from the pool before everything is listed.
const TRIES: u32 = 32;

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
            listed: Vec::new(),
            pieces: Vec::new(),
            actors: Vec::new(),
        };
        for process in 0..count {
            let location = walker.live.discrete.locations[process];
            walker.enter(process as u32, location)?;
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

    /// Draws a possible transition, each equally likely, and leaves it tried: [`Walker::take`] or [`Walker::retract`]
    /// comes next. `None` when nothing is possible any more, whatever time passes.
    #[inline]
    pub fn draw(&mut self, random: &mut Random) -> Result<Option<Window>, RunError> {
        if self.live.committed.is_empty() && !self.tables.lists_only {
            for _ in 0..TRIES {
                let drawn = self.live.pool.draw(&self.tables.buckets, &self.live.open, random);
                let Some((actor, way)) = drawn else { return Ok(None) };
                if way < self.tables.actors[actor as usize].tickets
                    && let Some(window) = self.attempt(Ticket::new(actor, way))?
                {
                    return Ok(Some(window));
                }
            }
        }
        if self.tables.structure.has_priorities {
            return self.draw_listed(random);
        }
        self.list_tickets()?;
        while !self.tickets.is_empty() {
            let ticket = self.tickets.swap_remove(random.index(self.tickets.len()));
            if let Some(window) = self.attempt(ticket)? {
                return Ok(Some(window));
            }
        }
        Ok(None)
    }

    /// Draws from the list of all transitions, where priorities have cut their windows.
    fn draw_listed(&mut self, random: &mut Random) -> Result<Option<Window>, RunError> {
        let mut listed = std::mem::take(&mut self.listed);
        let result = self.candidates(&mut listed).and_then(|()| match listed.is_empty() {
            true => Ok(None),
            false => {
                let (ticket, window) = listed[random.index(listed.len())];
                Ok(self.attempt(ticket)?.map(|whole| whole.meet(window)))
            }
        });
        self.listed = listed;
        result
    }

    /// Every possible transition with its window, in a fixed order. None of them is left tried.
    pub fn candidates(&mut self, out: &mut Vec<(Ticket, Window)>) -> Result<(), RunError> {
        out.clear();
        self.list_tickets()?;
        let mut tickets = std::mem::take(&mut self.tickets);
        let mut result = Ok(());
        for ticket in tickets.drain(..) {
            match self.attempt(ticket) {
                Ok(Some(window)) => {
                    self.retract();
                    out.push((ticket, window));
                }
                Ok(None) => {}
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        self.tickets = tickets;
        result?;
        if self.tables.structure.has_priorities { self.apply_priorities(out) } else { Ok(()) }
    }

    /// Takes away the moments at which something of a higher priority is possible.
    fn apply_priorities(&mut self, out: &mut Vec<(Ticket, Window)>) -> Result<(), RunError> {
        let mut levels = Vec::with_capacity(out.len());
        for (ticket, _) in out.iter() {
            levels.push(self.priority(*ticket)?);
        }
        self.pieces.clear();
        for (n, (ticket, window)) in out.iter().enumerate() {
            let mut windows = vec![*window];
            for (m, (_, other)) in out.iter().enumerate() {
                if levels[m] > levels[n] {
                    windows = windows.iter().flat_map(|window| outside(*window, *other)).collect();
                }
            }
            self.pieces.extend(windows.into_iter().map(|window| (*ticket, window)));
        }
        out.clone_from(&self.pieces);
        Ok(())
    }

    /// The priority of a transition: of its channel, then of its participants.
    fn priority(&mut self, ticket: Ticket) -> Result<(u32, u32), RunError> {
        let horizon = Window { from: self.live.now, to: self.live.until };
        self.combine(ticket, horizon)?;
        let network = self.tables.structure.network;
        let level = match self.options.channel {
            NONE => network.default_priority,
            channel => network.channels[channel as usize].priority,
        };
        let process = self.moves.iter().map(|one| network.processes[one.process as usize].priority).max();
        Ok((level, process.unwrap_or(0)))
    }

    /// The channel of the transition that was tried last; `None` for an internal one.
    pub fn channel(&self) -> Option<u32> {
        (self.options.channel != NONE).then_some(self.options.channel)
    }

    /// The channel of a transition as a number; internal ones have one of their own.
    pub fn channel_of_ticket(&mut self, ticket: Ticket) -> Result<u32, RunError> {
        let (process, expanded) = self.tables.expanded(ticket.actor);
        Ok(self.channel_of(process, expanded)?.unwrap_or(NONE))
    }

    /// The edge that begins the transition: internal, or the one that sends.
    pub fn beginning(&self, ticket: Ticket) -> usize {
        ticket.actor as usize
    }

    /// The tickets of all edges that may begin a transition now; with committed processes, of those that may involve one.
    fn list_tickets(&mut self) -> Result<(), RunError> {
        self.actors.clear();
        let tables = self.tables;
        if self.live.committed.is_empty() {
            for (first, end) in &self.live.open {
                for bucket in *first..*end {
                    self.actors.extend_from_slice(self.live.pool.members(&tables.buckets, bucket));
                }
            }
        } else {
            self.list_committed()?;
        }
        self.tickets.clear();
        let horizon = Window { from: self.live.now, to: self.live.until };
        for n in 0..self.actors.len() {
            self.list_ways(self.actors[n], horizon)?;
        }
        Ok(())
    }

    /// The tickets of one edge.
    fn list_ways(&mut self, actor: u32, horizon: Window) -> Result<(), RunError> {
        if self.meets_one(actor)? {
            // One look at the receivers is enough.
            return self.list_receivers(actor, horizon);
        }
        for way in 0.. {
            let ticket = Ticket::new(actor, way);
            match self.combine(ticket, horizon)? {
                None => break,
                Some(window) if window.is_empty() => {}
                Some(_) => {
                    if self.live.committed.is_empty() || self.involves_committed() {
                        self.tickets.push(ticket);
                    }
                }
            }
        }
        Ok(())
    }

    pub(crate) fn push_ticket(&mut self, ticket: Ticket) {
        self.tickets.push(ticket);
    }

    /// The edges that may begin a transition in which a committed process takes part.
    fn list_committed(&mut self) -> Result<(), RunError> {
        let tables = self.tables;
        for n in 0..self.live.committed.len() {
            let process = self.live.committed[n];
            let location = self.live.discrete.locations[process as usize];
            let code = tables.structure.location(process as usize, location);
            for index in code.internal.iter().chain(&code.sending).chain(&code.csp) {
                self.list_actor(tables.actor(process, *index));
            }
            for index in code.receiving.iter().chain(&code.csp) {
                let Some(channel) = self.channel_of(process, *index)? else { continue };
                for list in [&tables.senders, &tables.shared] {
                    for partner in list.of(channel) {
                        if self.live.discrete.locations[partner.process as usize] == partner.location {
                            self.list_actor(tables.actor(partner.process, partner.expanded));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn list_actor(&mut self, actor: u32) {
        if self.is_open(actor) && !self.actors.contains(&actor) {
            self.actors.push(actor);
        }
    }

    /// Whether an edge is in the pool and its gate is open.
    pub(crate) fn is_open(&self, actor: u32) -> bool {
        let known = &self.tables.actors[actor as usize];
        let open = known.gate == NONE
            || match self.tables.gates[known.gate as usize].on {
                On::Cell(cell) => self.live.discrete.ints[cell as usize] == known.value,
                On::Channel(_) => self.live.listening[known.gate as usize] > 0,
            };
        open && self.live.pool.contains(actor)
    }

    fn involves_committed(&self) -> bool {
        self.moves.iter().any(|one| self.live.committed.contains(&one.process))
    }

    /// Tries a transition: when it is possible at some moment the state is the one after it, except for the clocks, and
    /// the window says when. Otherwise nothing has changed.
    #[inline]
    pub fn attempt(&mut self, ticket: Ticket) -> Result<Option<Window>, RunError> {
        let horizon = Window { from: self.live.now, to: self.live.until };
        let Some(window) = self.combine(ticket, horizon)? else { return Ok(None) };
        if window.is_empty() {
            return Ok(None);
        }
        self.left.clear();
        self.left.extend(self.moves.iter().map(|one| self.live.discrete.locations[one.process as usize]));
        self.effects.clear();
        let structure = self.tables.structure;
        structure.act_noting(&mut self.machine, &self.moves, &mut self.live.discrete, &mut self.effects)?;
        self.pend_touched();
        let window = self.invariants_after(window)?;
        if window.is_empty() {
            self.retract();
            return Ok(None);
        }
        Ok(Some(window))
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

    fn clear_pending(&mut self) {
        for piece in self.pending.drain(..) {
            self.is_pending[piece as usize] = false;
        }
    }

    fn pend(&mut self, piece: u32) {
        if !std::mem::replace(&mut self.is_pending[piece as usize], true) {
            self.pending.push(piece);
        }
    }

    /// Collects the pieces of invariants that the tried transition touches: those of the processes that moved, and those
    /// that read what it wrote.
    #[inline]
    fn pend_touched(&mut self) {
        let tables = self.tables;
        for n in 0..self.moves.len() {
            let process = self.moves[n].process;
            let location = self.live.discrete.locations[process as usize];
            tables.pieces_at(process, location).for_each(|piece| self.pend(piece));
        }
        for n in 0..self.effects.written.len() {
            let (cell, old) = self.effects.written[n];
            if self.live.discrete.ints[cell as usize] == old {
                continue;
            }
            for watcher in tables.watch.of(cell) {
                if let What::Invariant(piece) = watcher.what() {
                    self.pend_present(piece);
                }
            }
        }
        if !self.effects.written.is_empty() {
            for (range, watcher) in tables.watch.wide() {
                if let What::Invariant(piece) = watcher.what()
                    && self.effects.written.iter().any(|(cell, _)| range.contains(cell))
                {
                    self.pend_present(piece);
                }
            }
        }
        for n in 0..self.effects.resets.len() {
            let clock = self.effects.resets[n].target;
            for watcher in tables.clock_watch.of(clock.index() as u32) {
                if let What::Invariant(piece) = watcher.what() {
                    self.pend_present(piece);
                }
            }
            for (range, watcher) in tables.clock_watch.wide() {
                if let What::Invariant(piece) = watcher.what()
                    && range.contains(&(clock.index() as u32))
                {
                    self.pend_present(piece);
                }
            }
        }
    }

    fn pend_present(&mut self, piece: u32) {
        let known = &self.tables.pieces[piece as usize];
        if self.live.discrete.locations[known.process as usize] == known.location {
            self.pend(piece);
        }
    }

    /// Evaluates the pending pieces of invariants and keeps the moments at which they hold afterwards.
    #[inline]
    fn invariants_after(&mut self, mut window: Window) -> Result<Window, RunError> {
        let structure = self.tables.structure;
        for n in 0..self.pending.len() {
            if self.pending_facts.len() == n {
                self.pending_facts.push(Facts::default());
            }
            let facts = &mut self.pending_facts[n];
            facts.clear();
            let piece = &self.tables.pieces[self.pending[n] as usize];
            if let Fixed::Bounds(start, end) = piece.fixed {
                facts.bounds.extend_from_slice(self.tables.fixed.of((start, end)));
            } else {
                let (state, id) = (&self.live.discrete, ProcessId::new(piece.process as usize));
                if !self.machine.condition(&structure.programs, piece.condition, id, &piece.frame, state, facts)? {
                    return Ok(Window::EMPTY);
                }
            }
            for bound in &facts.bounds {
                self.live.clocks.require_after(&mut window, bound, &self.effects.resets);
            }
            if window.is_empty() {
                return Ok(window);
            }
        }
        Ok(window)
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
                self.enter(process, to)?;
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
                    self.refresh(watcher.process, edge)?;
                }
            }
        }
        if !self.effects.written.is_empty() {
            for (range, watcher) in tables.watch.wide() {
                if let What::Guard(edge) = watcher.what()
                    && self.effects.written.iter().any(|(cell, _)| range.contains(cell))
                {
                    self.refresh(watcher.process, edge)?;
                }
            }
        }
        self.settle()?;
        self.clear_pending();
        Ok(())
    }

    /// Makes the facts of the pending pieces the present ones: rates of clocks, deadlines, urgency.
    fn settle(&mut self) -> Result<(), RunError> {
        let now = self.live.now;
        self.rerated.clear();
        self.freed.clear();
        for n in 0..self.left.len() {
            let (process, from) = (self.moves[n].process, self.left[n]);
            if self.live.discrete.locations[process as usize] != from {
                for piece in self.tables.pieces_at(process, from) {
                    self.touch(piece);
                    let facts = &mut self.facts[piece as usize];
                    for (clock, _) in &facts.rates {
                        self.live.imposed[clock.index()] -= 1;
                        self.freed.push(*clock);
                    }
                    facts.clear();
                }
            }
        }
        for n in 0..self.pending.len() {
            let piece = self.pending[n];
            self.touch(piece);
            std::mem::swap(&mut self.facts[piece as usize], &mut self.pending_facts[n]);
            for (clock, _) in &self.pending_facts[n].rates {
                self.live.imposed[clock.index()] -= 1;
                self.freed.push(*clock);
            }
        }
        for n in 0..self.pending.len() {
            let piece = self.pending[n] as usize;
            for (clock, rate) in &self.facts[piece].rates {
                let imposed = &mut self.live.imposed[clock.index()];
                let present = self.live.clocks.line(*clock).rate;
                if present != i64::from(*rate) {
                    if *imposed > 0 {
                        return Err(self.two_rates(self.tables.pieces[piece].process as usize));
                    }
                    self.live.clocks.set_rate(*clock, i64::from(*rate), now);
                    self.rerated.push(*clock);
                }
                *imposed += 1;
            }
        }
        for n in 0..self.freed.len() {
            let clock = self.freed[n];
            if self.live.imposed[clock.index()] == 0 && self.live.clocks.line(clock).rate != 1 {
                self.live.clocks.set_rate(clock, 1, now);
                self.rerated.push(clock);
            }
        }
        for n in 0..self.left.len() {
            self.set_deadline(self.moves[n].process);
        }
        for n in 0..self.pending.len() {
            let piece = self.pending[n] as usize;
            if !self.facts[piece].bounds.is_empty() || !self.pending_facts[n].bounds.is_empty() {
                self.set_deadline(self.tables.pieces[piece].process);
            }
        }
        let tables = self.tables;
        for n in 0..self.rerated.len() {
            let clock = self.rerated[n].index() as u32;
            for watcher in tables.clock_watch.of(clock) {
                self.look_at_deadline(watcher.what());
            }
            for (range, watcher) in tables.clock_watch.wide() {
                if range.contains(&clock) {
                    self.look_at_deadline(watcher.what());
                }
            }
        }
        self.live.until = match self.live.held {
            0 => self.live.deadlines.least(),
            _ => now,
        };
        if tables.urgent.1 > 0 && self.live.until > now {
            self.hurry()?;
        }
        Ok(())
    }

    fn touch(&mut self, piece: u32) {
        if !std::mem::replace(&mut self.is_touched[piece as usize], true) {
            self.touched.push(piece);
        }
    }

    #[cold]
    fn two_rates(&self, process: usize) -> RunError {
        let id = ProcessId::new(process);
        let template = self.tables.structure.network.template_of(id);
        let span = template.location(self.live.discrete.locations[process]).span;
        RunError { kind: RunErrorKind::Unsupported("two invariants give a clock different rates"), span, process: id }
    }

    /// A clock of a piece runs at another rate.
    fn look_at_deadline(&mut self, what: What) {
        if let What::Invariant(piece) = what
            && !self.facts[piece as usize].bounds.is_empty()
        {
            self.set_deadline(self.tables.pieces[piece as usize].process);
        }
    }

    fn set_deadline(&mut self, process: u32) {
        let mut window = Window { from: self.live.now, to: FOREVER };
        let location = self.live.discrete.locations[process as usize];
        for piece in self.tables.pieces_at(process, location) {
            if !self.tables.pieces[piece as usize].bounds {
                break;
            }
            for bound in &self.facts[piece as usize].bounds {
                self.live.clocks.require(&mut window, bound);
            }
        }
        self.live.deadlines.set(process as usize, window.to);
    }

    /// Time stops when a synchronisation over an urgent channel becomes possible.
    fn hurry(&mut self) -> Result<(), RunError> {
        let tables = self.tables;
        for bucket in tables.urgent.0..tables.urgent.1 {
            let count = self.live.pool.members(&tables.buckets, bucket).len();
            for n in 0..count {
                let actor = self.live.pool.members(&tables.buckets, bucket)[n];
                for way in 0.. {
                    let horizon = Window { from: self.live.now, to: self.live.until };
                    let Some(window) = self.combine(Ticket::new(actor, way), horizon)? else { break };
                    let urgent = self.options.channel != NONE
                        && tables.structure.network.channels[self.options.channel as usize].kind.urgent;
                    if urgent && !window.is_empty() {
                        self.live.until = window.from;
                        if self.live.until <= self.live.now {
                            return Ok(());
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn leave(&mut self, process: u32, location: LocationId) {
        let tables = self.tables;
        for gate in tables.listens(process, location) {
            let listening = &mut self.live.listening[*gate as usize];
            *listening -= 1;
            if *listening == 0 {
                self.live.open[*gate as usize + 1] = (0, 0);
            }
        }
        let code = tables.structure.location(process as usize, location);
        for index in code.internal.iter().chain(&code.sending).chain(&code.csp) {
            let actor = tables.actor(process, *index);
            self.live.pool.remove(&tables.buckets, tables.actors[actor as usize].bucket, actor);
        }
        match code.kind {
            LocationKind::Normal => {}
            LocationKind::Urgent => self.live.held -= 1,
            LocationKind::Committed => {
                self.live.held -= 1;
                self.live.committed.retain(|other| *other != process);
            }
        }
    }

    fn enter(&mut self, process: u32, location: LocationId) -> Result<(), RunError> {
        let tables = self.tables;
        for gate in tables.listens(process, location) {
            self.live.listening[*gate as usize] += 1;
            self.live.open[*gate as usize + 1] = tables.gates[*gate as usize].open(1);
        }
        let code = tables.structure.location(process as usize, location);
        match code.kind {
            LocationKind::Normal => {}
            LocationKind::Urgent => self.live.held += 1,
            LocationKind::Committed => {
                self.live.held += 1;
                self.live.committed.push(process);
            }
        }
        let mut last = (NONE, false);
        for index in code.internal.iter().chain(&code.sending).chain(&code.csp) {
            let edge = tables.structure.edge_id(process as usize, *index);
            let (compiled, _) = tables.structure.expanded(process as usize, *index);
            if edge != last.0 || compiled.guard_selects {
                last = (edge, self.is_member(process, *index, edge)?);
            }
            if last.1 {
                let actor = tables.actor(process, *index);
                self.live.pool.insert(&tables.buckets, tables.actors[actor as usize].bucket, actor);
            }
        }
        Ok(())
    }

    /// Looks again whether the guard of an edge holds.
    fn refresh(&mut self, process: u32, edge: u32) -> Result<(), RunError> {
        let tables = self.tables;
        let table = &tables.edges[edge as usize];
        if self.live.discrete.locations[process as usize] != table.source {
            return Ok(());
        }
        let mut holds = None;
        for index in table.expanded.clone() {
            let (compiled, _) = tables.structure.expanded(process as usize, index);
            if holds.is_none() || compiled.guard_selects {
                holds = Some(self.is_member(process, index, edge)?);
            }
            let actor = tables.actor(process, index);
            let bucket = tables.actors[actor as usize].bucket;
            match holds {
                Some(true) => self.live.pool.insert(&tables.buckets, bucket, actor),
                _ => self.live.pool.remove(&tables.buckets, bucket, actor),
            }
        }
        Ok(())
    }

    /// Whether the integers, gates aside, allow an edge.
    #[inline]
    fn is_member(&mut self, process: u32, index: u32, edge: u32) -> Result<bool, RunError> {
        let tables = self.tables;
        let id = ProcessId::new(process as usize);
        let (compiled, select) = tables.structure.expanded(process as usize, index);
        let programs = &tables.structure.programs;
        let facts = &mut self.options.ignored;
        facts.clear();
        match (&tables.edges[edge as usize].membership, compiled.guard) {
            (Membership::Always, _) | (_, None) => Ok(true),
            (Membership::Guard, Some(guard)) => {
                self.machine.condition(programs, guard, id, select, &self.live.discrete, facts)
            }
            (Membership::Rest(parts), _) => {
                for part in parts {
                    if !self.machine.condition(programs, *part, id, select, &self.live.discrete, facts)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// The edges in the pool whose gates are open, for tests that compare with a pool made from scratch.
    pub fn pool_is_right(&mut self) -> Result<bool, RunError> {
        let tables = self.tables;
        for process in 0..tables.structure.network.processes.len() as u32 {
            let location = self.live.discrete.locations[process as usize];
            for index in 0..tables.first[process as usize + 1] - tables.first[process as usize] {
                let edge = tables.structure.edge_id(process as usize, index);
                let table = &tables.edges[edge as usize];
                if !table.acts {
                    continue;
                }
                let expected = table.source == location && self.is_member(process, index, edge)?;
                if self.live.pool.contains(tables.actor(process, index)) != expected {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
