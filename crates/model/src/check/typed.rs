//! What the checker knows about an expression: its kind, the code for it, and whether evaluating it changes anything.

use crate::network::{ExprId, Place, ProcessRef, TemplateId, Type};
use crate::source::Span;
use std::fmt;

#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub kind: Kind,
    pub span: Span,
    /// Evaluating it writes a variable.
    pub writes: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Already reported; whatever is built from it is silent.
    Error,
    Void(ExprId),
    /// A number, a boolean, a scalar, a struct or an array.
    Value(Type, ExprId),
    /// A variable, also a clock or a channel.
    Place {
        place: Place,
        constant: bool,
    },
    /// `x + 2`, `x - y + i`
    Linear(Linear),
    Constraint(Class, ExprId),
    /// `x'`
    Rate(Place),
    Process(ProcessRef, TemplateId),
    /// A name of the system line with free parameters, without its arguments.
    Processes(usize),
}

/// `plus - minus + offset` with at least one clock.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    pub plus: Option<Place>,
    pub minus: Option<Place>,
    pub offset: Option<ExprId>,
}

/// How far a condition goes beyond integers; each class includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    Integral,
    Invariant,
    Guard,
    Constraint,
    /// Contains `x' == e`; allowed in invariants only.
    Rate,
}

impl Class {
    /// The class of a conjunction. Rates go only with what may stand in an invariant.
    pub fn and(self, other: Class) -> Class {
        let (low, high) = if self <= other { (self, other) } else { (other, self) };
        match (low, high) {
            (Class::Guard | Class::Constraint, Class::Rate) => Class::Constraint,
            _ => high,
        }
    }
}

impl Typed {
    pub fn error(span: Span) -> Typed {
        Typed { kind: Kind::Error, span, writes: false }
    }

    pub fn value(ty: Type, expr: ExprId, span: Span) -> Typed {
        Typed { kind: Kind::Value(ty, expr), span, writes: false }
    }

    pub fn writing(mut self, writes: bool) -> Typed {
        self.writes |= writes;
        self
    }

    pub fn is_error(&self) -> bool {
        matches!(self.kind, Kind::Error)
    }

    /// The type of a value or a variable.
    pub fn ty(&self) -> Option<&Type> {
        match &self.kind {
            Kind::Value(ty, _) => Some(ty),
            Kind::Place { place, .. } => Some(&place.ty),
            _ => None,
        }
    }
}

/// For messages: "a clock", "int[0,3]".
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Error => f.write_str("an error"),
            Kind::Void(_) => f.write_str("no value"),
            Kind::Value(ty, _) => write!(f, "`{ty}`"),
            Kind::Place { place, .. } => write!(f, "`{}`", place.ty),
            Kind::Linear(linear) if linear.plus.is_some() && linear.minus.is_some() => {
                f.write_str("a clock difference")
            }
            Kind::Linear(_) => f.write_str("a sum of a clock and a number"),
            Kind::Constraint(..) => f.write_str("a clock constraint"),
            Kind::Rate(_) => f.write_str("a clock rate"),
            Kind::Process(..) => f.write_str("a process"),
            Kind::Processes(_) => f.write_str("a set of processes"),
        }
    }
}
