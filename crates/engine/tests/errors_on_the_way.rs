//! The rule for errors of the model, for all searches alike: what is reachable is told, and an error that was met on the way is
//! told beside it, not instead of it.

use engine::check::check;
use engine::limits::Watch;
use engine::model::load::{load_bytes, query_text};
use engine::options::Options;
use engine::report::{Answer, Evidence, Verdict};

/// Searches that find states, and whether each is exhaustive.
const SEARCHES: &[(&str, bool)] = &[
    ("auto", true),
    ("bfs", true),
    ("dfs", true),
    ("rdfs", true),
    ("rank", true),
    ("dive", true),
    ("drs", true),
    ("gbfs", true),
    ("astar", true),
    ("ut", true),
    ("ua", true),
    ("highway", false),
    ("random", false),
    ("ret", false),
    ("rcf", false),
    ("rlc", false),
    ("sem", false),
];

/// The error lies right at the start, and on the other way the goal.
const FORK: &str = "int a[3]; int i; int r;
process P() { state A, B, C, D; init A;
  trans A -> B { guard a[i + 5] > 0; }, A -> C { }, C -> D { assign r = 1; }; }
process Q() { state A, B; init A; trans A -> B { assign i = 7; }, A -> B { assign i = 0; }; }
system P, Q;";

/// An update fails, an invariant fails, a channel fails, a receiver fails: each beside a way that does not need it.
const KINDS: &str = "int[0,3] n; int z; chan c[2]; broadcast chan b; clock x;
process P() { state A, Bad { x <= 5 / z }, C, D; init A;
  trans A -> A { guard n < 3; assign n = n + 1; }, A -> A { guard n == 3; assign n = n + 1; }, A -> Bad { guard n == 2; },
        A -> C { guard n == 1; sync c[n + 1]!; }, A -> C { guard n == 3; }, C -> D { guard x >= 2; }; }
process S() { state A, B; init A; trans A -> B { guard n == 2; sync b!; }; }
process R() { state A; init A; trans A -> A { guard 1 / z > 0; sync b?; }; }
system P, S, R;";

/// The goal itself cannot be evaluated in some states.
const GOAL: &str = "int a[3]; int[0,4] i;
process P() { state A; init A; trans A -> A { guard i < 4; assign i = i + 1; }, A -> A { guard i > 3; assign i = 0, a[2] = 9; }; }
system P;";

fn ask(model: &str, query: &str, options: &Options) -> Answer {
    let loaded = load_bytes("m.xta", model.as_bytes(), &[]);
    let mut sources = loaded.sources;
    let parsed = loaded.model.unwrap_or_else(|| panic!("{:?}\n{model}", loaded.diagnostics));
    let written = query_text(&mut sources, "query", query);
    let queries = [parsed.query(&written)];
    let mut report = check("m.xta", &sources, &queries, options, &mut Watch::none(), &mut |_| {});
    report.results.remove(0)
}

fn options(search: &str, seed: u64) -> Options {
    Options {
        search: search.parse().expect("a search"),
        seed,
        walks: Some(300),
        threads: Some(2),
        ..Options::default()
    }
}

#[test]
fn every_search_goes_on_past_an_error() {
    let rows = [
        (FORK, "E<> P.D", Verdict::Satisfied),
        (FORK, "A[] r == 0", Verdict::Violated),
        (KINDS, "E<> P.D", Verdict::Satisfied),
        (KINDS, "E<> P.D && S.A && x < 3", Verdict::Satisfied),
        (GOAL, "E<> a[i] == 9", Verdict::Satisfied),
    ];
    for (model, query, expected) in rows {
        for (search, is_exhaustive) in SEARCHES {
            for seed in 1..=5 {
                let answer = ask(model, query, &options(search, seed));
                let about = format!("{search} {seed} {query}: {:?}", answer.reason);
                // Walks and simulations may go another way; none says something else, and the usual ones find it.
                if !is_exhaustive && *search != "ret" && answer.verdict != expected {
                    assert!(matches!(answer.verdict, Verdict::Error | Verdict::Unknown), "{about}");
                    continue;
                }
                assert_eq!(answer.verdict, expected, "{about}");
                assert_eq!(answer.evidence, Evidence::Witness, "{about}");
            }
        }
    }
}

#[test]
fn nothing_is_proved_where_an_error_was_met() {
    let rows =
        [(FORK, "E<> P.B"), (FORK, "A[] r < 2"), (KINDS, "E<> P.Bad"), (KINDS, "A[] n >= 0"), (GOAL, "A[] a[i] < 10")];
    for (model, query) in rows {
        for (search, is_exhaustive) in SEARCHES {
            for seed in 1..=3 {
                let answer = ask(model, query, &options(search, seed));
                let about = format!("{search} {seed} {query}: {:?} {:?}", answer.verdict, answer.reason);
                let is_honest = matches!(answer.verdict, Verdict::Error | Verdict::Unknown);
                assert!(is_honest && (answer.verdict == Verdict::Error || !is_exhaustive), "{about}");
                if answer.verdict == Verdict::Error {
                    assert!(answer.place.is_some() && answer.trace.is_some(), "{about}: no run to the error");
                }
            }
        }
    }
}

#[test]
fn an_error_beside_an_answer_is_told_with_its_place() {
    // Breadth first sees the error before the goal.
    let answer = ask(FORK, "E<> P.D", &options("bfs", 1));
    let beside = answer.model_error.expect("the error is told");
    assert!(beside.reason.contains("index"), "{}", beside.reason);
    assert_eq!(beside.place.line, 3);
    assert!(answer.trace.is_some(), "the run is that of the answer");
}

#[test]
fn infinite_runs_and_extreme_values_follow_the_rule() {
    for search in ["bfs", "drs"] {
        for (query, expected) in [
            ("A<> P.D", Verdict::Violated),
            ("E[] not P.B", Verdict::Satisfied),
            ("P.C --> P.D", Verdict::Violated),
            ("E[] P.A && Q.A", Verdict::Satisfied),
            ("P.D --> P.C", Verdict::Violated),
            ("P.D --> r == 1", Verdict::Error),
        ] {
            let answer = ask(FORK, query, &options(search, 1));
            assert_eq!(answer.verdict, expected, "{search} {query}: {:?}", answer.reason);
        }
    }
    assert_eq!(ask(FORK, "sup: r", &options("bfs", 1)).verdict, Verdict::Error);
    assert_eq!(ask(GOAL, "sup: a[i]", &options("bfs", 1)).verdict, Verdict::Error);
}
