//! JSON with places: a value knows where it stands, a string how its characters map to those of the file.
//!
//! By hand, because the parsers of model text need a [`Text`] with the way back to the file, which no JSON library keeps.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::{FileId, Span, Text};
use std::collections::HashSet;

/// Levels of nesting; a component needs five.
const DEPTH: usize = 64;

#[derive(Debug)]
pub struct Json {
    pub kind: JsonKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum JsonKind {
    Null,
    /// `true`, `false` and numbers: no part of a component that means something here.
    Other,
    String(Text),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn field(&self, name: &str) -> Option<&Json> {
        let JsonKind::Object(fields) = &self.kind else { return None };
        fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// A field that is a string; one that is missing or something else counts as absent.
    pub fn text(&self, name: &str) -> Option<&Text> {
        match &self.field(name)?.kind {
            JsonKind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of a field that is an array.
    pub fn elements(&self, name: &str) -> &[Json] {
        match self.field(name).map(|value| &value.kind) {
            Some(JsonKind::Array(elements)) => elements,
            _ => &[],
        }
    }
}

/// Parses a whole file.
pub fn parse(file: FileId, text: &str) -> Result<Json, Diagnostic> {
    let mut parser = Parser { file, text, at: 0 };
    let value = parser.value(0)?;
    parser.blanks();
    if parser.at < text.len() {
        return Err(parser.error("the file goes on after its value"));
    }
    Ok(value)
}

struct Parser<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
}

type Parse<T> = Result<T, Diagnostic>;

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn span(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.at as u32 }
    }

    fn error(&self, message: impl Into<String>) -> Diagnostic {
        let length = self.peek().map_or(0, char::len_utf8);
        let span = Span { file: self.file, start: self.at as u32, end: (self.at + length) as u32 };
        Diagnostic::new(Code::JSON, span, message)
    }

    fn expected(&self, what: &str) -> Diagnostic {
        match self.peek() {
            Some(found) => self.error(format!("expected {what}, found `{found}`")),
            None => self.error(format!("expected {what}, found the end of the file")),
        }
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Parse<Json> {
        self.blanks();
        if depth > DEPTH {
            return Err(self.error(format!("nested deeper than {DEPTH} levels")));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some('"') => JsonKind::String(self.string()?),
            Some('[') => JsonKind::Array(self.list(']', |parser| parser.value(depth + 1))?),
            Some('{') => self.object(depth)?,
            _ => self.scalar()?,
        };
        Ok(Json { kind, span: self.span(start) })
    }

    fn object(&mut self, depth: usize) -> Parse<JsonKind> {
        let mut names = HashSet::new();
        let fields = self.list('}', |parser| {
            parser.blanks();
            if parser.peek() != Some('"') {
                return Err(parser.expected("the name of a field"));
            }
            let text = parser.string()?;
            let name = text.as_str().to_owned();
            if !names.insert(name.clone()) {
                let message = format!("the field `{name}` is given twice");
                return Err(Diagnostic::new(Code::JSON, text.span(0..name.len()), message));
            }
            parser.blanks();
            if !parser.eat(':') {
                return Err(parser.expected("`:`"));
            }
            Ok((name, parser.value(depth + 1)?))
        })?;
        Ok(JsonKind::Object(fields))
    }

    fn scalar(&mut self) -> Parse<JsonKind> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        if !(matches!(word, "null" | "true" | "false") || !word.is_empty() && word.parse::<f64>().is_ok()) {
            return Err(self.expected("a value"));
        }
        self.at += length;
        Ok(if word == "null" { JsonKind::Null } else { JsonKind::Other })
    }

    /// What stands between brackets or braces, the opening one included.
    fn list<T>(&mut self, close: char, mut element: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        self.at += 1;
        let mut list = Vec::new();
        self.blanks();
        if self.eat(close) {
            return Ok(list);
        }
        loop {
            list.push(element(self)?);
            self.blanks();
            if self.eat(close) {
                return Ok(list);
            }
            if !self.eat(',') {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
    }

    fn string(&mut self) -> Parse<Text> {
        self.at += 1;
        let mut decoded = String::new();
        let mut map = vec![(0, self.at as u32)];
        loop {
            let start = self.at;
            let Some(character) = self.peek() else { return Err(self.expected("`\"`")) };
            match character {
                '"' => {
                    let end = self.at as u32;
                    self.at += 1;
                    return Ok(Text::decoded(self.file, decoded, map, end));
                }
                '\\' => {
                    decoded.push(self.escape()?);
                    map.push((decoded.len() as u32, self.at as u32));
                }
                c if u32::from(c) < 0x20 => return Err(self.error("a string goes on over the end of its line")),
                c => {
                    self.at += c.len_utf8();
                    decoded.push(c);
                }
            }
            debug_assert!(self.at > start);
        }
    }

    fn escape(&mut self) -> Parse<char> {
        self.at += 1;
        let Some(letter) = self.peek() else { return Err(self.expected("an escaped character")) };
        let plain = match letter {
            '"' | '\\' | '/' => letter,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                self.at += 1;
                let first = self.hexadecimal()?;
                if !(0xd800..0xdc00).contains(&first) {
                    return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                if !(self.eat('\\') && self.eat('u')) {
                    return Ok(char::REPLACEMENT_CHARACTER);
                }
                let second = self.hexadecimal()?;
                let code = 0x10000 + ((first - 0xd800) << 10) + second.wrapping_sub(0xdc00) % 0x400;
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => return Err(self.error("no escape sequence")),
        };
        self.at += letter.len_utf8();
        Ok(plain)
    }

    fn hexadecimal(&mut self) -> Parse<u32> {
        let digits = self.text.get(self.at..self.at + 4).filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(value) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(self.expected("four hexadecimal digits"));
        };
        self.at += 4;
        Ok(value)
    }
}
