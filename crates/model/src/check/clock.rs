//! Clocks in expressions: linear forms, constraints and their classes, rates.
//!
//! `x + 2 <= y` becomes `x - y <= -2`: one constraint form for every engine. What does not fit it (products, three clocks,
//! floating bounds) is computed on doubles, which only statistics can do.

use super::Checker;
use super::operator::Operand;
use super::typed::{Class, Kind, Linear, Typed};
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{ClockConstraint, Effect, Engine, Expr, ExprId, Number, Place, Relation, Type};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp};

impl Checker {
    /// Sums and differences that stay linear; the operands come back when they do not.
    pub(super) fn linear_arithmetic(
        &mut self,
        op: BinaryOp,
        left: Operand,
        right: Operand,
        span: Span,
    ) -> Result<Typed, Box<(Operand, Operand)>> {
        let linear = match (op, &left, &right) {
            (BinaryOp::Add, Operand::Clock(clock), Operand::Int(n))
            | (BinaryOp::Add, Operand::Int(n), Operand::Clock(clock)) => {
                let offset = self.sum(clock.offset, Some(*n), span);
                Linear { offset, ..clock.clone() }
            }
            (BinaryOp::Sub, Operand::Clock(clock), Operand::Int(n)) => {
                let negated = self.code(Expr::Negate(Number::Int, *n), span);
                let offset = self.sum(clock.offset, Some(negated), span);
                Linear { offset, ..clock.clone() }
            }
            (BinaryOp::Sub, Operand::Clock(a), Operand::Clock(b)) if a.minus.is_none() && b.minus.is_none() => {
                let offset = self.difference(a.offset, b.offset, span);
                Linear { plus: a.plus.clone(), minus: b.plus.clone(), offset }
            }
            _ => return Err(Box::new((left, right))),
        };
        Ok(Typed { kind: Kind::Linear(linear), span, writes: false })
    }

    fn sum(&mut self, a: Option<ExprId>, b: Option<ExprId>, span: Span) -> Option<ExprId> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.int_binary(BinaryOp::Add, a, b, span)),
            (a, b) => a.or(b),
        }
    }

    fn difference(&mut self, a: Option<ExprId>, b: Option<ExprId>, span: Span) -> Option<ExprId> {
        match (a, b) {
            (a, None) => a,
            (None, Some(b)) => Some(self.code(Expr::Negate(Number::Int, b), span)),
            (Some(a), Some(b)) => Some(self.int_binary(BinaryOp::Sub, a, b, span)),
        }
    }

    /// A comparison with at least one clock.
    pub(super) fn clock_comparison(&mut self, op: BinaryOp, left: Operand, right: Operand, span: Span) -> Typed {
        let class = constraint_class(op, &left, &right);
        match class {
            Class::Guard if op == BinaryOp::Eq => drop(self.blame.equality.get_or_insert(span)),
            Class::Constraint => self.blame.beyond_guard(span, "`!=` on clocks"),
            _ => {}
        }
        let none = Linear { plus: None, minus: None, offset: None };
        let (a, b) = match (&left, &right) {
            (Operand::Clock(a), Operand::Clock(b)) => (a.clone(), b.clone()),
            (Operand::Clock(a), Operand::Int(n)) => (a.clone(), Linear { offset: Some(*n), ..none }),
            (Operand::Int(n), Operand::Clock(b)) => (Linear { offset: Some(*n), ..none }, b.clone()),
            _ => return self.floating_comparison(op, left, right, class, span),
        };
        // a.plus - a.minus + a.offset ~ b.plus - b.minus + b.offset
        let plus: Vec<Place> = a.plus.into_iter().chain(b.minus).collect();
        let minus: Vec<Place> = a.minus.into_iter().chain(b.plus).collect();
        if plus.len() > 1 || minus.len() > 1 {
            return self.floating_comparison(op, left, right, class, span);
        }
        let bound = match self.difference(b.offset, a.offset, span) {
            Some(bound) => bound,
            None => self.code(Expr::Int(0), span),
        };
        let constraint = ClockConstraint {
            plus: plus.into_iter().next(),
            minus: minus.into_iter().next(),
            relation: relation(op),
            bound,
        };
        let id = self.code(Expr::ClockConstraint(constraint), span);
        self.condition_of_class(class, id, span)
    }

    fn floating_comparison(&mut self, op: BinaryOp, left: Operand, right: Operand, class: Class, span: Span) -> Typed {
        let (left, right) = (self.double_of(left, span), self.double_of(right, span));
        let id = self.code(Expr::Binary { op, number: Number::Double, left, right }, span);
        self.condition_of_class(class, id, span)
    }

    pub(super) fn rate_of(&mut self, clock: &ast::Expr, span: Span) -> Typed {
        let typed = self.expr(clock);
        match typed.kind {
            Kind::Place { place, .. } if matches!(place.ty, Type::Clock { .. }) => {
                Typed { kind: Kind::Rate(place), span, writes: typed.writes }
            }
            Kind::Error => Typed::error(span),
            other => {
                self.error(Code::CLOCK_USE, span, format!("only a clock has a rate, not {other}"));
                Typed::error(span)
            }
        }
    }

    /// `x' == e` or `e == x'`.
    pub(super) fn rate_constraint(&mut self, op: BinaryOp, left: &Typed, right: &Typed, span: Span) -> Option<Typed> {
        let (clock, other) = match (&left.kind, &right.kind) {
            (Kind::Rate(clock), _) => (clock.clone(), right),
            (_, Kind::Rate(clock)) => (clock.clone(), left),
            _ => return None,
        };
        if op != BinaryOp::Eq {
            let help = "write `x' == e`";
            self.report(Diagnostic::new(Code::CLOCK_USE, span, "a clock rate can only be set with `==`").help(help));
            return Some(Typed::error(span));
        }
        let (number, rate) = self.number(other)?;
        self.note_rate(&clock, number, rate, span);
        let id = self.code(Expr::Rate { clock, number, rate }, span);
        Some(Typed { kind: Kind::Constraint(Class::Rate, id), span, writes: false })
    }

    fn note_rate(&mut self, clock: &Place, number: Number, rate: ExprId, span: Span) {
        if matches!(clock.ty, Type::Clock { hybrid: true }) {
            return;
        }
        if number == Number::Double {
            let reason = "a clock rate that is no integer";
            self.obstacle(&[Engine::Symbolic, Engine::Concrete], Effect::Excludes, reason, span);
            return;
        }
        match self.evaluate(rate).0 {
            Ok(crate::network::Value::Int(1)) => {}
            Ok(crate::network::Value::Int(n)) if n != 0 => {
                let reason = format!("a clock with rate {n}: zones know running and stopped clocks only");
                self.obstacle(&[Engine::Symbolic], Effect::Excludes, &reason, span);
            }
            _ => {
                let reason = "stopwatches: zones over-approximate them, so some answers are \"unknown\"";
                self.obstacle(&[Engine::Symbolic], Effect::Approximates, reason, span);
            }
        }
    }
}

fn relation(op: BinaryOp) -> Relation {
    match op {
        BinaryOp::Lt => Relation::Lt,
        BinaryOp::Le => Relation::Le,
        BinaryOp::Ge => Relation::Ge,
        BinaryOp::Gt => Relation::Gt,
        BinaryOp::Ne => Relation::Ne,
        _ => Relation::Eq,
    }
}

/// Which class a comparison with clocks has: `==` is no invariant, `!=` is not even a guard.
fn constraint_class(op: BinaryOp, left: &Operand, right: &Operand) -> Class {
    let floating = matches!(left, Operand::Double(_)) || matches!(right, Operand::Double(_));
    let upper = match left {
        Operand::Clock(_) => matches!(op, BinaryOp::Lt | BinaryOp::Le),
        _ => matches!(op, BinaryOp::Gt | BinaryOp::Ge),
    };
    match op {
        BinaryOp::Ne => Class::Constraint,
        BinaryOp::Eq => Class::Guard,
        _ if floating && !upper => Class::Guard,
        _ => Class::Invariant,
    }
}
