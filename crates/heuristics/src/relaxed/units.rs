//! Updates of edges as parts of the relaxed task: cut into units that are run as a whole, or constants where they read nothing
//! that changes.

use super::task::{Task, Unit, UnitKind};
use crate::network::conditions::{Conditions, is_unknown};
use model::network::{Expr, ExprId, ProcessId};
use semantics::code::{Discrete, Effects, UpdateId};
use semantics::reads::{Reads, accesses, single_cell_in};
use std::ops::Range;

/// Updates that are run as a whole, by their places in the list.
struct Group {
    members: Vec<usize>,
    reads: Reads,
    writes: Reads,
}

impl Group {
    fn writes_what_is_read_by(&self, other: &Group) -> bool {
        let (a, b) = (&self.writes, &other.reads);
        let meets = |x: &Range<u32>| b.ints.iter().any(|y| x.start < y.end && y.start < x.end);
        a.everything || b.everything || a.ints.iter().any(meets)
    }

    fn join(&mut self, other: Group) {
        self.members.extend(other.members);
        self.reads.ints.extend(other.reads.ints);
        self.reads.everything |= other.reads.everything;
        self.writes.ints.extend(other.writes.ints);
        self.writes.everything |= other.writes.everything;
    }

    /// The cells that may be written, each once.
    fn targets(&self, cells: usize) -> Vec<u32> {
        let mut targets: Vec<u32> = match self.writes.everything {
            true => (0..cells as u32).collect(),
            false => self.writes.ints.iter().cloned().flatten().collect(),
        };
        targets.sort_unstable();
        targets.dedup();
        targets
    }
}

impl<'n> Task<'n> {
    /// Cuts a list of updates into units: what reads what an earlier one writes is run with it.
    pub(super) fn add_units(
        &mut self,
        process: ProcessId,
        action: u32,
        updates: &[(ExprId, &[i32])],
        flows: bool,
        initial: &Discrete,
    ) -> Range<u32> {
        let first = self.units.len() as u32;
        for group in self.groups(process, updates) {
            let targets = group.targets(self.network.ints.len());
            let Group { members, reads, .. } = group;
            let cells = self.cells(&reads);
            let parts = |task: &mut Task<'n>| {
                members
                    .iter()
                    .map(|n| {
                        let (update, select) = updates[*n];
                        let code = task.updates.entry(update);
                        let id = *code.or_insert_with(|| task.conditions.programs.update(&[update]));
                        (id, select.into())
                    })
                    .collect::<Vec<_>>()
            };
            let (kind, cells) = match cells {
                None => (UnitKind::Anything, Vec::new()),
                Some(cells) if cells.is_empty() => {
                    let parts = parts(self);
                    if self.add_constants(process, &parts, initial) {
                        continue;
                    }
                    (UnitKind::Anything, cells)
                }
                Some(cells) => match self.copied(process, updates, &members) {
                    Some((from, to)) if cells == [from] => (UnitKind::Copy { from, to }, cells),
                    _ => (UnitKind::Run(parts(self)), cells),
                },
            };
            let number = self.units.len() as u32;
            cells.iter().for_each(|cell| self.units_of_cell[*cell as usize].push(number));
            let counters = self.counters;
            self.counters += cells.len() as u32;
            self.units.push(Unit { kind, action, cells, writes: targets, counters, flows });
        }
        first..self.units.len() as u32
    }

    /// The updates that write something, each together with the earlier ones that write what it reads.
    fn groups(&self, process: ProcessId, updates: &[(ExprId, &[i32])]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for (n, (update, select)) in updates.iter().enumerate() {
            let found = accesses(self.network, process, select, *update);
            if found.writes.ints.is_empty() && !found.writes.everything {
                continue;
            }
            let mut group = Group { members: Vec::new(), reads: found.reads, writes: found.writes };
            let (joined, apart): (Vec<Group>, Vec<Group>) =
                groups.into_iter().partition(|other| other.writes_what_is_read_by(&group));
            groups = apart;
            joined.into_iter().for_each(|other| group.join(other));
            group.members.push(n);
            group.members.sort_unstable();
            groups.push(group);
        }
        groups
    }

    /// The cells of an update that copies one to another of the same range or a wider one.
    fn copied(&self, process: ProcessId, updates: &[(ExprId, &[i32])], members: &[usize]) -> Option<(u32, u32)> {
        let [member] = members else { return None };
        let (update, select) = updates[*member];
        let Expr::Assign { op: None, value, .. } = self.network.code.expr(update) else { return None };
        let from = single_cell_in(self.network, self.network.process(process), select, *value)?;
        let writes = accesses(self.network, process, select, update).writes;
        let [to] = writes.ints.as_slice() else { return None };
        let range = |cell: u32| self.network.ints[cell as usize].range;
        let fits = range(to.start).lo <= range(from).lo && range(from).hi <= range(to.start).hi;
        (to.len() == 1 && !writes.everything && fits).then_some((from, to.start))
    }

    /// Adds what updates write that read nothing that changes. `false`: it cannot be computed.
    fn add_constants(&mut self, process: ProcessId, parts: &[(UpdateId, Box<[i32]>)], initial: &Discrete) -> bool {
        let (mut state, mut effects) = (initial.clone(), Effects::default());
        for (update, select) in parts {
            let Conditions { programs, machine } = &mut self.conditions;
            if let Err(error) = machine.update_noting(programs, *update, process, select, &mut state, &mut effects) {
                // A transition that fails leads nowhere; one that cannot be computed, anywhere.
                return !is_unknown(error.kind);
            }
        }
        let mut written: Vec<(u32, i32)> =
            effects.written.iter().map(|(cell, _)| (*cell, state.ints[*cell as usize])).collect();
        written.sort_unstable();
        written.dedup();
        self.constants.extend(written);
        true
    }
}
