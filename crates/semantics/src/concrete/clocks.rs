//! The clocks of a concrete state.

use super::line::Line;
use super::window::{UNIT, Window};
use crate::code::{ClockBound, ClockUpdate, RunErrorKind};
use model::network::{ClockId, ClockInitial, Network};

/// Each clock as its value over time: when time passes nothing has to be written.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Clocks {
    lines: Vec<Line>,
    /// Ticks of a time unit.
    unit: i64,
}

impl Clocks {
    /// At moment 0, all running.
    pub fn initial(network: &Network) -> Clocks {
        let value = |initial: ClockInitial| match initial {
            ClockInitial::Int(value) => i64::from(value) * UNIT,
            ClockInitial::Double(_) => 0,
        };
        let line = |initial| Line { value: value(initial), at: 0, rate: 1 };
        Clocks { lines: network.clocks.iter().map(|clock| line(clock.initial)).collect(), unit: UNIT }
    }

    /// The same values in ticks half as long. What lies strictly between two ticks has a moment of its own then: a
    /// window is empty only if it is empty for real numbers.
    pub fn halved(&self) -> Clocks {
        let mut halves = Clocks { lines: Vec::with_capacity(self.lines.len()), unit: self.unit };
        self.halved_into(&mut halves);
        halves
    }

    /// As [`Clocks::halved`], into memory that was used before.
    pub fn halved_into(&self, halves: &mut Clocks) {
        let halved = |line: &Line| Line { value: 2 * line.value, at: 2 * line.at, rate: line.rate };
        halves.lines.clear();
        halves.lines.extend(self.lines.iter().map(halved));
        halves.unit = 2 * self.unit;
    }

    /// Whether all clocks have the same values from a moment on, wherever their lines were written down.
    pub fn agree_from(&self, other: &Clocks, moment: i64) -> bool {
        let agree = |(one, two): (&Line, &Line)| one.rate == two.rate && one.value(moment) == two.value(moment);
        self.unit == other.unit
            && self.lines.len() == other.lines.len()
            && self.lines.iter().zip(&other.lines).all(agree)
    }

    #[inline]
    pub fn line(&self, clock: ClockId) -> Line {
        self.lines[clock.index()]
    }

    #[inline]
    pub fn set(&mut self, clock: ClockId, line: Line) {
        self.lines[clock.index()] = line;
    }

    /// From now on the clock runs at another rate.
    pub fn set_rate(&mut self, clock: ClockId, rate: i64, now: i64) {
        let line = &mut self.lines[clock.index()];
        *line = Line { value: line.value(now), at: now, rate };
    }

    pub fn copy_from(&mut self, other: &Clocks) {
        self.lines.copy_from_slice(&other.lines);
    }

    /// What a bound is about: one clock, its negation, or a difference.
    #[inline]
    fn form(&self, bound: &ClockBound, line: impl Fn(ClockId) -> Line) -> Line {
        match (bound.plus, bound.minus) {
            (Some(plus), None) => line(plus),
            (Some(plus), Some(minus)) => line(plus).minus(line(minus)),
            (None, Some(minus)) => Line::constant(0).minus(line(minus)),
            (None, None) => Line::constant(0),
        }
    }

    /// Keeps the moments at which the bound holds.
    #[inline]
    pub fn require(&self, window: &mut Window, bound: &ClockBound) {
        let form = self.form(bound, |clock| self.line(clock));
        window.require(form, bound.relation, i64::from(bound.bound) * self.unit);
    }

    /// Keeps the moments at which the bound holds right after the updates, if they happen then.
    #[inline]
    pub fn require_after(&self, window: &mut Window, bound: &ClockBound, updates: &[ClockUpdate]) {
        let form = self.form(bound, |clock| self.after(clock, updates));
        window.require(form, bound.relation, i64::from(bound.bound) * self.unit);
    }

    /// The value of a clock right after the updates, depending on when they happen.
    #[inline]
    pub fn after(&self, clock: ClockId, updates: &[ClockUpdate]) -> Line {
        let (mut clock, mut offset) = (clock, 0);
        for update in updates.iter().rev() {
            if update.target == clock {
                offset += i64::from(update.offset) * self.unit;
                match update.source {
                    None => return Line::constant(offset),
                    Some(source) => clock = source,
                }
            }
        }
        self.line(clock).plus(offset)
    }

    /// Runs clock assignments in their order. An error when a clock becomes negative, with its value in time units.
    #[inline]
    pub fn assign(&mut self, updates: &[ClockUpdate], now: i64) -> Result<(), RunErrorKind> {
        for update in updates {
            let offset = i64::from(update.offset) * self.unit;
            let value = offset + update.source.map_or(0, |source| self.line(source).value(now));
            if value < 0 {
                return Err(RunErrorKind::NegativeClock { value: value.div_euclid(self.unit) as i32 });
            }
            let rate = self.line(update.target).rate;
            self.set(update.target, Line { value, at: now, rate });
        }
        Ok(())
    }
}
