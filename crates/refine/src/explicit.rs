//! A system as one automaton, written out: what operators otherwise answer on the fly.
//!
//! Locations are the discrete states that can be reached, with the invariant of the whole system;
//! edges are its steps. What is inside of a quotient no longer matters once the quotient is
//! universal or inconsistent, so such states are one. Inputs that nobody reacts to are left out,
//! because components ignore inputs that have no edge; whatever follows from the invariant is left
//! out of guards.

use crate::error::{GoOn, Open, holding};
use crate::explore::reached;
use crate::world::{NodeId, Slots, Step, World};
use std::collections::HashMap;
use zones::{Bound, Constraint, Zone};

/// Constraints, resets and actions are those of the world.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The clocks of the system, ascending.
    pub clocks: Vec<u32>,
    pub locations: Vec<ExplicitLocation>,
    pub initial: usize,
    pub edges: Vec<ExplicitEdge>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExplicitLocation {
    pub slots: Box<[u32]>,
    pub invariant: Vec<Constraint>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExplicitEdge {
    pub from: usize,
    pub to: usize,
    pub action: u32,
    pub output: bool,
    pub guard: Vec<Constraint>,
    pub resets: Vec<(u32, i32)>,
}

/// The steps of a discrete state with their targets.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub action: u32,
    pub output: bool,
    pub step: Step,
    pub to: usize,
}

/// Discrete states, each once, and what happens in them.
pub(crate) struct Graph<'w, 'n> {
    pub world: &'w World<'n>,
    pub system: NodeId,
    pub clocks: Vec<u32>,
    pub states: Vec<Box<[u32]>>,
    index: HashMap<Box<[u32]>, usize>,
}

/// The automaton of a system.
pub fn explicit(world: &World<'_>, system: NodeId, go_on: &mut GoOn<'_>) -> Result<Automaton, Open> {
    let reached = reached(world, system, go_on, |_| {})?;
    let graph = Graph::new(world, system, reached.into_iter().map(|state| state.slots));
    let mut automaton = Automaton {
        clocks: graph.clocks.clone(),
        locations: Vec::new(),
        initial: graph.find(&world.initial()).unwrap_or(0),
        edges: Vec::new(),
    };
    let held = graph.bytes();
    for (from, slots) in graph.states.iter().enumerate() {
        if !go_on(&holding(held + automaton.bytes())) {
            return Err(Open::Stopped);
        }
        let mut invariant = Vec::new();
        world.invariant(system, slots, &mut invariant);
        let context = graph.where_all(&invariant);
        for Taken { action, output, step, to } in graph.taken(slots) {
            if !output && to == from && step.resets.is_empty() {
                continue;
            }
            if let Some(guard) = context.as_ref().and_then(|context| graph.needed(context, &step.guard)) {
                automaton.edges.push(ExplicitEdge { from, to, action, output, guard, resets: step.resets });
            }
        }
        let invariant = graph.needed(&Zone::universal(graph.clocks.len() + 1), &invariant).unwrap_or(invariant);
        automaton.locations.push(ExplicitLocation { slots: slots.clone(), invariant });
    }
    Ok(automaton)
}

impl Automaton {
    /// About what it takes, and the texts that are made of it.
    pub(crate) fn bytes(&self) -> u64 {
        self.locations.len() as u64 * 1_000 + self.edges.len() as u64 * 2_000
    }
}

impl<'w, 'n> Graph<'w, 'n> {
    pub fn new(world: &'w World<'n>, system: NodeId, reached: impl IntoIterator<Item = Box<[u32]>>) -> Graph<'w, 'n> {
        let clocks = world.clocks_of(system);
        let mut graph = Graph { world, system, clocks, states: Vec::new(), index: HashMap::new() };
        for slots in reached {
            let slots = graph.normal(&slots);
            if !graph.index.contains_key(&slots) {
                graph.index.insert(slots.clone(), graph.states.len());
                graph.states.push(slots);
            }
        }
        graph
    }

    /// About what it takes.
    pub fn bytes(&self) -> u64 {
        self.states.iter().map(|slots| 200 + 8 * slots.len() as u64).sum()
    }

    /// Without what no longer matters.
    fn normal(&self, slots: &Slots) -> Box<[u32]> {
        let mut normal: Box<[u32]> = slots.into();
        for operator in self.world.operators().filter(|operator| operator.has_left(slots)) {
            for operand in operator.operands() {
                self.world.slots_of(*operand).into_iter().for_each(|slot| normal[slot as usize] = 0);
            }
        }
        normal
    }

    pub fn find(&self, slots: &Slots) -> Option<usize> {
        self.index.get(&self.normal(slots)).copied()
    }

    /// All steps of a state; those that never lead anywhere are left out.
    pub fn taken(&self, slots: &Slots) -> Vec<Taken> {
        let outputs = self.world.outputs(self.system, slots);
        let inputs = self.world.alphabet(self.system).inputs.iter().map(|action| (*action, false));
        let mut taken = Vec::new();
        for (action, output) in outputs.into_iter().map(|action| (action, true)).chain(inputs) {
            for step in self.world.steps(self.system, slots, action) {
                let mut target = slots.to_vec();
                step.changes.iter().for_each(|(slot, value)| target[*slot as usize] = *value);
                if let (Some(to), None) = (self.find(&target), step.error) {
                    taken.push(Taken { action, output, step, to });
                }
            }
        }
        taken
    }

    pub fn row(&self, clock: u32) -> u32 {
        if clock == 0 { 0 } else { self.clocks.binary_search(&clock).map_or(0, |at| at as u32 + 1) }
    }

    pub fn on_rows(&self, one: Constraint) -> Constraint {
        Constraint { left: self.row(one.left), right: self.row(one.right), bound: one.bound }
    }

    pub fn where_all(&self, conjunction: &[Constraint]) -> Option<Zone> {
        let mut zone = Zone::universal(self.clocks.len() + 1);
        let conjunction: Vec<Constraint> = conjunction.iter().map(|one| self.on_rows(*one)).collect();
        zone.constrain_all(&conjunction).then_some(zone)
    }

    /// What of a conjunction does not follow from the rest of it and the context; `None` if it
    /// contradicts the context.
    pub fn needed(&self, context: &Zone, conjunction: &[Constraint]) -> Option<Vec<Constraint>> {
        let mut kept: Vec<Constraint> = Vec::new();
        for one in conjunction {
            if !kept.contains(one) {
                kept.push(*one);
            }
        }
        let zone_of = |list: &[Constraint]| {
            let mut zone = context.clone();
            let list: Vec<Constraint> = list.iter().map(|one| self.on_rows(*one)).collect();
            zone.constrain_all(&list).then_some(zone)
        };
        zone_of(&kept)?;
        for n in (0..kept.len()).rev() {
            let one = kept.remove(n);
            if zone_of(&kept).is_some_and(|zone| zone.admits(self.on_rows(one).negated())) {
                kept.insert(n, one);
            }
        }
        Some(kept)
    }

    /// A zone as constraints on clocks of the world: bounds of single clocks, and those of
    /// differences that do not follow from them.
    pub fn described(&self, zone: &Zone) -> Vec<Constraint> {
        let clock = |row: usize| row.checked_sub(1).map_or(0, |n| self.clocks[n]);
        let mut box_of = Zone::universal(zone.dim());
        let mut constraints = Vec::new();
        let singles = (1..zone.dim()).flat_map(|row| [(row, 0), (0, row)]);
        let differences = (1..zone.dim()).flat_map(|i| (1..zone.dim()).map(move |j| (i, j)));
        for (i, j) in singles.chain(differences) {
            let bound = zone.at(i, j);
            let trivial = bound.is_infinite() || i == j || i == 0 && bound == Bound::LE_ZERO;
            if !trivial && bound < box_of.at(i, j) {
                let _ = box_of.constrain_all(&[Constraint::new(i, j, bound)]);
                constraints.push(Constraint { left: clock(i), right: clock(j), bound });
            }
        }
        constraints
    }
}
