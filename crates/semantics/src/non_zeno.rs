//! Structural non-Zenoness: whether every loop of every process spends time (Tripakis 1999; docs/algorithms.md §5.4).
//!
//! A loop spends time when it sets some clock to 0 and also has a guard that forces this clock to at least 1. An infinite run takes
//! some process through its loops again and again, so when all loops of all processes spend time, time diverges on every
//! infinite run. Loops are not enumerated: one fails to spend time iff for every clock it avoids all edges that set it or all
//! guards on it. So a strongly connected component in which no clock has both is bad, and otherwise both ways to avoid
//! some clock are looked at. Two ways per clock: exponential in the clocks of one component, and cut off.
//!
//! Only clocks that nothing ever sets to anything but 0 are counted, only assignments that are made whatever happens, and only
//! guards that are conjunctions. What is missed makes the answer `false`, which is always safe.

use crate::clock_bounds::clocks_of;
use crate::code::range_of;
use model::network::{Expr, ExprId, Network, Process, ProcessId, Relation};
use std::collections::BTreeSet;

/// So many components are looked at.
const MOST_COMPONENTS: usize = 1_000;

/// One branch of an edge.
#[derive(Clone, Default)]
struct Arc {
    from: usize,
    to: usize,
    sets: BTreeSet<u32>,
    forces: BTreeSet<u32>,
}

/// Whether time diverges on every infinite run, as far as the loops of the processes show it.
pub fn spends_time(network: &Network) -> bool {
    let usable = usable(network);
    (0..network.processes.len()).all(|n| loops_spend_time(arcs(network, ProcessId::new(n), &usable)))
}

/// The clocks that nothing sets to anything but 0.
fn usable(network: &Network) -> BTreeSet<u32> {
    let mut usable: BTreeSet<u32> = (0..network.clocks.len() as u32).collect();
    for (n, process) in network.processes.iter().enumerate() {
        let template = network.template(process.template);
        let branches = template.edges.iter().flat_map(|edge| &edge.branches).flat_map(|branch| &branch.update);
        let edges = template.edges.iter().flat_map(|edge| &edge.update);
        for update in edges.chain(branches).chain(&network.before_update).chain(&network.after_update) {
            network.code.walk(*update, &mut |_, expr| {
                let Expr::SetClock { target, source, offset } = expr else { return };
                if source.is_some() || range_of(network, *offset, ProcessId::new(n)) != (0, 0) {
                    clocks_of(network, process, target).iter().for_each(|clock| {
                        usable.remove(clock);
                    });
                }
            });
        }
    }
    usable
}

fn arcs(network: &Network, id: ProcessId, usable: &BTreeSet<u32>) -> Vec<Arc> {
    let process = network.process(id);
    let mut arcs = Vec::new();
    for edge in &network.template_of(id).edges {
        let mut forces = BTreeSet::new();
        if let Some(guard) = edge.guard {
            forced(network, id, guard, &mut forces);
        }
        forces.retain(|clock| usable.contains(clock));
        for branch in &edge.branches {
            let mut sets = BTreeSet::new();
            edge.update.iter().chain(&branch.update).for_each(|update| set(network, process, *update, &mut sets));
            sets.retain(|clock| usable.contains(clock));
            arcs.push(Arc { from: edge.source.index(), to: branch.target.index(), sets, forces: forces.clone() });
        }
    }
    arcs
}

/// The clocks that a guard forces to at least 1.
fn forced(network: &Network, id: ProcessId, guard: ExprId, forces: &mut BTreeSet<u32>) {
    let mut conjuncts = vec![guard];
    while let Some(conjunct) = conjuncts.pop() {
        match network.code.expr(conjunct) {
            Expr::And(left, right) => conjuncts.extend([*left, *right]),
            Expr::ClockConstraint(constraint) => {
                let (lo, hi) = range_of(network, constraint.bound, id);
                // `x ~ n`, or `-x ~ n`.
                let place = match (&constraint.plus, &constraint.minus, constraint.relation) {
                    (Some(place), None, Relation::Ge | Relation::Gt | Relation::Eq) if lo >= 1 => place,
                    (None, Some(place), Relation::Le | Relation::Lt | Relation::Eq) if hi <= -1 => place,
                    _ => continue,
                };
                if let [clock] = clocks_of(network, network.process(id), place)[..] {
                    forces.insert(clock);
                }
            }
            _ => {}
        }
    }
}

/// The clocks that an update sets whatever happens.
fn set(network: &Network, process: &Process, update: ExprId, sets: &mut BTreeSet<u32>) {
    let mut updates = vec![update];
    while let Some(update) = updates.pop() {
        match network.code.expr(update) {
            Expr::Sequence(first, second) => updates.extend([*first, *second]),
            Expr::SetClock { target, .. } => {
                if let [clock] = clocks_of(network, process, target)[..] {
                    sets.insert(clock);
                }
            }
            _ => {}
        }
    }
}

/// Whether every loop sets and forces some clock.
fn loops_spend_time(arcs: Vec<Arc>) -> bool {
    let mut graphs = vec![arcs];
    let mut looked_at = 0;
    while let Some(graph) = graphs.pop() {
        for component in components(&graph) {
            looked_at += 1;
            let forces = |clock: &&u32| component.iter().any(|arc| arc.forces.contains(clock));
            let both = component.iter().flat_map(|arc| &arc.sets).find(forces).copied();
            let (Some(clock), true) = (both, looked_at <= MOST_COMPONENTS) else { return false };
            graphs.push(component.iter().filter(|arc| !arc.sets.contains(&clock)).cloned().collect());
            graphs.push(component.iter().filter(|arc| !arc.forces.contains(&clock)).cloned().collect());
        }
    }
    true
}

/// The arcs of each strongly connected component that has any (Kosaraju, Sharir, with an explicit stack).
fn components(arcs: &[Arc]) -> Vec<Vec<Arc>> {
    let size = arcs.iter().map(|arc| arc.from.max(arc.to) + 1).max().unwrap_or(0);
    let neighbours = |ends: &dyn Fn(&Arc) -> (usize, usize)| {
        let mut lists = vec![Vec::new(); size];
        arcs.iter().map(ends).for_each(|(from, to)| lists[from].push(to));
        lists
    };
    let mut order = Vec::new();
    let mut seen = vec![false; size];
    let forwards = neighbours(&|arc| (arc.from, arc.to));
    for start in 0..size {
        visit(&forwards, start, &mut seen, &mut order);
    }
    let backwards = neighbours(&|arc| (arc.to, arc.from));
    let mut component = vec![0; size];
    seen.fill(false);
    for (number, start) in order.into_iter().rev().enumerate() {
        let mut members = Vec::new();
        visit(&backwards, start, &mut seen, &mut members);
        members.into_iter().for_each(|member| component[member] = number);
    }
    let mut found = vec![Vec::new(); size];
    for arc in arcs.iter().filter(|arc| component[arc.from] == component[arc.to]) {
        found[component[arc.from]].push(arc.clone());
    }
    found.retain(|component| !component.is_empty());
    found
}

/// Appends what is reached from `start` and not yet seen, in the order in which the search leaves it.
fn visit(neighbours: &[Vec<usize>], start: usize, seen: &mut [bool], left: &mut Vec<usize>) {
    let mut stack = Vec::new();
    if !std::mem::replace(&mut seen[start], true) {
        stack.push((start, 0));
    }
    while let Some((at, next)) = stack.last_mut() {
        match neighbours[*at].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                left.push(*at);
                stack.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(from: usize, to: usize, sets: &[u32], forces: &[u32]) -> Arc {
        Arc { from, to, sets: sets.iter().copied().collect(), forces: forces.iter().copied().collect() }
    }

    #[test]
    fn loops_that_spend_time() {
        let cases = [
            ("no loop", vec![arc(0, 1, &[], &[]), arc(1, 2, &[], &[])], true),
            ("an empty loop", vec![arc(0, 0, &[], &[])], false),
            ("set and forced", vec![arc(0, 1, &[0], &[]), arc(1, 0, &[], &[0])], true),
            ("one clock set, another forced", vec![arc(0, 1, &[0], &[]), arc(1, 0, &[], &[1])], false),
            (
                "two loops, both spend time",
                vec![arc(0, 0, &[0], &[0]), arc(0, 1, &[1], &[]), arc(1, 0, &[], &[1])],
                true,
            ),
            ("a detour around the guard", vec![arc(0, 1, &[0], &[]), arc(1, 0, &[], &[0]), arc(1, 0, &[], &[])], false),
            ("either clock will do", vec![arc(0, 1, &[0, 1], &[]), arc(1, 0, &[], &[0]), arc(1, 0, &[], &[1])], true),
            ("set in one loop, forced in another", vec![arc(0, 0, &[0], &[]), arc(0, 0, &[], &[0])], false),
        ];
        for (name, arcs, expected) in cases {
            assert_eq!(loops_spend_time(arcs), expected, "{name}");
        }
    }
}
