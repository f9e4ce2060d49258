//! The run that leads to an error of the model, found from a path of the zone graph and checked by `certify`.
//!
//! The path ends in the state where the error was met. What failed there is one of: the query's predicate, an update or
//! the invariants behind a transition, a guard or a channel of an edge. Each is tried until `certify` says that the run fails
//! as well; the run is shown with the failing step at its end.

use crate::shown::{ShownRun, shown};
use crate::witness::{Witness, run as timed_run};
use certify::{Ending, Move, Rational, Refusal, Run, Step, Trace};
use model::network::{ExprId, Network, ProcessId};
use semantics::clock_bounds::QueryBounds;
use semantics::code::RunError;
use semantics::compiled::Compiled;
use semantics::concretise::Concretiser;
use semantics::transitions::Path;
use semantics::zone_graph::{Abstraction, Scratch, State, ZoneGraph};

/// How many steps are tried at the end of the path.
const ATTEMPTS: usize = 10_000;

/// A run to the error, as it is shown and as it is written.
pub struct Failure {
    pub shown: ShownRun,
    pub trace: Trace,
}

/// The run along the path and the step at which the model fails; `None` when no such run is found.
pub fn leading_to(network: &Network, path: &Path, error: &RunError, predicate: Option<ExprId>) -> Option<Failure> {
    let (compiled, ()) = Compiled::new(network, QueryBounds::default(), |structure| structure.read_labels_of(path));
    let graph = compiled.graph(Abstraction::None);
    let labels = &path.labels;
    let followed = graph.follow(labels).unwrap_or_default();
    let states: Vec<State> = followed.into_iter().map(|one| one.state).collect();
    let run = with_predicate(&graph, labels, predicate)
        .or_else(|| by_transition(&graph, labels, &states, error))
        .or_else(|| by_edge(&graph, labels, &states, error))?;
    written(network, run).ok()
}

/// A run whose last step may fail, as it is shown and as it is written.
pub(crate) fn written(network: &Network, run: Run) -> Result<Failure, Refusal> {
    let replay = certify::record_failing(network, &run)?;
    let witness = Witness { run, replay };
    let mut shown = shown(network, &witness);
    shown.ending = Some("and there the model fails".to_owned());
    Ok(Failure { shown, trace: witness.replay.trace })
}

fn prefix(graph: &ZoneGraph, labels: &[u32]) -> Option<Run> {
    let timed = Concretiser::new(&graph.structure).run(labels, &[], &[]).ok()?;
    Some(timed_run(graph.network(), &timed, Ending::Open))
}

fn fails(network: &Network, run: &Run, predicate: Option<ExprId>) -> bool {
    certify::check_failure(network, run, predicate).is_ok()
}

fn with_predicate(graph: &ZoneGraph, labels: &[u32], predicate: Option<ExprId>) -> Option<Run> {
    let run = prefix(graph, labels)?;
    fails(graph.network(), &run, predicate).then_some(run)
}

/// Takes the transitions of the last state, those of the process whose code failed first.
fn by_transition(graph: &ZoneGraph, labels: &[u32], states: &[State], error: &RunError) -> Option<Run> {
    let network = graph.network();
    let mut scratch = Scratch::default();
    let state = states.first()?;
    graph.enumerate(&mut scratch, state);
    let transitions = &scratch.transitions;
    let takes_part = |index: &usize| {
        transitions.moves(*index).iter().any(|one| ProcessId::new(one.process as usize) == error.process)
    };
    let (likely, others): (Vec<usize>, Vec<usize>) = (0..transitions.len()).partition(takes_part);
    likely.into_iter().chain(others).take(ATTEMPTS).find_map(|index| {
        let timed = Concretiser::new(&graph.structure).run(labels, &[], transitions.bounds(index)).ok()?;
        let mut run = timed_run(network, &timed, Ending::Open);
        let delay = std::mem::replace(&mut run.final_delay, Rational::from_integer(0));
        run.steps.push(Step { delay, moves: crate::witness::moves(network, transitions.moves(index)) });
        fails(network, &run, None).then_some(run)
    })
}

/// Takes single edges: a guard or a channel that cannot be evaluated fails before anything else does.
fn by_edge(graph: &ZoneGraph, labels: &[u32], states: &[State], error: &RunError) -> Option<Run> {
    let network = graph.network();
    let state = states.first()?;
    let mut scratch = Scratch::default();
    graph.enumerate(&mut scratch, state);
    // At once, and when what stands before the failing part of a guard holds.
    let mut befores = vec![prefix(graph, labels)?];
    for (_, bounds) in scratch.transitions.failures() {
        if let Ok(timed) = Concretiser::new(&graph.structure).run(labels, &[], bounds) {
            befores.push(timed_run(network, &timed, Ending::Open));
        }
    }
    let mut processes: Vec<ProcessId> = (0..network.processes.len()).map(ProcessId::new).collect();
    processes.sort_by_key(|process| *process != error.process);
    let candidates = processes.into_iter().flat_map(|process| {
        let template = network.template_of(process);
        template.leaving(state.discrete.locations[process.index()]).iter().map(move |expanded| Move {
            process,
            edge: expanded.edge,
            select: template.select_values(*expanded).to_vec(),
            branch: 0,
        })
    });
    let attempts = candidates.flat_map(|one| befores.iter().map(move |before| (one.clone(), before)));
    attempts.take(ATTEMPTS).find_map(|(one, before)| {
        let mut run = before.clone();
        let delay = std::mem::replace(&mut run.final_delay, Rational::from_integer(0));
        run.steps.push(Step { delay, moves: vec![one] });
        fails(network, &run, None).then_some(run)
    })
}
