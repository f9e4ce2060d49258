//! `zonewalk replay`: evidence from a file, checked again.

use crate::{arguments, output, render, trace};
use clap::ArgMatches;
use engine::claim;
use engine::model::check::Query;
use engine::model::diagnostic::Severity;
use engine::model::load::{Model, load, query_text};
use engine::model::source::Sources;
use engine::replay::{self, Checked, Document, Mistake, Shows};
use engine::report::Status;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Serialize)]
struct Report {
    schema: &'static str,
    model: String,
    evidence: String,
    results: Vec<Row>,
}

/// What became of one piece of evidence.
#[derive(Serialize)]
struct Row {
    query: Option<String>,
    verdict: &'static str,
    shows: Option<Shows>,
    step: Option<usize>,
    reason: Option<String>,
}

pub fn run(matches: &ArgMatches) -> Status {
    let path = arguments::model_path(matches);
    let loaded = load(&path, &arguments::overrides(matches));
    let mut sources = loaded.sources;
    let Some(mut model) = loaded.model else {
        output::message(&render::diagnostics(&sources, &loaded.diagnostics, Severity::Error));
        return Status::BadInput;
    };
    let file = matches.get_one::<PathBuf>("evidence").cloned().unwrap_or_default();
    let name = file.display().to_string();
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => {
            output::message(&format!("error: `{name}` cannot be read: {error}"));
            return Status::BadInput;
        }
    };
    let document = match replay::read(&text) {
        Ok(document) => document,
        Err(mistake) => {
            output::message(&render::mistake(&name, &text, mistake.line, mistake.column, &mistake.message));
            return Status::BadInput;
        }
    };
    let asked = match matches.get_one::<String>("query") {
        None => None,
        Some(words) => match resolve(&mut model, &mut sources, "-q #1", words) {
            Some(query) => Some((words.clone(), query)),
            None => return Status::BadInput,
        },
    };
    let mut rows = Vec::new();
    let json = matches.get_flag("json");
    let status = match document {
        Document::Traces(list) if list.is_empty() => {
            output::message(&format!("error: `{name}` holds no trace"));
            return Status::BadInput;
        }
        Document::Traces(list) => list
            .iter()
            .map(|recorded| {
                let written = asked.as_ref().map(|(text, _)| text).or(recorded.query.as_ref());
                let query = match (&asked, &recorded.query) {
                    (Some((_, query)), _) => claim::of_run(query),
                    (None, Some(words)) => match resolve(&mut model, &mut sources, "query of the report", words) {
                        Some(query) => claim::of_run(&query),
                        None => return Status::BadInput,
                    },
                    (None, None) => None,
                };
                let checked = replay::trace(model.network(), recorded, query);
                show(&mut rows, json, written, &checked, (&name, &text))
            })
            .fold(Status::Satisfied, Status::strongest),
        Document::Certificate => {
            let Some((words, query)) = &asked else {
                output::message("error: a certificate needs the query that it answers: give it with -q");
                return Status::BadInput;
            };
            let Some(goal) = claim::of_certificate(query) else {
                output::message("error: certificates answer `E<>` and `A[]` queries only");
                return Status::BadInput;
            };
            let checked = replay::certificate(model.network(), &text, goal);
            show(&mut rows, json, Some(words), &checked, (&name, &text))
        }
    };
    if json {
        let model = path.display().to_string();
        output::json(&Report { schema: "zonewalk.replay/1", model, evidence: name, results: rows });
    }
    status
}

/// A query about the model; when it is wrong the messages have been shown.
fn resolve(model: &mut Model, sources: &mut Sources, name: &str, words: &str) -> Option<Query> {
    let written = query_text(sources, name, words);
    let loaded = model.query(&written);
    output::message(&render::diagnostics(sources, &loaded.diagnostics, Severity::Error));
    loaded.query
}

fn show(
    rows: &mut Vec<Row>,
    json: bool,
    query: Option<&String>,
    checked: &Checked,
    (name, text): (&str, &str),
) -> Status {
    let at = |step: &Option<usize>| step.map_or(String::new(), |step| format!("step {step}: "));
    let (status, verdict, line) = match checked {
        Checked::Accepted(accepted) => (Status::Satisfied, "accepted", format!("accepted: {}", words(accepted.shows))),
        Checked::Refused { step, reason } => (Status::Violated, "refused", format!("refused: {}{reason}", at(step))),
        Checked::BadInput { step, reason, name: unknown } => {
            let place = unknown.as_ref().and_then(|unknown| replay::place_of(text, "process", unknown));
            let said = format!("{}{reason}", at(step));
            output::message(&match place {
                Some((line, column)) => {
                    let mistake = Mistake { line, column, message: said.clone() };
                    render::mistake(name, text, mistake.line, mistake.column, &mistake.message)
                }
                None => format!("error: `{name}` does not fit the model: {said}"),
            });
            (Status::BadInput, "error", format!("error: {said}"))
        }
    };
    if !json {
        let mut out = query.map_or(String::new(), |query| format!("{:>3}. {query}\n", rows.len() + 1));
        out.push_str(&format!("     {line}\n"));
        if let Checked::Accepted(accepted) = checked
            && let Some((trace, run)) = &accepted.run
        {
            out.push_str(&trace::text(trace, run));
        }
        output::result(&out);
    }
    let (shows, step, reason) = match checked {
        Checked::Accepted(accepted) => (Some(accepted.shows), None, None),
        Checked::Refused { step, reason } | Checked::BadInput { step, reason, .. } => {
            (None, *step, Some(reason.clone()))
        }
    };
    rows.push(Row { query: query.cloned(), verdict, shows, step, reason });
    status
}

fn words(shows: Shows) -> &'static str {
    match shows {
        Shows::Run => "a run of the model",
        Shows::Witness => "a run of the model, and it decides the query",
        Shows::Failure => "a run of the model that leads to an error",
        Shows::Certificate => "a certificate: no reachable state is what the query looks for",
    }
}
