//! Guards of many edges that ask the same cell for one value: `id == 0`.
//!
//! Where a shared variable lets one process pass after another, a change of it opens or closes an edge of every process.
//! Such a part of a guard is a gate. Edges behind a gate wait in buckets of their own, one for each value, and a change of
//! the cell opens another bucket instead of touching the edges.
//!
//! A guard is split only where its other parts cannot fail, because these are then evaluated also while the gate is closed.

use model::network::{Expr, ExprId, Network, Number, ProcessId};
use model::syntax::ast::BinaryOp;
use semantics::code::ConditionId;
use semantics::reads::{conjuncts, constant, single_cell};
use semantics::structure::Structure;
use std::collections::HashMap;

/// A guard that asks a cell for one value, and the rest of it.
#[derive(Clone, Debug)]
pub(crate) struct Gated {
    pub cell: u32,
    /// The part of the guard that asks.
    pub part: ExprId,
    /// What the cell must be, by process and select values.
    value: ExprId,
    /// What else has integers in it.
    pub rest: Vec<ConditionId>,
    pub rest_exprs: Vec<ExprId>,
}

/// Fewer edges than this are not worth a gate.
const WORTH: usize = 8;
/// More gates would make a draw slow.
const MOST: usize = 8;

impl Gated {
    /// What the cell must be for an edge.
    pub fn value(&self, network: &Network, process: usize, select: &[i32]) -> Option<i32> {
        constant(network, network.process(ProcessId::new(process)), select, self.value)
    }
}

/// Finds gates among the edges of all templates that may begin a transition; by number of the edge in the structure.
pub(crate) fn find(structure: &mut Structure) -> HashMap<u32, Gated> {
    let network = structure.network;
    let mut asked: HashMap<u32, usize> = HashMap::new();
    let mut found: Vec<(u32, u32, ExprId, ExprId, Vec<ExprId>)> = Vec::new();
    for (t, template) in network.templates.iter().enumerate() {
        let processes: Vec<usize> = of_template(network, t);
        let Some(first) = processes.first() else { continue };
        for (e, edge) in template.edges.iter().enumerate() {
            let Some(guard) = edge.guard else { continue };
            let receives =
                edge.sync.as_ref().is_some_and(|sync| sync.direction == model::syntax::ast::Direction::Receive);
            let urgent =
                edge.sync.as_ref().is_some_and(|sync| semantics::structure::may_be_urgent(network, &sync.channel));
            if receives || urgent {
                continue;
            }
            let Some(expanded) = template.expanded.iter().position(|expanded| expanded.edge.index() == e) else {
                continue;
            };
            let id = structure.edge_id(*first, expanded as u32);
            let parts = conjuncts(&network.code, guard);
            let gate = parts.iter().enumerate().find_map(|(n, part)| {
                let (cell, value) = gate(network, *first, *part)?;
                let rest: Vec<ExprId> =
                    parts.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, part)| *part).collect();
                let safe = rest.iter().all(|part| !structure.programs.may_fail(*part));
                // The same cell and a known value for every process and all select values.
                let known = processes.iter().all(|process| {
                    let owner = network.process(ProcessId::new(*process));
                    let mut selects = template.expanded.iter().filter(|expanded| expanded.edge.index() == e);
                    single_cell(network, owner, cell.1) == Some(cell.0)
                        && selects.all(|one| constant(network, owner, template.select_values(*one), value).is_some())
                });
                (safe && known).then_some((cell.0, *part, value, rest))
            });
            if let Some((cell, part, value, rest)) = gate {
                *asked.entry(cell).or_default() += processes.len();
                found.push((id, cell, part, value, rest));
            }
        }
    }
    let mut cells: Vec<(usize, u32)> =
        asked.iter().filter(|(_, count)| **count >= WORTH).map(|(cell, count)| (*count, *cell)).collect();
    cells.sort_unstable_by(|a, b| b.cmp(a));
    cells.truncate(MOST);
    let mut gates = HashMap::new();
    for (id, cell, part, value, rest) in found {
        if cells.iter().any(|(_, chosen)| *chosen == cell) {
            let rest_exprs: Vec<ExprId> =
                rest.into_iter().filter(|part| !matches!(network.code.expr(*part), Expr::ClockConstraint(_))).collect();
            let rest = rest_exprs.iter().map(|part| structure.programs.condition(*part)).collect();
            gates.insert(id, Gated { cell, part, value, rest, rest_exprs });
        }
    }
    gates
}

/// `cell == value`, in either order, where the cell is a variable of the whole network.
fn gate(network: &Network, process: usize, part: ExprId) -> Option<((u32, ExprId), ExprId)> {
    let Expr::Binary { op: BinaryOp::Eq, number: Number::Int, left, right } = network.code.expr(part) else {
        return None;
    };
    let owner = network.process(ProcessId::new(process));
    let cell = |side: ExprId| single_cell(network, owner, side).map(|cell| (cell, side));
    match (cell(*left), cell(*right)) {
        (Some(cell), None) => Some((cell, *right)),
        (None, Some(cell)) => Some((cell, *left)),
        _ => None,
    }
}

pub(crate) fn of_template(network: &Network, template: usize) -> Vec<usize> {
    let of = |(n, process): (usize, &model::network::Process)| (process.template.index() == template).then_some(n);
    network.processes.iter().enumerate().filter_map(of).collect()
}
