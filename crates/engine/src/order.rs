//! The orders of the one search loop, by their names.

use crate::options::{Options, Preference};
use model::network::Network;
use search::dives::{Dives, Small};
use search::frontier::{Fifo, Frontier, Lifo};
use search::heuristic::Levels;
use search::rank::Ranked;
use search::search::Restarts;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// An order and what goes with it.
pub(crate) struct Order {
    pub name: &'static str,
    pub frontier: Box<dyn Frontier>,
    /// For orders that go by ranks.
    pub levels: Option<Levels>,
    pub restarts: Option<Restarts>,
}

/// The order that the options ask for. `explores_all`: the search is expected to see every state; then ranks explore the
/// fewest, and otherwise breadth first is there sooner, and with the fewest steps. `is_long`: the search may dive when it is no
/// longer `small`, and this is set then.
pub(crate) fn order(options: &Options, explores_all: bool, small: Small, is_long: Option<Arc<AtomicBool>>) -> Order {
    let plain = |name, frontier| Order { name, frontier, levels: None, restarts: None };
    let ranked = |name, frontier| Order { name, frontier, levels: Some(Levels), restarts: None };
    let diving = |is_long| Box::new(Dives::new(small, explores_all, options.seed, is_long));
    match options.search.as_str() {
        // A run with the fewest steps.
        _ if options.preference == Preference::Shortest => plain("bfs", Box::<Fifo>::default()),
        "dfs" => plain("dfs", Box::<Lifo>::default()),
        "rdfs" => Order {
            restarts: Some(Restarts { first: 10_000, growth: 200 }),
            ..plain("rdfs", Box::new(Lifo::shuffled(options.seed)))
        },
        "rank" => ranked("rank", Box::<Ranked>::default()),
        "dive" => ranked("dive", diving(Arc::default())),
        "auto" => match is_long {
            Some(is_long) => ranked(if explores_all { "rank" } else { "bfs" }, diving(is_long)),
            None if explores_all => ranked("rank", Box::<Ranked>::default()),
            None => plain("bfs", Box::<Fifo>::default()),
        },
        _ => plain("bfs", Box::<Fifo>::default()),
    }
}

/// What a search of a network does before it is a long one; the larger the states, the fewer.
pub(crate) fn small(network: &Network) -> Small {
    /// Stored states by their processes and clocks.
    const WORK: u64 = 5_000;
    let size = network.processes.len() as u64 + network.clocks.len() as u64;
    Small { explored: SMALL.explored, stored: (WORK / (size + 1)).min(SMALL.stored) }
}

/// Where states are small themselves.
pub(crate) const SMALL: Small = Small { explored: 200, stored: 400 };
