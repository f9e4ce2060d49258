//! Whether a query's predicate holds in a state, or at which moments of a delay.

use crate::error::EvalError;
use crate::formula::{Formula, parts};
use crate::interpreter::Interpreter;
use crate::line::{Interval, Line};
use crate::rational::Rational;
use crate::semantics::{Result, Semantics};
use crate::state::{Discrete, State};
use crate::transition::Transition;
use model::network::ExprId;
use num_traits::Zero;

impl Semantics<'_> {
    pub(crate) fn predicate(&self, discrete: &Discrete, predicate: ExprId) -> Formula {
        Interpreter::reading(self.network, discrete, None).condition(predicate)
    }

    /// Whether a predicate holds in a state.
    pub fn holds(&self, state: &State, predicate: ExprId) -> Result<bool> {
        let now = Interval::point(Rational::zero());
        Ok(!self.moments(state, predicate, true, &now)?.is_empty())
    }

    /// The delays within an interval after which a predicate holds, or does not hold. The delays must be possible ones.
    pub fn moments(&self, state: &State, predicate: ExprId, holds: bool, within: &Interval) -> Result<Vec<Interval>> {
        let formula = self.predicate(&state.discrete, predicate);
        let rates = self.rates(&state.discrete)?;
        let mut line = Line::new(&state.clocks, &rates);
        let actions;
        if formula.mentions_deadlock() {
            actions = self.action_moments(state)?;
            line.actions = Some(&actions);
        }
        parts(&line, &formula, holds, within)
    }

    /// The possible delays after which some action transition exists. Priorities change nothing about that: where one
    /// exists, one of the highest priority exists.
    pub fn action_moments(&self, state: &State) -> Result<Vec<Interval>> {
        let mut moments = Vec::new();
        let allowed = self.delays(state)?;
        for transition in self.transitions_of_any_priority(&state.discrete) {
            moments.extend(self.moments_of(state, &transition, &allowed)?);
        }
        Ok(moments)
    }

    /// The delays within an interval after which a transition of the state exists.
    pub fn moments_of(&self, state: &State, transition: &Transition, within: &Interval) -> Result<Vec<Interval>> {
        let rates = self.rates(&state.discrete)?;
        parts(&Line::new(&state.clocks, &rates), &transition.exists, true, within)
    }

    /// Whether no action is possible after any delay that is allowed.
    pub fn is_deadlock(&self, state: &State) -> std::result::Result<bool, EvalError> {
        Ok(self.action_moments(state)?.is_empty())
    }
}
