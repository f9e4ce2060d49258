//! Options drawn from the engine's own table, most of them with values that fit.

use engine::options::effect::has_effect;
use engine::options::row::{OptionRow, Value};
use engine::options::{self, Options};
use engine::questions::QuestionRow;
use engine::searches::{SEARCHES, Search};
use search::random::Random;

/// Those that the judge sets itself, or that only say where output goes.
const LEFT_OUT: &[&str] = &["time-limit", "memory-limit", "threads", "search", "trace"];

const VALUES: &[&str] =
    &["0", "1", "2", "5", "16", "100", "50000", "0.01", "0.5", "4294967295", "4294967296", "18446744073709551615"];

const WRONG: &[&str] = &["", "-1", "nan", "1e400", "x", "18446744073709551616", "0x10", "é", "--"];

/// A few options, most often such that have an effect on the question with this search: the others are refused.
pub fn some(random: &mut Random, search: Search, question: &QuestionRow) -> Vec<String> {
    let all = options::all().into_iter().filter(|row| !LEFT_OUT.contains(&row.name));
    let (any, options) = (random.below(4) == 0, Options { search, ..Options::default() });
    let rows: Vec<&OptionRow> = all.filter(|row| any || has_effect(row, &options, question)).collect();
    if rows.is_empty() {
        return Vec::new();
    }
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
    if row.is_switch() {
        return None;
    }
    let names = row.value.names();
    let table: &[&str] = match random.below(16) {
        0 => WRONG,
        _ if matches!(row.value, Value::File(_)) => &["out.csv", "out.json", "out.svg", "no/such/folder/out"],
        _ if !names.is_empty() => &names,
        _ => VALUES,
    };
    Some(table[random.index(table.len())].to_owned())
}

/// One of the searches.
pub fn search(random: &mut Random) -> Search {
    Search::from(SEARCHES[random.index(SEARCHES.len())])
}
