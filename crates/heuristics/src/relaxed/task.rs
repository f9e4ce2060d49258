//! The network as a relaxed task: facts, actions, tests of guards, effects of updates. Made once; see [`super`].
//!
//! A *fact* is a process in a location, or a cell with a value. An *action* is an edge of a process with select values and a
//! branch. A *test* is one conjunct of a guard or a leaf of the goal, over the cells it reads; equal tests are shared. A *unit*
//! is a stretch of an update whose parts depend on each other: it is run as a whole, over the cells it reads.

use super::goal::GoalNode;
use crate::interrupt::Interrupt;
use crate::network::conditions::Conditions;
use crate::network::operators::{Operators, channels};
use model::network::{Expr, ExprId, LocationId, Network, ProcessId};
use model::syntax::ast::Direction;
use semantics::code::{Discrete, IntId, UpdateId};
use semantics::formula::{Formula, of_condition, of_predicate};
use semantics::packing::written;
use semantics::reads::{Reads, conjuncts, reads_in};
use semantics::structure::Structure;
use std::collections::HashMap;
use std::ops::Range;

/// How an action takes part in a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Alone, or CSP style together with whoever must.
    Alone,
    Sends,
    Receives,
    /// Sends a broadcast: nobody else is needed.
    Broadcasts,
    Hears,
    /// As `Alone`, on a channel that all share.
    Together,
}

#[derive(Clone, Debug)]
pub struct Action {
    pub process: u32,
    pub source: u32,
    pub target: u32,
    pub role: Role,
    pub channels: Range<u32>,
    pub tests: Range<u32>,
    pub units: Range<u32>,
    /// What it writes whatever the state is.
    pub constants: Range<u32>,
    /// Its guard is false in every state.
    pub never: bool,
}

/// What is looked at when the source of an action is reached, apart from the rest so that it is close together.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    pub action: u32,
    pub first_test: u32,
    pub last_test: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TestKind {
    /// The cell's value is in one of two ranges.
    Cell { cell: u32, ranges: [(i64, i64); 2] },
    /// An expression is true, or false.
    Run { id: IntId, expr: ExprId, process: u32, frame: Box<[i32]>, holds: bool },
}

#[derive(Clone, Debug)]
pub struct Test {
    pub kind: TestKind,
    /// The cells it reads that code may write.
    pub cells: Vec<u32>,
    /// Where its counters begin.
    pub counters: u32,
    pub actions: Vec<u32>,
}

#[derive(Clone, Debug)]
pub enum UnitKind {
    /// One cell becomes what another one is.
    Copy { from: u32, to: u32 },
    /// Updates one after the other, each with its select values.
    Run(Vec<(UpdateId, Box<[i32]>)>),
    /// It reads too much: its cells may hold anything afterwards.
    Anything,
}

#[derive(Clone, Debug)]
pub struct Unit {
    pub kind: UnitKind,
    pub action: u32,
    pub cells: Vec<u32>,
    pub writes: Vec<u32>,
    pub counters: u32,
    /// It may read what others write in the same transition.
    pub flows: bool,
}

pub struct Task<'n> {
    pub network: &'n Network,
    pub conditions: Conditions<'n>,
    /// The first location fact of each process, and one more entry at the end.
    pub first_fact: Vec<u32>,
    /// The process of each location fact.
    pub process_of: Vec<u32>,
    pub actions: Vec<Action>,
    /// The actions that may be taken, by the location they leave; those of a fact begin where `first_departure` says.
    pub departures: Vec<Departure>,
    pub first_departure: Vec<u32>,
    pub channels: Vec<u32>,
    pub action_tests: Vec<u32>,
    pub tests: Vec<Test>,
    pub units: Vec<Unit>,
    pub constants: Vec<(u32, i32)>,
    /// The first of the units that belong to no action but to every transition.
    pub global_units: Range<u32>,
    pub global_constants: Range<u32>,
    pub tests_of_cell: Vec<Vec<u32>>,
    pub units_of_cell: Vec<Vec<u32>>,
    pub goal: Vec<GoalNode>,
    /// The leaves that a fact or a test satisfies; shorter than all facts or tests where the rest satisfies none.
    pub goals_of_fact: Vec<Vec<u32>>,
    pub goals_of_test: Vec<Vec<u32>>,
    /// Goal nodes that hold before anything happens, and tests of the goal.
    pub goal_tests: Vec<u32>,
    pub counters: u32,
    ids: HashMap<TestKind, u32>,
    compiled: HashMap<ExprId, IntId>,
    pub(super) updates: HashMap<ExprId, UpdateId>,
    is_written: Vec<bool>,
}

/// A test or unit that reads more cells is not run.
const CELLS: usize = 256;
pub const NO_NODE: u32 = u32::MAX;

impl<'n> Task<'n> {
    /// When it is interrupted the task is not complete.
    pub fn new(structure: &Structure<'n>, operators: &Operators, goal: ExprId, interrupt: &mut Interrupt) -> Task<'n> {
        let network = structure.network;
        let mut first_fact = vec![0];
        let mut process_of = Vec::new();
        for (n, process) in network.processes.iter().enumerate() {
            process_of.extend(network.template(process.template).locations.iter().map(|_| n as u32));
            first_fact.push(process_of.len() as u32);
        }
        let mut task = Task {
            network,
            conditions: Conditions::new(network),
            departures: Vec::new(),
            first_departure: Vec::new(),
            first_fact,
            process_of,
            actions: Vec::with_capacity(operators.actions()),
            channels: Vec::new(),
            action_tests: Vec::new(),
            tests: Vec::new(),
            units: Vec::new(),
            constants: Vec::new(),
            global_units: 0..0,
            global_constants: 0..0,
            tests_of_cell: vec![Vec::new(); network.ints.len()],
            units_of_cell: vec![Vec::new(); network.ints.len()],
            goal: Vec::new(),
            goals_of_fact: Vec::new(),
            goals_of_test: Vec::new(),
            goal_tests: Vec::new(),
            counters: 0,
            ids: HashMap::new(),
            compiled: HashMap::new(),
            updates: HashMap::new(),
            is_written: written(network),
        };
        let initial = Discrete::initial(network);
        for process in 0..network.processes.len() {
            task.add_process(structure, process, &initial, interrupt);
        }
        task.add_global(&initial);
        task.add_goal(&of_predicate(network, goal), NO_NODE);
        task.add_departures();
        task
    }

    fn add_departures(&mut self) {
        let mut order: Vec<u32> = (0..self.actions.len() as u32).collect();
        order.retain(|action| !self.actions[*action as usize].never);
        order.sort_by_key(|action| self.actions[*action as usize].source);
        self.first_departure = vec![0; self.process_of.len() + 1];
        for action in order {
            let Action { source, ref tests, .. } = self.actions[action as usize];
            self.departures.push(Departure { action, first_test: tests.start, last_test: tests.end });
            self.first_departure[source as usize + 1] = self.departures.len() as u32;
        }
        for fact in 1..self.first_departure.len() {
            self.first_departure[fact] = self.first_departure[fact].max(self.first_departure[fact - 1]);
        }
    }

    pub fn fact(&self, process: usize, location: LocationId) -> u32 {
        self.first_fact[process] + location.index() as u32
    }

    fn add_process(
        &mut self,
        structure: &Structure<'n>,
        process: usize,
        initial: &Discrete,
        interrupt: &mut Interrupt,
    ) {
        let id = ProcessId::new(process);
        let template = self.network.template_of(id);
        for index in 0..template.expanded.len() as u32 {
            if interrupt.tick() {
                return;
            }
            let expanded = template.expanded[index as usize];
            let edge = template.edge(expanded.edge);
            let select = if edge.select.is_empty() { &[] } else { template.select_values(expanded) };
            let (direction, list) = channels(structure, process, index);
            let broadcast = list.first().is_some_and(|channel| self.network.channels[*channel as usize].kind.broadcast);
            let role = match direction {
                None => Role::Alone,
                Some(Direction::Csp) => Role::Together,
                Some(Direction::Send) if broadcast => Role::Broadcasts,
                Some(Direction::Send) => Role::Sends,
                Some(Direction::Receive) if broadcast => Role::Hears,
                Some(Direction::Receive) => Role::Receives,
            };
            let first = self.channels.len() as u32;
            self.channels.extend(list);
            let channels = first..self.channels.len() as u32;
            let guard = self.guard(id, select, edge.guard);
            let first = self.action_tests.len() as u32;
            let never = guard.is_none();
            let guard = guard.unwrap_or_default();
            self.action_tests.extend(&guard);
            let tests = first..self.action_tests.len() as u32;
            for branch in &edge.branches {
                let action = self.actions.len() as u32;
                guard.iter().for_each(|test| self.tests[*test as usize].actions.push(action));
                let updates = edge.update.iter().map(|update| (*update, select));
                let updates = updates.chain(branch.update.iter().map(|update| (*update, branch.select.as_slice())));
                let flows = matches!(role, Role::Receives | Role::Hears | Role::Together)
                    || !self.network.before_update.is_empty();
                let first = self.constants.len() as u32;
                let units = self.add_units(id, action, &updates.collect::<Vec<_>>(), flows, initial);
                let source = self.fact(process, edge.source);
                self.actions.push(Action {
                    process: process as u32,
                    source,
                    target: self.fact(process, branch.target),
                    role,
                    channels: channels.clone(),
                    tests: tests.clone(),
                    units,
                    constants: first..self.constants.len() as u32,
                    never,
                });
            }
        }
    }

    /// Updates that every transition runs.
    fn add_global(&mut self, initial: &Discrete) {
        let network = self.network;
        if network.processes.is_empty() {
            return;
        }
        let (first, first_constant) = (self.units.len() as u32, self.constants.len() as u32);
        for list in [&network.before_update, &network.after_update] {
            let updates: Vec<(ExprId, &[i32])> = list.iter().map(|update| (*update, [].as_slice())).collect();
            self.add_units(ProcessId::new(0), NO_NODE, &updates, true, initial);
        }
        self.global_units = first..self.units.len() as u32;
        self.global_constants = first_constant..self.constants.len() as u32;
    }

    /// The tests of a guard; `None` if it is never true.
    fn guard(&mut self, process: ProcessId, select: &[i32], guard: Option<ExprId>) -> Option<Vec<u32>> {
        let mut tests = Vec::new();
        for part in guard.map(|guard| conjuncts(&self.network.code, guard)).unwrap_or_default() {
            let formula = of_condition(self.network, process, select, part);
            if formula == Formula::FALSE {
                return None;
            }
            for formula in formula.conjuncts() {
                if let Some(test) = self.test(process, formula) {
                    tests.push(test);
                } else if let (Formula::Or(_), false) = (formula, self.has_clocks(part)) {
                    // Alternatives over several cells are one condition.
                    let whole = Formula::Condition { expr: part, frame: select.into(), holds: true };
                    tests.extend(self.test(process, &whole));
                }
            }
        }
        tests.sort_unstable();
        tests.dedup();
        Some(tests)
    }

    fn has_clocks(&self, expr: ExprId) -> bool {
        let mut found = false;
        self.network.code.walk(expr, &mut |_, expr| {
            found |= matches!(
                expr,
                Expr::ClockConstraint(_)
                    | Expr::ClockValue(_)
                    | Expr::Rate { .. }
                    | Expr::Deadlock
                    | Expr::LocationIs { .. }
                    | Expr::LocationOf { .. }
                    | Expr::Unsupported(_)
            );
        });
        found
    }

    /// The test of a leaf over cells; `None` for other formulas and for what reads too much.
    pub(super) fn test(&mut self, process: ProcessId, formula: &Formula) -> Option<u32> {
        const EMPTY: (i64, i64) = (1, 0);
        let (kind, cells) = match formula {
            Formula::Cell { cell, lo, hi } => {
                (TestKind::Cell { cell: *cell, ranges: [(*lo, *hi), EMPTY] }, vec![*cell])
            }
            Formula::Or(parts) => match parts.as_slice() {
                [Formula::Cell { cell, lo, hi }, Formula::Cell { cell: other, lo: second, hi: last }]
                    if cell == other =>
                {
                    (TestKind::Cell { cell: *cell, ranges: [(*lo, *hi), (*second, *last)] }, vec![*cell])
                }
                _ => return None,
            },
            Formula::Condition { expr, frame, holds } => {
                let cells = self.cells(&reads_in(self.network, process, frame, *expr))?;
                let id = *self.compiled.entry(*expr).or_insert_with(|| self.conditions.compile(*expr));
                let process = process.index() as u32;
                (TestKind::Run { id, expr: *expr, process, frame: frame.clone(), holds: *holds }, cells)
            }
            _ => return None,
        };
        if let Some(known) = self.ids.get(&kind) {
            return Some(*known);
        }
        let number = self.tests.len() as u32;
        cells.iter().for_each(|cell| self.tests_of_cell[*cell as usize].push(number));
        let counters = self.counters;
        self.counters += cells.len() as u32;
        self.ids.insert(kind.clone(), number);
        self.tests.push(Test { kind, cells, counters, actions: Vec::new() });
        Some(number)
    }

    /// The cells that may change; `None` when they are too many to be looked at.
    pub(super) fn cells(&self, reads: &Reads) -> Option<Vec<u32>> {
        let all = reads.ints.iter().cloned().flatten();
        let varying = all.filter(|cell| self.is_written.get(*cell as usize) == Some(&true));
        let mut cells: Vec<u32> = varying.take(4 * CELLS + 1).collect();
        let too_many = cells.len() > 4 * CELLS;
        cells.sort_unstable();
        cells.dedup();
        (!reads.everything && !too_many && cells.len() <= CELLS).then_some(cells)
    }
}
