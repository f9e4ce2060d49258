//! `E[] p`, `A<> p` and `p --> q`: runs that stay within a predicate for ever, or until nothing can happen any more.
//! `buchi: p`: runs that visit a predicate infinitely often while time diverges.
//!
//! `E[] p` looks for a maximal run on which p holds at every moment: a cycle of the zone graph cut down to p, a state in
//! which time can pass for ever, or one in which no action is possible any more. `A<> p` is the absence of such a run for
//! `!p`, and `p --> q` the absence of one for `!q` from any reachable state of p. The graph is extrapolated with maximal
//! bounds and its states are compared for equality, which keeps infinite runs (lower and upper bounds would not). Only
//! what is included in a state from which no such run starts is skipped: its runs are runs of the larger state.
//!
//! A run that is found is shown with exact times when it can be: a state in which it may end has a run to it by
//! construction; for a cycle the earliest run through several rounds is searched for two equal visits.

use crate::limits::Watch;
use crate::options::{Options, Preference};
use crate::reachability::{Optimum, Outcome, Proof, Reached, TOO_LARGE, out_of_budget};
use crate::witness::{NoWitness, Witness, replayed, run};
use certify::{Claim, Ending, Run};
use model::network::{ExprId, Network};
use search::goal::Goal;
use search::lasso::{Lasso, Marks};
use search::liveness::{Liveness, Outcome as Found, Pruning};
use search::runs::{Runs, Start};
use semantics::clock_bounds::{ClockBounds, QueryBounds};
use semantics::code::{Machine, PredicateId, RunError};
use semantics::concretise::{Concretiser, Unrealisable, bounds_of};
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{Abstraction, Followed, Scratch, State, ZoneGraph};

/// The runs that a query asks for.
struct Staying {
    /// Where a run starts: in any reachable state in which this holds; `None`: in the initial one.
    trigger: Option<PredicateId>,
    /// What must not hold after the trigger.
    response: Option<PredicateId>,
    machine: Machine,
    scratch: Scratch,
}

/// Looks for a maximal run on which the predicate always holds.
pub fn always(network: &Network, predicate: ExprId, claim: Claim, options: &Options, watch: &mut Watch) -> Reached {
    let compared = ClockBounds::of_predicate(network, predicate);
    let mut graph = ZoneGraph::new(network, Abstraction::Maximal, compared);
    let within = graph.predicate(predicate);
    graph.stay_within(within);
    search(&graph, Staying::new(None, None), claim, Progress::Any, options, watch)
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
    let mut graph = ZoneGraph::new(network, Abstraction::Maximal, QueryBounds::default());
    let (from, to) = (graph.predicate(from), graph.predicate(to));
    if !graph.structure.programs.is_discrete(from) || !graph.structure.programs.is_discrete(to) {
        let reason = "`-->` over clock constraints is not answered yet".to_owned();
        return Reached {
            outcome: Outcome::Unknown(reason),
            search: "scc",
            statistics: Default::default(),
            optimum: Optimum::None,
        };
    }
    search(&graph, Staying::new(Some(from), Some(to)), claim, Progress::Any, options, watch)
}

/// Looks for a run that visits the predicate infinitely often while time diverges.
///
/// A cycle through the predicate that no zone graph has is no run at all, so its absence is a proof. One that exists may
/// still be taken in no time only (Zeno); it counts when exact times are found with which at least one time unit passes in
/// every round.
pub fn infinitely(network: &Network, predicate: ExprId, claim: Claim, options: &Options, watch: &mut Watch) -> Reached {
    let compared = ClockBounds::of_predicate(network, predicate);
    let mut graph = ZoneGraph::new(network, Abstraction::Maximal, compared);
    let marked = graph.predicate(predicate);
    let runs = Visiting { goal: PredicateGoal::new(&graph, marked) };
    let mut reached = search(&graph, runs, claim, Progress::Diverges, options, watch);
    if let Outcome::FoundWithoutTimes = reached.outcome {
        let reason = "there is a cycle through it, and no run on which time diverges was found";
        reached.outcome = Outcome::Unknown(reason.to_owned());
    }
    reached
}

/// Whether time must pass in every round of a cycle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Any,
    Diverges,
}

/// Infinite runs that visit a predicate again and again.
struct Visiting {
    goal: PredicateGoal,
}

const VISITED: Marks = Marks(1);

impl<'n> Runs<ZoneGraph<'n>> for Visiting {
    fn wanted(&self) -> Marks {
        VISITED
    }

    fn marks(&mut self, graph: &ZoneGraph<'n>, state: &State) -> Result<Marks, RunError> {
        Ok(if self.goal.holds(graph, state)? { VISITED } else { Marks::NONE })
    }
}

fn search<'n, R: Runs<ZoneGraph<'n>>>(
    graph: &ZoneGraph<'n>,
    runs: R,
    claim: Claim,
    progress: Progress,
    options: &Options,
    watch: &mut Watch,
) -> Reached {
    let mut search = Liveness::new(graph, runs).pruning(Pruning::Closed).limited(watch.limits(options), watch.cancel());
    let found = loop {
        match search.step() {
            Some(found) => break found,
            None => watch.tick(&|| search.statistics()),
        }
    };
    let approximates = graph.approximates();
    let outcome = match found {
        Found::Found(lasso) => match witness(graph, &lasso, claim, progress) {
            Ok(witness) => Outcome::Found(Box::new(witness)),
            Err(NoWitness::Failed(error)) => Outcome::ModelError(error, lasso.prefix),
            Err(_) if approximates => Outcome::Unknown("only an over-approximation has such a run".to_owned()),
            Err(NoWitness::Unrealisable) => Outcome::FoundWithoutTimes,
            Err(NoWitness::Refused(refusal)) => {
                Outcome::Internal(format!("the replay refuses the run: {}", refusal.text))
            }
        },
        Found::Exhausted { proof: true } if graph.too_large() => Outcome::Unknown(TOO_LARGE.to_owned()),
        Found::Exhausted { proof: true } if graph.left_out() => {
            Outcome::Unknown("the predicate is a disjunction of clock constraints in some states".to_owned())
        }
        Found::Exhausted { proof: true } => Outcome::Nowhere(Proof::Exhaustive),
        Found::Exhausted { proof: false } => Outcome::Unknown("the search was cut off".to_owned()),
        Found::OutOfBudget(reason) => Outcome::Unknown(out_of_budget(reason).to_owned()),
        Found::Cancelled => Outcome::Unknown("interrupted".to_owned()),
        Found::Failed { path, error } => Outcome::ModelError(error, path),
    };
    let optimum = match options.preference {
        Preference::Any => Optimum::None,
        Preference::Shortest => Optimum::Unknown("not known to be the shortest: that is for E<> and A[]".to_owned()),
        Preference::Fastest => Optimum::Unknown("not known to be the fastest: that is for E<> and A[]".to_owned()),
    };
    Reached { outcome, search: "scc", statistics: search.statistics(), optimum }
}

impl Staying {
    fn new(trigger: Option<PredicateId>, response: Option<PredicateId>) -> Staying {
        Staying { trigger, response, machine: Machine::default(), scratch: Scratch::default() }
    }
}

impl<'n> Runs<ZoneGraph<'n>> for Staying {
    fn start(&self) -> Start {
        if self.trigger.is_some() { Start::Reachable } else { Start::Initial }
    }

    fn starts(&mut self, graph: &ZoneGraph<'n>, state: &State) -> Result<bool, RunError> {
        match self.trigger {
            Some(trigger) => self.machine.truth(&graph.structure.programs, trigger, &state.discrete),
            None => Ok(true),
        }
    }

    fn stays(&mut self, graph: &ZoneGraph<'n>, state: &State) -> Result<bool, RunError> {
        match self.response {
            Some(response) => Ok(!self.machine.truth(&graph.structure.programs, response, &state.discrete)?),
            None => Ok(true),
        }
    }

    fn ends(&mut self, graph: &ZoneGraph<'n>, state: &State) -> Result<bool, RunError> {
        Ok(ending(graph, &mut self.scratch, state)? != Ending::Open)
    }
}

/// How a run can end in a state while the predicate goes on to hold; `Open` when it cannot.
fn ending(graph: &ZoneGraph, scratch: &mut Scratch, state: &State) -> Result<Ending, RunError> {
    let waits = graph.waits(scratch, state)?;
    if waits && (1..state.zone.dim()).all(|clock| state.zone.upper(clock).is_infinite()) {
        return Ok(Ending::IdleForever);
    }
    // A delay that the predicate cuts off before the invariants do is no end.
    if graph.within_has_bounds(scratch, state)? || graph.deadlocked(scratch, state)?.is_empty() {
        return Ok(Ending::Open);
    }
    Ok(Ending::Stuck)
}

fn witness(graph: &ZoneGraph, lasso: &Lasso<u32>, claim: Claim, progress: Progress) -> Result<Witness, NoWitness> {
    if lasso.cycle.is_empty() {
        ending_run(graph, &lasso.prefix, claim)
    } else {
        cycling_run(graph, lasso, claim, progress)
    }
}

/// A run that ends where nothing happens any more.
fn ending_run(graph: &ZoneGraph, labels: &[u32], claim: Claim) -> Result<Witness, NoWitness> {
    let mut scratch = Scratch::default();
    for Followed { state, further } in graph.follow(labels).map_err(NoWitness::Failed)? {
        let ending = ending(graph, &mut scratch, &state).map_err(NoWitness::Failed)?;
        let goals = match ending {
            Ending::Stuck => {
                let dead = graph.deadlocked(&mut scratch, &state).map_err(NoWitness::Failed)?;
                dead.zones().iter().map(|zone| bounds_of(&state.clocks, zone)).collect()
            }
            _ => vec![Vec::new()],
        };
        for goal in goals {
            match Concretiser::new(&graph.structure).staying_within(graph.within()).run(labels, &further, &goal) {
                Ok(timed) => return replayed(graph.network(), run(graph.network(), &timed, ending), claim),
                Err(Unrealisable::Contradiction | Unrealisable::GaveUp) => {}
                Err(Unrealisable::Error(error)) => return Err(NoWitness::Failed(error)),
            }
        }
    }
    Err(NoWitness::Unrealisable)
}

/// A run through a cycle: the earliest one through several rounds, cut where two visits of the cycle's start are alike.
fn cycling_run(graph: &ZoneGraph, lasso: &Lasso<u32>, claim: Claim, progress: Progress) -> Result<Witness, NoWitness> {
    let network = graph.network();
    let mut refused = NoWitness::Unrealisable;
    for rounds in [1, 2, 4, 8, 16] {
        let mut labels = lasso.prefix.clone();
        (0..rounds).for_each(|_| labels.extend(&lasso.cycle));
        let mut concretiser = Concretiser::new(&graph.structure).staying_within(graph.within());
        if progress == Progress::Diverges {
            for round in 0..rounds {
                let start = lasso.prefix.len() + round * lasso.cycle.len();
                concretiser = concretiser.apart(start, start + lasso.cycle.len());
            }
        }
        let timed = match concretiser.run(&labels, &[], &[]) {
            Ok(timed) => timed,
            Err(Unrealisable::Contradiction | Unrealisable::GaveUp) => continue,
            Err(Unrealisable::Error(error)) => return Err(NoWitness::Failed(error)),
        };
        let whole = run(network, &timed, Ending::Open);
        let Ok(replay) = certify::replay(network, &whole) else { continue };
        let visit = |round: usize| replay.before(lasso.prefix.len() + round * lasso.cycle.len());
        for later in 1..=rounds {
            for earlier in 0..later {
                if !alike(graph, visit(earlier), visit(later)) {
                    continue;
                }
                let (from, to) =
                    (lasso.prefix.len() + earlier * lasso.cycle.len(), lasso.prefix.len() + later * lasso.cycle.len());
                let cut = Run {
                    steps: whole.steps[..to].to_vec(),
                    final_delay: certify::Rational::from_integer(0),
                    ending: Ending::Lasso(from),
                };
                match replayed(network, cut, claim) {
                    Ok(witness) => return Ok(witness),
                    Err(error) => refused = error,
                }
            }
        }
    }
    Err(match refused {
        // Two visits looked alike and were not: no proof that something is wrong.
        NoWitness::Refused(_) | NoWitness::Unrealisable => NoWitness::Unrealisable,
        other => other,
    })
}

/// Whether two states have the same future: clocks are equal, or both beyond what they are compared with.
fn alike(graph: &ZoneGraph, a: &certify::State, b: &certify::State) -> bool {
    let beyond = |clock: usize, value: &certify::Rational| match graph.largest_constant(clock as u32) {
        Some(constant) => *value > certify::Rational::from_integer(i128::from(constant)),
        None => true,
    };
    a.discrete == b.discrete
        && a.clocks.iter().zip(&b.clocks).enumerate().all(|(n, (x, y))| x == y || beyond(n, x) && beyond(n, y))
}
