//! Query predicates: any combination of integers, locations, clock constraints and `deadlock`, as cases.
//!
//! Parts without clocks are jumps. A part with clocks leaves one value on the stack of cases; negation moves inwards
//! at compile time. `&&` and `||` skip the right side when the left one has decided.

use super::{Compile, Compiler};
use crate::code::op::Op;
use model::network::{Expr, ExprId};
use model::syntax::ast::Quantifier;

impl Compiler<'_, '_> {
    pub(super) fn whole_cases(&mut self, id: ExprId) -> Compile<()> {
        self.cases(id, true)?;
        self.emit(Op::Halt { value: 1 });
        Ok(())
    }

    /// Leaves the cases of the expression, or of its negation, on the stack.
    fn cases(&mut self, id: ExprId, positive: bool) -> Compile<()> {
        if self.traits.of(id).clocks {
            return self.scoped(|compiler| compiler.clock_cases(id, positive));
        }
        let (no, end) = (self.label(), self.label());
        self.branch(id, no, !positive)?;
        self.emit(Op::CasesTruth { truth: true });
        self.emit(Op::Jump { to: end.0 });
        self.place(no);
        self.emit(Op::CasesTruth { truth: false });
        self.place(end);
        Ok(())
    }

    fn clock_cases(&mut self, id: ExprId, positive: bool) -> Compile<()> {
        let span = self.span(id);
        match self.expr(id) {
            Expr::Not(operand) => self.cases(*operand, !positive),
            Expr::And(left, right) => self.joined((*left, positive), (*right, positive), positive, id),
            Expr::Or(left, right) => self.joined((*left, positive), (*right, positive), !positive, id),
            Expr::Quantified { quantifier, slot, range, body, .. } => {
                let and = match quantifier {
                    Quantifier::Forall => positive,
                    Quantifier::Exists => !positive,
                    Quantifier::Sum | Quantifier::Foreach => return self.unsupported("a sum over clocks", id),
                };
                let end = self.label();
                self.emit(Op::CasesTruth { truth: and });
                self.counted(*slot, *range, span, |compiler| {
                    compiler.cases(*body, positive)?;
                    compiler.join(and, id);
                    compiler.emit(if and { Op::JumpCasesFalse { to: end.0 } } else { Op::JumpCasesTrue { to: end.0 } });
                    Ok(())
                })?;
                self.place(end);
                Ok(())
            }
            Expr::Conditional { condition, then, otherwise } => {
                if !self.traits.of(*condition).clocks {
                    let (no, end) = (self.label(), self.label());
                    self.branch(*condition, no, false)?;
                    self.cases(*then, positive)?;
                    self.emit(Op::Jump { to: end.0 });
                    self.place(no);
                    self.cases(*otherwise, positive)?;
                    self.place(end);
                    return Ok(());
                }
                self.joined((*condition, true), (*then, positive), true, id)?;
                self.joined((*condition, false), (*otherwise, positive), true, id)?;
                self.join(false, id);
                Ok(())
            }
            Expr::ClockConstraint(constraint) => self.constraint(constraint, !positive, span),
            Expr::Deadlock => {
                self.emit(Op::CasesDeadlock { positive });
                Ok(())
            }
            Expr::Unsupported(what) => self.unsupported(what, id),
            _ => self.unsupported("a condition of this kind over clocks", id),
        }
    }

    /// Both sides, joined by `&&` (`and`) or `||`.
    fn joined(&mut self, left: (ExprId, bool), right: (ExprId, bool), and: bool, id: ExprId) -> Compile<()> {
        let end = self.label();
        self.cases(left.0, left.1)?;
        self.emit(if and { Op::JumpCasesFalse { to: end.0 } } else { Op::JumpCasesTrue { to: end.0 } });
        self.cases(right.0, right.1)?;
        self.join(and, id);
        self.place(end);
        Ok(())
    }

    fn join(&mut self, and: bool, id: ExprId) {
        let span = self.span(id);
        self.emit_at(span, if and { Op::CasesAnd } else { Op::CasesOr });
    }
}
