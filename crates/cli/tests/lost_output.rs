//! What must not be lost: a result that cannot be written, and the report of a search that somebody ends.
#![cfg(unix)]

mod common;

use common::{directory, stderr, stdout, zonewalk};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const MODEL: &str = "clock x;
int[0,3] n = 0;
process P() { state A, B; init A; trans A -> B { guard x >= 1; }; }
P1 = P();
system P1;
";

/// A counter that takes longer than anybody waits.
const ENDLESS: &str = "int[0,1000000000] n = 0;
process P() { state A; init A; trans A -> A { guard n < 1000000000; assign n = n + 1; }; }
P1 = P();
system P1;
";

const FILES: &[(&str, &str)] = &[
    ("m.xta", MODEL),
    ("endless.xta", ENDLESS),
    ("g.aut", "des (0, 1, 2)\n(0, a, 1)\n"),
    ("c.csv", "run,expression,time,value\n0,x,0,1\n"),
];

/// A device on which every write fails, because it is full.
const FULL: &str = "/dev/full";

/// The command with its standard output on a full disk.
fn on_full_disk(here: &Path, words: &[&str]) -> Output {
    let full = File::options().write(true).open(FULL).expect("a full disk");
    let mut command = Command::new(env!("CARGO_BIN_EXE_zonewalk"));
    command.args(words).current_dir(here).stdout(full).stderr(Stdio::piped()).output().expect("zonewalk runs")
}

#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    if !Path::new(FULL).exists() {
        println!("SKIPPED: there is no {FULL}");
        return;
    }
    let here = directory("full", FILES);
    let report = stdout(&zonewalk(&here, &["check", "m.xta", "-q", "E<> P1.B", "--json"]));
    std::fs::write(here.join("r.json"), report).expect("a file");
    let commands: &[&[&str]] = &[
        &["check", "m.xta", "-q", "E<> P1.B"],
        &["check", "m.xta", "-q", "E<> P1.B", "--json"],
        &["check", "m.xta", "-q", "E<> n == 2"],
        &["check", "m.xta", "-q", "E<> P1.B", "--trace", "json"],
        &["check", "g.aut", "-q", "E<> deadlock"],
        &["check", "g.aut", "-q", "E<> deadlock", "--json"],
        &["info", "m.xta"],
        &["info", "m.xta", "--json"],
        &["replay", "m.xta", "r.json"],
        &["replay", "m.xta", "r.json", "--json"],
        &["plot", "c.csv"],
        &["--help"],
        &["check", "--help"],
        &["--version"],
    ];
    for words in commands {
        let output = on_full_disk(&here, words);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains("cannot be written to standard output"), "{words:?}: {said}");
    }
    // Who has nothing to say loses nothing.
    let output = on_full_disk(&here, &["check", "none.xta", "-q", "E<> P1.B"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!stderr(&output).contains("standard output"), "{}", stderr(&output));
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    if !Path::new(FULL).exists() {
        println!("SKIPPED: there is no {FULL}");
        return;
    }
    let here = directory("full-files", FILES);
    let component = "broadcast chan a;\nprocess P() { state A; init A; trans A -> A { sync a!; }; }\nP1 = P();\n\
                     system P1;\nIO P1 { a! }\n";
    std::fs::write(here.join("io.xta"), component).expect("a file");
    let commands: &[&[&str]] = &[
        &["check", "m.xta", "-q", "A[] n == 0", "--certificate"],
        &["check", "m.xta", "-q", "simulate [<=10;3] {x, P1.B}", "--csv"],
        &["check", "m.xta", "-q", "simulate [<=10;3] {x, P1.B}", "--plot"],
        &["check", "m.xta", "-q", "E<> P1.B", "--search", "gbfs", "--log-heuristic"],
        &["check", "g.aut", "-q", "E<> deadlock", "--search", "gbfs", "--log-heuristic"],
        &["check", "io.xta", "-q", "get-component: P1", "--component"],
        &["plot", "c.csv", "--out"],
    ];
    for words in commands {
        let sound = zonewalk(&here, &[words, &["out.file"][..]].concat());
        assert_eq!(sound.status.code(), Some(0), "{words:?}: {}", stderr(&sound));
        assert!(here.join("out.file").is_file(), "{words:?}");
        std::fs::remove_file(here.join("out.file")).expect("the file goes");
        let output = zonewalk(&here, &[words, &[FULL][..]].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("`/dev/full` cannot be written"), "{words:?}: {}", stderr(&output));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let here = directory("pipe", FILES);
    let mut child = Command::new(env!("CARGO_BIN_EXE_zonewalk"))
        .args(["check", "endless.xta", "-q", "A[] n >= 0", "--json", "--time-limit", "300ms"])
        .current_dir(&here)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("zonewalk runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("zonewalk ends");
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(4), ""));
}

#[test]
fn both_signals_end_the_search_and_keep_the_report() {
    let here = directory("signals", FILES);
    for signal in ["-INT", "-TERM"] {
        let child = Command::new(env!("CARGO_BIN_EXE_zonewalk"))
            .args(["check", "endless.xta", "-q", "A[] n >= 0", "-q", "E<> n == 1", "--json", "--time-limit", "60s"])
            .current_dir(&here)
            .stdout(Stdio::piped())
            .spawn()
            .expect("zonewalk runs");
        std::thread::sleep(std::time::Duration::from_millis(1500));
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
        assert!(killed.success());
        let output = child.wait_with_output().expect("zonewalk ends");
        assert_eq!(output.status.code(), Some(4), "{signal}");
        let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        for n in 0..2 {
            assert_eq!(report["results"][n]["reason"], "interrupted", "{signal}");
        }
        assert!(report["results"][0]["stats"]["states_explored"].as_u64() > Some(0), "{signal}");
    }
}
