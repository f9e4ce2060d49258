//! What scripts rely on: exit statuses, and what is printed where.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const MODEL: &str = "clock x;
int[0,3] n = 0;
process P() {
  state A { x <= 5 }, B, G;
  init A;
  trans A -> B { guard x >= 1; assign x = 0; }, A -> G { guard x >= 5; }, B -> G { guard x > 1; };
}
P1 = P();
system P1;
";

const FAILING: &str = "clock x;
int[0,2] n = 0;
process P() {
  state A;
  init A;
  trans A -> A { guard x >= 2; assign n = n + 1, x = 0; };
}
P1 = P();
system P1;
";

/// One step in four leads up, the others back to the ground.
const LADDER: &str = "int[0,30] n = 0;
process P() {
  state A, Top;
  init A;
  trans A -> A { guard n < 30; assign n = n + 1; }, A -> Top { guard n == 30; },
  A -> A { assign n = 0; }, A -> A { assign n = 0; }, A -> A { assign n = 0; };
}
P1 = P();
system P1;
";

/// An urgent sender that nobody hears, with a guard that cannot be evaluated.
const UNHEARD: &str = "clock x;
int[0,3] n = 0;
urgent chan c;
process P() { state A { x <= 2 }, B, C; init A; trans A -> B { guard x >= 2; }, B -> C { guard 3 % n == 0; sync c!; }; }
P1 = P();
system P1;
";

const BINARY: &str = "chan c;
process P() { state A, B; init A; trans A -> B { sync c!; }; }
P1 = P();
system P1;
";

const GRAPH: &str = "des (0, 3, 3)\n(0, \"coin(1)\", 1)\n(1, tea, 0)\n(0, break, 2)\n";

/// A directory of its own for each test.
fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&path).expect("a directory");
    for (name, text) in [
        ("m.xta", MODEL),
        ("failing.xta", FAILING),
        ("endless.xta", ENDLESS),
        ("binary.xta", BINARY),
        ("ladder.xta", LADDER),
        ("g.aut", GRAPH),
        ("bad.aut", "des (0, 1, 1)\n(0, a, 7)\n"),
    ] {
        std::fs::write(path.join(name), text).expect("a file");
    }
    path
}

fn zonewalk(directory: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zonewalk")).args(words).current_dir(directory).output().expect("zonewalk runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn exit_statuses() {
    let here = directory("exit_statuses");
    std::fs::write(here.join("cut.json"), "{\"schema\": \"zonewalk.trace/1\",\n \"steps\": [").expect("a file");
    let table: &[(&[&str], i32)] = &[
        (&["check", "m.xta", "-q", "E<> P1.G"], 0),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "rank"], 0),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "drs"], 0),
        (&["check", "m.xta", "-q", "E<> n == 1", "--search", "drs"], 1),
        (
            &["check", "m.xta", "-q", "E<> n == 1", "--search", "drs", "--compare", "equality", "--fringe", "children"],
            1,
        ),
        (&["check", "m.xta", "-q", "E<> n == 1", "--search", "drs", "--cutoff", "0"], 4),
        (&["check", "m.xta", "-q", "A[] n == 0", "--search", "drs", "--certify"], 0),
        (&["check", "m.xta", "-q", "E[] n == 0", "--search", "drs"], 0),
        (&["check", "m.xta", "-q", "sup: n", "--search", "drs"], 3),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "highway", "--width", "2"], 0),
        (&["check", "m.xta", "-q", "E<> n == 1", "--search", "highway"], 4),
        (&["check", "m.xta", "-q", "A[] n == 0", "--search", "highway-approx", "--restarts", "2"], 4),
        (&["check", "m.xta", "-q", "A[] n == 0", "--search", "random", "--states", "10"], 4),
        (&["check", "m.xta", "-q", "E[] n == 0", "--search", "random"], 3),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "highway", "--width", "0"], 2),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "highway", "--width", "99999999999"], 2),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "highway", "--width", "-1"], 2),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "drs", "--walks", "0"], 2),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "drs", "--increment", "0"], 2),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "drs", "--cutoff", "many"], 2),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "drs", "--fringe", "nothing"], 2),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "random", "--states", "0"], 2),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "gbfs"], 0),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "gbfs", "--heuristic", "dU", "--tie", "fifo"], 0),
        (&["check", "m.xta", "-q", "E<> n == 1", "--search", "ua", "--plateau-guard", "5", "--useless"], 1),
        (&["check", "m.xta", "-q", "A[] n == 0", "--search", "astar", "--certify"], 0),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "ut", "--preferred", "--exploration", "0.2"], 0),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "ut", "--heuristic", "null"], 2),
        (&["check", "m.xta", "-q", "E<> x > 3", "--search", "gbfs", "--heuristic", "dU"], 2),
        (&["check", "m.xta", "-q", "E<> x > 3", "--search", "gbfs"], 0),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "gbfs", "--heuristic", "h2"], 2),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "gbfs", "--exploration", "1"], 2),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "ua", "--plateau-guard", "-1"], 2),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "gbfs", "--log-heuristic", "no/such/place.csv"], 2),
        (&["check", "m.xta", "-q", "E[] P1.A", "--search", "gbfs"], 3),
        (&["check", "g.aut", "-q", "E<> deadlock", "--search", "ua"], 0),
        (&["check", "g.aut", "-q", "A[] not \"coffee\"", "--search", "astar"], 0),
        (&["check", "g.aut", "-q", "E<> deadlock", "--search", "ut", "--heuristic", "null"], 2),
        (&["plot", "none.csv"], 2),
        (&["plot", "m.xta"], 2),
        (&["plot"], 2),
        (&["check", "m.xta", "-q", "A[] not P1.G"], 1),
        (&["check", "m.xta", "-q", "E<> P1.G", "--shortest"], 0),
        (&["check", "m.xta", "-q", "E<> P1.G", "--fastest"], 0),
        (&["check", "m.xta", "-q", "E<> P1.G", "--fastest", "--shortest"], 2),
        (&["check", "m.xta", "-q", "A[] n == 0", "--certify"], 0),
        (&["check", "m.xta", "-q", "E<> n == 1", "--certify"], 1),
        (&["check", "m.xta", "-q", "A[] n == 0", "--certificate", "no/such/place.json"], 2),
        (&["check", "m.xta", "-q", "A[] n == 0", "--time-limit", "0s"], 4),
        (&["check", "endless.xta", "-q", "A[] n >= 0", "--memory-limit", "5M"], 4),
        (&["check", "endless.xta", "-q", "A[] n >= 0", "-q", "E<> n == 1", "--time-limit", "200ms"], 4),
        (&["check", "ladder.xta", "-q", "E<> P1.Top", "--search", "ret", "--walks", "2000", "--depth", "luby"], 4),
        (&["check", "ladder.xta", "-q", "E<> P1.Top", "--search", "ret", "--walks", "20000", "--level", "n"], 0),
        (&["check", "ladder.xta", "-q", "E<> P1.Top", "--search", "ret", "--guide", "mutate", "--level", "-(-n)"], 0),
        (&["check", "ladder.xta", "-q", "E<> P1.Top", "--search", "ret", "--level", "n, n"], 2),
        (&["check", "ladder.xta", "-q", "E<> P1.Top", "--search", "ret", "--level", "n +"], 2),
        (&["check", "m.xta", "-q", "E<> P1.G", "--search", "ret", "--level", "x"], 2),
        (&["check", "m.xta", "-q", "Pr[<=4](<> P1.B)"], 0),
        (&["check", "m.xta", "-q", "Pr[<=4](<> P1.B) <= 0.2"], 1),
        (&["check", "m.xta", "-q", "Pr[<=4](<> P1.B)", "--alpha", "2"], 2),
        (&["check", "m.xta", "-q", "Pr[<=4](<> P1.B)", "--plot", "no/such/place.svg"], 2),
        (&["check", "binary.xta", "-q", "Pr[<=4](<> P1.B)"], 3),
        (&["check", "m.xta", "-q", "Pr[<=4;1000000000](<> P1.B)", "--time-limit", "200ms"], 4),
        (&["check", "m.xta", "-q", "E<> P1.Nowhere"], 2),
        (&["check", "m.xta", "-q", "E<> P1.Nowhere", "-q", "E<> P1.G"], 2),
        (&["check", "failing.xta", "-q", "A[] n < 2"], 1),
        (&["check", "failing.xta", "-q", "E<> x > 3 && n == 2 && P1.A && x < 0"], 2),
        (&["check", "g.aut", "-q", "E<> deadlock"], 0),
        (&["check", "g.aut", "-q", "A[] not \"tea\""], 1),
        (&["check", "g.aut", "-q", "A[] not \"coffee\"", "--search", "dfs"], 0),
        (&["check", "g.aut", "-q", "A[] not \"coffee\"", "--search", "drs"], 0),
        (&["check", "g.aut", "-q", "A[] not \"coffee\"", "--search", "highway"], 4),
        (&["check", "g.aut", "-q", "A[] not \"tea\"", "--search", "highway", "--restarts", "50"], 1),
        (&["check", "g.aut", "-q", "E<> coffee"], 2),
        (&["check", "g.aut"], 2),
        (&["check", "bad.aut", "-q", "E<> deadlock"], 2),
        (&["check", "none.aut", "-q", "E<> deadlock"], 2),
        (&["replay", "m.xta", "cut.json"], 2),
        (&["replay", "m.xta", "none.json"], 2),
        (&["replay", "m.xta"], 2),
    ];
    for (words, expected) in table {
        let output = zonewalk(&here, words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(*expected), "{words:?}\n{}{said}", stdout(&output));
    }
}

#[test]
fn a_directed_search_writes_its_curve_and_plot_draws_it() {
    let here = directory("heuristic");
    for (search, file) in [("gbfs", "gbfs.csv"), ("ua", "ua.csv")] {
        let words = ["check", "m.xta", "-q", "E<> P1.G", "--search", search, "--log-heuristic", file, "--json"];
        let output = zonewalk(&here, &words);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        let known = &report["results"][0]["stats"]["directed"];
        assert_eq!(known["heuristic"], "hU");
        assert_eq!(known["under_approximation"].is_object(), search == "ua", "{known}");
        let table = std::fs::read_to_string(here.join(file)).expect("a table");
        let rows = report["results"][0]["stats"]["states_explored"].as_u64().expect("a number") as usize;
        assert_eq!(table.lines().count(), 1 + rows, "{table}");
        assert!(table.starts_with(&format!("run,expression,explored states,value\n0,{search} hU,1,")), "{table}");
    }
    let output = zonewalk(&here, &["plot", "gbfs.csv", "ua.csv", "--out", "both.svg"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), "both.svg\n"));
    let picture = std::fs::read_to_string(here.join("both.svg")).expect("a picture");
    assert_eq!(picture.matches("<polyline").count(), 2);
    assert!(picture.contains("gbfs: gbfs hU") && picture.contains("heuristic value"));
}

#[test]
fn a_wrong_level_is_shown_with_its_place() {
    let here = directory("level");
    let output = zonewalk(&here, &["check", "ladder.xta", "-q", "E<> P1.Top", "--search", "ret", "--level", "n + up"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("--level:1:5") && said.contains("`up`"), "{said}");
}

#[test]
fn a_simulation_writes_its_curves() {
    let here = directory("curves");
    let words = ["check", "m.xta", "-q", "simulate [<=10;3] {x, P1.G}", "--csv", "c.csv", "--plot", "c.svg", "--json"];
    let output = zonewalk(&here, &words);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(report["results"][0]["evidence"], "statistical");
    assert_eq!(report["results"][0]["statistics"]["runs"], 3);
    let table = std::fs::read_to_string(here.join("c.csv")).expect("a table");
    assert!(table.starts_with("run,expression,time,value\n0,x,0,0\n") && table.contains("2,P1.G,0,0\n"), "{table}");
    let picture = std::fs::read_to_string(here.join("c.svg")).expect("a picture");
    assert_eq!(picture.matches("<polyline").count(), 6);
    assert!(picture.contains(">P1.G</text>"));
}

#[test]
fn a_report_replays_and_a_changed_one_does_not() {
    let here = directory("replay");
    let report = stdout(&zonewalk(&here, &["check", "m.xta", "-q", "E<> P1.G", "--fastest", "--json"]));
    let replayed = |text: &str, words: &[&str]| {
        std::fs::write(here.join("r.json"), text).expect("a file");
        let output = zonewalk(&here, &[&["replay", "m.xta", "r.json"], words].concat());
        (output.status.code(), stdout(&output) + &String::from_utf8_lossy(&output.stderr))
    };
    assert_eq!(replayed(&report, &[]).0, Some(0), "{report}");
    assert_eq!(replayed(&report, &["-q", "E<> P1.B"]).0, Some(1), "the run does not end there");
    let mut document: Value = serde_json::from_str(&report).expect("JSON");
    let steps = document["results"][0]["trace"]["steps"].as_array_mut().expect("steps");
    steps[0]["delay"] = "1/2".into();
    steps.iter_mut().for_each(|step| step["time"] = Value::Null);
    let (code, said) = replayed(&document.to_string(), &[]);
    assert_eq!(code, Some(1));
    assert!(said.contains("refused: step 1: the guard of P1: A -> B does not hold"), "{said}");
    let (code, said) = replayed(&report.replace("P1\"", "Nobody\""), &[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("there is no process `Nobody`") && said.contains("r.json:"), "{said}");
}

#[test]
fn a_verdict_that_was_turned_round_is_refused() {
    let here = directory("turned");
    let replayed = |model: &str, text: &str| {
        std::fs::write(here.join("r.json"), text).expect("a file");
        let output = zonewalk(&here, &["replay", model, "r.json"]);
        (output.status.code(), stdout(&output))
    };
    let rows: &[(&str, &str)] = &[
        ("m.xta", "E<> P1.G"),
        ("m.xta", "A[] not P1.G"),
        ("m.xta", "E[] n == 0"),
        ("m.xta", "A<> P1.B"),
        ("m.xta", "P1.A --> P1.B"),
        ("failing.xta", "A[] n < 2"),
        ("g.aut", "E<> deadlock"),
        ("g.aut", "A[] not \"tea\""),
    ];
    for (model, query) in rows {
        let report = stdout(&zonewalk(&here, &["check", model, "-q", query, "--json", "--search", "bfs"]));
        assert_eq!(replayed(model, &report).0, Some(0), "{query}: {report}");
        let turned = report.replacen("\"satisfied\"", "\"VIOLATED\"", 1).replacen("\"violated\"", "\"satisfied\"", 1);
        let turned = turned.replacen("VIOLATED", "violated", 1);
        assert_ne!(turned, report);
        let (status, said) = replayed(model, &turned);
        assert_eq!(status, Some(1), "{query}: {said}");
        assert!(said.contains("refused: such a "), "{query}: {said}");
    }
}

#[test]
fn what_a_report_claims_without_evidence_is_said_to_be_unchecked() {
    let here = directory("unchecked");
    let bfs: &[&str] = &["--search", "bfs"];
    // Samples are not searched.
    let rows = [("A[] n == 0", bfs), ("E<> n == 1", bfs), ("sup: n", bfs), ("Pr[<=4;20](<> P1.B)", &[])];
    for (query, search) in rows {
        let report = stdout(&zonewalk(&here, &[&["check", "m.xta", "-q", query, "--json"], search].concat()));
        std::fs::write(here.join("r.json"), report).expect("a file");
        let output = zonewalk(&here, &["replay", "m.xta", "r.json"]);
        assert_eq!(output.status.code(), Some(4), "{query}");
        assert!(stdout(&output).contains("not checked: that the query is "), "{query}: {}", stdout(&output));
    }
}

#[test]
fn a_certificate_is_accepted_and_a_changed_one_is_not() {
    let here = directory("certificate");
    let query = "A[] not (P1.B && x > 9 && n > 0)";
    let checked = zonewalk(&here, &["check", "m.xta", "-q", query, "--certificate", "c.json", "--json"]);
    assert!(stdout(&checked).contains("\"evidence\": \"certificate\""), "{}", stdout(&checked));
    let replay = |file: &str, query: &str| zonewalk(&here, &["replay", "m.xta", file, "-q", query]).status.code();
    assert_eq!(replay("c.json", query), Some(0));
    assert_eq!(replay("c.json", "E<> P1.B"), Some(1));
    assert_eq!(replay("c.json", "A<> P1.B"), Some(2), "no certificate answers such a query");
    let text = std::fs::read_to_string(here.join("c.json")).expect("the certificate");
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    let count = whole["states"].as_array().map_or(0, Vec::len);
    for left_out in 0..count {
        let mut changed = whole.clone();
        changed["states"].as_array_mut().expect("states").remove(left_out);
        std::fs::write(here.join("changed.json"), changed.to_string()).expect("a file");
        assert_eq!(replay("changed.json", query), Some(1), "without state {left_out}");
    }
    assert!(count >= 3);
}

#[test]
fn an_error_of_the_model_is_shown_with_its_run_and_its_place() {
    let here = directory("failing");
    let output = zonewalk(&here, &["check", "failing.xta", "-q", "A[] n < 3"]);
    let (out, err) = (stdout(&output), String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(out.contains("3. at 6  tau  P1: A -> A\n     and there the model fails"), "{out}");
    assert!(err.contains("failing.xta:6:39") && err.contains("^^^^^^^^^"), "{err}");
    let report = stdout(&zonewalk(&here, &["check", "failing.xta", "-q", "A[] n < 3", "--json"]));
    std::fs::write(here.join("r.json"), &report).expect("a file");
    assert_eq!(zonewalk(&here, &["replay", "failing.xta", "r.json"]).status.code(), Some(0));
    // The guard keeps time from passing in the last state.
    std::fs::write(here.join("urgent.xta"), UNHEARD).expect("a file");
    for search in ["bfs", "auto", "ret", "rcf --guide split", "ret --guide archive", "sem --guide mutate", "gbfs"] {
        let mut arguments = vec!["check", "urgent.xta", "-q", "E<> P1.C", "--search"];
        arguments.extend(search.split(' '));
        let out = stdout(&zonewalk(&here, &arguments));
        let run = "1. at 2  tau  P1: A -> B\n     2. at 2  c  P1: B -> C\n     and there the model fails";
        assert!(out.contains(run), "{search}: {out}");
    }
}

#[test]
fn a_trace_can_be_printed_as_json() {
    let here = directory("json");
    let out = stdout(&zonewalk(&here, &["check", "m.xta", "-q", "E<> P1.G", "--trace", "json"]));
    let trace = out.split_once('{').map(|(_, rest)| format!("{{{rest}")).expect("a document");
    let trace: Value = serde_json::from_str(&trace).expect("valid JSON");
    assert_eq!(trace["schema"], "zonewalk.trace/1");
}

#[test]
fn statistics_come_when_asked_for_and_progress_only_on_terminals() {
    let here = directory("stats");
    let plain = zonewalk(&here, &["check", "m.xta", "-q", "A[] n == 0"]);
    assert!(!stdout(&plain).contains("explored") && plain.stderr.is_empty());
    let asked = stdout(&zonewalk(&here, &["check", "m.xta", "-q", "A[] n == 0", "--stats"]));
    assert!(asked.contains("states explored, 3 stored"), "{asked}");
}

/// A counter that takes longer than anybody waits.
const ENDLESS: &str = "int[0,1000000000] n = 0;
process P() { state A; init A; trans A -> A { guard n < 1000000000; assign n = n + 1; }; }
P1 = P();
system P1;
";
