//! Reads models and query files: from a path or from bytes to a syntax tree, with a diagnostic for everything that is
//! wrong with the file.
//!
//! Nothing here trusts its input: a file may be truncated, binary, huge, or made to blow up a parser.

mod blank;
mod dialect;
mod ecdar;
mod encoding;
mod file;
mod json;
mod labels;
mod names;
mod xml;
mod xml_element;
mod xml_entities;
mod xml_error;
mod xml_paths;
mod xml_queries;
mod xml_scan;
mod xml_template;
mod xml_text;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::limits;
use crate::source::{FileId, Sources, Span, Text};
use crate::syntax;
use crate::syntax::ast::{Document, QuerySource};
use std::path::Path;

/// Reads a model from a file, or from the folder of an ECDAR project. `None` when there is nothing to go on with; then the diagnostics hold an error.
pub fn model_file(sources: &mut Sources, path: &Path, diagnostics: &mut Diagnostics) -> Option<Document> {
    if path.is_dir() {
        return ecdar::project(sources, path, diagnostics);
    }
    if path.is_file() && path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        let message = format!("`{}` is no model: a project of ECDAR is read as a whole", path.display());
        diagnostics.push(
            Diagnostic::new(Code::FILE, None, message).help("name the folder that holds the folder `Components`"),
        );
        return None;
    }
    let bytes = bytes(path, diagnostics)?;
    model_bytes(sources, &path.display().to_string(), &bytes, diagnostics)
}

/// Reads a model from memory. Its format follows from its name, as for a file.
pub fn model_bytes(sources: &mut Sources, name: &str, bytes: &[u8], diagnostics: &mut Diagnostics) -> Option<Document> {
    let file = add(sources, name, bytes, diagnostics)?;
    let content = sources.file(file).text.as_str();
    if is_xml(name, content) {
        if !content.contains('<') {
            diagnostics.push(no_xml(file, content));
            return None;
        }
        return xml::model(sources, file, diagnostics);
    }
    let text = Text::plain(file, 0, content);
    let end = text.span(content.len()..content.len());
    let parse = |syntax, diagnostics: &mut Diagnostics| syntax::text_model(&text, syntax, diagnostics);
    Some(dialect::parse(&[&text], end, diagnostics, parse))
}

/// Reads a file of queries.
pub fn query_file(sources: &mut Sources, path: &Path, diagnostics: &mut Diagnostics) -> Option<Vec<QuerySource>> {
    let bytes = bytes(path, diagnostics)?;
    let file = add(sources, &path.display().to_string(), &bytes, diagnostics)?;
    let text = Text::plain(file, 0, &sources.file(file).text);
    Some(syntax::query_file(&text, diagnostics))
}

fn bytes(path: &Path, diagnostics: &mut Diagnostics) -> Option<Vec<u8>> {
    file::bytes(path).map_err(|error| diagnostics.push(error)).ok()
}

/// Adds the text of a file to the sources.
fn add(sources: &mut Sources, name: &str, bytes: &[u8], diagnostics: &mut Diagnostics) -> Option<FileId> {
    if bytes.len() > limits::FILE_BYTES {
        diagnostics.push(file::too_large(name));
        return None;
    }
    match encoding::decode(bytes) {
        Ok(decoded) => {
            let file = sources.add(name, decoded.text);
            if let Some((at, doubt)) = decoded.doubt {
                diagnostics.push(Diagnostic::new(Code::IGNORED, character_at(sources, file, at), doubt));
            }
            Some(file)
        }
        Err(not_text) => {
            let at = not_text.before.len();
            let file = sources.add(name, not_text.before);
            let message = format!("`{name}` is not a text file");
            let place = character_at(sources, file, at);
            diagnostics.push(Diagnostic::new(Code::ENCODING, place, message).label(not_text.reason));
            None
        }
    }
}

fn character_at(sources: &Sources, file: FileId, at: usize) -> Span {
    let rest = sources.file(file).text.get(at..).unwrap_or_default();
    let length = rest.chars().next().map_or(0, char::len_utf8);
    Span { file, start: at as u32, end: (at + length) as u32 }
}

/// The extension decides, as it does for UPPAAL, unless the content is plainly XML: downloads lose their extensions.
fn is_xml(name: &str, content: &str) -> bool {
    let start = content.trim_start();
    let extension = Path::new(name).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
        || ["<?xml", "<nta", "<project", "<!DOCTYPE"].iter().any(|opening| start.starts_with(opening))
}

fn no_xml(file: FileId, content: &str) -> Diagnostic {
    let place = Span { file, start: 0, end: 0 };
    if content.trim().is_empty() {
        return Diagnostic::new(Code::XML, place, "the file is empty");
    }
    Diagnostic::new(Code::XML, place, "there is no XML in this file, though its name ends in `.xml`")
        .help("a model in the text format has a name that ends in `.xta` or `.ta`")
}
