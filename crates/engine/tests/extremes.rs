//! The values of `sup`, `inf` and `bounds` on clocks, also far from the constants of the model and where there is no bound.

use engine::check::check;
use engine::limits::Watch;
use engine::model::load::{load_bytes, query_text};
use engine::options::Options;
use engine::report::{Answer, Verdict};

/// A period between 4000 and 5000, and the time since the start.
const PERIODIC: &str = "clock x, t;
process P() {
  state A { x <= 5000 };
  init A;
  trans A -> A { guard x >= 4000; assign x = 0; };
}
system P;";

/// Forty rounds of 4 to 5, then time passes without bound, or stops.
const ROUNDS: &str = "clock x, t;
int[0,40] n;
process P() {
  state A { x <= 5 }, B, C { x <= 0 };
  init A;
  trans A -> A { guard x >= 4 && n < 40; assign x = 0, n = n + 1; },
        A -> B { guard x < 1 && n == 40; },
        A -> C { guard n == 40 && x > 2; assign x = 0; };
}
system P;";

/// One stopwatch that runs in every other phase of two time units.
const STOPPED: &str = "clock x, s, t;
process P() {
  state A { x <= 2 }, B { x <= 2 && s' == 0 }, C { x <= 2 }, D { t' == 0 && s' == 0 };
  init A;
  trans A -> B { guard x == 2; assign x = 0; }, B -> C { guard x == 2; assign x = 0; }, C -> D { guard x > 1; };
}
system P;";

/// The first lap from A to B and back looks as if x had grown: it began with 0, and was set to 0 at once.
const SET_EACH_ROUND: &str = "clock x, y;
process P() {
  state A { y <= 0 }, B { y <= 5 }, C { y <= 100 };
  init A;
  trans A -> B { assign x = 0; }, B -> A { guard y == 5; assign y = 0; }, A -> C { };
}
system P;";

/// As above, but w is set to what z was set to in the round before.
const COPIED: &str = "clock x, y, z, w;
process P() {
  state A { y <= 0 }, B { y <= 5 }, C { y <= 100 };
  init A;
  trans A -> B { assign w = z, z = x, x = 0; }, B -> A { guard y == 5; assign y = 0; }, A -> C { };
}
system P;";

/// Seen in C at 2, between 4 and 6, and from 8 to 9.
const GAPS: &str = "clock x;
process P() {
  state A { x <= 9 }, C, D { x <= 9 };
  commit C;
  init A;
  trans A -> C { guard x == 2; }, A -> C { guard x > 4 && x < 6; }, A -> C { guard x >= 8; }, C -> D { };
}
system P;";

/// In C at 5, 10, 15 and so on; in D from 7, 12, 17 on for ever.
const TICKS: &str = "clock x, t;
process P() {
  state A { x <= 5 }, C, D;
  commit C;
  init A;
  trans A -> C { guard x == 5; }, C -> A { assign x = 0; }, A -> D { guard x == 2 && t > 5; };
}
system P;";

/// Each of three clocks is looked at for one time unit in turn, and set at the end of it.
const TURNS: &str = "clock x[3], y;
int[0,2] i;
int[0,7] j;
process P() {
  state A { y <= 1 };
  init A;
  trans A -> A { guard y == 1; assign y = 0, x[i] = 0, i = (i + 1) % 3; }, A -> A { guard j == 6; assign j = 7; };
}
system P;";

/// A set of processes, a process with an argument, and one by a partial instantiation.
const PROCESSES: &str = "const int N = 3;
clock x[N];
int[0,N - 1] last;
process Train(const int[0,N - 1] id) {
  clock c;
  state A { c <= 3 + id };
  init A;
  trans A -> A { guard c >= 1; assign c = 0, x[id] = 0, last = id; };
}
process Other(const int limit, clock &mine) {
  clock c;
  state A { c <= limit && mine <= 2 * limit };
  init A;
  trans A -> A { guard c >= limit; assign c = 0, mine = 0; };
}
clock shared;
One = Other(7, shared);
system Train, One;";

const ROWS: &[(&str, &str, Verdict, Option<&str>)] = &[
    (PERIODIC, "sup: x", Verdict::Satisfied, Some("5000")),
    (PERIODIC, "inf: x", Verdict::Satisfied, Some("0")),
    (PERIODIC, "bounds: x", Verdict::Satisfied, Some("0 .. 5000")),
    (PERIODIC, "sup: t", Verdict::Satisfied, Some("inf")),
    (PERIODIC, "sup: x, t", Verdict::Satisfied, Some("5000, inf")),
    (PERIODIC, "bounds: t", Verdict::Satisfied, Some("0 .. inf")),
    (PERIODIC, "sup{t <= 9000}: t", Verdict::Satisfied, Some("9000")),
    (PERIODIC, "sup{x < 7}: t", Verdict::Satisfied, Some("inf")),
    (PERIODIC, "inf{x >= 4500}: t", Verdict::Satisfied, Some("4500")),
    (PERIODIC, "inf{t > 20000}: t", Verdict::Satisfied, Some("> 20000")),
    (PERIODIC, "inf{x > t}: t", Verdict::Satisfied, Some("no state")),
    (ROUNDS, "sup{P.A}: t", Verdict::Satisfied, Some("205")),
    (ROUNDS, "sup: t", Verdict::Satisfied, Some("inf")),
    (ROUNDS, "sup{P.C}: t", Verdict::Satisfied, Some("205")),
    (ROUNDS, "inf{P.B}: t", Verdict::Satisfied, Some("160")),
    (ROUNDS, "inf{P.C}: t", Verdict::Satisfied, Some("> 162")),
    (ROUNDS, "bounds{P.C}: t", Verdict::Satisfied, Some("> 162 .. 205")),
    (ROUNDS, "inf{n == 37}: t", Verdict::Satisfied, Some("148")),
    (STOPPED, "sup: s", Verdict::Satisfied, Some("4")),
    (STOPPED, "inf{P.C}: s", Verdict::Satisfied, Some("2")),
    (STOPPED, "sup: t", Verdict::Satisfied, Some("6")),
    (SET_EACH_ROUND, "sup: x", Verdict::Satisfied, Some("105")),
    (SET_EACH_ROUND, "bounds: x", Verdict::Satisfied, Some("0 .. 105")),
    (SET_EACH_ROUND, "sup{P.C}: x", Verdict::Satisfied, Some("105")),
    (COPIED, "sup{P.C}: w", Verdict::Satisfied, Some("115")),
    (GAPS, "bounds{P.C}: x", Verdict::Satisfied, Some("2, > 4 .. < 6, 8 .. 9")),
    (GAPS, "bounds{P.C && x != 2 && x < 9}: x", Verdict::Satisfied, Some("> 4 .. < 6, 8 .. < 9")),
    (GAPS, "bounds{P.C || x <= 1}: x, P.C", Verdict::Satisfied, Some("0 .. 1, 2, > 4 .. < 6, 8 .. 9; 0..1")),
    (GAPS, "bounds{x > 9}: x", Verdict::Satisfied, Some("no state")),
    (TICKS, "sup{P.C}: t", Verdict::Satisfied, Some("inf")),
    (TICKS, "bounds: t", Verdict::Satisfied, Some("0 .. inf")),
    (TICKS, "bounds{P.D}: t", Verdict::Satisfied, Some("7 .. inf")),
    (TICKS, "bounds{P.C && t < 23}: t", Verdict::Satisfied, Some("5, 10, 15, 20")),
    (TICKS, "bounds{P.C && t <= 5 || P.D && t > 8}: t", Verdict::Satisfied, Some("5, > 8 .. inf")),
    // No finite list of intervals is the answer.
    (TICKS, "bounds{P.C}: t", Verdict::Unknown, None),
    (TURNS, "sup: x[i]", Verdict::Satisfied, Some("3")),
    (TURNS, "inf{i == 2}: x[i]", Verdict::Satisfied, Some("2")),
    (TURNS, "bounds{i == 1}: x[i]", Verdict::Satisfied, Some("1 .. 3")),
    (TURNS, "sup: x[(i + 1) % 3]", Verdict::Satisfied, Some("2")),
    (TURNS, "sup: x[2], x[i]", Verdict::Satisfied, Some("3, 3")),
    (TURNS, "sup: x[j]", Verdict::Satisfied, Some("3")),
    (PROCESSES, "sup: Train(0).c, Train(1).c, Train(2).c", Verdict::Satisfied, Some("3, 4, 5")),
    (PROCESSES, "sup: Train(N - 1).c", Verdict::Satisfied, Some("5")),
    (PROCESSES, "sup: One.c, shared", Verdict::Satisfied, Some("7, 7")),
    (PROCESSES, "sup: x[N - 2]", Verdict::Satisfied, Some("4")),
    (PROCESSES, "sup: Train(last).c", Verdict::Satisfied, Some("3")),
    (PROCESSES, "bounds{last == 1 && x[2] < 1}: Train(last).c", Verdict::Satisfied, Some("0 .. < 1")),
    (PROCESSES, "bounds{Train(1).c >= 2}: Train(1).c", Verdict::Satisfied, Some("2 .. 4")),
    // Not attained: no run shows it.
    (STOPPED, "inf{P.D}: s", Verdict::Unknown, Some("> 3")),
];

fn asked(model: &str, query: &str, search: &str) -> Answer {
    let loaded = load_bytes("m.xta", model.as_bytes(), &[]);
    let mut sources = loaded.sources;
    let parsed = loaded.model.unwrap_or_else(|| panic!("{:?}\n{model}", loaded.diagnostics));
    let written = query_text(&mut sources, "query", query);
    let queries = [parsed.query(&written)];
    let options = Options { search: search.parse().expect("a search"), ..Options::default() };
    let report = check("m.xta", &sources, &queries, &options, &mut Watch::none(), &mut |_| {});
    report.results.into_iter().next().unwrap_or_else(|| panic!("no answer to {query}"))
}

#[test]
fn extreme_values_are_exact() {
    for (model, query, verdict, value) in ROWS {
        for search in ["auto", "bfs", "dfs"] {
            let answer = asked(model, query, search);
            let found = (answer.verdict, answer.value.as_deref());
            assert_eq!(found, (*verdict, *value), "{search} {query}: {:?}\n{model}", answer.reason);
        }
    }
}

/// What the values beyond a constant are is said not to be known, and what is known.
#[test]
fn a_list_without_end_is_told_as_far_as_it_is_known() {
    let answer = asked(TICKS, "bounds{P.C}: t", "auto");
    let reason = answer.reason.unwrap_or_default();
    assert!(reason.contains("grows without end") && reason.contains("5, 10, 15, 20, 25"), "{reason}");
}

/// An index that is out of range where the predicate holds is an error of the query.
#[test]
fn a_clock_that_is_not_there() {
    let text = TURNS.replace("int[0,7] j;", "int[0,7] j = 6;");
    for query in ["sup: x[j]", "bounds: x[j - 4]"] {
        let answer = asked(&text, query, "auto");
        assert_eq!(answer.verdict, Verdict::Error, "{query}: {:?} {:?}", answer.value, answer.reason);
    }
    assert_eq!(asked(&text, "sup{j < 3}: x[j]", "auto").value.as_deref(), Some("no state"));
}

/// Tables of results write `x[0..2]`; UPPAAL reads a list of single expressions only.
#[test]
fn a_range_of_indices_is_refused_with_what_to_write() {
    let loaded = load_bytes("m.xta", TURNS.as_bytes(), &[]);
    let mut sources = loaded.sources;
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let query = model.query(&query_text(&mut sources, "query", "sup: x[0..2], y"));
    let help: Vec<_> = query.diagnostics.iter().flat_map(|one| &one.notes).map(|note| note.text.as_str()).collect();
    assert_eq!(help, ["there are no ranges of indices; write each one by itself: `x[0], x[1], x[2]`"]);
}
