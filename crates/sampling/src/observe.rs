//! What is looked at along a run: a path formula, the extremum of a number, or curves of numbers.
//!
//! Clocks move during a delay, so a formula is tested and a number is observed over the whole delay, not only where it
//! starts. For comparisons of sums of clocks this is exact; anything else is looked at in small steps of time.

use super::facts::Facts;
use super::failure::Result;
use super::interval::Set;
use super::machine::{Machine, relation};
use super::precise::Precise;
use super::run::{Moment, Observer};
use model::check::{ResolvedMeasure, ResolvedPath};
use model::network::{Code, Expr, ExprId, Number};
use model::syntax::ast::{BinaryOp, Quantifier};
use model::syntax::query::Extremum;

/// Does the formula hold on the run?
pub struct PathObserver<'q> {
    path: &'q ResolvedPath,
    measure: &'q ResolvedMeasure,
    small: bool,
    pub holds: bool,
    /// Time, steps or clock value at which the answer was clear.
    pub decided_at: f64,
}

impl<'q> PathObserver<'q> {
    pub fn new(code: &Code, facts: &Facts, path: &'q ResolvedPath, measure: &'q ResolvedMeasure) -> PathObserver<'q> {
        let straight = match path {
            ResolvedPath::Eventually(p) | ResolvedPath::Globally(p) => is_straight(code, facts, *p),
            ResolvedPath::Until(p, q) => is_straight(code, facts, *p) && is_straight(code, facts, *q),
        };
        let holds = matches!(path, ResolvedPath::Globally(_));
        PathObserver { path, measure, small: !straight, holds, decided_at: 0.0 }
    }

    fn decide(&mut self, moment: &mut Moment<'_, '_>, holds: bool, delay: Precise) -> Result<bool> {
        self.holds = holds;
        self.decided_at = measured(moment, self.measure, delay)?;
        Ok(true)
    }
}

impl Observer for PathObserver<'_> {
    fn stretch(&mut self, moment: &mut Moment<'_, '_>, length: Precise) -> Result<bool> {
        match self.path {
            ResolvedPath::Eventually(goal) => match first(moment, *goal, true, length)? {
                Some(delay) => self.decide(moment, true, delay),
                None => Ok(false),
            },
            ResolvedPath::Globally(always) => match first(moment, *always, false, length)? {
                Some(delay) => self.decide(moment, false, delay),
                None => Ok(false),
            },
            ResolvedPath::Until(keep, goal) => {
                let goal = first(moment, *goal, true, length)?;
                let broken = first(moment, *keep, false, length)?;
                match (goal, broken) {
                    (Some(goal), None) => self.decide(moment, true, goal),
                    (Some(goal), Some(broken)) => self.decide(moment, goal <= broken, goal.min(broken)),
                    (None, Some(broken)) => self.decide(moment, false, broken),
                    (None, None) => Ok(false),
                }
            }
        }
    }

    fn wants_small_steps(&self) -> bool {
        self.small
    }
}

/// The first delay at which a condition has the wanted value; one that has no window is looked at now and at the end.
fn first(moment: &mut Moment<'_, '_>, id: ExprId, wanted: bool, length: Precise) -> Result<Option<Precise>> {
    let machine = &mut *moment.machine;
    if !machine.facts.timed(id) {
        return Ok((machine.truth(id)? == wanted).then_some(Precise::ZERO));
    }
    if let (true, Some(interval)) = (wanted, machine.convex(id, moment.rates)?) {
        return Ok(interval.first_within(length));
    }
    Ok(match machine.window(id, moment.rates)? {
        Some(set) if wanted => set.first_within(length),
        Some(set) => Set::complement(&set).first_within(length),
        None if machine.truth(id)? == wanted => Some(Precise::ZERO),
        None => later(moment, length, |machine| machine.truth(id))?.filter(|truth| *truth == wanted).map(|_| length),
    })
}

/// What something is at the end of a stretch; `None` when the stretch has no end, or is none.
fn later<T>(
    moment: &mut Moment<'_, '_>,
    length: Precise,
    look: impl FnOnce(&mut Machine<'_>) -> Result<T>,
) -> Result<Option<T>> {
    if length <= Precise::ZERO || !length.is_finite() {
        return Ok(None);
    }
    let before = moment.machine.state.clocks.clone();
    for (clock, rate) in moment.machine.state.clocks.iter_mut().zip(moment.rates) {
        *clock += length * *rate;
    }
    let seen = look(moment.machine);
    moment.machine.state.clocks = before;
    seen.map(Some)
}

/// How far a run has come.
fn measured(moment: &mut Moment<'_, '_>, measure: &ResolvedMeasure, delay: Precise) -> Result<f64> {
    Ok(match measure {
        ResolvedMeasure::Time => (moment.now + delay).value(),
        ResolvedMeasure::Steps => moment.steps as f64,
        ResolvedMeasure::Clock(place) => {
            let clock = moment.machine.clock_index(place, ExprId::new(0))?;
            (moment.machine.state.clocks[clock] + delay * moment.rates[clock]).value()
        }
    })
}

/// The least or the greatest value of a number along the run.
pub struct ExtremumObserver {
    kind: Extremum,
    number: Number,
    expression: ExprId,
    small: bool,
    pub value: f64,
}

impl ExtremumObserver {
    pub fn new(code: &Code, facts: &Facts, kind: Extremum, number: Number, expression: ExprId) -> ExtremumObserver {
        let value = if kind == Extremum::Inf { f64::INFINITY } else { f64::NEG_INFINITY };
        let small = !is_line(code, facts, expression);
        ExtremumObserver { kind, number, expression, small, value }
    }
}

impl Observer for ExtremumObserver {
    fn stretch(&mut self, moment: &mut Moment<'_, '_>, length: Precise) -> Result<bool> {
        let (start, end) = ends(moment, self.number, self.expression, length)?;
        self.value = match self.kind {
            Extremum::Inf => self.value.min(start).min(end),
            _ => self.value.max(start).max(end),
        };
        Ok(false)
    }

    fn wants_small_steps(&self) -> bool {
        self.small
    }
}

/// The values of a number where a stretch starts and where it ends.
fn ends(moment: &mut Moment<'_, '_>, number: Number, id: ExprId, length: Precise) -> Result<(f64, f64)> {
    let machine = &mut *moment.machine;
    let start = machine.number(number, id)?;
    if !machine.facts.timed(id) {
        return Ok((start, start));
    }
    Ok(match machine.line(id, moment.rates)? {
        Some((_, 0.0)) => (start, start),
        Some((value, slope)) if number == Number::Double => (start, (value + length * slope).value()),
        _ => (start, later(moment, length, |machine| machine.number(number, id))?.unwrap_or(start)),
    })
}

/// Points of a curve, in order; two with the same first coordinate are a jump.
pub type Curve = Vec<(f64, f64)>;

/// Points that the curves of one run may have together.
const POINTS: usize = 1 << 22;

/// Values of numbers over time, and whether a condition held at some moment.
pub struct CurveObserver<'q> {
    expressions: &'q [(Number, ExprId)],
    filter: Option<ExprId>,
    measure: &'q ResolvedMeasure,
    small: bool,
    points: usize,
    pub curves: Vec<Curve>,
    pub holds: bool,
    /// There were too many points to keep them all.
    pub cut: bool,
}

impl<'q> CurveObserver<'q> {
    pub fn new(
        code: &Code,
        facts: &Facts,
        expressions: &'q [(Number, ExprId)],
        filter: Option<ExprId>,
        measure: &'q ResolvedMeasure,
    ) -> CurveObserver<'q> {
        let straight = expressions.iter().all(|(_, id)| is_line(code, facts, *id))
            && filter.is_none_or(|filter| is_straight(code, facts, filter));
        CurveObserver {
            expressions,
            filter,
            measure,
            small: !straight,
            points: 0,
            curves: vec![Curve::new(); expressions.len()],
            holds: filter.is_none(),
            cut: false,
        }
    }
}

impl Observer for CurveObserver<'_> {
    fn stretch(&mut self, moment: &mut Moment<'_, '_>, length: Precise) -> Result<bool> {
        // The axis of a curve is time, or the clock that bounds the run.
        let axis = match self.measure {
            ResolvedMeasure::Clock(_) => self.measure,
            ResolvedMeasure::Time | ResolvedMeasure::Steps => &ResolvedMeasure::Time,
        };
        // A run that idles for ever has no end to draw.
        let length = if length.is_finite() { length } else { Precise::ZERO };
        let (from, to) = (measured(moment, axis, Precise::ZERO)?, measured(moment, axis, length)?);
        for ((number, id), curve) in self.expressions.iter().zip(&mut self.curves) {
            let (start, end) = ends(moment, *number, *id, length)?;
            let before = curve.len();
            if self.points < POINTS {
                extend(curve, (from, start));
                extend(curve, (to, end));
            } else {
                self.cut = true;
            }
            self.points += curve.len() - before;
        }
        if let (false, Some(filter)) = (self.holds, self.filter) {
            self.holds = first(moment, filter, true, length)?.is_some();
        }
        Ok(false)
    }

    fn wants_small_steps(&self) -> bool {
        self.small
    }
}

/// Adds a point; the middle one of three on a level is left out.
fn extend(curve: &mut Curve, point: (f64, f64)) {
    if curve.last() == Some(&point) {
        return;
    }
    if let [.., first, second] = curve.as_mut_slice()
        && first.1 == second.1
        && second.1 == point.1
    {
        *second = point;
        return;
    }
    curve.push(point);
}

/// Whether a condition has a window in every state: it compares sums of clocks.
fn is_straight(code: &Code, facts: &Facts, id: ExprId) -> bool {
    let of = |id: &ExprId| is_straight(code, facts, *id);
    !facts.timed(id)
        || match code.expr(id) {
            Expr::And(left, right) | Expr::Or(left, right) => of(left) && of(right),
            Expr::Not(operand) => of(operand),
            Expr::ClockConstraint(_) => true,
            Expr::Conditional { condition, then, otherwise } => of(condition) && of(then) && of(otherwise),
            Expr::Quantified { quantifier: Quantifier::Forall | Quantifier::Exists, body, .. } => of(body),
            Expr::Binary { op, number: Number::Double, left, right } if relation(*op).is_some() => {
                is_line(code, facts, *left) && is_line(code, facts, *right)
            }
            _ => false,
        }
}

/// Whether a number is a sum of clocks with constant factors.
fn is_line(code: &Code, facts: &Facts, id: ExprId) -> bool {
    let of = |id: &ExprId| is_line(code, facts, *id);
    !facts.timed(id)
        || match code.expr(id) {
            Expr::ClockValue(_) => true,
            Expr::Negate(Number::Double, operand) => of(operand),
            Expr::Conditional { condition, then, otherwise } => !facts.timed(*condition) && of(then) && of(otherwise),
            Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub, number: Number::Double, left, right } => {
                of(left) && of(right)
            }
            Expr::Binary { op: BinaryOp::Mul, number: Number::Double, left, right } => {
                of(left) && of(right) && (!facts.timed(*left) || !facts.timed(*right))
            }
            Expr::Binary { op: BinaryOp::Div, number: Number::Double, left, right } => of(left) && !facts.timed(*right),
            _ => false,
        }
}
