//! `zonewalk replay`: evidence from a file, checked again.

use crate::{arguments, output, render, trace};
use clap::ArgMatches;
use engine::claim;
use engine::model::check::Query;
use engine::model::diagnostic::Severity;
use engine::model::load::{Model, load, query_text};
use engine::model::source::Sources;
use engine::replay::{self, AcceptedRun, Checked, Document, Mistake, RecordedRun, Shows};
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
                let resolved = match (&asked, &recorded.query) {
                    (None, Some(words)) => match resolve(&mut model, &mut sources, "query of the report", words) {
                        Some(query) => Some(query),
                        None => return Status::BadInput,
                    },
                    _ => None,
                };
                let query = asked.as_ref().map(|(_, query)| query).or(resolved.as_ref());
                let checked = match &recorded.run {
                    RecordedRun::Trace { trace, fails } => {
                        replay::trace(model.network(), trace, *fails, query.and_then(claim::of_run))
                    }
                    RecordedRun::Pair(pair) => match query.and_then(claim::of_pair) {
                        Some(sides) => replay::violation(model.network(), pair, sides),
                        None => return needs_refinement("a counter-example of a refinement"),
                    },
                };
                show(&mut rows, json, written, &checked, (&name, &text))
            })
            .fold(Status::Satisfied, Status::strongest),
        Document::Relation => {
            let Some((words, sides)) = asked.as_ref().and_then(|(words, query)| Some((words, claim::of_pair(query)?)))
            else {
                return needs_refinement("a relation");
            };
            let checked = replay::relation(model.network(), &text, sides);
            show(&mut rows, json, Some(words), &checked, (&name, &text))
        }
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

fn needs_refinement(what: &str) -> Status {
    output::message(&format!("error: {what} needs the query that it answers: give it with -q 'refinement: A <= B'"));
    Status::BadInput
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
            && let Some(run) = &accepted.run
        {
            out.push_str(&match run {
                AcceptedRun::Trace(trace, run) => trace::text(trace, run),
                AcceptedRun::Pair(pair) => trace::pair(pair),
            });
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
        Shows::Violation => "a run of both sides that breaks a rule of refinement",
        Shows::Relation => "a relation: every pair of states keeps the rules of refinement",
    }
}
