//! Edges and the labels on edges and locations.

use super::Checker;
use super::scope::Symbol;
use super::typed::{Class, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{Branch, Edge, Effect, Engine, ExprId, LocationId, Select, Sync, Type};
use crate::source::Span;
use crate::syntax::ast;

#[derive(Clone, Copy)]
enum End {
    Location(LocationId),
    Branchpoint(usize),
}

impl Checker {
    pub(super) fn edges(&mut self, template: &ast::Template) -> Vec<Edge> {
        // Branches first: an edge that leads to a branchpoint takes all of them.
        let mut branches: Vec<Vec<Branch>> = vec![Vec::new(); template.branchpoints.len()];
        for edge in &template.edges {
            if let Some(End::Branchpoint(n)) = self.end(&edge.source)
                && let Some(branch) = self.branch(edge)
                && let Some(list) = branches.get_mut(n)
            {
                list.push(branch);
            }
        }
        template.edges.iter().filter_map(|edge| self.edge(edge, &branches)).collect()
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

    fn branch(&mut self, edge: &ast::Edge) -> Option<Branch> {
        let target = match self.end(&edge.target)? {
            End::Location(id) => id,
            End::Branchpoint(_) => {
                self.error(Code::EDGE, edge.span, "a branch cannot lead from one branchpoint to another");
                return None;
            }
        };
        let misplaced =
            edge.guard.as_ref().map(|guard| guard.span).or_else(|| edge.sync.as_ref().map(|sync| sync.span));
        if let Some(span) = misplaced.or_else(|| edge.select.first().map(|(name, _)| name.span)) {
            let message = "a branch has only a weight and an update";
            let help = "guards, synchronisations and selects belong on the edge that leads to the branchpoint";
            self.report(Diagnostic::new(Code::EDGE, span, message).help(help));
        }
        self.fresh_frame();
        let update = self.updates(&edge.update);
        let weight = edge.weight.as_ref().and_then(|weight| self.weight(weight, "a weight"));
        Some(Branch { target, update, weight, span: edge.span })
    }

    fn edge(&mut self, edge: &ast::Edge, branches: &[Vec<Branch>]) -> Option<Edge> {
        let End::Location(source) = self.end(&edge.source)? else { return None };
        let target = self.end(&edge.target)?;
        self.fresh_frame();
        self.scopes.push();
        let select: Vec<Select> = edge
            .select
            .iter()
            .filter_map(|(name, ty)| {
                let (ty, range) = self.binder_type(ty)?;
                self.bind(name, ty);
                Some(Select { name: name.name.clone(), range })
            })
            .collect();
        let guard = edge.guard.as_ref().and_then(|guard| self.guard(guard, edge));
        let sync = edge.sync.as_ref().and_then(|sync| self.sync(sync));
        let update = self.updates(&edge.update);
        self.scopes.pop();
        let branches = match target {
            End::Location(target) => vec![Branch { target, update: Vec::new(), weight: None, span: edge.span }],
            End::Branchpoint(n) => branches.get(n).cloned().unwrap_or_default(),
        };
        if branches.is_empty() {
            let message = "this edge leads to a branchpoint that nothing leaves";
            self.report(Diagnostic::new(Code::IGNORED, edge.span, message));
        }
        Some(Edge { source, select, guard, sync, update, branches, controllable: edge.controllable, span: edge.span })
    }

    fn guard(&mut self, guard: &ast::Expr, edge: &ast::Edge) -> Option<ExprId> {
        let typed = self.expr(guard);
        self.no_side_effects(&typed, guard, "a guard");
        if typed.is_error() {
            return None;
        }
        let (class, id) = match self.condition(&typed) {
            Some((class, id)) if class <= Class::Guard => (class, id),
            Some((class, _)) => {
                let message = match class {
                    Class::Rate => "a clock rate belongs in an invariant, not in a guard",
                    _ => "this cannot be a guard: clock constraints may be joined by `&&` only",
                };
                let mut diagnostic = Diagnostic::new(Code::GUARD, guard.span, message);
                if class == Class::Constraint {
                    diagnostic = diagnostic
                        .help("a guard that is a disjunction, a negation or `!=` over clocks becomes several edges");
                }
                self.report(diagnostic);
                return None;
            }
            None => {
                self.error(Code::GUARD, guard.span, format!("a guard is a condition, and this is {}", typed.kind));
                return None;
            }
        };
        self.warn_constant_condition(guard, id, "guard");
        if class > Class::Integral && edge.sync.as_ref().is_some_and(|sync| self.is_urgent(&sync.channel)) {
            let message = "a clock guard on an urgent synchronisation: time stops only when the guard holds";
            self.report(Diagnostic::new(Code::CLOCK_GUARD_URGENT, guard.span, message));
        }
        Some(id)
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
                if sync.direction == ast::Direction::Csp {
                    let reason = "a synchronisation without `!` or `?` (CSP style)";
                    self.obstacle(&Engine::ALL, Effect::Excludes, reason, sync.span);
                }
                Some(Sync { direction: sync.direction, channel: place.clone(), span: sync.span })
            }
            kind => {
                let mut diagnostic =
                    Diagnostic::new(Code::CHANNEL, sync.channel.span, format!("a channel is needed here, not {kind}"));
                if typed.ty().is_some_and(|ty| matches!(ty.innermost(), Type::Channel(_))) {
                    diagnostic = diagnostic.help("say which channel of the array: `c[i]`");
                }
                self.report(diagnostic);
                None
            }
        }
    }

    pub(super) fn invariant(&mut self, invariant: &ast::Expr) -> Option<ExprId> {
        self.fresh_frame();
        let typed = self.expr(invariant);
        self.no_side_effects(&typed, invariant, "an invariant");
        if typed.is_error() {
            return None;
        }
        match self.condition(&typed) {
            Some((Class::Integral | Class::Invariant | Class::Rate, id)) => Some(id),
            Some((class, _)) => {
                let message = match class {
                    Class::Guard => "this cannot be an invariant: `==` on clocks is for guards",
                    _ => "this cannot be an invariant: clock constraints may be joined by `&&` only",
                };
                self.report(Diagnostic::new(Code::INVARIANT, invariant.span, message));
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

    pub(super) fn warn_constant_condition(&mut self, expr: &ast::Expr, id: ExprId, what: &str) {
        if matches!(expr.kind, ast::ExprKind::Bool(_) | ast::ExprKind::Int(_)) {
            return;
        }
        let span: Span = expr.span;
        match self.constant_truth(id) {
            Some(true) => self.report(Diagnostic::new(Code::ALWAYS_TRUE, span, format!("this {what} always holds"))),
            Some(false) => self.report(Diagnostic::new(Code::ALWAYS_FALSE, span, format!("this {what} never holds"))),
            None => {}
        }
    }
}
