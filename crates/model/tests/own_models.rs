//! The models of this repository are good examples: nothing to complain about, and every query says what
//! to expect.

use model::diagnostic::{Code, Diagnostic, Diagnostics};
use model::load::load;
use model::source::Sources;
use std::path::{Path, PathBuf};

fn models() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let entries = std::fs::read_dir(directory).expect("the models of this repository");
    let mut models: Vec<PathBuf> = entries.map(|entry| entry.expect("a directory entry").path()).collect();
    models.retain(|path| path.extension().is_some_and(|ending| ending == "xml"));
    models.sort();
    models
}

/// All messages but those about conditions that a constant decides: that is how a model has variants.
fn messages(sources: &Sources, diagnostics: &Diagnostics) -> Vec<String> {
    let is_variant = |diagnostic: &Diagnostic| [Code::ALWAYS_TRUE, Code::ALWAYS_FALSE].contains(&diagnostic.code);
    let line =
        |diagnostic: &Diagnostic| diagnostic.span.map_or(0, |span| sources.line_column(span.file, span.start).line);
    let kept = diagnostics.iter().filter(|diagnostic| !is_variant(diagnostic));
    kept.map(|diagnostic| format!("{}: {}", line(diagnostic), diagnostic.message)).collect()
}

#[test]
fn they_load_without_a_complaint() {
    assert_eq!(models().len(), 20);
    for path in models() {
        let mut loaded = load(&path, &[]);
        let Some(model) = &mut loaded.model else {
            panic!("{}: {:?}", path.display(), messages(&loaded.sources, &loaded.diagnostics));
        };
        for query in model.queries.clone() {
            model.query(&query);
        }
        loaded.diagnostics.extend(model.unused());
        assert_eq!(messages(&loaded.sources, &loaded.diagnostics), [""; 0], "{}", path.display());
    }
}

#[test]
fn their_queries_resolve_and_record_an_outcome() {
    for path in models() {
        let model = load(&path, &[]).model.expect("the model loads");
        assert!(!model.queries.is_empty(), "{} asks nothing", path.display());
        for source in model.queries.clone() {
            let query = model.query(&source);
            let place = format!("{}: {}", path.display(), query.text);
            assert!(query.query.is_some() && query.diagnostics.is_empty(), "{place}: {:?}", query.diagnostics);
            assert!(query.expect.is_some_and(|expect| expect.outcome.is_some()), "{place}: no outcome is recorded");
        }
    }
}
