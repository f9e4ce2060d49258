//! Answers queries. No engine exists yet, and it says so.

use crate::options::Options;
use crate::place::Place;
use crate::query_kind;
use crate::report::{Answer, Evidence, Report, Stats, Verdict};
use model::check::QueryKind;
use model::load::{LoadedQuery, Model};
use model::network::Effect;
use model::source::Sources;

/// Answers all queries, each on its own: a bad one does not keep the others from running.
pub fn check(name: &str, sources: &Sources, model: &Model, queries: &[LoadedQuery], options: &Options) -> Report {
    let results = queries.iter().enumerate().map(|(index, query)| answer(index, sources, model, query)).collect();
    Report { schema: "zonewalk.report/1", model: name.to_owned(), seed: options.seed, results }
}

fn answer(index: usize, sources: &Sources, model: &Model, loaded: &LoadedQuery) -> Answer {
    let mut answer = Answer {
        index,
        query: loaded.text.clone(),
        verdict: Verdict::Unknown,
        reason: None,
        evidence: Evidence::None,
        search: None,
        value: None,
        place: None,
        stats: Stats::default(),
        unsupported: false,
    };
    let Some(query) = &loaded.query else {
        let first = loaded.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        answer.verdict = Verdict::Error;
        answer.reason = Some(first.map_or("not a query".to_owned(), |diagnostic| diagnostic.message.clone()));
        answer.place = first.and_then(|diagnostic| diagnostic.span).map(|span| Place::of(sources, span));
        return answer;
    };
    let mut unsupported = |reason: String, span| {
        answer.unsupported = true;
        answer.reason = Some(reason);
        answer.place = Some(Place::of(sources, span));
    };
    if let QueryKind::Unsupported { what } = query.kind {
        unsupported(format!("{what} is not supported"), query.span);
    } else if let Some((what, span)) = query.unsupported.first() {
        unsupported(what.clone(), *span);
    } else if let Some(engine) = query_kind::engine(query)
        && let Some(obstacle) = model.network().fitness.of(engine).find(|obstacle| obstacle.effect == Effect::Excludes)
    {
        unsupported(
            format!("the {} engine cannot run this model: {}", engine.name(), obstacle.reason),
            obstacle.span.unwrap_or(query.span),
        );
    } else {
        answer.reason = Some("no engine for this query yet".to_owned());
    }
    answer
}
