//! One table of strategies on explicit graphs, on `.aut` graphs and on interval programs: those that are complete agree with a naive
//! search, those that are not never prove anything, what is found is there, and seeds repeat.

mod toys;

use search::aut;
use search::budget::{Limits, Reason};
use search::deep_random::{DeepRandom, Fringe, Settings};
use search::dives::{Dives, Small};
use search::equality::{Equality, EqualityGoal};
use search::frontier::{Fifo, Lifo, Uniform};
use search::goal::{Goal, state_goal};
use search::graph::Graph;
use search::highway::Highway;
use search::lanes::Selection;
use search::random::Random;
use search::random_simulation::RandomSimulation;
use search::search::{Search, Stop};
use search::soundings::{self, Searching, Sounded, Sounding};
use search::strategy::{Simulations, Strategy};
use search::system::{Covering, TransitionSystem};
use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use toys::{Interval, Intervals, distances, random_graph, structures};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// Finds it if it is there, by the fewest steps.
    Shortest,
    /// Finds it if it is there.
    Complete,
    /// May miss it.
    None,
}

fn drs(walks: u64, cutoff: Option<u32>, increment: Option<u32>, fringe: Fringe) -> Settings {
    Settings { walks, cutoff, increment: increment.and_then(NonZeroU32::new), fringe }
}

const WIDTHS: [usize; 3] = [1, 2, 50];

/// The configurations: name, promise, and the search.
type Row<'a, T> = (String, Promise, Box<dyn Strategy<State = State<T>, Label = Label<T>, Error = Error<T>> + 'a>);
type State<T> = <T as TransitionSystem>::State;
type Label<T> = <T as TransitionSystem>::Label;
type Error<T> = <T as TransitionSystem>::Error;

/// Random dives with soundings by random depth-first search and by depth-first search.
fn sounded<'a, T, G>(
    system: &'a T,
    goal: G,
    seed: u64,
    limits: Limits,
    hear: impl FnMut(Sounded) + 'a,
) -> impl Strategy<State = State<T>, Label = Label<T>, Error = Error<T>> + 'a
where
    T: Covering<State: Clone>,
    G: Goal<T> + Clone + 'a,
{
    let (small, is_large) = (SMALL, Arc::new(AtomicBool::new(false)));
    let dives = Dives::new(small, false, seed, is_large.clone());
    let main = Search::new(system, goal.clone(), dives).limited(limits, None);
    let make = move |n| -> Option<Searching<'a, State<T>, Label<T>, Error<T>>> {
        let order = [Lifo::shuffled(seed), Lifo::default()].into_iter().nth(n)?;
        Some(Box::new(Search::new(system, goal.clone(), order).limited(soundings::limits(small, limits), None)))
    };
    Sounding::new(Box::new(main), (small, is_large), make, hear)
}

const SMALL: Small = Small { explored: 3, stored: 4 };

fn table<'a, T, G>(system: &'a T, equal: &'a Equality<'a, T>, goal: G, seed: u64, limits: Limits) -> Vec<Row<'a, T>>
where
    T: Covering<State: Clone>,
    G: Goal<T> + Clone + 'a,
{
    let mut rows: Vec<Row<'a, T>> = vec![
        (
            "bfs".into(),
            Promise::Complete,
            Box::new(Search::new(system, goal.clone(), Fifo::default()).limited(limits, None)),
        ),
        (
            "rdfs".into(),
            Promise::Complete,
            Box::new(Search::new(system, goal.clone(), Lifo::shuffled(seed)).limited(limits, None)),
        ),
        (
            "uniform".into(),
            Promise::Complete,
            Box::new(Search::new(system, goal.clone(), Uniform::new(seed)).limited(limits, None)),
        ),
    ];
    rows.push((
        "dive, sounded".into(),
        Promise::Complete,
        Box::new(sounded(system, goal.clone(), seed, limits, |_| {})),
    ));
    let simulations = Simulations { states: Some(500), restarts: seed % 3 };
    rows.push((
        "random".into(),
        Promise::None,
        Box::new(RandomSimulation::new(system, goal.clone(), seed).simulating(simulations).limited(limits, None)),
    ));
    for (width, selection) in
        WIDTHS.into_iter().flat_map(|width| [(width, Selection::Ideal), (width, Selection::Approximate)])
    {
        let Some(width) = NonZeroUsize::new(width) else { continue };
        rows.push((
            format!("highway {width} {selection:?}"),
            Promise::None,
            Box::new(
                Highway::new(system, goal.clone(), selection, width, seed)
                    .simulating(simulations)
                    .limited(limits, None),
            ),
        ));
        rows.push((
            format!("highway {width} {selection:?}, equality"),
            Promise::None,
            Box::new(
                Highway::new(equal, EqualityGoal(goal.clone()), selection, width, seed)
                    .simulating(simulations)
                    .limited(limits, None),
            ),
        ));
    }
    for fringe in [Fringe::Nodes, Fringe::Children] {
        for (walks, increment, promise) in
            [(1, None, Promise::Complete), (3, Some(4), Promise::Complete), (2, Some(1), Promise::Shortest)]
        {
            let settings = drs(walks, None, increment, fringe);
            let name = format!("drs {settings:?}");
            let search = DeepRandom::new(system, goal.clone(), settings, seed).limited(limits, None);
            rows.push((name.clone(), promise, Box::new(search)));
            let search = DeepRandom::new(equal, EqualityGoal(goal.clone()), settings, seed).limited(limits, None);
            rows.push((name + ", equality", promise, Box::new(search)));
        }
    }
    rows
}

/// Checks one stop against the truth: the fewest steps to the goal, or that there is none.
fn judge<E: std::fmt::Debug>(name: &str, promise: Promise, stop: &Stop<E>, found: Option<usize>, truth: Option<usize>) {
    match (stop, truth) {
        (Stop::Found(_), Some(steps)) => {
            let found = found.expect("a trace");
            assert!(found >= steps, "{name}");
            assert!(promise != Promise::Shortest || found == steps, "{name}: {found} steps instead of {steps}");
        }
        (Stop::Exhausted { proof: true }, None) => assert_ne!(promise, Promise::None, "{name} proves something"),
        (Stop::Exhausted { proof: false } | Stop::OutOfBudget(Reason::Explored), _) => {
            assert_eq!(promise, Promise::None, "{name}: {stop:?}, but {truth:?}");
        }
        _ => panic!("{name}: {stop:?}, but {truth:?}"),
    }
}

#[test]
fn strategies_agree_on_random_graphs() {
    let mut random = Random::new(11);
    for seed in 0..300 {
        let graph = random_graph(&mut random, 30, 60);
        let goal = random.below(u64::from(graph.states())) as u32;
        let truth = distances(&graph)[goal as usize];
        let equal = Equality(&graph);
        for (name, promise, mut search) in
            table(&graph, &equal, state_goal(move |&state: &u32| state == goal), seed, Limits::default())
        {
            let stop = search.run();
            let found = match stop {
                Stop::Found(id) => {
                    let trace = search.trace(id);
                    let end = trace.iter().fold(graph.initial_state(), |at, &edge| {
                        let (from, to) = graph.ends(edge);
                        assert_eq!(from, at, "{name}");
                        to
                    });
                    assert_eq!(end, goal, "{name}");
                    Some(trace.len())
                }
                _ => None,
            };
            judge(&name, promise, &stop, found, truth);
        }
    }
}

/// A comb: a way of so many states, each of which has other successors, with a binary tree of so many states behind each.
fn comb(length: u32, teeth: u32, tree: u32) -> Graph {
    let root = |at: u32, n: u32| length + 1 + (at * teeth + n) * tree;
    let mut edges = Vec::new();
    for at in 0..length {
        edges.push((at, "on", at + 1));
        edges.extend((0..teeth).map(|n| (at, "tooth", root(at, n))));
        for root in (0..teeth).map(|n| root(at, n)) {
            edges.extend((1..tree).map(|n| (root + (n - 1) / 2, "down", root + n)));
        }
    }
    Graph::from_edges(0, length + 1 + length * teeth * tree, &edges).expect("a graph")
}

#[test]
fn soundings_find_what_lies_deep_and_end_after_their_budget() {
    // Depth-first search goes on along the comb, for that is the first successor; in random order it is soon lost in a tree.
    let deep = |length: u32, sees_end: bool| {
        let graph = comb(length, 5, 63);
        let heard = std::cell::RefCell::new(Vec::new());
        let goal = state_goal(move |state: &u32| *state == length);
        let mut search =
            sounded(&graph, goal, 7, Limits::default(), |sounded: Sounded| heard.borrow_mut().push(sounded));
        let Stop::Found(id) = search.run() else { panic!("not found") };
        let (trace, statistics) = (search.trace(id), search.statistics());
        drop(search);
        assert_eq!(trace.len(), length as usize);
        let last = if sees_end { &[Sounded::Answer(1)][..] } else { &[Sounded::Vain, Sounded::Nothing] };
        assert_eq!(heard.into_inner(), [&[Sounded::Vain], last].concat(), "{length}");
        statistics
    };
    let stored = 8 * SMALL.stored;
    let statistics = deep(5, true);
    assert!(statistics.explored == 4 && statistics.stored <= stored, "as depth-first search alone: {statistics:?}");
    assert!(deep(40, false).stored > stored, "the main search goes on");
}

#[test]
fn small_searches_and_those_that_are_nearly_done_are_not_sounded() {
    let heard_on = |graph: &Graph| {
        let heard = std::cell::RefCell::new(Vec::new());
        let goal = state_goal(|_: &u32| false);
        let stop = sounded(graph, goal, 7, Limits::default(), |sounded| heard.borrow_mut().push(sounded)).run();
        assert!(matches!(stop, Stop::Exhausted { proof: true }));
        heard.into_inner()
    };
    assert_eq!(heard_on(&comb(1, 2, 1)), []);
    let chain: Vec<(u32, &str, u32)> = (0..50).map(|at| (at, "on", at + 1)).collect();
    let heard = heard_on(&Graph::from_edges(0, 51, &chain).expect("a graph"));
    assert!(!heard.is_empty() && heard.iter().all(|heard| *heard == Sounded::Nothing), "{heard:?}");
    // Everything is seen by the first sounding.
    assert_eq!(heard_on(&comb(3, 6, 1)), [Sounded::Answer(0)]);
}

/// A label as the goal, as queries about `.aut` files have it.
#[derive(Debug, Clone)]
struct Labelled(&'static str);

impl Goal<Graph> for Labelled {
    fn holds(&mut self, _: &Graph, _: &u32) -> Result<bool, std::convert::Infallible> {
        Ok(false)
    }

    fn holds_for_step(&mut self, graph: &Graph, edge: search::graph::EdgeId) -> bool {
        graph.label_name(edge) == self.0
    }
}

#[test]
fn strategies_agree_on_aut_graphs() {
    let rows = [
        (structures::diamond(6), "report(2)", Some(6)),
        (structures::back_loops(5), "report(1)", None),
        (structures::components(3, 4), "report(3)", Some(3)),
        (structures::components(3, 1), "report(3)", Some(2)),
    ];
    for (text, label, truth) in rows {
        let graph = aut::parse(&text).expect("a graph");
        let equal = Equality(&graph);
        for seed in 0..20 {
            for (name, promise, mut search) in table(&graph, &equal, Labelled(label), seed, Limits::default()) {
                let stop = search.run();
                let trace = match stop {
                    Stop::Found(id) => Some(search.trace(id)),
                    _ => None,
                };
                let last = trace.as_ref().and_then(|trace| trace.last());
                assert!(last.is_none_or(|edge| graph.label_name(*edge) == label), "{name}");
                judge(&name, promise, &stop, trace.map(|trace| trace.len()), truth);
            }
        }
    }
}

/// The fewest steps to a location, by plain levels of intervals.
fn symbolic_distance(program: &Intervals, location: u32) -> Option<usize> {
    let mut level = Vec::new();
    let _ = program.initial(&mut (), &mut |state| {
        level.push(*state);
        std::ops::ControlFlow::Continue(())
    });
    let mut seen: BTreeSet<(u32, i32, i32)> = BTreeSet::new();
    let mut steps = 0;
    while !level.is_empty() {
        if level.iter().any(|state: &Interval| state.location == location) {
            return Some(steps);
        }
        let mut next = Vec::new();
        for state in level {
            if seen.insert((state.location, state.low, state.high)) {
                let _ = program.successors(&mut (), &state, &mut |_, to| {
                    next.push(*to);
                    std::ops::ControlFlow::Continue(())
                });
            }
        }
        level = next;
        steps += 1;
    }
    None
}

#[test]
fn strategies_agree_on_programs_with_subsumption() {
    let mut random = Random::new(12);
    for seed in 0..300 {
        let program = Intervals::random(&mut random);
        let location = random.below(u64::from(program.locations)) as u32;
        let truth = symbolic_distance(&program, location);
        let equal = Equality(&program);
        let goal = state_goal(move |state: &Interval| state.location == location);
        for (name, promise, mut search) in table(&program, &equal, goal, seed, Limits::default()) {
            let stop = search.run();
            let found = match stop {
                Stop::Found(id) => {
                    let trace = search.trace(id);
                    let start = Interval { location: 0, low: program.start.0, high: program.start.1 };
                    let end = trace.iter().fold(start, |at, &label| program.replay(&at, label).expect("a step"));
                    assert_eq!(end.location, location, "{name}");
                    Some(trace.len())
                }
                _ => None,
            };
            judge(&name, promise, &stop, found, truth);
        }
    }
}

#[test]
fn a_cutoff_is_exact_and_says_what_it_leaves_open() {
    let mut random = Random::new(13);
    for seed in 0..300 {
        let graph = random_graph(&mut random, 25, 50);
        let distances = distances(&graph);
        let goal = random.below(u64::from(graph.states())) as u32;
        let deepest = distances.iter().flatten().max().copied().unwrap_or(0);
        let cutoff = random.below(8) as u32;
        for (increment, fringe) in
            [None, Some(1), Some(3)].into_iter().flat_map(|one| [(one, Fringe::Nodes), (one, Fringe::Children)])
        {
            let settings = drs(1 + seed % 3, Some(cutoff), increment, fringe);
            let mut search = DeepRandom::new(&graph, state_goal(|&state: &u32| state == goal), settings, seed);
            match (search.run(), distances[goal as usize]) {
                (Stop::Found(id), Some(steps)) => {
                    let found = search.trace(id).len();
                    assert!(found <= cutoff as usize, "{settings:?}");
                    // To within the increment.
                    let slack = increment.unwrap_or(cutoff.max(1)) as usize;
                    assert!(found < steps + slack || steps == 0, "{settings:?}: {found}, but {steps}");
                }
                (Stop::Exhausted { proof }, steps) => {
                    assert!(steps.is_none_or(|steps| steps > cutoff as usize), "{settings:?}: missed {steps:?}");
                    assert_eq!(proof, deepest <= cutoff as usize, "{settings:?}");
                }
                (stop, steps) => panic!("{settings:?}: {stop:?}, but {steps:?}"),
            }
        }
    }
}

/// The example with which the printed algorithm misses the shortest trace: a detour reaches a state first.
#[test]
fn a_detour_hides_nothing() {
    let edges = [(0, "e", 1), (1, "e", 2), (2, "e", 3), (1, "e", 3), (3, "e", 4)];
    let graph = Graph::from_edges(0, 5, &edges).expect("a graph");
    for seed in 0..50 {
        for fringe in [Fringe::Nodes, Fringe::Children] {
            let settings = drs(1, Some(3), None, fringe);
            let mut search = DeepRandom::new(&graph, state_goal(|&state: &u32| state == 4), settings, seed);
            let Stop::Found(id) = search.run() else { panic!("seed {seed}: missed") };
            assert_eq!(search.trace(id).len(), 3);
        }
    }
}

/// The other slip: with one first walk and two children of the root, the printed algorithm forgets one of them.
#[test]
fn no_child_of_the_root_is_forgotten() {
    let graph = Graph::from_edges(0, 4, &[(0, "e", 1), (0, "e", 2), (2, "e", 3)]).expect("a graph");
    for seed in 0..50 {
        let mut search =
            DeepRandom::new(&graph, state_goal(|&state: &u32| state == 3), drs(1, None, None, Fringe::Nodes), seed);
        assert!(matches!(search.run(), Stop::Found(_)), "seed {seed}");
    }
}

#[test]
fn seeds_repeat_and_limits_stop() {
    let graph = random_graph(&mut Random::new(9), 4000, 9000);
    let equal = Equality(&graph);
    let never = state_goal(|_: &u32| false);
    // A ring with chords, where no walk ends soon.
    let edges: Vec<_> = (0..1000).flat_map(|n| [(n, "e", (n + 1) % 1000), (n, "e", n * 7 % 1000)]).collect();
    let ring = Graph::from_edges(0, 1000, &edges).expect("a graph");
    let equal_ring = Equality(&ring);
    let rows = table(&graph, &equal, never, 5, Limits::default()).len();
    for row in 0..rows {
        let whole = |time: Option<Duration>| {
            let limits = Limits { time, ..Limits::default() };
            let (name, _, mut search) = table(&graph, &equal, never, 3, limits).swap_remove(row);
            let stop = search.run();
            let counts = search.statistics();
            (name, stop, counts.explored, counts.generated, counts.stored, counts.restarts, counts.depth)
        };
        assert_eq!(whole(None), whole(None));
        for (limits, reason) in [
            (Limits { stored: Some(3), ..Limits::default() }, Reason::Stored),
            (Limits { explored: Some(3), ..Limits::default() }, Reason::Explored),
            (Limits { bytes: Some(1), ..Limits::default() }, Reason::Memory),
        ] {
            let (name, _, mut search) = table(&ring, &equal_ring, never, 3, limits).swap_remove(row);
            assert_eq!(search.run(), Stop::OutOfBudget(reason), "{name}");
        }
        let (name, stop, explored, ..) = whole(Some(Duration::ZERO));
        assert_eq!((stop, explored), (Stop::OutOfBudget(Reason::Time), 0), "{name}");
    }
}

/// A search that is interrupted again and again, also among the successors of a state, does what it does in one go.
#[test]
fn interruptions_change_nothing() {
    let graph = random_graph(&mut Random::new(21), 2000, 8000);
    let flag = Arc::new(AtomicBool::new(false));
    let asked = AtomicU64::new(0);
    let interrupting = |_: &u32| {
        flag.store(asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(3), Ordering::Relaxed);
        false
    };
    let goal = state_goal(interrupting);
    let width = NonZeroUsize::new(7).expect("not zero");
    let simulations = Simulations { states: Some(300), restarts: 1 };
    let make =
        |kind: usize, cancel: Option<Arc<AtomicBool>>| -> Box<dyn Strategy<State = u32, Label = _, Error = _> + '_> {
            let limits = Limits::default();
            let highway = |selection| Highway::new(&graph, goal, selection, width, 1).simulating(simulations);
            match kind {
                0 => Box::new(RandomSimulation::new(&graph, goal, 1).simulating(simulations).limited(limits, cancel)),
                1 => Box::new(highway(Selection::Ideal).limited(limits, cancel)),
                2 => Box::new(highway(Selection::Approximate).limited(limits, cancel)),
                3 => Box::new(
                    DeepRandom::new(&graph, goal, drs(2, None, Some(9), Fringe::Nodes), 1).limited(limits, cancel),
                ),
                _ => Box::new(
                    DeepRandom::new(&graph, goal, drs(2, None, None, Fringe::Children), 1).limited(limits, cancel),
                ),
            }
        };
    for kind in 0..5 {
        let mut plain = make(kind, None);
        let stop = plain.run();
        let mut paused = make(kind, Some(flag.clone()));
        let mut pauses = 0;
        let end = loop {
            match paused.step() {
                None => {}
                Some(Stop::Cancelled) => {
                    flag.store(false, Ordering::Relaxed);
                    pauses += 1;
                }
                Some(stop) => break stop,
            }
        };
        assert!(pauses > 3, "{pauses}");
        assert_eq!(stop, end);
        let (a, b) = (plain.statistics(), paused.statistics());
        assert_eq!((a.explored, a.generated, a.stored, a.covered), (b.explored, b.generated, b.stored, b.covered));
    }
}

/// A highway that is wide enough is breadth-first search, and says so without proving anything.
#[test]
fn a_wide_highway_leaves_nothing_out() {
    let graph = random_graph(&mut Random::new(5), 500, 1500);
    let reachable = distances(&graph).iter().flatten().count() as u64;
    for selection in [Selection::Ideal, Selection::Approximate] {
        for (width, wide) in [(1000, true), (3, false)] {
            let width = NonZeroUsize::new(width).expect("not zero");
            let mut search = Highway::new(&graph, state_goal(|_: &u32| false), selection, width, 1);
            assert_eq!(search.run(), Stop::Exhausted { proof: false });
            assert_eq!(search.left_nothing_out(), wide);
            assert_eq!(search.statistics().explored == reachable, wide);
        }
    }
}
