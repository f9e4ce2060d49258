//! Floating-point expressions: they have no value, and are computed only for what they write.
//!
//! `d = f(e) * a[i++]` counts `i` up and does nothing else: `f` is not called when it writes nothing, and nobody looks
//! whether `i` is within `a`. The engines leave the same things out.

use super::{Interpreter, Result};
use model::network::*;

impl Interpreter<'_> {
    /// Whether an expression is a floating-point number. Its parts are known by their kind.
    pub(super) fn is_real(&self, id: ExprId) -> bool {
        let code = &self.network.code;
        match code.expr(id) {
            Expr::Double(_) | Expr::ClockValue(_) | Expr::ToDouble(_) | Expr::Negate(Number::Double, _) => true,
            Expr::Binary { op, number: Number::Double, .. } => !super::is_comparison(*op),
            Expr::Read(place) => place.ty == Type::Double,
            Expr::Assign { target, .. } => target.ty == Type::Double,
            Expr::Conditional { then, .. } => self.is_real(*then),
            Expr::Sequence(_, second) => self.is_real(*second),
            Expr::Call { function, .. } => code.function(*function).result == Type::Double,
            Expr::Builtin { function, .. } => function.result() == BuiltinResult::Double,
            Expr::Quantified { quantifier, number: Number::Double, .. } => {
                use model::syntax::ast::Quantifier::*;
                matches!(quantifier, Sum | Foreach)
            }
            _ => false,
        }
    }

    /// Whether computing it may change a variable.
    fn writes(&self, id: ExprId) -> bool {
        let code = &self.network.code;
        let itself = match code.expr(id) {
            Expr::Assign { .. } | Expr::SetClock { .. } | Expr::Step { .. } | Expr::Unsupported(_) => true,
            Expr::Call { function, arguments, .. } => {
                let function = code.function(*function);
                let mut parameters = function.parameters.iter().zip(arguments);
                function.writes
                    || parameters
                        .any(|(parameter, argument)| matches!(argument, Argument::Reference(_)) && !parameter.constant)
            }
            _ => false,
        };
        let mut writes = itself;
        code.expr(id).children(&mut |child| writes = writes || self.writes(child));
        writes
    }

    /// Computes an expression if that changes something.
    pub(super) fn effects(&mut self, id: ExprId) -> Result<()> {
        if self.writes(id) { self.value(id).map(|_| ()) } else { Ok(()) }
    }

    /// Computes what says where a place is, if that changes something.
    pub(super) fn place_effects(&mut self, place: &Place) -> Result<()> {
        let mut parts = Vec::new();
        place.exprs(&mut |id| parts.push(id));
        parts.into_iter().try_for_each(|id| self.effects(id))
    }

    /// Computes the parts of a floating-point number that change something.
    pub(super) fn real(&mut self, id: ExprId) -> Result<()> {
        let network = self.network;
        self.tick(1, network.code.span(id))?;
        match network.code.expr(id) {
            Expr::Assign { target, op, value } => self.assign(id, target, *op, *value).map(|_| ()),
            Expr::Conditional { condition, then, otherwise } if self.writes(id) => {
                let chosen = if self.truth(*condition)? { then } else { otherwise };
                self.value(*chosen).map(|_| ())
            }
            Expr::Sequence(first, second) => {
                self.value(*first)?;
                self.value(*second).map(|_| ())
            }
            Expr::Call { function, process, arguments } => {
                self.call(id, *function, process.as_ref(), arguments).map(|_| ())
            }
            expr => {
                let mut parts = Vec::new();
                expr.children(&mut |child| parts.push(child));
                parts.into_iter().try_for_each(|child| self.effects(child))
            }
        }
    }
}
