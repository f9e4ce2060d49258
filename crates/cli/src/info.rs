//! `zonewalk info`: what is in a model.

use crate::check::model_queries;
use crate::{arguments, output, render};
use clap::ArgMatches;
use engine::info::{Info, ProcessInfo, info};
use engine::model::diagnostic::Severity;
use engine::model::load::load;
use engine::report::Status;
use std::fmt::Write;

pub fn run(matches: &ArgMatches) -> Status {
    let path = arguments::model_path(matches);
    let loaded = load(&path, &arguments::overrides(matches));
    let (mut sources, mut diagnostics) = (loaded.sources, loaded.diagnostics);
    let Some(model) = loaded.model else {
        output::message(&render::diagnostics(&sources, &diagnostics, Severity::Error));
        if matches.get_flag("json") {
            output::json(&engine::info::Failure::of(&path.display().to_string(), &sources, &diagnostics));
        }
        return Status::BadInput;
    };
    let written = model_queries(&path, &model.queries, &mut sources, &mut diagnostics).unwrap_or_default();
    let queries = model.queries(&written);
    diagnostics.extend(model.unused());
    let info = info(&path.display().to_string(), &sources, &model, &queries, &diagnostics);
    output::message(&render::diagnostics(&sources, &diagnostics, Severity::Warning));
    output::message(&render::diagnostics(&sources, &diagnostics, Severity::Error));
    for query in &queries {
        output::message(&render::diagnostics(&sources, &query.diagnostics, Severity::Error));
    }
    if matches.get_flag("json") {
        output::json(&info);
    } else {
        output::result(&text(&info));
    }
    let is_bad = diagnostics.has_errors() || queries.iter().any(|query| query.query.is_none());
    if is_bad { Status::BadInput } else { Status::Satisfied }
}

fn text(info: &Info) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_text(&mut out, info);
    out
}

fn write_text(out: &mut String, info: &Info) -> std::fmt::Result {
    let totals = &info.totals;
    writeln!(out, "{}", info.model)?;
    writeln!(
        out,
        "  {}, {}, {}, {}, {} ({}), {}",
        count(totals.processes, "process"),
        count(totals.locations, "location"),
        count(totals.edges, "edge"),
        count(totals.clocks, "clock"),
        count(totals.variables, "variable"),
        count(totals.bits as usize, "bit"),
        count(totals.channels, "channel"),
    )?;
    section(out, "templates", &info.templates, |template| {
        let mut line = format!("{}({})", template.name, template.parameters.join(", "));
        let _ = write!(line, "  {}", count(template.processes, "process"));
        let _ = write!(line, ", {}", count(template.locations, "location"));
        for (number, word) in [(template.urgent, "urgent"), (template.committed, "committed")] {
            if number > 0 {
                let _ = write!(line, ", {number} {word}");
            }
        }
        let _ = write!(line, ", {}", count(template.edges, "edge"));
        if template.expanded_edges != template.edges {
            let _ = write!(line, " ({} with selects expanded)", template.expanded_edges);
        }
        line
    })?;
    section(out, "processes", &runs(&info.processes), |run| {
        let process = run[0];
        let (last, processes) = (&run[run.len() - 1].last, run.iter().map(|process| process.count).sum::<u32>());
        let name = match processes {
            1 => process.first.clone(),
            _ => format!("{} .. {last}  ({processes})", process.first),
        };
        let kind = if process.template == process.name { String::new() } else { format!("  of {}", process.template) };
        let priority =
            if info.priorities.processes { format!("  priority {}", process.priority) } else { String::new() };
        format!("{name}{kind}{priority}")
    })?;
    section(out, "clocks", &info.clocks, |clock| {
        let count = if clock.count > 1 { format!("  {} clocks", clock.count) } else { String::new() };
        let hybrid = if clock.hybrid { "  hybrid" } else { "" };
        let initial = clock.initial.as_ref().map_or(String::new(), |value| format!("  starts at {value}"));
        format!("{}{count}{hybrid}{initial}", scoped(clock.template.as_ref(), &clock.name))
    })?;
    section(out, "variables", &info.variables, |variable| {
        let range = match (variable.lo, variable.hi) {
            (Some(lo), Some(hi)) => format!("  {lo}..{hi}, {}", count(variable.bits as usize, "bit")),
            _ => String::new(),
        };
        let meta = if variable.meta { "  meta" } else { "" };
        format!("{}: {}{range}{meta}", scoped(variable.template.as_ref(), &variable.name), variable.ty)
    })?;
    section(out, "channels", &info.channels, |channel| {
        let count = if channel.count > 1 { format!("[{}]", channel.count) } else { String::new() };
        let urgent = if channel.urgent { "  urgent" } else { "" };
        let broadcast = if channel.broadcast { "  broadcast" } else { "" };
        let levels: Vec<String> = channel.priorities.iter().take(8).map(|level| level.to_string()).collect();
        let priority =
            if info.priorities.channels { format!("  priority {}", levels.join(", ")) } else { String::new() };
        format!("{}{count}{urgent}{broadcast}{priority}", scoped(channel.template.as_ref(), &channel.name))
    })?;
    section(out, "queries", &info.queries, |query| {
        let expect = query.expect.map_or(String::new(), |expect| format!("  expected: {expect}"));
        let note = match (&query.note, &query.place) {
            (Some(note), Some(place)) => format!("\n         {place}: {note}"),
            (Some(note), None) => format!("\n         {note}"),
            (None, _) => String::new(),
        };
        format!("{:>3}. {}  [{}]{expect}{note}", query.index + 1, query.query, query.kind)
    })?;
    writeln!(out, "\nengines")?;
    for engine in &info.engines {
        writeln!(out, "  {:<12} {}", engine.name, engine.fits)?;
        for obstacle in engine.obstacles.iter().take(OBSTACLES) {
            let place = obstacle.place.as_ref().map_or(String::new(), |place| format!("{place}: "));
            writeln!(out, "    {place}{}", obstacle.reason)?;
        }
        if engine.obstacles.len() > OBSTACLES {
            writeln!(out, "    and {} more (--json lists them all)", engine.obstacles.len() - OBSTACLES)?;
        }
    }
    Ok(())
}

/// Processes that are alike and stand side by side share a line, unless they are few.
fn runs(processes: &[ProcessInfo]) -> Vec<Vec<&ProcessInfo>> {
    let alike = |a: &ProcessInfo, b: &ProcessInfo| {
        (&a.template, a.priority, a.count, b.count) == (&b.template, b.priority, 1, 1)
    };
    let mut runs = Vec::new();
    for run in processes.chunk_by(alike) {
        if run.len() > 6 {
            runs.push(run.iter().collect());
        } else {
            runs.extend(run.iter().map(|process| vec![process]));
        }
    }
    runs
}

/// Rows shown of a long list; `--json` has all of them.
const ROWS: usize = 40;
const OBSTACLES: usize = 8;

fn section<T>(out: &mut String, title: &str, rows: &[T], line: impl Fn(&T) -> String) -> std::fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    for row in rows.iter().take(ROWS) {
        writeln!(out, "  {}", line(row))?;
    }
    if rows.len() > ROWS {
        writeln!(out, "  and {} more (--json lists them all)", rows.len() - ROWS)?;
    }
    Ok(())
}

fn scoped(template: Option<&String>, name: &str) -> String {
    template.map_or(name.to_owned(), |template| format!("{template}.{name}"))
}

/// `1 process`, `2 processes`
fn count(number: usize, noun: &str) -> String {
    let plural = match (number, noun) {
        (1, _) => noun.to_owned(),
        (_, "process") => "processes".to_owned(),
        _ => format!("{noun}s"),
    };
    format!("{number} {plural}")
}
