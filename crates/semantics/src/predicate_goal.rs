//! A query predicate as the goal of a search over zones: some valuation of the zone meets it.

use crate::code::{ClockBound, Dnf, Machine, PredicateId, RunError};
use crate::deadlock::Deadlocked;
use crate::zone_graph::{Scratch, State, ZoneGraph};
use model::network::Relation;
use search::goal::Goal;
use zones::{Constraint, Federation, Zone};

/// Keeps its memory from state to state.
pub struct PredicateGoal {
    predicate: PredicateId,
    is_discrete: bool,
    machine: Machine,
    dnf: Dnf,
    index: Vec<u32>,
    constraints: Vec<Constraint>,
    zone: Zone,
    scratch: Scratch,
}

impl PredicateGoal {
    pub fn new(graph: &ZoneGraph, predicate: PredicateId) -> PredicateGoal {
        PredicateGoal {
            predicate,
            is_discrete: graph.structure.programs.is_discrete(predicate),
            machine: Machine::default(),
            dnf: Dnf::default(),
            index: Vec::new(),
            constraints: Vec::new(),
            zone: Zone::zero(1),
            scratch: Scratch::default(),
        }
    }

    /// Whether it does not speak about clocks, nor about deadlocks.
    pub fn is_discrete(&self) -> bool {
        self.is_discrete
    }

    /// The parts of the state's zone where the predicate holds, each with the bounds that say so; empty when it holds nowhere.
    pub fn parts(&mut self, graph: &ZoneGraph, state: &State) -> Result<Vec<Zone>, RunError> {
        let mut found = Vec::new();
        self.visit(graph, state, &mut |zone| {
            found.push(zone.clone());
            false
        })?;
        Ok(found)
    }

    /// Shows the parts one by one until `enough` says so.
    fn visit(
        &mut self,
        graph: &ZoneGraph,
        state: &State,
        enough: &mut dyn FnMut(&Zone) -> bool,
    ) -> Result<(), RunError> {
        if self.is_discrete {
            if self.machine.truth(&graph.structure.programs, self.predicate, &state.discrete)? {
                enough(&state.zone);
            }
            return Ok(());
        }
        self.dnf.clear();
        self.machine.predicate(&graph.structure.programs, self.predicate, &state.discrete, &mut self.dnf)?;
        if self.dnf.is_false() {
            return Ok(());
        }
        self.index.clear();
        self.index.resize(graph.clock_count(), 0);
        for (n, clock) in state.clocks.iter().enumerate() {
            self.index[*clock as usize] = n as u32 + 1;
        }
        let mut deadlocked: Option<Deadlocked> = None;
        for case in self.dnf.iter() {
            // `x != n` is one of `x < n` and `x > n`: try all combinations.
            let unequal: Vec<&ClockBound> = case.bounds.iter().filter(|bound| bound.relation == Relation::Ne).collect();
            for choice in 0..1u64 << unequal.len().min(16) {
                self.constraints.clear();
                for bound in case.bounds {
                    graph.constrain(bound, &self.index, &mut self.constraints);
                }
                for (n, bound) in unequal.iter().enumerate() {
                    let relation = if choice >> n & 1 == 0 { Relation::Lt } else { Relation::Gt };
                    graph.constrain(&ClockBound { relation, ..**bound }, &self.index, &mut self.constraints);
                }
                self.zone.copy_from(&state.zone);
                if !self.zone.constrain_all(&self.constraints) {
                    continue;
                }
                let Some(wanted) = case.deadlock else {
                    if enough(&self.zone) {
                        return Ok(());
                    }
                    continue;
                };
                if deadlocked.is_none() {
                    deadlocked = Some(graph.deadlocked(&mut self.scratch, state)?);
                }
                let Some(dead) = &deadlocked else { continue };
                let whole = Federation::from(self.zone.clone());
                let mut part = whole.clone();
                match (wanted, &dead.possible) {
                    (true, _) => part.intersect(&dead.sure),
                    (false, None) => part.subtract(&dead.sure),
                    (false, Some((possible, _))) => part.subtract(possible),
                }
                for zone in part.zones() {
                    if enough(zone) {
                        return Ok(());
                    }
                }
                // Nothing is known to be what is wanted here, and something may be.
                if let (true, Some((possible, error))) = (part.is_empty(), &dead.possible) {
                    let mut open = whole;
                    open.intersect(possible);
                    open.subtract(&dead.sure);
                    if !open.is_empty() {
                        return Err(*error);
                    }
                }
            }
        }
        Ok(())
    }
}

impl<'n> Goal<ZoneGraph<'n>> for PredicateGoal {
    fn holds(&mut self, graph: &ZoneGraph<'n>, state: &State) -> Result<bool, RunError> {
        let mut found = false;
        self.visit(graph, state, &mut |_| {
            found = true;
            true
        })?;
        Ok(found)
    }
}
