//! What an estimate costs beside a successor in the zone graph, in one run on the same states.
//!
//! `ZONEWALK_CORPUS=... cargo bench -p zonewalk-heuristics --bench evaluate` measures the tram and mutual-exclusion models of a corpus, and
//! fails when `hU` costs more than twenty successors on one of them. Names behind `--` choose among the models.

use heuristics::interrupt::Interrupt;
use heuristics::network::{Kind, NetworkGuidance};
use model::check::QueryKind;
use model::load::{load, query_text};
use search::system::TransitionSystem;
use semantics::zone_graph::{Abstraction, Scratch, State, ZoneGraph};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

const MODELS: &[(&str, &str)] = &[
    ("tram-single-tracked-line/farkasrebus__stls__STLS.xta", "E<> AKT1.Driving and AKT2.Driving"),
    (
        "tram-single-tracked-line/ticktac-project__sts__uppaal__sts.xml",
        "E<> exists (i : pid_t) exists (j : pid_t) i != j and A(i).Go and A(j).Go",
    ),
    ("mutual-exclusion-dierks/farkasrebus__mutex__mutex.xta", "E<> S1.I_am_unsafe and S2.I_am_unsafe"),
    (
        "mutual-exclusion-dierks/ticktac-project__mutex__uppaal__mutex.xml",
        "E<> exists (i : pid_t) exists (j : pid_t) i != j and A(i).Unsafe and A(j).Unsafe",
    ),
];

/// States that are looked at.
const STATES: usize = 3000;
const MOST: f64 = 20.0;
/// Nanoseconds that a measurement takes at least, and how many there are: the least counts, since other programs only add to it.
const SPAN: f64 = 6e7;
const MEASUREMENTS: usize = 5;

fn main() {
    let Some(corpus) = std::env::var_os("ZONEWALK_CORPUS").map(PathBuf::from) else {
        println!("no corpus: ZONEWALK_CORPUS is not set");
        return;
    };
    println!("nanoseconds                                          successor      dU      hL      hU   hU / successor");
    let mut fails = false;
    let names: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let is_chosen = |path: &str| names.is_empty() || names.iter().any(|name| path.contains(name));
    for (path, query) in MODELS.iter().filter(|(path, _)| is_chosen(path)) {
        let loaded = load(&corpus.join("papers").join(path), &[]);
        let (Some(model), mut sources) = (loaded.model, loaded.sources) else { panic!("{path} does not load") };
        let source = query_text(&mut sources, "-q", query);
        let Some(query) = model.query(&source).query else { panic!("{query} is no query") };
        let (QueryKind::Path { predicate, .. }, network) = (query.kind, &query.network) else {
            panic!("no state query")
        };
        let (graph, goal) = ZoneGraph::for_predicate(network, Abstraction::Simulation, predicate);
        let states = explore(&graph);
        let successor = successors(&graph, &states);
        let [du, hl, hu] = [Kind::SumOfDistances, Kind::Layers, Kind::RelaxedPlan].map(|kind| {
            let mut guidance = NetworkGuidance::new(&graph, predicate, goal, kind, false, false, Interrupt::never());
            for state in &states {
                guidance.fresh(&state.discrete);
            }
            least(|| {
                for state in &states {
                    std::hint::black_box(guidance.fresh(&state.discrete));
                }
                states.len() as u64
            })
        });
        let name = path.rsplit('/').next().unwrap_or(path);
        println!("{name:<52} {successor:9.0} {du:7.0} {hl:7.0} {hu:7.0} {:9.1}", hu / successor);
        fails |= hu > MOST * successor;
    }
    assert!(!fails, "an estimate costs more than {MOST} successors");
}

/// Different states, breadth first.
fn explore(graph: &ZoneGraph) -> Vec<State> {
    let (mut scratch, mut states, mut seen) = (Scratch::default(), Vec::new(), HashSet::new());
    let _ = graph.initial(&mut scratch, &mut |state| {
        states.push(state.clone());
        ControlFlow::Continue(())
    });
    let mut next = 0;
    while next < states.len() && states.len() < STATES {
        let from = states[next].clone();
        let _ = graph.successors(&mut scratch, &from, &mut |_, state| {
            if seen.insert((state.words().to_vec(), format!("{:?}", state.zone))) {
                states.push(state.clone());
            }
            ControlFlow::Continue(())
        });
        next += 1;
    }
    states
}

/// Nanoseconds of a successor.
fn successors(graph: &ZoneGraph, states: &[State]) -> f64 {
    let mut scratch = Scratch::default();
    least(|| {
        let mut count = 0;
        for state in states {
            let _ = graph.successors(&mut scratch, state, &mut |_, _| {
                count += 1;
                ControlFlow::Continue(())
            });
        }
        count
    })
}

/// The least time of one of the things that `round` does and counts.
fn least(mut round: impl FnMut() -> u64) -> f64 {
    let mut measure = || {
        let (started, mut count) = (Started::now(), 0);
        while started.nanoseconds() < SPAN {
            count += round();
        }
        started.nanoseconds() / count.max(1) as f64
    };
    (0..MEASUREMENTS).map(|_| measure()).fold(f64::INFINITY, f64::min)
}

/// Processor time where the system tells it, else the time of day: other programs may run beside this one.
struct Started {
    processor: Option<u64>,
    day: Instant,
}

impl Started {
    fn now() -> Started {
        Started { processor: processor(), day: Instant::now() }
    }

    fn nanoseconds(&self) -> f64 {
        match (self.processor, processor()) {
            (Some(before), Some(now)) => (now - before) as f64,
            _ => self.day.elapsed().as_secs_f64() * 1e9,
        }
    }
}

fn processor() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split_whitespace().next()?.parse().ok()
}
