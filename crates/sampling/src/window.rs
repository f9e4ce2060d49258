//! At which delays from now a condition holds, while every clock runs at its present rate.
//!
//! Clocks are linear in the delay, so a comparison of sums of clocks holds on one side of a moment, and conditions built
//! from such comparisons hold on a union of intervals. A condition that is not of this form (a product of clocks, a function
//! that reads clocks) has no window here: `None`, and those who ask have to look at it moment by moment.

use super::failure::Result;
use super::interval::{Interval, Set, tolerance};
use super::machine::{Machine, compare, relation};
use super::precise::Precise;
use model::network::{Expr, ExprId, Number, Relation};
use model::syntax::ast::{BinaryOp, Quantifier};

impl Machine<'_> {
    /// The delays at which a condition holds.
    pub fn window(&mut self, id: ExprId, rates: &[f64]) -> Result<Option<Set>> {
        if !self.facts.timed(id) {
            return Ok(Some(Set::of(Interval::of_truth(self.truth(id)?))));
        }
        if let Some(interval) = self.convex(id, rates)? {
            return Ok(Some(Set::of(interval)));
        }
        let code = self.code();
        match code.expr(id) {
            Expr::And(left, right) => self.both(*left, *right, rates, Set::intersect),
            Expr::Or(left, right) => self.both(*left, *right, rates, Set::unite),
            Expr::Not(operand) => Ok(self.window(*operand, rates)?.map(|set| set.complement())),
            Expr::Conditional { condition, then, otherwise } => {
                let Some(when) = self.window(*condition, rates)? else { return Ok(None) };
                let (Some(first), Some(second)) = (self.window(*then, rates)?, self.window(*otherwise, rates)?) else {
                    return Ok(None);
                };
                Ok(Some(when.intersect(&first).unite(&when.complement().intersect(&second))))
            }
            Expr::Quantified { quantifier, slot, range, body, .. } => {
                let all = match quantifier {
                    Quantifier::Forall => true,
                    Quantifier::Exists => false,
                    Quantifier::Sum | Quantifier::Foreach => return Ok(None),
                };
                let mut result = Set::of(Interval::of_truth(all));
                for value in range.lo..=range.hi {
                    self.tick(*body)?;
                    self.frames.set_slot(*slot, value);
                    let Some(one) = self.window(*body, rates)? else { return Ok(None) };
                    result = if all { result.intersect(&one) } else { result.unite(&one) };
                }
                Ok(Some(result))
            }
            _ => {
                let Some((relation, value, slope, near)) = self.comparison(id, rates)? else { return Ok(None) };
                Ok(Some(match relation {
                    Relation::Ne => Set::of(solve(Relation::Eq, value, slope, near)).complement(),
                    other => Set::of(solve(other, value, slope, near)),
                }))
            }
        }
    }

    fn both(&mut self, left: ExprId, right: ExprId, rates: &[f64], join: fn(&Set, &Set) -> Set) -> Result<Option<Set>> {
        let Some(first) = self.window(left, rates)? else { return Ok(None) };
        let Some(second) = self.window(right, rates)? else { return Ok(None) };
        Ok(Some(join(&first, &second)))
    }

    /// The same when it is a conjunction that needs no set: most guards and invariants are.
    pub fn convex(&mut self, id: ExprId, rates: &[f64]) -> Result<Option<Interval>> {
        if !self.facts.timed(id) {
            return Ok(Some(Interval::of_truth(self.truth(id)?)));
        }
        let code = self.code();
        match code.expr(id) {
            Expr::And(left, right) => {
                let Some(first) = self.convex(*left, rates)? else { return Ok(None) };
                // What stands behind a false part is not evaluated.
                if first.is_empty() {
                    return Ok(Some(first));
                }
                Ok(self.convex(*right, rates)?.map(|second| first.intersect(second)))
            }
            Expr::Or(left, right) if !self.facts.timed(*left) => {
                if self.truth(*left)? {
                    Ok(Some(Interval::ALL))
                } else {
                    self.convex(*right, rates)
                }
            }
            Expr::Conditional { condition, then, otherwise } if !self.facts.timed(*condition) => {
                let chosen = if self.truth(*condition)? { *then } else { *otherwise };
                self.convex(chosen, rates)
            }
            Expr::Quantified { quantifier: Quantifier::Forall, slot, range, body, .. } => {
                let mut result = Interval::ALL;
                for value in range.lo..=range.hi {
                    self.tick(*body)?;
                    self.frames.set_slot(*slot, value);
                    let Some(one) = self.convex(*body, rates)? else { return Ok(None) };
                    result = result.intersect(one);
                }
                Ok(Some(result))
            }
            _ => Ok(match self.comparison(id, rates)? {
                None | Some((Relation::Ne, ..)) => None,
                Some((relation, value, slope, near)) => Some(solve(relation, value, slope, near)),
            }),
        }
    }

    /// A comparison as `value + slope * delay ~ 0`, with the size of rounding errors.
    fn comparison(&mut self, id: ExprId, rates: &[f64]) -> Result<Option<(Relation, Precise, f64, f64)>> {
        let code = self.code();
        match code.expr(id) {
            Expr::ClockConstraint(constraint) => {
                let (mut value, mut slope) = (Precise::ZERO, 0.0);
                if let Some(place) = &constraint.plus {
                    let clock = self.clock_index(place, id)?;
                    (value, slope) = (self.state.clocks[clock], rates[clock]);
                }
                if let Some(place) = &constraint.minus {
                    let clock = self.clock_index(place, id)?;
                    (value, slope) = (value - self.state.clocks[clock], slope - rates[clock]);
                }
                let bound = f64::from(self.int(constraint.bound)?);
                Ok(Some((constraint.relation, value + -bound, slope, tolerance(value.value(), bound))))
            }
            Expr::Binary { op, number: Number::Double, left, right } => {
                let Some(relation) = relation(*op) else { return Ok(None) };
                let Some((left, first)) = self.line(*left, rates)? else { return Ok(None) };
                let Some((right, second)) = self.line(*right, rates)? else { return Ok(None) };
                Ok(Some((relation, left - right, first - second, tolerance(left.value(), right.value()))))
            }
            _ => Ok(None),
        }
    }

    /// A number as its value now and its slope.
    pub fn line(&mut self, id: ExprId, rates: &[f64]) -> Result<Option<(Precise, f64)>> {
        if !self.facts.timed(id) {
            return Ok(Some((Precise::from(self.double(id)?), 0.0)));
        }
        let code = self.code();
        match code.expr(id) {
            Expr::ClockValue(place) => {
                let clock = self.clock_index(place, id)?;
                Ok(Some((self.state.clocks[clock], rates[clock])))
            }
            Expr::Negate(Number::Double, operand) => {
                Ok(self.line(*operand, rates)?.map(|(value, slope)| (-value, -slope)))
            }
            Expr::Binary { op, number: Number::Double, left, right } => {
                let Some((left, first)) = self.line(*left, rates)? else { return Ok(None) };
                let Some((right, second)) = self.line(*right, rates)? else { return Ok(None) };
                Ok(match op {
                    BinaryOp::Add => Some((left + right, first + second)),
                    BinaryOp::Sub => Some((left - right, first - second)),
                    BinaryOp::Mul if first == 0.0 => Some((right * left.value(), left.value() * second)),
                    BinaryOp::Mul if second == 0.0 => Some((left * right.value(), right.value() * first)),
                    BinaryOp::Div if second == 0.0 => Some((left / right.value(), first / right.value())),
                    _ => None,
                })
            }
            Expr::Conditional { condition, then, otherwise } if !self.facts.timed(*condition) => {
                let chosen = if self.truth(*condition)? { *then } else { *otherwise };
                self.line(chosen, rates)
            }
            _ => Ok(None),
        }
    }

    /// A number as it is now, with sums of clocks that no double is rounded into: what stands beside a comparison.
    pub(super) fn precise(&mut self, id: ExprId) -> Result<Precise> {
        if !self.facts.timed(id) {
            return self.double(id).map(Precise::from);
        }
        let code = self.code();
        match code.expr(id) {
            Expr::ClockValue(place) => self.clock_value(place, id),
            Expr::Negate(Number::Double, operand) => Ok(-self.precise(*operand)?),
            Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), number: Number::Double, left, right } => {
                let (left, right) = (self.precise(*left)?, self.precise(*right)?);
                Ok(if *op == BinaryOp::Add { left + right } else { left - right })
            }
            Expr::Binary { op: BinaryOp::Mul, number: Number::Double, left, right } if !self.facts.timed(*right) => {
                let left = self.precise(*left)?;
                Ok(left * self.double(*right)?)
            }
            Expr::Binary { op: BinaryOp::Mul, number: Number::Double, left, right } => {
                let left = self.double(*left)?;
                Ok(self.precise(*right)? * left)
            }
            Expr::Binary { op: BinaryOp::Div, number: Number::Double, left, right } => {
                let left = self.precise(*left)?;
                Ok(left / self.double(*right)?)
            }
            Expr::Conditional { condition, then, otherwise } => {
                let chosen = if self.truth(*condition)? { *then } else { *otherwise };
                self.precise(chosen)
            }
            _ => self.double(id).map(Precise::from),
        }
    }
}

/// Where `value + slope * delay ~ 0` holds; `Ne` is not asked for.
fn solve(relation: Relation, value: Precise, slope: f64, near: f64) -> Interval {
    let is_near = value.value().abs() <= near;
    if slope == 0.0 {
        // `value` is the difference already, so its tolerance is that of its parts.
        let value = if is_near { Precise::ZERO } else { value };
        return Interval::of_truth(compare(value, relation, Precise::ZERO));
    }
    let at = if is_near { Precise::ZERO } else { -value / slope };
    let rising = slope > 0.0;
    let (above, open) = match relation {
        Relation::Ge => (true, false),
        Relation::Gt => (true, true),
        Relation::Le => (false, false),
        Relation::Lt => (false, true),
        Relation::Eq | Relation::Ne => return Interval { lo: at, hi: at, lo_open: false, hi_open: false },
    };
    if above == rising {
        Interval { lo: at, lo_open: open, ..Interval::ALL }
    } else {
        Interval { hi: at, hi_open: open, ..Interval::ALL }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(relation: Relation, value: f64, slope: f64, near: f64) -> Interval {
        solve(relation, Precise::from(value), slope, near)
    }

    #[test]
    fn comparisons_hold_on_one_side() {
        // x - 5 where x = 2 runs at 1, then backwards, then stands still.
        assert_eq!(solved(Relation::Ge, -3.0, 1.0, 1e-9), Interval { lo: Precise::from(3.0), ..Interval::ALL });
        assert_eq!(
            solved(Relation::Lt, -3.0, 1.0, 1e-9),
            Interval { hi: Precise::from(3.0), hi_open: true, ..Interval::ALL }
        );
        assert_eq!(solved(Relation::Ge, -3.0, -1.0, 1e-9), Interval { hi: Precise::from(-3.0), ..Interval::ALL });
        assert_eq!(solved(Relation::Eq, -3.0, 2.0, 1e-9).lo, Precise::from(1.5));
        assert!(solved(Relation::Ge, -3.0, 0.0, 1e-9).is_empty());
        assert_eq!(solved(Relation::Le, 1e-12, 0.0, 1e-9), Interval::ALL);
    }
}
