//! The loop on explicit graphs: every order agrees with a naive search, breadth-first and A* traces are shortest,
//! seeds repeat, limits stop and let go on.

mod toys;

use search::best_first::{BestFirst, Ties, Value};
use search::budget::{Limits, Reason};
use search::frontier::{Fifo, Frontier, Lifo, Uniform};
use search::goal::{Goal, state_goal};
use search::graph::{EdgeId, Graph};
use search::heuristic::Estimate;
use search::random::Random;
use search::search::{Depths, Restarts, Search, Stop};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use toys::{distances, random_graph};

/// Follows a trace and returns where it ends; every edge must start where the last one ended.
fn follow(graph: &Graph, trace: &[EdgeId]) -> u32 {
    trace.iter().fold(graph.initial_state(), |at, &edge| {
        let (from, to) = graph.ends(edge);
        assert_eq!(from, at);
        to
    })
}

fn orders(seed: u64) -> Vec<(&'static str, Box<dyn Frontier>)> {
    let random = Random::new(seed);
    vec![
        ("bfs", Box::new(Fifo::default())),
        ("dfs", Box::new(Lifo::default())),
        ("rdfs", Box::new(Lifo::shuffled(seed))),
        ("uniform", Box::new(Uniform::new(seed))),
        ("best-first", Box::new(BestFirst::new(Value::Greedy, Ties::Random(random)))),
    ]
}

#[test]
fn every_order_agrees_with_a_naive_search() {
    let mut random = Random::new(1);
    for seed in 0..400 {
        let graph = random_graph(&mut random, 30, 60);
        let distances = distances(&graph);
        let goal = random.below(u64::from(graph.states())) as u32;
        for (name, frontier) in orders(seed) {
            let mut search = Search::new(&graph, state_goal(|&state: &u32| state == goal), frontier);
            let stop = search.run();
            match distances[goal as usize] {
                None => {
                    assert_eq!(stop, Stop::Exhausted { proof: true }, "{name}");
                    let reachable = distances.iter().flatten().count() as u64;
                    assert_eq!((search.statistics().stored, search.statistics().explored), (reachable, reachable));
                }
                Some(steps) => {
                    let Stop::Found(id) = stop else { panic!("{name}: {stop:?}") };
                    let trace = search.trace(id);
                    assert_eq!(follow(&graph, &trace), goal);
                    assert!(trace.len() >= steps);
                    assert!(name != "bfs" || trace.len() == steps, "breadth-first traces are shortest");
                }
            }
        }
    }
}

#[test]
fn random_searches_repeat_by_seed() {
    let graph = random_graph(&mut Random::new(9), 4000, 9000);
    for index in 0..orders(0).len() {
        let run = |seed| {
            let (_, frontier) = orders(seed).swap_remove(index);
            let mut search = Search::new(&graph, state_goal(|_: &u32| false), frontier)
                .limited(Limits { explored: Some(50), ..Limits::default() }, None);
            search.run();
            search.store().live().map(|id| search.store().packed(id).map(|(key, _)| key[0])).collect::<Vec<_>>()
        };
        assert_eq!(run(3), run(3));
    }
}

#[test]
fn a_star_that_respects_depths_is_optimal() {
    let mut random = Random::new(2);
    for _ in 0..300 {
        let graph = random_graph(&mut random, 25, 70);
        let goal = random.below(u64::from(graph.states())) as u32;
        // Admissible but not consistent: anything between 0 and the true distance.
        let true_distance: Vec<Option<usize>> = (0..graph.states()).map(|from| distance(&graph, from, goal)).collect();
        let estimates: Vec<u32> =
            true_distance.iter().map(|steps| random.below(steps.unwrap_or(5) as u64 + 1) as u32).collect();
        let frontier = BestFirst::new(Value::Total, Ties::Lifo);
        let mut search =
            Search::with_heuristic(&graph, state_goal(|&state: &u32| state == goal), frontier, Table(estimates))
                .depths(Depths::Respected);
        // Goals are tested when generated, so the first one found may be too deep: take the best of all.
        let mut best = None;
        loop {
            match search.step() {
                Some(Stop::Found(id)) => {
                    let length = search.trace(id).len();
                    best = Some(best.map_or(length, |old: usize| old.min(length)));
                }
                Some(stop) => break assert_eq!(stop, Stop::Exhausted { proof: true }),
                None => (),
            }
        }
        assert_eq!(best, true_distance[0]);
    }
}

fn distance(graph: &Graph, from: u32, to: u32) -> Option<usize> {
    let mut level = vec![from];
    let mut seen = vec![false; graph.states() as usize];
    for steps in 0..=graph.states() as usize {
        if level.contains(&to) {
            return Some(steps);
        }
        let mut next = Vec::new();
        for state in level {
            for (_, target) in graph.edges_of(state) {
                if !std::mem::replace(&mut seen[target as usize], true) {
                    next.push(target);
                }
            }
        }
        level = next;
    }
    None
}

struct Table(Vec<u32>);

impl search::heuristic::Heuristic<Graph> for Table {
    fn estimate(&mut self, _: &Graph, state: &u32) -> Estimate {
        Estimate::Value(self.0[*state as usize])
    }
}

#[test]
fn a_depth_limit_is_exact_where_depths_are_respected() {
    let mut random = Random::new(3);
    for _ in 0..300 {
        let graph = random_graph(&mut random, 20, 50);
        let distances = distances(&graph);
        let diameter = distances.iter().flatten().max().copied().unwrap_or(0) as u32;
        let limit = random.below(6) as u32;
        let within = distances.iter().flatten().filter(|&&steps| steps as u32 <= limit).count();
        let mut seen = std::collections::BTreeSet::new();
        let mut search = Search::new(
            &graph,
            state_goal(|&state: &u32| {
                seen.insert(state);
                false
            }),
            Lifo::default(),
        )
        .depths(Depths::Respected)
        .limited(Limits { depth: Some(limit), ..Limits::default() }, None);
        let stop = search.run();
        drop(search);
        assert_eq!(seen.len(), within);
        if limit < diameter {
            assert_eq!(stop, Stop::Exhausted { proof: false }, "states were cut off");
        } else {
            assert_eq!(stop, Stop::Exhausted { proof: true }, "nothing lies beyond");
        }
    }
}

#[test]
fn deepening_by_one_finds_shortest_traces_in_any_order() {
    let mut random = Random::new(6);
    for seed in 0..200 {
        let graph = random_graph(&mut random, 25, 60);
        let goal = random.below(u64::from(graph.states())) as u32;
        for (_, frontier) in orders(seed) {
            let mut search = Search::new(&graph, state_goal(|&state: &u32| state == goal), frontier)
                .depths(Depths::Respected)
                .limited(Limits { depth: Some(0), ..Limits::default() }, None);
            let mut limit = 0;
            let found = loop {
                match search.run() {
                    Stop::Found(id) => break Some(search.trace(id).len()),
                    Stop::Exhausted { proof: true } => break None,
                    Stop::Exhausted { proof: false } => limit += 1,
                    stop => panic!("{stop:?}"),
                }
                search.deepen(Some(limit));
            };
            assert_eq!(found, distances(&graph)[goal as usize]);
        }
    }
}

#[test]
fn a_paused_search_goes_on_without_loss() {
    let graph = random_graph(&mut Random::new(4), 3000, 9000);
    let reachable = distances(&graph).iter().flatten().count() as u64;
    assert!(reachable > 1000);
    let limits = Limits { stored: Some(10), ..Limits::default() };
    let mut search = Search::new(&graph, state_goal(|_: &u32| false), Fifo::default()).limited(limits, None);
    assert_eq!(search.run(), Stop::OutOfBudget(Reason::Stored));
    *search.limits_mut() = Limits { explored: Some(27), ..Limits::default() };
    assert_eq!(search.run(), Stop::OutOfBudget(Reason::Explored));
    assert_eq!(search.statistics().explored, 27);
    *search.limits_mut() = Limits { bytes: Some(1), ..Limits::default() };
    assert_eq!(search.run(), Stop::OutOfBudget(Reason::Memory));
    *search.limits_mut() = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    assert_eq!(search.run(), Stop::OutOfBudget(Reason::Time));
    *search.limits_mut() = Limits::default();
    assert_eq!(search.run(), Stop::Exhausted { proof: true });
    assert_eq!(search.statistics().stored, reachable);
    assert_eq!(search.statistics().waiting, 0);
}

#[test]
fn a_cancelled_search_stops_and_can_go_on() {
    let graph = random_graph(&mut Random::new(5), 300, 900);
    let flag = Arc::new(AtomicBool::new(true));
    let mut search = Search::new(&graph, state_goal(|_: &u32| false), Fifo::default())
        .limited(Limits::default(), Some(flag.clone()));
    assert_eq!(search.run(), Stop::Cancelled);
    flag.store(false, Ordering::Relaxed);
    assert_eq!(search.run(), Stop::Exhausted { proof: true });
}

#[test]
fn restarts_forget_and_still_finish() {
    let graph = random_graph(&mut Random::new(4), 3000, 9000);
    let reachable = distances(&graph).iter().flatten().count() as u64;
    let mut search = Search::new(&graph, state_goal(|_: &u32| false), Lifo::shuffled(1))
        .restarting(Restarts { first: 10, growth: 200 });
    assert_eq!(search.run(), Stop::Exhausted { proof: true });
    let statistics = search.statistics();
    assert_eq!(statistics.stored, reachable);
    assert!(statistics.restarts >= 6 && statistics.explored > reachable, "{statistics:?}");
}

struct StepGoal(&'static str);

impl Goal<Graph> for StepGoal {
    fn holds(&mut self, _: &Graph, _: &u32) -> Result<bool, Infallible> {
        Ok(false)
    }

    fn holds_for_step(&mut self, graph: &Graph, edge: EdgeId) -> bool {
        graph.label_name(edge) == self.0
    }
}

#[test]
fn a_goal_on_steps_is_found_between_known_states() {
    let graph = Graph::from_edges(0, 2, &[(0, "a", 1), (1, "b", 0)]).unwrap();
    let mut search = Search::new(&graph, StepGoal("b"), Fifo::default());
    let Stop::Found(id) = search.run() else { panic!("b can happen") };
    let names: Vec<&str> = search.trace(id).iter().map(|&edge| graph.label_name(edge)).collect();
    assert_eq!(names, ["a", "b"]);
    let mut search = Search::new(&graph, StepGoal("c"), Fifo::default());
    assert_eq!(search.run(), Stop::Exhausted { proof: true });
}

#[test]
fn an_initial_goal_is_found_without_a_step() {
    let graph = Graph::from_edges(0, 1, &[]).unwrap();
    let mut search = Search::new(&graph, state_goal(|_: &u32| true), Fifo::default());
    let Stop::Found(id) = search.run() else { panic!("the initial state is a goal") };
    assert!(search.trace(id).is_empty());
    assert_eq!(search.run(), Stop::Exhausted { proof: true }, "and there is no second one");
}

/// Keeps at most two waiting states.
#[derive(Default)]
struct Narrow(Vec<search::per_state::StateId>);

impl Frontier for Narrow {
    fn push(&mut self, open: search::frontier::Open) {
        self.0.push(open.id);
    }
    fn pop(&mut self) -> Option<search::per_state::StateId> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }
    fn evict(&mut self) -> Option<search::per_state::StateId> {
        if self.0.len() > 2 { self.0.pop() } else { None }
    }
    fn rename(&mut self, renaming: &search::collection::Renaming) {
        self.0.retain_mut(|id| renaming.apply(id));
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn bytes(&self) -> usize {
        0
    }
}

#[test]
fn what_a_frontier_evicts_costs_the_proof() {
    let edges: Vec<(u32, &str, u32)> = (1..5).map(|to| (0, "e", to)).collect();
    let graph = Graph::from_edges(0, 5, &edges).unwrap();
    let mut search = Search::new(&graph, state_goal(|_: &u32| false), Narrow::default());
    assert_eq!(search.run(), Stop::Exhausted { proof: false });
    assert_eq!(search.statistics().stored, 3);
}
