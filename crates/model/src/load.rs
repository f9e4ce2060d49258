//! A model from a file, ready to be asked: the network, its sources, and every message about it.

use crate::check::{Checked, Override, Query, Resolver, check};
use crate::deep_stack::on_deep_stack;
use crate::diagnostic::Diagnostics;
use crate::network::Network;
use crate::read;
use crate::source::{Sources, Text};
use crate::syntax;
use crate::syntax::ast::{Document, Expect, QuerySource};
use std::path::Path;

/// What came out of loading a model. With errors among the diagnostics there is no model.
pub struct Loaded {
    pub sources: Sources,
    pub diagnostics: Diagnostics,
    pub model: Option<Model>,
}

/// A model without errors.
pub struct Model {
    checked: Checked,
    /// The queries that stand in the model itself.
    pub queries: Vec<QuerySource>,
}

/// A query as it was found and what became of it.
pub struct LoadedQuery {
    /// As written, on one line.
    pub text: String,
    pub comment: String,
    pub expect: Option<Expect>,
    /// `None` when the diagnostics hold an error.
    pub query: Option<Query>,
    pub diagnostics: Diagnostics,
}

/// Loads a model from a file.
pub fn load(path: &Path, overrides: &[Override]) -> Loaded {
    loaded(overrides, |sources, diagnostics| read::model_file(sources, path, diagnostics))
}

/// Loads a model from memory; the name decides about the format as a file's name does.
pub fn load_bytes(name: &str, bytes: &[u8], overrides: &[Override]) -> Loaded {
    loaded(overrides, |sources, diagnostics| read::model_bytes(sources, name, bytes, diagnostics))
}

fn loaded(
    overrides: &[Override],
    read: impl FnOnce(&mut Sources, &mut Diagnostics) -> Option<Document> + Send,
) -> Loaded {
    on_deep_stack(|| {
        let mut sources = Sources::new();
        let mut diagnostics = Diagnostics::new();
        let document = read(&mut sources, &mut diagnostics);
        let model = document.map(|mut document| {
            let queries = std::mem::take(&mut document.queries);
            Model { checked: check(document, overrides, &mut diagnostics), queries }
        });
        let model = model.filter(|_| !diagnostics.has_errors());
        Loaded { sources, diagnostics, model }
    })
}

impl Model {
    pub fn network(&self) -> &Network {
        self.checked.network()
    }

    /// Warnings for what neither the model nor a query asked so far uses.
    pub fn unused(&self) -> Diagnostics {
        self.checked.unused()
    }

    /// Parses a query and resolves its names.
    pub fn query(&self, source: &QuerySource) -> LoadedQuery {
        on_deep_stack(|| loaded_query(&mut self.checked.resolver(), source))
    }

    /// The same for several queries, which have one network together: what is made of it once is good
    /// for all of them.
    pub fn queries(&self, sources: &[QuerySource]) -> Vec<LoadedQuery> {
        on_deep_stack(|| {
            let mut resolver = self.checked.resolver();
            let mut queries: Vec<LoadedQuery> =
                sources.iter().map(|source| loaded_query(&mut resolver, source)).collect();
            let network = resolver.network();
            for query in queries.iter_mut().filter_map(|loaded| loaded.query.as_mut()) {
                query.network = network.clone();
            }
            queries
        })
    }

    /// Gives a query a level: an integer expression that is greater where its goal is nearer. The
    /// messages have an error when the text is none.
    pub fn level(&self, query: &mut Query, level: &QuerySource) -> Diagnostics {
        on_deep_stack(|| {
            let mut diagnostics = Diagnostics::new();
            if let Some(parsed) = syntax::query_expression(&level.text, &mut diagnostics) {
                self.checked.level(query, &parsed, &mut diagnostics);
            }
            diagnostics
        })
    }
}

/// The queries of a `.q` file. `None` when it cannot be read; then the diagnostics hold an error.
pub fn query_file(sources: &mut Sources, path: &Path, diagnostics: &mut Diagnostics) -> Option<Vec<QuerySource>> {
    on_deep_stack(|| read::query_file(sources, path, diagnostics))
}

/// A query given as a word of the command line; `name` stands for the file in messages.
pub fn query_text(sources: &mut Sources, name: &str, text: &str) -> QuerySource {
    let file = sources.add(name, text.to_owned());
    let text = Text::plain(file, 0, text);
    let span = text.span(0..text.as_str().len());
    QuerySource { text, span, comment: String::new(), expect: None, options: Vec::new() }
}

fn loaded_query(resolver: &mut Resolver, source: &QuerySource) -> LoadedQuery {
    let mut diagnostics = Diagnostics::new();
    let parsed = syntax::query(&source.text, &mut diagnostics);
    let query = parsed.and_then(|parsed| resolver.query(&parsed, &mut diagnostics));
    LoadedQuery {
        text: one_line(source.text.as_str()),
        comment: source.comment.clone(),
        expect: source.expect.clone(),
        query: query.filter(|_| !diagnostics.has_errors()),
        diagnostics,
    }
}

/// The words of a text with single blanks between them.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
