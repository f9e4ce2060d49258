//! Bounds that follow the state (Jensen, Jensen, Larsen 2023, "Dynamic extrapolation in extended timed automata"): where
//! `x <= deadline` is the only comparison, x is bounded by the deadline that holds now, and not by the largest one that the
//! range of `deadline` allows.
//!
//! A *term* is a comparison of a clock with an expression whose cells only the process itself writes. Terms are passed on
//! backwards along the edges of the process like constants are, as long as the clock is not set and the edge writes none of
//! the cells that the expression reads; where it does, the term counts with its largest value from there on. The
//! paper instead evaluates the updates on the way and gives up on cycles; the deadline is most often set together with the
//! clock, and then both come to the same. At a state a bound is the largest of its constants and of the values of its terms.
//!
//! What extrapolation and simulation need is that bounds do not grow along a run while the clock is not set: for every
//! step from q to q' that does not set x, `L(q,x) >= L(q',x)`, and that `L(q,x)` is at least every number that x is compared
//! with in the step; likewise U. (Then the relation "same discrete part, simulated by the bounds there" is a simulation,
//! step by step; Herbreteau, Srivathsan, Walukiewicz 2012, Behrmann et al. 2003 for bounds by location, of which discrete
//! parts are but finer ones.) Let a term t with expression e count at q'. If the process of t does not move, its location
//! is the same and nobody else writes what e reads: t counts at q with the same value. If it moves along an edge that does
//! not write what e reads, t was passed on to the source and has the same value there. If the edge does write it, the source
//! has the largest value of e among its constants. A guard is evaluated in q, where it is a term of the source itself; an
//! invariant of the target is a term of the target, so the argument above holds for it.
//!
//! A term that cannot be evaluated in a state (an index that only the rest of its guard keeps in range) counts with its
//! largest value there. That, too, depends on nothing but the cells it reads.
//!
//! Which clocks are active does not change: a clock with a term is active. Costs one more fixpoint for each process that
//! has terms, and one evaluation per term of the current locations in every new state.

use super::DIVERGED;
use super::analysis::Comparison;
use super::cells::{meet, read, written};
use super::solution::{Bounds, Solution, Step, add, raise};
use crate::code::{Discrete, IntId, Machine, Programs};
use model::network::{ExprId, Network, ProcessId};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// The bounds of locations that follow the state.
#[derive(Debug, Default)]
pub struct Varying {
    /// Process by process and location by location.
    uses: Vec<VaryingUse>,
    /// Where the uses of a location start; one more entry at the end.
    starts: Vec<u32>,
    /// Where the locations of a process start in `starts`; `NONE` for a process without terms.
    processes: Vec<u32>,
    terms: Vec<Term>,
    /// The code of the expressions, in the order of the terms.
    code: Vec<IntId>,
}

const NONE: u32 = u32::MAX;

/// The bounds of a clock at a location of a process.
#[derive(Debug)]
pub struct VaryingUse {
    pub clock: u32,
    /// Of what does not vary.
    lower: Option<i64>,
    upper: Option<i64>,
    terms: Range<u32>,
}

/// A comparison with an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Term {
    clock: u32,
    below: bool,
    above: bool,
    expr: ExprId,
    negated: bool,
    /// The largest number that the clock is compared with.
    largest: i64,
}

/// What the fixpoint has to know of a term.
struct Facts {
    term: Term,
    reads: Vec<Range<u32>>,
}

impl Varying {
    pub(super) fn new(network: &Network, processes: &[Solution]) -> Varying {
        let mut varying = Varying::default();
        let varies = |solution: &Solution| solution.comparisons.iter().any(|(_, one)| one.varies.is_some());
        if !processes.iter().any(varies) {
            return varying;
        }
        let writers = Writers::new(network, processes);
        varying.starts.push(0);
        for solution in processes {
            let facts = if varies(solution) { terms(network, solution, &writers) } else { Vec::new() };
            if facts.is_empty() {
                varying.processes.push(NONE);
                continue;
            }
            varying.processes.push(varying.starts.len() as u32 - 1);
            for (fixed, terms) in solve(network, solution, &facts) {
                varying.add_location(&fixed, &terms, &facts);
            }
        }
        if varying.uses.is_empty() {
            return Varying::default();
        }
        varying
    }

    fn add_location(&mut self, fixed: &Bounds, terms: &BTreeSet<usize>, facts: &[Facts]) {
        let clocks: BTreeSet<u32> = terms.iter().map(|n| facts[*n].term.clock).collect();
        for clock in clocks {
            let first = self.terms.len() as u32;
            self.terms.extend(terms.iter().map(|n| facts[*n].term).filter(|term| term.clock == clock));
            let (lower, upper) = fixed.get(&clock).copied().unwrap_or((None, None));
            self.uses.push(VaryingUse { clock, lower, upper, terms: first..self.terms.len() as u32 });
        }
        self.starts.push(self.uses.len() as u32);
    }

    pub(super) fn compile(&mut self, programs: &mut Programs<'_>) {
        let mut known: HashMap<ExprId, IntId> = HashMap::new();
        let code = self.terms.iter().map(|term| *known.entry(term.expr).or_insert_with(|| programs.int(term.expr)));
        self.code = code.collect();
    }

    pub fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    /// The bounds of a location that follow the state.
    pub fn at(&self, process: usize, location: usize) -> &[VaryingUse] {
        match self.processes.get(process) {
            None | Some(&NONE) => &[],
            Some(start) => {
                let at = *start as usize + location;
                &self.uses[self.starts[at] as usize..self.starts[at + 1] as usize]
            }
        }
    }

    /// The lower and the upper bound in a state.
    pub fn bounds(
        &self,
        usage: &VaryingUse,
        process: ProcessId,
        programs: &Programs<'_>,
        machine: &mut Machine,
        state: &Discrete,
    ) -> (Option<i32>, Option<i32>) {
        let (mut lower, mut upper) = (usage.lower, usage.upper);
        for n in usage.terms.start as usize..usage.terms.end as usize {
            let (term, code) = (self.terms[n], self.code[n]);
            let value = match machine.int(programs, code, process, &[], state).map(i64::from) {
                Ok(value) if term.negated => -value,
                Ok(value) => value,
                Err(_) => term.largest,
            };
            // As with constants: what no value of the clock decides counts as 0.
            let value = Some(value.clamp(0, DIVERGED));
            if term.below {
                lower = lower.max(value);
            }
            if term.above {
                upper = upper.max(value);
            }
        }
        (lower.map(|bound| bound as i32), upper.map(|bound| bound as i32))
    }
}

/// Which process alone writes a cell.
struct Writers {
    cells: Vec<u32>,
}

/// Several processes write a cell.
const MANY: u32 = u32::MAX - 1;

impl Writers {
    fn new(network: &Network, processes: &[Solution]) -> Writers {
        let mut writers = Writers { cells: vec![NONE; network.ints.len()] };
        for solution in processes {
            // Updates of the system are part of every step: as soon as two processes have steps they write them both.
            let mut exprs: Vec<ExprId> = solution.steps.iter().flat_map(|step| &step.updates).copied().collect();
            exprs.sort_unstable();
            exprs.dedup();
            for range in written(network, solution.process, &exprs) {
                writers.note(range, solution.process.index() as u32);
            }
        }
        for range in written(network, ProcessId::new(0), &network.before_update).into_iter().chain(written(
            network,
            ProcessId::new(0),
            &network.after_update,
        )) {
            writers.note(range, MANY);
        }
        writers
    }

    fn note(&mut self, range: Range<u32>, process: u32) {
        let end = (range.end as usize).min(self.cells.len());
        for writer in &mut self.cells[(range.start as usize).min(end)..end] {
            *writer = if *writer == NONE || *writer == process { process } else { MANY };
        }
    }

    /// Whether nobody but the process writes any of the cells.
    fn only(&self, process: ProcessId, cells: &[Range<u32>]) -> bool {
        cells.iter().all(|range| {
            let cells = self.cells.get(range.start as usize..range.end as usize);
            cells.is_some_and(|cells| cells.iter().all(|writer| [NONE, process.index() as u32].contains(writer)))
        })
    }
}

/// The comparisons of a process that can follow the state.
fn terms(network: &Network, solution: &Solution, writers: &Writers) -> Vec<Facts> {
    let mut facts: Vec<Facts> = Vec::new();
    for (_, comparison) in &solution.comparisons {
        let Some(term) = term(comparison) else { continue };
        if facts.iter().any(|known| known.term == term) {
            continue;
        }
        let Some(reads) = read(network, solution.process, term.expr) else { continue };
        if writers.only(solution.process, &reads) {
            facts.push(Facts { term, reads });
        }
    }
    facts
}

fn term(comparison: &Comparison) -> Option<Term> {
    let Comparison { clock, below, above, bound, varies, negated } = *comparison;
    varies.map(|expr| Term { clock, below, above, expr, negated, largest: bound })
}

/// For every location the bounds that do not vary, and the terms.
fn solve(network: &Network, solution: &Solution, facts: &[Facts]) -> Vec<(Bounds, BTreeSet<usize>)> {
    let mut places: Vec<(Bounds, BTreeSet<usize>)> = vec![Default::default(); solution.bounds.len()];
    for (at, comparison) in &solution.comparisons {
        match term(comparison).and_then(|term| facts.iter().position(|known| known.term == term)) {
            Some(n) => {
                places[*at].1.insert(n);
            }
            None => comparison.add_to(&mut places[*at].0),
        }
    }
    let writes: Vec<Vec<Range<u32>>> =
        solution.steps.iter().map(|step| written(network, solution.process, &step.updates)).collect();
    loop {
        let mut changed = false;
        for (Step { source, target, assignments, .. }, writes) in solution.steps.iter().zip(&writes) {
            let is_set = |clock: u32| assignments.sure.iter().any(|one| one.target == clock);
            let (mut fixed, mut terms) = places[*target].clone();
            fixed.retain(|clock, _| !is_set(*clock));
            terms.retain(|n| {
                let Facts { term, reads } = &facts[*n];
                let written = meet(writes, reads);
                if written && !is_set(term.clock) {
                    add(&mut fixed, term.clock, term.below, term.above, term.largest);
                }
                !written && !is_set(term.clock)
            });
            for (clock, bound) in fixed {
                changed |= raise(&mut places[*source].0, clock, bound);
            }
            for n in terms {
                changed |= places[*source].1.insert(n);
            }
        }
        if !changed {
            return places;
        }
    }
}
