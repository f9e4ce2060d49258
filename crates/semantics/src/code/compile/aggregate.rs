//! Structs and arrays: handled by pointer, copied and compared cell by cell. Their doubles are left
//! out where doubles have no value.

use super::double_place::DoubleSpace;
use super::place::Space;
use super::{Compile, Compiler};
use crate::code::op::{Op, Reg};
use model::network::{Base, Expr, ExprId, Extent, Place, Type};
use model::source::Span;

impl<'n> Compiler<'_, 'n> {
    /// A pointer to the integers of a value, and behind it one to its doubles where those have
    /// values. What it points to stays until the enclosing scope ends or a write.
    pub(super) fn cells(&mut self, id: ExprId) -> Compile<Reg> {
        let span = self.span(id);
        match self.expr(id) {
            Expr::Read(place) => self.pointer(place, span),
            Expr::Conditional { condition, then, otherwise } => {
                let d = self.pair(span)?;
                let (no, end) = (self.label(), self.label());
                self.branch(*condition, no, false)?;
                let a = self.cells(*then)?;
                self.move_pair(d, a);
                self.emit(Op::Jump { to: end.0 });
                self.place(no);
                let a = self.cells(*otherwise)?;
                self.move_pair(d, a);
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
                let ints = self.network.code.function(*function).result.extent().ints;
                self.frame_pair(u32::from(at), ints, span)
            }
            Expr::Unsupported(what) => self.unsupported(what, id),
            _ => self.unsupported("a value of this kind", id),
        }
    }

    pub(super) fn pointer(&mut self, place: &Place, span: Span) -> Compile<Reg> {
        if self.has_values() && place.ty.extent().doubles > 0 {
            return self.pointers(place, span);
        }
        let address = self.address(place, span, false)?;
        let d = self.pair(span)?;
        self.pointer_to(&address, d);
        Ok(d)
    }

    /// Pointers to the integers and to the doubles of a place, which is looked for once.
    fn pointers(&mut self, place: &Place, span: Span) -> Compile<Reg> {
        let d = self.pair(span)?;
        let ((space, base), doubles) = self.both_spaces(place, span)?;
        let indices = self.indices(place, false)?;
        let index = self.sum_of(&indices, |extent| extent.ints, span)?;
        self.pointer_from(space, base + place.offset.ints + indices.fixed.ints, index, d);
        self.point_to_doubles(doubles, place, &indices, d + 1, span)?;
        Ok(d)
    }

    /// What the integers and the doubles of a place are relative to.
    pub(super) fn both_spaces(&mut self, place: &Place, span: Span) -> Compile<((Space, u32), DoubleSpace)> {
        Ok(match &place.base {
            Base::Member(process, member) => {
                let t = self.temporary(span)?;
                let number = self.process(process, t, span)?;
                // The register of the number is needed twice.
                let d = self.temporary(span)?;
                (self.member_space(number, *member, d), self.double_member(number, *member, span)?)
            }
            Base::Value(value) => {
                let p = self.cells(*value)?;
                ((Space::Pointer(p), 0), DoubleSpace::Pointer(p + 1))
            }
            other => (self.int_base(place, span)?, self.plain_double_space(other)),
        })
    }

    /// Registers for a pointer to integers and one to doubles.
    fn pair(&mut self, span: Span) -> Compile<Reg> {
        self.block(if self.has_values() { 2 } else { 1 }, span)
    }

    fn move_pair(&mut self, d: Reg, a: Reg) {
        self.emit(Op::Move { d, a });
        if self.has_values() {
            self.emit(Op::Move { d: d + 1, a: a + 1 });
        }
    }

    /// Pointers to a value in the frame: its integers from `at` on, its doubles behind them.
    pub(super) fn frame_pair(&mut self, at: u32, ints: u32, span: Span) -> Compile<Reg> {
        let d = self.pair(span)?;
        self.emit(Op::AddressFrame { d, at });
        if self.has_values() {
            self.emit(Op::AddressFrame { d: d + 1, at: at + ints });
        }
        Ok(d)
    }

    /// A copy of a value among the temporaries, for when what follows may change the original.
    pub(super) fn saved(&mut self, s: Reg, extent: Extent, span: Span) -> Compile<Reg> {
        let at = self.block(self.cells_for(extent), span)?;
        let d = self.frame_pair(u32::from(at), extent.ints, span)?;
        self.emit_at(span, Op::Copy { d, s, len: extent.ints });
        self.copy_doubles(d, s, extent.doubles, span);
        Ok(d)
    }

    pub(super) fn same(&mut self, left: ExprId, right: ExprId, d: Reg, span: Span) -> Compile<()> {
        let extent = self.type_of(left).map(Type::extent).unwrap_or_default();
        if extent.clocks > 0 || (extent.doubles > 0 && !self.has_values()) {
            return self.unsupported("a comparison of floating-point values or clocks", left);
        }
        let mut a = self.cells(left)?;
        if self.traits.of(right).writes {
            a = self.saved(a, extent, span)?;
        }
        let b = self.cells(right)?;
        self.emit(Op::Same { d, a, b, len: extent.ints });
        if extent.doubles > 0 {
            self.emit(Op::SameDoubles { d, a: a + 1, b: b + 1, len: extent.doubles });
        }
        Ok(())
    }

    /// Copies a struct or an array; gives back a pointer to the target.
    pub(super) fn assign_cells(&mut self, target: &Place, value: ExprId, span: Span) -> Compile<Reg> {
        let extent = target.ty.extent();
        let mut s = self.cells(value)?;
        if self.traits.place_writes(target) {
            s = self.saved(s, extent, span)?;
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
        self.copy_doubles(d, s, ty.extent().doubles, span);
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
