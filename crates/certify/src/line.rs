//! The moments of a delay: intervals of delays during which clocks grow at constant rates.

use crate::clocks::Clocks;
use crate::error::{ErrorKind, EvalError};
use crate::formula::{Atom, Formula, Space, compare};
use crate::rational::{Rational, divide, integer, order, subtract};
use model::network::{ClockId, Relation};
use num_traits::Zero;
use std::cmp::Ordering;

/// A non-empty interval of delays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interval {
    pub from: Rational,
    /// Whether `from` itself is left out.
    pub from_open: bool,
    /// `None` is without end.
    pub to: Option<Rational>,
    /// Whether `to` itself is left out.
    pub to_open: bool,
}

impl Interval {
    pub fn point(at: Rational) -> Interval {
        Interval { from: at, from_open: false, to: Some(at), to_open: false }
    }

    /// From now on, without end.
    pub fn future() -> Interval {
        Interval { from: Rational::zero(), from_open: false, to: None, to_open: false }
    }

    /// From now to this moment, both included.
    pub fn until(to: Rational) -> Interval {
        Interval { to: Some(to), ..Interval::future() }
    }

    pub fn contains(&self, moment: &Rational) -> bool {
        let after = match order(moment, &self.from) {
            Ordering::Less => false,
            Ordering::Equal => !self.from_open,
            Ordering::Greater => true,
        };
        let before = self.to.as_ref().is_none_or(|to| match order(moment, to) {
            Ordering::Less => true,
            Ordering::Equal => !self.to_open,
            Ordering::Greater => false,
        });
        after && before
    }

    fn is_empty(&self) -> bool {
        self.to.as_ref().is_some_and(|to| match order(&self.from, to) {
            Ordering::Less => false,
            Ordering::Equal => self.from_open || self.to_open,
            Ordering::Greater => true,
        })
    }

    pub(crate) fn above(&self, bound: Rational, open: bool) -> Option<Interval> {
        let mut result = self.clone();
        match order(&bound, &self.from) {
            Ordering::Greater => (result.from, result.from_open) = (bound, open),
            Ordering::Equal => result.from_open |= open,
            Ordering::Less => {}
        }
        Some(result).filter(|interval| !interval.is_empty())
    }

    pub(crate) fn below(&self, bound: Rational, open: bool) -> Option<Interval> {
        let mut result = self.clone();
        match self.to.map(|to| order(&bound, &to)) {
            None | Some(Ordering::Less) => (result.to, result.to_open) = (Some(bound), open),
            Some(Ordering::Equal) => result.to_open |= open,
            Some(Ordering::Greater) => {}
        }
        Some(result).filter(|interval| !interval.is_empty())
    }

    fn meets(&self, later: &Interval) -> bool {
        match &self.to {
            None => true,
            Some(to) => later.from < *to || (later.from == *to && !(self.to_open && later.from_open)),
        }
    }
}

/// The part of a union of intervals that begins now and has no gap. `None` when now is not in it.
pub(crate) fn first_stretch(mut intervals: Vec<Interval>) -> Option<Interval> {
    intervals.sort_by(|a, b| a.from.cmp(&b.from).then(a.from_open.cmp(&b.from_open)));
    let mut intervals = intervals.into_iter();
    let mut stretch = intervals.next().filter(|first| first.contains(&Rational::zero()))?;
    for next in intervals {
        if !stretch.meets(&next) {
            break;
        }
        let longer = match (&stretch.to, &next.to) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(a), Some(b)) => b > a || (b == a && stretch.to_open && !next.to_open),
        };
        if longer {
            (stretch.to, stretch.to_open) = (next.to, next.to_open);
        }
    }
    Some(stretch)
}

/// The moments of an interval after all moments of a set: where the set does not hold from there on.
pub(crate) fn after_all(set: &[Interval], within: &Interval) -> Option<Interval> {
    let mut rest = within.clone();
    for interval in set {
        rest = rest.above(interval.to?, !interval.to_open)?;
    }
    Some(rest)
}

/// Clocks that grow from given values with given rates.
pub(crate) struct Line<'a> {
    clocks: Values<'a>,
    /// The delays after which some action is possible at once, where a formula asks for deadlocks.
    pub actions: Option<&'a [Interval]>,
}

enum Values<'a> {
    /// Values and rates; without rates no clock moves.
    Listed(&'a [Rational], &'a [i64]),
    Kept(&'a Clocks),
}

impl<'a> Line<'a> {
    pub(crate) fn new(clocks: &'a [Rational], rates: &'a [i64]) -> Line<'a> {
        Line { clocks: Values::Listed(clocks, rates), actions: None }
    }

    pub(crate) fn of(clocks: &'a Clocks) -> Line<'a> {
        Line { clocks: Values::Kept(clocks), actions: None }
    }

    /// One moment: the delay 0.
    pub(crate) fn moment(clocks: &'a [Rational]) -> Line<'a> {
        Line::new(clocks, &[])
    }

    /// Whether the formula holds at delay 0.
    pub(crate) fn holds(&self, formula: &Formula) -> Result<bool, EvalError> {
        Ok(match formula {
            Formula::True | Formula::Rate(..) => true,
            Formula::False => false,
            Formula::Atom(atom) => {
                let ((plus, _), (minus, _)) = (self.at(atom.plus)?, self.at(atom.minus)?);
                compare(atom.relation, order(&subtract(&plus, &minus)?, &integer(atom.bound)))
            }
            Formula::Not(inner) => !self.holds(inner)?,
            Formula::Error(error) => return Err(error.clone()),
            Formula::And(list) => {
                for part in list {
                    if !self.holds(part)? {
                        return Ok(false);
                    }
                }
                true
            }
            Formula::Or(list) => {
                for part in list {
                    if self.holds(part)? {
                        return Ok(true);
                    }
                }
                false
            }
            Formula::Deadlock => !self.deadlock(&Interval::point(Rational::zero()), true)?.is_empty(),
        })
    }

    /// The value of a clock, and how fast it runs.
    fn at(&self, clock: Option<ClockId>) -> Result<(Rational, i64), EvalError> {
        let Some(clock) = clock else { return Ok((Rational::zero(), 0)) };
        match self.clocks {
            Values::Listed(clocks, rates) => {
                let value = clocks.get(clock.index()).copied().unwrap_or_else(Rational::zero);
                Ok((value, rates.get(clock.index()).copied().unwrap_or(0)))
            }
            Values::Kept(clocks) => Ok((clocks.value(clock)?, clocks.rate(clock))),
        }
    }
}

impl Space for Line<'_> {
    type Region = Interval;

    fn cut(&self, region: &Interval, atom: Atom) -> Result<Vec<Interval>, EvalError> {
        let ((plus, plus_rate), (minus, minus_rate)) = (self.at(atom.plus)?, self.at(atom.minus)?);
        let difference = subtract(&plus, &minus)?;
        let slope = plus_rate - minus_rate;
        let bound = integer(atom.bound);
        if slope == 0 {
            let holds = compare(atom.relation, order(&difference, &bound));
            return Ok(if holds { vec![region.clone()] } else { Vec::new() });
        }
        // difference + slope * delay ~ bound, solved for the delay.
        let moment = divide(&subtract(&bound, &difference)?, slope)?;
        let relation = match (slope > 0, atom.relation) {
            (true, relation) | (false, relation @ (Relation::Eq | Relation::Ne)) => relation,
            (false, Relation::Lt) => Relation::Gt,
            (false, Relation::Le) => Relation::Ge,
            (false, Relation::Ge) => Relation::Le,
            (false, Relation::Gt) => Relation::Lt,
        };
        let pieces = match relation {
            Relation::Lt => [region.below(moment, true), None],
            Relation::Le => [region.below(moment, false), None],
            Relation::Ge => [region.above(moment, false), None],
            Relation::Gt => [region.above(moment, true), None],
            Relation::Eq => [region.below(moment, false).and_then(|piece| piece.above(moment, false)), None],
            Relation::Ne => [region.below(moment, true), region.above(moment, true)],
        };
        Ok(pieces.into_iter().flatten().collect())
    }

    /// A deadlock is a moment after which no action is possible any more.
    fn deadlock(&self, region: &Interval, holds: bool) -> Result<Vec<Interval>, EvalError> {
        let Some(actions) = self.actions else {
            return Err(EvalError::new(ErrorKind::Unsupported, None, "`deadlock` stands only in a query"));
        };
        let dead = after_all(actions, region);
        if holds {
            return Ok(dead.into_iter().collect());
        }
        Ok(match dead {
            None => vec![region.clone()],
            Some(dead) => region.below(dead.from, !dead.from_open).into_iter().collect(),
        })
    }
}
