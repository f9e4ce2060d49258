//! New or old syntax.
//!
//! No file says in which of the two it is written, and neither its name nor its format does. So a model is parsed in
//! the new syntax; if that fails, and the model holds something that only the old syntax has (`const N 5`, guards with
//! commas), it is parsed once more in the old one, and the reading with fewer errors is taken.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{Span, Text};
use crate::syntax::ast::{Document, Syntax};
use crate::syntax::has_old_only_constructs;

/// Parses a model in the syntax that fits. `texts` are all the texts that `parse` looks at, `system` is where its system
/// line should stand.
pub fn parse(
    texts: &[&Text],
    system: Span,
    diagnostics: &mut Diagnostics,
    parse: impl Fn(Syntax, &mut Diagnostics) -> Document,
) -> Document {
    let mut found = Diagnostics::new();
    let mut document = parse(Syntax::New, &mut found);
    if found.has_errors() && texts.iter().any(|text| has_old_only_constructs(text)) {
        let mut found_in_old = Diagnostics::new();
        let old = parse(Syntax::Old, &mut found_in_old);
        if found_in_old.errors() < found.errors() {
            if let Some(reason) = found.iter().find(|diagnostic| diagnostic.is_error()) {
                diagnostics.push(in_old_syntax(reason));
            }
            (document, found) = (old, found_in_old);
        }
    }
    // After an error the system line may just not have been recognised.
    if document.system.is_none() && !found.has_errors() {
        let message = "there is no system line, so the model has no processes";
        found.push(Diagnostic::new(Code::NO_SYSTEM, system, message).help("write `system P, Q;` with your processes"));
    }
    diagnostics.extend(found);
    document
}

/// What is said about a model that is read in the old syntax, for the reason that an error in the new one gives.
fn in_old_syntax(reason: &Diagnostic) -> Diagnostic {
    Diagnostic::new(Code::OLD_SYNTAX, reason.span, "the model is read in the old syntax, that of UPPAAL 3.x")
        .label(format!("in the new syntax: {}", reason.message))
}
