//! Expressions that are run for what they do: updates and statements.

use super::{Compile, Compiler};
use crate::code::traits::{Kind, kind_of};
use model::network::{Expr, ExprId, Place, Type};

impl Compiler<'_, '_> {
    pub(super) fn effect(&mut self, id: ExprId) -> Compile<()> {
        self.scoped(|compiler| compiler.run(id))
    }

    fn run(&mut self, id: ExprId) -> Compile<()> {
        let span = self.span(id);
        let known = self.traits.of(id);
        match self.expr(id) {
            _ if self.is_double(id) => self.double_register(id).map(|_| ()),
            Expr::SetClock { target, source, offset } => self.set_clock(target, source.as_ref(), *offset, span),
            Expr::Assign { target, op, value } => match (kind_of(&target.ty), &target.ty) {
                (Kind::Int, _) => self.assign_int(target, *op, *value, None, span).map(|_| ()),
                (Kind::Cells, _) => self.assign_cells(target, *value, span).map(|_| ()),
                (Kind::Double, _) | (_, Type::Clock { hybrid: true }) => {
                    self.effect_if_writes(*value)?;
                    self.place_effects(target)
                }
                _ => self.unsupported("a clock is set to a floating-point value", id),
            },
            Expr::Step { target, delta, postfix } => self.step(target, *delta, *postfix, None, span).map(|_| ()),
            Expr::Sequence(first, second) => {
                self.effect(*first)?;
                self.effect(*second)
            }
            Expr::Conditional { condition, then, otherwise } if known.writes || known.kind == Kind::Void => {
                let (no, end) = (self.label(), self.label());
                self.branch(*condition, no, false)?;
                self.effect(*then)?;
                self.emit(crate::code::op::Op::Jump { to: end.0 });
                self.place(no);
                self.effect(*otherwise)?;
                self.place(end);
                Ok(())
            }
            Expr::Call { function, process, arguments } => {
                self.call(*function, process.as_ref(), arguments, span).map(|_| ())
            }
            Expr::Unsupported(what) => self.unsupported(what, id),
            // Nobody asks whether it holds, but its bound may write, or fail.
            Expr::ClockConstraint(_) => {
                let mut parts = Vec::new();
                self.expr(id).children(&mut |part| parts.push(part));
                parts.into_iter().try_for_each(|part| self.effect(part))
            }
            Expr::Not(operand) if known.clocks => self.effect(*operand),
            // Clocks may decide which parts are evaluated.
            _ if known.clocks && known.writes && !self.has_values() => {
                self.unsupported("a clock constraint that decides what is written", id)
            }
            _ if known.clocks && !self.has_values() => Ok(()),
            _ => match known.kind {
                Kind::Int => self.register(id).map(|_| ()),
                Kind::Cells => self.cells(id).map(|_| ()),
                // Floating-point numbers have no value here, but what stands inside may write integers.
                Kind::Double | Kind::Void => self.children_that_write(id),
            },
        }
    }

    pub(super) fn effect_if_writes(&mut self, id: ExprId) -> Compile<()> {
        if self.traits.of(id).writes { self.effect(id) } else { Ok(()) }
    }

    fn children_that_write(&mut self, id: ExprId) -> Compile<()> {
        let mut children = Vec::new();
        self.expr(id).children(&mut |child| children.push(child));
        children.into_iter().try_for_each(|child| self.effect_if_writes(child))
    }

    pub(super) fn place_effects(&mut self, place: &Place) -> Compile<()> {
        let mut parts = Vec::new();
        place.exprs(&mut |id| parts.push(id));
        parts.into_iter().try_for_each(|id| self.effect_if_writes(id))
    }
}
