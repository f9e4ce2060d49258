//! Exact times for a path of the zone graph, as early as possible.
//!
//! Along a path each clock is the time of an event (when it was set) plus a constant, so every guard and invariant on
//! the way is a bound on the difference of two event times. The earliest solution of such a system exists for all events at
//! once and is the longest path from the start in its constraint graph (Bellman, Ford). Strict bounds count in a second
//! component, multiples of an ε that is chosen at the end: `1 / (largest multiple + 1)`.
//!
//! Works for clocks that run all the time; with stopwatches the system is not one of differences.

use crate::code::{ClockBound, ClockUpdate, Discrete, Dnf, Facts, Machine, PredicateId, RunError};
use crate::structure::Structure;
use crate::transitions::{Enumerator, Move, Transitions};
use model::network::{ClockId, ClockInitial, LocationKind, ProcessId, Relation};
use std::collections::VecDeque;
use zones::{Minimal, Zone, ZoneRef};

/// One action of a run and when it happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimedStep {
    /// Since the step before, in parts of a time unit.
    pub delay: i64,
    pub moves: Vec<Move>,
}

/// A run with exact times: every time is a number of `1 / denominator` time units.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimedRun {
    pub steps: Vec<TimedStep>,
    /// From the last action to where the goal holds.
    pub final_delay: i64,
    pub denominator: i64,
}

/// Why a path has no times.
#[derive(Debug)]
pub enum Unrealisable {
    /// The constraints contradict each other: the path exists only in an over-approximation.
    Contradiction,
    Error(RunError),
}

/// `later >= earlier + weight`
#[derive(Clone, Copy)]
struct AtLeast {
    later: u32,
    earlier: u32,
    weight: Weight,
}

/// An integer and a number of ε.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Weight(i64, i64);

/// A clock is the present time minus that of an event plus a constant.
#[derive(Clone, Copy)]
struct Since {
    event: u32,
    offset: i64,
}

/// A zone over some clocks of the network as bounds on these.
pub fn bounds_of(clocks: &[u32], zone: &Zone) -> Vec<ClockBound> {
    let mut tight = Vec::new();
    zone.store(&mut tight);
    let minimal = Minimal::new(ZoneRef::from_stored(zone.dim(), &tight));
    let clock = |n: u32| n.checked_sub(1).and_then(|n| clocks.get(n as usize)).map(|c| ClockId::new(*c as usize));
    let bound = |constraint: &zones::Constraint| ClockBound {
        plus: clock(constraint.left),
        minus: clock(constraint.right),
        relation: if constraint.bound.is_strict() { Relation::Lt } else { Relation::Le },
        bound: constraint.bound.constant(),
    };
    minimal.constraints().iter().map(bound).collect()
}

pub struct Concretiser<'s, 'n> {
    structure: &'s Structure<'n>,
    enumerator: Enumerator,
    transitions: Transitions,
    machine: Machine,
    facts: Facts,
    updates: Vec<ClockUpdate>,
    constraints: Vec<AtLeast>,
    clocks: Vec<Since>,
    /// Event 0 is the start, event k the k-th action, the last one the goal.
    events: u32,
    /// A predicate that holds at every moment.
    within: Option<PredicateId>,
    dnf: Dnf,
    /// Pairs of events between which at least one time unit passes.
    apart: Vec<(u32, u32)>,
}

impl<'s, 'n> Concretiser<'s, 'n> {
    pub fn new(structure: &'s Structure<'n>) -> Concretiser<'s, 'n> {
        let clocks = structure.network.clocks.iter().map(|clock| Since {
            event: 0,
            offset: match clock.initial {
                ClockInitial::Int(value) => i64::from(value),
                ClockInitial::Double(_) => 0,
            },
        });
        Concretiser {
            structure,
            enumerator: Enumerator::new(),
            transitions: Transitions::new(),
            machine: Machine::default(),
            facts: Facts::default(),
            updates: Vec::new(),
            constraints: Vec::new(),
            clocks: clocks.collect(),
            events: 0,
            within: None,
            dnf: Dnf::default(),
            apart: Vec::new(),
        }
    }

    /// At least one time unit passes from one action to a later one; action 0 is the start.
    pub fn apart(mut self, earlier: usize, later: usize) -> Concretiser<'s, 'n> {
        self.apart.push((earlier as u32, later as u32));
        self
    }

    /// The predicate holds at every moment of the run; where it is not a conjunction of clock constraints there is no run.
    pub fn staying_within(mut self, predicate: Option<PredicateId>) -> Concretiser<'s, 'n> {
        self.within = predicate;
        self
    }

    /// The earliest run along the labels that ends where all of `goal` holds. `further` has for each step what must hold
    /// when it is taken beside its guard; it may be empty.
    pub fn run(
        mut self,
        labels: &[u32],
        further: &[Vec<ClockBound>],
        goal: &[ClockBound],
    ) -> Result<TimedRun, Unrealisable> {
        let mut state = Discrete::initial(self.structure.network);
        let mut moves = Vec::with_capacity(labels.len());
        self.stay(&state, 0)?;
        for (n, label) in labels.iter().enumerate() {
            let event = self.events + 1;
            self.events = event;
            self.leave(&state, event)?;
            self.enumerator.all(self.structure, &state, &mut self.transitions).map_err(Unrealisable::Error)?;
            let index = *label as usize;
            if index >= self.transitions.len() {
                return Err(Unrealisable::Contradiction);
            }
            for n in 0..self.transitions.bounds(index).len() {
                let bound = self.transitions.bounds(index)[n];
                self.demand(&bound, event);
            }
            for bound in further.get(n).into_iter().flatten() {
                self.demand(bound, event);
            }
            moves.push(self.transitions.moves(index).to_vec());
            self.act(&mut state, index, event)?;
            self.stay(&state, event)?;
        }
        let last = self.events + 1;
        self.events = last;
        self.leave(&state, last)?;
        for bound in goal {
            self.demand(bound, last);
        }
        for (earlier, later) in std::mem::take(&mut self.apart) {
            self.at_least(later, earlier, Weight(1, 0));
        }
        let times = self.solve()?;
        let largest = times.iter().map(|time| time.1).max().unwrap_or(0);
        let denominator = largest + 1;
        let at: Vec<i64> = times.iter().map(|time| time.0 * denominator + time.1).collect();
        let steps =
            moves.into_iter().enumerate().map(|(n, moves)| TimedStep { delay: at[n + 1] - at[n], moves }).collect();
        let end = at.len() - 1;
        Ok(TimedRun { steps, final_delay: at[end] - at[end - 1], denominator })
    }

    /// The invariants hold when a location vector is entered.
    fn stay(&mut self, state: &Discrete, event: u32) -> Result<(), Unrealisable> {
        self.invariants(state, event)
    }

    /// The invariants hold until it is left; time does not pass where it must not.
    fn leave(&mut self, state: &Discrete, event: u32) -> Result<(), Unrealisable> {
        self.at_least(event, event - 1, Weight(0, 0));
        self.invariants(state, event)?;
        let structure = self.structure;
        let blocked = state
            .locations
            .iter()
            .enumerate()
            .any(|(process, location)| structure.location(process, *location).kind != LocationKind::Normal);
        let urgent = !blocked
            && self.enumerator.urgent(structure, state, &mut self.transitions).map_err(Unrealisable::Error)?
                == Some(true);
        if blocked || urgent {
            self.at_least(event - 1, event, Weight(0, 0));
        }
        Ok(())
    }

    fn invariants(&mut self, state: &Discrete, event: u32) -> Result<(), Unrealisable> {
        let structure = self.structure;
        self.facts.clear();
        for (process, location) in state.locations.iter().enumerate() {
            let Some(invariant) = structure.location(process, *location).invariant else { continue };
            let id = ProcessId::new(process);
            let holds = self.machine.condition(&structure.programs, invariant, id, &[], state, &mut self.facts);
            if !holds.map_err(Unrealisable::Error)? {
                return Err(Unrealisable::Contradiction);
            }
        }
        if let Some(predicate) = self.within {
            self.dnf.clear();
            let result = self.machine.predicate(&structure.programs, predicate, state, &mut self.dnf);
            result.map_err(Unrealisable::Error)?;
            if !self.dnf.is_true() {
                let mut cases = self.dnf.iter();
                match (cases.next(), cases.next()) {
                    (Some(case), None) => self.facts.bounds.extend_from_slice(case.bounds),
                    _ => return Err(Unrealisable::Contradiction),
                }
            }
        }
        for bound in std::mem::take(&mut self.facts.bounds) {
            self.demand(&bound, event);
        }
        Ok(())
    }

    /// A clock constraint holds at the time of an event.
    fn demand(&mut self, bound: &ClockBound, event: u32) {
        let now = Since { event, offset: 0 };
        // The value of a clock is time(now) - time(since.event) + since.offset; the absent clock is always 0.
        let side = |clock: Option<ClockId>| clock.map_or(now, |clock| self.clocks[clock.index()]);
        let (plus, minus) = (side(bound.plus), side(bound.minus));
        // plus - minus = time(minus.event) - time(plus.event) + plus.offset - minus.offset
        let constant = i64::from(bound.bound) - plus.offset + minus.offset;
        let (high, low) = (minus.event, plus.event);
        // time(high) - time(low) ~ constant
        match bound.relation {
            Relation::Le => self.at_least(low, high, Weight(-constant, 0)),
            Relation::Lt => self.at_least(low, high, Weight(-constant, 1)),
            Relation::Ge => self.at_least(high, low, Weight(constant, 0)),
            Relation::Gt => self.at_least(high, low, Weight(constant, 1)),
            Relation::Eq => {
                self.at_least(low, high, Weight(-constant, 0));
                self.at_least(high, low, Weight(constant, 0));
            }
            Relation::Ne => {}
        }
    }

    fn at_least(&mut self, later: u32, earlier: u32, weight: Weight) {
        self.constraints.push(AtLeast { later, earlier, weight });
    }

    fn act(&mut self, state: &mut Discrete, index: usize, event: u32) -> Result<(), Unrealisable> {
        self.updates.clear();
        self.structure
            .act(&mut self.machine, self.transitions.moves(index), state, &mut self.updates)
            .map_err(Unrealisable::Error)?;
        for update in &self.updates {
            self.clocks[update.target.index()] = match update.source {
                None => Since { event, offset: i64::from(update.offset) },
                Some(source) => {
                    let source = self.clocks[source.index()];
                    Since { event: source.event, offset: source.offset + i64::from(update.offset) }
                }
            };
        }
        Ok(())
    }

    /// The least times that meet all constraints.
    fn solve(&self) -> Result<Vec<Weight>, Unrealisable> {
        let count = self.events as usize + 1;
        let mut leaving: Vec<Vec<(u32, Weight)>> = vec![Vec::new(); count];
        for constraint in &self.constraints {
            leaving[constraint.earlier as usize].push((constraint.later, constraint.weight));
        }
        let mut times = vec![Weight(0, 0); count];
        let mut raised = vec![0u32; count];
        let mut waiting: VecDeque<u32> = (0..count as u32).collect();
        let mut is_waiting = vec![true; count];
        while let Some(event) = waiting.pop_front() {
            is_waiting[event as usize] = false;
            let time = times[event as usize];
            for (later, weight) in &leaving[event as usize] {
                let at_least = Weight(time.0 + weight.0, time.1 + weight.1);
                let known = &mut times[*later as usize];
                if at_least <= *known {
                    continue;
                }
                // The start is at 0, and a time that is raised more often than there are events runs in a circle.
                raised[*later as usize] += 1;
                if *later == 0 || raised[*later as usize] as usize > count + 1 {
                    return Err(Unrealisable::Contradiction);
                }
                *known = at_least;
                if !std::mem::replace(&mut is_waiting[*later as usize], true) {
                    waiting.push_back(*later);
                }
            }
        }
        Ok(times)
    }
}
