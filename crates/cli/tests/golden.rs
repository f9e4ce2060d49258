//! Messages as a user sees them. Each `golden/*.txt` starts with a command, run in that directory; what it writes to
//! standard error and its exit status must be the rest of the file. `UPDATE_GOLDEN=1 cargo test -p cli --test golden`
//! writes the files anew.

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn messages_are_as_recorded() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("the recorded messages")
        .map(|entry| entry.expect("a directory entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    files.sort();
    assert!(files.len() >= 50, "{} recorded messages", files.len());
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    for path in files {
        let recorded = std::fs::read_to_string(&path).expect("a recorded message");
        let command = recorded.lines().next().unwrap_or_default();
        let said = run(&directory, command);
        if update {
            std::fs::write(&path, &said).expect("writing a recorded message");
        } else if said != recorded {
            wrong.push(format!("{}\n--- recorded\n{recorded}\n--- now\n{said}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{} messages differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn run(directory: &Path, command: &str) -> String {
    let words = words(command.strip_prefix("$ zonewalk ").expect("a command on the first line"));
    let output = Command::new(env!("CARGO_BIN_EXE_zonewalk"))
        .args(&words)
        .current_dir(directory)
        .env("COLUMNS", "100")
        .output()
        .expect("zonewalk runs");
    let said = String::from_utf8(output.stderr).expect("messages are UTF-8");
    format!("{command}\n{said}status {}\n", output.status.code().unwrap_or(-1))
}

/// The words of a command; what stands between single quotes is one word.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("at least one word").push(c),
        }
    }
    words
}
