//! Writing to the terminal. A reader that goes away (`| head`) is no error; a result that cannot be written is one.

use engine::report::Status;
use serde::Serialize;
use std::fs::File;
use std::io::{Error, ErrorKind, Write};
use std::os::fd::AsFd;
use std::sync::OnceLock;

/// Why the result was not written, if it was not.
static LOST: OnceLock<String> = OnceLock::new();

/// The result of a command, on standard output.
pub fn result(text: &str) {
    written(anstream::stdout().lock().write_all(text.as_bytes()));
}

/// Remembers the first failure. Nobody misses what a reader that went away does not read.
pub fn written(outcome: Result<(), Error>) {
    if let Err(error) = outcome
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = LOST.set(error.to_string());
    }
}

/// The status of a command whose output is complete now: bad when its result was lost.
pub fn complete(status: Status) -> Status {
    written(std::io::stdout().flush());
    match LOST.get() {
        None => status,
        Some(error) => {
            message(&format!("error: the result cannot be written to standard output: {error}; write it elsewhere"));
            status.strongest(Status::BadInput)
        }
    }
}

/// What is said while other threads may hold the streams for ever: past their locks, and without colours.
pub fn last_words(result: &[u8], message: &[u8]) {
    for (stream, text) in [(std::io::stdout().as_fd(), result), (std::io::stderr().as_fd(), message)] {
        if let Ok(copy) = stream.try_clone_to_owned() {
            let _ = File::from(copy).write_all(text);
        }
    }
}

/// One JSON document, on standard output.
pub fn json(value: &impl Serialize) {
    result(&(json_text(value) + "\n"));
}

pub fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|error| {
        message(&format!("internal error: the result cannot be written as JSON: {error}"));
        String::new()
    })
}

/// Everything else, on standard error.
pub fn message(text: &str) {
    if text.is_empty() {
        return;
    }
    let mut stream = anstream::stderr().lock();
    let _ = stream.write_all(text.as_bytes());
    if !text.ends_with('\n') {
        let _ = stream.write_all(b"\n");
    }
}
