//! Guards and invariants: jumps for the integers, facts for the clocks.
//!
//! A condition of these classes is a conjunction as soon as the integers are known: a disjunction has at most one side
//! with clocks, a quantifier over clocks is a `forall`, a choice is made by integers.

use super::{Compile, Compiler, Label};
use crate::code::op::Op;
use model::network::{Expr, ExprId};
use model::syntax::ast::Quantifier;

impl Compiler<'_, '_> {
    pub(super) fn whole_condition(&mut self, id: ExprId) -> Compile<()> {
        let no = self.label();
        self.condition(id, no)?;
        self.emit(Op::Halt { value: 1 });
        self.place(no);
        self.emit(Op::Halt { value: 0 });
        Ok(())
    }

    /// Jumps away when an integer part is false, otherwise hands over the clock parts.
    fn condition(&mut self, id: ExprId, no: Label) -> Compile<()> {
        if !self.traits.of(id).clocks {
            return self.branch(id, no, false);
        }
        self.scoped(|compiler| compiler.clock_condition(id, no))
    }

    fn clock_condition(&mut self, id: ExprId, no: Label) -> Compile<()> {
        let span = self.span(id);
        let with_clocks = |id: ExprId| self.traits.of(id).clocks;
        match self.expr(id) {
            Expr::And(left, right) => {
                self.condition(*left, no)?;
                self.condition(*right, no)
            }
            Expr::Or(integers, clocks) if !with_clocks(*integers) => self.unless(*integers, *clocks, no),
            Expr::Or(clocks, integers) if !with_clocks(*integers) => {
                // The left side comes first where that can be seen: when it can fail.
                if self.traits.of(*clocks).fails {
                    self.or_else(*clocks, *integers, no, id)
                } else {
                    self.unless(*integers, *clocks, no)
                }
            }
            Expr::Quantified { quantifier: Quantifier::Forall, slot, range, body, .. } => {
                self.counted(*slot, *range, span, |compiler| compiler.condition(*body, no))
            }
            Expr::Conditional { condition, then, otherwise } if !with_clocks(*condition) => {
                let (other, end) = (self.label(), self.label());
                self.branch(*condition, other, false)?;
                self.condition(*then, no)?;
                self.emit(Op::Jump { to: end.0 });
                self.place(other);
                self.condition(*otherwise, no)?;
                self.place(end);
                Ok(())
            }
            Expr::ClockConstraint(constraint) => self.constraint(constraint, false, span),
            Expr::Rate { clock, rate, .. } => self.rate(clock, *rate, span),
            Expr::Unsupported(what) => self.unsupported(what, id),
            _ => self.unsupported("a disjunction of clock constraints outside of queries", id),
        }
    }

    /// The clock part only if the integer part is false.
    fn unless(&mut self, integers: ExprId, clocks: ExprId, no: Label) -> Compile<()> {
        let end = self.label();
        self.branch(integers, end, true)?;
        self.condition(clocks, no)?;
        self.place(end);
        Ok(())
    }

    /// First the clock part; its facts are taken back if the integer part is true.
    fn or_else(&mut self, clocks: ExprId, integers: ExprId, no: Label, id: ExprId) -> Compile<()> {
        let d = self.block(2, self.span(id))?;
        let (other, end) = (self.label(), self.label());
        self.emit(Op::MarkFacts { d });
        self.condition(clocks, other)?;
        self.branch(integers, end, false)?;
        self.emit(Op::DropFacts { a: d });
        self.emit(Op::Jump { to: end.0 });
        self.place(other);
        self.emit(Op::DropFacts { a: d });
        self.branch(integers, no, false)?;
        self.place(end);
        Ok(())
    }
}
