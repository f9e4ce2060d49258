//! Answers queries: which engine is for which, and what its findings mean as a verdict.

use crate::failure;
use crate::limits::{Watch, cause_text};
use crate::options::{Options, effect};
use crate::place::Place;
use crate::questions;
use crate::reachability::{Optimum, Outcome, Proof, Reached};
use crate::report::{Answer, Evidence, ModelError, Report, Stats, Verdict};
use crate::shown::shown;
use model::check::{Query, QueryKind};
use model::load::LoadedQuery;
use model::network::{Effect, ExprId, Network};
use model::source::Sources;
use search::statistics::Statistics;
use semantics::code::{RunError, RunErrorKind};
use semantics::transitions::Path;
use std::time::Instant;

/// Answers all queries, each on its own: a bad one does not keep the others from running. `done` sees each answer as it
/// comes.
pub fn check(
    name: &str,
    sources: &Sources,
    queries: &[LoadedQuery],
    options: &Options,
    watch: &mut Watch,
    done: &mut dyn FnMut(&Answer),
) -> Report {
    let mut results = Vec::with_capacity(queries.len());
    for (index, query) in queries.iter().enumerate() {
        let started = Instant::now();
        let allowance = watch.allowance(options);
        let entered = allowance.enter();
        let time_limit = allowance.time_left().or(options.time_limit);
        let options = Options { time_limit, ..options.clone() };
        let mut answer = answer(index, sources, query, &options, watch);
        if let Some(cause) = allowance.cause() {
            answer.was_cut_off(cause_text(cause));
        }
        drop(entered);
        answer.stats.time_s = started.elapsed().as_secs_f64();
        done(&answer);
        results.push(answer);
    }
    Report { schema: "zonewalk.report/1", model: name.to_owned(), seed: options.seed, results }
}

fn answer(index: usize, sources: &Sources, loaded: &LoadedQuery, options: &Options, watch: &mut Watch) -> Answer {
    let mut answer = Answer::new(index, &loaded.text);
    let Some(query) = &loaded.query else {
        let first = loaded.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        answer.verdict = Verdict::Error;
        answer.reason = Some(first.map_or("not a query".to_owned(), |diagnostic| diagnostic.message.clone()));
        answer.place = first.and_then(|diagnostic| diagnostic.span).map(|span| Place::of(sources, span));
        return answer;
    };
    if let Some((reason, span)) = unsupported(query) {
        answer.unsupported = true;
        answer.reason = Some(reason);
        answer.place = Some(Place::of(sources, span));
        return answer;
    }
    if watch.is_cancelled() {
        answer.reason = Some("interrupted".to_owned());
        return answer;
    }
    let options = &Options { level: query.level, ..options.clone() };
    let row = questions::of(query);
    if row.subject.has_searches() && !options.search.suits(row.subject) {
        answer.unsupported = true;
        answer.reason = Some(effect::unsuited(options.search, row));
        answer.place = Some(Place::of(sources, query.span));
        return answer;
    }
    (row.answer)(&mut answer, &Asked { network: &query.network, sources, options }, query, watch);
    answer
}

/// What the query needs and no engine has.
fn unsupported(query: &Query) -> Option<(String, model::source::Span)> {
    if let QueryKind::Unsupported { what } = query.kind {
        return Some((format!("{what} is not supported"), query.span));
    }
    if let Some((what, span)) = query.unsupported.first() {
        return Some((what.clone(), *span));
    }
    let engine = questions::of(query).engine?;
    let obstacle = query.network.fitness.of(engine).find(|obstacle| obstacle.effect == Effect::Excludes)?;
    let reason = format!("the {} engine cannot run this model: {}", engine.name(), obstacle.reason);
    Some((reason, obstacle.span.unwrap_or(query.span)))
}

/// What stays the same for all queries.
pub struct Asked<'a> {
    pub network: &'a Network,
    pub sources: &'a Sources,
    pub options: &'a Options,
}

/// Writes what a search for a state found out into the answer.
pub(crate) fn conclude(
    answer: &mut Answer,
    asked: &Asked,
    reached: Reached,
    predicate: Option<ExprId>,
    found: Verdict,
    nowhere: Verdict,
) {
    answer.search = Some(reached.search.to_owned());
    answer.stats = Stats { directed: reached.directed, guide: reached.guide, ..stats(&reached.statistics) };
    answer.log = reached.log;
    let mut met = reached.met.filter(|met| !matches!(met.error.kind, RunErrorKind::Unsupported(_)));
    let outcome = match reached.outcome {
        // What lies behind an error has not been seen.
        Outcome::Nowhere(_) if let Some(met) = met.take() => met.conclude(asked.network, predicate),
        outcome => outcome,
    };
    match outcome {
        Outcome::Found(witness) => {
            answer.verdict = found;
            answer.evidence = Evidence::Witness;
            answer.shown = Some(shown(asked.network, &witness));
            answer.stats.trace_length = Some(witness.replay.trace.steps.len());
            answer.trace = Some(witness.replay.trace);
            match reached.optimum {
                Optimum::None => {}
                Optimum::LeastTime { time, attained: true } => answer.value = Some(time.to_string()),
                Optimum::LeastTime { time, attained: false } => answer.value = Some(format!("> {time}")),
                Optimum::Unknown(reason) => answer.reason = Some(reason),
            }
        }
        Outcome::FoundWithoutTimes => {
            answer.verdict = found;
            answer.evidence = Evidence::Exhaustive;
            answer.reason =
                Some("a cycle of the zone graph; no run through it with repeating times was found".to_owned());
        }
        Outcome::Nowhere(proof) => {
            answer.verdict = nowhere;
            answer.evidence = Evidence::Exhaustive;
            match proof {
                Proof::Exhaustive => {}
                Proof::Certificate(certificate) => {
                    answer.evidence = Evidence::Certificate;
                    if asked.options.keep_certificate {
                        answer.certificate = certificate.to_json(asked.network).ok();
                    }
                }
                Proof::Uncertified(reason) => {
                    answer.reason = Some(format!("not certified: {reason}"));
                }
            }
        }
        Outcome::Unknown(reason) | Outcome::Unsupported(reason) => {
            // Nothing else is known: the error is what there is to tell.
            match met.map(|met| met.conclude(asked.network, predicate)) {
                Some(Outcome::ModelError(error, path)) => failed(answer, asked, &error, &path, predicate),
                _ => answer.reason = Some(reason),
            }
            return;
        }
        Outcome::ModelError(error, path) => return failed(answer, asked, &error, &path, predicate),
        Outcome::Internal(reason) => {
            answer.internal = true;
            answer.reason = Some(format!("internal error: {reason}"));
        }
    }
    if let Some(Outcome::ModelError(error, _)) = met.map(|met| met.conclude(asked.network, predicate)) {
        let place = Place::of(asked.sources, error.span);
        answer.model_error = Some(ModelError { reason: error.to_string(), place });
    }
}

/// Writes an error of the model into the answer, with the run that leads there.
pub(crate) fn failed(answer: &mut Answer, asked: &Asked, error: &RunError, path: &Path, predicate: Option<ExprId>) {
    answer.verdict = Verdict::Error;
    answer.reason = Some(format!("the model has an error: {error}"));
    answer.place = Some(Place::of(asked.sources, error.span));
    answer.spans = vec![error.span];
    if let Some(failure) = failure::leading_to(asked.network, path, error, predicate) {
        answer.evidence = Evidence::Witness;
        answer.shown = Some(failure.shown);
        answer.trace = Some(failure.trace);
    }
}

pub(crate) fn stats(statistics: &Statistics) -> Stats {
    Stats {
        states_explored: statistics.explored,
        states_generated: statistics.generated,
        states_stored: statistics.stored,
        walks: statistics.walks,
        restarts: statistics.restarts,
        peak_memory_mb: statistics.peak_bytes.div_ceil(1 << 20),
        ..Stats::default()
    }
}
