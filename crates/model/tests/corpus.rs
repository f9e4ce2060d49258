//! Real models, written over many years by many hands, load unchanged.
//!
//! The models are not part of this repository. `ZONEWALK_CORPUS` names the directory that holds them; without it the
//! test says that it was skipped. A model that breaks the rules of the language stands in `corpus-refused.tsv`, with the
//! code and the line of the first error and the rule that it breaks.

use model::diagnostic::{Diagnostic, Diagnostics};
use model::load;
use model::source::Sources;
use std::collections::BTreeMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const REFUSED: &str = include_str!("corpus-refused.tsv");

/// The whole corpus takes no longer than this in a release build.
const TIME: Duration = Duration::from_secs(30);

/// A row of the list: where the first error stands, and what is wrong with the model.
#[derive(PartialEq, Debug)]
struct Refusal {
    code: &'static str,
    line: usize,
}

#[derive(Default)]
struct Counts {
    loaded: usize,
    refused: usize,
    queries: usize,
    /// Queries that do not fit their model, or that are in no known form.
    wrong_queries: usize,
}

#[test]
fn every_model_loads_or_is_refused_for_a_reason() {
    let Some(root) = std::env::var_os("ZONEWALK_CORPUS").map(PathBuf::from) else {
        tell("corpus test SKIPPED: ZONEWALK_CORPUS is not set, so there are no models to load");
        return;
    };
    let files = models_under(&root);
    assert!(!files.is_empty(), "ZONEWALK_CORPUS is {}, and there is no model in it", root.display());
    let start = Instant::now();
    let (mut counts, mut complaints, mut refused) = (Counts::default(), Vec::new(), refused());
    for file in &files {
        let name = file.strip_prefix(&root).unwrap_or(file).to_string_lossy().into_owned();
        let listed = refused.remove(name.as_str());
        match catch_unwind(AssertUnwindSafe(|| load_one(file, listed.as_ref(), &mut counts))) {
            Ok(None) => {}
            Ok(Some(complaint)) => complaints.push(format!("{name}: {complaint}")),
            Err(_) => complaints.push(format!("{name}: panics")),
        }
    }
    let time = start.elapsed();
    complaints.extend(refused.keys().map(|name| format!("{name}: listed, but there is no such file")));
    tell(&format!(
        "corpus: {} models loaded, {} refused; {} queries understood, {} refused; {:.1} s",
        counts.loaded,
        counts.refused,
        counts.queries,
        counts.wrong_queries,
        time.as_secs_f64(),
    ));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(cfg!(debug_assertions) || time < TIME, "the corpus took {time:?}, more than {TIME:?}");
}

#[test]
fn every_row_of_the_list_gives_a_rule() {
    for row in rows() {
        let [_, _, line, rule] = row[..] else { panic!("not four columns: {row:?}") };
        assert!(line.parse::<usize>().is_ok(), "no line number: {row:?}");
        assert!(rule.split_whitespace().count() >= 5, "no reason that a person would agree with: {row:?}");
    }
    assert_eq!(refused().len(), rows().count(), "a file is listed twice");
}

/// Loads a model and resolves its queries; what is not as it should be, if anything.
fn load_one(file: &Path, listed: Option<&Refusal>, counts: &mut Counts) -> Option<String> {
    let mut loaded = load::load(file, &[]);
    let Some(model) = &mut loaded.model else {
        counts.refused += 1;
        let Some(error) = first_error(&loaded.diagnostics) else { return Some("refused without an error".to_owned()) };
        let found = Refusal { code: error.code.0, line: line(&loaded.sources, error) };
        return match listed {
            Some(listed) if *listed == found => None,
            Some(listed) => Some(format!("listed with {listed:?}, but refused with {found:?}: {}", error.message)),
            None => Some(format!("refused with {found:?}: {}", error.message)),
        };
    };
    counts.loaded += 1;
    let mut queries = model.queries.clone();
    let beside = file.with_extension("q");
    if beside.is_file() {
        queries.extend(load::query_file(&mut loaded.sources, &beside, &mut Diagnostics::new()).unwrap_or_default());
    }
    for query in &queries {
        let answer = model.query(query);
        if answer.query.is_some() {
            counts.queries += 1;
        } else if answer.diagnostics.has_errors() {
            counts.wrong_queries += 1;
        }
    }
    listed.map(|listed| format!("loads, but is listed with {listed:?}"))
}

/// The first error as the user sees them, by their places.
fn first_error(diagnostics: &Diagnostics) -> Option<&Diagnostic> {
    diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).min_by_key(|diagnostic| diagnostic.span)
}

fn line(sources: &Sources, diagnostic: &Diagnostic) -> usize {
    diagnostic.span.map_or(0, |span| sources.line_column(span.file, span.start).line)
}

fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    REFUSED.lines().skip(1).map(|line| line.split('\t').collect())
}

fn refused() -> BTreeMap<&'static str, Refusal> {
    rows().map(|row| (row[0], Refusal { code: row[1], line: row[2].parse().unwrap_or(0) })).collect()
}

/// All models under a directory, in a fixed order.
fn models_under(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display())) {
        let path = entry.expect("a directory entry").path();
        if path.is_dir() {
            found.extend(models_under(&path));
        } else if path.extension().is_some_and(|ending| ["xml", "xta", "ta"].iter().any(|model| ending == *model)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// To standard error even when the test passes: the test harness keeps back only what `eprintln!` writes.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
