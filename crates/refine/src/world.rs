//! Systems: components and operators over them, never built, always asked on the fly.
//!
//! A [`World`] holds everything one query speaks about: the components, each with its own clocks
//! however often it occurs, and the tree of operators. The discrete state of a world is a list of
//! slots, one per occurrence of a component (its local state) and one per quotient (its mode). A
//! system is a [`NodeId`]; it has an alphabet, an invariant (a conjunction) and [`Step`]s, each
//! with a conjunction of constraints, resets and changed slots.
//!
//! What an operator does with the systems below it is in a file of its own, see
//! [`operators`](crate::operators).

use crate::alphabet::Alphabet;
use crate::component::{Component, LocalEdge, LocalState, Target, action_name, gcd};
use crate::error::{GoOn, Unfit, holding};
use crate::operators::{self, Mode, Operand, Operator, Own};
pub use crate::step::Step;
pub use crate::unfold::Starts;
use crate::unfold::unfold;
use model::check::SystemExpr;
use model::network::{Network, ProcessId};
use semantics::structure::Structure;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use zones::{ClockBounds, Constraint};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeId(pub u32);

/// The discrete state of a world.
pub type Slots = [u32];

pub struct World<'n> {
    pub network: &'n Network,
    pub components: Vec<Arc<Component>>,
    pub leaves: Vec<Leaf>,
    pub nodes: Vec<Node>,
    pub alphabets: Vec<Alphabet>,
    /// Clocks of all leaves and quotients; clock 0 is the reference clock.
    pub clocks: usize,
    pub slots: usize,
    /// The new input of all quotients: one action, whichever side they are on and however they are
    /// nested. It is the first after those of the model, or the channel of its name if there is one
    /// that no component outputs: so components that were written for quotients have it.
    pub fresh: u32,
    /// Model time per unit of the constants here.
    pub unit: u32,
    /// Some component has an evaluation that fails.
    fallible: bool,
    /// Components have all the local states that were asked for.
    pub complete: bool,
    /// About what the components take.
    pub bytes: u64,
    /// Some state had too many steps, and some of them were left out: what was found is there, and
    /// nothing else is known.
    pub crowded: Arc<AtomicBool>,
}

/// Beyond so many combinations of edges for one action they are not all made.
const COMBINATIONS: usize = 1 << 16;

/// One occurrence of a component.
#[derive(Clone, Debug)]
pub struct Leaf {
    pub component: u32,
    pub slot: u32,
    /// Its clocks are those after this one.
    pub clocks: u32,
    /// The mark by which a query tells it apart.
    pub instance: Option<String>,
}

#[derive(Debug)]
pub enum Node {
    Leaf(u32),
    Operator(Box<dyn Operator>),
}

/// What the new input of quotients is called.
pub const NEW_INPUT: &str = "i_new";

impl<'n> World<'n> {
    /// The world of some expressions, and their nodes.
    pub fn new(
        structure: &Structure<'n>,
        expressions: &[&SystemExpr],
        go_on: &mut GoOn<'_>,
    ) -> Result<(World<'n>, Vec<NodeId>), Unfit> {
        World::with_constants(structure, expressions, &[], Starts::Initial, go_on)
    }

    /// The same where further constants have to fit the unit of time, and with other local states
    /// than those that are reachable.
    pub fn with_constants(
        structure: &Structure<'n>,
        expressions: &[&SystemExpr],
        constants: &[i32],
        starts: Starts,
        go_on: &mut GoOn<'_>,
    ) -> Result<(World<'n>, Vec<NodeId>), Unfit> {
        let network = structure.network;
        let mut processes: Vec<ProcessId> = Vec::new();
        expressions.iter().for_each(|expression| collect(expression, &mut processes));
        processes.sort_unstable_by_key(|process| process.index());
        processes.dedup();
        let (mut unfoldings, mut held) = (Vec::new(), 0);
        for process in &processes {
            let unfolding = unfold(structure, *process, starts, &mut |done| go_on(&holding(held + done.bytes)))?;
            held += unfolding.bytes();
            unfoldings.push(unfolding);
        }
        let complete = unfoldings.iter().all(|unfolding| unfolding.complete);
        let unit = constants.iter().fold(0, |divisor, constant| gcd(divisor, constant.unsigned_abs()));
        let unit = unfoldings.iter().fold(unit, |divisor, unfolding| unfolding.divisor(divisor)).max(1);
        // One after the other makes room for the next.
        let mut components = Vec::with_capacity(unfoldings.len());
        for unfolding in unfoldings {
            if !go_on(&holding(held)) {
                return Err(Unfit::Stopped);
            }
            components.push(Arc::new(unfolding.component(network, unit)?));
        }
        let mut world = World::of(network, components, unit);
        world.complete = complete;
        world.bytes = held;
        let index: HashMap<usize, u32> = (0..).zip(&processes).map(|(n, process)| (process.index(), n)).collect();
        let roots = expressions
            .iter()
            .map(|expression| world.build(expression, &index))
            .collect::<Result<Vec<NodeId>, Unfit>>()?;
        Ok((world, roots))
    }

    fn of(network: &'n Network, components: Vec<Arc<Component>>, unit: u32) -> World<'n> {
        let channels = network.channels.len() as u32;
        let named = (0..channels).find(|channel| action_name(network, *channel) == NEW_INPUT);
        let is_output = |channel: &u32| components.iter().any(|component| component.outputs.contains(channel));
        let fresh = named.filter(|channel| !is_output(channel)).unwrap_or(channels);
        World {
            network,
            fallible: components.iter().any(|component| !component.errors.is_empty()),
            components,
            leaves: Vec::new(),
            nodes: Vec::new(),
            alphabets: Vec::new(),
            clocks: 1,
            slots: 0,
            fresh,
            unit,
            complete: true,
            bytes: 0,
            crowded: Arc::default(),
        }
    }

    /// The world of one component alone.
    pub fn alone(&self, component: u32) -> (World<'n>, NodeId) {
        let mut world = World::of(self.network, vec![self.components[component as usize].clone()], self.unit);
        let node = world.leaf(0, None);
        (world, node)
    }

    fn add(&mut self, node: Node, alphabet: Alphabet) -> NodeId {
        self.nodes.push(node);
        self.alphabets.push(alphabet);
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// The node of an expression, with all below it.
    fn build(&mut self, expression: &SystemExpr, index: &HashMap<usize, u32>) -> Result<NodeId, Unfit> {
        let component = |process: &ProcessId| index.get(&process.index()).copied().unwrap_or(0);
        if let SystemExpr::Component { process, instance } = expression {
            return Ok(self.leaf(component(process), instance.as_ref().map(|mark| mark.to_string())));
        }
        let (kind, operands) = operators::kind(expression)?;
        let mut nodes = Vec::with_capacity(operands.len());
        for operand in operands {
            nodes.push(match operand {
                Operand::System(system) => self.build(system, index)?,
                Operand::Process(process) => self.leaf(component(&process), None),
            });
        }
        let (operator, alphabet) = (kind.make)(self, nodes)?;
        Ok(self.add(Node::Operator(operator), alphabet))
    }

    /// A slot and a clock for an operator.
    pub(crate) fn own(&mut self) -> Own {
        let own = Own { slot: self.slots as u32, clock: self.clocks as u32 };
        self.slots += 1;
        self.clocks += 1;
        own
    }

    fn leaf(&mut self, component: u32, instance: Option<String>) -> NodeId {
        let own = &self.components[component as usize];
        let alphabet = Alphabet { inputs: own.inputs.clone(), outputs: own.outputs.clone() };
        let leaf = Leaf { component, slot: self.slots as u32, clocks: self.clocks as u32 - 1, instance };
        self.clocks += own.clocks;
        self.slots += 1;
        self.leaves.push(leaf);
        self.add(Node::Leaf(self.leaves.len() as u32 - 1), alphabet)
    }

    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    /// All operators, those below before those above.
    pub fn operators(&self) -> impl Iterator<Item = &dyn Operator> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Leaf(_) => None,
            Node::Operator(operator) => Some(&**operator),
        })
    }

    /// The modes of all operators that have some.
    pub fn modes(&self, slots: &Slots) -> Vec<Mode> {
        self.operators().filter_map(|operator| operator.mode(slots)).collect()
    }

    pub fn alphabet(&self, node: NodeId) -> &Alphabet {
        &self.alphabets[node.0 as usize]
    }

    pub fn action_name(&self, action: u32) -> String {
        match self.is_channel(action) {
            true => action_name(self.network, action),
            false => NEW_INPUT.to_owned(),
        }
    }

    /// Whether an action is a channel of the model; the other one is the new input of quotients.
    pub fn is_channel(&self, action: u32) -> bool {
        (action as usize) < self.network.channels.len()
    }

    pub fn component_of(&self, leaf: u32) -> &Component {
        &self.components[self.leaves[leaf as usize].component as usize]
    }

    pub fn local<'w>(&'w self, leaf: u32, slots: &Slots) -> &'w LocalState {
        let slot = self.leaves[leaf as usize].slot as usize;
        &self.component_of(leaf).states[slots[slot] as usize]
    }

    /// A component in a state that is an error of the model: leaf and error.
    pub fn error(&self, slots: &Slots) -> Option<(u32, u32)> {
        if !self.fallible {
            return None;
        }
        (0..self.leaves.len() as u32).find_map(|leaf| Some((leaf, self.local(leaf, slots).error?)))
    }

    pub fn initial(&self) -> Vec<u32> {
        vec![0; self.slots]
    }

    /// Values of clocks 1, 2, ... at the start.
    pub fn initial_values(&self) -> Vec<i32> {
        let mut values = vec![0; self.clocks - 1];
        for leaf in &self.leaves {
            let own = &self.components[leaf.component as usize].initial_values;
            values[leaf.clocks as usize..leaf.clocks as usize + own.len()].copy_from_slice(own);
        }
        values
    }

    /// A node and all below it, from left to right.
    fn each_below(&self, node: NodeId, visit: &mut dyn FnMut(&Node)) {
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            let node = self.node(node);
            visit(node);
            if let Node::Operator(operator) = node {
                waiting.extend(operator.operands().iter().rev());
            }
        }
    }

    /// All leaves below a node.
    pub fn leaves_of(&self, node: NodeId) -> Vec<u32> {
        let mut leaves = Vec::new();
        self.each_below(node, &mut |node| {
            if let Node::Leaf(leaf) = node {
                leaves.push(*leaf);
            }
        });
        leaves
    }

    /// Whether the leaves below a node act by themselves: see [`Operator::is_flat`].
    pub fn is_flat(&self, node: NodeId) -> bool {
        let mut is_flat = true;
        self.each_below(node, &mut |node| {
            is_flat &= match node {
                Node::Leaf(_) => true,
                Node::Operator(operator) => operator.is_flat(),
            };
        });
        is_flat
    }

    /// All slots of a system.
    pub fn slots_of(&self, node: NodeId) -> Vec<u32> {
        let mut slots = Vec::new();
        self.each_below(node, &mut |node| match node {
            Node::Leaf(leaf) => slots.push(self.leaves[*leaf as usize].slot),
            Node::Operator(operator) => slots.extend(operator.own().map(|own| own.slot)),
        });
        slots
    }

    /// All clocks of a system, ascending.
    pub fn clocks_of(&self, node: NodeId) -> Vec<u32> {
        let mut clocks = Vec::new();
        self.each_below(node, &mut |node| match node {
            Node::Leaf(leaf) => {
                let first = self.leaves[*leaf as usize].clocks + 1;
                clocks.extend(first..first + self.component_of(*leaf).clocks as u32);
            }
            Node::Operator(operator) => clocks.extend(operator.own().map(|own| own.clock)),
        });
        clocks.sort_unstable();
        clocks
    }

    /// The conjunction under which time may pass.
    pub fn invariant(&self, node: NodeId, slots: &Slots, out: &mut Vec<Constraint>) {
        match self.node(node) {
            Node::Leaf(leaf) => {
                let base = self.leaves[*leaf as usize].clocks;
                out.extend(self.local(*leaf, slots).invariant.iter().map(|one| moved(*one, base)));
            }
            Node::Operator(operator) => operator.invariant(self, slots, out),
        }
    }

    /// Clocks that matter from here on, ascending, with their largest constants.
    pub fn active(&self, node: NodeId, slots: &Slots, out: &mut Vec<(u32, i32)>) {
        match self.node(node) {
            Node::Leaf(leaf) => {
                let base = self.leaves[*leaf as usize].clocks;
                let maximal = (base + 1..).zip(&*self.local(*leaf, slots).maximal);
                out.extend(maximal.filter(|(_, m)| **m != ClockBounds::NONE).map(|(clock, m)| (clock, *m)));
            }
            Node::Operator(operator) => operator.active(self, slots, out),
        }
    }

    /// Whether everything is allowed from here on, so that no system can break a rule against this
    /// one.
    pub fn is_permissive(&self, node: NodeId, slots: &Slots) -> bool {
        // What the other side does is looked at all the same where it may fail.
        !self.fallible
            && match self.node(node) {
                Node::Leaf(leaf) => self.local(*leaf, slots).permissive,
                Node::Operator(operator) => operator.is_permissive(self, slots),
            }
    }

    /// Outputs that some valuation may allow; perhaps some twice, perhaps some that none does.
    pub fn possible_outputs(&self, node: NodeId, slots: &Slots, out: &mut Vec<u32>) {
        match self.node(node) {
            Node::Leaf(leaf) => out.extend(self.local(*leaf, slots).outputs.iter().map(|edge| edge.action)),
            Node::Operator(operator) => operator.possible_outputs(self, node, slots, out),
        }
    }

    /// The same, ascending and each once.
    pub fn outputs(&self, node: NodeId, slots: &Slots) -> Vec<u32> {
        let mut outputs = Vec::new();
        self.possible_outputs(node, slots, &mut outputs);
        outputs.sort_unstable();
        outputs.dedup();
        outputs
    }

    /// Inputs, and outputs that some valuation may allow, ascending and each once.
    pub fn actions(&self, node: NodeId, slots: &Slots) -> Vec<u32> {
        let mut actions = self.alphabet(node).inputs.clone();
        self.possible_outputs(node, slots, &mut actions);
        actions.sort_unstable();
        actions.dedup();
        actions
    }

    /// The steps of an action of the system's alphabet.
    pub fn steps(&self, node: NodeId, slots: &Slots, action: u32) -> Vec<Step> {
        match self.node(node) {
            Node::Leaf(leaf) => {
                let local = self.local(*leaf, slots);
                let output = self.alphabet(node).has_output(action);
                let edges = LocalState::edges(if output { &local.outputs } else { &local.inputs }, action);
                edges.iter().map(|edge| self.leaf_step(*leaf, edge)).collect()
            }
            Node::Operator(operator) => operator.steps(self, node, slots, action),
        }
    }

    /// Each of some steps with each of others, unless that is too many.
    pub(crate) fn combined(&self, some: &[Step], others: &[Step]) -> Vec<Step> {
        if self.is_too_many(some.len().saturating_mul(others.len())) {
            return Vec::new();
        }
        some.iter().flat_map(|one| others.iter().map(move |other| one.with(other))).collect()
    }

    /// Notes that steps are left out if there would be so many.
    pub(crate) fn is_too_many(&self, combinations: usize) -> bool {
        if combinations > COMBINATIONS {
            self.crowded.store(true, Ordering::Relaxed);
        }
        combinations > COMBINATIONS
    }

    /// Whether there is no sense in going on: steps were left out, or the question is over.
    pub(crate) fn is_to_stop(&self) -> bool {
        self.crowded.load(Ordering::Relaxed) || allowance::is_over()
    }

    pub(crate) fn leaf_step(&self, leaf: u32, edge: &LocalEdge) -> Step {
        let Leaf { slot, clocks, .. } = self.leaves[leaf as usize];
        let (changes, error) = match edge.target {
            Target::State(target) => (vec![(slot, target)], None),
            Target::Error(error) => (Vec::new(), Some((leaf, error))),
        };
        Step {
            guard: edge.allowed.iter().map(|one| moved(*one, clocks)).collect(),
            resets: edge.resets.iter().map(|(clock, value)| (clock + clocks, *value)).collect(),
            changes,
            taken: vec![(leaf, edge.origin)],
            error,
        }
    }
}

/// The constraint on the clocks of a leaf instead of those of its component.
pub(crate) fn moved(constraint: Constraint, base: u32) -> Constraint {
    let clock = |clock: u32| if clock == 0 { 0 } else { clock + base };
    Constraint { left: clock(constraint.left), right: clock(constraint.right), bound: constraint.bound }
}

fn collect(expression: &SystemExpr, processes: &mut Vec<ProcessId>) {
    let mut waiting = vec![expression];
    while let Some(next) = waiting.pop() {
        if let SystemExpr::Component { process, .. } = next {
            processes.push(*process);
        }
        // What is no operator is refused when its node is made.
        for operand in operators::kind(next).map_or(Vec::new(), |(_, operands)| operands) {
            match operand {
                Operand::System(system) => waiting.push(system),
                Operand::Process(process) => processes.push(process),
            }
        }
    }
}
