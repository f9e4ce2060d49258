//! Edges and the labels on edges and locations.

use super::combination::{combination, combination_count};
use super::guard_cases::Unsplit;
use super::scope::Symbol;
use super::typed::{Class, Kind};
use super::{Blame, Checker};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::network::{Branch, Edge, Effect, Engine, ExprId, LocationId, Range, Select, Sync, Type};
use crate::source::Span;
use crate::syntax::ast;

/// Whether a branch does what edges do: most have only a weight and an update.
fn is_action(branch: &ast::Edge) -> bool {
    branch.guard.is_some() || branch.sync.is_some()
}

#[derive(Clone, Copy)]
enum End {
    Location(LocationId),
    Branchpoint(usize),
}

impl Checker {
    pub(super) fn edges(&mut self, template: &ast::Template) -> Vec<Edge> {
        // Branches first: an edge that leads to a branchpoint takes all of them.
        let mut branches: Vec<Vec<Branch>> = vec![Vec::new(); template.branchpoints.len()];
        let mut written: Vec<Vec<&ast::Edge>> = vec![Vec::new(); template.branchpoints.len()];
        for edge in &template.edges {
            if let Some(End::Branchpoint(n)) = self.end(&edge.source)
                && let Some(list) = written.get_mut(n)
            {
                list.push(edge);
            }
        }
        for (list, written) in branches.iter_mut().zip(&written) {
            if !written.iter().any(|branch| is_action(branch)) {
                list.extend(written.iter().flat_map(|branch| self.branch(branch)));
            }
        }
        let mut edges = Vec::new();
        for edge in &template.edges {
            match self.end(&edge.target) {
                Some(End::Branchpoint(n))
                    if written.get(n).is_some_and(|list| list.iter().any(|one| is_action(one))) =>
                {
                    let joined = written.get(n).into_iter().flatten().filter_map(|branch| self.joined(edge, branch));
                    let joined: Vec<ast::Edge> = joined.collect();
                    edges.extend(joined.iter().flat_map(|edge| self.edge(edge, &branches)));
                }
                _ => edges.extend(self.edge(edge, &branches)),
            }
        }
        edges
    }

    /// An edge and a branch that has a guard or a synchronisation of its own, as one edge. Which branch is taken is then
    /// no matter of weights alone, so statistics cannot run it.
    fn joined(&mut self, edge: &ast::Edge, branch: &ast::Edge) -> Option<ast::Edge> {
        if let (Some(first), Some(second)) = (&edge.sync, &branch.sync) {
            let message = "the edge to this branchpoint has a synchronisation already";
            self.report(Diagnostic::new(Code::EDGE, second.span, message).note(first.span, "here"));
            return None;
        }
        let reason = "a branch with a guard or a synchronisation";
        self.obstacle(&[Engine::Statistical], Effect::Excludes, reason, branch.span);
        let guard = match (&edge.guard, &branch.guard) {
            (Some(left), Some(right)) => Some(ast::Expr {
                span: right.span,
                kind: ast::ExprKind::Binary {
                    op: ast::BinaryOp::And,
                    left: Box::new(left.clone()),
                    right: Box::new(right.clone()),
                },
            }),
            (left, right) => left.clone().or_else(|| right.clone()),
        };
        Some(ast::Edge {
            source: edge.source.clone(),
            target: branch.target.clone(),
            select: edge.select.iter().chain(&branch.select).cloned().collect(),
            guard,
            sync: edge.sync.clone().or_else(|| branch.sync.clone()),
            update: edge.update.iter().chain(&branch.update).cloned().collect(),
            weight: None,
            controllable: edge.controllable && branch.controllable,
            span: branch.span,
        })
    }

    fn end(&mut self, name: &ast::Ident) -> Option<End> {
        match self.scopes.resolve(&name.name).map(|entry| entry.symbol.clone()) {
            Some(Symbol::Location(id)) => Some(End::Location(id)),
            Some(Symbol::Branchpoint(n)) => Some(End::Branchpoint(n)),
            _ => {
                let message = format!("this template has no location `{}`", name.name);
                self.report_unknown(Code::DANGLING_REFERENCE, name, message);
                None
            }
        }
    }

    /// A branch, or one for each value of its select.
    fn branch(&mut self, edge: &ast::Edge) -> Vec<Branch> {
        let target = match self.end(&edge.target) {
            Some(End::Location(id)) => id,
            Some(End::Branchpoint(_)) => {
                self.error(Code::EDGE, edge.span, "a branch cannot lead from one branchpoint to another");
                return Vec::new();
            }
            None => return Vec::new(),
        };
        self.fresh_frame();
        self.scopes.push();
        let select = self.select(edge);
        let update = self.updates(&edge.update);
        let weight = edge.weight.as_ref().and_then(|weight| self.weight(weight, "a weight"));
        self.scopes.pop();
        let ranges: Vec<Range> = select.iter().map(|select| select.range).collect();
        let room = limits::BRANCHES.saturating_sub(self.branches);
        if let Some(size) = combination_count(&ranges).filter(|count| *count <= room) {
            self.branches += size;
            let branch =
                |n| Branch { target, select: combination(&ranges, n), update: update.clone(), weight, span: edge.span };
            return (0..size).map(branch).collect();
        }
        // Without a value for a parameter the range is not known yet.
        if !self.has_unknown_sizes() {
            self.error(Code::SIZE, span_of_select(edge), "the select of this branch has too many values");
        }
        Vec::new()
    }

    fn select(&mut self, edge: &ast::Edge) -> Vec<Select> {
        edge.select
            .iter()
            .filter_map(|(name, ty)| {
                let Some((ty, range)) = self.sizing(|checker| checker.binder_type(ty)) else {
                    self.declare_broken(name);
                    return None;
                };
                self.bind(name, ty);
                Some(Select { name: name.name.clone(), range, span: name.span })
            })
            .collect()
    }

    /// An edge, or one for each case of its guard.
    fn edge(&mut self, edge: &ast::Edge, branches: &[Vec<Branch>]) -> Vec<Edge> {
        let Some(End::Location(source)) = self.end(&edge.source) else { return Vec::new() };
        let Some(target) = self.end(&edge.target) else { return Vec::new() };
        self.fresh_frame();
        self.scopes.push();
        let select = self.select(edge);
        let guards = edge.guard.as_ref().map_or_else(Vec::new, |guard| self.guard(guard, edge));
        let sync = edge.sync.as_ref().and_then(|sync| self.sync(sync));
        let update = self.updates(&edge.update);
        self.scopes.pop();
        let branches = match target {
            End::Location(target) => {
                vec![Branch { target, select: Vec::new(), update: Vec::new(), weight: None, span: edge.span }]
            }
            End::Branchpoint(n) => {
                let count = (branches.get(n).map_or(0, Vec::len) * guards.len().max(1)) as u64;
                self.branches += count;
                if self.branches > limits::BRANCHES {
                    let message = format!("too many branches: a model may have {}", limits::BRANCHES);
                    self.error(Code::SIZE, edge.span, message);
                    return Vec::new();
                }
                branches.get(n).cloned().unwrap_or_default()
            }
        };
        if branches.is_empty() {
            let message = "this edge leads to a branchpoint that nothing leaves";
            self.report(Diagnostic::new(Code::IGNORED, edge.span, message));
        }
        let (controllable, span) = (edge.controllable, edge.span);
        let first = Edge { source, select, guard: guards.first().copied(), sync, update, branches, controllable, span };
        let more: Vec<Edge> =
            guards.iter().skip(1).map(|guard| Edge { guard: Some(*guard), ..first.clone() }).collect();
        [first].into_iter().chain(more).collect()
    }

    /// The guard, or the cases of one that only timed I/O automata have.
    fn guard(&mut self, guard: &ast::Expr, edge: &ast::Edge) -> Vec<ExprId> {
        self.blame = Blame::default();
        let typed = self.expr(guard);
        self.no_side_effects(&typed, guard, "a guard");
        if typed.is_error() {
            return Vec::new();
        }
        let (class, guards) = match self.condition(&typed) {
            Some((class, id)) if class <= Class::Guard => (class, vec![id]),
            Some((Class::Rate, _)) => {
                self.error(Code::GUARD, guard.span, "a clock rate belongs in an invariant, not in a guard");
                return Vec::new();
            }
            Some((class, id)) => match self.choices(guard, id) {
                Some(guards) => (class, guards),
                None => return Vec::new(),
            },
            None => {
                self.error(Code::GUARD, guard.span, format!("a guard is a condition, and this is {}", typed.kind));
                return Vec::new();
            }
        };
        self.warn_decided(guard, "guard");
        if class > Class::Integral && edge.sync.as_ref().is_some_and(|sync| self.is_urgent(&sync.channel)) {
            let message = "a clock guard on an urgent synchronisation: time stops only when the guard holds";
            self.report(Diagnostic::new(Code::CLOCK_GUARD_URGENT, guard.span, message));
        }
        guards
    }

    /// A guard that is more than a conjunction of clock constraints.
    fn choices(&mut self, guard: &ast::Expr, id: ExprId) -> Option<Vec<ExprId>> {
        let cases = if self.timed_io { self.guard_cases(id) } else { Err(Unsplit::Form) };
        match cases {
            Ok(guards) => return Some(guards),
            Err(Unsplit::Cases) => {
                self.error(Code::SIZE, guard.span, "the choices of this guard have too many cases");
            }
            Err(Unsplit::Form) => {
                let (span, reason) = self.blame.beyond_guard.unwrap_or((guard.span, "such a condition on clocks"));
                let message = format!("{reason} cannot be in a guard");
                let help = "make one edge for each case: a guard joins clock constraints by `&&`";
                self.report(Diagnostic::new(Code::GUARD, span, message).help(help));
            }
        }
        None
    }

    fn is_urgent(&mut self, channel: &ast::Expr) -> bool {
        let mut root = channel;
        while let ast::ExprKind::Index { base, .. } = &root.kind {
            root = base;
        }
        let ast::ExprKind::Name(name) = &root.kind else { return false };
        match self.scopes.resolve(&name.name).map(|entry| &entry.symbol) {
            Some(Symbol::Variable(variable)) => {
                matches!(variable.place.ty.innermost(), Type::Channel(kind) if kind.urgent)
            }
            _ => false,
        }
    }

    fn sync(&mut self, sync: &ast::Sync) -> Option<Sync> {
        let typed = self.expr(&sync.channel);
        self.no_side_effects(&typed, &sync.channel, "a synchronisation");
        match &typed.kind {
            Kind::Error => None,
            Kind::Place { place, .. } if matches!(place.ty, Type::Channel(_)) => {
                Some(Sync { direction: sync.direction, channel: place.clone(), span: sync.span })
            }
            kind => {
                let mut diagnostic =
                    Diagnostic::new(Code::CHANNEL, sync.channel.span, format!("a channel is needed here, not {kind}"));
                if typed.ty().is_some_and(|ty| matches!(ty.innermost(), Type::Channel(_))) {
                    let name = match &sync.channel.kind {
                        ast::ExprKind::Name(name) => &*name.name,
                        _ => "c",
                    };
                    diagnostic = diagnostic.help(format!("say which channel of the array, as in `{name}[0]`"));
                }
                self.report(diagnostic);
                None
            }
        }
    }

    pub(super) fn invariant(&mut self, invariant: &ast::Expr) -> Option<ExprId> {
        self.fresh_frame();
        self.blame = Blame::default();
        let typed = self.expr(invariant);
        self.no_side_effects(&typed, invariant, "an invariant");
        if typed.is_error() {
            return None;
        }
        match self.condition(&typed) {
            Some((Class::Integral | Class::Invariant | Class::Rate, id)) => {
                self.warn_decided(invariant, "invariant");
                Some(id)
            }
            Some((Class::Guard, _)) => {
                let (span, message) = match self.blame.equality {
                    Some(span) => (span, "`==` on clocks cannot be in an invariant"),
                    None => (invariant.span, "a lower bound that is no integer cannot be in an invariant"),
                };
                let help = "an invariant says how long one may stay: write `<=`, and the rest in guards";
                self.report(Diagnostic::new(Code::INVARIANT, span, message).help(help));
                None
            }
            Some(_) => {
                let (span, reason) = self.blame.beyond_guard.unwrap_or((invariant.span, "such a condition on clocks"));
                let message = format!("{reason} cannot be in an invariant");
                let help = "an invariant joins upper bounds of clocks by `&&`";
                self.report(Diagnostic::new(Code::INVARIANT, span, message).help(help));
                None
            }
            None => {
                let message = format!("an invariant is a condition, and this is {}", typed.kind);
                self.error(Code::INVARIANT, invariant.span, message);
                None
            }
        }
    }

    /// A weight or an exponential rate: a number.
    pub(super) fn weight(&mut self, expr: &ast::Expr, what: &str) -> Option<ExprId> {
        let typed = self.expr(expr);
        self.no_side_effects(&typed, expr, what);
        if typed.is_error() {
            return None;
        }
        let number = self.number(&typed);
        if number.is_none() {
            self.error(Code::TYPE, expr.span, format!("{what} is a number, and this is {}", typed.kind));
        }
        number.map(|(_, id)| id)
    }
}

fn span_of_select(edge: &ast::Edge) -> Span {
    edge.select.first().map_or(edge.span, |(name, _)| name.span)
}
