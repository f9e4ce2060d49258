//! The order of locations in the control flow: what [`search::levels`] says of the graph of each
//! template. A state has the sum over its processes.

use crate::zone_graph::{State, ZoneGraph};
use model::network::Template;
use search::system::Levelled;
use zones::Bound;

/// The level of every location of a template; 0 for those that are not reached.
pub(crate) fn levels(template: &Template) -> Vec<u32> {
    let mut targets: Vec<Vec<usize>> = vec![Vec::new(); template.locations.len()];
    for edge in &template.edges {
        targets[edge.source.index()].extend(edge.branches.iter().map(|branch| branch.target.index()));
    }
    search::levels::levels(&targets, template.initial.index())
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
