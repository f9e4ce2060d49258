//! Doubles and clocks that have values, for statistics.
//!
//! A double is compiled as an integer is: with two cells to put its value in, which only the last
//! instruction writes, or it is in the cells of a variable of the frame. Comparisons in which time
//! plays a part, and sums of clocks, are computed with twice the digits ([`crate::precise`]), so
//! that a clock that was to reach a bound is at the bound.

use super::precise::PRECISE;
use super::{Compile, Compiler};
use crate::code::op::{Op, Reg};
use crate::code::traits::Kind;
use model::network::{Base, Builtin, BuiltinResult, Expr, ExprId, Number, Place, Range, Relation, Type};
use model::source::Span;
use model::syntax::ast::{BinaryOp, Quantifier};

/// Cells of a double.
pub(super) const DOUBLE: u32 = 2;

impl Compiler<'_, '_> {
    /// Whether clocks and doubles have values.
    pub(super) fn has_values(&self) -> bool {
        self.traits.timed.is_some()
    }

    pub(super) fn is_timed(&self, id: ExprId) -> bool {
        self.traits.timed.as_ref().is_some_and(|timed| timed.timed(id))
    }

    /// Whether the expression sets rates and is no condition besides.
    pub(super) fn sets_rates_only(&self, id: ExprId) -> bool {
        self.traits.timed.as_ref().is_some_and(|timed| timed.only_rates(id))
    }

    /// Whether the value is a double where doubles have values.
    pub(super) fn is_double(&self, id: ExprId) -> bool {
        let is_clock = |place: &Place| matches!(place.ty, Type::Clock { .. });
        self.has_values()
            && (self.traits.of(id).kind == Kind::Double
                || matches!(self.expr(id), Expr::Read(place) | Expr::Assign { target: place, .. } if is_clock(place)))
    }

    pub(super) fn whole_double(&mut self, id: ExprId) -> Compile<()> {
        let a = self.double_register(id)?;
        self.emit(Op::DoubleMove { d: 0, a });
        self.emit(Op::Halt { value: 1 });
        Ok(())
    }

    /// The cells of a number as a double: `d`, or those of a variable.
    pub(super) fn double(&mut self, id: ExprId, d: Reg) -> Compile<Reg> {
        if !self.has_values() {
            return self.unsupported("a floating-point value", id);
        }
        self.scoped(|compiler| compiler.compute_double(id, d))
    }

    pub(super) fn double_into(&mut self, id: ExprId, d: Reg) -> Compile<()> {
        let a = self.double(id, d)?;
        if a != d {
            self.emit(Op::DoubleMove { d, a });
        }
        Ok(())
    }

    pub(super) fn double_register(&mut self, id: ExprId) -> Compile<Reg> {
        let d = self.block(DOUBLE, self.span(id))?;
        self.double(id, d)
    }

    fn compute_double(&mut self, id: ExprId, d: Reg) -> Compile<Reg> {
        let span = self.span(id);
        match self.expr(id) {
            Expr::Double(value) => self.double_constant(*value, d),
            Expr::ToDouble(operand) => {
                let int = self.register(*operand)?;
                self.emit(Op::DoubleOf { d, int });
            }
            Expr::ClockValue(place) | Expr::Read(place @ Place { ty: Type::Clock { .. }, .. }) => {
                let clock = self.clock_number(place, span)?;
                self.emit(Op::ClockDouble { d, clock });
            }
            Expr::Read(place) if place.ty == Type::Double => {
                if place.base == Base::Frame && place.indices.is_empty() {
                    return Ok(self.double_cell(place.offset.doubles));
                }
                if place.base == Base::Global && place.indices.is_empty() {
                    self.emit(Op::LoadStateDouble { d, at: place.offset.doubles });
                    return Ok(d);
                }
                let p = self.double_pointer(place, span)?;
                self.emit(Op::LoadDouble { d, p });
            }
            Expr::Negate(Number::Double, operand) => {
                let a = self.double_register(*operand)?;
                self.emit(Op::DoubleNegate { d, a });
            }
            Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub, number: Number::Double, .. } if self.is_timed(id) => {
                let a = self.precise_register(id)?;
                self.emit(Op::DoubleOfPrecise { d, a });
            }
            Expr::Binary { op, number: Number::Double, left, right } if Relation::of(*op).is_none() => {
                let (a, b) = self.double_operands(*left, *right)?;
                self.emit_at(span, Op::DoubleBinary { op: *op, d, a, b });
            }
            Expr::Conditional { condition, then, otherwise } => {
                let (no, end) = (self.label(), self.label());
                self.branch(*condition, no, false)?;
                self.double_into(*then, d)?;
                self.emit(Op::Jump { to: end.0 });
                self.place(no);
                self.double_into(*otherwise, d)?;
                self.place(end);
            }
            Expr::Assign { target, op: None, value } if self.is_double(id) => {
                return self.assign_double(target, *value, d, span);
            }
            Expr::Sequence(first, second) => {
                self.effect(*first)?;
                return self.double(*second, d);
            }
            Expr::Call { function, process, arguments } if self.is_double(id) => {
                let a = self.call(*function, process.as_ref(), arguments, span)?;
                self.emit(Op::DoubleMove { d, a });
            }
            Expr::Builtin { function, arguments } if function.result() == BuiltinResult::Double => {
                let a = self.builtin_arguments(arguments, span)?;
                self.emit_at(span, Op::DoubleBuiltin { function: *function, d, a });
            }
            Expr::Quantified {
                quantifier: Quantifier::Sum | Quantifier::Foreach,
                number: Number::Double,
                slot,
                range,
                body,
            } => self.double_sum(*slot, *range, *body, d, span)?,
            _ => {
                let t = self.temporary(span)?;
                let operand = self.int(id, t)?;
                let int = self.in_register(operand, t);
                self.emit(Op::DoubleOf { d, int });
            }
        }
        Ok(d)
    }

    fn double_constant(&mut self, value: f64, d: Reg) {
        let n = self.tables.doubles.len() as u32;
        self.tables.doubles.push(value);
        self.emit(Op::DoubleImm { d, n });
    }

    /// Both operands. The left one is saved when computing the right one could change it.
    pub(super) fn double_operands(&mut self, left: ExprId, right: ExprId) -> Compile<(Reg, Reg)> {
        let t = self.block(DOUBLE, self.span(left))?;
        let mut a = self.double(left, t)?;
        if a != t && self.traits.of(right).writes {
            self.emit(Op::DoubleMove { d: t, a });
            a = t;
        }
        Ok((a, self.double_register(right)?))
    }

    fn double_sum(&mut self, slot: u32, range: Range, body: ExprId, d: Reg, span: Span) -> Compile<()> {
        let a = self.block(DOUBLE, span)?;
        self.double_constant(0.0, a);
        self.counted(slot, range, span, |compiler| {
            let b = compiler.double_register(body)?;
            compiler.emit_at(span, Op::DoubleBinary { op: BinaryOp::Add, d: a, a, b });
            Ok(())
        })?;
        self.emit(Op::DoubleMove { d, a });
        Ok(())
    }

    /// Three doubles in a row; those that the function does not have are 0.
    fn builtin_arguments(&mut self, arguments: &[ExprId], span: Span) -> Compile<Reg> {
        let first = self.block(3 * DOUBLE, span)?;
        for n in 0..3 {
            let d = first + n * DOUBLE as Reg;
            match arguments.get(usize::from(n)) {
                Some(argument) => self.double_into(*argument, d)?,
                None => self.double_constant(0.0, d),
            }
        }
        Ok(first)
    }

    /// A built-in function whose result is an integer.
    pub(super) fn int_builtin(&mut self, function: Builtin, arguments: &[ExprId], d: Reg, span: Span) -> Compile<()> {
        let a = self.builtin_arguments(arguments, span)?;
        self.emit_at(span, Op::IntBuiltin { function, d, a });
        Ok(())
    }

    /// The value first, then the variable, which is a double or a clock.
    pub(super) fn assign_double(&mut self, target: &Place, value: ExprId, d: Reg, span: Span) -> Compile<Reg> {
        let t = self.block(DOUBLE, span)?;
        let mut a = self.double(value, t)?;
        if a != t && self.traits.place_writes(target) {
            self.emit(Op::DoubleMove { d: t, a });
            a = t;
        }
        if matches!(target.ty, Type::Clock { .. }) {
            let clock = self.clock_number(target, span)?;
            let precise = self.block(PRECISE, span)?;
            self.emit(Op::PreciseOf { d: precise, a });
            self.emit_at(span, Op::PutClock { clock, a: precise });
        } else if target.base == Base::Frame && target.indices.is_empty() {
            let cell = self.double_cell(target.offset.doubles);
            self.emit(Op::DoubleMove { d: cell, a });
            return Ok(cell);
        } else if target.base == Base::Global && target.indices.is_empty() {
            self.emit_at(span, Op::StoreStateDouble { s: a, at: target.offset.doubles });
        } else {
            let p = self.double_pointer(target, span)?;
            self.emit_at(span, Op::StoreDouble { s: a, p });
        }
        self.emit(Op::DoubleMove { d, a });
        Ok(d)
    }
}
