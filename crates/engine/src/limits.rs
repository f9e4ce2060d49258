//! Limits, interruption and progress of a run, for every engine alike.

use crate::options::Options;
use search::budget::Limits;
pub use search::statistics::Statistics;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Called now and then with what has been done so far.
pub type Progress<'p> = dyn FnMut(&Statistics) + 'p;

/// Called with what was found on the way to something better.
pub type Notes<'p> = dyn FnMut(&str) + 'p;

/// Watches over a run.
pub struct Watch<'p> {
    cancel: Option<Arc<AtomicBool>>,
    progress: Option<&'p mut Progress<'p>>,
    notes: Option<&'p mut Notes<'p>>,
    ticks: u32,
    shown: Instant,
}

const TICKS: u32 = 256;
const BETWEEN: Duration = Duration::from_millis(200);

impl<'p> Watch<'p> {
    pub fn new(cancel: Option<Arc<AtomicBool>>, progress: Option<&'p mut Progress<'p>>) -> Watch<'p> {
        Watch { cancel, progress, notes: None, ticks: 0, shown: Instant::now() }
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

    /// What the options allow one query to use.
    pub fn limits(&self, options: &Options) -> Limits {
        Limits {
            time: options.time_limit,
            bytes: options.memory_limit,
            depth: options.max_depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX)),
            ..Limits::default()
        }
    }

    /// Shows progress when it is time to.
    pub fn tick(&mut self, statistics: &dyn Fn() -> Statistics) {
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
}
