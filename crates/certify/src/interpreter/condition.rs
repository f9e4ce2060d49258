//! Conditions: guards, invariants and query predicates become formulas over clocks.

use super::{Interpreter, Result};
use crate::error::{ErrorKind, EvalError};
use crate::formula::{Atom, Formula};
use model::network::*;
use model::syntax::ast::Quantifier;

impl Interpreter<'_> {
    /// What is left of a condition when its discrete parts are evaluated.
    pub(crate) fn condition(&mut self, id: ExprId) -> Formula {
        self.try_condition(id).unwrap_or_else(Formula::Error)
    }

    fn try_condition(&mut self, id: ExprId) -> Result<Formula> {
        let network = self.network;
        Ok(match network.code.expr(id) {
            Expr::Not(operand) => self.condition(*operand).negate(),
            Expr::And(left, right) => match self.condition(*left) {
                Formula::False => Formula::False,
                left => Formula::all([left, self.condition(*right)]),
            },
            Expr::Or(left, right) => match self.condition(*left) {
                Formula::True => Formula::True,
                left => Formula::any([left, self.condition(*right)]),
            },
            Expr::Conditional { condition, then, otherwise } => match self.condition(*condition) {
                Formula::True => self.condition(*then),
                Formula::False => self.condition(*otherwise),
                test => {
                    let (then, otherwise) = (self.condition(*then), self.condition(*otherwise));
                    Formula::any([Formula::all([test.clone(), then]), Formula::all([test.negate(), otherwise])])
                }
            },
            Expr::Quantified {
                quantifier: quantifier @ (Quantifier::Forall | Quantifier::Exists),
                slot,
                range,
                body,
                ..
            } => self.quantified_condition(*quantifier, *slot, *range, *body),
            Expr::ClockConstraint(constraint) => {
                let span = network.code.span(id);
                let mut clock = |place: &Option<Place>| match place {
                    Some(place) => self.exact_clock(place, id).map(Some),
                    None => Ok(None),
                };
                let (plus, minus) = (clock(&constraint.plus)?, clock(&constraint.minus)?);
                self.tick(1, span)?;
                let bound = i64::from(self.int(constraint.bound)?);
                Formula::atom(Atom { plus, minus, relation: constraint.relation, bound })
            }
            Expr::Rate { clock, number, rate } => {
                if matches!(clock.ty, Type::Clock { hybrid: true }) {
                    return Ok(Formula::True);
                }
                if *number == Number::Double {
                    return self.error(ErrorKind::Unsupported, id, "a clock rate that is no integer");
                }
                Formula::Rate(self.exact_clock(clock, id)?, self.int(*rate)?)
            }
            Expr::Deadlock => Formula::Deadlock,
            _ => Formula::truth(self.int(id)? != 0),
        })
    }

    fn quantified_condition(&mut self, quantifier: Quantifier, slot: u32, range: Range, body: ExprId) -> Formula {
        let mut list = Vec::new();
        for value in range.lo..=range.hi {
            self.set_slot(slot, value);
            let formula = self.condition(body);
            let decided = match quantifier {
                Quantifier::Forall => formula == Formula::False,
                _ => formula == Formula::True,
            };
            let stop = decided || matches!(formula, Formula::Error(_));
            list.push(formula);
            if stop {
                break;
            }
        }
        match quantifier {
            Quantifier::Forall => Formula::all(list),
            _ => Formula::any(list),
        }
    }

    /// A clock that exact analysis knows the value of.
    fn exact_clock(&mut self, place: &Place, id: ExprId) -> Result<ClockId> {
        let span = self.network.code.span(id);
        let clock = self.clock(place, span)?;
        match self.network.clocks.get(clock.index()) {
            Some(found) if !found.hybrid => Ok(clock),
            _ => Err(EvalError::new(ErrorKind::Unsupported, Some(span), "a hybrid clock decides what the system does")),
        }
    }
}
