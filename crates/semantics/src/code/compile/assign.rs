//! Assignments and steps of integers, checked against the type of the variable.

use super::place::{Address, Space};
use super::{Compile, Compiler, Operand};
use crate::code::arithmetic::is_comparison;
use crate::code::op::{Op, Reg};
use model::network::{Base, Expr, ExprId, Place, Range, Type};
use model::source::Span;
use model::syntax::ast::{BinaryOp, Quantifier};

impl Compiler<'_, '_> {
    /// `target op= value`. The new value is a constant, in `d` or in the variable's register; without `d` it is not
    /// asked for.
    pub(super) fn assign_int(
        &mut self,
        target: &Place,
        op: Option<BinaryOp>,
        value: ExprId,
        d: Option<Reg>,
        span: Span,
    ) -> Compile<Operand> {
        if op.is_none() && target.base == Base::Frame && target.indices.is_empty() && !self.traits.of(value).writes {
            let cell = self.cell(target.offset.ints);
            self.int_into(value, cell)?;
            let fitting = self.fitting(Operand::Reg(cell), &target.ty, self.is_truth(value), cell, span);
            self.move_into(fitting, cell);
            return Ok(Operand::Reg(cell));
        }
        let t = self.temporary(span)?;
        let mut new = self.int(value, t)?;
        if matches!(new, Operand::Reg(reg) if reg != t) && self.traits.place_writes(target) {
            self.move_into(new, t);
            new = Operand::Reg(t);
        }
        let address = self.address(target, span, false)?;
        let mut truth = self.is_truth(value);
        if let Some(op) = op {
            truth = false;
            if let (BinaryOp::Add | BinaryOp::Sub, Operand::Imm(by)) = (op, new) {
                let by = if op == BinaryOp::Add { by } else { by.wrapping_neg() };
                if let Some(stepped) = self.step_in_place(&address, by, &target.ty, d, span)? {
                    return Ok(stepped);
                }
            }
            let old = self.temporary(span)?;
            let old_value = self.load_from(&address, old, span)?;
            let a = self.in_register(old_value, old);
            let b = self.in_register(new, t);
            let sum = self.temporary(span)?;
            self.emit_binary(op, sum, a, b, span);
            new = Operand::Reg(sum);
        }
        self.finish(&address, new, &target.ty, truth, d, span)
    }

    /// Checks and stores a value, and brings it to where it is asked for.
    fn finish(
        &mut self,
        address: &Address,
        value: Operand,
        ty: &Type,
        truth: bool,
        d: Option<Reg>,
        span: Span,
    ) -> Compile<Operand> {
        let spare = self.temporary(span)?;
        let s = match (address.space, address.index, ty, value) {
            (Space::State | Space::Local, None, Type::Int(range), Operand::Reg(s)) if *range != Range::FULL => {
                let (at, lo, hi) = (address.at, range.lo, range.hi);
                self.emit_at(
                    span,
                    match address.space {
                        Space::State => Op::StoreStateIn { s, at, lo, hi },
                        _ => Op::StoreLocalIn { s, at, lo, hi },
                    },
                );
                s
            }
            _ => {
                let fitting = self.fitting(value, ty, truth, spare, span);
                if let (Operand::Imm(value), None) = (fitting, address.index)
                    && let Some(op) = match address.space {
                        Space::State => Some(Op::SetState { at: address.at, value }),
                        Space::Local => Some(Op::SetLocal { at: address.at, value }),
                        _ => None,
                    }
                {
                    self.emit_at(span, op);
                    return Ok(fitting);
                }
                let s = self.in_register(fitting, spare);
                self.store_to(address, s, span)?;
                if let Operand::Imm(value) = fitting {
                    return Ok(Operand::Imm(value));
                }
                s
            }
        };
        if let Some(d) = d {
            self.move_into(Operand::Reg(s), d);
        }
        Ok(Operand::Reg(d.unwrap_or(s)))
    }

    /// A value as a variable of the type holds it.
    pub(super) fn fitting(&mut self, value: Operand, ty: &Type, truth: bool, spare: Reg, span: Span) -> Operand {
        match (ty, value) {
            (Type::Bool, Operand::Imm(value)) => Operand::Imm(i32::from(value != 0)),
            (Type::Bool, Operand::Reg(a)) if !truth => {
                self.emit(Op::Bool { d: spare, a });
                Operand::Reg(spare)
            }
            (Type::Int(range), Operand::Imm(value)) if range.contains(value) => Operand::Imm(value),
            (Type::Int(range), value) if *range != Range::FULL => {
                let a = self.in_register(value, spare);
                self.emit_at(span, Op::Range { a, lo: range.lo, hi: range.hi });
                Operand::Reg(a)
            }
            (_, value) => value,
        }
    }

    /// Whether an expression is always 0 or 1.
    pub(super) fn is_truth(&self, id: ExprId) -> bool {
        match self.expr(id) {
            Expr::Binary { op, .. } => is_comparison(*op) || *op == BinaryOp::Xor,
            Expr::Not(_) | Expr::And(..) | Expr::Or(..) | Expr::SameValue { .. } | Expr::LocationIs { .. } => true,
            Expr::Quantified { quantifier, .. } => matches!(quantifier, Quantifier::Forall | Quantifier::Exists),
            Expr::Read(place) => place.ty == Type::Bool,
            Expr::Call { function, .. } => self.network.code.function(*function).result == Type::Bool,
            Expr::Int(value) => (0..=1).contains(value),
            _ => false,
        }
    }

    pub(super) fn step(
        &mut self,
        target: &Place,
        delta: i32,
        postfix: bool,
        d: Option<Reg>,
        span: Span,
    ) -> Compile<Operand> {
        let address = self.address(target, span, false)?;
        if (!postfix || d.is_none())
            && let Some(stepped) = self.step_in_place(&address, delta, &target.ty, d, span)?
        {
            return Ok(stepped);
        }
        let t = self.temporary(span)?;
        let old = self.load_from(&address, t, span)?;
        let old = self.in_register(old, t);
        let new = self.temporary(span)?;
        self.emit(Op::AddImm { d: new, a: old, value: delta });
        if let (true, Some(d)) = (postfix, d) {
            self.move_into(Operand::Reg(old), d);
            self.finish(&address, Operand::Reg(new), &target.ty, false, None, span)?;
            return Ok(Operand::Reg(d));
        }
        self.finish(&address, Operand::Reg(new), &target.ty, false, d, span)
    }

    /// A small step of an integer variable of the state, or of a variable in a register.
    fn step_in_place(
        &mut self,
        address: &Address,
        delta: i32,
        ty: &Type,
        d: Option<Reg>,
        span: Span,
    ) -> Compile<Option<Operand>> {
        let (Type::Int(range), None) = (ty, address.index) else { return Ok(None) };
        let (at, lo, hi) = (address.at, range.lo, range.hi);
        match (address.space, i8::try_from(delta)) {
            (Space::State, Ok(delta)) => {
                let d = self.wanted(d, span)?;
                self.emit_at(span, Op::StepState { d, delta, at, lo, hi });
                Ok(Some(Operand::Reg(d)))
            }
            (Space::Local, Ok(delta)) => {
                let d = self.wanted(d, span)?;
                self.emit_at(span, Op::StepLocal { d, delta, at, lo, hi });
                Ok(Some(Operand::Reg(d)))
            }
            (Space::Frame, _) => {
                let cell = at as Reg;
                self.emit(Op::AddImm { d: cell, a: cell, value: delta });
                self.fitting(Operand::Reg(cell), ty, false, cell, span);
                Ok(Some(Operand::Reg(cell)))
            }
            _ => Ok(None),
        }
    }

    fn wanted(&mut self, d: Option<Reg>, span: Span) -> Compile<Reg> {
        match d {
            Some(d) => Ok(d),
            None => self.temporary(span),
        }
    }
}
