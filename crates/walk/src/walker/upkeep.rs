//! The pool follows the locations and the integers: which edges come and go when a process moves or a cell changes.

use super::Walker;
use crate::pool::NONE;
use crate::sleepers::NEVER;
use crate::tables::Membership;
use model::network::{ClockId, LocationId, LocationKind, ProcessId};
use semantics::concrete::{FOREVER, Window};

impl Walker<'_, '_, '_> {
    pub(super) fn leave(&mut self, process: u32, location: LocationId) {
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

    pub(super) fn enter(&mut self, process: u32, location: LocationId) {
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
                last = (edge, self.is_member(process, *index, edge));
            }
            if last.1 {
                let actor = tables.actor(process, *index);
                self.live.pool.insert(&tables.buckets, tables.actors[actor as usize].bucket, actor);
            }
        }
    }

    /// An edge that cannot be taken before time has to stop sleeps until its guard begins to hold.
    #[cold]
    pub(super) fn fall_asleep(&mut self, actor: u32) {
        let tables = self.tables;
        let (process, expanded) = tables.expanded(actor);
        // A guard that fails later is not asked before.
        let Ok(window) = self.guard(process, expanded, Window { from: self.live.now, to: FOREVER }) else { return };
        let moment = window.filter(|window| !window.is_empty()).map_or(NEVER, |window| window.from);
        if moment > self.live.deadlines.least() {
            self.live.pool.sleep(&tables.buckets, tables.actors[actor as usize].bucket, actor, moment);
        }
    }

    /// Wakes the edges whose guards ask a clock that was set or has another rate now.
    #[inline]
    pub(super) fn ring(&mut self, clock: ClockId) {
        for actor in self.tables.alarms.of(clock.index() as u32) {
            if self.live.pool.is_asleep(*actor) {
                self.wake(*actor);
            }
        }
    }

    /// Wakes the edges whose guards hold at some moment until which time may pass.
    #[inline]
    pub(super) fn wake_those_due(&mut self) {
        let due = self.live.deadlines.least();
        while let Some(actor) = self.live.pool.wakes(due) {
            self.wake(actor);
        }
    }

    fn wake(&mut self, actor: u32) {
        self.live.pool.insert(&self.tables.buckets, self.tables.actors[actor as usize].bucket, actor);
    }

    /// Looks again whether the guard of an edge holds.
    pub(super) fn refresh(&mut self, process: u32, edge: u32) {
        let tables = self.tables;
        let table = &tables.edges[edge as usize];
        if self.live.discrete.locations[process as usize] != table.source {
            return;
        }
        let mut holds = None;
        for index in table.expanded.clone() {
            let (compiled, _) = tables.structure.expanded(process as usize, index);
            if holds.is_none() || compiled.guard_selects {
                holds = Some(self.is_member(process, index, edge));
            }
            let actor = tables.actor(process, index);
            let bucket = tables.actors[actor as usize].bucket;
            match holds {
                Some(true) => self.live.pool.insert(&tables.buckets, bucket, actor),
                _ => self.live.pool.remove(&tables.buckets, bucket, actor),
            }
        }
    }

    /// Whether the integers, gates aside, allow an edge. One whose guard cannot be evaluated is a member: it fails when it is tried,
    /// and others can be taken before.
    #[inline]
    pub(super) fn is_member(&mut self, process: u32, index: u32, edge: u32) -> bool {
        let tables = self.tables;
        let id = ProcessId::new(process as usize);
        let (compiled, select) = tables.structure.expanded(process as usize, index);
        let programs = &tables.structure.programs;
        let facts = &mut self.options.ignored;
        facts.clear();
        match (&tables.edges[edge as usize].membership, compiled.guard) {
            (Membership::Always | Membership::Clocks, _) | (_, None) => true,
            (Membership::Guard, Some(guard)) => {
                self.machine.condition(programs, guard, id, select, &self.live.discrete, facts).unwrap_or(true)
            }
            (Membership::Rest(parts), _) => parts.iter().all(|part| {
                self.machine.condition(programs, *part, id, select, &self.live.discrete, facts).unwrap_or(true)
            }),
        }
    }

    /// The edges in the pool whose gates are open, for tests that compare with a pool made from scratch.
    pub fn pool_is_right(&mut self) -> bool {
        let tables = self.tables;
        for process in 0..tables.structure.network.processes.len() as u32 {
            let location = self.live.discrete.locations[process as usize];
            for index in 0..tables.first[process as usize + 1] - tables.first[process as usize] {
                let edge = tables.structure.edge_id(process as usize, index);
                let table = &tables.edges[edge as usize];
                if !table.acts {
                    continue;
                }
                let expected = table.source == location && self.is_member(process, index, edge);
                if self.live.pool.contains(tables.actor(process, index)) != expected {
                    return false;
                }
            }
        }
        true
    }
}
