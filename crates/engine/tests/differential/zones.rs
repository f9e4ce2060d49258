//! The discrete states that the zone graph reaches under an abstraction, in an order.

use model::network::Network;
use search::budget::Limits;
use search::frontier::{Fifo, Frontier, Lifo, Uniform};
use search::goal::Goal;
use search::search::{Search, Stop};
use semantics::code::{Discrete, RunError};
use semantics::zone_graph::{Abstraction, State, ZoneGraph};
use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Breadth,
    Depth,
    RandomDepth(u64),
    Random(u64),
}

impl Order {
    fn frontier(self) -> Box<dyn Frontier> {
        match self {
            Order::Breadth => Box::new(Fifo::default()),
            Order::Depth => Box::new(Lifo::default()),
            Order::RandomDepth(seed) => Box::new(Lifo::shuffled(seed)),
            Order::Random(seed) => Box::new(Uniform::new(seed)),
        }
    }
}

pub enum Explored {
    All(BTreeSet<certify::Discrete>),
    /// More states than are wanted here, or zones that cannot be trusted.
    Cut(BTreeSet<certify::Discrete>),
    Failed(RunError),
}

#[derive(Default)]
struct Collect(BTreeSet<certify::Discrete>);

impl<'n> Goal<ZoneGraph<'n>> for Collect {
    fn holds(&mut self, graph: &ZoneGraph<'n>, state: &State) -> Result<bool, RunError> {
        self.0.insert(plain(graph.network(), &state.discrete));
        Ok(false)
    }
}

/// Without what is no part of a state: meta variables.
fn plain(network: &Network, discrete: &Discrete) -> certify::Discrete {
    let ints = network.ints.iter().zip(&discrete.ints);
    certify::Discrete {
        locations: discrete.locations.clone(),
        ints: ints.map(|(cell, value)| if cell.meta { cell.initial } else { *value }).collect(),
    }
}

pub fn explore(network: &Network, abstraction: Abstraction, order: Order, limit: u64) -> Explored {
    let graph = ZoneGraph::new(network, abstraction);
    let limits = Limits { explored: Some(limit), ..Limits::default() };
    let mut search = Search::new(&graph, Collect::default(), order.frontier()).limited(limits, None);
    let stop = search.run();
    let states = search.goal().0.clone();
    match stop {
        Stop::Exhausted { proof: true } => Explored::All(states),
        Stop::Failed { error, .. } => Explored::Failed(error),
        _ => Explored::Cut(states),
    }
}
