//! Limits of a search: when one is met the search stops with its reason, its results so far intact, and can go
//! on when the limit is raised. The cancel flag is read for every generated state, the clock and the memory
//! count for every 64th, so that one state with very many successors cannot hold a search up. What the whole question may
//! use is its [`allowance`], which is asked as well.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a search may use. `None` is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// States in the store at the same time.
    pub stored: Option<u64>,
    /// States whose successors are generated.
    pub explored: Option<u64>,
    /// Steps from an initial state; states beyond are not looked at, and if there are any nothing is proved.
    pub depth: Option<u32>,
    /// Bytes held by store, frontier and side tables.
    pub bytes: Option<u64>,
    /// Time since the first step.
    pub time: Option<Duration>,
}

/// Which limit ended a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    Stored,
    Explored,
    Memory,
    Time,
    /// More states than there are ids, or a state too big to be named.
    Capacity,
}

/// Why a search must pause now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    Cancelled,
    OutOfBudget(Reason),
}

const TICKS_BETWEEN_CHECKS: u32 = 64;

impl From<allowance::Cause> for Pause {
    fn from(cause: allowance::Cause) -> Self {
        match cause {
            allowance::Cause::Cancelled => Self::Cancelled,
            allowance::Cause::Time => Self::OutOfBudget(Reason::Time),
            allowance::Cause::Memory => Self::OutOfBudget(Reason::Memory),
        }
    }
}

/// Limits being spent.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    pub limits: Limits,
    cancel: Option<Arc<AtomicBool>>,
    started: Option<Instant>,
    ticks: u32,
}

impl Budget {
    pub fn new(limits: Limits, cancel: Option<Arc<AtomicBool>>) -> Self {
        Self { limits, cancel, started: None, ticks: 0 }
    }

    /// Starts the clock, once.
    pub fn start(&mut self) {
        self.started.get_or_insert_with(Instant::now);
    }

    pub fn elapsed(&self) -> Duration {
        self.started.map_or(Duration::ZERO, |started| started.elapsed())
    }

    /// To be called for every generated state. `Ok(true)`: it is time to call `check`.
    #[inline]
    pub fn tick(&mut self) -> Result<bool, Pause> {
        if let Some(cancel) = &self.cancel
            && cancel.load(Ordering::Relaxed)
        {
            return Err(Pause::Cancelled);
        }
        if allowance::is_over()
            && let Some(cause) = allowance::cause()
        {
            return Err(cause.into());
        }
        let due = self.ticks == 0;
        self.ticks = if due { TICKS_BETWEEN_CHECKS - 1 } else { self.ticks - 1 };
        Ok(due)
    }

    /// Compares numbers of states with the limits.
    pub fn spent(&self, stored: u64, explored: u64) -> Option<Reason> {
        if self.limits.stored.is_some_and(|limit| stored >= limit) {
            return Some(Reason::Stored);
        }
        self.limits.explored.is_some_and(|limit| explored >= limit).then_some(Reason::Explored)
    }

    /// Compares clock and memory with the limits.
    #[cold]
    pub fn check(&mut self, bytes: usize) -> Result<(), Pause> {
        let reason = if self.limits.bytes.is_some_and(|limit| bytes as u64 > limit) {
            Reason::Memory
        } else if self.limits.time.is_some_and(|limit| self.elapsed() >= limit) {
            Reason::Time
        } else {
            return Ok(());
        };
        self.ticks = 0;
        Err(Pause::OutOfBudget(reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spent_budget_stays_spent_until_it_is_raised() {
        let mut budget = Budget::new(Limits { bytes: Some(10), ..Limits::default() }, None);
        assert_eq!(budget.check(10), Ok(()));
        assert_eq!(budget.check(11), Err(Pause::OutOfBudget(Reason::Memory)));
        assert_eq!(budget.tick(), Ok(true), "a spent budget is checked again at the next state");
        budget.limits.bytes = None;
        assert_eq!(budget.check(11), Ok(()));
    }

    #[test]
    fn cancelling_is_seen_at_once() {
        let flag = Arc::new(AtomicBool::new(false));
        let mut budget = Budget::new(Limits::default(), Some(flag.clone()));
        assert_eq!(budget.tick(), Ok(true));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(budget.tick(), Err(Pause::Cancelled));
    }
}
