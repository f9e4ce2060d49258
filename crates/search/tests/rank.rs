//! Rank order: the same answers as any other order, fewer mistakes.

mod toys;

use search::dives::{Dives, Small};
use search::frontier::{Fifo, Frontier, Lifo};
use search::goal::{Goal, state_goal};
use search::graph::Graph;
use search::heuristic::Levels;
use search::random::Random;
use search::rank::Ranked;
use search::search::{Search, Stop};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use toys::{Effect, Interval, Intervals, Rule, TOP, distances, random_graph};

#[test]
fn ranked_search_stores_exactly_what_is_reachable() {
    let mut random = Random::new(1);
    for _ in 0..1000 {
        let program = Intervals::random(&mut random);
        let goal = state_goal(|_: &Interval| false);
        let mut search = Search::with_heuristic(&program, goal, Ranked::default(), Levels);
        assert_eq!(search.run(), Stop::Exhausted { proof: true });
        assert_eq!(values(&mut search), program.reachable());
    }
}

/// All that the stored states stand for.
fn values<G: Goal<Intervals>, F: Frontier>(search: &mut Search<'_, Intervals, G, F, Levels>) -> BTreeSet<(u32, i32)> {
    let mut values = BTreeSet::new();
    for id in search.store().live().collect::<Vec<_>>() {
        let mut state = Interval::default();
        assert!(search.load(id, &mut state));
        values.extend((state.low..=state.high).map(|value| (state.location, value)));
    }
    values
}

/// Whenever a search is large and dives, it has the same states and the same answers, and nothing is explored twice.
#[test]
fn dives_change_nothing_but_the_order() {
    let mut random = Random::new(3);
    for seed in 0..1000 {
        let program = Intervals::random(&mut random);
        let small = Small { explored: random.below(20), stored: random.below(40) };
        let frontier = Dives::new(small, random.below(2) == 0, seed, Arc::default());
        let mut search = Search::with_heuristic(&program, state_goal(|_: &Interval| false), frontier, Levels);
        assert_eq!(search.run(), Stop::Exhausted { proof: true });
        assert_eq!(values(&mut search), program.reachable());
    }
    for seed in 0..300 {
        let graph = random_graph(&mut random, 30, 60);
        let goal = random.below(u64::from(graph.states())) as u32;
        let distance = distances(&graph)[goal as usize];
        for (explored, explores_all) in [(100, false), (100, true), (5, false), (0, false), (0, true)] {
            let is_large = Arc::new(AtomicBool::new(false));
            let frontier = Dives::new(Small { explored, stored: 100 }, explores_all, seed, is_large.clone());
            let mut search = Search::with_heuristic(&graph, state_goal(|&state: &u32| state == goal), frontier, Levels);
            let is_shortest = explored == 100 && !explores_all;
            match search.run() {
                Stop::Found(id) if is_shortest => assert_eq!(Some(search.trace(id).len()), distance),
                Stop::Found(id) => assert!(distance.is_some_and(|least| least <= search.trace(id).len())),
                stop => assert_eq!((stop, distance), (Stop::Exhausted { proof: true }, None)),
            }
            assert!(search.statistics().explored <= u64::from(graph.states()), "each state once");
            assert!(!is_large.load(Ordering::Relaxed) || search.statistics().explored >= explored);
        }
    }
}

/// The leaves of a tree with 65,535 states are 15 steps deep: a dive is there before the search is much more than small.
#[test]
fn dives_are_deep() {
    const STATES: u32 = (1 << 16) - 1;
    let edges: Vec<(u32, &str, u32)> = (1..STATES).map(|state| ((state - 1) / 2, "e", state)).collect();
    let graph = Graph::from_edges(0, STATES, &edges).expect("states in range");
    let explored = |frontier: &mut dyn FnMut() -> Box<dyn Frontier>| {
        let goal = state_goal(|&state: &u32| state >= STATES / 2);
        let mut search = Search::with_heuristic(&graph, goal, frontier(), Levels);
        assert!(matches!(search.run(), Stop::Found(_)));
        search.statistics().explored
    };
    assert!(explored(&mut || Box::new(Fifo::default())) > 16_000);
    for seed in 0..20 {
        let small = Small { explored: 50, stored: 1_000 };
        let dived = explored(&mut || Box::new(Dives::new(small, false, seed, Arc::default())));
        assert!((51..80).contains(&dived), "{dived}");
    }
}

#[test]
fn ranked_search_agrees_on_graphs() {
    let mut random = Random::new(2);
    for _ in 0..300 {
        let graph = random_graph(&mut random, 30, 60);
        let goal = random.below(u64::from(graph.states())) as u32;
        let frontier = Ranked::default();
        let mut search = Search::with_heuristic(&graph, state_goal(|&state: &u32| state == goal), frontier, Levels);
        assert_eq!(matches!(search.run(), Stop::Found(_)), distances(&graph)[goal as usize].is_some());
    }
}

const fn rule(from: u32, to: u32, effect: Effect) -> Rule {
    Rule { from, to, low: 0, high: TOP, effect }
}

/// The large state of location 1 arrives after the small one has been explored, and both lead to the same state
/// of location 2, whose successor in location 5 still waits. Deleting it would lose location 6.
#[test]
fn deleting_waiting_descendants_of_a_covered_state_would_be_unsound() {
    let rules = vec![
        rule(0, 1, Effect::Set(5)),
        rule(0, 4, Effect::Add(0)),
        rule(1, 2, Effect::Set(0)),
        rule(2, 5, Effect::Add(0)),
        rule(4, 3, Effect::Set(5)),
        rule(3, 1, Effect::Up),
        rule(5, 6, Effect::Add(0)),
    ];
    let program = Intervals { locations: 7, start: (0, 0), rules, faulty: None };
    let goal = state_goal(|state: &Interval| state.location == 6);
    let mut search = Search::with_heuristic(&program, goal, Ranked::default(), Levels);
    assert!(matches!(search.run(), Stop::Found(_)));
    assert_eq!(search.statistics().erased, 1, "the case is as described");
}

/// A long chain whose head is reached first by a small state and, some steps later, by a larger one. A search
/// that goes on with the small one explores the chain twice; rank lets the large one overtake it.
#[test]
fn the_large_state_overtakes_the_small_one() {
    let length = 40;
    let mut rules = vec![rule(0, 10, Effect::Add(0)), rule(0, 1, Effect::Add(0))];
    rules.extend((1..5).map(|at| rule(at, at + 1, Effect::Add(0))));
    rules.push(rule(5, 10, Effect::Up));
    rules.extend((10..10 + length).map(|at| rule(at, at + 1, Effect::Add(0))));
    let program = Intervals { locations: 11 + length, start: (3, 3), rules, faulty: None };
    let goal = || state_goal(|_: &Interval| false);
    // No levels: only rank can help.
    struct Flat;
    impl search::heuristic::Heuristic<Intervals> for Flat {
        fn estimate(&mut self, _: &Intervals, _: &Interval) -> search::heuristic::Estimate {
            search::heuristic::Estimate::Value(1)
        }
    }
    let mut depth_first = Search::new(&program, goal(), Lifo::default());
    let mut breadth_first = Search::new(&program, goal(), Fifo::default());
    let mut ranked = Search::with_heuristic(&program, goal(), Ranked::default(), Flat);
    let mut levelled = Search::with_heuristic(&program, goal(), Ranked::default(), Levels);
    for stop in [depth_first.run(), breadth_first.run(), ranked.run(), levelled.run()] {
        assert_eq!(stop, Stop::Exhausted { proof: true });
    }
    let once = u64::from(7 + length);
    assert_eq!(depth_first.statistics().explored, once + u64::from(length) + 1);
    assert!(breadth_first.statistics().explored > once + u64::from(length) / 2);
    assert!(ranked.statistics().explored <= once + 8, "{}", ranked.statistics().explored);
    assert_eq!(levelled.statistics().explored, once, "with levels there is no mistake at all");
}

/// A program whose rules mostly lead to later locations, as control flow does.
fn layered(random: &mut Random) -> Intervals {
    let locations = 40;
    let rules = (0..120)
        .map(|_| {
            let from = random.below(u64::from(locations)) as u32;
            let to = match random.below(10) {
                0 => random.below(u64::from(from) + 1) as u32,
                _ => (from + 1 + random.below(6) as u32).min(locations - 1),
            };
            let effect = match random.below(6) {
                0 => Effect::Set(random.below(TOP as u64 + 1) as i32),
                1 => Effect::Up,
                _ => Effect::Add(random.below(3) as i32 - 1),
            };
            let low = random.below(4) as i32;
            Rule { from, to, low, high: TOP - random.below(4) as i32, effect }
        })
        .collect();
    Intervals { locations, start: (5, 5), rules, faulty: None }
}

#[test]
fn mistakes_are_fewest_with_rank_and_levels() {
    let mut random = Random::new(3);
    let mut explored = [0, 0, 0];
    for _ in 0..200 {
        let program = layered(&mut random);
        let goal = || state_goal(|_: &Interval| false);
        let mut depth_first = Search::new(&program, goal(), Lifo::default());
        let mut breadth_first = Search::new(&program, goal(), Fifo::default());
        let mut ranked = Search::with_heuristic(&program, goal(), Ranked::default(), Levels);
        depth_first.run();
        breadth_first.run();
        ranked.run();
        let counts = [ranked.statistics(), breadth_first.statistics(), depth_first.statistics()];
        for (sum, count) in explored.iter_mut().zip(counts) {
            *sum += count.explored;
        }
    }
    println!("explored with rank, breadth-first, depth-first: {explored:?}");
    assert!(explored[0] < explored[1] && explored[0] < explored[2], "{explored:?}");
}
