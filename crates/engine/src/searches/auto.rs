//! `auto`: several searches side by side, the first conclusive answer wins ([`crate::auto`]).

use super::orders::{Loop, Order, bfs, by_ranks, diving};
use super::walks::{GUIDANCE, MANNER, PAIR_MANNER};
use super::{InfiniteRuns, Refinements, SearchRow, States, Symbolic, Way, Ways};
use crate::options::common::{EXTENT, PREFERENCE, PROOF};
use crate::options::row::Lists;

pub static AUTO: SearchRow = SearchRow {
    name: "auto",
    help: "Several ways at once: an exhaustive search, directed searches, random walks; the first answer wins",
    when: "Take it unless you know better, or want an order of your own.",
    proves: true,
    ways: Ways {
        states: Some(Way { make: States::Portfolio(alone), options: &[EXTENT, PREFERENCE, PROOF, MANNER, GUIDANCE] }),
        infinite_runs: Some(Way { make: InfiniteRuns::Components, options: &[EXTENT] }),
        extremes: Some(Way { make: alone, options: &[EXTENT] }),
        pairs: Some(Way { make: Refinements::Both(bfs), options: &[EXTENT, PROOF, PAIR_MANNER] }),
        systems: Some(Way { make: Symbolic::Loop(bfs), options: &[EXTENT] }),
    },
};

/// What is left of the options where a shortest or a fastest run is looked for: then there is one search.
pub const PREFERRING: Lists = &[EXTENT, PREFERENCE, PROOF];

/// The order of its exhaustive search. One that is expected to see every state explores the fewest by ranks; otherwise
/// breadth first is there sooner, and with the fewest steps. A long one dives if somebody wants to know that it is long.
fn alone(searched: &Loop) -> Order {
    let order = if searched.explores_all { by_ranks(searched) } else { bfs(searched) };
    match searched.is_long {
        Some(_) => Order { name: order.name, ..diving(searched) },
        None => order,
    }
}
