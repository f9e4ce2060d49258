//! The statistics of highway search: its choice is uniform where the paper proves it (Theorem 7), the approximate one is biased as
//! its Property 8 says, and the three structures of its section 5.1 give the curves of their definitions.

mod toys;

use search::frontier::Lifo;
use search::goal::Goal;
use search::graph::{EdgeId, Graph};
use search::highway::Highway;
use search::lanes::Selection::{self, Approximate, Ideal};
use search::random::Random;
use search::random_simulation::RandomSimulation;
use search::search::Search;
use search::strategy::{Simulations, Strategy};
use search::{aut, goal::state_goal};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::num::NonZeroUsize;
use toys::structures;

fn width(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).expect("not zero")
}

/// The states kept on level `depth`.
fn kept(graph: &Graph, selection: Selection, lanes: usize, depth: u32, seed: u64) -> Vec<u32> {
    let mut search = Highway::new(graph, state_goal(|_: &u32| false), selection, width(lanes), seed);
    while search.statistics().depth < depth {
        assert_eq!(search.step(), None);
    }
    let level = search.level().to_vec();
    let mut states: Vec<u32> = level
        .into_iter()
        .map(|id| {
            let mut state = 0;
            assert!(search.load(id, &mut state));
            state
        })
        .collect();
    states.sort_unstable();
    states
}

/// Chi-square of counts against equal expectations.
fn chi_square(counts: &[u64], expected: f64) -> f64 {
    counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum()
}

/// From the initial state through `parents` states to shared targets: parent p leads to the targets in `targets[p]`.
fn fan(targets: &[&[u32]]) -> Graph {
    let parents = targets.len() as u32;
    let mut edges: Vec<(u32, &str, u32)> = (1..=parents).map(|parent| (0, "e", parent)).collect();
    for (parent, targets) in (1..).zip(targets) {
        edges.extend(targets.iter().map(|&target| (parent, "e", parents + 1 + target)));
    }
    let states = edges.iter().map(|&(_, _, to)| to + 1).max().unwrap_or(1);
    Graph::from_edges(0, states, &edges).expect("a graph")
}

/// Ten pairs out of five: 9 degrees of freedom; 33.7 is exceeded with probability 0.0001.
const CRITICAL: f64 = 33.7;

#[test]
fn every_choice_is_equally_likely_where_the_paper_proves_it() {
    // All five successors at once; one after the other from several parents; and from parents that share them.
    let alone = fan(&[&[0, 1, 2, 3, 4]]);
    let apart = fan(&[&[0, 1, 2], &[3, 4]]);
    let funnels = fan(&[&[0, 1, 2, 3, 4], &[4, 0, 4]]);
    // Theorem 7 does not cover funnels for the approximation, and our ideal choice has no trouble with them.
    let rows = [
        (&alone, Ideal, 2),
        (&alone, Approximate, 2),
        (&apart, Ideal, 2),
        (&apart, Approximate, 2),
        (&funnels, Ideal, 2),
    ];
    for (row, (graph, selection, lanes)) in rows.into_iter().enumerate() {
        let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for seed in 0..10_000 {
            *counts.entry(kept(graph, selection, lanes, 2, seed)).or_default() += 1;
        }
        let counts: Vec<u64> = counts.into_values().collect();
        assert_eq!(counts.len(), 10, "row {row}");
        let chi = chi_square(&counts, 1000.0);
        assert!(chi < CRITICAL, "row {row}: {chi} {counts:?}");
    }
}

/// A state that is turned away on one level has the same chances on a later one as any other.
#[test]
fn choices_of_different_levels_are_independent() {
    // 1 or 2 is kept on the first level; both lead by 3 to 4 and 2 again, or 1.
    let edges = [(0, "e", 1), (0, "e", 2), (1, "e", 3), (2, "e", 3), (3, "e", 4), (3, "e", 1), (3, "e", 2)];
    let graph = Graph::from_edges(0, 5, &edges).expect("a graph");
    for selection in [Ideal, Approximate] {
        let mut again = 0u64;
        for seed in 0..10_000 {
            again += u64::from(kept(&graph, selection, 1, 3, seed) != [4]);
        }
        // Of 4 and the one that was turned away, each is as likely. 15.1: one degree of freedom, probability 0.0001.
        let chi = chi_square(&[again, 10_000 - again], 5000.0);
        assert!(chi < 15.1, "{selection:?}: {again}");
    }
}

/// `c` states are offered once, then another one `attempts` times, by as many parents.
fn funnel(c: u32, attempts: usize) -> (Graph, u32) {
    let once: Vec<u32> = (0..c).collect();
    let mut targets: Vec<&[u32]> = vec![&once];
    let last = [c];
    targets.extend((0..attempts).map(|_| last.as_slice()));
    let graph = fan(&targets);
    (graph, attempts as u32 + 2 + c)
}

#[test]
fn the_approximate_choice_has_the_bias_of_property_8() {
    for (c, attempts, lanes) in [(8, 3, 4), (20, 4, 5), (12, 2, 8)] {
        let (graph, state) = funnel(c, attempts);
        // 1 - c! (c+K-N)! / ((c+K)! (c-N)!): the product of the chances to be turned away.
        let away: f64 = (1..=attempts).map(|k| 1.0 - lanes as f64 / (f64::from(c) + k as f64)).product();
        let ideal = lanes as f64 / (f64::from(c) + 1.0);
        for (selection, probability) in [(Approximate, 1.0 - away), (Ideal, ideal)] {
            let runs = 10_000u64;
            let hits =
                (0..runs).filter(|&seed| kept(&graph, selection, lanes, 2, seed).contains(&state)).count() as u64;
            let (expected, runs) = (probability * runs as f64, runs as f64);
            let chi =
                (hits as f64 - expected).powi(2) / expected + (hits as f64 - expected).powi(2) / (runs - expected);
            assert!(chi < 15.1, "{selection:?} {c} {attempts} {lanes}: {hits} of {runs}, expected {expected}");
        }
    }
}

/// Notes which labels are considered, and how many states were visited before.
struct Noting<'n> {
    seen: &'n RefCell<BTreeSet<String>>,
}

impl Goal<Graph> for Noting<'_> {
    fn holds(&mut self, _: &Graph, _: &u32) -> Result<bool, Infallible> {
        Ok(false)
    }

    fn holds_for_step(&mut self, graph: &Graph, edge: EdgeId) -> bool {
        let label = graph.label_name(edge);
        if label.starts_with("report") {
            self.seen.borrow_mut().insert(label.to_owned());
        }
        false
    }
}

/// The labels that one simulation considers.
fn reports(
    search: &mut dyn Strategy<State = u32, Label = EdgeId, Error = Infallible>,
    seen: &RefCell<BTreeSet<String>>,
) -> BTreeSet<String> {
    search.run();
    seen.take()
}

fn simulation(states: u64) -> Simulations {
    Simulations { states: Some(states), restarts: 0 }
}

/// A definition taken at its word: Definition 5, with sets. Gives for every number of visited states what was considered by then.
fn literal(graph: &Graph, lanes: usize, random: &mut Random, mut visit: impl FnMut(u32)) {
    let mut visited = BTreeSet::from([graph.initial_state()]);
    let mut level = vec![graph.initial_state()];
    while !level.is_empty() {
        let mut next = BTreeSet::new();
        for &state in &level {
            visit(state);
            next.extend(graph.edges_of(state).map(|(_, to)| to).filter(|to| !visited.contains(to)));
        }
        let mut chosen: Vec<u32> = next.into_iter().collect();
        random.shuffle(&mut chosen);
        chosen.truncate(lanes);
        visited.extend(&chosen);
        level = chosen;
    }
}

/// Whether two counts out of `runs` differ by no more than chance: 4.5 standard deviations.
fn alike(a: u64, b: f64, runs: u64) -> bool {
    let (a, runs) = (a as f64 / runs as f64, runs as f64);
    let share = (a + b) / 2.0;
    (a - b).abs() <= 4.5 * (2.0 * share * (1.0 - share) / runs).sqrt() + 1e-9
}

const RUNS: u64 = 2_000;

/// Figure 2: which of the ten states at the widest part of a diamond a search considers.
#[test]
fn diamonds() {
    let graph = aut::parse(&structures::diamond(10)).expect("a graph");
    assert_eq!(graph.states(), 100);
    let label = |n: usize| format!("report({n})");
    let shares = |run: &dyn Fn(u64) -> BTreeSet<String>| {
        let mut counts = [0u64; 10];
        for seed in 0..RUNS {
            let seen = run(seed);
            (0..10).for_each(|n| counts[n] += u64::from(seen.contains(&label(n))));
        }
        counts
    };
    let seen = RefCell::default();
    // A random simulation is at state n of depth 9 with the binomial probability, and considers that one's label alone.
    let random = shares(&|seed| {
        let mut search = RandomSimulation::new(&graph, Noting { seen: &seen }, seed).simulating(simulation(50));
        reports(&mut search, &seen)
    });
    let mut choose = 1.0;
    for n in 0..10 {
        assert!(alike(random[n], choose / 512.0, RUNS), "random, {n}: {random:?}");
        choose *= (9 - n) as f64 / (n + 1) as f64;
    }
    let mut before = [0; 10];
    for lanes in [2, 4, 6, 8, 10] {
        let mut expected = [0u64; 10];
        let mut naive = Random::new(7);
        for _ in 0..RUNS {
            literal(&graph, lanes, &mut naive, |state| {
                for (edge, _) in graph.edges_of(state) {
                    let n = (0..10).find(|&n| graph.label_name(edge) == label(n));
                    n.into_iter().for_each(|n| expected[n] += 1);
                }
            });
        }
        let ideal = shares(&|seed| {
            reports(&mut Highway::new(&graph, Noting { seen: &seen }, Ideal, width(lanes), seed), &seen)
        });
        for n in 0..10 {
            let expected = expected[n] as f64 / RUNS as f64;
            assert!(alike(ideal[n], expected, RUNS), "width {lanes}, state {n}: {ideal:?}, expected {expected}");
            assert!(ideal[n] + 110 > before[n], "width {lanes}: wider highways cover more, more often");
        }
        if lanes == 10 {
            assert_eq!(ideal, [RUNS; 10], "as wide as the diamond");
        }
        before = ideal;
    }
}

/// For every number of visited states, in how many of the runs the deadlock was considered by then.
fn deadlock_curve(most: usize, mut run: impl FnMut(u64) -> Option<u64>) -> Vec<u64> {
    let mut curve = vec![0; most + 1];
    for seed in 0..RUNS {
        if let Some(states) = run(seed).filter(|states| *states <= most as u64) {
            (states as usize..=most).for_each(|n| curve[n] += 1);
        }
    }
    curve
}

/// Figure 3: the chance to have found the deadlock of the back-loops after so many states.
#[test]
fn back_loops() {
    let graph = aut::parse(&structures::back_loops(9)).expect("a graph");
    assert_eq!(graph.states(), 47);
    let dead = |state: &u32| !graph.has_successors(*state);
    let most = 100;
    let curve = |make: &dyn Fn(u64) -> u64| deadlock_curve(most, |seed| Some(make(seed)));
    let explored =
        |mut search: Box<dyn Strategy<State = u32, Label = EdgeId, Error = Infallible> + '_>| match search.run() {
            search::search::Stop::Found(_) => search.statistics().explored + 1,
            _ => u64::MAX,
        };
    let random = curve(&|seed| {
        explored(Box::new(RandomSimulation::new(&graph, state_goal(dead), seed).simulating(simulation(most as u64))))
    });
    // The chain is small enough to be computed: after n visited states the deadlock has been considered.
    let mut distribution = vec![0.0; graph.states() as usize];
    distribution[graph.initial_state() as usize] = 1.0;
    let mut found = 0.0;
    for (n, count) in random.iter().enumerate().skip(1) {
        let mut next = vec![0.0; distribution.len()];
        for (state, probability) in (0..).zip(&distribution) {
            let targets: BTreeSet<u32> = graph.edges_of(state).map(|(_, to)| to).collect();
            if targets.iter().any(dead) {
                found += probability;
                continue;
            }
            targets.iter().for_each(|to| next[*to as usize] += probability / targets.len() as f64);
        }
        distribution = next;
        assert!(alike(*count, found, RUNS), "random, {n} states: {count}, expected {found}");
    }
    // "Even after 50 steps it cannot find the deadlock with a significant probability": 3 in 100.
    assert!(random[50] < RUNS / 20, "random search revisits: {}", random[50]);
    let rdfs = curve(&|seed| explored(Box::new(Search::new(&graph, state_goal(dead), Lifo::shuffled(seed)))));
    assert_eq!(rdfs[47], RUNS, "all states are visited");
    let mut last = 0;
    for lanes in [1, 2, 3, 4, 5] {
        let mut naive = Random::new(8);
        let expected = deadlock_curve(most, |_| {
            let (mut states, mut at) = (0, None);
            literal(&graph, lanes, &mut naive, |state| {
                states += 1;
                if at.is_none() && graph.edges_of(state).any(|(_, to)| dead(&to)) {
                    at = Some(states);
                }
            });
            at
        });
        let ideal =
            curve(&|seed| explored(Box::new(Highway::new(&graph, state_goal(dead), Ideal, width(lanes), seed))));
        for n in 0..=most {
            let expected = expected[n] as f64 / RUNS as f64;
            assert!(alike(ideal[n], expected, RUNS), "width {lanes}, {n} states: {} expected {expected}", ideal[n]);
        }
        assert_eq!(ideal[47], ideal[most], "each width has an optimum: nothing is revisited");
        assert!(ideal[most] > last, "wider is better in the end");
        last = ideal[most];
        if lanes == 5 {
            assert!(ideal[32] > rdfs[32], "{} {}", ideal[32], rdfs[32]);
            assert!(ideal[20] < rdfs[20], "{} {}", ideal[20], rdfs[20]);
        }
    }
}

/// Figure 4: how many of the exits of five components are considered.
#[test]
fn strongly_connected_components() {
    let graph = aut::parse(&structures::components(5, 5)).expect("a graph");
    assert_eq!(graph.states(), 31);
    let seen = RefCell::default();
    let mean = |run: &dyn Fn(u64) -> BTreeSet<String>| {
        (0..RUNS).map(|seed| run(seed).len() as u64).sum::<u64>() as f64 / RUNS as f64
    };
    let one = mean(&|seed| {
        let found = reports(&mut Highway::new(&graph, Noting { seen: &seen }, Ideal, width(1), seed), &seen);
        assert!(found.len() <= 1, "one lane stays in one component");
        found
    });
    let random = mean(&|seed| {
        let mut search = RandomSimulation::new(&graph, Noting { seen: &seen }, seed).simulating(simulation(8));
        reports(&mut search, &seen)
    });
    assert!(random < one, "a random search misses the exit because of revisits: {random}, {one}");
    let mut last = one;
    for lanes in [2, 3, 5, 10, 20] {
        let mut naive = Random::new(9);
        let mut expected = 0u64;
        for _ in 0..RUNS {
            literal(&graph, lanes, &mut naive, |state| {
                expected +=
                    graph.edges_of(state).filter(|(edge, _)| graph.label_name(*edge).starts_with("report")).count()
                        as u64;
            });
        }
        let expected = expected as f64 / RUNS as f64;
        let ideal =
            mean(&|seed| reports(&mut Highway::new(&graph, Noting { seen: &seen }, Ideal, width(lanes), seed), &seen));
        // The number of exits lies between 0 and 5, so its deviation is at most 2.5.
        assert!(
            (ideal - expected).abs() < 4.5 * 2.5 * (2.0 / RUNS as f64).sqrt(),
            "width {lanes}: {ideal}, {expected}"
        );
        assert!(ideal >= last, "width {lanes}: {ideal}");
        last = ideal;
    }
    assert!((last - 5.0).abs() < 1e-9, "twenty lanes, as many as a level has states, see every exit: {last}");
}
