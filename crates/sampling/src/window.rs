//! At which delays from now a condition holds, while every clock runs at its present rate.
//!
//! Clocks are linear in the delay, so a comparison of sums of clocks holds on one side of a moment,
//! and conditions built from such comparisons hold on a union of intervals. A condition that is not
//! of this form (a product of clocks, a function that reads clocks) has no window here: `None`, and
//! those who ask have to look at it moment by moment.

use super::condition::{Line, Parts};
use super::failure::Result;
use super::interval::{Interval, Set};
use super::machine::Machine;
use model::network::Relation;
use model::syntax::ast::BinaryOp;
use semantics::code::Programs;
use semantics::precise::{Precise, compare, tolerance};

/// What a condition is computed with: its code, and the rates of the clocks.
#[derive(Clone, Copy)]
pub struct Flow<'f, 'n> {
    pub programs: &'f Programs<'n>,
    pub rates: &'f [f64],
}

impl Machine<'_> {
    /// The delays at which a condition holds.
    pub fn window(&mut self, parts: &Parts, flow: Flow<'_, '_>) -> Result<Option<Set>> {
        if let Some(interval) = self.convex(parts, flow)? {
            return Ok(Some(Set::of(interval)));
        }
        match parts {
            Parts::And(left, right) => self.both(left, right, flow, Set::intersect),
            Parts::Or(left, right) => self.both(left, right, flow, Set::unite),
            Parts::Not(operand) => Ok(self.window(operand, flow)?.map(|set| set.complement())),
            Parts::Choice { condition, then, otherwise } => {
                let Some(when) = self.window(condition, flow)? else { return Ok(None) };
                let (Some(first), Some(second)) = (self.window(then, flow)?, self.window(otherwise, flow)?) else {
                    return Ok(None);
                };
                Ok(Some(when.intersect(&first).unite(&when.complement().intersect(&second))))
            }
            Parts::Each { forall, slot, range, body, span } => {
                let mut result = Set::of(Interval::of_truth(*forall));
                for value in range.lo..=range.hi {
                    self.tick(*span)?;
                    self.set_slot(*slot, value);
                    let Some(one) = self.window(body, flow)? else { return Ok(None) };
                    result = if *forall { result.intersect(&one) } else { result.unite(&one) };
                }
                Ok(Some(result))
            }
            Parts::Fixed(_) | Parts::Clocks { .. } | Parts::Compare { .. } | Parts::Unclear => {
                let Some((relation, value, slope, near)) = self.comparison(parts, flow)? else { return Ok(None) };
                Ok(Some(match relation {
                    Relation::Ne => Set::of(solve(Relation::Eq, value, slope, near)).complement(),
                    other => Set::of(solve(other, value, slope, near)),
                }))
            }
        }
    }

    fn both(
        &mut self,
        left: &Parts,
        right: &Parts,
        flow: Flow<'_, '_>,
        join: fn(&Set, &Set) -> Set,
    ) -> Result<Option<Set>> {
        let Some(first) = self.window(left, flow)? else { return Ok(None) };
        let Some(second) = self.window(right, flow)? else { return Ok(None) };
        Ok(Some(join(&first, &second)))
    }

    /// The same when it is a conjunction that needs no set: most guards and invariants are.
    pub fn convex(&mut self, parts: &Parts, flow: Flow<'_, '_>) -> Result<Option<Interval>> {
        match parts {
            Parts::Fixed(truth) => Ok(Some(Interval::of_truth(self.truth(flow.programs, *truth)?))),
            Parts::And(left, right) => {
                let Some(first) = self.convex(left, flow)? else { return Ok(None) };
                // What stands behind a false part is not evaluated.
                if first.is_empty() {
                    return Ok(Some(first));
                }
                Ok(self.convex(right, flow)?.map(|second| first.intersect(second)))
            }
            Parts::Or(left, right) => {
                let Parts::Fixed(truth) = **left else { return Ok(None) };
                if self.truth(flow.programs, truth)? { Ok(Some(Interval::ALL)) } else { self.convex(right, flow) }
            }
            Parts::Choice { condition, then, otherwise } => {
                let Parts::Fixed(truth) = **condition else { return Ok(None) };
                let chosen = if self.truth(flow.programs, truth)? { then } else { otherwise };
                self.convex(chosen, flow)
            }
            Parts::Each { forall: true, slot, range, body, span } => {
                let mut result = Interval::ALL;
                for value in range.lo..=range.hi {
                    self.tick(*span)?;
                    self.set_slot(*slot, value);
                    let Some(one) = self.convex(body, flow)? else { return Ok(None) };
                    result = result.intersect(one);
                }
                Ok(Some(result))
            }
            _ => Ok(match self.comparison(parts, flow)? {
                None | Some((Relation::Ne, ..)) => None,
                Some((relation, value, slope, near)) => Some(solve(relation, value, slope, near)),
            }),
        }
    }

    /// A comparison as `value + slope * delay ~ 0`, with the size of rounding errors.
    fn comparison(&mut self, parts: &Parts, flow: Flow<'_, '_>) -> Result<Option<(Relation, Precise, f64, f64)>> {
        match parts {
            Parts::Clocks { plus, minus, relation, bound } => {
                let (mut value, mut slope) = (Precise::ZERO, 0.0);
                if let Some(clock) = plus {
                    let clock = self.clock(flow.programs, *clock)?;
                    (value, slope) = (self.state.clocks[clock], flow.rates[clock]);
                }
                if let Some(clock) = minus {
                    let clock = self.clock(flow.programs, *clock)?;
                    (value, slope) = (value - self.state.clocks[clock], slope - flow.rates[clock]);
                }
                let bound = self.amount(flow.programs, *bound)?;
                Ok(Some((*relation, value + -bound, slope, tolerance(value.value(), bound))))
            }
            Parts::Compare { relation, left, right } => {
                let Some((left, first)) = self.line(left, flow)? else { return Ok(None) };
                let Some((right, second)) = self.line(right, flow)? else { return Ok(None) };
                Ok(Some((*relation, left - right, first - second, tolerance(left.value(), right.value()))))
            }
            _ => Ok(None),
        }
    }

    /// A number as its value now and its slope.
    pub fn line(&mut self, line: &Line, flow: Flow<'_, '_>) -> Result<Option<(Precise, f64)>> {
        match line {
            Line::Fixed(amount) => Ok(Some((Precise::from(self.amount(flow.programs, *amount)?), 0.0))),
            Line::Clock(clock) => {
                let clock = self.clock(flow.programs, *clock)?;
                Ok(Some((self.state.clocks[clock], flow.rates[clock])))
            }
            Line::Negate(operand) => Ok(self.line(operand, flow)?.map(|(value, slope)| (-value, -slope))),
            Line::Join(op, left, right) => {
                let Some((left, first)) = self.line(left, flow)? else { return Ok(None) };
                let Some((right, second)) = self.line(right, flow)? else { return Ok(None) };
                Ok(match op {
                    BinaryOp::Add => Some((left + right, first + second)),
                    BinaryOp::Sub => Some((left - right, first - second)),
                    BinaryOp::Mul if first == 0.0 => Some((right * left.value(), left.value() * second)),
                    BinaryOp::Mul if second == 0.0 => Some((left * right.value(), right.value() * first)),
                    BinaryOp::Div if second == 0.0 => Some((left / right.value(), first / right.value())),
                    _ => None,
                })
            }
            Line::Choice(condition, then, otherwise) => {
                let chosen = if self.truth(flow.programs, *condition)? { then } else { otherwise };
                self.line(chosen, flow)
            }
            Line::Unclear => Ok(None),
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
