//! Answers queries: which engine is for which, and what its findings mean as a verdict.

use crate::directed;
use crate::limits::{Watch, cause_text};
use crate::liveness::{always, infinitely, unanswered};
use crate::options::{Options, SIMULATIONS};
use crate::place::Place;
use crate::problem::{Problem, Walking};
use crate::query_kind;
use crate::reachability::{Optimum, Outcome, Proof, Reached, reach};
use crate::report::{Answer, Evidence, ModelError, Report, Stats, Verdict};
use crate::shown::shown;
use crate::{auto, claim, extremum, failure, statistics, systems, walks};
use model::check::{Query, QueryKind};
use model::load::LoadedQuery;
use model::network::{Effect, Engine, ExprId, Network};
use model::source::Sources;
use model::syntax::query::PathQuantifier;
use search::statistics::Statistics;
use semantics::code::{RunError, RunErrorKind};
use semantics::transitions::Path;
use std::time::Instant;
use walk::hunt::Totals;

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
    let network = &query.network;
    let options = &Options { level: query.level, ..options.clone() };
    let is_reachability = matches!(
        query.kind,
        QueryKind::Path { quantifier: PathQuantifier::ExistsEventually | PathQuantifier::AlwaysGlobally, .. }
    );
    let walking = walks::strategy(&options.search);
    let is_symbolic = query_kind::engine(query) == Some(model::network::Engine::Symbolic);
    if walking.is_some() && is_symbolic && !is_reachability {
        answer.unsupported = true;
        answer.reason = Some(format!("random walks answer E<> and A[] only; leave `--search {}` out", options.search));
        return answer;
    }
    if SIMULATIONS.contains(&options.search.as_str()) && is_symbolic && !is_reachability {
        answer.unsupported = true;
        answer.reason = Some(format!("simulations answer E<> and A[] only; leave `--search {}` out", options.search));
        return answer;
    }
    if options.search == "drs" && matches!(query.kind, QueryKind::Extremum { .. }) {
        answer.unsupported = true;
        answer.reason =
            Some("deep random search does not look for extreme values; leave `--search drs` out".to_owned());
        return answer;
    }
    let directed = directed::wanted(options);
    if directed.is_some() && is_symbolic && !is_reachability {
        answer.unsupported = true;
        answer.reason =
            Some(format!("directed searches answer E<> and A[] only; leave `--search {}` out", options.search));
        return answer;
    }
    if let (Some(wanted), QueryKind::Path { quantifier, predicate, negation }) = (&directed, &query.kind) {
        let goal = if *quantifier == PathQuantifier::ExistsEventually { *predicate } else { *negation };
        if let Some(reason) = directed::misfit(wanted, network, goal, options) {
            answer.verdict = Verdict::Error;
            answer.reason = Some(reason);
            answer.place = Some(Place::of(sources, query.span));
            answer.spans = vec![query.span];
            return answer;
        }
    }
    let asked = Asked { network, sources, options };
    match (&query.kind, claim::of_run(query)) {
        (QueryKind::Path { quantifier, predicate, negation }, Some(claim)) => {
            let (goal, found, nowhere) = match quantifier {
                PathQuantifier::ExistsEventually | PathQuantifier::ExistsGlobally => {
                    (*predicate, Verdict::Satisfied, Verdict::Violated)
                }
                PathQuantifier::AlwaysGlobally | PathQuantifier::AlwaysEventually => {
                    (*negation, Verdict::Violated, Verdict::Satisfied)
                }
            };
            if !is_reachability {
                let reached = always(network, goal, claim, options, watch);
                conclude(&mut answer, &asked, reached, Some(goal), found, nowhere);
                return answer;
            }
            let is_auto = options.search == "auto";
            let wants_walks = match walking {
                Some(_) => Walking::Yes,
                None if is_auto => auto::walking(network, goal, options),
                None => Walking::No,
            };
            let problem = Problem::new(network, goal, claim, wants_walks, options);
            let (reached, totals) = match walking {
                Some(walking) => walks::reach(&problem, walking, options, watch),
                None if is_auto => auto::reach(&problem, options, watch),
                None => (reach(&problem, options, watch), Totals::default()),
            };
            conclude(&mut answer, &asked, reached, Some(goal), found, nowhere);
            if walking.is_some() || is_auto {
                (answer.stats.walks, answer.stats.steps) = (totals.walks, totals.steps);
            }
        }
        (QueryKind::LeadsTo { from, to, .. }, Some(claim)) => {
            let reached = unanswered(network, *from, *to, claim, options, watch);
            conclude(&mut answer, &asked, reached, None, Verdict::Violated, Verdict::Satisfied);
        }
        (QueryKind::Buchi { predicate }, Some(claim)) => {
            let reached = infinitely(network, *predicate, claim, options, watch);
            conclude(&mut answer, &asked, reached, None, Verdict::Satisfied, Verdict::Violated);
        }
        (QueryKind::Extremum { kind, predicate, quantities }, _) => {
            extremum::answer(&mut answer, &asked, *kind, *predicate, quantities, watch);
        }
        (kind, _) if query_kind::engine(query) == Some(Engine::Statistical) => {
            statistics::answer(&mut answer, &asked, kind, watch);
        }
        (QueryKind::Refinement { .. } | QueryKind::SystemCheck { .. } | QueryKind::SystemReachability { .. }, _) => {
            systems::answer(&mut answer, &asked, &query.kind, watch);
            // What is wrong with a combination of systems is in the query.
            if answer.verdict == Verdict::Error && answer.spans.is_empty() {
                answer.place = Some(Place::of(sources, query.span));
                answer.spans = vec![query.span];
            }
        }
        _ => answer.reason = Some("no engine for this query yet".to_owned()),
    }
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
    let engine = query_kind::engine(query)?;
    let obstacle = query.network.fitness.of(engine).find(|obstacle| obstacle.effect == Effect::Excludes)?;
    let reason = format!("the {} engine cannot run this model: {}", engine.name(), obstacle.reason);
    Some((reason, obstacle.span.unwrap_or(query.span)))
}

/// What stays the same for all queries.
pub(crate) struct Asked<'a> {
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
