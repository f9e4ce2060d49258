//! A question about single states, ready for every engine: the network and the query, compiled once.
//!
//! What only some engines need is compiled when the problem is made, because code cannot be added to
//! what threads share: the parts of guards that random walks ask for one by one.

use crate::deadlocks;
use crate::options::Options;
use certify::Claim;
use model::network::{ExprId, Network};
use semantics::clock_bounds::ClockBounds;
use semantics::code::{IntId, PredicateId};
use semantics::compiled::Compiled;
use semantics::zone_graph::{Abstraction, ZoneGraph};
use walk::tables::{Preparation, prepare};

/// Is a state reachable in which the predicate holds?
pub struct Problem<'n> {
    pub network: &'n Network,
    pub predicate: ExprId,
    /// What a run to such a state shows.
    pub claim: Claim,
    pub compiled: Compiled<'n>,
    /// The predicate as code.
    pub goal: PredicateId,
    /// What tells guided walks how near the goal is.
    pub level: Option<IntId>,
    /// The largest number that the query compares a clock with.
    pub constant: i32,
    /// What walks need.
    pub preparation: Option<Preparation>,
}

/// Whether walks are among the engines that will be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Walking {
    Yes,
    No,
}

impl<'n> Problem<'n> {
    pub fn new(network: &'n Network, predicate: ExprId, claim: Claim, walking: Walking, options: &Options) -> Self {
        let query = ClockBounds::of_predicate(network, predicate);
        let constant = query.uses.iter().flat_map(|one| [one.lower, one.upper]).flatten().max().unwrap_or(0);
        let (compiled, (goal, level, preparation)) = Compiled::new(network, query, |structure| {
            let preparation = (walking == Walking::Yes).then(|| prepare(structure));
            let programs = &mut structure.programs;
            (programs.predicate(predicate), options.level.map(|level| programs.int(level)), preparation)
        });
        Problem { network, predicate, claim, compiled, goal, level, constant, preparation }
    }

    /// The zone graph in which the predicate can be looked for: lower and upper bounds do not keep deadlocks.
    pub fn graph(&self, abstraction: Abstraction) -> ZoneGraph<'n> {
        let about_deadlock = deadlocks::mentioned(self.network, self.predicate);
        self.compiled.graph(if about_deadlock { Abstraction::Maximal } else { abstraction })
    }
}
