//! The invariants of all processes in the current state, kept from step to step.
//!
//! Evaluating every invariant in every state would be the plain way. But an invariant with its discrete part evaluated is
//! the same formula as before unless its process moved or an integer that its evaluation read has changed; and a formula
//! that held still holds unless a clock in it was set. And the delay for which it holds ends at the same moment as before
//! unless a clock in it was set or runs at another rate now. So each clause of an invariant has its formula, what the formula
//! depends on, and its deadline, and after a step only the clauses concerned are looked at, in the order of their evaluation.
//!
//! What a formula depends on is noted for ever: too many clauses may be looked at again, never too few.

use crate::clauses::{Clause, clauses};
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

/// A process and the number of a clause of its invariant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ClauseId {
    pub process: ProcessId,
    number: u32,
}

impl ClauseId {
    /// Before all others.
    fn first() -> ClauseId {
        ClauseId { process: ProcessId::new(0), number: 0 }
    }
}

#[derive(Default)]
pub(crate) struct Invariants {
    /// For each process the clauses of its location.
    kept: Vec<Vec<Kept>>,
    /// Integer cells with the clauses whose formula depends on them.
    readers: BTreeSet<(u32, ClauseId)>,
    /// Clocks with the clauses whose formula speaks about them.
    mentions: BTreeSet<(ClockId, ClauseId)>,
    /// Clauses whose formula depends on more than is noted.
    restless: BTreeSet<ClauseId>,
    /// The rates that clauses give to clocks.
    givers: BTreeMap<ClockId, BTreeMap<ClauseId, i64>>,
    /// Clocks that clauses give several rates.
    disputed: BTreeSet<ClockId>,
    deadlines: BTreeSet<Deadline>,
    /// Clauses whose deadline is to be found.
    stale: BTreeSet<ClauseId>,
    /// Clauses whose rates, and clauses whose deadline, take more than is done here.
    unclear_rates: BTreeSet<ClauseId>,
    unclear_deadlines: BTreeSet<ClauseId>,
}

#[derive(Clone)]
struct Kept {
    clause: Clause,
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
    clause: ClauseId,
}

impl Ord for Deadline {
    /// The earliest first.
    fn cmp(&self, other: &Deadline) -> Ordering {
        order(&self.at, &other.at).then((self.reached, self.clause).cmp(&(other.reached, other.clause)))
    }
}

impl PartialOrd for Deadline {
    fn partial_cmp(&self, other: &Deadline) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Invariants {
    pub(crate) fn new(semantics: &Semantics, discrete: &Discrete, clocks: &mut Clocks) -> Result<Invariants> {
        let kept = vec![Vec::new(); semantics.network.processes.len()];
        let mut invariants = Invariants { kept, ..Invariants::default() };
        for process in semantics.processes() {
            for clause in invariants.enter(semantics, discrete, process, clocks)? {
                let (formula, reads) = invariants.evaluated(semantics, discrete, clause);
                invariants.keep(clause, formula, &reads, clocks)?;
            }
        }
        Ok(invariants)
    }

    /// A process is where it is now: gives the clauses that are to be looked at there.
    fn enter(
        &mut self,
        semantics: &Semantics,
        discrete: &Discrete,
        process: ProcessId,
        clocks: &mut Clocks,
    ) -> Result<impl Iterator<Item = ClauseId> + use<>> {
        let now = clauses(semantics.network, semantics.location(discrete, process).invariant);
        let count = now.len();
        let id = move |number: usize| ClauseId { process, number: number as u32 };
        let before = self.kept.get(process.index()).map_or(0, Vec::len);
        // What clauses that are no more have left behind.
        for clause in (count..before).map(id) {
            self.keep(clause, Formula::True, &Reads::default(), clocks)?;
            self.stale.remove(&clause);
            self.unclear_deadlines.remove(&clause);
            if let Some(deadline) = self.kept_mut(clause).and_then(|kept| kept.deadline.take()) {
                self.deadlines.remove(&deadline);
            }
        }
        if let Some(kept) = self.kept.get_mut(process.index()) {
            kept.truncate(count);
            for (number, clause) in now.into_iter().enumerate() {
                match kept.get_mut(number) {
                    Some(kept) => kept.clause = clause,
                    None => kept.push(Kept { clause, rates: Vec::new(), formula: None, deadline: None }),
                }
            }
        }
        Ok((0..count).map(id))
    }

    fn kept_mut(&mut self, clause: ClauseId) -> Option<&mut Kept> {
        self.kept.get_mut(clause.process.index())?.get_mut(clause.number as usize)
    }

    /// The formula of a clause, and what its evaluation read.
    pub(crate) fn evaluated(&self, semantics: &Semantics, discrete: &Discrete, clause: ClauseId) -> (Formula, Reads) {
        let kept = self.kept.get(clause.process.index()).and_then(|kept| kept.get(clause.number as usize));
        let Some(Kept { clause: Clause { expr, bound }, .. }) = kept else { return (Formula::True, Reads::default()) };
        let mut interpreter = Interpreter::reading(semantics.network, discrete, Some(clause.process)).noting_reads();
        interpreter.bind(bound);
        (interpreter.condition(*expr), interpreter.into_reads())
    }

    /// The clauses whose formula may be another, or may hold no longer, after processes moved, or cells or clocks have changed.
    pub(crate) fn concerned(
        &mut self,
        semantics: &Semantics,
        target: &Discrete,
        moved: impl Iterator<Item = ProcessId>,
        cells: &[(usize, i32)],
        assigned: &ClockMap,
        clocks: &mut Clocks,
    ) -> Result<BTreeSet<ClauseId>> {
        let mut concerned = self.restless.clone();
        for process in moved {
            concerned.extend(self.enter(semantics, target, process, clocks)?);
        }
        let least = ClauseId::first();
        if !self.readers.is_empty() {
            for (cell, _) in cells {
                concerned.extend(noted(&self.readers, *cell as u32, least));
            }
        }
        for (clock, _) in assigned.changes() {
            concerned.extend(noted(&self.mentions, clock, least));
        }
        concerned.retain(|clause| self.kept_mut(*clause).is_some());
        Ok(concerned)
    }

    /// Takes the formula of a clause that was looked at; clocks get the rates that follow from it.
    pub(crate) fn keep(
        &mut self,
        clause: ClauseId,
        formula: Formula,
        reads: &Reads,
        clocks: &mut Clocks,
    ) -> Result<()> {
        self.stale.insert(clause);
        self.readers.extend(reads.cells.iter().map(|cell| (*cell, clause)));
        if reads.too_much {
            self.restless.insert(clause);
        }
        let kept = self.kept.get_mut(clause.process.index()).and_then(|kept| kept.get_mut(clause.number as usize));
        let Some(kept) = kept else { return Ok(()) };
        if kept.formula.as_ref() == Some(&formula) {
            return Ok(());
        }
        formula.for_each_clock(&mut |clock| {
            self.mentions.insert((clock, clause));
        });
        self.unclear_rates.remove(&clause);
        let rates = match given_rates(&formula) {
            Some(rates) => rates,
            None => {
                self.unclear_rates.insert(clause);
                Vec::new()
            }
        };
        kept.formula = Some(formula);
        let before = std::mem::replace(&mut kept.rates, rates.clone());
        if before == rates {
            return Ok(());
        }
        for (clock, _) in &before {
            self.givers.entry(*clock).or_default().remove(&clause);
        }
        for (clock, rate) in &rates {
            self.givers.entry(*clock).or_default().insert(clause, *rate);
        }
        before.iter().chain(&rates).try_for_each(|(clock, _)| self.set_rate(*clock, clocks))
    }

    /// Gives a clock the rate that the clauses say.
    fn set_rate(&mut self, clock: ClockId, clocks: &mut Clocks) -> Result<()> {
        let said: BTreeSet<i64> = self.givers.get(&clock).into_iter().flat_map(|of| of.values().copied()).collect();
        // A clock that some clause stops stands still; otherwise all that give it a rate give the same.
        let agreed = said.iter().filter(|rate| **rate != 0).count() <= 1;
        if agreed {
            self.disputed.remove(&clock);
        } else {
            self.disputed.insert(clock);
        }
        let rate = said.first().copied().unwrap_or(1);
        if clocks.rate(clock) != rate {
            clocks.set_rate(clock, rate)?;
            self.stale.extend(noted(&self.mentions, clock, ClauseId::first()));
        }
        Ok(())
    }

    /// The delays for which all invariants hold; `None` where that takes the plain rules.
    pub(crate) fn delays(&mut self, clocks: &Clocks) -> Option<Interval> {
        for clause in std::mem::take(&mut self.stale) {
            let of_process = self.kept.get_mut(clause.process.index())?;
            let Some(kept) = of_process.get_mut(clause.number as usize) else { continue };
            if let Some(deadline) = kept.deadline.take() {
                self.deadlines.remove(&deadline);
            }
            match kept.formula.as_ref().and_then(|formula| deadline(formula, clause, clocks)) {
                Some(deadline) => {
                    self.unclear_deadlines.remove(&clause);
                    kept.deadline = deadline;
                    self.deadlines.extend(deadline);
                }
                None => {
                    self.unclear_deadlines.insert(clause);
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

/// Whoever is noted for one cell or clock; `least` is the first of all.
pub(crate) fn noted<K: Ord + Copy, V: Ord + Copy>(
    pairs: &BTreeSet<(K, V)>,
    key: K,
    least: V,
) -> impl Iterator<Item = V> {
    pairs.range((key, least)..).take_while(move |(other, _)| *other == key).map(|(_, value)| *value)
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
fn deadline(formula: &Formula, clause: ClauseId, clocks: &Clocks) -> Option<Option<Deadline>> {
    if *formula == Formula::True {
        return Some(None);
    }
    let inside = parts(&Line::of(clocks), formula, true, &Interval::future()).ok()?;
    let stretch = first_stretch(inside)?;
    match stretch.to {
        None => Some(None),
        Some(to) => Some(Some(Deadline { at: add(&clocks.now(), &to).ok()?, reached: !stretch.to_open, clause })),
    }
}
