//! Turns: of many threads no more than a given number run at a time, each for a slice. So several searches share the cores that a
//! user allows, whatever the machine has.
//!
//! A search looks now and then whether its slice is over ([`Turn::look`]); a thread that looks for the first time gets in line,
//! and gives its place back when it ends.
//!
//! Half of the `T` places are the walks', from the start: there a walk goes on without giving way to anybody, so that on two cores
//! one walks all the time. The searches share the other places. There the next is the role that is furthest behind its share (stride scheduling,
//! Waldspurger & Weihl 1995): a proof has a share of 1, or of 4 where one is expected, a search that follows a heuristic one that depends on its
//! [`prospects`](crate::prospects), deep random search most of the time when the others have had [`DEEP`], until it has had [`DEEP_ENOUGH`].
//! What is there at once should cost nobody else's share: the first milliseconds of each do not count, and the greedy search comes
//! before the others until it has had its own. From [`LATER`] on, unless the greedy search is hopeful, walks compete for all places
//! with a share of `T + 1`. Where it is blind they do so from [`SOON`] on, with twice the share until they have had [`WALK_ENOUGH`], and
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

use crate::bell::Bell;
use crate::prospects::{Account, News};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Slices are this part of the time that has passed, and between these.
const PART: u32 = 16;
const SHORTEST_SLICE: Duration = Duration::from_millis(1);
const LONGEST_SLICE: Duration = Duration::from_millis(20);
/// Nobody waits longer for being told that all is over.
const WAIT: Duration = Duration::from_millis(5);
/// When deep random search begins, and what it has before it is not there soon.
const DEEP: Duration = Duration::from_millis(1);
const DEEP_ENOUGH: Duration = Duration::from_millis(24);
/// What walks have by twice their share where the greedy search is blind.
const WALK_ENOUGH: Duration = Duration::from_millis(100);
/// From then on walks may have all places, if the greedy search is not hopeful, and if it is blind.
const LATER: Duration = Duration::from_millis(40);
const SOON: Duration = Duration::from_millis(12);

/// What a thread is busy with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Explores everything.
    Proof,
    /// Follows a heuristic.
    Greedy,
    /// Follows a heuristic along few transitions.
    Narrow,
    /// Deep random search.
    Deep,
    Walk,
}

const ROLES: usize = 5;

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
    is_wide: bool,
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
    /// A thread works out its answer.
    is_concluding: AtomicBool,
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
    /// `expects_proof`: most likely nothing will be found; `is_wide`: there are many transitions.
    pub fn new(
        places: usize,
        (expects_proof, is_wide): (bool, bool),
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
            is_wide,
            started: Instant::now(),
            is_shared,
            is_held: AtomicBool::new(false),
            aside: Mutex::default(),
            over,
            cancel,
            is_urgent: AtomicBool::new(false),
            is_concluding: AtomicBool::new(false),
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
                let is_late = self.started.elapsed() >= later && !greedy.is_hopeful();
                line.walking < walks.max(1) || is_late || is_alone
            }
            Role::Deep if !self.is_shared() => false,
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
            Role::Greedy => account(role).is_promising(),
            Role::Narrow => self.is_wide && account(role).is_narrow_promising(account(Role::Greedy)),
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
            Role::Deep => {
                let share = if account(Role::Greedy).is_blind() { 1 } else { 3 };
                DEEP + spent / share + spent.saturating_sub(DEEP_ENOUGH) * 4
            }
            Role::Walk if account(Role::Greedy).is_blind() => {
                (spent - spent.min(WALK_ENOUGH) / 2) / (self.places as u32 + 1)
            }
            Role::Walk => spent / (self.places as u32 + 1),
            Role::Greedy => account(role).greedy_progress(),
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
        *line.taken(self.role) -= 1;
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
        self.look_for(None::<fn() -> News>);
    }

    /// As [`Turn::look`], and says once a slice what is to be hoped for.
    pub fn look_with(&self, news: impl FnOnce() -> News) {
        self.look_for(Some(news));
    }

    fn look_for(&self, news: Option<impl FnOnce() -> News>) {
        HELD.with_borrow_mut(|held| {
            let Turn { turns, role } = self;
            if let Some(held) = held {
                let must_wait = turns.is_held_back(*role);
                let is_urgent = turns.is_urgent.load(Ordering::Relaxed) && *role == Role::Proof;
                let is_over = held.since.elapsed() >= turns.slice() || must_wait || is_urgent;
                let has_news = held.wants_news && news.is_some();
                if !is_over && !has_news {
                    return;
                }
                let mut line = turns.lock();
                turns.is_urgent.store(false, Ordering::Relaxed);
                held.settle(&mut line);
                let news = news.map(|news| news());
                let has_prospects = news.is_some_and(|news| news.prospects.is_some());
                held.wants_news = role.has_prospects() && !has_prospects;
                if let Some(news) = news {
                    line.accounts[*role as usize].note(news);
                }
                let is_crowded = line.free < 0 && !turns.hurries(*role);
                if !must_wait && !is_crowded && !turns.is_behind(&mut line, *role) {
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

    /// Whether a thread of this role has had a place.
    pub fn has_begun(&self) -> bool {
        !self.turns.lock().accounts[self.role as usize].spent.is_zero()
    }

    /// What a search of this role had, and what came of it, before its thread began.
    pub fn take_over(&self, account: Account) {
        let mut line = self.turns.lock();
        let own = &mut line.accounts[self.role as usize];
        if own.spent.is_zero() {
            *own = account;
        }
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

    /// Something is found, and the answer is to be worked out. That is one thread's at a time: another waits until that has failed, or all
    /// is over (`None`). It need not wait for those whose answers are held back.
    pub fn conclude(&self) -> Option<Conclusion> {
        let turns = &self.turns;
        let is_free = || !turns.is_concluding.swap(true, Ordering::Relaxed);
        if self.role == Role::Proof && !turns.is_shared() {
            return Some(Conclusion::default());
        }
        if !is_free() {
            self.leave();
            let bell = BELL.with(Bell::clone);
            turns.aside().push(bell.clone());
            while !is_free() {
                if turns.over.load(Ordering::Relaxed) {
                    return None;
                }
                bell.wait(WAIT);
            }
        }
        self.insist();
        Some(Conclusion { turns: Some(turns.clone()) })
    }

    /// Takes a place whether there is one or not. Another gives way when its slice is over.
    fn insist(&self) {
        let Turn { turns, role } = self;
        HELD.with_borrow_mut(|held| {
            if held.is_none() {
                let mut line = turns.lock();
                line.free -= 1;
                *line.taken(*role) += 1;
                *held = Some(Held { turns: turns.clone(), role: *role, since: Instant::now(), wants_news: false });
            }
        });
    }

    /// Whether a thread more might have a place.
    pub fn has_room(&self) -> bool {
        let turns = &self.turns;
        !turns.over.load(Ordering::Relaxed) && turns.may_have_one_more(&turns.lock(), self.role)
    }

    /// As long as the answer is the proof's, gives the place back and waits, and so do all but that.
    pub fn wait_until_shared(&self) {
        if self.turns.is_shared() {
            return;
        }
        let bell = BELL.with(Bell::clone);
        self.turns.aside().push(bell.clone());
        self.turns.is_held.store(true, Ordering::Relaxed);
        self.leave();
        while !self.turns.is_shared() && !self.turns.over.load(Ordering::Relaxed) {
            bell.wait(WAIT);
        }
    }

    /// The answer is not the proof's any more. If another has one, this thread lets it tell.
    pub fn share(&self) {
        if self.turns.is_held.load(Ordering::Relaxed) {
            let bell = BELL.with(Bell::clone);
            let mut aside = self.turns.aside();
            aside.iter().for_each(Bell::ring);
            aside.push(bell.clone());
            drop(aside);
            while !self.turns.over.load(Ordering::Relaxed) {
                bell.wait(WAIT);
            }
        }
        self.start_anew();
    }
}

/// While it is there, no other thread works out an answer.
#[derive(Default, Debug)]
pub struct Conclusion {
    turns: Option<Arc<Turns>>,
}

impl Conclusion {
    /// There is an answer: nobody else needs one.
    pub fn keep(mut self) {
        self.turns = None;
    }
}

impl Drop for Conclusion {
    fn drop(&mut self) {
        if let Some(turns) = &self.turns {
            turns.is_concluding.store(false, Ordering::Relaxed);
            turns.aside().iter().for_each(Bell::ring);
        }
    }
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
