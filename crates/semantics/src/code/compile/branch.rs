//! Conditions over integers as jumps.
//!
//! Comparisons fuse with the jump, and a variable of the state compared with a constant fuses with both: most guards
//! are one instruction per conjunct.

use super::place::Space;
use super::{Compile, Compiler, Label, Operand};
use crate::code::arithmetic::{is_comparison, mirrored, negated};
use crate::code::op::{Op, Reg};
use model::network::{Base, Expr, ExprId, Number, Place, ProcessRef};
use model::source::Span;
use model::syntax::ast::{BinaryOp, Quantifier};

impl Compiler<'_, '_> {
    /// Jumps to the label when the truth of the expression is `when`, goes on otherwise.
    pub(super) fn branch(&mut self, id: ExprId, to: Label, when: bool) -> Compile<()> {
        let known = self.traits.of(id);
        if let Some(value) = known.known {
            if (value != 0) == when {
                self.emit(Op::Jump { to: to.0 });
            }
            return Ok(());
        }
        if self.sets_rates_only(id) {
            // There may be many, and they constrain nothing.
            if when {
                self.emit(Op::Jump { to: to.0 });
            }
            return Ok(());
        }
        if known.clocks && !self.has_values() {
            return self.unsupported("a clock constraint that decides about integers", id);
        }
        self.scoped(|compiler| compiler.jump(id, to, when))
    }

    fn jump(&mut self, id: ExprId, to: Label, when: bool) -> Compile<()> {
        let span = self.span(id);
        match self.expr(id) {
            Expr::Not(operand) => self.branch(*operand, to, !when),
            Expr::And(left, right) => self.both(*left, *right, to, when, true),
            Expr::Or(left, right) => self.both(*left, *right, to, when, false),
            Expr::Quantified { quantifier: Quantifier::Forall, slot, range, body, .. } => {
                self.quantified(*slot, *range, *body, to, when, true, span)
            }
            Expr::Quantified { quantifier: Quantifier::Exists, slot, range, body, .. } => {
                self.quantified(*slot, *range, *body, to, when, false, span)
            }
            Expr::Binary { op, number: Number::Int, left, right } if is_comparison(*op) => {
                let op = if when { *op } else { negated(*op) };
                self.compare(op, *left, *right, to, span)
            }
            Expr::Binary { op, number: Number::Double, .. } if is_comparison(*op) && self.has_values() => {
                self.compare_doubles(id, to, when)
            }
            Expr::ClockConstraint(constraint) if self.has_values() => self.test_clocks(constraint, to, when, span),
            Expr::Double(value) if self.has_values() => {
                if (*value != 0.0) == when {
                    self.emit(Op::Jump { to: to.0 });
                }
                Ok(())
            }
            Expr::Conditional { condition, then, otherwise } => {
                let (no, end) = (self.label(), self.label());
                self.branch(*condition, no, false)?;
                self.branch(*then, to, when)?;
                self.emit(Op::Jump { to: end.0 });
                self.place(no);
                self.branch(*otherwise, to, when)?;
                self.place(end);
                Ok(())
            }
            Expr::Sequence(first, second) => {
                self.effect(*first)?;
                self.branch(*second, to, when)
            }
            Expr::LocationIs { process, location } => {
                self.location_is(process, location.index() as u32, to, when, span)
            }
            Expr::Read(place) if !self.is_double(id) => {
                let op = if when { BinaryOp::Ne } else { BinaryOp::Eq };
                self.compare_place(place, op, 0, to, span)
            }
            _ => self.test(id, to, when),
        }
    }

    fn test(&mut self, id: ExprId, to: Label, when: bool) -> Compile<()> {
        let t = self.temporary(self.span(id))?;
        let value = self.int(id, t)?;
        let a = self.in_register(value, t);
        let to = to.0;
        self.emit(if when { Op::JumpNeImm { a, value: 0, to } } else { Op::JumpEqImm { a, value: 0, to } });
        Ok(())
    }

    /// `left && right` (`and`) or `left || right`.
    fn both(&mut self, left: ExprId, right: ExprId, to: Label, when: bool, and: bool) -> Compile<()> {
        if when == and {
            // Both sides decide: leave as soon as the left one does not agree.
            let end = self.label();
            self.branch(left, end, !when)?;
            self.branch(right, to, when)?;
            self.place(end);
            Ok(())
        } else {
            self.branch(left, to, when)?;
            self.branch(right, to, when)
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a quantifier and of a branch")]
    fn quantified(
        &mut self,
        slot: u32,
        range: model::network::Range,
        body: ExprId,
        to: Label,
        when: bool,
        forall: bool,
        span: Span,
    ) -> Compile<()> {
        if when == forall {
            let end = self.label();
            self.counted(slot, range, span, |compiler| compiler.branch(body, end, !when))?;
            self.emit(Op::Jump { to: to.0 });
            self.place(end);
            Ok(())
        } else {
            self.counted(slot, range, span, |compiler| compiler.branch(body, to, when))
        }
    }

    /// A variable of the network and a constant of the process, whichever way round.
    fn state_and_constant(&self, left: ExprId, right: ExprId) -> Option<(u32, u32)> {
        let (Expr::Read(left), Expr::Read(right)) = (self.expr(left), self.expr(right)) else { return None };
        if !left.indices.is_empty() || !right.indices.is_empty() {
            return None;
        }
        match (&left.base, &right.base) {
            (Base::Global, Base::LocalConstant) => Some((left.offset.ints, right.offset.ints)),
            (Base::LocalConstant, Base::Global) => Some((right.offset.ints, left.offset.ints)),
            _ => None,
        }
    }

    fn compare(&mut self, op: BinaryOp, left: ExprId, right: ExprId, to: Label, span: Span) -> Compile<()> {
        let (op, left, right) =
            if self.traits.known(left).is_some() { (mirrored(op), right, left) } else { (op, left, right) };
        if let (Some(value), Expr::Read(place)) = (self.traits.known(right), self.expr(left)) {
            return self.compare_place(place, op, value, to, span);
        }
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne)
            && let Some((at, constant)) = self.state_and_constant(left, right)
        {
            let to = to.0;
            self.emit(match op {
                BinaryOp::Eq => Op::JumpStateEqLocalConstant { at, constant, to },
                _ => Op::JumpStateNeLocalConstant { at, constant, to },
            });
            return Ok(());
        }
        let (a, b) = self.operands(left, right)?;
        let spare = self.temporary(span)?;
        let a = self.in_register(a, spare);
        match b {
            Operand::Imm(value) => self.compare_constant(a, op, value, to),
            Operand::Reg(b) => {
                let to = to.0;
                self.emit(match op {
                    BinaryOp::Eq => Op::JumpEq { a, b, to },
                    BinaryOp::Ne => Op::JumpNe { a, b, to },
                    BinaryOp::Lt => Op::JumpLt { a, b, to },
                    BinaryOp::Ge => Op::JumpGe { a, b, to },
                    BinaryOp::Gt => Op::JumpLt { a: b, b: a, to },
                    _ => Op::JumpGe { a: b, b: a, to },
                });
            }
        }
        Ok(())
    }

    fn compare_constant(&mut self, a: Reg, op: BinaryOp, value: i32, to: Label) {
        let to = to.0;
        let op = match below(op, value) {
            Test::Eq(value) => Op::JumpEqImm { a, value, to },
            Test::Ne(value) => Op::JumpNeImm { a, value, to },
            Test::Lt(value) => Op::JumpLtImm { a, value, to },
            Test::Ge(value) => Op::JumpGeImm { a, value, to },
            Test::Always => Op::Jump { to },
            Test::Never => return,
        };
        self.emit(op);
    }

    /// A variable against a constant.
    fn compare_place(&mut self, place: &Place, op: BinaryOp, value: i32, to: Label, span: Span) -> Compile<()> {
        let address = self.address(place, span, true)?;
        let (at, test) = (address.at, below(op, value));
        let fused =
            if address.unchecked.is_some() { None } else { fused(address.space, address.index, at, test, to.0) };
        match fused {
            Some(op) => self.emit(op),
            None => {
                let t = self.temporary(span)?;
                let operand = self.load_from(&address, t, span)?;
                let a = self.in_register(operand, t);
                self.compare_constant(a, op, value, to);
            }
        }
        Ok(())
    }

    fn location_is(&mut self, process: &ProcessRef, location: u32, to: Label, when: bool, span: Span) -> Compile<()> {
        let t = self.temporary(span)?;
        match self.process(process, t, span)? {
            Operand::Imm(process) => {
                let (process, to) = (process as u32, to.0);
                self.emit(match when {
                    true => Op::JumpAt { process, location, to },
                    false => Op::JumpNotAt { process, location, to },
                });
            }
            Operand::Reg(p) => {
                self.emit(Op::LocationOf { d: t, p });
                let op = if when { BinaryOp::Eq } else { BinaryOp::Ne };
                self.compare_constant(t, op, location as i32, to);
            }
        }
        Ok(())
    }
}

/// A load from the state, a comparison and a jump in one.
fn fused(space: Space, index: Option<Reg>, at: u32, test: Test, to: u32) -> Option<Op> {
    Some(match (space, index, test) {
        (Space::State, None, Test::Eq(value)) => Op::JumpStateEq { at, value, to },
        (Space::State, None, Test::Ne(value)) => Op::JumpStateNe { at, value, to },
        (Space::State, None, Test::Lt(value)) => Op::JumpStateLt { at, value, to },
        (Space::State, None, Test::Ge(value)) => Op::JumpStateGe { at, value, to },
        (Space::Local, None, Test::Eq(value)) => Op::JumpLocalEq { at, value, to },
        (Space::Local, None, Test::Ne(value)) => Op::JumpLocalNe { at, value, to },
        (Space::Local, None, Test::Lt(value)) => Op::JumpLocalLt { at, value, to },
        (Space::Local, None, Test::Ge(value)) => Op::JumpLocalGe { at, value, to },
        (Space::State, Some(i), Test::Eq(value)) => Op::JumpStateAtEq { i, at, value, to },
        (Space::State, Some(i), Test::Ne(value)) => Op::JumpStateAtNe { i, at, value, to },
        (Space::State, Some(i), Test::Lt(value)) => Op::JumpStateAtLt { i, at, value, to },
        (Space::State, Some(i), Test::Ge(value)) => Op::JumpStateAtGe { i, at, value, to },
        (Space::Local, Some(i), Test::Eq(value)) => Op::JumpLocalAtEq { i, at, value, to },
        (Space::Local, Some(i), Test::Ne(value)) => Op::JumpLocalAtNe { i, at, value, to },
        (Space::Local, Some(i), Test::Lt(value)) => Op::JumpLocalAtLt { i, at, value, to },
        (Space::Local, Some(i), Test::Ge(value)) => Op::JumpLocalAtGe { i, at, value, to },
        _ => return None,
    })
}

/// A comparison with a constant by four relations.
enum Test {
    Eq(i32),
    Ne(i32),
    Lt(i32),
    Ge(i32),
    Always,
    Never,
}

fn below(op: BinaryOp, value: i32) -> Test {
    match (op, value.checked_add(1)) {
        (BinaryOp::Eq, _) => Test::Eq(value),
        (BinaryOp::Ne, _) => Test::Ne(value),
        (BinaryOp::Lt, _) => Test::Lt(value),
        (BinaryOp::Ge, _) => Test::Ge(value),
        (BinaryOp::Le, Some(next)) => Test::Lt(next),
        (BinaryOp::Le, None) => Test::Always,
        (_, Some(next)) => Test::Ge(next),
        (_, None) => Test::Never,
    }
}
