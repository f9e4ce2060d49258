//! What code runs on: the integers of a state, and who takes the clock constraints and assignments.
//!
//! The interpreter is made once for each host, so that a guard pays nothing for what only updates
//! do.

use super::trail::Trail;
use crate::code::dnf::Dnf;
use crate::code::facts::{ClockBound, ClockUpdate, Facts};
use crate::precise::Precise;
use model::network::{Builtin, ClockId};

pub(super) trait Host {
    /// Whether it has a trail; without one the interpreter has no code for it.
    const FOLLOWS: bool = false;

    fn trail(&self) -> Option<&Trail> {
        None
    }

    fn ints(&self) -> &[i32];

    /// Writes an integer; `false` where nothing may be written.
    fn write(&mut self, _at: usize, _value: i32) -> bool {
        false
    }

    fn bound(&mut self, _bound: ClockBound) {}
    fn rate(&mut self, _clock: ClockId, _rate: i32) {}
    fn set_clock(&mut self, _update: ClockUpdate) {}

    /// How many bounds and rates there are.
    fn facts(&self) -> (usize, usize) {
        (0, 0)
    }

    /// Takes back all but the first ones.
    fn drop_facts(&mut self, _bounds: usize, _rates: usize) {}

    fn cases(&mut self) -> Option<&mut Dnf> {
        None
    }

    /// Doubles and clocks, and who else has values.
    fn values(&mut self) -> Option<&mut dyn Values> {
        None
    }
}

/// A state in which clocks and doubles have values, by cell of the network. Indices are those of
/// its layout.
pub trait Values {
    fn ints(&self) -> &[i32];
    fn set_int(&mut self, at: usize, value: i32);
    fn double(&self, at: usize) -> f64;
    fn set_double(&mut self, at: usize, value: f64);
    fn clock(&self, at: usize) -> Precise;
    fn set_clock(&mut self, at: usize, value: Precise);
    /// A built-in function, of as many arguments as it has; `None` where it is not defined.
    fn builtin(&mut self, function: Builtin, arguments: [f64; 3]) -> Option<f64>;
}

/// Code of statistics.
pub(super) struct Everything<'a, V> {
    pub values: &'a mut V,
}

impl<V: Values> Host for Everything<'_, V> {
    #[inline]
    fn ints(&self) -> &[i32] {
        self.values.ints()
    }

    #[inline]
    fn write(&mut self, at: usize, value: i32) -> bool {
        self.values.set_int(at, value);
        true
    }

    fn set_clock(&mut self, update: ClockUpdate) {
        let start = update.source.map_or(Precise::ZERO, |source| self.values.clock(source.index()));
        self.values.set_clock(update.target.index(), start + f64::from(update.offset));
    }

    #[inline]
    fn values(&mut self) -> Option<&mut dyn Values> {
        Some(self.values)
    }
}

/// Integer expressions.
pub(super) struct Value<'a> {
    pub ints: &'a [i32],
}

impl Host for Value<'_> {
    #[inline]
    fn ints(&self) -> &[i32] {
        self.ints
    }
}

/// Guards and invariants.
pub(super) struct Condition<'a> {
    pub ints: &'a [i32],
    pub facts: &'a mut Facts,
}

impl Host for Condition<'_> {
    #[inline]
    fn ints(&self) -> &[i32] {
        self.ints
    }

    #[inline]
    fn bound(&mut self, bound: ClockBound) {
        self.facts.bounds.push(bound);
    }

    fn rate(&mut self, clock: ClockId, rate: i32) {
        self.facts.rates.push((clock, rate));
    }

    fn facts(&self) -> (usize, usize) {
        (self.facts.bounds.len(), self.facts.rates.len())
    }

    fn drop_facts(&mut self, bounds: usize, rates: usize) {
        self.facts.bounds.truncate(bounds);
        self.facts.rates.truncate(rates);
    }
}

/// Guards, and which other processes share their answer.
pub(super) struct Followed<'a> {
    pub condition: Condition<'a>,
    pub trail: Trail,
}

impl Host for Followed<'_> {
    const FOLLOWS: bool = true;

    #[inline]
    fn trail(&self) -> Option<&Trail> {
        Some(&self.trail)
    }

    #[inline]
    fn ints(&self) -> &[i32] {
        self.condition.ints
    }

    #[inline]
    fn bound(&mut self, bound: ClockBound) {
        self.condition.bound(bound);
    }

    fn rate(&mut self, clock: ClockId, rate: i32) {
        self.condition.rate(clock, rate);
    }

    fn facts(&self) -> (usize, usize) {
        self.condition.facts()
    }

    fn drop_facts(&mut self, bounds: usize, rates: usize) {
        self.condition.drop_facts(bounds, rates);
    }
}

pub(super) struct Update<'a> {
    pub ints: &'a mut [i32],
    pub resets: &'a mut Vec<ClockUpdate>,
}

impl Host for Update<'_> {
    #[inline]
    fn ints(&self) -> &[i32] {
        self.ints
    }

    #[inline]
    fn write(&mut self, at: usize, value: i32) -> bool {
        self.ints[at] = value;
        true
    }

    #[inline]
    fn set_clock(&mut self, update: ClockUpdate) {
        self.resets.push(update);
    }
}

/// Updates, and which integers they write.
pub(super) struct NotedUpdate<'a> {
    pub ints: &'a mut [i32],
    pub resets: &'a mut Vec<ClockUpdate>,
    pub written: &'a mut Vec<(u32, i32)>,
}

impl Host for NotedUpdate<'_> {
    #[inline]
    fn ints(&self) -> &[i32] {
        self.ints
    }

    #[inline]
    fn write(&mut self, at: usize, value: i32) -> bool {
        let old = std::mem::replace(&mut self.ints[at], value);
        self.written.push((at as u32, old));
        true
    }

    #[inline]
    fn set_clock(&mut self, update: ClockUpdate) {
        self.resets.push(update);
    }
}

/// Query predicates with clocks.
pub(super) struct Cases<'a> {
    pub ints: &'a [i32],
    pub cases: &'a mut Dnf,
}

impl Host for Cases<'_> {
    fn ints(&self) -> &[i32] {
        self.ints
    }

    fn bound(&mut self, bound: ClockBound) {
        self.cases.push_bound(bound);
    }

    fn cases(&mut self) -> Option<&mut Dnf> {
        Some(self.cases)
    }
}
