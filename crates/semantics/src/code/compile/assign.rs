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
            let fitting = self.fitting(Operand::Reg(cell), &target.ty, self.value_range(value), cell, span);
            self.move_into(fitting, cell);
            return Ok(Operand::Reg(cell));
        }
        let t = self.temporary(span)?;
        let mut new = self.int(value, t)?;
        if matches!(new, Operand::Reg(reg) if reg != t) && self.traits.place_writes(target) {
            self.move_into(new, t);
            new = Operand::Reg(t);
        }
        let range = if op.is_none() { self.value_range(value) } else { Range::FULL };
        // The index is checked before the value, by an instruction of its own unless the value needs no check.
        let address = self.address(target, span, op.is_none() && fits(range, &target.ty))?;
        if let Some(op) = op {
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
        self.finish(&address, new, &target.ty, range, d, span)
    }

    /// Checks and stores a value, and brings it to where it is asked for.
    fn finish(
        &mut self,
        address: &Address,
        value: Operand,
        ty: &Type,
        from: Range,
        d: Option<Reg>,
        span: Span,
    ) -> Compile<Operand> {
        let spare = self.temporary(span)?;
        let s = match (address.space, address.index, ty, value) {
            (Space::State | Space::Local, None, Type::Int(range), Operand::Reg(s)) if !fits(from, ty) => {
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
                let fitting = self.fitting(value, ty, from, spare, span);
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

    /// A value as a variable of the type holds it; `from` is what the value can be.
    pub(super) fn fitting(&mut self, value: Operand, ty: &Type, from: Range, spare: Reg, span: Span) -> Operand {
        match (ty, value) {
            (Type::Bool, Operand::Imm(value)) => Operand::Imm(i32::from(value != 0)),
            (_, Operand::Reg(_)) if fits(from, ty) => value,
            (Type::Bool, Operand::Reg(a)) => {
                self.emit(Op::Bool { d: spare, a });
                Operand::Reg(spare)
            }
            (Type::Int(range), Operand::Imm(value)) if range.contains(value) => Operand::Imm(value),
            (Type::Int(range), value) => {
                let a = self.in_register(value, spare);
                self.emit_at(span, Op::Range { a, lo: range.lo, hi: range.hi });
                Operand::Reg(a)
            }
            (_, value) => value,
        }
    }

    /// What the value of an expression can be, as far as a glance at it tells. A reference may be bound to a variable
    /// of another range, so its type says nothing.
    pub(super) fn value_range(&self, id: ExprId) -> Range {
        if let Some(value) = self.traits.known(id) {
            return Range { lo: value, hi: value };
        }
        match self.expr(id) {
            Expr::Binary { op, .. } if is_comparison(*op) || *op == BinaryOp::Xor => Range::BIT,
            Expr::Not(_) | Expr::And(..) | Expr::Or(..) | Expr::SameValue { .. } | Expr::LocationIs { .. } => {
                Range::BIT
            }
            Expr::Quantified { quantifier: Quantifier::Forall | Quantifier::Exists, .. } => Range::BIT,
            Expr::Read(Place { base: Base::Parameter(_) | Base::FrameReference(_) | Base::Member(..), .. }) => {
                Range::FULL
            }
            Expr::Read(place) => place.ty.range(),
            Expr::Call { function, .. } => self.network.code.function(*function).result.range(),
            _ => Range::FULL,
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
            self.finish(&address, Operand::Reg(new), &target.ty, Range::FULL, None, span)?;
            return Ok(Operand::Reg(d));
        }
        self.finish(&address, Operand::Reg(new), &target.ty, Range::FULL, d, span)
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
            (Space::Frame, Ok(delta)) if *range != Range::FULL => {
                let d = at as Reg;
                self.emit_at(span, Op::StepFrame { d, delta, lo, hi });
                Ok(Some(Operand::Reg(d)))
            }
            (Space::Frame, _) => {
                let cell = at as Reg;
                self.emit(Op::AddImm { d: cell, a: cell, value: delta });
                self.fitting(Operand::Reg(cell), ty, Range::FULL, cell, span);
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

/// Whether every value of a range can be stored as it is.
fn fits(from: Range, ty: &Type) -> bool {
    let range = ty.range();
    range.lo <= from.lo && from.hi <= range.hi
}
