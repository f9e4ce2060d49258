//! How far a state is from the goal, cheaply: what walks are guided by.
//!
//! The goal is taken apart into what must hold together. A process that must be in a location counts the edges on the
//! shortest way there in its own graph, guards ignored. A cell that must have a value, or be above or below one, counts the
//! difference. Anything else counts nothing.
//!
//! Where an edge that writes a cell of the goal waits for a clock (`x > Deadline`, then `error = 1`), the share of the
//! waiting time that has passed is the progress, in parts of 65,536; it tells states at the same distance apart. For a
//! schedule this is the slack to the nearest deadline.
//!
//! The distance says nothing certain. It may be 0 where the goal is far, and grow on the way to it.

use crate::walker::Walker;
use semantics::concrete::UNIT;
use semantics::network::{ClockId, Expr, ExprId, LocationId, Network, Number, ProcessId, Relation, Template};
use semantics::reads::{conjuncts, constant, fixed_bound, single_cell};
use semantics::syntax::{BinaryOp, Quantifier};
use std::collections::{BTreeMap, VecDeque};

pub struct Distance {
    /// For each process the distances to a location that it must be in, by location.
    processes: Vec<Option<Vec<i64>>>,
    cells: Vec<Wanted>,
    /// Clocks that must pass a bound, where a process is in a location.
    waits: Vec<Wait>,
}

/// A cell that must be within a range.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    cell: u32,
    lo: i64,
    hi: i64,
}

#[derive(Clone, Copy, Debug)]
struct Wait {
    process: u32,
    location: LocationId,
    clock: ClockId,
    ticks: i64,
}

/// Where there is no way.
const FAR: i64 = 64;
/// More parts of a goal are not looked at.
const PARTS: usize = 1 << 14;
const DEPTH: u32 = 64;

/// What the progress of a clock counts at most.
pub const WHOLE: i64 = 1 << 16;

impl Distance {
    pub fn new(network: &Network, goal: ExprId) -> Distance {
        let mut distance =
            Distance { processes: vec![None; network.processes.len()], cells: Vec::new(), waits: Vec::new() };
        let mut parts = 0;
        distance.add(network, goal, &mut Vec::new(), DEPTH, &mut parts);
        distance.find_waits(network);
        distance
    }

    /// Whether it tells any two states apart.
    pub fn is_blind(&self) -> bool {
        self.cells.is_empty() && self.processes.iter().all(Option::is_none)
    }

    fn add(&mut self, network: &Network, expr: ExprId, frame: &mut Vec<i32>, depth: u32, parts: &mut usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        *parts += 1;
        if *parts > PARTS || network.processes.is_empty() {
            return;
        }
        let owner = network.process(ProcessId::new(0));
        let known = |frame: &[i32], expr: ExprId| truth(network, frame, expr);
        match network.code.expr(expr) {
            Expr::And(left, right) => {
                self.add(network, *left, frame, depth, parts);
                self.add(network, *right, frame, depth, parts);
            }
            Expr::Or(left, right) => match (known(frame, *left), known(frame, *right)) {
                (Some(false), _) => self.add(network, *right, frame, depth, parts),
                (_, Some(false)) => self.add(network, *left, frame, depth, parts),
                _ => {}
            },
            Expr::Quantified { quantifier: Quantifier::Forall, slot, range, body, .. } => {
                let slot = *slot as usize;
                if frame.len() <= slot {
                    frame.resize(slot + 1, 0);
                }
                for value in range.lo..=range.hi {
                    frame[slot] = value;
                    self.add(network, *body, frame, depth, parts);
                    if *parts > PARTS {
                        return;
                    }
                }
            }
            Expr::LocationIs { process, location } => {
                let mut number = process.first.index() as i64;
                for index in &process.indices {
                    let Some(value) = constant(network, owner, frame, index.value) else { return };
                    number += (i64::from(value) - i64::from(index.range.lo)) * i64::from(index.stride);
                }
                let Some(entry) = usize::try_from(number).ok().and_then(|n| self.processes.get_mut(n)) else { return };
                let template = network.template_of(ProcessId::new(number as usize));
                if entry.is_none() {
                    *entry = Some(distances(template, *location));
                }
            }
            Expr::Binary { op, number: Number::Int, left, right } => {
                let (cell, value, op) = match (single_cell(network, owner, *left), single_cell(network, owner, *right))
                {
                    (Some(cell), None) => (cell, constant(network, owner, frame, *right), *op),
                    (None, Some(cell)) => (cell, constant(network, owner, frame, *left), mirrored(*op)),
                    _ => return,
                };
                let Some(value) = value.map(i64::from) else { return };
                let (lo, hi) = match op {
                    BinaryOp::Eq => (value, value),
                    BinaryOp::Ge => (value, i64::MAX),
                    BinaryOp::Gt => (value + 1, i64::MAX),
                    BinaryOp::Le => (i64::MIN, value),
                    BinaryOp::Lt => (i64::MIN, value - 1),
                    _ => return,
                };
                self.cells.push(Wanted { cell, lo, hi });
            }
            // A flag on its own.
            Expr::Read(_) => {
                if let Some(cell) = single_cell(network, owner, expr) {
                    self.cells.push(Wanted { cell, lo: 1, hi: i64::MAX });
                }
            }
            _ => {}
        }
    }

    /// Edges that write a cell of the goal and wait for a clock.
    fn find_waits(&mut self, network: &Network) {
        for (n, process) in network.processes.iter().enumerate() {
            for edge in &network.template(process.template).edges {
                let Some(guard) = edge.guard else { continue };
                let mut writes = false;
                let updates = edge.update.iter().chain(edge.branches.iter().flat_map(|branch| &branch.update));
                for update in updates {
                    network.code.walk(*update, &mut |_, expr| {
                        if let Expr::Assign { target, .. } = expr {
                            let read = target.base == semantics::network::Base::Global && target.indices.is_empty();
                            writes |= read && self.cells.iter().any(|wanted| wanted.cell == target.offset.ints);
                        }
                    });
                }
                if !writes {
                    continue;
                }
                for part in conjuncts(&network.code, guard) {
                    let Expr::ClockConstraint(constraint) = network.code.expr(part) else { continue };
                    if let Some(bound) = fixed_bound(network, process, &[], constraint)
                        && let (Some(clock), None) = (bound.plus, bound.minus)
                        && matches!(bound.relation, Relation::Gt | Relation::Ge)
                        && bound.bound > 0
                    {
                        let ticks = i64::from(bound.bound) * UNIT;
                        self.waits.push(Wait { process: n as u32, location: edge.source, clock, ticks });
                    }
                }
            }
        }
    }

    /// How far it is; 0 where everything that counts holds.
    pub fn of(&self, walker: &Walker) -> i64 {
        let state = walker.discrete();
        let locations: i64 = self
            .processes
            .iter()
            .zip(&state.locations)
            .map(|(table, location)| table.as_ref().map_or(0, |table| table[location.index()]))
            .sum();
        let cells: i64 = self
            .cells
            .iter()
            .map(|wanted| {
                let value = i64::from(state.ints[wanted.cell as usize]);
                (wanted.lo.saturating_sub(value)).max(value.saturating_sub(wanted.hi)).clamp(0, FAR)
            })
            .sum();
        locations + cells
    }

    /// How much of its waiting time the clock nearest to its bound has behind it.
    pub fn progress(&self, walker: &Walker) -> i64 {
        let locations = &walker.discrete().locations;
        let present = self.waits.iter().filter(|wait| locations[wait.process as usize] == wait.location);
        let share = |wait: &Wait| {
            let value = walker.clocks().line(wait.clock).value(walker.now());
            (i128::from(value) * i128::from(WHOLE) / i128::from(wait.ticks)).clamp(0, i128::from(WHOLE) - 1) as i64
        };
        present.map(share).max().unwrap_or(0)
    }

    /// Distance and progress in one number, greater when nearer.
    pub fn score(&self, walker: &Walker) -> i64 {
        self.progress(walker) - self.of(walker) * WHOLE
    }

    /// By how much the locations of a tried transition change the distance.
    #[inline]
    pub fn change(&self, walker: &Walker) -> i64 {
        let mut change = 0;
        for (n, one) in walker.moves().iter().enumerate() {
            if let Some(table) = &self.processes[one.process as usize] {
                let (from, to) = walker.tried_move(n);
                change += table[to.index()] - table[from.index()];
            }
        }
        change
    }

    /// The locations of the processes that the goal is about.
    pub fn relevant(&self) -> impl Iterator<Item = usize> + '_ {
        self.processes.iter().enumerate().filter(|(_, table)| table.is_some()).map(|(n, _)| n)
    }
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

/// The truth of a comparison that no state can change.
fn truth(network: &Network, frame: &[i32], expr: ExprId) -> Option<bool> {
    let owner = network.process(ProcessId::new(0));
    match network.code.expr(expr) {
        Expr::Not(operand) => match network.code.expr(*operand) {
            Expr::Not(_) => None,
            _ => truth(network, frame, *operand).map(|truth| !truth),
        },
        Expr::Binary { op, number: Number::Int, left, right } => {
            let (left, right) = (constant(network, owner, frame, *left)?, constant(network, owner, frame, *right)?);
            Some(match op {
                BinaryOp::Eq => left == right,
                BinaryOp::Ne => left != right,
                BinaryOp::Lt => left < right,
                BinaryOp::Le => left <= right,
                BinaryOp::Ge => left >= right,
                BinaryOp::Gt => left > right,
                _ => return None,
            })
        }
        _ => None,
    }
}

/// For every location how many edges lead to the target at least.
fn distances(template: &Template, target: LocationId) -> Vec<i64> {
    let mut before: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for edge in &template.edges {
        for branch in &edge.branches {
            before.entry(branch.target.index()).or_default().push(edge.source.index());
        }
    }
    let mut found = vec![FAR; template.locations.len()];
    found[target.index()] = 0;
    let mut waiting = VecDeque::from([target.index()]);
    while let Some(at) = waiting.pop_front() {
        for source in before.get(&at).into_iter().flatten() {
            if found[*source] == FAR {
                found[*source] = (found[at] + 1).min(FAR - 1);
                waiting.push_back(*source);
            }
        }
    }
    found
}
