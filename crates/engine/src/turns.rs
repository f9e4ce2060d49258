//! Turns: of many threads no more than a given number run at a time, each for a slice. So several searches share the cores that a
//! user allows, whatever the machine has.
//!
//! A search looks now and then whether its slice is over ([`Turn::look`]); a thread that looks for the first time gets in line,
//! and gives its place back when it ends. The place goes to the role that is furthest behind its share (stride scheduling,
//! Waldspurger & Weihl 1995). With `T` places the walks, which use all cores when they are alone, have a share of `T`, and a proof and
//! a search that follows a heuristic, which use one, a share of 1: each gets `T / (T + 2)` of what it would have alone. A proof has
//! twice as much where one is expected.
//!
//! There is no slack in that, and two searches follow a heuristic, so these have their shares only as long as they are hopeful (see
//! [`prospects`](crate::prospects)), and an eighth otherwise. An under-approximation is there at once or hardly ever: it has [`AT_ONCE`]
//! before anybody else. It is hopeful afterwards, until [`SOON_ENOUGH`], if the greedy search is not, and then has half as much again
//! as that one would have.
//!
//! Who has found something ([`Turn::conclude`]) works out its answer while all others wait.
//!
//! Cost: reading the clock, and a lock once a slice.

use crate::prospects::{Account, Prospects};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Thread, current, park_timeout};
use std::time::{Duration, Instant};

const SLICE: Duration = Duration::from_millis(5);
/// While this is not over, slices are shorter.
const EARLY: Duration = Duration::from_millis(60);
const EARLY_SLICE: Duration = Duration::from_millis(1);
const AT_ONCE: Duration = Duration::from_millis(12);
const SOON_ENOUGH: Duration = Duration::from_millis(400);

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

/// The places that threads take in turns.
#[derive(Debug)]
pub struct Turns {
    places: usize,
    expects_proof: bool,
    started: Instant,
    /// Nobody waits any more.
    over: Arc<AtomicBool>,
    /// Threads that work out their answer.
    concluding: AtomicUsize,
    line: Mutex<Line>,
}

#[derive(Debug)]
struct Line {
    /// Below 0 when all is over and everybody runs to its end.
    free: isize,
    waiting: Vec<Waiting>,
    next: u64,
    accounts: [Account; ROLES],
}

#[derive(Debug)]
struct Waiting {
    ticket: u64,
    role: Role,
    thread: Thread,
}

impl Turns {
    /// `expects_proof`: most likely nothing will be found.
    pub fn new(places: usize, expects_proof: bool, over: Arc<AtomicBool>) -> Arc<Turns> {
        let accounts = [Account::default(); ROLES];
        let line = Line { free: places.max(1) as isize, waiting: Vec::new(), next: 0, accounts };
        Arc::new(Turns {
            places: places.max(1),
            expects_proof,
            started: Instant::now(),
            over,
            concluding: AtomicUsize::new(0),
            line: Mutex::new(line),
        })
    }

    pub fn of(self: &Arc<Turns>, role: Role) -> Turn {
        Turn { turns: self.clone(), role }
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
        // The flag may be set by somebody who does not tell; so nobody waits for long.
        while !(self.is_next(&line, ticket) || self.over.load(Ordering::Relaxed)) {
            drop(line);
            park_timeout(SLICE);
            line = self.lock();
        }
        line.waiting.retain(|other| other.ticket != ticket);
        line.free -= 1;
        self.wake_next(&line);
    }

    fn first<'l>(&self, line: &'l Line) -> Option<&'l Waiting> {
        line.waiting.iter().min_by_key(|one| (self.progress(line, one.role), one.ticket))
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

    /// How far a role is, in what it would have had by now if it had its share all the time.
    fn progress(&self, line: &Line, role: Role) -> Duration {
        let spent = line.accounts[role as usize].spent;
        match role {
            Role::Proof if self.expects_proof => spent / 2,
            Role::Proof => spent,
            Role::Walk => spent / self.places as u32,
            Role::Greedy => {
                let account = &line.accounts[role as usize];
                spent - account.head_start() + account.too_long() * 7
            }
            Role::Narrow => {
                let greedy = &line.accounts[Role::Greedy as usize];
                let is_hopeful = line.accounts[role as usize].is_narrowing() && !greedy.too_long().is_zero();
                let soon = if is_hopeful { SOON_ENOUGH } else { Duration::ZERO };
                let late = spent.saturating_sub(AT_ONCE);
                late * 2 / 3 + late.saturating_sub(soon) * 7
            }
        }
    }

    fn is_concluding(&self) -> bool {
        self.concluding.load(Ordering::Relaxed) > 0
    }

    fn slice(&self) -> Duration {
        if self.started.elapsed() < EARLY { EARLY_SLICE } else { SLICE }
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
        self.look_with(|| None);
    }

    /// As [`Turn::look`], and says once a slice what is to be hoped for.
    pub fn look_with(&self, prospects: impl FnOnce() -> Option<Prospects>) {
        HELD.with_borrow_mut(|held| {
            let Turn { turns, role } = self;
            if let Some(held) = held {
                if held.since.elapsed() < turns.slice() && !turns.is_concluding() {
                    return;
                }
                let mut line = turns.lock();
                held.settle(&mut line);
                if let Some(prospects) = prospects() {
                    line.accounts[*role as usize].note(prospects);
                }
                let mine = turns.progress(&line, *role);
                let is_behind = |other: &Waiting| match turns.progress(&line, other.role) {
                    theirs if other.role == *role => theirs <= mine,
                    theirs => theirs < mine,
                };
                if !turns.is_concluding() && !line.waiting.iter().any(is_behind) {
                    return;
                }
            }
            *held = None;
            turns.enter(*role);
            *held = Some(Held { turns: turns.clone(), role: *role, since: Instant::now() });
        });
    }

    /// What this role has had so far does not count: from now on it shares with others.
    pub fn start_anew(&self) {
        HELD.with_borrow_mut(|held| held.iter_mut().for_each(|held| held.since = Instant::now()));
        self.turns.lock().accounts[self.role as usize].spent = Duration::ZERO;
    }

    /// Gives the place back: the thread has something else to do.
    pub fn leave(&self) {
        HELD.with_borrow_mut(|held| *held = None);
    }

    /// Something is found: all others wait while its evidence is worked out, until what is returned is dropped.
    pub fn conclude(&self) -> Conclusion {
        self.turns.concluding.fetch_add(1, Ordering::Relaxed);
        Conclusion { turns: self.turns.clone() }
    }
}

/// While it is there, all others wait.
#[derive(Debug)]
pub struct Conclusion {
    turns: Arc<Turns>,
}

impl Drop for Conclusion {
    fn drop(&mut self) {
        self.turns.concluding.fetch_sub(1, Ordering::Relaxed);
        self.turns.wake_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn no_more_run_than_there_are_places_and_all_get_on() {
        let turns = Turns::new(2, false, Arc::default());
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let done: Vec<AtomicUsize> = (0..5).map(|_| AtomicUsize::new(0)).collect();
        std::thread::scope(|scope| {
            for done in &done {
                let (turn, running, most) = (turns.of(Role::Walk), &running, &most);
                scope.spawn(move || {
                    for _ in 0..20 {
                        turn.look();
                        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(1));
                        running.fetch_sub(1, Ordering::SeqCst);
                        done.fetch_add(1, Ordering::SeqCst);
                    }
                    turn.leave();
                });
            }
        });
        assert_eq!(most.into_inner(), 2);
        assert!(done.into_iter().all(|done| done.into_inner() == 20));
    }

    #[test]
    fn nobody_waits_when_all_is_over() {
        let turns = Turns::new(1, false, Arc::default());
        turns.of(Role::Walk).look();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.of(Role::Walk).look());
            turns.end();
            assert!(waiting.join().is_ok());
        });
    }

    #[test]
    fn shares_are_kept() {
        let over = Arc::new(AtomicBool::new(false));
        let turns = Turns::new(2, false, over.clone());
        let work = |role: Role| {
            let (turn, over) = (turns.of(role), over.clone());
            move || {
                let mut spent = 0;
                while !over.load(Ordering::Relaxed) {
                    turn.look_with(|| Some(Prospects { first: 2, least: 1, narrow: false }));
                    std::thread::sleep(Duration::from_millis(1));
                    spent += 1;
                }
                spent
            }
        };
        std::thread::scope(|scope| {
            let threads = [Role::Proof, Role::Greedy, Role::Walk, Role::Walk].map(|role| scope.spawn(work(role)));
            std::thread::sleep(Duration::from_millis(400));
            turns.end();
            let spent: Vec<u32> = threads.into_iter().filter_map(|thread| thread.join().ok()).collect();
            // A quarter each; a busy machine may blur it.
            let total: u32 = spent.iter().sum();
            assert!(spent.iter().all(|one| *one * 8 > total), "{spent:?}");
        });
    }

    #[test]
    fn an_under_approximation_is_hopeful_when_it_comes_nearer_by_few_transitions() {
        let (turns, ms) = (Turns::new(2, false, Arc::default()), Duration::from_millis);
        let prospects = |first, least, narrow| Some(Prospects { first, least, narrow });
        // And when the greedy search is not.
        let vain = Account { spent: ms(50), nearer: ms(0), prospects: prospects(5, 5, false) };
        let near = Account { spent: ms(50), nearer: ms(0), prospects: prospects(5, 3, false) };
        let cases = [
            (prospects(5, 4, true), vain, true),
            (prospects(5, 5, true), vain, false),
            (prospects(5, 4, false), vain, false),
            (None, vain, false),
            (prospects(5, 4, true), near, false),
        ];
        for (prospects, greedy, hopeful) in cases {
            let mut line = turns.lock();
            line.accounts[Role::Greedy as usize] = greedy;
            line.accounts[Role::Narrow as usize] = Account { spent: AT_ONCE + ms(90), prospects, nearer: ms(0) };
            assert_eq!(turns.progress(&line, Role::Narrow) < ms(90), hopeful, "{prospects:?} {greedy:?}");
            line.accounts[Role::Narrow as usize].spent = AT_ONCE;
            assert_eq!(turns.progress(&line, Role::Narrow), ms(0));
        }
    }

    #[test]
    fn all_wait_while_one_concludes() {
        let turns = Turns::new(2, false, Arc::default());
        let conclusion = turns.of(Role::Greedy).conclude();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                turns.of(Role::Walk).look();
                done.store(true, Ordering::SeqCst);
            });
            std::thread::sleep(Duration::from_millis(30));
            assert!(!done.load(Ordering::SeqCst));
            drop(conclusion);
        });
        assert!(done.into_inner());
    }
}
