//! Statistical queries from the outside: verdicts, numbers, refusals.

use engine::check::check;
use engine::limits::Watch;
use engine::model::load::{load_bytes, query_text};
use engine::options::Options;
use engine::report::{Answer, Evidence, Verdict};

const UNIFORM: &str = "clock x;
process P() { state A { x <= 10 }, B; init A; trans A -> B { }; }
system P;";

fn ask(model: &str, query: &str, options: &Options) -> Answer {
    let loaded = load_bytes("m.xta", model.as_bytes(), &[]);
    let mut sources = loaded.sources;
    let parsed = loaded.model.unwrap_or_else(|| panic!("{:?}\n{model}", loaded.diagnostics));
    let written = query_text(&mut sources, "query", query);
    let queries = [parsed.query(&written)];
    check("m.xta", &sources, &queries, options, &mut Watch::none(), &mut |_| {}).results.remove(0)
}

#[test]
fn verdicts() {
    use Verdict::{Satisfied, Unknown, Violated};
    let table = [
        ("Pr[<=4](<> P.B)", Satisfied),
        ("Pr[<=4;100](<> P.B)", Satisfied),
        ("Pr[<=4](<> P.B) >= 0.3", Satisfied),
        ("Pr[<=4](<> P.B) >= 0.5", Violated),
        ("Pr[<=4](<> P.B) <= 0.5", Satisfied),
        ("Pr[<=4](<> P.B) <= 0.3", Violated),
        ("Pr[<=4]([] P.A) >= 0.5", Satisfied),
        ("Pr[<=6](<> P.B) >= Pr[<=4](<> P.B)", Satisfied),
        ("Pr[<=4](<> P.B) >= Pr[<=6](<> P.B)", Violated),
        ("Pr[<=20](<> P.B) >= Pr[<=30](<> P.B)", Satisfied),
        ("E[<=5;100](max: x)", Satisfied),
        ("E[<=5](min: 2 * x + 1)", Satisfied),
        ("simulate [<=5] { x, P.B }", Satisfied),
        ("simulate [<=5;200] { x } : 3 : P.B && x < 2", Satisfied),
        ("simulate [<=5;20] { x } : x > 7", Unknown),
    ];
    for (query, verdict) in table {
        let answer = ask(UNIFORM, query, &Options::default());
        assert_eq!(answer.verdict, verdict, "{query}: {:?} {:?}", answer.value, answer.reason);
        assert_eq!(answer.evidence, Evidence::Statistical, "{query}");
        assert!(answer.statistics.is_some_and(|numbers| numbers.runs > 0), "{query}");
    }
}

#[test]
fn numbers_of_an_estimate() {
    let options = Options { seed: 7, ..Options::default() };
    let answer = ask(UNIFORM, "Pr[<=20;1000](<> P.B)", &options);
    let numbers = answer.statistics.expect("statistics");
    assert_eq!((numbers.runs, numbers.satisfied), (1000, Some(1000)));
    let histogram = numbers.histogram.expect("values");
    assert_eq!(histogram.counts.iter().sum::<u64>(), 1000);
    // Uniform on [0, 10]: mean 5, deviation 10 / sqrt(12).
    assert!((numbers.mean.expect("a mean") - 5.0).abs() < 0.5);
    assert!((numbers.deviation.expect("a deviation") - 2.887).abs() < 0.2);
    let last = numbers.cumulative.last().expect("a curve");
    assert!(last.share == 1.0 && last.from < 1.0 && last.at <= 10.0);
}

#[test]
fn an_expected_value_is_its_mean() {
    // The largest x before it is reset is uniform on [0, 10], and 3 more after that within the bound.
    let model = "clock x; process P() { state A { x <= 10 }, B { x' == 0 }; init A; trans A -> B { }; } system P;";
    let answer = ask(model, "E[<=50;2000](max: x)", &Options::default());
    let [lo, hi] = answer.statistics.and_then(|numbers| numbers.interval).expect("an interval");
    assert!(lo < 5.0 && 5.0 < hi && hi - lo < 0.3, "{lo} {hi}");
}

#[test]
fn answers_do_not_depend_on_threads() {
    for query in
        ["Pr[<=4](<> P.B)", "Pr[<=4](<> P.B) >= 0.42", "Pr[<=4](<> P.B) >= Pr[<=5](<> P.B)", "E[<=5;99](max: x)"]
    {
        let answers = [1, 2, 3].map(|threads| {
            let answer = ask(UNIFORM, query, &Options { threads: Some(threads), ..Options::default() });
            (answer.verdict, answer.value, answer.stats.walks, answer.stats.steps)
        });
        assert_eq!(answers[0], answers[1], "{query}");
        assert_eq!(answers[0], answers[2], "{query}");
    }
}

#[test]
fn unfit_models_are_refused_with_the_place() {
    let binary = "clock x;\nchan c;\nprocess P() { state A, B; init A; trans A -> B { sync c!; }; }\nsystem P;";
    let answer = ask(binary, "Pr[<=4](<> P.B)", &Options::default());
    assert!(answer.unsupported && answer.verdict == Verdict::Unknown);
    assert!(answer.reason.is_some_and(|reason| reason.contains("broadcast")));
    assert_eq!(answer.place.map(|place| (place.line, place.column)), Some((2, 6)));
}

#[test]
fn errors_of_the_model_have_their_place() {
    let table = [
        ("int[0,2] n = 0;", "assign n = n + 1;", "the value 3 is outside the range [0,2]"),
        ("int n = 1; int a[3];", "assign a[n] = 1, n = n + 1;", "the index 3 is outside the range [0,2]"),
        ("int n = 3; int m = 0;", "assign n = n - 1, m = 1 / n;", "a division by zero"),
        ("void f() { while (true) { } }", "assign f();", "does not come to an end"),
        ("double d = -1.0;", "assign d = random_weibull(d, d);", "not defined"),
    ];
    for (declarations, edge, message) in table {
        let model = format!("{declarations}\nprocess P() {{ state A; init A; trans A -> A {{ {edge} }}; }}\nsystem P;");
        let answer = ask(&model, "Pr[<=100](<> !P.A)", &Options::default());
        assert_eq!(answer.verdict, Verdict::Error, "{model}");
        assert!(answer.reason.as_ref().is_some_and(|reason| reason.contains(message)), "{:?}", answer.reason);
        assert!(answer.place.is_some());
    }
}

#[test]
fn runs_that_cannot_go_on_are_counted() {
    // One run in four ends where it cannot go on.
    let some = "clock x; process P() { state A, L { x <= 0 }, B; branchpoint b; urgent A; init A;
        trans A -> b { }, b -> L { assign x = 0; probability 1; }, b -> B { probability 3; }; } system P;";
    let answer = ask(some, "Pr[<=10;400](<> P.B)", &Options { seed: 4, ..Options::default() });
    assert_eq!(answer.verdict, Verdict::Satisfied);
    let locks = answer.statistics.as_ref().map_or(0, |numbers| numbers.time_locks);
    assert!((60..=140).contains(&locks), "{locks}");
    assert_eq!(answer.reason, Some(format!("{locks} runs ended in a time-lock")));
    let idle = "process P() { state A; init A; } system P;";
    let answer = ask(idle, "Pr[#<=10;5](<> !P.A)", &Options::default());
    assert!(answer.reason.is_some_and(|reason| reason.contains("5 runs made no step")));
}

#[test]
fn a_study_whose_runs_stop_short_says_nothing() {
    let lock = "clock x; process P() { state A { x <= 3 }; init A; } system P;";
    let zeno = "process P() { state A; urgent A; init A; trans A -> A { }; } system P;";
    // Three runs in four.
    let most = "clock x; process P() { state A, L { x <= 0 }, B; branchpoint b; urgent A; init A;
        trans A -> b { }, b -> L { assign x = 0; probability 3; }, b -> B { probability 1; }; } system P;";
    for (model, what) in [(lock, "in a time-lock"), (zeno, "in endless steps in no time"), (most, "in a time-lock")] {
        for query in [
            "Pr[<=10;20](<> P.A && false)",
            "Pr[<=10;20]([] true)",
            "Pr[<=10;20](<> P.A && false) >= 0.5",
            "Pr[<=10]([] true) >= Pr[<=10](<> false)",
            "E[<=10;20](max: P.A)",
            "simulate [<=10;20] { P.A }",
        ] {
            let answer = ask(model, query, &Options::default());
            assert_eq!(answer.verdict, Verdict::Unknown, "{query}: {:?}", answer.value);
            let reason = answer.reason.unwrap_or_default();
            assert!(reason.contains("most runs end before their bound") && reason.contains(what), "{query}: {reason}");
            let numbers = answer.statistics.unwrap_or_else(|| panic!("{query}: no numbers"));
            assert!(answer.value.is_none() && numbers.interval.is_none() && numbers.mean.is_none(), "{query}");
            assert!(numbers.time_locks + numbers.zeno > 0 && numbers.cumulative.is_empty(), "{query}");
            assert_eq!(answer.curves.is_some(), query.starts_with("simulate"), "{query}");
        }
    }
    // Runs that are decided before time stops are no reason to doubt.
    let answer = ask(lock, "Pr[<=10;20](<> x > 2)", &Options::default());
    assert_eq!(answer.verdict, Verdict::Satisfied, "{:?}", answer.reason);
    assert_eq!(answer.statistics.map(|numbers| (numbers.satisfied, numbers.time_locks)), Some((Some(20), 0)));
}

#[test]
fn a_bound_that_is_never_reached_ends_the_study() {
    let model =
        "clock x; process P() { state A { x <= 1 }; init A; trans A -> A { guard x >= 1; assign x = 0; }; } system P;";
    for query in ["Pr[x<=10](<> !P.A)", "Pr[x<=10](<> !P.A) >= 0.5", "E[x<=10;3](max: x)", "simulate [x<=10;2] {x}"] {
        let answer = ask(model, query, &Options::default());
        assert_eq!(answer.verdict, Verdict::Unknown, "{query}");
        assert!(answer.reason.is_some_and(|reason| reason.contains("run 0 has no end")), "{query}");
    }
}

#[test]
fn limits_end_a_study() {
    let busy = "process P() { state A; init A; trans A -> A { }; } system P;";
    let limit = std::time::Duration::from_millis(200);
    let answer = ask(busy, "Pr[<=100000000](<> !P.A)", &Options { time_limit: Some(limit), ..Options::default() });
    assert_eq!(answer.verdict, Verdict::Unknown);
    assert!(answer.reason.is_some_and(|reason| reason.contains("out of time")));
}
