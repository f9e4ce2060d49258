//! Values that are needed before the system runs: sizes, ranges, initial values, arguments of templates.

use super::Checker;
use super::scope::Symbol;
use super::typed::Typed;
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::network::{EvalError, Evaluator, ExprId, Extent, FunctionParameter, LocalConstants, Passing, Value};
use crate::source::Span;
use crate::syntax::ast;

/// An integer that a type depends on.
pub(super) enum Size {
    Known(i32),
    /// It depends on a template parameter that has no value yet.
    Unknown,
    /// There is none, and that is reported.
    Reported,
}

const FREE_STEPS: u64 = 32;

impl Checker {
    /// Evaluates checked code. The second part tells which template parameters were read.
    pub(super) fn evaluate(&self, id: ExprId) -> (Result<Value, EvalError>, u64) {
        let none = LocalConstants::default();
        let local = self.context.template.as_ref().map_or(&none, |template| &template.local);
        let mut evaluator = self.evaluator(local);
        let value = evaluator.value(id);
        let (origins, steps) = (evaluator.origins, evaluator.steps());
        self.spend(steps);
        (value, origins)
    }

    /// An evaluator with as many steps as one evaluation may take, and fewer when the whole model has used up its own.
    pub(super) fn evaluator<'a>(&'a self, local: &'a LocalConstants) -> Evaluator<'a> {
        let steps = limits::EVALUATION_STEPS.min(self.steps.get()).max(FREE_STEPS);
        // Quantifiers make room for their variables themselves.
        let frame = Extent::default();
        Evaluator::new(&self.network.code, &self.network.constants, local, frame).with_steps(steps)
    }

    /// Short evaluations are free: a model may have a million initial values.
    pub(super) fn spend(&self, steps: u64) {
        self.steps.spend(steps.saturating_sub(FREE_STEPS));
    }

    /// Evaluates an integer that a type depends on.
    pub(super) fn type_constant(&mut self, expr: &ast::Expr) -> Size {
        let typed = self.expr(expr);
        if typed.is_error() || !self.no_side_effects(&typed, expr, "a size or a range") {
            return Size::Reported;
        }
        let Some((_, id)) = self.integral(&typed) else {
            let message = format!("an integer is needed here, not {}", typed.kind);
            self.error(Code::TYPE, expr.span, message);
            return Size::Reported;
        };
        let (result, origins) = self.evaluate(id);
        if let Some(template) = &mut self.context.template {
            template.relevant |= origins;
        }
        match result {
            Ok(Value::Int(value)) => Size::Known(value),
            Err(EvalError::Unknown) if self.in_template() => Size::Unknown,
            Ok(_) | Err(EvalError::Unknown) => {
                let message = "this must be computable before the system runs, and a foreign function is not";
                self.error(Code::NOT_CONSTANT, expr.span, message);
                Size::Reported
            }
            Err(error) => {
                self.report_evaluation(error, expr.span);
                Size::Reported
            }
        }
    }

    /// Does a part of the checking and tells on which parameters the sizes in it depend.
    pub(super) fn with_origins<R>(&mut self, work: impl FnOnce(&mut Checker) -> R) -> (R, u64) {
        let before = self.context.template.as_mut().map_or(0, |template| std::mem::take(&mut template.relevant));
        let result = work(self);
        let Some(template) = &mut self.context.template else { return (result, 0) };
        let found = template.relevant;
        template.relevant |= before;
        (result, found)
    }

    /// The same for what decides how many cells or edges there are: free parameters must have no say in it.
    pub(super) fn sizing<R>(&mut self, work: impl FnOnce(&mut Checker) -> R) -> R {
        let (result, origins) = self.with_origins(work);
        if let Some(template) = &mut self.context.template {
            template.sizing |= origins;
        }
        result
    }

    /// Whether some type depends on a parameter that has no value in this elaboration, so that sizes are not final.
    pub(super) fn has_unknown_sizes(&self) -> bool {
        self.context.template.as_ref().is_some_and(|template| template.relevant & !template.known != 0)
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
                let diagnostic = Diagnostic::new(Code::EVALUATION, span, format!("this has no value: {reason}"));
                let is_inside = span.file == whole.file && whole.start <= span.start && span.end <= whole.end;
                self.report(if is_inside { diagnostic } else { diagnostic.note(whole, "needed here") });
            }
        }
    }

    /// Reports a write where none is allowed; `place` is "a guard", "an invariant". True when there is none.
    pub(super) fn no_side_effects(&mut self, typed: &Typed, expr: &ast::Expr, place: &str) -> bool {
        if !typed.writes {
            return true;
        }
        let mut diagnostic =
            Diagnostic::new(Code::SIDE_EFFECT, expr.span, format!("{place} must not change anything, and this does"));
        if let Some((name, span)) = self.writing_call(expr) {
            let message = format!("{place} must not change anything, and the function `{name}` does");
            diagnostic = Diagnostic::new(Code::SIDE_EFFECT, span, message);
        }
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
        false
    }

    /// The first call in an expression of a function that changes variables.
    fn writing_call(&mut self, expr: &ast::Expr) -> Option<(ast::Name, Span)> {
        let mut found = None;
        crate::syntax::walk::expr(expr, &mut |part| {
            let ast::ExprKind::Call { callee, .. } = &part.kind else { return };
            let ast::ExprKind::Name(name) = &callee.kind else { return };
            if let Some(Symbol::Function(id)) = self.scopes.resolve(&name.name).map(|entry| &entry.symbol) {
                let function = self.network.code.function(*id);
                let by_reference = |parameter: &FunctionParameter| {
                    !parameter.constant && matches!(parameter.passing, Passing::Reference(_))
                };
                if function.writes || function.parameters.iter().any(by_reference) {
                    found.get_or_insert((name.name.clone(), part.span));
                }
            }
        });
        found
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
