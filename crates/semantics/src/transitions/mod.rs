//! The action transitions that a discrete state allows, by integers alone: each with its participants and the clock
//! constraints under which it exists.
//!
//! The order of the list is fixed: internal edges, then synchronisations, by process, edge and branch. A label names a
//! transition of a discrete state for good, see [`Transition::label`].

mod broadcast;
mod combinations;
mod enumerator;
mod sink;

pub(crate) use combinations::Combinations;
pub use combinations::Path;
pub use enumerator::{Enumerator, has_committed};
pub(crate) use sink::{BATCH, Sink};

use crate::code::{ClockBound, RunError};
use model::network::ChannelId;
use std::ops::Range;

/// Clock valuations, of which a state has many or a moment one.
pub trait Valuations {
    /// Whether all bounds hold together for one of them. It may say so where they do not.
    fn admit(&mut self, bounds: &[ClockBound]) -> bool;
}

/// One process's part in a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    pub process: u32,
    /// Index into the expanded edges of the process's template.
    pub expanded: u32,
    pub branch: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    moves: Range<u32>,
    bounds: Range<u32>,
    /// Channel priority, then process priority.
    pub priority: (u32, u32),
    /// The channel, if any.
    pub channel: Option<ChannelId>,
    /// Names the transition among all of the discrete state, wherever its clocks are: the position in the list without the
    /// broadcasts whose receivers have clock guards, and for these the number of their [`Combinations`].
    pub label: u32,
}

/// A reusable list of transitions.
#[derive(Default, Debug)]
pub struct Transitions {
    list: Vec<Transition>,
    moves: Vec<Move>,
    bounds: Vec<ClockBound>,
    /// Guards that cannot be evaluated, and the clock constraints before the place where they fail.
    failures: Vec<(RunError, Range<u32>)>,
    /// How many labels are positions.
    numbered: u32,
    /// Other clock valuations may have other transitions.
    pub(crate) by_clocks: bool,
}

impl Transitions {
    pub fn new() -> Transitions {
        Transitions::default()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn get(&self, index: usize) -> &Transition {
        &self.list[index]
    }

    /// Where the transition with this label stands.
    pub fn position(&self, label: u32) -> Option<usize> {
        let is_it = |n: usize| self.list.get(n).is_some_and(|transition| transition.label == label);
        if is_it(label as usize) { Some(label as usize) } else { (0..self.list.len()).find(|n| is_it(*n)) }
    }

    /// The sender first, then the receivers in process order.
    pub fn moves(&self, index: usize) -> &[Move] {
        let range = &self.list[index].moves;
        &self.moves[range.start as usize..range.end as usize]
    }

    pub fn bounds(&self, index: usize) -> &[ClockBound] {
        let range = &self.list[index].bounds;
        &self.bounds[range.start as usize..range.end as usize]
    }

    /// What fails where these constraints hold: conjunctions are evaluated from left to right, as far as needed.
    pub fn failures(&self) -> impl Iterator<Item = (&RunError, &[ClockBound])> {
        self.failures.iter().map(|(error, range)| (error, &self.bounds[range.start as usize..range.end as usize]))
    }

    /// What fails wherever the clocks are.
    pub fn failure(&self) -> Option<RunError> {
        self.failures.iter().find(|(_, bounds)| bounds.is_empty()).map(|(error, _)| *error)
    }

    fn fail(&mut self, error: RunError, bounds: &[ClockBound]) {
        let first = self.bounds.len() as u32;
        self.bounds.extend_from_slice(bounds);
        self.failures.push((error, first..self.bounds.len() as u32));
    }

    /// Forgets what was listed, and goes on counting.
    fn next_batch(&mut self) {
        self.list.clear();
        self.moves.clear();
        let kept = self.failures.iter().map(|(_, bounds)| bounds.end).max().unwrap_or(0);
        self.bounds.truncate(kept as usize);
    }

    fn clear(&mut self) {
        self.list.clear();
        self.moves.clear();
        self.bounds.clear();
        self.failures.clear();
        self.numbered = 0;
        self.by_clocks = false;
    }

    /// Without a label the transition gets the next number.
    fn push(
        &mut self,
        moves: &[Move],
        bounds: &[&[ClockBound]],
        priority: (u32, u32),
        channel: Option<ChannelId>,
        label: Option<u32>,
    ) {
        let label = label.unwrap_or_else(|| {
            self.numbered += 1;
            self.numbered - 1
        });
        let (first_move, first_bound) = (self.moves.len() as u32, self.bounds.len() as u32);
        self.moves.extend_from_slice(moves);
        bounds.iter().for_each(|part| self.bounds.extend_from_slice(part));
        self.list.push(Transition {
            moves: first_move..self.moves.len() as u32,
            bounds: first_bound..self.bounds.len() as u32,
            priority,
            channel,
            label,
        });
    }
}
