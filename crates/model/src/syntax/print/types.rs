//! Types, declarators and parameters.

use super::super::ast::*;
use super::list;
use std::fmt::{Display, Formatter, Result};

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Prefix { is_const, is_meta, is_urgent, is_broadcast } = self.prefix;
        let words = [(is_const, "const "), (is_meta, "meta "), (is_urgent, "urgent "), (is_broadcast, "broadcast ")];
        for (_, word) in words.iter().filter(|(present, _)| *present) {
            f.write_str(word)?;
        }
        self.base.fmt(f)
    }
}

impl Display for BaseType {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            BaseType::Named(name) => name.fmt(f),
            BaseType::Bool => f.write_str("bool"),
            BaseType::Int(None) => f.write_str("int"),
            BaseType::Int(Some(range)) => write!(f, "int[{}, {}]", range.0, range.1),
            BaseType::Double => f.write_str("double"),
            BaseType::String => f.write_str("string"),
            BaseType::Channel => f.write_str("chan"),
            BaseType::Clock { hybrid: false } => f.write_str("clock"),
            BaseType::Clock { hybrid: true } => f.write_str("hybrid clock"),
            BaseType::Void => f.write_str("void"),
            BaseType::Scalar(size) => write!(f, "scalar[{size}]"),
            BaseType::Struct(fields) => {
                f.write_str("struct { ")?;
                for field in fields {
                    write!(f, "{} ", field.ty)?;
                    list(f, &field.names)?;
                    f.write_str("; ")?;
                }
                f.write_str("}")
            }
        }
    }
}

impl Display for Declarator {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.name.fmt(f)?;
        self.dimensions.iter().try_for_each(|dimension| dimension.fmt(f))?;
        match &self.initialiser {
            Some(initialiser) => write!(f, " = {initialiser}"),
            None => Ok(()),
        }
    }
}

impl Display for Dimension {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Dimension::Size(size) => write!(f, "[{size}]"),
            Dimension::Index(ty) => write!(f, "[{ty}]"),
        }
    }
}

impl Display for Initialiser {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let fields = match self {
            Initialiser::Expr(expr) => return expr.fmt(f),
            Initialiser::List { fields, .. } => fields,
        };
        f.write_str("{ ")?;
        for (index, (name, value)) in fields.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            if let Some(name) = name {
                write!(f, "{name}: ")?;
            }
            value.fmt(f)?;
        }
        f.write_str(" }")
    }
}

impl Display for Variables {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} ", self.ty)?;
        list(f, &self.declarators)?;
        f.write_str(";")
    }
}

impl Display for Parameter {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} {}{}", self.ty, if self.by_reference { "&" } else { "" }, self.name)?;
        self.dimensions.iter().try_for_each(|dimension| dimension.fmt(f))
    }
}
