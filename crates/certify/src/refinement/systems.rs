//! Timed I/O systems: components, compositions, conjunctions and quotients, and which actions they know.
//!
//! The actions of a system follow from its expression alone, not from where it stands: a system on one side of `<=` has those that it has on the
//! other. So the new input of quotients is one action for all of them.

use crate::interpreter::Interpreter;
use model::check::SystemExpr;
use model::network::*;
use model::syntax::ast::{Direction, Name};
use std::collections::{BTreeMap, BTreeSet};

/// An action of the model, or the new input of quotients, unless a channel stands for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    Channel(ChannelId),
    New,
}

/// So many edges are looked at before the caller is asked again.
const TICKS: usize = 256;

/// The channel that stands for the new input of quotients if no component outputs it.
const NEW_INPUT: &str = "i_new";

pub(super) type Actions = BTreeSet<Action>;

pub(super) struct System {
    pub kind: Kind,
    pub inputs: Actions,
    pub outputs: Actions,
}

pub(super) enum Kind {
    /// The n-th occurrence of a component, from the left.
    Leaf(usize),
    /// Composition and conjunction move alike; their alphabets differ. With the operands that know an action.
    Together(Vec<System>, BTreeMap<Action, Vec<usize>>),
    /// The n-th quotient, inner ones first.
    Quotient { whole: Box<System>, part: Box<System>, number: usize },
}

impl System {
    pub fn knows(&self, action: Action) -> bool {
        self.inputs.contains(&action) || self.outputs.contains(&action)
    }
}

/// Turns expressions into systems and counts what occurs in them.
pub(super) struct Systems<'n> {
    network: &'n Network,
    /// The component of each occurrence.
    pub leaves: Vec<ProcessId>,
    /// The marks by which a query tells occurrences of one component apart.
    pub instances: Vec<Option<Name>>,
    pub quotients: usize,
    /// The new input of quotients.
    pub new_input: Action,
    known: BTreeMap<ProcessId, (Actions, Actions)>,
}

impl<'n> Systems<'n> {
    /// The two sides of a query, or one system twice.
    pub fn of(network: &'n Network, left: &SystemExpr, right: &SystemExpr) -> (Systems<'n>, System, System) {
        let mut systems = Systems::none(network, &[left, right]);
        let (left, right) = (systems.system(left), systems.system(right));
        (systems, left, right)
    }

    /// One system alone.
    pub fn one(network: &'n Network, system: &SystemExpr) -> (Systems<'n>, System) {
        let mut systems = Systems::none(network, &[system]);
        let system = systems.system(system);
        (systems, system)
    }

    /// Before there are any.
    pub fn none(network: &'n Network, expressions: &[&SystemExpr]) -> Systems<'n> {
        let (leaves, instances, known) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut systems = Systems { network, leaves, instances, quotients: 0, new_input: Action::New, known };
        let mut channels = (0..network.channels.len()).map(ChannelId::new);
        let named = channels.find(|channel| network.channel_name(*channel) == NEW_INPUT).map(Action::Channel);
        let processes: Vec<ProcessId> = expressions.iter().flat_map(|expression| components(expression)).collect();
        if let Some(action) = named
            && !processes.into_iter().any(|process| systems.alphabet(process).1.contains(&action))
        {
            systems.new_input = action;
        }
        systems
    }

    pub fn system(&mut self, expression: &SystemExpr) -> System {
        match expression {
            SystemExpr::Component { process, instance } => self.leaf(*process, instance.clone()),
            SystemExpr::Compose(..) | SystemExpr::All { .. } => {
                let parts = self.operands(expression, true);
                let outputs: Actions = parts.iter().flat_map(|part| part.outputs.iter().copied()).collect();
                let inputs = parts.iter().flat_map(|part| &part.inputs).filter(|action| !outputs.contains(action));
                System { inputs: inputs.copied().collect(), outputs, kind: together(parts) }
            }
            SystemExpr::Conjoin(..) => {
                let parts = self.operands(expression, false);
                System {
                    inputs: parts.iter().flat_map(|part| part.inputs.iter().copied()).collect(),
                    outputs: parts.iter().flat_map(|part| part.outputs.iter().copied()).collect(),
                    kind: together(parts),
                }
            }
            SystemExpr::Quotient(whole, part) => {
                let (whole, part) = (self.system(whole), self.system(part));
                let number = self.quotients;
                self.quotients += 1;
                let inputs: Actions = whole.inputs.union(&part.outputs).copied().chain([self.new_input]).collect();
                let own = whole.outputs.difference(&part.outputs).chain(part.inputs.difference(&whole.inputs));
                // A dividend that has no quotients ignores the new input, and so it is never for the quotient to output.
                let outputs = own.copied().filter(|action| *action != self.new_input).collect();
                let (whole, part) = (Box::new(whole), Box::new(part));
                System { inputs, outputs, kind: Kind::Quotient { whole, part, number } }
            }
        }
    }

    /// The operands of a chain of compositions, or of conjunctions.
    fn operands(&mut self, expression: &SystemExpr, composed: bool) -> Vec<System> {
        let mut parts = Vec::new();
        let mut waiting = vec![expression];
        while let Some(next) = waiting.pop() {
            match next {
                SystemExpr::Compose(left, right) if composed => waiting.extend([&**right, &**left]),
                SystemExpr::Conjoin(left, right) if !composed => waiting.extend([&**right, &**left]),
                SystemExpr::All { first, len } if composed => {
                    for process in first.index()..first.index() + *len as usize {
                        parts.push(self.leaf(ProcessId::new(process), None));
                    }
                }
                operand => parts.push(self.system(operand)),
            }
        }
        parts
    }

    fn leaf(&mut self, process: ProcessId, instance: Option<Name>) -> System {
        self.leaves.push(process);
        self.instances.push(instance);
        let (inputs, outputs) = self.alphabet(process);
        System { kind: Kind::Leaf(self.leaves.len() - 1), inputs, outputs }
    }

    /// Finds out the actions of all components, as long as the caller wants; whether it did to the end.
    pub fn prepare(&mut self, expressions: &[&SystemExpr], go_on: &mut dyn FnMut() -> bool) -> bool {
        expressions.iter().flat_map(|expression| components(expression)).all(|process| {
            if self.known.contains_key(&process) {
                return true;
            }
            let alphabet = self.component(process, go_on);
            alphabet.map(|alphabet| self.known.insert(process, alphabet)).is_some()
        })
    }

    fn alphabet(&mut self, process: ProcessId) -> (Actions, Actions) {
        if let Some(known) = self.known.get(&process) {
            return known.clone();
        }
        let alphabet = self.component(process, &mut || true).unwrap_or_default();
        self.known.insert(process, alphabet.clone());
        alphabet
    }

    /// What is declared, and the channels of edges; without a declaration an index that depends on the state may be any.
    fn component(&self, process: ProcessId, go_on: &mut dyn FnMut() -> bool) -> Option<(Actions, Actions)> {
        let network = self.network;
        let (mut inputs, mut outputs) = (Actions::new(), Actions::new());
        let mut declared = false;
        for signature in network.io.iter().filter(|io| io.processes.contains(&(process.index() as u32))) {
            declared = true;
            inputs.extend(signature.inputs.iter().map(|channel| Action::Channel(*channel)));
            outputs.extend(signature.outputs.iter().map(|channel| Action::Channel(*channel)));
        }
        let template = network.template_of(process);
        for (n, expanded) in template.expanded.iter().enumerate() {
            if n % TICKS == 0 && !go_on() {
                return None;
            }
            let Some(sync) = template.edge(expanded.edge).sync.as_ref() else { continue };
            let mut interpreter = Interpreter::constant(network, Some(process));
            interpreter.label(Some(process), template.select_values(*expanded));
            let base = Place { indices: Vec::new(), ..sync.channel.clone() };
            let Ok(first) = interpreter.channel(&base, sync.span) else { continue };
            let mut channels = vec![first.index()];
            for index in &sync.channel.indices {
                let steps: Vec<usize> = match interpreter.int(index.value) {
                    Ok(value) => usize::try_from(i64::from(value) - i64::from(index.lo)).into_iter().collect(),
                    Err(_) if declared => Vec::new(),
                    Err(_) => (0..index.len as usize).collect(),
                };
                let stride = index.stride.channels as usize;
                channels = channels.iter().flat_map(|at| steps.iter().map(move |step| at + step * stride)).collect();
            }
            let list = if sync.direction == Direction::Send { &mut outputs } else { &mut inputs };
            list.extend(channels.into_iter().map(|channel| Action::Channel(ChannelId::new(channel))));
        }
        Some((inputs, outputs))
    }
}

fn together(parts: Vec<System>) -> Kind {
    let mut who: BTreeMap<Action, Vec<usize>> = BTreeMap::new();
    for (n, part) in parts.iter().enumerate() {
        part.inputs.iter().chain(&part.outputs).for_each(|action| who.entry(*action).or_default().push(n));
    }
    Kind::Together(parts, who)
}

/// The components of an expression.
fn components(expression: &SystemExpr) -> Vec<ProcessId> {
    let (mut found, mut waiting) = (Vec::new(), vec![expression]);
    while let Some(next) = waiting.pop() {
        match next {
            SystemExpr::Component { process, .. } => found.push(*process),
            SystemExpr::All { first, len } => {
                found.extend((first.index()..first.index() + *len as usize).map(ProcessId::new));
            }
            SystemExpr::Compose(left, right) | SystemExpr::Conjoin(left, right) | SystemExpr::Quotient(left, right) => {
                waiting.extend([&**left, &**right]);
            }
        }
    }
    found
}

/// What an action is called. Where no channel stands for the new input of quotients, it has a name that no channel has.
pub(super) fn action_name(network: &Network, action: Action) -> String {
    let channel_name = |channel| network.channel_name(ChannelId::new(channel));
    match action {
        Action::Channel(channel) => channel_name(channel.index()),
        Action::New => {
            let mut name = NEW_INPUT.to_owned();
            while (0..network.channels.len()).any(|channel| channel_name(channel) == name) {
                name.push('\'');
            }
            name
        }
    }
}
