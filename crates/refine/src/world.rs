//! Systems: components and operators over them, never built, always asked on the fly.
//!
//! A [`World`] holds everything one query speaks about: the components, each with its own clocks however often it occurs,
//! and the tree of operators. The discrete state of a world is a list of slots, one per occurrence of a component (its local
//! state) and one per quotient (its mode). A system is a [`NodeId`]; it has an alphabet, an invariant (a conjunction) and
//! [`Step`]s, each with a conjunction of constraints, resets and changed slots.
//!
//! - Composition: an output of one is an input of all others that know it; it stays an output.
//! - Conjunction: common actions together, the others alone.
//! - Quotient: see `quotient.rs`.
//!
//! Compositions of compositions are one node with many children, and likewise for conjunctions: both are associative.

use crate::alphabet::Alphabet;
use crate::component::{Component, LocalEdge, LocalState, Origin, Target, action_name, gcd};
use crate::error::{GoOn, Unfit};
pub use crate::unfold::Starts;
use crate::unfold::unfold;
use semantics::model::check::SystemExpr;
use semantics::network::{Network, ProcessId};
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
    /// The new input of all quotients: one action, whichever side they are on and however they are nested. It is the first after those of
    /// the model, or the channel of its name if there is one that no component outputs: so components that were written for quotients have it.
    pub fresh: u32,
    /// Model time per unit of the constants here.
    pub unit: u32,
    /// Some component has an evaluation that fails.
    fallible: bool,
    /// Components have all the local states that were asked for.
    pub complete: bool,
    /// About what the components take.
    pub bytes: u64,
    /// Some state had too many steps, and some of them were left out: what was found is there, and nothing else is known.
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
    Compose { children: Vec<NodeId>, parts: HashMap<u32, Vec<Part>> },
    Conjoin { children: Vec<NodeId>, parts: HashMap<u32, Vec<Part>> },
    Quotient(Quotient),
}

/// A child that takes part in an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub child: NodeId,
    pub output: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Quotient {
    pub whole: NodeId,
    pub part: NodeId,
    /// The slot of its mode.
    pub mode: u32,
    /// Runs while the quotient is inconsistent.
    pub clock: u32,
}

/// What the new input of quotients is called.
pub const NEW_INPUT: &str = "i_new";

/// What a system can do: where `guard` holds, the resets and changes happen.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Step {
    pub guard: Vec<Constraint>,
    pub resets: Vec<(u32, i32)>,
    pub changes: Vec<(u32, u32)>,
    /// Which edges of which leaves are taken; ignored inputs have no edge.
    pub taken: Vec<(u32, Option<Origin>)>,
    /// An evaluation that fails: leaf and error.
    pub error: Option<(u32, u32)>,
}

impl Step {
    /// Both at once.
    pub fn with(&self, other: &Step) -> Step {
        let mut both = self.clone();
        both.guard.extend_from_slice(&other.guard);
        both.resets.extend_from_slice(&other.resets);
        both.changes.extend_from_slice(&other.changes);
        both.taken.extend_from_slice(&other.taken);
        both.error = both.error.or(other.error);
        both
    }

    /// The same, only where the constraints hold as well.
    pub fn only_where(&self, constraints: &[Constraint]) -> Step {
        let mut step = self.clone();
        step.guard.extend_from_slice(constraints);
        step
    }
}

impl<'n> World<'n> {
    /// The world of some expressions, and their nodes.
    pub fn new(
        structure: &Structure<'n>,
        expressions: &[&SystemExpr],
        go_on: &mut GoOn<'_>,
    ) -> Result<(World<'n>, Vec<NodeId>), Unfit> {
        World::with_constants(structure, expressions, &[], Starts::Initial, go_on)
    }

    /// The same where further constants have to fit the unit of time, and with other local states than those that are reachable.
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
            let unfolding = unfold(structure, *process, starts, &mut |bytes| go_on(held + bytes))?;
            held += unfolding.bytes();
            unfoldings.push(unfolding);
        }
        let complete = unfoldings.iter().all(|unfolding| unfolding.complete);
        let unit = constants.iter().fold(0, |divisor, constant| gcd(divisor, constant.unsigned_abs()));
        let unit = unfoldings.iter().fold(unit, |divisor, unfolding| unfolding.divisor(divisor)).max(1);
        // One after the other makes room for the next.
        let mut components = Vec::with_capacity(unfoldings.len());
        for unfolding in unfoldings {
            if !go_on(held) {
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
            .map(|expression| world.node(expression, &index))
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

    fn node(&mut self, expression: &SystemExpr, index: &HashMap<usize, u32>) -> Result<NodeId, Unfit> {
        match expression {
            SystemExpr::Component { process, instance } => {
                let component = index.get(&process.index()).copied().unwrap_or(0);
                Ok(self.leaf(component, instance.as_ref().map(|mark| mark.to_string())))
            }
            SystemExpr::Compose(..) | SystemExpr::All { .. } => {
                let children = self.children(expression, index)?;
                let alphabets: Vec<&Alphabet> = children.iter().map(|child| self.alphabet(*child)).collect();
                let alphabet = Alphabet::compose(&alphabets, &|action| self.action_name(action))?;
                let parts = self.parts(&children);
                Ok(self.add(Node::Compose { children, parts }, alphabet))
            }
            SystemExpr::Conjoin(..) => {
                let children = self.children(expression, index)?;
                let alphabets: Vec<&Alphabet> = children.iter().map(|child| self.alphabet(*child)).collect();
                let alphabet = Alphabet::conjoin(&alphabets, &|action| self.action_name(action))?;
                let parts = self.parts(&children);
                Ok(self.add(Node::Conjoin { children, parts }, alphabet))
            }
            SystemExpr::Quotient(whole, part) => {
                let (whole, part) = (self.node(whole, index)?, self.node(part, index)?);
                let name = |action| self.action_name(action);
                let alphabet = Alphabet::quotient(self.alphabet(whole), self.alphabet(part), self.fresh, &name)?;
                let (mode, clock) = (self.slots as u32, self.clocks as u32);
                self.slots += 1;
                self.clocks += 1;
                Ok(self.add(Node::Quotient(Quotient { whole, part, mode, clock }), alphabet))
            }
        }
    }

    /// The operands of a chain of one associative operator.
    fn children(&mut self, expression: &SystemExpr, index: &HashMap<usize, u32>) -> Result<Vec<NodeId>, Unfit> {
        let is_composition = !matches!(expression, SystemExpr::Conjoin(..));
        let mut children = Vec::new();
        let mut waiting = vec![expression];
        while let Some(next) = waiting.pop() {
            match next {
                SystemExpr::Compose(left, right) if is_composition => waiting.extend([&**right, &**left]),
                SystemExpr::Conjoin(left, right) if !is_composition => waiting.extend([&**right, &**left]),
                SystemExpr::All { first, len } if is_composition => {
                    for process in first.index()..first.index() + *len as usize {
                        let component = index.get(&process).copied().unwrap_or(0);
                        children.push(self.leaf(component, None));
                    }
                }
                operand => children.push(self.node(operand, index)?),
            }
        }
        Ok(children)
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

    fn parts(&self, children: &[NodeId]) -> HashMap<u32, Vec<Part>> {
        let mut parts: HashMap<u32, Vec<Part>> = HashMap::new();
        for &child in children {
            let alphabet = self.alphabet(child);
            let inputs = alphabet.inputs.iter().map(|action| (*action, false));
            for (action, output) in alphabet.outputs.iter().map(|action| (*action, true)).chain(inputs) {
                parts.entry(action).or_default().push(Part { child, output });
            }
        }
        parts
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

    /// All leaves below a node.
    pub fn leaves_of(&self, node: NodeId) -> Vec<u32> {
        let mut leaves = Vec::new();
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            match &self.nodes[node.0 as usize] {
                Node::Leaf(leaf) => leaves.push(*leaf),
                Node::Compose { children, .. } | Node::Conjoin { children, .. } => {
                    waiting.extend(children.iter().rev());
                }
                Node::Quotient(quotient) => waiting.extend([quotient.part, quotient.whole]),
            }
        }
        leaves
    }

    pub fn has_quotient(&self, node: NodeId) -> bool {
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            match &self.nodes[node.0 as usize] {
                Node::Leaf(_) => {}
                Node::Compose { children, .. } | Node::Conjoin { children, .. } => waiting.extend(children),
                Node::Quotient(_) => return true,
            }
        }
        false
    }

    /// All clocks of a system, ascending.
    pub fn clocks_of(&self, node: NodeId) -> Vec<u32> {
        let mut clocks = Vec::new();
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            match &self.nodes[node.0 as usize] {
                Node::Leaf(leaf) => {
                    let first = self.leaves[*leaf as usize].clocks + 1;
                    clocks.extend(first..first + self.component_of(*leaf).clocks as u32);
                }
                Node::Compose { children, .. } | Node::Conjoin { children, .. } => waiting.extend(children),
                Node::Quotient(quotient) => {
                    clocks.push(quotient.clock);
                    waiting.extend([quotient.part, quotient.whole]);
                }
            }
        }
        clocks.sort_unstable();
        clocks
    }

    /// The conjunction under which time may pass.
    pub fn invariant(&self, node: NodeId, slots: &Slots, out: &mut Vec<Constraint>) {
        match &self.nodes[node.0 as usize] {
            Node::Leaf(leaf) => {
                let base = self.leaves[*leaf as usize].clocks;
                out.extend(self.local(*leaf, slots).invariant.iter().map(|one| moved(*one, base)));
            }
            Node::Compose { children, .. } | Node::Conjoin { children, .. } => {
                children.iter().for_each(|child| self.invariant(*child, slots, out));
            }
            Node::Quotient(quotient) => quotient.invariant(slots, out),
        }
    }

    /// Clocks that matter from here on, ascending, with their largest constants.
    pub fn active(&self, node: NodeId, slots: &Slots, out: &mut Vec<(u32, i32)>) {
        match &self.nodes[node.0 as usize] {
            Node::Leaf(leaf) => {
                let base = self.leaves[*leaf as usize].clocks;
                let maximal = (base + 1..).zip(&*self.local(*leaf, slots).maximal);
                out.extend(maximal.filter(|(_, m)| **m != ClockBounds::NONE).map(|(clock, m)| (clock, *m)));
            }
            Node::Compose { children, .. } | Node::Conjoin { children, .. } => {
                children.iter().for_each(|child| self.active(*child, slots, out));
            }
            Node::Quotient(quotient) => quotient.active(self, slots, out),
        }
    }

    /// Whether everything is allowed from here on, so that no system can break a rule against this one.
    pub fn is_permissive(&self, node: NodeId, slots: &Slots) -> bool {
        // What the other side does is looked at all the same where it may fail.
        !self.fallible
            && match &self.nodes[node.0 as usize] {
                Node::Leaf(leaf) => self.local(*leaf, slots).permissive,
                Node::Compose { children, .. } | Node::Conjoin { children, .. } => {
                    children.iter().all(|child| self.is_permissive(*child, slots))
                }
                Node::Quotient(quotient) => slots[quotient.mode as usize] == crate::quotient::UNIVERSAL,
            }
    }

    /// Outputs that some valuation may allow; perhaps some twice, perhaps some that none does.
    pub fn possible_outputs(&self, node: NodeId, slots: &Slots, out: &mut Vec<u32>) {
        match &self.nodes[node.0 as usize] {
            Node::Leaf(leaf) => out.extend(self.local(*leaf, slots).outputs.iter().map(|edge| edge.action)),
            Node::Compose { children, .. } | Node::Conjoin { children, .. } => {
                children.iter().for_each(|child| self.possible_outputs(*child, slots, out));
            }
            Node::Quotient(_) => out.extend(&self.alphabet(node).outputs),
        }
    }

    /// The steps of an action of the system's alphabet.
    pub fn steps(&self, node: NodeId, slots: &Slots, action: u32) -> Vec<Step> {
        match &self.nodes[node.0 as usize] {
            Node::Leaf(leaf) => {
                let local = self.local(*leaf, slots);
                let output = self.alphabet(node).has_output(action);
                let edges = LocalState::edges(if output { &local.outputs } else { &local.inputs }, action);
                edges.iter().map(|edge| self.leaf_step(*leaf, edge)).collect()
            }
            Node::Compose { parts, .. } | Node::Conjoin { parts, .. } => {
                let Some(parts) = parts.get(&action) else { return Vec::new() };
                let mut joint = vec![Step::default()];
                for part in parts {
                    joint = self.combined(&joint, &self.steps(part.child, slots, action));
                    if joint.is_empty() {
                        break;
                    }
                }
                joint
            }
            Node::Quotient(quotient) => quotient.steps(self, node, slots, action),
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
        match next {
            SystemExpr::Component { process, .. } => processes.push(*process),
            SystemExpr::All { first, len } => {
                processes.extend((first.index()..first.index() + *len as usize).map(ProcessId::new));
            }
            SystemExpr::Compose(left, right) | SystemExpr::Conjoin(left, right) | SystemExpr::Quotient(left, right) => {
                waiting.extend([&**left, &**right])
            }
        }
    }
}
