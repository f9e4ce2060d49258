//! Exploring one state: its successors are sketched and wait by their estimates, and those that may be the goal are asked at once.

use super::{Directed, LAST, Logged, NONE, useless_transitions};
use crate::directed::queue::Entry;
use crate::guidance::{Guidance, Operator};
use search::best_first::Value;
use search::budget::Reason;
use search::goal::Goal;
use search::heuristic::Estimate;
use search::per_state::StateId;
use search::search::Stop;
use search::system::{Covering, Deferred};
use std::ops::ControlFlow;

/// What the sketches of one state add up to.
pub(super) struct Expansion {
    pub id: StateId,
    pub estimate: u32,
    pub depth: u32,
    /// Some successor is nearer to the goal.
    pub improved: bool,
}

impl<T: Covering + Deferred, G: Goal<T>, H: Guidance<T>> Directed<'_, T, G, H> {
    /// The operator of a step out of the current state, where operators count.
    pub(super) fn operator_of(&mut self, label: T::Label) -> Operator {
        if self.refinement.is_none() {
            return NONE;
        }
        let Self { system, scratch, current, guidance, .. } = self;
        let mut operator = NONE;
        // What was completed can be sketched.
        let _ = system.sketch(scratch, current, label, |label, sketch| {
            operator = guidance.operator(system, label, sketch);
            ControlFlow::Continue(())
        });
        operator
    }

    /// Sketches the successors of a stored state.
    pub(super) fn explore(&mut self, id: StateId, known: Option<u32>) -> Option<Stop<T::Error>> {
        if !self.store.load(self.system, id, &mut self.current) {
            return None;
        }
        let estimate = match self.guidance.enter(self.system, &self.current) {
            Estimate::Value(estimate) => estimate,
            Estimate::DeadEnd { .. } => known.unwrap_or(LAST),
        };
        let mut expansion = Expansion { id, estimate, depth: self.depths.at(id), improved: false };
        self.plan.clear();
        if self.settings.prefers {
            self.guidance.plan(self.system, &self.current, &mut self.plan);
            self.plan.sort_unstable();
        }
        self.promising.clear();
        if let Some(stop) = self.sketch_all(&mut expansion) {
            self.ready.push((id, known));
            return Some(stop);
        }
        self.store.pass(id);
        self.counts.explored += 1;
        let (first, least) = self.counts.estimates.unwrap_or((estimate, estimate));
        self.counts.estimates = Some((first, least.min(estimate)));
        self.counts.peak_waiting = self.counts.peak_waiting.max(self.queue.len() as u64);
        if let Some(log) = &mut self.log {
            log(Logged { estimate, depth: expansion.depth });
        }
        if let Some(stop) = self.ask_goal(&expansion) {
            return Some(stop);
        }
        self.explored(&expansion);
        None
    }

    fn sketch_all(&mut self, expansion: &mut Expansion) -> Option<Stop<T::Error>> {
        let Self { system, scratch, current, goal, guidance, settings, queue, counts, .. } = self;
        let Self { budget, promising, plan, refinement, store, steps, depths, .. } = self;
        let (id, depth) = (expansion.id, expansion.depth.saturating_add(1));
        let mut stop = None;
        let result = system.sketches(scratch, current, |label, sketch| {
            match budget.tick() {
                Ok(false) => {}
                Ok(true) => {
                    let bytes = store.bytes() + steps.bytes() + depths.bytes() + queue.bytes() + guidance.bytes();
                    counts.peak_bytes = counts.peak_bytes.max(bytes as u64);
                    if let Err(pause) = budget.check(bytes) {
                        stop = Some(pause.into());
                        return ControlFlow::Break(());
                    }
                }
                Err(pause) => {
                    stop = Some(pause.into());
                    return ControlFlow::Break(());
                }
            }
            counts.generated += 1;
            if goal.holds_for_step(system, label) {
                stop = Some(match store.mention() {
                    Some(target) => {
                        steps.record(target, Some((id, label)));
                        depths.set(target, depth);
                        Stop::Found(target)
                    }
                    None => Stop::OutOfBudget(Reason::Capacity),
                });
                return ControlFlow::Break(());
            }
            let uses_operators = refinement.is_some() || settings.useless || settings.prefers;
            let operator = if uses_operators { guidance.operator(system, label, sketch) } else { NONE };
            if let Some(refinement) = refinement
                && !refinement.permits(operator)
            {
                refinement.block(operator, id, label);
                return ControlFlow::Continue(());
            }
            let estimate = match guidance.estimate(system, sketch) {
                Estimate::Value(estimate) => estimate,
                Estimate::DeadEnd { .. } => LAST,
            };
            expansion.improved |= estimate < expansion.estimate;
            let mut value = match settings.value {
                Value::Greedy => estimate,
                Value::Total => estimate.saturating_add(depth),
            };
            if settings.useless
                && useless_transitions::seems_useless(
                    *system,
                    guidance,
                    current,
                    operator,
                    (expansion.estimate, estimate),
                )
            {
                value = value.saturating_add(depth);
            }
            let preferred = plan.binary_search(&operator).is_ok();
            queue.push(value, Entry { parent: id.raw(), label, estimate }, preferred);
            if settings.value == Value::Greedy && estimate == 0 && guidance.may_be_goal(system, sketch) {
                promising.push(label);
            }
            ControlFlow::Continue(())
        });
        if let Some(Stop::Found(target)) = stop {
            self.found = Some(target);
        }
        if let Err(error) = result {
            self.fails(Some(expansion.id), error);
        }
        stop
    }

    /// Builds the successors that may be the goal, and asks it.
    fn ask_goal(&mut self, expansion: &Expansion) -> Option<Stop<T::Error>> {
        if self.budget.limits.depth.is_some_and(|limit| expansion.depth >= limit) {
            return None;
        }
        let Self { system, scratch, current, goal, promising, .. } = self;
        let mut hit = None;
        for label in promising.drain(..) {
            let mut holds = Ok(false);
            let result = system.complete(scratch, current, label, &mut |state| {
                holds = goal.holds(system, state);
                if matches!(holds, Ok(false)) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            // Errors are met again when the successor is taken up.
            if let (Ok(()), Ok(true)) = (result, holds) {
                hit = Some(label);
                break;
            }
        }
        let label = hit?;
        let operator = self.operator_of(label);
        let Some(target) = self.store.mention() else { return Some(Stop::OutOfBudget(Reason::Capacity)) };
        self.steps.record(target, Some((expansion.id, label)));
        self.depths.set(target, expansion.depth.saturating_add(1));
        self.operators.set(target, operator);
        Some(self.found(target))
    }
}
