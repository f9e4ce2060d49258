//! A state that changes as a run is replayed.
//!
//! The rules are those of [`Semantics`]; here they are asked about no more processes than a step concerns. Whenever the
//! short way does not say at once that a delay is possible, the plain rules decide on the whole state, and they alone say
//! why something is refused.

use crate::clocks::Clocks;
use crate::error::Refusal;
use crate::invariants::Invariants;
use crate::line::Line;
use crate::offers::Offers;
use crate::rational::Rational;
use crate::run::Move;
use crate::semantics::{Result as Evaluated, Semantics};
use crate::state::{Discrete, State};
use crate::step::defined;
use model::network::{ChannelId, LocationKind, ProcessId};
use num_traits::{Signed, Zero};
use std::collections::BTreeSet;

type Result<T> = std::result::Result<T, Refusal>;

pub(crate) struct Course<'s, 'n> {
    semantics: &'s Semantics<'n>,
    discrete: Discrete,
    clocks: Clocks,
    invariants: Invariants,
    /// The edges that processes may take, where priorities are compared with those of others.
    offers: Option<Offers>,
    /// The processes in urgent or committed locations.
    waiting: BTreeSet<ProcessId>,
    /// The integers that the last step changed, with their new values.
    changed: Vec<(usize, i32)>,
    /// Where the next discrete state is made.
    target: Discrete,
}

impl<'s, 'n> Course<'s, 'n> {
    /// Begins in the initial state.
    pub(crate) fn new(semantics: &'s Semantics<'n>) -> Result<Course<'s, 'n>> {
        Ok(Course::at(semantics, semantics.initial()?)?)
    }

    /// Begins in any state whose invariants hold.
    fn at(semantics: &'s Semantics<'n>, state: State) -> Evaluated<Course<'s, 'n>> {
        let mut clocks = Clocks::of(&state);
        let discrete = state.discrete;
        let invariants = Invariants::new(semantics, &discrete, &mut clocks)?;
        let waits = |process: &ProcessId| semantics.location(&discrete, *process).kind != LocationKind::Normal;
        let waiting = semantics.processes().filter(waits).collect();
        let target = discrete.clone();
        let offers = semantics.has_priorities.then(|| Offers::new(semantics, &discrete));
        Ok(Course { semantics, discrete, clocks, invariants, offers, waiting, changed: Vec::new(), target })
    }

    pub(crate) fn discrete(&self) -> &Discrete {
        &self.discrete
    }

    pub(crate) fn now(&self) -> Rational {
        self.clocks.now()
    }

    /// The integers that the last step changed, with their new values.
    pub(crate) fn changed(&self) -> &[(usize, i32)] {
        &self.changed
    }

    /// The state as a whole.
    pub(crate) fn state(&self) -> Evaluated<State> {
        Ok(State { discrete: self.discrete.clone(), clocks: self.clocks.values()?, time: self.clocks.now() })
    }

    /// Lets time pass, or says why it cannot.
    pub(crate) fn delay(&mut self, delay: &Rational) -> Result<()> {
        if delay.is_zero() {
            return Ok(());
        }
        if delay.is_positive() && self.surely_possible(delay) {
            return Ok(self.clocks.pass(delay)?);
        }
        let after = self.semantics.delay(&self.state()?, delay)?;
        *self = Course::at(self.semantics, after)?;
        Ok(())
    }

    /// Whether a delay is possible, as far as that is seen without looking at everything.
    fn surely_possible(&mut self, delay: &Rational) -> bool {
        if !self.waiting.is_empty() {
            return false;
        }
        let Some(allowed) = self.invariants.delays(&self.clocks) else { return false };
        let line = Line::of(&self.clocks);
        self.semantics.until_urgent(&line, &self.discrete, allowed).is_ok_and(|allowed| allowed.contains(delay))
    }

    /// Takes these edges together, or says which rule forbids it; after a refusal the course is over. Gives the channel.
    pub(crate) fn step(&mut self, moves: &[Move]) -> Result<Option<ChannelId>> {
        let semantics = self.semantics;
        let now = Line::of(&self.clocks);
        let (channel, moves) = semantics.taken_together(&self.discrete, &now, moves)?;
        semantics.committed_first(&self.discrete, self.waiting.iter().copied(), &moves)?;
        self.target.clone_from(&self.discrete);
        let assigned = semantics.fire_into(&mut self.target, &self.discrete, &moves)?;
        defined(&now, &assigned)?;
        if let Some(offers) = &self.offers {
            semantics.no_higher_priority(&self.discrete, &now, offers.all(), channel, &moves)?;
        }
        self.clocks.assign(&assigned)?;
        let cells = self.discrete.ints.iter().zip(&self.target.ints).enumerate();
        self.changed.clear();
        self.changed.extend(cells.filter(|(_, (old, new))| old != new).map(|(cell, (_, new))| (cell, *new)));
        let moved = moves.iter().map(|one| one.process);
        let (target, clocks) = (&self.target, &mut self.clocks);
        for clause in self.invariants.concerned(semantics, target, moved, &self.changed, &assigned, clocks)? {
            let (formula, reads) = self.invariants.evaluated(semantics, target, clause);
            semantics.may_enter(target, clause.process, &formula, &Line::of(clocks))?;
            self.invariants.keep(clause, formula, &reads, clocks)?;
        }
        std::mem::swap(&mut self.discrete, &mut self.target);
        if let Some(offers) = &mut self.offers {
            offers.follow(semantics, &self.discrete, moves.iter().map(|one| one.process), &self.changed);
        }
        for one in &moves {
            match semantics.location(&self.discrete, one.process).kind {
                LocationKind::Normal => self.waiting.remove(&one.process),
                _ => self.waiting.insert(one.process),
            };
        }
        Ok(channel)
    }
}
