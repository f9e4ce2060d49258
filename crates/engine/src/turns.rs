//! Turns: of many threads no more than a given number run at a time, each for a slice. So several searches share the cores that a
//! user allows, whatever the machine has.
//!
//! A search looks now and then whether its slice is over ([`Turn::look`]); a thread that looks for the first time gets in line,
//! and gives its place back when it ends. The place goes to the role that is furthest behind its share (stride scheduling,
//! Waldspurger & Weihl 1995). With `T` places the walks, which use all cores when they are alone, have a share of `T + 1`, a proof one of
//! 1, or of 4 where one is expected, and a search that follows a heuristic one that depends on its
//! [`prospects`](crate::prospects). What is there at once should cost nobody else's share: the first milliseconds of each role but
//! the walks do not count. Before [`LATER`], and as long as the greedy search is hopeful, the walks have no more than `T - 1` places, so that on
//! two cores one walks all the time and the others take turns on the other core: a place that changes hands costs a tenth of a
//! millisecond, and what is in the caches.
//!
//! The greedy search is the first that begins beside the proof. Threads of others may be there before, and wait ([`Turns::open`]).
//!
//! Of two walks that find something the one with the lower number counts, so a finding may have to wait for walks that have no place. They
//! are let in whether there is one or not ([`Turn::hurry`]).
//!
//! As long as the search for a proof may be a small one ([`search::dives`]) it keeps its place, and what the others do costs it nothing: they
//! have the other places.
//!
//! Who has found something ([`Turn::conclude`]) works out its answer while all others wait, and when there is one they wait until all is
//! over: a thread that goes on for a moment takes the core of the one that has the answer.
//!
//! Cost: reading the clock, and a lock once a slice.

use crate::prospects::{Account, Prospects};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Thread, current, park_timeout};
use std::time::{Duration, Instant};

/// Slices are this part of the time that has passed, and between these.
const PART: u32 = 16;
const SHORTEST_SLICE: Duration = Duration::from_millis(1);
const LONGEST_SLICE: Duration = Duration::from_millis(20);
/// Nobody waits longer for being told that all is over.
const WAIT: Duration = Duration::from_millis(5);
/// What a proof has before its time counts.
const PROOF_AT_FIRST: Duration = Duration::from_millis(4);
/// From then on walks may have all places, if no other is hopeful.
const LATER: Duration = Duration::from_millis(8);

/// What a thread is busy with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Explores everything.
    Proof,
    /// Follows a heuristic.
    Greedy,
    /// Follows a heuristic along few transitions.
    Narrow,
    Walk,
}

const ROLES: usize = 4;

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
    started: Instant,
    /// Not set as long as the places are the proof's, and others have what it leaves.
    is_shared: Arc<AtomicBool>,
    /// Nobody waits any more.
    over: Arc<AtomicBool>,
    /// Threads that work out their answer.
    concluding: AtomicUsize,
    /// A walk has found something, and others go on that may find something that counts more.
    hurry: AtomicBool,
    line: Mutex<Line>,
}

#[derive(Debug)]
struct Line {
    /// Below 0 when threads are let in without one.
    free: isize,
    /// Places that walks have.
    walking: usize,
    waiting: Vec<Waiting>,
    next: u64,
    accounts: [Account; ROLES],
    /// The greedy search has come, or will not.
    is_open: bool,
}

#[derive(Debug)]
struct Waiting {
    ticket: u64,
    role: Role,
    thread: Thread,
}

impl Turns {
    /// `expects_proof`: most likely nothing will be found.
    pub fn new(places: usize, expects_proof: bool, is_shared: Arc<AtomicBool>, over: Arc<AtomicBool>) -> Arc<Turns> {
        let accounts = [Account::default(); ROLES];
        let line =
            Line { free: places.max(1) as isize, walking: 0, waiting: Vec::new(), next: 0, accounts, is_open: false };
        Arc::new(Turns {
            places: places.max(1),
            expects_proof,
            started: Instant::now(),
            is_shared,
            over,
            concluding: AtomicUsize::new(0),
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

    /// Nobody has to wait for the greedy search any more.
    pub fn open(&self) {
        let mut line = self.lock();
        line.is_open = true;
        self.wake_next(&line);
    }

    /// Lets everybody run to its end, without turns.
    pub fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.wake_all();
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, role: Role) {
        let mut line = self.lock();
        let ticket = line.next;
        line.next += 1;
        line.waiting.push(Waiting { ticket, role, thread: current() });
        line.is_open |= role == Role::Greedy;
        // The flag may be set by somebody who does not tell; so nobody waits for long.
        while !(self.is_next(&line, ticket) || self.over.load(Ordering::Relaxed) || self.hurries(role)) {
            drop(line);
            park_timeout(WAIT);
            line = self.lock();
        }
        line.waiting.retain(|other| other.ticket != ticket);
        line.free -= 1;
        line.walking += usize::from(role == Role::Walk);
        self.wake_next(&line);
    }

    fn first<'l>(&self, line: &'l Line) -> Option<&'l Waiting> {
        line.waiting
            .iter()
            .filter(|one| self.may_have_one_more(line, one.role))
            .min_by_key(|one| (self.progress(line, one.role), one.role as usize, one.ticket))
    }

    /// Tells the first in line of a place.
    fn wake_next(&self, line: &Line) {
        if line.free > 0
            && let Some(first) = self.first(line)
        {
            first.thread.unpark();
        }
    }

    fn wake_all(&self) {
        self.lock().waiting.iter().for_each(|one| one.thread.unpark());
    }

    /// Whether there is a place, and nobody in line is further behind.
    fn is_next(&self, line: &Line, ticket: u64) -> bool {
        line.free > 0 && !self.is_concluding() && self.first(line).is_some_and(|first| first.ticket == ticket)
    }

    fn may_have_one_more(&self, line: &Line, role: Role) -> bool {
        let takes_all = self.started.elapsed() >= LATER && !line.accounts[Role::Greedy as usize].is_hopeful();
        let most = if takes_all { self.places } else { (self.places - 1).max(1) };
        match role {
            Role::Proof | Role::Greedy => true,
            Role::Narrow => line.is_open,
            Role::Walk => line.is_open && line.walking < most,
        }
    }

    fn hurries(&self, role: Role) -> bool {
        role == Role::Walk && self.hurry.load(Ordering::Relaxed)
    }

    /// How far a role is, in what it would have had by now if it had its share all the time.
    fn progress(&self, line: &Line, role: Role) -> Duration {
        let account = |role: Role| &line.accounts[role as usize];
        let spent = account(role).spent;
        match role {
            Role::Proof if !self.is_shared() => Duration::ZERO,
            Role::Proof if self.expects_proof => spent.saturating_sub(PROOF_AT_FIRST) / 4,
            Role::Proof => spent.saturating_sub(PROOF_AT_FIRST),
            Role::Walk => spent / (self.places as u32 + 1),
            Role::Greedy => account(role).greedy_progress(),
            Role::Narrow => account(role).narrow_progress(account(Role::Greedy)),
        }
    }

    fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Relaxed)
    }

    fn is_concluding(&self) -> bool {
        self.concluding.load(Ordering::Relaxed) > 0
    }

    fn slice(&self) -> Duration {
        (self.started.elapsed() / PART).clamp(SHORTEST_SLICE, LONGEST_SLICE)
    }
}

thread_local! {
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// The place of a thread.
struct Held {
    turns: Arc<Turns>,
    role: Role,
    since: Instant,
    /// What is to be hoped for is to be said at the next opportunity.
    wants_news: bool,
}

impl Held {
    /// Writes down what was spent since the last time.
    fn settle(&mut self, line: &mut Line) {
        let now = Instant::now();
        line.accounts[self.role as usize].spent += now - std::mem::replace(&mut self.since, now);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let turns = self.turns.clone();
        let mut line = turns.lock();
        self.settle(&mut line);
        line.free += 1;
        line.walking -= usize::from(self.role == Role::Walk);
        turns.wake_next(&line);
    }
}

/// A thread's way to its turns.
#[derive(Clone, Debug)]
pub struct Turn {
    turns: Arc<Turns>,
    role: Role,
}

impl Turn {
    /// Gets in line if this thread has no place; gives the place to others when its slice is over and they are behind.
    pub fn look(&self) {
        self.look_for(None::<fn() -> Option<Prospects>>);
    }

    /// As [`Turn::look`], and says once a slice what is to be hoped for.
    pub fn look_with(&self, prospects: impl FnOnce() -> Option<Prospects>) {
        self.look_for(Some(prospects));
    }

    fn look_for(&self, prospects: Option<impl FnOnce() -> Option<Prospects>>) {
        HELD.with_borrow_mut(|held| {
            let Turn { turns, role } = self;
            if let Some(held) = held {
                let is_over = held.since.elapsed() >= turns.slice() || turns.is_concluding();
                let has_news = held.wants_news && prospects.is_some();
                if !is_over && !has_news {
                    return;
                }
                let mut line = turns.lock();
                held.settle(&mut line);
                let news = prospects.and_then(|prospects| prospects());
                held.wants_news = role.has_prospects() && news.is_none();
                if let Some(news) = news {
                    line.accounts[*role as usize].note(news);
                }
                let mine = turns.progress(&line, *role);
                let is_behind = |other: &Waiting| match turns.progress(&line, other.role) {
                    _ if !turns.may_have_one_more(&line, other.role) => false,
                    theirs if other.role == *role => theirs <= mine,
                    theirs => theirs < mine,
                };
                if !turns.is_concluding() && !line.waiting.iter().any(is_behind) {
                    return;
                }
            }
            *held = None;
            turns.enter(*role);
            let wants_news = role.has_prospects();
            *held = Some(Held { turns: turns.clone(), role: *role, since: Instant::now(), wants_news });
        });
    }

    /// What this role has had so far does not count: from now on it shares with others.
    pub fn start_anew(&self) {
        HELD.with_borrow_mut(|held| held.iter_mut().for_each(|held| held.since = Instant::now()));
        self.turns.lock().accounts[self.role as usize].spent = Duration::ZERO;
    }

    /// Gives the place back, and lets in all who wait in this role's line: the thread has found something and waits for the walks that
    /// may have found something that counts more.
    pub fn hurry(&self) {
        self.leave();
        self.turns.hurry.store(true, Ordering::Relaxed);
        self.turns.wake_all();
    }

    /// Gives the place back: the thread has something else to do.
    pub fn leave(&self) {
        HELD.with_borrow_mut(|held| *held = None);
    }

    /// Something is found: all others wait while its evidence is worked out, until what is returned is dropped. Nobody
    /// waits while the places are the proof's.
    pub fn conclude(&self) -> Option<Conclusion> {
        if self.role != Role::Proof && !self.turns.is_shared() {
            return None;
        }
        self.turns.concluding.fetch_add(1, Ordering::Relaxed);
        Some(Conclusion { turns: self.turns.clone(), has_answer: false })
    }

    /// As long as the places are the proof's, gives the own one back and waits.
    pub fn wait_until_shared(&self) {
        if self.turns.is_shared() {
            return;
        }
        self.leave();
        while !self.turns.is_shared() && !self.turns.over.load(Ordering::Relaxed) {
            park_timeout(SHORTEST_SLICE / 4);
        }
    }
}

/// While it is there, all others wait.
#[derive(Debug)]
pub struct Conclusion {
    turns: Arc<Turns>,
    has_answer: bool,
}

impl Conclusion {
    /// There is an answer: the others wait until all is over ([`Turns::end`]).
    pub fn keep(mut self) {
        self.has_answer = true;
    }
}

impl Drop for Conclusion {
    fn drop(&mut self) {
        if !self.has_answer {
            self.turns.concluding.fetch_sub(1, Ordering::Relaxed);
            self.turns.wake_all();
        }
    }
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
