//! Messages as people see them: the code, one sentence, the place, the line itself and a caret.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet};
use engine::model::diagnostic::{Diagnostic, Diagnostics, Severity};
use engine::model::source::{Sources, Span};
use std::ops::Range;

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

/// A mistake in a file that is no part of a model; line and column count from 1, the column in characters. A place that is
/// not in the text is moved to the nearest one that is.
pub fn mistake(name: &str, text: &str, line: usize, column: usize, message: &str) -> String {
    let number = line.clamp(1, 1 + text.matches('\n').count());
    let line = text.split('\n').nth(number - 1).unwrap_or_default();
    let start = line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    let at = Line { name, text: line, number };
    let (element, position) = at.marked(start..start + 1, "", AnnotationKind::Primary);
    let group = Group::with_title(Level::ERROR.primary_title(printable(message))).element(element);
    let text = Renderer::styled().term_width(WIDTH).render(&[group]) + "\n";
    position.into_iter().fold(text, |text, (wrong, right)| text.replacen(&wrong, &right, 1))
}

/// The line of a place with a mark under it, and the position that is printed with the one that should be.
fn excerpt<'a>(
    sources: &'a Sources,
    span: Span,
    label: &str,
    kind: AnnotationKind,
) -> (Element<'a>, Option<(String, String)>) {
    let file = sources.file(span.file);
    let number = sources.line_column(span.file, span.start).line;
    let text = &file.text;
    let start = floor(text, span.start as usize);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = (span.end as usize).clamp(start, line_end);
    let line = Line { name: &file.name, text: &text[line_start..line_end], number };
    line.marked(start - line_start..end - line_start, label, kind)
}

/// One line of a file, without its end.
struct Line<'a> {
    name: &'a str,
    text: &'a str,
    number: usize,
}

impl<'a> Line<'a> {
    /// The line with a mark under the characters of which some byte is in the range. What is outside of the line, or in the
    /// middle of a character, is moved: no range is wrong.
    fn marked(
        &self,
        range: Range<usize>,
        label: &str,
        kind: AnnotationKind,
    ) -> (Element<'a>, Option<(String, String)>) {
        let Line { name, text, number } = *self;
        let start = floor(text, range.start);
        let end = ceil(text, range.end.max(start));
        let (from, to) = if text.len() > LONG {
            (floor(text, start.saturating_sub(AROUND)), floor(text, end.min(start + WIDTH) + AROUND))
        } else {
            (0, text.len())
        };
        let shown = text[from..to].trim_end_matches('\r');
        let cut = |at: usize| at.clamp(from, from + shown.len()) - from;
        let mut annotation = kind.span(cut(start)..cut(end));
        if !label.is_empty() {
            annotation = annotation.label(printable(label));
        }
        let snippet = Snippet::source(shown).line_start(number).annotation(annotation).path(name);
        // The renderer counts columns from the cut.
        let column = |from: usize| text[from..start].chars().count() + 1;
        let corrected = (from > 0).then(|| {
            let position = |column: usize| format!("{name}:{number}:{column}");
            (position(column(from)), position(column(0)))
        });
        (snippet.into(), corrected)
    }
}

/// The last border of characters that is not after this byte.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The first border of characters that is not before this byte.
fn ceil(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// Control characters of the input must not reach the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that are read as text: of one, two, three and four bytes a character, ends of lines, and none at all.
    const TEXTS: [&str; 8] =
        ["", "\n", "é", "aé€😀b", "é\r\n😀\r\n", "\r", "\u{feff}x\t\u{301}\n\n", "a\u{2028}\u{0}\u{1b}b"];

    #[test]
    fn every_range_of_bytes_can_be_shown() {
        let long = "é😀".repeat(LONG);
        for text in TEXTS.iter().copied().chain([long.as_str()]) {
            let mut sources = Sources::new();
            let file = sources.add("a file", text.to_owned());
            let last = (text.len() as u32 + 3).min(16);
            let far = [text.len() as u32 / 2, text.len() as u32, u32::MAX];
            for start in (0..last).chain(far) {
                for end in (0..last).chain(far) {
                    let shown = failure(&sources, &[Span { file, start, end }], "wrong");
                    assert!(shown.contains("wrong") && shown.contains("a file:"), "{text:?} {start}..{end}: {shown}");
                }
            }
        }
    }

    #[test]
    fn every_line_and_column_can_be_shown() {
        for text in TEXTS {
            for line in 0..5 {
                for column in [0, 1, 2, 3, 4, 5, 6, usize::MAX] {
                    let shown = mistake("a file", text, line, column, "wrong");
                    assert!(shown.contains("wrong") && shown.contains("a file:"), "{text:?} {line}:{column}: {shown}");
                }
            }
        }
    }
}
