//! Is a state reachable in which a predicate holds? Exhaustive search of the zone graph.

use crate::limits::Watch;
use crate::options::Options;
use crate::witness::{self, NoWitness, Witness};
use certify::Claim;
use model::network::{Expr, ExprId, Network};
use search::budget::{Limits, Reason};
use search::frontier::{Fifo, Frontier, Lifo, Uniform};
use search::search::{Restarts, Search, Stop};
use search::statistics::Statistics;
use semantics::clock_bounds::ClockBounds;
use semantics::code::RunError;
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{Abstraction, ZoneGraph};

/// What a search for a state found out.
pub struct Reached {
    pub outcome: Outcome,
    pub search: &'static str,
    pub statistics: Statistics,
}

pub enum Outcome {
    Found(Box<Witness>),
    /// There is one, and no exact times for it were found.
    FoundWithoutTimes,
    /// Every reachable state was looked at.
    Nowhere,
    Unknown(String),
    /// The model has an error; the labels lead to the state in which it happens.
    ModelError(RunError, Vec<u32>),
    /// A bug: the engines disagree.
    Internal(String),
}

/// How a search is made, where that is not left to the engine.
#[derive(Clone, Copy, Default, Debug)]
pub struct Exploration {
    /// What makes the zone graph finite; by default what suits the predicate. A predicate about deadlocks needs
    /// `Maximal` or `None`.
    pub abstraction: Option<Abstraction>,
    /// How many states may be explored.
    pub states: Option<u64>,
}

/// Looks for a state in which the predicate holds; `claim` is what a run to it shows.
pub fn reach(network: &Network, predicate: ExprId, claim: Claim, options: &Options, watch: &mut Watch) -> Reached {
    reach_under(network, predicate, claim, Exploration::default(), options, watch)
}

/// As [`reach`], in a way that the caller chooses.
pub fn reach_under(
    network: &Network,
    predicate: ExprId,
    claim: Claim,
    how: Exploration,
    options: &Options,
    watch: &mut Watch,
) -> Reached {
    let everywhere = ClockBounds::of_predicate(network, predicate);
    let about_deadlock = mentions_deadlock(network, predicate);
    let suitable = if about_deadlock { Abstraction::Maximal } else { Abstraction::Simulation };
    let abstraction = how.abstraction.unwrap_or(suitable);
    let mut graph = ZoneGraph::new(network, abstraction, everywhere);
    let goal = graph.predicate(predicate);
    let mut last_goal = PredicateGoal::new(&graph, goal);
    let (name, frontier, restarts): (_, Box<dyn Frontier>, _) = match options.search.as_str() {
        "dfs" => ("dfs", Box::new(Lifo::default()), None),
        "rdfs" => ("rdfs", Box::new(Lifo::shuffled(options.seed)), Some(Restarts { first: 10_000, growth: 200 })),
        "random" => ("random", Box::new(Uniform::new(options.seed)), None),
        _ => ("bfs", Box::new(Fifo::default()), None),
    };
    let limits = Limits { explored: how.states, ..watch.limits(options) };
    let mut search = Search::new(&graph, PredicateGoal::new(&graph, goal), frontier).limited(limits, watch.cancel());
    if let Some(restarts) = restarts {
        search = search.restarting(restarts);
    }
    loop {
        let Some(stop) = search.step() else {
            watch.tick(&|| search.statistics());
            continue;
        };
        let outcome = match stop {
            Stop::Found(id) => {
                let labels = search.trace(id);
                match witness::reaching(&graph, &labels, &mut last_goal, claim) {
                    Ok(witness) => Outcome::Found(Box::new(witness)),
                    Err(NoWitness::Failed(error)) => Outcome::ModelError(error, labels),
                    Err(_) if graph.too_large() => Outcome::Unknown(TOO_LARGE.to_owned()),
                    Err(NoWitness::Unrealisable | NoWitness::Refused(_)) if graph.approximates() => {
                        Outcome::Unknown("only an over-approximation reaches it".to_owned())
                    }
                    Err(NoWitness::Unrealisable) => Outcome::Internal("a path of the zone graph has no run".to_owned()),
                    Err(NoWitness::Refused(refusal)) => {
                        Outcome::Internal(format!("the replay refuses the run: {}", refusal.text))
                    }
                }
            }
            Stop::Exhausted { proof: true } if graph.too_large() => Outcome::Unknown(TOO_LARGE.to_owned()),
            // A state that waits too long in the graph may be a deadlock in the network.
            Stop::Exhausted { proof: true } if graph.approximates() && about_deadlock => {
                Outcome::Unknown("only an over-approximation has no such state".to_owned())
            }
            Stop::Exhausted { proof: true } => Outcome::Nowhere,
            Stop::Exhausted { proof: false } => Outcome::Unknown("the search was cut off".to_owned()),
            Stop::OutOfBudget(reason) => Outcome::Unknown(out_of_budget(reason).to_owned()),
            Stop::Cancelled => Outcome::Unknown("interrupted".to_owned()),
            Stop::Failed { error, .. } if graph.approximates() || graph.too_large() => {
                Outcome::Unknown(format!("an over-approximation has an error: {error}"))
            }
            Stop::Failed { at, error } => {
                let labels = at.map(|id| search.trace(id)).unwrap_or_default();
                Outcome::ModelError(error, labels)
            }
        };
        return Reached { outcome, search: name, statistics: search.statistics() };
    }
}

pub(crate) const TOO_LARGE: &str = "constants too large: zones cannot hold them";

pub(crate) fn out_of_budget(reason: Reason) -> &'static str {
    match reason {
        Reason::Time => "the time limit is reached",
        Reason::Memory => "the memory limit is reached",
        Reason::Stored | Reason::Explored => "the limit of states is reached",
        Reason::Capacity => "there are more states than can be stored",
    }
}

fn mentions_deadlock(network: &Network, predicate: ExprId) -> bool {
    let mut found = false;
    network.code.walk(predicate, &mut |_, expr| found |= matches!(expr, Expr::Deadlock));
    found
}
