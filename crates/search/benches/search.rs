//! The whole loop on a synthetic system: three counters and a payload of 400 bytes, explored exhaustively in
//! several orders. The system's own work (a copy of the payload per successor) is part of the time.

use divan::counter::ItemsCount;
use search::frontier::{Fifo, Frontier, Lifo};
use search::goal::state_goal;
use search::graph::{EdgeId, Graph};
use search::heuristic::Levels;
use search::lasso::Marks;
use search::liveness::Liveness;
use search::rank::Ranked;
use search::runs::Infinitely;
use search::search::Search;
use search::statistics::Statistics;
use search::system::{Covering, Levelled, Relation, TransitionSystem, Visit, VisitInitial};
use std::convert::Infallible;

const SIDE: u64 = 60;
const STATES: u64 = SIDE * SIDE * SIDE;
const UNITS: usize = 100;

struct Counters;

#[derive(Clone)]
struct State {
    key: [u64; 4],
    units: [i32; UNITS],
}

impl Default for State {
    fn default() -> Self {
        Self { key: [0; 4], units: [7; UNITS] }
    }
}

impl TransitionSystem for Counters {
    type State = State;
    type Label = (u32, u32);
    type Scratch = State;
    type Error = Infallible;

    fn initial(&self, scratch: &mut State, visit: &mut VisitInitial<'_, Self>) -> Result<(), Infallible> {
        let _ = visit(scratch);
        Ok(())
    }

    fn successors(&self, scratch: &mut State, from: &State, visit: &mut Visit<'_, Self>) -> Result<(), Infallible> {
        for counter in 0..3 {
            scratch.clone_from(from);
            scratch.key[counter] = (from.key[counter] + 1) % SIDE;
            if visit((counter as u32, 0), scratch).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl Covering for Counters {
    type Unit = i32;

    fn key_words(&self) -> usize {
        4
    }

    fn key(&self, state: &State, words: &mut [u64]) {
        words.copy_from_slice(&state.key);
    }

    fn pack(&self, state: &State, units: &mut Vec<i32>) {
        units.extend_from_slice(&state.units);
    }

    fn unpack(&self, key: &[u64], payload: &[i32], state: &mut State) {
        state.key.copy_from_slice(key);
        state.units.copy_from_slice(payload);
    }

    fn relate(&self, stored: &[i32], new: &State) -> Relation {
        if stored.iter().zip(&new.units).fold(true, |all, (old, new)| all & (old >= new)) {
            Relation::Covers
        } else {
            Relation::Neither
        }
    }
}

impl Levelled for Counters {
    fn level(&self, state: &State) -> u32 {
        state.key.iter().sum::<u64>() as u32
    }
}

fn explore(frontier: impl Frontier) -> Statistics {
    let mut search = Search::with_heuristic(&Counters, state_goal(|_: &State| false), frontier, Levels);
    search.run();
    search.statistics()
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn breadth_first(bencher: divan::Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(STATES)).bench(|| explore(Fifo::default()));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn depth_first(bencher: divan::Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(STATES)).bench(|| explore(Lifo::default()));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn ranked(bencher: divan::Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(STATES)).bench(|| explore(Ranked::default()));
}

/// Components of the same system.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn liveness(bencher: divan::Bencher<'_, '_>) {
    let runs = || Infinitely { wanted: Marks(1), marks: |_: &State| Marks::NONE };
    bencher.counter(ItemsCount::new(STATES)).bench(|| Liveness::new(&Counters, runs()).run());
}

/// An explicit graph: the loop with next to nothing else.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn explicit_graph(bencher: divan::Bencher<'_, '_>) {
    let states = 1_000_000;
    let edges: Vec<(u32, &str, u32)> =
        (0..states).flat_map(|n| [(n, "a", (n * 2 + 1) % states), (n, "b", (n * 7 + 3) % states)]).collect();
    let Ok(graph) = Graph::from_edges(0, states, &edges) else { return };
    bencher.counter(ItemsCount::new(states)).bench(|| {
        let mut search = Search::new(&graph, state_goal(|_: &u32| false), Fifo::default());
        search.run();
        search.trace(search::per_state::StateId::from_raw(0)) == Vec::<EdgeId>::new()
    });
}

fn main() {
    for (name, statistics) in [("breadth-first", explore(Fifo::default())), ("ranked", explore(Ranked::default()))] {
        let bytes = statistics.peak_bytes as f64 / STATES as f64;
        println!("{name}: {} states, {bytes:.1} bytes a state, 400 of them payload, at the peak", statistics.stored);
    }
    divan::main();
}
