//! Conditions over integers as jumps.
//!
//! Comparisons fuse with the jump, and a variable of the state compared with a constant fuses with both: most guards
//! are one instruction per conjunct.

use super::{Compile, Compiler, Label, Operand};
use crate::code::arithmetic::{is_comparison, mirrored, negated};
use crate::code::op::{Op, Reg};
use model::network::{Base, Expr, ExprId, Number, Place, ProcessRef};
use model::source::Span;
use model::syntax::ast::{BinaryOp, Quantifier};

/// Something to compare that needs no register.
enum Direct {
    State(u32),
    Local(u32),
    LocalConstant(u32),
}

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
        if known.clocks {
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
            Expr::Read(place) => match self.direct(place) {
                Some(Direct::State(at)) => {
                    self.compare_direct(Direct::State(at), if when { BinaryOp::Ne } else { BinaryOp::Eq }, 0, to);
                    Ok(())
                }
                Some(Direct::Local(at)) => {
                    self.compare_direct(Direct::Local(at), if when { BinaryOp::Ne } else { BinaryOp::Eq }, 0, to);
                    Ok(())
                }
                _ => self.test(id, to, when),
            },
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

    /// A single cell of the state or of the process's constants.
    fn direct(&self, place: &Place) -> Option<Direct> {
        if !place.indices.is_empty() {
            return None;
        }
        match place.base {
            Base::Global => Some(Direct::State(place.offset.ints)),
            Base::Local => Some(Direct::Local(place.offset.ints)),
            Base::LocalConstant => Some(Direct::LocalConstant(place.offset.ints)),
            _ => None,
        }
    }

    fn direct_read(&self, id: ExprId) -> Option<Direct> {
        match self.expr(id) {
            Expr::Read(place) => self.direct(place),
            _ => None,
        }
    }

    fn compare(&mut self, op: BinaryOp, left: ExprId, right: ExprId, to: Label, span: Span) -> Compile<()> {
        let (op, left, right) =
            if self.traits.known(left).is_some() { (mirrored(op), right, left) } else { (op, left, right) };
        if let (Some(value), Some(direct)) = (self.traits.known(right), self.direct_read(left))
            && !matches!(direct, Direct::LocalConstant(_))
        {
            self.compare_direct(direct, op, value, to);
            return Ok(());
        }
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne)
            && let (Some(Direct::State(at)), Some(Direct::LocalConstant(constant)))
            | (Some(Direct::LocalConstant(constant)), Some(Direct::State(at))) =
                (self.direct_read(left), self.direct_read(right))
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

    fn compare_direct(&mut self, direct: Direct, op: BinaryOp, value: i32, to: Label) {
        let to = to.0;
        let op = match (direct, below(op, value)) {
            (_, Test::Always) => Op::Jump { to },
            (Direct::LocalConstant(_), _) | (_, Test::Never) => return,
            (Direct::State(at), Test::Eq(value)) => Op::JumpStateEq { at, value, to },
            (Direct::State(at), Test::Ne(value)) => Op::JumpStateNe { at, value, to },
            (Direct::State(at), Test::Lt(value)) => Op::JumpStateLt { at, value, to },
            (Direct::State(at), Test::Ge(value)) => Op::JumpStateGe { at, value, to },
            (Direct::Local(at), Test::Eq(value)) => Op::JumpLocalEq { at, value, to },
            (Direct::Local(at), Test::Ne(value)) => Op::JumpLocalNe { at, value, to },
            (Direct::Local(at), Test::Lt(value)) => Op::JumpLocalLt { at, value, to },
            (Direct::Local(at), Test::Ge(value)) => Op::JumpLocalGe { at, value, to },
        };
        self.emit(op);
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
