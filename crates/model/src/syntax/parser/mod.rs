//! The parser's frame: the cursor over the tokens, errors, recovery, and the bound on nesting.
//!
//! Parsing functions return [`Parse`]. `Err(Failed)` means that the error has been recorded already; whoever reads a list
//! of things (declarations, statements, edges) then skips to the end of the broken one and goes on, so that one run shows
//! all mistakes of a text and none of them twice.
//!
//! Recursion is bounded: [`Parser::nested`] counts the levels and [`Parser::grow`] the height of expression trees. Over
//! the limit the rest of the text is given up, because everything after it would be read out of context, and the tree
//! built so far is still low enough to be dropped on a small stack.

mod declaration;
mod expression;
mod process;
mod query;
mod statement;
mod system;
mod system_query;
mod types;

pub(super) mod old;

use super::ast::{Expr, Ident, Syntax};
use super::keywords::Vocabulary;
use super::lexer::{self, Mode, shown};
use super::token::{Token, TokenKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::limits;
use crate::source::{Span, Text};

pub(super) use declaration::Section;
pub(super) use system_query::is_system_query;

/// An error was found and recorded.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Parse<T> = Result<T, Failed>;

pub(super) struct Parser<'t> {
    text: &'t Text,
    tokens: Vec<Token>,
    /// Index of the next token.
    at: usize,
    vocabulary: Vocabulary,
    /// Open braces before the next token.
    braces: u32,
    /// Levels of nesting of what is being read.
    depth: u32,
    /// The height of the tallest expression finished so far, within the innermost [`Parser::measured`].
    tallest: u32,
    /// A limit was passed; nothing more is reported.
    stopped: bool,
    /// The token at which the last error was found: a second one there would be about the same mistake.
    last_error: Option<usize>,
    errors: Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    pub fn new(text: &'t Text, syntax: Syntax) -> Parser<'t> {
        let vocabulary = match syntax {
            Syntax::New => Vocabulary::New,
            Syntax::Old => Vocabulary::Old,
        };
        Parser::with(text, vocabulary, Mode::Model)
    }

    pub fn for_query(text: &'t Text, mode: Mode) -> Parser<'t> {
        Parser::with(text, Vocabulary::Query, mode)
    }

    fn with(text: &'t Text, vocabulary: Vocabulary, mode: Mode) -> Parser<'t> {
        let lexed = lexer::lex(text, mode);
        Parser {
            text,
            tokens: lexed.tokens,
            at: 0,
            vocabulary,
            braces: 0,
            depth: 0,
            tallest: 0,
            stopped: false,
            last_error: None,
            errors: lexed.errors,
        }
    }

    /// Hands over what was found wrong, in the order of the text.
    pub fn finish(mut self, diagnostics: &mut Diagnostics) {
        self.errors.sort_by_key(|error| error.span.map(|span| span.start));
        self.errors.into_iter().take(limits::DIAGNOSTICS).for_each(|error| diagnostics.push(error));
    }

    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Where the first token starts, past blanks and comments.
    pub fn first_token(&self) -> usize {
        self.tokens.first().map_or(0, |token| token.start as usize)
    }

    // --- the cursor ---

    fn token(&self) -> Token {
        self.ahead(0)
    }

    /// The token `n` places after the next one.
    fn ahead(&self, n: usize) -> Token {
        let end = Token { kind: TokenKind::End, start: 0, end: 0, first_on_line: true };
        self.tokens.get(self.at + n).or(self.tokens.last()).copied().unwrap_or(end)
    }

    fn advance(&mut self) -> Token {
        let token = self.token();
        match token.kind {
            TokenKind::End => return token,
            TokenKind::Symbol("{") => self.braces += 1,
            TokenKind::Symbol("}") => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
        self.at += 1;
        token
    }

    pub fn at_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    fn spelling(&self, token: Token) -> &'t str {
        self.text.as_str().get(token.range()).unwrap_or_default()
    }

    fn is(&self, symbol: &str) -> bool {
        self.is_ahead(0, symbol)
    }

    fn is_ahead(&self, n: usize, symbol: &str) -> bool {
        matches!(self.ahead(n).kind, TokenKind::Symbol(spelling) if spelling == symbol)
    }

    /// The word `n` places ahead, or nothing (which equals no word).
    fn word_ahead(&self, n: usize) -> &'t str {
        let token = self.ahead(n);
        if token.kind == TokenKind::Word { self.spelling(token) } else { "" }
    }

    fn word(&self) -> &'t str {
        self.word_ahead(0)
    }

    /// Whether the token `n` places ahead is a word that can be a name.
    fn is_name_ahead(&self, n: usize) -> bool {
        let word = self.word_ahead(n);
        !word.is_empty() && !self.vocabulary.reserves(word)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.advance();
        }
        found
    }

    /// `=` or `:=`
    fn eat_assign(&mut self) -> bool {
        self.eat("=") || self.eat(":=")
    }

    fn span_of(&self, token: Token) -> Span {
        self.text.span(token.range())
    }

    /// The place of the next token.
    fn here(&self) -> Span {
        self.span_of(self.token())
    }

    /// From a place to the end of the last token read.
    fn since(&self, start: Span) -> Span {
        match self.at.checked_sub(1).and_then(|last| self.tokens.get(last)) {
            Some(last) => start.to(self.span_of(*last)),
            None => start,
        }
    }

    fn expect(&mut self, symbol: &'static str, context: &str) -> Parse<()> {
        if self.eat(symbol) {
            return Ok(());
        }
        Err(self.expected_after(&format!("`{symbol}`"), context))
    }

    /// A `;`. When only this is missing and a new line begins, reading goes on as if it were there.
    fn expect_semicolon(&mut self, context: &str) -> Parse<()> {
        if self.eat(";") {
            return Ok(());
        }
        let continues = self.token().first_on_line;
        let failed = self.expected_after("`;`", context);
        if continues { Ok(()) } else { Err(failed) }
    }

    fn identifier(&mut self, what: &str) -> Parse<Ident> {
        let word = self.word();
        if word.is_empty() {
            return Err(self.expected(what));
        }
        let span = self.here();
        if self.vocabulary.reserves(word) {
            let message = format!("expected {what}, but `{word}` is a keyword");
            return Err(self.error(Diagnostic::new(Code::KEYWORD, span, message).label("choose another name")));
        }
        self.advance();
        Ok(Ident { name: word.into(), span })
    }

    // --- errors ---

    /// Records an error at the next token, unless one was found there already.
    fn error(&mut self, error: Diagnostic) -> Failed {
        let repeats = self.last_error == Some(self.at) || self.token().kind == TokenKind::Unknown;
        self.last_error = Some(self.at);
        if !repeats {
            self.remark(error);
        }
        if self.errors.len() > limits::DIAGNOSTICS {
            self.stop();
        }
        Failed
    }

    /// Records an error that does not keep the parser from reading on.
    fn remark(&mut self, error: Diagnostic) {
        if !self.stopped {
            self.errors.push(error);
        }
    }

    fn expected(&mut self, what: &str) -> Failed {
        let error = self.expectation(what);
        self.error(error)
    }

    fn expectation(&self, what: &str) -> Diagnostic {
        let message = format!("expected {what}, found {}", self.found());
        Diagnostic::new(Code::SYNTAX, self.here(), message).label(format!("expected {what}"))
    }

    /// "expected `;` after the declaration, found `x`"
    fn expected_after(&mut self, what: &str, context: &str) -> Failed {
        let message = format!("expected {what} {context}, found {}", self.found());
        // At the start of a line the mistake is at the end of the one before.
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).filter(|_| self.token().first_on_line);
        let (span, place) = match before.map(|token| token.range().end) {
            Some(end) => (self.text.span(end..end), "here"),
            None => (self.here(), "before this"),
        };
        let error = Diagnostic::new(Code::SYNTAX, span, message);
        self.error(error.label(format!("{what} is missing {place}")))
    }

    fn found(&self) -> String {
        let token = self.token();
        match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", shown(self.spelling(token))),
        }
    }

    /// Nothing may follow any more.
    pub fn expect_end(&mut self, what: &str) -> Parse<()> {
        if self.at_end() {
            return Ok(());
        }
        let mut error = self.expectation(&format!("an operator or the end of {what}"));
        let help = match (what, self.found().as_str()) {
            ("the update", "`;`") => Some("several updates are separated by `,`"),
            ("the query", "`A`" | "`E`" | "`A[]`" | "`A<>`" | "`E<>`" | "`E[]`" | "`Pr`" | "`//`") => {
                Some("each query has a `<formula>`, or in a file of queries a line, of its own")
            }
            _ => None,
        };
        if let Some(help) = help {
            error = error.help(help);
        }
        Err(self.error(error))
    }

    // --- limits ---

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= limits::NESTING {
            return Err(self.too_deep(self.here(), format!("nested deeper than {} levels", limits::NESTING)));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Runs a parser and says how high the tallest expression in what it read is.
    fn measured<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<(T, u32)> {
        let outer = std::mem::take(&mut self.tallest);
        let parsed = parse(self);
        let inner = std::mem::replace(&mut self.tallest, outer);
        self.tallest = outer.max(inner);
        parsed.map(|parsed| (parsed, inner))
    }

    fn too_deep(&mut self, span: Span, message: String) -> Failed {
        self.remark(Diagnostic::new(Code::NESTING, span, message));
        self.stop();
        Failed
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.at = self.tokens.len().saturating_sub(1);
    }

    // --- recovery ---

    /// Skips to where the next thing of a list starts, after a mistake in one that began with `braces` open braces:
    /// behind its end, before the `}` that ends the list, or at a word that starts a declaration on a line of its own.
    fn recover(&mut self, braces: u32, end: End) {
        loop {
            let token = self.token();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Symbol("}") if self.braces <= braces => return,
                TokenKind::Symbol(";") if self.braces <= braces => {
                    self.advance();
                    return;
                }
                TokenKind::Symbol("}") if self.braces == braces + 1 => {
                    self.advance();
                    let stops = match end {
                        End::Semicolon => false,
                        End::Brace => true,
                        // `} x;` goes on, `}` and a new line does not.
                        End::Either => self.eat(";") || self.token().first_on_line,
                    };
                    if stops {
                        return;
                    }
                }
                TokenKind::Word if token.first_on_line && self.restarts(braces) => {
                    self.braces = self.braces.min(braces);
                    return;
                }
                _ => {
                    self.advance();
                }
            };
        }
    }

    /// Whether the next word can only be the start of a declaration, or of a section of the process that is being read.
    /// `process` and `system` are so even where a closing brace is missing.
    fn restarts(&self, braces: u32) -> bool {
        match self.word() {
            "process" | "system" => true,
            "state" | "init" | "trans" => braces > 0 && self.vocabulary.reserves(self.word()),
            "typedef" | "const" | "clock" | "chan" | "int" | "bool" | "broadcast" | "urgent" | "meta" => {
                self.braces <= braces && self.vocabulary.reserves(self.word())
            }
            _ => false,
        }
    }

    /// Whether a word follows that starts no statement and no clause of an edge: a closing brace is missing.
    fn at_section_word(&self) -> bool {
        let words = ["process", "system", "state", "branchpoint", "commit", "init", "trans"];
        self.vocabulary.reserves(self.word()) && words.contains(&self.word())
    }
}

/// How the things of a list end, for recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// `state A, B;`
    Semicolon,
    /// An edge, up to the closing brace of its labels.
    Brace,
    /// Declarations and statements.
    Either,
}

/// An expression and its height.
struct Tree {
    expr: Expr,
    height: u32,
}
