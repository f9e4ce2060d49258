//! Clocks that have values, and what is computed with twice the digits: sums of clocks, and
//! comparisons in which time plays a part.

use super::clock::ClockNumber;
use super::double::DOUBLE;
use super::{Compile, Compiler, Label};
use crate::code::op::{NONE, Op, Reg};
use model::network::{Base, ClockConstraint, Expr, ExprId, Number, Place, Relation};
use model::source::Span;
use model::syntax::ast::BinaryOp;

/// Cells of a moment or a clock.
pub(super) const PRECISE: u32 = 4;

impl Compiler<'_, '_> {
    /// `target = source + offset` at once: the offset and the source come before the target is
    /// looked for.
    pub(super) fn put_clock(
        &mut self,
        target: &Place,
        source: Option<&Place>,
        offset: ExprId,
        span: Span,
    ) -> Compile<()> {
        if let (None, Some(value), true) = (source, self.traits.known(offset), target.indices.is_empty()) {
            match target.base {
                Base::Global => {
                    self.emit(Op::ResetState { clock: target.offset.clocks, value });
                    return Ok(());
                }
                Base::Local => {
                    self.emit(Op::ResetLocal { clock: target.offset.clocks, value });
                    return Ok(());
                }
                _ => {}
            }
        }
        let by = self.block(DOUBLE, span)?;
        let int = self.register(offset)?;
        self.emit(Op::DoubleOf { d: by, int });
        let a = self.block(PRECISE, span)?;
        self.emit(Op::PreciseOf { d: a, a: by });
        if let Some(source) = source {
            let clock = self.clock_number(source, span)?;
            let start = self.block(PRECISE, span)?;
            self.emit(Op::ClockPrecise { d: start, clock });
            self.emit(Op::PreciseAddDouble { d: a, a: start, b: by });
        }
        let clock = self.clock_number(target, span)?;
        self.emit_at(span, Op::PutClock { clock, a });
        Ok(())
    }

    pub(super) fn clock_number(&mut self, place: &Place, span: Span) -> Compile<Reg> {
        let clock = self.clock(place, span)?;
        let d = self.temporary(span)?;
        Ok(match clock {
            ClockNumber::Register(reg) => reg,
            other => self.clock_register(other, d),
        })
    }

    pub(super) fn precise_register(&mut self, id: ExprId) -> Compile<Reg> {
        let d = self.block(PRECISE, self.span(id))?;
        self.scoped(|compiler| compiler.precise(id, d))?;
        Ok(d)
    }

    /// A number with twice the digits, into four cells.
    fn precise(&mut self, id: ExprId, d: Reg) -> Compile<()> {
        let span = self.span(id);
        let timed = self.is_timed(id);
        match self.expr(id) {
            Expr::ClockValue(place) if timed => {
                let clock = self.clock_number(place, span)?;
                self.emit(Op::ClockPrecise { d, clock });
            }
            Expr::Negate(Number::Double, operand) if timed => {
                let a = self.precise_register(*operand)?;
                self.emit(Op::PreciseNegate { d, a });
            }
            Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), number: Number::Double, left, right } if timed => {
                let (a, b) = (self.precise_register(*left)?, self.precise_register(*right)?);
                self.emit(if *op == BinaryOp::Add { Op::PreciseAdd { d, a, b } } else { Op::PreciseSub { d, a, b } });
            }
            Expr::Binary { op: BinaryOp::Mul, number: Number::Double, left, right }
                if timed && self.is_timed(*right) =>
            {
                let b = self.block(DOUBLE, span)?;
                self.double_into(*left, b)?;
                let a = self.precise_register(*right)?;
                self.emit(Op::PreciseMul { d, a, b });
            }
            Expr::Binary { op: op @ (BinaryOp::Mul | BinaryOp::Div), number: Number::Double, left, right } if timed => {
                let a = self.precise_register(*left)?;
                let b = self.double_register(*right)?;
                self.emit(if *op == BinaryOp::Mul { Op::PreciseMul { d, a, b } } else { Op::PreciseDiv { d, a, b } });
            }
            Expr::Conditional { condition, then, otherwise } if timed => {
                let (no, end) = (self.label(), self.label());
                self.branch(*condition, no, false)?;
                self.scoped(|compiler| compiler.precise(*then, d))?;
                self.emit(Op::Jump { to: end.0 });
                self.place(no);
                self.scoped(|compiler| compiler.precise(*otherwise, d))?;
                self.place(end);
            }
            _ => {
                let a = self.double_register(id)?;
                self.emit(Op::PreciseOf { d, a });
            }
        }
        Ok(())
    }

    /// Jumps when a comparison of doubles has the truth `when`; time may play a part in it.
    pub(super) fn compare_doubles(&mut self, id: ExprId, to: Label, when: bool) -> Compile<()> {
        let span = self.span(id);
        let Expr::Binary { op, left, right, .. } = self.expr(id) else { return self.unsupported("no comparison", id) };
        let Some(relation) = Relation::of(*op) else {
            return self.unsupported("an operator that doubles do not have", id);
        };
        let d = self.temporary(span)?;
        if self.is_timed(id) {
            let (a, b) = (self.precise_register(*left)?, self.precise_register(*right)?);
            self.emit(Op::PreciseTest { relation, d, a, b });
        } else {
            let (a, b) = self.double_operands(*left, *right)?;
            self.emit(Op::DoubleTest { relation, d, a, b });
        }
        self.jump_on(d, to, when);
        Ok(())
    }

    /// Jumps when a constraint has the truth `when` for the values of the clocks.
    pub(super) fn test_clocks(
        &mut self,
        constraint: &ClockConstraint,
        to: Label,
        when: bool,
        span: Span,
    ) -> Compile<()> {
        let number = |compiler: &mut Self, place: &Option<Place>| match place {
            Some(place) => compiler.clock_number(place, span),
            None => Ok(NONE),
        };
        let plus = number(self, &constraint.plus)?;
        let minus = number(self, &constraint.minus)?;
        let bound = self.register(constraint.bound)?;
        let d = self.temporary(span)?;
        self.emit(Op::ClockTest { relation: constraint.relation, d, plus, minus, bound });
        self.jump_on(d, to, when);
        Ok(())
    }

    fn jump_on(&mut self, a: Reg, to: Label, when: bool) {
        let to = to.0;
        self.emit(if when { Op::JumpNeImm { a, value: 0, to } } else { Op::JumpEqImm { a, value: 0, to } });
    }
}
