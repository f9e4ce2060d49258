//! One step: the guard, the updates, and what they do to the clocks.

use super::{ClockValue, Scratch, State, ZoneGraph};
use crate::code::{RunError, RunErrorKind};
use crate::transitions::Transitions;
use model::network::ProcessId;
use zones::{Bound, Source, Zone};

impl ZoneGraph<'_> {
    /// Makes the source's clocks known to `scratch.index`, and its discrete part the target's.
    pub(crate) fn enter(&self, scratch: &mut Scratch, from: &State) {
        scratch.start_from(from);
        let Scratch { index, entered, .. } = scratch;
        index.resize(self.clock_count(), 0);
        for clock in entered.drain(..) {
            index[clock as usize] = 0;
        }
        for (n, clock) in from.clocks.iter().enumerate() {
            index[*clock as usize] = n as u32 + 1;
        }
        entered.extend_from_slice(&from.clocks);
    }

    /// Runs the updates of a transition on the target's discrete part, which starts as the source's. The source must have
    /// been entered: only what the last transition changed is put back, so that a step costs what it changes.
    pub(crate) fn update(&self, scratch: &mut Scratch, from: &State, index: usize) -> Result<(), RunError> {
        let Scratch { machine, transitions, effects, moved, target, .. } = scratch;
        for cell in effects.written.drain(..).map(|(cell, _)| cell as usize) {
            target.discrete.ints[cell] = from.discrete.ints[cell];
            self.packing.restore_int(&mut target.words, &from.words, cell);
        }
        for process in moved.drain(..).map(|process| process as usize) {
            target.discrete.locations[process] = from.discrete.locations[process];
            target.marks[process] = from.marks[process];
            self.packing.restore_location(&mut target.words, &from.words, process);
        }
        target.level = from.level;
        debug_assert_eq!(target.discrete, from.discrete);
        debug_assert_eq!(target.words, from.words);
        let moves = transitions.moves(index);
        moved.extend(moves.iter().map(|one| one.process));
        effects.clear();
        self.structure.act_noting(machine, moves, &mut target.discrete, effects)?;
        for (cell, _) in &effects.written {
            self.packing.set_int(&mut target.words, *cell as usize, target.discrete.ints[*cell as usize]);
        }
        for process in moves.iter().map(|one| one.process as usize) {
            let location = target.discrete.locations[process];
            self.packing.set_location(&mut target.words, process, location);
            target.marks[process] = self.marks_at(process, location);
            let level = |location| self.structure.location(process, location).level;
            target.level = target.level - level(from.discrete.locations[process]) + level(location);
        }
        Ok(())
    }

    /// What each assigned clock holds after the updates of a transition that is taken from `scratch.guarded`.
    pub(crate) fn assigned(&self, scratch: &mut Scratch, index: usize) -> Result<(), RunError> {
        let Scratch { effects, values, lowered, transitions, guarded, index: source_index, .. } = scratch;
        values.clear();
        lowered.clear();
        for update in &effects.resets {
            let target = update.target.index() as u32;
            let value = match update.source {
                None => ClockValue::Constant(update.offset),
                Some(source) => {
                    let source = source.index() as u32;
                    let current = values.iter().find(|(clock, _)| *clock == source).map(|(_, value)| *value);
                    match current.unwrap_or(ClockValue::Old(source, 0)) {
                        ClockValue::Constant(value) => ClockValue::Constant(value.saturating_add(update.offset)),
                        ClockValue::Old(clock, offset) => ClockValue::Old(clock, offset.saturating_add(update.offset)),
                    }
                }
            };
            match value {
                ClockValue::Constant(value) if value < 0 => return Err(self.negative(transitions, index, value)),
                ClockValue::Old(clock, offset) if offset < 0 => lowered.push((clock, offset)),
                _ => {}
            }
            match values.iter_mut().find(|(clock, _)| *clock == target) {
                Some((_, known)) => *known = value,
                None => values.push((target, value)),
            }
        }
        for (clock, offset) in lowered {
            let n = source_index[*clock as usize] as usize;
            if n > 0 && guarded.lower(n) > Bound::le(self.settable(*offset)) {
                return Err(self.negative(transitions, index, *offset));
            }
        }
        Ok(())
    }

    /// The error of a transition that sets a clock to a negative value.
    fn negative(&self, transitions: &Transitions, index: usize, value: i32) -> RunError {
        let first = transitions.moves(index)[0];
        let process = ProcessId::new(first.process as usize);
        let template = self.network().template_of(process);
        let edge = template.edge(template.expanded[first.expanded as usize].edge);
        RunError { kind: RunErrorKind::NegativeClock { value }, span: edge.span, process }
    }

    /// Takes a transition from `scratch.guarded`, the source's zone within the guard. `false`: there is no successor.
    pub(super) fn take(&self, scratch: &mut Scratch, from: &State, index: usize) -> Result<bool, RunError> {
        Ok(self.transfer(scratch, from, index)? && self.settle(scratch)?)
    }

    /// As [`ZoneGraph::take`], up to the moment of the action: invariants and the passing of time are left out.
    pub(crate) fn transfer(&self, scratch: &mut Scratch, from: &State, index: usize) -> Result<bool, RunError> {
        self.update(scratch, from, index)?;
        self.activate(scratch);
        self.assigned(scratch, index)?;
        let Scratch { target, sources, values, index: source_index, guarded, .. } = scratch;
        sources.clear();
        let mut shifts = false;
        for clock in &target.clocks {
            let value = values.iter().find(|(assigned, _)| assigned == clock).map(|(_, value)| *value);
            sources.push(match value.unwrap_or(ClockValue::Old(*clock, 0)) {
                ClockValue::Constant(value) => Source::Value(self.settable(value)),
                ClockValue::Old(old, offset) => {
                    shifts |= offset != 0;
                    match source_index[old as usize] {
                        0 => Source::Free,
                        n => Source::Keep(n),
                    }
                }
            });
        }
        target.zone.copy_from(guarded);
        target.zone.remap(sources);
        if shifts {
            for (n, clock) in target.clocks.iter().enumerate() {
                let value = values.iter().find(|(assigned, _)| assigned == clock).map(|(_, value)| *value);
                if let Some(ClockValue::Old(_, offset)) = value
                    && offset != 0
                    && !target.zone.shift(n + 1, self.settable(offset))
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Intersects the source's zone with the guard of a transition, into `scratch.guarded`. Most guards fail by a single
    /// constraint: nothing is copied then.
    pub(crate) fn guard(&self, scratch: &mut Scratch, from: &State, index: usize) -> bool {
        let Scratch { transitions, guarded, constraints, index: source_index, .. } = scratch;
        constraints.clear();
        for bound in transitions.bounds(index) {
            self.constrain(bound, source_index, constraints);
        }
        if !constraints.iter().all(|constraint| from.zone.admits(*constraint)) {
            return false;
        }
        guarded.copy_from(&from.zone);
        guarded.constrain_all(constraints)
    }

    /// The valuations of the source in which a guard cannot be evaluated.
    pub(crate) fn where_guards_fail(&self, scratch: &mut Scratch, from: &State) -> Vec<(RunError, Zone)> {
        let Scratch { transitions, constraints, index, .. } = scratch;
        let mut found = Vec::new();
        for (error, bounds) in transitions.failures() {
            let mut zone = from.zone.clone();
            constraints.clear();
            bounds.iter().for_each(|bound| self.constrain(bound, index, constraints));
            if zone.constrain_all(constraints) {
                found.push((*error, zone));
            }
        }
        found
    }

    /// Fails where a guard cannot be evaluated in some valuation of the source.
    pub(crate) fn no_guard_fails(&self, scratch: &mut Scratch, from: &State) -> Result<(), RunError> {
        let Scratch { transitions, guarded, constraints, index, .. } = scratch;
        for (error, bounds) in transitions.failures() {
            guarded.copy_from(&from.zone);
            constraints.clear();
            bounds.iter().for_each(|bound| self.constrain(bound, index, constraints));
            if guarded.constrain_all(constraints) {
                return Err(*error);
            }
        }
        Ok(())
    }
}
