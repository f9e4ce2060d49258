//! A run that reaches a state in the least time.
//!
//! First any run is found; how long it takes bounds the rest. Then the zone graph is searched with one clock more that is
//! never set, the time since the start, in the order of the earliest moment at which a state can be entered, and nothing is
//! taken up that cannot be earlier than the best run so far. What remains when nothing is left is the optimum.
//!
//! It is exact under the abstraction because time has an upper bound and no lower one: under the simulation by lower and
//! upper bounds (Herbreteau, Srivathsan, Walukiewicz 2012) a valuation may then only be replaced by one that is not later,
//! as long as the limit is not exceeded. A bound that no run attains is told apart by its strictness: moments are counted
//! in halves, `2t` for t and `2t + 1` for everything after t and before the next integer.
//!
//! Where the graph only approximates stopwatches its moments are bounds from below. Then every goal state that could be
//! earlier than the best run is asked for a run along its path (`witness::earliest`), and the best one is the fastest if no goal
//! state that has none as early as it says could be earlier. Otherwise between which times the optimum lies is all that is known.

use crate::limits::Watch;
use crate::options::Options;
use crate::problem::Problem;
use crate::reachability::{Exploration, Met, Optimum, Outcome, Reached, no_witness, out_of_budget, reach_under};
use crate::witness::{self, LeastTime, NoWitness, Witness};
use certify::Rational;
use search::collection::Renaming;
use search::frontier::{Frontier, Open};
use search::goal::Goal;
use search::heuristic::{Estimate, Heuristic};
use search::per_state::StateId;
use search::search::{Search, Stop};
use search::statistics::Statistics;
use semantics::code::RunError;
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{Abstraction, State, ZoneGraph};
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use zones::Zone;

/// Runs that take longer are not compared.
const LONGEST: i128 = 1 << 26;

/// How many paths are asked for runs where moments are not exact.
const MOST_PATHS: usize = 1000;

/// The earliest moment at which the goal is known to hold, in halves as the module says; shared by the parts of the search.
type Best = Rc<Cell<u32>>;

pub(crate) fn reach(problem: &Problem, options: &Options, watch: &mut Watch) -> Reached {
    let mut any = reach_under(problem, Exploration::default(), options, watch);
    let Outcome::Found(first) = &any.outcome else { return any };
    let limit = first.replay.last.time.ceil().to_integer();
    let unknown = |any: Reached, reason: String| Reached { optimum: Optimum::Unknown(reason), ..any };
    if limit > LONGEST {
        return unknown(any, "the run takes too long to be compared with others".to_owned());
    }
    let mut graph = problem.graph(Abstraction::Simulation);
    let clock = graph.measure_time(limit as i32);
    let goal = problem.goal;
    let best: Best = Rc::new(Cell::new(2 * limit as u32 + 2));
    let trust = if graph.approximates() { Trust::Asks } else { Trust::Exact };
    let moment = Rc::new(Cell::new(0));
    let found =
        Earlier { goal: PredicateGoal::new(&graph, goal), clock, best: best.clone(), trust, moment: moment.clone() };
    let frontier = EarliestFirst { heap: BinaryHeap::new(), best: best.clone() };
    let mut limits = watch.limits(options);
    limits.time = limits.time.map(|time| time.saturating_sub(any.statistics.elapsed));
    let heuristic = Entered { clock, best: best.clone() };
    let mut search = Search::with_heuristic(&graph, found, frontier, heuristic).limited(limits, watch.cancel());
    let mut labels = None;
    let mut doubt = Doubt::default();
    let stop = loop {
        match search.step() {
            Some(Stop::Found(id)) if trust == Trust::Exact => labels = Some(search.trace(id)),
            Some(Stop::Found(id)) => {
                match earliest(problem, &search.trace(id)) {
                    Ok((witness, least)) => {
                        let taken = halves(&least);
                        if taken < best.get() {
                            any.outcome = Outcome::Found(Box::new(witness));
                            best.set(taken);
                            doubt.best = Some(least);
                        }
                        doubt.add(moment.get(), taken);
                    }
                    Err(_) => doubt.add(moment.get(), u32::MAX),
                }
                if doubt.asked >= MOST_PATHS {
                    break Stop::OutOfBudget(search::budget::Reason::Explored);
                }
            }
            Some(Stop::Failed { at, error }) => {
                let labels = at.map(|id| search.trace(id)).unwrap_or_default();
                any.met = any.met.or(Some(Met::new(&graph, error, labels)));
            }
            Some(stop) => break stop,
            None => watch.tick(&|| search.statistics()),
        }
    };
    any.search = "fastest";
    any.statistics = both(&any.statistics, &search.statistics());
    let reason = match stop {
        Stop::Exhausted { proof: true } => None,
        Stop::OutOfBudget(reason) => Some(out_of_budget(reason).to_owned()),
        Stop::Cancelled => Some("interrupted".to_owned()),
        Stop::Exhausted { .. } if any.met.is_some() => Some("an error of the model was met".to_owned()),
        Stop::Exhausted { .. } | Stop::Found(_) | Stop::Failed { .. } => Some("the search was cut off".to_owned()),
    };
    if trust == Trust::Asks {
        return match reason {
            Some(reason) => unknown(any, format!("{reason} before this run was known to be the fastest")),
            None => doubt.conclude(any, best.get()),
        };
    }
    if let Some(labels) = labels {
        match earliest(problem, &labels) {
            Ok((witness, _)) => any.outcome = Outcome::Found(Box::new(witness)),
            Err(why) => return Reached { outcome: no_witness(&graph, why, labels, Some(problem.predicate)), ..any },
        }
    } else if reason.is_none() {
        return Reached { outcome: Outcome::Internal("the run is not found again".to_owned()), ..any };
    }
    match reason {
        Some(reason) => unknown(any, format!("{reason} before this run was known to be the fastest")),
        None => optimal(any, best.get()),
    }
}

/// Compares the run with the bound that the search found: exact arithmetic has the last word.
fn optimal(any: Reached, best: u32) -> Reached {
    let (time, attained) = ((best / 2) as i32, best.is_multiple_of(2));
    let Outcome::Found(witness) = &any.outcome else { return any };
    let (taken, bound) = (witness.replay.last.time, Rational::from_integer(i128::from(time)));
    if if attained { taken == bound } else { taken > bound } {
        return Reached { optimum: Optimum::LeastTime { time, attained }, ..any };
    }
    let reason = format!("the fastest run takes {taken}, and the zones say {time}");
    Reached { outcome: Outcome::Internal(reason), ..any }
}

/// The moment from which on nothing can be earlier than this.
fn halves(least: &LeastTime) -> u32 {
    let whole = u32::try_from(least.time.floor().to_integer()).unwrap_or(u32::MAX / 4);
    match (least.time.is_integer(), least.attained) {
        (true, true) => 2 * whole,
        (true, false) => 2 * whole + 1,
        (false, _) => 2 * whole + 2,
    }
}

/// What is not known where zones only approximate.
#[derive(Default)]
struct Doubt {
    asked: usize,
    /// The earliest moment of a goal state along whose path no run is as early.
    earliest: Option<u32>,
    best: Option<LeastTime>,
}

impl Doubt {
    fn add(&mut self, moment: u32, taken: u32) {
        self.asked += 1;
        if taken > moment {
            self.earliest = Some(self.earliest.map_or(moment, |known| known.min(moment)));
        }
    }

    fn conclude(&self, any: Reached, best: u32) -> Reached {
        let optimum = match (self.earliest.filter(|moment| *moment < best), &self.best) {
            (None, Some(LeastTime { time, attained })) if time.is_integer() => {
                Optimum::LeastTime { time: time.to_integer() as i32, attained: *attained }
            }
            (moment, _) => {
                let from = moment.unwrap_or(0) / 2;
                Optimum::Unknown(format!("stopwatches are approximated: there may be a run that takes {from} or more"))
            }
        };
        Reached { optimum, ..any }
    }
}

/// The earliest of the runs along a path.
fn earliest(problem: &Problem, labels: &[u32]) -> Result<(Witness, LeastTime), NoWitness> {
    let graph = problem.graph(Abstraction::None);
    let mut goal = PredicateGoal::new(&graph, problem.goal);
    witness::earliest(&graph, labels, &mut goal, problem.claim)
}

/// The work of both searches.
pub(crate) fn both(first: &Statistics, second: &Statistics) -> Statistics {
    Statistics {
        explored: first.explored + second.explored,
        generated: first.generated + second.generated,
        peak_bytes: first.peak_bytes.max(second.peak_bytes),
        elapsed: first.elapsed + second.elapsed,
        ..*second
    }
}

/// The first moment of a zone over the clocks of a state.
fn first_moment(state: &State, zone: &Zone, clock: u32) -> u32 {
    let Some(n) = state.clocks.iter().position(|active| *active == clock) else { return 0 };
    let bound = zone.lower(n + 1);
    2 * bound.constant().unsigned_abs() + u32::from(bound.is_strict())
}

/// Whether the moments of the graph are those of runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    Exact,
    /// A run has to show it.
    Asks,
}

/// Holds where the goal holds earlier than ever before.
struct Earlier {
    goal: PredicateGoal,
    clock: u32,
    best: Best,
    trust: Trust,
    /// When the goal holds in the state that was found last.
    moment: Best,
}

impl<'n> Goal<ZoneGraph<'n>> for Earlier {
    fn holds(&mut self, graph: &ZoneGraph<'n>, state: &State) -> Result<bool, RunError> {
        if first_moment(state, &state.zone, self.clock) >= self.best.get() {
            return Ok(false);
        }
        let parts = self.goal.parts(graph, state)?;
        let earliest = parts.iter().map(|part| first_moment(state, part, self.clock)).min();
        match earliest.filter(|moment| *moment < self.best.get()) {
            Some(moment) => {
                self.moment.set(moment);
                if self.trust == Trust::Exact {
                    self.best.set(moment);
                }
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

/// When a state can be entered at the earliest; too late is a dead end.
struct Entered {
    clock: u32,
    best: Best,
}

impl<'n> Heuristic<ZoneGraph<'n>> for Entered {
    fn estimate(&mut self, _: &ZoneGraph<'n>, state: &State) -> Estimate {
        let moment = first_moment(state, &state.zone, self.clock);
        if moment >= self.best.get() { Estimate::DeadEnd { reliable: true } } else { Estimate::Value(moment) }
    }
}

/// States in the order in which they can be entered, until none can be early enough.
struct EarliestFirst {
    heap: BinaryHeap<Reverse<(u32, StateId)>>,
    best: Best,
}

impl Frontier for EarliestFirst {
    fn push(&mut self, open: Open) {
        self.heap.push(Reverse((open.estimate, open.id)));
    }

    fn pop(&mut self) -> Option<StateId> {
        let Reverse((moment, id)) = self.heap.pop()?;
        (moment < self.best.get()).then_some(id)
    }

    fn rename(&mut self, renaming: &Renaming) {
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.retain_mut(|Reverse((_, id))| renaming.apply(id));
        self.heap = entries.into();
    }

    fn clear(&mut self) {
        self.heap.clear();
    }

    fn bytes(&self) -> usize {
        self.heap.capacity() * size_of::<(u32, StateId)>()
    }
}
