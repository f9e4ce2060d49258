//! Answers queries: which engine is for which, and what its findings mean as a verdict.

use crate::extremum;
use crate::limits::Watch;
use crate::liveness::{always, infinitely, unanswered};
use crate::options::Options;
use crate::place::Place;
use crate::query_kind;
use crate::reachability::{Outcome, Reached, reach};
use crate::report::{Answer, Evidence, Report, Stats, Verdict};
use crate::shown::shown;
use certify::{Claim, Literal};
use model::check::{Query, QueryKind};
use model::load::{LoadedQuery, Model};
use model::network::{Effect, Network};
use model::source::Sources;
use model::syntax::query::PathQuantifier;
use search::statistics::Statistics;
use std::time::Instant;

/// Answers all queries, each on its own: a bad one does not keep the others from running. `done` sees each answer as it
/// comes.
pub fn check(
    name: &str,
    sources: &Sources,
    model: &Model,
    queries: &[LoadedQuery],
    options: &Options,
    watch: &mut Watch,
    done: &mut dyn FnMut(&Answer),
) -> Report {
    let mut results = Vec::with_capacity(queries.len());
    for (index, query) in queries.iter().enumerate() {
        let started = Instant::now();
        let mut answer = answer(index, sources, model, query, options, watch);
        answer.stats.time_s = started.elapsed().as_secs_f64();
        done(&answer);
        results.push(answer);
    }
    Report { schema: "zonewalk.report/1", model: name.to_owned(), seed: options.seed, results }
}

fn answer(
    index: usize,
    sources: &Sources,
    model: &Model,
    loaded: &LoadedQuery,
    options: &Options,
    watch: &mut Watch,
) -> Answer {
    let mut answer = Answer::new(index, &loaded.text);
    let Some(query) = &loaded.query else {
        let first = loaded.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        answer.verdict = Verdict::Error;
        answer.reason = Some(first.map_or("not a query".to_owned(), |diagnostic| diagnostic.message.clone()));
        answer.place = first.and_then(|diagnostic| diagnostic.span).map(|span| Place::of(sources, span));
        return answer;
    };
    if let Some((reason, span)) = unsupported(model.network(), query) {
        answer.unsupported = true;
        answer.reason = Some(reason);
        answer.place = Some(Place::of(sources, span));
        return answer;
    }
    let network = model.network();
    match &query.kind {
        QueryKind::Path { quantifier: PathQuantifier::ExistsEventually, predicate, .. } => {
            let claim = Claim::Reaches(Literal::is(*predicate));
            let reached = reach(network, *predicate, claim, options, watch);
            conclude(&mut answer, network, sources, reached, Verdict::Satisfied, Verdict::Violated);
        }
        QueryKind::Path { quantifier: PathQuantifier::AlwaysGlobally, predicate, negation } => {
            let claim = Claim::Reaches(Literal::is_not(*predicate));
            let reached = reach(network, *negation, claim, options, watch);
            conclude(&mut answer, network, sources, reached, Verdict::Violated, Verdict::Satisfied);
        }
        QueryKind::Path { quantifier: PathQuantifier::ExistsGlobally, predicate, .. } => {
            let claim = Claim::Always(Literal::is(*predicate));
            let reached = always(network, *predicate, claim, options, watch);
            conclude(&mut answer, network, sources, reached, Verdict::Satisfied, Verdict::Violated);
        }
        QueryKind::Path { quantifier: PathQuantifier::AlwaysEventually, predicate, negation } => {
            let claim = Claim::Always(Literal::is_not(*predicate));
            let reached = always(network, *negation, claim, options, watch);
            conclude(&mut answer, network, sources, reached, Verdict::Violated, Verdict::Satisfied);
        }
        QueryKind::LeadsTo { from, to, .. } => {
            let claim = Claim::NeverAnswered { from: Literal::is(*from), to: Literal::is(*to) };
            let reached = unanswered(network, *from, *to, claim, options, watch);
            conclude(&mut answer, network, sources, reached, Verdict::Violated, Verdict::Satisfied);
        }
        QueryKind::Buchi { predicate } => {
            let claim = Claim::InfinitelyOften(Literal::is(*predicate));
            let reached = infinitely(network, *predicate, claim, options, watch);
            conclude(&mut answer, network, sources, reached, Verdict::Satisfied, Verdict::Violated);
        }
        QueryKind::Extremum { kind, predicate, quantities } => {
            extremum::answer(&mut answer, network, sources, *kind, *predicate, quantities, options, watch);
        }
        _ => answer.reason = Some("no engine for this query yet".to_owned()),
    }
    answer
}

/// What the query needs and no engine has.
fn unsupported(network: &Network, query: &Query) -> Option<(String, model::source::Span)> {
    if let QueryKind::Unsupported { what } = query.kind {
        return Some((format!("{what} is not supported"), query.span));
    }
    if let Some((what, span)) = query.unsupported.first() {
        return Some((what.clone(), *span));
    }
    let engine = query_kind::engine(query)?;
    let obstacle = network.fitness.of(engine).find(|obstacle| obstacle.effect == Effect::Excludes)?;
    let reason = format!("the {} engine cannot run this model: {}", engine.name(), obstacle.reason);
    Some((reason, obstacle.span.unwrap_or(query.span)))
}

/// Writes what a search for a state found out into the answer.
pub(crate) fn conclude(
    answer: &mut Answer,
    network: &Network,
    sources: &Sources,
    reached: Reached,
    found: Verdict,
    nowhere: Verdict,
) {
    answer.search = Some(reached.search.to_owned());
    answer.stats = stats(&reached.statistics);
    match reached.outcome {
        Outcome::Found(witness) => {
            answer.verdict = found;
            answer.evidence = Evidence::Witness;
            answer.shown = Some(shown(network, &witness));
            answer.trace = Some(witness.trace);
        }
        Outcome::FoundWithoutTimes => {
            answer.verdict = found;
            answer.evidence = Evidence::Exhaustive;
            answer.reason =
                Some("a cycle of the zone graph; no run through it with repeating times was found".to_owned());
        }
        Outcome::Nowhere => {
            answer.verdict = nowhere;
            answer.evidence = Evidence::Exhaustive;
        }
        Outcome::Unknown(reason) => answer.reason = Some(reason),
        Outcome::ModelError(error, _) => {
            answer.verdict = Verdict::Error;
            answer.reason = Some(format!("the model has an error: {error}"));
            answer.place = Some(Place::of(sources, error.span));
        }
        Outcome::Internal(reason) => {
            answer.internal = true;
            answer.reason = Some(format!("internal error: {reason}"));
        }
    }
}

pub(crate) fn stats(statistics: &Statistics) -> Stats {
    Stats {
        states_explored: statistics.explored,
        states_stored: statistics.stored,
        peak_memory_mb: statistics.peak_bytes.div_ceil(1 << 20),
        ..Stats::default()
    }
}
