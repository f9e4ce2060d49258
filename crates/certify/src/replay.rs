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

/// As [`replay`], for runs too long to keep every state: each is shown once. The visitor sees a step's number, the state
/// after its delay and the state after its action; the result is the last state.
pub fn replay_each(
    network: &Network,
    run: &Run,
    visit: &mut (dyn FnMut(usize, &State, &State) + Send),
) -> Result<State, Refusal> {
    on_deep_stack(|| {
        let semantics = Semantics::new(network);
        walk(&semantics, run, &[], semantics.initial()?, visit)
    })
}

/// As [`replay`], for a run that will be asked about these predicates: a lasso must be one for them too.
pub(crate) fn replay_asking(semantics: &Semantics, run: &Run, predicates: &[ExprId]) -> Result<Replay, Refusal> {
    let initial = semantics.initial()?;
    let mut steps = Vec::with_capacity(run.steps.len());
    let mut keep = |_: usize, delayed: &State, next: &State| steps.push((delayed.clone(), next.clone()));
    let last = walk(semantics, run, predicates, initial.clone(), &mut keep)?;
    Ok(Replay { initial, steps, last })
}

fn walk(
    semantics: &Semantics,
    run: &Run,
    predicates: &[ExprId],
    initial: State,
    visit: &mut dyn FnMut(usize, &State, &State),
) -> Result<State, Refusal> {
    let mut state = initial;
    let mut back = None;
    for (n, step) in run.steps.iter().enumerate() {
        if run.ending == Ending::Lasso(n) {
            back = Some(state.clone());
        }
        let delayed = semantics.delay(&state, &step.delay).map_err(|refusal| refusal.at(n))?;
        let next = semantics.step(&delayed, &step.moves).map_err(|refusal| refusal.at(n))?;
        visit(n, &delayed, &next);
        state = next;
    }
    let last = semantics.delay(&state, &run.final_delay)?;
    match (run.ending, back) {
        (Ending::Open, _) => {}
        (Ending::Lasso(_), Some(back)) => closes(semantics, &back, &last, &bounds(semantics, predicates))?,
        (Ending::Lasso(to), None) => {
            let text = format!("the run has no step {} to go back to", to.saturating_add(1));
            return Err(Refusal::new(Reason::NotALasso, text));
        }
        (Ending::IdleForever, _) => {
            if semantics.delays(&last)?.to.is_some() {
                return Err(Refusal::new(Reason::NotIdle, "time cannot pass for ever after the last step"));
            }
        }
        (Ending::Stuck, _) => {
            if !semantics.is_deadlock(&last)? {
                return Err(Refusal::new(Reason::NotStuck, "an action is still possible after the last step"));
            }
        }
    }
    Ok(last)
}

/// Whether the second state can do what the first one could: same locations, same integers, and each clock either the same
/// or in both above every number that anything compares it with, and differences that are compared likewise.
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
    let name = |clock: usize| network.clock_name(model::network::ClockId::new(clock));
    for (clock, (a, b)) in first.clocks.iter().zip(&last.clocks).enumerate() {
        if a != b && !(bounds.is_beyond(clock, a) && bounds.is_beyond(clock, b)) {
            return refuse(format!("the clock `{}`", name(clock)));
        }
    }
    if let Some((plus, minus)) = bounds.told_apart(&first.clocks, &last.clocks) {
        return refuse(format!("`{} - {}`", name(plus), name(minus)));
    }
    Ok(())
}
