//! Many runs on several threads, with the same results whatever their number.
//!
//! Run `n` draws from the stream `n` of the seed. Runs are made in rounds; a round is handed out
//! run by run, waited for as a whole, and given back in the order of the runs. So nobody sees short
//! runs before long ones, and where a test stops depends on the order of the runs alone. What a
//! round has computed beyond that point is thrown away.

use super::failure::Result;
use super::observe::{Curve, CurveObserver, ExtremumObserver, PathObserver};
use super::question::{Asked, Kind};
use super::run::{Ending, Runner, Settings};
use super::system::System;
use model::check::{ResolvedBound, ResolvedPath};
use model::deep_stack::on_deep_stack;
use model::network::{ExprId, Number};
use model::syntax::query::Extremum;
use search::random::Random;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{Builder, scope};

/// Bytes of stack of a thread that makes runs.
pub(super) const STACK: usize = 1 << 27;

/// What to find out about each run.
#[derive(Clone, Copy, Debug)]
pub enum Question<'q> {
    Path { bound: &'q ResolvedBound, path: &'q ResolvedPath },
    Extremum { bound: &'q ResolvedBound, kind: Extremum, number: Number, expression: ExprId },
    Curves { bound: &'q ResolvedBound, expressions: &'q [(Number, ExprId)], filter: Option<ExprId> },
}

/// What one run has shown.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    pub run: u64,
    /// Whether the formula or the filter held.
    pub holds: bool,
    /// The extremum, or how far the run had come when the formula was decided.
    pub value: f64,
    pub curves: Vec<Curve>,
    /// Curves were too long to be kept whole.
    pub cut: bool,
    pub steps: u64,
    pub ending: Ending,
}

/// A runner for each thread.
pub struct Sampler<'s> {
    system: &'s System<'s>,
    seed: u64,
    runners: Vec<Runner<'s>>,
}

impl<'s> Sampler<'s> {
    pub fn new(system: &'s System<'s>, settings: Settings, seed: u64, threads: usize) -> Sampler<'s> {
        let runners = (0..threads.max(1)).map(|_| Runner::new(system, settings)).collect();
        Sampler { system, seed, runners }
    }

    /// Makes a round of runs. The samples come in the order of the runs; fewer when `stop` says so.
    /// A run that fails is the last.
    pub fn round(
        &mut self,
        question: Question<'_>,
        runs: Range<u64>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Result<Sample>> {
        let next = AtomicU64::new(runs.start);
        // Runs after one that failed are of no interest.
        let last = AtomicU64::new(u64::MAX);
        let seed = self.seed;
        let asked = &Asked::new(self.system, question);
        let work = |runner: &mut Runner<'s>| {
            let mut done = Vec::new();
            loop {
                let run = next.fetch_add(1, Ordering::Relaxed);
                if run >= runs.end || run > last.load(Ordering::Relaxed) || stop() {
                    return done;
                }
                let sample = one(runner, asked, seed, run, stop);
                if is_last(&sample) {
                    last.fetch_min(run, Ordering::Relaxed);
                }
                done.push((run, sample));
            }
        };
        let threads = self.runners.len().min(usize::try_from(runs.end - runs.start).unwrap_or(usize::MAX));
        let mut all: Vec<(u64, Result<Sample>)> = scope(|scope| {
            let work = &work;
            let spawn = |runner| Builder::new().stack_size(STACK).spawn_scoped(scope, move || work(runner)).ok();
            let running: Vec<_> = self.runners.iter_mut().take(threads).filter_map(spawn).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            running.into_iter().flat_map(join).collect()
        });
        // Where no thread could be made, this one does the work.
        if all.is_empty()
            && let Some(runner) = self.runners.first_mut()
        {
            all = on_deep_stack(|| work(runner));
        }
        all.sort_by_key(|(run, _)| *run);
        let mut samples = Vec::with_capacity(all.len());
        for (expected, (run, sample)) in runs.zip(all) {
            let stopped = matches!(&sample, Ok(sample) if sample.ending == Ending::Stopped);
            if run != expected || stopped {
                break;
            }
            let last = is_last(&sample);
            samples.push(sample);
            if last {
                break;
            }
        }
        samples
    }
}

/// A run that fails or has no end makes others superfluous.
fn is_last(sample: &Result<Sample>) -> bool {
    sample.as_ref().map_or(true, |sample| sample.ending == Ending::Endless)
}

fn one<'s>(
    runner: &mut Runner<'s>,
    asked: &Asked<'s>,
    seed: u64,
    run: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Sample> {
    let random = Random::of_run(seed, run);
    let Asked { programs, bound, kind, small } = asked;
    let blank =
        Sample { run, holds: true, value: 0.0, curves: Vec::new(), cut: false, steps: 0, ending: Ending::Bound };
    Ok(match kind {
        Kind::Path(formula) => {
            let mut observer = PathObserver::new(formula, &bound.measure, *small);
            let ending = runner.run(random, programs, bound, &mut observer, &stop)?;
            let (holds, value) = (observer.holds, observer.decided_at);
            Sample { holds, value, steps: runner.steps(), ending, ..blank }
        }
        Kind::Extremum(kind, observed) => {
            let mut observer = ExtremumObserver::new(*kind, observed, *small);
            let ending = runner.run(random, programs, bound, &mut observer, &stop)?;
            Sample { value: observer.value, steps: runner.steps(), ending, ..blank }
        }
        Kind::Curves(observed, filter) => {
            let mut observer = CurveObserver::new(observed, filter.as_ref(), &bound.measure, *small);
            let ending = runner.run(random, programs, bound, &mut observer, &stop)?;
            let (holds, cut, curves) = (observer.holds, observer.cut, observer.curves);
            Sample { holds, curves, cut, steps: runner.steps(), ending, ..blank }
        }
    })
}
