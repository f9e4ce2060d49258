//! Which steps are possible in a pair within a window of time, and drawing one of them.

use crate::component::{LocalEdge, LocalState};
use crate::pair_walk::{Pick, Walk};
use crate::walk_plan::Part;
use crate::walks::{Choice, NEVER};
use crate::world::Step;
use semantics::concrete::Window;
use semantics::random::Random;

/// The edges of a leaf for an action, and the place of the first.
fn edges(local: &LocalState, part: Part, action: u32) -> (usize, &[LocalEdge]) {
    let list = if part.output { &local.outputs } else { &local.inputs };
    let first = list.partition_point(|edge| edge.action < action);
    let count = list[first..].iter().take_while(|edge| edge.action == action).count();
    (first, &list[first..first + count])
}

/// A step that is possible within a window.
pub(crate) struct Found {
    pub action: u32,
    pub window: Window,
    /// Edges in the buffer, or a step that the world made.
    pub picks: std::ops::Range<usize>,
    pub step: Option<Box<Step>>,
}

impl Walk<'_, '_, '_> {
    /// Draws a step; the outputs are those that leaves offer where they are.
    pub fn draw(
        &mut self,
        choice: Choice,
        outputs: &mut Vec<u32>,
        deadline: i64,
        random: &mut Random,
    ) -> Option<Found> {
        self.found.clear();
        self.picks.clear();
        let plan = self.plan;
        if choice == Choice::Transition {
            for action in outputs.iter().chain(&plan.inputs) {
                self.possible(*action, deadline);
            }
        } else {
            outputs.extend_from_slice(&plan.inputs);
            while self.found.is_empty() && !outputs.is_empty() {
                let action = outputs.swap_remove(random.index(outputs.len()));
                self.possible(action, deadline);
            }
        }
        (!self.found.is_empty()).then(|| self.found.swap_remove(random.index(self.found.len())))
    }

    /// Finds the steps of an action that are possible before the deadline.
    fn possible(&mut self, action: u32, deadline: i64) {
        let leads = self.left_leads(action);
        if self.plan.flat {
            let first = self.picks.len();
            match self.only(action, leads, deadline) {
                Ok(Some(window)) => {
                    let picks = first..self.picks.len();
                    self.found.push(Found { action, window: self.cut_off(window), picks, step: None });
                    return;
                }
                Ok(None) => return self.picks.truncate(first),
                Err(()) => self.picks.truncate(first),
            }
        }
        let system = if leads { self.plan.left } else { self.plan.right };
        for step in self.plan.world.steps(system, &self.slots, action) {
            let mut window = self.moments(0, &step.guard);
            window.to = window.to.min(deadline);
            if window.from <= window.to {
                let window = self.cut_off(window);
                self.found.push(Found { action, window, picks: 0..0, step: Some(Box::new(step)) });
            }
        }
    }

    /// The window of an action for which every leaf has one edge, which are put into the buffer; an error if one has several.
    fn only(&mut self, action: u32, leads: bool, deadline: i64) -> Result<Option<Window>, ()> {
        let plan = self.plan;
        let mut all = Window { from: self.now, to: deadline };
        for &part in if leads { &plan.left_parts } else { &plan.right_parts }.of(action) {
            let (first, own) = edges(self.local(part.leaf), part, action);
            let mut only = None;
            for (n, edge) in own.iter().enumerate() {
                let window = self.window(part.leaf, &edge.allowed);
                if window.from <= window.to.min(deadline) {
                    if only.is_some() {
                        return Err(());
                    }
                    only = Some((n, window));
                }
            }
            let Some((n, window)) = only else { return Ok(None) };
            all = Window { from: all.from.max(window.from), to: all.to.min(window.to) };
            if all.from > all.to {
                return Ok(None);
            }
            self.picks.push(Pick { part, edge: (first + n) as u32 });
        }
        Ok(Some(all))
    }

    /// Where nothing ends, waiting does.
    fn cut_off(&self, window: Window) -> Window {
        Window { from: window.from, to: if window.to == NEVER { window.from + self.plan.horizon } else { window.to } }
    }

    /// The edges of some leaves that are possible right now, into the buffer: at most one each, since leaves are deterministic. Whether
    /// all have one.
    pub fn pick_now(&mut self, parts: &[Part], action: u32) -> bool {
        for &part in parts {
            let (first, own) = edges(self.local(part.leaf), part, action);
            let is_now = |edge: &LocalEdge| {
                let window = self.window(part.leaf, &edge.allowed);
                window.from == self.now && self.now <= window.to
            };
            let Some(n) = own.iter().position(is_now) else { return false };
            self.picks.push(Pick { part, edge: (first + n) as u32 });
        }
        true
    }
}
