//! Statements and blocks of functions.

use super::super::ast::*;
use super::super::token::TokenKind;
use super::{End, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic};

impl Parser<'_> {
    /// `{ declarations statements }`. Mistakes inside are recovered from inside.
    pub(super) fn block(&mut self) -> Parse<Block> {
        let start = self.here();
        self.expect("{", "before the block")?;
        let braces = self.braces;
        let (mut declarations, mut statements) = (Vec::new(), Vec::new());
        while !(self.is("}") || self.at_end() || self.at_section_word()) {
            let before = self.at;
            if self.block_part(&mut declarations, &mut statements).is_err() {
                self.recover(braces, End::Either);
                if self.braces < braces || self.at_section_word() {
                    break;
                }
                if self.at == before {
                    self.advance();
                }
                // The other arm of a broken `if` is read as a statement of its own.
                self.eat_word("else");
            }
        }
        self.expect("}", "after the block")?;
        Ok(Block { declarations, statements, span: self.since(start) })
    }

    fn block_part(&mut self, declarations: &mut Vec<LocalDeclaration>, statements: &mut Vec<Statement>) -> Parse<()> {
        let start = self.here();
        let is_typedef = self.word() == "typedef";
        if !is_typedef && !self.at_local_variables() {
            statements.push(self.statement()?);
            return Ok(());
        }
        if !statements.is_empty() {
            let message = "declarations cannot follow statements";
            let error = Diagnostic::new(Code::SYNTAX, start, message);
            self.remark(error.label("move it to the start of the block"));
        }
        if is_typedef {
            let (ty, names) = self.typedef()?;
            declarations.push(LocalDeclaration::Typedef { ty, names, span: self.since(start) });
        } else {
            let ty = self.type_name()?;
            declarations.push(LocalDeclaration::Variables(self.variables(start, ty)?));
        }
        Ok(())
    }

    fn at_local_variables(&self) -> bool {
        let starts_statement = matches!(self.word(), "return" | "assert" | "do" | "else" | "spawn" | "xor");
        !starts_statement && self.at_variables()
    }

    pub(super) fn statement(&mut self) -> Parse<Statement> {
        self.nested(Parser::statement_inside)
    }

    fn statement_inside(&mut self) -> Parse<Statement> {
        let start = self.here();
        let kind = match self.word() {
            "for" => self.for_statement()?,
            "while" => {
                self.advance();
                let condition = self.condition("while")?;
                StatementKind::While { condition, body: self.statement()?.into() }
            }
            "do" => self.do_statement()?,
            "if" => self.if_statement()?,
            "return" => {
                self.advance();
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                self.expect_semicolon("after the `return` statement")?;
                StatementKind::Return(value)
            }
            "assert" => {
                self.advance();
                let claim = self.expression()?;
                self.expect_semicolon("after the assertion")?;
                StatementKind::Assert(claim)
            }
            _ if self.is("{") => StatementKind::Block(self.block()?),
            _ if self.eat(";") => StatementKind::Empty,
            _ => {
                let list = self.expression_list()?;
                self.expect_semicolon("after the statement")?;
                StatementKind::Expr(list)
            }
        };
        Ok(Statement { kind, span: self.since(start) })
    }

    /// `(a, b)` behind `if` and `while`.
    fn condition(&mut self, word: &str) -> Parse<Vec<Expr>> {
        self.expect("(", &format!("after `{word}`"))?;
        let condition = self.expression_list()?;
        self.expect(")", "after the condition")?;
        Ok(condition)
    }

    fn for_statement(&mut self) -> Parse<StatementKind> {
        self.advance();
        self.expect("(", "after `for`")?;
        if self.is_name_ahead(0) && self.is_ahead(1, ":") {
            let variable = self.identifier("the loop variable")?;
            self.advance();
            let ty = self.type_name()?;
            self.expect(")", "after the type of the loop variable")?;
            return Ok(StatementKind::ForEach { variable, ty, body: self.statement()?.into() });
        }
        let [init, condition, step] = self.for_parts().inspect_err(|_| self.skip_parenthesis())?;
        Ok(StatementKind::For { init, condition, step, body: self.statement()?.into() })
    }

    fn for_parts(&mut self) -> Parse<[Vec<Expr>; 3]> {
        let init = self.for_part()?;
        self.expect(";", "between the parts of `for`")?;
        let condition = self.for_part()?;
        self.expect(";", "between the parts of `for`")?;
        let step = self.for_part()?;
        self.expect(")", "after the parts of `for`")?;
        Ok([init, condition, step])
    }

    /// Skips behind the parenthesis that is open, so that the semicolons in it end no statement.
    fn skip_parenthesis(&mut self) {
        let mut depth = 0u32;
        while !(self.at_end() || self.is("{") || self.is("}")) {
            match self.advance().kind {
                TokenKind::Symbol("(") => depth += 1,
                TokenKind::Symbol(")") if depth == 0 => return,
                TokenKind::Symbol(")") => depth -= 1,
                _ => {}
            }
        }
    }

    fn for_part(&mut self) -> Parse<Vec<Expr>> {
        if self.is(";") || self.is(")") {
            let error = Diagnostic::new(Code::SYNTAX, self.here(), "no part of `for (a; b; c)` can be empty");
            return Err(self.error(error.label("an expression is missing before this")));
        }
        if self.at_variables() {
            let error =
                Diagnostic::new(Code::SYNTAX, self.here(), "a loop variable cannot be declared inside `for (a; b; c)`");
            return Err(self.error(error.label("declare it at the start of the block")));
        }
        self.expression_list()
    }

    fn do_statement(&mut self) -> Parse<StatementKind> {
        self.advance();
        let body = self.statement()?.into();
        if !self.eat_word("while") {
            return Err(self.expected("`while` and a condition after the body of `do`"));
        }
        let condition = self.condition("while")?;
        self.expect_semicolon("after the `do` statement")?;
        Ok(StatementKind::DoWhile { body, condition })
    }

    /// A whole chain `if .. else if .. else ..`, in a loop so that a long one does not nest.
    fn if_statement(&mut self) -> Parse<StatementKind> {
        let mut arms = Vec::new();
        loop {
            self.advance();
            let condition = self.condition("if")?;
            arms.push((condition, self.statement()?));
            if !self.eat_word("else") {
                return Ok(StatementKind::If { arms, otherwise: None });
            }
            if self.word() != "if" {
                return Ok(StatementKind::If { arms, otherwise: Some(self.statement()?.into()) });
            }
        }
    }
}
