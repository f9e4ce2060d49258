//! Functions and their statements.

use super::scope::{Symbol, Variable};
use super::typed::{Kind, Typed};
use super::{Checker, FunctionContext};
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{
    Base, Expr, ExprId, Extent, Function, FunctionId, FunctionParameter, Passing, Place, Statement, Type,
};
use crate::source::Span;
use crate::syntax::ast::{self, StatementKind};

impl Checker {
    pub(super) fn function(&mut self, function: &ast::Function) {
        let Some(result) = self.resolve_type(&function.return_type) else {
            self.declare_broken(&function.name);
            return;
        };
        if matches!(result.ty, Type::Array(_) | Type::Clock { .. } | Type::Channel(_) | Type::String) {
            let message = format!("a function cannot return `{}`", result.ty);
            self.error(Code::TYPE_NOT_ALLOWED, function.return_type.span, message);
            self.declare_broken(&function.name);
            return;
        }
        let outer_frame = std::mem::take(&mut self.frame);
        let context = FunctionContext {
            name: function.name.name.clone(),
            result: result.ty.clone(),
            writes: false,
            is_local: self.in_template(),
            references: 0,
        };
        let outer_function = self.context.function.replace(context);
        self.scopes.push();
        let parameters: Vec<FunctionParameter> =
            function.parameters.iter().filter_map(|parameter| self.function_parameter(parameter)).collect();
        let is_complete = parameters.len() == function.parameters.len();
        let body = self.function_body(&function.body);
        self.scopes.pop();
        let frame = std::mem::replace(&mut self.frame, outer_frame).most;
        let context = std::mem::replace(&mut self.context.function, outer_function);
        if result.ty != Type::Void && !returns(&function.body.statements) {
            let message = format!("the function `{}` must end with a `return` on every path", function.name.name);
            self.report(Diagnostic::new(Code::RETURN, function.name.span, message).help("loops do not count: the last statement must be a `return`, or an `if` and `else` that both end with one"));
        }
        let (writes, is_local, references) = context.map_or((true, true, 0), |c| (c.writes, c.is_local, c.references));
        let id = FunctionId::new(self.network.code.functions.len());
        self.network.code.functions.push(Function {
            name: function.name.name.clone(),
            parameters,
            result: result.ty,
            frame,
            references,
            body,
            writes,
            is_local,
            span: function.span,
        });
        self.declare(&function.name, if is_complete { Symbol::Function(id) } else { Symbol::Broken });
    }

    fn function_parameter(&mut self, parameter: &ast::Parameter) -> Option<FunctionParameter> {
        let base = self.resolve_type(&parameter.ty);
        let ty = base.as_ref().and_then(|base| {
            let span = parameter.name.span;
            self.dimensions(base.ty.clone(), &parameter.dimensions, span)
        });
        let (Some(base), Some(ty)) = (base, ty) else {
            self.declare_broken(&parameter.name);
            return None;
        };
        let name = parameter.name.name.clone();
        let is_channel = ty.contains(&|part| matches!(part, Type::Channel(_) | Type::Void | Type::String));
        if is_channel {
            let message = format!("a function cannot take a parameter of type `{ty}`");
            self.error(Code::TYPE_NOT_ALLOWED, parameter.name.span, message);
        }
        let (place, passing) = if parameter.by_reference {
            let n = self.context.function.as_mut().map_or(0, |function| {
                function.references += 1;
                function.references - 1
            });
            let place =
                Place { base: Base::FrameReference(n), offset: Extent::default(), indices: Vec::new(), ty: ty.clone() };
            (place, Passing::Reference(n))
        } else {
            let place = self.frame_place(ty.clone());
            let offset = place.offset;
            (place, Passing::Value(offset))
        };
        self.declare_parameter_name(&parameter.name, Variable::new(place, base.constant));
        Some(FunctionParameter { name, ty, passing, constant: base.constant })
    }

    fn function_body(&mut self, block: &ast::Block) -> Vec<Statement> {
        // Parameters and the outermost block share a scope, so that a local cannot silently take a parameter's name.
        let mut code = Vec::new();
        self.block_content(block, &mut code);
        code
    }

    fn block(&mut self, block: &ast::Block) -> Statement {
        let outer = self.frame.next;
        self.scopes.push();
        let mut code = Vec::new();
        self.block_content(block, &mut code);
        self.scopes.pop();
        self.frame.next = outer;
        Statement::Block(code)
    }

    fn block_content(&mut self, block: &ast::Block, code: &mut Vec<Statement>) {
        for declaration in &block.declarations {
            match declaration {
                ast::LocalDeclaration::Variables(variables) => self.local_variables(variables, code),
                ast::LocalDeclaration::Typedef { ty, names, .. } => self.typedef(ty, names),
            }
        }
        for statement in &block.statements {
            code.extend(self.statement(statement));
        }
    }

    fn statement(&mut self, statement: &ast::Statement) -> Option<Statement> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Empty => None,
            StatementKind::Block(block) => Some(self.block(block)),
            StatementKind::Expr(exprs) => {
                let code =
                    exprs.iter().filter_map(|expr| self.expression_statement(expr)).map(Statement::Expr).collect();
                Some(Statement::Block(code))
            }
            StatementKind::For { init, condition, step, body } => {
                let init = self.effects(init);
                let condition = self.condition_list(condition);
                let step = self.effects(step);
                let body = self.body(body);
                Some(Statement::For { init, condition: condition?, step, body })
            }
            StatementKind::ForEach { variable, ty, body } => {
                let (ty, range) = self.binder_type(ty)?;
                let outer = self.frame.next;
                self.scopes.push();
                let slot = self.bind(variable, ty);
                let body = self.body(body);
                self.scopes.pop();
                self.frame.next = outer;
                Some(Statement::ForEach { slot, range, body })
            }
            StatementKind::While { condition, body } => {
                let condition = self.condition_list(condition);
                let body = self.body(body);
                Some(Statement::While { condition: condition?, body })
            }
            StatementKind::DoWhile { body, condition } => {
                let body = self.body(body);
                let condition = self.condition_list(condition);
                Some(Statement::DoWhile { body, condition: condition? })
            }
            StatementKind::If { arms, otherwise } => {
                let mut code = Vec::new();
                for (condition, body) in arms {
                    let condition = self.condition_list(condition);
                    let body = *self.body(body);
                    code.extend(condition.map(|condition| (condition, body)));
                }
                let otherwise = otherwise.as_ref().map(|body| self.body(body));
                Some(Statement::If { arms: code, otherwise })
            }
            StatementKind::Return(value) => self.return_statement(value.as_ref(), span),
            StatementKind::Assert(condition) => {
                let typed = self.expr(condition);
                self.no_side_effects(&typed, condition, "an assertion");
                let (_, id) = self.expect_condition(&typed)?;
                Some(Statement::Assert(id))
            }
        }
    }

    fn body(&mut self, statement: &ast::Statement) -> Box<Statement> {
        Box::new(self.statement(statement).unwrap_or(Statement::Block(Vec::new())))
    }

    fn expression_statement(&mut self, expr: &ast::Expr) -> Option<ExprId> {
        let typed = self.expr(expr);
        if !typed.is_error() && !typed.writes && !matches!(typed.kind, Kind::Void(_)) {
            let mut diagnostic = Diagnostic::new(Code::NO_EFFECT, expr.span, "this statement changes nothing");
            if matches!(&expr.kind, ast::ExprKind::Binary { op: ast::BinaryOp::Eq, .. }) {
                diagnostic = diagnostic.help("write `=` to assign");
            }
            self.report(diagnostic);
        }
        self.effect(&typed)
    }

    fn effects(&mut self, exprs: &[ast::Expr]) -> Vec<ExprId> {
        exprs
            .iter()
            .filter_map(|expr| {
                let typed = self.expr(expr);
                self.effect(&typed)
            })
            .collect()
    }

    fn condition_list(&mut self, exprs: &[ast::Expr]) -> Option<ExprId> {
        let (before, last) = self.list(exprs);
        let (_, mut id) = self.expect_condition(&last?)?;
        for first in before.into_iter().rev() {
            let span = self.network.code.span(id);
            id = self.code(Expr::Sequence(first, id), span);
        }
        Some(id)
    }

    fn return_statement(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<Statement> {
        let result = self.context.function.as_ref().map(|function| function.result.clone())?;
        let Some(value) = value else {
            if result != Type::Void {
                self.error(Code::RETURN, span, format!("this function returns `{result}`, so `return` needs a value"));
            }
            return Some(Statement::Return(None));
        };
        let typed = self.expr(value);
        if typed.is_error() {
            return None;
        }
        if result == Type::Void {
            self.error(Code::RETURN, value.span, "a `void` function cannot return a value");
            return None;
        }
        let id = self.returned(&result, &typed);
        if id.is_none() {
            let message = format!("this function returns `{result}`, not {}", typed.kind);
            self.error(Code::RETURN, value.span, message);
        }
        id.map(|id| Statement::Return(Some(id)))
    }

    fn returned(&mut self, result: &Type, typed: &Typed) -> Option<ExprId> {
        match result {
            Type::Bool | Type::Int(_) => self.integral(typed).map(|(_, id)| id),
            Type::Double => {
                let operand = self.operand(typed)?;
                Some(self.double_of(operand, typed.span))
            }
            ty => self.value(typed).filter(|(found, _)| self.equivalent(ty, found)).map(|(_, id)| id),
        }
    }

    /// Runs a part of the checking with an empty frame and gives back what it needed.
    pub(super) fn with_fresh_frame<R>(&mut self, work: impl FnOnce(&mut Checker) -> R) -> R {
        let outer = std::mem::take(&mut self.frame);
        let result = work(self);
        let inner = std::mem::replace(&mut self.frame, outer);
        self.network.frame = self.network.frame.max(inner.most);
        result
    }
}

/// Whether a list of statements ends in a return on every path, as the language demands it: syntactically.
fn returns(statements: &[ast::Statement]) -> bool {
    statements.last().is_some_and(|last| match &last.kind {
        StatementKind::Return(_) => true,
        StatementKind::Block(block) => returns(&block.statements),
        StatementKind::DoWhile { body, .. } => returns(std::slice::from_ref(body)),
        StatementKind::If { arms, otherwise: Some(otherwise) } => {
            arms.iter().all(|(_, body)| returns(std::slice::from_ref(body))) && returns(std::slice::from_ref(otherwise))
        }
        _ => false,
    })
}
