//! Which transitions are possible: one drawn with every one equally likely, or all of them, cut by priorities.

use super::{Ticket, Walker};
use crate::combine::CROWD;
use crate::pool::NONE;
use crate::tables::On;
use search::random::Random;
use semantics::code::RunError;
use semantics::concrete::{Window, outside};
use semantics::transitions::Move;

/// Draws from the pool before everything is listed.
const TRIES: u64 = 32;
/// So few edges are listed at once if each has many tickets.
const FEW: u64 = 4;

/// Whether edges that cannot be taken yet may fall asleep. A walk that is made again must meet the same edges, so only what
/// every walk does may change who sleeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Doze {
    Yes,
    No,
}

impl Walker<'_, '_, '_> {
    /// Draws a possible transition, each equally likely, and leaves it tried: [`Walker::take`] or [`Walker::retract`]
    /// comes next. `None` when nothing is possible any more, whatever time passes.
    #[inline]
    pub fn draw(&mut self, random: &mut Random) -> Result<Option<Window>, RunError> {
        if self.live.committed.is_empty() && !self.tables.lists_only {
            for tries in 1..=TRIES {
                let (tickets, edges) = self.live.pool.count(&self.tables.buckets, &self.live.open);
                if tickets == 0 {
                    return Ok(None);
                }
                if edges <= FEW && tickets > 2 * edges {
                    break;
                }
                let drawn = self.live.pool.ticket(&self.tables.buckets, &self.live.open, random.below(tickets));
                let Some((actor, way)) = drawn else { return Ok(None) };
                if way < self.tables.actors[actor as usize].tickets {
                    if let Some(window) = self.attempt(Ticket::new(actor, way))? {
                        return Ok(Some(window));
                    }
                    if self.options.too_early && self.tables.alarms.may_sleep(actor) {
                        self.fall_asleep(actor);
                    }
                }
                if tries >= tickets {
                    break;
                }
            }
        }
        self.list_tickets(Doze::Yes)?;
        if !self.crowds.is_empty() {
            return self.draw_from_crowds(random);
        }
        if self.tickets.len() == 1 && self.is_first_known {
            self.tickets.clear();
            self.moves.clone_from(&self.first.moves);
            self.options.channel = self.first.channel;
            return self.proceed(self.first.window);
        }
        if self.tables.structure.has_priorities {
            return self.draw_listed(random);
        }
        while !self.tickets.is_empty() {
            let ticket = self.tickets.swap_remove(random.index(self.tickets.len()));
            if let Some(window) = self.attempt(ticket)? {
                return Ok(Some(window));
            }
        }
        Ok(None)
    }

    /// Draws where some edges begin more transitions than are listed: a number from all of theirs, until one is possible.
    #[cold]
    fn draw_from_crowds(&mut self, random: &mut Random) -> Result<Option<Window>, RunError> {
        for _ in 0..CROWD {
            let listed = self.tickets.len() as u64;
            let all = self.crowds.iter().fold(listed, |sum, (_, ways)| sum + u64::from(*ways));
            if all == 0 || allowance::is_over() {
                return Ok(None);
            }
            let mut drawn = random.below(all);
            let ticket = if drawn < listed {
                self.tickets.swap_remove(drawn as usize)
            } else {
                drawn -= listed;
                let at = self.crowds.iter().position(|(_, ways)| match drawn < u64::from(*ways) {
                    true => true,
                    false => {
                        drawn -= u64::from(*ways);
                        false
                    }
                });
                let Some((actor, _)) = at.and_then(|at| self.crowds.get(at)) else { return Ok(None) };
                Ticket::new(*actor, drawn as u32)
            };
            if let Some(window) = self.attempt(ticket)? {
                return Ok(Some(window));
            }
        }
        Ok(None)
    }

    /// Draws from all transitions of the listed tickets, where priorities have cut their windows.
    pub(super) fn draw_listed(&mut self, random: &mut Random) -> Result<Option<Window>, RunError> {
        let mut listed = std::mem::take(&mut self.listed);
        let result = self.possible(&mut listed).and_then(|()| match listed.is_empty() {
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
        self.list_tickets(Doze::No)?;
        self.list_some_of_crowds();
        self.possible(out)
    }

    /// The possible transitions among those of the listed tickets.
    fn possible(&mut self, out: &mut Vec<(Ticket, Window)>) -> Result<(), RunError> {
        out.clear();
        let mut tickets = std::mem::take(&mut self.tickets);
        let mut result = Ok(());
        for ticket in tickets.drain(..) {
            match self.attempt(ticket) {
                Ok(Some(window)) => {
                    self.retract();
                    out.push((ticket, window));
                }
                Ok(None) => {}
                // Whoever chooses among all does without it where there are others and no priorities.
                Err(error) => result = Err(error),
            }
        }
        self.tickets = tickets;
        if out.is_empty() || self.tables.structure.has_priorities {
            result?;
        }
        if self.tables.structure.has_priorities && out.len() > 1 { self.apply_priorities(out) } else { Ok(()) }
    }

    /// Takes away the moments at which something of a higher priority is possible.
    fn apply_priorities(&mut self, out: &mut Vec<(Ticket, Window)>) -> Result<(), RunError> {
        self.levels.clear();
        for (ticket, _) in out.iter() {
            let level = self.priority(*ticket)?;
            self.levels.push(level);
        }
        if self.levels.iter().all(|level| *level == self.levels[0]) {
            return Ok(());
        }
        self.pieces.clear();
        for (n, (ticket, window)) in out.iter().enumerate() {
            let first = self.pieces.len();
            self.pieces.push((*ticket, *window));
            for (m, (_, other)) in out.iter().enumerate() {
                if self.levels[m] <= self.levels[n] {
                    continue;
                }
                for at in (first..self.pieces.len()).rev() {
                    let (_, piece) = self.pieces.swap_remove(at);
                    self.pieces.extend(outside(piece, *other).map(|part| (*ticket, part)));
                }
            }
        }
        out.clone_from(&self.pieces);
        Ok(())
    }

    /// The priority of a transition: of its channel, then of its participants.
    pub(super) fn priority(&mut self, ticket: Ticket) -> Result<(u32, u32), RunError> {
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

    /// The process that begins the transition.
    pub fn mover(&self, ticket: Ticket) -> u32 {
        self.tables.expanded(ticket.actor).0
    }

    /// The tickets of all edges that may begin a transition now; with committed processes, of those that may involve one.
    pub(super) fn list_tickets(&mut self, doze: Doze) -> Result<(), RunError> {
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
        self.is_first_known = true;
        self.crowds.clear();
        let horizon = Window { from: self.live.now, to: self.live.until };
        for n in 0..self.actors.len() {
            if allowance::is_over() {
                break;
            }
            let actor = self.actors[n];
            self.options.too_early = false;
            if self.list_ways(actor, horizon).is_err() {
                // It fails when it is tried, like any other that may be drawn.
                self.tickets.push(Ticket::new(actor, 0));
                self.is_first_known = false;
            }
            if self.options.too_early && doze == Doze::Yes && self.tables.alarms.may_sleep(actor) {
                self.fall_asleep(actor);
            }
        }
        Ok(())
    }

    /// The tickets of one edge; [`Walker::combine`] finds what they stand for.
    pub(super) fn list_ways(&mut self, actor: u32, horizon: Window) -> Result<(), RunError> {
        let tables = self.tables;
        let (process, expanded) = tables.expanded(actor);
        let Some(window) = self.guard(process, expanded, horizon)? else { return Ok(()) };
        if window.is_empty() {
            self.options.too_early = true;
            return Ok(());
        }
        let (edge, _) = tables.structure.expanded(process as usize, expanded);
        let branches = edge.branches.len() as u32;
        let committed = &self.live.committed;
        let involved = committed.is_empty() || committed.contains(&process);
        let first = Move { process, expanded, branch: 0 };
        self.options.channel = NONE;
        if edge.channel.is_none() {
            if involved {
                self.moves.clear();
                self.moves.push(first);
                (0..branches).for_each(|way| self.push_ticket(Ticket::new(actor, way), window));
            }
            return Ok(());
        }
        let Some(channel) = self.channel_of(process, expanded)? else { return Ok(()) };
        let shared = tables.structure.is_shared(process as usize, expanded);
        let broadcast = tables.structure.network.channels[channel as usize].kind.broadcast;
        self.options.channel = channel;
        if !shared && !broadcast {
            return self.list_receivers(actor, channel, window);
        }
        if !shared && involved {
            self.moves.clear();
            self.moves.push(first);
            let (combinations, window) = self.receptions(process, channel, window)?;
            let ways = branches.saturating_mul(combinations);
            if ways > CROWD && !tables.structure.has_priorities {
                self.crowds.push((actor, ways));
                return Ok(());
            }
            for way in 0..branches.saturating_mul(combinations) {
                self.push_ticket(Ticket::new(actor, way), window);
            }
            return Ok(());
        }
        if shared {
            let ways = self.shares(process, channel, window)?.saturating_mul(branches);
            if ways > CROWD && self.live.committed.is_empty() && !tables.structure.has_priorities {
                self.crowds.push((actor, ways));
                return Ok(());
            }
        }
        for way in 0.. {
            if allowance::is_over() {
                break;
            }
            let ticket = Ticket::new(actor, way);
            match self.combine(ticket, horizon)? {
                None => break,
                Some(window) if window.is_empty() => {}
                Some(window) => {
                    if self.live.committed.is_empty() || self.involves_committed() {
                        self.push_ticket(ticket, window);
                    }
                }
            }
        }
        Ok(())
    }

    /// Lists transitions of those edges that begin more than are listed, far apart from each other.
    fn list_some_of_crowds(&mut self) {
        let crowds = std::mem::take(&mut self.crowds);
        for (actor, ways) in &crowds {
            let apart = (ways / CROWD).max(1);
            self.tickets.extend((0..CROWD).map(|n| Ticket::new(*actor, n * apart)));
        }
        self.crowds = crowds;
        self.crowds.clear();
    }

    /// Adds a ticket to the list. The first one must stand for the present moves.
    pub(crate) fn push_ticket(&mut self, ticket: Ticket, window: Window) {
        if self.tickets.is_empty() {
            self.first.moves.clone_from(&self.moves);
            (self.first.window, self.first.channel) = (window, self.options.channel);
        }
        self.tickets.push(ticket);
    }

    /// The edges that may begin a transition in which a committed process takes part.
    pub(super) fn list_committed(&mut self) -> Result<(), RunError> {
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

    pub(super) fn list_actor(&mut self, actor: u32) {
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

    pub(super) fn involves_committed(&self) -> bool {
        self.moves.iter().any(|one| self.live.committed.contains(&one.process))
    }
}
