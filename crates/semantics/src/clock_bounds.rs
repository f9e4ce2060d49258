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
//! largest value they can take by the declared ranges.
//!
//! Costs one fixpoint per process over its edges and the clocks it names.

use crate::code::range_of;
use model::network::{
    Base, Code, Expr, ExprId, Network, Place, Process, ProcessId, ReferenceStore, Relation, Statement, Template,
};
use std::collections::{BTreeMap, HashSet};

/// The bounds of one clock at one location of one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockUse {
    pub clock: u32,
    pub lower: Option<i32>,
    pub upper: Option<i32>,
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
    /// Some comparison is between two clocks.
    pub has_diagonals: bool,
    /// Assignments such as `x = x - 1` make bounds grow without end; they were cut, and zones must not rely on them.
    pub diverges: bool,
}

/// Beyond this a bound is taken to grow without end.
const DIVERGED: i64 = 1 << 26;

type Bounds = BTreeMap<u32, (Option<i64>, Option<i64>)>;

impl ClockBounds {
    /// Analyses a network.
    pub fn new(network: &Network) -> ClockBounds {
        let mut result = ClockBounds {
            uses: Vec::new(),
            starts: vec![0],
            processes: Vec::new(),
            has_diagonals: false,
            diverges: false,
        };
        for index in 0..network.processes.len() {
            result.processes.push(result.starts.len() as u32 - 1);
            let analysis = Analysis { network, process: ProcessId::new(index) };
            for bounds in analysis.solve(&mut result.has_diagonals, &mut result.diverges) {
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

    /// Every use of every process and location.
    pub fn all(&self) -> impl Iterator<Item = &ClockUse> {
        self.uses.iter()
    }

    /// The bounds that a query predicate adds everywhere. A predicate may negate its comparisons, so each counts from both
    /// sides.
    pub fn of_predicate(network: &Network, predicate: ExprId, has_diagonals: &mut bool) -> Vec<ClockUse> {
        let mut bounds = Bounds::new();
        let analysis = Analysis { network, process: ProcessId::new(0) };
        analysis.comparisons(predicate, &mut bounds, has_diagonals);
        let of = |(clock, (lower, upper)): (u32, (Option<i64>, Option<i64>))| {
            let both = lower.max(upper).map(|bound| bound as i32);
            ClockUse { clock, lower: both, upper: both }
        };
        bounds.into_iter().map(of).collect()
    }
}

/// What an edge does to a clock.
struct Assignment {
    target: u32,
    /// The clock copied, with the least offset added; `None` for a constant.
    source: Option<(u32, i64)>,
}

/// The assignments of an edge: those made whatever happens, in order, and copies that may be made.
#[derive(Default)]
struct Assignments {
    sure: Vec<Assignment>,
    sure_exprs: HashSet<ExprId>,
    possible_copies: Vec<Assignment>,
}

struct Analysis<'n> {
    network: &'n Network,
    process: ProcessId,
}

impl Analysis<'_> {
    fn process(&self) -> &Process {
        self.network.process(self.process)
    }

    fn template(&self) -> &Template {
        self.network.template_of(self.process)
    }

    fn solve(&self, has_diagonals: &mut bool, diverges: &mut bool) -> Vec<Bounds> {
        let template = self.template();
        let mut bounds: Vec<Bounds> = vec![Bounds::new(); template.locations.len()];
        for (location, bounds) in template.locations.iter().zip(&mut bounds) {
            if let Some(invariant) = location.invariant {
                self.comparisons(invariant, bounds, has_diagonals);
            }
        }
        let mut steps: Vec<(usize, usize, Assignments)> = Vec::new();
        for edge in &template.edges {
            if let Some(guard) = edge.guard {
                self.comparisons(guard, &mut bounds[edge.source.index()], has_diagonals);
            }
            for branch in &edge.branches {
                let mut assignments = Assignments::default();
                for update in edge.update.iter().chain(&branch.update) {
                    self.assignments(*update, &mut assignments);
                }
                for update in edge.update.iter().chain(&branch.update) {
                    self.possible_copies(*update, &mut assignments);
                }
                steps.push((edge.source.index(), branch.target.index(), assignments));
            }
        }
        loop {
            let mut changed = false;
            for (source, target, assignments) in &steps {
                let incoming = self.before(&bounds[*target], assignments);
                for (clock, (lower, upper)) in incoming {
                    let entry = bounds[*source].entry(clock).or_insert((None, None));
                    let new = (entry.0.max(lower), entry.1.max(upper));
                    if new.0.max(new.1).is_some_and(|bound| bound > DIVERGED) {
                        *diverges = true;
                        continue;
                    }
                    changed |= *entry != new;
                    *entry = new;
                }
            }
            if !changed {
                return bounds;
            }
        }
    }

    /// The bounds before an edge that follow from those after it.
    fn before(&self, after: &Bounds, assignments: &Assignments) -> Bounds {
        let mut bounds = after.clone();
        // In which order the possible ones are made is not known: pass bounds on until nothing changes.
        let pass_on = |bounds: &mut Bounds| {
            for _ in 0..=assignments.possible_copies.len() {
                for copy in &assignments.possible_copies {
                    let Some(target) = bounds.get(&copy.target).copied() else { continue };
                    copy_bounds(bounds, copy, target);
                }
            }
        };
        pass_on(&mut bounds);
        for assignment in assignments.sure.iter().rev() {
            if let Some(target) = bounds.remove(&assignment.target) {
                copy_bounds(&mut bounds, assignment, target);
            }
        }
        pass_on(&mut bounds);
        bounds
    }

    /// Adds the comparisons of a condition.
    fn comparisons(&self, condition: ExprId, bounds: &mut Bounds, has_diagonals: &mut bool) {
        let code = &self.network.code;
        code.walk(condition, &mut |_, expr| {
            let Expr::ClockConstraint(constraint) = expr else { return };
            let (lo, hi) = range_of(self.network, constraint.bound, self.process);
            let plus = constraint.plus.as_ref().map(|place| self.clocks_of(place)).unwrap_or_default();
            let minus = constraint.minus.as_ref().map(|place| self.clocks_of(place)).unwrap_or_default();
            *has_diagonals |= !plus.is_empty() && !minus.is_empty();
            // A difference bounded by n says nothing about either clock alone; take its size for both.
            let largest = lo.abs().max(hi.abs());
            let diagonal = !plus.is_empty() && !minus.is_empty();
            let (below, above) = sides(constraint.relation);
            for clock in &plus {
                let bound = if diagonal { largest } else { hi };
                add(bounds, *clock, diagonal || below, diagonal || above, bound);
            }
            for clock in &minus {
                // -x ~ n is x ~' -n with the relation turned round.
                let bound = if diagonal { largest } else { -lo };
                add(bounds, *clock, diagonal || above, diagonal || below, bound);
            }
        });
    }

    /// Collects the assignments that an update makes whatever happens, in order.
    fn assignments(&self, update: ExprId, list: &mut Assignments) {
        match self.network.code.expr(update) {
            Expr::SetClock { target, source, offset } => {
                let targets = self.clocks_of(target);
                let sources = source.as_ref().map(|source| self.clocks_of(source));
                let (&[target], offset) = (targets.as_slice(), range_of(self.network, *offset, self.process).0) else {
                    return;
                };
                let source = match sources.as_deref() {
                    None => None,
                    Some(&[source]) => Some((source, offset)),
                    Some(_) => return,
                };
                list.sure.push(Assignment { target, source });
                list.sure_exprs.insert(update);
            }
            Expr::Sequence(first, second) => {
                self.assignments(*first, list);
                self.assignments(*second, list);
            }
            // Reference parameters would have to be followed; a function without them names clocks directly.
            Expr::Call { function, process: None, arguments } if arguments.is_empty() => {
                self.statements(&self.network.code.function(*function).body, list);
            }
            _ => {}
        }
    }

    /// The statements of a function that run whatever happens, up to the first that may return.
    fn statements(&self, statements: &[Statement], list: &mut Assignments) {
        for statement in statements {
            if may_return(statement) {
                return;
            }
            match statement {
                Statement::Expr(expr) => self.assignments(*expr, list),
                Statement::Block(inner) => self.statements(inner, list),
                _ => {}
            }
        }
    }

    fn possible_copies(&self, update: ExprId, list: &mut Assignments) {
        let Assignments { sure_exprs, possible_copies, .. } = list;
        self.network.code.walk(update, &mut |id, expr| {
            let Expr::SetClock { target, source: Some(source), offset } = expr else { return };
            if sure_exprs.contains(&id) {
                return;
            }
            let offset = range_of(self.network, *offset, self.process).0;
            for target in self.clocks_of(target) {
                for source in self.clocks_of(source) {
                    possible_copies.push(Assignment { target, source: Some((source, offset)) });
                }
            }
        });
    }

    /// Every clock that a place may stand for.
    fn clocks_of(&self, place: &Place) -> Vec<u32> {
        clocks_of(self.network, self.process(), place)
    }
}

/// Every clock that a place may stand for when the process runs the code.
pub fn clocks_of(network: &Network, process: &Process, place: &Place) -> Vec<u32> {
    let first = match &place.base {
        Base::Global => 0,
        Base::Local => process.state.clocks,
        Base::Parameter(n) => match process.references.get(*n as usize) {
            Some(reference) if reference.store == ReferenceStore::State => reference.offset.clocks,
            _ => return Vec::new(),
        },
        Base::Member(member, base) => {
            let mut clocks = Vec::new();
            for index in members(member) {
                let Some(process) = network.processes.get(index) else { continue };
                let base = match base {
                    model::network::MemberBase::Local => Base::Local,
                    model::network::MemberBase::LocalConstant => Base::LocalConstant,
                    model::network::MemberBase::Parameter(n) => Base::Parameter(*n),
                };
                clocks.extend(clocks_of(network, process, &Place { base, ..place.clone() }));
            }
            return clocks;
        }
        // Reference parameters of functions: any clock may be meant.
        Base::FrameReference(_) => return (0..network.clocks.len() as u32).collect(),
        Base::Constant | Base::LocalConstant | Base::Frame | Base::Value(_) => return Vec::new(),
    };
    let mut clocks = vec![first + place.offset.clocks];
    for index in &place.indices {
        let elements = match constant(&network.code, index.value) {
            Some(value) => {
                let at = i64::from(value) - i64::from(index.lo);
                if at < 0 || at >= i64::from(index.len) {
                    return Vec::new();
                }
                at as u32..at as u32 + 1
            }
            None => 0..index.len,
        };
        clocks =
            clocks.iter().flat_map(|clock| elements.clone().map(move |n| clock + n * index.stride.clocks)).collect();
    }
    clocks
}

/// The processes that a reference in a query may name.
fn members(process: &model::network::ProcessRef) -> Vec<usize> {
    let mut list = vec![process.first.index()];
    for index in &process.indices {
        let count = index.range.count() as usize;
        let stride = index.stride as usize;
        list = list.iter().flat_map(|first| (0..count).map(move |n| first + n * stride)).collect();
    }
    list
}

fn constant(code: &Code, id: ExprId) -> Option<i32> {
    match code.expr(id) {
        Expr::Int(value) => Some(*value),
        _ => None,
    }
}

/// Whether a relation compares from below (`x >= n`) and from above (`x <= n`).
fn sides(relation: Relation) -> (bool, bool) {
    match relation {
        Relation::Lt | Relation::Le => (false, true),
        Relation::Ge | Relation::Gt => (true, false),
        Relation::Eq | Relation::Ne => (true, true),
    }
}

/// After `y = x + c` a comparison of y with n is one of x with n - c.
fn copy_bounds(bounds: &mut Bounds, assignment: &Assignment, (lower, upper): (Option<i64>, Option<i64>)) {
    let Some((source, offset)) = assignment.source else { return };
    let shift = |bound: Option<i64>| bound.map(|bound| (bound - offset).max(0));
    let entry = bounds.entry(source).or_insert((None, None));
    *entry = (entry.0.max(shift(lower)), entry.1.max(shift(upper)));
}

fn add(bounds: &mut Bounds, clock: u32, below: bool, above: bool, bound: i64) {
    // A comparison with a negative number is decided, and the clock is named all the same.
    let bound = Some(bound.clamp(0, DIVERGED));
    let entry = bounds.entry(clock).or_insert((None, None));
    if below {
        entry.0 = entry.0.max(bound);
    }
    if above {
        entry.1 = entry.1.max(bound);
    }
}

fn may_return(statement: &Statement) -> bool {
    match statement {
        Statement::Return(_) => true,
        Statement::Expr(_) | Statement::Local { .. } | Statement::Assert(_) => false,
        Statement::Block(statements) => statements.iter().any(may_return),
        Statement::While { body, .. }
        | Statement::DoWhile { body, .. }
        | Statement::For { body, .. }
        | Statement::ForEach { body, .. } => may_return(body),
        Statement::If { arms, otherwise } => {
            arms.iter().any(|(_, body)| may_return(body)) || otherwise.iter().any(|body| may_return(body))
        }
    }
}
