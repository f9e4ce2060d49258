//! The text of an XML element, decoded, with the way back to the file.
//!
//! UPPAAL reads the first text of an element only, so decoding stops at the first child element. On the way `&lt;` and
//! its like become characters, CDATA sections lose their brackets, comments vanish and CR LF becomes LF; each of these
//! adds a step to the map of the [`Text`], so that an error in `x &lt;= y` points at the `y` in the file.

use super::xml_entities::Entities;
use crate::source::{FileId, Text};

/// Decodes what follows `start`, the end of a start tag, up to the next tag.
pub fn decode(file: FileId, text: &str, start: usize, entities: &Entities) -> Text {
    let mut decoder = Decoder { text: String::new(), map: Vec::new(), end: start, entities };
    decoder.content(text, start);
    if decoder.map.is_empty() {
        decoder.map.push((0, start as u32));
    }
    Text::decoded(file, decoder.text, decoder.map, decoder.end as u32)
}

struct Decoder<'a> {
    text: String,
    map: Vec<(u32, u32)>,
    /// Where the last character ends in the file; the bracket of a CDATA section behind it does not count.
    end: usize,
    entities: &'a Entities<'a>,
}

impl Decoder<'_> {
    /// Adds text that stands in the file as it is.
    fn verbatim(&mut self, text: &str, at: usize) {
        if !text.is_empty() {
            self.step(at);
            self.text.push_str(text);
            self.end = at + text.len();
        }
    }

    /// What is added next stands at `at` in the file.
    fn step(&mut self, at: usize) {
        let step = (self.text.len() as u32, at as u32);
        let straight = self.map.last().is_some_and(|last| step.0 - last.0 == step.1.wrapping_sub(last.1));
        if !straight {
            self.map.push(step);
        }
    }

    /// Decodes up to the next tag.
    fn content(&mut self, text: &str, start: usize) {
        let mut at = start;
        loop {
            let rest = text.get(at..).unwrap_or_default();
            let plain = rest.bytes().position(|b| matches!(b, b'<' | b'&' | b'\r')).unwrap_or(rest.len());
            let (before, rest) = rest.split_at_checked(plain).unwrap_or((rest, ""));
            self.verbatim(before, at);
            at += before.len();
            at += if rest.starts_with('\r') {
                self.line_end(rest, at)
            } else if rest.starts_with('&') {
                self.reference(rest, at)
            } else if let Some(inside) = rest.strip_prefix("<![CDATA[") {
                let length = inside.find("]]>").unwrap_or(inside.len());
                self.lines(inside.get(..length).unwrap_or_default(), at + 9);
                length + 12
            } else if rest.starts_with("<!--") {
                rest.find("-->").map_or(rest.len(), |end| end + 3)
            } else if rest.starts_with("<?") {
                rest.find("?>").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
        }
    }

    /// Text without markup, of a CDATA section.
    fn lines(&mut self, text: &str, start: usize) {
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let line = rest.split('\r').next().unwrap_or_default();
            self.verbatim(line, start + at);
            at += line.len();
            if let Some(rest) = rest.get(line.len()..).filter(|rest| !rest.is_empty()) {
                at += self.line_end(rest, start + at);
            }
        }
    }

    /// CR LF or CR alone: one line feed. Returns the length in the file.
    fn line_end(&mut self, rest: &str, at: usize) -> usize {
        self.verbatim("\n", at);
        let length = if rest.starts_with("\r\n") { 2 } else { 1 };
        self.end = at + length;
        length
    }

    /// `&lt;`, `&#10;` or an entity of the file. Returns the length in the file.
    fn reference(&mut self, rest: &str, at: usize) -> usize {
        let Some((name, _)) = rest.get(1..).and_then(|name| name.split_once(';')) else {
            self.verbatim("&", at);
            return 1;
        };
        self.expand(name, at, 0);
        self.end = at + name.len() + 2;
        name.len() + 2
    }

    fn expand(&mut self, name: &str, at: usize, depth: usize) {
        if let Some(c) = character(name) {
            self.step(at);
            self.text.push(c);
            return;
        }
        // The parser has refused entities that are not declared or that contain themselves.
        let Some(mut value) = self.entities.get(name).filter(|_| depth < 10) else { return };
        while let Some(c) = value.chars().next() {
            if c == '&'
                && let Some((name, after)) = value.get(1..).and_then(|name| name.split_once(';'))
            {
                self.expand(name, at, depth + 1);
                value = after;
            } else {
                self.step(at);
                self.text.push(if c == '\r' { '\n' } else { c });
                value = value.get(c.len_utf8()..).unwrap_or_default();
            }
        }
    }
}

/// The character that a predefined or numeric reference stands for.
fn character(name: &str) -> Option<char> {
    let number = match name {
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "amp" => return Some('&'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        _ => name.strip_prefix('#')?,
    };
    let code = match number.strip_prefix('x') {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    Some(code.ok().and_then(char::from_u32).unwrap_or('\u{FFFD}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    /// Decodes, and says for each character which part of the file it came from.
    fn trace(raw: &str) -> (String, Vec<u32>) {
        let file = Sources::new().add("a", raw.to_owned());
        let mut entities = Entities::default();
        entities.declare("n", "5&m;");
        entities.declare("m", "67");
        let text = decode(file, raw, 0, &entities);
        let places = text.as_str().char_indices().map(|(at, c)| text.span(at..at + c.len_utf8()).start).collect();
        (text.as_str().to_owned(), places)
    }

    #[test]
    fn each_character_knows_its_place() {
        let cases: [(&str, &str, &[u32]); 13] = [
            ("ab</x>", "ab", &[0, 1]),
            ("a&lt;b", "a<b", &[0, 1, 5]),
            ("&amp;&amp;", "&&", &[0, 5]),
            ("&quot;&apos;&gt;", "\"'>", &[0, 6, 12]),
            ("&#65;&#x42;c", "ABc", &[0, 5, 11]),
            ("a\r\nb\rc\nd", "a\nb\nc\nd", &[0, 1, 3, 4, 5, 6, 7]),
            ("a<![CDATA[<&]]>b", "a<&b", &[0, 10, 11, 15]),
            ("<![CDATA[a\r\nb]]>", "a\nb", &[9, 10, 12]),
            ("a<!-- & -->b<?pi ?>c", "abc", &[0, 11, 19]),
            ("a<b/>c", "a", &[0]),
            ("x&n;y", "x567y", &[0, 1, 1, 1, 4]),
            ("é&lt;ü", "é<ü", &[0, 2, 6]),
            ("<x/>", "", &[]),
        ];
        for (raw, text, places) in cases {
            assert_eq!(trace(raw), (text.to_owned(), places.to_vec()), "{raw:?}");
        }
    }

    #[test]
    fn a_span_ends_where_the_next_character_starts() {
        let raw = "i &lt;= N</label>";
        let file = Sources::new().add("a", raw.to_owned());
        let text = decode(file, raw, 0, &Entities::default());
        let span = text.span(2..4);
        assert_eq!((span.start, span.end), (2, 7));
        let span = text.span(5..6);
        assert_eq!((span.start, span.end), (8, 9));
        let raw = "<![CDATA[ab]]></label>";
        let span = decode(file, raw, 0, &Entities::default()).span(0..2);
        assert_eq!((span.start, span.end), (9, 11));
    }
}
