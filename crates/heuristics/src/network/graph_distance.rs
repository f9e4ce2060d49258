//! Graph distances `dL` and `dU` (after Edelkamp, Leue & Lluch Lafuente 2004; docs/algorithms.md §3.3).
//!
//! A process that must be in a location counts the edges on the shortest way there in its own graph, guards and clocks ignored;
//! edges that never find a partner are left out. What must hold together counts as its sum (`dU`) or as its maximum (`dL`);
//! of alternatives the smallest counts. A cell outside of its range, and any other condition that is false, counts 1; with `dU` a
//! cell counts its difference from the range, up to a limit. Clock constraints count nothing.
//!
//! Since a transition moves each process along one edge at most, `dL` never exceeds the true distance; `dU` may. Where no way
//! leads to a location, or a cell outside of its range is written nowhere, the goal is out of reach: such dead ends are reliable.
//!
//! The parts of the goal are evaluated once for the state that is explored. A successor evaluates those parts again that are
//! about a process that moved or a cell that was written, and sums, maxima and minima follow from how many parts have which
//! value. So an estimate costs what a transition changes, not how many processes there are.

use super::conditions::{Conditions, Truth};
use super::operators::channels;
use model::network::{EdgeId, ExprId, LocationId, Network, ProcessId};
use model::syntax::ast::Direction;
use semantics::code::{Discrete, IntId};
use semantics::formula::{Formula, of_predicate};
use semantics::location_distance::{NO_WAY, to_location};
use semantics::packing::written;
use semantics::reads::reads_in;
use semantics::structure::Structure;
use semantics::zone_graph::Sketch;
use std::collections::{BTreeMap, HashMap};

/// How the distances of what must hold together are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joined {
    /// `dL`
    Maximum,
    /// `dU`
    Sum,
}

/// The goal is out of reach.
const FAR: u32 = NO_WAY;
/// What the difference of a cell counts at most.
const DIFFERENCE: i64 = 64;
/// A part that reads more cells is looked at after every step.
const CELLS: usize = 1 << 12;

enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    At {
        process: u32,
        table: u32,
    },
    /// Not in this location, which can be left or not.
    Elsewhere {
        process: u32,
        location: LocationId,
        leaves: bool,
    },
    Cell {
        cell: u32,
        lo: i64,
        hi: i64,
        written: bool,
    },
    Condition {
        id: IntId,
        frame: Box<[i32]>,
        holds: bool,
    },
    Unknown,
}

pub struct GraphDistance<'n> {
    network: &'n Network,
    joined: Joined,
    conditions: Conditions<'n>,
    tables: Tables,
    /// The parts of the goal, and whether one of them is enough.
    parts: Vec<Node>,
    alternatives: bool,
    /// Which parts are about a process, about a cell, and about more than can be said.
    of_process: Vec<Vec<u32>>,
    of_cell: HashMap<u32, Vec<u32>>,
    of_anything: Vec<u32>,
    /// Of the state that was entered: the value of each part, how many parts have which, and their sum.
    values: Vec<u32>,
    counts: BTreeMap<u32, u32>,
    sum: u64,
    /// Parts that a successor has changed, and a mark for each part that is there.
    changed: Vec<(u32, u32)>,
    marks: Vec<u32>,
    mark: u32,
}

/// Distances by template and location.
struct Tables {
    usable: Vec<Vec<bool>>,
    ids: HashMap<(usize, usize), u32>,
    list: Vec<Vec<u32>>,
    targets: Vec<(usize, LocationId)>,
    /// Without one edge.
    without: HashMap<(u32, u32), Vec<u32>>,
}

impl<'n> GraphDistance<'n> {
    pub fn new(structure: &Structure<'n>, goal: ExprId, joined: Joined) -> GraphDistance<'n> {
        let network = structure.network;
        let mut distance = GraphDistance {
            network,
            joined,
            conditions: Conditions::new(network),
            tables: Tables {
                usable: usable(structure),
                ids: HashMap::new(),
                list: Vec::new(),
                targets: Vec::new(),
                without: HashMap::new(),
            },
            parts: Vec::new(),
            alternatives: false,
            of_process: vec![Vec::new(); network.processes.len()],
            of_cell: HashMap::new(),
            of_anything: Vec::new(),
            values: Vec::new(),
            counts: BTreeMap::new(),
            sum: 0,
            changed: Vec::new(),
            marks: Vec::new(),
            mark: 0,
        };
        let is_written = written(network);
        let parts = match of_predicate(network, goal) {
            Formula::Or(parts) => {
                distance.alternatives = true;
                parts
            }
            Formula::And(parts) => parts,
            one => vec![one],
        };
        for part in &parts {
            distance.index(part);
            let node = distance.node(part, &is_written);
            distance.parts.push(node);
        }
        distance.marks = vec![0; distance.parts.len()];
        distance
    }

    /// Notes what the next part is about.
    fn index(&mut self, formula: &Formula) {
        let part = self.parts.len() as u32;
        let note = |list: &mut Vec<u32>| {
            if list.last() != Some(&part) {
                list.push(part);
            }
        };
        let mut waiting = vec![formula];
        while let Some(formula) = waiting.pop() {
            match formula {
                Formula::And(parts) | Formula::Or(parts) => waiting.extend(parts),
                Formula::At { process, .. } => note(&mut self.of_process[*process as usize]),
                Formula::Cell { cell, .. } => note(self.of_cell.entry(*cell).or_default()),
                Formula::Condition { expr, frame, .. } => {
                    let reads = reads_in(self.network, ProcessId::new(0), frame, *expr);
                    let cells: usize = reads.ints.iter().map(|range| range.len()).sum();
                    if reads.everything || cells > CELLS {
                        note(&mut self.of_anything);
                    } else {
                        reads
                            .ints
                            .iter()
                            .cloned()
                            .flatten()
                            .for_each(|cell| note(self.of_cell.entry(cell).or_default()));
                    }
                }
                Formula::Unknown => {}
            }
        }
    }

    fn node(&mut self, formula: &Formula, is_written: &[bool]) -> Node {
        match formula {
            Formula::And(parts) => Node::And(parts.iter().map(|part| self.node(part, is_written)).collect()),
            Formula::Or(parts) => Node::Or(parts.iter().map(|part| self.node(part, is_written)).collect()),
            Formula::At { process, location, holds: true } => {
                Node::At { process: *process, table: self.tables.to(self.network, *process as usize, *location) }
            }
            Formula::At { process, location, holds: false } => {
                let template = self.network.process(ProcessId::new(*process as usize)).template.index();
                let edges = self.network.templates[template].edges.iter().zip(&self.tables.usable[template]);
                let mut leaving = edges.filter(|(edge, usable)| **usable && edge.source == *location);
                let leaves = leaving.any(|(edge, _)| edge.branches.iter().any(|branch| branch.target != *location));
                Node::Elsewhere { process: *process, location: *location, leaves }
            }
            Formula::Cell { cell, lo, hi } => {
                let written = is_written.get(*cell as usize).copied().unwrap_or(true);
                Node::Cell { cell: *cell, lo: *lo, hi: *hi, written }
            }
            Formula::Condition { expr, frame, holds } => {
                Node::Condition { id: self.conditions.compile(*expr), frame: frame.clone(), holds: *holds }
            }
            Formula::Unknown => Node::Unknown,
        }
    }

    /// The distance of a state, which becomes the one that successors are compared with; `None` where the goal is out of reach.
    pub fn enter(&mut self, state: &Discrete) -> Option<u32> {
        self.values.clear();
        self.counts.clear();
        self.sum = 0;
        for part in &self.parts {
            let value = evaluate(part, state, &self.tables, &mut self.conditions, self.joined);
            self.values.push(value);
            *self.counts.entry(value).or_default() += 1;
            self.sum += u64::from(value);
        }
        self.total()
    }

    /// The distance of a successor of the state that was entered.
    pub fn estimate(&mut self, sketch: &Sketch<'_>) -> Option<u32> {
        self.mark = self.mark.wrapping_add(1);
        self.changed.clear();
        let Self { of_process, of_cell, of_anything, changed, marks, mark, .. } = self;
        let mut add = |parts: &[u32]| {
            for part in parts {
                if std::mem::replace(&mut marks[*part as usize], *mark) != *mark {
                    changed.push((*part, 0));
                }
            }
        };
        sketch.moves.iter().for_each(|one| add(&of_process[one.process as usize]));
        if !of_cell.is_empty() {
            sketch.written.iter().filter_map(|(cell, _)| of_cell.get(cell)).for_each(|parts| add(parts));
        }
        add(of_anything);
        for n in 0..self.changed.len() {
            let part = self.changed[n].0;
            let value =
                evaluate(&self.parts[part as usize], sketch.target, &self.tables, &mut self.conditions, self.joined);
            let before = self.values[part as usize];
            self.changed[n].1 = value;
            self.move_count(before, value);
        }
        let total = self.total();
        for n in 0..self.changed.len() {
            let (part, value) = self.changed[n];
            self.move_count(value, self.values[part as usize]);
        }
        total
    }

    fn move_count(&mut self, from: u32, to: u32) {
        if from == to {
            return;
        }
        self.sum = self.sum + u64::from(to) - u64::from(from);
        if self.joined == Joined::Sum && !self.alternatives && from != FAR && to != FAR {
            return;
        }
        if let Some(count) = self.counts.get_mut(&from) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&from);
            }
        }
        *self.counts.entry(to).or_default() += 1;
    }

    fn total(&self) -> Option<u32> {
        let (first, last) = (self.counts.keys().next(), self.counts.keys().next_back());
        match (self.alternatives, self.joined) {
            // Without alternatives nothing is reached; without parts everything is.
            (true, _) => first.copied().filter(|value| *value != FAR),
            (false, _) if last == Some(&FAR) => None,
            (false, Joined::Maximum) => Some(last.copied().unwrap_or(0)),
            (false, Joined::Sum) => Some(u32::try_from(self.sum).unwrap_or(FAR - 1).min(FAR - 1)),
        }
    }

    /// The distance of the state that was entered, along other edges than these.
    pub fn without(&mut self, state: &Discrete, edges: &[(usize, EdgeId)]) -> Option<u32> {
        let kept = std::mem::take(&mut self.values);
        let (counts, sum) = (std::mem::take(&mut self.counts), self.sum);
        let replaced: Vec<(u32, Vec<u32>)> =
            edges.iter().flat_map(|edge| self.tables.detours(self.network, *edge)).collect();
        let originals: Vec<(u32, Vec<u32>)> = replaced
            .into_iter()
            .map(|(table, detour)| (table, std::mem::replace(&mut self.tables.list[table as usize], detour)))
            .collect();
        let total = self.enter(state);
        for (table, original) in originals.into_iter().rev() {
            self.tables.list[table as usize] = original;
        }
        (self.values, self.counts, self.sum) = (kept, counts, sum);
        total
    }

    pub fn bytes(&self) -> usize {
        self.tables.list.iter().chain(self.tables.without.values()).map(|table| table.capacity() * 4).sum()
    }
}

impl Tables {
    fn to(&mut self, network: &Network, process: usize, location: LocationId) -> u32 {
        let template = network.process(ProcessId::new(process)).template.index();
        let Tables { usable, ids, list, targets, .. } = self;
        *ids.entry((template, location.index())).or_insert_with(|| {
            let edges = &usable[template];
            list.push(to_location(&network.templates[template], location, &|edge| edges[edge.index()]));
            targets.push((template, location));
            list.len() as u32 - 1
        })
    }

    /// The tables of a template, without one of its edges.
    fn detours(&mut self, network: &Network, (process, edge): (usize, EdgeId)) -> Vec<(u32, Vec<u32>)> {
        let template = network.process(ProcessId::new(process)).template.index();
        let Tables { usable, targets, without, .. } = self;
        let edges = &usable[template];
        let tables = (0..).zip(targets.iter()).filter(|(_, (of, _))| *of == template);
        tables
            .map(|(table, (_, location))| {
                let detour = without.entry((table, edge.index() as u32)).or_insert_with(|| {
                    let usable = |other: EdgeId| other != edge && edges[other.index()];
                    to_location(&network.templates[template], *location, &usable)
                });
                (table, detour.clone())
            })
            .collect()
    }
}

fn evaluate(node: &Node, state: &Discrete, tables: &Tables, conditions: &mut Conditions<'_>, joined: Joined) -> u32 {
    match node {
        Node::At { process, table } => tables.list[*table as usize][state.locations[*process as usize].index()],
        Node::Elsewhere { process, location, leaves } => {
            match (state.locations[*process as usize] == *location, leaves) {
                (false, _) => 0,
                (true, true) => 1,
                (true, false) => FAR,
            }
        }
        Node::Cell { cell, lo, hi, written } => {
            let value = i64::from(state.ints[*cell as usize]);
            let difference = lo.saturating_sub(value).max(value.saturating_sub(*hi));
            match (difference <= 0, written, joined) {
                (true, ..) => 0,
                (false, false, _) => FAR,
                (false, true, Joined::Maximum) => 1,
                (false, true, Joined::Sum) => difference.min(DIFFERENCE) as u32,
            }
        }
        Node::Condition { id, frame, holds } => match conditions.truth(*id, ProcessId::new(0), frame, state) {
            Truth::Known(truth) => u32::from(truth != *holds),
            Truth::Fails | Truth::Unknown => 0,
        },
        Node::And(parts) => {
            let mut total: u32 = 0;
            for part in parts {
                let value = evaluate(part, state, tables, conditions, joined);
                total = match (value, joined) {
                    (FAR, _) => return FAR,
                    (value, Joined::Maximum) => total.max(value),
                    (value, Joined::Sum) => total.saturating_add(value).min(FAR - 1),
                };
            }
            total
        }
        Node::Or(parts) => {
            parts.iter().map(|part| evaluate(part, state, tables, conditions, joined)).min().unwrap_or(FAR)
        }
        Node::Unknown => 0,
    }
}

/// Told of a process, an expanded edge, how it synchronises and over which channels.
type Visit<'v> = dyn FnMut(usize, u32, Direction, &[u32]) + 'v;

/// For each template which of its edges some process can ever take: those without a partner in any other process are not.
fn usable(structure: &Structure) -> Vec<Vec<bool>> {
    let network = structure.network;
    // For each channel one process that sends and one that receives; `MANY` when there are several.
    const MANY: usize = usize::MAX;
    let mut parties: HashMap<(u32, Direction), usize> = HashMap::new();
    let each = |visit: &mut Visit<'_>| {
        for process in 0..network.processes.len() {
            for index in 0..network.template_of(ProcessId::new(process)).expanded.len() as u32 {
                if let (Some(direction), channels) = channels(structure, process, index) {
                    visit(process, index, direction, &channels);
                }
            }
        }
    };
    each(&mut |process, _, direction, channels| {
        for channel in channels {
            let one = parties.entry((*channel, direction)).or_insert(process);
            if *one != process {
                *one = MANY;
            }
        }
    });
    let edges = |edge: &model::network::Edge| edge.sync.is_none();
    let mut usable: Vec<Vec<bool>> =
        network.templates.iter().map(|template| template.edges.iter().map(edges).collect()).collect();
    each(&mut |process, index, direction, channels| {
        let finds = |wanted: Direction| {
            channels.iter().any(|channel| parties.get(&(*channel, wanted)).is_some_and(|one| *one != process))
        };
        let broadcast = channels.first().is_some_and(|channel| network.channels[*channel as usize].kind.broadcast);
        let partner = match direction {
            Direction::Send => broadcast || finds(Direction::Receive),
            Direction::Receive => finds(Direction::Send),
            Direction::Csp => true,
        };
        let template = network.process(ProcessId::new(process)).template;
        let edge = network.template(template).expanded[index as usize].edge;
        usable[template.index()][edge.index()] |= partner;
    });
    usable
}
