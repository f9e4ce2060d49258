//! Bounds that are expressions: how many states are stored shows which value of the expression a bound has.

use model::load::load_bytes;
use search::frontier::Fifo;
use search::goal::state_goal;
use search::search::{Search, Stop};
use semantics::zone_graph::{Abstraction, State, ZoneGraph};

/// Declarations before the process, its own, its edges from A, and at most how many states are stored. Clock x is compared with
/// an expression that is 5 and could be 1000; y goes round every time unit.
const TABLE: &[(&str, &str, &str, u64)] = &[
    ("", "int[0,1000] d = 5;", "A -> B { guard x == d; }", 20),
    ("", "int[0,1000] d = 5;", "A -> B { guard x == d + 1; }", 20),
    ("", "const int i = 1; int[0,1000] d[2] = {900, 5};", "A -> B { guard x == d[i]; }", 20),
    ("", "int[0,1000] d = 5; int f() { return d; }", "A -> B { guard x == f(); }", 20),
    ("int[0,1000] d = 5;", "", "A -> B { guard x == d; }", 20),
    // Set together with the clock.
    ("", "int[0,1000] d = 5;", "A -> B { guard x == d; }, B -> A { assign x = 0, d = 6; }", 40),
    // What is set on the way counts with its largest value.
    ("", "int[0,1000] d = 5;", "A -> B { guard x == d; }, B -> A { assign d = 6; }", 5000),
];

/// More than this is only stored when 1000 is the bound.
const LARGEST: u64 = 500;

fn stored(globals: &str, locals: &str, edges: &str, abstraction: Abstraction) -> u64 {
    let text = format!(
        "{globals} process P() {{ clock x, y; {locals} state A {{ y <= 1 }}, B {{ y <= 1 }}; init A;
         trans A -> A {{ guard y >= 1; assign y = 0; }}, B -> B {{ guard y >= 1; assign y = 0; }}, {edges}; }} system P;"
    );
    let loaded = load_bytes("m.xta", text.as_bytes(), &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("does not load: {text}"));
    let graph = ZoneGraph::new(model.network(), abstraction);
    let mut search = Search::new(&graph, state_goal(|_: &State| false), Fifo::default());
    assert!(matches!(search.run(), Stop::Exhausted { proof: true }));
    search.statistics().stored
}

#[test]
fn bounds_follow_the_state_where_that_is_enough() {
    for abstraction in [Abstraction::Simulation, Abstraction::LowerUpper, Abstraction::Maximal] {
        for (globals, locals, edges, most) in TABLE {
            let stored = stored(globals, locals, edges, abstraction);
            let varies = *most < LARGEST;
            assert!(stored <= *most && varies == (stored < LARGEST), "{abstraction:?} {edges}: {stored}");
        }
    }
}
