//! Expressions: precedence climbing over the levels of [`operators`].

use super::super::ast::*;
use super::super::keywords::Vocabulary;
use super::super::operators::{self, ANY, ASSIGN, CONDITIONAL};
use super::super::token::TokenKind;
use super::{Parse, Parser, Tree};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::source::Span;

/// The one number that is a literal only behind a minus.
const LOWEST: u64 = 1 << 31;

impl Parser<'_> {
    pub fn expression(&mut self) -> Parse<Expr> {
        self.expression_above(ANY)
    }

    /// An expression whose operators all have at least the given level.
    pub(super) fn expression_above(&mut self, level: u8) -> Parse<Expr> {
        Ok(self.tree(level)?.expr)
    }

    /// A name with indices, members and calls, without any operator before or after it.
    pub(super) fn postfix_expression(&mut self) -> Parse<Expr> {
        let tree = self.postfix()?;
        self.tallest = self.tallest.max(tree.height);
        Ok(tree.expr)
    }

    /// `a, b, c`, at least one.
    pub(super) fn expression_list(&mut self) -> Parse<Vec<Expr>> {
        let mut list = vec![self.expression()?];
        while self.eat(",") {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    /// `a, b, c` as the conjunction that it is in the old syntax.
    pub(super) fn comma_conjunction(&mut self) -> Parse<Expr> {
        let mut left = self.tree(ANY)?;
        while self.eat(",") {
            let right = self.tree(ANY)?;
            left = self.join(left, right, |left, right| ExprKind::Binary { op: BinaryOp::And, left, right })?;
        }
        Ok(left.expr)
    }

    /// `(a, b)`, perhaps empty.
    pub(super) fn arguments(&mut self) -> Parse<Vec<Expr>> {
        self.expect("(", "before the arguments")?;
        let mut list = Vec::new();
        if !self.is(")") {
            list = self.nested(|parser| parser.expression_list())?;
        }
        self.expect(")", "after the arguments")?;
        Ok(list)
    }

    fn tree(&mut self, level: u8) -> Parse<Tree> {
        let tree = self.climb(level)?;
        self.tallest = self.tallest.max(tree.height);
        Ok(tree)
    }

    fn climb(&mut self, level: u8) -> Parse<Tree> {
        let mut left = self.prefix()?;
        loop {
            let spelling = match self.token().kind {
                TokenKind::Symbol(symbol) => symbol,
                _ => self.word(),
            };
            if let Some((op, own)) = operators::binary(spelling) {
                if own < level {
                    return Ok(left);
                }
                self.old_comparison(spelling);
                self.advance();
                let right = self.climb(own + 1)?;
                left = self.join(left, right, |left, right| ExprKind::Binary { op, left, right })?;
            } else if spelling == "?" && CONDITIONAL >= level {
                left = self.conditional(left)?;
            } else if let Some(op) = operators::assignment(spelling)
                && ASSIGN >= level
            {
                self.advance();
                let value = self.nested(|parser| parser.climb(ASSIGN))?;
                left = self.join(left, value, |target, value| ExprKind::Assign { op, target, value })?;
            } else {
                return Ok(left);
            }
        }
    }

    fn conditional(&mut self, condition: Tree) -> Parse<Tree> {
        self.advance();
        let then = self.nested(|parser| parser.climb(ANY))?;
        self.expect(":", "between the two values of `? :`")?;
        let otherwise = self.nested(|parser| parser.climb(CONDITIONAL))?;
        let height = condition.height.max(then.height).max(otherwise.height);
        let span = condition.expr.span.to(otherwise.expr.span);
        let (condition, then, otherwise) = (condition.expr.into(), then.expr.into(), otherwise.expr.into());
        self.grow(height, span, ExprKind::Conditional { condition, then, otherwise })
    }

    /// `=<` and `=>` are comparisons of the old syntax only.
    fn old_comparison(&mut self, spelling: &str) {
        let instead = match spelling {
            "=<" => "<=",
            "=>" => ">=",
            _ => return,
        };
        if self.vocabulary == Vocabulary::New {
            let message = format!("`{spelling}` is a comparison of the old syntax");
            let error = Diagnostic::new(Code::SYNTAX, self.here(), message).label("not an operator");
            self.remark(error.help(format!("write `{instead}`")));
        }
    }

    fn prefix(&mut self) -> Parse<Tree> {
        let start = self.here();
        let op = match (self.token().kind, self.word()) {
            (TokenKind::Symbol("-"), _) if self.ahead(1).kind == TokenKind::Int(LOWEST) => {
                self.advance();
                self.advance();
                return self.leaf(start, ExprKind::Int(i32::MIN));
            }
            (TokenKind::Symbol("-"), _) => UnaryOp::Minus,
            (TokenKind::Symbol("+"), _) => UnaryOp::Plus,
            (TokenKind::Symbol("!"), _) | (_, "not") => UnaryOp::Not,
            (TokenKind::Symbol("++"), _) => return self.step(start, StepOp::Increment),
            (TokenKind::Symbol("--"), _) => return self.step(start, StepOp::Decrement),
            (TokenKind::Symbol("A[]" | "A<>" | "E[]" | "E<>" | "[]" | "<>"), _) => {
                let message = format!("{} cannot stand inside a formula", self.found());
                let error = Diagnostic::new(Code::NESTED_PATH, start, message).label("path quantifiers do not nest");
                return Err(self.error(error));
            }
            (_, word) => match self.quantifier(word) {
                Some(quantifier) => return self.quantified(start, quantifier),
                None => return self.postfix(),
            },
        };
        self.advance();
        let operand = self.nested(Parser::prefix)?;
        let span = start.to(operand.expr.span);
        self.grow(operand.height, span, ExprKind::Unary { op, operand: operand.expr.into() })
    }

    fn step(&mut self, start: Span, op: StepOp) -> Parse<Tree> {
        self.advance();
        let operand = self.nested(Parser::prefix)?;
        let span = start.to(operand.expr.span);
        self.grow(operand.height, span, ExprKind::Step { op, fix: Fix::Prefix, operand: operand.expr.into() })
    }

    /// The quantifier that starts here. Where the word is not reserved it must look like one: `sum (i : T)`.
    fn quantifier(&self, word: &str) -> Option<Quantifier> {
        let quantifier = match word {
            "forall" => Quantifier::Forall,
            "exists" => Quantifier::Exists,
            "sum" => Quantifier::Sum,
            "foreach" => Quantifier::Foreach,
            _ => return None,
        };
        let binds = self.is_ahead(1, "(") && !self.word_ahead(2).is_empty() && self.is_ahead(3, ":");
        (binds || self.vocabulary.reserves(word)).then_some(quantifier)
    }

    fn quantified(&mut self, start: Span, quantifier: Quantifier) -> Parse<Tree> {
        let word = self.word();
        self.advance();
        self.expect("(", &format!("after `{word}`"))?;
        let variable = self.identifier("the name of the bound variable")?;
        self.expect(":", "between the bound variable and its type")?;
        let (ty, type_height) = self.measured(|parser| parser.nested(Parser::type_name))?;
        self.expect(")", "after the type of the bound variable")?;
        let body = self.nested(|parser| parser.climb(ANY))?;
        let span = start.to(body.expr.span);
        let height = body.height.max(type_height);
        self.grow(height, span, ExprKind::Quantified { quantifier, variable, ty, body: body.expr.into() })
    }

    fn postfix(&mut self) -> Parse<Tree> {
        let mut tree = self.primary()?;
        loop {
            let start = tree.expr.span;
            let height = tree.height;
            let TokenKind::Symbol(symbol) = self.token().kind else { return Ok(tree) };
            let (height, kind) = match symbol {
                "[" => {
                    self.advance();
                    let index = self.nested(|parser| parser.climb(ANY))?;
                    self.expect("]", "after the index")?;
                    let (base, index_height) = (tree.expr.into(), index.height);
                    (height.max(index_height), ExprKind::Index { base, index: index.expr.into() })
                }
                "(" => {
                    let (arguments, tallest) = self.measured(Parser::arguments)?;
                    (height.max(tallest), ExprKind::Call { callee: tree.expr.into(), arguments })
                }
                "." => {
                    self.advance();
                    (height, ExprKind::Member { base: tree.expr.into(), member: self.member()? })
                }
                "'" => {
                    self.advance();
                    (height, ExprKind::Rate(tree.expr.into()))
                }
                "++" | "--" => {
                    self.advance();
                    let op = if symbol == "++" { StepOp::Increment } else { StepOp::Decrement };
                    (height, ExprKind::Step { op, fix: Fix::Postfix, operand: tree.expr.into() })
                }
                _ => return Ok(tree),
            };
            tree = self.grow(height, self.since(start), kind)?;
        }
    }

    /// What stands behind a dot. There is no doubt that it is a name, so keywords are fine.
    fn member(&mut self) -> Parse<Ident> {
        let word = self.word();
        if word.is_empty() {
            let error = self.expectation("a name after `.`");
            // The lists of values in papers and in tables of results are written so.
            let is_range = self.is(".");
            let help = "there are no ranges of indices; write each one by itself: `x[0], x[1], x[2]`";
            return Err(self.error(if is_range { error.help(help) } else { error }));
        }
        let span = self.here();
        self.advance();
        Ok(Ident { name: word.into(), span })
    }

    fn primary(&mut self) -> Parse<Tree> {
        let start = self.here();
        let token = self.token();
        let kind = match token.kind {
            TokenKind::Int(value) => self.int(value, start),
            TokenKind::Double(value) => ExprKind::Double(value),
            TokenKind::String => ExprKind::String(self.string_contents()),
            TokenKind::Symbol("(") => {
                self.advance();
                let mut tree = self.nested(|parser| parser.climb(ANY))?;
                self.expect(")", "to close the parenthesis")?;
                tree.expr.span = self.since(start);
                return Ok(tree);
            }
            TokenKind::Word => return self.word_expression(start),
            _ => return Err(self.expected("an expression")),
        };
        self.advance();
        self.leaf(start, kind)
    }

    fn int(&mut self, value: u64, place: Span) -> ExprKind {
        match i32::try_from(value) {
            Ok(value) => ExprKind::Int(value),
            Err(_) => {
                let message = format!("the number {} does not fit into 32 bits", self.found());
                self.remark(Diagnostic::new(Code::NUMBER, place, message).label("at most 2147483647"));
                ExprKind::Error
            }
        }
    }

    /// The string between its quotes; escapes are left as they are.
    pub(super) fn string_contents(&self) -> String {
        let quoted = self.spelling(self.token());
        quoted.trim_start_matches('"').trim_end_matches('"').to_owned()
    }

    /// Names, constants that are words, and the few forms that start with a word of their own.
    fn word_expression(&mut self, start: Span) -> Parse<Tree> {
        let word = self.word();
        let in_query = self.vocabulary == Vocabulary::Query;
        let kind = match word {
            "true" | "false" => ExprKind::Bool(word == "true"),
            "deadlock" if in_query => ExprKind::Deadlock,
            "spawn" if self.is_name_ahead(1) && self.is_ahead(2, "(") => return self.spawn(start),
            "exit" if self.is_ahead(1, "(") && self.is_ahead(2, ")") => {
                self.advance();
                self.advance();
                ExprKind::Exit
            }
            "numOf" if in_query && self.is_ahead(1, "(") && self.is_name_ahead(2) && self.is_ahead(3, ")") => {
                self.advance();
                self.advance();
                ExprKind::NumberOf(self.identifier("the name of a template")?)
            }
            _ if self.vocabulary.reserves(word) => return Err(self.expected("an expression")),
            _ => ExprKind::Name(Ident { name: word.into(), span: start }),
        };
        self.advance();
        self.leaf(self.since(start), kind)
    }

    /// `spawn T(1)`
    fn spawn(&mut self, start: Span) -> Parse<Tree> {
        self.advance();
        let template = self.identifier("the name of a template")?;
        let (arguments, height) = self.measured(Parser::arguments)?;
        self.grow(height, self.since(start), ExprKind::Spawn { template, arguments })
    }

    fn leaf(&mut self, span: Span, kind: ExprKind) -> Parse<Tree> {
        Ok(Tree { expr: Expr { kind, span }, height: 1 })
    }

    fn join(&mut self, left: Tree, right: Tree, kind: impl FnOnce(Box<Expr>, Box<Expr>) -> ExprKind) -> Parse<Tree> {
        let span = left.expr.span.to(right.expr.span);
        let height = left.height.max(right.height);
        self.grow(height, span, kind(left.expr.into(), right.expr.into()))
    }

    /// A tree one higher than the tallest of its parts.
    fn grow(&mut self, height: u32, span: Span, kind: ExprKind) -> Parse<Tree> {
        if height >= limits::HEIGHT {
            let place = self.here();
            return Err(
                self.too_deep(place, format!("an expression of more than {} operators in a row", limits::HEIGHT))
            );
        }
        Ok(Tree { expr: Expr { kind, span }, height: height + 1 })
    }
}
