//! Which words cannot be names.
//!
//! The word lists follow UPPAAL, with one difference: a word is reserved only where reading it as a name would be
//! ambiguous. Models of the 4.0 era call things `exit`, `string`, `query`, `location`, `double` or `import`, which later
//! versions reserve; those words have their later meaning only in the places where that meaning is possible. Names of
//! built-in functions are names like any other.

use super::ast::Syntax;

/// What kind of text is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Vocabulary {
    New,
    Old,
    Query,
}

/// Reserved in models of either syntax.
const MODEL: &[&str] = &[
    "and",
    "assign",
    "bool",
    "broadcast",
    "chan",
    "clock",
    "commit",
    "const",
    "false",
    "guard",
    "imply",
    "init",
    "int",
    "not",
    "or",
    "process",
    "state",
    "sync",
    "system",
    "trans",
    "true",
    "urgent",
];

/// Reserved in models of the new syntax.
const NEW: &[&str] = &[
    "after_update",
    "assert",
    "before_update",
    "branchpoint",
    "default",
    "do",
    "else",
    "exists",
    "for",
    "forall",
    "gantt",
    "if",
    "meta",
    "priority",
    "probability",
    "progress",
    "return",
    "scalar",
    "select",
    "struct",
    "sum",
    "typedef",
    "void",
    "while",
    "xor",
];

/// Reserved in queries. Everything that a model may declare must stay possible as a name here.
const QUERY: &[&str] = &["and", "deadlock", "false", "imply", "not", "or", "true", "under"];

impl Vocabulary {
    pub fn reserves(self, word: &str) -> bool {
        let holds = |list: &[&str]| list.binary_search(&word).is_ok();
        match self {
            Vocabulary::New => holds(MODEL) || holds(NEW),
            Vocabulary::Old => holds(MODEL),
            Vocabulary::Query => holds(QUERY),
        }
    }
}

/// Whether a word cannot be the name of anything in a model.
pub fn is_keyword(word: &str, syntax: Syntax) -> bool {
    match syntax {
        Syntax::New => Vocabulary::New.reserves(word),
        Syntax::Old => Vocabulary::Old.reserves(word),
    }
}

/// Whether a text can be a name: an identifier and no keyword.
pub fn is_name(text: &str, syntax: Syntax) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#'));
    starts && goes_on && !is_keyword(text, syntax)
}

#[cfg(test)]
mod tests {
    use super::{MODEL, NEW, QUERY};

    #[test]
    fn word_lists_are_sorted_for_binary_search() {
        assert!([MODEL, NEW, QUERY].iter().all(|list| list.is_sorted()));
    }
}
