//! Is a state reachable in which a predicate holds? Search of the zone graph, by any strategy.

use crate::certificate::{Certified, certified};
use crate::curves::Curves;
use crate::limits::{Watch, cause_text};
use crate::options::{Options, Preference};
use crate::problem::Problem;
use crate::searches::directed::{self, DirectedStats, Wanted};
use crate::searches::orders::{DFS, DIVE, Loop, Order, RDFS, order, small};
use crate::searches::strategies::{self, Comparison, Setting};
use crate::searches::{Search as Named, SearchRow};
use crate::turns::{Conclusion, Turn};
use crate::witness::{self, NoWitness, Witness};
use crate::{deadlocks, failure, fastest};
use certify::{Certificate, Claim};
use heuristics::directed::Directed;
use heuristics::network::NetworkGuidance;
use model::network::{Expr, ExprId, Network};
use search::budget::{Limits, Reason};
use search::equality::{Equality, EqualityGoal};
use search::search::{Depths, Search, Stop};
use search::soundings::{self, Sounded, Sounding};
use search::statistics::Statistics;
use semantics::code::{RunError, RunErrorKind};
use semantics::predicate_goal::PredicateGoal;
use semantics::transitions::Path;
use semantics::zone_graph::{Abstraction, State, ZoneGraph};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Why there is no answer when somebody wants the run to end, or another has one.
pub(crate) const INTERRUPTED: &str = "interrupted";

/// What a search for a state found out.
pub struct Reached {
    pub outcome: Outcome,
    pub search: &'static str,
    pub statistics: Statistics,
    /// What a run that was found is, among all of its kind.
    pub optimum: Optimum,
    /// What a directed search adds.
    pub directed: Option<DirectedStats>,
    /// What walks went by.
    pub guide: Option<&'static str>,
    /// The heuristic values of the explored states.
    pub log: Option<Curves>,
    /// The first error of the model that was met on the way.
    pub met: Option<Met>,
}

/// An error of the model that a search met, and the path to the state in which it happens.
pub struct Met {
    pub error: RunError,
    pub path: Path,
    /// The path is one of the network, not only of an over-approximation.
    pub is_sure: bool,
}

impl Met {
    pub fn new(graph: &ZoneGraph, error: RunError, labels: Vec<u32>) -> Met {
        let is_sure = !graph.approximates() && !graph.too_large();
        Met { error, path: graph.structure.path(labels), is_sure }
    }

    /// What it means that everything else has been seen.
    pub fn conclude(self, network: &Network, predicate: Option<ExprId>) -> Outcome {
        let Met { error, path, is_sure } = self;
        match error.kind {
            RunErrorKind::Unsupported(_) => Outcome::Unsupported(error.to_string()),
            // An error in the graph is one of the network, unless the graph may have more than that: then a run must show it.
            _ if is_sure || failure::leading_to(network, &path, &error, predicate).is_some() => {
                Outcome::ModelError(error, path)
            }
            _ => Outcome::Unknown(format!("an over-approximation has an error: {error}")),
        }
    }
}

impl Reached {
    pub fn without_search(outcome: Outcome) -> Reached {
        Reached {
            outcome,
            search: "none",
            statistics: Statistics::default(),
            optimum: Optimum::None,
            directed: None,
            guide: None,
            log: None,
            met: None,
        }
    }
}

/// What is known of a run beside that it is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Optimum {
    /// Any run was good enough.
    None,
    /// No run takes less time than this; `attained`: and this one takes no more. Otherwise runs come as close as one likes.
    LeastTime { time: i32, attained: bool },
    /// It was asked for and is not known, for this reason.
    Unknown(String),
}

/// How sure it is that there is nothing.
pub enum Proof {
    Exhaustive,
    /// Accepted by `certify`.
    Certificate(Certificate),
    /// A certificate was asked for, and `certify` could not check it.
    Uncertified(String),
}

pub enum Outcome {
    Found(Box<Witness>),
    /// There is one, and no exact times for it were found.
    FoundWithoutTimes,
    /// Every reachable state was looked at.
    Nowhere(Proof),
    Unknown(String),
    /// This engine cannot go on with the model; another may.
    Unsupported(String),
    /// The model has an error; the path leads to the state in which it happens.
    ModelError(RunError, Path),
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

/// Looks for a state in which the predicate holds.
pub fn reach(problem: &Problem, options: &Options, watch: &mut Watch) -> Reached {
    if options.preference == Preference::Fastest {
        return fastest::reach(problem, options, watch);
    }
    reach_under(problem, Exploration::default(), options, watch)
}

/// As [`reach`], without regard to time and in a way that the caller chooses.
pub fn reach_under(problem: &Problem, how: Exploration, options: &Options, watch: &mut Watch) -> Reached {
    let mut explore = |how, options: &Options| explore(problem, how, options, watch);
    if how.abstraction.is_none() && !options.certify && deadlocks::wants(problem.network, problem.predicate) {
        return deadlocks::reach(how, options, &mut explore);
    }
    match explore(how, options) {
        Explored::Reached(reached) => *reached,
        Explored::Spurious(_) => {
            let reason = "the abstraction does not keep deadlocks".to_owned();
            Reached::without_search(Outcome::Unknown(reason))
        }
    }
}

/// How one search ended.
pub(crate) enum Explored {
    Reached(Box<Reached>),
    /// The abstraction has a deadlock that the network has not.
    Spurious(Box<Statistics>),
}

/// One search of the zone graph.
fn explore(problem: &Problem, how: Exploration, options: &Options, watch: &mut Watch) -> Explored {
    let Problem { network, predicate, claim, goal, .. } = *problem;
    let about_deadlock = deadlocks::mentioned(network, predicate);
    let loses_deadlocks = about_deadlock && how.abstraction == Some(Abstraction::LowerUpper);
    let strategy = strategies::own(options);
    let equality = strategy.is_some() && options.strategies.comparison == Comparison::Equality;
    let graph = match how.abstraction {
        Some(abstraction) => problem.compiled.graph(abstraction),
        None if options.certify || equality => problem.graph(Abstraction::LowerUpper),
        None => problem.graph(Abstraction::Simulation),
    };
    let mut last_goal = PredicateGoal::new(&graph, goal);
    let limits = Limits { explored: how.states.or(options.strategies.states), ..watch.limits(options) };
    let unequal = Equality(&graph);
    let predicate_goal = PredicateGoal::new(&graph, goal);
    let wanted = directed::wanted(options);
    let log = RefCell::new(Vec::new());
    let is_long = watch.is_long().unwrap_or_default();
    let sounding = Cell::new(None);
    let (name, mut search): (&'static str, Searching<'_>) = match (strategy, &wanted) {
        (Some(strategy), _) if equality => {
            let setting = Setting { options, limits, cancel: watch.cancel() };
            (options.search.name, (strategy.of_unequal_zones)(&unequal, EqualityGoal(predicate_goal), setting))
        }
        (Some(strategy), _) => {
            let setting = Setting { options, limits, cancel: watch.cancel() };
            (options.search.name, (strategy.of_zones)(&graph, predicate_goal, setting))
        }
        (None, Some(wanted)) => {
            let Wanted { kind, plans, cache, .. } = *wanted;
            let guidance = NetworkGuidance::new(&graph, predicate, goal, kind, plans, cache, watch.interrupt(options));
            let mut search = Directed::new(&graph, predicate_goal, guidance, wanted.settings.clone())
                .limited(limits, watch.cancel());
            if wanted.log {
                search = search.logging(|logged| log.borrow_mut().push(logged));
            }
            (wanted.name, Box::new(search))
        }
        (None, None) => {
            let (graph, all, cancel) = (&graph, explores_all(&claim), watch.cancel());
            let (small, is_long, is_large) = (small(network), is_long.clone(), is_long.clone());
            let by_order = move |options: &Options, limits| {
                let goal = PredicateGoal::new(graph, goal);
                by_order(graph, goal, all, options, limits, cancel.clone(), &is_long)
            };
            let (name, search) = by_order(options, limits);
            let by_default = options.search.is_portfolio() && options.preference == Preference::Any;
            match by_default && !all && !is_constant(network, predicate) {
                true => {
                    let limits = soundings::limits(small, limits);
                    let make = move |n: usize| {
                        let search = Named::from(*SOUNDINGS.get(n)?);
                        Some(by_order(&Options { search, ..options.clone() }, limits).1)
                    };
                    let (sounding, turn) = (&sounding, watch.turn());
                    let hear = move |sounded| match sounded {
                        Sounded::Answer(n) => sounding.set(SOUNDINGS.get(n).map(|row| row.name)),
                        // What it found was none of the network.
                        Sounded::Vain => sounding.set(None),
                        Sounded::Nothing => turn.iter().for_each(Turn::sounded),
                    };
                    (name, Box::new(Sounding::new(search, (small, is_large), make, hear)))
                }
                false => (name, search),
            }
        }
    };
    let mut spurious = Spurious::default();
    let mut met = None;
    let outcome = loop {
        let stop = loop {
            match search.step() {
                Some(Stop::Failed { at, error }) => {
                    let labels = at.map(|id| search.trace(id)).unwrap_or_default();
                    watch.note_error(&error);
                    met = met.or(Some(Met::new(&graph, error, labels)));
                }
                Some(stop) => break stop,
                None => watch.tick(&|| search.statistics()),
            }
        };
        break match stop {
            Stop::Found(id) => {
                let labels = search.trace(id);
                // What may be no run has to be looked at, whoever else has one.
                let conclusion = if graph.approximates() { Some(Conclusion::default()) } else { watch.conclude() };
                let Some(conclusion) = conclusion else { break Outcome::Unknown(INTERRUPTED.to_owned()) };
                match witness::reaching(&graph, &labels, &mut last_goal, claim) {
                    Ok(witness) => {
                        conclusion.keep();
                        Outcome::Found(Box::new(witness))
                    }
                    Err(NoWitness::Unrealisable) if loses_deadlocks => {
                        return Explored::Spurious(Box::new(search.statistics()));
                    }
                    Err(why) => {
                        if spurious.is_one_more(&graph, &why, labels.len()) {
                            continue;
                        }
                        no_witness(&graph, why, labels, Some(predicate))
                    }
                }
            }
            Stop::Exhausted { .. } if let Some(met) = met.take() => met.conclude(network, Some(predicate)),
            Stop::Exhausted { proof: true } if graph.too_large() => Outcome::Unknown(TOO_LARGE.to_owned()),
            Stop::Exhausted { .. } if spurious.paths > 0 => Outcome::Unknown(APPROXIMATED.to_owned()),
            // A state that waits too long in the graph may be a deadlock in the network.
            Stop::Exhausted { proof: true } if graph.approximates() && about_deadlock => {
                Outcome::Unknown("only an over-approximation has no such state".to_owned())
            }
            Stop::Exhausted { proof: true } => Outcome::Nowhere(Proof::Exhaustive),
            Stop::Exhausted { proof: false } => {
                Outcome::Unknown(strategies::nothing(strategy, options, &search.statistics()))
            }
            Stop::OutOfBudget(Reason::Explored) if strategy.is_some_and(|own| own.simulates) => {
                Outcome::Unknown(strategies::nothing(strategy, options, &search.statistics()))
            }
            Stop::OutOfBudget(reason) => Outcome::Unknown(out_of_budget(reason).to_owned()),
            Stop::Cancelled => Outcome::Unknown(INTERRUPTED.to_owned()),
            Stop::Failed { .. } => Outcome::Unknown("the search was cut off".to_owned()),
        };
    };
    let optimum = match &outcome {
        Outcome::Found(witness) if options.preference == Preference::Shortest => {
            spurious.shortest(witness.run.steps.len())
        }
        _ => Optimum::None,
    };
    let outcome = match (outcome, claim) {
        (Outcome::Nowhere(Proof::Exhaustive), Claim::Reaches(goal)) if options.certify => {
            let (limit, cancel) = (watch.limits(options).time, watch.cancel());
            let started = Instant::now().checked_sub(search.statistics().elapsed).unwrap_or_else(Instant::now);
            let mut go_on = || {
                limit.is_none_or(|limit| started.elapsed() < limit)
                    && cancel.as_ref().is_none_or(|cancel| !cancel.load(Ordering::Relaxed))
            };
            match certified(network, &mut *search, goal, &mut go_on) {
                Certified::Accepted(certificate) => Outcome::Nowhere(Proof::Certificate(certificate)),
                Certified::Unchecked(reason) => Outcome::Nowhere(Proof::Uncertified(reason)),
                Certified::Refused(_) if graph.compares_by_simulation() => {
                    Outcome::Nowhere(Proof::Uncertified("clocks are compared with each other".to_owned()))
                }
                Certified::Refused(refusal) => {
                    Outcome::Internal(format!("the certificate is refused: {}", refusal.text))
                }
            }
        }
        (outcome, _) => outcome,
    };
    let outcome = unless_cut_off(outcome);
    let statistics = search.statistics();
    drop(search);
    let name = match sounding.get() {
        Some(name) => name,
        None if is_long.load(Ordering::Relaxed) => DIVE.name,
        None => name,
    };
    let directed = wanted.as_ref().map(|wanted| directed::stats(wanted, &statistics));
    let log = wanted.filter(|wanted| wanted.log).map(|wanted| directed::curve(&wanted, &log.into_inner()));
    Explored::Reached(Box::new(Reached { outcome, search: name, statistics, optimum, directed, guide: None, log, met }))
}

/// A search of the zone graph.
type Searching<'a> = soundings::Searching<'a, State, u32, RunError>;

/// What the default search sounds by, where something is expected to be found: straight down, in any order and in that of the model.
const SOUNDINGS: [&SearchRow; 2] = [&RDFS, &DFS];

/// The one loop, in an order that the options choose.
fn by_order<'a>(
    graph: &'a ZoneGraph<'_>,
    goal: PredicateGoal,
    explores_all: bool,
    options: &Options,
    limits: Limits,
    cancel: Option<Arc<AtomicBool>>,
    is_long: &Arc<AtomicBool>,
) -> (&'static str, Searching<'a>) {
    let (small, is_long) = (small(graph.network()), Some(is_long.clone()));
    let searched = Loop { explores_all, small, is_long, seed: options.seed };
    let Order { name, frontier, levels, restarts } = order(options, &searched);
    let mut search = Search::with_heuristic(graph, goal, frontier, levels).limited(limits, cancel);
    if let Some(restarts) = restarts {
        search = search.restarting(restarts);
    }
    if options.preference == Preference::Shortest {
        // A longer way must not cover a shorter one, not even one step longer.
        search = search.depths(Depths::Respected);
    }
    (name, Box::new(search))
}

/// Whether a search is expected to see every state. An invariant most often holds, and what a model is asked to reach it most
/// often does.
pub(crate) fn explores_all(claim: &Claim) -> bool {
    matches!(claim, Claim::Reaches(literal) if !literal.holds)
}

/// Whether a predicate is the same in all states. Nothing can find what is nowhere, and exploring everything is what such
/// queries are made for.
pub(crate) fn is_constant(network: &Network, predicate: ExprId) -> bool {
    let mut constant = true;
    network.code.walk(predicate, &mut |_, expr| {
        constant &= matches!(expr, Expr::Int(_) | Expr::Not(_) | Expr::And(..) | Expr::Or(..) | Expr::Binary { .. });
    });
    constant
}

/// Paths to the goal that are none of the network, because the graph has more than that.
#[derive(Default)]
struct Spurious {
    paths: usize,
    /// The fewest steps of one.
    steps: usize,
}

impl Spurious {
    /// How many are looked at before the search gives up. Each costs a linear program along its path.
    const MOST: usize = 1000;

    /// Whether the path is such a one, and the search is worth going on.
    fn is_one_more(&mut self, graph: &ZoneGraph, why: &NoWitness, steps: usize) -> bool {
        if !graph.approximates() || graph.too_large() || matches!(why, NoWitness::Failed(_)) {
            return false;
        }
        self.steps = if self.paths == 0 { steps } else { self.steps.min(steps) };
        self.paths += 1;
        self.paths < Spurious::MOST
    }

    /// What is known of the first run that is found breadth first. One with fewer steps may be hidden where a state that only
    /// the graph has covers one that the network has; but then the graph has a path to the goal that is as short.
    fn shortest(&self, steps: usize) -> Optimum {
        if self.paths == 0 || self.steps >= steps {
            return Optimum::None;
        }
        let fewest = self.steps;
        Optimum::Unknown(format!("stopwatches are approximated: there may be a run with {fewest} steps or more"))
    }
}

/// What it means that a path of the graph has no run.
pub(crate) fn no_witness(graph: &ZoneGraph, why: NoWitness, labels: Vec<u32>, predicate: Option<ExprId>) -> Outcome {
    match why {
        NoWitness::Failed(error) => model_error(graph, error, labels, predicate),
        _ if graph.too_large() => Outcome::Unknown(TOO_LARGE.to_owned()),
        _ if graph.approximates() => Outcome::Unknown(APPROXIMATED.to_owned()),
        NoWitness::Unrealisable => Outcome::Internal("a path of the zone graph has no run".to_owned()),
        NoWitness::Refused(refusal) => Outcome::Internal(format!("the replay refuses the run: {}", refusal.text)),
    }
}

/// An error in the graph where it ends the answer.
pub(crate) fn model_error(graph: &ZoneGraph, error: RunError, labels: Vec<u32>, predicate: Option<ExprId>) -> Outcome {
    Met::new(graph, error, labels).conclude(graph.network(), predicate)
}

/// The outcome, unless it rests on everything having been seen and something was left out because a limit was reached.
pub(crate) fn unless_cut_off(outcome: Outcome) -> Outcome {
    match (outcome, allowance::cause()) {
        (Outcome::Nowhere(_) | Outcome::Internal(_), Some(cause)) => Outcome::Unknown(cause_text(cause).to_owned()),
        (outcome, _) => outcome,
    }
}

const APPROXIMATED: &str = "only an over-approximation reaches it";

pub(crate) const TOO_LARGE: &str = "constants too large: zones cannot hold them";

pub(crate) fn out_of_budget(reason: Reason) -> &'static str {
    match reason {
        Reason::Time => "the time limit is reached",
        Reason::Memory => "the memory limit is reached",
        Reason::Stored | Reason::Explored => "the limit of states is reached",
        Reason::Capacity => "there are more states than can be stored",
    }
}
