//! Following one path of the graph in parts exactly: its last states, and what exact times for it must meet.

use super::{Asked, PartGraph, PartScratch, PartState, Phase, Step};
use crate::code::{ClockBound, RunError};
use crate::concretise::{Leg, bounds_of};
use model::network::Relation;
use std::ops::ControlFlow;
use zones::{Source, Zone};

/// The exact end of a path.
pub struct FollowedParts {
    pub state: PartState,
    pub legs: Vec<Leg>,
}

/// So many ends are followed at once; priorities cut zones in pieces, and each may be an end.
const MOST_ENDS: usize = 64;

/// A leg, and the one before it.
struct Link {
    leg: Leg,
    before: Option<usize>,
}

impl PartGraph<'_, '_> {
    /// The exact states at the end of a path. None where it exists only by approximation.
    pub fn follow(&self, steps: &[Step]) -> Result<Vec<FollowedParts>, RunError> {
        let scratch = &mut PartScratch::exact();
        let mut links: Vec<Link> = Vec::new();
        let mut ends: Vec<(PartState, Option<usize>)> = Vec::new();
        self.starts(scratch, &mut |_, state, _| {
            ends.push((state.clone(), None));
            ControlFlow::Continue(())
        })?;
        for step in steps {
            let mut next = Vec::new();
            for (from, before) in ends {
                for (state, piece) in self.take(scratch, &from, *step)? {
                    let leg = self.leg(scratch, &from, *step, &state, piece.as_ref())?;
                    links.push(Link { leg, before });
                    next.push((state, Some(links.len() - 1)));
                }
            }
            next.truncate(MOST_ENDS);
            ends = next;
        }
        let followed = |(state, last): (PartState, Option<usize>)| {
            let mut legs = Vec::with_capacity(steps.len());
            let mut cursor = last;
            while let Some(link) = cursor.and_then(|n| links.get(n)) {
                legs.push(link.leg.clone());
                cursor = link.before;
            }
            legs.reverse();
            FollowedParts { state, legs }
        };
        Ok(ends.into_iter().map(followed).collect())
    }

    /// The states that a step leads to, each with the piece of the source that it was taken from where priorities cut it.
    fn take(
        &self,
        scratch: &mut PartScratch,
        from: &PartState,
        step: Step,
    ) -> Result<Vec<(PartState, Option<Zone>)>, RunError> {
        let mut found = Vec::new();
        let visit = &mut |label: Step, state: &PartState, piece: Option<&Zone>| {
            if label == step {
                found.push((state.clone(), piece.cloned()));
            }
            ControlFlow::Continue(())
        };
        let _ = match step {
            Step::Action { transition, .. } => self.actions(scratch, from, Some(transition), visit)?,
            Step::ToFirst { .. } | Step::FromLast { .. } => self.crossings(scratch, from, visit)?,
            Step::Trigger { .. } => self.trigger(scratch, from, visit)?,
            Step::Tick => self.tick(scratch, from, visit)?,
        };
        Ok(found)
    }

    fn leg(
        &self,
        scratch: &mut PartScratch,
        from: &PartState,
        step: Step,
        to: &PartState,
        piece: Option<&Zone>,
    ) -> Result<Leg, RunError> {
        let (inside, next) = (self.bounds(scratch, from)?, self.bounds(scratch, to)?);
        Ok(match step {
            Step::Action { transition, .. } => {
                let mut before = inside;
                before.extend(piece.into_iter().flat_map(|piece| self.bounds_of_piece(&from.state.clocks, piece)));
                Leg { transition: Some(transition), before, after: next }
            }
            Step::ToFirst { .. } => Leg { transition: None, before: bordering(&inside, Border::Behind), after: next },
            Step::FromLast { .. } => {
                let mut before = inside;
                before.extend(bordering(&next, Border::Ahead));
                Leg { transition: None, before, after: Vec::new() }
            }
            Step::Trigger { case, .. } => {
                let mut before = self.case_bounds(scratch, from, case as usize)?;
                before.extend(inside);
                Leg { transition: None, before, after: next }
            }
            Step::Tick => Leg { transition: None, before: inside, after: Vec::new() },
        })
    }

    /// What cuts out the part of a state.
    pub fn bounds(&self, scratch: &mut PartScratch, state: &PartState) -> Result<Vec<ClockBound>, RunError> {
        if state.phase == Phase::Before || !self.cut_up_own(scratch, state, state.phase)? {
            return Ok(Vec::new());
        }
        let part = scratch.parts.get(state.part as usize);
        Ok(part.map_or(Vec::new(), |part| part.bounds(&state.state.clocks)))
    }

    /// A zone over the clocks of a state as bounds on clocks of the network.
    pub fn bounds_of_piece(&self, clocks: &[u32], piece: &Zone) -> Vec<ClockBound> {
        let known = self.graph.network().clocks.len() as u32;
        let kept = || clocks.iter().enumerate().filter(|(_, clock)| **clock < known);
        let mut piece = piece.clone();
        piece.remap(&kept().map(|(n, _)| Source::Keep(n as u32 + 1)).collect::<Vec<Source>>());
        bounds_of(&kept().map(|(_, clock)| *clock).collect::<Vec<u32>>(), &piece)
    }

    /// Where a case of the trigger holds.
    fn case_bounds(
        &self,
        scratch: &mut PartScratch,
        from: &PartState,
        case: usize,
    ) -> Result<Vec<ClockBound>, RunError> {
        let Asked::Unanswered { from: trigger, .. } = self.asked else { return Ok(Vec::new()) };
        if !self.cut_up_own(scratch, from, Phase::Within)? {
            return Ok(Vec::new());
        }
        let zones = self.triggers(scratch, trigger)?;
        Ok(zones.get(case).map_or(Vec::new(), |zone| self.bounds_of_piece(&from.state.clocks, zone)))
    }
}

/// On which side of a moment a part lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Border {
    Behind,
    Ahead,
}

/// What holds at a moment right behind or right ahead of which the bounds hold, see [`zones::Zone::right_after`].
fn bordering(bounds: &[ClockBound], border: Border) -> Vec<ClockBound> {
    let at = |bound: &ClockBound| {
        let weak = match (bound.plus, bound.minus) {
            (Some(_), None) => border == Border::Behind,
            (None, Some(_)) => border == Border::Ahead,
            _ => return *bound,
        };
        ClockBound { relation: if weak { Relation::Le } else { Relation::Lt }, ..*bound }
    };
    bounds.iter().map(at).collect()
}
