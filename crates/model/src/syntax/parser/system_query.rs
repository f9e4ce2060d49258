//! Queries over timed I/O systems, in the language of Ecdar and Reveaal.
//!
//! The quotient binds least, then composition, then conjunction, all from the left, as in Reveaal.

use super::super::ast::Name;
use super::super::query::*;
use super::super::token::TokenKind;
use super::{Parse, Parser};
use crate::limits;
use crate::source::Span;

/// Words that start such a query, a colon behind them.
const CHECKS: &[(&str, SystemCheck)] = &[
    ("consistency", SystemCheck::Consistency),
    ("determinism", SystemCheck::Determinism),
    ("specification", SystemCheck::Specification),
    ("implementation", SystemCheck::Implementation),
    ("prune", SystemCheck::Prune),
    ("get-component", SystemCheck::GetComponent),
];

/// Whether a query is one over systems, so that `//` is the quotient in it.
pub(in super::super) fn is_system_query(text: &str) -> bool {
    let Some((head, _)) = text.split_once(':') else { return false };
    let head = head.trim();
    matches!(head, "refinement" | "reachability" | "bisim-minim") || CHECKS.iter().any(|(word, _)| *word == head)
}

impl Parser<'_> {
    /// The query over systems that starts here, if one does.
    pub(super) fn system_query_kind(&mut self) -> Option<Parse<QueryKind>> {
        let start = self.at;
        let mut head = self.word().to_owned();
        if head.is_empty() {
            return None;
        }
        self.advance();
        if self.is("-") && self.is_ahead(2, ":") {
            self.advance();
            head = format!("{head}-{}", self.word());
            self.advance();
        }
        let check = CHECKS.iter().find(|(word, _)| *word == head).map(|(_, check)| *check);
        if !self.eat(":") {
            self.at = start;
            return None;
        }
        match (head.as_str(), check) {
            (_, Some(check)) => Some(self.system_check(check)),
            ("refinement", _) => Some(self.refinement()),
            ("reachability", _) => Some(self.system_reachability()),
            ("bisim-minim", _) => {
                while !self.at_end() {
                    self.advance();
                }
                Some(Ok(QueryKind::Unsupported { what: "bisim-minim" }))
            }
            _ => {
                self.at = start;
                None
            }
        }
    }

    fn system_check(&mut self, check: SystemCheck) -> Parse<QueryKind> {
        let system = self.system_expression()?;
        let mut save_as = None;
        if self.word() == "save" && self.is_ahead(1, "-") && self.word_ahead(2) == "as" {
            self.advance();
            self.advance();
            self.advance();
            save_as = Some(self.identifier("the name to save the component under")?);
        }
        Ok(QueryKind::SystemCheck { check, system, save_as })
    }

    /// `A || B <= S`
    fn refinement(&mut self) -> Parse<QueryKind> {
        let left = self.system_expression()?;
        self.expect("<=", "between the two systems")?;
        Ok(QueryKind::Refinement { left, right: self.system_expression()? })
    }

    /// `A || B @ init -> A.L1 && x < 3`
    fn system_reachability(&mut self) -> Parse<QueryKind> {
        let system = self.system_expression()?;
        let start = if self.eat("@") { Some(self.state_text()?) } else { None };
        self.expect("->", "before the state to reach")?;
        Ok(QueryKind::SystemReachability { system, start, goal: self.state_text()? })
    }

    /// The text up to `->` or the end.
    fn state_text(&mut self) -> Parse<(String, Span)> {
        let first = self.token();
        let mut last = None;
        while !(self.is("->") || self.at_end()) {
            last = Some(self.advance());
        }
        let Some(last) = last else { return Err(self.expected("a state")) };
        let range = first.start as usize..last.end as usize;
        let text = self.text.as_str().get(range.clone()).unwrap_or_default();
        Ok((text.to_owned(), self.text.span(range)))
    }

    fn system_expression(&mut self) -> Parse<SystemExpr> {
        Ok(self.system_operators(0)?.0)
    }

    /// An expression whose operators have at least the given level, and its height.
    fn system_operators(&mut self, level: u8) -> Parse<(SystemExpr, u32)> {
        let (mut left, mut height) = self.system_operand()?;
        loop {
            let TokenKind::Symbol(symbol) = self.token().kind else { return Ok((left, height)) };
            type Join = fn(Box<SystemExpr>, Box<SystemExpr>) -> SystemExpr;
            let (own, join): (u8, Join) = match symbol {
                "//" | "\\" | "\\\\" => (0, SystemExpr::Quotient),
                "||" => (1, SystemExpr::Compose),
                "&&" => (2, SystemExpr::Conjoin),
                _ => return Ok((left, height)),
            };
            if own < level {
                return Ok((left, height));
            }
            self.advance();
            let (right, right_height) = self.system_operators(own + 1)?;
            height = height.max(right_height) + 1;
            if height > limits::NESTING {
                let place = self.here();
                return Err(self.too_deep(place, format!("more than {} operators in a row", limits::NESTING)));
            }
            left = join(Box::new(left), Box::new(right));
        }
    }

    fn system_operand(&mut self) -> Parse<(SystemExpr, u32)> {
        if self.eat("(") {
            let inside = self.nested(|parser| parser.system_operators(0))?;
            self.expect(")", "to close the parenthesis")?;
            return Ok(inside);
        }
        let name = self.identifier("the name of a component")?;
        let arguments = if self.is("(") { self.arguments()? } else { Vec::new() };
        let instance = if self.eat("[") { Some(self.instance_mark()?) } else { None };
        Ok((SystemExpr::Component { name, arguments, instance }, 1))
    }

    /// `1` of `A[1]`
    fn instance_mark(&mut self) -> Parse<Name> {
        let mark = self.spelling(self.token());
        if !matches!(self.token().kind, TokenKind::Word | TokenKind::Int(_)) {
            return Err(self.expected("the mark of the instance"));
        }
        self.advance();
        self.expect("]", "after the mark of the instance")?;
        Ok(mark.into())
    }
}
