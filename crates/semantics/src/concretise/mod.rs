//! Exact times for a path of the zone graph, as early as possible.
//!
//! Along a path it is known when each clock was set and during which steps it stood still. So a clock is a constant plus the
//! stretches of time during which it ran since then, and every guard and invariant on the way is a linear constraint on the
//! moments at which actions happen. Whether they can be met, and how early, [`times`] decides exactly. Zones
//! over-approximate what stopped clocks do; this tells which of their paths are real (docs/algorithms.md §7.2).
//!
//! The moments are those between which time can pass: actions that nothing separates share one. A clock only grows until it is
//! set again, so of its bounds from above the last one counts and of those from below the first one.

mod rational;
mod simplex;
#[cfg(test)]
mod tests;
mod times;

use crate::code::{ClockBound, ClockUpdate, Discrete, Facts, Machine, RunError};
use crate::structure::Structure;
use crate::transitions::{Enumerator, Move, Transitions};
use model::network::{ClockId, ClockInitial, LocationKind, ProcessId, Relation};
use times::{Demand, NoTimes, Weight};
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
    /// The least time, as a fraction, that any run along the same path takes to the goal.
    pub least_time: (i64, i64),
    /// Whether one takes no more than that.
    pub attained: bool,
}

/// Why a path has no times.
#[derive(Debug)]
pub enum Unrealisable {
    /// The constraints contradict each other: the path exists only in an over-approximation.
    Contradiction,
    /// It is not known: exact arithmetic needs too large numbers, or takes too long.
    GaveUp,
    Error(RunError),
}

impl From<NoTimes> for Unrealisable {
    fn from(why: NoTimes) -> Unrealisable {
        match why {
            NoTimes::Contradiction => Unrealisable::Contradiction,
            NoTimes::GaveUp => Unrealisable::GaveUp,
        }
    }
}

/// What a clock holds: a constant, and how long it ran.
#[derive(Clone, Debug)]
struct Value {
    offset: i64,
    /// The stretches from a moment to a later one, in order.
    ran: Vec<(u32, u32)>,
    /// It runs since this moment.
    since: Option<u32>,
    /// The last bound from above since it was set, and the largest one from below.
    upper: Option<(usize, Weight)>,
    lower: Option<Weight>,
}

impl Value {
    fn set_to(offset: i64, now: u32) -> Value {
        Value { offset, ran: Vec::new(), since: Some(now), upper: None, lower: None }
    }

    fn stop(&mut self, now: u32) {
        let Some(since) = self.since.take().filter(|since| *since < now) else { return };
        match self.ran.last_mut() {
            Some((_, end)) if *end == since => *end = now,
            _ => self.ran.push((since, now)),
        }
    }

    /// Adds a multiple of what it holds at a moment, without the constant.
    fn add_to(&self, terms: &mut Vec<(u32, i64)>, factor: i64, now: u32) {
        for (from, to) in self.ran.iter().copied().chain(self.since.map(|since| (since, now))) {
            terms.extend([(to, factor), (from, -factor)]);
        }
    }
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

/// One event of a run and what must hold then beside guards and invariants.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Leg {
    /// The position of a transition among those of the discrete state; without one nothing happens.
    pub transition: Option<u32>,
    /// Before the updates of the transition.
    pub before: Vec<ClockBound>,
    /// After them.
    pub after: Vec<ClockBound>,
}

pub struct Concretiser<'s, 'n> {
    structure: &'s Structure<'n>,
    enumerator: Enumerator,
    transitions: Transitions,
    machine: Machine,
    facts: Facts,
    updates: Vec<ClockUpdate>,
    demands: Vec<Demand>,
    clocks: Vec<Value>,
    /// Which clocks stand still while time passes.
    stopped: Vec<bool>,
    /// The last moment so far; moment 0 is the start.
    now: u32,
    /// The moment of the start and of each leg.
    moments: Vec<u32>,
    /// Pairs of legs between which at least one time unit passes.
    apart: Vec<(usize, usize)>,
}

impl<'s, 'n> Concretiser<'s, 'n> {
    pub fn new(structure: &'s Structure<'n>) -> Concretiser<'s, 'n> {
        let clocks = structure.network.clocks.iter().map(|clock| match clock.initial {
            ClockInitial::Int(value) => Value::set_to(i64::from(value), 0),
            ClockInitial::Double(_) => Value::set_to(0, 0),
        });
        Concretiser {
            structure,
            enumerator: Enumerator::new(),
            transitions: Transitions::new(),
            machine: Machine::default(),
            facts: Facts::default(),
            updates: Vec::new(),
            demands: Vec::new(),
            clocks: clocks.collect(),
            stopped: Vec::new(),
            now: 0,
            moments: vec![0],
            apart: Vec::new(),
        }
    }

    /// At least one time unit passes from one leg to a later one; leg 0 is the start.
    pub fn apart(mut self, earlier: usize, later: usize) -> Concretiser<'s, 'n> {
        self.apart.push((earlier, later));
        self
    }

    /// The earliest run along the labels that ends where all of `goal` holds. `further` has for each step what must hold
    /// when it is taken beside its guard; it may be empty.
    pub fn run(
        self,
        labels: &[u32],
        further: &[Vec<ClockBound>],
        goal: &[ClockBound],
    ) -> Result<TimedRun, Unrealisable> {
        let leg = |(n, label): (usize, &u32)| Leg {
            transition: Some(*label),
            before: further.get(n).cloned().unwrap_or_default(),
            after: Vec::new(),
        };
        self.run_legs(&labels.iter().enumerate().map(leg).collect::<Vec<Leg>>(), goal)
    }

    /// The earliest run along the legs that ends where all of `goal` holds.
    pub fn run_legs(mut self, legs: &[Leg], goal: &[ClockBound]) -> Result<TimedRun, Unrealisable> {
        let mut state = Discrete::initial(self.structure.network);
        // For each action the moment when it happens, and its moves.
        let mut actions: Vec<(u32, Vec<Move>)> = Vec::with_capacity(legs.len());
        self.invariants(&state)?;
        for leg in legs {
            self.wait(&state)?;
            for bound in &leg.before {
                self.demand(bound)?;
            }
            let Some(label) = leg.transition else {
                for bound in &leg.after {
                    self.demand(bound)?;
                }
                self.moments.push(self.now);
                continue;
            };
            let Some(index) = self.enumerator.labelled(self.structure, &state, label, &mut self.transitions) else {
                return Err(Unrealisable::Contradiction);
            };
            for n in 0..self.transitions.bounds(index).len() {
                let bound = self.transitions.bounds(index)[n];
                self.demand(&bound)?;
            }
            let moves = self.transitions.moves(index).to_vec();
            self.act(&mut state, &moves)?;
            actions.push((self.now, moves));
            self.moments.push(self.now);
            self.invariants(&state)?;
            for bound in &leg.after {
                self.demand(bound)?;
            }
        }
        self.finish(&state, actions, goal)
    }

    /// The earliest run in which just these edges are taken, without a look at others. Where priorities, or the clocks of those who might hear
    /// a broadcast, forbid it, it is none of the network.
    pub fn run_moves<'p>(
        mut self,
        steps: impl Iterator<Item = &'p [Move]>,
        goal: &[ClockBound],
    ) -> Result<TimedRun, Unrealisable> {
        let mut state = Discrete::initial(self.structure.network);
        let mut actions = Vec::new();
        self.invariants(&state)?;
        for moves in steps {
            self.wait(&state)?;
            for one in moves {
                self.guard(&state, one)?;
            }
            self.act(&mut state, moves)?;
            actions.push((self.now, moves.to_vec()));
            self.invariants(&state)?;
        }
        self.finish(&state, actions, goal)
    }

    /// Waits for the goal, and finds the times of all actions.
    fn finish(
        mut self,
        state: &Discrete,
        actions: Vec<(u32, Vec<Move>)>,
        goal: &[ClockBound],
    ) -> Result<TimedRun, Unrealisable> {
        self.wait(state)?;
        for bound in goal {
            self.demand(bound)?;
        }
        for (earlier, later) in std::mem::take(&mut self.apart) {
            let at = |leg: usize| self.moments.get(leg).copied().ok_or(Unrealisable::Contradiction);
            let (earlier, later) = (at(earlier)?, at(later)?);
            self.sum_at_least(vec![(later, 1), (earlier, -1)], Weight(1, 0))?;
        }
        let times = times::solve(self.now as usize + 1, &self.demands)?;
        let mut last = 0;
        let mut since_last = |moment: u32| {
            let at = times.at[moment as usize];
            at - std::mem::replace(&mut last, at)
        };
        let steps = actions.into_iter().map(|(moment, moves)| TimedStep { delay: since_last(moment), moves }).collect();
        Ok(TimedRun {
            steps,
            final_delay: since_last(self.now),
            denominator: times.denominator,
            least_time: times.least_end,
            attained: times.attained,
        })
    }

    /// Lets time pass where it may, as long as the invariants hold.
    fn wait(&mut self, state: &Discrete) -> Result<(), Unrealisable> {
        let structure = self.structure;
        let blocked = state
            .locations
            .iter()
            .enumerate()
            .any(|(process, location)| structure.location(process, *location).kind != LocationKind::Normal);
        let urgent = !blocked && self.enumerator.urgent(structure, state, &mut self.transitions) == Some(true);
        if blocked || urgent {
            return Ok(());
        }
        for (clock, stopped) in self.clocks.iter_mut().zip(&self.stopped) {
            match (stopped, clock.since) {
                (true, Some(_)) => clock.stop(self.now),
                (false, None) => clock.since = Some(self.now),
                _ => {}
            }
        }
        let before = self.now;
        self.now += 1;
        self.demands.push(Demand::Difference { later: self.now, earlier: before, weight: Weight(0, 0) });
        self.invariants(state)
    }

    /// The invariants hold now; notes which clocks they stop.
    fn invariants(&mut self, state: &Discrete) -> Result<(), Unrealisable> {
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
        self.stopped.clear();
        self.stopped.resize(self.clocks.len(), false);
        for (clock, rate) in &self.facts.rates {
            match rate {
                0 => self.stopped[clock.index()] = true,
                1 => {}
                // The differences of moments are not those of the clock.
                _ => return Err(Unrealisable::GaveUp),
            }
        }
        let bounds = std::mem::take(&mut self.facts.bounds);
        let result = bounds.iter().try_for_each(|bound| self.demand(bound));
        self.facts.bounds = bounds;
        result
    }

    /// The guard of an edge holds now.
    fn guard(&mut self, state: &Discrete, one: &Move) -> Result<(), Unrealisable> {
        let structure = self.structure;
        let (edge, select) = structure.expanded(one.process as usize, one.expanded);
        let Some(guard) = edge.guard else { return Ok(()) };
        self.facts.clear();
        let id = ProcessId::new(one.process as usize);
        let holds = self.machine.condition(&structure.programs, guard, id, select, state, &mut self.facts);
        if !holds.map_err(Unrealisable::Error)? {
            return Err(Unrealisable::Contradiction);
        }
        let bounds = std::mem::take(&mut self.facts.bounds);
        let result = bounds.iter().try_for_each(|bound| self.demand(bound));
        self.facts.bounds = bounds;
        result
    }

    /// A clock constraint holds now.
    fn demand(&mut self, bound: &ClockBound) -> Result<(), Unrealisable> {
        let constant = i64::from(bound.bound);
        let (least, most) = match bound.relation {
            Relation::Le => (None, Some(Weight(-constant, 0))),
            Relation::Lt => (None, Some(Weight(-constant, 1))),
            Relation::Ge => (Some(Weight(constant, 0)), None),
            Relation::Gt => (Some(Weight(constant, 1)), None),
            Relation::Eq => (Some(Weight(constant, 0)), Some(Weight(-constant, 0))),
            Relation::Ne => (None, None),
        };
        if let Some(weight) = least {
            self.difference_at_least(bound.plus, bound.minus, weight)?;
        }
        if let Some(weight) = most {
            self.difference_at_least(bound.minus, bound.plus, weight)?;
        }
        Ok(())
    }

    /// A clock minus another one is at least a weight; an absent clock is 0.
    fn difference_at_least(
        &mut self,
        plus: Option<ClockId>,
        minus: Option<ClockId>,
        weight: Weight,
    ) -> Result<(), Unrealisable> {
        let mut terms = Vec::new();
        let mut least = weight;
        for (clock, factor) in [(plus, 1), (minus, -1)] {
            if let Some(clock) = clock {
                let value = &self.clocks[clock.index()];
                value.add_to(&mut terms, factor, self.now);
                least.0 -= factor * value.offset;
            }
        }
        match (plus, minus) {
            (Some(clock), None) => {
                let known = &mut self.clocks[clock.index()].lower;
                if known.is_some_and(|known| known >= weight) {
                    return Ok(());
                }
                *known = Some(weight);
                self.sum_at_least(terms, least)
            }
            (None, Some(clock)) => {
                let known = self.clocks[clock.index()].upper;
                if let Some((place, _)) = known.filter(|(_, known)| *known <= weight) {
                    // The earlier bound follows from this one.
                    if let Some(demand) = demand(terms, least)? {
                        self.demands[place] = demand;
                        self.clocks[clock.index()].upper = Some((place, weight));
                    }
                    return Ok(());
                }
                let place = self.demands.len();
                self.sum_at_least(terms, least)?;
                if self.demands.len() > place {
                    self.clocks[clock.index()].upper = Some((place, weight));
                }
                Ok(())
            }
            _ => self.sum_at_least(terms, least),
        }
    }

    fn sum_at_least(&mut self, terms: Vec<(u32, i64)>, weight: Weight) -> Result<(), Unrealisable> {
        self.demands.extend(demand(terms, weight)?);
        Ok(())
    }

    fn act(&mut self, state: &mut Discrete, moves: &[Move]) -> Result<(), Unrealisable> {
        self.updates.clear();
        self.structure.act(&mut self.machine, moves, state, &mut self.updates).map_err(Unrealisable::Error)?;
        for update in &self.updates {
            let offset = i64::from(update.offset);
            self.clocks[update.target.index()] = match update.source {
                None => Value::set_to(offset, self.now),
                Some(source) => {
                    let source = &self.clocks[source.index()];
                    Value { offset: source.offset + offset, upper: None, lower: None, ..source.clone() }
                }
            };
        }
        Ok(())
    }
}

/// A sum of moments that is at least a weight, in its simplest form; `None` when it always is.
fn demand(mut terms: Vec<(u32, i64)>, weight: Weight) -> Result<Option<Demand>, Unrealisable> {
    terms.sort_unstable_by_key(|(moment, _)| *moment);
    terms.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    terms.retain(|(_, factor)| *factor != 0);
    match terms.as_slice() {
        [] if weight > Weight(0, 0) => Err(Unrealisable::Contradiction),
        [] => Ok(None),
        [(earlier, -1), (later, 1)] | [(later, 1), (earlier, -1)] => {
            Ok(Some(Demand::Difference { later: *later, earlier: *earlier, weight }))
        }
        _ => Ok(Some(Demand::Sum { terms, weight })),
    }
}
