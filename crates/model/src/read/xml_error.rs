//! What the XML parser says, in the words of a modeller and with a place in the file.

use super::xml_scan::{WRITE_LT, span};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::FileId;
use roxmltree::{Error, TextPos};

/// The diagnostic for an error of the XML parser.
pub fn diagnostic(file: FileId, text: &str, error: &Error) -> Diagnostic {
    let (message, help) = words(error);
    let start = match error {
        Error::UnexpectedEndOfStream | Error::UnclosedRootNode => text.len(),
        _ => offset(text, error.pos()),
    };
    let length = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let code = match error {
        Error::NodesLimitReached | Error::AttributesLimitReached | Error::NamespacesLimitReached => Code::TOO_LARGE,
        _ => Code::XML,
    };
    let diagnostic = Diagnostic::new(code, span(file, start..start + length), message);
    match help {
        "" => diagnostic,
        help => diagnostic.help(help),
    }
}

fn words(error: &Error) -> (String, &'static str) {
    let (message, help) = match error {
        Error::UnknownEntityReference(name, _) => return (format!("`&{name};` stands for nothing"), WRITE_LT),
        Error::MalformedEntityReference(_) => ("`&` begins no `&name;` here", WRITE_LT),
        Error::EntityReferenceLoop(_) => ("entities that stand for each other without end", ""),
        Error::InvalidAttributeValue(_) => ("`<` inside an attribute", "write `&lt;`"),
        Error::DuplicatedAttribute(name, _) => return (format!("the attribute `{name}` is given twice"), ""),
        Error::NoRootNode => ("there is no XML element in this file", ""),
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => ("the file ends in the middle of the XML", ""),
        Error::UnexpectedDeclaration(_) => ("`<?xml` may only stand at the start of the file", ""),
        Error::NodesLimitReached | Error::AttributesLimitReached | Error::NamespacesLimitReached => {
            ("the XML is larger than the limits allow", "")
        }
        Error::NonXmlChar(c, _) => {
            return (format!("the character U+{:04X} is not allowed in XML", u32::from(*c)), "");
        }
        Error::InvalidCharacterData(_) => ("`]]>` in text ends no CDATA section", "write `]]&gt;`"),
        Error::UnexpectedCloseTag(expected, actual, _) => {
            return (format!("`</{actual}>` where `</{expected}>` is expected"), WRITE_LT);
        }
        Error::InvalidChar(expected, ..) => return (format!("`{}` is expected here", char::from(*expected)), WRITE_LT),
        Error::InvalidChar2(expected, ..) => return (format!("{expected} is expected here"), WRITE_LT),
        Error::InvalidString(expected, _) => return (format!("`{expected}` is expected here"), ""),
        Error::InvalidName(_) => ("this is no name of an XML element or attribute", WRITE_LT),
        Error::UnknownToken(_) => ("the XML is not well-formed here", WRITE_LT),
        Error::UnknownNamespace(prefix, _) => return (format!("the prefix `{prefix}:` is not declared"), ""),
        _ => ("the XML is not well-formed here", ""),
    };
    (message.to_owned(), help)
}

/// The offset of a line and a column in characters, both from 1.
fn offset(text: &str, place: TextPos) -> usize {
    let mut start = 0;
    for _ in 1..place.row {
        match text.get(start..).and_then(|rest| rest.find('\n')) {
            Some(found) => start += found + 1,
            None => return text.len(),
        }
    }
    let line = text.get(start..).unwrap_or_default();
    let column = place.col.saturating_sub(1) as usize;
    line.char_indices().nth(column).map_or(text.len(), |(at, _)| start + at)
}
