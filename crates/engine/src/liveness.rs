//! `E[] p`, `A<> p` and `p --> q`: runs that stay within a predicate for ever, or until nothing can happen any more.
//! `buchi: p`: runs that visit a predicate infinitely often while time diverges.
//!
//! `E[] p` looks for a maximal run on which p holds at every moment: a cycle of the zone graph cut down to p, a state in
//! which time can pass for ever, or one in which no action is possible any more. `A<> p` is the absence of such a run for
//! `!p`, and `p --> q` the absence of one for `!q` from any reachable moment of p. There is no fairness, and a run that
//! takes infinitely many actions in finite time is a run, as in UPPAAL. Predicates may be any combination of clock
//! constraints: the graph is searched in the parts that they cut delays into, see [`semantics::parts`].
//!
//! The graph is extrapolated with maximal bounds and its states are compared for equality, which keeps infinite runs (lower
//! and upper bounds would not). Only what is included in a state from which no such run starts is skipped: its runs are
//! runs of the larger state.
//!
//! `buchi: p` first looks for any cycle through p; where there is none there is no run. A cycle may exist in no time only (Zeno).
//! It counts when exact times are found with which a time unit passes in every round, or when no cycle of the network can do
//! without time ([`semantics::non_zeno`]). Otherwise the search is made again with one more clock and a tick, so that exactly
//! the runs on which time diverges have cycles.
//!
//! The graph is searched for strongly connected components, or by deep random walks (`--search drs`, [`search::deep_lassos`]); what
//! counts as such a run, and how time is made to diverge, is the same for both.

use crate::lasso::{Progress, witness};
use crate::limits::Watch;

use crate::options::{Options, Preference};
use crate::reachability::{
    Met, Optimum, Outcome, Proof, Reached, TOO_LARGE, model_error, out_of_budget, unless_cut_off,
};
use crate::searches::{InfiniteRuns, deep_random};
use crate::witness::NoWitness;
use certify::Claim;
use model::network::{ExprId, Network};
use search::budget::Limits;
use search::deep_lassos::DeepLassos;
use search::lasso::Marks;
use search::liveness::{Liveness, Outcome as Found, Pruning};
use search::runs::{Runs, Start};
use search::statistics::Statistics;
use semantics::clock_bounds::{ClockBounds, QueryBounds};
use semantics::code::RunError;
use semantics::compiled::Compiled;
use semantics::non_zeno::spends_time;
use semantics::parts::{Asked, End, PartGraph, PartScratch, PartState, Phase, Step};
use semantics::zone_graph::{Abstraction, ZoneGraph};

/// Looks for a maximal run on which the predicate always holds.
pub fn always(network: &Network, predicate: ExprId, claim: Claim, options: &Options, watch: &mut Watch) -> Reached {
    let (graph, predicate) = ZoneGraph::for_predicate(network, Abstraction::Maximal, predicate);
    let asked = Asked::Always(predicate);
    search(&graph, asked, claim, Progress::Any, options, watch)
}

/// Looks for a run that reaches `from` and never `to` after it.
pub fn unanswered(
    network: &Network,
    from: ExprId,
    to: ExprId,
    claim: Claim,
    options: &Options,
    watch: &mut Watch,
) -> Reached {
    let mut compared = ClockBounds::of_predicate(network, from);
    let QueryBounds { uses, cuts } = ClockBounds::of_predicate(network, to);
    compared.uses.extend(uses);
    compared.cuts.list.extend(cuts.list);
    compared.cuts.too_many |= cuts.too_many;
    let (compiled, asked) = Compiled::new(network, compared, |structure| {
        let programs = &mut structure.programs;
        Asked::Unanswered { from: programs.predicate(from), to: programs.predicate(to) }
    });
    search(&compiled.graph(Abstraction::Maximal), asked, claim, Progress::Any, options, watch)
}

/// Looks for a run that visits the predicate infinitely often while time diverges.
pub fn infinitely(network: &Network, predicate: ExprId, claim: Claim, options: &Options, watch: &mut Watch) -> Reached {
    let compared = ClockBounds::of_predicate(network, predicate);
    let (compiled, predicate) = Compiled::new(network, compared, |structure| structure.programs.predicate(predicate));
    let graph = compiled.graph(Abstraction::Maximal);
    let asked = Asked::Infinitely { predicate, ticks: None };
    let plain = search(&graph, asked, claim, Progress::Diverges, options, watch);
    if !matches!(plain.outcome, Outcome::FoundWithoutTimes) || spends_time(network) && !graph.approximates() {
        return plain;
    }
    let mut graph = compiled.graph(Abstraction::Maximal);
    let clock = graph.measure_time(1);
    let asked = Asked::Infinitely { predicate, ticks: Some(clock) };
    let mut diverging = search(&graph, asked, claim, Progress::Diverges, options, watch);
    diverging.statistics = together(&plain.statistics, &diverging.statistics);
    diverging
}

/// The work of two searches, one after the other.
fn together(first: &Statistics, second: &Statistics) -> Statistics {
    Statistics {
        explored: first.explored + second.explored,
        generated: first.generated + second.generated,
        covered: first.covered + second.covered,
        walks: first.walks + second.walks,
        peak_stored: first.peak_stored.max(second.peak_stored),
        peak_bytes: first.peak_bytes.max(second.peak_bytes),
        elapsed: first.elapsed + second.elapsed,
        ..*second
    }
}

/// The runs that a question asks for.
struct AskedRuns {
    asked: Asked,
    scratch: PartScratch,
}

const VISITED: Marks = Marks(1);

impl<'n> Runs<PartGraph<'_, 'n>> for AskedRuns {
    fn start(&self) -> Start {
        match self.asked {
            Asked::Unanswered { .. } => Start::Entered,
            Asked::Always(_) | Asked::Infinitely { .. } => Start::Initial,
        }
    }

    fn starts(&mut self, _: &PartGraph<'_, 'n>, state: &PartState) -> Result<bool, RunError> {
        Ok(state.phase != Phase::Before)
    }

    fn ends(&mut self, graph: &PartGraph<'_, 'n>, state: &PartState) -> Result<bool, RunError> {
        match self.asked {
            Asked::Infinitely { .. } => Ok(false),
            Asked::Always(_) | Asked::Unanswered { .. } => {
                Ok(!matches!(graph.end(&mut self.scratch, state)?, End::Open))
            }
        }
    }

    fn wanted(&self) -> Marks {
        if matches!(self.asked, Asked::Infinitely { .. }) { VISITED } else { Marks::NONE }
    }

    fn marks(&mut self, _: &PartGraph<'_, 'n>, state: &PartState) -> Result<Marks, RunError> {
        let visited = match self.asked {
            Asked::Infinitely { ticks: None, .. } => state.marked,
            Asked::Infinitely { ticks: Some(_), .. } => state.phase == Phase::Ticked,
            Asked::Always(_) | Asked::Unanswered { .. } => false,
        };
        Ok(if visited { VISITED } else { Marks::NONE })
    }
}

/// A search for infinite runs.
enum Hunt<'a, 'g, 'n> {
    Components(Box<Liveness<'a, PartGraph<'g, 'n>, AskedRuns>>),
    Walks(Box<DeepLassos<'a, PartGraph<'g, 'n>, AskedRuns>>),
}

impl Hunt<'_, '_, '_> {
    fn step(&mut self) -> Option<Found<Step, RunError>> {
        match self {
            Hunt::Components(search) => search.step(),
            Hunt::Walks(search) => search.step(),
        }
    }

    fn statistics(&self) -> Statistics {
        match self {
            Hunt::Components(search) => search.statistics(),
            Hunt::Walks(search) => search.statistics(),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Hunt::Components(_) => "scc",
            Hunt::Walks(_) => deep_random::DRS.name,
        }
    }
}

fn search(
    graph: &ZoneGraph,
    asked: Asked,
    claim: Claim,
    progress: Progress,
    options: &Options,
    watch: &mut Watch,
) -> Reached {
    let parts = PartGraph::new(graph, asked);
    let runs = AskedRuns { asked, scratch: PartScratch::default() };
    let limits = Limits { explored: options.strategies.states, ..watch.limits(options) };
    let how = options.search.ways.infinite_runs.as_ref().map(|way| way.make);
    let mut search = if how == Some(InfiniteRuns::DeepRandom) && options.preference == Preference::Any {
        let settings = deep_random::settings(options);
        Hunt::Walks(Box::new(DeepLassos::new(&parts, runs, settings, options.seed).limited(limits, watch.cancel())))
    } else {
        let search = Liveness::new(&parts, runs).pruning(Pruning::Closed);
        Hunt::Components(Box::new(search.limited(limits, watch.cancel())))
    };
    let mut met = None;
    let found = loop {
        match search.step() {
            Some(Found::Failed { path, error }) => {
                watch.note_error(&error);
                met = met.or(Some(Met::new(graph, error, transitions(&path))));
            }
            Some(found) => break found,
            None => watch.tick(&|| search.statistics()),
        }
    };
    let again = matches!(asked, Asked::Infinitely { ticks: None, .. });
    let outcome = match found {
        Found::Found(lasso) => match witness(&parts, &lasso, claim, progress) {
            Ok(witness) => Outcome::Found(Box::new(witness)),
            Err(NoWitness::Failed(error)) => model_error(graph, error, transitions(&lasso.prefix), None),
            Err(NoWitness::Refused(refusal)) if !graph.approximates() => {
                Outcome::Internal(format!("the replay refuses the run: {}", refusal.text))
            }
            Err(_) if graph.approximates() && !again => {
                Outcome::Unknown("only an over-approximation has such a run".to_owned())
            }
            Err(_) if graph.too_large() => Outcome::Unknown(TOO_LARGE.to_owned()),
            Err(_) => Outcome::FoundWithoutTimes,
        },
        Found::Exhausted { .. } if let Some(met) = met.take() => met.conclude(graph.network(), None),
        Found::Exhausted { proof: true } if graph.too_large() => Outcome::Unknown(TOO_LARGE.to_owned()),
        Found::Exhausted { proof: true } if parts.unclear() => {
            Outcome::Unknown("the predicate asks for deadlocks".to_owned())
        }
        Found::Exhausted { proof: true } => Outcome::Nowhere(Proof::Exhaustive),
        Found::Exhausted { proof: false } => Outcome::Unknown(match deep_random::settings(options).cutoff {
            Some(depth) => format!("the search was cut off at depth {depth}"),
            None => "the search was cut off".to_owned(),
        }),
        Found::OutOfBudget(reason) => Outcome::Unknown(out_of_budget(reason).to_owned()),
        Found::Cancelled => Outcome::Unknown("interrupted".to_owned()),
        Found::Failed { .. } => Outcome::Unknown("the search was cut off".to_owned()),
    };
    let optimum = match options.preference {
        Preference::Any => Optimum::None,
        Preference::Shortest => Optimum::Unknown("not known to be the shortest: that is for E<> and A[]".to_owned()),
        Preference::Fastest => Optimum::Unknown("not known to be the fastest: that is for E<> and A[]".to_owned()),
    };
    let outcome = unless_cut_off(outcome);
    let statistics = search.statistics();
    Reached { search: search.name(), statistics, optimum, met, ..Reached::without_search(outcome) }
}

/// The transitions among the steps of a path.
fn transitions(steps: &[Step]) -> Vec<u32> {
    let of = |step: &Step| match step {
        Step::Action { transition, .. } => Some(*transition),
        _ => None,
    };
    steps.iter().filter_map(of).collect()
}
