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
