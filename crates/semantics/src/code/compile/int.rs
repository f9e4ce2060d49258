//! Integer expressions into registers.

use super::{Compile, Compiler, Operand};
use crate::code::arithmetic::is_comparison;
use crate::code::op::{Op, Reg};
use crate::code::traits::Kind;
use model::network::{Builtin, Expr, ExprId, Number, ProcessRef, Range};
use model::source::Span;
use model::syntax::ast::{BinaryOp, Quantifier};

impl Compiler<'_, '_> {
    /// The value of an integer expression: a constant, or in `d`, or in the register of a variable.
    pub(super) fn int(&mut self, id: ExprId, d: Reg) -> Compile<Operand> {
        let known = self.traits.of(id);
        if let Some(value) = known.known {
            return Ok(Operand::Imm(value));
        }
        if self.is_double(id) {
            return self.scoped(|compiler| {
                let a = compiler.double_register(id)?;
                compiler.emit(Op::IntOf { d, a });
                Ok(Operand::Reg(d))
            });
        }
        if known.clocks && !self.has_values() {
            return self.unsupported("a clock constraint where an integer is needed", id);
        }
        if known.kind != Kind::Int {
            return self.unsupported("a floating-point value where an integer is needed", id);
        }
        self.scoped(|compiler| compiler.compute(id, d))
    }

    pub(super) fn int_into(&mut self, id: ExprId, d: Reg) -> Compile<()> {
        let value = self.int(id, d)?;
        self.move_into(value, d);
        Ok(())
    }

    fn compute(&mut self, id: ExprId, d: Reg) -> Compile<Operand> {
        let span = self.span(id);
        match self.expr(id) {
            Expr::Int(value) => return Ok(Operand::Imm(*value)),
            Expr::Read(place) => return self.load(place, d, span),
            Expr::Negate(Number::Int, operand) => {
                let a = self.register(*operand)?;
                self.emit(Op::Negate { d, a });
            }
            Expr::Not(operand) => {
                let a = self.register(*operand)?;
                self.emit(Op::Not { d, a });
            }
            Expr::Binary { op, number: Number::Int, left, right } => return self.binary(*op, *left, *right, d, span),
            Expr::And(..)
            | Expr::Or(..)
            | Expr::LocationIs { .. }
            | Expr::Quantified { quantifier: Quantifier::Forall | Quantifier::Exists, .. } => self.truth(id, d)?,
            Expr::Quantified { quantifier: Quantifier::Sum, number: Number::Int, slot, range, body } => {
                self.sum(*slot, *range, *body, d, span)?;
            }
            Expr::Binary { op, number: Number::Double, .. } if is_comparison(*op) && self.has_values() => {
                self.truth(id, d)?;
            }
            Expr::ClockConstraint(_) if self.has_values() => self.truth(id, d)?,
            // A rate constrains no state.
            Expr::Rate { .. } if self.has_values() => return Ok(Operand::Imm(1)),
            Expr::Quantified { quantifier: Quantifier::Foreach, number: Number::Int, slot, range, body }
                if self.has_values() =>
            {
                self.sum(*slot, *range, *body, d, span)?;
            }
            Expr::Deadlock if self.has_values() => return self.unsupported("statistics do not know `deadlock`", id),
            Expr::SameValue { left, right } => self.same(*left, *right, d, span)?,
            Expr::Conditional { condition, then, otherwise } => {
                let (no, end) = (self.label(), self.label());
                self.branch(*condition, no, false)?;
                self.int_into(*then, d)?;
                self.emit(Op::Jump { to: end.0 });
                self.place(no);
                self.int_into(*otherwise, d)?;
                self.place(end);
            }
            Expr::Assign { target, op, value } => return self.assign_int(target, *op, *value, Some(d), span),
            Expr::Step { target, delta, postfix } => return self.step(target, *delta, *postfix, Some(d), span),
            Expr::Sequence(first, second) => {
                self.effect(*first)?;
                return self.int(*second, d);
            }
            Expr::Call { function, process, arguments } => {
                let at = self.call(*function, process.as_ref(), arguments, span)?;
                self.emit(Op::Move { d, a: at });
            }
            Expr::Builtin { function: Builtin::Abs, arguments } if arguments.len() == 1 => {
                let a = self.register(arguments[0])?;
                self.emit(Op::Abs { d, a });
            }
            Expr::Builtin { function, arguments } if self.has_values() => {
                self.int_builtin(*function, arguments, d, span)?;
            }
            Expr::LocationOf { process } => {
                let t = self.temporary(span)?;
                let process = self.process(process, t, span)?;
                let p = self.in_register(process, t);
                self.emit(Op::LocationOf { d, p });
            }
            Expr::Unsupported(what) => return self.unsupported(what, id),
            _ => return self.unsupported("a floating-point value where an integer is needed", id),
        }
        Ok(Operand::Reg(d))
    }

    /// An operand in some register.
    pub(super) fn register(&mut self, id: ExprId) -> Compile<Reg> {
        let t = self.temporary(self.span(id))?;
        let operand = self.int(id, t)?;
        Ok(self.in_register(operand, t))
    }

    /// Both operands of an operator. The left one is saved when computing the right one could change it.
    pub(super) fn operands(&mut self, left: ExprId, right: ExprId) -> Compile<(Operand, Operand)> {
        let t = self.temporary(self.span(left))?;
        let mut a = self.int(left, t)?;
        if let Operand::Reg(reg) = a
            && reg != t
            && self.traits.of(right).writes
        {
            self.move_into(a, t);
            a = Operand::Reg(t);
        }
        let t = self.temporary(self.span(right))?;
        let b = self.int(right, t)?;
        Ok((a, b))
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, d: Reg, span: Span) -> Compile<Operand> {
        let (a, b) = self.operands(left, right)?;
        match (op, a, b) {
            (BinaryOp::Add, Operand::Reg(a), Operand::Imm(value)) => self.emit(Op::AddImm { d, a, value }),
            (BinaryOp::Add, Operand::Imm(value), Operand::Reg(a)) => self.emit(Op::AddImm { d, a, value }),
            (BinaryOp::Sub, Operand::Reg(a), Operand::Imm(value)) => {
                self.emit(Op::AddImm { d, a, value: value.wrapping_neg() });
            }
            (BinaryOp::Mul, Operand::Reg(a), Operand::Imm(value)) => self.emit(Op::MulImm { d, a, value }),
            (BinaryOp::Mul, Operand::Imm(value), Operand::Reg(a)) => self.emit(Op::MulImm { d, a, value }),
            (op, a, b) => {
                let (s, t) = (self.temporary(span)?, self.temporary(span)?);
                let a = self.in_register(a, s);
                let b = self.in_register(b, t);
                self.emit_binary(op, d, a, b, span);
            }
        }
        Ok(Operand::Reg(d))
    }

    pub(super) fn emit_binary(&mut self, op: BinaryOp, d: Reg, a: Reg, b: Reg, span: Span) {
        match op {
            BinaryOp::Add => self.emit(Op::Add { d, a, b }),
            BinaryOp::Sub => self.emit(Op::Sub { d, a, b }),
            BinaryOp::Mul => self.emit(Op::Mul { d, a, b }),
            op => self.emit_at(span, Op::Binary { op, d, a, b }),
        }
    }

    /// 1 or 0 by jumps.
    fn truth(&mut self, id: ExprId, d: Reg) -> Compile<()> {
        let (no, end) = (self.label(), self.label());
        self.branch(id, no, false)?;
        self.emit(Op::Imm { d, value: 1 });
        self.emit(Op::Jump { to: end.0 });
        self.place(no);
        self.emit(Op::Imm { d, value: 0 });
        self.place(end);
        Ok(())
    }

    fn sum(&mut self, slot: u32, range: Range, body: ExprId, d: Reg, span: Span) -> Compile<()> {
        let total = self.temporary(span)?;
        self.emit(Op::Imm { d: total, value: 0 });
        self.counted(slot, range, span, |compiler| {
            let t = compiler.temporary(span)?;
            match compiler.int(body, t)? {
                Operand::Imm(value) => compiler.emit(Op::AddImm { d: total, a: total, value }),
                Operand::Reg(b) => compiler.emit(Op::Add { d: total, a: total, b }),
            }
            Ok(())
        })?;
        self.emit(Op::Move { d, a: total });
        Ok(())
    }

    /// A loop over the values of a range, the value in a cell of the frame.
    pub(super) fn counted(
        &mut self,
        slot: u32,
        range: Range,
        span: Span,
        body: impl FnOnce(&mut Self) -> Compile<()>,
    ) -> Compile<()> {
        if range.lo > range.hi {
            return Ok(());
        }
        let d = self.cell(slot);
        self.emit(Op::Imm { d, value: range.lo });
        let again = self.label();
        self.place(again);
        self.scoped(body)?;
        self.emit_at(span, Op::Loop { d, hi: range.hi, to: again.0 });
        Ok(())
    }

    /// The number of a process.
    pub(super) fn process(&mut self, process: &ProcessRef, d: Reg, span: Span) -> Compile<Operand> {
        let mut fixed = process.first.index() as i64;
        let mut sum: Option<Reg> = None;
        for index in &process.indices {
            let (lo, len) = (index.range.lo, index.range.count().min(u64::from(u32::MAX)) as u32);
            if let Some(value) = self.traits.known(index.value).filter(|value| index.range.contains(*value)) {
                fixed += (i64::from(value) - i64::from(lo)) * i64::from(index.stride);
                continue;
            }
            let t = self.temporary(span)?;
            self.int_into(index.value, t)?;
            let site = self.span(index.value);
            self.emit_at(site, Op::Index { d: t, i: t, lo, len });
            let factor = index.stride as i32;
            match sum {
                None if factor == 1 => {}
                None => self.emit(Op::MulImm { d: t, a: t, value: factor }),
                Some(a) => self.emit(Op::MulAdd { d: t, a, b: t, factor }),
            }
            sum = Some(t);
        }
        Ok(match sum {
            None => Operand::Imm(fixed as i32),
            Some(a) => {
                self.emit(Op::AddImm { d, a, value: fixed as i32 });
                Operand::Reg(d)
            }
        })
    }
}
