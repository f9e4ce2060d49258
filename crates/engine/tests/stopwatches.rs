//! Stopwatches: zones over-approximate them, and exact times along a path tell what is real.

use engine::check::check;
use engine::limits::Watch;
use engine::model::load::{load_bytes, query_text};
use engine::options::{Options, Preference};
use engine::report::{Answer, Verdict};

fn ask(model: &str, query: &str, options: &Options) -> Answer {
    let loaded = load_bytes("m.xta", model.as_bytes(), &[]);
    let mut sources = loaded.sources;
    let parsed = loaded.model.unwrap_or_else(|| panic!("{:?}\n{model}", loaded.diagnostics));
    let written = query_text(&mut sources, "query", query);
    let queries = [parsed.query(&written)];
    let mut report = check("m.xta", &sources, &queries, options, &mut Watch::none(), &mut |_| {});
    let answer = report.results.remove(0);
    assert!(!answer.internal, "{query}: {:?}\n{model}", answer.reason);
    answer
}

/// Two stopwatches of which one runs at a time, so that `t == a + b`. Zones forget this after the second change.
const TURNS: &str = "clock a, b, t;
process P() {
  state A { b' == 0 && a <= 2 }, B { a' == 0 && b <= 2 };
  init A;
  trans A -> B { }, B -> A { };
}
system P;";

/// The same with the number of changes.
const COUNTED: &str = "clock a, b, t;
int[0,5] n;
process P() {
  state A { b' == 0 && a <= 2 }, B { a' == 0 && b <= 2 };
  init A;
  trans A -> B { guard n < 5; assign n = n + 1; }, B -> A { guard n < 5; assign n = n + 1; };
}
system P;";

/// The same in slices of one time unit at most: long shares need many changes.
const SLICES: &str = "clock a, b, t, x;
process P() {
  state A { b' == 0 && x <= 1 }, B { a' == 0 && x <= 1 }, C;
  init A;
  trans A -> B { assign x = 0; }, B -> A { assign x = 0; }, B -> C { guard a >= 3 && b >= 3 && t <= 6; };
}
system P;";

/// A job of 6 that another one of 2 interrupts, at most every 5.
const PREEMPTED: &str = "clock t, c, h, j;
process High() {
  state Idle, Busy { j <= 2 && c' == 0 };
  init Idle;
  trans Idle -> Busy { guard h >= 5; assign h = 0, j = 0; }, Busy -> Idle { guard j >= 2; };
}
process Low() {
  state Run { c <= 6 }, Done;
  init Run;
  trans Run -> Done { guard c >= 6; };
}
system High, Low;";

/// Three stretches of which each two must last 1 together: the earliest end is no integer.
const HALVES: &str = "clock p, q, r, t;
process P() {
  state A { q' == 0 }, B { r' == 0 }, C { p' == 0 }, D { t' == 0 && p' == 0 && q' == 0 && r' == 0 };
  init A;
  trans A -> B { }, B -> C { }, C -> D { guard p >= 1 && q >= 1 && r >= 1; };
}
system P;";

/// The clock is stopped from the start; an update lowers it too far if it ever ran for longer than 1.
const ERRORS: &str = "clock s, x;
int[0,1] v = 0;
process P() {
  state A { x <= 1 }, B { s' == 0 && x <= 1 }, C { x <= 1 }, D;
  init A;
  trans A -> B { assign x = 0; }, B -> C { assign x = 0; }, C -> D { guard s > 1; assign v = v + 2; };
}
system P;";

const ANSWERS: &[(&str, &str, Verdict)] = &[
    (TURNS, "E<> P.A && t >= 4 && a <= 2 && b <= 2", Verdict::Satisfied),
    (TURNS, "E<> t > 3 && a < 2 && b < 2", Verdict::Satisfied),
    // Only the over-approximation has these.
    (TURNS, "E<> t > 4", Verdict::Unknown),
    (TURNS, "A[] t <= 4", Verdict::Unknown),
    (TURNS, "E<> a > 2", Verdict::Violated),
    (SLICES, "E<> P.C", Verdict::Satisfied),
    (SLICES, "E<> P.C && t < 6", Verdict::Unknown),
    (PREEMPTED, "E<> Low.Done && c < 6", Verdict::Violated),
    (PREEMPTED, "E<> Low.Done && High.Idle && t >= 8", Verdict::Satisfied),
    (PREEMPTED, "E<> Low.Run && t > 7 && c > 4", Verdict::Satisfied),
    (HALVES, "E<> P.D", Verdict::Satisfied),
    (HALVES, "E<> P.D && t < 2", Verdict::Satisfied),
    (HALVES, "E<> P.D && t <= 1", Verdict::Unknown),
    (ERRORS, "E<> P.D", Verdict::Error),
];

#[test]
fn paths_that_are_real_are_told_from_those_that_are_not() {
    for (model, query, verdict) in ANSWERS {
        for search in ["auto", "bfs", "dfs", "drs"] {
            let options = Options { search: search.parse().expect("a search"), ..Options::default() };
            let answer = ask(model, query, &options);
            assert_eq!(answer.verdict, *verdict, "{search} {query}: {:?}\n{model}", answer.reason);
        }
    }
}

#[test]
fn shortest_and_fastest_runs_say_what_is_not_known() {
    let fastest = Options { preference: Preference::Fastest, ..Options::default() };
    let shortest = Options { preference: Preference::Shortest, ..Options::default() };
    let steps = |answer: &Answer| answer.trace.as_ref().map(|trace| trace.steps.len());
    // (model, query, least time, steps of the shortest run, whether each is known)
    let rows = [
        (SLICES, "E<> P.C", None, 6, true),
        (COUNTED, "E<> t > 4 || n == 5", Some("0"), 5, false),
        (PREEMPTED, "E<> Low.Done", Some("6"), 1, true),
        (PREEMPTED, "E<> Low.Run && t > 7", Some("> 7"), 1, true),
        (HALVES, "E<> P.D", None, 3, true),
    ];
    for (model, query, least, fewest, is_shortest) in rows {
        let answer = ask(model, query, &fastest);
        assert_eq!(answer.verdict, Verdict::Satisfied, "{query}");
        assert_eq!(answer.value.as_deref(), least, "{query}: {:?}", answer.reason);
        assert_eq!(answer.reason.is_none(), least.is_some(), "{query}: {:?}", answer.reason);
        let answer = ask(model, query, &shortest);
        assert_eq!((answer.verdict, steps(&answer)), (Verdict::Satisfied, Some(fewest)), "{query}");
        assert_eq!(answer.reason.is_none(), is_shortest, "{query}: {:?}", answer.reason);
    }
}

/// The earliest end of all is 3/2: each of three stretches lasts 1/2.
#[test]
fn times_are_exact() {
    let answer = ask(HALVES, "E<> P.D", &Options::default());
    let trace = answer.trace.unwrap();
    let delays: Vec<&str> = trace.steps.iter().map(|step| step.delay.as_str()).collect();
    assert_eq!(delays, ["1/2", "1/2", "1/2"]);
}
