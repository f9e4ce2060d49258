//! The parsers and the printer, through their public entry points.

mod constructs;
mod depth;
mod expressions;
mod old_syntax;
mod queries;
mod query_files;
mod random;
mod recovery;

use model::diagnostic::Diagnostics;
use model::source::{Sources, Text};
use model::syntax;
use model::syntax::ast::{Document, Expr, Syntax};
use model::syntax::query::Query;

/// A text of its own file.
fn text(source: &str) -> Text {
    Text::plain(Sources::new().add("test", source.to_owned()), 0, source)
}

/// The messages with their places, as `line:column message`.
fn messages(source: &str, diagnostics: &Diagnostics) -> Vec<String> {
    let mut sources = Sources::new();
    let file = sources.add("test", source.to_owned());
    let place = |offset| sources.line_column(file, offset);
    let shown = diagnostics.iter().map(|diagnostic| match diagnostic.span {
        Some(span) => format!("{}:{} {}", place(span.start).line, place(span.start).column, diagnostic.message),
        None => diagnostic.message.clone(),
    });
    shown.collect()
}

fn expression_in(source: &str, syntax: Syntax) -> Result<Expr, Vec<String>> {
    let mut diagnostics = Diagnostics::new();
    let parsed = syntax::expression(&text(source), syntax, &mut diagnostics);
    match parsed {
        Some(expr) if diagnostics.is_empty() => Ok(expr),
        _ => Err(messages(source, &diagnostics)),
    }
}

#[track_caller]
fn expression(source: &str) -> Expr {
    expression_in(source, Syntax::New).unwrap_or_else(|errors| panic!("{source}: {errors:?}"))
}

/// The model and the errors in it.
fn model_in(source: &str, syntax: Syntax) -> (Document, Vec<String>) {
    let mut diagnostics = Diagnostics::new();
    let document = syntax::text_model(&text(source), syntax, &mut diagnostics);
    (document, messages(source, &diagnostics))
}

#[track_caller]
fn model(source: &str, syntax: Syntax) -> Document {
    let (document, errors) = model_in(source, syntax);
    assert!(errors.is_empty(), "{source}: {errors:?}");
    document
}

fn query_of(source: &str) -> Result<Option<Query>, Vec<String>> {
    let mut diagnostics = Diagnostics::new();
    let query = syntax::query(&text(source), &mut diagnostics);
    if diagnostics.is_empty() { Ok(query) } else { Err(messages(source, &diagnostics)) }
}

#[track_caller]
fn query(source: &str) -> Query {
    match query_of(source) {
        Ok(Some(query)) => query,
        other => panic!("{source}: {other:?}"),
    }
}
