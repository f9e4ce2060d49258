//! What is known of a network before anything runs, for walks: which edges may begin a transition and how many ways they
//! have, who their partners are, which gates they wait behind, and what to look at again when a cell changes.
//!
//! Edges are counted per process and per combination of select values; an edge that may begin a transition (internal,
//! sending, or the first of those that share a channel) has tickets, one for every way in which it may be taken.

use crate::alarms::{Alarms, is_narrow};
use crate::gates::{self, Gated};
use crate::partners::{Partner, Partners, guard_has_clocks};
use crate::pieces::{self, Pieces};
use crate::pool::{Bucket, NONE};
use crate::watch::{Watch, Watcher};
use semantics::Direction;
use semantics::code::{ClockBound, ConditionId, range_of};
use semantics::concrete::UNIT;
use semantics::network::{Expr, ExprId, LocationId, Network, ProcessId};
use semantics::reads::{Reads, conjuncts, fixed_bound, reads, reads_in};
use semantics::structure::{Structure, channels_of, may_be_urgent};
use std::collections::{BTreeMap, HashMap};

/// An edge of one process with its select values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor {
    pub process: u32,
    pub bucket: u32,
    /// It has no more ways than this.
    pub tickets: u32,
    /// The gate that it waits behind, or `NONE`, and what the gate's cell must be.
    pub gate: u32,
    pub value: i32,
}

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

/// What many edges wait for: a cell that must have a value, or a channel on which somebody must listen.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub on: On,
    /// The buckets that a value of the cell opens; those of a channel wait for 1.
    open: HashMap<i32, (u32, u32)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum On {
    Cell(u32),
    Channel(u32),
}

impl Gate {
    #[inline]
    pub fn open(&self, value: i32) -> (u32, u32) {
        self.open.get(&value).copied().unwrap_or((0, 0))
    }
}

/// A stretch of fixed bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fixed {
    Bounds(u32, u32),
    /// It depends on the state.
    No,
}

/// Bounds that are the same in every state, so that they need not be computed.
#[derive(Debug, Default)]
pub(crate) struct FixedBounds {
    list: Vec<ClockBound>,
}

impl FixedBounds {
    #[inline]
    pub fn of(&self, (start, end): (u32, u32)) -> &[ClockBound] {
        &self.list[start as usize..end as usize]
    }

    /// The conditions, if each is a clock constraint that does not depend on the state.
    fn add(&mut self, structure: &Structure, process: usize, select: &[i32], conditions: &[ExprId]) -> Fixed {
        let network = structure.network;
        let owner = network.process(ProcessId::new(process));
        let start = self.list.len();
        for part in conditions {
            let Expr::ClockConstraint(constraint) = network.code.expr(*part) else {
                self.list.truncate(start);
                return Fixed::No;
            };
            let Some(bound) = fixed_bound(network, owner, select, constraint) else {
                self.list.truncate(start);
                return Fixed::No;
            };
            self.list.push(bound);
        }
        Fixed::Bounds(start as u32, self.list.len() as u32)
    }
}

/// Why walks cannot run a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

pub struct Tables<'s, 'n> {
    pub(crate) structure: &'s Structure<'n>,
    /// The first edge of each process.
    pub(crate) first: Vec<u32>,
    pub(crate) actors: Vec<Actor>,
    pub(crate) edges: Vec<EdgeTable>,
    pub(crate) buckets: Vec<Bucket>,
    /// The buckets without a gate.
    pub(crate) free: (u32, u32),
    /// The free buckets whose edges may use an urgent channel.
    pub(crate) urgent: (u32, u32),
    /// Some edge that may use an urgent channel has a clock in its guard.
    pub(crate) urgent_by_clocks: bool,
    pub(crate) gates: Vec<Gate>,
    /// The gate of a cell, or `NONE`.
    pub(crate) gate_of: Vec<u32>,
    /// Where the locations of each process start in the next two.
    pub(crate) first_location: Vec<u32>,
    /// The gates whose channels a process listens on in a location; a stretch of the list each.
    listens: Vec<(u32, u32)>,
    listened: Vec<u32>,
    /// The pieces of the invariant of each process in each location, one stretch after the other.
    starts: Vec<u32>,
    pub(crate) pieces: Vec<Piece>,
    /// By edge of a process.
    pub(crate) guards: Vec<Fixed>,
    pub(crate) fixed: FixedBounds,
    pub(crate) receivers: Partners,
    pub(crate) senders: Partners,
    pub(crate) shared: Partners,
    pub(crate) watch: Watch,
    /// By clock, the invariants that mention it.
    pub(crate) clock_watch: Watch,
    pub(crate) alarms: Alarms,
    /// Tickets do not suffice: some edge may have too many ways, or priorities decide.
    pub(crate) lists_only: bool,
    /// No transition comes later than this after the one before, in ticks, where nothing else ends the waiting: every
    /// clock is beyond all constants then.
    pub horizon: i64,
}

/// What tables need that is compiled before the structure is shared.
pub struct Preparation {
    gates: HashMap<u32, Gated>,
    pieces: Pieces,
}

/// A part of the invariant of a process in a location.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub process: u32,
    pub location: LocationId,
    pub condition: ConditionId,
    pub frame: Vec<i32>,
    pub fixed: Fixed,
    /// It compares clocks. Such pieces come first.
    pub bounds: bool,
}

/// Splits guards where that makes walks faster. Before anything else uses the structure.
pub fn prepare(structure: &mut Structure) -> Preparation {
    Preparation { gates: gates::find(structure), pieces: pieces::find(structure) }
}

/// Fewer senders than this are not worth a gate.
const CROWD: usize = 8;
const MOST_CROWDED: usize = 8;

/// More ways than this are listed, not drawn.
const MOST_TICKETS: u64 = 1 << 12;

impl<'s, 'n> Tables<'s, 'n> {
    /// `constant` is the largest number that a query compares a clock with.
    pub fn new(
        structure: &'s Structure<'n>,
        preparation: &Preparation,
        constant: i64,
    ) -> Result<Tables<'s, 'n>, TooLarge> {
        let network = structure.network;
        let partners = |direction| Partners::new(structure, direction).ok_or(TooLarge);
        let (receivers, senders) = (partners(Direction::Receive)?, partners(Direction::Send)?);
        let shared = partners(Direction::Csp)?;
        let edges = edge_tables(structure, &preparation.gates);
        let mut first = Vec::with_capacity(network.processes.len() + 1);
        let mut actors: Vec<Actor> = Vec::new();
        let (mut lists_only, mut urgent_by_clocks) = (structure.has_priorities, false);
        // Buckets in the order: urgent, free, gates; within each by class.
        let mut kinds: BTreeMap<(u32, i32, u32), Vec<u32>> = BTreeMap::new();
        let mut gates: Vec<Gate> = Vec::new();
        let crowded = crowded(structure, &senders, &receivers);
        let mut fixed = FixedBounds::default();
        let mut guards = Vec::new();
        for (n, process) in network.processes.iter().enumerate() {
            first.push(actors.len() as u32);
            let template = network.template(process.template);
            for (x, expanded) in template.expanded.iter().enumerate() {
                let edge = template.edge(expanded.edge);
                let id = structure.edge_id(n, x as u32);
                let (mut gate, mut value) = (NONE, 0);
                if let Some(gated) = preparation.gates.get(&id)
                    && let Some(known) = gated.value(network, n, template.select_values(*expanded))
                {
                    (gate, value) = (gate_on(&mut gates, On::Cell(gated.cell)), known);
                } else if let Some(channel) = structure.known_channel(n, x as u32)
                    && crowded.contains(&channel)
                    && edges[id as usize].acts
                {
                    (gate, value) = (gate_on(&mut gates, On::Channel(channel)), 1);
                }
                let conditions: Vec<ExprId> =
                    match (edge.guard, &edges[id as usize].membership, preparation.gates.get(&id)) {
                        (None, ..) => Vec::new(),
                        // Behind an open gate only the clocks are left to ask.
                        (Some(guard), Membership::Always, Some(gated)) => {
                            conjuncts(&network.code, guard).into_iter().filter(|part| *part != gated.part).collect()
                        }
                        (Some(guard), ..) => conjuncts(&network.code, guard),
                    };
                guards.push(fixed.add(structure, n, template.select_values(*expanded), &conditions));
                let ways =
                    if edges[id as usize].acts { most_ways(structure, n, x as u32, [&receivers, &shared]) } else { 1 };
                lists_only |= ways > MOST_TICKETS;
                let tickets = ways.clamp(1, MOST_TICKETS) as u32;
                let urgent = edge.sync.as_ref().is_some_and(|sync| may_be_urgent(network, &sync.channel));
                urgent_by_clocks |= urgent && guard_has_clocks(structure, n as u32, x as u32);
                let actor = actors.len() as u32;
                if edges[id as usize].acts {
                    let group = if urgent { 0 } else { gate.wrapping_add(2) };
                    kinds.entry((group, value, tickets.next_power_of_two().ilog2())).or_default().push(actor);
                }
                actors.push(Actor { process: n as u32, bucket: NONE, tickets, gate, value });
            }
        }
        first.push(actors.len() as u32);
        let mut buckets: Vec<Bucket> = Vec::new();
        let (mut free, mut urgent) = ((0, 0), (0, 0));
        let mut start = 0;
        for ((group, value, class), members) in kinds {
            let bucket = buckets.len() as u32;
            buckets.push(Bucket { start, class });
            start += members.len() as u32;
            members.iter().for_each(|actor| actors[*actor as usize].bucket = bucket);
            match group {
                0 => (urgent.1, free.1) = (bucket + 1, bucket + 1),
                1 => free.1 = bucket + 1,
                gate => {
                    let open = gates[gate as usize - 2].open.entry(value).or_insert((bucket, bucket));
                    open.1 = bucket + 1;
                }
            }
        }
        let mut gate_of = vec![NONE; network.ints.len()];
        for (n, gate) in gates.iter().enumerate() {
            if let On::Cell(cell) = gate.on {
                gate_of[cell as usize] = n as u32;
            }
        }
        let (mut first_location, mut listens, mut listened) = (Vec::new(), Vec::new(), Vec::new());
        let (mut starts, mut pieces): (Vec<u32>, Vec<Piece>) = (Vec::new(), Vec::new());
        for (n, process) in network.processes.iter().enumerate() {
            first_location.push(listens.len() as u32);
            for l in 0..network.template(process.template).locations.len() {
                starts.push(pieces.len() as u32);
                for code in preparation.pieces.get(&(process.template.index(), l)).into_iter().flatten() {
                    let fixed = fixed.add(structure, n, &code.frame, &[code.expr]);
                    pieces.push(Piece {
                        process: n as u32,
                        location: LocationId::new(l),
                        condition: code.condition,
                        frame: code.frame.clone(),
                        fixed,
                        bounds: code.bounds,
                    });
                }
                let start = listened.len() as u32;
                for (g, gate) in gates.iter().enumerate() {
                    let On::Channel(channel) = gate.on else { continue };
                    let here = |one: &&Partner| one.process == n as u32 && one.location == LocationId::new(l);
                    if receivers.of(channel).iter().any(|one| here(&one)) {
                        listened.push(g as u32);
                    }
                }
                listens.push((start, listened.len() as u32));
            }
        }
        starts.push(pieces.len() as u32);
        let (watch, clock_watch) = watches(structure, &edges, preparation, &pieces);
        let alarms = Alarms::new(structure, &edges, &guards, &fixed);
        let horizon = (greatest_constant(network).max(constant) + 1) * UNIT;
        (free.0, urgent.0) = (0, 0);
        Ok(Tables {
            structure,
            first,
            actors,
            edges,
            buckets,
            free,
            urgent,
            urgent_by_clocks,
            gates,
            gate_of,
            first_location,
            listens,
            listened,
            starts,
            pieces,
            guards,
            fixed,
            receivers,
            senders,
            shared,
            watch,
            clock_watch,
            alarms,
            lists_only,
            horizon,
        })
    }

    pub fn structure(&self) -> &'s Structure<'n> {
        self.structure
    }

    /// The number of an edge among those of all processes.
    #[inline]
    pub(crate) fn actor(&self, process: u32, expanded: u32) -> u32 {
        self.first[process as usize] + expanded
    }

    #[inline]
    pub(crate) fn expanded(&self, actor: u32) -> (u32, u32) {
        let process = self.actors[actor as usize].process;
        (process, actor - self.first[process as usize])
    }

    /// The gates whose channels a process listens on in a location.
    #[inline]
    pub(crate) fn listens(&self, process: u32, location: LocationId) -> &[u32] {
        let (start, end) = self.listens[self.first_location[process as usize] as usize + location.index()];
        &self.listened[start as usize..end as usize]
    }

    /// The pieces of the invariant of a process in a location.
    #[inline]
    pub(crate) fn pieces_at(&self, process: u32, location: LocationId) -> std::ops::Range<u32> {
        let at = self.first_location[process as usize] as usize + location.index();
        self.starts[at]..self.starts[at + 1]
    }

    /// Whether clocks may run at other rates than 1.
    pub fn has_stopwatches(&self) -> bool {
        let network = self.structure.network;
        let mut found = false;
        for location in network.templates.iter().flat_map(|template| &template.locations) {
            if let Some(invariant) = location.invariant {
                network.code.walk(invariant, &mut |_, expr| found |= matches!(expr, Expr::Rate { .. }));
            }
        }
        found
    }

    /// How many edges of processes there are, select values apart.
    pub fn edge_count(&self) -> usize {
        self.actors.len()
    }
}

fn gate_on(gates: &mut Vec<Gate>, on: On) -> u32 {
    let at = gates.iter().position(|gate| gate.on == on).unwrap_or_else(|| {
        gates.push(Gate { on, open: HashMap::new() });
        gates.len() - 1
    });
    at as u32
}

/// Channels to one receiver on which many processes send, so that many would wait in vain while nobody listens.
fn crowded(structure: &Structure, senders: &Partners, receivers: &Partners) -> Vec<u32> {
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

fn edge_tables(structure: &Structure, gates: &HashMap<u32, Gated>) -> Vec<EdgeTable> {
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
fn only_clocks(structure: &Structure, guard: ExprId) -> bool {
    let code = &structure.network.code;
    conjuncts(code, guard).iter().all(|part| matches!(code.expr(*part), Expr::ClockConstraint(_)))
}

/// In how many ways an edge may be taken at most.
fn most_ways(structure: &Structure, process: usize, expanded: u32, [receivers, shared]: [&Partners; 2]) -> u64 {
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
    let ways = |channel: u32| {
        let broadcast = network.channels.get(channel as usize).is_some_and(|one| one.kind.broadcast);
        if sync.direction == Direction::Csp {
            let others = shared.most(structure, channel, process as u32);
            return others.iter().fold(branches, |product, (ways, _)| product.saturating_mul(*ways));
        }
        let others = receivers.most(structure, channel, process as u32);
        if !broadcast {
            return branches.saturating_mul(others.iter().map(|(ways, _)| *ways).sum());
        }
        // Clocks of receivers split the time into pieces.
        let timed: u64 = others.iter().filter(|(_, timed)| *timed).map(|(ways, _)| 2 * ways).sum();
        let product = others.iter().fold(branches, |product, (ways, _)| product.saturating_mul((*ways).max(1)));
        product.saturating_mul(timed + 1)
    };
    channels.into_iter().map(ways).max().unwrap_or(0)
}

fn watches(structure: &Structure, edges: &[EdgeTable], preparation: &Preparation, pieces: &[Piece]) -> (Watch, Watch) {
    let gates = &preparation.gates;
    let network = structure.network;
    let (mut cells, mut clocks) = (Vec::new(), Vec::new());
    let everything = 0..network.ints.len() as u32;
    for n in 0..network.processes.len() {
        let id = ProcessId::new(n);
        let template = network.template_of(id);
        let ints = |reads: &Reads| {
            if reads.everything { vec![everything.clone()] } else { reads.ints.clone() }
        };
        let mut last = NONE;
        for x in 0..template.expanded.len() {
            let edge = structure.edge_id(n, x as u32);
            let table = &edges[edge as usize];
            if edge == last || !table.acts {
                continue;
            }
            last = edge;
            let read: Vec<ExprId> = match (&table.membership, gates.get(&edge)) {
                (Membership::Always, _) => Vec::new(),
                (Membership::Rest(_), Some(gated)) => gated.rest_exprs.clone(),
                _ => template.edge(template.expanded[x].edge).guard.into_iter().collect(),
            };
            for expr in read {
                let found = ints(&reads(network, id, expr));
                cells.extend(found.into_iter().map(|range| (range, Watcher::guard(n, edge))));
            }
        }
    }
    for (n, piece) in pieces.iter().enumerate() {
        let codes = &preparation.pieces;
        let template = network.processes[piece.process as usize].template.index();
        let first = pieces[..n]
            .iter()
            .rev()
            .take_while(|other| other.process == piece.process && other.location == piece.location);
        let within = first.count();
        let Some(code) = codes.get(&(template, piece.location.index())).and_then(|list| list.get(within)) else {
            continue;
        };
        let found = reads_in(network, ProcessId::new(piece.process as usize), &piece.frame, code.expr);
        let ints = if found.everything { vec![everything.clone()] } else { found.ints };
        let watcher = Watcher::invariant(piece.process as usize, n);
        cells.extend(ints.into_iter().map(|range| (range, watcher)));
        clocks.extend(found.clocks.into_iter().map(|range| (range, watcher)));
    }
    (Watch::new(network.ints.len(), cells), Watch::new(network.clocks.len(), clocks))
}

/// The largest number that clocks are compared with, as far as it is known.
fn greatest_constant(network: &Network) -> i64 {
    let mut greatest = 1;
    for (n, process) in network.processes.iter().enumerate() {
        let template = network.template(process.template);
        let guards = template.edges.iter().filter_map(|edge| edge.guard);
        let invariants = template.locations.iter().filter_map(|location| location.invariant);
        for condition in guards.chain(invariants) {
            network.code.walk(condition, &mut |_, expr| {
                if let Expr::ClockConstraint(constraint) = expr {
                    let (lo, hi) = range_of(network, constraint.bound, ProcessId::new(n));
                    let known = |value: &i64| value.abs() < i64::from(i32::MAX);
                    greatest =
                        [lo, hi].iter().filter(|value| known(value)).fold(greatest, |most, one| most.max(one.abs()));
                }
            });
        }
    }
    greatest
}
