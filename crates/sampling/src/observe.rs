//! What is looked at along a run: a path formula, the extremum of a number, or curves of numbers.
//!
//! Clocks move during a delay, so a formula is tested and a number is observed over the whole
//! delay, not only where it starts. For comparisons of sums of clocks this is exact; anything else
//! is looked at in small steps of time.

use super::condition::Condition;
use super::failure::Result;
use super::interval::Set;
use super::machine::Machine;
use super::question::{Formula, Measure, Observed};
use super::run::{Moment, Observer};
use super::window::Flow;
use model::network::Number;
use model::syntax::query::Extremum;
use semantics::precise::Precise;

/// Does the formula hold on the run?
pub struct PathObserver<'q> {
    formula: &'q Formula,
    measure: &'q Measure,
    small: bool,
    pub holds: bool,
    /// Time, steps or clock value at which the answer was clear.
    pub decided_at: f64,
}

impl<'q> PathObserver<'q> {
    /// `small` is whether the formula has to be looked at in small steps.
    pub fn new(formula: &'q Formula, measure: &'q Measure, small: bool) -> PathObserver<'q> {
        let holds = matches!(formula, Formula::Globally(_));
        PathObserver { formula, measure, small, holds, decided_at: 0.0 }
    }

    fn decide(&mut self, moment: &mut Moment<'_, '_>, holds: bool, delay: Precise) -> Result<bool> {
        self.holds = holds;
        self.decided_at = measured(moment, self.measure, delay)?;
        Ok(true)
    }
}

impl Observer for PathObserver<'_> {
    fn stretch(&mut self, moment: &mut Moment<'_, '_>, length: Precise) -> Result<bool> {
        match self.formula {
            Formula::Eventually(goal) => match first(moment, goal, true, length)? {
                Some(delay) => self.decide(moment, true, delay),
                None => Ok(false),
            },
            Formula::Globally(always) => match first(moment, always, false, length)? {
                Some(delay) => self.decide(moment, false, delay),
                None => Ok(false),
            },
            Formula::Until(keep, goal) => {
                let goal = first(moment, goal, true, length)?;
                let broken = first(moment, keep, false, length)?;
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

/// The first delay at which a condition has the wanted value; one that has no window is looked at
/// now and at the end.
fn first(moment: &mut Moment<'_, '_>, condition: &Condition, wanted: bool, length: Precise) -> Result<Option<Precise>> {
    let (machine, programs) = (&mut *moment.machine, moment.programs);
    if condition.is_fixed() {
        return Ok((machine.truth(programs, condition.truth)? == wanted).then_some(Precise::ZERO));
    }
    let flow = Flow { programs, rates: moment.rates };
    if let (true, Some(interval)) = (wanted, machine.convex(&condition.parts, flow)?) {
        return Ok(interval.first_within(length));
    }
    Ok(match machine.window(&condition.parts, flow)? {
        Some(set) if wanted => set.first_within(length),
        Some(set) => Set::complement(&set).first_within(length),
        None if machine.truth(programs, condition.truth)? == wanted => Some(Precise::ZERO),
        None => {
            let truth = later(moment, length, |machine| machine.truth(programs, condition.truth))?;
            truth.filter(|truth| *truth == wanted).map(|_| length)
        }
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
fn measured(moment: &mut Moment<'_, '_>, measure: &Measure, delay: Precise) -> Result<f64> {
    Ok(match measure {
        Measure::Time => (moment.now + delay).value(),
        Measure::Steps => moment.steps as f64,
        Measure::Clock(clock) => {
            let clock = moment.machine.clock(moment.programs, *clock)?;
            (moment.machine.state.clocks[clock] + delay * moment.rates[clock]).value()
        }
    })
}

/// The least or the greatest value of a number along the run.
pub struct ExtremumObserver<'q> {
    kind: Extremum,
    observed: &'q Observed,
    small: bool,
    pub value: f64,
}

impl<'q> ExtremumObserver<'q> {
    pub fn new(kind: Extremum, observed: &'q Observed, small: bool) -> ExtremumObserver<'q> {
        let value = if kind == Extremum::Inf { f64::INFINITY } else { f64::NEG_INFINITY };
        ExtremumObserver { kind, observed, small, value }
    }
}

impl Observer for ExtremumObserver<'_> {
    fn stretch(&mut self, moment: &mut Moment<'_, '_>, length: Precise) -> Result<bool> {
        let (start, end) = ends(moment, self.observed, length)?;
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
fn ends(moment: &mut Moment<'_, '_>, observed: &Observed, length: Precise) -> Result<(f64, f64)> {
    let (machine, programs) = (&mut *moment.machine, moment.programs);
    let start = machine.amount(programs, observed.value)?;
    let Some(line) = &observed.line else { return Ok((start, start)) };
    Ok(match machine.line(line, Flow { programs, rates: moment.rates })? {
        Some((_, 0.0)) => (start, start),
        Some((value, slope)) if observed.number == Number::Double => (start, (value + length * slope).value()),
        _ => (start, later(moment, length, |machine| machine.amount(programs, observed.value))?.unwrap_or(start)),
    })
}

/// Points of a curve, in order; two with the same first coordinate are a jump.
pub type Curve = Vec<(f64, f64)>;

/// Points that the curves of one run may have together.
const POINTS: usize = 1 << 22;

/// Values of numbers over time, and whether a condition held at some moment.
pub struct CurveObserver<'q> {
    observed: &'q [Observed],
    filter: Option<&'q Condition>,
    measure: &'q Measure,
    small: bool,
    points: usize,
    pub curves: Vec<Curve>,
    pub holds: bool,
    /// There were too many points to keep them all.
    pub cut: bool,
}

impl<'q> CurveObserver<'q> {
    pub fn new(
        observed: &'q [Observed],
        filter: Option<&'q Condition>,
        measure: &'q Measure,
        small: bool,
    ) -> CurveObserver<'q> {
        CurveObserver {
            observed,
            filter,
            measure,
            small,
            points: 0,
            curves: vec![Curve::new(); observed.len()],
            holds: filter.is_none(),
            cut: false,
        }
    }
}

impl Observer for CurveObserver<'_> {
    fn stretch(&mut self, moment: &mut Moment<'_, '_>, length: Precise) -> Result<bool> {
        // The axis of a curve is time, or the clock that bounds the run.
        let axis = match self.measure {
            Measure::Clock(_) => self.measure,
            Measure::Time | Measure::Steps => &Measure::Time,
        };
        // A run that idles for ever has no end to draw.
        let length = if length.is_finite() { length } else { Precise::ZERO };
        let (from, to) = (measured(moment, axis, Precise::ZERO)?, measured(moment, axis, length)?);
        for (observed, curve) in self.observed.iter().zip(&mut self.curves) {
            let (start, end) = ends(moment, observed, length)?;
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
