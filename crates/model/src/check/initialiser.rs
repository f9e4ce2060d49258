//! Initialisers: which part of a variable gets which value.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{ExprId, IndexType, Place, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Ident};

impl Checker {
    /// The parts of a variable with their initial values.
    pub(super) fn initialiser(&mut self, place: &Place, initialiser: &ast::Initialiser) -> Vec<(Place, ExprId)> {
        match (initialiser, &place.ty) {
            (ast::Initialiser::Expr(expr), ty) => {
                let typed = self.expr(expr);
                if typed.is_error() || !self.no_side_effects(&typed, expr, "an initialiser") {
                    return Vec::new();
                }
                let id = match ty {
                    Type::Clock { .. } => self.number(&typed).map(|(_, id)| id),
                    Type::Bool | Type::Int(_) => self.integral(&typed).map(|(_, id)| id),
                    Type::Double => {
                        let operand = self.operand(&typed);
                        operand.map(|operand| self.double_of(operand, typed.span))
                    }
                    ty => self.value(&typed).filter(|(found, _)| self.fits(ty, found)).map(|(_, id)| id),
                };
                match id {
                    Some(id) => vec![(place.clone(), id)],
                    None => {
                        let message = format!("{} cannot be the initial value of `{ty}`", typed.kind);
                        self.error(Code::INITIALISER, expr.span, message);
                        Vec::new()
                    }
                }
            }
            (ast::Initialiser::List { fields, span }, Type::Array(array)) => {
                let (len, element) = (array.index.count(), array.element.clone());
                if matches!(array.index, IndexType::Scalar(_)) {
                    self.error(Code::INITIALISER, *span, "an array indexed by scalars cannot have an initialiser");
                    return Vec::new();
                }
                if array.index != IndexType::Unknown && fields.len() as u64 != len {
                    let message = format!("this array has {len} elements, and {} values are given", fields.len());
                    let note = if (fields.len() as u64) < len {
                        "the others start at 0"
                    } else {
                        "the last ones are left out"
                    };
                    self.report(Diagnostic::new(Code::INITIALISER_LENGTH, *span, message).help(note));
                }
                let used =
                    if array.index == IndexType::Unknown { fields.len() } else { fields.len().min(len as usize) };
                let stride = element.extent();
                let mut values = Vec::new();
                for (n, (name, part)) in fields.iter().take(used).enumerate() {
                    if let Some(name) = name {
                        self.error(Code::INITIALISER, name.span, "the elements of an array have no names");
                    }
                    let offset = place.offset + stride.times(n as u64).unwrap_or_default();
                    let part_place = Place { offset, ty: element.clone(), ..place.clone() };
                    values.extend(self.initialiser(&part_place, part));
                }
                values
            }
            (ast::Initialiser::List { fields, span }, Type::Struct(_)) => self.struct_initialiser(place, fields, *span),
            (ast::Initialiser::List { fields, span }, ty) => match fields.as_slice() {
                // `int x = {3};` as in C.
                [(None, part)] => self.initialiser(place, part),
                _ => {
                    self.error(Code::INITIALISER, *span, format!("a list cannot be the initial value of `{ty}`"));
                    Vec::new()
                }
            },
        }
    }

    fn struct_initialiser(
        &mut self,
        place: &Place,
        fields: &[(Option<Ident>, ast::Initialiser)],
        span: Span,
    ) -> Vec<(Place, ExprId)> {
        let Type::Struct(structure) = place.ty.clone() else { return Vec::new() };
        let mut given = vec![false; structure.fields.len()];
        let mut next = 0;
        let mut values = Vec::new();
        for (name, part) in fields {
            if let Some(name) = name {
                match structure.fields.iter().position(|(field, _)| *field == name.name) {
                    Some(position) => next = position,
                    None => {
                        self.error(Code::NO_MEMBER, name.span, format!("this struct has no field `{}`", name.name));
                        return Vec::new();
                    }
                }
            }
            let Some((field, ty)) = structure.fields.get(next) else {
                let message = format!("this struct has {} fields, and more values are given", structure.fields.len());
                self.error(Code::INITIALISER, span, message);
                return Vec::new();
            };
            if std::mem::replace(&mut given[next], true) {
                self.error(Code::INITIALISER, span, format!("the field `{field}` is given twice"));
                return Vec::new();
            }
            let offset = place.ty.field(field).map_or(place.offset, |(offset, _)| place.offset + offset);
            let part_place = Place { offset, ty: ty.clone(), ..place.clone() };
            values.extend(self.initialiser(&part_place, part));
            next += 1;
        }
        if let Some((field, _)) =
            structure.fields.iter().zip(&given).find(|(_, given)| !**given).map(|(field, _)| field)
        {
            self.error(Code::INITIALISER, span, format!("the field `{field}` has no value"));
        }
        values
    }
}
