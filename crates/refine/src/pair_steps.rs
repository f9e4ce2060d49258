//! Which steps are possible in a pair within a window of time, and drawing one of them.
//!
//! In the paper a step is drawn first, then its delay, and the latest moment is the end of its
//! window, where the deadline of any component ends it. A step that is late in this sense need not
//! be late at all: of ten components that have to act by the same deadline one is drawn, acts at
//! that deadline, may be drawn again at once, and so acts a number of times in no time. Runs in
//! which all are as late as they can be, each acting once in every round, are the worst case of
//! many specifications and become rarer with every round: with ten nodes of the leader election a
//! walk has nine good rounds with probability 10^-6.
//!
//! So in every second cycle of walks (`walk::delay`) a step that is drawn to be late gives way if
//! it is patient: if only a deadline ends its window of which none of its own components gets rid
//! by it. Then another step is drawn; if all give way, the first one happens. In a walk that is
//! always late everyone then acts when it must, in random order, and nine good rounds have the
//! probability 2^-9. The other cycles are the paper's, since an action that comes just before a
//! deadline may be what it takes.

use crate::component::{LocalEdge, LocalState, Target};
use crate::pair_walk::{Pick, Walk};
use crate::walk_plan::Part;
use crate::walks::{Choice, NEVER, TICKS};
use crate::world::Step;
use search::random::Random;
use semantics::concrete::Window;
use walk::delay::Delays;

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
    /// Nothing of its own ends its window, only a deadline of leaves that take no part in it.
    pub is_patient: bool,
}

impl Walk<'_, '_, '_> {
    /// Draws a step; the outputs are those that leaves offer where they are.
    pub fn draw(
        &mut self,
        choice: Choice,
        outputs: &mut Vec<u32>,
        deadline: i64,
        delays: &Delays,
        random: &mut Random,
    ) -> Option<Found> {
        self.found.clear();
        self.picks.clear();
        let plan = self.plan;
        let mut first = None;
        if choice == Choice::Transition {
            for action in outputs.iter().chain(&plan.inputs) {
                self.possible(*action, deadline);
            }
        } else {
            outputs.extend_from_slice(&plan.inputs);
        }
        loop {
            while choice == Choice::Channel && self.found.is_empty() && !outputs.is_empty() {
                let action = outputs.swap_remove(random.index(outputs.len()));
                self.possible(action, deadline);
            }
            if self.found.is_empty() {
                return first;
            }
            let found = self.found.swap_remove(random.index(self.found.len()));
            if !(self.yields && found.is_patient && delays.is_late(random)) {
                return Some(found);
            }
            if choice == Choice::Channel {
                self.found.clear();
            }
            first.get_or_insert(found);
        }
    }

    /// Finds the steps of an action that are possible before the deadline.
    fn possible(&mut self, action: u32, deadline: i64) {
        let leads = self.left_leads(action);
        if self.plan.flat {
            let first = self.picks.len();
            match self.only(action, leads, deadline) {
                Ok(Some(window)) => {
                    let picks = first..self.picks.len();
                    let is_patient = self.yields && self.is_patient(&self.picks[picks.clone()], deadline);
                    let window = self.cut_off(window);
                    self.found.push(Found { action, window, picks, step: None, is_patient });
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
                self.found.push(Found { action, window, picks: 0..0, step: Some(Box::new(step)), is_patient: false });
            }
        }
    }

    /// The window of an action for which every leaf has one edge, which are put into the buffer; an
    /// error if one has several.
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

    /// Whether a step may as well be made after the deadline, as far as its own leaves are
    /// concerned: no guard of theirs ends before, and none of them gets rid of the deadline by it.
    fn is_patient(&self, picks: &[Pick], deadline: i64) -> bool {
        picks.iter().all(|pick| {
            let (leaf, edge) = (pick.part.leaf, self.edge(*pick));
            let own = self.deadlines[leaf as usize];
            let is_relieved = || self.deadline_after(leaf, edge, deadline) > deadline;
            self.window(leaf, &edge.allowed).to >= own.min(deadline + 1) && (own > deadline || !is_relieved())
        })
    }

    /// The deadline of a leaf once it has taken an edge at some moment.
    fn deadline_after(&self, leaf: u32, edge: &LocalEdge, moment: i64) -> i64 {
        let Target::State(target) = edge.target else { return NEVER };
        let component = self.plan.world.component_of(leaf);
        let Some(target) = component.states.get(target as usize) else { return NEVER };
        let ends = target.invariant.iter().filter(|one| one.right == 0).map(|one| {
            match edge.resets.iter().find(|(clock, _)| *clock == one.left) {
                Some((_, value)) => moment + (i64::from(one.bound.constant()) - i64::from(*value)) * TICKS,
                None => self.window(leaf, &[*one]).to,
            }
        });
        ends.min().unwrap_or(NEVER)
    }

    /// Where nothing ends, waiting does.
    fn cut_off(&self, window: Window) -> Window {
        Window { from: window.from, to: if window.to == NEVER { window.from + self.plan.horizon } else { window.to } }
    }

    /// The edges of some leaves that are possible right now, into the buffer: at most one each,
    /// since leaves are deterministic. Whether all have one.
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
