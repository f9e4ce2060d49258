//! What tests of the command share; each of them uses a part.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of its own for each test, with files in it.
pub fn directory(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&path).expect("a directory");
    for (name, text) in files {
        std::fs::write(path.join(name), text).expect("a file");
    }
    path
}

pub fn zonewalk(directory: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zonewalk")).args(words).current_dir(directory).output().expect("zonewalk runs")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
