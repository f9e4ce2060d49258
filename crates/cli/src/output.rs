//! Writing to the terminal. A reader that goes away (`| head`) is no error.

use serde::Serialize;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;

/// The result of a command, on standard output.
pub fn result(text: &str) {
    let _ = anstream::stdout().lock().write_all(text.as_bytes());
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
