//! The judge sees each of the things that must never happen: programs that do them, as scripts.

use super::case::{Call, Case, Kind, Limits, Truth};
use super::judge::{Fault, Judge, Outcome};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A folder of its own for each test, with a program that runs this script.
fn program(test: &str, script: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tmp").join(format!("xtask-{test}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("program");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
    path
}

fn call(search: &str) -> Call {
    let limits = Limits { millis: 10, megabytes: 100, threads: 1 };
    Call {
        arguments: vec!["check".to_owned(), "model.xta".to_owned(), "--json".to_owned(), search.to_owned()],
        limits: Some(limits),
        compared: true,
        replayed: true,
        truth: None,
    }
}

fn judged(test: &str, script: &str, calls: Vec<Call>) -> Outcome {
    let program = program(test, script);
    let files =
        vec![("model.xta".to_owned(), b"{\"results\": [{\"query\": \"q\", \"verdict\": \"violated\"}]}".to_vec())];
    let case = Case { kind: Kind::Structure, files, changed: 0, calls };
    let folder = program.parent().expect("a folder").join("case");
    Judge::new(program).judge(&case, &folder)
}

fn fault(test: &str, script: &str, calls: Vec<Call>) -> Option<Fault> {
    judged(test, script, calls).fault
}

fn answer(verdict: &str, evidence: &str, more: &str) -> String {
    format!("echo '{{\"results\": [{{\"verdict\": \"{verdict}\", \"evidence\": \"{evidence}\"{more}}}]}}'")
}

#[test]
fn what_must_not_happen_is_seen() {
    let one = || vec![call("bfs")];
    assert_eq!(fault("sound", &answer("satisfied", "exhaustive", ""), one()), None);
    assert_eq!(fault("internal", "exit 70", one()), Some(Fault::Internal));
    assert_eq!(fault("status", "exit 101", one()), Some(Fault::Status(101)));
    assert_eq!(fault("signal", "kill -11 $$", one()), Some(Fault::Signal(11)));
    let panic = "echo \"thread 'main' (7) panicked at src/a.rs:3:5:\" >&2; exit 2";
    assert_eq!(fault("panic", panic, one()), Some(Fault::Panic("src/a.rs:3:5".to_owned())));
    assert!(matches!(fault("no-json", "echo '{'", one()), Some(Fault::NoJson(_))));
    assert!(matches!(fault("nothing", "exit 0", one()), Some(Fault::NoJson(_))));
    let busy = "i=0; while [ $i -lt 3000000 ]; do i=$((i+1)); done";
    assert!(matches!(fault("time", busy, one()), Some(Fault::Time(..))));
    let large =
        "x=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do x=$x$x; done";
    let patient = Limits { millis: 60_000, megabytes: 100, threads: 1 };
    let calls = vec![Call { limits: Some(patient), ..call("bfs") }];
    assert!(matches!(fault("memory", large, calls), Some(Fault::Memory(..))));
}

#[test]
fn searches_that_contradict_each_other_are_seen() {
    let two = || vec![call("bfs"), call("ret")];
    let said = |test: &str, bfs: String, ret: String| {
        fault(test, &format!("case $4 in bfs) {bfs};; ret) {ret};; *) exit 0;; esac"), two())
    };
    let yes = || answer("satisfied", "exhaustive", "");
    assert!(matches!(said("verdicts", yes(), answer("violated", "witness", "")), Some(Fault::Contradiction(_))));
    assert_eq!(said("unknown", yes(), answer("unknown", "none", "")), None);
    let error = answer("error", "witness", ", \"trace\": {}");
    assert!(matches!(said("error", yes(), error), Some(Fault::Contradiction(_) | Fault::Refused(_))));
    // Without a run an error contradicts nothing: it may be one of the query.
    assert_eq!(said("mistake", yes(), answer("error", "none", ", \"trace\": null")), None);
    let value = |value: &str| answer("satisfied", "exhaustive", &format!(", \"value\": \"{value}\""));
    assert!(matches!(said("values", value("3"), value("4")), Some(Fault::Contradiction(_))));
    assert_eq!(said("value", value("3"), value("3")), None);
}

#[test]
fn a_run_that_is_refused_is_seen() {
    let script = format!("[ $1 = replay ] && exit 1; {}", answer("satisfied", "witness", ", \"trace\": {}"));
    let outcome = judged("refused", &script, vec![call("bfs")]);
    assert!(matches!(outcome.fault, Some(Fault::Refused(_))) && outcome.replayed == 1);
}

#[test]
fn forged_evidence_that_is_accepted_is_seen() {
    let told = |truth: Truth| vec![Call { truth: Some(truth), compared: false, replayed: false, ..call("bfs") }];
    let verdict = |verdict: &str| Truth::Verdict { query: "q".to_owned(), verdict: verdict.to_owned() };
    let (accepted, refused) = (answer("accepted", "", ""), answer("refused", "", ""));
    assert!(matches!(fault("forged", &accepted, told(verdict("satisfied"))), Some(Fault::Forged(_))));
    assert_eq!(fault("true", &accepted, told(verdict("violated"))), None);
    assert_eq!(fault("refused-forgery", &refused, told(verdict("satisfied"))), None);
    assert!(matches!(fault("certificate", &accepted, told(Truth::Nothing)), Some(Fault::Forged(_))));
    assert_eq!(fault("no-certificate", &refused, told(Truth::Nothing)), None);
}
