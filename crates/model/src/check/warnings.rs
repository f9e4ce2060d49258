//! What is legal and surely not meant: names that nothing uses. And what keeps engines from running the model.

use super::Checker;
use super::scope::{Entry, Symbol};
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{Base, Effect, Engine, Expr, ExprId, Number, Place, Type};
use crate::source::Span;
use crate::syntax::ast::{Direction, Name};

impl Checker {
    /// Warnings for everything that neither the model nor a query so far has used.
    pub(super) fn unused(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for form in &self.forms {
            found.extend(form.members.iter().filter_map(|(name, entry)| unused(name, entry)));
        }
        if let Some(global) = self.scopes.global() {
            for (name, entry) in global.iter() {
                found.extend(unused(name, entry));
            }
        }
        for template in self.templates.iter().filter(|template| !template.used) {
            let name = &template.template.name;
            let message = format!("the template `{}` is not part of the system", name.name);
            found.push(Diagnostic::new(Code::UNUSED, name.span, message));
        }
        for instance in self.instances.iter().filter(|instance| !instance.used) {
            let message = format!("the process `{}` is not part of the system", instance.name.name);
            found.push(Diagnostic::new(Code::UNUSED, instance.name.span, message));
        }
        found
    }

    /// Collects the obstacles of the templates in use, and those that show only in the whole network.
    pub(super) fn find_obstacles(&mut self) {
        let mut used: Vec<usize> = self.network.processes.iter().map(|process| process.template.index()).collect();
        used.sort_unstable();
        used.dedup();
        for form in used {
            let obstacles = std::mem::take(&mut self.forms[form].obstacles);
            for obstacle in obstacles {
                self.network.fitness.add(&[obstacle.engine], obstacle.effect, &obstacle.reason, obstacle.span);
            }
            self.floating_obstacles(form);
        }
        for update in self.network.before_update.clone().into_iter().chain(self.network.after_update.clone()) {
            self.floating_update(update);
        }
        let statistical = &[Engine::Statistical];
        let binary = self
            .network
            .globals
            .iter()
            .find(|variable| matches!(variable.ty.innermost(), Type::Channel(kind) if !kind.broadcast));
        if let Some(span) = binary.map(|variable| variable.span) {
            let reason = "a channel that is not broadcast: the stochastic semantics has no binary synchronisation";
            self.network.fitness.add(statistical, Effect::Excludes, reason, Some(span));
        }
        if self.network.has_process_priorities() {
            let span = self.network.sets.first().map(|set| set.span);
            self.network.fitness.add(statistical, Effect::Excludes, "process priorities", span);
        }
    }

    /// A model synchronises with `!` and `?`, or CSP style without marks, never both.
    pub(super) fn one_style_of_synchronisation(&mut self) {
        let syncs = || {
            self.network
                .processes
                .iter()
                .map(|process| process.template.index())
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .flat_map(|form| self.network.templates[form].edges.iter().filter_map(|edge| edge.sync.as_ref()))
        };
        let marked = syncs().find(|sync| sync.direction != Direction::Csp).map(|sync| sync.span);
        let plain = syncs().find(|sync| sync.direction == Direction::Csp).map(|sync| sync.span);
        if let (Some(marked), Some(plain)) = (marked, plain) {
            let message = "a synchronisation without `!` or `?` in a model that uses them elsewhere";
            self.report(Diagnostic::new(Code::EDGE, plain, message).note(marked, "used here"));
        }
    }

    /// Doubles and hybrid clocks that decide what the system does.
    fn floating_obstacles(&mut self, form: usize) {
        let template = &self.network.templates[form];
        let mut conditions: Vec<ExprId> = template.locations.iter().filter_map(|location| location.invariant).collect();
        let mut updates = Vec::new();
        for edge in &template.edges {
            conditions.extend(edge.guard);
            conditions.extend(edge.sync.iter().flat_map(|sync| sync.channel.indices.iter().map(|index| index.value)));
            updates.extend(edge.update.iter().copied());
            updates.extend(edge.branches.iter().flat_map(|branch| branch.update.iter().copied()));
        }
        for condition in conditions {
            if let Some(span) = self.floating_part(condition) {
                self.exclude_exact("a floating-point value decides what happens", span);
            }
        }
        for update in updates {
            self.floating_update(update);
        }
    }

    fn exclude_exact(&mut self, reason: &str, span: Span) {
        let engines = &[Engine::Symbolic, Engine::Concrete];
        self.network.fitness.add(engines, Effect::Excludes, reason, Some(span));
    }

    fn floating_update(&mut self, update: ExprId) {
        let mut found = Vec::new();
        let code = &self.network.code;
        code.walk(update, &mut |id, expr| match expr {
            Expr::Assign { target, value, .. } if decides(target) => {
                found.extend(first_floating(code, *value).map(|_| code.span(id)))
            }
            Expr::Conditional { condition, .. } => found.extend(first_floating(code, *condition)),
            _ => {}
        });
        for span in found {
            self.exclude_exact("a floating-point value flows into the discrete state", span);
        }
    }

    fn floating_part(&self, id: ExprId) -> Option<Span> {
        first_floating(&self.network.code, id)
    }
}

/// Whether a variable belongs to the discrete state of the network.
fn decides(target: &Place) -> bool {
    target.ty.contains(&|part| part.is_discrete()) && !matches!(target.base, Base::Frame | Base::FrameReference(_))
}

fn first_floating(code: &crate::network::Code, id: ExprId) -> Option<Span> {
    let mut found = None;
    code.walk(id, &mut |id, expr| {
        let floating = match expr {
            Expr::Double(_) | Expr::ClockValue(_) | Expr::Binary { number: Number::Double, .. } => true,
            Expr::Read(place) => place.ty == Type::Double,
            Expr::ClockConstraint(constraint) => {
                let hybrid = |place: &Place| matches!(place.ty, Type::Clock { hybrid: true });
                constraint.plus.iter().chain(&constraint.minus).any(hybrid)
            }
            _ => false,
        };
        if floating && found.is_none() {
            found = Some(code.span(id));
        }
    });
    found
}

fn unused(name: &Name, entry: &Entry) -> Option<Diagnostic> {
    if entry.used {
        return None;
    }
    let what = match &entry.symbol {
        // A parameter may be there for the caller's sake.
        Symbol::Variable(variable) if matches!(variable.place.base, Base::Parameter(_)) => return None,
        Symbol::Variable(variable) if variable.place.ty == Type::Void => return None,
        Symbol::Variable(variable) if variable.constant => "constant",
        Symbol::Variable(variable) if matches!(variable.place.ty.innermost(), Type::Clock { .. }) => "clock",
        Symbol::Variable(variable) if matches!(variable.place.ty.innermost(), Type::Channel(_)) => "channel",
        Symbol::Variable(_) => "variable",
        Symbol::Function(_) if name.starts_with("__") => return None,
        Symbol::Function(_) => "function",
        _ => return None,
    };
    Some(Diagnostic::new(Code::UNUSED, entry.span, format!("the {what} `{name}` is never used")))
}
