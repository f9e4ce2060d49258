//! The command line as scripts rely on it: exit statuses, what goes where, help.

use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const MODEL: &str = "const int N = 3; chan go; int v; typedef int[0,N-1] id_t;
process T(const id_t id) { state A, B; init A; trans A -> B { assign v = id; }; }
system T;
";
const NO_ENGINE: &str = "import \"lib.so\" { int far(int a); };\nint v;
process T() { state A; init A; trans A -> A { assign v = far(3); }; }\nsystem T;\n";
const BAD: &str = "int v = nothing;\nprocess T() { state A; init A; }\nsystem T;\n";
const GOOD_XML: &str = "<nta><template><name>T</name><location id='a'><name>A</name></location><init ref='a'/></template>\
    <system>system T;</system><queries><query><formula>E&lt;&gt; T.A</formula></query>\
    <query><formula>E&lt;&gt; T.B</formula></query></queries></nta>";

/// A directory of its own for each test, gone afterwards.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let place = std::env::temp_dir().join(format!("zonewalk-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&place).expect("a temporary directory");
        for (file, text) in [
            ("model.xta", MODEL),
            ("foreign.xta", NO_ENGINE),
            ("bad.xta", BAD),
            ("queries.xml", GOOD_XML),
            ("good.q", "E<> T(0).B\nA[] not deadlock\n"),
            ("mixed.q", "E<> T(0).B\nE<> T(0).C\nA[] v < 3\n"),
            ("beside.xta", MODEL),
            ("beside.q", "E<> T(1).B\n"),
            ("empty.q", "// nothing\n"),
        ] {
            std::fs::write(place.join(file), text).expect("a file");
        }
        Place(place)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        zonewalk(&self.0).args(arguments).output().expect("zonewalk runs")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn zonewalk(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zonewalk"));
    command.current_dir(directory);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

#[test]
fn exit_statuses() {
    let place = Place::new("statuses");
    let rows: &[(&str, i32)] = &[
        ("info model.xta", 0),
        ("info model.xta --json", 0),
        ("info model.xta -D N=5", 0),
        ("info foreign.xta", 0),
        ("info bad.xta", 2),
        ("info bad.xta --json", 2),
        ("info nowhere.xta", 2),
        ("info nowhere.xta --json", 2),
        ("info .", 2),
        ("info queries.xml", 2),
        ("info model.xta -D M=5", 2),
        ("info model.xta -D N", 2),
        ("info model.xta --nonsense", 2),
        ("info", 2),
        ("info model.xta extra.q", 2),
        ("check model.xta -q E<>true", 0),
        ("check model.xta good.q", 1),
        ("check model.xta -q A[]v<2", 1),
        ("check model.xta -q E<>false --max-depth 1", 4),
        ("check model.xta -q E<>false -q A[]v<2 --time-limit 0ms", 4),
        ("check model.xta mixed.q", 2),
        ("check model.xta mixed.q --json", 2),
        ("check model.xta nowhere.q", 2),
        ("check model.xta empty.q", 2),
        ("check model.xta", 2),
        ("check beside.xta", 0),
        ("check queries.xml", 2),
        ("check bad.xta -q E<>true", 2),
        ("check nowhere.xta", 2),
        ("check model.xta -q nonsense", 2),
        ("check model.xta -q control:A<>T(0).B", 3),
        ("check model.xta -q control:A<>T(0).B -q E<>true", 3),
        ("check model.xta -q control:A<>T(0).B -q nonsense", 2),
        ("check model.xta -q Pr[<=10](<>v==1)", 3),
        ("check foreign.xta -q E<>v==1", 3),
        ("check model.xta -q E<>true --search bfs --seed 7 --time-limit 5s --memory-limit 1G --threads 2", 0),
        ("check model.xta -q E<>true --search nonsense", 2),
        ("check model.xta -q E<>true --time-limit soon", 2),
        ("check model.xta -q E<>true --threads 0", 2),
        ("check model.xta -q E<>true --shortest --fastest", 2),
        ("check", 2),
        ("nonsense", 2),
        ("", 2),
        ("--help", 0),
        ("check --help", 0),
        ("info --help", 0),
        ("help", 0),
        ("--version", 0),
    ];
    for (command, expected) in rows {
        let output = place.run(&command.split_whitespace().collect::<Vec<_>>());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(*expected), "zonewalk {command}\n{said}");
        assert!(*expected != 2 || !said.is_empty(), "zonewalk {command} says why");
        assert!(!said.contains("panicked"), "zonewalk {command}\n{said}");
    }
}

#[test]
fn a_bad_query_does_not_keep_the_others_from_being_answered() {
    let place = Place::new("mixed");
    let output = place.run(&["check", "model.xta", "mixed.q"]);
    let (answers, messages) = (text(&output.stdout), text(&output.stderr));
    for line in ["  1. E<> T(0).B\n     satisfied", "  2. E<> T(0).C\n     error", "  3. A[] v < 3\n     satisfied"] {
        assert!(answers.contains(line), "{line}\n{answers}");
    }
    assert!(messages.contains("mixed.q:2:10"), "{messages}");
    let report: Value = json(&place.run(&["check", "model.xta", "mixed.q", "--json"]));
    let verdicts: Vec<&Value> = (0..3).map(|n| &report["results"][n]["verdict"]).collect();
    assert_eq!(verdicts, ["satisfied", "error", "satisfied"]);
    let place = &report["results"][1]["place"];
    assert_eq!((&place["file"], &place["line"], &place["column"]), (&"mixed.q".into(), &2.into(), &10.into()));
}

/// What is not read, or read by other rules, may change what is verified.
#[test]
fn check_says_what_it_does_not_read_as_written() {
    let place = Place::new("doubts");
    let old = "clock x;\nprocess T() { state A, B; init A; trans A -> B { guard x => 3; }; }\nsystem T;\n";
    let label = "<nta><template><name>T</name><location id='a'><name>A</name></location><init ref='a'/>\
        <transition><source ref='a'/><target ref='a'/><label kind='synchronization'>c!</label></transition></template>\
        <system>system T;</system></nta>";
    for (file, text, code) in
        [("old.xta", old, Some("W0008")), ("label.xml", label, Some("W0007")), ("plain.xta", MODEL, None)]
    {
        std::fs::write(place.0.join(file), text).expect("a file");
        let output = place.run(&["check", file, "-q", "E<> true"]);
        let said = self::text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{file}: {said}");
        match code {
            Some(code) => assert!(said.contains(code), "{file}: {said}"),
            None => assert_eq!(said, "", "{file}"),
        }
    }
}

/// The one document on standard output.
fn json(output: &Output) -> Value {
    let said = text(&output.stdout);
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}:\n{said}"))
}

#[test]
fn json_is_one_document_and_nothing_else() {
    let place = Place::new("json");
    for (command, schema) in [
        ("info model.xta --json", "zonewalk.info/1"),
        ("info foreign.xta --json", "zonewalk.info/1"),
        ("info queries.xml --json", "zonewalk.info/1"),
        ("info bad.xta --json", "zonewalk.failure/1"),
        ("info nowhere.xta --json", "zonewalk.failure/1"),
        ("check model.xta good.q --json", "zonewalk.report/1"),
        ("check model.xta mixed.q --json", "zonewalk.report/1"),
        ("check bad.xta good.q --json", "zonewalk.failure/1"),
        ("check model.xta nowhere.q --json", "zonewalk.failure/1"),
    ] {
        let output = place.run(&command.split_whitespace().collect::<Vec<_>>());
        assert_eq!(json(&output)["schema"], schema, "zonewalk {command}");
    }
    let failure = json(&place.run(&["info", "bad.xta", "--json"]));
    assert_eq!(failure["messages"][0]["code"], "E0201");
    assert_eq!(failure["messages"][0]["place"]["line"], 1);
    let info = json(&place.run(&["info", "model.xta", "-D", "N=7", "--json"]));
    assert_eq!(info["totals"]["processes"], 7);
}

#[test]
fn help_names_every_option_and_gives_examples() {
    let place = Place::new("help");
    let check = text(&place.run(&["check", "--help"]).stdout);
    for option in engine::options::all() {
        assert!(check.contains(&format!("--{}", option.name)), "--{} is in the help:\n{check}", option.name);
    }
    for (arguments, words) in [
        (&["--help"][..], &["check", "info", "Exit status", "Examples"][..]),
        (&["check", "--help"], &["-q", "-D", "--json", "QUERIES.q", "Examples"]),
        (&["info", "--help"], &["-D", "--json", "MODEL", "Examples"]),
    ] {
        let output = place.run(arguments);
        let help = text(&output.stdout);
        assert!(output.stderr.is_empty(), "help that was asked for goes to standard output");
        for word in words {
            assert!(help.contains(word), "{word} is in the help of {arguments:?}:\n{help}");
        }
        assert!(help.lines().all(|line| line.chars().count() <= 120), "{help}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new("head");
    // More than a pipe holds.
    let variables: String = (0..3000).map(|n| format!("int variable{n}; ")).collect();
    std::fs::write(place.0.join("large.xta"), variables + MODEL).expect("a file");
    let mut child = zonewalk(&place.0)
        .args(["info", "large.xta", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("zonewalk runs");
    // As `| head -c 1` does.
    let mut first = [0];
    let mut stdout = child.stdout.take().expect("standard output");
    stdout.read_exact(&mut first).expect("a byte");
    drop(stdout);
    let output = child.wait_with_output().expect("zonewalk ends");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn colours_are_for_terminals_only() {
    let place = Place::new("colours");
    let is_plain = |output: Output| !text(&output.stderr).contains('\u{1b}');
    let bad = |variables: &[(&str, &str)]| {
        zonewalk(&place.0).args(["info", "bad.xta"]).envs(variables.iter().copied()).output().expect("zonewalk runs")
    };
    assert!(is_plain(bad(&[])));
    assert!(is_plain(bad(&[("NO_COLOR", "1")])));
    assert!(is_plain(bad(&[("TERM", "dumb")])));
    assert!(!is_plain(bad(&[("CLICOLOR_FORCE", "1")])), "a pager may ask for colours");
}
