//! Rank order: the same answers as any other order, fewer mistakes.

mod toys;

use search::breadth_then_rank::BreadthThenRank;
use search::frontier::{Fifo, Frontier, Lifo};
use search::goal::{Goal, state_goal};
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

/// Breadth first, then in rank order, at any moment: the same states and the same answers, and nothing is explored twice.
#[test]
fn the_order_may_change_on_the_way() {
    let mut random = Random::new(3);
    for _ in 0..1000 {
        let program = Intervals::random(&mut random);
        let (turn, is_large) = (random.below(20), Arc::new(AtomicBool::new(false)));
        let frontier = BreadthThenRank::new(is_large.clone());
        let mut search = Search::with_heuristic(&program, state_goal(|_: &Interval| false), frontier, Levels);
        let mut steps = 0;
        let stop = loop {
            if let Some(stop) = search.step() {
                break stop;
            }
            steps += 1;
            is_large.store(steps > turn, Ordering::Relaxed);
        };
        assert_eq!(stop, Stop::Exhausted { proof: true });
        assert_eq!(values(&mut search), program.reachable());
    }
    for _ in 0..300 {
        let graph = random_graph(&mut random, 30, 60);
        let goal = random.below(u64::from(graph.states())) as u32;
        let distance = distances(&graph)[goal as usize];
        for is_large in [false, true] {
            let frontier = BreadthThenRank::new(Arc::new(AtomicBool::new(is_large)));
            let mut search = Search::with_heuristic(&graph, state_goal(|&state: &u32| state == goal), frontier, Levels);
            match search.run() {
                Stop::Found(id) if is_large => assert!(distance.is_some_and(|least| least <= search.trace(id).len())),
                Stop::Found(id) => assert_eq!(Some(search.trace(id).len()), distance),
                stop => assert_eq!((stop, distance), (Stop::Exhausted { proof: true }, None)),
            }
            assert!(search.statistics().explored <= u64::from(graph.states()), "each state once");
        }
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
