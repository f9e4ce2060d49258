//! From characters to tokens.
//!
//! Longest match everywhere: `i-->0` is `i`, `-->`, `0`, as in UPPAAL. Three things depend on what is being read. In
//! queries `A[]`, `E<>` and their relatives are single symbols. In queries over timed I/O systems `//` is the quotient
//! instead of a comment. And a newline separates nothing: the reader of query files splits the lines itself.

use super::token::{Token, TokenKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::source::Text;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Model,
    Query,
    /// A query over timed I/O systems, where `A // B` is a quotient.
    SystemQuery,
}

pub(super) struct Lexed {
    /// Ends with one [`TokenKind::End`].
    pub tokens: Vec<Token>,
    pub errors: Vec<Diagnostic>,
}

/// Symbols of every mode, longer ones before their prefixes.
const SYMBOLS: &[&str] = &[
    "-u->", "-->", "<<=", ">>=", "->", ":=", "==", "!=", "<=", ">=", "=<", "=>", "<<", ">>", "<?", ">?", "&&", "||",
    "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".",
    "'", "#", "?", "!", "+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "=",
];

/// Symbols of queries, tried first.
const QUERY_SYMBOLS: &[&str] = &["[]", "<>", "@", "\\\\", "\\"];

/// Path quantifiers: a letter and a symbol without a blank between them.
const PATH_QUANTIFIERS: &[&str] = &["A[]", "A<>", "E[]", "E<>"];

pub(super) fn lex(text: &Text, mode: Mode) -> Lexed {
    let mut lexer =
        Lexer { text, source: text.as_str(), at: 0, mode, lexed: Lexed { tokens: Vec::new(), errors: Vec::new() } };
    lexer.run();
    lexer.lexed
}

struct Lexer<'t> {
    text: &'t Text,
    source: &'t str,
    at: usize,
    mode: Mode,
    lexed: Lexed,
}

impl<'t> Lexer<'t> {
    fn run(&mut self) {
        loop {
            let first_on_line = self.skip_blanks() || self.lexed.tokens.is_empty();
            let start = self.at;
            if start >= self.source.len() {
                break;
            }
            let kind = self.token();
            self.lexed.tokens.push(Token { kind, start: start as u32, end: self.at as u32, first_on_line });
        }
        // The end is reported where the last token stops, not behind trailing blanks and comments.
        let end = self.lexed.tokens.last().map_or(0, |token| token.end);
        self.lexed.tokens.push(Token { kind: TokenKind::End, start: end, end, first_on_line: true });
    }

    fn rest(&self) -> &'t str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_while(&mut self, accept: impl Fn(char) -> bool) {
        self.at += self.rest().find(|c| !accept(c)).unwrap_or(self.rest().len());
    }

    /// Skips blanks, comments and joined lines; says whether a newline was among them.
    fn skip_blanks(&mut self) -> bool {
        let mut newline = false;
        loop {
            let start = self.at;
            self.skip_while(is_blank);
            if self.rest().starts_with("//") && self.mode != Mode::SystemQuery {
                self.skip_while(|c| c != '\n');
            } else if self.rest().starts_with("/*") {
                self.block_comment();
            } else if let Some(length) = continuation(self.rest()) {
                self.at += length;
            }
            if self.at == start {
                return newline;
            }
            newline |= self.source.get(start..self.at).is_some_and(|skipped| skipped.contains('\n'));
        }
    }

    fn block_comment(&mut self) {
        match self.rest().get(2..).and_then(|inside| inside.find("*/")) {
            Some(length) => self.at += length + 4,
            None => {
                let open = Diagnostic::new(
                    Code::COMMENT_OPEN,
                    self.text.span(self.at..self.at + 2),
                    "the comment is not closed",
                )
                .label("opened here")
                .help("close it with `*/`");
                self.error(open);
                self.at = self.source.len();
            }
        }
    }

    fn token(&mut self) -> TokenKind {
        match self.peek() {
            Some(c) if is_word_start(c) => self.word(),
            Some('0'..='9') => self.number(),
            Some('"') => self.string(),
            _ => match self.symbol() {
                Some(symbol) => {
                    self.at += symbol.len();
                    TokenKind::Symbol(symbol)
                }
                None => self.unknown(),
            },
        }
    }

    fn word(&mut self) -> TokenKind {
        if self.mode != Mode::Model
            && let Some(quantifier) = PATH_QUANTIFIERS.iter().find(|quantifier| self.rest().starts_with(**quantifier))
        {
            self.at += quantifier.len();
            return TokenKind::Symbol(quantifier);
        }
        self.skip_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#'));
        TokenKind::Word
    }

    /// `12`, `1.5`, `1e-3`. Neither `.5` nor `5.` is a number.
    fn number(&mut self) -> TokenKind {
        let start = self.at;
        self.skip_while(|c| c.is_ascii_digit());
        let digits = self.at;
        if self.rest().strip_prefix('.').is_some_and(starts_with_digit) {
            self.at += 1;
            self.skip_while(|c| c.is_ascii_digit());
        }
        if let Some(exponent) = self.rest().strip_prefix(['e', 'E']) {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if starts_with_digit(unsigned) {
                self.at = self.source.len() - unsigned.len();
                self.skip_while(|c| c.is_ascii_digit());
            }
        }
        let spelling = self.source.get(start..self.at).unwrap_or_default();
        if self.at == digits {
            return TokenKind::Int(spelling.parse().unwrap_or(u64::MAX));
        }
        let value: f64 = spelling.parse().unwrap_or(f64::INFINITY);
        if value.is_infinite() {
            let place = self.text.span(start..self.at);
            self.error(Diagnostic::new(Code::NUMBER, place, format!("the number `{}` is too large", shown(spelling))));
        }
        TokenKind::Double(value)
    }

    fn string(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        self.skip_while(|c| c != '"' && c != '\n');
        if self.rest().starts_with('"') {
            self.at += 1;
            return TokenKind::String;
        }
        let open = Diagnostic::new(Code::STRING_OPEN, self.text.span(start..start + 1), "the string is not closed");
        self.error(open.label("opened here"));
        TokenKind::Unknown
    }

    fn symbol(&self) -> Option<&'static str> {
        let rest = self.rest().as_bytes();
        let starts =
            |symbol: &&&'static str| symbol.as_bytes().first() == rest.first() && rest.starts_with(symbol.as_bytes());
        let mut found = None;
        if self.mode == Mode::SystemQuery {
            found = ["//"].iter().find(starts);
        }
        if self.mode != Mode::Model {
            found = found.or_else(|| QUERY_SYMBOLS.iter().find(starts));
        }
        found.or_else(|| SYMBOLS.iter().find(starts)).copied()
    }

    /// One error for a whole run of characters that start no token.
    fn unknown(&mut self) -> TokenKind {
        let start = self.at;
        while let Some(c) = self.peek()
            && !(is_blank(c) || is_word_start(c) || c.is_ascii_digit() || c == '"' || self.symbol().is_some())
            && continuation(self.rest()).is_none()
        {
            self.at += c.len_utf8();
        }
        let run = self.source.get(start..self.at).unwrap_or_default();
        let several = if run.chars().nth(1).is_some() { "characters" } else { "character" };
        let message = format!("unknown {several} `{}`", shown(run));
        let mut error = Diagnostic::new(Code::UNKNOWN_CHARACTER, self.text.span(start..self.at), message);
        if let Some((_, ascii)) = LOOKALIKES.iter().find(|(character, _)| run.starts_with(*character)) {
            error = error.help(format!("write `{ascii}`"));
        }
        self.error(error);
        TokenKind::Unknown
    }

    fn error(&mut self, error: Diagnostic) {
        if self.lexed.errors.len() < limits::DIAGNOSTICS {
            self.lexed.errors.push(error);
        }
    }
}

/// Characters that word processors and papers put where the language has ASCII.
const LOOKALIKES: &[(char, &str)] = &[
    ('≤', "<="),
    ('≥', ">="),
    ('≠', "!="),
    ('∧', "&&"),
    ('∨', "||"),
    ('¬', "!"),
    ('→', "->"),
    ('∀', "forall"),
    ('∃', "exists"),
    ('–', "-"),
    ('−', "-"),
    ('’', "'"),
    ('“', "\""),
    ('”', "\""),
    ('\u{a0}', " "),
];

fn is_blank(c: char) -> bool {
    // The byte order mark is a blank: it may stand before the first word of a file.
    matches!(c, ' ' | '\t' | '\r' | '\n' | '\x0b' | '\x0c' | '\u{feff}')
}

fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// The length of a backslash, blanks and a newline: the line goes on.
pub(super) fn continuation(text: &str) -> Option<usize> {
    let after = text.strip_prefix('\\')?.trim_start_matches([' ', '\t', '\r']);
    let length = text.len() - after.len();
    if after.starts_with('\n') { Some(length + 1) } else { after.is_empty().then_some(length) }
}

/// A piece of input as a message shows it: not too long, nothing a terminal would act on.
pub(super) fn shown(piece: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown = String::new();
    for (index, c) in piece.chars().enumerate() {
        if index == LONGEST {
            shown.push_str("...");
            break;
        }
        if c.is_control() { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}
