//! `zonewalk check`: answers to queries.

use crate::progress::Line;
use crate::{arguments, output, render, trace};
use clap::ArgMatches;
use engine::check::check;
use engine::limits::Watch;
use engine::model::diagnostic::{Diagnostics, Severity};
use engine::model::load::{LoadedQuery, Model, load, query_file, query_text};
use engine::model::source::Sources;
use engine::model::syntax::ast::QuerySource;
use engine::report::{Answer, Status, Verdict};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

pub fn run(matches: &ArgMatches) -> Status {
    let path = arguments::model_path(matches);
    let options = arguments::options(matches);
    let loaded = load(&path, &arguments::overrides(matches));
    let (mut sources, mut diagnostics) = (loaded.sources, loaded.diagnostics);
    let name = path.display().to_string();
    let json = matches.get_flag("json");
    let fail = |sources: &Sources, diagnostics: &Diagnostics| {
        output::message(&render::diagnostics(sources, diagnostics, Severity::Error));
        if json {
            output::json(&engine::info::Failure::of(&name, sources, diagnostics));
        }
        Status::BadInput
    };
    let Some(mut model) = loaded.model else { return fail(&sources, &diagnostics) };
    let Some(written) = queries(matches, &path, &model, &mut sources, &mut diagnostics) else {
        return fail(&sources, &diagnostics);
    };
    if diagnostics.has_errors() {
        output::message(&render::diagnostics(&sources, &diagnostics, Severity::Error));
    }
    let queries: Vec<LoadedQuery> = written.iter().map(|query| model.query(query)).collect();
    let trace = matches.get_one::<String>("trace").cloned().unwrap_or_default();
    for query in &queries {
        output::message(&render::diagnostics(&sources, &query.diagnostics, Severity::Error));
    }
    let line = RefCell::new(Line::new());
    let mut show = |statistics: &_| line.borrow_mut().show(statistics);
    let mut watch = Watch::new(None, Some(&mut show));
    let mut report = check(&name, &sources, &model, &queries, &options, &mut watch, &mut |answer| {
        line.borrow_mut().clear();
        if !json {
            output::result(&text(answer, &trace));
        }
    });
    if json {
        if trace == "none" {
            report.results.iter_mut().for_each(|answer| answer.trace = None);
        }
        output::json(&report);
    }
    if queries.is_empty() {
        output::message(
            "there are no queries: give one with -q 'E<> P.location', or a file of queries after the model",
        );
        return Status::BadInput;
    }
    let status = report.status();
    if diagnostics.has_errors() { status.strongest(Status::BadInput) } else { status }
}

/// The queries to answer; `None` when a file of queries cannot be read.
fn queries(
    matches: &ArgMatches,
    model_path: &Path,
    model: &Model,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<QuerySource>> {
    if let Some(words) = matches.get_many::<String>("query") {
        return Some(words.enumerate().map(|(n, word)| query_text(sources, &format!("-q #{}", n + 1), word)).collect());
    }
    if let Some(path) = matches.get_one::<PathBuf>("queries") {
        return query_file(sources, path, diagnostics);
    }
    model_queries(model_path, model, sources, diagnostics)
}

/// The queries that stand in the model, else those of a file beside it with the same name.
pub fn model_queries(
    model_path: &Path,
    model: &Model,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<QuerySource>> {
    let beside = model_path.with_extension("q");
    if model.queries.is_empty() && beside != model_path && beside.is_file() {
        return query_file(sources, &beside, diagnostics);
    }
    Some(model.queries.clone())
}

fn text(answer: &Answer, trace_form: &str) -> String {
    let verdict = match answer.verdict {
        Verdict::Satisfied => "satisfied",
        Verdict::Violated => "violated",
        Verdict::Unknown => "unknown",
        Verdict::Error => "error",
    };
    let place = match (&answer.place, answer.verdict) {
        (Some(place), Verdict::Unknown) => format!(" ({place})"),
        _ => String::new(),
    };
    let reason = answer.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}{place}"));
    let value = answer.value.as_ref().map_or(String::new(), |value| format!(": {value}"));
    let mut out = format!("{:>3}. {}\n     {verdict}{value}{reason}\n", answer.index + 1, answer.query);
    match (trace_form, &answer.shown, &answer.trace) {
        ("text", Some(run), _) => out.push_str(&trace::text(run)),
        ("json", _, Some(trace)) => out.push_str(&(output::json_text(trace) + "\n")),
        _ => {}
    }
    out
}
