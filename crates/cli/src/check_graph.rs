//! `zonewalk check` for explicit graphs in Aldebaran files.

use crate::check::{self, Shower};
use crate::guardian::Guardian;
use crate::{output, render};
use clap::ArgMatches;
use engine::explicit::{self, Graph, Written};
use engine::limits::Watch;
use engine::model::diagnostic::{Diagnostics, Severity};
use engine::model::source::Sources;
use engine::options::Options;
use engine::options::effect::Given;
use engine::questions::graphs::GRAPH;
use engine::report::{Status, Verdict};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Whether a file is a graph, by its name.
pub fn is_graph(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("aut"))
}

/// Reads a graph; when that fails the message has been shown.
pub fn read(path: &Path) -> Option<Graph> {
    let name = path.display().to_string();
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            output::message(&format!("error: `{name}` cannot be read: {error}"));
            return None;
        }
    };
    match explicit::read(&bytes) {
        Ok(graph) => Some(graph),
        Err(error) => {
            let text = String::from_utf8_lossy(&bytes);
            output::message(&render::mistake(&name, &text, error.line, error.column, &error.message));
            None
        }
    }
}

pub fn run(
    matches: &ArgMatches,
    path: &Path,
    interrupted: Arc<AtomicBool>,
    (options, given): (&Options, &[Given]),
    guardian: &Guardian,
) -> Status {
    let name = path.display().to_string();
    if matches.contains_id("define") {
        output::message("error: a graph has no constants, so -D has no meaning");
        return Status::BadInput;
    }
    let Some(graph) = read(path) else { return Status::BadInput };
    let (mut sources, mut diagnostics) = (Sources::new(), Diagnostics::new());
    let Some(list) = check::queries(matches, path, &[], &mut sources, &mut diagnostics) else {
        output::message(&render::diagnostics(&sources, &diagnostics, Severity::Error));
        return Status::BadInput;
    };
    let written: Vec<Written> = list
        .iter()
        .map(|query| Written {
            name: sources.file(query.text.file()).name.clone(),
            text: query.text.as_str().to_owned(),
        })
        .collect();
    guardian.asks(written.iter().map(|query| query.text.clone()));
    if check::is_refused(given, options, &vec![&GRAPH; written.len()]) {
        return Status::BadInput;
    }
    let shower = Shower::new(matches, options);
    let log = matches.get_one::<PathBuf>("log-heuristic");
    let mut written_well = true;
    let mut progress = |statistics: &_| shower.progress(statistics);
    let mut watch = Watch::new(Some(interrupted), Some(&mut progress)).since(guardian.begun());
    let report = explicit::check(&name, &graph, &written, options, &mut watch, &mut |answer| {
        guardian.answered(answer);
        if let (Verdict::Error, Some(place), Some(reason)) = (answer.verdict, &answer.place, &answer.reason) {
            let text = &written[answer.index].text;
            shower.message(&render::mistake(&place.file, text, place.line, place.column, reason));
        }
        shower.answer(answer);
        if let (Some(path), Some(curves)) = (log, &answer.log) {
            written_well &= shower.file(&check::numbered(path, answer, written.len()), &curves.csv());
        }
    });
    let status = report.status();
    let status = shower.report(report).unwrap_or(status);
    if written_well { status } else { status.strongest(Status::BadInput) }
}
