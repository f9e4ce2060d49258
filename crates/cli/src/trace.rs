//! A run as text: per step the time, the action, who moved from where to where, and what changed.

use engine::shown::{ActionKind, BrokenRule, PairTrace, ShownRun, StartState, SystemRun, Trace, TraceEdge, TraceStep};
use std::fmt::Write;

pub fn text(trace: &Trace, run: &ShownRun) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_text(&mut out, trace, run);
    out
}

fn write_text(out: &mut String, trace: &Trace, run: &ShownRun) -> std::fmt::Result {
    if trace.steps.is_empty() {
        writeln!(out, "     in the initial state")?;
    }
    let time = |step: &TraceStep| step.time.clone().unwrap_or_default();
    let time_width = trace.steps.iter().map(|step| time(step).chars().count()).max().unwrap_or(0);
    let number_width = trace.steps.len().to_string().len();
    for (n, step) in trace.steps.iter().enumerate() {
        let moves: Vec<String> = step.edges.iter().map(|edge| one_move(run, edge)).collect();
        write!(out, "     {:>number_width$}. ", n + 1)?;
        if run.timed {
            write!(out, "at {:>time_width$}  ", time(step))?;
        }
        write!(out, "{}  {}", step.action, moves.join(", "))?;
        let changes: Vec<String> = run.changes(n).map(|(name, value)| format!("{name} = {value}")).collect();
        if !changes.is_empty() {
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

fn one_move(run: &ShownRun, TraceEdge { process, from, to, .. }: &TraceEdge) -> String {
    if run.timed { format!("{process}: {from} -> {to}") } else { format!("{from} -> {to}") }
}

fn moves(edges: &[TraceEdge]) -> String {
    let moves: Vec<String> =
        edges.iter().map(|TraceEdge { process, from, to, .. }| format!("{process}: {from} -> {to}")).collect();
    if moves.is_empty() { "stays".to_owned() } else { moves.join(", ") }
}

/// How a timed I/O system reaches a state.
pub fn system(run: &SystemRun) -> String {
    let width = run.steps.iter().map(|step| step.time.chars().count()).max().unwrap_or(0);
    let number = run.steps.len().to_string().len();
    let mut out = String::new();
    for StartState { component, location, ints, clocks } in run.start.iter().flatten() {
        let values: Vec<String> = ints.iter().map(i32::to_string).chain(clocks.iter().cloned()).collect();
        out.push_str(&format!("     from {component}.{location} ({})\n", values.join(", ")));
    }
    if run.steps.is_empty() && run.start.is_none() {
        out.push_str("     in the initial state\n");
    }
    for (n, step) in run.steps.iter().enumerate() {
        let mark = if step.kind == ActionKind::Output { "!" } else { "?" };
        let (time, action) = (&step.time, &step.action);
        out.push_str(&format!("     {:>number$}. at {time:>width$}  {action}{mark}  {}\n", n + 1, moves(&step.edges)));
    }
    if run.final_delay != "0" {
        out.push_str(&format!("     then {} later\n", run.final_delay));
    }
    out
}

/// Why one system does not refine another: what both sides do, step by step, and what happens then.
pub fn pair(trace: &PairTrace) -> String {
    let width = trace.steps.iter().map(|step| step.time.chars().count()).max().unwrap_or(0);
    let number = trace.steps.len().to_string().len();
    let mut out = String::new();
    if trace.steps.is_empty() {
        out.push_str("     in the initial states\n");
    }
    for (n, step) in trace.steps.iter().enumerate() {
        let mark = if step.kind == ActionKind::Output { "!" } else { "?" };
        let line = format!(
            "     {:>number$}. at {:>width$}  {}{mark}  left: {}  right: {}\n",
            n + 1,
            step.time,
            step.action,
            moves(&step.left),
            moves(&step.right)
        );
        out.push_str(&line);
    }
    let later =
        if trace.final_delay == "0" { "then".to_owned() } else { format!("then, {} later,", trace.final_delay) };
    let action = trace.action.as_deref().unwrap_or_default();
    let what = match trace.broken {
        BrokenRule::Output => format!("{later} the left side outputs {action}!, which the right side cannot"),
        BrokenRule::Input => format!("{later} the left side refuses {action}?"),
        BrokenRule::Delay => format!("then the left side waits for {}, which the right side cannot", trace.final_delay),
    };
    out.push_str(&format!("     {what}\n"));
    out
}
