//! Places in files and messages about them, as plain data.

use model::diagnostic::{Diagnostic, Severity};
use model::source::{Sources, Span};
use serde::Serialize;

/// A place that a person or a script can go to.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Place {
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// The XPath of the XML element, as UPPAAL writes it.
    pub path: Option<String>,
}

impl Place {
    pub fn of(sources: &Sources, span: Span) -> Place {
        let at = sources.line_column(span.file, span.start);
        Place {
            file: sources.file(span.file).name.clone(),
            line: at.line,
            column: at.column,
            path: sources.path(span).map(str::to_owned),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// An error or a warning.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Message {
    pub severity: &'static str,
    pub code: &'static str,
    pub message: String,
    pub place: Option<Place>,
}

impl Message {
    pub fn of(sources: &Sources, diagnostic: &Diagnostic) -> Message {
        Message {
            severity: match diagnostic.severity() {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            code: diagnostic.code.0,
            message: diagnostic.message.clone(),
            place: diagnostic.span.map(|span| Place::of(sources, span)),
        }
    }
}
