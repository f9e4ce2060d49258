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
use model::syntax::ast::Direction;
use std::collections::{BTreeMap, BTreeSet, HashSet};

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
}

/// Beyond this a bound is taken to grow without end, and a number that a clock is compared with is too large.
pub const DIVERGED: i64 = 1 << 26;

/// So many values of an expression that a difference of clocks is compared with are kept apart.
const VALUES: i64 = 8;

type Bounds = BTreeMap<u32, (Option<i64>, Option<i64>)>;

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
        };
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
        analysis.comparisons(predicate, true, &mut bounds, &mut cuts);
        let of = |(clock, (lower, upper)): (u32, (Option<i64>, Option<i64>))| {
            let both = lower.max(upper).map(|bound| bound as i32);
            ClockUse { clock, lower: both, upper: both }
        };
        QueryBounds { uses: bounds.into_iter().map(of).collect(), cuts }
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
    mirrored: bool,
    /// The largest constant that a clock is set to.
    largest_set: i64,
}

/// The bounds of one process while they grow.
struct Solution {
    bounds: Vec<Bounds>,
    /// Source, target and assignments of every branch.
    steps: Vec<(usize, usize, Assignments)>,
}

impl Solution {
    /// Passes bounds on until nothing changes; `true` when something did. `read` are bounds that count everywhere for clocks
    /// that are copied to.
    fn solve(&mut self, read: &Bounds, diverges: &mut bool) -> bool {
        let mut any = false;
        // Without assignments that raise bounds in a circle, as many rounds as there are places for bounds are enough.
        let clocks: BTreeSet<u32> = self.bounds.iter().flat_map(|bounds| bounds.keys().copied()).collect();
        let enough = (self.bounds.len() + 1) * (clocks.len() + read.len() + 1);
        for round in 0.. {
            *diverges |= round > enough;
            let mut changed = false;
            for (source, target, assignments) in &self.steps {
                let incoming = before(&self.bounds[*target], assignments, read);
                for (clock, (lower, upper)) in incoming {
                    let entry = self.bounds[*source].entry(clock);
                    changed |= matches!(entry, std::collections::btree_map::Entry::Vacant(_));
                    let entry = entry.or_insert((None, None));
                    let new = (entry.0.max(lower), entry.1.max(upper));
                    *diverges |= new.0.max(new.1).is_some_and(|bound| bound > DIVERGED);
                    // Which clocks are active counts all the same.
                    if *diverges {
                        continue;
                    }
                    changed |= *entry != new;
                    *entry = new;
                }
            }
            any |= changed;
            if !changed {
                break;
            }
        }
        any
    }
}

impl Analysis<'_> {
    fn process(&self) -> &Process {
        self.network.process(self.process)
    }

    fn template(&self) -> &Template {
        self.network.template_of(self.process)
    }

    /// The comparisons of the process itself, and what its edges do to clocks.
    fn begin(&self, cuts: &mut Cuts, copies: &mut bool) -> Solution {
        let template = self.template();
        let mut bounds: Vec<Bounds> = vec![Bounds::new(); template.locations.len()];
        for (location, bounds) in template.locations.iter().zip(&mut bounds) {
            if let Some(invariant) = location.invariant {
                self.comparisons(invariant, self.mirrored, bounds, cuts);
            }
        }
        let has_broadcast = self.network.channels.iter().any(|channel| channel.kind.broadcast);
        let mut steps: Vec<(usize, usize, Assignments)> = Vec::new();
        for edge in &template.edges {
            let at = edge.source.index();
            if let Some(guard) = edge.guard {
                // Where a process does not take part in a broadcast, the guards of its receiving edges do not hold.
                let receives = edge.sync.as_ref().is_some_and(|sync| sync.direction == Direction::Receive);
                let mirrored = self.mirrored || has_broadcast && receives;
                self.comparisons(guard, mirrored, &mut bounds[at], cuts);
            }
            for branch in &edge.branches {
                let mut assignments = Assignments::default();
                let updates = || {
                    let (first, last) = (&self.network.before_update, &self.network.after_update);
                    first.iter().chain(&edge.update).chain(&branch.update).chain(last)
                };
                for update in updates() {
                    self.assignments(*update, &mut assignments);
                }
                for update in updates() {
                    self.possible_copies(*update, &mut assignments);
                    self.lowered(*update, &mut bounds[at]);
                }
                *copies |= !assignments.possible_copies.is_empty();
                *copies |= assignments.sure.iter().any(|assignment| assignment.source.is_some());
                steps.push((at, branch.target.index(), assignments));
            }
        }
        Solution { bounds, steps }
    }

    /// `y = x - 2` is an error where `x < 2`: a comparison.
    fn lowered(&self, update: ExprId, bounds: &mut Bounds) {
        self.network.code.walk(update, &mut |_, expr| {
            let Expr::SetClock { source: Some(source), offset, .. } = expr else { return };
            let lowest = range_of(self.network, *offset, self.process).0;
            if lowest < 0 {
                self.clocks_of(source).into_iter().for_each(|clock| add(bounds, clock, true, true, -lowest));
            }
        });
    }

    /// Adds the comparisons of a condition.
    fn comparisons(&self, condition: ExprId, mirrored: bool, bounds: &mut Bounds, cuts: &mut Cuts) {
        let code = &self.network.code;
        code.walk(condition, &mut |_, expr| {
            let Expr::ClockConstraint(constraint) = expr else { return };
            let (lo, hi) = range_of(self.network, constraint.bound, self.process);
            let plus = constraint.plus.as_ref().map(|place| self.clocks_of(place)).unwrap_or_default();
            let minus = constraint.minus.as_ref().map(|place| self.clocks_of(place)).unwrap_or_default();
            let diagonal = !plus.is_empty() && !minus.is_empty();
            if diagonal {
                add_cuts(cuts, &plus, &minus, constraint.relation, (lo, hi));
            }
            // When one of two clocks that are compared is set to k, the other one is compared with n - k from then on.
            let largest = lo.abs().max(hi.abs()) + self.largest_set;
            let (below, above) = sides(constraint.relation);
            let (below, above) = (below || mirrored || diagonal, above || mirrored || diagonal);
            for clock in &plus {
                let bound = if diagonal { largest } else { hi };
                add(bounds, *clock, below, above, bound);
            }
            for clock in &minus {
                // -x ~ n is x ~' -n with the relation turned round.
                let bound = if diagonal { largest } else { -lo };
                add(bounds, *clock, above, below, bound);
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

/// The bounds before an edge that follow from those after it, and from what is read elsewhere of the clocks copied to.
fn before(after: &Bounds, assignments: &Assignments, read: &Bounds) -> Bounds {
    let mut bounds = after.clone();
    let copies = assignments.sure.iter().chain(&assignments.possible_copies).filter(|one| one.source.is_some());
    for copy in copies {
        if let Some(bound) = read.get(&copy.target) {
            raise(&mut bounds, copy.target, *bound);
        }
    }
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
        pass_on(&mut bounds);
    }
    bounds
}

/// Makes the bounds of a clock at least these; `true` when they were smaller.
fn raise(bounds: &mut Bounds, clock: u32, (lower, upper): (Option<i64>, Option<i64>)) -> bool {
    let known = bounds.get(&clock).copied();
    let (old_lower, old_upper) = known.unwrap_or((None, None));
    let new = (old_lower.max(lower), old_upper.max(upper));
    bounds.insert(clock, new);
    known != Some(new)
}

/// The largest constant that some update sets a clock to.
fn largest_set(network: &Network) -> i64 {
    let mut largest = 0;
    for (index, process) in network.processes.iter().enumerate() {
        let template = network.template(process.template);
        let branches = template.edges.iter().flat_map(|edge| &edge.branches).flat_map(|branch| &branch.update);
        let edges = template.edges.iter().flat_map(|edge| &edge.update);
        for update in edges.chain(branches).chain(&network.before_update).chain(&network.after_update) {
            network.code.walk(*update, &mut |_, expr| {
                if let Expr::SetClock { source: None, offset, .. } = expr {
                    largest = largest.max(range_of(network, *offset, ProcessId::new(index)).1);
                }
            });
        }
    }
    largest.min(DIVERGED)
}

/// The ways in which a comparison of two clocks cuts zones, for every number that it may compare with.
fn add_cuts(cuts: &mut Cuts, plus: &[u32], minus: &[u32], relation: Relation, (lo, hi): (i64, i64)) {
    if hi - lo > VALUES || lo < -DIVERGED || hi > DIVERGED {
        cuts.too_many = true;
        return;
    }
    let weak = !matches!(relation, Relation::Lt | Relation::Ge);
    let strict = !matches!(relation, Relation::Le | Relation::Gt);
    for (plus, minus) in plus.iter().flat_map(|plus| minus.iter().map(move |minus| (*plus, *minus))) {
        for constant in lo..=hi {
            for strict in [(weak, false), (strict, true)].into_iter().filter_map(|(used, kind)| used.then_some(kind)) {
                if plus != minus {
                    cuts.list.insert(Cut { plus, minus, constant: constant as i32, strict });
                }
            }
        }
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
