//! What every process can do, compiled: the edges of each template with their guards, channels and updates as code.
//!
//! Built once per network; everything that runs a network reads it.

use crate::code::{ChannelCode, ClockUpdate, ConditionId, Discrete, Effects, Machine, Programs, RunError, UpdateId};
use crate::transitions::{Combinations, Move};
use model::network::{ChannelId, EdgeId, ExpandedEdge, LocationId, LocationKind, Network, ProcessId};
use model::syntax::ast::Direction;
use std::sync::Arc;

pub struct Structure<'n> {
    pub network: &'n Network,
    pub programs: Programs<'n>,
    /// The locations and edges of all templates, template by template.
    locations: Vec<LocationCode>,
    edges: Vec<EdgeCode>,
    /// The expanded edges of all templates.
    expanded: Vec<Expanded>,
    /// Per process where its template's locations and expanded edges begin.
    processes: Vec<Begin>,
    /// Channels of expanded edges that depend on the process only: `channels[process.channels + expanded]`.
    channels: Vec<u32>,
    pub before_update: Option<UpdateId>,
    pub after_update: Option<UpdateId>,
    /// Channels and processes have priorities that can block a transition.
    pub has_priorities: bool,
    pub has_urgent_channels: bool,
    /// The cells that start anew with every transition.
    pub meta: Vec<u32>,
    /// For CSP style channels the processes that take part, in order.
    alphabets: Vec<Vec<u32>>,
    /// Names of broadcasts whose receivers clocks choose.
    pub(crate) combinations: Arc<Combinations>,
}

struct TemplateCode {
    locations: Vec<LocationCode>,
    edges: Vec<EdgeCode>,
}

#[derive(Clone, Copy)]
struct Begin {
    locations: u32,
    expanded: u32,
    /// `NONE`: the channels of the process are not known beforehand.
    channels: u32,
}

#[derive(Clone, Copy)]
struct Expanded {
    edge: u32,
    template: u32,
    original: ExpandedEdge,
}

/// Stands for a channel that is only known in a state.
const NONE: u32 = u32::MAX;

/// So many channels are computed beforehand, no more.
const CHANNELS: usize = 1 << 22;

/// What a process in a location adds to the work that a state makes. Bits of one byte per process.
pub mod marks {
    pub const COMMITTED: u8 = 1;
    /// Committed or urgent.
    pub const NO_DELAY: u8 = 2;
    pub const INVARIANT: u8 = 4;
    /// Some edge may synchronise over an urgent channel.
    pub const URGENT_EDGE: u8 = 8;
    /// Some clock is active.
    pub const CLOCKS: u8 = 16;

    /// The processes with one of the marks, in order.
    #[inline]
    pub fn with(marks: &[u8], wanted: u8) -> impl Iterator<Item = usize> + '_ {
        let (blocks, rest) = marks.as_chunks::<8>();
        let wide = u64::from_ne_bytes([wanted; 8]);
        let block = move |(n, block): (usize, &[u8; 8])| {
            let mut found = u64::from_le_bytes(*block) & wide;
            std::iter::from_fn(move || {
                let at = found.trailing_zeros() as usize / 8;
                (found != 0).then(|| {
                    found &= !(0xff << (8 * at));
                    8 * n + at
                })
            })
        };
        let tail = blocks.len() * 8;
        let rest = rest.iter().enumerate().filter(move |(_, mark)| **mark & wanted != 0).map(move |(n, _)| tail + n);
        blocks.iter().enumerate().flat_map(block).chain(rest)
    }

    #[inline]
    pub fn any(marks: &[u8], wanted: u8) -> bool {
        marks.iter().fold(0, |all, mark| all | mark) & wanted != 0
    }
}

pub struct LocationCode {
    /// All but [`marks::CLOCKS`], which is for the owner of the clocks to know.
    pub marks: u8,
    pub kind: LocationKind,
    /// How far into the control flow it lies.
    pub level: u32,
    pub invariant: Option<ConditionId>,
    /// Indices into the template's expanded edges, by how they synchronise.
    pub internal: Vec<u32>,
    pub sending: Vec<u32>,
    pub receiving: Vec<u32>,
    pub csp: Vec<u32>,
}

pub struct EdgeCode {
    /// There are select variables.
    pub selects: bool,
    pub guard: Option<ConditionId>,
    /// The guard reads select variables.
    pub guard_selects: bool,
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
        let (mut locations, mut edges, mut expanded, mut begins) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for n in 0..network.templates.len() {
            let code = template(network, n, &mut programs);
            begins.push(Begin { locations: locations.len() as u32, expanded: expanded.len() as u32, channels: NONE });
            let first = edges.len() as u32;
            expanded.extend(network.templates[n].expanded.iter().map(|original| Expanded {
                edge: first + original.edge.index() as u32,
                template: n as u32,
                original: *original,
            }));
            locations.extend(code.locations);
            edges.extend(code.edges);
        }
        let first = network.processes.first().map_or(0, |process| process.priority);
        let mut structure = Structure {
            network,
            programs,
            locations,
            edges,
            expanded,
            processes: network.processes.iter().map(|process| begins[process.template.index()]).collect(),
            channels: Vec::new(),
            before_update,
            after_update,
            has_priorities: network.processes.iter().any(|process| process.priority != first)
                || network.channels.iter().any(|channel| channel.priority != network.default_priority),
            has_urgent_channels: network.channels.iter().any(|channel| channel.kind.urgent),
            meta: (0..network.ints.len() as u32).filter(|n| network.ints[*n as usize].meta).collect(),
            alphabets: alphabets(network),
            combinations: Arc::default(),
        };
        structure.find_channels();
        structure
    }

    /// Evaluates the channels that do not depend on the state.
    fn find_channels(&mut self) {
        let initial = Discrete::initial(self.network);
        let mut machine = Machine::default();
        for process in 0..self.processes.len() {
            let count = self.network.template_of(ProcessId::new(process)).expanded.len();
            if self.channels.len() + count > CHANNELS || allowance::is_over() {
                return;
            }
            let start = self.channels.len() as u32;
            for index in 0..count as u32 {
                let (edge, select) = self.expanded(process, index);
                let code = edge.channel.filter(|code| code.fixed);
                let id = ProcessId::new(process);
                // An error is one of the state in which the edge is looked at.
                let known = code.and_then(|code| machine.channel(&self.programs, code, id, select, &initial).ok());
                self.channels.push(known.map_or(NONE, |channel| channel.index() as u32));
            }
            self.processes[process].channels = start;
        }
    }

    #[inline]
    pub fn location(&self, process: usize, location: LocationId) -> &LocationCode {
        &self.locations[self.processes[process].locations as usize + location.index()]
    }

    /// The edge behind an index into the expanded edges of the process's template, and its select values.
    #[inline]
    pub fn expanded(&self, process: usize, index: u32) -> (&EdgeCode, &[i32]) {
        let expanded = &self.expanded[(self.processes[process].expanded + index) as usize];
        let edge = &self.edges[expanded.edge as usize];
        let select = match edge.selects {
            true => self.network.templates[expanded.template as usize].select_values(expanded.original),
            false => &[],
        };
        (edge, select)
    }

    /// The edge behind an expanded one, whichever values its select variables have.
    #[inline]
    pub fn edge_id(&self, process: usize, index: u32) -> u32 {
        self.expanded[(self.processes[process].expanded + index) as usize].edge
    }

    /// Whether an expanded edge synchronises CSP style.
    #[inline]
    pub fn is_shared(&self, process: usize, index: u32) -> bool {
        if self.alphabets.is_empty() {
            return false;
        }
        let template = self.network.template_of(ProcessId::new(process));
        let expanded = template.expanded.get(index as usize);
        let sync = expanded.and_then(|expanded| template.edge(expanded.edge).sync.as_ref());
        sync.is_some_and(|sync| sync.direction == Direction::Csp)
    }

    /// How many edges all templates have together.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The channel of an expanded edge, if it is always the same.
    #[inline]
    pub fn known_channel(&self, process: usize, index: u32) -> Option<u32> {
        let start = self.processes[process].channels;
        let channel = if start == NONE { NONE } else { self.channels[(start + index) as usize] };
        (channel != NONE).then_some(channel)
    }

    /// Takes a transition: runs its updates in order and moves its participants. Clock assignments are appended.
    pub fn act(
        &self,
        machine: &mut Machine,
        moves: &[Move],
        state: &mut Discrete,
        clocks: &mut Vec<ClockUpdate>,
    ) -> Result<(), RunError> {
        self.act_by(moves, state, |update, process, select, state| {
            machine.update(&self.programs, update, process, select, state, clocks)
        })
    }

    /// As [`Structure::act`], noting which integers are written, also before an error. Meta variables that are not
    /// written are at their initial values already.
    pub fn act_noting(
        &self,
        machine: &mut Machine,
        moves: &[Move],
        state: &mut Discrete,
        effects: &mut Effects,
    ) -> Result<(), RunError> {
        self.act_by(moves, state, |update, process, select, state| {
            machine.update_noting(&self.programs, update, process, select, state, effects)
        })
    }

    fn act_by(
        &self,
        moves: &[Move],
        state: &mut Discrete,
        mut run: impl FnMut(UpdateId, ProcessId, &[i32], &mut Discrete) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let first = ProcessId::new(moves.first().map_or(0, |first| first.process as usize));
        if let Some(before) = self.before_update {
            run(before, first, &[], state)?;
        }
        for Move { process, expanded, branch } in moves {
            let (edge, select) = self.expanded(*process as usize, *expanded);
            let id = ProcessId::new(*process as usize);
            if let Some(update) = edge.update {
                run(update, id, select, state)?;
            }
            let branch = &edge.branches[*branch as usize];
            if let Some(update) = branch.update {
                run(update, id, &branch.select, state)?;
            }
        }
        if let Some(after) = self.after_update {
            run(after, first, &[], state)?;
        }
        for Move { process, expanded, branch } in moves {
            let (edge, _) = self.expanded(*process as usize, *expanded);
            state.locations[*process as usize] = edge.branches[*branch as usize].target;
        }
        // Meta variables live within one transition; no state shows what they held in it.
        for cell in &self.meta {
            state.ints[*cell as usize] = self.network.ints[*cell as usize].initial;
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
            selects: !edge.select.is_empty(),
            guard: edge.guard.map(|guard| programs.condition(guard)),
            guard_selects: edge.guard.is_some_and(|guard| reads_frame(network, guard)),
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
    let levels = crate::levels::levels(template);
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
            let urgent = range.clone().any(|index| {
                let sync = template.edge(template.expanded[index as usize].edge).sync.as_ref();
                sync.is_some_and(|sync| may_be_urgent(network, &sync.channel))
            });
            let mark = |set: bool, mark: u8| if set { mark } else { 0 };
            LocationCode {
                marks: mark(location.kind == LocationKind::Committed, marks::COMMITTED)
                    | mark(location.kind != LocationKind::Normal, marks::NO_DELAY)
                    | mark(location.invariant.is_some(), marks::INVARIANT)
                    | mark(urgent, marks::URGENT_EDGE),
                kind: location.kind,
                level: levels[n],
                invariant: location.invariant.map(|invariant| programs.condition(invariant)),
                internal: of(None),
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

/// Whether an expression may read select variables, which are the first cells of its frame.
fn reads_frame(network: &Network, expr: model::network::ExprId) -> bool {
    use model::network::{Argument, Base, Expr};
    let mut found = false;
    network.code.walk(expr, &mut |_, expr| {
        found |= match expr {
            Expr::Read(place) => matches!(place.base, Base::Frame | Base::FrameReference(_)),
            Expr::Call { arguments, .. } => arguments
                .iter()
                .any(|argument| matches!(argument, Argument::Reference(place) if place.base == Base::Frame)),
            _ => false,
        };
    });
    found
}

/// Whether a place may stand for an urgent channel.
pub fn may_be_urgent(network: &Network, place: &model::network::Place) -> bool {
    if place.base != model::network::Base::Global {
        return network.channels.iter().any(|channel| channel.kind.urgent);
    }
    let Some(process) = network.processes.first() else { return false };
    channels_of(network, process, place).into_iter().any(|channel| network.channels[channel].kind.urgent)
}

/// Every channel that a place may stand for.
pub fn channels_of(network: &Network, process: &model::network::Process, place: &model::network::Place) -> Vec<usize> {
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
            // An array may be empty.
            model::network::Expr::Int(value) if index.len > 0 => {
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
