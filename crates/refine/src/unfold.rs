//! Unfolding: from a process of the network, with its code, to local states with constraints,
//! resets and targets.
//!
//! The integers of a component are its own, so the component is unfolded over them before anything
//! is asked: a local state is a location with the values of the integers, and its edges have
//! guards, resets and targets with all expressions evaluated. What functions, selects, parameters
//! and channel arrays say is thereby gone. Unfolding does not look at clocks; an evaluation that
//! fails stays as an edge that fails when it is taken.
//!
//! In an urgent local state no time passes: entering it resets a clock that must stay at 0.

mod edges;

use crate::component::{Origin, Target};
use crate::diagonals::{DIAGONALS, Diagonal, outcomes};
use crate::difference_bounds::DifferenceBounds;
use crate::error::{GoOn, Unfit, holding};
use model::network::{ClockInitial, LocationId, LocationKind, ProcessId};
use model::source::Span;
use semantics::code::{Discrete, Facts, Machine, RunError};
use semantics::structure::Structure;
use std::collections::{BTreeSet, HashMap};

/// Beyond so many local states a component is not unfolded; a quarter of it where they know about
/// differences of clocks.
const LOCAL_STATES: usize = 1 << 18;
/// Beyond so many edges neither.
pub(crate) const LOCAL_EDGES: usize = 1 << 22;
/// Why a component with comparisons of clocks is not unfolded.
const WAYS: &str = "clocks are compared with each other in too many ways";
/// So many outcomes of comparisons are found out for its edges at most.
const OUTCOMES: usize = 1 << 24;
/// A component whose states are all unfolded has no more of them.
const ANYWHERE: usize = 1 << 12;

/// Which local states are unfolded, with all that edges lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Starts {
    Initial,
    /// All there are, if they are not too many.
    Anywhere,
}

/// `clock ≺ constant` or `constant ≺ clock`; clocks of a component count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limit {
    pub clock: u32,
    pub upper: bool,
    pub constant: i32,
    pub strict: bool,
}

impl Limit {
    pub(crate) fn negated(self) -> Limit {
        Limit { upper: !self.upper, strict: !self.strict, ..self }
    }

    /// No valuation meets it: clock 0 is always 0.
    const NEVER: Limit = Limit { clock: 0, upper: true, constant: 0, strict: true };
}

/// A component whose constants are as written.
pub struct Unfolding {
    pub(crate) process: ProcessId,
    pub(crate) inputs: Vec<u32>,
    pub(crate) outputs: Vec<u32>,
    pub(crate) clocks: usize,
    pub(crate) initial_values: Vec<i32>,
    pub(crate) diagonals: Vec<Diagonal>,
    pub(crate) states: Vec<RawState>,
    pub(crate) errors: Vec<RunError>,
    /// Whether it has all local states that it was to have.
    pub(crate) complete: bool,
}

pub(crate) struct RawState {
    pub location: LocationId,
    pub ints: Box<[i32]>,
    /// Which of the comparisons of clocks hold.
    pub bits: Box<[bool]>,
    pub invariant: Vec<Limit>,
    pub urgent: bool,
    pub edges: Vec<RawEdge>,
    pub error: Option<u32>,
}

pub(crate) struct RawEdge {
    pub action: u32,
    pub output: bool,
    pub guard: Vec<Limit>,
    pub resets: Vec<(u32, i32)>,
    pub target: Target,
    pub origin: Origin,
}

/// A location, the integers, which comparisons of clocks hold.
type Key = (LocationId, Box<[i32]>, Box<[bool]>);

pub(crate) struct Unfolder<'s, 'n, 'g> {
    pub structure: &'s Structure<'n>,
    machine: Machine,
    pub process: ProcessId,
    ints: std::ops::Range<usize>,
    clocks: std::ops::Range<usize>,
    scratch: Discrete,
    /// What is being looked at.
    place: Option<Span>,
    diagonals: Vec<Diagonal>,
    /// Comparisons of clocks that were met and are not among the diagonals.
    missing: BTreeSet<Diagonal>,
    index: HashMap<Key, u32>,
    pub states: Vec<RawState>,
    errors: Vec<RunError>,
    edges: usize,
    /// Outcomes of comparisons that were found out.
    outcomes: usize,
    complete: bool,
    /// What is known of the clocks where the edge at hand is taken.
    known: DifferenceBounds,
    ticks: u32,
    go_on: &'g mut GoOn<'g>,
}

/// About what the states and edges of a component take: once as unfolded, once as a component that
/// is made of that.
fn bytes(states: usize, edges: usize, ints: usize) -> u64 {
    states as u64 * (400 + 12 * ints as u64) + edges as u64 * 400
}

/// So many edges are looked at before it is asked whether to go on.
const TICKS: u32 = 64;

impl Unfolding {
    /// About what it takes, and what the component takes that is made of it.
    pub(crate) fn bytes(&self) -> u64 {
        let edges = self.states.iter().map(|state| state.edges.len()).sum();
        bytes(self.states.len(), edges, self.states.first().map_or(0, |state| state.ints.len()))
    }
}

/// Unfolds a process.
pub fn unfold(
    structure: &Structure<'_>,
    process: ProcessId,
    starts: Starts,
    go_on: &mut GoOn<'_>,
) -> Result<Unfolding, Unfit> {
    let network = structure.network;
    let own = network.process(process);
    let end = own.state + network.template_of(process).state;
    let clocks = own.state.clocks as usize..end.clocks as usize;
    let mut initial_values = Vec::with_capacity(clocks.len() + 1);
    for clock in clocks.clone() {
        match network.clocks[clock].initial {
            ClockInitial::Int(value) => initial_values.push(value),
            ClockInitial::Double(_) => return Err(Unfit::component(network, process, "a clock starts at a fraction")),
        }
    }
    // Which comparisons of clocks there are is found on the way; with new ones the way begins anew.
    let mut diagonals: Vec<Diagonal> = Vec::new();
    let mut unfolder = loop {
        let mut unfolder = Unfolder::new(structure, process, diagonals, &mut *go_on);
        unfolder.all(&initial_values, starts)?;
        if unfolder.missing.is_empty() {
            break unfolder;
        }
        diagonals = unfolder.diagonals;
        diagonals.extend(unfolder.missing);
        if diagonals.len() > DIAGONALS {
            return Err(Unfit::too_large(network, process, WAYS));
        }
    };
    let mut clocks = clocks.len();
    if unfolder.states.iter().any(|state| state.urgent) {
        clocks += 1;
        unfolder.stop_time(clocks as u32);
    }
    initial_values.resize(clocks, 0);
    let (inputs, outputs) = unfolder.alphabet()?;
    let Unfolder { states, errors, diagonals, complete, .. } = unfolder;
    Ok(Unfolding { process, inputs, outputs, clocks, initial_values, diagonals, states, errors, complete })
}

impl<'s, 'n, 'g> Unfolder<'s, 'n, 'g> {
    fn new(
        structure: &'s Structure<'n>,
        process: ProcessId,
        diagonals: Vec<Diagonal>,
        go_on: &'g mut GoOn<'g>,
    ) -> Unfolder<'s, 'n, 'g> {
        let network = structure.network;
        let own = network.process(process).state;
        let end = own + network.template_of(process).state;
        Unfolder {
            structure,
            machine: Machine::new(),
            process,
            ints: own.ints as usize..end.ints as usize,
            clocks: own.clocks as usize..end.clocks as usize,
            scratch: Discrete::initial(network),
            place: None,
            diagonals,
            missing: BTreeSet::new(),
            index: HashMap::new(),
            states: Vec::new(),
            errors: Vec::new(),
            edges: 0,
            outcomes: 0,
            complete: true,
            known: DifferenceBounds::new(0),
            ticks: 0,
            go_on,
        }
    }

    /// Asks now and then whether to go on.
    fn tick(&mut self) -> Result<(), Unfit> {
        self.ticks += 1;
        if self.ticks.is_multiple_of(TICKS)
            && !(self.go_on)(&holding(bytes(self.states.len(), self.edges, self.ints.len())))
        {
            return Err(Unfit::Stopped);
        }
        Ok(())
    }

    /// All local states that the first ones lead to.
    fn all(&mut self, initial_values: &[i32], starts: Starts) -> Result<(), Unfit> {
        let value = |clock: u32| initial_values[clock as usize - 1];
        let bits = self.diagonals.iter().map(|one| one.holds(value(one.left), value(one.right))).collect();
        self.intern(self.structure.network.template_of(self.process).initial, bits)?;
        if starts == Starts::Anywhere {
            self.complete = self.anywhere()?;
        }
        let mut at = 0;
        while at < self.states.len() {
            self.expand(at)?;
            at += 1;
        }
        Ok(())
    }

    /// Adds every local state there may be; `false` if there are too many.
    fn anywhere(&mut self) -> Result<bool, Unfit> {
        let network = self.structure.network;
        let Some(outcomes) = outcomes(&self.diagonals, self.clocks.len()) else { return Ok(false) };
        let ranges: Vec<_> = network.ints[self.ints.clone()].iter().map(|cell| cell.range).collect();
        let values = ranges.iter().try_fold(1u64, |product, range| product.checked_mul(range.count()));
        let locations = network.template_of(self.process).locations.len() as u64;
        let all = values.and_then(|values| values.checked_mul(locations)?.checked_mul(outcomes.len() as u64));
        let is_all = all.is_some_and(|all| all <= ANYWHERE as u64);
        let initial = self.scratch.ints[self.ints.clone()].to_vec();
        for n in 0..values.filter(|_| is_all).unwrap_or(1) {
            let mut rest = n;
            for (at, range) in self.ints.clone().zip(&ranges).filter(|_| is_all) {
                let count = range.count().max(1);
                self.scratch.ints[at] = range.lo.wrapping_add((rest % count) as i32);
                rest /= count;
            }
            self.tick()?;
            for location in 0..locations as usize {
                for bits in &outcomes {
                    self.intern(LocationId::new(location), bits.clone())?;
                }
            }
        }
        self.scratch.ints[self.ints.clone()].copy_from_slice(&initial);
        Ok(is_all)
    }

    pub(crate) fn unfit(&self, reason: impl Into<String>) -> Unfit {
        Unfit::component(self.structure.network, self.process, reason).at(self.place)
    }

    /// The local state that the scratch state shows.
    fn intern(&mut self, location: LocationId, bits: Vec<bool>) -> Result<u32, Unfit> {
        let key: Key = (location, self.scratch.ints[self.ints.clone()].into(), bits.into());
        if let Some(known) = self.index.get(&key) {
            return Ok(*known);
        }
        let (reason, share) = match self.diagonals.is_empty() {
            true => ("its integers have too many values", 1),
            false => ("its integers have too many values, or clocks are compared with each other in too many ways", 4),
        };
        if self.states.len() >= LOCAL_STATES / share || self.edges > LOCAL_EDGES / share {
            return Err(Unfit::too_large(self.structure.network, self.process, reason).at(self.place));
        }
        let id = self.states.len() as u32;
        let (_, ints, bits) = key.clone();
        self.index.insert(key, id);
        self.states.push(RawState {
            location,
            ints,
            bits,
            invariant: Vec::new(),
            urgent: false,
            edges: Vec::new(),
            error: None,
        });
        Ok(id)
    }

    fn show(&mut self, at: usize) {
        let state = &self.states[at];
        self.scratch.locations[self.process.index()] = state.location;
        self.scratch.ints[self.ints.clone()].copy_from_slice(&state.ints);
    }

    fn fails(&mut self, error: RunError) -> u32 {
        self.errors.push(error);
        self.errors.len() as u32 - 1
    }

    fn expand(&mut self, at: usize) -> Result<(), Unfit> {
        let structure = self.structure;
        let process = self.process.index();
        self.tick()?;
        let location = self.states[at].location;
        let code = structure.location(process, location);
        let template = structure.network.template_of(self.process);
        self.place = Some(template.location(location).span);
        self.show(at);
        let mut facts = Facts::default();
        if let Some(invariant) = code.invariant {
            let programs = &structure.programs;
            match self.machine.condition(programs, invariant, self.process, &[], &self.scratch, &mut facts) {
                Ok(true) => {}
                Ok(false) => self.states[at].invariant.push(Limit::NEVER),
                Err(error) => self.states[at].error = Some(self.fails(error)),
            }
        }
        let limits = self.limits(at, &facts)?.unwrap_or(vec![Limit::NEVER]);
        self.states[at].invariant.extend(limits);
        let is_inconsistent = template.location(location).inconsistent;
        self.states[at].urgent = code.kind != LocationKind::Normal || is_inconsistent;
        if code.kind == LocationKind::Committed {
            return Err(self.unfit("committed locations have no meaning in timed I/O automata"));
        }
        if let Some(expanded) = code.internal.first().or(code.csp.first()) {
            self.place = Some(template.edge(template.expanded[*expanded as usize].edge).span);
        }
        if !code.internal.is_empty() {
            return Err(self.unfit("an edge without an action: timed I/O automata have inputs and outputs only"));
        }
        if !code.csp.is_empty() {
            return Err(self.unfit("an action without `?` or `!`"));
        }
        if is_inconsistent {
            // Whatever edges are drawn here; inputs are ignored.
            return Ok(());
        }
        for (list, output) in [(&code.sending, true), (&code.receiving, false)] {
            for &expanded in list {
                self.edge(at, expanded, output)?;
            }
        }
        Ok(())
    }
}
