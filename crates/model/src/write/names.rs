//! Names for what is written.

use crate::syntax::ast::Syntax;
use crate::syntax::is_name;
use std::collections::HashSet;

/// Names, each given once.
#[derive(Clone, Default, Debug)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// Nobody gets this name any more.
    pub fn take(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// A name made of letters, digits and `_` that nobody has, as close to the wanted one as that allows.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let mut name: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        while name.contains("__") {
            name = name.replace("__", "_");
        }
        name.truncate(60);
        let mut name = name.trim_end_matches('_').to_owned();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, 'n');
        }
        let mut unique = name.clone();
        let mut n = 2;
        while !is_name(&unique, Syntax::New) || !self.taken.insert(unique.clone()) {
            unique = format!("{name}_{n}");
            n += 1;
        }
        unique
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_of_the_language_and_given_once() {
        let mut names = Names::default();
        names.take("taken");
        let rows =
            [("A || B", "A_B"), ("A || B", "A_B_2"), ("taken", "taken_2"), ("int", "int_2"), ("3", "n3"), ("", "n")];
        for (wanted, given) in rows {
            assert_eq!(names.fresh(wanted), given, "{wanted}");
        }
    }
}
