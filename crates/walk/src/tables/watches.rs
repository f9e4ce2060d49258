//! What is looked at again when a cell or a clock changes, and how long waiting makes a difference.

use super::{EdgeTable, Membership, Piece, Preparation};
use crate::pool::NONE;
use crate::watch::{Watch, Watcher};
use model::network::{Expr, ExprId, Network, ProcessId};
use semantics::code::range_of;
use semantics::reads::{Reads, reads, reads_in};
use semantics::structure::Structure;

pub(super) fn watches(
    structure: &Structure,
    edges: &[EdgeTable],
    preparation: &Preparation,
    pieces: &[Piece],
) -> (Watch, Watch) {
    let gates = &preparation.gates;
    let network = structure.network;
    let (mut cells, mut clocks) = (Vec::new(), Vec::new());
    let everything = 0..network.ints.len() as u32;
    for n in 0..network.processes.len() {
        let id = ProcessId::new(n);
        let template = network.template_of(id);
        let ints = |reads: &Reads| {
            if reads.everything { vec![everything.clone()] } else { reads.ints.clone() }
        };
        let mut last = NONE;
        for x in 0..template.expanded.len() {
            let edge = structure.edge_id(n, x as u32);
            let table = &edges[edge as usize];
            if edge == last || !table.acts {
                continue;
            }
            last = edge;
            let read: Vec<ExprId> = match (&table.membership, gates.get(&edge)) {
                (Membership::Always, _) => Vec::new(),
                (Membership::Rest(_), Some(gated)) => gated.rest_exprs.clone(),
                _ => template.edge(template.expanded[x].edge).guard.into_iter().collect(),
            };
            for expr in read {
                let found = ints(&reads(network, id, expr));
                cells.extend(found.into_iter().map(|range| (range, Watcher::guard(n, edge))));
            }
        }
    }
    for (n, piece) in pieces.iter().enumerate() {
        let codes = &preparation.pieces;
        let template = network.processes[piece.process as usize].template.index();
        let first = pieces[..n]
            .iter()
            .rev()
            .take_while(|other| other.process == piece.process && other.location == piece.location);
        let within = first.count();
        let Some(code) = codes.get(&(template, piece.location.index())).and_then(|list| list.get(within)) else {
            continue;
        };
        let found = reads_in(network, ProcessId::new(piece.process as usize), &piece.frame, code.expr);
        let ints = if found.everything { vec![everything.clone()] } else { found.ints };
        let watcher = Watcher::invariant(piece.process as usize, n);
        cells.extend(ints.into_iter().map(|range| (range, watcher)));
        clocks.extend(found.clocks.into_iter().map(|range| (range, watcher)));
    }
    (Watch::new(network.ints.len(), cells), Watch::new(network.clocks.len(), clocks))
}

/// The largest number that clocks are compared with, as far as it is known.
pub(super) fn greatest_constant(network: &Network) -> i64 {
    let mut greatest = 1;
    for (n, process) in network.processes.iter().enumerate() {
        let template = network.template(process.template);
        let guards = template.edges.iter().filter_map(|edge| edge.guard);
        let invariants = template.locations.iter().filter_map(|location| location.invariant);
        for condition in guards.chain(invariants) {
            network.code.walk(condition, &mut |_, expr| {
                if let Expr::ClockConstraint(constraint) = expr {
                    let (lo, hi) = range_of(network, constraint.bound, ProcessId::new(n));
                    let known = |value: &i64| value.abs() < i64::from(i32::MAX);
                    greatest =
                        [lo, hi].iter().filter(|value| known(value)).fold(greatest, |most, one| most.max(one.abs()));
                }
            });
        }
    }
    greatest
}
