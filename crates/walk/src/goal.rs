//! Whether a predicate holds now or would hold if only time passed.
//!
//! A goal about clocks may be true for a moment only; it is looked for over all the time that may pass before the next
//! transition, not just at the moments at which walks happen to act.

use crate::walker::{Ticket, Walker};
use model::network::Relation;
use semantics::code::{ClockBound, Dnf, PredicateId, RunError};
use semantics::concrete::{System, TimedState, Window};

pub struct Goal {
    predicate: PredicateId,
    is_discrete: bool,
    dnf: Dnf,
    candidates: Vec<(Ticket, Window)>,
}

/// So many `x != n` are told apart in one case.
const UNEQUAL: usize = 16;

impl Goal {
    pub fn new(walker: &Walker, predicate: PredicateId) -> Goal {
        let is_discrete = walker.tables.structure.programs.is_discrete(predicate);
        Goal { predicate, is_discrete, dnf: Dnf::default(), candidates: Vec::new() }
    }

    /// The first moment from now on at which the predicate holds before anything happens.
    #[inline]
    pub fn reached(&mut self, walker: &mut Walker) -> Result<Option<i64>, RunError> {
        let programs = &walker.tables.structure.programs;
        if self.is_discrete {
            let holds = walker.machine.truth(programs, self.predicate, &walker.live.discrete)?;
            return Ok(holds.then_some(walker.live.now));
        }
        walker.machine.predicate(programs, self.predicate, &walker.live.discrete, &mut self.dnf)?;
        if self.dnf.is_false() {
            return Ok(None);
        }
        let horizon = Window { from: walker.live.now, to: walker.live.until };
        let mut earliest: Option<i64> = None;
        let mut last: Option<i64> = None;
        for case in self.dnf.iter() {
            let mut window = horizon;
            if let Some(deadlocked) = case.deadlock {
                let end = match last {
                    Some(end) => end,
                    None => *last.insert(last_moment(walker, &mut self.candidates)?),
                };
                // Nothing is possible after the last window has closed.
                match deadlocked {
                    true => window.from = window.from.max(end.saturating_add(1)),
                    false => window.to = window.to.min(end),
                }
            }
            if let Some(moment) = first_moment(walker, window, case.bounds)
                && (case.deadlock != Some(true) || is_deadlocked(walker, moment)?)
            {
                earliest = Some(earliest.map_or(moment, |other| other.min(moment)));
            }
        }
        Ok(earliest)
    }
}

/// The last moment at which some transition can be taken; before now when there is none.
fn last_moment(walker: &mut Walker, candidates: &mut Vec<(Ticket, Window)>) -> Result<i64, RunError> {
    walker.candidates(candidates)?;
    Ok(candidates.iter().map(|(_, window)| window.to).max().unwrap_or(walker.live.now - 1))
}

/// Whether nothing can happen from a moment on, also at no moment between two ticks.
fn is_deadlocked(walker: &Walker, moment: i64) -> Result<bool, RunError> {
    let state = TimedState {
        discrete: walker.live.discrete.clone(),
        clocks: walker.live.clocks.halved(),
        now: 2 * walker.live.now,
    };
    let possible = System::new(walker.tables.structure).candidates(&state)?;
    Ok(possible.iter().all(|candidate| candidate.window.to < 2 * moment))
}

/// The first moment of a window at which all bounds hold.
fn first_moment(walker: &Walker, window: Window, bounds: &[ClockBound]) -> Option<i64> {
    let unequal = bounds.iter().filter(|bound| bound.relation == Relation::Ne).count().min(UNEQUAL);
    // `x != n` is `x < n` or `x > n`: all combinations.
    let moment = |choice: u32| {
        let mut window = window;
        let mut seen = 0;
        for bound in bounds {
            if bound.relation == Relation::Ne {
                let relation = if choice >> seen.min(UNEQUAL) & 1 == 0 { Relation::Lt } else { Relation::Gt };
                seen += 1;
                walker.live.clocks.require(&mut window, &ClockBound { relation, ..*bound });
            } else {
                walker.live.clocks.require(&mut window, bound);
            }
        }
        (!window.is_empty()).then_some(window.from)
    };
    (0..1u32 << unequal).filter_map(moment).min()
}
