//! The times of a path are the same whether its steps are given by their labels or by their edges.

use model::load::{Model, load_bytes};
use search::random::Random;
use search::system::TransitionSystem;
use semantics::concretise::Concretiser;
use semantics::transitions::Move;
use semantics::zone_graph::{Abstraction, State, ZoneGraph};
use std::ops::ControlFlow;

/// Guards, invariants, an urgent channel, a broadcast whose receivers are chosen by integers, selects, committed locations, functions.
const MODEL: &str = "
chan go; urgent chan now; broadcast chan all; int[0,9] n = 0; clock g;
int[0,9] next(int[0,9] k) { return (k + 1) % 10; }
process P(const int[1,3] d) {
    clock x; state A { x <= 2 * d }, B { x <= 5 }, C; commit C; init A;
    trans A -> B { select k : int[0,2]; guard x >= d + k; sync go!; assign x = k; },
          B -> C { guard x > 1; sync all!; assign n = next(n); }, C -> A { assign x = 0; };
}
process Q() {
    clock y; state A, B { y <= 3 }; init A;
    trans A -> B { sync go?; assign y = 0; }, B -> A { guard y >= 1 && n % 2 == 0; },
          B -> A { guard y == 2; sync now!; }, A -> A { guard n < 5; sync all?; assign y = 1; };
}
process R() { state A; init A; trans A -> A { guard g >= 4; sync now?; assign g = 0; }, A -> A { sync all?; }; }
P1 = P(1); P3 = P(3); Q1 = Q(); Q2 = Q(); r = R();
system P1, P3, Q1, Q2, r;";

fn model() -> Model {
    let loaded = load_bytes("m.xta", MODEL.as_bytes(), &[]);
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

#[test]
fn by_labels_and_by_edges() {
    let model = model();
    let graph = ZoneGraph::new(model.network(), Abstraction::None);
    let (mut compared, mut timed) = (0, 0);
    for seed in 0..300 {
        let mut random = Random::of_run(7, seed);
        let mut scratch = Default::default();
        let mut state = State::default();
        graph
            .initial(&mut scratch, &mut |first| {
                state = first.clone();
                ControlFlow::Continue(())
            })
            .unwrap();
        let mut labels = Vec::new();
        for _ in 0..12 {
            let mut ways = Vec::new();
            graph
                .successors(&mut scratch, &state.clone(), &mut |label, next| {
                    ways.push((label, next.clone()));
                    ControlFlow::Continue(())
                })
                .unwrap();
            if ways.is_empty() {
                break;
            }
            let (label, next) = ways.swap_remove(random.below(ways.len() as u64) as usize);
            labels.push(label);
            state = next;
            let by_labels = Concretiser::new(&graph.structure).run(&labels, &[], &[]).unwrap();
            let moves: Vec<Vec<Move>> = by_labels.steps.iter().map(|step| step.moves.clone()).collect();
            let by_edges = Concretiser::new(&graph.structure).run_moves(moves.iter().map(Vec::as_slice), &[]).unwrap();
            assert_eq!(by_labels, by_edges, "seed {seed}, {labels:?}");
            compared += 1;
            timed += usize::from(by_labels.least_time.0 > 0);
        }
    }
    assert!(compared > 1_000 && timed > 500, "{compared} paths, {timed} of them take time");
}

#[test]
fn edges_that_cannot_be_taken_have_no_times() {
    let model = model();
    let graph = ZoneGraph::new(model.network(), Abstraction::None);
    // P1 has to leave A by 2, and r may act only from 4 on.
    let late = Move { process: 4, expanded: 0, branch: 0 };
    let steps = [std::slice::from_ref(&late)];
    assert!(Concretiser::new(&graph.structure).run_moves(steps.into_iter(), &[]).is_err());
}
