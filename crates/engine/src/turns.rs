//! Turns: of many threads no more than a given number run at a time, each for a slice. So several searches share the cores that a
//! user allows, whatever the machine has.
//!
//! A search looks now and then whether its slice is over ([`Turn::look`]); a thread that looks for the first time gets in line,
//! and gives its place back when it ends.
//!
//! Half of the `T` places are the walks', from the start: there a walk goes on without giving way to anybody, so that on two cores
//! one walks all the time. The searches share the other places. There the next is the role that is furthest behind its share (stride scheduling,
//! Waldspurger & Weihl 1995): a proof has a share of 1, or of 4 where one is expected, a search that follows a heuristic one that depends on its
//! [`prospects`](crate::prospects), deep random search most of the time when the others have had [`DEEP`], until it has had [`DEEP_ENOUGH`], and walks that
//! split when the others have had [`SPLIT`], until they have had [`SPLIT_ENOUGH`], where the greedy search is on a long plateau (but not where it is blind: they have no other way to tell which of them are nearer). Walks that choose a channel first
//! come before the others until they have had [`CHANNELS_ENOUGH`] where the greedy search is blind and the proof is far from its end, and have hardly
//! anything otherwise.
//! What is there at once should cost nobody else's share: the first milliseconds of each do not count, and the greedy search comes
//! before the others until it has had its own (in a very large network when there were soundings). From [`LATER`] on walks compete for all places
//! with a share of `2 T + 1`. Where it is blind they do so from [`SOON`] on, with twice the share until they have had [`WALK_ENOUGH`], and
//! deep random search has a share of 1. A place that changes hands costs a tenth of a millisecond, and what is in the caches.
//!
//! Of two walks that find something the one with the lower number counts, so a finding may have to wait for walks that have no place. They
//! are let in whether there is one or not ([`Turn::hurry`]).
//!
//! What is found while the search for a proof may still be a small one ([`search::dives`]) is held back; all but that search wait then
//! ([`Turn::wait_until_shared`]). One thread at a time works out its answer, and has a place for that whether there is one or not
//! ([`Turn::conclude`]); who has one too many gives way.
//!
//! Cost: reading the clock, a lock once a slice, and a [`bell`](crate::bell) where a place changes hands.

mod turn;

use crate::bell::Bell;
use crate::prospects::Account;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
pub use turn::{Conclusion, Turn};

/// Slices are this part of the time that has passed, and between these.
const PART: u32 = 16;
const SHORTEST_SLICE: Duration = Duration::from_millis(1);
const LONGEST_SLICE: Duration = Duration::from_millis(20);
/// Nobody waits longer for being told that all is over.
const WAIT: Duration = Duration::from_millis(5);
/// When deep random search begins, and what it has before it is not there soon.
const DEEP: Duration = Duration::from_millis(1);
const DEEP_ENOUGH: Duration = Duration::from_millis(14);
/// When walks that split begin, as far as deep random search is by then, and what they have before they are not there soon.
const SPLIT: Duration = Duration::from_millis(5);
const SPLIT_ENOUGH: Duration = Duration::from_millis(12);
/// What walks that choose a channel first have before they are not there soon.
const CHANNELS_ENOUGH: Duration = Duration::from_millis(12);
/// What walks have by twice their share where the greedy search is blind.
const WALK_ENOUGH: Duration = Duration::from_millis(100);
/// From then on walks may have all places, and, where the greedy search is blind, from then on. Walks by channels are as far as the first at their start.
const LATER: Duration = Duration::from_millis(25);
const SOON: Duration = Duration::from_millis(12);

/// With so many edges, few of them may be enough for an under-approximation.
const WIDE: usize = 128;
/// With so many an under-approximation, or any other search, takes so long to be set up that soundings ([`search::soundings`]) come before it.
pub const VERY_LARGE: usize = 1_000;

/// What a thread is busy with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Explores everything.
    Proof,
    /// Follows a heuristic.
    Greedy,
    /// Follows a heuristic along few transitions.
    Narrow,
    /// Walks that choose a channel first.
    Channels,
    /// Walks of which those go on that come nearer to the goal.
    Split,
    /// Deep random search.
    Deep,
    Walk,
}

const ROLES: usize = 7;

impl Role {
    /// Whether it follows a heuristic.
    fn has_prospects(self) -> bool {
        matches!(self, Role::Greedy | Role::Narrow)
    }
}

/// The places that threads take in turns.
#[derive(Debug)]
pub struct Turns {
    places: usize,
    expects_proof: bool,
    /// How many the network has.
    edges: usize,
    started: Instant,
    /// Not set as long as the answer is the proof's, and what others find is held back.
    is_shared: Arc<AtomicBool>,
    /// Something is. Who waits for the end of that, or of everything.
    is_held: AtomicBool,
    aside: Mutex<Vec<Bell>>,
    /// Nobody waits any more; somebody outside wants that.
    over: Arc<AtomicBool>,
    cancel: Option<Arc<AtomicBool>>,
    /// Somebody is in line who comes before all others.
    is_urgent: AtomicBool,
    /// The search for a proof has made its soundings ([`search::soundings`]), makes none, or need not be the first.
    is_sounded: AtomicBool,
    /// A thread works out its answer.
    is_concluding: AtomicBool,
    /// There is a proof that there is nothing.
    is_proved: AtomicBool,
    /// A walk has found something, and others go on that may find something that counts more.
    hurry: AtomicBool,
    line: Mutex<Line>,
}

#[derive(Debug)]
struct Line {
    /// Below 0 when threads are let in without one.
    free: isize,
    /// Places that walks have, and that searches have.
    walking: usize,
    searching: usize,
    waiting: Vec<Waiting>,
    next: u64,
    accounts: [Account; ROLES],
}

impl Line {
    fn taken(&mut self, role: Role) -> &mut usize {
        match role {
            Role::Walk => &mut self.walking,
            _ => &mut self.searching,
        }
    }
}

#[derive(Debug)]
struct Waiting {
    ticket: u64,
    role: Role,
    bell: Bell,
}

impl Turns {
    /// `expects_proof`: most likely nothing will be found; `edges`: how many the network has.
    pub fn new(
        places: usize,
        (expects_proof, edges): (bool, usize),
        is_shared: Arc<AtomicBool>,
        over: Arc<AtomicBool>,
        cancel: Option<Arc<AtomicBool>>,
    ) -> Arc<Turns> {
        let accounts = [Account::default(); ROLES];
        let free = places.max(1) as isize;
        let line = Line { free, walking: 0, searching: 0, waiting: Vec::new(), next: 0, accounts };
        Arc::new(Turns {
            places: places.max(1),
            expects_proof,
            edges,
            started: Instant::now(),
            is_shared,
            is_held: AtomicBool::new(false),
            aside: Mutex::default(),
            over,
            cancel,
            is_urgent: AtomicBool::new(false),
            is_sounded: AtomicBool::new(expects_proof || edges < VERY_LARGE),
            is_concluding: AtomicBool::new(false),
            is_proved: AtomicBool::new(false),
            hurry: AtomicBool::new(false),
            line: Mutex::new(line),
        })
    }

    pub fn of(self: &Arc<Turns>, role: Role) -> Turn {
        Turn { turns: self.clone(), role }
    }

    pub fn places(&self) -> usize {
        self.places
    }

    /// Lets everybody run to its end, without turns.
    pub fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.aside().iter().for_each(Bell::ring);
        self.wake_all();
    }

    /// There is a proof that there is nothing: what is found from now on contradicts it.
    pub fn prove(&self) {
        self.is_proved.store(true, Ordering::Relaxed);
    }

    pub fn is_proved(&self) -> bool {
        self.is_proved.load(Ordering::Relaxed)
    }

    fn aside(&self) -> MutexGuard<'_, Vec<Bell>> {
        self.aside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, role: Role) {
        let bell = BELL.with(Bell::clone);
        let mut line = self.lock();
        let ticket = line.next;
        line.next += 1;
        line.waiting.push(Waiting { ticket, role, bell: bell.clone() });
        let is_urgent = line.waiting.iter().any(|one| !self.place(&line, one.role).0);
        self.is_urgent.fetch_or(is_urgent, Ordering::Relaxed);
        // The flag may be set by somebody who does not tell; so nobody waits for long.
        while !(self.is_next(&line, ticket) || self.over.load(Ordering::Relaxed) || self.hurries(role)) {
            // Who was told of a place may not be the first any more.
            self.wake_next(&line);
            drop(line);
            bell.wait(WAIT);
            if self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
                self.end();
            }
            line = self.lock();
        }
        line.waiting.retain(|other| other.ticket != ticket);
        line.free -= 1;
        *line.taken(role) += 1;
        self.wake_next(&line);
    }

    fn first<'l>(&self, line: &'l Line) -> Option<&'l Waiting> {
        line.waiting
            .iter()
            .filter(|one| self.may_have_one_more(line, one.role))
            .min_by_key(|one| (self.place(line, one.role), one.role as usize, one.ticket))
    }

    /// Tells the first in line of a place.
    fn wake_next(&self, line: &Line) {
        if line.free > 0
            && let Some(first) = self.first(line)
        {
            first.bell.ring();
        }
    }

    fn wake_all(&self) {
        self.lock().waiting.iter().for_each(|one| one.bell.ring());
    }

    /// Whether there is a place, and nobody in line is further behind.
    fn is_next(&self, line: &Line, ticket: u64) -> bool {
        line.free > 0 && self.first(line).is_some_and(|first| first.ticket == ticket)
    }

    fn may_have_one_more(&self, line: &Line, role: Role) -> bool {
        if self.is_held_back(role) {
            return false;
        }
        let walks = self.places / 2;
        match role {
            Role::Walk => {
                let is_alone = line.searching == 0 && !line.waiting.iter().any(|one| one.role != Role::Walk);
                let greedy = &line.accounts[Role::Greedy as usize];
                let later = if greedy.is_blind() { SOON } else { LATER };
                let is_late = self.started.elapsed() >= later;
                line.walking < walks.max(1) || is_late || is_alone
            }
            Role::Channels | Role::Split | Role::Deep if !self.is_shared() => false,
            _ => line.searching < self.places - walks,
        }
    }

    /// Whether a role waits because something is found and the proof is still small.
    fn is_held_back(&self, role: Role) -> bool {
        role != Role::Proof && self.is_held.load(Ordering::Relaxed) && !self.is_shared()
    }

    fn hurries(&self, role: Role) -> bool {
        role == Role::Walk && self.hurry.load(Ordering::Relaxed)
    }

    /// Whether another role should have the place of this one, which has had its slice. Threads of the same role do not give way to each other.
    fn is_behind(&self, line: &mut Line, role: Role) -> bool {
        if role == Role::Walk && line.walking <= self.places / 2 {
            return false;
        }
        let may = |line: &Line, other: &Waiting| other.role != role && self.may_have_one_more(line, other.role);
        if line.free > 0 && line.waiting.iter().any(|other| may(line, other)) {
            // There is a place for another.
            return false;
        }
        // As if it had left.
        *line.taken(role) -= 1;
        let mine = self.place(line, role);
        let is_behind = line.waiting.iter().any(|other| may(line, other) && self.place(line, other.role) < mine);
        *line.taken(role) += 1;
        is_behind
    }

    /// Its place in line; the least is the next.
    fn place(&self, line: &Line, role: Role) -> (bool, Duration) {
        let account = |role: Role| &line.accounts[role as usize];
        let comes_first = match role {
            Role::Greedy | Role::Narrow if !self.is_sounded.load(Ordering::Relaxed) => false,
            Role::Greedy => account(role).is_promising(),
            Role::Narrow => self.edges >= WIDE && account(role).is_narrow_promising(account(Role::Greedy)),
            Role::Channels => {
                let is_hard = account(Role::Greedy).is_blind() && account(Role::Proof).grows;
                is_hard && account(role).spent < CHANNELS_ENOUGH
            }
            _ => false,
        };
        (!comes_first, self.progress(line, role))
    }

    /// How far a role is, in what it would have had by now if it had its share all the time.
    fn progress(&self, line: &Line, role: Role) -> Duration {
        let account = |role: Role| &line.accounts[role as usize];
        let spent = account(role).spent;
        match role {
            Role::Proof if !self.is_shared() => Duration::ZERO,
            Role::Proof if self.expects_proof => account(role).proof_progress() / 4,
            Role::Proof => account(role).proof_progress(),
            Role::Channels => {
                let at_first = if account(Role::Greedy).is_blind() { CHANNELS_ENOUGH } else { Duration::ZERO };
                LATER + spent.saturating_sub(at_first) * 12
            }
            Role::Split if !account(Role::Greedy).is_stuck() => LATER + spent * 12,
            Role::Split => SPLIT + spent / 3 + spent.saturating_sub(SPLIT_ENOUGH) * 8,
            Role::Deep => {
                let share = if account(Role::Greedy).is_blind() { 1 } else { 3 };
                DEEP + spent / share + spent.saturating_sub(DEEP_ENOUGH) * 8
            }
            Role::Walk => {
                let half = if account(Role::Greedy).is_blind() { spent.min(WALK_ENOUGH) / 2 } else { Duration::ZERO };
                (spent - half) / (2 * self.places as u32 + 1)
            }
            Role::Greedy => account(role).greedy_progress(self.expects_proof),
            Role::Narrow => account(role).narrow_progress(account(Role::Greedy)),
        }
    }

    fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Relaxed)
    }

    fn slice(&self) -> Duration {
        (self.started.elapsed() / PART).clamp(SHORTEST_SLICE, LONGEST_SLICE)
    }
}

thread_local! {
    static BELL: Bell = Bell::new();
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
