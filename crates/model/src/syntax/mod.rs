//! From text to syntax trees: lexer, parsers for the new and the old syntax, for queries and query files, and the
//! printer that is their inverse.
//!
//! Every function here takes the text of one file or of one XML label. All errors of the text are reported, each once,
//! and what could be read in spite of them is returned, so that the caller can go on looking for more. Recursion is
//! bounded by [`crate::limits`]; call on a thread with [`crate::limits::STACK_BYTES`] of stack.

pub mod ast;
pub mod graph_query;
pub mod query;
pub mod system_state;
pub mod walk;

mod headings;
mod keywords;
mod lexer;
mod operators;
mod parser;
mod print;
mod query_file;
mod token;

use crate::diagnostic::Diagnostics;
use crate::source::Text;
use ast::*;
use lexer::Mode;
use parser::{Parse, Parser, Section};
use query::Query;

pub use headings::is_heading;
pub use keywords::{is_keyword, is_name};

/// What the `<system>` of an XML model says.
#[derive(Clone, Debug)]
pub struct SystemPart {
    pub items: Vec<Item>,
    pub system: Option<System>,
    pub progress: Vec<ProgressMeasure>,
    pub gantt: Vec<GanttChart>,
    pub queries: Vec<QuerySource>,
}

/// A whole `.xta` or `.ta` file.
pub fn text_model(text: &Text, syntax: Syntax, diagnostics: &mut Diagnostics) -> Document {
    document(text, syntax, Section::File, diagnostics)
}

/// The global declarations of an XML model.
pub fn declarations(text: &Text, syntax: Syntax, diagnostics: &mut Diagnostics) -> Vec<Item> {
    document(text, syntax, Section::Declarations, diagnostics).items
}

/// The declarations of one template of an XML model.
pub fn template_declarations(text: &Text, syntax: Syntax, diagnostics: &mut Diagnostics) -> Vec<Declaration> {
    let mut parser = Parser::new(text, syntax);
    let declarations = parser.all_template_declarations();
    parser.finish(diagnostics);
    declarations
}

/// The parameters of a template, without parentheses.
pub fn parameters(text: &Text, syntax: Syntax, diagnostics: &mut Diagnostics) -> Vec<Parameter> {
    whole(text, syntax, diagnostics, "the parameters", Parser::parameters).unwrap_or_default()
}

/// A guard, an invariant or a weight. In the old syntax a list of conditions is their conjunction.
pub fn expression(text: &Text, syntax: Syntax, diagnostics: &mut Diagnostics) -> Option<Expr> {
    whole(text, syntax, diagnostics, "the expression", Parser::condition_label)
}

/// The exponential rate of a location: `r` or `r : q`.
pub fn rate(text: &Text, syntax: Syntax, diagnostics: &mut Diagnostics) -> Option<(Expr, Option<Expr>)> {
    whole(text, syntax, diagnostics, "the rate", Parser::rate)
}

/// The updates of an edge, separated by commas.
pub fn updates(text: &Text, syntax: Syntax, diagnostics: &mut Diagnostics) -> Vec<Expr> {
    whole(text, syntax, diagnostics, "the update", Parser::updates).unwrap_or_default()
}

/// The synchronisation of an edge.
pub fn sync(text: &Text, syntax: Syntax, diagnostics: &mut Diagnostics) -> Option<Sync> {
    whole(text, syntax, diagnostics, "the synchronisation", Parser::sync)
}

/// The select label of an edge.
pub fn select(text: &Text, syntax: Syntax, diagnostics: &mut Diagnostics) -> Vec<(Ident, Type)> {
    whole(text, syntax, diagnostics, "the selection", Parser::bindings).unwrap_or_default()
}

/// The `<system>` of an XML model.
pub fn system(text: &Text, syntax: Syntax, diagnostics: &mut Diagnostics) -> SystemPart {
    let Document { items, system, progress, gantt, queries, .. } = document(text, syntax, Section::System, diagnostics);
    SystemPart { items, system, progress, gantt, queries }
}

/// One query; line breaks are blanks. `None` when there is only a comment, or after an error.
pub fn query(text: &Text, diagnostics: &mut Diagnostics) -> Option<Query> {
    let start = Parser::for_query(text, Mode::Query).first_token();
    let source = text.as_str();
    if !parser::is_system_query(source.get(start..).unwrap_or_default()) {
        return query_in(text, Mode::Query, diagnostics);
    }
    // `A <= B // C` may be a quotient, or a refinement with a comment. It is a comment only if nothing else fits.
    let text = text.slice(start..source.len());
    let mut errors = Diagnostics::new();
    let parsed = query_in(&text, Mode::SystemQuery, &mut errors);
    let commented = if parsed.is_none() { query_in(&text, Mode::Query, &mut Diagnostics::new()) } else { None };
    if parsed.is_none() && commented.is_none() {
        diagnostics.extend(errors);
    }
    parsed.or(commented)
}

/// An expression in the language of queries. `None` after an error.
pub fn query_expression(text: &Text, diagnostics: &mut Diagnostics) -> Option<Expr> {
    let mut parser = Parser::for_query(text, Mode::Query);
    let parsed = parser.expression().ok();
    let parsed = parsed.filter(|_| parser.expect_end("the expression").is_ok() && !parser.has_errors());
    parser.finish(diagnostics);
    parsed
}

/// The queries of a `.q` file, in order. Lines that are prose are headings, not queries (see [`is_heading`]).
pub fn query_file(text: &Text, diagnostics: &mut Diagnostics) -> Vec<QuerySource> {
    query_file::read(text, diagnostics)
}

/// Whether a text that does not parse in the new syntax has something that only the old syntax allows.
pub fn has_old_only_constructs(text: &Text) -> bool {
    parser::old::has_old_only_constructs(text)
}

fn document(text: &Text, syntax: Syntax, section: Section, diagnostics: &mut Diagnostics) -> Document {
    let mut parser = Parser::new(text, syntax);
    let document = parser.document(syntax, section);
    parser.finish(diagnostics);
    document
}

/// Parses a label as a whole. `None` when it is blank or wrong.
fn whole<'t, T>(
    text: &'t Text,
    syntax: Syntax,
    diagnostics: &mut Diagnostics,
    what: &str,
    parse: impl FnOnce(&mut Parser<'t>) -> Parse<T>,
) -> Option<T> {
    let mut parser = Parser::new(text, syntax);
    let mut parsed = None;
    if !parser.at_end() {
        parsed = parse(&mut parser).ok();
    }
    if parsed.is_some() && parser.expect_end(what).is_err() {
        parsed = None;
    }
    parser.finish(diagnostics);
    parsed
}

fn query_in(text: &Text, mode: Mode, diagnostics: &mut Diagnostics) -> Option<Query> {
    let mut parser = Parser::for_query(text, mode);
    let mut parsed = None;
    if !parser.at_end() {
        parsed = parser.query().ok();
    }
    let parsed = parsed.filter(|_| !parser.has_errors());
    parser.finish(diagnostics);
    parsed
}
