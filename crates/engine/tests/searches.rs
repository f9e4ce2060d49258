//! The table of searches says what is so: every search answers what it says it suits, proves only if it says so, and is refused
//! for the rest with what would fit.

use engine::check::check;
use engine::explicit::{self, Graph, Written};
use engine::limits::Watch;
use engine::options::Options;
use engine::questions::graphs::GRAPH;
use engine::questions::{self, QUESTIONS, QuestionRow, Subject};
use engine::report::{Answer, Evidence, Status, Verdict};
use engine::searches::{SEARCHES, SearchRow};
use model::load::{load_bytes, query_text};
use std::path::{Path, PathBuf};

const NETWORK: &str = "clock x;
broadcast chan c;
int[0,3] n = 0;
process P() {
  state A { x <= 5 }, B, C;
  init A;
  trans A -> B { guard x >= 1 && n < 3; sync c!; assign n = n + 1, x = 0; }, A -> C { guard n == 3; }, B -> A { guard x <= 4; };
}
P1 = P();
system P1;
";

const SYSTEMS: &str = "broadcast chan a, b;
process Slow() { clock x; state A { x <= 4 }; init A; trans A -> A { guard x >= 2; sync a!; assign x = 0; }; }
process Free() { clock x; state A { x <= 5 }; init A; trans A -> A { guard x >= 1; sync a!; assign x = 0; }; }
S = Slow();
F = Free();
system S, F;
IO S { a! }
IO F { a! }
";

/// A model, a query about it, and the verdict; of queries about runs, also whether it takes a proof.
type Row = (&'static str, &'static str, Verdict, bool);

/// Each form of query has a row; those that searches answer have one that takes a proof, and one that does not.
const ROWS: &[Row] = &[
    (NETWORK, "E<> n == 2", Verdict::Satisfied, false),
    (NETWORK, "E<> n == 2 && x > 7 && P1.A", Verdict::Violated, true),
    (NETWORK, "A[] n < 2", Verdict::Violated, false),
    (NETWORK, "A[] n <= 3", Verdict::Satisfied, true),
    (NETWORK, "E[] n <= 1", Verdict::Satisfied, false),
    (NETWORK, "E[] P1.A", Verdict::Violated, true),
    (NETWORK, "A<> n > 1", Verdict::Violated, false),
    (NETWORK, "A<> P1.B", Verdict::Satisfied, true),
    (NETWORK, "P1.B --> P1.A", Verdict::Violated, false),
    (NETWORK, "P1.A --> n >= 1", Verdict::Satisfied, true),
    (NETWORK, "buchi: P1.B", Verdict::Violated, true),
    (NETWORK, "sup: n", Verdict::Satisfied, true),
    (NETWORK, "inf: n", Verdict::Satisfied, true),
    (NETWORK, "bounds: n", Verdict::Satisfied, true),
    (NETWORK, "Pr[<=20;50](<> n == 1)", Verdict::Satisfied, true),
    (NETWORK, "Pr[<=20](<> n == 1) >= 0.5", Verdict::Satisfied, true),
    (NETWORK, "Pr[<=20](<> n == 1) >= Pr[<=20](<> n == 5)", Verdict::Satisfied, true),
    (NETWORK, "E[<=20;50](max: n)", Verdict::Satisfied, true),
    (NETWORK, "simulate[<=20;5] {n}", Verdict::Satisfied, true),
    (SYSTEMS, "refinement: F <= S", Verdict::Violated, false),
    (SYSTEMS, "refinement: S <= F", Verdict::Satisfied, true),
    (SYSTEMS, "consistency: S", Verdict::Satisfied, true),
    (SYSTEMS, "determinism: S", Verdict::Satisfied, true),
    (SYSTEMS, "specification: S", Verdict::Satisfied, true),
    (SYSTEMS, "implementation: S", Verdict::Violated, true),
    (SYSTEMS, "prune: S", Verdict::Satisfied, true),
    (SYSTEMS, "get-component: S", Verdict::Satisfied, true),
    (SYSTEMS, "reachability: S -> S.A", Verdict::Satisfied, false),
    (SYSTEMS, "reachability: S -> S.A && S.x > 4", Verdict::Violated, true),
];

/// Walks of a search that proves nothing come to an end.
fn options(search: &'static SearchRow) -> Options {
    Options { search: search.into(), walks: Some(200), threads: Some(2), ..Options::default() }
}

fn ask(text: &str, query: &str, options: &Options) -> (&'static QuestionRow, Answer) {
    let mut loaded = load_bytes("m.xta", text.as_bytes(), &[]);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let asked = [model.query(&query_text(&mut loaded.sources, "q", query))];
    let row = asked[0].query.as_ref().map(questions::of);
    let row = row.unwrap_or_else(|| panic!("{query}: {:?}", asked[0].diagnostics));
    let report = check("m", &loaded.sources, &asked, options, &mut Watch::none(), &mut |_| ());
    (row, report.results.into_iter().next().expect("an answer"))
}

/// What an answer has to be, by the row of the search.
fn judge(search: &SearchRow, row: &QuestionRow, answer: &Answer, (expected, needs_proof): (Verdict, bool)) {
    let name = format!("{} by {}: {:?} {:?}", answer.query, search.name, answer.verdict, answer.reason);
    assert!(!answer.internal, "{name}");
    if !search.suits(row.subject) && row.subject.has_searches() {
        assert_eq!((answer.verdict, answer.status()), (Verdict::Unknown, Status::Unsupported), "{name}");
        let reason = answer.reason.as_deref().unwrap_or_default();
        assert!(reason.contains(&format!("`--search {}` is not for {}", search.name, row.name)), "{name}");
        for other in SEARCHES {
            let words = reason.split(": ").nth(1).unwrap_or_default().replace([',', ' '], "\n");
            let is_named = words.lines().any(|word| word == other.name);
            assert_eq!(is_named, other.suits(row.subject), "{name}: {}", other.name);
        }
        return;
    }
    let is_sure = search.proves || !row.subject.has_searches() || !needs_proof;
    assert_eq!(answer.verdict, if is_sure { expected } else { Verdict::Unknown }, "{name}");
    if !search.proves && row.subject.has_searches() {
        let evidence = if is_sure { Evidence::Witness } else { Evidence::None };
        assert_eq!(answer.evidence, evidence, "{name}");
    }
}

#[test]
fn every_search_answers_what_it_suits_and_is_refused_for_the_rest() {
    for (text, query, expected, needs_proof) in ROWS {
        for search in SEARCHES {
            let (row, answer) = ask(text, query, &options(search));
            judge(search, row, &answer, (*expected, *needs_proof));
        }
    }
}

#[test]
fn the_same_for_explicit_graphs() {
    let edges = [(0, "coin", 1), (1, "tea", 0), (1, "break", 2)];
    let graph = Graph::from_edges(0, 3, &edges).expect("a graph");
    for (query, expected, needs_proof) in
        [("E<> deadlock", Verdict::Satisfied, false), ("A[] not \"coffee\"", Verdict::Satisfied, true)]
    {
        for search in SEARCHES {
            let written = [Written { name: "-q".to_owned(), text: query.to_owned() }];
            let report = explicit::check("g", &graph, &written, &options(search), &mut Watch::none(), &mut |_| ());
            judge(search, &GRAPH, &report.results[0], (expected, needs_proof));
        }
    }
}

#[test]
fn every_form_of_query_is_asked_here() {
    let asked: Vec<&str> = ROWS.iter().map(|(text, query, ..)| ask(text, query, &Options::default()).0.name).collect();
    for row in QUESTIONS.iter().filter(|row| row.subject != Subject::GraphStates) {
        assert!(asked.contains(&row.name), "{}", row.name);
    }
}

/// What somebody calls a search is known to the table only: adding a search touches its file and the list.
#[test]
fn names_of_searches_stand_in_the_table_only() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for name in ["engine", "cli", "xtask"] {
        sources(&crates.join(name).join("src"), &mut files);
    }
    assert!(files.len() > 80, "{} files", files.len());
    for file in files.iter().filter(|file| !file.parent().is_some_and(|folder| folder.ends_with("searches"))) {
        let text = std::fs::read_to_string(file).expect("a source file");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for search in SEARCHES {
            let is_there = code.contains(&format!("\"{}\"", search.name));
            assert!(!is_there, "{} knows of `{}`", file.display(), search.name);
        }
    }
}

/// All source files but those of tests.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let is_test = path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("_tests"));
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !is_test {
            files.push(path);
        }
    }
}
