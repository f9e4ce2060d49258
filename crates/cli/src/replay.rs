//! `zonewalk replay`: evidence from a file, checked again.

use crate::{arguments, check_graph, output, render, trace};
use clap::ArgMatches;
use engine::claim;
use engine::model::check::Query;
use engine::model::diagnostic::Severity;
use engine::model::load::{Model, load, query_text};
use engine::model::source::Sources;
use engine::replay::report::{self, ResultRecord};
use engine::replay::{self, Accepted, AcceptedRun, Checked, Document, Mistake, Shows};
use engine::report::Status;
use serde::Serialize;
use std::path::{Path, PathBuf};

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
    /// Claims that nothing in the evidence decides.
    not_checked: Vec<String>,
}

pub fn run(matches: &ArgMatches) -> Status {
    let path = arguments::model_path(matches);
    if check_graph::is_graph(&path) {
        return about_graph(matches, &path);
    }
    let loaded = load(&path, &arguments::overrides(matches));
    let mut sources = loaded.sources;
    let Some(model) = loaded.model else {
        output::message(&render::diagnostics(&sources, &loaded.diagnostics, Severity::Error));
        return Status::BadInput;
    };
    let Some((name, text, document)) = evidence(matches) else { return Status::BadInput };
    let asked = match matches.get_one::<String>("query") {
        None => None,
        Some(words) => match resolve(&model, &mut sources, "-q #1", words) {
            Some(query) => Some((words.clone(), query)),
            None => return Status::BadInput,
        },
    };
    // That of the query knows its expressions.
    let network = asked.as_ref().map_or(model.network(), |(_, query)| &query.network);
    let mut rows = Vec::new();
    let json = matches.get_flag("json");
    let mut show = |words: Option<&String>, checked: &Checked| show(&mut rows, json, words, checked, (&name, &text));
    let (words, query) = (asked.as_ref().map(|(words, _)| words), asked.as_ref().map(|(_, query)| query));
    let status = match document {
        Document::Trace(trace) => {
            let claim = query.and_then(claim::of_run);
            if let (Some(words), None) = (words, claim) {
                output::message(&format!("error: no run decides `{words}`"));
                return Status::BadInput;
            }
            show(words, &replay::trace(network, &trace, claim))
        }
        Document::Pair(pair) => match query.and_then(claim::of_pair) {
            Some(sides) => show(words, &replay::violation(network, &pair, sides)),
            None => return needs_refinement("a counter-example of a refinement"),
        },
        Document::System(run) => match query.and_then(claim::of_system_run) {
            Some(asked) => show(words, &replay::system_run(network, &run, asked)),
            None => {
                let example = "-q 'reachability: A || B -> A.L1'";
                let what = "a run of a timed I/O system needs the query that it answers";
                output::message(&format!("error: {what}: give it with {example}"));
                return Status::BadInput;
            }
        },
        Document::Report(results) if results.is_empty() => {
            output::message(&format!("error: `{name}` answers no query"));
            return Status::BadInput;
        }
        Document::Report(results) => {
            let mut status = Status::Satisfied;
            for (at, record) in results.iter().enumerate() {
                let one = match &asked {
                    Some((words, query)) if *words != record.query => {
                        let checked = for_another(record, query);
                        show(Some(words), &checked)
                    }
                    _ => {
                        let written = query_text(&mut sources, "query of the report", &record.query);
                        let loaded = model.query(&written);
                        if loaded.query.is_none() && !record.is_error() {
                            output::message(&render::diagnostics(&sources, &loaded.diagnostics, Severity::Error));
                            return Status::BadInput;
                        }
                        let checked = report::result(at, record, loaded.query.as_ref());
                        show(Some(&record.query), &checked)
                    }
                };
                status = status.strongest(one);
            }
            status
        }
        Document::Relation => {
            let Some((words, sides)) = asked.as_ref().and_then(|(words, query)| Some((words, claim::of_pair(query)?)))
            else {
                return needs_refinement("a relation");
            };
            show(Some(words), &replay::relation(network, &text, sides))
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
            show(Some(words), &replay::certificate(network, &text, goal))
        }
    };
    if json {
        let model = path.display().to_string();
        output::json(&Report { schema: "zonewalk.replay/1", model, evidence: name, results: rows });
    }
    status
}

/// The file of evidence: its name, its text, and what it holds; when it cannot be read the message has been shown.
fn evidence(matches: &ArgMatches) -> Option<(String, String, Document)> {
    let file = matches.get_one::<PathBuf>("evidence").cloned().unwrap_or_default();
    let name = file.display().to_string();
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => {
            output::message(&format!("error: `{name}` cannot be read: {error}"));
            return None;
        }
    };
    match replay::read(&text) {
        Ok(document) => Some((name, text, document)),
        Err(mistake) => {
            output::message(&render::mistake(&name, &text, mistake.line, mistake.column, &mistake.message));
            None
        }
    }
}

/// Evidence about an explicit graph: the traces of a report, or one trace.
fn about_graph(matches: &ArgMatches, path: &Path) -> Status {
    let Some(graph) = check_graph::read(path) else { return Status::BadInput };
    let Some((name, text, document)) = evidence(matches) else { return Status::BadInput };
    let asked = matches.get_one::<String>("query");
    let (mut rows, json) = (Vec::new(), matches.get_flag("json"));
    let mut show = |words: Option<&String>, checked: &Checked| show(&mut rows, json, words, checked, (&name, &text));
    let status = match (document, asked) {
        (Document::Trace(trace), asked) => match replay::graph::trace(&graph, &trace, asked.map(String::as_str)) {
            Ok(checked) => show(asked, &checked),
            Err(expected) => {
                output::message(&format!("error: -q: {expected}"));
                return Status::BadInput;
            }
        },
        (Document::Report(results), None) if !results.is_empty() => {
            let one = |(at, record): (usize, &ResultRecord)| {
                show(Some(&record.query), &replay::graph::result(&graph, at, record))
            };
            results.iter().enumerate().map(one).fold(Status::Satisfied, Status::strongest)
        }
        _ => {
            output::message(&format!("error: `{name}`: about a graph there are traces, and reports without -q"));
            return Status::BadInput;
        }
    };
    if json {
        let model = path.display().to_string();
        output::json(&Report { schema: "zonewalk.replay/1", model, evidence: name, results: rows });
    }
    status
}

/// The run of an answer, held against another query than the one of the report.
fn for_another(record: &ResultRecord, query: &Query) -> Checked {
    let mut checked = match (&record.trace, claim::of_run(query), &record.refinement, claim::of_pair(query)) {
        (Some(trace), Some(claim), ..) => replay::trace(&query.network, trace, Some(claim)),
        (_, _, Some(pair), Some(sides)) => replay::violation(&query.network, pair, sides),
        _ => {
            return Checked::Unchecked(vec![
                "that the query is decided: the report holds no run that could do it".to_owned(),
            ]);
        }
    };
    if let Checked::Accepted(accepted) = &mut checked {
        accepted.unchecked.push(format!("what the report says about `{}`; leave -q out for that", record.query));
    }
    checked
}

fn needs_refinement(what: &str) -> Status {
    output::message(&format!("error: {what} needs the query that it answers: give it with -q 'refinement: A <= B'"));
    Status::BadInput
}

/// A query about the model; when it is wrong the messages have been shown.
fn resolve(model: &Model, sources: &mut Sources, name: &str, words: &str) -> Option<Query> {
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
        Checked::Unchecked(_) => (Status::NoVerdict, "unchecked", "nothing was checked".to_owned()),
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
    let not_checked = match checked {
        Checked::Unchecked(claims) | Checked::Accepted(Accepted { unchecked: claims, .. }) => claims.clone(),
        _ => Vec::new(),
    };
    if !json {
        let mut out = query.map_or(String::new(), |query| format!("{:>3}. {query}\n", rows.len() + 1));
        out.push_str(&format!("     {line}\n"));
        not_checked.iter().for_each(|claim| out.push_str(&format!("     not checked: {claim}\n")));
        if let Checked::Accepted(accepted) = checked
            && let Some(run) = &accepted.run
        {
            out.push_str(&match run {
                AcceptedRun::Trace(trace, run) => trace::text(trace, run),
                AcceptedRun::Pair(pair) => trace::pair(pair),
                AcceptedRun::System(run) => trace::system(run),
            });
        }
        output::result(&out);
    }
    let (shows, step, reason) = match checked {
        Checked::Accepted(accepted) => (Some(accepted.shows), None, None),
        Checked::Refused { step, reason } | Checked::BadInput { step, reason, .. } => {
            (None, *step, Some(reason.clone()))
        }
        Checked::Unchecked(_) => (None, None, None),
    };
    rows.push(Row { query: query.cloned(), verdict, shows, step, reason, not_checked });
    status
}

fn words(shows: Shows) -> &'static str {
    match shows {
        Shows::Run => "a run of the model",
        Shows::Witness => "a run of the model, and it decides the query",
        Shows::Failure => "a run of the model that leads to an error",
        Shows::Certificate => "a certificate: no reachable state is what the query looks for",
        Shows::Violation => "a run of both sides that breaks a rule of refinement",
        Shows::Mistake => "the query has an error, as the report says",
        Shows::Relation => "a relation: every pair of states keeps the rules of refinement",
    }
}
