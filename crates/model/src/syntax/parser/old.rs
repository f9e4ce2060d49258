//! The syntax of UPPAAL 3.x where it differs, and how to recognise it.
//!
//! The rest of the parser reads both: assignments may be `:=` everywhere, new keywords are names in the old vocabulary,
//! and guards are split at commas in [`Parser::condition_label`].

use super::super::ast::*;
use super::super::keywords::Vocabulary;
use super::super::lexer::{Mode, lex};
use super::super::token::{Token, TokenKind};
use super::{Parse, Parser};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Span, Text};

impl Parser<'_> {
    /// Whether a constant without a type starts here: `const N 5`, `const A[2] {1, 2}`, `const N = 5`.
    pub(super) fn at_untyped_constant(&self) -> bool {
        self.word() == "const" && self.is_name_ahead(1) && !self.is_name_ahead(2) && self.word_ahead(1) != "hybrid"
    }

    /// `const N 5, A[2] {1, 2};`: always of type int.
    pub(super) fn untyped_constants(&mut self, start: Span) -> Parse<Variables> {
        self.advance();
        if self.vocabulary != Vocabulary::Old {
            let name = self.word();
            let error = Diagnostic::new(Code::SYNTAX, self.here(), format!("the constant `{name}` has no type"));
            self.remark(error.help(format!("write `const int {name} = ...`")));
        }
        let mut declarators = Vec::new();
        loop {
            let name = self.identifier("the name of a constant")?;
            let dimensions = self.dimensions()?;
            self.eat_assign();
            declarators.push(Declarator { name, dimensions, initialiser: Some(self.initialiser()?) });
            if !self.eat(",") {
                break;
            }
        }
        self.expect_semicolon("after the constants")?;
        Ok(Variables { ty: constant_type(start), declarators, span: self.since(start) })
    }

    /// Groups separated by semicolons: `clock x; int i, j; const k`. All by reference, except constants.
    pub(super) fn old_parameters(&mut self) -> Parse<Vec<Parameter>> {
        let mut parameters = Vec::new();
        while !(self.at_end() || self.is(")")) {
            let start = self.here();
            let ty = if self.word() == "const" && self.is_name_ahead(1) && !self.is_name_ahead(2) {
                self.advance();
                constant_type(start)
            } else {
                self.type_name()?
            };
            loop {
                self.eat("&");
                let name = self.identifier("the name of the parameter")?;
                let dimensions = self.dimensions()?;
                parameters.push(Parameter { ty: ty.clone(), by_reference: !ty.prefix.is_const, name, dimensions });
                if !(self.is(",") && self.is_name_ahead(1) && !self.is_name_ahead(2)) {
                    break;
                }
                self.advance();
            }
            if !(self.eat(";") || self.eat(",")) {
                break;
            }
        }
        Ok(parameters)
    }
}

fn constant_type(span: Span) -> Type {
    let prefix = Prefix { is_const: true, ..Prefix::default() };
    Type { prefix, base: BaseType::Int(None), span }
}

/// Whether a text has something that only the old syntax allows. Asked when it does not parse in the new one; a text of
/// the new syntax with a mistake in it should not answer yes, but does no harm if it does.
pub(in super::super) fn has_old_only_constructs(text: &Text) -> bool {
    let tokens = lex(text, Mode::Model).tokens;
    let scan = Scan { text, tokens: &tokens };
    (0..tokens.len())
        .any(|at| scan.old_constant(at) || scan.old_comparison(at) || scan.old_process(at) || scan.comma_guard(at))
        || scan.is_comma_condition()
        || scan.is_parameter_groups()
}

/// How many tokens a guard or a parameter list may have to be looked through.
const LONGEST: usize = 1_000;

struct Scan<'t> {
    text: &'t Text,
    tokens: &'t [Token],
}

impl Scan<'_> {
    fn word(&self, at: usize) -> &str {
        match self.tokens.get(at) {
            Some(token) if token.kind == TokenKind::Word => self.text.as_str().get(token.range()).unwrap_or_default(),
            _ => "",
        }
    }

    fn symbol(&self, at: usize) -> &'static str {
        match self.tokens.get(at).map(|token| token.kind) {
            Some(TokenKind::Symbol(symbol)) => symbol,
            _ => "",
        }
    }

    fn is_name(&self, at: usize) -> bool {
        !self.word(at).is_empty() && !Vocabulary::Old.reserves(self.word(at))
    }

    /// `const N 5`, `const k)`
    fn old_constant(&self, at: usize) -> bool {
        self.word(at) == "const" && self.is_name(at + 1) && !self.is_name(at + 2) && self.symbol(at + 2) != "&"
    }

    fn old_comparison(&self, at: usize) -> bool {
        matches!(self.symbol(at), "=<" | "=>")
    }

    /// `process P {`, or a semicolon in the parameter list.
    fn old_process(&self, at: usize) -> bool {
        if self.word(at) != "process" || !self.is_name(at + 1) {
            return false;
        }
        let mut head = (at..self.tokens.len()).take(LONGEST).take_while(|at| self.symbol(*at) != "{");
        self.symbol(at + 2) == "{" || head.any(|at| self.symbol(at) == ";")
    }

    /// A comma outside of brackets between `guard` and the next semicolon, or in the invariant of a location.
    fn comma_guard(&self, at: usize) -> bool {
        if self.word(at) == "guard" {
            return self.has_comma(at + 1);
        }
        let in_states =
            || (0..at).rev().take(LONGEST).take_while(|at| self.symbol(*at) != ";").any(|at| self.word(at) == "state");
        self.symbol(at) == "{" && self.is_name(at.wrapping_sub(1)) && self.has_comma(at + 1) && in_states()
    }

    /// Whether a comma follows outside of brackets, before the next semicolon or the end of the enclosing bracket.
    fn has_comma(&self, from: usize) -> bool {
        let mut depth = 0u32;
        for at in (from..self.tokens.len()).take(LONGEST) {
            match self.symbol(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" if depth == 0 => return false,
                ")" | "]" | "}" => depth -= 1,
                ";" => return false,
                "," if depth == 0 => return true,
                _ => {}
            }
        }
        false
    }

    /// A label that is a list of conditions: `x >= 2, y < 3`.
    fn is_comma_condition(&self) -> bool {
        let any = |symbols: &[&str]| (0..self.tokens.len()).any(|at| symbols.contains(&self.symbol(at)));
        any(&["<", "<=", ">", ">=", "=="]) && !any(&["=", ":=", ";", "{"]) && self.has_comma(0)
    }

    /// The text of a parameter list in groups: `clock x; int i`.
    fn is_parameter_groups(&self) -> bool {
        let last = self.tokens.len().saturating_sub(2);
        let any = |symbols: &[&str]| (0..self.tokens.len()).any(|at| symbols.contains(&self.symbol(at)));
        any(&[";"]) && !any(&["=", ":=", "{", "(", "&"]) && self.is_name(last)
    }
}
