//! Compares what a walk knows without looking with what looking at everything says: the check behind the tests of the
//! incremental engine.

use crate::walker::Walker;
use semantics::code::RunError;
use semantics::concrete::{Candidate, System, TimedState};

/// The state of the same run, by the semantics from scratch.
pub struct Shadow<'s, 'n> {
    system: System<'s, 'n>,
    pub state: TimedState,
}

impl<'s, 'n> Shadow<'s, 'n> {
    /// `None` when the invariants do not hold at the start.
    pub fn new(mut system: System<'s, 'n>) -> Result<Option<Shadow<'s, 'n>>, RunError> {
        let state = system.initial()?;
        Ok(state.map(|state| Shadow { system, state }))
    }

    /// What differs: the state, how long time may pass, or which transitions are possible when.
    pub fn difference(&mut self, walker: &mut Walker) -> Result<Option<String>, RunError> {
        if *walker.discrete() != self.state.discrete {
            return Ok(Some(format!("the states differ: {:?} and {:?}", walker.discrete(), self.state.discrete)));
        }
        if !walker.clocks().agree_from(&self.state.clocks, self.state.now) {
            return Ok(Some(format!("the clocks differ: {:?} and {:?}", walker.clocks(), self.state.clocks)));
        }
        let until = self.system.until(&self.state)?;
        if walker.until() != until {
            return Ok(Some(format!("time may pass until {} or {until}", walker.until())));
        }
        if !walker.pool_is_right() {
            return Ok(Some("the pool holds an edge that it must not hold, or lacks one".to_owned()));
        }
        let mut expected = self.system.candidates(&self.state)?;
        let mut listed = Vec::new();
        walker.candidates(&mut listed)?;
        let mut found = Vec::with_capacity(listed.len());
        for (ticket, window) in listed {
            let Some(whole) = walker.attempt(ticket)? else {
                return Ok(Some("a transition is possible once and then not".to_owned()));
            };
            found.push(Candidate { moves: walker.moves().to_vec(), window: whole.meet(window) });
            walker.retract();
        }
        expected.iter_mut().chain(&mut found).for_each(|one| one.moves.sort());
        expected.sort();
        found.sort();
        Ok((found != expected).then(|| format!("{found:?} instead of {expected:?}")))
    }

    /// Follows a step of the walk.
    pub fn take(&mut self, walker: &Walker, moment: i64) -> Result<(), RunError> {
        self.system.take(&mut self.state, walker.moves(), moment)
    }
}
