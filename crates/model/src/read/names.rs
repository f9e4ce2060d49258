//! The content of `<name>` elements: names of templates and locations.

use super::xml_element::Element;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::syntax::ast::{Ident, Syntax};
use crate::syntax::{is_keyword, is_name};

/// The name in an element, without the white space around it; `None` when there is nothing else. What is no identifier,
/// or a keyword, is reported and still returned, so that references to it mean something.
pub fn name(element: Element, diagnostics: &mut Diagnostics) -> Option<Ident> {
    let text = element.text();
    let name = text.as_str().trim();
    if name.is_empty() {
        return None;
    }
    let start = text.as_str().len() - text.as_str().trim_start().len();
    let span = text.span(start..start + name.len());
    // UPPAAL refuses here what is reserved in every version; `if` may be a name that no label can mention.
    if is_keyword(name, Syntax::Old) {
        diagnostics.push(Diagnostic::new(Code::KEYWORD, span, format!("`{name}` is a keyword and cannot be a name")));
    } else if !is_name(name, Syntax::Old) {
        let message = format!("`{}` is not a name", shortened(name));
        let help = "a name is made of letters, digits and `_`, and does not start with a digit";
        diagnostics.push(Diagnostic::new(Code::KEYWORD, span, message).help(help));
    }
    Some(Ident { name: name.into(), span })
}

/// The first line, or what of it fits into a message.
fn shortened(name: &str) -> String {
    let line = name.lines().next().unwrap_or_default();
    if line.len() == name.len() && line.chars().count() <= 40 {
        return line.to_owned();
    }
    line.chars().take(40).chain("...".chars()).collect()
}
