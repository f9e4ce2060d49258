//! Limits, interruption and progress of a run, for every engine alike.

use crate::options::Options;
use search::budget::Limits;
pub use search::statistics::Statistics;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Called now and then with what has been done so far.
pub type Progress<'p> = dyn FnMut(&Statistics) + 'p;

/// Watches over a run.
pub struct Watch<'p> {
    cancel: Option<Arc<AtomicBool>>,
    progress: Option<&'p mut Progress<'p>>,
    ticks: u32,
    shown: Instant,
}

const TICKS: u32 = 256;
const BETWEEN: Duration = Duration::from_millis(200);

impl<'p> Watch<'p> {
    pub fn new(cancel: Option<Arc<AtomicBool>>, progress: Option<&'p mut Progress<'p>>) -> Watch<'p> {
        Watch { cancel, progress, ticks: 0, shown: Instant::now() }
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
