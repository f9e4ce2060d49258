//! Options drawn from the engine's own table, most of them with values that fit.

use engine::options::{OPTIONS, OptionRow};
use search::random::Random;

/// Those that the judge sets itself, or that only say where output goes.
const LEFT_OUT: &[&str] = &["time-limit", "memory-limit", "threads", "search", "trace"];

const VALUES: &[&str] =
    &["0", "1", "2", "5", "16", "100", "50000", "0.01", "0.5", "4294967295", "4294967296", "18446744073709551615"];

const WRONG: &[&str] = &["", "-1", "nan", "1e400", "x", "18446744073709551616", "0x10", "é", "--"];

/// A few options.
pub fn some(random: &mut Random) -> Vec<String> {
    let rows: Vec<&OptionRow> = OPTIONS.iter().filter(|row| !LEFT_OUT.contains(&row.name)).collect();
    let mut chosen: Vec<&OptionRow> = Vec::new();
    for _ in 0..random.index(4) {
        let row = rows[random.index(rows.len())];
        if chosen.iter().all(|one| one.name != row.name) {
            chosen.push(row);
        }
    }
    chosen.into_iter().flat_map(|row| [Some(format!("--{}", row.name)), value(random, row)]).flatten().collect()
}

fn value(random: &mut Random, row: &OptionRow) -> Option<String> {
    if row.value.is_empty() {
        return None;
    }
    let table = match random.below(16) {
        0 => WRONG,
        _ if row.value.starts_with("FILE") => &["out.csv", "out.json", "out.svg", "no/such/folder/out"],
        _ if !row.values.is_empty() => row.values,
        _ => VALUES,
    };
    Some(table[random.index(table.len())].to_owned())
}

/// One of the searches.
pub fn search(random: &mut Random) -> &'static str {
    let known = engine::options::SEARCHES;
    known[random.index(known.len())]
}
