//! Expressions that are run for what they do: updates and statements.
//!
//! A condition on clocks may stand there although nothing comes of it. Its bound is evaluated, because it may write or fail; whether
//! the condition holds is not asked. Where clocks would decide which parts are evaluated nothing may be written.

use super::{Interpreter, Result};
use crate::error::ErrorKind;
use model::network::*;

impl Interpreter<'_> {
    pub(crate) fn effect(&mut self, id: ExprId) -> Result<()> {
        let network = self.network;
        match network.code.expr(id) {
            Expr::Assign { .. } | Expr::SetClock { .. } | Expr::Step { .. } | Expr::Call { .. } => {
                self.value(id)?;
            }
            Expr::Sequence(first, second) => {
                self.effect(*first)?;
                self.effect(*second)?;
            }
            Expr::ClockConstraint(_) => {
                self.tick(1, network.code.span(id))?;
                let mut parts = Vec::new();
                network.code.expr(id).children(&mut |part| parts.push(part));
                for part in parts {
                    self.effect(part)?;
                }
            }
            Expr::Conditional { condition, then, otherwise } if self.may_write(id) => {
                let chosen = if self.truth(*condition)? { then } else { otherwise };
                self.effect(*chosen)?;
            }
            Expr::Not(operand) if self.asks_clocks(id) => self.effect(*operand)?,
            _ if !self.asks_clocks(id) => {
                self.value(id)?;
            }
            _ if self.may_write(id) => {
                return self.error(ErrorKind::Unsupported, id, "a condition on clocks decides what is written");
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a condition on clocks stands in it, outside of functions.
    fn asks_clocks(&self, id: ExprId) -> bool {
        self.any(id, |expr| matches!(expr, Expr::ClockConstraint(_) | Expr::Rate { .. } | Expr::Deadlock))
    }

    fn may_write(&self, id: ExprId) -> bool {
        let by_reference = |argument: &Argument| matches!(argument, Argument::Reference(_));
        self.any(id, |expr| match expr {
            Expr::Assign { .. } | Expr::SetClock { .. } | Expr::Step { .. } | Expr::Unsupported(_) => true,
            Expr::Call { function, arguments, .. } => {
                self.network.code.function(*function).writes || arguments.iter().any(by_reference)
            }
            _ => false,
        })
    }

    fn any(&self, id: ExprId, is: impl Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.network.code.walk_outside_functions(vec![id], &mut |_, expr| found |= is(expr));
        found
    }
}
