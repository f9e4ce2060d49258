//! Strategies on random networks: none contradicts the exhaustive engine, simulations prove nothing, deep random search with
//! increment 1 finds runs as short as breadth-first search does, and a cutoff means what it says.

use crate::compare::{Failure, Subject, failure, patient};
use crate::random::Random;
use engine::options::{Options, Preference};
use engine::report::{Answer, Verdict};
use engine::searches::Search;
use engine::searches::deep_random::FRINGES;
use engine::searches::strategies::{COMPARISONS, StrategyOptions};
use model::check::QueryKind;
use model::syntax::query::PathQuantifier;
use std::num::{NonZeroU32, NonZeroUsize};

const DECIDED: [Verdict; 2] = [Verdict::Satisfied, Verdict::Violated];

fn settings(random: &mut Random) -> StrategyOptions {
    StrategyOptions {
        width: NonZeroUsize::new(1 + random.below(6)).unwrap_or(NonZeroUsize::MIN),
        restarts: random.below(3) as u64,
        increment: NonZeroU32::new(random.below(4) as u32),
        fringe: random.pick(FRINGES.named).1,
        comparison: random.pick(COMPARISONS.named).1,
        ..StrategyOptions::default()
    }
}

fn describe(answer: &Answer) -> String {
    format!("{:?} {:?} {:?}", answer.verdict, answer.reason, answer.stats.trace_length)
}

/// No strategy contradicts the answer to a query about states.
pub fn agree(subject: &Subject, index: usize, answer: &Answer, random: &mut Random) -> Result<(), Failure> {
    let loaded = &subject.queries[index];
    let Some(QueryKind::Path { quantifier, .. }) = loaded.query.as_ref().map(|query| &query.kind) else {
        return Ok(());
    };
    let sought = match quantifier {
        PathQuantifier::ExistsEventually => Verdict::Satisfied,
        PathQuantifier::AlwaysGlobally => Verdict::Violated,
        _ => return Ok(()),
    };
    let search = *random.pick(&["random", "highway", "highway-approx", "drs", "drs"]);
    let simulates = !Search::named(search).is_some_and(|search| search.proves);
    let mut options = Options { search: search.parse().expect("a search"), seed: random.next(), ..patient() };
    options.strategies = settings(random);
    options.strategies.states = simulates.then_some(100);
    let cutoff = (search == "drs" && random.one_in(3)).then(|| random.below(6) as u32);
    options.strategies.cutoff = cutoff;
    let Some(said) = subject.answer(index, &options) else { return Ok(()) };
    let text = || {
        let strategies = options.strategies;
        format!("{}: {}, by {search} {strategies:?} {}", loaded.text, describe(answer), describe(&said))
    };
    if said.internal {
        return failure("a strategy with an internal error", text());
    }
    if simulates && DECIDED.contains(&said.verdict) && said.verdict != sought {
        return failure("a simulation that proves something", text());
    }
    if DECIDED.contains(&said.verdict) && DECIDED.contains(&answer.verdict) && said.verdict != answer.verdict {
        return failure("a strategy that contradicts", text());
    }
    if search != "drs" {
        return Ok(());
    }
    let shortest = Options { preference: Preference::Shortest, ..patient() };
    let Some(best) = subject.answer(index, &shortest).filter(|best| best.verdict == sought && best.reason.is_none())
    else {
        return Ok(());
    };
    let (found, fewest) = (said.stats.trace_length, best.stats.trace_length);
    let depths = || format!("{}; the shortest is {fewest:?}", text());
    if options.strategies.increment == NonZeroU32::new(1) && said.verdict == sought && found > fewest {
        return failure("a run that is not the shortest", depths());
    }
    if let (Some(cutoff), Some(fewest)) = (cutoff, fewest) {
        let claims = said.reason.as_deref().is_some_and(|reason| reason.starts_with("there is none up to depth"));
        if claims && fewest <= cutoff as usize || found.is_some_and(|found| found > cutoff as usize) {
            return failure("a cutoff that does not mean what it says", depths());
        }
    }
    Ok(())
}

/// Deep random walks do not contradict the answer to a query about infinite runs.
pub fn agree_on_runs(subject: &Subject, index: usize, answer: &Answer, random: &mut Random) -> Result<(), Failure> {
    let options = Options {
        search: "drs".parse().expect("a search"),
        seed: random.next(),
        strategies: settings(random),
        ..patient()
    };
    let Some(said) = subject.answer(index, &options) else { return Ok(()) };
    let text = || format!("{}: {}, by walks {}", answer.query, describe(answer), describe(&said));
    if said.internal {
        return failure("walks with an internal error", text());
    }
    if DECIDED.contains(&said.verdict) && DECIDED.contains(&answer.verdict) && said.verdict != answer.verdict {
        return failure("walks that contradict", text());
    }
    let limit = said.reason.as_deref().is_some_and(|reason| reason.contains("limit"));
    if said.verdict == Verdict::Unknown && DECIDED.contains(&answer.verdict) && !limit {
        return failure("walks that do not know", text());
    }
    Ok(())
}
