//! Bounds of clocks by static analysis, per process and location (Behrmann, Bouyer, Fleury, Larsen 2003; with separate
//! lower and upper bounds Behrmann, Bouyer, Larsen, Pelánek 2006).
//!
//! `L(l,x)` is the largest constant that `x` is compared with from below on some path from location `l` before it is set
//! anew, `U(l,x)` the same from above; `None` when there is no such comparison. A clock with neither is inactive in `l`
//! (Daws, Yovine 1996): its value cannot matter, and it is not stored.
//!
//! Each process is analysed alone: at a location vector the bound of a clock is the largest one over all processes. That
//! is sound for clocks that processes share, because a path of the network is a path of each process, and a reset by
//! another process only makes the bound smaller than what is assumed. Bounds that are integer expressions count with the
//! largest value they can take by the declared ranges, or with the value that they have in a state where that is enough
//! (`varying`).
//!
//! Costs one fixpoint per process over its edges and the clocks it names.

mod analysis;
mod cells;
mod solution;
mod varying;

pub use analysis::clocks_of;
pub use varying::Varying;

use crate::code::Programs;
use analysis::{Analysis, largest_set};
use model::network::{ExprId, Network, ProcessId};
use solution::{Bounds, Solution, raise};
use std::collections::BTreeSet;

/// The bounds of one clock at one location of one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockUse {
    pub clock: u32,
    pub lower: Option<i32>,
    pub upper: Option<i32>,
}

/// A comparison `plus - minus <= constant`, or `<`, that cuts zones in two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cut {
    pub plus: u32,
    pub minus: u32,
    pub constant: i32,
    pub strict: bool,
}

/// The comparisons of clocks with each other.
#[derive(Clone, Debug, Default)]
pub struct Cuts {
    pub list: BTreeSet<Cut>,
    /// There are more than can be kept apart.
    pub too_many: bool,
}

/// What a query compares clocks with. It may do so in every state.
#[derive(Clone, Debug, Default)]
pub struct QueryBounds {
    pub uses: Vec<ClockUse>,
    pub cuts: Cuts,
}

/// For every process and location the clocks that are active there.
#[derive(Debug)]
pub struct ClockBounds {
    /// All uses, process by process and location by location.
    uses: Vec<ClockUse>,
    /// Where the uses of a location start; one more entry at the end.
    starts: Vec<u32>,
    /// Where the locations of a process start in `starts`.
    processes: Vec<u32>,
    /// The comparisons between two clocks, those of the query included.
    pub cuts: Vec<Cut>,
    /// No finite set of comparisons describes what matters: assignments such as `x = x - 1` make bounds grow without end, and
    /// copies make new comparisons between clocks. Zones must then be kept as they are.
    pub diverges: bool,
    /// Bounds that follow the state; they are no larger than those of the uses.
    varying: Varying,
}

/// Beyond this a bound is taken to grow without end, and a number that a clock is compared with is too large.
pub const DIVERGED: i64 = 1 << 26;

/// So many values of an expression that a difference of clocks is compared with are kept apart.
const VALUES: i64 = 8;

impl ClockBounds {
    /// Analyses a network together with what a query adds. `mirrored` counts every comparison from both sides, for when
    /// guards can also count by not holding.
    pub fn new(network: &Network, query: &QueryBounds, mirrored: bool) -> ClockBounds {
        let mut cuts = query.cuts.clone();
        let mut diverges = false;
        let largest_set = largest_set(network);
        let mut copies = false;
        let mut processes: Vec<Solution> = (0..network.processes.len())
            .map(|index| {
                let analysis = Analysis { network, process: ProcessId::new(index), mirrored, largest_set };
                analysis.begin(&mut cuts, &mut copies)
            })
            .collect();
        // A copy into a clock that something else reads passes the bounds of the reader on to what is copied.
        let mut read = Bounds::new();
        for usage in &query.uses {
            raise(&mut read, usage.clock, (usage.lower.map(i64::from), usage.upper.map(i64::from)));
        }
        let places: usize = processes.iter().map(|solution| solution.bounds.len()).sum();
        for round in 0.. {
            diverges |= round > places * (network.clocks.len() + 1);
            let mut changed = false;
            for solution in &mut processes {
                changed |= solution.solve(&read, &mut diverges);
                for bounds in &solution.bounds {
                    bounds.iter().for_each(|(clock, bound)| changed |= raise(&mut read, *clock, *bound));
                }
            }
            if !copies || !changed {
                break;
            }
        }
        diverges |= cuts.too_many || copies && !cuts.list.is_empty();
        let mut result = ClockBounds {
            uses: Vec::new(),
            starts: vec![0],
            processes: Vec::new(),
            cuts: cuts.list.into_iter().collect(),
            diverges,
            varying: Varying::default(),
        };
        // Copies would have to shift expressions.
        if !diverges && !copies {
            result.varying = Varying::new(network, &processes);
        }
        for solution in processes {
            result.processes.push(result.starts.len() as u32 - 1);
            for bounds in solution.bounds {
                result.uses.extend(bounds.into_iter().map(|(clock, (lower, upper))| ClockUse {
                    clock,
                    lower: lower.map(|bound| bound as i32),
                    upper: upper.map(|bound| bound as i32),
                }));
                result.starts.push(result.uses.len() as u32);
            }
        }
        result
    }

    /// The clocks active in a location of a process.
    pub fn at(&self, process: usize, location: usize) -> &[ClockUse] {
        let at = self.processes[process] as usize + location;
        &self.uses[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// The bounds of a location that follow the state.
    pub fn varying(&self) -> &Varying {
        &self.varying
    }

    /// Compiles the expressions of bounds that follow the state.
    pub fn compile(&mut self, programs: &mut Programs<'_>) {
        self.varying.compile(programs);
    }

    /// Every use of every process and location.
    pub fn all(&self) -> impl Iterator<Item = &ClockUse> {
        self.uses.iter()
    }

    /// The bounds that a query predicate adds everywhere. A predicate may negate its comparisons, so each counts from both
    /// sides.
    pub fn of_predicate(network: &Network, predicate: ExprId) -> QueryBounds {
        let mut bounds = Bounds::new();
        let mut cuts = Cuts::default();
        let largest_set = largest_set(network);
        let analysis = Analysis { network, process: ProcessId::new(0), mirrored: true, largest_set };
        analysis.comparisons(predicate, true, &mut cuts, &mut |comparison| comparison.add_to(&mut bounds));
        let of = |(clock, (lower, upper)): (u32, (Option<i64>, Option<i64>))| {
            let both = lower.max(upper).map(|bound| bound as i32);
            ClockUse { clock, lower: both, upper: both }
        };
        QueryBounds { uses: bounds.into_iter().map(of).collect(), cuts }
    }
}
