//! Messages as people see them: the code, one sentence, the place, the line itself and a caret.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet};
use engine::model::diagnostic::{Diagnostic, Diagnostics, Severity};
use engine::model::source::{Sources, Span};

/// Columns that a message may take; the renderer cuts a longer line around the place.
const WIDTH: usize = 140;

/// Lines of more bytes are cut before they are rendered: generated XML may be one line in all, and rendering takes time
/// for every column.
const LONG: usize = 4096;

/// How much of a long line is kept before and after the place.
const AROUND: usize = 200;

/// All messages of one severity, in the order of their places.
pub fn diagnostics(sources: &Sources, diagnostics: &Diagnostics, severity: Severity) -> String {
    let mut list: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| diagnostic.severity() == severity).collect();
    list.sort_by_key(|diagnostic| diagnostic.span);
    list.into_iter().map(|diagnostic| self::diagnostic(sources, diagnostic) + "\n").collect()
}

pub fn diagnostic(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(printable(&diagnostic.message)).id(diagnostic.code.0);
    let mut group = Group::with_title(title);
    let mut positions = Vec::new();
    if let Some(span) = diagnostic.span {
        let (element, position) = excerpt(sources, span, &diagnostic.label, AnnotationKind::Primary);
        positions.extend(position);
        group = group.element(element);
        if let Some(path) = sources.path(span) {
            group = group.element(Level::NOTE.message(format!("in {path}")));
        }
    }
    for note in &diagnostic.notes {
        group = match note.span {
            None => group.element(Level::HELP.message(printable(&note.text))),
            Some(span) => {
                let (element, position) = excerpt(sources, span, &note.text, AnnotationKind::Context);
                positions.extend(position);
                group.element(element)
            }
        };
    }
    let text = Renderer::styled().term_width(WIDTH).render(&[group]) + "\n";
    positions.into_iter().fold(text, |text, (wrong, right)| text.replacen(&wrong, &right, 1))
}

/// An error that shows while a model is explored, at the expressions or edges that are to blame.
pub fn failure(sources: &Sources, spans: &[Span], message: &str) -> String {
    let mut group = Group::with_title(Level::ERROR.primary_title(printable(message)));
    let mut positions = Vec::new();
    for span in spans {
        let (element, position) = excerpt(sources, *span, "", AnnotationKind::Primary);
        positions.extend(position);
        group = group.element(element);
        if let Some(path) = sources.path(*span) {
            group = group.element(Level::NOTE.message(format!("in {path}")));
        }
    }
    let text = Renderer::styled().term_width(WIDTH).render(&[group]) + "\n";
    positions.into_iter().fold(text, |text, (wrong, right)| text.replacen(&wrong, &right, 1))
}

/// A mistake in a file that is no part of a model; line and column count from 1.
pub fn mistake(name: &str, text: &str, line: usize, column: usize, message: &str) -> String {
    let mut sources = Sources::new();
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = text[before..].split('\n').next().unwrap_or_default();
    let width = rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(at, _)| at);
    let start = u32::try_from(before + width).unwrap_or(u32::MAX);
    let file = sources.add(name, text.to_owned());
    failure(&sources, &[Span { file, start, end: start.saturating_add(1) }], message)
}

/// The line of a place with a mark under it, and the position that is printed with the one that should be.
fn excerpt<'a>(
    sources: &'a Sources,
    span: Span,
    label: &str,
    kind: AnnotationKind,
) -> (Element<'a>, Option<(String, String)>) {
    let file = sources.file(span.file);
    let place = sources.line_column(span.file, span.start);
    let text = &file.text;
    let start = (span.start as usize).min(text.len());
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = (span.end as usize).clamp(start, line_end);
    let is_long = line_end - line_start > LONG;
    let (from, to) = if is_long {
        (
            floor(text, start.saturating_sub(AROUND).max(line_start)),
            floor(text, (end.min(start + WIDTH) + AROUND).min(line_end)),
        )
    } else {
        (line_start, line_end)
    };
    let line = text[from..to].trim_end_matches('\r');
    let cut = |at: usize| at.clamp(from, from + line.len()) - from;
    let mut annotation = kind.span(cut(start)..cut(end));
    if !label.is_empty() {
        annotation = annotation.label(printable(label));
    }
    let snippet = Snippet::source(line).line_start(place.line).annotation(annotation).path(file.name.as_str());
    // The renderer counts columns from the cut.
    let shown = text[from..start].chars().count() + 1;
    let corrected = (shown != place.column).then(|| {
        let position = |column: usize| format!("{}:{}:{column}", file.name, place.line);
        (position(shown), position(place.column))
    });
    (snippet.into(), corrected)
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Control characters of the input must not reach the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
