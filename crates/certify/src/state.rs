//! Concrete states, and what a transition does to the clocks.

use crate::error::{ErrorKind, EvalError};
use crate::formula::Atom;
use crate::rational::{Rational, add, integer, multiply};
use model::network::{ClockId, LocationId, Network, Relation};
use model::source::Span;
use std::collections::BTreeMap;

/// Locations and integers. Meta variables are at their initial values between transitions, so that equality of these
/// vectors is equality of states.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Discrete {
    /// One for each process.
    pub locations: Vec<LocationId>,
    /// All integer cells of the network.
    pub ints: Vec<i32>,
}

/// A state of the network at one moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub discrete: Discrete,
    /// All clocks of the network; those that are `hybrid` stay 0, because exact analysis leaves them out.
    pub clocks: Vec<Rational>,
    /// Since the start of the run.
    pub time: Rational,
}

impl State {
    /// The state after a delay in which each clock grows with its rate.
    pub(crate) fn after_delay(&self, delay: &Rational, rates: &[i64]) -> Result<State, EvalError> {
        let grown = |(clock, rate): (&Rational, &i64)| add(clock, &multiply(delay, &integer(*rate))?);
        Ok(State {
            discrete: self.discrete.clone(),
            clocks: self.clocks.iter().zip(rates).map(grown).collect::<Result<_, _>>()?,
            time: add(&self.time, delay)?,
        })
    }

    pub(crate) fn after_updates(&self, target: &Discrete, clocks: &ClockMap) -> Result<State, EvalError> {
        let mut next = State { discrete: target.clone(), clocks: self.clocks.clone(), time: self.time };
        for (clock, (source, offset)) in clocks.changes() {
            let base = source.and_then(|source| self.clocks.get(source.index())).copied();
            if let Some(value) = next.clocks.get_mut(clock.index()) {
                *value = add(&base.unwrap_or_else(|| integer(0)), &integer(offset))?;
            }
        }
        Ok(next)
    }
}

/// The effect of updates on the clocks: each becomes a constant, or the old value of some clock plus a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockMap {
    /// How many clocks there are.
    clocks: usize,
    /// Those that are assigned to.
    values: BTreeMap<ClockId, (Option<ClockId>, i64)>,
    /// Values that must not be negative, with the error for when they are.
    demands: Vec<(Atom, EvalError)>,
}

impl ClockMap {
    pub(crate) fn unchanged(network: &Network) -> ClockMap {
        ClockMap { clocks: network.clocks.len(), values: BTreeMap::new(), demands: Vec::new() }
    }

    /// These changes, of clocks that all exist, none of which can become negative.
    pub(crate) fn of(clocks: usize, changes: impl Iterator<Item = (ClockId, (Option<ClockId>, i64))>) -> ClockMap {
        ClockMap { clocks, values: changes.collect(), demands: Vec::new() }
    }

    /// What a clock becomes: the old value of the clock, if any, plus the constant.
    pub fn value(&self, clock: ClockId) -> (Option<ClockId>, i64) {
        self.values.get(&clock).copied().unwrap_or((Some(clock), 0))
    }

    /// The clocks that are assigned to, and what they become.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (ClockId, (Option<ClockId>, i64))> {
        self.values.iter().map(|(clock, value)| (*clock, *value))
    }

    pub(crate) fn demands(&self) -> &[(Atom, EvalError)] {
        &self.demands
    }

    /// `target = source + offset`, after everything assigned so far.
    pub(crate) fn assign(
        &mut self,
        target: ClockId,
        source: Option<ClockId>,
        offset: i32,
        span: Span,
    ) -> Result<(), EvalError> {
        let (base, before) = source.map_or((None, 0), |source| self.value(source));
        let offset = before.saturating_add(i64::from(offset));
        let negative = || EvalError::new(ErrorKind::NegativeClock, Some(span), "a negative value for a clock");
        match base {
            None if offset < 0 => return Err(negative()),
            Some(_) if offset < 0 => {
                let atom = Atom { plus: base, minus: None, relation: Relation::Ge, bound: -offset };
                self.demands.push((atom, negative()));
            }
            _ => {}
        }
        if target.index() >= self.clocks {
            return Err(EvalError::new(ErrorKind::NotAvailable, Some(span), "no such clock"));
        }
        self.values.insert(target, (base, offset));
        Ok(())
    }
}
