//! Timed I/O systems on the command line: evidence that is written is read again, and bad input is told apart from bad news.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const MODEL: &str = "broadcast chan i, o;
process A() { clock x; state Idle, Busy { x <= 3 }; init Idle;
  trans Idle -> Busy { sync i?; assign x = 0; }, Busy -> Idle { guard x >= 1; sync o!; }; }
process S() { clock z; state Idle, Busy { z <= 3 }; init Idle;
  trans Idle -> Busy { sync i?; assign z = 0; }, Busy -> Idle { sync o!; }; }
system A, S;
IO A { i?, o! }
IO S { i?, o! }
";

fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&path).expect("a directory");
    std::fs::write(path.join("m.xta"), MODEL).expect("a model");
    path
}

fn zonewalk(here: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zonewalk")).args(words).current_dir(here).output().expect("zonewalk runs")
}

/// The status, and everything that was said.
fn said(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned())
}

#[test]
fn a_relation_is_accepted_and_a_changed_one_is_not() {
    let here = directory("relation");
    let (code, out) = said(&zonewalk(&here, &["refine", "m.xta", "A <= S", "--certificate", "r.json"]));
    assert!(code == Some(0) && out.contains("satisfied (certified)"), "{out}");
    let replay = |file: &str, query: &[&str]| said(&zonewalk(&here, &[&["replay", "m.xta", file], query].concat()));
    let query = ["-q", "refinement: A <= S"];
    let (code, out) = replay("r.json", &query);
    assert!(code == Some(0) && out.contains("accepted: a relation"), "{out}");
    let (code, out) = replay("r.json", &[]);
    assert!(code == Some(2) && out.contains("a relation needs the query"), "{out}");
    let (code, out) = replay("r.json", &["-q", "E<> A.Busy"]);
    assert!(code == Some(2) && out.contains("a relation needs the query"), "{out}");
    let (code, out) = replay("r.json", &["-q", "refinement: S <= A"]);
    assert!(code == Some(2) && out.contains("belongs to another query"), "{out}");
    let text = std::fs::read_to_string(here.join("r.json")).expect("the relation");
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    let count = whole["pairs"].as_array().map_or(0, Vec::len);
    for left_out in 0..count {
        let mut changed = whole.clone();
        changed["pairs"].as_array_mut().expect("pairs").remove(left_out);
        std::fs::write(here.join("changed.json"), changed.to_string()).expect("a file");
        assert_eq!(replay("changed.json", &query).0, Some(1), "without pair {left_out}");
    }
    assert_eq!(count, 2);
}

#[test]
fn a_counter_example_replays_and_a_changed_one_does_not() {
    let here = directory("violation");
    let report = String::from_utf8(zonewalk(&here, &["refine", "m.xta", "S <= A", "--json"]).stdout).expect("text");
    let whole: Value = serde_json::from_str(&report).expect("JSON");
    let pair = &whole["results"][0]["refinement"];
    let query = ["-q", "refinement: S <= A"];
    let replay = |text: &str, words: &[&str]| {
        std::fs::write(here.join("v.json"), text).expect("a file");
        said(&zonewalk(&here, &[&["replay", "m.xta", "v.json"], words].concat()))
    };
    for (text, words) in [(report.clone(), &[][..]), (pair.to_string(), &query[..]), (report.clone(), &query[..])] {
        let (code, out) = replay(&text, words);
        assert!(code == Some(0) && out.contains("accepted: a run of both sides"), "{out}");
    }
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut changed = pair.clone();
        change(&mut changed);
        replay(&changed.to_string(), &query)
    };
    type Change<'c> = &'c dyn Fn(&mut Value);
    let rows: [(Change, i32, &str); 8] = [
        (&|pair| pair["broken"] = "delay".into(), 2, "a delay that is an action"),
        (&|pair| pair["broken"] = "input".into(), 1, "the action is not made"),
        (&|pair| pair["broken"] = "nothing".into(), 2, "unknown variant"),
        (&|pair| pair["action"] = "q".into(), 2, "no action `q`"),
        (&|pair| pair["final_delay"] = "2".into(), 1, "the other side follows"),
        (&|pair| pair["final_delay"] = "soon".into(), 2, "is not a fraction"),
        (&|pair| pair["steps"][0]["time"] = "7".into(), 2, "step 1: the time is given as 7"),
        (&|pair| pair["steps"][0]["left"] = Value::Array(Vec::new()), 1, "other edges are taken"),
    ];
    for (change, status, words) in rows {
        let (code, out) = changed(change);
        assert!(code == Some(status) && out.contains(words), "{words}: {code:?} {out}");
    }
    let (code, out) = replay(&pair.to_string(), &[]);
    assert!(code == Some(2) && out.contains("needs the query"), "{out}");
    assert_eq!(replay(&pair.to_string(), &["-q", "refinement: A <= S"]).0, Some(1));
}

#[test]
fn components_are_written_and_read_again() {
    let here = directory("component");
    let (code, out) = said(&zonewalk(&here, &["check", "m.xta", "-q", "get-component: A && S save-as Both"]));
    assert!(code == Some(0) && out.contains("<name>Both</name>") && out.contains("IO Both { i?, o! }"), "{out}");
    let (code, out) = said(&zonewalk(&here, &["check", "m.xta", "-q", "prune: A", "--component", "a.xml"]));
    assert!(code == Some(0) && !out.contains("<nta>"), "{out}");
    let (code, out) = said(&zonewalk(&here, &["check", "a.xml", "-q", "specification: A", "-q", "consistency: A"]));
    assert_eq!(code, Some(0), "{out}");
    let report = zonewalk(&here, &["check", "m.xta", "-q", "prune: A", "--json"]).stdout;
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let xml = report["results"][0]["component"]["xml"].as_str().expect("a model");
    assert_eq!(xml, std::fs::read_to_string(here.join("a.xml")).expect("the file"));
    let project = here.join("project/Components");
    std::fs::create_dir_all(&project).expect("a directory");
    for name in ["A", "S"] {
        let (query, file) = (format!("prune: {name}"), format!("project/Components/{name}.json"));
        let (code, out) = said(&zonewalk(&here, &["check", "m.xta", "-q", &query, "--component", &file]));
        assert_eq!(code, Some(0), "{out}");
    }
    let (code, out) = said(&zonewalk(&here, &["refine", "project", "A <= S"]));
    assert_eq!(code, Some(0), "{out}");
    std::fs::write(
        here.join("array.xta"),
        MODEL.replace("broadcast chan i, o", "broadcast chan i[2], o").replace("i?", "i[0]?"),
    )
    .expect("a model");
    let (code, out) = said(&zonewalk(&here, &["check", "array.xta", "-q", "prune: A", "--component", "a.json"]));
    assert!(code == Some(3) && out.contains("has no arrays of channels"), "{out}");
    let (code, out) = said(&zonewalk(&here, &["check", "m.xta", "-q", "prune: A", "--component", "no/such/a.xml"]));
    assert!(code == Some(2) && out.contains("cannot be written"), "{out}");
}

/// What is no question about the systems ends with 2 or 3 and says where; a question that is answered with no ends with 1.
#[test]
fn bad_input_is_told_from_bad_news() {
    let here = directory("bad-input");
    let choosy = "process N() { state L, M; init L; trans L -> L { sync o!; }, L -> M { sync o!; }; }
        process Both() { state L; init L; trans L -> L { sync o!; }; }
        system A, S, N, Both;
        IO N { i?, o! } IO Both { o?, o! }";
    let text = MODEL.replace("system A, S;", choosy);
    std::fs::write(here.join("n.xta"), &text).expect("a model");
    std::fs::write(here.join("cut.xta"), &text[..text.len() / 2]).expect("a model");
    std::fs::write(here.join("n.q"), "refinement: A <= S\n\nrefinement: A <= N\n\nrefinement: S <= A\n")
        .expect("queries");
    let component = |query: &str, file: &str| {
        let (code, out) = said(&zonewalk(&here, &["check", "n.xta", "-q", query, "--component", file]));
        assert_eq!(code, Some(0), "{out}");
        std::fs::read_to_string(here.join(file)).expect("a component")
    };
    for project in ["p", "cut", "empty"] {
        std::fs::create_dir_all(here.join(project).join("Components")).expect("a directory");
    }
    component("get-component: A", "p/Components/A.json");
    let json = component("get-component: N", "p/Components/N.json");
    std::fs::write(here.join("cut/Components/N.json"), &json[..json.len() / 2]).expect("a file");
    let twice = [
        "L -> L (n.xta:6:41)",
        "L -> M (n.xta:6:62)",
        "N is not deterministic: it can go two ways on `o`",
        "change the guards",
    ];
    let rows: &[(&[&str], i32, &[&str])] = &[
        (&["refine", "n.xta", "A <= N"], 2, &twice),
        (&["refine", "n.xta", "N <= A"], 2, &twice),
        (&["refine", "n.xta", "A && N <= A"], 2, &twice),
        (&["refine", "n.xta", "A <= N", "--search", "rcf"], 2, &twice),
        (&["refine", "n.xta", "A <= N", "--json"], 2, &["\"violated\"", "\"nondeterministic\"", "6 |"]),
        (
            &["check", "n.xta", "n.q"],
            2,
            &["  1. refinement: A <= S\n     satisfied", "the left side outputs `o`", "6 |"],
        ),
        (&["check", "n.xta", "-q", "consistency: N"], 2, &twice),
        (&["check", "n.xta", "-q", "prune: N"], 2, &twice),
        (&["check", "n.xta", "-q", "determinism: N"], 1, &twice[..3]),
        (&["check", "n.xta", "-q", "specification: N"], 1, &twice[..3]),
        (&["check", "n.xta", "-q", "implementation: N"], 1, &twice[..3]),
        (&["check", "n.xta", "-q", "reachability: N @ init -> N.M"], 0, &["satisfied"]),
        (&["refine", "p", "A <= N"], 2, &["by the edges L0 -> L0 (p/Components/N.json:", "N is not deterministic"]),
        (&["refine", "p", "A <= M"], 2, &["there is no component `M`", "the refinement:1:18"]),
        (&["refine", "p/Components/N.json", "N <= N"], 2, &["read as a whole", "name the folder"]),
        (&["refine", "cut", "N <= N"], 2, &["N.json:"]),
        (&["refine", "empty", "N <= N"], 2, &["has no components"]),
        (&["refine", "nowhere", "N <= N"], 2, &["there is no such file"]),
        (&["refine", "cut.xta", "A <= S"], 2, &["cut.xta:5:"]),
        (&["check", "n.xta", "none.q"], 2, &["there is no such file"]),
        (&["refine", "n.xta", "A <= Nobody"], 2, &["there is no component `Nobody`"]),
        (&["refine", "n.xta", "A || S <= S"], 2, &["outputs in common: `o`", "the refinement:1:1"]),
        (&["refine", "n.xta", "A <= "], 2, &["expected the name of a component"]),
        (&["refine", "n.xta", "A"], 2, &["expected"]),
        (&["refine", "n.xta", "Both <= Both"], 3, &["`o` is both an input and an output of it", "n.xta:9:"]),
        (&["refine", "n.xta", "S <= A"], 1, &["the left side outputs `o`"]),
    ];
    for (words, status, expected) in rows {
        let (code, out) = said(&zonewalk(&here, words));
        assert_eq!(code, Some(*status), "{words:?}: {out}");
        expected.iter().for_each(|part| assert!(out.contains(part), "{words:?}, {part}: {out}"));
    }
}

#[test]
fn a_run_to_a_state_replays_and_a_changed_one_does_not() {
    let here = directory("system-run");
    let replay = |text: &str, words: &[&str]| {
        std::fs::write(here.join("s.json"), text).expect("a file");
        said(&zonewalk(&here, &[&["replay", "m.xta", "s.json"], words].concat()))
    };
    for (query, steps) in [
        ("reachability: A && S -> A.Busy && A.x >= 2 && S.Busy", 1),
        ("reachability: A && S @ A.Busy && S.Busy && A.x == 2 && S.z < 1 -> A.Idle && S.z > 1 && S.z < 3", 1),
    ] {
        let (code, out) = said(&zonewalk(&here, &["check", "m.xta", "-q", query]));
        assert!(code == Some(0) && out.contains("1. at "), "{out}");
        let report =
            String::from_utf8(zonewalk(&here, &["check", "m.xta", "-q", query, "--json"]).stdout).expect("text");
        let whole: Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!(whole["results"][0]["evidence"], "witness");
        let run = &whole["results"][0]["system_run"];
        assert_eq!(run["steps"].as_array().map(Vec::len), Some(steps), "{run}");
        for (text, words) in [(report.clone(), &[][..]), (run.to_string(), &["-q", query][..])] {
            let (code, out) = replay(&text, words);
            assert!(code == Some(0) && out.contains("and it decides the query"), "{out}");
        }
        assert_eq!(replay(&run.to_string(), &[]).0, Some(2));
        assert_eq!(replay(&run.to_string(), &["-q", "refinement: A <= S"]).0, Some(2));
        assert_eq!(
            replay(&run.to_string(), &["-q", "reachability: A && S -> A.Busy && A.x > 3"]).0.min(Some(1)),
            Some(1)
        );
        // Whatever is changed, what is accepted is true.
        let text = |value: &str| Value::String(value.to_owned());
        let mut changes: Vec<(Value, Option<i32>)> = Vec::new();
        let mut change = |path: &str, to: Value, code: i32| {
            let mut changed = run.clone();
            *changed.pointer_mut(path).unwrap_or_else(|| panic!("{path} of {run}")) = to;
            changes.push((changed, Some(code)));
        };
        change("/schema", text("zonewalk.system-run/2"), 2);
        change("/final_delay", text("100"), 1);
        change("/final_delay", text("-1"), 1);
        change("/final_delay", text("soon"), 2);
        change("/steps/0/delay", text("1/3"), 2);
        change("/steps/0/time", text("7"), 2);
        change("/steps/0/action", text("z"), 2);
        change("/steps/0/edges", Value::Array(Vec::new()), 2);
        change("/steps/0/edges/0/edge", 7.into(), 2);
        change("/steps/0/edges/0/process", text("S"), 2);
        change("/steps", Value::Array(Vec::new()), 1);
        let kind = if run["steps"][0]["kind"] == "input" { "output" } else { "input" };
        change("/steps/0/kind", text(kind), 2);
        match run["start"].is_null() {
            true => change("/start", Value::Array(Vec::new()), 2),
            false => {
                change("/start", Value::Null, 2);
                change("/start/0/component", text("S"), 2);
                change("/start/0/location", text("Idle"), 1);
                change("/start/0/location", text("Nowhere"), 2);
                change("/start/0/clocks/0", text("3"), 1);
                change("/start/0/clocks/0", text("-3"), 2);
                change("/start/1/clocks", Value::Array(Vec::new()), 2);
                change("/start/0/ints", Value::Array(vec![1.into()]), 2);
            }
        }
        for (changed, expected) in changes {
            let (code, out) = replay(&changed.to_string(), &["-q", query]);
            assert_eq!(code, expected, "{changed}: {out}");
        }
    }
}

/// Any other answer than these two would be a limit that is broken: what can be found out in a moment has an answer.
#[test]
fn limits_hold_for_every_question_about_systems() {
    let here = directory("limits");
    // So many values, and so many pairs of them; receivers that can each go two ways.
    let counter = |name: &str, action: char| {
        format!(
            "process {name}() {{ int[0,60000] n; clock x; state L {{ x <= 70000 }}; init L; trans \
             L -> L {{ guard n < 60000 && x >= n; sync {action}?; assign n = n + 1; }}, L -> L {{ guard x > 3; sync o{action}!; assign x = 0; }}; }}"
        )
    };
    let receivers: Vec<String> = (0..26).map(|n| format!("R{n}")).collect();
    let receiver = |name: &String| {
        format!(
            "process {name}() {{ clock x; state L, M; init L; trans L -> L {{ guard x <= 1; sync i?; }}, \
             L -> M {{ guard x > 1; sync i?; }}; }}"
        )
    };
    let declared: Vec<String> = receivers.iter().map(|name| format!("IO {name} {{ i? }}")).collect();
    let text = format!(
        "broadcast chan i, oi, j, oj;\n{}\n{}\n{}\nsystem C, D, {};\nIO C {{ i?, oi! }} IO D {{ j?, oj! }} {}",
        counter("C", 'i'),
        counter("D", 'j'),
        receivers.iter().map(receiver).collect::<String>(),
        receivers.join(", "),
        declared.join(" ")
    );
    std::fs::write(here.join("large.xta"), text).expect("a model");
    let (both, all) = ("C || D".to_owned(), receivers.join(" || "));
    for system in [&both, &all] {
        for question in [
            format!(
                "reachability: {system} -> {}",
                if system == &both { "C.n == 50000 && D.n == 50000" } else { "R0.M && R1.L" }
            ),
            format!("consistency: {system}"),
            format!("determinism: {system}"),
            format!("implementation: {system}"),
            format!("prune: {system}"),
            format!("get-component: {system}"),
            format!("refinement: {system} <= {system}"),
        ] {
            for limit in [["--time-limit", "1s"], ["--memory-limit", "60M"]] {
                let more = if limit[0] == "--memory-limit" { &["--time-limit", "5s"][..] } else { &[] };
                let words = [&["check", "large.xta", "-q", &question, "--threads", "1"], &limit[..], more].concat();
                let started = std::time::Instant::now();
                let output = zonewalk(&here, &words);
                let (code, out) = said(&output);
                assert!(matches!(code, Some(0 | 1 | 4)), "{question} {limit:?}: {code:?} {out}");
                if limit[0] == "--time-limit" {
                    // Not sharp: other tests run beside this one.
                    assert!(started.elapsed().as_secs() < 8, "{question}: {:?}", started.elapsed());
                }
            }
        }
    }
}
