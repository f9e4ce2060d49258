//! `zonewalk check`: answers to queries.

use crate::{arguments, output, render};
use clap::ArgMatches;
use engine::check::check;
use engine::model::diagnostic::{Diagnostics, Severity};
use engine::model::load::{LoadedQuery, Model, load, query_file, query_text};
use engine::model::source::Sources;
use engine::model::syntax::ast::QuerySource;
use engine::report::{Answer, Report, Status, Verdict};
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
    let report = check(&name, &sources, &model, &queries, &options);
    for query in &queries {
        output::message(&render::diagnostics(&sources, &query.diagnostics, Severity::Error));
    }
    if json {
        output::json(&report);
    } else {
        output::result(&text(&report));
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
    let beside = model_path.with_extension("q");
    if model.queries.is_empty() && beside != model_path && beside.is_file() {
        return query_file(sources, &beside, diagnostics);
    }
    Some(model.queries.clone())
}

fn text(report: &Report) -> String {
    report.results.iter().map(answer).collect()
}

fn answer(answer: &Answer) -> String {
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
    format!("{:>3}. {}\n     {verdict}{reason}\n", answer.index + 1, answer.query)
}
