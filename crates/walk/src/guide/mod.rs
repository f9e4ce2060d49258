//! Ways to walk that remember something, beyond the published strategies. Each is a file of its own and can be compared
//! with the others by name.
//!
//! What they keep are [`Lineage`]s, not states: how a state was reached, as a list of stretches of numbered walks. A
//! stretch repeats exactly, so whatever was found can be walked again.
//!
//! Walks are made in generations: which ones is decided by what the generations before have found, and each has its own random
//! stream, so all threads can make them. What a generation found is looked at in the order of its walks. The result for a seed is
//! therefore the same for any number of threads.

pub mod archive;
pub mod bias;
pub mod mutate;
pub mod split;

use crate::distance::Distance;
use crate::goal::Goal;
use crate::hunt::{FAILURES, Recorded, Settings, Totals};
use crate::strategy::Chooser;
use crate::tables::Tables;
use crate::walker::{Snapshot, TIME_LIMIT, Walker};
use search::random::Random;
use semantics::code::{PredicateId, RunError};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Guide {
    #[default]
    None,
    Bias,
    Archive,
    Split,
    Mutate,
}

/// Steps of the walk with this number, from wherever it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    pub walk: u64,
    pub steps: u64,
}

pub type Lineage = Vec<Stretch>;

/// A lineage whose last state has the goal at a moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    pub lineage: Lineage,
    pub steps: u64,
    pub moment: i64,
}

/// A lineage after which the model has an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    pub lineage: Lineage,
    pub error: RunError,
}

/// One thread's part in a guided hunt.
struct Member<'t, 's, 'n> {
    walker: Walker<'t, 's, 'n>,
    goal: Goal,
    chooser: Chooser,
}

/// What a guided hunt works with.
pub struct Party<'w, 't, 's, 'n> {
    members: Vec<Member<'t, 's, 'n>>,
    pub distance: &'w Distance,
    pub settings: Settings,
    pub totals: Totals,
    /// The first walk that failed.
    pub failed: Option<Failed>,
    failures: usize,
    /// How many walks there may be.
    pub most: u64,
    /// The number of the next walk.
    next: u64,
    stop: &'w (dyn Fn() -> bool + Sync),
    progress: &'w mut dyn FnMut(&Totals),
}

/// A walk to make: from the state, or from the start, at most so many steps.
pub struct Task<'a> {
    pub from: Option<&'a Snapshot>,
    /// How that state was reached.
    pub lineage: &'a [Stretch],
    pub steps: u64,
}

/// What came of a generation of walks.
pub enum Generation<T> {
    /// One of them, by its place among the tasks, found something.
    Found(usize, Stretch, i64),
    /// Each was as long as it should be, or as it could be; what its visitor kept.
    After(Vec<(Stretch, T)>),
    /// Nobody is interested any more, or too many of them failed.
    Stopped,
}

/// How a stretch ended.
enum Ended {
    Found(i64),
    After,
    Abandoned,
}

/// A stretch that was made.
struct Made {
    stretch: Stretch,
    ended: Ended,
    /// The first error of the model on it, and the steps before.
    failed: Option<(u64, RunError)>,
}

/// How often a stretch looks whether it is still wanted.
const LOOK: u64 = 1024;

impl<'w, 't, 's, 'n> Party<'w, 't, 's, 'n> {
    /// `None` when the invariants do not hold at the start.
    pub fn new(
        tables: &'t Tables<'s, 'n>,
        goal: PredicateId,
        distance: &'w Distance,
        settings: Settings,
        stop: &'w (dyn Fn() -> bool + Sync),
        progress: &'w mut dyn FnMut(&Totals),
    ) -> Result<Option<Party<'w, 't, 's, 'n>>, RunError> {
        let mut members = Vec::new();
        for _ in 0..settings.threads.max(1) {
            let Some(walker) = Walker::new(tables)? else { return Ok(None) };
            let chooser = Chooser::new(settings.strategy, &walker).biased(settings.bias.clone());
            members.push(Member { goal: Goal::new(&walker, goal), walker, chooser });
        }
        let totals = Totals::default();
        let (failed, failures, most, next) = (None, 0, u64::MAX, 0);
        Ok(Some(Party { members, distance, settings, totals, failed, failures, most, next, stop, progress }))
    }

    /// The walker of the calling thread, and its goal.
    pub fn leader(&mut self) -> (&mut Walker<'t, 's, 'n>, &mut Goal) {
        let leader = &mut self.members[0];
        (&mut leader.walker, &mut leader.goal)
    }

    /// Makes the walks of these tasks, each with a stream of its own, on all threads. `visit` sees the place of the
    /// task, every state of its walk after the number of steps that led there, and what it keeps for this walk. The first task that finds something wins, so what comes of it does
    /// not depend on the number of threads.
    pub fn generation<T: Default + Send>(
        &mut self,
        mut tasks: &[Task],
        visit: &(dyn Fn(usize, &mut Walker, Stretch, &mut T) + Sync),
    ) -> Generation<T> {
        let left = usize::try_from(self.most - self.totals.walks.min(self.most)).unwrap_or(usize::MAX);
        tasks = &tasks[..left.min(tasks.len())];
        if tasks.is_empty() {
            return Generation::Stopped;
        }
        let first = self.next;
        self.next += tasks.len() as u64;
        self.totals.walks += tasks.len() as u64;
        self.totals.latest = self.next - 1;
        self.totals.depth = tasks.iter().map(|task| task.steps).max().unwrap_or(0);
        let shared = Shared {
            tasks,
            first,
            settings: &self.settings,
            next: AtomicUsize::new(0),
            best: AtomicUsize::new(usize::MAX),
            stopped: AtomicBool::new(false),
            steps: AtomicU64::new(self.totals.steps),
            done: Mutex::new(Vec::with_capacity(tasks.len())),
            stop: self.stop,
        };
        let Some((leader, others)) = self.members.split_first_mut() else { return Generation::Stopped };
        let (totals, progress) = (&mut self.totals, &mut self.progress);
        let mut tell = |steps| {
            totals.steps = steps;
            progress(totals);
        };
        let helpers = others.len().min(tasks.len() - 1);
        std::thread::scope(|scope| {
            let shared = &shared;
            for member in others.iter_mut().take(helpers) {
                let allowance = allowance::current();
                scope.spawn(move || {
                    let _entered = allowance.as_ref().map(allowance::Allowance::enter);
                    shared.work(member, visit, &mut |_| {});
                });
            }
            shared.work(leader, visit, &mut tell);
        });
        self.totals.steps = shared.steps.into_inner();
        let mut done = shared.done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        done.sort_by_key(|(task, ..)| *task);
        let mut kept = Vec::with_capacity(tasks.len());
        for (task, Made { stretch, ended, failed }, what) in done {
            if let Some((steps, error)) = failed {
                let lineage =
                    || tasks.get(task).map_or(Vec::new(), |task| extended(task.lineage, Stretch { steps, ..stretch }));
                self.failed.get_or_insert_with(|| Failed { lineage: lineage(), error });
                self.failures += 1;
            }
            match ended {
                Ended::Found(found) => return Generation::Found(task, stretch, found),
                Ended::After if self.failures < FAILURES => kept.push((stretch, what)),
                Ended::After | Ended::Abandoned => return Generation::Stopped,
            }
        }
        if kept.len() == tasks.len() { Generation::After(kept) } else { Generation::Stopped }
    }

    /// Goes to a state, or to the start, and makes a stretch of a walk again. `visit` sees every state after it.
    pub fn retrace(
        &mut self,
        from: Option<&Snapshot>,
        stretch: Stretch,
        visit: &mut dyn FnMut(&mut Walker, Stretch),
    ) -> Result<(), RunError> {
        let Some(leader) = self.members.first_mut() else { return Ok(()) };
        leader.go_to(from);
        leader.again(&self.settings, stretch, &mut |_| {}, visit)
    }

    /// Walks a lineage again from the start and writes its steps down.
    pub fn repeat(&mut self, lineage: &[Stretch], record: &mut Vec<Recorded>) -> Result<(), RunError> {
        let Some(leader) = self.members.first_mut() else { return Ok(()) };
        leader.go_to(None);
        let mut write = |step| record.push(step);
        lineage.iter().try_for_each(|stretch| leader.again(&self.settings, *stretch, &mut write, &mut |_, _| {}))
    }
}

impl Member<'_, '_, '_> {
    fn go_to(&mut self, from: Option<&Snapshot>) {
        match from {
            Some(snapshot) => self.walker.resume(snapshot),
            None => self.walker.restart(),
        }
    }

    /// A new stretch from the present state on. `wanted` is asked now and then, with the steps since it was asked last.
    fn stretch(
        &mut self,
        settings: &Settings,
        walk: u64,
        steps: u64,
        wanted: &mut dyn FnMut(u64) -> bool,
        visit: &mut dyn FnMut(&mut Walker, Stretch),
    ) -> Made {
        let mut failed = None;
        let mut made = Stretch { walk, steps: 0 };
        let mut random = Random::of_run(settings.seed, walk);
        let mut delays = settings.delays.begin(walk);
        self.chooser.begin();
        let ended = loop {
            match self.goal.reached(&mut self.walker) {
                Ok(Some(moment)) => break Ended::Found(moment),
                Ok(None) => {}
                Err(error) => _ = failed.get_or_insert((made.steps, error)),
            }
            if made.steps >= steps || self.walker.now() >= TIME_LIMIT {
                break Ended::After;
            }
            if made.steps.is_multiple_of(LOOK) && !wanted(if made.steps == 0 { 0 } else { LOOK }) {
                break Ended::Abandoned;
            }
            let chosen = self.chooser.choose(&mut self.walker, &mut delays, &mut random).and_then(|moment| {
                let Some(moment) = moment else { return Ok(false) };
                // A step that fails counts, so that a walk that is made again meets the error.
                made.steps += 1;
                self.walker.take(moment).map(|()| true)
            });
            match chosen {
                Ok(true) => visit(&mut self.walker, made),
                Ok(false) => break Ended::After,
                Err(error) => {
                    failed.get_or_insert((made.steps, error));
                    break Ended::After;
                }
            }
        };
        Made { stretch: made, ended, failed }
    }

    /// The steps of a stretch that was made before.
    fn again(
        &mut self,
        settings: &Settings,
        stretch: Stretch,
        record: &mut dyn FnMut(Recorded),
        visit: &mut dyn FnMut(&mut Walker, Stretch),
    ) -> Result<(), RunError> {
        let mut random = Random::of_run(settings.seed, stretch.walk);
        let mut delays = settings.delays.begin(stretch.walk);
        self.chooser.begin();
        for steps in 1..=stretch.steps {
            let Some(moment) = self.chooser.choose(&mut self.walker, &mut delays, &mut random)? else { break };
            record(Recorded { moment, moves: self.walker.moves().to_vec() });
            self.walker.take(moment)?;
            visit(&mut self.walker, Stretch { steps, ..stretch });
        }
        Ok(())
    }
}

/// What the threads of a generation share.
struct Shared<'p, T> {
    tasks: &'p [Task<'p>],
    /// The number of the first walk.
    first: u64,
    settings: &'p Settings,
    next: AtomicUsize,
    /// The first task that found something.
    best: AtomicUsize,
    stopped: AtomicBool,
    steps: AtomicU64,
    done: Mutex<Vec<(usize, Made, T)>>,
    stop: &'p (dyn Fn() -> bool + Sync),
}

impl<T: Default + Send> Shared<'_, T> {
    fn work(
        &self,
        member: &mut Member,
        visit: &(dyn Fn(usize, &mut Walker, Stretch, &mut T) + Sync),
        tell: &mut dyn FnMut(u64),
    ) {
        loop {
            let n = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(n) else { return };
            let (mut kept, mut counted) = (T::default(), 0);
            member.go_to(task.from);
            let mut wanted = |steps: u64| {
                counted += steps;
                tell(self.steps.fetch_add(steps, Ordering::Relaxed) + steps);
                self.stopped.fetch_or((self.stop)(), Ordering::Relaxed);
                n < self.best.load(Ordering::Relaxed) && !self.stopped.load(Ordering::Relaxed)
            };
            let walk = self.first + n as u64;
            let made = member.stretch(self.settings, walk, task.steps, &mut wanted, &mut |walker, made| {
                visit(n, walker, made, &mut kept);
            });
            self.steps.fetch_add(made.stretch.steps - counted, Ordering::Relaxed);
            if let Ended::Found(_) = made.ended {
                self.best.fetch_min(n, Ordering::Relaxed);
            }
            let mut done = self.done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            done.push((n, made, kept));
        }
    }
}

/// A lineage and one more stretch.
fn extended(lineage: &[Stretch], stretch: Stretch) -> Lineage {
    let mut longer = lineage.to_vec();
    if stretch.steps > 0 {
        longer.push(stretch);
    }
    longer
}

fn found(lineage: &[Stretch], stretch: Stretch, moment: i64) -> Found {
    let lineage = extended(lineage, stretch);
    Found { steps: lineage.iter().map(|stretch| stretch.steps).sum(), lineage, moment }
}
