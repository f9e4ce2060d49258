//! What a question may use: time, memory, and whether somebody wants it to end.
//!
//! An [`Allowance`] is made once for a question and belongs to all threads that work on it: each [enters](Allowance::enter) it. Whatever
//! may take long asks [`is_over`] on its way, also what only prepares a search. It costs a decrement; the clock and the
//! memory are looked at now and then.
//!
//! Whoever is told that the allowance is over may stop anywhere and leave things unfinished. So the answer to [`is_over`] is *kept*: once
//! it was `true` it stays so, and whoever concludes that there is nothing asks [`cause`] first. A run that was replayed stands
//! whatever was left unfinished.
//!
//! Memory is that of the whole process, as [`memory`] counts it where the program has its allocator.

pub mod memory;

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// The example in the README.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;

/// Why a question has to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    Cancelled,
    Time,
    Memory,
}

/// Called by a thread whenever it looks at its allowance.
type Look = Box<dyn Fn() + Send + Sync>;

struct Shared {
    deadline: Option<Instant>,
    /// Bytes of the process.
    bytes: Option<u64>,
    cancel: Option<Arc<AtomicBool>>,
    /// The allowance that this one is a part of.
    whole: Option<Allowance>,
    look: Option<Look>,
    /// What has been seen to be over: 0 for nothing.
    over: AtomicU8,
}

/// What one question may use.
#[derive(Clone)]
pub struct Allowance(Arc<Shared>);

/// How often [`is_over`] looks at clock and memory. A step between two questions takes microseconds at most.
const BETWEEN: u32 = 64;

thread_local! {
    static CURRENT: RefCell<Option<Allowance>> = const { RefCell::new(None) };
    static LEFT: Cell<u32> = const { Cell::new(0) };
}

impl Allowance {
    /// Until a moment, with so many bytes, unless the flag is set; `None` is no limit.
    pub fn new(deadline: Option<Instant>, bytes: Option<u64>, cancel: Option<Arc<AtomicBool>>) -> Allowance {
        Allowance(Arc::new(Shared { deadline, bytes, cancel, whole: None, look: None, over: AtomicU8::new(0) }))
    }

    /// The same for a part of the work, which a flag ends by itself. A thread that works for it calls `look` whenever it looks at its
    /// allowance, in the middle of whatever it does: it may be made to wait there.
    pub fn part(&self, cancel: Arc<AtomicBool>, look: impl Fn() + Send + Sync + 'static) -> Allowance {
        let Shared { deadline, bytes, .. } = *self.0;
        let (cancel, whole, look): (_, _, Option<Look>) = (Some(cancel), Some(self.clone()), Some(Box::new(look)));
        Allowance(Arc::new(Shared { deadline, bytes, cancel, whole, look, over: AtomicU8::new(0) }))
    }

    /// The thread works for this question until the guard goes.
    #[must_use]
    pub fn enter(&self) -> Entered {
        LEFT.set(0);
        Entered { before: CURRENT.replace(Some(self.clone())) }
    }

    /// How much time is left; `None`: as much as one likes.
    pub fn time_left(&self) -> Option<Duration> {
        self.0.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Looks at everything, and keeps what it sees.
    pub fn look(&self) -> Option<Cause> {
        let shared = &*self.0;
        if let Some(cause) = self.cause() {
            return Some(cause);
        }
        let cause = if shared.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            Cause::Cancelled
        } else if let Some(cause) = shared.whole.as_ref().and_then(Allowance::look) {
            cause
        } else if shared.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Cause::Time
        } else if shared.bytes.is_some_and(|bytes| memory::held() > bytes) {
            Cause::Memory
        } else {
            return None;
        };
        let _ = shared.over.compare_exchange(0, cause as u8 + 1, Ordering::Relaxed, Ordering::Relaxed);
        self.cause()
    }

    /// What was seen to be over.
    pub fn cause(&self) -> Option<Cause> {
        match self.0.over.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Cause::Cancelled),
            2 => Some(Cause::Time),
            _ => Some(Cause::Memory),
        }
    }
}

/// A thread that works for a question; as long as this lives.
pub struct Entered {
    before: Option<Allowance>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let before = self.before.take();
        CURRENT.with_borrow_mut(|current| *current = before);
        LEFT.set(0);
    }
}

/// The allowance of the question that this thread works for, to be entered by its helpers.
pub fn current() -> Option<Allowance> {
    CURRENT.with_borrow(Clone::clone)
}

/// Whether the question of this thread has to end. To be asked at every step of what may be long.
#[inline]
pub fn is_over() -> bool {
    let left = LEFT.get();
    if left > 0 {
        LEFT.set(left - 1);
        return false;
    }
    look()
}

/// As [`is_over`], looking at once.
#[cold]
pub fn look() -> bool {
    LEFT.set(BETWEEN);
    CURRENT.with_borrow(|current| {
        let Some(allowance) = current else { return false };
        if let Some(look) = &allowance.0.look {
            look();
        }
        let is_over = allowance.look().is_some();
        if is_over {
            LEFT.set(0);
        }
        is_over
    })
}

/// Why the question of this thread has to end, if something on its way was told so: then nothing is known to be complete.
pub fn cause() -> Option<Cause> {
    CURRENT.with_borrow(|current| current.as_ref().and_then(Allowance::cause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_to_be_over_stays_so() {
        let flag = Arc::new(AtomicBool::new(false));
        let allowance = Allowance::new(None, None, Some(flag.clone()));
        let entered = allowance.enter();
        assert!(!is_over());
        flag.store(true, Ordering::Relaxed);
        assert_eq!(cause(), None, "nobody has looked");
        assert!((0..=BETWEEN).any(|_| is_over()));
        flag.store(false, Ordering::Relaxed);
        assert!(is_over());
        assert_eq!(cause(), Some(Cause::Cancelled));
        drop(entered);
        assert!(!is_over() && cause().is_none());
    }

    #[test]
    fn an_allowance_is_shared_by_threads() {
        let allowance = Allowance::new(Some(Instant::now()), None, None);
        std::thread::scope(|scope| {
            let allowance = allowance.clone();
            scope.spawn(move || {
                let _entered = allowance.enter();
                assert!(is_over());
            });
        });
        assert_eq!(allowance.cause(), Some(Cause::Time));
        let _outer = Allowance::new(None, None, None).enter();
        {
            let _inner = allowance.enter();
            assert!(is_over());
        }
        assert!(!is_over());
    }
}
