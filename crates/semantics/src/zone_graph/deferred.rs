//! Successors in two stages: a sketch is the discrete part alone, and its zone is built when a search takes it up.
//!
//! A sketch exists where each constraint of its guard alone can hold; whether they can hold together, and whether anything is
//! left after the invariants, is found out when it is completed. The transitions of the discrete state that was looked at last
//! are kept: a search that goes on with a successor does not list them again.

use super::{Scratch, State, ZoneGraph};
use crate::code::{Discrete, RunError};
use crate::transitions::{BATCH, Move};
use model::network::ChannelId;
use search::system::{Deferred, VisitInitial};
use std::ops::ControlFlow;

/// A successor without its zone.
#[derive(Clone, Copy)]
pub struct Sketch<'s> {
    pub source: &'s Discrete,
    pub target: &'s Discrete,
    /// The target, packed.
    pub words: &'s [u64],
    /// Who moves.
    pub moves: &'s [Move],
    pub channel: Option<ChannelId>,
    /// The cells that were written, some perhaps twice, with what they held before.
    pub written: &'s [(u32, i32)],
}

impl State {
    /// The discrete part, packed.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl ZoneGraph<'_> {
    /// Lists the transitions of a state, unless they are listed already, and enters it.
    fn list(&self, scratch: &mut Scratch, from: &State) {
        if scratch.listed == from.words {
            self.enter(scratch, from);
            return;
        }
        self.enumerate(scratch, from);
        self.keep_list(scratch, from);
    }

    /// The transitions of a state are all listed: they need not be again, unless they depend on the clocks.
    fn keep_list(&self, scratch: &mut Scratch, from: &State) {
        if !scratch.transitions.by_clocks && allowance::cause().is_none() {
            scratch.listed.clone_from(&from.words);
        }
    }

    /// The position of a transition among those listed then; the state is entered.
    fn find(&self, scratch: &mut Scratch, from: &State, label: u32) -> Option<usize> {
        if self.structure.has_priorities || scratch.listed == from.words {
            self.list(scratch, from);
            return scratch.transitions.position(label);
        }
        let (mut found, mut is_all) = (None, true);
        self.each_batch(scratch, from, &mut |scratch| {
            found = scratch.transitions.position(label);
            is_all &= scratch.transitions.len() < BATCH;
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if is_all {
            self.keep_list(scratch, from);
        }
        found
    }

    /// Whether each constraint of a guard alone can hold.
    fn may_be_enabled(&self, scratch: &mut Scratch, from: &State, index: usize) -> bool {
        let Scratch { transitions, constraints, index: source_index, .. } = scratch;
        constraints.clear();
        for bound in transitions.bounds(index) {
            self.constrain(bound, source_index, constraints);
        }
        constraints.iter().all(|constraint| from.zone.admits(*constraint))
    }

    /// Visits the sketches of all listed transitions.
    fn visit_sketches(
        &self,
        scratch: &mut Scratch,
        from: &State,
        result: &mut Result<(), RunError>,
        visit: &mut dyn FnMut(u32, Sketch<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for index in 0..scratch.transitions.len() {
            if !self.may_be_enabled(scratch, from, index) {
                continue;
            }
            match self.visit_sketch(scratch, from, index, &mut *visit) {
                Ok(goes_on) => goes_on?,
                Err(error) => *result = (*result).and(Err(error)),
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits one sketch, if there is one.
    fn visit_sketch(
        &self,
        scratch: &mut Scratch,
        from: &State,
        index: usize,
        visit: impl FnOnce(u32, Sketch<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, RunError> {
        if let Err(error) = self.update(scratch, from, index) {
            // An update fails only where the guard holds.
            let fails = if self.structure.has_priorities {
                let preconditions = self.preconditions(scratch, from)?;
                !self.pieces(scratch, from, index, &preconditions).is_empty()
            } else {
                self.guard(scratch, from, index)
            };
            return if fails { Err(error) } else { Ok(ControlFlow::Continue(())) };
        }
        let Scratch { transitions, effects, target, .. } = scratch;
        let sketch = Sketch {
            source: &from.discrete,
            target: &target.discrete,
            words: &target.words,
            moves: transitions.moves(index),
            channel: transitions.get(index).channel,
            written: &effects.written,
        };
        Ok(visit(transitions.get(index).label, sketch))
    }
}

impl Deferred for ZoneGraph<'_> {
    type Sketch<'s> = Sketch<'s>;

    fn sketches(
        &self,
        scratch: &mut Scratch,
        from: &State,
        mut visit: impl FnMut(u32, Sketch<'_>) -> ControlFlow<()>,
    ) -> Result<(), RunError> {
        if self.structure.has_priorities || scratch.listed == from.words {
            self.list(scratch, from);
            let mut result = self.no_guard_fails(scratch, from);
            if self.structure.has_priorities {
                result?;
            }
            let is_over = self.visit_sketches(scratch, from, &mut result, &mut visit).is_break();
            return if is_over { Ok(()) } else { result };
        }
        let (mut result, mut is_first, mut is_over, mut is_all) = (Ok(()), true, false, true);
        self.each_batch(scratch, from, &mut |scratch| {
            if std::mem::take(&mut is_first) {
                result = self.no_guard_fails(scratch, from);
            }
            is_all &= scratch.transitions.len() < BATCH;
            let goes_on = self.visit_sketches(scratch, from, &mut result, &mut visit);
            is_over = goes_on.is_break();
            goes_on
        });
        if is_all {
            self.keep_list(scratch, from);
        }
        if is_over { Ok(()) } else { result }
    }

    fn sketch(
        &self,
        scratch: &mut Scratch,
        from: &State,
        label: u32,
        visit: impl FnOnce(u32, Sketch<'_>) -> ControlFlow<()>,
    ) -> Result<(), RunError> {
        if let Some(index) = self.find(scratch, from, label)
            && self.may_be_enabled(scratch, from, index)
        {
            let _ = self.visit_sketch(scratch, from, index, visit)?;
        }
        Ok(())
    }

    fn complete(
        &self,
        scratch: &mut Scratch,
        from: &State,
        label: u32,
        visit: &mut VisitInitial<'_, Self>,
    ) -> Result<(), RunError> {
        let Some(index) = self.find(scratch, from, label) else { return Ok(()) };
        if !self.structure.has_priorities {
            if self.guard(scratch, from, index) && self.take(scratch, from, index)? {
                let _ = visit(&scratch.target);
            }
            return Ok(());
        }
        let preconditions = self.preconditions(scratch, from)?;
        for piece in self.pieces(scratch, from, index, &preconditions) {
            scratch.guarded.copy_from(&piece);
            if self.take(scratch, from, index)?
                && let ControlFlow::Break(()) = visit(&scratch.target)
            {
                break;
            }
        }
        Ok(())
    }
}
