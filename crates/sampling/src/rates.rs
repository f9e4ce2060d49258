//! The rates of clocks, and their integration when they change while time passes.
//!
//! Within a stretch of delay every clock is a line, which makes windows of conditions exact. A rate
//! that depends on clocks is replaced by the slope of a short step: that of Euler's method at the
//! middle of the step (the midpoint method, of second order). A step is as long as the settings
//! allow, and is halved until the slopes at its start and at its middle agree up to a few
//! hundredths of what they move, so that stiff systems do not run away; one that an event ends
//! before is computed again for its real length. UPPAAL 4.1 took Euler steps of fixed length,
//! UPPAAL 5 adapts its steps as well. Costs two or three evaluations of all such rates for each
//! step.

use super::condition::{Amount, Compiler};
use super::failure::Result;
use super::machine::ClockOf;
use super::run::Runner;
use model::network::{Base, Expr, ExprId, Range};
use model::source::Span;
use model::syntax::ast::Quantifier;
use semantics::code::IntId;

/// What an invariant says about rates.
#[derive(Debug)]
pub enum RatesOf {
    Nothing,
    Both(Box<RatesOf>, Box<RatesOf>),
    /// Only where the condition is false.
    Unless(IntId, Box<RatesOf>),
    Choice(IntId, Box<RatesOf>, Box<RatesOf>),
    Each {
        slot: u32,
        range: Range,
        body: Box<RatesOf>,
        span: Span,
    },
    One {
        clock: ClockOf,
        rate: Amount,
        curved: bool,
        span: Span,
    },
    Misplaced(Span),
}

impl Compiler<'_, '_> {
    /// Takes an invariant apart. `forall (i) x[i]' == a[i] && forall (j) y[j]' == b[j]` is a
    /// quantifier within a quantifier, but each rate mentions one variable alone: quantifiers over
    /// conjunctions are pushed down to the rates.
    pub(super) fn rates(&mut self, id: ExprId) -> RatesOf {
        let mut found = Vec::new();
        if !self.plain_rates(id, &mut Vec::new(), &mut found) {
            return self.some_rates(id);
        }
        let join = |list: RatesOf, one: RatesOf| match list {
            RatesOf::Nothing => one,
            list => RatesOf::Both(Box::new(list), Box::new(one)),
        };
        found.into_iter().fold(RatesOf::Nothing, join)
    }

    /// The rates in their order, each within the quantifiers whose variables it mentions; `false`
    /// when a rate depends on more than quantified variables.
    fn plain_rates(&mut self, id: ExprId, variables: &mut Vec<(u32, Range)>, found: &mut Vec<RatesOf>) -> bool {
        let code = &self.network.code;
        match code.expr(id) {
            _ if !self.facts(|timed| timed.has_rates(id)) => true,
            Expr::And(left, right) => {
                self.plain_rates(*left, variables, found) && self.plain_rates(*right, variables, found)
            }
            Expr::Quantified { quantifier: Quantifier::Forall, slot, range, body, .. } => {
                variables.push((*slot, *range));
                let plain = self.plain_rates(*body, variables, found);
                variables.pop();
                plain
            }
            Expr::Rate { .. } => {
                let mut mentioned = Vec::new();
                code.walk_outside_functions(vec![id], &mut |_, expr| {
                    if let Expr::Read(place) = expr
                        && place.base == Base::Frame
                    {
                        mentioned.push(place.offset.ints);
                    }
                });
                let span = code.span(id);
                let own = variables.iter().rev().filter(|(slot, _)| mentioned.contains(slot));
                let within = |body: RatesOf, (slot, range): &(u32, Range)| RatesOf::Each {
                    slot: *slot,
                    range: *range,
                    body: Box::new(body),
                    span,
                };
                let one = self.some_rates(id);
                found.push(own.fold(one, within));
                true
            }
            _ => false,
        }
    }

    fn some_rates(&mut self, id: ExprId) -> RatesOf {
        let code = &self.network.code;
        let span = code.span(id);
        match code.expr(id) {
            _ if !self.facts(|timed| timed.has_rates(id)) => RatesOf::Nothing,
            Expr::And(left, right) => {
                RatesOf::Both(Box::new(self.some_rates(*left)), Box::new(self.some_rates(*right)))
            }
            Expr::Or(left, right) if !self.facts(|timed| timed.has_rates(*left)) => {
                RatesOf::Unless(self.programs.truth(*left), Box::new(self.some_rates(*right)))
            }
            Expr::Or(left, right) => RatesOf::Both(Box::new(self.some_rates(*left)), Box::new(self.some_rates(*right))),
            Expr::Conditional { condition, then, otherwise } => RatesOf::Choice(
                self.programs.truth(*condition),
                Box::new(self.some_rates(*then)),
                Box::new(self.some_rates(*otherwise)),
            ),
            Expr::Quantified { quantifier: Quantifier::Forall, slot, range, body, .. } => {
                RatesOf::Each { slot: *slot, range: *range, body: Box::new(self.some_rates(*body)), span }
            }
            Expr::Rate { clock, rate, .. } => RatesOf::One {
                clock: self.clock(clock),
                curved: self.timed(*rate),
                span: code.span(*rate),
                rate: self.amount(*rate),
            },
            _ => RatesOf::Misplaced(span),
        }
    }
}

/// What one process sets.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Rates {
    pub list: Vec<(u32, f64)>,
    /// Whether some of them change while time passes.
    pub curved: bool,
}

/// How far the slopes of a step may lie apart, relative to what the clock moves.
const APART: f64 = 0.03;
/// How often a step may be halved.
const HALVES: u32 = 14;

impl Runner<'_> {
    /// Sets the rates to the slopes of one step, and gives its length.
    pub(super) fn bend(&mut self) -> Result<f64> {
        self.set_rates(0)?;
        self.first_rates.clone_from(&self.rates);
        let mut step = self.settings.step;
        for _ in 0..HALVES {
            self.bend_to(step)?;
            let far = |n: usize| {
                let first = self.first_rates[n];
                let size = self.machine.state.clocks[n].value().abs() + first.abs() * step + 1e-3;
                (self.rates[n] - first).abs() * step > APART * size
            };
            if !(0..self.rates.len()).any(far) {
                return Ok(step);
            }
            step *= 0.5;
        }
        self.bend_to(step)?;
        Ok(step)
    }

    /// Sets the rates to the slopes at the middle of a step of this length; those at its start are
    /// known.
    pub(super) fn bend_to(&mut self, length: f64) -> Result<()> {
        let mut start = std::mem::take(&mut self.start);
        start.clone_from(&self.machine.state.clocks);
        for (clock, rate) in self.machine.state.clocks.iter_mut().zip(&self.first_rates) {
            *clock = *clock + 0.5 * length * rate;
        }
        let middle = self.set_rates(0);
        self.machine.state.clocks.copy_from_slice(&start);
        self.start = start;
        middle
    }

    /// Sets all rates as the invariants of the present locations say; a clock that is stopped by
    /// any of them stands.
    ///
    /// Only those are asked again whose delay is drawn again, for what a process sets depends on
    /// what its delay depends on, and those whose rates change while time passes. The first `known`
    /// of those that wait to draw have been asked in this state; of them only those are asked again
    /// that the last transition has changed.
    pub(super) fn set_rates(&mut self, known: usize) -> Result<()> {
        let system = self.system;
        if system.rated.is_empty() {
            return Ok(());
        }
        let mut asked = std::mem::take(&mut self.asked);
        asked.clear();
        asked.extend_from_slice(&self.waiting[known..]);
        if known > 0 {
            asked.extend_from_slice(&self.touched);
        }
        asked.retain(|process| system.is_rated[*process as usize]);
        if self.curved {
            asked.extend(system.rated.iter().filter(|process| self.set_by[**process as usize].curved));
        }
        asked.sort_unstable();
        asked.dedup();
        let mut changed = std::mem::take(&mut self.rates_are_new);
        for process in &asked {
            let process = *process as usize;
            let mut rates = std::mem::take(&mut self.collected);
            rates.list.clear();
            rates.curved = false;
            let local = system.local(process, self.machine.state.locations[process]);
            if let Some(of) = &local.rates {
                self.machine.enter(process, &[]);
                self.collect_rates(of, &mut rates)?;
            }
            changed |= rates != self.set_by[process];
            self.collected = std::mem::replace(&mut self.set_by[process], rates);
        }
        self.asked = asked;
        if changed {
            self.join_rates();
        }
        Ok(())
    }

    fn join_rates(&mut self) {
        let system = self.system;
        let mut new = std::mem::take(&mut self.new_rates);
        new.clear();
        new.resize(self.rates.len(), None);
        self.curved = false;
        for process in &system.rated {
            let rates = &self.set_by[*process as usize];
            self.curved |= rates.curved;
            for (clock, rate) in &rates.list {
                let slot = &mut new[*clock as usize];
                if *slot != Some(0.0) {
                    *slot = Some(*rate);
                }
            }
        }
        for (clock, rate) in new.iter().enumerate() {
            let rate = rate.unwrap_or(1.0);
            if rate != self.rates[clock] {
                self.rates[clock] = rate;
                system.watch.of_clock(clock as u32).iter().for_each(|process| self.mark(*process));
                system.watch.everything.iter().for_each(|process| self.mark(*process));
            }
        }
        self.new_rates = new;
    }

    fn collect_rates(&mut self, of: &RatesOf, rates: &mut Rates) -> Result<()> {
        let programs = &self.system.programs;
        match of {
            RatesOf::Nothing => Ok(()),
            RatesOf::Both(left, right) => {
                self.collect_rates(left, rates)?;
                self.collect_rates(right, rates)
            }
            RatesOf::Unless(condition, of) => {
                if self.machine.truth(programs, *condition)? {
                    Ok(())
                } else {
                    self.collect_rates(of, rates)
                }
            }
            RatesOf::Choice(condition, then, otherwise) => {
                let chosen = if self.machine.truth(programs, *condition)? { then } else { otherwise };
                self.collect_rates(chosen, rates)
            }
            RatesOf::Each { slot, range, body, span } => {
                for value in range.lo..=range.hi {
                    self.machine.tick(*span)?;
                    self.machine.set_slot(*slot, value);
                    self.collect_rates(body, rates)?;
                }
                Ok(())
            }
            RatesOf::One { clock, rate, curved, span } => {
                let at = self.machine.clock(programs, *clock)?;
                let value = self.machine.amount(programs, *rate)?;
                if !value.is_finite() {
                    return self.machine.failed(*span, format!("{value} is no rate of a clock"));
                }
                rates.curved |= *curved;
                rates.list.push((at as u32, value));
                Ok(())
            }
            RatesOf::Misplaced(span) => {
                self.machine.failed(*span, "the rate of a clock stands where it cannot be found")
            }
        }
    }
}
