//! Clocks as they run: each is kept by its value at some moment and its rate since then, so that time passes for all of them
//! by changing one number.

use crate::error::EvalError;
use crate::rational::{Rational, add, integer, multiply, subtract};
use crate::state::{ClockMap, State};
use model::network::ClockId;
use num_traits::Zero;

type Result<T> = std::result::Result<T, EvalError>;

pub(crate) struct Clocks {
    now: Rational,
    hands: Vec<Hand>,
}

/// One clock: it showed `value` at the moment `at`, and runs with `rate` since.
#[derive(Clone)]
struct Hand {
    value: Rational,
    at: Rational,
    rate: i64,
}

impl Clocks {
    /// The clocks of a state, all of them running with rate 1.
    pub(crate) fn of(state: &State) -> Clocks {
        let now = state.time;
        Clocks { now, hands: state.clocks.iter().map(|value| Hand { value: *value, at: now, rate: 1 }).collect() }
    }

    pub(crate) fn now(&self) -> Rational {
        self.now
    }

    pub(crate) fn value(&self, clock: ClockId) -> Result<Rational> {
        self.hands.get(clock.index()).map_or(Ok(Rational::zero()), |hand| hand.value(&self.now))
    }

    pub(crate) fn rate(&self, clock: ClockId) -> i64 {
        self.hands.get(clock.index()).map_or(0, |hand| hand.rate)
    }

    pub(crate) fn values(&self) -> Result<Vec<Rational>> {
        self.hands.iter().map(|hand| hand.value(&self.now)).collect()
    }

    pub(crate) fn pass(&mut self, delay: &Rational) -> Result<()> {
        self.now = add(&self.now, delay)?;
        Ok(())
    }

    pub(crate) fn set_rate(&mut self, clock: ClockId, rate: i64) -> Result<()> {
        if let Some(hand) = self.hands.get_mut(clock.index()) {
            *hand = Hand { value: hand.value(&self.now)?, at: self.now, rate };
        }
        Ok(())
    }

    /// All assignments at once: each takes the values from before them.
    pub(crate) fn assign(&mut self, map: &ClockMap) -> Result<()> {
        let value = |(clock, (source, offset)): (ClockId, (Option<ClockId>, i64))| {
            let base = source.map_or(Ok(Rational::zero()), |source| self.value(source))?;
            Ok((clock, add(&base, &integer(offset))?))
        };
        let values: Vec<(ClockId, Rational)> = map.changes().map(value).collect::<Result<_>>()?;
        for (clock, value) in values {
            if let Some(hand) = self.hands.get_mut(clock.index()) {
                (hand.value, hand.at) = (value, self.now);
            }
        }
        Ok(())
    }
}

impl Hand {
    fn value(&self, now: &Rational) -> Result<Rational> {
        let passed = subtract(now, &self.at)?;
        match self.rate {
            0 => Ok(self.value),
            1 => add(&self.value, &passed),
            rate => add(&self.value, &multiply(&passed, &integer(rate))?),
        }
    }
}
