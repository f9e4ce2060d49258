//! Limits, interruption and progress of a run, for every engine alike.

use crate::options::Options;
use crate::prospects::News;
use crate::reachability::INTERRUPTED;
use crate::turns::{Conclusion, Turn};
use allowance::{Allowance, Cause};
use heuristics::interrupt::Interrupt;
use search::budget::Limits;
pub use search::statistics::Statistics;
use semantics::code::{RunError, RunErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Called now and then with what has been done so far.
pub type Progress<'p> = dyn FnMut(&Statistics) + 'p;

/// What else the thread has to do: called at every step, with a way to what has been done so far.
pub type Duties<'p> = dyn FnMut(&dyn Fn() -> Statistics) + 'p;

/// Called with what was found on the way to something better.
pub type Notes<'p> = dyn FnMut(&str) + 'p;

/// Watches over a run.
pub struct Watch<'p> {
    cancel: Option<Arc<AtomicBool>>,
    progress: Option<&'p mut Progress<'p>>,
    notes: Option<&'p mut Notes<'p>>,
    ticks: u32,
    shown: Instant,
    turn: Option<Turn>,
    /// Set when the run turns out to be a long one.
    is_long: Option<Arc<AtomicBool>>,
    duties: Option<&'p mut Duties<'p>>,
    /// From when on the time of the first question counts.
    since: Option<Instant>,
}

const TICKS: u32 = 256;
const BETWEEN: Duration = Duration::from_millis(200);

/// Why there is no answer, in words.
pub fn cause_text(cause: Cause) -> &'static str {
    match cause {
        Cause::Cancelled => INTERRUPTED,
        Cause::Time => "the time limit is reached",
        Cause::Memory => "the memory limit is reached",
    }
}

impl<'p> Watch<'p> {
    pub fn new(cancel: Option<Arc<AtomicBool>>, progress: Option<&'p mut Progress<'p>>) -> Watch<'p> {
        let (shown, notes, turn, is_long, duties) = (Instant::now(), None, None, None, None);
        Watch { cancel, progress, notes, ticks: 0, shown, turn, is_long, duties, since: None }
    }

    /// The first question has been waiting since then: its model had to be read.
    pub fn since(mut self, moment: Instant) -> Watch<'p> {
        self.since = Some(moment);
        self
    }

    /// What the next question may use.
    pub fn allowance(&mut self, options: &Options) -> Allowance {
        let begun = self.since.take().unwrap_or_else(Instant::now);
        let deadline = options.time_limit.and_then(|limit| begun.checked_add(limit));
        Allowance::new(deadline, options.memory_limit, self.cancel())
    }

    /// The run takes turns with others.
    pub fn taking(mut self, turn: Turn) -> Watch<'p> {
        self.turn = Some(turn);
        self
    }

    /// `is_long` is set when the run turns out to be a long one.
    pub fn telling(mut self, is_long: Arc<AtomicBool>) -> Watch<'p> {
        self.is_long = Some(is_long);
        self
    }

    /// The thread of the run has other duties as well.
    pub fn beside(mut self, duties: &'p mut Duties<'p>) -> Watch<'p> {
        self.duties = Some(duties);
        self
    }

    /// Set when the run turns out to be a long one, if somebody wants to know that.
    pub fn is_long(&self) -> Option<Arc<AtomicBool>> {
        self.is_long.clone()
    }

    /// The way to the turns of this run's threads.
    pub fn turn(&self) -> Option<Turn> {
        self.turn.clone()
    }

    /// Notes about what was found on the way go here.
    pub fn noting(mut self, notes: &'p mut Notes<'p>) -> Watch<'p> {
        self.notes = Some(notes);
        self
    }

    /// Tells what was found on the way.
    pub fn note(&mut self, text: &str) {
        if let Some(notes) = &mut self.notes {
            notes(text);
        }
    }

    /// Tells that the model has an error, and that the search goes on.
    pub fn note_error(&mut self, error: &RunError) {
        if !matches!(error.kind, RunErrorKind::Unsupported(_)) {
            self.note(&format!("note: the model has an error: {error}; the search goes on for what else is reachable"));
        }
    }

    /// Nobody watches.
    pub fn none() -> Watch<'static> {
        Watch::new(None, None)
    }

    pub fn cancel(&self) -> Option<Arc<AtomicBool>> {
        self.cancel.clone()
    }

    /// Whether somebody wants the run to end.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    /// Ends long computations from now on, when somebody wants the run to end or its time is over.
    pub fn interrupt(&self, options: &Options) -> Interrupt {
        let (cancel, turn, limit) = (self.cancel(), self.turn(), options.time_limit);
        let started = Instant::now();
        Interrupt::new(move || {
            turn.iter().for_each(Turn::look);
            allowance::look()
                || limit.is_some_and(|limit| started.elapsed() >= limit)
                || cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed))
        })
    }

    /// Something is found: the answer may be worked out now. `None`: another has one.
    pub fn conclude(&self) -> Option<Conclusion> {
        Conclusion::of(self.turn.as_ref())
    }

    /// What the options allow one query to use.
    pub fn limits(&self, options: &Options) -> Limits {
        let left = allowance::current().and_then(|allowance| allowance.time_left());
        Limits {
            time: options.time_limit.into_iter().chain(left).min(),
            bytes: options.memory_limit,
            depth: options.max_depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX)),
            ..Limits::default()
        }
    }

    /// Shows progress when it is time to, and lets others have their turns.
    pub fn tick(&mut self, statistics: &dyn Fn() -> Statistics) {
        if let Some(turn) = &self.turn {
            turn.look_with(|| News::of(&statistics()));
        }
        if let Some(duties) = &mut self.duties {
            duties(statistics);
        }
        let Some(progress) = &mut self.progress else { return };
        self.ticks += 1;
        if self.ticks < TICKS {
            return;
        }
        self.ticks = 0;
        if self.shown.elapsed() >= BETWEEN {
            self.shown = Instant::now();
            progress(&statistics());
        }
    }

    /// Shows progress.
    pub fn show(&mut self, statistics: &Statistics) {
        if let Some(progress) = &mut self.progress
            && self.shown.elapsed() >= BETWEEN
        {
            self.shown = Instant::now();
            progress(statistics);
        }
    }
}
