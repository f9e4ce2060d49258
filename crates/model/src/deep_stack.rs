//! Runs work that recurses deeply, as parsing and checking do, on a thread with a stack large enough for it.
//!
//! The main thread of a process has 8 MiB, a test thread 2 MiB: too little for an expression of the height that
//! [`limits::HEIGHT`] allows. Only the pages that are touched cost memory.

use crate::limits;
use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

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
    // A refused thread drops its closure, so the work waits outside until a thread really runs.
    let waiting = Mutex::new(Some(work));
    let run = || waiting.lock().unwrap_or_else(PoisonError::into_inner).take().map(|work| work());
    let run_deep = || {
        IS_DEEP.set(true);
        run()
    };
    let mut stack = limits::STACK_BYTES;
    while stack >= 1 << 23 {
        let result = scope(|scope| {
            let thread = Builder::new().stack_size(stack).spawn_scoped(scope, run_deep).ok()?;
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        if let Some(result) = result {
            return result;
        }
        stack /= 4;
    }
    run().unwrap_or_else(|| unreachable!("the work is taken only by a thread that returns its result"))
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
