//! What engines take for granted about a network before it runs, and models that break it late: by the value of a parameter or a
//! variable, by an update, by an index. Each engine must see it where the values are known, and say that it does not know.
//!
//! | assumption | whose | where it is checked |
//! | --- | --- | --- |
//! | a clock runs with rate 0 or 1 | zones, exact times for their paths, certificates | `zone_graph::settle`, `concretise`, `certify::symbolic` |
//! | invariants agree on the rate of a clock | walks, `certify` | `walker::invariants`, `certify::semantics` |
//! | a clock that is beyond all constants stays there | lassos in `certify` | `certify::bounds` |
//! | constants fit into zones | zones | `ZoneGraph::too_large` |
//! | bounds of clocks by declared ranges, or by the state | zones, lassos | ranges hold at run time |
//! | which channel an edge is on | walks | tables only where the expression is constant |
//! | which channels are urgent or broadcast, and their priority | all | kinds belong to channels, not to edges |
//! | clocks that no path reads need no place | zones | every expression that names a clock counts, by all its indices |
//! | guards that the integers decide stay decided until a cell they read changes | walks | watches of all cells that an index may mean |
//! | an edge that sleeps wakes no earlier | walks | clocks that are set or change their rate ring |

use engine::check::check;
use engine::limits::Watch;
use engine::model::load::{load_bytes, query_text};
use engine::options::Options;
use engine::report::{Answer, Verdict};

/// Every kind of engine for states, by one search each; the last ones cannot prove anything.
const SEARCHES: &[&str] =
    &["auto", "bfs", "dfs", "rdfs", "rank", "drs", "gbfs", "ua", "random", "highway", "ret", "rcf", "rlc", "sem"];

/// Name, declarations and system, query, what is true, and whether no exhaustive search can know it.
type Row = (&'static str, &'static str, &'static str, bool, bool);

const RATES: &str = "rates";

/// A process whose clock overtakes another one if it runs faster than that.
fn overtaking(before: &str, rate: &str, more: &str) -> String {
    format!(
        "clock x, y; {before} process P() {{ state A {{ x' == {rate} }}, B; init A; trans {more} A -> B {{ guard x > y; }}; }} system P;"
    )
}

const ROWS: &[Row] = &[
    (RATES, "clock x, y; process P(const int k) { state A { x' == k }, B; init A; trans A -> B { guard x > y; }; }
      P1 = P(2); system P1;", "E<> P1.B", true, true),
    (RATES, "process P(const int[1,2] k) { clock x, y; state A { x' == k }, B; init A; trans A -> B { guard x > y; }; }
      system P;", "E<> P(2).B", true, true),
    ("a clock may run backwards", "clock x, y; int r = -1; process P() { state A, C { x' == r }, B; init A;
      trans A -> C { guard x == 5; }, C -> B { guard x < 5; }; } system P;", "E<> P.B", true, true),
    ("a rate in a template that is also used without one", "clock y; process P(const int k) { clock x; state A { x' == k }, B;
      init A; trans A -> B { guard x > y; }; } P1 = P(1); P2 = P(2); system P1, P2;", "E<> P2.B", true, true),
    ("a rate that matters to a run that goes on", "clock x, y; int r = 2; process P() { state A { x' == r && y <= 5 }, B;
      init A; trans A -> B { guard x > 8; }, B -> B { guard y > 1; assign y = 0; }; } system P;", "E<> P.B", true, true),
    ("invariants that disagree", "clock x; int r = 0; process P() { state A { x' == r }; init A; }
      process Q() { state A { x' == 1 }, B; init A; trans A -> B { guard x > 3; }; } system P, Q;", "E<> Q.B", false, false),
    ("a rate that changes while an edge sleeps", "clock x, t; process P() { state A, B; init A; trans A -> B { guard x >= 5; }; }
      process Q() { state A { x' == 0 && t <= 3 }, B { x' == 1 }, C; init A;
      trans A -> B { guard t >= 3; }, B -> C { guard t >= 9; }; } system P, Q;", "E<> P.B && t < 8", false, false),
    ("an invariant by a variable that another process changes", "clock x; int n = 10; process P() { state A { x <= n }, B; init A;
      trans A -> B { guard x >= 9; }; } process Q() { state A, B; init A; trans A -> B { guard x >= 3; assign n = 5; }; }
      system P, Q;", "E<> Q.B && P.A && x > 5", false, false),
    ("the same", "clock x; int n = 10; process P() { state A { x <= n }, B; init A; trans A -> B { guard x >= 9; }; }
      process Q() { state A, B; init A; trans A -> B { guard x >= 3; assign n = 5; }; } system P, Q;",
      "E<> Q.B && P.A && x == 5", true, false),
    ("a bound that a function computes", "clock x; int v; int f(int a) { if (v > 0) return a * 3; return a; }
      process P() { state A { x <= f(2) }, B; init A; trans A -> A { guard v < 1; assign v = 1; }, A -> B { guard x >= 6; }; }
      system P;", "E<> P.B", true, false),
    ("a bound that grows far beyond the declared constants", "clock x, y; int[0,100000] n = 5; process P() {
      state A, B { x <= n }, C; init A; trans A -> B { assign n = n * 1000, x = 0, y = 0; }, B -> C { guard y >= n - 1; }; }
      system P;", "E<> P.C", true, false),
    ("a constant that zones cannot hold", "clock x; int[0,2000000000] n; process P() { state A, B, C; init A;
      trans A -> B { assign n = 1500000000; }, B -> C { guard x >= n; }; } system P;", "E<> P.C", true, true),
    ("a clock that is set to a variable", "clock x, y; int n; process P() { state A, B { x <= 10 }, C; init A;
      trans A -> B { assign n = 9, x = n, y = 0; }, B -> C { guard y > 1; }; } system P;", "E<> P.C", false, false),
    ("a clock that an index chooses", "clock c[3]; int i; process P() { state A, B; init A;
      trans A -> A { guard i < 2; assign i++, c[i] = 0; }, A -> B { guard c[i] > 7 && c[0] <= 10; }; } system P;",
      "E<> P.B && i == 2 && c[2] > c[1]", false, false),
    ("a clock that a parameter stands for", "process P(clock &c) { state A, B; init A; trans A -> B { guard c > 5; }; }
      clock x; process Q() { state A, B; init A; trans A -> B { guard x == 4; assign x = 0; }; }
      P1 = P(x); system P1, Q;", "E<> P1.B && Q.B", true, false),
    ("an urgent channel that an index chooses", "urgent chan u; chan c; clock x; int i; process P() { state A, B; init A;
      trans A -> B { guard i == 1; sync u!; }; } process Q() { state A; init A; trans A -> A { sync u?; }; }
      process R() { state A, B; init A; trans A -> B { guard x == 2; assign i = 1; }; } system P, Q, R;",
      "E<> P.A && i == 1 && x > 2", false, false),
    ("a channel by an index that an update changes", "chan c[2]; int i; process P() { state A, B; init A;
      trans A -> B { sync c[i]!; }; } process Q() { state A; init A; trans A -> A { sync c[1]?; }; }
      process R() { state A, B; init A; trans A -> B { assign i = 1; }; } system P, Q, R;", "E<> P.B", true, false),
    ("a receiver of a broadcast by a bound that changes", "broadcast chan c; clock x; int n = 3; process S() { state A, B; init A;
      trans A -> B { sync c!; }; } process R() { state A, B; init A; trans A -> B { guard x >= n; sync c?; }; }
      process V() { state A, B; init A; trans A -> B { guard x >= 2; assign n = 1; }; } system S, R, V;",
      "E<> S.B && R.B && x < 3", true, false),
    ("a guard by a bound that changes while the edge sleeps", "clock x; int n = 9; process P() { state A, B; init A;
      trans A -> B { guard x >= n; }; } process V() { state A { x <= 2 }, B; init A; trans A -> B { assign n = 3; }; }
      system P, V;", "E<> P.B && x < 4", true, false),
    ("clocks by a quantifier", "clock c[3]; process P() { state A, B; init A;
      trans A -> A { select k : int[0,2]; assign c[k] = 0; }, A -> B { guard forall (j : int[0,2]) c[j] >= j + 1; }; } system P;",
      "E<> P.B && c[2] < 3", false, false),
];

fn ask(model: &str, query: &str, search: &str) -> Answer {
    let loaded = load_bytes("m.xta", model.as_bytes(), &[]);
    let mut sources = loaded.sources;
    let parsed = loaded.model.unwrap_or_else(|| panic!("{:?}\n{model}", loaded.diagnostics));
    let written = query_text(&mut sources, "query", query);
    let queries = [parsed.query(&written)];
    let options =
        Options { search: search.parse().expect("a search"), walks: Some(300), threads: Some(2), ..Options::default() };
    let mut report = check("m.xta", &sources, &queries, &options, &mut Watch::none(), &mut |_| {});
    report.results.remove(0)
}

#[test]
fn what_breaks_an_assumption_late_is_seen_by_every_engine() {
    let made = [
        ("int r = 2;", "r", ""),
        ("int r = 1;", "r", "A -> A { assign r = 3; },"),
        ("const int R[2] = {1, 2}; int i;", "R[i]", "A -> A { assign i = 1; },"),
        ("int r; int f() { return r + 1; }", "f()", "A -> A { guard r < 2; assign r = r + 1; },"),
        ("int r = 2; int twice(int a) { return 2 * a; }", "twice(r - 1)", ""),
        ("bool b; ", "(b ? 2 : 1)", "A -> A { assign b = true; },"),
    ];
    let made = made.map(|(before, rate, more)| overtaking(before, rate, more));
    let rows = ROWS.iter().map(|(_, model, query, truth, beyond)| (*model, *query, *truth, *beyond));
    let rows = rows.chain(made.iter().map(|model| (model.as_str(), "E<> P.B", true, true)));
    for (model, query, truth, beyond) in rows {
        let mut known = 0;
        for search in SEARCHES {
            let answer = ask(model, query, search);
            let about = || format!("{search} says {:?} {:?}: {query}\n{model}", answer.verdict, answer.reason);
            assert!(!answer.internal, "{}", about());
            match answer.verdict {
                Verdict::Satisfied => assert!(truth, "{}", about()),
                Verdict::Violated => assert!(!truth, "{}", about()),
                Verdict::Unknown => continue,
                Verdict::Error => panic!("{}", about()),
            }
            known += 1;
        }
        // Where zones cannot follow, a walk has a run, and the default finds it. The replay knows no clock that runs backwards.
        assert!(known > 0 || beyond && (!truth || model.contains("-1")), "nobody knows {query}\n{model}");
    }
}
