//! The zone graph as a transition system: the initial state and the successors of a state.

use super::{Scratch, State, ZoneGraph};
use crate::code::{Discrete, RunError};
use search::system::{TransitionSystem, Visit, VisitInitial};
use std::ops::ControlFlow;
use zones::Source;

impl ZoneGraph<'_> {
    /// Puts the initial state into the target, up to its invariants and the passing of time.
    pub(crate) fn begin(&self, scratch: &mut Scratch) {
        scratch.target.discrete = Discrete::initial(self.network());
        scratch.target.words.resize(self.packing.words(), 0);
        self.packing.pack(&scratch.target.discrete, &mut scratch.target.words);
        self.mark(&mut scratch.target);
        self.activate(scratch);
        let clocks = &self.network().clocks;
        let Scratch { target, sources, .. } = scratch;
        sources.clear();
        sources.extend(target.clocks.iter().map(
            |clock| match clocks.get(*clock as usize).map(|clock| clock.initial) {
                Some(model::network::ClockInitial::Int(value)) => Source::Value(self.settable(value.max(0))),
                Some(model::network::ClockInitial::Double(_)) => Source::Free,
                None => Source::Value(0),
            },
        ));
        target.zone.set_zero(1);
        target.zone.remap(sources);
    }
}

impl TransitionSystem for ZoneGraph<'_> {
    type State = State;
    /// See [`crate::transitions::Transition::label`].
    type Label = u32;
    type Scratch = Scratch;
    type Error = RunError;

    fn initial(&self, scratch: &mut Scratch, visit: &mut VisitInitial<'_, Self>) -> Result<(), RunError> {
        self.begin(scratch);
        if self.settle(scratch)? {
            let _ = visit(&scratch.target);
        }
        Ok(())
    }

    fn successors(&self, scratch: &mut Scratch, from: &State, visit: &mut Visit<'_, Self>) -> Result<(), RunError> {
        if self.structure.has_priorities {
            self.enumerate(scratch, from);
            // What fails might have kept others from happening.
            self.no_guard_fails(scratch, from)?;
            return self.successors_by_priority(scratch, from, visit);
        }
        let (mut result, mut is_first, mut is_over) = (Ok(()), true, false);
        self.each_batch(scratch, from, &mut |scratch| {
            if std::mem::take(&mut is_first) {
                result = self.no_guard_fails(scratch, from);
            }
            for index in 0..scratch.transitions.len() {
                if !self.guard(scratch, from, index) {
                    continue;
                }
                match self.take(scratch, from, index) {
                    Ok(true) => {
                        let goes_on = visit(scratch.transitions.get(index).label, &scratch.target);
                        if goes_on.is_break() {
                            is_over = true;
                            return goes_on;
                        }
                    }
                    Ok(false) => {}
                    Err(error) => result = result.and(Err(error)),
                }
            }
            ControlFlow::Continue(())
        });
        if is_over { Ok(()) } else { result }
    }
}
