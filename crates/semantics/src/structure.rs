//! What every process can do, compiled: the edges of each template with their guards, channels and updates as code.
//!
//! Built once per network; everything that runs a network reads it.

use crate::code::{ChannelCode, ClockUpdate, ConditionId, Discrete, Machine, Programs, RunError, UpdateId};
use crate::transitions::Move;
use model::network::{ChannelId, EdgeId, LocationId, LocationKind, Network, ProcessId};
use model::syntax::ast::Direction;

pub struct Structure<'n> {
    pub network: &'n Network,
    pub programs: Programs<'n>,
    pub templates: Vec<TemplateCode>,
    pub before_update: Option<UpdateId>,
    pub after_update: Option<UpdateId>,
    /// Channels and processes have priorities that can block a transition.
    pub has_priorities: bool,
    pub has_urgent_channels: bool,
    pub has_meta: bool,
    /// For CSP style channels the processes that take part, in order.
    alphabets: Vec<Vec<u32>>,
}

pub struct TemplateCode {
    pub locations: Vec<LocationCode>,
    pub edges: Vec<EdgeCode>,
}

pub struct LocationCode {
    pub kind: LocationKind,
    pub invariant: Option<ConditionId>,
    /// Indices into the template's expanded edges, by how they synchronise.
    pub internal: Vec<u32>,
    pub sending: Vec<u32>,
    pub receiving: Vec<u32>,
    pub csp: Vec<u32>,
    /// Some edge names a channel that may be urgent.
    pub may_be_urgent: bool,
}

pub struct EdgeCode {
    pub guard: Option<ConditionId>,
    pub channel: Option<ChannelCode>,
    pub update: Option<UpdateId>,
    pub branches: Vec<BranchCode>,
}

pub struct BranchCode {
    pub target: LocationId,
    pub update: Option<UpdateId>,
    pub select: Vec<i32>,
}

impl<'n> Structure<'n> {
    pub fn new(network: &'n Network) -> Structure<'n> {
        let mut programs = Programs::new(network);
        let mut update = |list: &[model::network::ExprId]| (!list.is_empty()).then(|| programs.update(list));
        let (before_update, after_update) = (update(&network.before_update), update(&network.after_update));
        let templates = (0..network.templates.len()).map(|n| template(network, n, &mut programs)).collect();
        let first = network.processes.first().map_or(0, |process| process.priority);
        Structure {
            network,
            programs,
            templates,
            before_update,
            after_update,
            has_priorities: network.processes.iter().any(|process| process.priority != first)
                || network.channels.iter().any(|channel| channel.priority != network.default_priority),
            has_urgent_channels: network.channels.iter().any(|channel| channel.kind.urgent),
            has_meta: network.ints.iter().any(|cell| cell.meta),
            alphabets: alphabets(network),
        }
    }

    pub fn template(&self, process: usize) -> &TemplateCode {
        &self.templates[self.network.processes[process].template.index()]
    }

    pub fn location(&self, process: usize, location: LocationId) -> &LocationCode {
        &self.template(process).locations[location.index()]
    }

    /// The edge behind an index into the expanded edges of the process's template, and its select values.
    pub fn expanded(&self, process: usize, index: u32) -> (&EdgeCode, &[i32]) {
        let template = self.network.template_of(ProcessId::new(process));
        let expanded = template.expanded[index as usize];
        (&self.template(process).edges[expanded.edge.index()], template.select_values(expanded))
    }

    /// Takes a transition: runs its updates in order and moves its participants. Clock assignments are appended.
    pub fn act(
        &self,
        machine: &mut Machine,
        moves: &[Move],
        state: &mut Discrete,
        clocks: &mut Vec<ClockUpdate>,
    ) -> Result<(), RunError> {
        if self.has_meta {
            for (value, cell) in state.ints.iter_mut().zip(&self.network.ints) {
                if cell.meta {
                    *value = cell.initial;
                }
            }
        }
        let first = ProcessId::new(moves.first().map_or(0, |first| first.process as usize));
        if let Some(before) = self.before_update {
            machine.update(&self.programs, before, first, &[], state, clocks)?;
        }
        for Move { process, expanded, branch } in moves {
            let (edge, select) = self.expanded(*process as usize, *expanded);
            let id = ProcessId::new(*process as usize);
            if let Some(update) = edge.update {
                machine.update(&self.programs, update, id, select, state, clocks)?;
            }
            let branch = &edge.branches[*branch as usize];
            if let Some(update) = branch.update {
                machine.update(&self.programs, update, id, &branch.select, state, clocks)?;
            }
        }
        if let Some(after) = self.after_update {
            machine.update(&self.programs, after, first, &[], state, clocks)?;
        }
        for Move { process, expanded, branch } in moves {
            let (edge, _) = self.expanded(*process as usize, *expanded);
            state.locations[*process as usize] = edge.branches[*branch as usize].target;
        }
        Ok(())
    }

    /// Whether an edge has a clock guard and a channel that may be urgent: how long time may pass then is not convex.
    pub fn has_guarded_urgency(&self) -> bool {
        let network = self.network;
        self.has_urgent_channels
            && network.processes.iter().any(|process| {
                network.template(process.template).edges.iter().any(|edge| {
                    let (Some(sync), Some(guard)) = (&edge.sync, edge.guard) else { return false };
                    let mut on_clocks = false;
                    network.code.walk(guard, &mut |_, expr| {
                        on_clocks |= matches!(expr, model::network::Expr::ClockConstraint(_));
                    });
                    let urgent = |channel: usize| network.channels.get(channel).is_none_or(|one| one.kind.urgent);
                    on_clocks && channels_of(network, process, &sync.channel).into_iter().any(urgent)
                })
            })
    }

    /// The processes that must all take part in a CSP style synchronisation.
    pub fn alphabet(&self, channel: ChannelId) -> &[u32] {
        self.alphabets.get(channel.index()).map_or(&[], Vec::as_slice)
    }
}

fn template(network: &Network, n: usize, programs: &mut Programs<'_>) -> TemplateCode {
    let template = &network.templates[n];
    let update = |programs: &mut Programs<'_>, list: &[model::network::ExprId]| {
        (!list.is_empty()).then(|| programs.update(list))
    };
    let edges: Vec<EdgeCode> = template
        .edges
        .iter()
        .map(|edge| EdgeCode {
            guard: edge.guard.map(|guard| programs.condition(guard)),
            channel: edge.sync.as_ref().map(|sync| programs.channel(&sync.channel)),
            update: update(programs, &edge.update),
            branches: edge
                .branches
                .iter()
                .map(|branch| BranchCode {
                    target: branch.target,
                    update: update(programs, &branch.update),
                    select: branch.select.clone(),
                })
                .collect(),
        })
        .collect();
    let locations = template
        .locations
        .iter()
        .enumerate()
        .map(|(n, location)| {
            let range = template.leaving[n].clone();
            let of = |direction: Option<Direction>| {
                range
                    .clone()
                    .filter(|index| {
                        let edge: EdgeId = template.expanded[*index as usize].edge;
                        template.edge(edge).sync.as_ref().map(|sync| sync.direction) == direction
                    })
                    .collect::<Vec<u32>>()
            };
            let (sending, receiving) = (of(Some(Direction::Send)), of(Some(Direction::Receive)));
            LocationCode {
                kind: location.kind,
                invariant: location.invariant.map(|invariant| programs.condition(invariant)),
                internal: of(None),
                may_be_urgent: sending.iter().chain(&receiving).next().is_some(),
                sending,
                receiving,
                csp: of(Some(Direction::Csp)),
            }
        })
        .collect();
    TemplateCode { locations, edges }
}

/// Who takes part in CSP style synchronisations: the processes whose `IO` list names the channel. Where no list does, all
/// whose template has an edge with a channel that may be this one.
fn alphabets(network: &Network) -> Vec<Vec<u32>> {
    let uses_csp = network
        .templates
        .iter()
        .flat_map(|template| &template.edges)
        .any(|edge| edge.sync.as_ref().is_some_and(|sync| sync.direction == Direction::Csp));
    if !uses_csp {
        return Vec::new();
    }
    let mut alphabets: Vec<Vec<u32>> = vec![Vec::new(); network.channels.len()];
    for signature in &network.io {
        for channel in &signature.shared {
            if let Some(list) = alphabets.get_mut(channel.index()) {
                list.extend(signature.processes.clone());
            }
        }
    }
    let declared: Vec<bool> = alphabets.iter().map(|list| !list.is_empty()).collect();
    for (n, process) in network.processes.iter().enumerate() {
        for edge in &network.template(process.template).edges {
            let Some(sync) = edge.sync.as_ref().filter(|sync| sync.direction == Direction::Csp) else { continue };
            for channel in channels_of(network, process, &sync.channel) {
                if !declared.get(channel).copied().unwrap_or(true) {
                    alphabets[channel].push(n as u32);
                }
            }
        }
    }
    for list in &mut alphabets {
        list.sort_unstable();
        list.dedup();
    }
    alphabets
}

/// Every channel that a place may stand for.
fn channels_of(network: &Network, process: &model::network::Process, place: &model::network::Place) -> Vec<usize> {
    use model::network::Base;
    let first = match &place.base {
        Base::Global => 0,
        Base::Local => process.state.channels,
        Base::Parameter(n) => process.references.get(*n as usize).map_or(0, |reference| reference.offset.channels),
        _ => return Vec::new(),
    };
    let mut list = vec![(first + place.offset.channels) as usize];
    for index in &place.indices {
        let elements = match network.code.expr(index.value) {
            model::network::Expr::Int(value) => {
                let at = (i64::from(*value) - i64::from(index.lo)).clamp(0, i64::from(index.len) - 1) as usize;
                at..at + 1
            }
            _ => 0..index.len as usize,
        };
        let stride = index.stride.channels as usize;
        list = list.iter().flat_map(|first| elements.clone().map(move |n| first + n * stride)).collect();
    }
    list
}
