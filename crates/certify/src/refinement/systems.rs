//! Timed I/O systems: components, compositions, conjunctions and quotients, and which actions they know.

use crate::interpreter::Interpreter;
use model::check::SystemExpr;
use model::network::*;
use model::syntax::ast::Direction;
use std::collections::{BTreeMap, BTreeSet};

/// An action of the model, or the new input of a quotient: the n-th of the query, from the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    Channel(ChannelId),
    New(usize),
}

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
    pub quotients: usize,
}

impl<'n> Systems<'n> {
    pub fn new(network: &'n Network) -> Systems<'n> {
        Systems { network, leaves: Vec::new(), quotients: 0 }
    }

    pub fn system(&mut self, expression: &SystemExpr) -> System {
        match expression {
            SystemExpr::Component { process, .. } => self.leaf(*process),
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
                let inputs = whole.inputs.union(&part.outputs).copied().chain([Action::New(number)]).collect();
                let own = whole.outputs.difference(&part.outputs).copied();
                let outputs = own.chain(part.inputs.difference(&whole.inputs).copied()).collect();
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
                        parts.push(self.leaf(ProcessId::new(process)));
                    }
                }
                operand => parts.push(self.system(operand)),
            }
        }
        parts
    }

    fn leaf(&mut self, process: ProcessId) -> System {
        self.leaves.push(process);
        let (inputs, outputs) = self.alphabet(process);
        System { kind: Kind::Leaf(self.leaves.len() - 1), inputs, outputs }
    }

    /// What is declared, and the channels of edges; without a declaration an index that depends on the state may be any.
    fn alphabet(&self, process: ProcessId) -> (Actions, Actions) {
        let network = self.network;
        let (mut inputs, mut outputs) = (Actions::new(), Actions::new());
        let mut declared = false;
        for signature in network.io.iter().filter(|io| io.processes.contains(&(process.index() as u32))) {
            declared = true;
            inputs.extend(signature.inputs.iter().map(|channel| Action::Channel(*channel)));
            outputs.extend(signature.outputs.iter().map(|channel| Action::Channel(*channel)));
        }
        let template = network.template_of(process);
        for expanded in &template.expanded {
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
        (inputs, outputs)
    }
}

fn together(parts: Vec<System>) -> Kind {
    let mut who: BTreeMap<Action, Vec<usize>> = BTreeMap::new();
    for (n, part) in parts.iter().enumerate() {
        part.inputs.iter().chain(&part.outputs).for_each(|action| who.entry(*action).or_default().push(n));
    }
    Kind::Together(parts, who)
}

/// What the new input of a quotient is called in files: a name that no channel has.
pub(super) fn new_input_name(network: &Network, number: usize) -> String {
    let mut name = if number == 0 { "i_new".to_owned() } else { format!("i_new({})", number + 1) };
    while (0..network.channels.len()).any(|channel| network.channel_name(ChannelId::new(channel)) == name) {
        name.push('\'');
    }
    name
}
