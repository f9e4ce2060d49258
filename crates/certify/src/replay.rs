//! Replaying a run: every delay and every step is checked, and every state on the way comes out.

use crate::bounds::{Bounds, bounds};
use crate::error::{Reason, Refusal};
use crate::run::{Ending, Run};
use crate::semantics::Semantics;
use crate::state::State;
use model::deep_stack::on_deep_stack;
use model::network::{ExprId, Network};

/// The states along a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    pub initial: State,
    /// For each step the state after its delay and the state after its action.
    pub steps: Vec<(State, State)>,
    /// After the final delay.
    pub last: State,
}

impl Replay {
    /// The state before the delay of a step; for the number of steps, the state before the final delay.
    pub fn before(&self, step: usize) -> &State {
        match step.checked_sub(1).and_then(|previous| self.steps.get(previous)) {
            Some((_, after)) => after,
            None => &self.initial,
        }
    }
}

/// Checks a run from the initial state on, and that it ends as it says.
pub fn replay(network: &Network, run: &Run) -> Result<Replay, Refusal> {
    on_deep_stack(|| replay_asking(&Semantics::new(network), run, &[]))
}

/// As [`replay`], for a run that will be asked about these predicates: a lasso must be one for them too.
pub(crate) fn replay_asking(semantics: &Semantics, run: &Run, predicates: &[ExprId]) -> Result<Replay, Refusal> {
    let initial = semantics.initial()?;
    let mut state = initial.clone();
    let mut steps = Vec::with_capacity(run.steps.len());
    for (n, step) in run.steps.iter().enumerate() {
        let delayed = semantics.delay(&state, &step.delay).map_err(|refusal| refusal.at(n))?;
        let next = semantics.step(&delayed, &step.moves).map_err(|refusal| refusal.at(n))?;
        steps.push((delayed, next.clone()));
        state = next;
    }
    let last = semantics.delay(&state, &run.final_delay)?;
    let replay = Replay { initial, steps, last };
    match run.ending {
        Ending::Open => {}
        Ending::Lasso(to) => {
            if to >= run.steps.len() {
                let text = format!("the run has no step {} to go back to", to + 1);
                return Err(Refusal::new(Reason::NotALasso, text));
            }
            closes(semantics, replay.before(to), &replay.last, &bounds(semantics, predicates))?;
        }
        Ending::IdleForever => {
            if semantics.delays(&replay.last)?.to.is_some() {
                return Err(Refusal::new(Reason::NotIdle, "time cannot pass for ever after the last step"));
            }
        }
        Ending::Stuck => {
            if !semantics.is_deadlock(&replay.last)? {
                return Err(Refusal::new(Reason::NotStuck, "an action is still possible after the last step"));
            }
        }
    }
    Ok(replay)
}

/// Whether the second state can do what the first one could: same locations, same integers, and each clock either the same
/// or in both above every number that anything compares it with.
fn closes(semantics: &Semantics, first: &State, last: &State, bounds: &Bounds) -> Result<(), Refusal> {
    let refuse = |what: String| Err(Refusal::new(Reason::NotALasso, format!("the run does not close: {what} differs")));
    let network = semantics.network();
    for process in semantics.processes() {
        if first.discrete.locations[process.index()] != last.discrete.locations[process.index()] {
            return refuse(format!("the location of {}", network.process(process).name));
        }
    }
    for (cell, (a, b)) in first.discrete.ints.iter().zip(&last.discrete.ints).enumerate() {
        if a != b {
            return refuse(format!("`{}`", network.int_name(cell)));
        }
    }
    for (clock, (a, b)) in first.clocks.iter().zip(&last.clocks).enumerate() {
        if a != b && !(bounds.is_beyond(clock, a) && bounds.is_beyond(clock, b)) {
            return refuse(format!("the clock `{}`", network.clock_name(model::network::ClockId::new(clock))));
        }
    }
    Ok(())
}
