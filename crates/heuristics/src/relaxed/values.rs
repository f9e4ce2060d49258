//! The values of cells and the updates that add to them: each update is run once for every combination of values it reads.

use super::explore::{Cell, NONE, Relaxation, UnitState, ValueFact};
use super::task::UnitKind;
use super::{COMBINATIONS, VALUES};
use crate::network::conditions::{Conditions, is_unknown};
use model::network::ProcessId;

impl Relaxation<'_> {
    pub(super) fn start_unit(&mut self, unit: u32, firing: u32) {
        let known = &self.task.units[unit as usize];
        let (counters, count) = (known.counters as usize, known.cells.len());
        self.counters[counters..counters + count].fill(0);
        self.units[unit as usize] = UnitState { stamp: self.stamp, firing, done: false, queued: false };
        if known.flows {
            self.queue_unit(unit, true);
        } else {
            self.run_unit(unit);
        }
    }

    /// A unit has new values to read: it runs in this layer, or once more at the end of it.
    pub(super) fn queue_unit(&mut self, unit: u32, within_layer: bool) {
        let state = &mut self.units[unit as usize];
        if state.stamp != self.stamp || state.done || state.queued {
            return;
        }
        let flows = self.task.units[unit as usize].flows;
        if within_layer && !flows {
            return;
        }
        state.queued = true;
        if flows { self.flowing.push(unit) } else { self.waiting_units.push(unit) }
    }

    pub(super) fn cell(&mut self, cell: u32) -> &mut Cell {
        let (stamp, value) = (self.stamp, self.state.ints[cell as usize]);
        let known = &mut self.cells[cell as usize];
        if known.stamp != stamp {
            known.stamp = stamp;
            known.values.clear();
            known.facts.clear();
            known.values.push(value);
            known.facts.push(ValueFact { firing: NONE, support: (0, 0), mark: 0 });
            known.mask = bit(value);
            known.visible = 1;
            known.wide = None;
            known.wide_visible = false;
            known.is_growing = false;
        }
        known
    }

    /// Whether a cell may hold a value already.
    #[inline(always)]
    fn has_value(&self, cell: u32, value: i32) -> bool {
        let known = &self.cells[cell as usize];
        if known.stamp == self.stamp {
            known.wide.is_some() || known.mask & bit(value) != 0 && (known.is_small || known.values.contains(&value))
        } else {
            // Nobody has written it: there is the value of the state.
            self.state.ints[cell as usize] == value
        }
    }

    #[inline(always)]
    pub(super) fn add_value(&mut self, cell: u32, value: i32, firing: u32, support: Option<&[u32]>, reads: &[u32]) {
        if !self.has_value(cell, value) {
            self.add_new_value(cell, value, firing, support, reads);
        }
    }

    #[inline(never)]
    fn add_new_value(&mut self, cell: u32, value: i32, firing: u32, support: Option<&[u32]>, reads: &[u32]) {
        let known = self.cell(cell);
        known.mask |= bit(value);
        if known.values.len() >= VALUES {
            return self.widen(cell, firing);
        }
        let first = self.supports.len() as u32;
        if let Some(chosen) = support {
            self.supports.extend(reads.iter().copied().zip(chosen.iter().copied()));
        }
        let support = (first, self.supports.len() as u32);
        let known = &mut self.cells[cell as usize];
        known.values.push(value);
        known.facts.push(ValueFact { firing, support, mark: 0 });
        self.grow(cell);
    }

    /// From now on the cell may hold anything in its range.
    pub(super) fn widen(&mut self, cell: u32, firing: u32) {
        let known = self.cell(cell);
        if known.wide.is_none() {
            known.wide = Some(firing);
            self.grow(cell);
        }
    }

    pub(super) fn grow(&mut self, cell: u32) {
        let known = &mut self.cells[cell as usize];
        if !std::mem::replace(&mut known.is_growing, true) {
            self.growing.push(cell);
        }
        for n in 0..self.task.units_of_cell[cell as usize].len() {
            let unit = self.task.units_of_cell[cell as usize][n];
            self.queue_unit(unit, true);
        }
    }

    /// Runs a unit for all combinations of values that are new to it.
    pub(super) fn run_unit(&mut self, unit: u32) {
        let UnitState { firing, .. } = self.units[unit as usize];
        // Taken out and put back: its values are added to cells of the same relaxation.
        let kind = std::mem::replace(&mut self.task.units[unit as usize].kind, UnitKind::Anything);
        match &kind {
            UnitKind::Copy { from, to } => {
                let (from, to, flows) = (*from, *to, self.task.units[unit as usize].flows);
                let counter = self.task.units[unit as usize].counters as usize;
                let known = self.cell(from);
                let wide = if flows { known.wide.is_some() } else { known.wide_visible };
                let limit = if flows { known.values.len() as u32 } else { known.visible };
                for n in self.counters[counter]..limit {
                    let value = self.cells[from as usize].values[n as usize];
                    self.add_value(to, value, firing, Some(&[n]), &[from]);
                }
                self.counters[counter] = limit;
                if wide {
                    self.write_anything(unit, firing);
                }
            }
            UnitKind::Anything => self.write_anything(unit, firing),
            UnitKind::Run(parts) => {
                let flows = self.task.units[unit as usize].flows;
                let cells = std::mem::take(&mut self.task.units[unit as usize].cells);
                let counters = self.task.units[unit as usize].counters as usize;
                let mut unknown = true;
                if self.limits(&cells, flows) {
                    let action = self.task.units[unit as usize].action;
                    let process = self.task.actions.get(action as usize).map_or(0, |action| action.process);
                    unknown = false;
                    self.combinations(&cells, counters, &mut |relaxation, chosen| {
                        unknown |= !relaxation.run_update(process, parts, firing, chosen, &cells);
                        false
                    });
                }
                if unknown {
                    self.write_anything(unit, firing);
                }
                self.task.units[unit as usize].cells = cells;
            }
        }
        self.task.units[unit as usize].kind = kind;
    }

    pub(super) fn write_anything(&mut self, unit: u32, firing: u32) {
        self.units[unit as usize].done = true;
        for n in 0..self.task.units[unit as usize].writes.len() {
            let cell = self.task.units[unit as usize].writes[n];
            self.widen(cell, firing);
        }
    }

    /// Runs updates on the state in its present form and adds what they write. `false`: they cannot be computed.
    pub(super) fn run_update(
        &mut self,
        process: u32,
        parts: &[(semantics::code::UpdateId, Box<[i32]>)],
        firing: u32,
        chosen: &[u32],
        reads: &[u32],
    ) -> bool {
        let mut effects = std::mem::take(&mut self.effects);
        effects.clear();
        let mut outcome = Ok(());
        for (update, select) in parts {
            let Conditions { programs, machine } = &mut self.task.conditions;
            let id = ProcessId::new(process as usize);
            outcome = machine.update_noting(programs, *update, id, select, &mut self.state, &mut effects);
            if outcome.is_err() {
                break;
            }
        }
        // What was written, and then the state as it was.
        let mut written = std::mem::take(&mut self.written);
        written.clear();
        if outcome.is_ok() {
            written.extend(effects.written.iter().map(|(cell, _)| (*cell, self.state.ints[*cell as usize])));
        }
        for (cell, before) in effects.written.iter().rev() {
            self.state.ints[*cell as usize] = *before;
        }
        self.effects = effects;
        for (cell, value) in &written {
            debug_assert!(!reads.contains(cell) || self.cells[*cell as usize].stamp == self.stamp);
            self.add_value(*cell, *value, firing, Some(chosen), reads);
        }
        self.written = written;
        !matches!(outcome, Err(error) if is_unknown(error.kind))
    }

    /// Sets how many values of each cell may be read; `false` when a cell is wide or the combinations are too many.
    pub(super) fn limits(&mut self, cells: &[u32], all: bool) -> bool {
        let mut product: u64 = 1;
        self.limits.clear();
        for cell in cells {
            let known = self.cell(*cell);
            if if all { known.wide.is_some() } else { known.wide_visible } {
                return false;
            }
            let limit = if all { known.values.len() as u32 } else { known.visible };
            product = product.saturating_mul(u64::from(limit));
            self.limits.push(limit);
        }
        product <= COMBINATIONS
    }

    /// Visits the combinations of values that have not been visited, until `visit` says that it is enough. The state holds the
    /// values while it is visited.
    pub(super) fn combinations(
        &mut self,
        cells: &[u32],
        counters: usize,
        visit: &mut dyn FnMut(&mut Self, &[u32]) -> bool,
    ) -> bool {
        let (mut own, limits) = (std::mem::take(&mut self.own), std::mem::take(&mut self.limits));
        own.clear();
        own.extend(cells.iter().map(|cell| self.state.ints[*cell as usize]));
        let mut found = false;
        'pivots: for pivot in 0..cells.len() {
            // Before the pivot old values, at the pivot new ones, behind it all.
            let seen = |relaxation: &Self, n: usize| relaxation.counters[counters + n];
            let range = |relaxation: &Self, n: usize| match n.cmp(&pivot) {
                std::cmp::Ordering::Less => (0, seen(relaxation, n)),
                std::cmp::Ordering::Equal => (seen(relaxation, n), limits[n]),
                std::cmp::Ordering::Greater => (0, limits[n]),
            };
            if (0..cells.len()).any(|n| range(self, n).0 >= range(self, n).1) {
                continue;
            }
            let mut chosen = std::mem::take(&mut self.chosen);
            chosen.clear();
            chosen.extend((0..cells.len()).map(|n| range(self, n).0));
            loop {
                for (cell, index) in cells.iter().zip(&chosen) {
                    self.state.ints[*cell as usize] = self.cells[*cell as usize].values[*index as usize];
                }
                if self.interrupt.tick() || visit(self, &chosen) {
                    found = true;
                    self.chosen = chosen;
                    break 'pivots;
                }
                let mut n = cells.len();
                let more = loop {
                    let Some(before) = n.checked_sub(1) else { break false };
                    n = before;
                    chosen[n] += 1;
                    if chosen[n] < range(self, n).1 {
                        break true;
                    }
                    chosen[n] = range(self, n).0;
                };
                if !more {
                    break;
                }
            }
            self.chosen = chosen;
        }
        for (n, (cell, value)) in cells.iter().zip(&own).enumerate() {
            self.state.ints[*cell as usize] = *value;
            self.counters[counters + n] = limits[n];
        }
        (self.own, self.limits) = (own, limits);
        found
    }
}

/// Values of a cell that differ in their last six bits have different bits.
fn bit(value: i32) -> u64 {
    1 << (value & 63)
}
