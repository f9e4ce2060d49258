//! How many edges a process needs to a location at least, guards and partners ignored: breadth-first search backwards in the
//! graph of its template (after Edelkamp, Leue & Lluch Lafuente 2004; docs/algorithms.md §3.3).

use model::network::{EdgeId, LocationId, Template};
use std::collections::VecDeque;

/// No edges lead there.
pub const NO_WAY: u32 = u32::MAX;

/// For every location of a template the number of edges to the target, along edges that `usable` allows; [`NO_WAY`] if there
/// is no way.
pub fn to_location(template: &Template, target: LocationId, usable: &dyn Fn(EdgeId) -> bool) -> Vec<u32> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); template.locations.len()];
    for (n, edge) in template.edges.iter().enumerate() {
        if usable(EdgeId::new(n)) {
            for branch in &edge.branches {
                before[branch.target.index()].push(edge.source.index());
            }
        }
    }
    let mut found = vec![NO_WAY; template.locations.len()];
    found[target.index()] = 0;
    let mut waiting = VecDeque::from([target.index()]);
    while let Some(at) = waiting.pop_front() {
        for source in &before[at] {
            if found[*source] == NO_WAY {
                found[*source] = found[at] + 1;
                waiting.push_back(*source);
            }
        }
    }
    found
}
