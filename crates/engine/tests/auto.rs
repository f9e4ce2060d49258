//! Engines side by side: the verdict is the right one whoever is first, and limits end all of them.

use engine::check::check;
use engine::limits::Watch;
use engine::model::load::{load_bytes, query_text};
use engine::options::Options;
use engine::report::{Answer, Evidence, Verdict};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// `size` processes count to `top`, each on its own: (top + 1)^size states.
fn counters(size: u32, top: u32, more: &str) -> String {
    format!(
        "const int N = {size}; const int TOP = {top}; typedef int[0,N-1] id_t; int n[N]; int total = 0;
process P(const id_t i) {{ state A; init A; trans A -> A {{ guard n[i] < TOP; assign n[i]++, total++{more}; }}; }}
system P;"
    )
}

fn ask(model: &str, query: &str, options: &Options, watch: &mut Watch) -> Answer {
    let loaded = load_bytes("m.xta", model.as_bytes(), &[]);
    let mut sources = loaded.sources;
    let parsed = loaded.model.unwrap_or_else(|| panic!("{:?}\n{model}", loaded.diagnostics));
    let written = query_text(&mut sources, "query", query);
    let queries = [parsed.query(&written)];
    check("m.xta", &sources, &queries, options, watch, &mut |_| {}).results.remove(0)
}

fn threads(threads: usize) -> Options {
    Options { threads: Some(threads), ..Options::default() }
}

#[test]
fn the_one_that_can_answers() {
    use Verdict::{Satisfied, Violated};
    let (small, middle, large) = (counters(2, 3, ""), counters(4, 9, ""), counters(30, 9, ""));
    let table = [
        (&small, "E<> total == 6", Satisfied, &["bfs"][..]),
        (&small, "A[] total <= 6", Satisfied, &["rank"]),
        (&middle, "A[] total <= 36", Satisfied, &["dive", "gbfs", "ua"]),
        (&middle, "E<> total == 37", Violated, &["dive", "gbfs", "ua", "drs"]),
        (&large, "E<> total == 50", Satisfied, &["ret", "gbfs", "ua", "dive", "drs", "rdfs", "dfs"]),
        (&large, "A[] n[0] < 5", Violated, &["ret", "gbfs", "ua", "dive"]),
    ];
    for (model, query, verdict, searches) in table {
        for count in [1, 2, 5] {
            let answer = ask(model, query, &threads(count), &mut Watch::none());
            assert_eq!(answer.verdict, verdict, "{query} with {count} threads: {:?}", answer.reason);
            let search = answer.search.as_deref().unwrap_or("none");
            assert!(searches.contains(&search), "{query} with {count} threads: {search}");
            assert_ne!(answer.evidence, Evidence::None);
        }
    }
}

#[test]
fn queries_for_one_engine_go_to_it() {
    let middle = counters(4, 9, "");
    for query in ["A[] true", "E<> false", "sup: total"] {
        let answer = ask(&middle, query, &Options::default(), &mut Watch::none());
        assert_eq!((answer.stats.states_explored, answer.stats.walks), (10_000, 0), "{query}");
    }
}

#[test]
fn limits_end_all() {
    let large = counters(30, 9, "");
    let never = "E<> total == 271";
    let short = Options { time_limit: Some(Duration::from_millis(300)), ..threads(2) };
    let answer = ask(&large, never, &short, &mut Watch::none());
    assert_eq!((answer.verdict, answer.reason.as_deref()), (Verdict::Unknown, Some("the time limit is reached")));
    assert!(answer.stats.states_explored > 0 && answer.stats.steps > 0);
    let small = Options { memory_limit: Some(2 << 20), ..threads(2) };
    let answer = ask(&large, never, &small, &mut Watch::none());
    assert_eq!((answer.verdict, answer.reason.as_deref()), (Verdict::Unknown, Some("the memory limit is reached")));
    let mut watch = Watch::new(Some(Arc::new(AtomicBool::new(true))), None);
    let answer = ask(&large, never, &Options::default(), &mut watch);
    assert_eq!((answer.verdict, answer.reason.as_deref()), (Verdict::Unknown, Some("interrupted")));
}

#[test]
fn an_error_of_the_model_does_not_hide_a_verdict() {
    // Walks meet the error; there are too many states for the exhaustive engine.
    let model = "int n = 0; int d = 1; int e[60];
process P() { state A, B; init A; trans A -> B { }, B -> B { guard n < 20; assign n = n + 1; }, B -> B { guard n == 20; assign d = 1 / (n - 20); }; }
process Q(const int[0,40] i) { state A; init A; trans A -> A { assign e[i] = 1 - e[i]; }; }
system P, Q;";
    let limited = Options { memory_limit: Some(2 << 20), ..threads(2) };
    let answer = ask(model, "E<> e[50] == 1", &limited, &mut Watch::none());
    assert_eq!((answer.verdict, answer.evidence), (Verdict::Error, Evidence::Witness));
    let answer = ask(model, "E<> e[3] == 1 && e[5] == 1", &limited, &mut Watch::none());
    assert_eq!(answer.verdict, Verdict::Satisfied);
}

#[test]
fn queries_about_one_model_can_be_asked_at_once() {
    let text = counters(4, 9, "");
    let loaded = load_bytes("m.xta", text.as_bytes(), &[]);
    let (model, mut sources) = (loaded.model.expect("a model"), loaded.sources);
    let written = [("E<> total == 36", Verdict::Satisfied), ("A[] total < 30", Verdict::Violated)]
        .map(|(query, verdict)| (query_text(&mut sources, "query", query), verdict));
    std::thread::scope(|scope| {
        for (source, verdict) in &written {
            let (model, sources) = (&model, &sources);
            scope.spawn(move || {
                for options in [threads(1), Options { search: "ret".parse().expect("a search"), ..threads(1) }] {
                    let queries = [model.query(source)];
                    let report = check("m.xta", sources, &queries, &options, &mut Watch::none(), &mut |_| {});
                    assert_eq!(report.results[0].verdict, *verdict);
                }
            });
        }
    });
}
