//! Orders of the one loop. They see every state, and differ in which of the waiting ones is next.

use super::{InfiniteRuns, OrderOf, Refinements, SearchRow, States, Symbolic, Way, Ways};
use crate::options::common::{EXTENT, PROOF, SHORT};
use crate::options::{Options, Preference};
use model::network::Network;
use search::dives::{Dives, Small};
use search::frontier::{Fifo, Frontier, Lifo};
use search::heuristic::Levels;
use search::rank::Ranked;
use search::search::Restarts;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub static DIVE: SearchRow = SearchRow {
    name: "dive",
    help: "Every state, but not in order: by ranks, with random dives in between once many states are stored",
    when: "Take it where an error may lie deep and a proof is wanted if there is none.",
    proves: true,
    ways: looping(dive),
};

pub static RANK: SearchRow = SearchRow {
    name: "rank",
    help: "Every state, in an order that explores few of them twice (Herbreteau and Tran)",
    when: "Take it for proofs: where everything is to be seen it explores the fewest.",
    proves: true,
    ways: looping(by_ranks),
};

pub static BFS: SearchRow = SearchRow {
    name: "bfs",
    help: "Every state, breadth first: the first run found has the fewest steps, as far as zones tell",
    when: "Take it for short runs, and to compare with other tools.",
    proves: true,
    ways: Ways { states: Some(Way { make: States::Loop(bfs), options: &[EXTENT, PROOF, SHORT] }), ..looping(bfs) },
};

pub static DFS: SearchRow = SearchRow {
    name: "dfs",
    help: "Every state, depth first",
    when: "Take it where any run into the depth meets the goal.",
    proves: true,
    ways: Ways {
        infinite_runs: Some(Way { make: InfiniteRuns::Components, options: &[EXTENT] }),
        pairs: Some(Way { make: Refinements::Symbolic(Symbolic::Loop(dfs_of_systems)), options: &[EXTENT, PROOF] }),
        systems: Some(Way { make: Symbolic::Loop(dfs_of_systems), options: &[EXTENT] }),
        ..looping(dfs)
    },
};

pub static RDFS: SearchRow = SearchRow {
    name: "rdfs",
    help: "Every state, depth first in a random order, from the start again now and then",
    when: "Take it where depth first goes astray.",
    proves: true,
    ways: looping(rdfs),
};

/// An order suits whatever the one loop searches. What cycles there are does not depend on it.
const fn looping(order: OrderOf) -> Ways {
    Ways {
        states: Some(Way { make: States::Loop(order), options: &[EXTENT, PROOF] }),
        infinite_runs: Some(Way { make: InfiniteRuns::ComponentsAllTheSame, options: &[EXTENT] }),
        extremes: Some(Way { make: order, options: &[EXTENT] }),
        pairs: Some(Way { make: Refinements::Symbolic(Symbolic::Loop(order)), options: &[EXTENT, PROOF] }),
        systems: Some(Way { make: Symbolic::Loop(order), options: &[EXTENT] }),
    }
}

/// What an order may go by.
pub struct Loop {
    /// The search is expected to see every state.
    pub explores_all: bool,
    /// What it does before it is a long one.
    pub small: Small,
    /// Set when it is no longer small; it may dive then.
    pub is_long: Option<Arc<AtomicBool>>,
    pub seed: u64,
}

/// An order and what goes with it.
pub struct Order {
    pub name: &'static str,
    pub frontier: Box<dyn Frontier>,
    /// For orders that go by ranks.
    pub levels: Option<Levels>,
    pub restarts: Option<Restarts>,
}

impl Order {
    fn plain(name: &'static str, frontier: Box<dyn Frontier>) -> Order {
        Order { name, frontier, levels: None, restarts: None }
    }

    fn ranked(name: &'static str, frontier: Box<dyn Frontier>) -> Order {
        Order { name, frontier, levels: Some(Levels), restarts: None }
    }
}

pub(super) fn bfs(_: &Loop) -> Order {
    Order::plain(BFS.name, Box::<Fifo>::default())
}

fn dfs(_: &Loop) -> Order {
    Order::plain(DFS.name, Box::<Lifo>::default())
}

/// The last successors of a timed I/O system are inputs, after which most often less is left to do
/// than after an output: Milner's scheduler with 50 nodes (d = 4) has 259,753 pairs explored when
/// they go first, and else more than 600,000.
fn dfs_of_systems(_: &Loop) -> Order {
    Order::plain(DFS.name, Box::new(Lifo::last_first()))
}

fn rdfs(searched: &Loop) -> Order {
    let restarts = Some(Restarts { first: 10_000, growth: 200 });
    Order { restarts, ..Order::plain(RDFS.name, Box::new(Lifo::shuffled(searched.seed))) }
}

pub(super) fn by_ranks(_: &Loop) -> Order {
    Order::ranked(RANK.name, Box::<Ranked>::default())
}

fn dive(searched: &Loop) -> Order {
    diving(&Loop { is_long: None, ..*searched })
}

/// By ranks, with dives once the search is long.
pub(super) fn diving(searched: &Loop) -> Order {
    let Loop { explores_all, small, ref is_long, seed } = *searched;
    Order::ranked(DIVE.name, Box::new(Dives::new(small, explores_all, seed, is_long.clone().unwrap_or_default())))
}

/// The order of a search for states. A shortest run is looked for breadth first, and so is the run that a fastest one is to be
/// faster than.
pub(crate) fn order(options: &Options, searched: &Loop) -> Order {
    let make = match options.search.ways.states.as_ref().map(|way| &way.make) {
        _ if options.preference == Preference::Shortest => bfs,
        Some(States::Loop(order) | States::Portfolio(order)) => *order,
        _ => bfs,
    };
    make(searched)
}

/// The order of a search for extreme values.
pub(crate) fn order_for_extremes(options: &Options, searched: &Loop) -> Order {
    options.search.ways.extremes.as_ref().map_or(bfs as OrderOf, |way| way.make)(searched)
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
