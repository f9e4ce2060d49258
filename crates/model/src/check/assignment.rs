//! Assignments and steps: which variable is meant, and the code that changes it.

use super::Checker;
use super::operator::Operand;
use super::typed::{Kind, Typed};
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{Base, Effect, Engine, Expr, ExprId, Place, Range, Type};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, ExprKind, Fix, StepOp};

/// Whether the variable on the left of an assignment is used once more, by an assignment around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Once,
    Again,
}

impl Checker {
    /// The variable on the left of an assignment, with code to run before; reported when it cannot be assigned to.
    fn target(&mut self, target: &ast::Expr) -> Option<(Place, Option<ExprId>)> {
        // `(i = 3) += 2`, `++++i`: first the inner one, then the outer one on the same variable.
        match &target.kind {
            ExprKind::Assign { op, target: inner, value } if !matches!(inner.kind, ExprKind::Conditional { .. }) => {
                let value = self.expr(value);
                let inner = self.assign_place(*op, inner, &value, target.span, Use::Again);
                return inner.map(|(place, id)| (place, Some(id)));
            }
            ExprKind::Step { op, fix: Fix::Prefix, operand } => {
                let inner = self.step_place(*op, Fix::Prefix, operand, target.span, Use::Again);
                return inner.map(|(place, id)| (place, Some(id)));
            }
            _ => {}
        }
        let typed = self.expr(target);
        match &typed.kind {
            Kind::Error => None,
            Kind::Place { place, constant } if !constant || self.make_changeable(place) => {
                self.note_write(place);
                Some((place.clone(), None))
            }
            Kind::Place { .. } => {
                let message = match &target.kind {
                    ExprKind::Name(name) => format!("`{}` cannot be changed", name.name),
                    _ => "this cannot be changed".to_owned(),
                };
                let label = match &typed.kind {
                    Kind::Place { place, .. } => match place.base {
                        Base::Constant | Base::LocalConstant => "a constant",
                        Base::Frame => "a constant, or a variable of a select, loop or quantifier",
                        Base::Value(_) => "the value of a function",
                        _ => "a `const` parameter",
                    },
                    _ => "",
                };
                self.report(Diagnostic::new(Code::NOT_ASSIGNABLE, target.span, message).label(label));
                None
            }
            _ => {
                let message = format!("only a variable can be assigned to, and this is {}", typed.kind);
                self.report(Diagnostic::new(Code::NOT_ASSIGNABLE, target.span, message));
                None
            }
        }
    }

    /// A value parameter of a template that is written to becomes a variable, for which the template is elaborated once
    /// more. False for everything else.
    pub(super) fn make_changeable(&mut self, place: &Place) -> bool {
        let Some(template) = self.context.template.as_mut().filter(|_| place.base == Base::LocalConstant) else {
            return false;
        };
        let at = place.offset;
        let parameter = template.changeable.iter().find(|(first, last, _)| {
            first.ints <= at.ints && first.doubles <= at.doubles && (at.ints < last.ints || at.doubles < last.doubles)
        });
        template.assigned |= parameter.map_or(0, |(_, _, origin)| *origin);
        parameter.is_some()
    }

    /// Remembers that the function at hand changes something outside of it.
    pub(super) fn note_write(&mut self, place: &Place) {
        if let Some(function) = &mut self.context.function
            && !matches!(place.base, Base::Frame | Base::FrameReference(_))
        {
            function.writes = true;
        }
    }

    pub(super) fn step(&mut self, op: StepOp, fix: Fix, operand: &ast::Expr, span: Span) -> Typed {
        if let ExprKind::Conditional { condition, then, otherwise } = &operand.kind {
            let condition = self.expr(condition);
            let (first, second) = (self.step(op, fix, then, span), self.step(op, fix, otherwise, span));
            return self.choice(&condition, first, second, span);
        }
        match self.step_place(op, fix, operand, span, Use::Once) {
            Some((_, id)) => Typed::value(Type::Int(Range::FULL), id, span).writing(true),
            None => Typed::error(span),
        }
    }

    fn step_place(
        &mut self,
        op: StepOp,
        fix: Fix,
        operand: &ast::Expr,
        span: Span,
        used: Use,
    ) -> Option<(Place, ExprId)> {
        let (place, before) = self.target(operand)?;
        if !matches!(place.ty, Type::Int(_)) {
            let sign = if op == StepOp::Increment { "++" } else { "--" };
            self.error(Code::TYPE, operand.span, format!("`{sign}` works on integers only, not on `{}`", place.ty));
            return None;
        }
        let delta = if op == StepOp::Increment { 1 } else { -1 };
        let (target, place) = self.pinned(place, used);
        let id = self.code(Expr::Step { target, delta, postfix: fix == Fix::Postfix }, span);
        Some((place, self.after(before, id, span)))
    }

    /// A place to be found by, and the same place to come back to. Looking for a variable may change things, and other
    /// things may have changed when it is come back to: its indices are kept in cells of the frame.
    fn pinned(&mut self, place: Place, used: Use) -> (Place, Place) {
        let (mut first, mut again) = (place.clone(), place);
        if used == Use::Again {
            for (index, later) in first.indices.iter_mut().zip(&mut again.indices) {
                if !matches!(self.network.code.expr(index.value), Expr::Int(_)) {
                    let span = self.network.code.span(index.value);
                    let cell = self.frame_place(Type::Int(Range::FULL));
                    later.value = self.code(Expr::Read(cell.clone()), span);
                    index.value = self.code(Expr::Assign { target: cell, op: None, value: index.value }, span);
                }
            }
        }
        (first, again)
    }

    fn after(&mut self, before: Option<ExprId>, id: ExprId, span: Span) -> ExprId {
        before.map_or(id, |before| self.code(Expr::Sequence(before, id), span))
    }

    pub(super) fn assign(&mut self, op: Option<BinaryOp>, target: &ast::Expr, value: &ast::Expr, span: Span) -> Typed {
        let value = self.expr(value);
        self.assign_value(op, target, &value, span)
    }

    fn assign_value(&mut self, op: Option<BinaryOp>, target: &ast::Expr, value: &Typed, span: Span) -> Typed {
        // `(c ? a : b) = v` is `c ? a = v : b = v`.
        if let ExprKind::Conditional { condition, then, otherwise } = &target.kind {
            let condition = self.expr(condition);
            let first = self.assign_value(op, then, value, span);
            let second = self.assign_value(op, otherwise, value, span);
            return self.choice(&condition, first, second, span);
        }
        let Some((place, id)) = self.assign_place(op, target, value, span, Use::Once) else {
            return Typed::error(span);
        };
        match place.ty {
            Type::Clock { .. } => Typed { kind: Kind::Void(id), span, writes: true },
            ty => Typed::value(ty, id, span).writing(true),
        }
    }

    /// The variable that is assigned to and the code that does it; `None` when reported.
    fn assign_place(
        &mut self,
        op: Option<BinaryOp>,
        target: &ast::Expr,
        value: &Typed,
        span: Span,
        used: Use,
    ) -> Option<(Place, ExprId)> {
        let (place, before) = self.target(target)?;
        if value.is_error() {
            return None;
        }
        let (found, place) = self.pinned(place, used);
        let Some(id) = self.assignment(&found, op, value, span) else {
            let message = match op {
                None => format!("{} cannot be assigned to `{}`", value.kind, place.ty),
                Some(op) => format!("`{}=` does not work on `{}` and {}", op.symbol(), place.ty, value.kind),
            };
            let mut diagnostic = Diagnostic::new(Code::TYPE, span, message);
            if place.ty.is_integral() && matches!(self.operand(value), Some(Operand::Clock(_))) {
                diagnostic = diagnostic.help("a clock can be compared and set, but its value cannot be stored");
            }
            self.report(diagnostic);
            return None;
        };
        let id = self.after(before, id, span);
        Some((place, id))
    }

    /// The code of an assignment; `None` when the types do not fit.
    pub(super) fn assignment(
        &mut self,
        place: &Place,
        op: Option<BinaryOp>,
        value: &Typed,
        span: Span,
    ) -> Option<ExprId> {
        let target = place.clone();
        if op.is_some() {
            let (_, id) = self.integral(value)?;
            return place.ty.is_integral().then(|| self.code(Expr::Assign { target, op, value: id }, span));
        }
        let id = match &place.ty {
            Type::Bool | Type::Int(_) => self.integral(value)?.1,
            Type::Double => {
                let operand = self.operand(value)?;
                self.double_of(operand, span)
            }
            Type::Clock { hybrid } => return self.clock_assignment(target, *hybrid, value, span),
            Type::Scalar(set) => match self.value(value)? {
                (Type::Scalar(found), id) if found == *set => id,
                _ => return None,
            },
            Type::Struct(_) | Type::Array(_) => {
                let (ty, id) = self.value(value)?;
                if !self.equivalent(&place.ty, &ty) {
                    return None;
                }
                if ty.contains(&|part| matches!(part, Type::Clock { .. })) {
                    let reason = "a whole struct or array with clocks is copied";
                    self.obstacle(&Engine::ALL, Effect::Excludes, reason, span);
                }
                id
            }
            Type::Void | Type::String | Type::Channel(_) => return None,
        };
        Some(self.code(Expr::Assign { target, op: None, value: id }, span))
    }

    fn clock_assignment(&mut self, target: Place, hybrid: bool, value: &Typed, span: Span) -> Option<ExprId> {
        match self.operand(value)? {
            Operand::Int(offset) => Some(self.code(Expr::SetClock { target, source: None, offset }, span)),
            Operand::Clock(linear) if linear.minus.is_none() => {
                let offset = match linear.offset {
                    Some(offset) => offset,
                    None => self.code(Expr::Int(0), span),
                };
                Some(self.code(Expr::SetClock { target, source: linear.plus, offset }, span))
            }
            operand => {
                if !hybrid {
                    let reason = "a clock is set to a floating-point value";
                    self.obstacle(&[Engine::Symbolic, Engine::Concrete], Effect::Excludes, reason, span);
                }
                let value = self.double_of(operand, span);
                Some(self.code(Expr::Assign { target, op: None, value }, span))
            }
        }
    }
}
