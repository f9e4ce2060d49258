//! Estimates of small networks, worked out by hand: one row for each feature of the language that they must understand.

use heuristics::interrupt::Interrupt;
use heuristics::network::{Kind, NetworkGuidance};
use model::check::QueryKind;
use model::load::{load_bytes, query_text};
use semantics::code::Discrete;
use semantics::zone_graph::{Abstraction, ZoneGraph};

/// `dL`, `dU`, `hL`, `hU` of the initial state; `None` for a dead end.
fn estimates(model: &str, query: &str) -> [Option<u32>; 4] {
    let loaded = load_bytes("m.xta", model.as_bytes(), &[]);
    let (Some(model), mut sources) = (loaded.model, loaded.sources) else { panic!("{:?}", loaded.diagnostics) };
    let source = query_text(&mut sources, "query", query);
    let loaded = model.query(&source);
    let Some(query) = loaded.query else { panic!("{query}: {:?}", loaded.diagnostics) };
    let (QueryKind::Path { predicate, .. }, network) = (query.kind, &query.network) else { panic!("no state query") };
    let (graph, goal) = ZoneGraph::for_predicate(network, Abstraction::Simulation, predicate);
    [Kind::LargestDistance, Kind::SumOfDistances, Kind::Layers, Kind::RelaxedPlan].map(|kind| {
        NetworkGuidance::new(&graph, predicate, goal, kind, true, true, Interrupt::never())
            .fresh(&Discrete::initial(network))
    })
}

struct Row {
    what: &'static str,
    model: &'static str,
    query: &'static str,
    /// -1 is a dead end.
    expected: [i32; 4],
}

const TWO: &str = "process P(const int id) { state A, B, C; init A; trans A -> B { }, B -> C { }; } P1 = P(1); P2 = P(2); system P1, P2;";

const ROWS: &[Row] = &[
    Row { what: "distances add up", model: TWO, query: "E<> P1.C and P2.B", expected: [2, 3, 2, 3] },
    Row { what: "the nearest alternative", model: TWO, query: "E<> P1.C or P2.B", expected: [1, 1, 1, 1] },
    Row { what: "not in a location", model: TWO, query: "E<> not P1.A and P2.C", expected: [2, 3, 2, 3] },
    Row { what: "already there", model: TWO, query: "E<> P1.A and P2.A", expected: [0, 0, 0, 0] },
    Row {
        what: "no way at all",
        model: "process P() { state A, B; init A; trans B -> A { }; } system P;",
        query: "E<> P.B",
        expected: [-1, -1, -1, -1],
    },
    Row {
        what: "a guard over integers that an update meets",
        model: "int[0,5] n; process P() { state A, B; init A; trans A -> A { assign n := n + 1; }, A -> B { guard n == 3; }; } system P;",
        query: "E<> P.B",
        expected: [1, 1, 4, 2],
    },
    Row {
        what: "a guard that nothing meets",
        model: "int[0,5] n; process P() { state A, B; init A; trans A -> B { guard n == 3; }; } system P;",
        query: "E<> P.B",
        expected: [1, 1, -1, -1],
    },
    Row {
        what: "a cell that nothing writes",
        model: "int[0,5] n; process P() { state A; init A; } system P;",
        query: "E<> n == 3",
        expected: [-1, -1, -1, -1],
    },
    Row {
        what: "a cell's difference",
        model: "int[0,9] n; process P() { state A; init A; trans A -> A { assign n := n + 1; }; } system P;",
        query: "E<> n >= 3",
        expected: [1, 3, 3, 1],
    },
    Row {
        what: "both parties of a synchronisation",
        model: "chan c; process P() { state A, B, C; init A; trans A -> B { }, B -> C { sync c!; }; } process Q() { state A, B; init A; trans A -> B { sync c?; }; } system P, Q;",
        query: "E<> Q.B",
        expected: [1, 1, 2, 2],
    },
    Row {
        what: "an edge without a partner",
        model: "chan c; process P() { state A, B; init A; trans A -> B { sync c!; }; } system P;",
        query: "E<> P.B",
        expected: [-1, -1, -1, -1],
    },
    Row {
        what: "a broadcast needs nobody, and is heard",
        model: "broadcast chan c; process P() { state A, B; init A; trans A -> B { sync c!; }; } process Q() { state A, B; init A; trans A -> B { sync c?; }; } system P, Q;",
        query: "E<> P.B and Q.B",
        expected: [1, 2, 1, 1],
    },
    Row {
        what: "what a sender writes is read by the receiver",
        model: "chan c; int[0,9] v; int[0,9] w; process P() { state A, B; init A; trans A -> B { sync c!; assign v := 7; }; } process Q() { state A, B; init A; trans A -> B { sync c?; assign w := v; }; } system P, Q;",
        query: "E<> w == 7",
        expected: [1, 7, 1, 1],
    },
    Row {
        what: "functions, arrays, loops",
        model: "int[0,9] a[3]; void fill(int[0,9] x) { for (i : int[0,2]) a[i] = x; } bool full() { return forall (i : int[0,2]) a[i] == 4; } process P() { state A, B, C; init A; trans A -> B { assign fill(4); }, B -> C { guard full(); }; } system P;",
        query: "E<> P.C",
        expected: [2, 2, 2, 2],
    },
    Row {
        what: "an index that the state decides",
        model: "int[0,2] i; bool a[3]; process P() { state A; init A; trans A -> A { guard i < 2; assign i := i + 1; }, A -> A { assign a[i] := true; }; } system P;",
        query: "E<> a[2]",
        expected: [1, 1, 3, 2],
    },
    Row {
        what: "structs and conditional expressions",
        model: "struct { int[0,3] x; bool y; } s; process P() { state A, B; init A; trans A -> B { assign s.y := s.x == 0 ? true : false; }; } system P;",
        query: "E<> s.y",
        expected: [1, 1, 1, 1],
    },
    Row {
        what: "select values",
        model: "int[0,9] n; process P() { state A; init A; trans A -> A { select k : int[0,9]; assign n := k; }; } system P;",
        query: "E<> n == 8",
        expected: [1, 8, 1, 1],
    },
    Row {
        what: "quantifiers in the goal",
        model: "process P(const int[0,3] id) { state A, B; init A; trans A -> B { }; } system P;",
        query: "E<> forall (i : int[0,3]) i != 2 imply P(i).B",
        expected: [1, 3, 1, 3],
    },
    Row {
        what: "variables of processes in the goal",
        model: "process P() { int[0,3] v; state A; init A; trans A -> A { assign v := 2; }; } system P;",
        query: "E<> P.v == 2",
        expected: [1, 2, 1, 1],
    },
    Row {
        what: "clocks are ignored",
        model: "clock x; process P() { state A, B; init A; trans A -> B { guard x > 5; }; } system P;",
        query: "E<> P.B and x < 3",
        expected: [1, 1, 1, 1],
    },
    Row {
        what: "more values than are kept: an interval",
        model: "int n; process P() { state A, B; init A; trans A -> A { assign n := n + 1; }, A -> B { guard n == 30000; }; } system P;",
        query: "E<> P.B",
        expected: [1, 1, 257, 2],
    },
    Row {
        what: "updates before every transition",
        model: "int[0,3] n; before_update { n = 2 } process P() { state A, B; init A; trans A -> B { }; } system P;",
        query: "E<> n == 2",
        expected: [1, 2, 1, 1],
    },
    Row {
        what: "an update that fails leads nowhere",
        model: "int[0,3] n = 3; bool b; process P() { state A, B; init A; trans A -> B { assign n := n + 1, b := true; }; } system P;",
        query: "E<> n == 0",
        expected: [1, 3, -1, -1],
    },
];

#[test]
fn estimates_are_those_worked_out_by_hand() {
    let mut wrong = String::new();
    for Row { what, model, query, expected } in ROWS {
        let found = estimates(model, query).map(|value| value.map_or(-1, |value| value as i32));
        if found != *expected {
            wrong += &format!("{what}: {found:?} instead of {expected:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
