//! Replaying a run: every delay and every step is checked, and every state on the way comes out.

use crate::bounds::{Bounds, bounds};
use crate::course::Course;
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

/// Looks on while a run is replayed.
pub(crate) trait Watch {
    /// After the delay of a step, counted from 0.
    fn delayed(&mut self, _n: usize, _course: &Course) -> Result<(), Refusal> {
        Ok(())
    }

    /// After its action.
    fn acted(&mut self, _n: usize, _course: &Course) -> Result<(), Refusal> {
        Ok(())
    }
}

/// Nobody looks.
impl Watch for () {}

impl Watch for Vec<(State, State)> {
    fn delayed(&mut self, _: usize, course: &Course) -> Result<(), Refusal> {
        let state = course.state()?;
        self.push((state.clone(), state));
        Ok(())
    }

    fn acted(&mut self, _: usize, course: &Course) -> Result<(), Refusal> {
        if let Some((_, after)) = self.last_mut() {
            *after = course.state()?;
        }
        Ok(())
    }
}

/// As [`replay`], for a run that will be asked about these predicates: a lasso must be one for them too.
pub(crate) fn replay_asking(semantics: &Semantics, run: &Run, predicates: &[ExprId]) -> Result<Replay, Refusal> {
    let mut course = Course::new(semantics)?;
    let initial = course.state()?;
    let mut steps = Vec::with_capacity(run.steps.len());
    let last = walk(semantics, run, predicates, &mut course, &mut steps)?;
    Ok(Replay { initial, steps, last })
}

/// Replays a run from the state that the course is in, and checks that it ends as it says. Gives the last state.
pub(crate) fn walk(
    semantics: &Semantics,
    run: &Run,
    predicates: &[ExprId],
    course: &mut Course,
    watch: &mut impl Watch,
) -> Result<State, Refusal> {
    let mut back = None;
    for (n, step) in run.steps.iter().enumerate() {
        if run.ending == Ending::Lasso(n) {
            back = Some(course.state()?);
        }
        course.delay(&step.delay).map_err(|refusal| refusal.at(n))?;
        watch.delayed(n, course)?;
        course.step(&step.moves).map_err(|refusal| refusal.at(n))?;
        watch.acted(n, course)?;
    }
    course.delay(&run.final_delay)?;
    let last = course.state()?;
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
