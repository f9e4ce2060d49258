//! JSON as text, each field on a line of its own, the fields of an object in alphabetical order.

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter, Result, Write};

pub enum Json {
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<&'static str, Json>),
}

impl Json {
    pub fn text(text: &str) -> Json {
        Json::Text(text.to_owned())
    }

    pub fn object<const N: usize>(fields: [(&'static str, Json); N]) -> Json {
        Json::Object(BTreeMap::from(fields))
    }

    fn write(&self, out: &mut Formatter<'_>, depth: usize) -> Result {
        match self {
            Json::Bool(value) => write!(out, "{value}"),
            Json::Number(value) => write!(out, "{value}"),
            Json::Text(text) => quoted(out, text),
            Json::List(elements) if elements.is_empty() => out.write_str("[]"),
            Json::List(elements) => {
                out.write_char('[')?;
                for (n, element) in elements.iter().enumerate() {
                    line(out, n, depth + 1)?;
                    element.write(out, depth + 1)?;
                }
                write!(out, "\n{:1$}]", "", 2 * depth)
            }
            Json::Object(fields) if fields.is_empty() => out.write_str("{}"),
            Json::Object(fields) => {
                out.write_char('{')?;
                for (n, (name, value)) in fields.iter().enumerate() {
                    line(out, n, depth + 1)?;
                    quoted(out, name)?;
                    out.write_str(": ")?;
                    value.write(out, depth + 1)?;
                }
                write!(out, "\n{:1$}}}", "", 2 * depth)
            }
        }
    }
}

impl Display for Json {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        self.write(out, 0)
    }
}

/// The line on which the next of several begins.
fn line(out: &mut Formatter<'_>, n: usize, depth: usize) -> Result {
    write!(out, "{}\n{:2$}", if n == 0 { "" } else { "," }, "", 2 * depth)
}

fn quoted(out: &mut Formatter<'_>, text: &str) -> Result {
    out.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            control if control < ' ' => write!(out, "\\u{:04x}", control as u32)?,
            other => out.write_char(other)?,
        }
    }
    out.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_the_standard_says() {
        let document = Json::object([
            ("z", Json::List(vec![Json::Number(-3), Json::Bool(true), Json::List(Vec::new())])),
            ("a", Json::text("\"\\\n\r\t\u{1} é")),
            ("none", Json::object([])),
        ]);
        let expected = "{\n  \"a\": \"\\\"\\\\\\n\\r\\t\\u0001 é\",\n  \"none\": {},\n  \"z\": [\n    -3,\n    true,\n    []\n  ]\n}";
        assert_eq!(document.to_string(), expected);
    }
}
