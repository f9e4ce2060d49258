//! The entities that an XML file declares for itself: `<!ENTITY bound "5">`.
//!
//! They are almost never used, but XML has them, and a few lines of them can stand for terabytes of text. So their
//! size is computed before anything is expanded.

use crate::limits;
use std::ops::Range;

/// The entities of one file, in the order declared; the first of a name counts.
#[derive(Debug, Default)]
pub struct Entities<'a> {
    list: Vec<(&'a str, &'a str)>,
}

/// Why a reference cannot be expanded.
#[derive(Debug, PartialEq)]
pub struct TooMuch {
    /// Where the reference stands that goes beyond the limit.
    pub reference: Range<usize>,
}

/// Nesting of entities in entities that is still expanded.
const DEPTH: usize = 10;

impl<'a> Entities<'a> {
    pub fn declare(&mut self, name: &'a str, value: &'a str) {
        self.list.push((name, value));
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.list.iter().find(|(declared, _)| *declared == name).map(|(_, value)| *value)
    }

    /// Checks that all references in `text` together expand to less than the limit.
    pub fn check_expansion(&self, text: &str) -> Result<(), TooMuch> {
        if self.list.is_empty() {
            return Ok(());
        }
        let lengths = self.expanded_lengths();
        let mut sum = 0u64;
        for (reference, name) in references(text) {
            sum = sum.saturating_add(self.length(&lengths, name));
            if sum > limits::XML_EXPANSION {
                return Err(TooMuch { reference });
            }
        }
        Ok(())
    }

    /// The length of each entity when it is expanded `DEPTH` levels deep. An entity that contains itself comes out
    /// large or small; the XML parser refuses it in any case.
    fn expanded_lengths(&self) -> Vec<u64> {
        let mut lengths = vec![0; self.list.len()];
        for _ in 0..=DEPTH {
            lengths = self
                .list
                .iter()
                .map(|(_, value)| {
                    let nested = references(value).map(|(_, name)| self.length(&lengths, name));
                    nested.fold(value.len() as u64, u64::saturating_add)
                })
                .collect();
        }
        lengths
    }

    fn length(&self, lengths: &[u64], name: &str) -> u64 {
        let at = self.list.iter().position(|(declared, _)| *declared == name);
        at.and_then(|at| lengths.get(at)).copied().unwrap_or(1)
    }
}

/// All `&name;` of a text, with their places.
fn references(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    text.match_indices('&').filter_map(move |(at, _)| {
        let name = text.get(at + 1..)?;
        let end = name.bytes().position(|b| matches!(b, b';' | b'&' | b'<' | b' ' | b'\n'))?;
        Some((at..at + end + 2, name.get(..end)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_declaration_counts() {
        let mut entities = Entities::default();
        entities.declare("a", "1");
        entities.declare("a", "2");
        assert_eq!(entities.get("a"), Some("1"));
        assert_eq!(entities.get("b"), None);
    }

    #[test]
    fn laughs_are_counted_not_laughed() {
        let values: Vec<String> = (0..9).map(|level| format!("&l{level};").repeat(10)).collect();
        let names: Vec<String> = (0..10).map(|level| format!("l{level}")).collect();
        let mut entities = Entities::default();
        entities.declare("l0", "ha");
        for (name, value) in names.iter().skip(1).zip(&values) {
            entities.declare(name, value);
        }
        assert_eq!(entities.check_expansion("&l4;&l4; &lt; &#10;"), Ok(()));
        assert_eq!(entities.check_expansion("ab&l9;"), Err(TooMuch { reference: 2..6 }));
    }

    #[test]
    fn many_references_to_a_long_entity() {
        let long = "x".repeat(1 << 14);
        let mut entities = Entities::default();
        entities.declare("a", &long);
        assert_eq!(entities.check_expansion(&"&a;".repeat(1000)), Ok(()));
        assert!(entities.check_expansion(&"&a;".repeat(2000)).is_err());
    }
}
