//! The edges of all processes, and the buckets from which those that may begin a transition are drawn.

use super::edges::{Ways, crowded, most_ways};
use super::{Actor, EdgeTable, Fixed, FixedBounds, Gate, Membership, On, Preparation, TooLarge};
use crate::partners::{Partners, guard_has_clocks};
use crate::pool::{Bucket, NONE};
use model::network::{ExpandedEdge, ExprId};
use semantics::reads::conjuncts;
use semantics::structure::{Structure, may_be_urgent};
use std::collections::{BTreeMap, HashMap};

/// More ways than this are listed, not drawn.
const MOST_TICKETS: u64 = 1 << 12;

pub(super) struct Actors {
    /// The first edge of each process, and the number of all edges.
    pub first: Vec<u32>,
    pub actors: Vec<Actor>,
    pub gates: Vec<Gate>,
    /// By edge of a process.
    pub guards: Vec<Fixed>,
    pub fixed: FixedBounds,
    /// Some edge may have too many ways, or priorities decide.
    pub lists_only: bool,
    /// Some edge that may use an urgent channel has a clock in its guard.
    pub urgent_by_clocks: bool,
    /// Those that may begin a transition by group (0: urgent, 1: free, then the gates), value of the gate and class, which is
    /// the order of the buckets.
    members: BTreeMap<(u32, i32, u32), Vec<u32>>,
}

/// The buckets in the order: urgent, free, gates; within each by class.
pub(super) struct Buckets {
    pub list: Vec<Bucket>,
    pub free: (u32, u32),
    pub urgent: (u32, u32),
}

/// What is known before the edges are looked at one by one.
struct Known<'t, 's, 'n> {
    structure: &'s Structure<'n>,
    preparation: &'t Preparation,
    edges: &'t [EdgeTable],
    crowded: Vec<u32>,
    ways: Ways<'t>,
}

impl Actors {
    pub fn new(
        structure: &Structure,
        preparation: &Preparation,
        edges: &[EdgeTable],
        [senders, receivers, shared]: [&Partners; 3],
    ) -> Result<Actors, TooLarge> {
        let (crowded, ways) = (crowded(structure, senders, receivers), Ways::new([receivers, shared]));
        let mut known = Known { structure, preparation, edges, crowded, ways };
        let network = structure.network;
        let mut all = Actors {
            first: Vec::with_capacity(network.processes.len() + 1),
            actors: Vec::new(),
            gates: Vec::new(),
            guards: Vec::new(),
            fixed: FixedBounds::default(),
            lists_only: structure.has_priorities,
            urgent_by_clocks: false,
            members: BTreeMap::new(),
        };
        for (n, process) in network.processes.iter().enumerate() {
            if allowance::is_over() {
                return Err(TooLarge);
            }
            all.first.push(all.actors.len() as u32);
            for (x, expanded) in network.template(process.template).expanded.iter().enumerate() {
                all.add(&mut known, n, x as u32, *expanded);
            }
        }
        all.first.push(all.actors.len() as u32);
        Ok(all)
    }

    fn add(&mut self, known: &mut Known, process: usize, x: u32, expanded: ExpandedEdge) {
        let (structure, network) = (known.structure, known.structure.network);
        let template = network.template(network.processes[process].template);
        let (edge, select) = (template.edge(expanded.edge), template.select_values(expanded));
        let id = structure.edge_id(process, x);
        let acts = known.edges[id as usize].acts;
        let (gate, value) = self.gate(known, process, x, select);
        self.guards.push(self.fixed.add(structure, process, select, &conditions(known, id, edge.guard)));
        let ways = if acts { most_ways(structure, process, x, &mut known.ways) } else { 1 };
        self.lists_only |= ways > MOST_TICKETS;
        let tickets = ways.clamp(1, MOST_TICKETS) as u32;
        let urgent = edge.sync.as_ref().is_some_and(|sync| may_be_urgent(network, &sync.channel));
        self.urgent_by_clocks |= urgent && guard_has_clocks(structure, process as u32, x);
        if acts {
            let group = if urgent { 0 } else { gate.wrapping_add(2) };
            let bucket = (group, value, tickets.next_power_of_two().ilog2());
            self.members.entry(bucket).or_default().push(self.actors.len() as u32);
        }
        self.actors.push(Actor { process: process as u32, bucket: NONE, tickets, gate, value });
    }

    /// The gate that an edge waits behind, or `NONE`, and what opens it.
    fn gate(&mut self, known: &Known, process: usize, x: u32, select: &[i32]) -> (u32, i32) {
        let structure = known.structure;
        let id = structure.edge_id(process, x);
        if let Some(gated) = known.preparation.gates.get(&id)
            && let Some(value) = gated.value(structure.network, process, select)
        {
            return (self.gate_on(On::Cell(gated.cell)), value);
        }
        if let Some(channel) = structure.known_channel(process, x)
            && known.crowded.contains(&channel)
            && known.edges[id as usize].acts
        {
            return (self.gate_on(On::Channel(channel)), 1);
        }
        (NONE, 0)
    }

    fn gate_on(&mut self, on: On) -> u32 {
        let at = self.gates.iter().position(|gate| gate.on == on).unwrap_or_else(|| {
            self.gates.push(Gate { on, open: HashMap::new() });
            self.gates.len() - 1
        });
        at as u32
    }

    /// Puts the edges that may begin a transition into buckets; gates learn which of them they open.
    pub fn buckets(&mut self) -> Buckets {
        let mut list: Vec<Bucket> = Vec::new();
        let (mut free, mut urgent) = (0, 0);
        let mut start = 0;
        for ((group, value, class), members) in std::mem::take(&mut self.members) {
            let bucket = list.len() as u32;
            list.push(Bucket { start, class });
            start += members.len() as u32;
            members.iter().for_each(|actor| self.actors[*actor as usize].bucket = bucket);
            match group {
                0 => (urgent, free) = (bucket + 1, bucket + 1),
                1 => free = bucket + 1,
                gate => {
                    let open = self.gates[gate as usize - 2].open.entry(value).or_insert((bucket, bucket));
                    open.1 = bucket + 1;
                }
            }
        }
        Buckets { list, free: (0, free), urgent: (0, urgent) }
    }
}

/// The parts of a guard that are left to ask.
fn conditions(known: &Known, id: u32, guard: Option<ExprId>) -> Vec<ExprId> {
    let code = &known.structure.network.code;
    match (guard, &known.edges[id as usize].membership, known.preparation.gates.get(&id)) {
        (None, ..) => Vec::new(),
        // Behind an open gate only the clocks are left.
        (Some(guard), Membership::Always, Some(gated)) => {
            conjuncts(code, guard).into_iter().filter(|part| *part != gated.part).collect()
        }
        (Some(guard), ..) => conjuncts(code, guard),
    }
}
