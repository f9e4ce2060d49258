//! Telling a heading in a list of queries from a query with a mistake in it.
//!
//! People write plain lines such as `Safety properties:` or `No deadlocks` between their queries. They are no queries
//! and no errors. A mistyped query must stay an error, though, so a line counts as prose only if nothing about it looks
//! like a formula: it does not parse, has no operator and no temporal symbol, no `P.loc` and no `f(x)`, and
//! consists of at least two words (one, if it ends in a colon or is underlined). A line that starts with a word that
//! starts queries (`A`, `E`, `not`, `sup`) needs four: `A client may fail` is prose, `A P deadlock` is not.

use super::lexer::Mode;
use super::parser::Parser;
use crate::source::Text;

/// Words that begin queries or formulas.
const QUERY_WORDS: &[&str] = &[
    "A",
    "E",
    "AF",
    "AG",
    "EF",
    "EG",
    "Pr",
    "not",
    "forall",
    "exists",
    "sup",
    "inf",
    "bounds",
    "simulate",
    "control",
    "strategy",
    "buchi",
    "deadlock",
    "refinement",
    "consistency",
    "determinism",
    "specification",
    "implementation",
    "reachability",
];

/// Whether a line of a query list is prose.
pub fn is_heading(text: &Text) -> bool {
    let line = text.as_str().trim();
    if ["[]", "<>", "--"].iter().any(|symbol| line.contains(symbol)) && !is_rule(line) || is_formula(text) {
        return false;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    if !words.iter().all(|word| is_dash(word) || is_rule(word) || is_plain(word)) {
        return false;
    }
    let marked = line.ends_with(':') || line.starts_with('#') || words.first().is_some_and(|word| is_rule(word));
    let spoken = words.iter().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let first = words.first().map_or("", |word| word.trim_end_matches(':'));
    match QUERY_WORDS.contains(&first) {
        true => spoken >= 4 && !words.first().is_some_and(|word| word.ends_with(':')),
        false => spoken >= 2 || marked,
    }
}

/// Nothing but comments, a query, or an expression.
fn is_formula(text: &Text) -> bool {
    let mut query = Parser::for_query(text, Mode::Query);
    let mut expression = Parser::for_query(text, Mode::Query);
    query.at_end() || query.query().is_ok() || expression.expression().is_ok() && expression.at_end()
}

/// A word of prose, perhaps with punctuation around it.
fn is_plain(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '[', '"', '\'', '#', '“', '‘']);
    let word = word.trim_end_matches([',', '.', ';', ':', '?', '!', ')', ']', '"', '\'', '”', '’']);
    let numbered = word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    word.contains(char::is_alphanumeric)
        && (numbered || word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '\'' | '’' | '/')))
}

fn is_dash(word: &str) -> bool {
    matches!(word, "-" | "–" | "—" | "*" | "#")
}

/// `=====`, `---`, `***`, `##`
fn is_rule(word: &str) -> bool {
    let first = word.chars().next().unwrap_or(' ');
    matches!(first, '=' | '-' | '*' | '#' | '_') && word.len() >= 2 && word.chars().all(|c| c == first)
}
