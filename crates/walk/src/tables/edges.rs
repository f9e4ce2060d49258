//! The edges of all templates: how to find out whether one may begin a transition, in how many ways, and on which channels
//! many would wait in vain.

use crate::alarms::is_narrow;
use crate::gates::{self, Gated};
use crate::partners::{Most, Partner, Partners};
use model::network::{Expr, ExprId, LocationId, ProcessId};
use model::syntax::ast::Direction;
use semantics::reads::{conjuncts, reads};
use semantics::structure::{Structure, channels_of};
use std::collections::HashMap;

/// How to find out whether an edge is in the pool.
#[derive(Clone, Debug)]
pub(crate) enum Membership {
    /// Its guard is about clocks only, or about its gate.
    Always,
    Guard,
    /// Its guard is about clocks only, but what they are compared with depends on the state. It is looked at again when that
    /// changes, because it may sleep.
    Clocks,
    /// The parts of the guard beside its gate.
    Rest(Vec<semantics::code::ConditionId>),
}

#[derive(Clone, Debug)]
pub(crate) struct EdgeTable {
    /// Its expanded edges, counted within the template.
    pub expanded: std::ops::Range<u32>,
    pub source: LocationId,
    pub membership: Membership,
    /// It may begin a transition.
    pub acts: bool,
}

impl EdgeTable {
    /// Whether it is looked at again when a cell that its guard reads changes.
    pub fn is_watched(&self) -> bool {
        matches!(self.membership, Membership::Guard | Membership::Clocks)
    }
}

/// Fewer senders than this are not worth a gate.
const CROWD: usize = 8;
const MOST_CROWDED: usize = 8;

/// Channels to one receiver on which many processes send, so that many would wait in vain while nobody listens.
pub(super) fn crowded(structure: &Structure, senders: &Partners, receivers: &Partners) -> Vec<u32> {
    let network = structure.network;
    let is_crowded = |channel: &u32| {
        let kind = network.channels[*channel as usize].kind;
        let count = senders.of(*channel).len();
        let fixed = |list: &[Partner]| list.iter().all(|partner| !partner.varies);
        !kind.broadcast
            && !kind.urgent
            && count >= CROWD
            && receivers.of(*channel).len() <= CROWD * count
            && fixed(senders.of(*channel))
            && fixed(receivers.of(*channel))
    };
    let mut found: Vec<u32> = (0..network.channels.len() as u32).filter(is_crowded).collect();
    found.sort_by_key(|channel| std::cmp::Reverse(senders.of(*channel).len()));
    found.truncate(MOST_CROWDED);
    found
}

pub(super) fn edge_tables(structure: &Structure, gates: &HashMap<u32, Gated>) -> Vec<EdgeTable> {
    let network = structure.network;
    let unused = EdgeTable { expanded: 0..0, source: LocationId::new(0), membership: Membership::Always, acts: false };
    let mut tables = vec![unused; structure.edge_count()];
    for t in 0..network.templates.len() {
        let template = &network.templates[t];
        let Some(process) = gates::of_template(network, t).first().copied() else { continue };
        for (x, expanded) in template.expanded.iter().enumerate() {
            let id = structure.edge_id(process, x as u32);
            let edge = template.edge(expanded.edge);
            let table = &mut tables[id as usize];
            if table.expanded.is_empty() {
                table.expanded = x as u32..x as u32 + 1;
            }
            table.expanded.end = x as u32 + 1;
            table.source = edge.source;
            table.acts = edge.sync.as_ref().is_none_or(|sync| sync.direction != Direction::Receive);
            table.membership = match (gates.get(&id), edge.guard) {
                (Some(gated), _) if gated.rest.is_empty() => Membership::Always,
                (Some(gated), _) => Membership::Rest(gated.rest.clone()),
                (None, Some(guard)) if !only_clocks(structure, guard) => Membership::Guard,
                (None, Some(guard)) => match reads(network, ProcessId::new(process), guard) {
                    found if found.is_constant() || !is_narrow(&found) => Membership::Always,
                    _ => Membership::Clocks,
                },
                _ => Membership::Always,
            };
        }
    }
    tables
}

/// Whether a guard is a conjunction of clock constraints.
pub(super) fn only_clocks(structure: &Structure, guard: ExprId) -> bool {
    let code = &structure.network.code;
    conjuncts(code, guard).iter().all(|part| matches!(code.expr(*part), Expr::ClockConstraint(_)))
}

/// What is known about the partners on each channel that was asked for.
pub(super) struct Ways<'p> {
    /// Those who receive, and those who share.
    partners: [&'p Partners; 2],
    received: HashMap<u32, Most>,
    shared: HashMap<u32, Most>,
}

impl<'p> Ways<'p> {
    pub fn new(partners: [&'p Partners; 2]) -> Ways<'p> {
        Ways { partners, received: HashMap::new(), shared: HashMap::new() }
    }
}

/// In how many ways an edge may be taken at most.
pub(super) fn most_ways(structure: &Structure, process: usize, expanded: u32, known: &mut Ways) -> u64 {
    let network = structure.network;
    let owner = network.process(ProcessId::new(process));
    let template = network.template(owner.template);
    let edge = template.edge(template.expanded[expanded as usize].edge);
    let branches = edge.branches.len() as u64;
    let Some(sync) = &edge.sync else { return branches };
    let channels: Vec<u32> = match structure.known_channel(process, expanded) {
        Some(channel) => vec![channel],
        None => channels_of(network, owner, &sync.channel).into_iter().map(|channel| channel as u32).collect(),
    };
    let but = process as u32;
    let ways = |channel: u32| {
        let broadcast = network.channels.get(channel as usize).is_some_and(|one| one.kind.broadcast);
        if sync.direction == Direction::Csp {
            let shared = known.shared.entry(channel).or_insert_with(|| known.partners[1].most(structure, channel));
            return if shared.all_can(but) { branches.saturating_mul(shared.product(but)) } else { 0 };
        }
        let others = known.received.entry(channel).or_insert_with(|| known.partners[0].most(structure, channel));
        if !broadcast {
            return branches.saturating_mul(others.sum(but));
        }
        // Clocks of receivers split the time into pieces.
        branches.saturating_mul(others.product(but)).saturating_mul(2 * others.timed(but) + 1)
    };
    channels.into_iter().map(ways).max().unwrap_or(0)
}
