//! Writing to the terminal. A reader that goes away (`| head`) is no error.

use serde::Serialize;
use std::io::Write;

/// The result of a command, on standard output.
pub fn result(text: &str) {
    let _ = anstream::stdout().lock().write_all(text.as_bytes());
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
