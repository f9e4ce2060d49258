//! Makes an input smaller that shows a fault, by delta debugging (Zeller & Hildebrandt 2002): pieces of the changed file are left
//! out as long as the same kind of fault stays, lines first, then words. Then options go one by one.

use super::case::Case;
use super::judge::{Fault, Judge};
use super::tokens;
use std::path::Path;

/// How often a command is run for it: a minute at most for a fault of some milliseconds.
const RUNS: usize = 1500;

pub fn shrink(case: &Case, fault: &Fault, judge: &Judge, folder: &Path) -> Case {
    let mut best = case.clone();
    let mut left = match fault {
        // Each run would take that long.
        Fault::Hangs => return best,
        Fault::Time(..) | Fault::Memory(..) => RUNS / 10,
        _ => RUNS,
    };
    let mut shows = |case: &Case| {
        left = left.saturating_sub(1);
        left > 0 && judge.judge(case, folder).fault.is_some_and(|found| found.is_like(fault))
    };
    for cut in [by_lines, by_words] {
        let bytes = best.files[best.changed].1.clone();
        let Ok(text) = String::from_utf8(bytes) else { break };
        let small = reduce(&cut(&text), |pieces| {
            let mut smaller = best.clone();
            smaller.files[smaller.changed].1 = pieces.concat().into_bytes();
            shows(&smaller)
        });
        let changed = best.changed;
        best.files[changed].1 = small.concat().into_bytes();
    }
    for call in 0..best.calls.len() {
        // The model or the evidence comes first, then what may go.
        let mut at = best.calls[call].arguments.len();
        while at > 2 {
            at -= 1;
            if is_limit(&best.calls[call].arguments, at) {
                continue;
            }
            let mut smaller = best.clone();
            smaller.calls[call].arguments.remove(at);
            if shows(&smaller) {
                best = smaller;
            }
        }
    }
    best
}

/// Whether a word belongs to the limits, without which there is nothing to break.
fn is_limit(arguments: &[String], at: usize) -> bool {
    let names = |word: &String| ["--time-limit", "--memory-limit", "--threads", "--json"].contains(&word.as_str());
    names(&arguments[at]) || names(&arguments[at - 1])
}

fn by_lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

/// Each piece is a word with the white space before it.
fn by_words(text: &str) -> Vec<String> {
    let ends: Vec<usize> = tokens::words(text).iter().map(|word| word.end).chain([text.len()]).collect();
    let starts = [0].into_iter().chain(ends.iter().copied());
    starts.zip(&ends).map(|(start, end)| text[start..*end].to_owned()).filter(|piece| !piece.is_empty()).collect()
}

/// The pieces that are left when none of the tried groups can go any more.
fn reduce(pieces: &[String], mut shows: impl FnMut(&[String]) -> bool) -> Vec<String> {
    let mut pieces = pieces.to_vec();
    let mut size = pieces.len().div_ceil(2);
    while size > 0 && !pieces.is_empty() {
        let mut at = 0;
        while at < pieces.len() {
            let mut fewer = pieces.clone();
            fewer.drain(at..(at + size).min(pieces.len()));
            if shows(&fewer) {
                pieces = fewer;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    pieces
}
