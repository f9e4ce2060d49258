//! Following one path exactly: zones as they are, the pieces that priorities cut them into kept apart.

use super::{Scratch, State, ZoneGraph};
use crate::code::{ClockBound, RunError};
use crate::concretise::bounds_of;
use search::system::TransitionSystem;
use std::ops::ControlFlow;

/// The exact end of a path.
pub struct Followed {
    pub state: State,
    /// For each step what holds when it is taken beside its guard: where priorities cut a zone in pieces, the piece.
    pub further: Vec<Vec<ClockBound>>,
}
impl ZoneGraph<'_> {
    /// The exact states at the end of a path. There may be several where priorities cut a zone in pieces, and none where
    /// the path exists only by approximation.
    pub fn follow(&self, labels: &[u32]) -> Result<Vec<Followed>, RunError> {
        let mut scratch = Scratch::exact();
        let mut ends = Vec::new();
        self.initial(&mut scratch, &mut |state| {
            ends.push(Followed { state: state.clone(), further: Vec::new() });
            ControlFlow::Continue(())
        })?;
        for label in labels {
            let mut next = Vec::new();
            for end in ends {
                self.follow_one(&mut scratch, end, *label, &mut next)?;
            }
            ends = next;
        }
        Ok(ends)
    }

    fn follow_one(
        &self,
        scratch: &mut Scratch,
        end: Followed,
        label: u32,
        next: &mut Vec<Followed>,
    ) -> Result<(), RunError> {
        let Followed { state: from, mut further } = end;
        let from = &from;
        self.enumerate(scratch, from);
        let Some(index) = scratch.transitions.position(label) else { return Ok(()) };
        if !self.structure.has_priorities {
            if self.guard(scratch, from, index) && self.take(scratch, from, index)? {
                next.push(Followed { state: scratch.target.clone(), further: Vec::new() });
            }
            return Ok(());
        }
        let preconditions = self.preconditions(scratch, from)?;
        let pieces = self.pieces(scratch, from, index, &preconditions);
        for (n, piece) in pieces.iter().enumerate() {
            // Where nothing was cut off the guard says it all.
            let whole = pieces.len() == 1 && self.guard(scratch, from, index) && scratch.guarded == *piece;
            scratch.guarded.copy_from(piece);
            if self.take(scratch, from, index)? {
                let mut all = if n + 1 == pieces.len() { std::mem::take(&mut further) } else { further.clone() };
                all.push(if whole { Vec::new() } else { bounds_of(&from.clocks, piece) });
                next.push(Followed { state: scratch.target.clone(), further: all });
            }
        }
        Ok(())
    }
}
