//! Consistency: whether a specification has an implementation at all.
//!
//! An implementation decides when to output what; it must take every input at every time. So a state is good if time can pass for ever while all
//! inputs lead to good states, or if after some delay an output leads to a good state, and until then, that moment
//! included, all inputs lead to good states. The good states are the greatest set with this property:
//!
//! ```text
//! Good(q) = Inv(q) ∩ ( Predt(out, bad) ∪ { v | Inv(q) has no upper bound, no v + d is in bad } )
//! out = ⋃ over outputs of the valuations that lead into Good,   bad = ⋃ over inputs of those that lead out of Good
//! ```
//! This is the complement of the least fixpoint of Goorden and others (2023): a timed game in which inputs win ties. It is computed
//! per discrete state with federations over all clocks of the system, exactly; all operations keep sets that the constants of the
//! model can describe, of which there are finitely many. Reveaal marks a state as visited before its verdict is known, and takes one
//! that failed for consistent when another output leads there.

use crate::explore::{Explored, reachable};
use crate::world::{NodeId, Slots, Step, World};
use std::collections::HashMap;
use zones::{Bound, Constraint, Federation, Zone};

#[derive(Debug)]
pub enum Consistency {
    Consistent,
    /// The initial state is not good; a state in which neither time nor an output goes on is the reason.
    Inconsistent {
        state: Box<[u32]>,
        clocks: Vec<Constraint>,
    },
    NoStart,
    Failed(u32, u32),
    Overflow,
    Stopped,
}

/// The good states of a system.
pub struct Game<'w, 'n> {
    world: &'w World<'n>,
    system: NodeId,
    /// Clocks of the world by row of the federations.
    clocks: Vec<u32>,
    pub states: Vec<Box<[u32]>>,
    pub good: Vec<Federation>,
    /// The first state found in which nothing goes on.
    stuck: Option<(usize, Zone)>,
}

/// Whether a system is consistent.
pub fn consistency(world: &World<'_>, system: NodeId, go_on: &mut dyn FnMut() -> bool) -> Consistency {
    match Game::solve(world, system, go_on) {
        Explored::Found(game) => game.verdict(),
        Explored::NoStart => Consistency::NoStart,
        Explored::Failed(leaf, error) => Consistency::Failed(leaf, error),
        Explored::Overflow => Consistency::Overflow,
        Explored::Stopped | Explored::All(_) => Consistency::Stopped,
    }
}

impl<'w, 'n> Game<'w, 'n> {
    /// Computes the good states of all reachable discrete states.
    pub fn solve(world: &'w World<'n>, system: NodeId, go_on: &mut dyn FnMut() -> bool) -> Explored<Game<'w, 'n>> {
        let states = match reachable(world, system, go_on) {
            Ok(states) => states,
            Err(why) => return why,
        };
        let clocks = world.clocks_of(system);
        let mut game = Game { world, system, clocks, states, good: Vec::new(), stuck: None };
        game.good = game.states.iter().map(|state| game.inside(&game.invariant(state))).collect();
        let index: HashMap<&[u32], usize> = game.states.iter().enumerate().map(|(n, state)| (&**state, n)).collect();
        let steps: Vec<Vec<(bool, Step, usize)>> = game.states.iter().map(|state| game.steps(state, &index)).collect();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); game.states.len()];
        for (from, list) in steps.iter().enumerate() {
            for (_, _, to) in list {
                before[*to].push(from);
            }
        }
        before.iter_mut().for_each(|list| list.dedup());
        let mut waiting: Vec<usize> = (0..game.states.len()).rev().collect();
        let mut is_waiting = vec![true; game.states.len()];
        while let Some(at) = waiting.pop() {
            is_waiting[at] = false;
            if !go_on() {
                return Explored::Stopped;
            }
            let good = game.improved(at, &steps[at]);
            if game.good[at].is_subset(&good) {
                continue;
            }
            if game.stuck.is_none() {
                let mut lost = game.good[at].clone();
                lost.subtract(&good);
                game.stuck = lost.zones().first().map(|zone| (at, zone.clone()));
            }
            game.good[at] = good;
            for from in before[at].iter().copied().chain([at]) {
                if !std::mem::replace(&mut is_waiting[from], true) {
                    waiting.push(from);
                }
            }
        }
        Explored::Found(game)
    }

    fn row(&self, clock: u32) -> u32 {
        if clock == 0 { 0 } else { self.clocks.binary_search(&clock).map_or(0, |at| at as u32 + 1) }
    }

    fn constraint(&self, one: &Constraint) -> Constraint {
        Constraint { left: self.row(one.left), right: self.row(one.right), bound: one.bound }
    }

    /// The valuations that meet a conjunction.
    fn inside(&self, conjunction: &[Constraint]) -> Federation {
        let dim = self.clocks.len() + 1;
        let mut zone = Zone::universal(dim);
        let conjunction: Vec<Constraint> = conjunction.iter().map(|one| self.constraint(one)).collect();
        if zone.constrain_all(&conjunction) { Federation::from(zone) } else { Federation::empty(dim) }
    }

    fn invariant(&self, state: &Slots) -> Vec<Constraint> {
        let mut invariant = Vec::new();
        self.world.invariant(self.system, state, &mut invariant);
        invariant
    }

    /// All steps of a state, outputs marked, with their targets.
    fn steps(&self, state: &Slots, index: &HashMap<&[u32], usize>) -> Vec<(bool, Step, usize)> {
        let alphabet = self.world.alphabet(self.system);
        let mut outputs = Vec::new();
        self.world.possible_outputs(self.system, state, &mut outputs);
        outputs.sort_unstable();
        outputs.dedup();
        let actions = outputs
            .into_iter()
            .map(|action| (true, action))
            .chain(alphabet.inputs.iter().map(|action| (false, *action)));
        let mut list = Vec::new();
        for (output, action) in actions {
            for step in self.world.steps(self.system, state, action) {
                let mut target = state.to_vec();
                step.changes.iter().for_each(|(slot, value)| target[*slot as usize] = *value);
                // A step into a state that is never reached is never taken.
                if let Some(to) = index.get(&*target)
                    && step.error.is_none()
                {
                    list.push((output, step, *to));
                }
            }
        }
        list
    }

    /// The valuations from which a step leads into a set.
    fn before(&self, step: &Step, mut set: Federation) -> Federation {
        for (clock, value) in &step.resets {
            let row = self.row(*clock) as usize;
            set.constrain(Constraint::upper(row, Bound::le(*value)));
            set.constrain(Constraint::at_least(row, *value));
            set.free(row);
        }
        step.guard.iter().for_each(|one| set.constrain(self.constraint(one)));
        set
    }

    fn improved(&self, at: usize, steps: &[(bool, Step, usize)]) -> Federation {
        let dim = self.clocks.len() + 1;
        let invariant = self.invariant(&self.states[at]);
        let whole = self.inside(&invariant);
        let (mut out, mut bad) = (Federation::empty(dim), Federation::empty(dim));
        for (output, step, to) in steps {
            let good = &self.good[*to];
            if *output {
                out.unite(&self.before(step, good.clone()));
            } else {
                let mut lost = self.inside(&self.invariant(&self.states[*to]));
                lost.subtract(good);
                if !lost.is_empty() {
                    bad.unite(&self.before(step, lost));
                }
            }
        }
        out.intersect(&whole);
        bad.intersect(&whole);
        let mut good = out.predt(&bad);
        if invariant.iter().all(|one| one.right != 0) {
            bad.down();
            let mut free = Federation::universal(dim);
            free.subtract(&bad);
            good.unite(&free);
        }
        good.intersect(&whole);
        good.reduce();
        good
    }

    fn verdict(&self) -> Consistency {
        let values = self.world.initial_values();
        let mut start = Zone::zero(self.clocks.len() + 1);
        for (row, clock) in (1..).zip(&self.clocks) {
            start.reset(row, values[*clock as usize - 1]);
        }
        let initial = self.world.initial();
        let Some(at) = self.states.iter().position(|state| **state == *initial) else { return Consistency::Stopped };
        if self.good[at].includes(&start) {
            return Consistency::Consistent;
        }
        let (state, zone) = match &self.stuck {
            Some((state, zone)) => (*state, zone),
            None => (at, &start),
        };
        let mut clocks = Vec::new();
        for (row, clock) in (1..).zip(&self.clocks) {
            for (left, right, bound) in [(*clock, 0, zone.upper(row)), (0, *clock, zone.lower(row))] {
                if !bound.is_infinite() && bound != Bound::LE_ZERO {
                    clocks.push(Constraint { left, right, bound });
                }
            }
        }
        Consistency::Inconsistent { state: self.states[state].clone(), clocks }
    }
}
