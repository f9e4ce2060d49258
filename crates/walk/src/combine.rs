//! The transitions that an edge can begin: with whom, along which branches, and when by the guards of all of them.
//!
//! They are numbered. An internal edge has one for every branch; an edge that sends to one other process one for every
//! edge that can receive; a broadcast takes every process that can receive, in every combination of their edges; a shared
//! (CSP style) channel needs an edge of each process. Where receivers of a broadcast have clock guards, who takes part
//! depends on the moment: the time is cut into pieces within which nobody's guard changes, and a combination counts once for
//! every unbroken stretch of pieces in which it exists.

use crate::partners::Partner;
use crate::pool::NONE;
use crate::tables::Fixed;
use crate::walker::{Ticket, Walker};
use semantics::code::{Facts, RunError};
use semantics::concrete::Window;
use semantics::network::ProcessId;
use semantics::transitions::Move;

/// One way in which a process can take part.
#[derive(Clone, Copy, Debug)]
struct Choice {
    part: Move,
    window: Window,
}

/// Scratch memory.
#[derive(Default)]
pub(crate) struct Options {
    /// The channel of the transition put together last, or `NONE`.
    pub channel: u32,
    facts: Facts,
    pub ignored: Facts,
    choices: Vec<Choice>,
    /// Where the choices of each process start.
    groups: Vec<u32>,
    /// Where pieces of time start, in order; the last one ends before the last entry.
    cuts: Vec<i64>,
    chosen: Vec<u32>,
}

impl Walker<'_, '_, '_> {
    /// Puts together one of the transitions that an edge can begin. `None` when there are not that many; an empty window
    /// when its guards never hold together within the horizon.
    #[inline]
    pub(crate) fn combine(&mut self, ticket: Ticket, horizon: Window) -> Result<Option<Window>, RunError> {
        let tables = self.tables;
        let (process, expanded) = tables.expanded(ticket.actor);
        self.options.channel = NONE;
        let Some(window) = self.guard(process, expanded, horizon)? else { return Ok(None) };
        let (edge, _) = tables.structure.expanded(process as usize, expanded);
        let branches = edge.branches.len() as u32;
        let first = |branch| Move { process, expanded, branch };
        self.moves.clear();
        if edge.channel.is_none() {
            if ticket.way >= branches {
                return Ok(None);
            }
            self.moves.push(first(ticket.way));
            return Ok(Some(window));
        }
        let Some(channel) = self.channel_of(process, expanded)? else { return Ok(None) };
        self.options.channel = channel;
        let (branch, way) = (ticket.way % branches.max(1), ticket.way / branches.max(1));
        if branches == 0 {
            return Ok(None);
        }
        self.moves.push(first(branch));
        let network = tables.structure.network;
        if tables.structure.is_shared(process as usize, expanded) {
            return self.share(process, channel, way, window);
        }
        if network.channels[channel as usize].kind.broadcast {
            return self.broadcast(process, channel, way, window);
        }
        if ticket.partner != NONE {
            let partner = tables.receivers.of(channel)[ticket.partner as usize];
            let both = self.partner(&partner, process, channel, window)?;
            self.moves.push(Move { process: partner.process, expanded: partner.expanded, branch: way });
            return Ok(both);
        }
        self.handshake(process, channel, way, window)
    }

    /// Whether an edge sends to one other process.
    pub(crate) fn meets_one(&mut self, actor: u32) -> Result<bool, RunError> {
        let (process, expanded) = self.tables.expanded(actor);
        let structure = self.tables.structure;
        if structure.expanded(process as usize, expanded).0.channel.is_none()
            || structure.is_shared(process as usize, expanded)
        {
            return Ok(false);
        }
        let channel = self.channel_of(process, expanded)?;
        Ok(channel.is_some_and(|channel| !structure.network.channels[channel as usize].kind.broadcast))
    }

    /// The tickets of an edge that sends to one other process, by partner.
    pub(crate) fn list_receivers(&mut self, actor: u32, horizon: Window) -> Result<(), RunError> {
        let tables = self.tables;
        let (process, expanded) = tables.expanded(actor);
        let Some(window) = self.guard(process, expanded, horizon)? else { return Ok(()) };
        let Some(channel) = self.channel_of(process, expanded)? else { return Ok(()) };
        if window.is_empty() {
            return Ok(());
        }
        let own = tables.structure.expanded(process as usize, expanded).0.branches.len() as u32;
        let is_committed =
            |walker: &Self, process: u32| walker.live.committed.is_empty() || walker.live.committed.contains(&process);
        let sender_committed = is_committed(self, process);
        for (n, partner) in tables.receivers.of(channel).iter().enumerate() {
            if !sender_committed && !is_committed(self, partner.process) {
                continue;
            }
            let both = self.partner(partner, process, channel, window)?;
            if both.is_some_and(|both| !both.is_empty()) {
                for way in 0..own * branches(self, partner) {
                    self.push_ticket(Ticket { actor, way, partner: n as u32 });
                }
            }
        }
        Ok(())
    }

    /// When an edge's guard holds; `None` when its integers say no.
    #[inline]
    fn guard(&mut self, process: u32, expanded: u32, horizon: Window) -> Result<Option<Window>, RunError> {
        let tables = self.tables;
        let structure = tables.structure;
        let mut window = horizon;
        if let Fixed::Bounds(start, end) = tables.guards[tables.actor(process, expanded) as usize] {
            for bound in tables.fixed.of((start, end)) {
                self.live.clocks.require(&mut window, bound);
            }
            return Ok(Some(window));
        }
        let (edge, select) = structure.expanded(process as usize, expanded);
        if let Some(guard) = edge.guard {
            let id = ProcessId::new(process as usize);
            let facts = &mut self.options.facts;
            facts.clear();
            if !self.machine.condition(&structure.programs, guard, id, select, &self.live.discrete, facts)? {
                return Ok(None);
            }
            for bound in &facts.bounds {
                self.live.clocks.require(&mut window, bound);
            }
        }
        Ok(Some(window))
    }

    /// The channel of an edge now.
    #[inline]
    pub(crate) fn channel_of(&mut self, process: u32, expanded: u32) -> Result<Option<u32>, RunError> {
        let structure = self.tables.structure;
        if let Some(channel) = structure.known_channel(process as usize, expanded) {
            return Ok(Some(channel));
        }
        let (edge, select) = structure.expanded(process as usize, expanded);
        let Some(code) = edge.channel else { return Ok(None) };
        let id = ProcessId::new(process as usize);
        let channel = self.machine.channel(&structure.programs, code, id, select, &self.live.discrete)?;
        Ok(Some(channel.index() as u32))
    }

    /// When an edge can take part in a synchronisation on a channel, or `None`.
    #[inline]
    fn partner(
        &mut self,
        partner: &Partner,
        but: u32,
        channel: u32,
        horizon: Window,
    ) -> Result<Option<Window>, RunError> {
        let here = self.live.discrete.locations[partner.process as usize] == partner.location;
        if !here || partner.process == but {
            return Ok(None);
        }
        let window = self.guard(partner.process, partner.expanded, horizon)?;
        if window.is_some() && partner.varies && self.channel_of(partner.process, partner.expanded)? != Some(channel) {
            return Ok(None);
        }
        Ok(window)
    }

    fn handshake(
        &mut self,
        sender: u32,
        channel: u32,
        mut way: u32,
        window: Window,
    ) -> Result<Option<Window>, RunError> {
        let tables = self.tables;
        for partner in tables.receivers.of(channel) {
            let Some(both) = self.partner(partner, sender, channel, window)? else { continue };
            let branches = branches(self, partner);
            if way < branches {
                self.moves.push(Move { process: partner.process, expanded: partner.expanded, branch: way });
                return Ok(Some(both));
            }
            way -= branches;
        }
        Ok(None)
    }

    /// Fills the choices with what each process on a list (and among the given ones) can do within the horizon. Whether
    /// clocks decide anything.
    fn gather(
        &mut self,
        list: &[Partner],
        among: Option<&[u32]>,
        but: u32,
        channel: u32,
        horizon: Window,
    ) -> Result<bool, RunError> {
        self.options.choices.clear();
        self.options.groups.clear();
        let mut last = NONE;
        let mut timed = false;
        for partner in list {
            if among.is_some_and(|among| !among.contains(&partner.process)) {
                continue;
            }
            let Some(window) = self.partner(partner, but, channel, horizon)? else { continue };
            timed |= window != horizon;
            if window.is_empty() {
                continue;
            }
            if partner.process != last {
                last = partner.process;
                self.options.groups.push(self.options.choices.len() as u32);
            }
            for branch in 0..branches(self, partner) {
                let part = Move { process: partner.process, expanded: partner.expanded, branch };
                self.options.choices.push(Choice { part, window });
            }
        }
        Ok(timed)
    }

    fn broadcast(&mut self, sender: u32, channel: u32, way: u32, window: Window) -> Result<Option<Window>, RunError> {
        if window.is_empty() {
            return Ok((way == 0).then_some(window));
        }
        let tables = self.tables;
        if self.gather(tables.receivers.of(channel), None, sender, channel, window)? {
            return Ok(self.options.pick_timed(way, window, &mut self.moves));
        }
        Ok(self.options.pick(way, &mut self.moves).then_some(window))
    }

    /// Every other process of the channel's alphabet takes part.
    fn share(&mut self, first: u32, channel: u32, way: u32, window: Window) -> Result<Option<Window>, RunError> {
        let tables = self.tables;
        let alphabet = tables.structure.alphabet(semantics::network::ChannelId::new(channel as usize));
        // The first process of the alphabet begins.
        if alphabet.first() != Some(&first) {
            return Ok(None);
        }
        self.gather(tables.shared.of(channel), Some(alphabet), first, channel, window)?;
        if self.options.groups.len() + 1 != alphabet.len() || !self.options.pick(way, &mut self.moves) {
            return Ok(None);
        }
        let mut both = window;
        for part in &self.moves[1..] {
            let choice = self.options.choices.iter().find(|choice| choice.part == *part);
            both = choice.map_or(Window::EMPTY, |choice| both.meet(choice.window));
        }
        Ok(Some(both))
    }
}

fn branches(walker: &Walker<'_, '_, '_>, partner: &Partner) -> u32 {
    walker.tables.structure.expanded(partner.process as usize, partner.expanded).0.branches.len() as u32
}

impl Options {
    fn group(&self, n: usize) -> &[Choice] {
        let end = self.groups.get(n + 1).map_or(self.choices.len(), |end| *end as usize);
        &self.choices[self.groups[n] as usize..end]
    }

    /// Combination number `way` of one choice of each process; `false` when there are not that many.
    fn pick(&self, mut way: u32, moves: &mut Vec<Move>) -> bool {
        for n in 0..self.groups.len() {
            let group = self.group(n);
            moves.push(group[way as usize % group.len()].part);
            way /= group.len() as u32;
        }
        way == 0
    }

    /// The same where who can take part depends on the moment.
    fn pick_timed(&mut self, mut way: u32, window: Window, moves: &mut Vec<Move>) -> Option<Window> {
        self.cuts.clear();
        self.cuts.extend([window.from, window.to + 1]);
        for choice in &self.choices {
            self.cuts.extend([choice.window.from, choice.window.to + 1]);
        }
        self.cuts.sort_unstable();
        self.cuts.dedup();
        for piece in 0..self.cuts.len() - 1 {
            self.chosen.clear();
            self.chosen.resize(self.groups.len(), NONE);
            let mut more = self.first_combination(piece);
            while more {
                // One that was there in the piece before has been counted.
                if piece == 0 || !self.exists(piece - 1) {
                    if way == 0 {
                        let mut end = piece + 1;
                        while end + 1 < self.cuts.len() && self.exists(end) {
                            end += 1;
                        }
                        for n in &self.chosen {
                            if *n != NONE {
                                moves.push(self.choices[*n as usize].part);
                            }
                        }
                        return Some(Window { from: self.cuts[piece], to: self.cuts[end] - 1 });
                    }
                    way -= 1;
                }
                more = self.next_combination(piece);
            }
        }
        None
    }

    fn is_in(&self, choice: u32, piece: usize) -> bool {
        self.choices[choice as usize].window.contains(self.cuts[piece])
    }

    fn range(&self, group: usize) -> std::ops::Range<u32> {
        let end = self.groups.get(group + 1).copied().unwrap_or(self.choices.len() as u32);
        self.groups[group]..end
    }

    /// For every process its first choice within a piece, or `NONE` for one that has none.
    fn first_combination(&mut self, piece: usize) -> bool {
        for group in 0..self.groups.len() {
            self.chosen[group] = self.range(group).find(|choice| self.is_in(*choice, piece)).unwrap_or(NONE);
        }
        true
    }

    fn next_combination(&mut self, piece: usize) -> bool {
        for group in 0..self.groups.len() {
            let range = self.range(group);
            if self.chosen[group] == NONE {
                continue;
            }
            if let Some(next) = (self.chosen[group] + 1..range.end).find(|choice| self.is_in(*choice, piece)) {
                self.chosen[group] = next;
                return true;
            }
            self.chosen[group] = range.clone().find(|choice| self.is_in(*choice, piece)).unwrap_or(NONE);
        }
        false
    }

    /// Whether the chosen combination is one of a piece: everybody can do what is chosen, nobody else can do anything.
    fn exists(&self, piece: usize) -> bool {
        (0..self.groups.len()).all(|group| match self.chosen[group] {
            NONE => self.range(group).all(|choice| !self.is_in(choice, piece)),
            choice => self.is_in(choice, piece),
        })
    }
}
