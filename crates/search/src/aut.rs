//! Aldebaran files (`.aut`), as CADP and mCRL2 write them:
//!
//! ```text
//! des (0, 2, 2)
//! (0, "coin(1)", 1)
//! (1, i, 0)
//! ```
//!
//! First state, number of transitions, number of states; then one transition a line. A label in quotes may hold
//! anything but line ends; without quotes it goes up to the last comma. The name `i` is the invisible step.
//! Memory is bounded by the length of the text: what the first line promises reserves nothing.

use crate::graph::{Graph, GraphBuilder, GraphError};
use std::fmt;

/// What is wrong, and where: line and column count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutError {
    pub line: usize,
    pub column: usize,
    pub problem: Problem,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The text ends before the first line.
    Empty,
    /// This was expected here.
    Expected(&'static str),
    /// The number does not fit, or is a state that the first line does not promise.
    State(GraphError),
    NumberTooBig,
    /// The first line promises another number of transitions.
    Transitions {
        promised: u64,
        found: u64,
    },
    NotUtf8,
}

impl fmt::Display for AutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        match &self.problem {
            Problem::Empty => write!(f, "the file is empty; expected `des (first, transitions, states)`"),
            Problem::Expected(what) => write!(f, "expected {what}"),
            Problem::State(error) => write!(f, "{error}"),
            Problem::NumberTooBig => write!(f, "the number is too big"),
            Problem::Transitions { promised, found } => {
                write!(f, "the first line promises {promised} transitions, but there are {found}")
            }
            Problem::NotUtf8 => write!(f, "the text is not UTF-8"),
        }
    }
}

impl std::error::Error for AutError {}

/// A line being read.
struct Line<'t> {
    number: usize,
    text: &'t str,
    at: usize,
}

impl<'t> Line<'t> {
    fn error(&self, at: usize, problem: Problem) -> AutError {
        let column = 1 + self.text.get(..at).map_or(at, |before| before.chars().count());
        AutError { line: self.number, column, problem }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn expect(&mut self, token: &'static str, named: &'static str) -> Result<(), AutError> {
        self.skip_space();
        if !self.rest().starts_with(token) {
            return Err(self.error(self.at, Problem::Expected(named)));
        }
        self.at += token.len();
        Ok(())
    }

    fn number(&mut self, named: &'static str) -> Result<u64, AutError> {
        self.skip_space();
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let text = &self.rest()[..digits];
        if text.is_empty() {
            return Err(self.error(self.at, Problem::Expected(named)));
        }
        let number = text.parse().map_err(|_| self.error(self.at, Problem::NumberTooBig))?;
        self.at += digits;
        Ok(number)
    }

    fn state(&mut self, states: u64) -> Result<u32, AutError> {
        self.skip_space();
        let start = self.at;
        let number = self.number("a state number")?;
        let problem = Problem::State(GraphError::NoSuchState(number));
        u32::try_from(number).ok().filter(|_| number < states).ok_or_else(|| self.error(start, problem))
    }

    /// The label: up to the last comma of the line, quotes around it taken off.
    fn label(&mut self) -> Result<&'t str, AutError> {
        self.skip_space();
        let rest = self.rest();
        let Some(end) = rest.rfind(',') else {
            return Err(self.error(self.text.len(), Problem::Expected("`,` and a state number after the label")));
        };
        let label = rest[..end].trim_end();
        let bare = match label.strip_prefix('"') {
            Some(open) => open.strip_suffix('"').ok_or(Problem::Expected("`\"` at the end of the label")),
            None if label.is_empty() => Err(Problem::Expected("a label")),
            None => Ok(label),
        };
        let bare = bare.map_err(|problem| self.error(self.at + label.len(), problem))?;
        self.at += end;
        Ok(bare)
    }

    fn end(&mut self) -> Result<(), AutError> {
        self.skip_space();
        match self.rest() {
            "" => Ok(()),
            _ => Err(self.error(self.at, Problem::Expected("the end of the line"))),
        }
    }
}

/// Reads a graph from the bytes of a file.
pub fn parse_bytes(bytes: &[u8]) -> Result<Graph, AutError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
            let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count();
            Err(AutError { line, column, problem: Problem::NotUtf8 })
        }
    }
}

/// Reads a graph.
pub fn parse(text: &str) -> Result<Graph, AutError> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty());
    let Some((number, text)) = lines.next() else {
        return Err(AutError { line: 1, column: 1, problem: Problem::Empty });
    };
    let mut first = Line { number, text, at: 0 };
    first.expect("des", "`des (first, transitions, states)`")?;
    first.expect("(", "`(`")?;
    first.skip_space();
    let initial_at = first.at;
    let initial = first.number("the first state")?;
    first.expect(",", "`,`")?;
    first.skip_space();
    let transitions_at = first.at;
    let promised = first.number("the number of transitions")?;
    first.expect(",", "`,`")?;
    first.skip_space();
    let states_at = first.at;
    let states = first.number("the number of states")?;
    first.expect(")", "`)`")?;
    first.end()?;
    let count = u32::try_from(states).map_err(|_| first.error(states_at, Problem::NumberTooBig))?;
    let no_initial = || first.error(initial_at, Problem::State(GraphError::NoSuchState(initial)));
    let initial = u32::try_from(initial).map_err(|_| no_initial())?;
    let mut builder = GraphBuilder::new(initial, count).map_err(|_| no_initial())?;
    for (number, text) in lines {
        let mut line = Line { number, text, at: 0 };
        line.expect("(", "`(from, label, to)`")?;
        let from = line.state(states)?;
        line.expect(",", "`,`")?;
        let label = line.label()?;
        line.expect(",", "`,`")?;
        let to = line.state(states)?;
        line.expect(")", "`)`")?;
        line.end()?;
        builder.edge(from, label, to).map_err(|error| line.error(0, Problem::State(error)))?;
    }
    let found = builder.edges() as u64;
    if found != promised {
        return Err(first.error(transitions_at, Problem::Transitions { promised, found }));
    }
    Ok(builder.build())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn labels_with_and_without_quotes() {
        let text = "des (1, 4, 3)\n(1, \"send(1, \"x\")\", 0)\r\n\n(0,i,2)\n ( 2 , a b , 1 ) \n(1,\"\",1)\n";
        let graph = parse(text).unwrap();
        assert_eq!((graph.initial_state(), graph.states(), graph.edges()), (1, 3, 4));
        let of = |state| graph.edges_of(state).map(|(edge, to)| (graph.label_name(edge), to)).collect::<Vec<_>>();
        assert_eq!(of(1), [("send(1, \"x\")", 0), ("", 1)]);
        assert_eq!(of(0), [("i", 2)]);
        assert_eq!(of(2), [("a b", 1)]);
    }

    #[test]
    fn bad_text_is_named_with_its_place() {
        let table = [
            ("", 1, 1, "the file is empty; expected `des (first, transitions, states)`"),
            ("dos (0,0,1)", 1, 1, "expected `des (first, transitions, states)`"),
            ("des 0,0,1)", 1, 5, "expected `(`"),
            ("des (x,0,1)", 1, 6, "expected the first state"),
            ("des (0,0,1) x", 1, 13, "expected the end of the line"),
            ("des (1,0,1)", 1, 6, "there is no state 1"),
            ("des (0,0,0)", 1, 6, "there is no state 0"),
            ("des (0,0,4294967296)", 1, 10, "the number is too big"),
            ("des (0,99999999999999999999,1)", 1, 8, "the number is too big"),
            ("des (0,2,1)\n(0,\"a\",0)", 1, 8, "the first line promises 2 transitions, but there are 1"),
            ("des (0,1,1)\n0,a,0", 2, 1, "expected `(from, label, to)`"),
            ("des (0,1,1)\n(0,a,7)", 2, 6, "there is no state 7"),
            ("des (0,1,1)\n(0,\"ä\",7)", 2, 8, "there is no state 7"),
            ("des (0,1,1)\n(3,a,0)", 2, 2, "there is no state 3"),
            ("des (0,1,1)\n(0,\"a,0)", 2, 6, "expected `\"` at the end of the label"),
            ("des (0,1,1)\n(0,,0)", 2, 4, "expected a label"),
            ("des (0,1,1)\n(0,a", 2, 5, "expected `,` and a state number after the label"),
            ("des (0,1,1)\n(0,a,0", 2, 7, "expected `)`"),
        ];
        for (text, line, column, message) in table {
            let error = parse(text).expect_err(text);
            assert_eq!(error.to_string(), format!("line {line}, column {column}: {message}"), "{text:?}");
        }
        let error = parse_bytes(b"des (0,1,1)\n(0,\"\xff\",0)").expect_err("not UTF-8");
        assert_eq!((error.line, error.column, error.problem), (2, 5, Problem::NotUtf8));
    }

    #[test]
    fn a_promise_of_many_states_reserves_nothing() {
        let graph = parse("des (0, 1, 4294967295)\n(4294967290, a, 0)").unwrap();
        assert_eq!(graph.edges_of(4294967290).count(), 1);
        assert!(!graph.has_successors(0));
    }

    #[test]
    fn mangled_text_never_panics() {
        let good = "des (0, 3, 3)\n(0,\"tick\",1)\n(1, i, 2)\n(2,\"ä,b\",0)\n".as_bytes();
        assert!(parse_bytes(good).is_ok());
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let mut bytes = good.to_vec();
            for _ in 0..1 + random.below(4) {
                let place = random.index(bytes.len());
                match random.below(3) {
                    _ if bytes.is_empty() => break,
                    0 => bytes[place] = b"(),\"0123456789des\n \xc3\xa4"[random.index(21)],
                    1 => drop(bytes.remove(place)),
                    _ => bytes.truncate(place + 1),
                }
            }
            let _ = parse_bytes(&bytes);
        }
    }
}
