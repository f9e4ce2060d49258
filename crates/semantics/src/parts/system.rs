//! The graph in parts as a transition system: actions, delays into the next part, triggers and ticks.

use super::{Asked, PartGraph, PartScratch};
use crate::code::RunError;
use crate::zone_graph::{Precondition, State, ZoneGraph};
use search::system::{Covering, Relation, TransitionSystem, Visit, VisitInitial};
use std::ops::ControlFlow;
use zones::{Constraint, Packed, Zone};

/// How far a run has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Phase {
    /// The trigger has not been seen; there are no parts yet.
    Before,
    #[default]
    Within,
    /// The last step was a tick.
    Ticked,
}

/// A symbolic state within one part.
#[derive(Clone)]
pub struct PartState {
    pub state: State,
    /// The number of its part among those of the discrete state.
    pub part: u32,
    /// Whether the part is to be visited.
    pub marked: bool,
    pub phase: Phase,
    packed: Packed,
}

impl Default for PartState {
    fn default() -> PartState {
        PartState { state: State::default(), part: 0, marked: false, phase: Phase::Within, packed: Packed::new() }
    }
}

/// One step out of a state. All but actions take no time themselves; the delay before a step stays within the part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Step {
    /// A transition, by its position among those of the discrete state, into a part of the target.
    Action { transition: u32, part: u32 },
    /// Time goes on into another part, which has a first moment.
    ToFirst { part: u32 },
    /// Time goes on into another part from the last moment of this one.
    FromLast { part: u32 },
    /// The trigger is seen, in one of its cases.
    Trigger { case: u32, part: u32 },
    #[default]
    Tick,
}

/// A visitor, and whether it has had enough.
type Visitor<'a, 'v> = &'a mut dyn FnMut(Step, &PartState, Option<&Zone>) -> ControlFlow<()>;

impl<'n> PartGraph<'_, 'n> {
    /// The parts of a state's own discrete state; its clocks and invariants are then in `scratch.inner`.
    pub(super) fn cut_up_own(
        &self,
        scratch: &mut PartScratch,
        from: &PartState,
        phase: Phase,
    ) -> Result<bool, RunError> {
        scratch.inner.start_from(&from.state);
        self.graph.activate(&mut scratch.inner);
        if !self.graph.invariants(&mut scratch.inner)? {
            return Ok(false);
        }
        self.cut_up(scratch, phase)?;
        Ok(true)
    }

    /// The target is entered with its zone as it stands in `scratch.inner.target`: in each of its parts.
    fn arrive(
        &self,
        scratch: &mut PartScratch,
        phase: Phase,
        step: &dyn Fn(u32) -> Step,
        piece: Option<&Zone>,
        visit: Visitor,
    ) -> Result<ControlFlow<()>, RunError> {
        if !self.graph.invariants(&mut scratch.inner)? {
            return Ok(ControlFlow::Continue(()));
        }
        self.cut_up(scratch, phase)?;
        let several = (scratch.parts.len() > 1).then(|| scratch.inner.target.zone.clone());
        for part in 0..scratch.parts.len() {
            if let Some(entry) = &several {
                scratch.inner.target.zone.copy_from(entry);
            }
            if scratch.inner.target.zone.constrain_all(&scratch.parts[part].constraints)
                && self.settle(scratch, part, phase, step(part as u32), piece, visit)?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Lets time pass within the part that the target's zone lies in, and shows the state.
    fn settle(
        &self,
        scratch: &mut PartScratch,
        part: usize,
        phase: Phase,
        step: Step,
        piece: Option<&Zone>,
        visit: Visitor,
    ) -> Result<ControlFlow<()>, RunError> {
        if self.graph.time_passes(&mut scratch.inner) && !self.delay(scratch, part) {
            return Ok(ControlFlow::Continue(()));
        }
        Ok(self.show(scratch, part, phase, step, piece, visit))
    }

    /// Time passes as long as the part lasts. `false` when nothing of the target's zone comes into it.
    fn delay(&self, scratch: &mut PartScratch, part: usize) -> bool {
        let PartScratch { inner, parts, .. } = scratch;
        let constraints = &parts[part].constraints;
        if inner.stopped.contains(&true) {
            inner.target.zone.up_stopped(&inner.stopped);
        } else {
            inner.target.zone.up();
        }
        inner.target.zone.constrain_all(constraints)
    }

    /// Extrapolates the target's zone and shows it.
    fn show(
        &self,
        scratch: &mut PartScratch,
        part: usize,
        phase: Phase,
        step: Step,
        piece: Option<&Zone>,
        visit: Visitor,
    ) -> ControlFlow<()> {
        let marked = scratch.parts[part].marked;
        let cells = self.graph.extrapolate_cells(&mut scratch.inner);
        let PartScratch { inner, target, .. } = scratch;
        target.state.set_discrete(&inner.target);
        target.state.clocks.clone_from(&inner.target.clocks);
        (target.part, target.marked, target.phase) = (part as u32, marked, phase);
        let whole = std::slice::from_ref(&inner.target.zone);
        for cell in cells.as_deref().unwrap_or(whole) {
            target.state.zone.copy_from(cell);
            target.packed.set(cell);
            visit(step, target, piece)?;
        }
        ControlFlow::Continue(())
    }

    /// The actions out of a state; only one of them where that is asked for. The visitor also sees the piece of the zone
    /// in which the transition is taken, where priorities cut it.
    pub(super) fn actions(
        &self,
        scratch: &mut PartScratch,
        from: &PartState,
        only: Option<u32>,
        visit: Visitor,
    ) -> Result<ControlFlow<()>, RunError> {
        let graph = self.graph;
        if graph.structure.has_priorities {
            graph.enumerate(&mut scratch.inner, &from.state);
            // What fails might have kept others from happening.
            graph.no_guard_fails(&mut scratch.inner, &from.state)?;
            let preconditions = graph.preconditions(&mut scratch.inner, &from.state)?;
            return self.listed_actions(scratch, from, only, Some(&preconditions), visit);
        }
        let (mut result, mut is_first, mut is_over) = (Ok(()), true, false);
        // The batches are listed with the inner buffers while the outer ones are in use.
        let mut inner = std::mem::take(&mut scratch.inner);
        graph.each_batch(&mut inner, &from.state, &mut |inner| {
            if std::mem::take(&mut is_first) && only.is_none() {
                result = graph.no_guard_fails(inner, &from.state);
            }
            std::mem::swap(&mut scratch.inner, inner);
            let visited = self.listed_actions(scratch, from, only, None, visit);
            std::mem::swap(&mut scratch.inner, inner);
            match visited {
                Ok(goes_on) => {
                    is_over |= goes_on.is_break();
                    goes_on
                }
                Err(error) => {
                    result = result.and(Err(error));
                    ControlFlow::Continue(())
                }
            }
        });
        scratch.inner = inner;
        if is_over { Ok(ControlFlow::Break(())) } else { result.map(|()| ControlFlow::Continue(())) }
    }

    /// The actions among the listed transitions, where `preconditions` cut them by priorities.
    fn listed_actions(
        &self,
        scratch: &mut PartScratch,
        from: &PartState,
        only: Option<u32>,
        preconditions: Option<&[Precondition]>,
        visit: Visitor,
    ) -> Result<ControlFlow<()>, RunError> {
        let graph = self.graph;
        let phase = if from.phase == Phase::Before { Phase::Before } else { Phase::Within };
        let mut result = Ok(());
        for index in 0..scratch.inner.transitions.len() {
            let label = scratch.inner.transitions.get(index).label;
            if only.is_some_and(|only| only != label) {
                continue;
            }
            let step = |part| Step::Action { transition: label, part };
            let (count, pieces) = match preconditions {
                Some(preconditions) => {
                    let pieces = graph.pieces(&mut scratch.inner, &from.state, index, preconditions);
                    (pieces.len(), pieces)
                }
                None => (usize::from(graph.guard(&mut scratch.inner, &from.state, index)), Vec::new()),
            };
            for n in 0..count {
                let piece = pieces.get(n);
                if let Some(piece) = piece {
                    scratch.inner.guarded.copy_from(piece);
                }
                match self.act(scratch, from, index, (phase, &step, piece), visit) {
                    Ok(ControlFlow::Break(())) => return Ok(ControlFlow::Break(())),
                    Ok(ControlFlow::Continue(())) => {}
                    Err(error) => result = result.and(Err(error)),
                }
            }
        }
        result.map(|()| ControlFlow::Continue(()))
    }

    /// Takes a transition from `scratch.inner.guarded`.
    fn act(
        &self,
        scratch: &mut PartScratch,
        from: &PartState,
        index: usize,
        (phase, step, piece): (Phase, &dyn Fn(u32) -> Step, Option<&Zone>),
        visit: Visitor,
    ) -> Result<ControlFlow<()>, RunError> {
        match self.graph.transfer(&mut scratch.inner, &from.state, index)? {
            true => self.arrive(scratch, phase, step, piece, visit),
            false => Ok(ControlFlow::Continue(())),
        }
    }

    /// Time goes on from the state's part into the others.
    pub(super) fn crossings(
        &self,
        scratch: &mut PartScratch,
        from: &PartState,
        visit: Visitor,
    ) -> Result<ControlFlow<()>, RunError> {
        if from.phase == Phase::Before || !self.cut_up_own(scratch, from, from.phase)? || scratch.parts.len() < 2 {
            return Ok(ControlFlow::Continue(()));
        }
        if !self.graph.time_passes(&mut scratch.inner) {
            return Ok(ControlFlow::Continue(()));
        }
        let stopped = scratch.inner.stopped.clone();
        let behind = from.state.zone.right_after(&stopped);
        for part in (0..scratch.parts.len()).filter(|part| *part != from.part as usize) {
            let to = part as u32;
            let first = behind.clone().and_then(|mut zone| {
                zone.constrain_all(&scratch.parts[part].constraints).then_some((Step::ToFirst { part: to }, zone))
            });
            let last = scratch.parts[part].zone(from.state.zone.dim()).and_then(|zone| {
                let zone = intersection(zone.right_before(&stopped)?, &from.state.zone)?;
                Some((Step::FromLast { part: to }, zone))
            });
            for (step, zone) in first.into_iter().chain(last) {
                scratch.inner.target.zone.copy_from(&zone);
                if self.delay(scratch, part) && self.show(scratch, part, Phase::Within, step, None, visit).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The trigger is seen.
    pub(super) fn trigger(
        &self,
        scratch: &mut PartScratch,
        from: &PartState,
        visit: Visitor,
    ) -> Result<ControlFlow<()>, RunError> {
        let Asked::Unanswered { from: trigger, .. } = self.asked else { return Ok(ControlFlow::Continue(())) };
        if from.phase != Phase::Before || !self.cut_up_own(scratch, from, Phase::Within)? {
            return Ok(ControlFlow::Continue(()));
        }
        for (case, zone) in self.triggers(scratch, trigger)?.into_iter().enumerate() {
            let Some(entry) = intersection(zone, &from.state.zone) else { continue };
            for part in 0..scratch.parts.len() {
                let step = Step::Trigger { case: case as u32, part: part as u32 };
                scratch.inner.target.zone.copy_from(&entry);
                if scratch.inner.target.zone.constrain_all(&scratch.parts[part].constraints)
                    && self.settle(scratch, part, Phase::Within, step, None, visit)?.is_break()
                {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A time unit has passed since the last tick.
    pub(super) fn tick(
        &self,
        scratch: &mut PartScratch,
        from: &PartState,
        visit: Visitor,
    ) -> Result<ControlFlow<()>, RunError> {
        let Asked::Infinitely { ticks: Some(clock), .. } = self.asked else { return Ok(ControlFlow::Continue(())) };
        let position = from.state.clocks.iter().position(|active| *active == clock);
        let (Some(position), true, Phase::Within) = (position, from.marked, from.phase) else {
            return Ok(ControlFlow::Continue(()));
        };
        if !self.cut_up_own(scratch, from, from.phase)? || from.part as usize >= scratch.parts.len() {
            return Ok(ControlFlow::Continue(()));
        }
        let zone = &mut scratch.inner.target.zone;
        zone.copy_from(&from.state.zone);
        if !zone.constrain_all(&[Constraint::at_least(position + 1, 1)]) {
            return Ok(ControlFlow::Continue(()));
        }
        zone.reset(position + 1, 0);
        self.settle(scratch, from.part as usize, Phase::Ticked, Step::Tick, None, visit)
    }

    /// All steps out of a state; an error is told when those are through that do not need what failed.
    pub(super) fn steps(&self, scratch: &mut PartScratch, from: &PartState, visit: Visitor) -> Result<(), RunError> {
        let mut result = Ok(());
        for kind in 0..4 {
            let visited = match kind {
                0 => self.tick(scratch, from, visit),
                1 => self.trigger(scratch, from, visit),
                2 => self.actions(scratch, from, None, visit),
                _ => self.crossings(scratch, from, visit),
            };
            match visited {
                Ok(ControlFlow::Break(())) => return Ok(()),
                Ok(ControlFlow::Continue(())) => {}
                Err(error) => result = result.and(Err(error)),
            }
        }
        result
    }

    /// The initial states.
    pub(super) fn starts(&self, scratch: &mut PartScratch, visit: Visitor) -> Result<(), RunError> {
        let phase = match self.asked {
            Asked::Unanswered { .. } => Phase::Before,
            Asked::Always(_) | Asked::Infinitely { .. } => Phase::Within,
        };
        self.graph.begin(&mut scratch.inner);
        self.arrive(scratch, phase, &|part| Step::ToFirst { part }, None, visit).map(|_| ())
    }
}

fn intersection(mut zone: Zone, other: &Zone) -> Option<Zone> {
    let mut stored = Vec::new();
    other.store(&mut stored);
    zone.intersect(zones::ZoneRef::from_stored(other.dim(), &stored)).then_some(zone)
}

impl<'n> TransitionSystem for PartGraph<'_, 'n> {
    type State = PartState;
    type Label = Step;
    type Scratch = PartScratch;
    type Error = RunError;

    fn initial(&self, scratch: &mut PartScratch, visit: &mut VisitInitial<'_, Self>) -> Result<(), RunError> {
        self.starts(scratch, &mut |_, state, _| visit(state))
    }

    fn successors(
        &self,
        scratch: &mut PartScratch,
        from: &PartState,
        visit: &mut Visit<'_, Self>,
    ) -> Result<(), RunError> {
        self.steps(scratch, from, &mut |step, state, _| visit(step, state))
    }
}

impl<'n> Covering for PartGraph<'_, 'n> {
    type Unit = <ZoneGraph<'n> as Covering>::Unit;

    fn key_words(&self) -> usize {
        self.graph.key_words() + 1
    }

    fn key(&self, state: &PartState, words: &mut [u64]) {
        if let Some((last, words)) = words.split_last_mut() {
            self.graph.key(&state.state, words);
            let phase = match state.phase {
                Phase::Before => 0,
                Phase::Within => 1,
                Phase::Ticked => 2,
            };
            *last = u64::from(state.part) << 3 | u64::from(state.marked) << 2 | phase;
        }
    }

    fn pack(&self, state: &PartState, units: &mut Vec<Self::Unit>) {
        units.extend_from_slice(state.packed.units());
    }

    fn unpack(&self, key: &[u64], payload: &[Self::Unit], state: &mut PartState) {
        let Some((last, words)) = key.split_last() else { return };
        self.graph.unpack(words, payload, &mut state.state);
        state.packed.set(&state.state.zone);
        state.part = (last >> 3) as u32;
        state.marked = last >> 2 & 1 == 1;
        state.phase = match last & 3 {
            0 => Phase::Before,
            1 => Phase::Within,
            _ => Phase::Ticked,
        };
    }

    fn relate(&self, stored: &[Self::Unit], new: &PartState) -> Relation {
        if new.packed.is_covered_by(stored, None) {
            Relation::Covers
        } else if new.packed.covers(stored, None) {
            Relation::Covered
        } else {
            Relation::Neither
        }
    }
}
