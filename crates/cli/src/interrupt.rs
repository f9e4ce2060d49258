//! Ctrl-C: the first one ends the current search with what is known, the second one ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a shell reports for a program that SIGINT has ended.
const INTERRUPTED: i32 = 130;

/// A flag that is set when the user presses Ctrl-C. Where no handler can be installed it is never set, and Ctrl-C ends the
/// program as it always does.
pub fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = flag.clone();
    let _ = ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    });
    flag
}
