//! Directed searches on random explicit graphs: every one of them finds what is there, and says "nowhere" only of what is not.

use heuristics::directed::{Directed, Settings};
use heuristics::explicit::GraphGuidance;
use search::best_first::{Ties, Value};
use search::budget::Limits;
use search::frontier::Fifo;
use search::goal::state_goal;
use search::graph::{EdgeId, Graph, GraphBuilder};
use search::random::Random;
use search::search::{Search, Stop};
use search::strategy::Strategy;

fn random_graph(random: &mut Random) -> Graph {
    let states = 1 + random.below(30) as u32;
    let mut builder = GraphBuilder::new(0, states).expect("a first state");
    for _ in 0..random.below(3 * u64::from(states)) {
        let mut state = || random.below(u64::from(states)) as u32;
        let (from, to) = (state(), state());
        builder.edge(from, ["a", "b", "c"][(to % 3) as usize], to).expect("two states");
    }
    builder.build()
}

fn all_settings(seed: u64) -> Vec<Settings> {
    let mut all = Vec::new();
    for ties in [Ties::Lifo, Ties::Fifo, Ties::Random(Random::new(seed))] {
        for plateau_guard in [None, Some(0), Some(2), Some(50)] {
            for (useless, prefers, epsilon) in [(false, false, 0.0), (true, false, 0.0), (false, true, 0.3)] {
                let ties = ties.clone();
                let settings = Settings { ties, plateau_guard, useless, prefers, epsilon, seed, ..Settings::default() };
                all.push(Settings { value: Value::Total, ..settings.clone() });
                all.push(settings);
            }
        }
    }
    all
}

/// The number of steps to the goal, if it is found.
fn steps(
    stop: Stop<std::convert::Infallible>,
    trace: impl FnOnce(search::per_state::StateId) -> usize,
) -> Option<usize> {
    match stop {
        Stop::Found(id) => Some(trace(id)),
        Stop::Exhausted { proof } => {
            assert!(proof, "nothing was left out");
            None
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn directed_searches_agree_on_random_graphs() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let graph = random_graph(&mut random);
        let wanted = random.below(u64::from(graph.states())) as u32;
        let mut breadth = Search::new(&graph, state_goal(|state: &u32| *state == wanted), Fifo::default());
        let expected = steps(Search::run(&mut breadth), |id| Search::trace(&breadth, id).len());
        for settings in all_settings(seed) {
            let exact = || GraphGuidance::exact(&graph, |state| state == wanted, |_: EdgeId| false);
            for guidance in [GraphGuidance::blind(&graph), exact(), exact().hiding_distances()] {
                let goal = state_goal(|state: &u32| *state == wanted);
                let mut search = Directed::new(&graph, goal, guidance, settings.clone());
                let stop = search.run();
                let found = steps(stop, |id| search.trace(id).len());
                let name = format!("seed {seed}: {settings:?}");
                assert_eq!(found.is_some(), expected.is_some(), "{name}");
                // Chance, a second queue and what is not permitted yet may hide the shortest way.
                let plain = settings.epsilon == 0.0 && !settings.prefers && !settings.useless;
                if settings.value == Value::Total && plain && settings.plateau_guard.is_none() {
                    assert_eq!(found, expected, "{name}");
                }
            }
        }
    }
}

#[test]
fn limits_end_a_search_and_it_goes_on() {
    let edges: Vec<(u32, &str, u32)> = (0..999).map(|n| (n, "next", n + 1)).collect();
    let graph = Graph::from_edges(0, 1000, &edges).expect("a chain");
    for plateau_guard in [None, Some(0)] {
        let settings = Settings { plateau_guard, ..Settings::default() };
        let goal = state_goal(|state: &u32| *state == 999);
        let guidance = GraphGuidance::exact(&graph, |state| state == 999, |_: EdgeId| false).hiding_distances();
        let limits = Limits { depth: Some(500), ..Limits::default() };
        let mut search = Directed::new(&graph, goal, guidance, settings.clone()).limited(limits, None);
        assert_eq!(search.run(), Stop::Exhausted { proof: false }, "there is more beyond the depth");
        assert_eq!(search.statistics().explored, 501);
        let guidance = GraphGuidance::exact(&graph, |state| state == 999, |_: EdgeId| false);
        let limits = Limits { explored: Some(10), ..Limits::default() };
        let goal = state_goal(|state: &u32| *state == 999);
        let mut search = Directed::new(&graph, goal, guidance, settings).limited(limits, None);
        assert!(matches!(search.run(), Stop::OutOfBudget(_)));
        assert_eq!(search.statistics().explored, 10);
    }
}

#[test]
fn an_under_approximation_reports_its_transitions() {
    // A short way to the goal, and many ways that lead nowhere.
    let mut edges: Vec<(u32, &str, u32)> = vec![(0, "on", 1), (1, "on", 2)];
    edges.extend((3..20).map(|n| (0, "off", n)));
    let graph = Graph::from_edges(0, 20, &edges).expect("a star");
    let guidance = GraphGuidance::exact(&graph, |state| state == 2, |_: EdgeId| false);
    let settings = Settings { plateau_guard: Some(0), ..Settings::default() };
    let mut search = Directed::new(&graph, state_goal(|state: &u32| *state == 2), guidance, settings);
    assert!(matches!(search.run(), Stop::Found(_)));
    let known = search.statistics();
    assert_eq!((known.allowed, known.used, known.transitions, known.refinements), (2, 2, 19, 1));
}
