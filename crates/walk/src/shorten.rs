//! Makes a walk that reached its goal shorter, and keeps it one.
//!
//! A walk wanders. Between two visits of the same discrete state it may have done nothing that matters: such loops are cut
//! out, longest first. Then stretches of steps are left out, half of the walk, a quarter, down to single steps. After every
//! cut the rest is walked again from there, each step after its old delay or the nearest one that is possible, and the cut stays if the goal is
//! reached. The result is not the shortest run; it is one from which no single step can be left out this way, if the
//! budget of steps lasted.

use crate::combine::CROWD;
use crate::goal::Goal;
use crate::hunt::Recorded;
use crate::pool::NONE;
use crate::walker::{Snapshot, Ticket, Walker};
use semantics::code::RunError;
use semantics::concrete::Window;
use semantics::transitions::Move;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A walk to the goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reaching {
    pub steps: Vec<Recorded>,
    /// When the goal holds.
    pub end: i64,
}

/// At each state this many loops are tried.
const LOOPS: usize = 3;

/// So many bytes are copied in the time of a step, about.
const STEP: u64 = 2_048;

/// Shortens a walk; `budget` steps are walked again at most, about, and none when it is not `wanted` any more. With priorities a step may
/// be possible only because of those before it, and nothing is left out.
pub fn shorten(
    walker: &mut Walker,
    goal: &mut Goal,
    walk: Reaching,
    budget: u64,
    wanted: &dyn Fn() -> bool,
) -> Reaching {
    if walker.tables.structure.has_priorities {
        return walk;
    }
    walker.restart();
    let here = walker.snapshot();
    let copy = 1 + here.bytes() as u64 / STEP;
    let mut work = Work { walker, goal, here, at: 0, copy, budget, wanted };
    let mut best = walk;
    work.cut_loops(&mut best);
    work.cut_stretches(&mut best);
    best
}

struct Work<'w, 't, 's, 'n> {
    walker: &'w mut Walker<'t, 's, 'n>,
    goal: &'w mut Goal,
    /// Where steps are about to be left out: what comes before stays as it is.
    here: Snapshot,
    /// How many steps come before.
    at: usize,
    /// What it costs to come back here, in steps.
    copy: u64,
    /// Steps that may still be walked.
    budget: u64,
    wanted: &'w dyn Fn() -> bool,
}

impl Work<'_, '_, '_, '_> {
    /// Goes back to the start.
    fn rewind(&mut self) {
        self.walker.restart();
        self.walker.snapshot_into(&mut self.here);
        self.at = 0;
    }

    /// Walks from here to where `to` steps come before, as the walk goes, and shows each state, the first included.
    fn follow(&mut self, walk: &Reaching, to: usize, mut seen: impl FnMut(&Walker)) -> Option<()> {
        let steps = &walk.steps[self.at..to];
        self.budget = self.budget.checked_sub(steps.len() as u64)?;
        self.walker.resume(&self.here);
        seen(self.walker);
        for step in steps {
            attempt_moves(self.walker, &step.moves).ok()??;
            self.walker.take(step.moment).ok()?;
            seen(self.walker);
        }
        Some(())
    }

    /// Goes on to where more steps come before.
    fn go_to(&mut self, walk: &Reaching, at: usize) -> Option<()> {
        self.follow(walk, at, |_| {})?;
        self.walker.snapshot_into(&mut self.here);
        self.at = at;
        Some(())
    }

    /// The walk without the steps from here to `end`, if it still reaches the goal and the budget lasts.
    fn without(&mut self, walk: &Reaching, end: usize) -> Option<Reaching> {
        if !(self.wanted)() {
            self.budget = 0;
        }
        self.budget = self.budget.checked_sub(self.copy)?;
        let delay = |n: usize| {
            let before = if n == 0 { 0 } else { walk.steps[n - 1].moment };
            walk.steps[n].moment - before
        };
        self.walker.resume(&self.here);
        let mut rest = Vec::new();
        let mut reached = None;
        for n in end..walk.steps.len() {
            // The goal may come sooner than before.
            reached = self.goal.reached(self.walker).unwrap_or(None);
            if reached.is_some() {
                break;
            }
            self.budget = self.budget.checked_sub(1)?;
            let moves = &walk.steps[n].moves;
            let window = attempt_moves(self.walker, moves).ok()??;
            let moment = (self.walker.now() + delay(n)).clamp(window.from, window.to);
            self.walker.take(moment).ok()?;
            rest.push(Recorded { moment, moves: moves.clone() });
        }
        let end = match reached {
            Some(moment) => moment,
            None => self.goal.reached(self.walker).ok()??,
        };
        let steps = walk.steps[..self.at].iter().cloned().chain(rest).collect();
        Some(Reaching { steps, end })
    }

    /// Hashes of the discrete states from here on, the first included.
    fn states(&mut self, walk: &Reaching) -> Option<Vec<u64>> {
        let mut hashes = Vec::new();
        self.follow(walk, walk.steps.len(), |walker| hashes.push(hash(walker)))?;
        Some(hashes)
    }

    fn cut_loops(&mut self, best: &mut Reaching) {
        let Some(mut hashes) = self.states(best) else { return };
        let mut visits = visits(&hashes);
        let mut at = 0;
        while at < hashes.len() {
            let again = visits.get(&hashes[at]).map_or(&[][..], Vec::as_slice);
            let later: Vec<usize> = again.iter().rev().copied().take_while(|end| *end > at).take(LOOPS).collect();
            if !later.is_empty() && self.go_to(best, at).is_none() {
                return;
            }
            if let Some(shorter) = later.into_iter().find_map(|end| self.without(best, end)) {
                *best = shorter;
                let Some(after) = self.states(best) else { return };
                hashes.truncate(at);
                hashes.extend(after);
                visits = self::visits(&hashes);
            }
            at += 1;
        }
    }

    fn cut_stretches(&mut self, best: &mut Reaching) {
        let mut len = best.steps.len().div_ceil(2);
        while len > 0 {
            self.rewind();
            let mut shorter = false;
            while self.at < best.steps.len() {
                let end = (self.at + len).min(best.steps.len());
                if let Some(found) = self.without(best, end) {
                    *best = found;
                    shorter = true;
                } else if self.go_to(best, end).is_none() {
                    return;
                }
            }
            // A single step that was needed may not be needed any more.
            len = match (len, shorter) {
                (1, true) => 1,
                _ => len / 2,
            };
        }
    }
}

/// Where each state is visited, in order.
fn visits(hashes: &[u64]) -> HashMap<u64, Vec<usize>> {
    let mut visits: HashMap<u64, Vec<usize>> = HashMap::new();
    hashes.iter().enumerate().for_each(|(n, hash)| visits.entry(*hash).or_default().push(n));
    visits
}

fn hash(walker: &Walker) -> u64 {
    let mut hasher = DefaultHasher::new();
    walker.discrete().hash(&mut hasher);
    hasher.finish()
}

/// Tries the transition with just these edges.
pub fn attempt_moves(walker: &mut Walker, moves: &[Move]) -> Result<Option<Window>, RunError> {
    let Some(first) = moves.first() else { return Ok(None) };
    let tables = walker.tables;
    let actor = tables.actor(first.process, first.expanded);
    let committed = &walker.live.committed;
    if !walker.is_open(actor) || !committed.is_empty() && !moves.iter().any(|one| committed.contains(&one.process)) {
        return Ok(None);
    }
    if let [_, second] = moves
        && walker.meets_one(actor)?
    {
        let Some(channel) = walker.channel_of(first.process, first.expanded)? else { return Ok(None) };
        let own = tables.structure.expanded(first.process as usize, first.expanded).0.branches.len() as u32;
        let is_second =
            |one: &crate::partners::Partner| one.process == second.process && one.expanded == second.expanded;
        let Some(n) = tables.receivers.of(channel).iter().position(is_second) else { return Ok(None) };
        return walker.attempt(Ticket { actor, way: first.branch + own * second.branch, partner: n as u32 });
    }
    let horizon = Window { from: walker.now(), to: walker.until() };
    for way in 0..=CROWD {
        let ticket = Ticket { actor, way, partner: NONE };
        let Some(window) = walker.combine(ticket, horizon)? else { break };
        if !window.is_empty()
            && walker.moves() == moves
            && let Some(window) = walker.attempt(ticket)?
        {
            return Ok(Some(window));
        }
    }
    Ok(None)
}
