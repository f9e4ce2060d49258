//! Many walks until one reaches the goal.
//!
//! Walk number n uses the n-th random stream of the seed, the n-th distribution of delays and the n-th depth, so it is
//! the same walk whoever makes it. Threads take numbers one after the other; when a walk has found something, those with
//! greater numbers stop and those with smaller ones go on. The lowest number with a finding wins: the answer does not
//! depend on how many threads there are. An error of the model ends the walk that meets it and no other; where only the goal cannot be
//! evaluated the walk goes on. The first error of the lowest number is told beside what is found. Where so many walks fail as [`FAILURES`]
//! says, nothing else is to be expected and no more are made. Only `rlc-a` remembers anything from walk to walk, and is made by one thread.
//!
//! Nothing of a walk is kept. One that is wanted is made again, with its steps written down.

use crate::delay::DelayChoice;
use crate::depth::Depth;
use crate::goal::Goal;
use crate::guide::bias::Bias;
use crate::strategy::{Chooser, Strategy};
use crate::tables::Tables;
use crate::walker::{TIME_LIMIT, Walker};
use search::random::Random;
use semantics::code::{PredicateId, RunError};
use semantics::concrete::FOREVER;
use semantics::transitions::Move;
use std::collections::BinaryHeap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(Clone)]
pub struct Settings {
    pub strategy: Strategy,
    pub delays: DelayChoice,
    pub depth: Depth,
    pub seed: u64,
    pub threads: usize,
    pub bias: Option<Bias>,
}

/// What a walk must stay below.
#[derive(Clone, Copy, Debug)]
pub struct Ceiling {
    pub steps: u64,
    /// Ticks.
    pub time: i64,
}

impl Default for Ceiling {
    fn default() -> Ceiling {
        Ceiling { steps: u64::MAX, time: FOREVER }
    }
}

/// Why a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The goal holds at this moment.
    Reached(i64),
    /// It was long enough.
    Depth,
    /// Nothing can happen any more; time may pass for ever.
    Stuck,
    /// Nothing can happen and time may not pass for ever.
    TimeLock,
    /// The model has an error.
    Failed,
    /// Nobody is interested any more.
    Abandoned,
}

/// How many walks there were and how they ended.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Totals {
    pub walks: u64,
    pub steps: u64,
    pub stuck: u64,
    pub time_locks: u64,
    /// The most steps that any walk was allowed.
    pub depth: u64,
    /// The greatest number of a walk.
    pub latest: u64,
    /// The most memory that states to start from again took.
    pub bytes: u64,
}

impl Totals {
    pub fn add(&mut self, other: &Totals) {
        self.walks += other.walks;
        self.steps += other.steps;
        self.stuck += other.stuck;
        self.time_locks += other.time_locks;
        self.depth = self.depth.max(other.depth);
        self.latest = self.latest.max(other.latest);
        self.bytes = self.bytes.max(other.bytes);
    }
}

/// A walk that ended with something to report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finding {
    pub walk: u64,
    pub steps: u64,
    /// The moment at which the goal holds.
    pub moment: i64,
}

/// A walk on which the model has an error after so many steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failing {
    pub walk: u64,
    pub steps: u64,
    pub error: RunError,
}

/// What came of a hunt.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Hunted {
    pub found: Option<Finding>,
    /// The first walk that failed, of those up to the finding.
    pub failed: Option<Failing>,
    pub totals: Totals,
}

/// After so many walks that failed there are no more: an error that every seed meets a thousand times is not on the way of few.
pub const FAILURES: usize = 1_000;

/// A step of a walk that was written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    pub moment: i64,
    pub moves: Vec<Move>,
}

/// How often a walk looks whether it is still wanted.
const LOOK: u64 = 128;

/// What else goes on while walks are made.
pub trait Surroundings: Sync {
    /// Whether no more walks are wanted. A thread may be kept waiting here: before its first walk, between walks and on the way.
    fn stop(&self) -> bool;

    /// This thread has found something and makes no more walks; others only finish walks with smaller numbers.
    fn found(&self) {}

    /// Whether threads beside the first are of use by now.
    fn has_room(&self) -> bool {
        true
    }
}

impl<F: Fn() -> bool + Sync> Surroundings for F {
    fn stop(&self) -> bool {
        self()
    }
}

/// Makes walks until one finds something, the surroundings stop it, or all of them are made.
pub fn hunt(
    tables: &Tables,
    goal: PredicateId,
    settings: &Settings,
    ceiling: Ceiling,
    walks: std::ops::Range<u64>,
    surroundings: &dyn Surroundings,
    progress: &mut dyn FnMut(&Totals),
) -> Hunted {
    let threads = if settings.strategy == Strategy::RlcA { 1 } else { settings.threads.max(1) };
    let shared = Shared {
        next: AtomicU64::new(walks.start),
        end: walks.end,
        best: AtomicU64::new(u64::MAX),
        stopped: AtomicBool::new(false),
        found: Mutex::new(Books::default()),
        surroundings,
    };
    std::thread::scope(|scope| {
        let mut others = 1..threads;
        let mut start_others = || {
            if !others.is_empty() && surroundings.has_room() {
                for _ in others.by_ref() {
                    let allowance = allowance::current();
                    let shared = &shared;
                    scope.spawn(move || {
                        let _entered = allowance.as_ref().map(allowance::Allowance::enter);
                        shared.work(tables, goal, settings, ceiling, &mut |_| {});
                    });
                }
            }
        };
        start_others();
        shared.work(tables, goal, settings, ceiling, &mut |totals| {
            start_others();
            progress(totals);
        });
    });
    let Books { found, failed, totals, .. } =
        shared.found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let failed = failed.filter(|failed| found.is_none_or(|found| failed.walk <= found.walk));
    Hunted { found, failed, totals }
}

/// What has come of the walks so far.
#[derive(Default)]
struct Books {
    found: Option<Finding>,
    failed: Option<Failing>,
    /// The lowest numbers of walks that failed, up to [`FAILURES`].
    failures: BinaryHeap<u64>,
    totals: Totals,
}

struct Shared<'p> {
    next: AtomicU64,
    end: u64,
    /// The lowest number with a finding, or of the last failure that is wanted.
    best: AtomicU64,
    stopped: AtomicBool,
    found: Mutex<Books>,
    surroundings: &'p dyn Surroundings,
}

impl Shared<'_> {
    fn work(
        &self,
        tables: &Tables,
        goal: PredicateId,
        settings: &Settings,
        ceiling: Ceiling,
        progress: &mut dyn FnMut(&Totals),
    ) {
        // Who waits here holds no number that others would have to wait for.
        self.look();
        if self.stopped.load(Ordering::Relaxed) {
            return;
        }
        let mut walker = match Walker::new(tables) {
            Ok(Some(walker)) => walker,
            Ok(None) => return,
            Err(error) => {
                // Every walk fails before its first step.
                self.stopped.store(true, Ordering::Relaxed);
                return self.fails(Failing { walk: 0, steps: 0, error });
            }
        };
        let mut goal = Goal::new(&walker, goal);
        let mut chooser = Chooser::new(settings.strategy, &walker).biased(settings.bias.clone());
        loop {
            let walk = self.next.fetch_add(1, Ordering::Relaxed);
            let wanted = walk < self.end && walk < self.best.load(Ordering::Relaxed);
            if !wanted || self.stopped.load(Ordering::Relaxed) {
                return;
            }
            let mut counted = 0;
            let done = one(
                &mut walker,
                &mut goal,
                &mut chooser,
                settings,
                ceiling,
                walk,
                &mut |steps| {
                    if steps > 0 {
                        counted += steps;
                        let depth = settings.depth.of_walk(walk);
                        progress(&self.count(&Totals { steps, depth, latest: walk, ..Totals::default() }));
                        self.look();
                    }
                    walk <= self.best.load(Ordering::Relaxed) && !self.stopped.load(Ordering::Relaxed)
                },
                None,
            );
            let seen = self.count(&Totals {
                walks: 1,
                steps: done.steps - counted,
                stuck: u64::from(matches!(done.end, End::Stuck)),
                time_locks: u64::from(matches!(done.end, End::TimeLock)),
                depth: settings.depth.of_walk(walk),
                latest: walk,
                bytes: 0,
            });
            if let Some((steps, error)) = done.failed {
                self.fails(Failing { walk, steps, error });
            }
            if let End::Reached(moment) = done.end {
                self.report(Finding { walk, steps: done.steps, moment });
            }
            progress(&seen);
            if self.best.load(Ordering::Relaxed) <= walk {
                return self.surroundings.found();
            }
            self.look();
        }
    }

    /// Enters what a walk has done since it was entered last; all totals so far.
    fn count(&self, part: &Totals) -> Totals {
        let mut books = self.lock();
        books.totals.add(part);
        books.totals
    }

    fn look(&self) {
        self.stopped.fetch_or(self.surroundings.stop(), Ordering::Relaxed);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Books> {
        self.found.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn report(&self, finding: Finding) {
        self.best.fetch_min(finding.walk, Ordering::Relaxed);
        let mut books = self.lock();
        if books.found.is_none_or(|other| finding.walk < other.walk) {
            books.found = Some(finding);
        }
    }

    /// Walks with numbers beyond the last of the first [`FAILURES`] failures are not made.
    fn fails(&self, failing: Failing) {
        let mut books = self.lock();
        if books.failed.is_none_or(|other| failing.walk < other.walk) {
            books.failed = Some(failing);
        }
        books.failures.push(failing.walk);
        if books.failures.len() > FAILURES {
            books.failures.pop();
        }
        if let (FAILURES, Some(last)) = (books.failures.len(), books.failures.peek()) {
            self.best.fetch_min(*last, Ordering::Relaxed);
        }
    }
}

/// How a walk went.
pub struct Done {
    pub steps: u64,
    pub end: End,
    /// The first error of the model, and the steps before it.
    pub failed: Option<(u64, RunError)>,
}

/// One walk. `wanted` is asked now and then, with the steps since it was asked last.
#[expect(clippy::too_many_arguments, reason = "the parts of a walk")]
pub fn one(
    walker: &mut Walker,
    goal: &mut Goal,
    chooser: &mut Chooser,
    settings: &Settings,
    ceiling: Ceiling,
    walk: u64,
    wanted: &mut dyn FnMut(u64) -> bool,
    mut record: Option<&mut Vec<Recorded>>,
) -> Done {
    let mut random = Random::of_run(settings.seed, walk);
    let mut delays = settings.delays.begin(walk);
    let depth = settings.depth.of_walk(walk).min(ceiling.steps.saturating_sub(1));
    walker.restart();
    chooser.begin();
    let (mut steps, mut failed) = (0, None);
    let end = loop {
        match goal.reached(walker) {
            Ok(Some(moment)) if moment < ceiling.time => break End::Reached(moment),
            Ok(_) => {}
            // Not here, as far as anybody can know.
            Err(error) => _ = failed.get_or_insert((steps, error)),
        }
        if steps >= depth || walker.now() >= ceiling.time.min(TIME_LIMIT) {
            break End::Depth;
        }
        if steps % LOOK == 0 && !wanted(if steps == 0 { 0 } else { LOOK }) {
            break End::Abandoned;
        }
        let chosen = chooser.choose(walker, &mut delays, &mut random).and_then(|moment| {
            let Some(moment) = moment else { return Ok(false) };
            if let Some(record) = record.as_deref_mut() {
                record.push(Recorded { moment, moves: walker.moves().to_vec() });
            }
            // A step that fails counts: its clocks or the state after it cannot be computed.
            steps += 1;
            walker.take(moment).map(|()| true)
        });
        match chosen {
            Ok(true) => {}
            Ok(false) if walker.until() >= FOREVER => break End::Stuck,
            Ok(false) => break End::TimeLock,
            Err(error) => {
                failed.get_or_insert((steps, error));
                break End::Failed;
            }
        }
    };
    Done { steps, end, failed }
}

/// Makes a walk again and writes its steps down. `first` is the number of the first walk of its hunt.
pub fn again(
    walker: &mut Walker,
    goal: &mut Goal,
    settings: &Settings,
    ceiling: Ceiling,
    first: u64,
    walk: u64,
) -> Vec<Recorded> {
    let mut record = Vec::new();
    let mut chooser = Chooser::new(settings.strategy, walker).biased(settings.bias.clone());
    if settings.strategy == Strategy::RlcA {
        // It remembers the walks before.
        for before in first..walk {
            one(walker, goal, &mut chooser, settings, ceiling, before, &mut |_| true, None);
        }
    }
    one(walker, goal, &mut chooser, settings, ceiling, walk, &mut |_| true, Some(&mut record));
    record
}
