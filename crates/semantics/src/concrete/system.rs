//! The concrete semantics, computed from scratch: how long time may pass, and when each transition can be taken.
//!
//! A transition is a set of edges that are taken together and a maximal window of moments at which they can be: the
//! guards hold, the invariants of where it leads to hold after its updates, every process that can receive a broadcast
//! does, and no transition of a higher priority is possible. Edges that can be taken in two separate windows count as
//! two transitions. Costs a look at every edge of every process.

use super::clocks::Clocks;
use super::window::{FOREVER, Window};
use crate::code::{ClockBound, ClockUpdate, Discrete, Facts, Machine, RunError, RunErrorKind};
use crate::structure::Structure;
use crate::transitions::{Enumerator, Move, Transitions, Valuations};
use model::network::{LocationKind, ProcessId};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TimedState {
    pub discrete: Discrete,
    pub clocks: Clocks,
    pub now: i64,
}

/// A transition with one window of moments at which it can be taken.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Candidate {
    pub moves: Vec<Move>,
    pub window: Window,
}

/// What the clocks are at some moments.
struct Moments<'a> {
    clocks: &'a Clocks,
    window: Window,
}

impl Valuations for Moments<'_> {
    fn admit(&mut self, bounds: &[ClockBound]) -> bool {
        let mut window = self.window;
        bounds.iter().for_each(|bound| self.clocks.require(&mut window, bound));
        !window.is_empty()
    }
}

pub struct System<'s, 'n> {
    structure: &'s Structure<'n>,
    machine: Machine,
    enumerator: Enumerator,
    transitions: Transitions,
    facts: Facts,
    updates: Vec<ClockUpdate>,
    /// Clocks in half ticks.
    halves: Clocks,
}

impl<'s, 'n> System<'s, 'n> {
    pub fn new(structure: &'s Structure<'n>) -> System<'s, 'n> {
        System {
            structure,
            machine: Machine::default(),
            enumerator: Enumerator::new(),
            transitions: Transitions::new(),
            facts: Facts::default(),
            updates: Vec::new(),
            halves: Clocks::initial(structure.network),
        }
    }

    /// Where runs start; `None` when an invariant does not hold there.
    pub fn initial(&mut self) -> Result<Option<TimedState>, RunError> {
        let network = self.structure.network;
        let mut state = TimedState { discrete: Discrete::initial(network), clocks: Clocks::initial(network), now: 0 };
        if !self.invariants(&state.discrete)? {
            return Ok(None);
        }
        let mut window = Window { from: 0, to: 0 };
        self.facts.bounds.iter().for_each(|bound| state.clocks.require(&mut window, bound));
        self.set_rates(&mut state)?;
        Ok((!window.is_empty()).then_some(state))
    }

    /// The last moment until which time may pass, [`FOREVER`] where nothing ends it.
    pub fn until(&mut self, state: &TimedState) -> Result<i64, RunError> {
        self.until_at(&state.discrete, &state.clocks, state.now)
    }

    /// The same for the parts of a state; asks for no memory once its buffers have grown.
    pub fn until_at(&mut self, discrete: &Discrete, clocks: &Clocks, now: i64) -> Result<i64, RunError> {
        let structure = self.structure;
        let held =
            |(process, location): (usize, &_)| structure.location(process, *location).kind != LocationKind::Normal;
        if discrete.locations.iter().enumerate().any(held) {
            return Ok(now);
        }
        self.invariants(discrete)?;
        let mut window = Window { from: now, to: FOREVER };
        for bound in &self.facts.bounds {
            clocks.require(&mut window, bound);
        }
        let mut until = window.to;
        if structure.has_urgent_channels {
            // A synchronisation that becomes possible just after a moment stops time at that moment: half ticks tell.
            clocks.halved_into(&mut self.halves);
            let doubled = |moment: i64| if moment >= FOREVER { FOREVER } else { 2 * moment };
            let window = Window { from: 2 * now, to: doubled(until) };
            let mut moments = Moments { clocks: &self.halves, window };
            self.enumerator.all(structure, discrete, &mut moments, &mut self.transitions);
            if let Some(error) = self.transitions.failure() {
                return Err(error);
            }
            for n in 0..self.transitions.len() {
                let channel = self.transitions.get(n).channel;
                if channel.is_some_and(|channel| structure.network.channels[channel.index()].kind.urgent) {
                    let mut window = Window { from: 2 * now, to: doubled(until) };
                    self.transitions.bounds(n).iter().for_each(|bound| self.halves.require(&mut window, bound));
                    if !window.is_empty() {
                        until = window.from / 2;
                    }
                }
            }
        }
        Ok(until)
    }

    /// Every transition that can be taken now or later without anything else happening before, in a fixed order.
    pub fn candidates(&mut self, state: &TimedState) -> Result<Vec<Candidate>, RunError> {
        let until = self.until(state)?;
        let structure = self.structure;
        let mut moments = Moments { clocks: &state.clocks, window: Window { from: state.now, to: until } };
        self.enumerator.all(structure, &state.discrete, &mut moments, &mut self.transitions);
        if let Some(error) = self.transitions.failure() {
            return Err(error);
        }
        let mut found: Vec<(Candidate, (u32, u32))> = Vec::new();
        for n in 0..self.transitions.len() {
            let mut window = Window { from: state.now, to: until };
            self.transitions.bounds(n).iter().for_each(|bound| state.clocks.require(&mut window, bound));
            if window.is_empty() {
                continue;
            }
            let moves = self.transitions.moves(n).to_vec();
            let mut target = state.discrete.clone();
            self.updates.clear();
            structure.act(&mut self.machine, &moves, &mut target, &mut self.updates)?;
            if !self.invariants(&target)? {
                continue;
            }
            for bound in &self.facts.bounds {
                state.clocks.require_after(&mut window, bound, &self.updates);
            }
            if !window.is_empty() {
                found.push((Candidate { moves, window }, self.transitions.get(n).priority));
            }
        }
        if structure.has_priorities {
            found = without_lower(&found);
        }
        Ok(merged(found.into_iter().map(|(candidate, _)| candidate).collect()))
    }

    /// The label of a transition in paths of the zone graph.
    pub fn label(&mut self, state: &TimedState, moves: &[Move], moment: i64) -> Result<Option<u32>, RunError> {
        let mut moments = Moments { clocks: &state.clocks, window: Window { from: moment, to: moment } };
        self.enumerator.all(self.structure, &state.discrete, &mut moments, &mut self.transitions);
        let is_it = |n: &usize| {
            let mut window = Window { from: moment, to: moment };
            self.transitions.bounds(*n).iter().for_each(|bound| state.clocks.require(&mut window, bound));
            self.transitions.moves(*n) == moves && !window.is_empty()
        };
        Ok((0..self.transitions.len()).find(is_it).map(|n| self.transitions.get(n).label))
    }

    /// Takes a transition at a moment of its window.
    pub fn take(&mut self, state: &mut TimedState, moves: &[Move], moment: i64) -> Result<(), RunError> {
        self.updates.clear();
        self.structure.act(&mut self.machine, moves, &mut state.discrete, &mut self.updates)?;
        state.now = moment;
        state.clocks.assign(&self.updates, moment).map_err(|kind| self.at_fault(kind, moves))?;
        self.invariants(&state.discrete)?;
        self.set_rates(state)
    }

    /// The clock parts of all invariants become the facts; `false` when an integer part does not hold.
    fn invariants(&mut self, state: &Discrete) -> Result<bool, RunError> {
        self.facts.clear();
        let structure = self.structure;
        for (process, location) in state.locations.iter().enumerate() {
            let Some(invariant) = structure.location(process, *location).invariant else { continue };
            let id = ProcessId::new(process);
            if !self.machine.condition(&structure.programs, invariant, id, &[], state, &mut self.facts)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The rates that the facts name; all other clocks run.
    fn set_rates(&mut self, state: &mut TimedState) -> Result<(), RunError> {
        for n in 0..self.structure.network.clocks.len() {
            let clock = model::network::ClockId::new(n);
            let named = self.facts.rates.iter().find(|(named, _)| *named == clock);
            let rate = named.map_or(1, |(_, rate)| i64::from(*rate));
            if state.clocks.line(clock).rate != rate {
                state.clocks.set_rate(clock, rate, state.now);
            }
        }
        Ok(())
    }

    fn at_fault(&self, kind: RunErrorKind, moves: &[Move]) -> RunError {
        at_fault(self.structure, kind, moves)
    }
}

/// An error of a transition's clock assignments, blamed on its first edge.
pub fn at_fault(structure: &Structure, kind: RunErrorKind, moves: &[Move]) -> RunError {
    let process = ProcessId::new(moves.first().map_or(0, |first| first.process as usize));
    let template = structure.network.template_of(process);
    let expanded = moves.first().and_then(|first| template.expanded.get(first.expanded as usize));
    let span = expanded.map_or(template.span, |expanded| template.edge(expanded.edge).span);
    RunError { kind, span, process }
}

/// Takes away the moments at which something of a higher priority is possible.
fn without_lower(all: &[(Candidate, (u32, u32))]) -> Vec<(Candidate, (u32, u32))> {
    let mut left = Vec::new();
    for (candidate, priority) in all {
        let mut windows = vec![candidate.window];
        for (other, level) in all {
            if level > priority {
                windows = windows.iter().flat_map(|window| outside(*window, other.window)).collect();
            }
        }
        for window in windows {
            left.push((Candidate { moves: candidate.moves.clone(), window }, *priority));
        }
    }
    left
}

/// What is left of a window outside of another.
pub fn outside(window: Window, other: Window) -> impl Iterator<Item = Window> {
    let before = Window { to: window.to.min(other.from - 1), ..window };
    let after = Window { from: window.from.max(other.to + 1), ..window };
    let apart = window.meet(other).is_empty();
    let parts = if apart { [window, Window::EMPTY] } else { [before, after] };
    parts.into_iter().filter(|part| !part.is_empty())
}

/// Windows of the same edges that touch become one.
fn merged(mut all: Vec<Candidate>) -> Vec<Candidate> {
    let key = |candidate: &Candidate| {
        candidate.moves.iter().map(|one| (one.process, one.expanded, one.branch)).collect::<Vec<_>>()
    };
    all.sort_by(|a, b| key(a).cmp(&key(b)).then(a.window.cmp(&b.window)));
    let mut out: Vec<Candidate> = Vec::new();
    for candidate in all {
        match out.last_mut() {
            Some(last) if last.moves == candidate.moves && candidate.window.from <= last.window.to + 1 => {
                last.window.to = last.window.to.max(candidate.window.to);
            }
            _ => out.push(candidate),
        }
    }
    out
}
