//! Where transitions go as they are found: a list, which is handed on in batches.
//!
//! A broadcast that n processes can hear in k ways each gives k^n transitions. So whoever goes through them looks at a batch
//! before the next is put together, and may stop. The [`allowance`] is asked for each.

use super::{Move, Transitions};
use crate::code::ClockBound;
use model::network::ChannelId;
use std::ops::ControlFlow;

/// How many are handed on together: enough that it costs nothing, and few to hold.
pub(crate) const BATCH: usize = 1024;

type Take<'a> = &'a mut dyn FnMut(&mut Transitions) -> ControlFlow<()>;

pub(crate) struct Sink<'a> {
    pub out: &'a mut Transitions,
    take: Option<Take<'a>>,
    /// Only the transition with this label is of interest.
    pub wanted: Option<u32>,
    /// Nothing is handed on yet.
    pub waits: bool,
    /// No more are wanted.
    pub is_done: bool,
}

impl<'a> Sink<'a> {
    /// Batches go to `take`, which may stop it all.
    pub fn new(out: &'a mut Transitions, take: Take<'a>) -> Sink<'a> {
        Sink { out, take: Some(take), wanted: None, waits: false, is_done: false }
    }

    /// All stay in the list.
    pub fn whole(out: &'a mut Transitions) -> Sink<'a> {
        Sink { out, take: None, wanted: None, waits: false, is_done: false }
    }

    pub fn push(
        &mut self,
        moves: &[Move],
        bounds: &[&[ClockBound]],
        priority: (u32, u32),
        channel: Option<ChannelId>,
        label: Option<u32>,
    ) {
        self.out.push(moves, bounds, priority, channel, label);
        if self.out.len() >= BATCH && !self.waits {
            self.hand_on();
        }
        self.is_done |= allowance::is_over();
    }

    /// There are no more. The last batch stays in the list.
    pub fn end(&mut self) {
        if let (false, Some(take)) = (self.is_done, &mut self.take) {
            self.is_done = take(self.out).is_break();
        }
    }

    /// A batch that was the last one stays in the list.
    fn hand_on(&mut self) {
        let Some(take) = &mut self.take else { return };
        match take(self.out) {
            ControlFlow::Break(()) => self.is_done = true,
            ControlFlow::Continue(()) => self.out.next_batch(),
        }
    }
}
