//! Ctrl-C and SIGTERM: the first one ends the current search with what is known, and the report is written; the second one
//! ends the program.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a shell adds to the number of a signal to report that it has ended a program.
const ENDED_BY: i32 = 128;

/// A flag that is set when the user presses Ctrl-C, or when somebody asks the program to end. Where no handler can be installed
/// it is never set, and the program ends as it always does.
pub fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The second one finds the flag set, because what is registered first is run first.
        if register_conditional_shutdown(signal, ENDED_BY + signal, flag.clone()).is_ok() {
            let _ = register(signal, flag.clone());
        }
    }
    flag
}
