//! Networks that once had a wrong answer. Each begins with its queries and their answers:
//!
//! ```text
//! // query: E<> P.L1
//! // expect: satisfied
//! ```

use crate::compare::Subject;
use engine::options::Options;
use engine::report::Verdict;
use engine::searches::directed::HEURISTICS;
use engine::searches::{SEARCHES, SearchRow, States};
use std::path::Path;

fn expectations(text: &str) -> Vec<(String, String)> {
    let mut list = Vec::new();
    for line in text.lines() {
        if let Some(query) = line.strip_prefix("// query: ") {
            list.push((query.to_owned(), String::new()));
        } else if let (Some(answer), Some(last)) = (line.strip_prefix("// expect: "), list.last_mut()) {
            last.1 = answer.to_owned();
        }
    }
    list
}

#[test]
fn what_was_wrong_once_stays_right() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let mut seen = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = expectations(&text);
        assert!(!expected.is_empty(), "{}: no query", path.display());
        let queries: Vec<String> = expected.iter().map(|(query, _)| query.clone()).collect();
        let subject =
            Subject::of_text(&text, &queries).unwrap_or_else(|failure| panic!("{}: {}", path.display(), failure.text));
        for row in SEARCHES.into_iter().filter(|row| row.proves || row.walking().is_some()) {
            let search = row.name;
            let options = Options { search: row.into(), walks: Some(100), ..Options::default() };
            for (answer, (_, expect)) in subject.answers(&options).iter().zip(&expected) {
                assert!(!answer.internal, "{} {search} {}: {:?}", path.display(), answer.query, answer.reason);
                // A walk may meet an error, with a run to it, where another would have found what is there.
                let has_met = answer.verdict == Verdict::Error && answer.trace.is_some() && expect != "error";
                if !row.proves && (answer.verdict == Verdict::Unknown || has_met) {
                    continue;
                }
                let word = match answer.verdict {
                    Verdict::Satisfied => "satisfied",
                    Verdict::Violated => "violated",
                    Verdict::Unknown => "unknown",
                    Verdict::Error => "error",
                };
                // Deep random search looks for states and runs, directed searches for states.
                if (search == "drs" || is_directed(row)) && answer.unsupported {
                    continue;
                }
                let said = answer.value.as_ref().map_or(word.to_owned(), |value| format!("{word} {value}"));
                assert_eq!(&said, expect, "{} {search} {}: {:?}", path.display(), answer.query, answer.reason);
                seen += 1;
            }
        }
    }
    assert!(seen > 0);
}

fn is_directed(row: &SearchRow) -> bool {
    row.ways.states.as_ref().is_some_and(|way| matches!(way.make, States::Directed(_)))
}

#[test]
fn directed_searches_see_errors_behind_dead_ends() {
    let text = include_str!("../regressions/error_behind_a_dead_end.xta");
    let queries: Vec<String> = expectations(text).into_iter().map(|(query, _)| query).collect();
    let subject = Subject::of_text(text, &queries).unwrap_or_else(|failure| panic!("{}", failure.text));
    for row in SEARCHES.into_iter().filter(|row| is_directed(row)) {
        // Without a heuristic no transition seems useless.
        for &(_, kind) in HEURISTICS.named.iter().filter(|(name, _)| row.name != "ut" || *name != "null") {
            let options = Options { search: row.into(), heuristic: Some(kind), ..Options::default() };
            for answer in subject.answers(&options) {
                assert_eq!(answer.verdict, Verdict::Error, "{} by {options:?}: {:?}", answer.query, answer.reason);
            }
        }
    }
}
