//! Types as written become types with known sizes.

use super::Checker;
use super::constant::Size;
use super::scope::Symbol;
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::network::{ChannelKind, IndexType, Range, ScalarSet, Type};
use crate::source::Span;
use crate::syntax::ast;

/// A type with what its prefix says about the variable.
#[derive(Clone, Debug)]
pub(super) struct Qualified {
    pub ty: Type,
    pub constant: bool,
    pub meta: bool,
    /// Its ranges are written without names.
    pub fixed_range: bool,
}

impl Checker {
    /// `None` when there is no such type (reported).
    pub(super) fn resolve_type(&mut self, written: &ast::Type) -> Option<Qualified> {
        let prefix = written.prefix;
        let mut qualified =
            Qualified { ty: Type::Void, constant: prefix.is_const, meta: prefix.is_meta, fixed_range: true };
        qualified.ty = match &written.base {
            ast::BaseType::Named(name) => {
                let found = self.type_named(name)?;
                qualified.constant |= found.constant;
                qualified.meta |= found.meta;
                qualified.fixed_range = found.fixed_range;
                found.ty
            }
            ast::BaseType::Bool => Type::Bool,
            ast::BaseType::Int(None) if prefix.is_const => Type::Int(Range::FULL),
            ast::BaseType::Int(None) => Type::Int(Range::INT),
            ast::BaseType::Int(Some(bounds)) => {
                qualified.fixed_range = !names_something(&bounds.0) && !names_something(&bounds.1);
                Type::Int(self.range(&bounds.0, &bounds.1)?)
            }
            ast::BaseType::Double => Type::Double,
            ast::BaseType::String => Type::String,
            ast::BaseType::Channel => Type::Channel(ChannelKind::default()),
            ast::BaseType::Clock { hybrid } => Type::Clock { hybrid: *hybrid },
            ast::BaseType::Void => Type::Void,
            ast::BaseType::Scalar(size) => Type::Scalar(self.scalar_set(size)?),
            ast::BaseType::Struct(groups) => {
                let (ty, fixed_range) = self.struct_type(groups, written.span)?;
                qualified.fixed_range = fixed_range;
                ty
            }
        };
        if prefix.is_urgent || prefix.is_broadcast {
            qualified.ty = self.mark_channel(&qualified.ty, prefix, written.span)?;
        }
        Some(qualified)
    }

    fn mark_channel(&mut self, ty: &Type, prefix: ast::Prefix, span: Span) -> Option<Type> {
        match ty {
            Type::Channel(kind) => Some(Type::Channel(ChannelKind {
                urgent: kind.urgent || prefix.is_urgent,
                broadcast: kind.broadcast || prefix.is_broadcast,
            })),
            Type::Array(array) => {
                let element = self.mark_channel(&array.element, prefix, span)?;
                Type::array(array.index, element)
            }
            _ => {
                self.error(Code::TYPE, span, "only channels can be `urgent` or `broadcast`");
                None
            }
        }
    }

    fn type_named(&mut self, name: &ast::Ident) -> Option<super::scope::TypeSymbol> {
        match self.scopes.resolve(&name.name).map(|entry| entry.symbol.clone()) {
            Some(Symbol::Type(found)) => {
                if let Some(template) = &mut self.context.template {
                    template.relevant |= found.origins;
                }
                Some(found)
            }
            Some(Symbol::Broken) => None,
            _ if self.defining.contains(&name.name) => {
                let message = format!("the type `{}` contains itself", name.name);
                self.error(Code::RECURSION, name.span, message);
                None
            }
            Some(_) => {
                let message = format!("`{}` is not a type", name.name);
                self.error(Code::NOT_A_TYPE, name.span, message);
                None
            }
            None => {
                let message = format!("there is no type `{}`", name.name);
                self.report_unknown(Code::NOT_A_TYPE, name, message);
                None
            }
        }
    }

    /// An unknown name, with a guess at what was meant.
    pub(super) fn report_unknown(&mut self, code: Code, name: &ast::Ident, message: String) {
        let mut diagnostic = Diagnostic::new(code, name.span, message).label("not declared before this point");
        // A guess takes time with many names, and after many errors nobody wants one.
        if self.diagnostics.errors() < 20
            && let Some(similar) = self.scopes.similar(&name.name)
        {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        }
        self.report(diagnostic);
    }

    fn range(&mut self, lo: &ast::Expr, hi: &ast::Expr) -> Option<Range> {
        match (self.type_constant(lo), self.type_constant(hi)) {
            (Size::Reported, _) | (_, Size::Reported) => None,
            (Size::Known(lo), Size::Known(hi)) => Some(Range { lo, hi }),
            _ => Some(Range::FULL),
        }
    }

    fn scalar_set(&mut self, size: &ast::Expr) -> Option<ScalarSet> {
        self.scalar_sets += 1;
        let origin = self.scalar_sets;
        match self.sizing(|checker| checker.type_constant(size)) {
            Size::Known(n) if n >= 1 => Some(ScalarSet { origin, size: n as u32 }),
            Size::Known(n) => {
                self.error(Code::RANGE, size.span, format!("a scalar set needs at least one element, not {n}"));
                None
            }
            Size::Unknown => Some(ScalarSet { origin, size: 1 }),
            Size::Reported => None,
        }
    }

    fn struct_type(&mut self, groups: &[ast::FieldGroup], span: Span) -> Option<(Type, bool)> {
        let mut fields: Vec<(ast::Name, Type)> = Vec::new();
        let mut complete = true;
        let mut fixed_range = true;
        for group in groups {
            let Some(base) = self.resolve_type(&group.ty) else {
                complete = false;
                continue;
            };
            fixed_range &= base.fixed_range;
            for declarator in &group.names {
                let Some(ty) = self.dimensions(base.ty.clone(), &declarator.dimensions, declarator.name.span) else {
                    complete = false;
                    continue;
                };
                if let Some(part) = field_not_allowed(&ty) {
                    let message = format!("a struct cannot have a field of type `{part}`");
                    self.error(Code::TYPE_NOT_ALLOWED, declarator.name.span, message);
                } else if base.constant {
                    let message = "a field of a struct cannot be `const`; the whole struct can";
                    self.error(Code::TYPE_NOT_ALLOWED, declarator.name.span, message);
                } else if fields.iter().any(|(name, _)| *name == declarator.name.name) {
                    let message = format!("the field `{}` is declared twice", declarator.name.name);
                    self.error(Code::DUPLICATE, declarator.name.span, message);
                } else {
                    fields.push((declarator.name.name.clone(), ty));
                }
            }
        }
        if !complete {
            return None;
        }
        self.sized(Type::structure(fields), span).map(|ty| (ty, fixed_range))
    }

    /// The array type over a base type; `None` when there is none (reported).
    pub(super) fn dimensions(&mut self, base: Type, dimensions: &[ast::Dimension], span: Span) -> Option<Type> {
        let mut ty = base;
        for dimension in dimensions.iter().rev() {
            let index = self.index_type(dimension)?;
            ty = self.sized(Type::array(index, ty), span)?;
        }
        Some(ty)
    }

    fn sized(&mut self, ty: Option<Type>, span: Span) -> Option<Type> {
        if ty.is_none() {
            let message = format!("this is too large: a model may have {} variables in all", limits::CELLS);
            let help = format!(
                "each element and field counts; a type may have {} fields and dimensions, nested {} deep",
                limits::TYPE_PARTS,
                limits::NESTING
            );
            self.report(Diagnostic::new(Code::SIZE, span, message).help(help));
        }
        ty
    }

    fn index_type(&mut self, dimension: &ast::Dimension) -> Option<IndexType> {
        self.sizing(|checker| checker.unrestricted_index_type(dimension))
    }

    fn unrestricted_index_type(&mut self, dimension: &ast::Dimension) -> Option<IndexType> {
        let (ty, span) = match dimension {
            ast::Dimension::Index(written) => (self.resolve_type(written)?.ty, written.span),
            ast::Dimension::Size(size) => {
                if let ast::ExprKind::Name(name) = &size.kind
                    && let Some(Symbol::Type(_)) = self.scopes.resolve(&name.name).map(|entry| &entry.symbol)
                {
                    (self.type_named(name)?.ty, size.span)
                } else {
                    return match self.type_constant(size) {
                        Size::Known(n) if n >= 0 => Some(IndexType::Range(Range { lo: 0, hi: n - 1 })),
                        Size::Known(n) => {
                            self.error(Code::RANGE, size.span, format!("an array cannot have {n} elements"));
                            None
                        }
                        Size::Unknown => Some(IndexType::Unknown),
                        Size::Reported => None,
                    };
                }
            }
        };
        match ty {
            Type::Int(Range::FULL) if self.has_unknown_sizes() => Some(IndexType::Unknown),
            Type::Int(range) => Some(IndexType::Range(range)),
            Type::Bool => Some(IndexType::Range(Range::BIT)),
            Type::Scalar(set) => Some(IndexType::Scalar(set)),
            other => {
                let message = format!("an array is indexed by integers or scalars, not by `{other}`");
                self.error(Code::TYPE, span, message);
                None
            }
        }
    }

    /// The values that a select, quantifier or loop variable runs over; `None` when reported.
    pub(super) fn binder_type(&mut self, written: &ast::Type) -> Option<(Type, Range)> {
        let ty = self.resolve_type(written)?.ty;
        match &ty {
            Type::Int(_) | Type::Scalar(_) | Type::Bool => Some((ty.clone(), ty.range())),
            other => {
                let message = format!("a variable cannot run over `{other}`");
                let help = "use a bounded integer such as `int[0,3]`, or a scalar set";
                self.report(Diagnostic::new(Code::TYPE, written.span, message).help(help));
                None
            }
        }
    }

    /// Whether a value of one type can stand for one of the other: the rule for references, structs and arrays.
    pub(super) fn equivalent(&self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Int(a), Type::Int(b)) => {
                a == b || *a == Range::FULL || *b == Range::FULL || self.syntax == ast::Syntax::Old
            }
            (Type::Struct(a), Type::Struct(b)) => {
                std::sync::Arc::ptr_eq(a, b)
                    || a.fields.len() == b.fields.len()
                        && a.fields.iter().zip(&b.fields).all(|((n, s), (m, t))| n == m && self.equivalent(s, t))
            }
            (Type::Array(a), Type::Array(b)) => {
                let index = match (a.index, b.index) {
                    (IndexType::Unknown, _) | (_, IndexType::Unknown) => true,
                    (a, b) => a == b,
                };
                index && self.equivalent(&a.element, &b.element)
            }
            (Type::Clock { .. }, Type::Clock { .. }) => true,
            // A plain channel may stand for a broadcast or an urgent one, an urgent one only for an urgent one.
            (Type::Channel(_), Type::Channel(_)) => true,
            (a, b) => a == b,
        }
    }
}

fn names_something(expr: &ast::Expr) -> bool {
    let mut found = false;
    crate::syntax::walk::expr(expr, &mut |part| found |= matches!(part.kind, ast::ExprKind::Name(_)));
    found
}

/// The first part of a type that a struct must not contain.
fn field_not_allowed(ty: &Type) -> Option<Type> {
    match ty.innermost() {
        part @ (Type::Channel(_) | Type::String | Type::Void) => Some(part.clone()),
        _ => None,
    }
}
