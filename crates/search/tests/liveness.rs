//! Lassos on random graphs against a naive decision by transitive closure; pruning by closed states on intervals.

mod toys;

use search::budget::{Limits, Reason};
use search::deep_lassos::DeepLassos;
use search::deep_random::{Fringe, Settings};
use search::graph::{EdgeId, Graph};
use search::lasso::{Lasso, Marks};
use search::liveness::{Liveness, Outcome, Pruning};
use search::random::Random;
use search::runs::{Always, Infinitely, Runs, Unanswered};
use search::system::TransitionSystem;
use std::convert::Infallible;
use std::num::NonZeroU32;
use toys::{Interval, Intervals, TOP, random_graph};

/// `closure[a][b]`: from `a` to `b` in at least one step through states that are `allowed`, both ends included.
fn closure(graph: &Graph, allowed: impl Fn(u32) -> bool) -> Vec<Vec<bool>> {
    let size = graph.states() as usize;
    let mut closure = vec![vec![false; size]; size];
    for from in (0..graph.states()).filter(|&state| allowed(state)) {
        for (_, to) in graph.edges_of(from).filter(|&(_, to)| allowed(to)) {
            closure[from as usize][to as usize] = true;
        }
    }
    for via in 0..size {
        for from in 0..size {
            if closure[from][via] {
                let through = closure[via].clone();
                closure[from].iter_mut().zip(through).for_each(|(to, also)| *to |= also);
            }
        }
    }
    closure
}

fn reaches(closure: &[Vec<bool>], from: usize, to: usize) -> bool {
    from == to || closure[from][to]
}

/// The states of a path from `start`, each edge checked to begin where the last ended.
fn walk(graph: &Graph, start: u32, labels: &[EdgeId]) -> Vec<u32> {
    let mut states = vec![start];
    for &edge in labels {
        let (from, to) = graph.ends(edge);
        assert_eq!(Some(&from), states.last());
        states.push(to);
    }
    states
}

/// Prefix states and cycle states; the cycle must return to its start.
fn unroll(graph: &Graph, lasso: &Lasso<EdgeId>) -> (Vec<u32>, Vec<u32>) {
    let prefix = walk(graph, graph.initial_state(), &lasso.prefix);
    let cycle = walk(graph, prefix[prefix.len() - 1], &lasso.cycle);
    assert_eq!(cycle.first(), cycle.last());
    (prefix, cycle)
}

/// What the search for components says, and deep random walks with various settings.
fn outcomes<R: Runs<Graph> + Copy>(graph: &Graph, runs: R, seed: u64) -> Vec<Outcome<EdgeId, Infallible>> {
    let mut all = vec![Liveness::new(graph, runs).run()];
    for (walks, increment, fringe) in [
        (1, None, Fringe::Nodes),
        (3, Some(2), Fringe::Nodes),
        (1, Some(1), Fringe::Children),
        (1, None, Fringe::Children),
    ] {
        let settings = Settings { walks, cutoff: None, increment: increment.and_then(NonZeroU32::new), fringe };
        all.push(DeepLassos::new(graph, runs, settings, seed).run());
    }
    all
}

#[test]
fn buchi_agrees_with_the_transitive_closure() {
    let mut random = Random::new(1);
    let (mut found, mut none) = (0, 0);
    for seed in 0..1500 {
        let graph = random_graph(&mut random, 14, 26);
        let size = graph.states() as usize;
        let wanted = Marks([0, 1, 3, 7][random.index(4)]);
        let marks: Vec<Marks> =
            (0..size).map(|_| if random.below(4) == 0 { Marks(random.below(8)) } else { Marks::NONE }).collect();
        let closure = closure(&graph, |_| true);
        let expected = (0..size).any(|state| {
            let mates = (0..size).filter(|&mate| closure[state][mate] && closure[mate][state]);
            let seen = mates.fold(Marks::NONE, |seen, mate| seen.with(marks[mate]));
            reaches(&closure, 0, state) && closure[state][state] && seen.contains(wanted)
        });
        let runs = Infinitely { wanted, marks: |&state: &u32| marks[state as usize] };
        for outcome in outcomes(&graph, runs, seed) {
            match outcome {
                Outcome::Found(lasso) => {
                    assert!(expected);
                    let (_, cycle) = unroll(&graph, &lasso);
                    assert!(cycle.len() > 1);
                    let seen = cycle.iter().fold(Marks::NONE, |seen, &state| seen.with(marks[state as usize]));
                    assert!(seen.contains(wanted));
                    found += 1;
                }
                outcome => {
                    assert_eq!((outcome, expected), (Outcome::Exhausted { proof: true }, false));
                    none += 1;
                }
            }
        }
    }
    assert!(found > 200 && none > 200, "{found} {none}");
}

#[test]
fn maximal_runs_within_a_set_agree_with_the_transitive_closure() {
    let mut random = Random::new(2);
    let (mut cycles, mut ends, mut none) = (0, 0, 0);
    for seed in 0..1500 {
        let graph = random_graph(&mut random, 14, 22);
        let inside: Vec<bool> = (0..graph.states()).map(|_| random.below(4) > 0).collect();
        let within = |state: u32| inside[state as usize];
        let closure = closure(&graph, within);
        let expected = within(0)
            && (0..inside.len()).any(|state| {
                let ending = inside[state] && !graph.has_successors(state as u32);
                reaches(&closure, 0, state) && (closure[state][state] || ending)
            });
        let runs = Always { stays: |&state: &u32| within(state), ends: |&state: &u32| !graph.has_successors(state) };
        for outcome in outcomes(&graph, runs, seed) {
            match outcome {
                Outcome::Found(lasso) => {
                    assert!(expected);
                    let (prefix, cycle) = unroll(&graph, &lasso);
                    assert!(prefix.iter().chain(&cycle).all(|&state| within(state)));
                    if lasso.cycle.is_empty() {
                        assert!(!graph.has_successors(prefix[prefix.len() - 1]));
                        ends += 1;
                    } else {
                        cycles += 1;
                    }
                }
                outcome => {
                    assert_eq!((outcome, expected), (Outcome::Exhausted { proof: true }, false));
                    none += 1;
                }
            }
        }
    }
    assert!(cycles > 100 && ends > 100 && none > 100, "{cycles} {ends} {none}");
}

#[test]
fn leads_to_agrees_with_the_transitive_closure() {
    let mut random = Random::new(3);
    let (mut found, mut none) = (0, 0);
    for _ in 0..1500 {
        let graph = random_graph(&mut random, 14, 22);
        let size = graph.states() as usize;
        let mut set = |odds| (0..size).map(|_| random.below(odds) == 0).collect::<Vec<bool>>();
        let (trigger, response) = (set(4), set(3));
        let all = closure(&graph, |_| true);
        let silent = closure(&graph, |state| !response[state as usize]);
        let never = |from: usize| {
            (0..size).any(|state| {
                let ending = !response[state] && !graph.has_successors(state as u32);
                reaches(&silent, from, state) && (silent[state][state] || ending)
            })
        };
        let expected =
            (0..size).any(|state| reaches(&all, 0, state) && trigger[state] && !response[state] && never(state));
        let runs = Unanswered {
            trigger: |&state: &u32| trigger[state as usize],
            response: |&state: &u32| response[state as usize],
            ends: |&state: &u32| !graph.has_successors(state),
        };
        match Liveness::new(&graph, runs).run() {
            Outcome::Found(lasso) => {
                assert!(expected);
                let (prefix, cycle) = unroll(&graph, &lasso);
                let run: Vec<u32> = prefix.iter().chain(&cycle).copied().collect();
                let silent_from = run.iter().rposition(|&state| response[state as usize]).map_or(0, |last| last + 1);
                assert!(run[silent_from..].iter().any(|&state| trigger[state as usize]));
                found += 1;
            }
            outcome => {
                assert_eq!((outcome, expected), (Outcome::Exhausted { proof: true }, false));
                none += 1;
            }
        }
    }
    assert!(found > 200 && none > 200, "{found} {none}");
}

/// Whether a concrete run visits `location` infinitely often: by values, one at a time.
fn concrete_buchi(program: &Intervals, location: u32) -> bool {
    let values = TOP as u32 + 1;
    let mut edges = Vec::new();
    for from in 0..program.locations {
        for value in 0..=TOP {
            let point = Interval { location: from, low: value, high: value };
            program
                .successors(&mut (), &point, &mut |_, to| {
                    for target in to.low..=to.high {
                        edges.push((from * values + value as u32, "", to.location * values + target as u32));
                    }
                    std::ops::ControlFlow::Continue(())
                })
                .expect("no faults");
        }
    }
    let graph = Graph::from_edges(program.start.0 as u32, program.locations * values, &edges).expect("in range");
    let runs = Infinitely { wanted: Marks(1), marks: |state: &u32| Marks(u64::from(state / values == location)) };
    matches!(Liveness::new(&graph, runs).run(), Outcome::Found(_))
}

#[test]
fn pruning_by_closed_states_changes_no_answer() {
    let mut random = Random::new(4);
    let (mut found, mut pruned, mut visits) = (0, 0, [0, 0]);
    for _ in 0..1500 {
        let program = Intervals::random(&mut random);
        let location = random.below(u64::from(program.locations)) as u32;
        let expected = concrete_buchi(&program, location);
        for (index, pruning) in [Pruning::Equal, Pruning::Closed].into_iter().enumerate() {
            let marks = |state: &Interval| Marks(u64::from(state.location == location));
            let mut search = Liveness::new(&program, Infinitely { wanted: Marks(1), marks }).pruning(pruning);
            let outcome = search.run();
            assert_eq!(matches!(outcome, Outcome::Found(_)), expected, "{outcome:?} {program:?}");
            pruned += search.statistics().covered;
            visits[index] += search.statistics().explored;
        }
        found += u32::from(expected);
    }
    assert!(found > 100 && pruned > 50 && visits[1] < visits[0], "{found} {pruned} {visits:?}");
}

#[test]
fn a_long_chain_needs_no_call_stack() {
    let length = 300_000;
    let mut edges: Vec<(u32, &str, u32)> = (1..length).map(|to| (to - 1, "next", to)).collect();
    edges.push((length - 1, "back", length / 2));
    let graph = Graph::from_edges(0, length, &edges).unwrap();
    let runs = Infinitely { wanted: Marks(1), marks: |&state: &u32| Marks(u64::from(state == length - 1)) };
    let mut search = Liveness::new(&graph, runs);
    let Outcome::Found(lasso) = search.run() else { panic!("there is a lasso") };
    assert_eq!((lasso.prefix.len(), lasso.cycle.len()), (length as usize / 2, length as usize / 2));
    // The worst case: every state is on the stack, current, and a root.
    assert!(search.bytes() < 110 * length as usize, "{}", search.bytes());
}

#[test]
fn limits_pause_and_let_go_on() {
    let graph = random_graph(&mut Random::new(4), 3000, 9000);
    let mut search = Liveness::new(&graph, Infinitely { wanted: Marks(1), marks: |_: &u32| Marks::NONE })
        .limited(Limits { explored: Some(9), ..Limits::default() }, None);
    assert_eq!(search.run(), Outcome::OutOfBudget(Reason::Explored));
    *search.limits_mut() = Limits { bytes: Some(1), ..Limits::default() };
    assert_eq!(search.run(), Outcome::OutOfBudget(Reason::Memory));
    *search.limits_mut() = Limits { stored: Some(20), ..Limits::default() };
    assert_eq!(search.run(), Outcome::OutOfBudget(Reason::Stored));
    *search.limits_mut() = Limits::default();
    assert_eq!(search.run(), Outcome::Exhausted { proof: true });
    let expected = toys::distances(&graph).iter().flatten().count() as u64;
    assert_eq!((search.statistics().stored, search.statistics().explored), (expected, expected));
    let mut cut = Liveness::new(&graph, Infinitely { wanted: Marks(1), marks: |_: &u32| Marks::NONE })
        .limited(Limits { depth: Some(2), ..Limits::default() }, None);
    assert_eq!(cut.run(), Outcome::Exhausted { proof: false });
}

#[test]
fn a_failure_comes_with_the_path_to_it() {
    struct FailsAt(u32);
    impl Runs<Intervals> for FailsAt {
        fn stays(&mut self, _: &Intervals, state: &Interval) -> Result<bool, &'static str> {
            if state.location == self.0 { Err("no value") } else { Ok(true) }
        }
    }
    let rule = |from, to| toys::Rule { from, to, low: 0, high: TOP, effect: toys::Effect::Up };
    let mut program = Intervals { locations: 3, start: (0, 0), rules: vec![rule(0, 1), rule(1, 2)], faulty: None };
    let outcome = Liveness::new(&program, FailsAt(2)).run();
    assert_eq!(outcome, Outcome::Failed { path: vec![0, 1], error: "no value" });
    program.faulty = Some(1);
    let outcome = Liveness::new(&program, FailsAt(9)).run();
    assert_eq!(outcome, Outcome::Failed { path: vec![0], error: "faulty rule" });
}

/// What only steps between different walks close is found in the end, and a cutoff proves nothing unless it cut nothing off.
#[test]
fn cross_edges_are_not_forgotten() {
    // Both ways from 0 lead into the cycle 3 - 4, and the marks are on it.
    let edges = [(0, "e", 1), (0, "e", 2), (1, "e", 3), (2, "e", 4), (3, "e", 4), (4, "e", 3)];
    let graph = Graph::from_edges(0, 5, &edges).unwrap();
    for seed in 0..100 {
        for (wanted, there) in [(Marks(3), true), (Marks(7), false)] {
            let marks = |&state: &u32| Marks(u64::from(state == 3) | u64::from(state == 4) << 1);
            for outcome in outcomes(&graph, Infinitely { wanted, marks }, seed) {
                assert_eq!(matches!(outcome, Outcome::Found(_)), there, "seed {seed}");
            }
            for (cutoff, proof) in [(0, false), (1, false), (2, true), (3, true)] {
                let settings = Settings { cutoff: Some(cutoff), ..Settings::default() };
                let outcome = DeepLassos::new(&graph, Infinitely { wanted, marks }, settings, seed).run();
                match outcome {
                    Outcome::Found(_) => assert!(there && cutoff >= 2),
                    outcome => assert_eq!(outcome, Outcome::Exhausted { proof }, "cutoff {cutoff}, seed {seed}"),
                }
            }
        }
    }
}

#[test]
fn deep_walks_pause_and_go_on() {
    let graph = random_graph(&mut Random::new(4), 3000, 9000);
    let runs = Infinitely { wanted: Marks(1), marks: |_: &u32| Marks::NONE };
    let limits = Limits { explored: Some(9), ..Limits::default() };
    let mut search = DeepLassos::new(&graph, runs, Settings::default(), 1).limited(limits, None);
    assert_eq!(search.run(), Outcome::OutOfBudget(Reason::Explored));
    let limits = Limits { bytes: Some(1), ..Limits::default() };
    let mut search = DeepLassos::new(&graph, runs, Settings::default(), 1).limited(limits, None);
    assert_eq!(search.run(), Outcome::OutOfBudget(Reason::Memory));
    let mut search = DeepLassos::new(&graph, runs, Settings::default(), 1);
    assert_eq!(search.run(), Outcome::Exhausted { proof: true });
    let expected = toys::distances(&graph).iter().flatten().count() as u64;
    assert_eq!((search.statistics().stored, search.statistics().explored), (expected, expected));
}
