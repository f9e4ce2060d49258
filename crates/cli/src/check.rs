//! `zonewalk check`: answers to queries.

use crate::guardian::Guardian;
use crate::progress::Line;
use crate::{arguments, check_graph, interrupt, output, render, trace};
use clap::ArgMatches;
use engine::check::check;
use engine::curves::Curves;
use engine::limits::{Statistics, Watch};
use engine::model::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use engine::model::load::{load, query_file, query_text};
use engine::model::source::Sources;
use engine::model::syntax::ast::QuerySource;
use engine::options::effect::{Given, refusals};
use engine::options::{Options, TraceForm};
use engine::questions::{self, QuestionRow};
use engine::report::{Answer, Evidence, ModelError, Report, Stats, Status, Verdict};
use engine::searches::directed::{DirectedStats, UnderApproximation};
use std::cell::RefCell;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

pub fn run(matches: &ArgMatches) -> Status {
    let path = arguments::model_path(matches);
    // Before the model is read: what asks the program to end then must not keep it from reporting.
    let interrupted = interrupt::flag();
    let (options, given) = arguments::options(matches);
    let guardian = Guardian::begin(matches, &path, &options, interrupted.clone());
    if check_graph::is_graph(&path) {
        return check_graph::run(matches, &path, interrupted, (&options, &given), &guardian);
    }
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
    let Some(model) = loaded.model else { return fail(&sources, &diagnostics) };
    let Some(written) = queries(matches, &path, &model.queries, &mut sources, &mut diagnostics) else {
        return fail(&sources, &diagnostics);
    };
    if diagnostics.has_errors() {
        output::message(&render::diagnostics(&sources, &diagnostics, Severity::Error));
    }
    // What is not read, or read by other rules, may change what is verified.
    let mut doubts = Diagnostics::new();
    let is_doubt = |warning: &&Diagnostic| [Code::IGNORED, Code::OLD_SYNTAX, Code::META].contains(&warning.code);
    diagnostics.iter().filter(is_doubt).for_each(|warning| doubts.push(warning.clone()));
    output::message(&render::diagnostics(&sources, &doubts, Severity::Warning));
    let mut queries = model.queries(&written);
    for query in &queries {
        output::message(&render::diagnostics(&sources, &query.diagnostics, Severity::Error));
    }
    let rows: Option<Vec<_>> = queries.iter().map(|query| query.query.as_ref().map(questions::of)).collect();
    // What cannot be read might be what an option is for.
    if is_refused(&given, &options, &rows.unwrap_or_default()) {
        return Status::BadInput;
    }
    if let Some(text) = matches.get_one::<String>("level") {
        let level = query_text(&mut sources, "--level", text);
        for query in queries.iter_mut().filter_map(|loaded| loaded.query.as_mut()) {
            let messages = model.level(query, &level);
            if messages.has_errors() {
                return fail(&sources, &messages);
            }
        }
    }
    let file = |name: &str| matches.get_one::<PathBuf>(name);
    let (certificate, csv, plot) = (file("certificate"), file("csv"), file("plot"));
    let (log, component) = (file("log-heuristic"), file("component"));
    let (mut written_well, mut unwritable) = (true, false);
    let shower = Shower::new(matches, &options);
    let mut progress = |statistics: &_| shower.progress(statistics);
    let mut notes = |text: &str| shower.message(text);
    let mut watch = Watch::new(Some(interrupted), Some(&mut progress)).noting(&mut notes).since(guardian.begun());
    guardian.asks(queries.iter().map(|query| query.text.clone()));
    let report = check(&name, &sources, &queries, &options, &mut watch, &mut |answer| {
        if let (Some(reason), Status::BadInput) = (&answer.reason, answer.status())
            && !answer.spans.is_empty()
        {
            shower.message(&render::failure(&sources, &answer.spans, reason));
        }
        guardian.answered(answer);
        shower.answer(answer);
        let mut write = |path: Option<&PathBuf>, text: Option<String>| {
            let (Some(path), Some(text)) = (path, text) else { return };
            let path = numbered(path, answer, queries.len());
            written_well &= shower.file(&path, &text);
        };
        write(certificate, answer.certificate.clone().filter(|_| certificate.is_some()));
        if let Some(made) = &answer.component {
            let json = component.is_some_and(|path| path.extension().is_some_and(|ending| ending == "json"));
            let text = if json { made.ecdar.clone() } else { Some(made.xml.clone()) };
            if json && text.is_none() {
                shower.message("error: ECDAR's JSON has no arrays of channels; let the name of the file end in .xml");
                unwritable = true;
            }
            match component {
                Some(_) => write(component, text),
                None => shower.text(&made.xml),
            }
        }
        write(log, answer.log.as_ref().map(Curves::csv));
        write(csv, answer.curves.as_ref().filter(|_| csv.is_some()).map(Curves::csv));
        write(plot, answer.curves.as_ref().filter(|_| plot.is_some()).map(Curves::svg));
    });
    let status = report.status();
    if let Some(status) = shower.report(report) {
        return status;
    }
    let status = if unwritable { status.strongest(Status::Unsupported) } else { status };
    if diagnostics.has_errors() || !written_well { status.strongest(Status::BadInput) } else { status }
}

/// Shows answers as they come, and the whole report at the end.
pub struct Shower {
    trace: TraceForm,
    json: bool,
    stats: bool,
    line: RefCell<Line>,
}

impl Shower {
    pub fn new(matches: &ArgMatches, options: &Options) -> Shower {
        Shower {
            trace: options.trace,
            json: matches.get_flag("json"),
            stats: matches.get_flag("stats") || std::io::stdout().is_terminal(),
            line: RefCell::new(Line::new()),
        }
    }

    pub fn progress(&self, statistics: &Statistics) {
        self.line.borrow_mut().show(statistics);
    }

    pub fn message(&self, text: &str) {
        self.line.borrow_mut().clear();
        output::message(text);
    }

    pub fn answer(&self, answer: &Answer) {
        self.line.borrow_mut().clear();
        if !self.json {
            output::result(&text(answer, self.trace, self.stats));
        }
    }

    /// Writes a file that goes with an answer; `false` when that fails.
    pub fn file(&self, path: &Path, text: &str) -> bool {
        let outcome = std::fs::write(path, text);
        if let Err(error) = &outcome {
            self.message(&format!("error: `{}` cannot be written: {error}", path.display()));
        }
        outcome.is_ok()
    }

    /// Something that goes with an answer; a report as JSON has it inside.
    pub fn text(&self, text: &str) {
        if !self.json {
            output::result(text);
        }
    }

    /// The report as JSON, if it was asked for. The status when there was nothing to answer.
    pub fn report(&self, mut report: Report) -> Option<Status> {
        if self.json {
            if self.trace == TraceForm::None {
                for answer in &mut report.results {
                    (answer.trace, answer.refinement, answer.system_run) = (None, None, None);
                }
            }
            output::json(&report);
        }
        if report.results.is_empty() {
            output::message(
                "there are no queries: give one with -q 'E<> P.location', or a file of queries after the model",
            );
            return Some(Status::BadInput);
        }
        None
    }
}

/// Whether options are refused for these questions; then the user has been told why.
pub fn is_refused(given: &[Given], options: &Options, questions: &[&'static QuestionRow]) -> bool {
    let refusals = refusals(given, options, questions);
    refusals.iter().for_each(|refusal| output::message(&format!("error: {refusal}")));
    !refusals.is_empty()
}

/// The file for one of several answers: `certificate.json` for the second query is `certificate-2.json`.
pub fn numbered(path: &Path, answer: &Answer, queries: usize) -> PathBuf {
    if queries <= 1 {
        return path.to_owned();
    }
    let number = answer.index + 1;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or(String::new(), |extension| format!(".{}", extension.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

/// The queries to answer; `None` when a file of queries cannot be read.
pub fn queries(
    matches: &ArgMatches,
    model_path: &Path,
    inside: &[QuerySource],
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<QuerySource>> {
    if let Ok(Some(refinement)) = matches.try_get_one::<String>("refinement") {
        return Some(vec![query_text(sources, "the refinement", &format!("refinement: {refinement}"))]);
    }
    if let Some(words) = matches.get_many::<String>("query") {
        return Some(words.enumerate().map(|(n, word)| query_text(sources, &format!("-q #{}", n + 1), word)).collect());
    }
    if let Some(path) = matches.get_one::<PathBuf>("queries") {
        return query_file(sources, path, diagnostics);
    }
    model_queries(model_path, inside, sources, diagnostics)
}

/// The queries that stand in the model, else those of a file beside it with the same name.
pub fn model_queries(
    model_path: &Path,
    inside: &[QuerySource],
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<QuerySource>> {
    let beside = model_path.with_extension("q");
    if inside.is_empty() && beside != model_path && beside.is_file() {
        return query_file(sources, &beside, diagnostics);
    }
    Some(inside.to_vec())
}

/// What a directed search did.
fn directed_text(directed: &DirectedStats) -> String {
    let mut out = format!("     heuristic {}, computed {} times\n", directed.heuristic, directed.evaluations);
    if let Some(under) = &directed.under_approximation {
        let UnderApproximation { refinements, allowed, used, all, share } = under;
        let percent = 100.0 * share;
        out.push_str(&format!(
            "     {allowed} of {all} transitions allowed ({percent:.2} %), {used} used, {refinements} refinements\n"
        ));
    }
    out
}

pub fn text(answer: &Answer, trace_form: TraceForm, with_stats: bool) -> String {
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
    let value = match (&answer.value, answer.search.as_deref()) {
        (None, _) => String::new(),
        (Some(value), Some("fastest")) => match value.strip_prefix("> ") {
            Some(bound) => format!(", in any time greater than {bound}"),
            None => format!(", and no run takes less time than {value}"),
        },
        (Some(value), _) => format!(": {value}"),
    };
    let certified = if answer.evidence == Evidence::Certificate { " (certified)" } else { "" };
    let mut out = format!("{:>3}. {}\n     {verdict}{certified}{value}{reason}\n", answer.index + 1, answer.query);
    if let Some(ModelError { reason, place }) = &answer.model_error {
        out.push_str(&format!("     note: on another path the model has an error: {reason} ({place})\n"));
    }
    if let (true, Some(search)) = (with_stats, &answer.search) {
        out.push_str(&format!("     {search}: {}\n", work(&answer.stats)));
        if let Some(directed) = &answer.stats.directed {
            out.push_str(&directed_text(directed));
        }
        if let Some(guide) = answer.stats.guide {
            out.push_str(&format!("     guide {guide}\n"));
        }
    }
    match (trace_form, &answer.refinement) {
        (TraceForm::Text, Some(pair)) => out.push_str(&trace::pair(pair)),
        (TraceForm::Json, Some(pair)) => out.push_str(&(output::json_text(pair) + "\n")),
        _ => {}
    }
    match (trace_form, &answer.system_run) {
        (TraceForm::Text, Some(run)) => out.push_str(&trace::system(run)),
        (TraceForm::Json, Some(run)) => out.push_str(&(output::json_text(run) + "\n")),
        _ => {}
    }
    match (trace_form, &answer.shown, &answer.trace) {
        (TraceForm::Text, Some(run), Some(trace)) => out.push_str(&trace::text(trace, run)),
        (TraceForm::Json, _, Some(trace)) => out.push_str(&(output::json_text(trace) + "\n")),
        _ => {}
    }
    out
}

/// What was done for an answer, in words.
fn work(stats: &Stats) -> String {
    let mut parts = Vec::new();
    if stats.states_explored > 0 || stats.steps == 0 {
        parts.push(format!("{} states explored, {} stored", stats.states_explored, stats.states_stored));
        parts.push(format!("{} MB", stats.peak_memory_mb));
    }
    if stats.steps > 0 {
        parts.push(format!("{} walks, {} steps", stats.walks, stats.steps));
    }
    if stats.restarts > 0 {
        parts.push(format!("{} restarts", stats.restarts));
    }
    parts.push(format!("{:.2} s", stats.time_s));
    parts.join(", ")
}
