//! Values that are needed before the system runs: sizes, ranges, initial values, arguments of templates.

use super::Checker;
use super::typed::Typed;
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{EvalError, Evaluator, ExprId, Extent, LocalConstants, Value};
use crate::source::Span;
use crate::syntax::ast;

impl Checker {
    /// Evaluates checked code. The second part tells which template parameters were read.
    pub(super) fn evaluate(&self, id: ExprId) -> (Result<Value, EvalError>, u64) {
        let none = LocalConstants::default();
        let local = self.context.template.as_ref().map_or(&none, |template| &template.local);
        let frame = Extent { ints: self.frame.most.ints, ..Extent::default() };
        let mut evaluator = Evaluator::new(&self.network.code, &self.network.constants, local, frame);
        let value = evaluator.value(id);
        (value, evaluator.origins)
    }

    /// Evaluates an integer that a type depends on. `None` when it depends on a parameter without a value, or was reported.
    pub(super) fn type_constant(&mut self, expr: &ast::Expr) -> Option<i32> {
        let typed = self.expr(expr);
        if typed.is_error() {
            return None;
        }
        let Some((_, id)) = self.integral(&typed) else {
            let message = format!("an integer is needed here, not {}", typed.kind);
            self.error(Code::TYPE, expr.span, message);
            return None;
        };
        let (result, origins) = self.evaluate(id);
        if let Some(template) = &mut self.context.template {
            template.relevant |= origins;
        }
        match result {
            Ok(Value::Int(value)) => Some(value),
            Ok(_) => None,
            Err(error) => {
                self.report_evaluation(error, expr.span);
                None
            }
        }
    }

    pub(super) fn report_evaluation(&mut self, error: EvalError, whole: Span) {
        match error {
            EvalError::Unknown => {}
            EvalError::NotConstant(span) => {
                let message = "this must be computable before the system runs, so it may use only constants";
                let span = if span.file == whole.file && span.start >= whole.start && span.end <= whole.end {
                    span
                } else {
                    whole
                };
                self.report(Diagnostic::new(Code::NOT_CONSTANT, span, message).label("not a constant"));
            }
            EvalError::Failed(span, reason) => {
                self.report(Diagnostic::new(Code::EVALUATION, span, format!("this has no value: {reason}")));
            }
        }
    }

    /// The value of a condition when it is the same in every state, whatever the parameters.
    pub(super) fn constant_truth(&self, id: ExprId) -> Option<bool> {
        match self.evaluate(id) {
            (Ok(Value::Int(value)), 0) => Some(value != 0),
            _ => None,
        }
    }

    /// Reports a write where none is allowed; `where_` completes "a guard", "an invariant".
    pub(super) fn no_side_effects(&mut self, typed: &Typed, expr: &ast::Expr, place: &str) {
        if !typed.writes {
            return;
        }
        let mut diagnostic =
            Diagnostic::new(Code::SIDE_EFFECT, expr.span, format!("{place} must not change anything, and this does"));
        if let Some(span) = assignment_in(expr) {
            diagnostic = Diagnostic::new(
                Code::SIDE_EFFECT,
                span,
                format!("an assignment in {place}, which must not change anything"),
            )
            .label("assigns")
            .help("write `==` to compare");
        }
        self.report(diagnostic);
    }
}

/// The first plain assignment in an expression: mostly a mistyped comparison.
fn assignment_in(expr: &ast::Expr) -> Option<Span> {
    use ast::ExprKind::*;
    match &expr.kind {
        Assign { op: None, .. } => Some(expr.span),
        Binary { left, right, .. } => assignment_in(left).or_else(|| assignment_in(right)),
        Unary { operand, .. } => assignment_in(operand),
        Quantified { body, .. } => assignment_in(body),
        Conditional { condition, then, otherwise } => {
            assignment_in(condition).or_else(|| assignment_in(then)).or_else(|| assignment_in(otherwise))
        }
        _ => None,
    }
}
