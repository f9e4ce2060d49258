//! Tokens: the words, numbers and symbols that the parsers read.
//!
//! There is no token kind per keyword. Which words are reserved differs between the old syntax, the new one and queries,
//! and models of the 4.0 era use later keywords as names, so a keyword is a [`TokenKind::Word`] until a parser meets it
//! in a place where it means something (see [`super::keywords`]).

use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum TokenKind {
    Word,
    /// Digits; `u64::MAX` when there are too many of them.
    Int(u64),
    Double(f64),
    /// A quoted string, quotes included in the range.
    String,
    /// Punctuation and operators, by their spelling.
    Symbol(&'static str),
    /// A stretch that is no token. The lexer has said so already.
    Unknown,
    End,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    /// Bytes of the text the token was read from.
    pub start: u32,
    pub end: u32,
    /// Whether only blanks and comments stand before it on its line.
    pub first_on_line: bool,
}

impl Token {
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
