//! A first pass over an XML file that only looks at where tags begin and end.
//!
//! The XML parser proper comes after it. This pass exists for two reasons. It keeps from the parser what would cost it
//! too much time or memory: deep nesting, entities that explode, an element with a million attributes. And it knows
//! what people do to models by hand, so it can say that a bare `<` in a guard is written `&lt;`, or which tag is not
//! closed, where a parser only sees an odd character much later.

use super::xml_entities::Entities;
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::source::{FileId, Span};
use std::ops::Range;

/// What the first pass found out.
#[derive(Debug, Default)]
pub struct Outline<'a> {
    pub entities: Entities<'a>,
    /// Stretches that XML forbids, that do no harm, and that the parser is not shown: `--` inside of comments, and an
    /// XML declaration that does not stand at the very start.
    pub blank: Vec<Range<usize>>,
}

/// Advice for the most frequent fault of XML that was edited by hand.
pub const WRITE_LT: &str = "inside text, write `&lt;` for `<` and `&amp;` for `&`";

/// Looks through the whole file.
pub fn scan(file: FileId, text: &str) -> Result<Outline<'_>, Diagnostic> {
    let mut scan = Scan { file, text, at: 0, open: Vec::new(), outline: Outline::default() };
    scan.sizes()?;
    scan.declaration();
    while let Some(found) = scan.rest().find('<') {
        scan.at += found;
        scan.markup()?;
    }
    scan.end()?;
    let outline = scan.outline;
    if text.matches("<!ENTITY").count() != outline.entities.len() {
        return Err(Diagnostic::new(
            Code::XML,
            span(file, 0..0),
            "entities are declared in a way that is not understood",
        ));
    }
    outline.entities.check_expansion(text).map_err(|too_much| {
        Diagnostic::new(
            Code::TOO_LARGE,
            span(file, too_much.reference),
            "the entities of this file expand to too much text",
        )
    })?;
    Ok(outline)
}

/// A span of offsets, which the limit on the size of a file keeps below 4 GiB.
pub fn span(file: FileId, range: Range<usize>) -> Span {
    Span { file, start: range.start as u32, end: range.end as u32 }
}

struct Scan<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    /// The elements that are open, each with the place of its start tag up to the name.
    open: Vec<(&'a str, Range<usize>)>,
    outline: Outline<'a>,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn error(&self, range: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Code::XML, span(self.file, range), message)
    }

    /// The parser allocates by the first two counts before it reads anything, and copies namespaces to nested elements.
    fn sizes(&self) -> Result<(), Diagnostic> {
        let count = |byte| self.text.bytes().filter(|b| *b == byte).count();
        let namespaces = self.text.matches("xmlns").count();
        if count(b'<') > limits::XML_NODES || count(b'=') > 2 * limits::XML_NODES || namespaces > limits::XML_ATTRIBUTES
        {
            return Err(Diagnostic::new(
                Code::TOO_LARGE,
                span(self.file, 0..0),
                "the XML is larger than the limits allow",
            ));
        }
        Ok(())
    }

    /// `<?xml ...?>` after white space is against the rules, but the meaning is plain.
    fn declaration(&mut self) {
        let start = self.text.len() - self.text.trim_start().len();
        if start > 0
            && let Some(rest) = self.text.get(start..)
            && rest.starts_with("<?xml ")
            && let Some(length) = rest.find("?>")
        {
            self.outline.blank.push(start..start + length + 2);
        }
    }

    /// One piece of markup; `at` stands on its `<`.
    fn markup(&mut self) -> Result<(), Diagnostic> {
        let rest = self.rest();
        if let Some(body) = rest.strip_prefix("<!--") {
            self.comment(body)
        } else if rest.starts_with("<![CDATA[") {
            self.skip_past("]]>", "this CDATA section is not closed")
        } else if rest.starts_with("<?") {
            self.skip_past("?>", "this processing instruction is not closed")
        } else if rest.starts_with("<!DOCTYPE") {
            self.doctype()
        } else if let Some(name) = rest.strip_prefix("</") {
            self.close(name_of(name))
        } else {
            self.start(name_of(rest.get(1..).unwrap_or_default()))
        }
    }

    /// Skips what begins at `at` and ends with `end`.
    fn skip_past(&mut self, end: &str, message: &str) -> Result<(), Diagnostic> {
        let found = self.rest().find(end).ok_or_else(|| self.error(self.at..self.at + 2, message))?;
        self.at += found + end.len();
        Ok(())
    }

    fn comment(&mut self, body: &str) -> Result<(), Diagnostic> {
        let start = self.at + 4;
        let length = body.find("-->").ok_or_else(|| self.error(self.at..start, "this XML comment is not closed"))?;
        self.at = start + length + 3;
        let inside = body.get(..length).unwrap_or_default();
        if inside.contains("--") || inside.ends_with('-') {
            self.outline.blank.push(start..start + length);
        }
        Ok(())
    }

    fn close(&mut self, name: &'a str) -> Result<(), Diagnostic> {
        let place = self.at..self.at + 2 + name.len();
        let closed = self.open.pop();
        match closed {
            Some((open, _)) if open == name => {}
            Some((open, opened)) => {
                return Err(self
                    .error(place, format!("`</{name}>` where `</{open}>` is expected"))
                    .note(span(self.file, opened), format!("`<{open}>` is opened here"))
                    .help(WRITE_LT));
            }
            None => return Err(self.error(place, format!("`</{name}>` closes nothing"))),
        }
        self.skip_past(">", "this tag is not closed")
    }

    fn start(&mut self, name: &'a str) -> Result<(), Diagnostic> {
        let place = self.at..self.at + 1 + name.len();
        if name.is_empty() {
            return Err(self.error(place, "`<` begins no tag here").help(WRITE_LT));
        }
        let (end, attributes) = tag_end(self.text, place.end).map_err(|at| {
            self.error(place.clone(), format!("the tag `<{name}` is not closed"))
                .note(span(self.file, at..at), "it should end before this")
                .help(WRITE_LT)
        })?;
        let tag = self.text.get(place.start..end).unwrap_or_default();
        if attributes > limits::XML_ATTRIBUTES {
            let message = format!("an XML element with more than {} attributes", limits::XML_ATTRIBUTES);
            return Err(Diagnostic::new(Code::TOO_LARGE, span(self.file, place), message));
        }
        if !tag.ends_with("/>") {
            self.open.push((name, place.clone()));
        }
        if self.open.len() > limits::XML_DEPTH {
            let message = format!("XML elements are nested deeper than {} levels", limits::XML_DEPTH);
            return Err(Diagnostic::new(Code::NESTING, span(self.file, place), message));
        }
        self.at = end;
        Ok(())
    }

    fn end(&mut self) -> Result<(), Diagnostic> {
        match self.open.pop() {
            Some((name, opened)) => {
                Err(self.error(opened, format!("`<{name}>` is never closed: the file ends first")).label("opened here"))
            }
            None => Ok(()),
        }
    }

    /// `<!DOCTYPE nta PUBLIC '...' '...' [ ... ]>`
    fn doctype(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        let unclosed = |scan: &Scan| scan.error(start..start + 9, "this document type declaration is not closed");
        self.at += 9;
        loop {
            let found = self.rest().find(['"', '\'', '[', '>']).ok_or_else(|| unclosed(self))?;
            self.at += found;
            match self.rest().bytes().next() {
                Some(b'>') => return Ok(()),
                Some(b'[') => self.subset(start)?,
                _ => self.literal().map(drop).ok_or_else(|| unclosed(self))?,
            }
        }
    }

    /// The declarations between the brackets of a document type declaration; `at` stands on the `[`.
    fn subset(&mut self, doctype: usize) -> Result<(), Diagnostic> {
        self.at += 1;
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            let rest = self.rest();
            if rest.starts_with(']') {
                self.at += 1;
                return Ok(());
            } else if let Some(body) = rest.strip_prefix("<!--") {
                self.comment(body)?;
            } else if rest.starts_with("<?") {
                self.skip_past("?>", "this processing instruction is not closed")?;
            } else if rest.starts_with("<!") {
                self.subset_declaration()?;
            } else {
                let place = doctype..doctype + 9;
                return Err(self.error(place, "this document type declaration is not understood"));
            }
        }
    }

    /// `<!ENTITY name "value">`, or any other declaration, which is skipped.
    fn subset_declaration(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        let malformed = |scan: &Scan| scan.error(start..start + 2, "this declaration is not closed");
        let name = self.rest().strip_prefix("<!ENTITY").map(|rest| name_of(rest.trim_start()));
        let mut value = None;
        self.at += 2;
        loop {
            let found = self.rest().find(['"', '\'', '>']).ok_or_else(|| malformed(self))?;
            self.at += found;
            if self.rest().starts_with('>') {
                break;
            }
            let literal = self.literal().ok_or_else(|| malformed(self))?;
            value.get_or_insert(literal);
        }
        self.at += 1;
        if let Some(name) = name {
            let value = value.unwrap_or_default();
            if value.contains('<') || self.outline.entities.len() >= limits::XML_ENTITIES {
                return Err(self
                    .error(start..self.at, "an entity that is not supported")
                    .help("entities are read when they stand for text without tags, and when there are few of them"));
            }
            self.outline.entities.declare(name, value);
        }
        Ok(())
    }

    /// A quoted string; `at` stands on its first quote.
    fn literal(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let quote = rest.chars().next()?;
        let inside = rest.get(1..)?;
        let length = inside.find(quote)?;
        self.at += length + 2;
        inside.get(..length)
    }
}

/// The XML name at the start of a text; empty when there is none.
fn name_of(text: &str) -> &str {
    let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'));
    let name = text.split(ends).next().unwrap_or_default();
    if name.starts_with(|c: char| c.is_alphabetic() || c == '_') { name } else { "" }
}

/// Where a start tag ends, one past its `>`, and how many attributes it has. `at` stands behind the name of the tag. The
/// error is the place where it is clear that the tag does not end.
pub fn tag_end(text: &str, at: usize) -> Result<(usize, usize), usize> {
    let mut at = at;
    let mut attributes = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let found = rest.bytes().position(|b| matches!(b, b'>' | b'<' | b'"' | b'\'')).ok_or(text.len())?;
        at += found + 1;
        match rest.as_bytes().get(found) {
            Some(b'>') => return Ok((at, attributes)),
            Some(b'<') => return Err(at - 1),
            Some(quote) => {
                let inside = text.get(at..).unwrap_or_default();
                at += inside.find(char::from(*quote)).ok_or(at - 1)? + 1;
                attributes += 1;
            }
            None => return Err(at),
        }
    }
}
