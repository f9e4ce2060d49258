//! Topological levels of locations: how far into the control flow of its template a location lies (Herbreteau & Tran 2015;
//! docs/algorithms.md §2.2). A depth-first search from the initial location finds the back edges; without them the template has no cycles, and
//! the level of a location is the length of the longest path to it. A state has the sum over its processes.

use crate::zone_graph::{State, ZoneGraph};
use model::network::Template;
use search::system::Levelled;
use zones::Bound;

/// The level of every location of a template; 0 for those that are not reached.
pub(crate) fn levels(template: &Template) -> Vec<u32> {
    let count = template.locations.len();
    let mut targets: Vec<Vec<usize>> = vec![Vec::new(); count];
    for edge in &template.edges {
        targets[edge.source.index()].extend(edge.branches.iter().map(|branch| branch.target.index()));
    }
    // Locations in the order in which the search leaves them, and which it is in.
    let (mut left, mut position) = (Vec::with_capacity(count), vec![usize::MAX; count]);
    let mut seen = vec![false; count];
    let mut stack = vec![(template.initial.index(), 0)];
    seen[template.initial.index()] = true;
    while let Some((location, next)) = stack.last_mut() {
        if let Some(&target) = targets[*location].get(*next) {
            *next += 1;
            if !std::mem::replace(&mut seen[target], true) {
                stack.push((target, 0));
            }
        } else {
            position[*location] = left.len();
            left.push(*location);
            stack.pop();
        }
    }
    let mut levels = vec![0; count];
    for &location in left.iter().rev() {
        // An edge to a location that is left later is a back edge.
        for &target in targets[location].iter().filter(|target| position[**target] < position[location]) {
            levels[target] = levels[target].max(levels[location] + 1);
        }
    }
    levels
}

impl Levelled for ZoneGraph<'_> {
    fn level(&self, state: &State) -> u32 {
        state.level
    }

    fn is_largest(&self, state: &State) -> bool {
        let dim = state.zone.dim();
        (0..dim).all(|i| {
            (0..dim).all(|j| match (i, j) {
                (0, _) => state.zone.at(0, j) == Bound::LE_ZERO,
                _ => i == j || state.zone.at(i, j).is_infinite(),
            })
        })
    }
}
