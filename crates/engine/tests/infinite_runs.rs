//! Queries about infinite runs on small models, each answer found by hand: `E[]`, `A<>`, `-->` and `buchi:` with predicates over
//! clocks, strict and weak bounds, moments, deadlocks, time that stops, urgency and Zeno cycles.
//!
//! A verdict that a run decides must come with that run, replayed; where no run repeats itself the row says so.

use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::report::{Evidence, Verdict};
use model::load::{Loaded, load_bytes, query_text};

/// Whether a run is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Run {
    Shown,
    /// There is one, and none whose times repeat.
    NeverRepeats,
    None,
}

const REPEATS_NOTHING: (Verdict, Run) = (Verdict::Satisfied, Run::NeverRepeats);
const YES: (Verdict, Run) = (Verdict::Satisfied, Run::Shown);
const NO: (Verdict, Run) = (Verdict::Violated, Run::Shown);
/// Satisfied or violated because there is no run of the kind.
const NO_RUN_YES: (Verdict, Run) = (Verdict::Satisfied, Run::None);
const NO_RUN_NO: (Verdict, Run) = (Verdict::Violated, Run::None);

type Row = (&'static str, (Verdict, Run));

fn examine(model: &str, rows: &[Row]) {
    let Loaded { mut sources, diagnostics, model: loaded } = load_bytes("model.xta", model.as_bytes(), &[]);
    let loaded = loaded.unwrap_or_else(|| panic!("{diagnostics:?}\n{model}"));
    let queries: Vec<_> = rows.iter().map(|(query, _)| loaded.query(&query_text(&mut sources, "q", query))).collect();
    let options = Options::default();
    let report = check("model", &sources, &queries, &options, &mut Watch::none(), &mut |_| ());
    for (answer, (query, (verdict, run))) in report.results.iter().zip(rows) {
        let shown = match (answer.evidence, answer.trace.is_some(), run) {
            (Evidence::Witness, true, _) => Run::Shown,
            (_, _, Run::NeverRepeats) => Run::NeverRepeats,
            _ => Run::None,
        };
        let said = (answer.verdict, shown);
        assert_eq!(said, (*verdict, *run), "{query}: {:?} {:?}\n{model}", answer.reason, answer.evidence);
    }
    // Deep random walks come to the same verdicts, perhaps by another run.
    for seed in 1..=3 {
        let options = Options { search: "drs".parse().expect("a search"), seed, ..Options::default() };
        let report = check("model", &sources, &queries, &options, &mut Watch::none(), &mut |_| ());
        for (answer, (query, (verdict, _))) in report.results.iter().zip(rows) {
            assert_eq!(answer.verdict, *verdict, "{query} by drs: {:?}\n{model}", answer.reason);
            assert!(!answer.internal, "{query} by drs: {:?}", answer.reason);
        }
    }
}

/// A process `P` with one clock `x`.
fn one(states: &str, trans: &str) -> String {
    let trans = if trans.is_empty() { String::new() } else { format!("trans {trans};") };
    format!("clock x;\nprocess P() {{ state {states} {trans} }}\nsystem P;\n")
}

#[test]
fn idling_for_ever() {
    let model = one("a; init a;", "");
    examine(
        &model,
        &[
            ("E[] true", YES),
            ("E[] x >= 0", YES),
            ("E[] x < 5", NO_RUN_NO),
            ("E[] (x < 5 || x >= 5)", YES),
            ("E[] (x <= 5 || x > 5)", YES),
            // One moment is missing, or an open stretch.
            ("E[] (x < 5 || x > 5)", NO_RUN_NO),
            ("E[] x != 5", NO_RUN_NO),
            ("E[] (x <= 5 || x >= 6)", NO_RUN_NO),
            ("A<> x > 5", NO_RUN_YES),
            ("A<> x == 5", NO_RUN_YES),
            ("A<> (x > 5 && x < 6)", NO_RUN_YES),
            ("A<> x < 0", NO),
            ("A<> (x > 5 && x < 5)", NO),
            // Three cases one after the other, the middle one a moment.
            ("E[] (x < 3 || x == 3 || x > 3)", YES),
            ("E[] (x < 3 || x == 3 || x > 4)", NO_RUN_NO),
            // Cases that overlap.
            ("E[] (x < 4 || x > 2)", YES),
            ("E[] (x <= 1 || x >= 1 && x <= 7 || x > 6)", YES),
        ],
    );
}

#[test]
fn answers_while_idling() {
    let model = one("a; init a;", "");
    examine(
        &model,
        &[
            ("x == 3 --> x > 3", NO_RUN_YES),
            ("x == 3 --> x >= 3", NO_RUN_YES),
            ("x == 3 --> x < 3", NO),
            ("x >= 3 --> x == 5", NO),
            ("x <= 3 --> x == 5", NO_RUN_YES),
            // The answer comes in passing only.
            ("x < 3 --> (x > 4 && x < 5)", NO_RUN_YES),
            ("x < 5 --> (x > 4 && x < 5)", NO_RUN_YES),
            ("x <= 5 --> (x > 4 && x < 5)", NO),
            // Trigger and answer at the same moment.
            ("x == 3 --> x == 3", NO_RUN_YES),
            ("x <= 3 --> x <= 3", NO_RUN_YES),
            ("x < 3 --> x == 3", NO_RUN_YES),
            ("x <= 3 --> x < 3", NO),
            ("x < 0 --> false", NO_RUN_YES),
            ("true --> x > 100", NO_RUN_YES),
            ("x > 100 --> false", NO),
            ("(x == 1 || x == 7) --> x == 6", NO),
            ("(x == 1 || x == 5) --> x == 6", NO_RUN_YES),
        ],
    );
}

#[test]
fn time_that_stops() {
    // Nothing is possible at the end of the invariant.
    let weak = one("a { x <= 5 }; init a;", "");
    examine(
        &weak,
        &[
            ("E[] true", YES),
            ("E[] x <= 5", YES),
            ("E[] x < 5", NO_RUN_NO),
            ("A<> x == 5", NO_RUN_YES),
            ("A<> x > 5", NO),
            ("A<> x >= 4", NO_RUN_YES),
            ("x == 2 --> x == 5", NO_RUN_YES),
            ("x == 2 --> x > 5", NO),
        ],
    );
    // The end is not reached.
    let strict = one("a { x < 5 }; init a;", "");
    examine(
        &strict,
        &[
            ("E[] x < 5", YES),
            ("E[] x < 4", NO_RUN_NO),
            ("A<> x == 5", NO),
            ("A<> x > 4", NO_RUN_YES),
            ("x > 4 --> x == 5", NO),
            ("x >= 0 --> x > 4", NO_RUN_YES),
        ],
    );
    // The way on is only open for a while: after it the run is stuck.
    let missed = one("a { x <= 5 }, b; init a;", "a -> b { guard x <= 2; }");
    examine(
        &missed,
        &[
            ("A<> P.b", NO),
            ("E[] P.a", YES),
            ("E[] (P.a && x <= 2)", NO_RUN_NO),
            ("E[] (P.b || x <= 2)", YES),
            ("x > 2 --> P.b", NO),
            ("A<> (P.b || x > 2)", NO_RUN_YES),
            ("A<> (P.b || x > 3)", NO_RUN_YES),
            ("A<> (P.b || x >= 5)", NO_RUN_YES),
        ],
    );
    // No invariant and a guard that is over: idling and a deadlock.
    let over = one("a, b; init a;", "a -> b { guard x <= 2; }");
    examine(&over, &[("A<> P.b", NO), ("x > 3 --> P.b", NO), ("A<> (P.b || x > 1)", NO_RUN_YES)]);
}

#[test]
fn steps_that_must_come() {
    let model = one(
        "a { x <= 5 }, b; init a;",
        "a -> b { guard x >= 3; assign x = 0; }, b -> b { guard x > 1; assign x = 0; }",
    );
    examine(
        &model,
        &[
            ("A<> P.b", NO_RUN_YES),
            ("A<> (P.a && x == 3)", NO_RUN_YES),
            ("A<> (P.a && x > 3)", NO),
            ("A<> (P.a && x == 4)", NO),
            ("A<> (P.b && x > 0)", NO_RUN_YES),
            ("A<> (P.b && x > 1)", NO_RUN_YES),
            ("A<> (P.b && x > 2)", NO),
            ("P.a --> P.b", NO_RUN_YES),
            ("P.b --> P.a", NO),
            ("(P.a && x > 3) --> (P.b && x == 1)", NO_RUN_YES),
            ("(P.a && x > 3) --> (P.b && x == 2)", NO),
            ("E[] (P.a || x <= 2)", YES),
            ("E[] (P.a || x <= 1)", NO_RUN_NO),
            // The cycle leaves x < 1 and comes back.
            ("E[] (P.a || x < 2)", YES),
            ("E[] (P.a || x < 1 || x > 1)", NO_RUN_NO),
        ],
    );
}

#[test]
fn predicates_in_cycles() {
    // The moments from which the cycle goes on are not those at which p holds.
    let model = one("a; init a;", "a -> a { guard x <= 2; assign x = 0; }");
    examine(
        &model,
        &[
            ("buchi: x > 2", NO_RUN_NO),
            ("buchi: x == 2", YES),
            ("buchi: (x > 1 && x < 2)", YES),
            ("buchi: x == 0", YES),
            ("buchi: P.a", YES),
            ("buchi: x != 0", YES),
            ("E[] x <= 2", YES),
            ("E[] x < 1", YES),
            ("E[] x == 0", YES),
            ("E[] x != 1", YES),
            ("E[] x > 0", NO_RUN_NO),
            ("x == 1 --> x == 0", NO),
            ("x == 1 --> x == 2", NO),
        ],
    );
    let forced = one("a { x <= 2 }; init a;", "a -> a { guard x == 2; assign x = 0; }");
    examine(
        &forced,
        &[
            ("x == 1 --> x == 0", NO_RUN_YES),
            ("x == 1 --> x == 2", NO_RUN_YES),
            ("x == 2 --> x == 1", NO_RUN_YES),
            ("x == 2 --> x == 2", NO_RUN_YES),
            ("x == 2 --> (x > 1 && x < 2)", NO_RUN_YES),
            ("x == 1 --> x > 2", NO),
            ("E[] x != 1", NO_RUN_NO),
            ("E[] x <= 2", YES),
            ("buchi: x == 1", YES),
            ("buchi: x > 2", NO_RUN_NO),
        ],
    );
}

#[test]
fn urgency() {
    let model =
        one("a, u, c; commit c; urgent u; init a;", "a -> u { guard x == 2; }, u -> c { }, c -> a { assign x = 0; }");
    examine(
        &model,
        &[
            ("A<> P.u", NO),
            ("P.u --> P.c", NO_RUN_YES),
            ("P.u --> x > 2", NO),
            ("P.u --> P.a", NO_RUN_YES),
            ("P.c --> x == 1", NO_RUN_YES),
            ("P.c --> x == 3", NO),
            ("x == 2 --> P.u", NO),
            ("E[] x <= 2", YES),
            ("E[] (x <= 2 && !P.c)", NO_RUN_NO),
            ("buchi: P.c", YES),
            ("buchi: (P.c && x < 2)", NO_RUN_NO),
        ],
    );
    // Time stops in an urgent location that has no way out.
    let stuck = one("a { x <= 1 }, u; urgent u; init a;", "a -> u { guard x == 1; }");
    examine(
        &stuck,
        &[
            ("A<> P.u", NO_RUN_YES),
            ("A<> x > 1", NO),
            ("P.u --> x > 1", NO),
            ("E[] x <= 1", YES),
            ("buchi: true", NO_RUN_NO),
        ],
    );
    let channels = "clock x; urgent chan go; broadcast chan tell;
process P() { state a, b; init a; trans a -> b { sync go!; }; }
process Q() { state a { x <= 3 }, b; init a; trans a -> b { guard x == 3; sync tell!; }, b -> b { sync go?; }; }
system P, Q;\n";
    examine(
        channels,
        &[
            ("A<> P.b", NO_RUN_YES),
            ("A<> (P.b && x == 3)", NO_RUN_YES),
            ("A<> (P.a && x > 3)", NO),
            ("Q.b --> x > 3", NO_RUN_YES),
            ("(Q.b && P.a) --> (P.b && x == 3)", NO_RUN_YES),
            ("Q.b --> (P.b && x == 3)", NO),
            ("E[] x <= 3", NO_RUN_NO),
        ],
    );
}

#[test]
fn zeno_cycles() {
    // Infinitely many steps in finite time are a run of `E[]`, and none of `buchi`.
    let zeno = "clock x, y; process P() { state a { y <= 1 }; init a; trans a -> a { assign x = 0; }; } system P;\n";
    examine(
        zeno,
        &[
            ("E[] y < 1", YES),
            ("E[] y == 0", YES),
            ("A<> y == 1", NO),
            ("y == 0 --> y == 1", NO),
            ("buchi: P.a", NO_RUN_NO),
            ("buchi: y < 1", NO_RUN_NO),
        ],
    );
    // One loop spends time and the other one does not; p is only on the one that does not.
    let mixed = "clock x, y; process P() { state a { y <= 1 }, b; init a;
trans a -> a { }, a -> b { }, b -> b { guard x >= 1; assign x = 0; }; } system P;\n";
    examine(mixed, &[("buchi: P.a", NO_RUN_NO), ("buchi: P.b", YES), ("buchi: (P.b && x == 0)", YES)]);
    // The cycle must take both loops for time to pass.
    let both = "clock x, y; process P() { state a, b { y <= 3 }; init a;
trans a -> b { guard x >= 2; assign x = 0; }, b -> b { }, b -> a { guard y >= 3; assign y = 0; }, a -> a { guard y <= 1; };
} system P;\n";
    examine(
        both,
        &[
            ("buchi: P.a", YES),
            ("buchi: (P.b && y == 0)", YES),
            ("buchi: (P.a && y > 3)", NO_RUN_NO),
            ("buchi: (P.b && y > 2)", YES),
        ],
    );
    // Time diverges, each wait half as long as allowed: no constant lower bound on the cycle.
    let positive = "clock x; process P() { state a; init a; trans a -> a { guard x > 0; assign x = 0; }; } system P;\n";
    examine(positive, &[("buchi: P.a", YES), ("E[] x < 1", YES)]);
    // Another process lets no time pass.
    let shut = "clock x; process P() { state a; init a; trans a -> a { }; } process Q() { state u; urgent u; init u; }
system P, Q;\n";
    examine(shut, &[("E[] P.a", YES), ("buchi: P.a", NO_RUN_NO)]);
}

#[test]
fn runs_that_never_repeat() {
    // y marks the whole time units; x is set once in each, every time a little earlier within its unit.
    let earlier = "clock x, y; process P() { state s, a { y <= 1 }, b { y <= 1 }; init s;
trans s -> a { guard y < 1 && y > 0; assign x = 0; },
      a -> b { guard y == 1; assign y = 0; },
      b -> a { guard x < 1 && y > 0; assign x = 0; };
} system P;\n";
    examine(
        earlier,
        &[("E[] (x < 1 || P.a)", REPEATS_NOTHING), ("buchi: P.b", REPEATS_NOTHING), ("buchi: x > 1", NO_RUN_NO)],
    );
    // With `x <= 1` every unit may be like the one before.
    let same = earlier.replace("x < 1 && y > 0; assign x = 0; };", "x <= 1 && y > 0; assign x = 0; };");
    examine(&same, &[("buchi: P.b", YES), ("buchi: (P.b && x == 1)", YES)]);
}

#[test]
fn differences_of_clocks() {
    let model = "clock x, y; process P() { state a, b { x <= 4 }; init a;
trans a -> b { guard x >= 1 && x <= 2; assign x = 0; }, b -> b { guard x == 4; assign x = 0; };
} system P;\n";
    examine(
        model,
        &[
            ("E[] y - x <= 2", YES),
            ("E[] (P.a && x <= 2 || P.b && y - x < 2)", NO_RUN_NO),
            ("E[] (P.a && x <= 2 || P.b && y - x != 1)", YES),
            ("E[] (P.a && x <= 2 || P.b && y - x < 5)", NO_RUN_NO),
            ("(P.b && y - x == 1) --> y - x == 5", NO_RUN_YES),
            ("(P.b && y - x == 1) --> y - x == 6", NO),
            ("(P.b && y - x < 2) --> (y - x > 5 && y - x < 6)", NO),
            ("(P.b && y - x < 2 && y - x > 1) --> (y - x > 5 && y - x < 6)", NO_RUN_YES),
        ],
    );
    // y - x grows without end while both are beyond every constant.
    let apart = "clock x, y; process P() { state a { x <= 1 }; init a; trans a -> a { guard x == 1; assign x = 0; }; }
system P;\n";
    examine(
        apart,
        &[
            ("A<> y - x == 7", NO_RUN_YES),
            ("A<> y - x > 7", NO_RUN_YES),
            ("buchi: y - x > 7", YES),
            ("buchi: y - x == 7", NO_RUN_NO),
            ("E[] y - x <= 7", NO_RUN_NO),
            ("y - x == 3 --> y - x == 2", NO),
        ],
    );
}

#[test]
fn priorities_and_lower_bounds_in_invariants() {
    // The better edge takes over at 2: after it the other one is never possible.
    let model = "clock x; chan lo, hi; chan priority lo < default < hi;
process P() { state a, b, c; init a; trans a -> b { sync lo!; }, a -> c { guard x >= 2; sync hi!; }; }
process Q() { state r; init r; trans r -> r { sync lo?; }, r -> r { sync hi?; }; }
system P, Q;\n";
    examine(
        model,
        &[
            ("(P.a && x >= 2) --> P.b", NO),
            ("E[] (P.a || P.c || x < 2)", YES),
            ("A<> (P.b || P.c)", NO),
            ("(P.b && x >= 2) --> P.c", NO),
            ("E[] (P.a && x < 2 || P.b)", YES),
        ],
    );
    let lower = one("a, b { x >= 1 }; init a;", "a -> b { }, b -> b { assign x = 1; }");
    examine(
        &lower,
        &[("A<> x >= 1", NO_RUN_YES), ("E[] x <= 1", YES), ("E[] x < 1", NO_RUN_NO), ("P.b --> x > 1", NO)],
    );
}
