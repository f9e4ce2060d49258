//! Operators of a network: internal edges, pairs of a sending and a receiving edge, senders of broadcasts with whoever hears
//! them, and for CSP style channels all that synchronise on one. Edges are counted with their select values and branches.
//!
//! An *action* is one process's part: an edge with select values and a branch. Actions are numbered process by process; a pair
//! of actions gets the number of its operator when it is first met, since a network of thousands of processes has millions of pairs.

use crate::guidance::Operator;
use model::network::{ChannelId, Network, ProcessId, TemplateId};
use model::syntax::ast::Direction;
use semantics::structure::{Structure, channels_of};
use semantics::transitions::Move;
use std::collections::{BTreeSet, HashMap};

/// Stands for no partner.
pub const ALONE: u32 = u32::MAX;
/// Stands beside a channel on which all synchronise.
const TOGETHER: u32 = u32::MAX - 1;

/// More pairs are not counted one by one.
const PAIRS: u64 = 50_000_000;

pub struct Operators {
    /// The first action of each process, and one more entry at the end.
    first: Vec<u32>,
    /// For each template the first action of each expanded edge, from the process's first on.
    expanded: Vec<Vec<u32>>,
    templates: Vec<TemplateId>,
    ids: HashMap<(u32, u32), Operator>,
    list: Vec<(u32, u32)>,
    total: u64,
}

impl Operators {
    pub fn new(structure: &Structure) -> Operators {
        let network = structure.network;
        let mut expanded = Vec::with_capacity(network.templates.len());
        let mut sizes = Vec::with_capacity(network.templates.len());
        for template in &network.templates {
            let mut next = 0;
            let starts = template.expanded.iter().map(|expanded| {
                let start = next;
                next += template.edge(expanded.edge).branches.len() as u32;
                start
            });
            expanded.push(starts.collect());
            sizes.push(next);
        }
        let templates: Vec<TemplateId> = network.processes.iter().map(|process| process.template).collect();
        let mut first = vec![0];
        for template in &templates {
            let last = first.last().copied().unwrap_or(0);
            first.push(last + sizes[template.index()]);
        }
        let total = count(structure);
        Operators { first, expanded, templates, ids: HashMap::new(), list: Vec::new(), total }
    }

    /// How many actions all processes have.
    pub fn actions(&self) -> usize {
        self.first.last().copied().unwrap_or(0) as usize
    }

    /// How many operators there are.
    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn action(&self, process: usize, expanded: u32, branch: u32) -> u32 {
        self.first[process] + self.expanded[self.templates[process].index()][expanded as usize] + branch
    }

    /// The operator of a sender (or an internal edge) and its partner.
    pub fn of_pair(&mut self, pair: (u32, u32)) -> Operator {
        let Operators { ids, list, .. } = self;
        *ids.entry(pair).or_insert_with(|| {
            list.push(pair);
            list.len() as Operator - 1
        })
    }

    /// All that synchronise on a channel.
    pub fn together(channel: usize) -> (u32, u32) {
        (channel as u32, TOGETHER)
    }

    pub fn pair(&self, operator: Operator) -> (u32, u32) {
        self.list.get(operator as usize).copied().unwrap_or((ALONE, ALONE))
    }

    /// The operator of a transition.
    pub fn of_moves(&mut self, structure: &Structure, moves: &[Move], channel: Option<ChannelId>) -> Operator {
        let action = |one: &Move| self.action(one.process as usize, one.expanded, one.branch);
        let pair = match (moves, channel) {
            ([first, ..], Some(channel)) if structure.is_shared(first.process as usize, first.expanded) => {
                Operators::together(channel.index())
            }
            ([first, ..], Some(channel)) if structure.network.channels[channel.index()].kind.broadcast => {
                (action(first), ALONE)
            }
            ([first, second, ..], _) => (action(first), action(second)),
            ([first], _) => (action(first), ALONE),
            ([], _) => (ALONE, ALONE),
        };
        self.of_pair(pair)
    }

    pub fn bytes(&self) -> usize {
        self.ids.capacity() * 16 + self.list.capacity() * 8 + self.first.capacity() * 4
    }
}

/// How an edge synchronises, and over which channels it may.
pub fn channels(structure: &Structure, process: usize, index: u32) -> (Option<Direction>, Vec<u32>) {
    let network = structure.network;
    let id = ProcessId::new(process);
    let template = network.template_of(id);
    let Some(sync) = &template.edge(template.expanded[index as usize].edge).sync else { return (None, Vec::new()) };
    let channels = match structure.known_channel(process, index) {
        Some(channel) => vec![channel],
        None => channels_of(network, network.process(id), &sync.channel).into_iter().map(|n| n as u32).collect(),
    };
    (Some(sync.direction), channels)
}

/// Edges that synchronise: who, how many branches, which channels.
struct Party {
    process: usize,
    branches: u64,
    channels: Vec<u32>,
}

/// Counts the operators without making them.
fn count(structure: &Structure) -> u64 {
    let network: &Network = structure.network;
    let (mut total, mut senders, mut receivers, mut together) = (0, Vec::new(), Vec::new(), BTreeSet::new());
    for process in 0..network.processes.len() {
        let template = network.template_of(ProcessId::new(process));
        for index in 0..template.expanded.len() as u32 {
            let branches = template.edge(template.expanded[index as usize].edge).branches.len() as u64;
            let (direction, channels) = channels(structure, process, index);
            let broadcast = channels.first().is_some_and(|channel| network.channels[*channel as usize].kind.broadcast);
            match direction {
                None => total += branches,
                Some(Direction::Send) if broadcast => total += branches,
                Some(Direction::Receive) if broadcast => {}
                Some(Direction::Send) => senders.push(Party { process, branches, channels }),
                Some(Direction::Receive) => receivers.push(Party { process, branches, channels }),
                Some(Direction::Csp) => together.extend(channels),
            }
        }
    }
    let mut listening: HashMap<u32, Vec<usize>> = HashMap::new();
    for (n, receiver) in receivers.iter().enumerate() {
        receiver.channels.iter().for_each(|channel| listening.entry(*channel).or_default().push(n));
    }
    let mut looked = 0;
    for sender in &senders {
        let lists = sender.channels.iter().filter_map(|channel| listening.get(channel));
        let mut partners: Vec<usize> = lists.flatten().copied().collect();
        looked += partners.len() as u64;
        if looked > PAIRS {
            break;
        }
        partners.sort_unstable();
        partners.dedup();
        let other = partners.iter().map(|n| &receivers[*n]).filter(|receiver| receiver.process != sender.process);
        total += sender.branches * other.map(|receiver| receiver.branches).sum::<u64>();
    }
    total + together.len() as u64
}
