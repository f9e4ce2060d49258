//! The invariants that a step touches: when they hold after it, and what they make of rates and deadlines.

use super::{Live, Ticket, Walker};
use crate::pool::NONE;
use crate::tables::Fixed;
use crate::watch::What;
use model::network::ProcessId;
use semantics::code::{Facts, RunError, RunErrorKind};
use semantics::concrete::{FOREVER, System, Window};

impl Walker<'_, '_, '_> {
    pub(super) fn pend(&mut self, piece: u32) {
        if !std::mem::replace(&mut self.is_pending[piece as usize], true) {
            self.pending.push(piece);
        }
    }

    pub(super) fn clear_pending(&mut self) {
        for piece in self.pending.drain(..) {
            self.is_pending[piece as usize] = false;
        }
    }

    /// Collects the pieces of invariants that the tried transition touches: those of the processes that moved, and those
    /// that read what it wrote.
    #[inline]
    pub(super) fn pend_touched(&mut self) {
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

    pub(super) fn pend_present(&mut self, piece: u32) {
        let known = &self.tables.pieces[piece as usize];
        if self.live.discrete.locations[known.process as usize] == known.location {
            self.pend(piece);
        }
    }

    /// Evaluates the pending pieces of invariants and keeps the moments at which they hold afterwards.
    #[inline]
    pub(super) fn invariants_after(&mut self, mut window: Window) -> Result<Window, RunError> {
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

    /// Makes the facts of the pending pieces the present ones: rates of clocks, deadlines, urgency.
    pub(super) fn settle(&mut self) -> Result<(), RunError> {
        self.exchange_facts();
        self.settle_rates()?;
        self.settle_deadlines();
        for n in 0..self.effects.resets.len() {
            self.ring(self.effects.resets[n].target);
        }
        for n in 0..self.rerated.len() {
            self.ring(self.rerated[n]);
        }
        self.wake_those_due();
        self.live.until = match self.live.held {
            0 => self.live.deadlines.least(),
            _ => self.live.now,
        };
        if self.tables.urgent.1 > 0 && self.live.until > self.live.now {
            self.hurry()?;
        }
        Ok(())
    }

    /// Forgets the facts of locations that were left and takes over those of the pending pieces. Clocks whose rates they
    /// imposed are free for now.
    fn exchange_facts(&mut self) {
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
    }

    /// Gives clocks the rates that the present facts impose, and 1 where none does.
    fn settle_rates(&mut self) -> Result<(), RunError> {
        let now = self.live.now;
        self.rerated.clear();
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
        Ok(())
    }

    /// The deadlines of processes that moved, whose bounds changed, or whose clocks run at other rates.
    fn settle_deadlines(&mut self) {
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
    }

    pub(super) fn touch(&mut self, piece: u32) {
        if !std::mem::replace(&mut self.is_touched[piece as usize], true) {
            self.touched.push(piece);
        }
    }

    #[cold]
    pub(super) fn two_rates(&self, process: usize) -> RunError {
        let id = ProcessId::new(process);
        let template = self.tables.structure.network.template_of(id);
        let span = template.location(self.live.discrete.locations[process]).span;
        RunError { kind: RunErrorKind::Unsupported("two invariants give a clock different rates"), span, process: id }
    }

    /// A clock of a piece runs at another rate.
    pub(super) fn look_at_deadline(&mut self, what: What) {
        if let What::Invariant(piece) = what
            && !self.facts[piece as usize].bounds.is_empty()
        {
            self.set_deadline(self.tables.pieces[piece as usize].process);
        }
    }

    pub(super) fn set_deadline(&mut self, process: u32) {
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
    pub(super) fn hurry(&mut self) -> Result<(), RunError> {
        let tables = self.tables;
        if tables.urgent_by_clocks {
            self.live.until = self.until_from_scratch()?;
            return Ok(());
        }
        for bucket in tables.urgent.0..tables.urgent.1 {
            let count = self.live.pool.members(&tables.buckets, bucket).len();
            for n in 0..count {
                let actor = self.live.pool.members(&tables.buckets, bucket)[n];
                for way in 0.. {
                    let horizon = Window { from: self.live.now, to: self.live.until };
                    let Some(window) = self.combine(Ticket::new(actor, way), horizon)? else { break };
                    let urgent = self.options.channel != NONE
                        && tables.structure.network.channels[self.options.channel as usize].kind.urgent;
                    if !urgent || allowance::is_over() {
                        break;
                    }
                    if !window.is_empty() {
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

    /// The same where clocks decide when it becomes possible, which may be just after a moment. UPPAAL has no such guards,
    /// models of others do: rare enough to be slow.
    fn until_from_scratch(&mut self) -> Result<i64, RunError> {
        let Live { discrete, clocks, now, .. } = &self.live;
        let system = self.system.get_or_insert_with(|| Box::new(System::new(self.tables.structure)));
        system.until_at(discrete, clocks, *now)
    }
}
