//! The suites of this directory, as benches read them: rows that are flat tables of strings and numbers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub type Row = HashMap<&'static str, &'static str>;

pub fn rows(suite: &'static str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for line in suite.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line == "[[row]]" {
            rows.push(Row::new());
        } else {
            let (key, value) = line.split_once(" = ").expect("key = value");
            rows.last_mut().expect("a row").insert(key, value.trim_matches('"'));
        }
    }
    rows
}

/// Where a file of a row is: in this repository, or below `ZONEWALK_CORPUS`, if that is set.
pub fn path(row: &Row, file: &str) -> Option<PathBuf> {
    if row.contains_key("corpus") {
        return std::env::var_os("ZONEWALK_CORPUS").map(|root| Path::new(&root).join(file));
    }
    Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file))
}
