//! Turns: of many threads no more than a given number run at a time, each for a slice. Who has had its slice while others wait
//! goes to the end of the queue. So several searches share the cores that a user allows, whatever the machine has.
//!
//! A search looks now and then whether its slice is over ([`Turn::look`]); a thread that looks for the first time gets in line,
//! and gives its place back when it ends. At first all slices are alike. A proof that is not there after [`FAIR`] may need
//! long, and nothing can replace it: where there are two places or more it keeps one from then on. What finds
//! greedily finds soon or not at all, and gets short slices then.
//!
//! Cost: reading the clock, and a lock once a slice.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const SLICE: Duration = Duration::from_millis(5);
/// As long as this all are alike.
const FAIR: Duration = Duration::from_secs(5);

/// What a thread is busy with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Explores everything.
    Proof,
    /// Follows a heuristic.
    Greedy,
    Walk,
}

/// The places that threads take in turns.
#[derive(Debug)]
pub struct Turns {
    places: usize,
    started: Instant,
    /// Nobody waits any more.
    over: Arc<AtomicBool>,
    line: Mutex<Line>,
    moved: Condvar,
}

#[derive(Debug)]
struct Line {
    /// Below 0 when all is over and everybody runs to its end.
    free: isize,
    waiting: VecDeque<u64>,
    next: u64,
}

impl Turns {
    pub fn new(places: usize, over: Arc<AtomicBool>) -> Arc<Turns> {
        let line = Line { free: places.max(1) as isize, waiting: VecDeque::new(), next: 0 };
        let moved = Condvar::new();
        Arc::new(Turns { places, started: Instant::now(), over, line: Mutex::new(line), moved })
    }

    pub fn of(self: &Arc<Turns>, role: Role) -> Turn {
        Turn { turns: self.clone(), role }
    }

    /// Lets everybody run to its end, without turns.
    pub fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.moved.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self) {
        let mut line = self.lock();
        let ticket = line.next;
        line.next += 1;
        line.waiting.push_back(ticket);
        // The flag may be set by somebody who does not tell; so nobody waits for long.
        while !(line.free > 0 && line.waiting.front() == Some(&ticket) || self.over.load(Ordering::Relaxed)) {
            line = self.moved.wait_timeout(line, SLICE).unwrap_or_else(PoisonError::into_inner).0;
        }
        line.waiting.retain(|other| *other != ticket);
        line.free -= 1;
        drop(line);
        self.moved.notify_all();
    }

    fn leave(&self) {
        self.lock().free += 1;
        self.moved.notify_all();
    }

    /// How long a thread may run when others wait; `None`: as long as it likes.
    fn slice(&self, role: Role) -> Option<Duration> {
        match role {
            Role::Proof if self.places > 1 && self.started.elapsed() > FAIR => None,
            Role::Greedy if self.started.elapsed() > FAIR => Some(SLICE / 8),
            Role::Proof | Role::Greedy | Role::Walk => Some(SLICE),
        }
    }
}

thread_local! {
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// The place of a thread.
struct Held {
    turns: Arc<Turns>,
    since: Instant,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.turns.leave();
    }
}

/// A thread's way to its turns.
#[derive(Clone, Debug)]
pub struct Turn {
    turns: Arc<Turns>,
    role: Role,
}

impl Turn {
    /// Gets in line if this thread has no place; gives the place to others when its slice is over and they wait.
    pub fn look(&self) {
        HELD.with_borrow_mut(|held| {
            if let Some(held) = held {
                let spent = self.turns.slice(self.role).is_some_and(|slice| held.since.elapsed() >= slice);
                if !spent {
                    return;
                }
                if self.turns.lock().waiting.is_empty() {
                    held.since = Instant::now();
                    return;
                }
            }
            *held = None;
            self.turns.enter();
            *held = Some(Held { turns: self.turns.clone(), since: Instant::now() });
        });
    }

    /// Gives the place back: the thread has something else to do.
    pub fn leave(&self) {
        HELD.with_borrow_mut(|held| *held = None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn no_more_run_than_there_are_places_and_all_get_on() {
        let turns = Turns::new(2, Arc::default());
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
        let turns = Turns::new(1, Arc::default());
        turns.of(Role::Walk).look();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.of(Role::Walk).look());
            turns.end();
            assert!(waiting.join().is_ok());
        });
    }
}
