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
//! Whoever knows better gives a level: an integer expression over the state that is greater where the goal is nearer. It takes the
//! place of the distance.
//!
//! The distance says nothing certain. It may be 0 where the goal is far, and grow on the way to it.

use crate::walker::Walker;
use model::network::{ClockId, Expr, ExprId, Network, ProcessId, Relation};
use semantics::code::IntId;
use semantics::concrete::UNIT;
use semantics::formula::{self, Formula};
use semantics::location_distance::{NO_WAY, to_location};
use semantics::reads::{conjuncts, fixed_bound};

pub struct Distance {
    /// For each process the distances to a location that it must be in, by location.
    processes: Vec<Option<Vec<i64>>>,
    cells: Vec<Wanted>,
    /// Processes that wait for clocks before they write a cell of the goal.
    waits: Vec<Waiting>,
    level: Option<IntId>,
}

/// A cell that must be within a range.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    cell: u32,
    lo: i64,
    hi: i64,
}

/// For each location of a process the clocks that must pass a bound there, and a part of that bound in [`WHOLE`], in ticks.
struct Waiting {
    process: usize,
    at: Vec<Vec<(ClockId, i64)>>,
}

/// Where there is no way.
const FAR: i64 = 64;

/// What the progress of a clock counts at most.
pub const WHOLE: i64 = 1 << 16;

impl Distance {
    pub fn new(network: &Network, goal: ExprId) -> Distance {
        let mut distance = Distance {
            processes: vec![None; network.processes.len()],
            cells: Vec::new(),
            waits: Vec::new(),
            level: None,
        };
        for part in formula::of_predicate(network, goal).conjuncts() {
            distance.add(network, part);
        }
        distance.find_waits(network);
        distance
    }

    /// A level says how near a state is.
    pub fn with_level(self, level: Option<IntId>) -> Distance {
        Distance { level, ..self }
    }

    /// Whether it tells any two states apart.
    pub fn is_blind(&self) -> bool {
        self.level.is_none() && self.cells.is_empty() && self.processes.iter().all(Option::is_none)
    }

    fn add(&mut self, network: &Network, part: &Formula) {
        match part {
            Formula::At { process, location, holds: true } => {
                let template = network.template_of(ProcessId::new(*process as usize));
                let far = |steps: u32| if steps == NO_WAY { FAR } else { i64::from(steps).min(FAR - 1) };
                self.processes[*process as usize]
                    .get_or_insert_with(|| to_location(template, *location, &|_| true).into_iter().map(far).collect());
            }
            Formula::Cell { cell, lo, hi } => self.cells.push(Wanted { cell: *cell, lo: *lo, hi: *hi }),
            // A flag on its own is not 0: most often it is 1.
            Formula::Or(cases) => {
                if let [Formula::Cell { cell, lo: 1, .. }, Formula::Cell { cell: same, hi: -1, .. }] = cases.as_slice()
                    && cell == same
                {
                    self.cells.push(Wanted { cell: *cell, lo: 1, hi: i64::MAX });
                }
            }
            _ => {}
        }
    }

    /// Edges that write a cell of the goal and wait for a clock.
    fn find_waits(&mut self, network: &Network) {
        for (n, process) in network.processes.iter().enumerate() {
            let template = network.template(process.template);
            let mut waiting = Waiting { process: n, at: vec![Vec::new(); template.locations.len()] };
            for edge in &template.edges {
                let Some(guard) = edge.guard else { continue };
                let mut writes = false;
                let updates = edge.update.iter().chain(edge.branches.iter().flat_map(|branch| &branch.update));
                for update in updates {
                    network.code.walk(*update, &mut |_, expr| {
                        if let Expr::Assign { target, .. } = expr {
                            let read = target.base == model::network::Base::Global && target.indices.is_empty();
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
                        let part = i64::from(bound.bound) * UNIT / WHOLE;
                        waiting.at[edge.source.index()].push((clock, part));
                    }
                }
            }
            if waiting.at.iter().any(|clocks| !clocks.is_empty()) {
                self.waits.push(waiting);
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
        self.waits.iter().filter_map(|waiting| waiting.progress(walker)).max().unwrap_or(0)
    }

    /// The level, or how little far it is. A level that cannot be computed in a state is the least.
    pub fn nearness(&self, walker: &mut Walker) -> i64 {
        let Some(level) = self.level else { return -self.of(walker) };
        let programs = &walker.tables.structure.programs;
        let value = walker.machine.int(programs, level, ProcessId::new(0), &[], &walker.live.discrete);
        value.map_or(-(1 << 40), i64::from)
    }

    /// Nearness and progress in one number, greater when nearer.
    pub fn score(&self, walker: &mut Walker) -> i64 {
        self.progress(walker) + self.nearness(walker) * WHOLE
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

impl Waiting {
    /// How much of the waiting time is over; `None` where the process does not wait.
    #[inline]
    fn progress(&self, walker: &Walker) -> Option<i64> {
        let clocks = &self.at[walker.discrete().locations[self.process].index()];
        let share = |(clock, part): &(ClockId, i64)| {
            let value = walker.clocks().line(*clock).value(walker.now());
            (value / part).clamp(0, WHOLE - 1)
        };
        clocks.iter().map(share).max()
    }
}
