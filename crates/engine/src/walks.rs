//! Is a state reachable in which a predicate holds? Random walks: they find, and never prove that there is nothing.
//!
//! A finding is walked again with its steps written down, made shorter, given the earliest times along its path where
//! that is possible, and replayed by `certify` before anybody sees it.

use crate::limits::{Watch, cause_text};
use crate::options::{Options, Preference};
use crate::problem::Problem;
use crate::reachability::{INTERRUPTED, Met, Outcome, Reached, unless_cut_off};
use crate::searches::walks::guide_name;
use crate::turns::{Conclusion, Turn};
use crate::witness::{self, NoWitness, Witness};
use certify::{Ending, Rational, Reason, Refusal, Run, Step};
use model::network::{Network, Relation};
use search::statistics::Statistics;
use semantics::code::{Conjunction, Discrete, Dnf, Machine, RunError, RunErrorKind};
use semantics::concrete::{System, UNIT};
use semantics::concretise::Concretiser;
use semantics::predicate_goal::PredicateGoal;
use semantics::structure::Structure;
use semantics::zone_graph::Abstraction;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use walk::depth::Depth;
use walk::distance::Distance;
use walk::goal::Goal;
use walk::guide::bias::Bias;
use walk::guide::{Guide, Party, archive, mutate, split};
use walk::hunt::{Ceiling, Failing, Finding, Recorded, Settings, Surroundings, Totals, again, hunt};
use walk::shorten::{Reaching, shorten};
use walk::strategy::Strategy;
use walk::tables::Tables;
use walk::walker::Walker;

/// How many steps are walked again to make a finding shorter: half as many as it took to find it, about, within these limits; and each
/// of its own so often.
const SHORTEN: std::ops::RangeInclusive<u64> = 2_000..=30_000;
const SHORTEN_OWN: u64 = 4;

/// Paths with more steps times processes keep the times of their walk.
const RETIME: usize = 200_000;

const NO_START: &str = "the invariants do not hold at the start";

/// How long better runs are looked for when no limit is given.
const IMPROVE: Duration = Duration::from_secs(300);

/// What walks go by: who says how near the goal is wants them to come nearer.
fn guide(options: &Options) -> Guide {
    match options.guide {
        Guide::None if options.level.is_some() => Guide::Split,
        guide => guide,
    }
}

/// Walks until one meets the predicate or a limit is reached.
pub fn reach(
    problem: &Problem,
    (name, strategy): (&'static str, Strategy),
    options: &Options,
    watch: &mut Watch,
) -> (Reached, Totals) {
    let started = Instant::now();
    let Problem { network, predicate, constant, .. } = *problem;
    let Some(preparation) = &problem.preparation else {
        let reason = "the problem was not made for walks".to_owned();
        return (Reached::without_search(Outcome::Internal(reason)), Totals::default());
    };
    let (mut held, mut met) = (0, None);
    let (outcome, totals) = match Tables::new(&problem.compiled.structure, preparation, i64::from(constant)) {
        Err(_) => {
            let why = allowance::cause().map_or("the model has too many synchronisations for walks", cause_text);
            (Outcome::Unknown(why.to_owned()), Totals::default())
        }
        Ok(tables) => {
            let settings = Settings {
                strategy,
                delays: options.delays,
                depth: options.max_depth.map_or(options.depth, Depth::Fixed),
                seed: options.seed,
                threads: options.threads.unwrap_or_else(available_threads),
                bias: (options.guide == Guide::Bias)
                    .then(|| Bias { distance: Arc::new(Distance::new(network, predicate)) }),
            };
            let walker = Walker::new(&tables).ok().flatten().map_or(0, |walker| walker.bytes());
            held = tables.bytes() + settings.threads * walker;
            // So far they were set up.
            watch.turn().iter().for_each(Turn::start_anew);
            let hunt = Hunt { problem, tables: &tables, settings, options, started };
            let (outcome, failed, totals) = hunt.run(watch);
            met = failed;
            (outcome, totals)
        }
    };
    let outcome = unless_cut_off(outcome);
    let peak_bytes = held as u64 + totals.bytes;
    let statistics = Statistics { elapsed: started.elapsed(), peak_bytes, ..Statistics::default() };
    let guide = guide_name(guide(options));
    (Reached { search: name, statistics, guide, met, ..Reached::without_search(outcome) }, totals)
}

struct Hunt<'a, 's, 'n> {
    problem: &'a Problem<'n>,
    tables: &'a Tables<'s, 'n>,
    settings: Settings,
    options: &'a Options,
    started: Instant,
}

/// Walks among other engines, and with a limit.
struct Among {
    turn: Option<Turn>,
    limit: Option<Duration>,
    started: Instant,
    cancel: Option<Arc<AtomicBool>>,
}

impl Among {
    fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }
}

impl Surroundings for Among {
    fn stop(&self) -> bool {
        self.turn.iter().for_each(Turn::look);
        allowance::look() || self.limit.is_some_and(|limit| self.started.elapsed() >= limit) || self.is_cancelled()
    }

    fn found(&self) {
        self.turn.iter().for_each(Turn::hurry);
    }

    fn has_room(&self) -> bool {
        self.turn.as_ref().is_none_or(Turn::has_room)
    }
}

/// What is found is worked out, unless another has an answer.
fn concluded(turn: Option<&Turn>, work_out: impl FnOnce() -> Outcome) -> Outcome {
    let Some(conclusion) = Conclusion::of(turn) else {
        return Outcome::Unknown(INTERRUPTED.to_owned());
    };
    let outcome = work_out();
    if let Outcome::Found(_) = outcome {
        conclusion.keep();
    }
    outcome
}

/// What was found, and all it takes to walk there again.
struct Hit {
    finding: Finding,
    ceiling: Ceiling,
    first: u64,
}

impl Hunt<'_, '_, '_> {
    fn run(&self, watch: &mut Watch) -> (Outcome, Option<Met>, Totals) {
        match guide(self.options) {
            Guide::None | Guide::Bias => self.unguided(watch),
            guide => self.guided(guide, watch),
        }
    }

    /// Walks that remember something.
    fn guided(&self, guide: Guide, watch: &mut Watch) -> (Outcome, Option<Met>, Totals) {
        let distance = Distance::new(self.problem.network, self.problem.predicate).with_level(self.problem.level);
        let limit = self.options.time_limit;
        let others = Among { turn: watch.turn(), limit, started: self.started, cancel: watch.cancel() };
        let stop = || others.stop();
        // What all walks together have taken is not known when one of them is made again.
        let strategy = match self.settings.strategy {
            Strategy::RlcA => {
                watch.note("note: guided walks count for themselves: rlc-a walks as rlc does");
                Strategy::Rlc
            }
            other => other,
        };
        let mut progress = |seen: &Totals| watch.tick(&|| self.statistics(seen, seen.depth, None));
        let settings = Settings { strategy, ..self.settings.clone() };
        let party = Party::new(self.tables, self.problem.goal, &distance, settings, &stop, &mut progress);
        let mut party = match party {
            Ok(Some(party)) => party,
            Ok(None) => return (Outcome::Unknown(NO_START.to_owned()), None, Totals::default()),
            Err(error) => return (self.failed(error, &[]), None, Totals::default()),
        };
        party.most = self.options.walks.unwrap_or(u64::MAX);
        let found = match guide {
            Guide::Archive => archive::hunt(&mut party),
            Guide::Split => split::hunt(&mut party),
            _ => mutate::hunt(&mut party),
        };
        let totals = party.totals;
        let met = party.failed.take().map(|failed| {
            let mut steps = Vec::new();
            let _ = party.repeat(&failed.lineage, &mut steps);
            self.met(failed.error, &steps)
        });
        let Some(found) = found else { return (Outcome::Unknown(self.nothing(&totals)), met, totals) };
        let mut steps = Vec::new();
        if let Err(error) = party.repeat(&found.lineage, &mut steps) {
            return (self.failed(error, &steps), met, totals);
        }
        let (walker, goal) = party.leader();
        let wanted = || !others.is_cancelled();
        let work_out = || self.evidence(walker, goal, steps, found.moment, *SHORTEN.end(), &wanted);
        (concluded(others.turn.as_ref(), work_out), met, totals)
    }

    fn statistics(&self, seen: &Totals, depth: u64, best: Option<u64>) -> Statistics {
        let delays = self.settings.delays.of_walk(seen.latest);
        Statistics {
            walks: seen.walks,
            steps: seen.steps,
            walk_depth: depth,
            walk_delays: (delays.earliest, delays.latest),
            best_steps: best,
            elapsed: self.started.elapsed(),
            ..Statistics::default()
        }
    }

    fn unguided(&self, watch: &mut Watch) -> (Outcome, Option<Met>, Totals) {
        let preference = self.options.preference;
        let improves = preference != Preference::Any;
        let limit = self.options.time_limit.or(improves.then_some(IMPROVE));
        let others = Among { turn: watch.turn(), limit, started: self.started, cancel: watch.cancel() };
        let mut totals = Totals::default();
        let mut best: Option<Hit> = None;
        let mut failed: Option<(Failing, Ceiling, u64)> = None;
        let mut first = 0;
        loop {
            let ceiling = match (&best, preference) {
                (Some(Hit { finding: Finding { steps, .. }, .. }), Preference::Shortest) => {
                    Ceiling { steps: *steps, ..Ceiling::default() }
                }
                (Some(Hit { finding: Finding { moment, .. }, .. }), Preference::Fastest) => {
                    Ceiling { time: *moment, ..Ceiling::default() }
                }
                _ => Ceiling::default(),
            };
            let before = totals;
            let shortest = best.as_ref().map(|hit| hit.finding.steps);
            let mut progress = |seen: &Totals| {
                let mut all = before;
                all.add(seen);
                let depth = self.settings.depth.of_walk(all.latest);
                watch.tick(&|| self.statistics(&all, depth, shortest));
            };
            let walks = first..self.options.walks.unwrap_or(u64::MAX);
            let hunted = hunt(self.tables, self.problem.goal, &self.settings, ceiling, walks, &others, &mut progress);
            totals.add(&hunted.totals);
            failed = failed.or(hunted.failed.map(|failed| (failed, ceiling, first)));
            let Some(finding) = hunted.found else { break };
            let hit = Hit { finding, ceiling, first };
            first = finding.walk + 1;
            let done = !improves || finding.steps == 0 || finding.moment == 0;
            if improves {
                let seconds = self.started.elapsed().as_secs_f64();
                let time = Rational::new(i128::from(finding.moment), i128::from(UNIT));
                watch.note(&format!("{seconds:.2} s: a run of {} steps in time {time}", finding.steps));
            }
            best = Some(hit);
            if done || others.stop() {
                break;
            }
        }
        let outcome = match best {
            Some(hit) => concluded(others.turn.as_ref(), || self.conclude(&hit, &|| !others.is_cancelled())),
            None => Outcome::Unknown(self.nothing(&totals)),
        };
        let met = failed.filter(|_| !matches!(&outcome, Outcome::Unknown(reason) if reason == INTERRUPTED));
        let met = met.map(|(failed, ceiling, first)| self.walk_into(failed, ceiling, first));
        (outcome, met, totals)
    }

    /// The error that a walk met, with the way there.
    fn walk_into(&self, failed: Failing, ceiling: Ceiling, first: u64) -> Met {
        let Ok(Some(mut walker)) = Walker::new(self.tables) else { return self.met(failed.error, &[]) };
        let mut goal = Goal::new(&walker, self.problem.goal);
        let mut steps = again(&mut walker, &mut goal, &self.settings, ceiling, first, failed.walk);
        // The last one may be what failed.
        steps.truncate(usize::try_from(failed.steps).unwrap_or(usize::MAX));
        self.met(failed.error, &steps)
    }

    fn met(&self, error: RunError, steps: &[Recorded]) -> Met {
        let structure = self.tables.structure();
        Met { error, path: structure.path(labels(structure, steps)), is_sure: true }
    }

    /// Why there is no answer.
    fn nothing(&self, totals: &Totals) -> String {
        let ended = match (totals.stuck, totals.time_locks) {
            (0, 0) => String::new(),
            (stuck, 0) => format!(", {stuck} of them until nothing could happen any more"),
            (0, locks) => format!(", {locks} of them into a time-lock"),
            (stuck, locks) => {
                format!(", {stuck} of them until nothing could happen any more and {locks} into a time-lock")
            }
        };
        format!("none of {} walks met it{ended}; walks cannot show that there is nothing", totals.walks)
    }

    fn conclude(&self, hit: &Hit, wanted: &dyn Fn() -> bool) -> Outcome {
        let mut walker = match Walker::new(self.tables) {
            Ok(Some(walker)) => walker,
            Ok(None) => return Outcome::Unknown(NO_START.to_owned()),
            Err(error) => return self.failed(error, &[]),
        };
        let mut goal = Goal::new(&walker, self.problem.goal);
        let steps = again(&mut walker, &mut goal, &self.settings, hit.ceiling, hit.first, hit.finding.walk);
        self.evidence(&mut walker, &mut goal, steps, hit.finding.moment, self.effort(hit.finding.walk), wanted)
    }

    /// Half as many steps as the walks up to this one may have taken, as far as that is of interest. What they took in fact depends on the
    /// number of threads.
    fn effort(&self, walk: u64) -> u64 {
        let mut steps = 0;
        for before in 0..=walk {
            steps += self.settings.depth.of_walk(before) / 2;
            if steps >= *SHORTEN.end() {
                break;
            }
        }
        steps.clamp(*SHORTEN.start(), *SHORTEN.end())
    }

    /// What was found, with a run that shows it.
    fn evidence(
        &self,
        walker: &mut Walker,
        goal: &mut Goal,
        steps: Vec<Recorded>,
        end: i64,
        effort: u64,
        wanted: &dyn Fn() -> bool,
    ) -> Outcome {
        let mut found = Reaching { steps, end };
        // A fastest run may need steps that a shorter one does without.
        if self.options.preference != Preference::Fastest {
            let budget = effort + SHORTEN_OWN * found.steps.len() as u64;
            found = shorten(walker, goal, found, budget, wanted);
        }
        let witness = self.retimed(&found).map_or_else(
            || witness::replayed(self.problem.network, run(self.problem.network, &found), self.problem.claim),
            Ok,
        );
        match witness {
            Ok(witness) => Outcome::Found(Box::new(witness)),
            Err(NoWitness::Failed(error)) => self.failed(error, &[]),
            Err(NoWitness::Unrealisable) => Outcome::Internal("a walk has no run".to_owned()),
            // What is possible at its end cannot be said without meeting the error.
            Err(NoWitness::Refused(Refusal { reason: Reason::ModelError(error), .. })) => {
                Outcome::Unknown(format!("a walk ends where the model has an error: {error}"))
            }
            Err(NoWitness::Refused(refusal)) => {
                Outcome::Internal(format!("the replay refuses the walk: {}", refusal.text))
            }
        }
    }

    /// What an error on the way means: the model has it, or walks do not know what to do.
    fn failed(&self, error: RunError, steps: &[Recorded]) -> Outcome {
        let structure = self.tables.structure();
        match error.kind {
            RunErrorKind::Unsupported(_) => Outcome::Unknown(error.to_string()),
            _ => Outcome::ModelError(error, structure.path(labels(structure, steps))),
        }
    }

    /// The earliest run along the same path, when there is one that is found quickly.
    fn retimed(&self, found: &Reaching) -> Option<Witness> {
        if found.steps.len() * self.problem.network.processes.len() > RETIME {
            return None;
        }
        if self.problem.network.has_stopwatches() {
            // Their times would take a linear program.
            return None;
        }
        self.along(found).or_else(|| self.through_the_graph(found))
    }

    /// The earliest run along the same edges.
    fn along(&self, found: &Reaching) -> Option<Witness> {
        let structure = self.tables.structure();
        let (mut machine, mut state) = (Machine::default(), Discrete::initial(self.problem.network));
        for step in &found.steps {
            structure.act(&mut machine, &step.moves, &mut state, &mut Vec::new()).ok()?;
        }
        let mut ends = Dnf::default();
        machine.predicate(&structure.programs, self.problem.goal, &state, &mut ends).ok()?;
        let is_plain =
            |end: &Conjunction| end.deadlock.is_none() && end.bounds.iter().all(|bound| bound.relation != Relation::Ne);
        ends.iter().filter(is_plain).find_map(|end| {
            let moves = found.steps.iter().map(|step| step.moves.as_slice());
            let timed = Concretiser::new(structure).run_moves(moves, end.bounds).ok()?;
            witness::replayed(
                self.problem.network,
                witness::run(self.problem.network, &timed, Ending::Open),
                self.problem.claim,
            )
            .ok()
        })
    }

    /// The same by a path of the zone graph, which knows about priorities and about all who might hear.
    fn through_the_graph(&self, found: &Reaching) -> Option<Witness> {
        let graph = self.problem.compiled.graph(Abstraction::None);
        let mut goal = PredicateGoal::new(&graph, self.problem.goal);
        let labels = labels(&graph.structure, &found.steps);
        if labels.len() < found.steps.len() {
            return None;
        }
        witness::reaching(&graph, &labels, &mut goal, self.problem.claim).ok()
    }
}

/// The names of the steps in paths of the zone graph, up to the first one that cannot be taken.
fn labels(structure: &Structure, steps: &[Recorded]) -> Vec<u32> {
    let mut labels = Vec::with_capacity(steps.len());
    let mut system = System::new(structure);
    let Ok(Some(mut state)) = system.initial() else { return labels };
    for step in steps {
        let Ok(Some(label)) = system.label(&state, &step.moves, step.moment) else { break };
        if system.take(&mut state, &step.moves, step.moment).is_err() {
            break;
        }
        labels.push(label);
    }
    labels
}

pub(crate) fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A walk in the terms of `certify`.
fn run(network: &Network, found: &Reaching) -> Run {
    let time = |ticks: i64| Rational::new(i128::from(ticks), i128::from(UNIT));
    let mut before = 0;
    let steps = found
        .steps
        .iter()
        .map(|step| {
            let delay = step.moment - std::mem::replace(&mut before, step.moment);
            Step { delay: time(delay), moves: witness::moves(network, &step.moves) }
        })
        .collect();
    Run { steps, final_delay: time(found.end - before), ending: Ending::Open }
}
