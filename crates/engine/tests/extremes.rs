//! The values of `sup`, `inf` and `bounds` on clocks, also far from the constants of the model and where there is no bound.

use engine::check::check;
use engine::limits::Watch;
use engine::model::load::{load_bytes, query_text};
use engine::options::Options;
use engine::report::Verdict;

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
    // Not attained: no run shows it.
    (STOPPED, "inf{P.D}: s", Verdict::Unknown, Some("> 3")),
];

#[test]
fn extreme_values_are_exact() {
    for (model, query, verdict, value) in ROWS {
        for search in ["auto", "bfs", "dfs"] {
            let loaded = load_bytes("m.xta", model.as_bytes(), &[]);
            let mut sources = loaded.sources;
            let mut parsed = loaded.model.unwrap_or_else(|| panic!("{:?}\n{model}", loaded.diagnostics));
            let written = query_text(&mut sources, "query", query);
            let queries = [parsed.query(&written)];
            let options = Options { search: search.to_owned(), ..Options::default() };
            let report = check("m.xta", &sources, &parsed, &queries, &options, &mut Watch::none(), &mut |_| {});
            let answer = &report.results[0];
            let found = (answer.verdict, answer.value.as_deref());
            assert_eq!(found, (*verdict, *value), "{search} {query}: {:?}\n{model}", answer.reason);
        }
    }
}
