//! A run as text: per step the time, the action, who moved from where to where, and what changed.

use engine::shown::ShownRun;
use std::fmt::Write;

pub fn text(run: &ShownRun) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_text(&mut out, run);
    out
}

fn write_text(out: &mut String, run: &ShownRun) -> std::fmt::Result {
    if run.steps.is_empty() {
        writeln!(out, "     in the initial state")?;
    }
    let time_width = run.steps.iter().map(|step| step.time.chars().count()).max().unwrap_or(0);
    let number_width = run.steps.len().to_string().len();
    for (n, step) in run.steps.iter().enumerate() {
        let moves: Vec<String> = step.moves.iter().map(one_move).collect();
        write!(out, "     {:>number_width$}. ", n + 1)?;
        if !step.time.is_empty() {
            write!(out, "at {:>time_width$}  ", step.time)?;
        }
        write!(out, "{}  {}", step.action, moves.join(", "))?;
        if !step.changes.is_empty() {
            let changes: Vec<String> = step.changes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            write!(out, "  {{ {} }}", changes.join(", "))?;
        }
        out.push('\n');
    }
    if let Some(delay) = &run.final_delay {
        writeln!(out, "     then {delay} later")?;
    }
    if let Some(ending) = &run.ending {
        writeln!(out, "     {ending}")?;
    }
    Ok(())
}

/// Explicit graphs have no processes.
fn one_move((process, from, to): &(String, String, String)) -> String {
    if process.is_empty() { format!("{from} -> {to}") } else { format!("{process}: {from} -> {to}") }
}
