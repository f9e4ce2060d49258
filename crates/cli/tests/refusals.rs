//! Everything that the table of options refuses: exit status 2 before anything runs, the option named, and what would fit.

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

/// Timed I/O: a machine and what it is to be.
const SYSTEMS: &str = "broadcast chan a;
process P() { state A; init A; trans A -> A { sync a!; }; }
P1 = P();
P2 = P();
system P1, P2;
IO P1 { a! }
IO P2 { a! }
";

const GRAPH: &str = "des (0, 2, 2)\n(0, \"coin\", 1)\n(1, tea, 0)\n";

const MIXED: &str = "E<> P1.G\nP1.A --> n == 0\nsup: n\nPr[<=4](<> P1.B)\n";

fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&path).expect("a directory");
    for (name, text) in [("m.xta", MODEL), ("io.xta", SYSTEMS), ("g.aut", GRAPH), ("mixed.q", MIXED)] {
        std::fs::write(path.join(name), text).expect("a file");
    }
    path
}

fn zonewalk(directory: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zonewalk")).args(words).current_dir(directory).output().expect("zonewalk runs")
}

/// One command: the file, the query, the options, which option is named, and what would fit.
type Row = (&'static str, &'static str, &'static [&'static str], &'static str, &'static str);

const REACH: &str = "E<> P1.G";
const LEADS_TO: &str = "P1.A --> P1.G";
const PR: &str = "Pr[<=4](<> P1.B)";
const TEST: &str = "Pr[<=4](<> P1.B) >= 0.5";
const SIMULATE: &str = "simulate [<=4] {n}";
const REFINES: &str = "refinement: P1 <= P2";
const REACHES: &str = "reachability: P1 -> P1.A";

/// What a text is that is no value.
const VALUES: &[Row] = &[
    ("m.xta", REACH, &["--search", "bsf"], "--search", "is `bfs` meant?"),
    ("m.xta", REACH, &["--search", "nonsense"], "--search", "one of auto, dive, rank, bfs"),
    ("m.xta", REACH, &["--search", "BFS"], "--search", "is `bfs` meant?"),
    ("m.xta", REACH, &["--search", ""], "--search", "auto"),
    ("m.xta", REACH, &["--search", "gbfs", "--heuristic", "h2"], "--heuristic", "hL"),
    ("m.xta", REACH, &["--search", "gbfs", "--tie", "lfio"], "--tie", "is `lifo` meant?"),
    ("m.xta", REACH, &["--search", "gbfs", "--exploration", "1"], "--exploration", "a number from 0 up to, but not"),
    ("m.xta", REACH, &["--search", "gbfs", "--cache-heuristic", "yes"], "--cache-heuristic", "on, off"),
    ("m.xta", REACH, &["--search", "ua", "--plateau-guard", "-1"], "--plateau-guard", "a number from 0 on"),
    ("m.xta", REACH, &["--search", "ua", "--plateau-guard=-1"], "--plateau-guard", "a number from 0 on"),
    ("m.xta", REACH, &["--search", "highway", "--width", "0"], "--width", "a number from 1 to 4294967295"),
    ("m.xta", REACH, &["--search", "highway", "--width", "4294967296"], "--width", "a number from 1 to 4294967295"),
    ("m.xta", REACH, &["--search", "random", "--states", "0"], "--states", "a number from 1 on"),
    ("m.xta", REACH, &["--search", "random", "--restarts", "many"], "--restarts", "a number from 0 on"),
    ("m.xta", REACH, &["--search", "drs", "--increment", "0"], "--increment", "a number from 1 to 4294967295"),
    ("m.xta", REACH, &["--search", "drs", "--cutoff", "4294967296"], "--cutoff", "a number from 0 to 4294967295"),
    ("m.xta", REACH, &["--search", "drs", "--fringe", "node"], "--fringe", "is `nodes` meant?"),
    ("m.xta", REACH, &["--search", "drs", "--compare", "equal"], "--compare", "is `equality` meant?"),
    ("m.xta", REACH, &["--search", "ret", "--walks", "0"], "--walks", "a number from 1 on"),
    ("m.xta", REACH, &["--search", "ret", "--delay", "habit"], "--delay", "is `habits` meant?"),
    ("m.xta", REACH, &["--search", "ret", "--depth", "7"], "--depth", "doubling, luby"),
    ("m.xta", REACH, &["--search", "ret", "--guide", "splitt"], "--guide", "is `split` meant?"),
    ("m.xta", REACH, &["--search", "ret", "--level", "x"], "--level", "integer"),
    ("m.xta", REACH, &["--threads", "0"], "--threads", "a number from 1 to 4096"),
    ("m.xta", REACH, &["--threads", "4097"], "--threads", "a number from 1 to 4096"),
    ("m.xta", REACH, &["--seed", "x"], "--seed", "a number from 0 on"),
    ("m.xta", REACH, &["--max-depth", "1.5"], "--max-depth", "a number from 0 on"),
    ("m.xta", REACH, &["--time-limit", "soon"], "--time-limit", "500ms, 60s, 5m or 1h"),
    ("m.xta", REACH, &["--memory-limit", "4X"], "--memory-limit", "500M or 4G"),
    ("m.xta", REACH, &["--trace", "xml"], "--trace", "text, json, none"),
    ("m.xta", PR, &["--alpha", "1"], "--alpha", "a number between 0 and 1"),
    ("m.xta", PR, &["--epsilon", "nan"], "--epsilon", "a number between 0 and 1"),
    ("m.xta", TEST, &["--delta", "0"], "--delta", "a number between 0 and 1"),
    ("m.xta", PR, &["--discretization", "0"], "--discretization", "a number greater than 0"),
    ("m.xta", REACH, &["--serach", "bfs"], "--serach", "--search"),
];

/// Options that exclude each other.
const EXCLUDED: &[Row] = &[
    ("m.xta", REACH, &["--shortest", "--fastest"], "--shortest", "leave one of them out"),
    (
        "m.xta",
        REACH,
        &["--search", "ret", "--max-depth", "9", "--depth", "luby"],
        "--max-depth",
        "leave one of them out",
    ),
    (
        "m.xta",
        REACH,
        &["--search", "ret", "--shortest", "--guide", "split"],
        "--guide split",
        "`--guide bias` would fit",
    ),
    (
        "m.xta",
        REACH,
        &["--search", "ret", "--fastest", "--guide", "archive"],
        "--guide archive",
        "`--guide bias` would",
    ),
    ("m.xta", REACH, &["--search", "ret", "--shortest", "--level", "n"], "--level", "leave one of them out"),
    ("m.xta", REACH, &["--search", "ret", "--fastest", "--level", "n"], "--level", "leave one of them out"),
    ("m.xta", REACH, &["--search", "ret", "--level", "n", "--guide", "bias"], "--guide bias", "`split` or `mutate`"),
];

/// Options without an effect on the question, or with this search.
const IDLE: &[Row] = &[
    ("m.xta", LEADS_TO, &["--search", "dfs", "--heuristic", "hU"], "--heuristic", "E<> and A[]"),
    ("m.xta", LEADS_TO, &["--search", "dfs", "--heuristic", "hU"], "--heuristic", "gbfs, astar, ut or ua"),
    ("m.xta", LEADS_TO, &["--search", "dfs", "--width", "3"], "--width", "highway or highway-approx"),
    ("m.xta", LEADS_TO, &["--search", "dfs", "--guide", "split"], "--guide", "auto, sem, ret, rcf, rlc or rlc-a"),
    ("m.xta", LEADS_TO, &["--shortest"], "--shortest", "E<>"),
    ("m.xta", LEADS_TO, &["--certify"], "--certify", "E<>, A[]"),
    ("m.xta", LEADS_TO, &["--search", "drs", "--compare", "equality"], "--compare", "E<>"),
    ("m.xta", LEADS_TO, &["--increment", "3"], "--increment", "`--search` drs"),
    ("m.xta", REACH, &["--csv", "c.csv"], "--csv", "Pr, E[]-value and simulate"),
    ("m.xta", REACH, &["--plot", "c.svg"], "--plot", "Pr, E[]-value and simulate"),
    ("m.xta", REACH, &["--component", "c.xml"], "--component", "prune and get-component"),
    ("m.xta", REACH, &["--epsilon", "0.1"], "--epsilon", "Pr"),
    ("m.xta", REACH, &["--increment", "3"], "--increment", "`--search` drs"),
    ("m.xta", REACH, &["--search", "bfs", "--cutoff", "3"], "--cutoff", "`--search` drs"),
    ("m.xta", REACH, &["--search", "bfs", "--width", "3"], "--width", "highway or highway-approx"),
    ("m.xta", REACH, &["--search", "bfs", "--heuristic", "hU"], "--heuristic", "gbfs, astar, ut or ua"),
    ("m.xta", REACH, &["--search", "gbfs", "--plateau-guard", "3"], "--plateau-guard", "`--search` ua"),
    ("m.xta", REACH, &["--search", "ut", "--useless"], "--useless", "`--search` ua"),
    ("m.xta", REACH, &["--search", "gbfs", "--log-heuristic", "h.csv", "--walks", "3"], "--walks", "ret"),
    ("m.xta", REACH, &["--search", "bfs", "--log-heuristic", "h.csv"], "--log-heuristic", "gbfs, astar, ut or ua"),
    ("m.xta", REACH, &["--search", "bfs", "--delay", "uniform"], "--delay", "auto, sem, ret"),
    ("m.xta", REACH, &["--search", "bfs", "--level", "n"], "--level", "auto, sem, ret"),
    ("m.xta", REACH, &["--search", "ret", "--certify"], "--certify", "auto, dive, rank, bfs"),
    ("m.xta", REACH, &["--search", "ret", "--certificate", "c.json"], "--certificate", "auto, dive, rank, bfs"),
    ("m.xta", REACH, &["--search", "highway", "--certify"], "--certify", "auto, dive, rank, bfs"),
    ("m.xta", REACH, &["--search", "dfs", "--shortest"], "--shortest", "auto, bfs, sem"),
    ("m.xta", REACH, &["--search", "bfs", "--fastest"], "--fastest", "auto, sem"),
    ("m.xta", REACH, &["--shortest", "--delay", "uniform"], "--delay", "sem, ret"),
    ("m.xta", REACH, &["--search", "random", "--compare", "equality"], "--compare", "drs"),
    ("m.xta", "sup: n", &["--certify"], "--certify", "E<>, A[]"),
    ("m.xta", "sup: n", &["--walks", "3"], "--walks", "E<>"),
    ("m.xta", PR, &["--search", "bfs"], "--search", "leave it out"),
    ("m.xta", PR, &["--max-depth", "3"], "--max-depth", "E<>"),
    ("m.xta", PR, &["--beta", "0.1"], "--beta", "Pr test and Pr comparison"),
    ("m.xta", TEST, &["--epsilon", "0.1"], "--epsilon", "Pr"),
    ("m.xta", TEST, &["--csv", "c.csv"], "--csv", "simulate"),
    ("m.xta", SIMULATE, &["--u0", "0.5"], "--u0", "Pr comparison"),
    ("io.xta", REFINES, &["--guide", "split"], "--guide", "E<>"),
    ("io.xta", REFINES, &["--search", "bfs", "--walks", "3"], "--walks", "auto, drs, sem, ret or rcf"),
    ("io.xta", REFINES, &["--search", "sem", "--delay", "uniform"], "--delay", "auto, ret or rcf"),
    ("io.xta", REFINES, &["--search", "ret", "--certify"], "--certify", "auto, dive, rank, bfs"),
    ("io.xta", REFINES, &["--search", "ret", "--states", "5"], "--states", "auto, dive, rank, bfs"),
    ("io.xta", REFINES, &["--search", "bfs", "--width", "3"], "--width", "highway or highway-approx"),
    ("io.xta", REFINES, &["--search", "highway", "--certify"], "--certify", "auto, dive, rank, bfs"),
    ("io.xta", REACHES, &["--certify"], "--certify", "refinement"),
    ("io.xta", REACHES, &["--search", "bfs", "--cutoff", "3"], "--cutoff", "`--search` drs"),
    ("io.xta", "consistency: P1", &["--search", "bfs"], "--search", "leave it out"),
    ("io.xta", "consistency: P1", &["--component", "c.xml"], "--component", "prune and get-component"),
    ("g.aut", "E<> deadlock", &["--certify"], "--certify", "E<>, A[]"),
    ("g.aut", "E<> deadlock", &["--fastest"], "--fastest", "E<>"),
    ("g.aut", "E<> deadlock", &["--search", "gbfs", "--cache-heuristic", "off"], "--cache-heuristic", "E<>"),
    ("g.aut", "E<> deadlock", &["--csv", "c.csv"], "--csv", "simulate"),
    ("g.aut", "E<> deadlock", &["--delay", "uniform"], "--delay", "E<>"),
];

#[test]
fn every_refusal_names_the_option_and_says_what_would_fit() {
    let here = directory("refusals");
    let mut wrong = Vec::new();
    for (file, query, options, named, fits) in VALUES.iter().chain(EXCLUDED).chain(IDLE) {
        let output = zonewalk(&here, &[&["check", file, "-q", query], *options].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        // What is wrong in an expression has a code and a place.
        let is_error = said.contains("error: ") || said.contains("error[");
        let is_told = is_error && said.contains(named) && said.contains(fits);
        if output.status.code() != Some(2) || !output.stdout.is_empty() || !is_told {
            wrong.push(format!("{query} {options:?}: {:?}, not {fits:?}\n{said}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Nobody is told about one thing only.
#[test]
fn all_that_is_wrong_is_said_at_once() {
    let here = directory("all-refusals");
    let words =
        ["check", "m.xta", "-q", LEADS_TO, "--search", "dfs", "--heuristic", "hU", "--width", "3", "--guide", "split"];
    let output = zonewalk(&here, &words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for option in ["--heuristic", "--width", "--guide"] {
        assert!(said.contains(&format!("error: `{option}` has no effect on -->")), "{said}");
    }
    assert_eq!(said.lines().count(), 3, "{said}");
}

/// Of several queries it is enough that one takes an option; one that the search cannot answer is unsupported by itself.
#[test]
fn one_query_that_takes_an_option_is_enough() {
    let here = directory("mixed");
    let table: &[(&[&str], i32)] = &[
        (&[], 0),
        (&["--csv", "c.csv"], 0),
        (&["--epsilon", "0.1", "--certify", "--max-depth", "100000"], 0),
        (&["--search", "bfs"], 0),
        (&["--search", "drs", "--increment", "5"], 3),
        (&["--search", "gbfs", "--heuristic", "dU"], 3),
        (&["--search", "ret", "--guide", "split"], 3),
        (&["--search", "bfs", "--width", "3"], 2),
        (&["--component", "c.xml"], 2),
    ];
    for (options, status) in table {
        let output = zonewalk(&here, &[&["check", "m.xta", "mixed.q"], *options].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        let out = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(*status), "{options:?}\n{out}{said}");
        if *status == 3 {
            assert!(out.contains("would fit (mixed.q:"), "{options:?}\n{out}");
        }
    }
    // A query that cannot be read may be what an option is for: what is said is about the query.
    let output = zonewalk(&here, &["check", "m.xta", "-q", "Pr[<=4](<> P1.Nowhere)", "-q", REACH, "--csv", "c.csv"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(!said.contains("--csv") && said.contains("Nowhere"), "{said}");
}

/// `refine` asks one kind of question: what is not for that is not in its help, and says what it is for all the same.
#[test]
fn refine_shows_what_is_for_refinements() {
    let here = directory("refine");
    let help = zonewalk(&here, &["refine", "--help"]);
    let shown = String::from_utf8_lossy(&help.stdout);
    assert!(shown.contains("--certify") && shown.contains("--delay") && shown.contains("--width"), "{shown}");
    assert!(!shown.contains("--heuristic"), "{shown}");
    let output = zonewalk(&here, &["refine", "io.xta", "P1 <= P2", "--heuristic", "hU"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("`--heuristic` has no effect on refinement; it is for E<> and A[]"), "{said}");
    assert_eq!(
        zonewalk(&here, &["refine", "io.xta", "P1 <= P2", "--search", "dfs", "--certify"]).status.code(),
        Some(0)
    );
}
