//! `-D NAME=VALUE`: another value for a global constant, before anything is computed from it.

use super::Checker;
use super::types::Qualified;
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{Expr, ExprId, Type};
use crate::syntax::ast;

#[derive(Clone, PartialEq, Debug)]
pub struct Override {
    pub name: String,
    pub value: OverrideValue,
    used: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum OverrideValue {
    Int(i32),
    Double(f64),
    Bool(bool),
}

impl Override {
    /// Reads `NAME=VALUE`.
    pub fn parse(text: &str) -> Result<Override, String> {
        let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form NAME=VALUE"))?;
        let (name, value) = (name.trim(), value.trim());
        let is_name = name.chars().next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            return Err(format!("`{name}` is not the name of a constant"));
        }
        let value = match value {
            "true" => OverrideValue::Bool(true),
            "false" => OverrideValue::Bool(false),
            _ => match (value.parse::<i32>(), value.parse::<f64>()) {
                (Ok(value), _) => OverrideValue::Int(value),
                (Err(_), Ok(value)) if value.is_finite() => OverrideValue::Double(value),
                _ => return Err(format!("`{value}` is not a number, `true` or `false`")),
            },
        };
        Ok(Override { name: name.to_owned(), value, used: false })
    }
}

impl Checker {
    pub(super) fn is_overridden(&self, name: &ast::Ident) -> bool {
        !self.in_template() && !self.in_function() && self.overrides.iter().any(|o| o.name == *name.name)
    }

    /// The value that the command line gives to a global constant.
    pub(super) fn override_of(&mut self, name: &ast::Ident, declared: &Qualified) -> Option<ExprId> {
        if !self.is_overridden(name) {
            return None;
        }
        let mut value = None;
        for given in self.overrides.iter_mut().filter(|given| given.name == *name.name) {
            given.used = true;
            value = Some(given.value);
        }
        if !declared.constant {
            let message =
                format!("-D {}: `{}` is a variable; only constants can be given another value", name.name, name.name);
            self.error(Code::OVERRIDE, name.span, message);
            return None;
        }
        let expr = match (&declared.ty, value?) {
            (Type::Int(range), OverrideValue::Int(value)) if !range.contains(value) => {
                let message = format!("-D {}: the value {value} is outside the range {range}", name.name);
                self.error(Code::OVERRIDE, name.span, message);
                return None;
            }
            (Type::Int(_), OverrideValue::Int(value)) => Expr::Int(value),
            (Type::Bool, OverrideValue::Bool(value)) => Expr::Int(i32::from(value)),
            (Type::Bool, OverrideValue::Int(value @ (0 | 1))) => Expr::Int(value),
            (Type::Double, OverrideValue::Double(value)) => Expr::Double(value),
            (Type::Double, OverrideValue::Int(value)) => Expr::Double(f64::from(value)),
            (ty, _) => {
                let message = format!("-D {}: the value does not fit the constant's type `{ty}`", name.name);
                self.error(Code::OVERRIDE, name.span, message);
                return None;
            }
        };
        Some(self.code(expr, name.span))
    }

    pub(super) fn report_unused_overrides(&mut self) {
        let unused: Vec<String> =
            self.overrides.iter().filter(|given| !given.used).map(|given| given.name.clone()).collect();
        for name in unused {
            let known: Vec<_> = self.network.global_constants.iter().map(|constant| constant.name.clone()).collect();
            let mut diagnostic = Diagnostic::new(
                Code::OVERRIDE,
                None,
                format!("-D {name}: the model has no global constant of that name"),
            );
            if let Some(similar) = super::scope::closest(&name, known.iter()) {
                diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
            } else if !known.is_empty() {
                let list = known.iter().take(12).map(|name| name.to_string()).collect::<Vec<_>>().join(", ");
                diagnostic = diagnostic.help(format!("the constants of this model: {list}"));
            }
            self.report(diagnostic);
        }
    }
}
