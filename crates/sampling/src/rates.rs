//! The rates of clocks, and their integration when they change while time passes.
//!
//! Within a stretch of delay every clock is a line, which makes windows of conditions exact. A rate that depends on clocks
//! is replaced by the slope of a short step: that of Euler's method at the middle of the step (the midpoint method, of second
//! order). A step is as long as the settings allow, and is halved until the slopes at its start and at its middle agree up to
//! a few hundredths of what they move, so that stiff systems do not run away; one that an event ends before is computed again
//! for its real length. UPPAAL 4.1 took Euler steps of fixed length, UPPAAL 5 adapts its steps as well. Costs two or three
//! evaluations of all such rates for each step.

use super::failure::Result;
use super::run::Runner;
use model::network::{Expr, ExprId, Range};
use model::syntax::ast::Quantifier;

/// What one process sets.
#[derive(Clone, Default, Debug)]
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
        self.set_rates()?;
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

    /// Sets the rates to the slopes at the middle of a step of this length; those at its start are known.
    pub(super) fn bend_to(&mut self, length: f64) -> Result<()> {
        let mut start = std::mem::take(&mut self.start);
        start.clone_from(&self.machine.state.clocks);
        for (clock, rate) in self.machine.state.clocks.iter_mut().zip(&self.first_rates) {
            *clock = *clock + 0.5 * length * rate;
        }
        let middle = self.set_rates();
        self.machine.state.clocks.copy_from_slice(&start);
        self.start = start;
        middle
    }

    /// Sets all rates as the invariants of the present locations say; a clock that is stopped by any of them stands.
    pub(super) fn set_rates(&mut self) -> Result<()> {
        let system = self.system;
        let mut changed = false;
        for process in &system.rated {
            let process = *process as usize;
            // What a process sets depends on what its delay depends on.
            if !self.dirty[process] && !self.set_by[process].curved {
                continue;
            }
            changed = true;
            let mut rates = std::mem::take(&mut self.set_by[process]);
            rates.list.clear();
            rates.curved = false;
            let local = system.local(process, self.machine.state.locations[process]);
            if let (true, Some(invariant)) = (local.has_rates, local.invariant) {
                self.machine.enter(process, &[]);
                match &local.rates {
                    Some(list) => {
                        for one in list {
                            self.collect_all(one.rate, &one.variables, &mut rates)?;
                        }
                    }
                    None => self.collect_rates(invariant, &mut rates)?,
                }
            }
            self.set_by[process] = rates;
        }
        if !changed {
            return Ok(());
        }
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
        Ok(())
    }

    /// One rate for all values of some variables.
    fn collect_all(&mut self, rate: ExprId, variables: &[(u32, Range)], rates: &mut Rates) -> Result<()> {
        let Some(((slot, range), rest)) = variables.split_first() else { return self.collect_rates(rate, rates) };
        for value in range.lo..=range.hi {
            self.machine.tick(rate)?;
            self.machine.frames.set_slot(*slot, value);
            self.collect_all(rate, rest, rates)?;
        }
        Ok(())
    }

    fn collect_rates(&mut self, id: ExprId, rates: &mut Rates) -> Result<()> {
        let facts = &self.system.facts;
        if !facts.has_rates(id) {
            return Ok(());
        }
        match self.system.network.code.expr(id) {
            Expr::And(left, right) => {
                self.collect_rates(*left, rates)?;
                self.collect_rates(*right, rates)
            }
            Expr::Or(left, right) => {
                if !facts.has_rates(*left) && self.machine.truth(*left)? {
                    return Ok(());
                }
                self.collect_rates(*left, rates)?;
                self.collect_rates(*right, rates)
            }
            Expr::Conditional { condition, then, otherwise } => {
                let chosen = if self.machine.truth(*condition)? { *then } else { *otherwise };
                self.collect_rates(chosen, rates)
            }
            Expr::Quantified { quantifier: Quantifier::Forall, slot, range, body, .. } => {
                for value in range.lo..=range.hi {
                    self.machine.tick(*body)?;
                    self.machine.frames.set_slot(*slot, value);
                    self.collect_rates(*body, rates)?;
                }
                Ok(())
            }
            Expr::Rate { clock, number, rate } => {
                let at = self.machine.clock_index(clock, id)?;
                let value = self.machine.number(*number, *rate)?;
                if !value.is_finite() {
                    return self.machine.failed(*rate, format!("{value} is no rate of a clock"));
                }
                rates.curved |= facts.timed(*rate);
                rates.list.push((at as u32, value));
                Ok(())
            }
            _ => self.machine.failed(id, "the rate of a clock stands where it cannot be found"),
        }
    }
}
