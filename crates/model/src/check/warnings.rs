//! What is legal and surely not meant: names that nothing uses. And what keeps engines from running the model.

use super::Checker;
use super::scope::{Entry, Symbol};
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{
    Base, BuiltinResult, Code as NetworkCode, Effect, Engine, Expr, ExprId, Number, Place, Template, Type,
};
use crate::source::Span;
use crate::syntax::ast::{Direction, Name};
use std::collections::{BTreeSet, HashSet};

impl Checker {
    /// Warnings for everything that neither the model nor a query so far has used.
    pub(super) fn unused(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        // A template may have several forms, and a query speaks of one of them.
        let of_use = self.templates.iter().filter(|template| template.used);
        let forms: BTreeSet<usize> = of_use.flat_map(|template| template.forms.values().map(|id| id.index())).collect();
        let members = || forms.iter().filter_map(|form| self.forms.get(*form)).flat_map(|form| form.members.iter());
        let used: HashSet<Span> =
            members().filter(|(_, entry)| entry.is_used()).filter_map(|(_, entry)| entry.span).collect();
        for (name, entry) in members().filter(|(_, entry)| entry.span.is_none_or(|span| !used.contains(&span))) {
            found.extend(unused(name, entry));
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
        let used: BTreeSet<usize> = self.network.processes.iter().map(|process| process.template.index()).collect();
        for form in &used {
            for obstacle in std::mem::take(&mut self.forms[*form].obstacles) {
                self.network.fitness.add(&[obstacle.engine], obstacle.effect, &obstacle.reason, obstacle.span);
            }
        }
        self.floating_obstacles(&used);
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

    /// Conditions are asked before a transition, when a `meta` variable has its initial value, whatever was written to it.
    pub(super) fn meta_in_conditions(&mut self) {
        let network = &self.network;
        let mut found = Vec::new();
        let used: BTreeSet<usize> = network.processes.iter().map(|process| process.template.index()).collect();
        for template in used.iter().filter_map(|form| network.templates.get(*form)) {
            let meta = |place: &Place| {
                let variables = match place.base {
                    Base::Global => &network.globals,
                    Base::Local => &template.variables,
                    _ => return None,
                };
                let later = variables.partition_point(|variable| variable.offset.ints <= place.offset.ints);
                variables[..later]
                    .iter()
                    .rev()
                    .find(|variable| variable.ty.extent().ints > 0)
                    .filter(|known| known.meta)
            };
            network.code.walk_outside_functions(conditions(template), &mut |id, expr| {
                if let Expr::Read(place) = expr
                    && place.ty.is_discrete()
                    && let Some(variable) = meta(place)
                {
                    found.push((network.code.span(id), variable.name.clone(), variable.span));
                }
            });
        }
        found.sort_by_key(|(span, ..)| *span);
        found.dedup_by_key(|(span, ..)| *span);
        for (span, name, declared) in found {
            let message = format!(
                "`{name}` always has its initial value here: a meta variable keeps what is written only within one transition"
            );
            let help = "without `meta` it is part of the state";
            self.report(Diagnostic::new(Code::META, span, message).note(declared, "declared here").help(help));
        }
    }

    /// A model synchronises with `!` and `?`, or CSP style without marks, never both.
    pub(super) fn one_style_of_synchronisation(&mut self) {
        let syncs = || {
            self.network
                .processes
                .iter()
                .map(|process| process.template.index())
                .collect::<BTreeSet<_>>()
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
    fn floating_obstacles(&mut self, forms: &BTreeSet<usize>) {
        let network = &self.network;
        let mut deciders = Vec::new();
        let mut updates: Vec<ExprId> = network.before_update.iter().chain(&network.after_update).copied().collect();
        for template in forms.iter().filter_map(|form| network.templates.get(*form)) {
            deciders.extend(conditions(template));
            for edge in &template.edges {
                updates.extend(&edge.update);
                updates.extend(edge.branches.iter().flat_map(|branch| &branch.update));
            }
        }
        let floating = Floating::new(&network.code);
        let deciding: Vec<Span> = deciders.into_iter().filter_map(|condition| floating.part(vec![condition])).collect();
        let mut flowing = Vec::new();
        network.code.walk_beyond(updates, &mut HashSet::new(), &mut |id, expr| match expr {
            Expr::Assign { target, value, .. } if decides(target) => {
                flowing.extend(floating.part(vec![*value]).map(|_| network.code.span(id)))
            }
            Expr::Conditional { condition, .. } => flowing.extend(floating.part(vec![*condition])),
            _ => {}
        });
        flowing.sort_unstable();
        for span in deciding {
            self.exclude_exact("a floating-point value decides what happens", span);
        }
        for span in flowing {
            self.exclude_exact("a floating-point value flows into the discrete state", span);
        }
    }

    fn exclude_exact(&mut self, reason: &str, span: Span) {
        let engines = &[Engine::Symbolic, Engine::Concrete];
        self.network.fitness.add(engines, Effect::Excludes, reason, Some(span));
    }

    /// The first place where a condition of a query needs a number that only statistics can compute.
    pub(super) fn floating_part(&self, condition: ExprId) -> Option<Span> {
        let mut found = None;
        let code = &self.network.code;
        code.walk(condition, &mut |id, expr| {
            if is_floating(expr) && found.is_none() {
                found = Some(code.span(id));
            }
        });
        found
    }
}

/// All that decides which transitions there are and how long time may pass.
fn conditions(template: &Template) -> Vec<ExprId> {
    let mut found: Vec<ExprId> = template.locations.iter().filter_map(|location| location.invariant).collect();
    for edge in &template.edges {
        found.extend(edge.guard);
        let indices = edge.sync.iter().flat_map(|sync| &sync.channel.indices);
        found.extend(indices.map(|index| index.value));
    }
    found
}

/// Floating-point values in code, found once per function: thousands of edges may call the same ones.
struct Floating<'a> {
    code: &'a NetworkCode,
    /// The first place in each function or in those it calls.
    functions: Vec<Option<Span>>,
}

impl Floating<'_> {
    fn new(code: &NetworkCode) -> Floating<'_> {
        let mut floating = Floating { code, functions: Vec::with_capacity(code.functions.len()) };
        // A function calls only functions that stand before it.
        for function in code.functions.iter() {
            let found = floating.part(function.exprs());
            floating.functions.push(found);
        }
        floating
    }

    fn part(&self, roots: Vec<ExprId>) -> Option<Span> {
        let mut found = None;
        self.code.walk_outside_functions(roots, &mut |id, expr| {
            let here = match expr {
                Expr::Call { function, .. } => self.functions.get(function.index()).copied().flatten(),
                expr => is_floating(expr).then(|| self.code.span(id)),
            };
            found = found.or(here);
        });
        found
    }
}

/// Whether a variable belongs to the discrete state of the network.
fn decides(target: &Place) -> bool {
    target.ty.contains(&|part| part.is_discrete()) && !matches!(target.base, Base::Frame | Base::FrameReference(_))
}

fn is_floating(expr: &Expr) -> bool {
    match expr {
        Expr::Double(_) | Expr::ToDouble(_) | Expr::ClockValue(_) | Expr::Binary { number: Number::Double, .. } => true,
        Expr::Builtin { function, .. } => function.result() == BuiltinResult::Double,
        Expr::Read(place) => place.ty == Type::Double,
        Expr::ClockConstraint(constraint) => {
            let hybrid = |place: &Place| matches!(place.ty, Type::Clock { hybrid: true });
            constraint.plus.iter().chain(&constraint.minus).any(hybrid)
        }
        _ => false,
    }
}

fn unused(name: &Name, entry: &Entry) -> Option<Diagnostic> {
    if entry.is_used() {
        return None;
    }
    let what = match &entry.symbol {
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
