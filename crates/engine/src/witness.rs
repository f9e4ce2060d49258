//! From a path of the zone graph to evidence: exact times, replayed by `certify` before anybody sees them.

use certify::{Claim, Ending, Move, Rational, Record, Refusal, Replay, Run, Step};
use model::network::{Network, ProcessId};
use semantics::code::{ClockBound, RunError};
use semantics::concretise::{Concretiser, TimedRun, Unrealisable, bounds_of};
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{Followed, ZoneGraph};
use std::ops::ControlFlow;

/// A run that `certify` has replayed, and what it showed.
pub struct Witness {
    pub run: Run,
    pub replay: Record,
}

/// Why a path gave no witness.
pub enum NoWitness {
    /// The path exists only in the over-approximation.
    Unrealisable,
    /// The replay refused it: a bug in an engine.
    Refused(Refusal),
    Failed(RunError),
}

/// The earliest run along a path to where the goal holds, replayed.
pub fn reaching(
    graph: &ZoneGraph,
    labels: &[u32],
    goal: &mut PredicateGoal,
    claim: Claim,
) -> Result<Witness, NoWitness> {
    let mut found = None;
    each_reaching(graph, labels, goal, claim, &mut |witness, _| {
        found = Some(witness);
        ControlFlow::Break(())
    })?;
    found.ok_or(NoWitness::Unrealisable)
}

/// The least time that runs along a path take, and whether one takes no more than that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeastTime {
    pub time: Rational,
    pub attained: bool,
}

/// The earliest run along a path to where the goal holds, replayed, and how early it could be.
pub fn earliest(
    graph: &ZoneGraph,
    labels: &[u32],
    goal: &mut PredicateGoal,
    claim: Claim,
) -> Result<(Witness, LeastTime), NoWitness> {
    let mut best: Option<(Witness, LeastTime)> = None;
    each_reaching(graph, labels, goal, claim, &mut |witness, least| {
        let rank = |least: &LeastTime| (least.time, !least.attained);
        if best.as_ref().is_none_or(|(_, known)| rank(&least) < rank(known)) {
            best = Some((witness, least));
        }
        ControlFlow::Continue(())
    })?;
    best.ok_or(NoWitness::Unrealisable)
}

fn each_reaching(
    graph: &ZoneGraph,
    labels: &[u32],
    goal: &mut PredicateGoal,
    claim: Claim,
    visit: &mut dyn FnMut(Witness, LeastTime) -> ControlFlow<()>,
) -> Result<(), NoWitness> {
    let mut try_one = |further: &[Vec<ClockBound>], end: &[ClockBound]| {
        match Concretiser::new(&graph.structure).run(labels, further, end) {
            Ok(timed) => {
                let (numerator, denominator) = timed.least_time;
                let time = Rational::new(i128::from(numerator), i128::from(denominator));
                let least = LeastTime { time, attained: timed.attained };
                match replayed(graph.network(), run(graph.network(), &timed, Ending::Open), claim) {
                    Ok(witness) => Ok(visit(witness, least)),
                    // Constraints that the graph only approximates are not among those of the path.
                    Err(NoWitness::Refused(_)) if graph.approximates() => Ok(ControlFlow::Continue(())),
                    Err(why) => Err(why),
                }
            }
            Err(Unrealisable::Contradiction | Unrealisable::GaveUp) => Ok(ControlFlow::Continue(())),
            Err(Unrealisable::Error(error)) => Err(NoWitness::Failed(error)),
        }
    };
    if goal.is_discrete() && !graph.structure.has_priorities {
        // The path says all about the clocks at its end.
        return try_one(&[], &[]).map(|_| ());
    }
    for Followed { state, further } in &graph.follow(labels).map_err(NoWitness::Failed)? {
        for part in goal.parts(graph, state).map_err(NoWitness::Failed)? {
            if try_one(further, &bounds_of(&state.clocks, &part))?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The replay of a run along a path that ends where the goal and all bounds hold; `None` if none is found.
pub fn attains(
    graph: &ZoneGraph,
    labels: &[u32],
    goal: Option<&mut PredicateGoal>,
    claim: Option<Claim>,
    bounds: &[ClockBound],
) -> Option<Replay> {
    attains_run(graph, labels, goal, claim, bounds).map(|(_, replay)| replay)
}

/// As [`attains`], with the run.
pub fn attains_run(
    graph: &ZoneGraph,
    labels: &[u32],
    mut goal: Option<&mut PredicateGoal>,
    claim: Option<Claim>,
    bounds: &[ClockBound],
) -> Option<(Run, Replay)> {
    let network = graph.network();
    for Followed { state, further } in graph.follow(labels).ok()? {
        let parts = match &mut goal {
            Some(goal) => goal.parts(graph, &state).ok()?,
            None => vec![state.zone.clone()],
        };
        for part in parts {
            let mut end = bounds_of(&state.clocks, &part);
            end.extend_from_slice(bounds);
            let Ok(timed) = Concretiser::new(&graph.structure).run(labels, &further, &end) else { continue };
            let run = run(network, &timed, Ending::Open);
            if claim.is_some_and(|claim| certify::check_claim(network, &run, claim).is_err()) {
                continue;
            }
            if let Ok(replay) = certify::replay(network, &run) {
                return Some((run, replay));
            }
        }
    }
    None
}

/// Replays a run and checks what it is said to show.
pub fn replayed(network: &Network, run: Run, claim: Claim) -> Result<Witness, NoWitness> {
    let replay = certify::record(network, &run, Some(claim)).map_err(NoWitness::Refused)?;
    Ok(Witness { run, replay })
}

/// A run in the terms of `certify`.
pub fn run(network: &Network, timed: &TimedRun, ending: Ending) -> Run {
    let time = |parts: i64| Rational::new(i128::from(parts), i128::from(timed.denominator));
    let steps =
        timed.steps.iter().map(|step| Step { delay: time(step.delay), moves: moves(network, &step.moves) }).collect();
    Run { steps, final_delay: time(timed.final_delay), ending }
}

/// The edges of a transition in the terms of `certify`.
pub fn moves(network: &Network, taken: &[semantics::transitions::Move]) -> Vec<Move> {
    let of = |one: &semantics::transitions::Move| {
        let process = ProcessId::new(one.process as usize);
        let template = network.template_of(process);
        let expanded = template.expanded[one.expanded as usize];
        Move {
            process,
            edge: expanded.edge,
            select: template.select_values(expanded).to_vec(),
            branch: one.branch as usize,
        }
    };
    taken.iter().map(of).collect()
}
