//! The graph that a search has recorded as a system of its own: states are ids, steps are what was written down. So a search for
//! components can go over it without generating anything again.

use crate::deep_lassos::Known;
use crate::lasso::Marks;
use crate::per_state::{PerState, StateId};
use crate::runs::{Runs, Start};
use crate::system::{Covering, Relation, TransitionSystem, Visit, VisitInitial};
use std::convert::Infallible;
use std::fmt;

/// Recorded steps: those of a state are a range of all edges.
pub(crate) struct Recorded<'r, L> {
    pub initial: &'r [StateId],
    pub edges: &'r [(L, StateId)],
    pub ranges: &'r PerState<(u32, u32)>,
}

impl<L: Copy + Default + PartialEq + fmt::Debug> TransitionSystem for Recorded<'_, L> {
    type State = u32;
    type Label = L;
    type Scratch = ();
    type Error = Infallible;

    fn initial(&self, (): &mut (), visit: &mut VisitInitial<'_, Self>) -> Result<(), Infallible> {
        let _ = self.initial.iter().try_for_each(|id| visit(&id.raw()));
        Ok(())
    }

    fn successors(&self, (): &mut (), from: &u32, visit: &mut Visit<'_, Self>) -> Result<(), Infallible> {
        let (first, end) = self.ranges.at(StateId::from_raw(*from));
        let steps = self.edges.get(first as usize..end as usize).unwrap_or_default();
        let _ = steps.iter().try_for_each(|(label, to)| visit(*label, &to.raw()));
        Ok(())
    }
}

impl<L: Copy + Default + PartialEq + fmt::Debug> Covering for Recorded<'_, L> {
    type Unit = u8;

    fn key_words(&self) -> usize {
        1
    }

    fn key(&self, state: &u32, words: &mut [u64]) {
        words[0] = u64::from(*state);
    }

    fn pack(&self, _: &u32, _: &mut Vec<u8>) {}

    fn unpack(&self, key: &[u64], _: &[u8], state: &mut u32) {
        *state = key[0] as u32;
    }

    fn relate(&self, _: &[u8], _: &u32) -> Relation {
        Relation::Covers
    }
}

/// The runs looked for, as they were judged when the states were visited. None of these ends.
pub(crate) struct RecordedRuns<'r> {
    pub start: Start,
    pub wanted: Marks,
    pub known: &'r PerState<Known>,
    pub marks: &'r PerState<Marks>,
}

impl<L: Copy + Default + PartialEq + fmt::Debug> Runs<Recorded<'_, L>> for RecordedRuns<'_> {
    fn start(&self) -> Start {
        self.start
    }

    fn starts(&mut self, _: &Recorded<'_, L>, state: &u32) -> Result<bool, Infallible> {
        Ok(self.known.at(StateId::from_raw(*state)) == Known::Within)
    }

    fn stays(&mut self, _: &Recorded<'_, L>, state: &u32) -> Result<bool, Infallible> {
        Ok(self.known.at(StateId::from_raw(*state)) == Known::Within)
    }

    fn wanted(&self) -> Marks {
        self.wanted
    }

    fn marks(&mut self, _: &Recorded<'_, L>, state: &u32) -> Result<Marks, Infallible> {
        Ok(self.marks.at(StateId::from_raw(*state)))
    }
}
