//! Runs work that recurses deeply, as parsing and checking do, on a thread with a stack large enough for it.
//!
//! The main thread of a process has 8 MiB, a test thread 2 MiB: too little for an expression of the height that
//! [`limits::HEIGHT`] allows. Only the pages that are touched cost memory.

use crate::limits;
use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle, scope};

thread_local! {
    /// Whether this thread was made here.
    static IS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on a thread with [`limits::STACK_BYTES`] of stack and returns its result. Where the system refuses so
/// large a stack a smaller one is tried, and at last the work is done on the stack at hand. A panic of the work goes on
/// in the caller. On such a thread already, the work is done there.
pub fn on_deep_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    if IS_DEEP.get() {
        return work();
    }
    let result = scope(|scope| match spawn_deep(scope, work) {
        Ok(thread) => Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic))),
        Err(work) => Err(work),
    });
    result.unwrap_or_else(|work| work())
}

/// Runs `work` on such a thread beside others; gives it back if the system refuses every thread.
pub fn spawn_deep<'s, R: Send + 's, W: FnOnce() -> R + Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: W,
) -> Result<ScopedJoinHandle<'s, R>, W> {
    // A refused thread drops its closure, so the work waits outside until a thread really runs.
    let waiting = Arc::new(Mutex::new(Some(work)));
    let taken = |waiting: &Mutex<Option<W>>| waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut stack = limits::STACK_BYTES;
    while stack >= 1 << 23 {
        let waiting = waiting.clone();
        let run = move || {
            IS_DEEP.set(true);
            let work = taken(&waiting).unwrap_or_else(|| unreachable!("only one thread runs"));
            work()
        };
        if let Ok(thread) = Builder::new().stack_size(stack).spawn_scoped(scope, run) {
            return Ok(thread);
        }
        stack /= 4;
    }
    Err(taken(&waiting).unwrap_or_else(|| unreachable!("no thread has run")))
}

#[cfg(test)]
mod tests {
    use super::on_deep_stack;

    /// Some hundred bytes a level.
    fn depth(n: u64) -> u64 {
        let filler = std::hint::black_box([n; 32]);
        if n == 0 { 0 } else { 1 + depth(n - 1) + filler[31] - n }
    }

    #[test]
    fn the_stack_is_deep() {
        assert_eq!(on_deep_stack(|| depth(200_000)), 200_000);
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let caught = std::panic::catch_unwind(|| on_deep_stack(|| -> u32 { panic!("of the work") }));
        assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"of the work"));
    }

    #[test]
    fn one_thread_is_enough() {
        let outer = on_deep_stack(|| {
            let outer = std::thread::current().id();
            (outer, on_deep_stack(|| std::thread::current().id()))
        });
        assert_eq!(outer.0, outer.1);
        assert_ne!(outer.0, std::thread::current().id());
    }

    #[test]
    fn borrows_are_allowed() {
        let words = [1, 2, 3];
        assert_eq!(on_deep_stack(|| words.iter().sum::<i32>()), 6);
    }
}
