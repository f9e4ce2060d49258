//! Is a state reachable in which a predicate holds? Random walks: they find, and never prove that there is nothing.

use crate::limits::Watch;
use crate::options::Options;
use crate::reachability::{Optimum, Outcome, Reached, no_witness_of_walk};
use crate::witness;
use certify::{Claim, Ending, Rational, Run, Step};
use model::network::{ExprId, Network};
use search::statistics::Statistics;
use semantics::clock_bounds::ClockBounds;
use semantics::concrete::UNIT;
use semantics::structure::Structure;
use std::sync::atomic::Ordering;
use std::time::Instant;
use walk::depth::Depth;
use walk::hunt::{Ceiling, Finding, Recorded, Settings, Totals, again, hunt};
use walk::strategy::Strategy;
use walk::tables::{Tables, prepare};

/// The strategy of a name, for those that walk.
pub fn strategy(name: &str) -> Option<Strategy> {
    Some(match name {
        "sem" => Strategy::Sem,
        "ret" => Strategy::Ret,
        "rcf" => Strategy::Rcf,
        "rlc" => Strategy::Rlc,
        "rlc-a" => Strategy::RlcA,
        _ => return None,
    })
}

/// Walks until one meets the predicate or a limit is reached; `claim` is what a run to it shows.
pub fn reach(
    network: &Network,
    predicate: ExprId,
    claim: Claim,
    strategy: Strategy,
    name: &'static str,
    options: &Options,
    watch: &mut Watch,
) -> (Reached, Totals) {
    let started = Instant::now();
    let mut structure = Structure::new(network);
    let preparation = prepare(&mut structure);
    let goal = structure.programs.predicate(predicate);
    let query = ClockBounds::of_predicate(network, predicate);
    let constant = query.uses.iter().flat_map(|one| [one.lower, one.upper]).flatten().max().unwrap_or(0);
    let mut totals = Totals::default();
    let outcome = match Tables::new(&structure, &preparation, i64::from(constant)) {
        Err(_) => Outcome::Unknown("the model has too many synchronisations for walks".to_owned()),
        Ok(tables) => {
            let settings = Settings {
                strategy,
                delays: options.delays,
                depth: options.max_depth.map_or(Depth::default(), Depth::Fixed),
                seed: options.seed,
                threads: options.threads.unwrap_or_else(available_threads),
            };
            let limits = watch.limits(options);
            let cancel = watch.cancel();
            let stop = || {
                limits.time.is_some_and(|limit| started.elapsed() >= limit)
                    || cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed))
            };
            let mut progress = |seen: &Totals| {
                watch.tick(&|| Statistics {
                    explored: seen.steps,
                    restarts: seen.walks,
                    elapsed: started.elapsed(),
                    ..Statistics::default()
                });
            };
            let (found, seen) = hunt(&tables, goal, &settings, Ceiling::default(), 0..u64::MAX, &stop, &mut progress);
            totals = seen;
            match found {
                Some(Finding { walk, found: Ok(moment), .. }) => {
                    let steps = again(&tables, goal, &settings, Ceiling::default(), walk);
                    match witness::replayed(network, run(network, &steps, moment), claim) {
                        Ok(witness) => Outcome::Found(Box::new(witness)),
                        Err(why) => no_witness_of_walk(why),
                    }
                }
                Some(Finding { found: Err(error), .. }) => Outcome::ModelError(error, Vec::new()),
                None => Outcome::Unknown("no walk found one".to_owned()),
            }
        }
    };
    let statistics = Statistics { elapsed: started.elapsed(), ..Statistics::default() };
    (Reached { outcome, search: name, statistics, optimum: Optimum::None }, totals)
}

fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The recorded steps in the terms of `certify`.
fn run(network: &Network, steps: &[Recorded], end: i64) -> Run {
    let time = |ticks: i64| Rational::new(i128::from(ticks), i128::from(UNIT));
    let mut before = 0;
    let steps = steps
        .iter()
        .map(|step| {
            let delay = step.moment - std::mem::replace(&mut before, step.moment);
            Step { delay: time(delay), moves: witness::moves(network, &step.moves) }
        })
        .collect();
    Run { steps, final_delay: time(end - before), ending: Ending::Open }
}
