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
use model::network::ProcessId;
use semantics::code::{Alike, Facts, RunError};
use semantics::concrete::Window;
use semantics::transitions::Move;

/// Conjunctions are evaluated from left to right: one that fails behind clock constraints fails only at the moments at which
/// these hold.
#[inline]
fn evaluated(holds: Result<bool, RunError>, window: Window) -> Result<bool, RunError> {
    match holds {
        Err(_) if window.is_empty() => Ok(false),
        other => other,
    }
}

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
    /// The guard of the edge that was to begin it holds at no moment of the horizon.
    pub too_early: bool,
    facts: Facts,
    /// The guard that was found false last while partners are looked at, and for whom.
    refused: Option<(u32, u32, Alike)>,
    pub ignored: Facts,
    choices: Vec<Choice>,
    /// Where the choices of each process start.
    groups: Vec<u32>,
    /// Where pieces of time start, in order; the last one ends before the last entry.
    cuts: Vec<i64>,
    chosen: Vec<u32>,
}

impl Walker<'_, '_, '_> {
    /// Puts together one of the transitions that an edge can begin. `None` when there are not that many, or its own guard
    /// holds at no moment of the horizon; an empty window when those of its partners do not hold together with it.
    #[inline]
    pub(crate) fn combine(&mut self, ticket: Ticket, horizon: Window) -> Result<Option<Window>, RunError> {
        let tables = self.tables;
        let (process, expanded) = tables.expanded(ticket.actor);
        self.options.channel = NONE;
        self.options.too_early = false;
        let Some(window) = self.guard(process, expanded, horizon)? else { return Ok(None) };
        if window.is_empty() {
            self.options.too_early = true;
            return Ok(None);
        }
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
            self.options.refused = None;
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

    /// The tickets of an edge that sends to one other process, by partner. The edge's own guard holds within the window.
    pub(crate) fn list_receivers(&mut self, actor: u32, channel: u32, window: Window) -> Result<(), RunError> {
        let tables = self.tables;
        let (process, expanded) = tables.expanded(actor);
        let own = tables.structure.expanded(process as usize, expanded).0.branches.len() as u32;
        let is_committed =
            |walker: &Self, process: u32| walker.live.committed.is_empty() || walker.live.committed.contains(&process);
        let sender_committed = is_committed(self, process);
        self.options.refused = None;
        for (n, partner) in tables.receivers.of(channel).iter().enumerate() {
            if !sender_committed && !is_committed(self, partner.process) {
                continue;
            }
            let Some(both) = self.partner(partner, process, channel, window)? else { continue };
            if both.is_empty() {
                continue;
            }
            self.moves.clear();
            self.moves.push(Move { process, expanded, branch: 0 });
            self.moves.push(Move { process: partner.process, expanded: partner.expanded, branch: 0 });
            for way in 0..own * branches(self, partner) {
                self.push_ticket(Ticket { actor, way, partner: n as u32 }, both);
            }
        }
        Ok(())
    }

    /// In how many ways other processes can hear a broadcast; the first one is added to the moves and comes with its
    /// window.
    pub(crate) fn receptions(&mut self, sender: u32, channel: u32, window: Window) -> Result<(u32, Window), RunError> {
        if !self.gather(self.tables.receivers.of(channel), None, sender, channel, window)? {
            self.options.pick(0, &mut self.moves);
            return Ok((self.options.combinations(), window));
        }
        let Some(first) = self.options.pick_timed(&mut 0, window, &mut self.moves) else { return Ok((0, window)) };
        if self.options.is_crowd() {
            return Ok((u32::MAX, first));
        }
        let mut left = u32::MAX;
        self.options.pick_timed(&mut left, window, &mut self.moves);
        Ok((u32::MAX - left, first))
    }

    /// When an edge's guard holds; `None` when its integers say no.
    #[inline]
    pub(crate) fn guard(&mut self, process: u32, expanded: u32, horizon: Window) -> Result<Option<Window>, RunError> {
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
            let holds = self.machine.condition(&structure.programs, guard, id, select, &self.live.discrete, facts);
            for bound in &facts.bounds {
                self.live.clocks.require(&mut window, bound);
            }
            if !evaluated(holds, window)? {
                return Ok(None);
            }
        }
        Ok(Some(window))
    }

    /// The same for one of many partners: a guard that is false for one process may be so for others. Whoever looks at
    /// partners forgets what was known before.
    fn guard_alike(&mut self, partner: &Partner, horizon: Window) -> Result<Option<Window>, RunError> {
        let structure = self.tables.structure;
        let Partner { process, expanded, .. } = *partner;
        let (edge, select) = structure.expanded(process as usize, expanded);
        let (id, number) = (ProcessId::new(process as usize), structure.edge_id(process as usize, expanded));
        if let Some((other, index, alike)) = self.options.refused
            && (other, index) == (number, expanded)
            && structure.programs.is_alike(id, alike)
        {
            return Ok(None);
        }
        let Some(guard) = edge.guard else { return Ok(Some(horizon)) };
        let (programs, state) = (&structure.programs, &self.live.discrete);
        let facts = &mut self.options.facts;
        facts.clear();
        let (holds, alike) = match self.machine.condition_alike(programs, guard, id, select, state, facts) {
            Ok((holds, alike)) => (Ok(holds), alike),
            Err(error) => (Err(error), None),
        };
        let mut window = horizon;
        for bound in &facts.bounds {
            self.live.clocks.require(&mut window, bound);
        }
        if !evaluated(holds, window)? {
            self.options.refused = alike.map(|alike| (number, expanded, alike));
            return Ok(None);
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
        let window = match partner.asks_alike {
            false => self.guard(partner.process, partner.expanded, horizon)?,
            true => self.guard_alike(partner, horizon)?,
        };
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
        self.options.refused = None;
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
        self.options.refused = None;
        let mut last = NONE;
        let mut timed = false;
        for partner in list {
            if among.is_some_and(|among| !among.contains(&partner.process)) {
                continue;
            }
            let Some(window) = self.partner(partner, but, channel, horizon)? else { continue };
            if window.is_empty() {
                continue;
            }
            timed |= window != horizon;
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
            return Ok(self.options.pick_timed(&mut { way }, window, &mut self.moves));
        }
        Ok(self.options.pick(way, &mut self.moves).then_some(window))
    }

    /// In how many ways an edge and others of its channel's alphabet can move together, without the edge's own branches.
    pub(crate) fn shares(&mut self, first: u32, channel: u32, window: Window) -> Result<u32, RunError> {
        let tables = self.tables;
        let alphabet = tables.structure.alphabet(model::network::ChannelId::new(channel as usize));
        self.gather(tables.shared.of(channel), Some(alphabet), first, channel, window)?;
        Ok(self.options.combinations())
    }

    /// Every other process of the channel's alphabet takes part.
    fn share(&mut self, first: u32, channel: u32, way: u32, window: Window) -> Result<Option<Window>, RunError> {
        let tables = self.tables;
        let alphabet = tables.structure.alphabet(model::network::ChannelId::new(channel as usize));
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

/// More combinations than this are not listed: they are drawn by their numbers.
pub(crate) const CROWD: u32 = 1 << 12;

/// A number that depends on both, as if by chance.
fn mixed(way: u32, group: usize) -> usize {
    let mut bits = (u64::from(way) << 32 | group as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 33) as usize
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
        if self.combinations() == u32::MAX {
            // There are more than numbers: each number stands for choices that it mixes.
            for n in 0..self.groups.len() {
                let group = self.group(n);
                moves.push(group[mixed(way, n) % group.len()].part);
            }
            return true;
        }
        for n in 0..self.groups.len() {
            let group = self.group(n);
            moves.push(group[way as usize % group.len()].part);
            way /= group.len() as u32;
        }
        way == 0
    }

    /// Whether there are so many combinations that they are drawn and not counted.
    fn is_crowd(&self) -> bool {
        (0..self.groups.len()).fold(1, |product: u32, n| product.saturating_mul(self.group(n).len() as u32 + 1)) > CROWD
    }

    /// A combination where who can take part depends on the moment: the number says at which piece of time, and what each chooses
    /// that can take part then.
    fn draw_timed(&mut self, way: u32, window: Window, moves: &mut Vec<Move>) -> Option<Window> {
        self.cut(window);
        let pieces = self.cuts.len() - 1;
        let piece = way as usize % pieces;
        self.chosen.clear();
        for group in 0..self.groups.len() {
            let count = self.range(group).filter(|choice| self.is_in(*choice, piece)).count();
            let nth = mixed(way / pieces as u32, group) % count.max(1);
            let chosen = self.range(group).filter(|choice| self.is_in(*choice, piece)).nth(nth);
            self.chosen.push(chosen.unwrap_or(NONE));
        }
        let first = (0..piece).rev().take_while(|earlier| self.exists(*earlier)).last().unwrap_or(piece);
        let end = (piece + 1..pieces).take_while(|later| self.exists(*later)).last().unwrap_or(piece) + 1;
        moves.extend(self.chosen.iter().filter(|n| **n != NONE).map(|n| self.choices[*n as usize].part));
        Some(Window { from: self.cuts[first], to: self.cuts[end] - 1 })
    }

    /// The pieces of time within which the same processes can take part.
    fn cut(&mut self, window: Window) {
        self.cuts.clear();
        self.cuts.extend([window.from, window.to + 1]);
        for choice in &self.choices {
            self.cuts.extend([choice.window.from, choice.window.to + 1]);
        }
        self.cuts.sort_unstable();
        self.cuts.dedup();
    }

    /// How many combinations there are.
    fn combinations(&self) -> u32 {
        (0..self.groups.len()).fold(1, |product: u32, n| product.saturating_mul(self.group(n).len() as u32))
    }

    /// The same where who can take part depends on the moment. The number is counted down on the way.
    fn pick_timed(&mut self, way: &mut u32, window: Window, moves: &mut Vec<Move>) -> Option<Window> {
        if self.is_crowd() {
            return self.draw_timed(*way, window, moves);
        }
        self.cut(window);
        for piece in 0..self.cuts.len() - 1 {
            self.chosen.clear();
            self.chosen.resize(self.groups.len(), NONE);
            let mut more = self.first_combination(piece);
            while more {
                // One that was there in the piece before has been counted.
                if piece == 0 || !self.exists(piece - 1) {
                    if *way == 0 {
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
                    *way -= 1;
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
