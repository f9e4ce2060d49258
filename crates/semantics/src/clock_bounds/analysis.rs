//! What the labels of one process say about clocks: comparisons, and what its edges assign.

use super::solution::{Bounds, Solution, Step, add};
use super::{Cut, Cuts, DIVERGED, VALUES};
use crate::code::range_of;
use model::network::{
    Base, Code, Expr, ExprId, Network, Place, Process, ProcessId, ReferenceStore, Relation, Statement, Template,
};
use model::syntax::ast::Direction;
use std::collections::HashSet;

/// What an edge does to a clock.
pub struct Assignment {
    pub target: u32,
    /// The clock copied, with the least offset added; `None` for a constant.
    pub source: Option<(u32, i64)>,
}

/// The assignments of an edge: those made whatever happens, in order, and copies that may be made.
#[derive(Default)]
pub struct Assignments {
    pub sure: Vec<Assignment>,
    sure_exprs: HashSet<ExprId>,
    pub possible_copies: Vec<Assignment>,
}

pub struct Analysis<'n> {
    pub network: &'n Network,
    pub process: ProcessId,
    pub mirrored: bool,
    /// The largest constant that a clock is set to.
    pub largest_set: i64,
}

/// A comparison of a clock with a number.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    pub clock: u32,
    pub below: bool,
    pub above: bool,
    /// The largest number.
    pub bound: i64,
    /// The expression, where it has several values: minus it, if `negated`.
    pub varies: Option<ExprId>,
    pub negated: bool,
}

impl Comparison {
    /// Counts it with its largest number.
    pub fn add_to(&self, bounds: &mut Bounds) {
        add(bounds, self.clock, self.below, self.above, self.bound);
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
    pub fn begin(&self, cuts: &mut Cuts, copies: &mut bool) -> Solution {
        let template = self.template();
        let mut comparisons: Vec<(usize, Comparison)> = Vec::new();
        for (at, location) in template.locations.iter().enumerate() {
            if let Some(invariant) = location.invariant {
                self.comparisons(invariant, self.mirrored, cuts, &mut |one| comparisons.push((at, one)));
            }
        }
        let has_broadcast = self.network.channels.iter().any(|channel| channel.kind.broadcast);
        let mut steps: Vec<Step> = Vec::new();
        let mut bounds: Vec<Bounds> = vec![Bounds::new(); template.locations.len()];
        for edge in &template.edges {
            let at = edge.source.index();
            if let Some(guard) = edge.guard {
                // Where a process does not take part in a broadcast, the guards of its receiving edges do not hold.
                let receives = edge.sync.as_ref().is_some_and(|sync| sync.direction == Direction::Receive);
                let mirrored = self.mirrored || has_broadcast && receives;
                self.comparisons(guard, mirrored, cuts, &mut |one| comparisons.push((at, one)));
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
                let updates = updates().copied().collect();
                steps.push(Step { source: at, target: branch.target.index(), assignments, updates });
            }
        }
        comparisons.iter().for_each(|(at, comparison)| comparison.add_to(&mut bounds[*at]));
        Solution { process: self.process, bounds, steps, comparisons }
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

    /// The comparisons of a condition.
    pub fn comparisons(&self, condition: ExprId, mirrored: bool, cuts: &mut Cuts, visit: &mut dyn FnMut(Comparison)) {
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
            let varies = (lo < hi && !diagonal).then_some(constraint.bound);
            for clock in &plus {
                let bound = if diagonal { largest } else { hi };
                visit(Comparison { clock: *clock, below, above, bound, varies, negated: false });
            }
            for clock in &minus {
                // -x ~ n is x ~' -n with the relation turned round.
                let bound = if diagonal { largest } else { -lo };
                visit(Comparison { clock: *clock, below: above, above: below, bound, varies, negated: true });
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

/// The largest constant that some update sets a clock to.
pub fn largest_set(network: &Network) -> i64 {
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
            for index in members(network, member) {
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
fn members(network: &Network, process: &model::network::ProcessRef) -> Vec<usize> {
    let mut list = vec![process.first.index()];
    for index in &process.indices {
        // The index is code of a query, which belongs to no process.
        let (lo, hi) = range_of(network, index.value, ProcessId::new(0));
        let first = i64::from(index.range.lo);
        let (lo, hi) = (lo.max(first), hi.min(first + index.range.count() as i64 - 1));
        let stride = index.stride as usize;
        list = list.iter().flat_map(|at| (lo..=hi).map(move |n| at + (n - first) as usize * stride)).collect();
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
