//! Structs and arrays: handled by pointer, copied and compared cell by cell. Their doubles are left out.

use super::{Compile, Compiler};
use crate::code::op::{Op, Reg};
use model::network::{Expr, ExprId, Place, Type};
use model::source::Span;

impl<'n> Compiler<'_, 'n> {
    /// A pointer to the integers of a value. What it points to stays until the enclosing scope ends or a write.
    pub(super) fn cells(&mut self, id: ExprId) -> Compile<Reg> {
        let span = self.span(id);
        match self.expr(id) {
            Expr::Read(place) => self.pointer(place, span),
            Expr::Conditional { condition, then, otherwise } => {
                let d = self.temporary(span)?;
                let (no, end) = (self.label(), self.label());
                self.branch(*condition, no, false)?;
                let a = self.cells(*then)?;
                self.emit(Op::Move { d, a });
                self.emit(Op::Jump { to: end.0 });
                self.place(no);
                let a = self.cells(*otherwise)?;
                self.emit(Op::Move { d, a });
                self.place(end);
                Ok(d)
            }
            Expr::Sequence(first, second) => {
                self.effect(*first)?;
                self.cells(*second)
            }
            Expr::Assign { target, op: None, value } => self.assign_cells(target, *value, span),
            Expr::Call { function, process, arguments } => {
                let at = self.call(*function, process.as_ref(), arguments, span)?;
                let d = self.temporary(span)?;
                self.emit(Op::AddressFrame { d, at: u32::from(at) });
                Ok(d)
            }
            Expr::Unsupported(what) => self.unsupported(what, id),
            _ => self.unsupported("a value of this kind", id),
        }
    }

    pub(super) fn pointer(&mut self, place: &Place, span: Span) -> Compile<Reg> {
        let address = self.address(place, span, false)?;
        let d = self.temporary(span)?;
        self.pointer_to(&address, d);
        Ok(d)
    }

    /// A copy of a value among the temporaries, for when what follows may change the original.
    pub(super) fn saved(&mut self, s: Reg, len: u32, span: Span) -> Compile<Reg> {
        let at = self.block(len, span)?;
        let d = self.temporary(span)?;
        self.emit(Op::AddressFrame { d, at: u32::from(at) });
        self.emit_at(span, Op::Copy { d, s, len });
        Ok(d)
    }

    pub(super) fn same(&mut self, left: ExprId, right: ExprId, d: Reg, span: Span) -> Compile<()> {
        let extent = self.type_of(left).map(Type::extent).unwrap_or_default();
        if extent.doubles + extent.clocks > 0 {
            return self.unsupported("a comparison of floating-point values or clocks", left);
        }
        let mut a = self.cells(left)?;
        if self.traits.of(right).writes {
            a = self.saved(a, extent.ints, span)?;
        }
        let b = self.cells(right)?;
        self.emit(Op::Same { d, a, b, len: extent.ints });
        Ok(())
    }

    /// Copies a struct or an array; gives back a pointer to the target.
    pub(super) fn assign_cells(&mut self, target: &Place, value: ExprId, span: Span) -> Compile<Reg> {
        let len = target.ty.extent().ints;
        let mut s = self.cells(value)?;
        if self.traits.place_writes(target) {
            s = self.saved(s, len, span)?;
        }
        let d = self.pointer(target, span)?;
        self.copy(d, s, &target.ty, self.type_of(value), span);
        Ok(d)
    }

    /// Copies cells, checking ranges where the source may hold what the target must not.
    pub(super) fn copy(&mut self, d: Reg, s: Reg, ty: &Type, from: Option<&Type>, span: Span) {
        self.check_cells(s, ty, from, span);
        let len = ty.extent().ints;
        if len > 0 {
            self.emit_at(span, Op::Copy { d, s, len });
        }
    }

    pub(super) fn check_cells(&mut self, p: Reg, ty: &Type, from: Option<&Type>, span: Span) {
        if from == Some(ty) || ty.extent().ints == 0 {
            return;
        }
        let mut ranges = Vec::new();
        ty.for_each_int(&mut |range| ranges.push(range));
        let found = self.tables.layouts.iter().position(|known| *known == ranges);
        let layout = found.unwrap_or_else(|| {
            self.tables.layouts.push(ranges);
            self.tables.layouts.len() - 1
        });
        self.emit_at(span, Op::CheckCells { p, layout: layout as u32 });
    }

    /// The type of a struct or array.
    pub(super) fn type_of(&self, id: ExprId) -> Option<&'n Type> {
        let mut id = id;
        loop {
            match self.expr(id) {
                Expr::Read(place) => return Some(&place.ty),
                Expr::Assign { target, .. } => return Some(&target.ty),
                Expr::Call { function, .. } => return Some(&self.network.code.function(*function).result),
                Expr::Conditional { then, otherwise, .. } => {
                    let other = self.type_of(*otherwise);
                    return self.type_of(*then).filter(|ty| Some(*ty) == other);
                }
                Expr::Sequence(_, second) => id = *second,
                _ => return None,
            }
        }
    }
}
