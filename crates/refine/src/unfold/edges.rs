//! What an edge does in a local state: its code is run there, and what is left are limits of
//! clocks, resets and targets.

use super::{Limit, OUTCOMES, RawEdge, Unfolder, WAYS};
use crate::component::{Origin, Target};
use crate::diagonals::{cases, demands};
use crate::difference_bounds::DifferenceBounds;
use crate::error::Unfit;
use model::network::Relation;
use semantics::code::{ClockBound, Effects, Facts};
use semantics::transitions::Move;

impl Unfolder<'_, '_, '_> {
    /// Adds what an edge does in a local state.
    pub(super) fn edge(&mut self, at: usize, expanded: u32, output: bool) -> Result<(), Unfit> {
        self.tick()?;
        let structure = self.structure;
        let process = self.process.index();
        let (edge, select) = structure.expanded(process, expanded);
        let template = structure.network.template_of(self.process);
        self.place = Some(template.edge(template.expanded[expanded as usize].edge).span);
        self.show(at);
        let mut facts = Facts::default();
        let holds = match edge.guard {
            Some(guard) => {
                let programs = &structure.programs;
                self.machine.condition(programs, guard, self.process, select, &self.scratch, &mut facts)
            }
            None => Ok(true),
        };
        let channel = match (structure.known_channel(process, expanded), edge.channel) {
            (Some(channel), _) => Ok(channel),
            (None, Some(code)) => self
                .machine
                .channel(&structure.programs, code, self.process, select, &self.scratch)
                .map(|channel| channel.index() as u32),
            (None, None) => return Ok(()),
        };
        let action = match (holds, channel) {
            (Ok(false), _) => return Ok(()),
            (Ok(true), Ok(action)) => action,
            (Err(error), _) | (_, Err(error)) => {
                self.states[at].error = Some(self.fails(error));
                return Ok(());
            }
        };
        let Some(guard) = self.limits(at, &facts)? else { return Ok(()) };
        if !self.know(at, &guard) {
            return Ok(());
        }
        if output && structure.network.channels[action as usize].kind.urgent {
            if !guard.is_empty() {
                return Err(self.unfit("a clock guard on an output over an urgent channel"));
            }
            self.states[at].urgent = true;
        }
        for branch in 0..edge.branches.len() as u32 {
            self.branch(at, Origin { expanded, branch }, (action, output), &guard)?;
        }
        Ok(())
    }

    /// One way that an edge may go where its guard holds.
    fn branch(
        &mut self,
        at: usize,
        origin: Origin,
        (action, output): (u32, bool),
        guard: &[Limit],
    ) -> Result<(), Unfit> {
        self.show(at);
        let (structure, process) = (self.structure, self.process.index());
        let mut effects = Effects::default();
        let moves = [Move { process: process as u32, expanded: origin.expanded, branch: origin.branch }];
        let acted = structure.act_noting(&mut self.machine, &moves, &mut self.scratch, &mut effects);
        if effects.written.iter().any(|(cell, _)| !self.ints.contains(&(*cell as usize))) {
            return Err(self.unfit("it changes a global variable: components share nothing but actions"));
        }
        let resets = self.resets(&effects)?;
        let edge = |guard: Vec<Limit>, target: Target| RawEdge {
            action,
            output,
            guard,
            resets: resets.clone(),
            target,
            origin,
        };
        if let Err(error) = acted {
            let target = Target::Error(self.fails(error));
            self.states[at].edges.push(edge(guard.to_vec(), target));
            return Ok(());
        }
        let cases = cases(&self.diagonals, &resets, &self.states[at].bits, &self.known);
        self.outcomes += cases.as_ref().map_or(0, |cases| cases.len() * self.diagonals.len());
        let Some(cases) = cases.filter(|_| self.outcomes <= OUTCOMES) else {
            return Err(Unfit::too_large(structure.network, self.process, WAYS).at(self.place));
        };
        let location = self.scratch.locations[process];
        for (limits, bits) in cases {
            let target = Target::State(self.intern(location, bits)?);
            self.edges += 1;
            self.states[at].edges.push(edge([guard, &limits].concat(), target));
        }
        Ok(())
    }

    /// The values that clocks get, the last one of each.
    fn resets(&self, effects: &Effects) -> Result<Vec<(u32, i32)>, Unfit> {
        let mut resets: Vec<(u32, i32)> = Vec::new();
        for update in &effects.resets {
            let clock = self.own_clock(update.target.index())?;
            if update.source.is_some() {
                return Err(self.unfit("a clock is set to another clock"));
            }
            resets.retain(|(other, _)| *other != clock);
            resets.push((clock, update.offset));
        }
        Ok(resets)
    }

    /// Finds out what is known of the clocks where an edge with a guard is taken; `false` if
    /// nowhere.
    fn know(&mut self, at: usize, guard: &[Limit]) -> bool {
        let state = &self.states[at];
        self.known = DifferenceBounds::new(self.clocks.len());
        let known = &mut self.known;
        self.diagonals.is_empty()
            || self.diagonals.iter().zip(&state.bits).all(|(one, holds)| one.add(*holds, known))
                && guard.iter().all(|limit| known.limit(*limit))
    }

    fn own_clock(&self, clock: usize) -> Result<u32, Unfit> {
        if !self.clocks.contains(&clock) {
            return Err(self.unfit("it uses a global clock: components share nothing but actions"));
        }
        Ok((clock - self.clocks.start) as u32 + 1)
    }

    /// Constraints as limits; `None` if a comparison of clocks is known not to hold.
    pub(super) fn limits(&mut self, at: usize, facts: &Facts) -> Result<Option<Vec<Limit>>, Unfit> {
        if !facts.rates.is_empty() {
            return Err(self.unfit("clocks that stop"));
        }
        let mut limits = Vec::new();
        for ClockBound { plus, minus, relation, bound } in &facts.bounds {
            let (clock, sign) = match (plus, minus) {
                (Some(clock), None) => (clock, 1),
                (None, Some(clock)) => (clock, -1),
                (None, None) => return Err(self.unfit("a comparison without a clock")),
                (Some(plus), Some(minus)) => {
                    let (plus, minus) = (self.own_clock(plus.index())?, self.own_clock(minus.index())?);
                    if !self.compares(at, plus, minus, *relation, *bound)? {
                        return Ok(None);
                    }
                    continue;
                }
            };
            let clock = self.own_clock(clock.index())?;
            let Some(constant) = bound.checked_mul(sign) else {
                return Err(self.unfit("a constant is too large"));
            };
            let mut push = |upper: bool, strict: bool| {
                limits.push(Limit { clock, upper: upper == (sign == 1), constant, strict });
            };
            match relation {
                Relation::Lt => push(true, true),
                Relation::Le => push(true, false),
                Relation::Ge => push(false, false),
                Relation::Gt => push(false, true),
                Relation::Eq => {
                    push(true, false);
                    push(false, false);
                }
                Relation::Ne => return Err(self.unfit("`!=` between a clock and a number")),
            }
        }
        Ok(Some(limits))
    }

    /// Whether a comparison of two clocks holds in a local state.
    fn compares(&mut self, at: usize, plus: u32, minus: u32, relation: Relation, bound: i32) -> Result<bool, Unfit> {
        if plus == minus {
            return Ok(match relation {
                Relation::Lt => 0 < bound,
                Relation::Le => 0 <= bound,
                Relation::Eq => 0 == bound,
                Relation::Ge => 0 >= bound,
                Relation::Gt => 0 > bound,
                Relation::Ne => 0 != bound,
            });
        }
        let Some(demands) = demands(plus, minus, relation, bound) else {
            return Err(self.unfit("`!=` between clocks, or a constant that is too large"));
        };
        let mut all = true;
        for (diagonal, wanted) in demands {
            match self.diagonals.iter().position(|one| *one == diagonal) {
                Some(n) => all &= self.states[at].bits[n] == wanted,
                None => {
                    self.missing.insert(diagonal);
                }
            }
        }
        Ok(all)
    }

    /// Urgent states get an invariant on a clock that every edge into them resets.
    pub(super) fn stop_time(&mut self, clock: u32) {
        let urgent: Vec<bool> = self.states.iter().map(|state| state.urgent).collect();
        for state in &mut self.states {
            if state.urgent {
                state.invariant.push(Limit { clock, upper: true, constant: 0, strict: false });
            }
            for edge in &mut state.edges {
                if let Target::State(target) = edge.target
                    && urgent[target as usize]
                {
                    edge.resets.push((clock, 0));
                }
            }
        }
    }
}
