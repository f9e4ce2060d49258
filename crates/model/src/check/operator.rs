//! Operators on numbers and conditions.

use super::Checker;
use super::typed::{Class, Kind, Linear, Typed};
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{Effect, Engine, Expr, ExprId, Number, Range, Type};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, UnaryOp};

/// How an operand takes part in arithmetic.
pub(super) enum Operand {
    Int(ExprId),
    Double(ExprId),
    Clock(Linear),
}

impl Checker {
    /// `None` for what is no number.
    pub(super) fn operand(&mut self, typed: &Typed) -> Option<Operand> {
        match &typed.kind {
            Kind::Linear(linear) => return Some(Operand::Clock(linear.clone())),
            Kind::Place { place, .. } if matches!(place.ty, Type::Clock { .. }) => {
                return Some(Operand::Clock(Linear { plus: Some(place.clone()), minus: None, offset: None }));
            }
            _ => {}
        }
        let (ty, id) = self.value(typed)?;
        match ty {
            Type::Bool | Type::Int(_) => Some(Operand::Int(id)),
            Type::Double => Some(Operand::Double(id)),
            _ => None,
        }
    }

    /// An integer or a double; a clock counts as a double.
    pub(super) fn number(&mut self, typed: &Typed) -> Option<(Number, ExprId)> {
        match self.operand(typed)? {
            Operand::Int(id) => Some((Number::Int, id)),
            operand => Some((Number::Double, self.double_of(operand, typed.span))),
        }
    }

    pub(super) fn double_of(&mut self, operand: Operand, span: Span) -> ExprId {
        match operand {
            Operand::Double(id) => id,
            Operand::Int(id) => self.code(Expr::ToDouble(id), span),
            Operand::Clock(linear) => {
                let mut sum = linear.plus.map(|place| self.code(Expr::ClockValue(place), span));
                if let Some(place) = linear.minus {
                    let value = self.code(Expr::ClockValue(place), span);
                    sum = Some(match sum {
                        None => self.code(Expr::Negate(Number::Double, value), span),
                        Some(left) => self.double_binary(BinaryOp::Sub, left, value, span),
                    });
                }
                if let Some(offset) = linear.offset {
                    let value = self.code(Expr::ToDouble(offset), span);
                    sum = Some(match sum {
                        None => value,
                        Some(left) => self.double_binary(BinaryOp::Add, left, value, span),
                    });
                }
                sum.unwrap_or_else(|| self.code(Expr::Double(0.0), span))
            }
        }
    }

    fn double_binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        self.code(Expr::Binary { op, number: Number::Double, left, right }, span)
    }

    pub(super) fn int_binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        self.code(Expr::Binary { op, number: Number::Int, left, right }, span)
    }

    pub(super) fn unary(&mut self, op: UnaryOp, operand: &ast::Expr, span: Span) -> Typed {
        let typed = self.expr(operand);
        if typed.is_error() {
            return Typed::error(span);
        }
        let result = match op {
            UnaryOp::Not => self.not(&typed, span),
            UnaryOp::Minus => match self.operand(&typed) {
                Some(Operand::Int(id)) => {
                    let id = self.code(Expr::Negate(Number::Int, id), span);
                    Some(Typed::value(Type::Int(Range::FULL), id, span))
                }
                Some(operand) => {
                    let value = self.double_of(operand, span);
                    let id = self.code(Expr::Negate(Number::Double, value), span);
                    Some(Typed::value(Type::Double, id, span))
                }
                None => None,
            },
            UnaryOp::Plus => self.number(&typed).map(|_| typed.clone()),
        };
        match result {
            Some(result) => result.writing(typed.writes),
            None => {
                let what = if op == UnaryOp::Not { "a condition" } else { "a number" };
                let message = format!("{what} is needed here, not {}", typed.kind);
                self.error(Code::TYPE, typed.span, message);
                Typed::error(span)
            }
        }
    }

    fn not(&mut self, typed: &Typed, span: Span) -> Option<Typed> {
        let (class, id) = self.condition(typed)?;
        let id = self.code(Expr::Not(id), span);
        if class != Class::Integral {
            self.blame.beyond_guard(span, "a negation of clock constraints");
        }
        let class = if class == Class::Integral { class } else { Class::Constraint };
        Some(self.condition_of_class(class, id, span))
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, span: Span) -> Typed {
        // A chain `a && b && c ...` leans to the left: walk down instead of recursing.
        let mut chain = vec![(op, right, span)];
        let mut first = left;
        while let ast::ExprKind::Binary { op, left, right } = &first.kind {
            chain.push((*op, &**right, first.span));
            first = left;
        }
        let mut typed = self.expr(first);
        while let Some((op, right, span)) = chain.pop() {
            let other = self.expr(right);
            typed = self.apply(op, typed, other, span);
        }
        typed
    }

    fn apply(&mut self, op: BinaryOp, left: Typed, right: Typed, span: Span) -> Typed {
        if left.is_error() || right.is_error() {
            return Typed::error(span);
        }
        use BinaryOp::*;
        let result = match op {
            Or | Imply | And | Xor => self.logical(op, &left, &right, span),
            Eq | Ne | Lt | Le | Ge | Gt => self.comparison(op, &left, &right, span),
            Add | Sub | Mul | Div | Min | Max | Power => self.arithmetic(op, &left, &right, span),
            Mod | BitOr | BitXor | BitAnd | ShiftLeft | ShiftRight => {
                let operands = self.integral(&left).zip(self.integral(&right));
                operands.map(|((_, left), (_, right))| {
                    let id = self.int_binary(op, left, right, span);
                    Typed::value(Type::Int(Range::FULL), id, span)
                })
            }
        };
        match result {
            Some(result) => result.writing(left.writes || right.writes),
            None => {
                let message = format!("`{}` does not work on {} and {}", op.symbol(), left.kind, right.kind);
                self.error(Code::TYPE, span, message);
                Typed::error(span)
            }
        }
    }

    fn logical(&mut self, op: BinaryOp, left: &Typed, right: &Typed, span: Span) -> Option<Typed> {
        let (left_class, left_id) = self.condition(left)?;
        let (right_class, right_id) = self.condition(right)?;
        let integral = left_class == Class::Integral && right_class == Class::Integral;
        let (id, class) = match op {
            BinaryOp::And => (self.code(Expr::And(left_id, right_id), span), left_class.and(right_class)),
            BinaryOp::Xor if integral => (self.int_binary(BinaryOp::Xor, left_id, right_id, span), Class::Integral),
            BinaryOp::Xor => {
                // (a && !b) || (!a && b): a clock constraint has no number to compare.
                let (not_left, not_right) = (self.code(Expr::Not(left_id), span), self.code(Expr::Not(right_id), span));
                let first = self.code(Expr::And(left_id, not_right), span);
                let second = self.code(Expr::And(not_left, right_id), span);
                (self.code(Expr::Or(first, second), span), Class::Constraint)
            }
            BinaryOp::Imply => {
                let not_left = self.code(Expr::Not(left_id), span);
                let class = if left_class == Class::Integral { right_class } else { Class::Constraint };
                (self.code(Expr::Or(not_left, right_id), span), class)
            }
            _ => {
                let class = match (left_class, right_class) {
                    (Class::Integral, class) | (class, Class::Integral) => class,
                    _ => Class::Constraint,
                };
                (self.code(Expr::Or(left_id, right_id), span), class)
            }
        };
        if class == Class::Constraint && left_class.max(right_class) != Class::Constraint {
            let reason = match op {
                BinaryOp::And => "a clock rate beside what is no invariant",
                BinaryOp::Imply => "an implication that starts with clock constraints",
                _ => "a disjunction of clock constraints",
            };
            self.blame.beyond_guard(span, reason);
        }
        Some(self.condition_of_class(class, id, span))
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Typed, right: &Typed, span: Span) -> Option<Typed> {
        let (left_operand, right_operand) = (self.operand(left)?, self.operand(right)?);
        match (left_operand, right_operand) {
            (Operand::Int(left), Operand::Int(right)) => {
                let id = self.int_binary(op, left, right, span);
                Some(Typed::value(Type::Int(Range::FULL), id, span))
            }
            (left, right) => {
                let (left, right) = match self.linear_arithmetic(op, left, right, span) {
                    Ok(typed) => return Some(typed),
                    Err(operands) => *operands,
                };
                let (left, right) = (self.double_of(left, span), self.double_of(right, span));
                let id = self.double_binary(op, left, right, span);
                Some(Typed::value(Type::Double, id, span))
            }
        }
    }

    fn comparison(&mut self, op: BinaryOp, left: &Typed, right: &Typed, span: Span) -> Option<Typed> {
        if let Some(rate) = self.rate_constraint(op, left, right, span) {
            return Some(rate);
        }
        if let (Some(left_operand), Some(right_operand)) = (self.operand(left), self.operand(right)) {
            return Some(match (left_operand, right_operand) {
                (Operand::Int(left), Operand::Int(right)) => {
                    let id = self.int_binary(op, left, right, span);
                    Typed::value(Type::Bool, id, span)
                }
                (Operand::Double(left), Operand::Double(right)) => {
                    let id = self.double_binary(op, left, right, span);
                    Typed::value(Type::Bool, id, span)
                }
                (Operand::Double(left), Operand::Int(right)) => {
                    let right = self.code(Expr::ToDouble(right), span);
                    let id = self.double_binary(op, left, right, span);
                    Typed::value(Type::Bool, id, span)
                }
                (Operand::Int(left), Operand::Double(right)) => {
                    let left = self.code(Expr::ToDouble(left), span);
                    let id = self.double_binary(op, left, right, span);
                    Typed::value(Type::Bool, id, span)
                }
                (left, right) => self.clock_comparison(op, left, right, span),
            });
        }
        if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            return None;
        }
        let (left_ty, left_id) = self.value(left)?;
        let (right_ty, right_id) = self.value(right)?;
        if !self.equivalent(&left_ty, &right_ty) {
            return None;
        }
        if left_ty.contains(&|part| matches!(part, Type::Clock { .. })) {
            self.obstacle(&Engine::ALL, Effect::Excludes, "whole structs or arrays with clocks are compared", span);
        }
        let same = match left_ty {
            Type::Scalar(_) | Type::String => self.int_binary(BinaryOp::Eq, left_id, right_id, span),
            _ => self.code(Expr::SameValue { left: left_id, right: right_id }, span),
        };
        let id = if op == BinaryOp::Ne { self.code(Expr::Not(same), span) } else { same };
        Some(Typed::value(Type::Bool, id, span))
    }

    pub(super) fn conditional(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        span: Span,
    ) -> Typed {
        let condition = self.expr(condition);
        let (first, second) = (self.expr(then), self.expr(otherwise));
        self.choice(&condition, first, second, span)
    }

    /// `condition ? first : second` of checked parts.
    pub(super) fn choice(&mut self, condition: &Typed, first: Typed, second: Typed, span: Span) -> Typed {
        let Some((_, test)) = self.expect_condition(condition) else { return Typed::error(span) };
        if first.is_error() || second.is_error() {
            return Typed::error(span);
        }
        let writes = condition.writes || first.writes || second.writes;
        let choose = |checker: &mut Checker, then: ExprId, otherwise: ExprId| {
            checker.code(Expr::Conditional { condition: test, then, otherwise }, span)
        };
        if let (Some(left), Some(right)) = (self.operand(&first), self.operand(&second)) {
            let (ty, id) = match (left, right) {
                (Operand::Int(left), Operand::Int(right)) => (Type::Int(Range::FULL), choose(self, left, right)),
                (left, right) => {
                    let (left, right) = (self.double_of(left, span), self.double_of(right, span));
                    (Type::Double, choose(self, left, right))
                }
            };
            return Typed::value(ty, id, span).writing(writes);
        }
        if let (Kind::Void(left), Kind::Void(right)) = (&first.kind, &second.kind) {
            let id = choose(self, *left, *right);
            return Typed { kind: Kind::Void(id), span, writes };
        }
        if let (Some((left_class, left)), Some((right_class, right))) =
            (self.condition(&first), self.condition(&second))
        {
            let id = choose(self, left, right);
            return self.condition_of_class(left_class.and(right_class), id, span).writing(writes);
        }
        if let (Some((left_ty, left)), Some((right_ty, right))) = (self.value(&first), self.value(&second))
            && self.equivalent(&left_ty, &right_ty)
        {
            let id = choose(self, left, right);
            return Typed::value(left_ty, id, span).writing(writes);
        }
        let message = format!("the two values of `? :` have different types: {} and {}", first.kind, second.kind);
        self.report(Diagnostic::new(Code::TYPE, span, message));
        Typed::error(span)
    }
}
