//! A thread's way to its turns: looking whether its slice is over, giving its place back, and telling what it has found.

use super::{BELL, Line, Role, Turns, WAIT};
use crate::bell::Bell;
use crate::prospects::{Account, News};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

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
        *line.taken(self.role) -= 1;
        turns.wake_next(&line);
    }
}

/// A thread's way to its turns.
#[derive(Clone, Debug)]
pub struct Turn {
    pub(super) turns: Arc<Turns>,
    pub(super) role: Role,
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

    pub fn role(&self) -> Role {
        self.role
    }

    /// What this role has had so far does not count: from now on it shares with others.
    pub fn start_anew(&self) {
        HELD.with_borrow_mut(|held| held.iter_mut().for_each(|held| held.since = Instant::now()));
        self.turns.lock().accounts[self.role as usize].spent = Duration::ZERO;
    }

    /// The search for a proof has made its soundings, which come before an under-approximation.
    pub fn sounded(&self) {
        self.turns.is_sounded.store(true, Ordering::Relaxed);
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
            *own = account.after_probe();
        }
    }

    /// Gives the place back, and lets in all who wait in this role's line: the thread has found something and waits for the walks that
    /// may have found something that counts more.
    pub fn hurry(&self) {
        if self.role != Role::Walk {
            // It is alone.
            return;
        }
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
                    // What is found beside a proof is looked at whoever was first: one of them is wrong.
                    return turns.is_proved().then(Conclusion::default);
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
    /// Of a thread that may take turns. `None`: another has an answer.
    pub fn of(turn: Option<&Turn>) -> Option<Conclusion> {
        turn.map_or(Some(Conclusion::default()), Turn::conclude)
    }

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
