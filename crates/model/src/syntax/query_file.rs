//! Query files: one query per line, with comments between them.
//!
//! UPPAAL's editor writes a block comment with the user's remark before each query and joins the lines of a long query
//! with backslashes. A comment may also say which answer is expected: `EXPECT:T`.

use super::ast::{Expect, Outcome, QuerySource};
use super::headings::is_heading;
use super::lexer::continuation;
use super::parser::is_system_query;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Text;
use std::ops::Range;

pub(super) fn read(text: &Text, diagnostics: &mut Diagnostics) -> Vec<QuerySource> {
    let mut reader = Reader { text, at: 0, line: None, remark: Remark::default(), queries: Vec::new() };
    while let Some(next) = reader.rest().chars().next() {
        reader.step(next, diagnostics);
    }
    reader.end_of_line();
    reader.queries
}

struct Reader<'t> {
    text: &'t Text,
    at: usize,
    /// The query that is being read, from its first to its last character so far.
    line: Option<Range<usize>>,
    /// What comments said since the last query.
    remark: Remark,
    queries: Vec<QuerySource>,
}

#[derive(Default)]
struct Remark {
    comment: String,
    expect: Option<Expect>,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.as_str().get(self.at..).unwrap_or_default()
    }

    fn step(&mut self, next: char, diagnostics: &mut Diagnostics) {
        let rest = self.rest();
        if next == '\n' {
            self.at += 1;
            self.end_of_line();
        } else if let Some(length) = continuation(rest) {
            self.at += length;
        } else if rest.starts_with("//") && !self.in_system_query() {
            let length = rest.find('\n').unwrap_or(rest.len());
            self.comment(rest.get(2..length).unwrap_or_default());
            self.at += length;
        } else if let Some(inside) = rest.strip_prefix("/*") {
            match inside.find("*/") {
                Some(length) => {
                    self.comment(inside.get(..length).unwrap_or_default());
                    self.at += length + 4;
                }
                None => {
                    let open = self.text.span(self.at..self.at + 2);
                    diagnostics.push(
                        Diagnostic::new(Code::COMMENT_OPEN, open, "the comment is not closed").label("opened here"),
                    );
                    self.at += rest.len();
                }
            }
        } else {
            let length = if next == '"' { string_length(rest) } else { next.len_utf8() };
            if !(next.is_whitespace() || next == '\u{feff}') {
                self.line.get_or_insert(self.at..self.at).end = self.at + length;
            }
            self.at += length;
        }
    }

    /// In queries over timed I/O systems `//` is the quotient.
    fn in_system_query(&self) -> bool {
        let so_far = self.line.clone().and_then(|line| self.text.as_str().get(line));
        so_far.is_some_and(is_system_query)
    }

    fn comment(&mut self, comment: &str) {
        let comment = comment.trim();
        if comment == "NO_QUERY" {
            // The remark before it belongs to an empty query.
            self.remark = Remark::default();
            return;
        }
        if let Some((_, expected)) = comment.split_once("EXPECT:") {
            self.remark.expect = Some(expect(expected));
        }
        if comment.is_empty() || comment.starts_with("This file was generated from") {
            return;
        }
        if !self.remark.comment.is_empty() {
            self.remark.comment.push('\n');
        }
        self.remark.comment.push_str(comment);
    }

    fn end_of_line(&mut self) {
        let Some(line) = self.line.take() else { return };
        let text = self.text.slice(line.clone());
        if is_heading(&text) {
            return;
        }
        let Remark { comment, expect } = std::mem::take(&mut self.remark);
        self.queries.push(QuerySource { text, span: self.text.span(line), comment, expect, options: Vec::new() });
    }
}

/// The length of a string with its quotes, or to the end of the line when it is not closed.
fn string_length(text: &str) -> usize {
    let inside = text.get(1..).unwrap_or_default();
    match inside.find(['"', '\n']) {
        Some(length) if inside.get(length..).is_some_and(|end| end.starts_with('"')) => length + 2,
        Some(length) => length + 1,
        None => text.len(),
    }
}

/// `T,12.5`: outcome and value; numbers with a unit are about resources and say nothing about the answer.
fn expect(text: &str) -> Expect {
    let mut expect = Expect { outcome: None, value: None };
    let words = text.split_whitespace().next().unwrap_or_default();
    for word in words.split(',') {
        match word {
            "T" | "SAT" | "TRUE" => expect.outcome = Some(Outcome::Success),
            "F" | "UNSAT" | "FALSE" => expect.outcome = Some(Outcome::Failure),
            "MT" | "MSAT" => expect.outcome = Some(Outcome::MaybeTrue),
            "MF" | "MUNSAT" => expect.outcome = Some(Outcome::MaybeFalse),
            "E" | "ERR" => expect.outcome = Some(Outcome::Error),
            _ if word.parse::<f64>().is_ok() => expect.value = Some(word.to_owned()),
            _ => {}
        }
    }
    expect
}
