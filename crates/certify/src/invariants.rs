//! The invariants of all processes in the current state, kept from step to step.
//!
//! Evaluating every invariant in every state would be the plain way. But an invariant with its discrete part evaluated is
//! the same formula as before unless its process moved or an integer that its evaluation read has changed; and a formula
//! that held still holds unless a clock in it was set. And the delay for which it holds ends at the same moment as before
//! unless a clock in it was set or runs at another rate now. So each process has its formula, what the formula depends on,
//! and its deadline, and after a step only those of the processes concerned are looked at.
//!
//! What a formula depends on is noted for ever: too many processes may be looked at again, never too few.

use crate::clocks::Clocks;
use crate::formula::{Formula, parts};
use crate::interpreter::{Interpreter, Reads};
use crate::line::{Interval, Line, first_stretch};
use crate::rational::{Rational, add, order, subtract};
use crate::semantics::{Result, Semantics, collect_rates, mentions_rate};
use crate::state::{ClockMap, Discrete};
use model::network::{ClockId, ProcessId};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(crate) struct Invariants {
    /// For each process.
    kept: Vec<Kept>,
    /// Integer cells with the processes whose formula depends on them.
    readers: BTreeSet<(u32, ProcessId)>,
    /// Clocks with the processes whose formula speaks about them.
    mentions: BTreeSet<(ClockId, ProcessId)>,
    /// Processes whose formula depends on more than is noted.
    restless: BTreeSet<ProcessId>,
    /// The rates that processes give to clocks.
    givers: BTreeMap<ClockId, BTreeMap<ProcessId, i64>>,
    /// Clocks that processes give several rates.
    disputed: BTreeSet<ClockId>,
    deadlines: BTreeSet<Deadline>,
    /// Processes whose deadline is to be found.
    stale: BTreeSet<ProcessId>,
    /// Processes whose rates, and processes whose deadline, take more than is done here.
    unclear_rates: BTreeSet<ProcessId>,
    unclear_deadlines: BTreeSet<ProcessId>,
}

#[derive(Clone, Default)]
struct Kept {
    rates: Vec<(ClockId, i64)>,
    formula: Option<Formula>,
    deadline: Option<Deadline>,
}

/// The last moment at which an invariant holds, or the first at which it does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Deadline {
    at: Rational,
    /// Whether the invariant holds at that moment.
    reached: bool,
    process: ProcessId,
}

impl Ord for Deadline {
    /// The earliest first.
    fn cmp(&self, other: &Deadline) -> Ordering {
        order(&self.at, &other.at).then((self.reached, self.process).cmp(&(other.reached, other.process)))
    }
}

impl PartialOrd for Deadline {
    fn partial_cmp(&self, other: &Deadline) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The formula of a process, and what its evaluation read.
pub(crate) fn evaluated(semantics: &Semantics, discrete: &Discrete, process: ProcessId) -> (Formula, Reads) {
    match semantics.location(discrete, process).invariant {
        None => (Formula::True, Reads::default()),
        Some(invariant) => {
            let mut interpreter = Interpreter::reading(semantics.network, discrete, Some(process)).noting_reads();
            (interpreter.condition(invariant), interpreter.into_reads())
        }
    }
}

impl Invariants {
    pub(crate) fn new(semantics: &Semantics, discrete: &Discrete, clocks: &mut Clocks) -> Result<Invariants> {
        let kept = vec![Kept::default(); semantics.network.processes.len()];
        let mut invariants = Invariants { kept, ..Invariants::default() };
        for process in semantics.processes() {
            let (formula, reads) = evaluated(semantics, discrete, process);
            invariants.keep(process, formula, &reads, clocks)?;
        }
        Ok(invariants)
    }

    /// The processes whose formula may be another, or may hold no longer, after they moved, or cells or clocks have changed.
    pub(crate) fn concerned(
        &self,
        moved: impl Iterator<Item = ProcessId>,
        cells: &[(usize, i32)],
        clocks: &ClockMap,
    ) -> BTreeSet<ProcessId> {
        let mut concerned: BTreeSet<ProcessId> = moved.chain(self.restless.iter().copied()).collect();
        if !self.readers.is_empty() {
            for (cell, _) in cells {
                concerned.extend(noted(&self.readers, *cell as u32));
            }
        }
        for (clock, _) in clocks.changes() {
            concerned.extend(noted(&self.mentions, clock));
        }
        concerned
    }

    /// Takes the formula of a process that was looked at; clocks get the rates that follow from it.
    pub(crate) fn keep(
        &mut self,
        process: ProcessId,
        formula: Formula,
        reads: &Reads,
        clocks: &mut Clocks,
    ) -> Result<()> {
        self.stale.insert(process);
        self.readers.extend(reads.cells.iter().map(|cell| (*cell, process)));
        if reads.too_much {
            self.restless.insert(process);
        }
        let Some(kept) = self.kept.get_mut(process.index()) else { return Ok(()) };
        if kept.formula.as_ref() == Some(&formula) {
            return Ok(());
        }
        formula.for_each_clock(&mut |clock| {
            self.mentions.insert((clock, process));
        });
        self.unclear_rates.remove(&process);
        let rates = match given_rates(&formula) {
            Some(rates) => rates,
            None => {
                self.unclear_rates.insert(process);
                Vec::new()
            }
        };
        kept.formula = Some(formula);
        let before = std::mem::replace(&mut kept.rates, rates.clone());
        if before == rates {
            return Ok(());
        }
        for (clock, _) in &before {
            self.givers.entry(*clock).or_default().remove(&process);
        }
        for (clock, rate) in &rates {
            self.givers.entry(*clock).or_default().insert(process, *rate);
        }
        before.iter().chain(&rates).try_for_each(|(clock, _)| self.set_rate(*clock, clocks))
    }

    /// Gives a clock the rate that the processes say.
    fn set_rate(&mut self, clock: ClockId, clocks: &mut Clocks) -> Result<()> {
        let said: BTreeSet<i64> = self.givers.get(&clock).into_iter().flat_map(|of| of.values().copied()).collect();
        // A clock that some process stops stands still; otherwise all that give it a rate give the same.
        let agreed = said.iter().filter(|rate| **rate != 0).count() <= 1;
        if agreed {
            self.disputed.remove(&clock);
        } else {
            self.disputed.insert(clock);
        }
        let rate = said.first().copied().unwrap_or(1);
        if clocks.rate(clock) != rate {
            clocks.set_rate(clock, rate)?;
            self.stale.extend(noted(&self.mentions, clock));
        }
        Ok(())
    }

    /// The delays for which all invariants hold; `None` where that takes the plain rules.
    pub(crate) fn delays(&mut self, clocks: &Clocks) -> Option<Interval> {
        for process in std::mem::take(&mut self.stale) {
            let kept = self.kept.get_mut(process.index())?;
            if let Some(deadline) = kept.deadline.take() {
                self.deadlines.remove(&deadline);
            }
            match kept.formula.as_ref().and_then(|formula| deadline(formula, process, clocks)) {
                Some(deadline) => {
                    self.unclear_deadlines.remove(&process);
                    kept.deadline = deadline;
                    self.deadlines.extend(deadline);
                }
                None => {
                    self.unclear_deadlines.insert(process);
                }
            }
        }
        if !(self.unclear_rates.is_empty() && self.unclear_deadlines.is_empty() && self.disputed.is_empty()) {
            return None;
        }
        match self.deadlines.first() {
            None => Some(Interval::future()),
            Some(first) => {
                let left = subtract(&first.at, &clocks.now()).ok()?;
                Interval::future().below(left, !first.reached)
            }
        }
    }
}

/// The processes that are noted for one cell or clock.
pub(crate) fn noted<K: Ord + Copy>(pairs: &BTreeSet<(K, ProcessId)>, key: K) -> impl Iterator<Item = ProcessId> {
    pairs.range((key, ProcessId::new(0))..).take_while(move |(other, _)| *other == key).map(|(_, process)| *process)
}

/// The rates that a formula gives; `None` for rates that are not allowed, or depend on clocks.
fn given_rates(formula: &Formula) -> Option<Vec<(ClockId, i64)>> {
    if !mentions_rate(formula) {
        return Some(Vec::new());
    }
    let mut clocks = BTreeSet::new();
    formula.for_each_clock(&mut |clock| {
        clocks.insert(clock);
    });
    let mut rates = vec![None; clocks.last().map_or(0, |clock| clock.index() + 1)];
    collect_rates(formula, &mut rates).ok()?;
    Some(clocks.into_iter().filter_map(|clock| Some((clock, (*rates.get(clock.index())?)?))).collect())
}

/// How long a formula that holds goes on holding; `None` where that takes more than looking at the formula.
fn deadline(formula: &Formula, process: ProcessId, clocks: &Clocks) -> Option<Option<Deadline>> {
    if *formula == Formula::True {
        return Some(None);
    }
    let inside = parts(&Line::of(clocks), formula, true, &Interval::future()).ok()?;
    let stretch = first_stretch(inside)?;
    match stretch.to {
        None => Some(None),
        Some(to) => Some(Some(Deadline { at: add(&clocks.now(), &to).ok()?, reached: !stretch.to_open, process })),
    }
}
