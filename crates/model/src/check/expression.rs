//! Expressions: every form of the syntax tree becomes code with a type.

use super::Checker;
use super::scope::{Symbol, Variable};
use super::typed::{Class, Kind, Typed};
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{Base, Effect, Engine, Expr, ExprId, Extent, Number, Place, Range, Type};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind, Quantifier};

impl Checker {
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Typed {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(value) => self.int_literal(*value, span),
            ExprKind::Bool(value) => {
                let id = self.code(Expr::Int(i32::from(*value)), span);
                Typed::value(Type::Bool, id, span)
            }
            ExprKind::Double(value) => {
                let id = self.code(Expr::Double(*value), span);
                Typed::value(Type::Double, id, span)
            }
            ExprKind::String(text) => {
                let index = self.network.code.strings.len() as i32;
                self.network.code.strings.push(text.clone());
                let id = self.code(Expr::Int(index), span);
                Typed::value(Type::String, id, span)
            }
            ExprKind::Name(name) => self.name(name),
            ExprKind::Call { callee, arguments } => self.call(callee, arguments, span),
            ExprKind::Index { base, index } => self.index(base, index, span),
            ExprKind::Member { base, member } => self.member(base, member, span),
            ExprKind::Rate(clock) => self.rate_of(clock, span),
            ExprKind::Unary { op, operand } => self.unary(*op, operand, span),
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right, span),
            ExprKind::Step { op, fix, operand } => self.step(*op, *fix, operand, span),
            ExprKind::Conditional { condition, then, otherwise } => self.conditional(condition, then, otherwise, span),
            ExprKind::Assign { op, target, value } => self.assign(*op, target, value, span),
            ExprKind::Quantified { quantifier, variable, ty, body } => {
                self.quantified(*quantifier, variable, ty, body, span)
            }
            ExprKind::Deadlock => self.deadlock(span),
            ExprKind::Spawn { template, arguments } => self.spawn(template, arguments, span),
            ExprKind::Exit => self.exit(span),
            ExprKind::NumberOf(template) => {
                self.dynamic_template(template);
                self.unsupported("numOf", Type::Int(Range::FULL), span)
            }
            ExprKind::Error => Typed::error(span),
        }
    }

    pub(super) fn code(&mut self, expr: Expr, span: Span) -> ExprId {
        self.network.code.add(expr, span)
    }

    pub(super) fn int_literal(&mut self, value: i32, span: Span) -> Typed {
        let id = self.code(Expr::Int(value), span);
        Typed::value(Type::Int(Range::FULL), id, span)
    }

    /// Dynamic processes and foreign functions: understood, run by no engine.
    pub(super) fn unsupported(&mut self, what: &'static str, ty: Type, span: Span) -> Typed {
        let reason = format!("`{what}` is not supported");
        self.obstacle(&Engine::ALL, Effect::Excludes, &reason, span);
        let id = self.code(Expr::Unsupported(what), span);
        Typed::value(ty, id, span)
    }

    fn deadlock(&mut self, span: Span) -> Typed {
        if !self.context.in_query {
            self.error(Code::DEADLOCK, span, "`deadlock` can be used in queries only");
            return Typed::error(span);
        }
        let id = self.code(Expr::Deadlock, span);
        // Like a clock constraint: it holds in some of the states of a zone and not in others.
        Typed { kind: Kind::Constraint(Class::Constraint, id), span, writes: false }
    }

    /// `exit()` ends a dynamic process, unless the model has a function of that name.
    fn exit(&mut self, span: Span) -> Typed {
        if let Some(Symbol::Function(id)) = self.scopes.resolve("exit").map(|entry| entry.symbol.clone()) {
            return self.call_function(id, None, &[], span);
        }
        if !self.context.template.as_ref().is_some_and(|template| template.dynamic) {
            let message = "`exit()` ends a process of a dynamic template, and this is none";
            self.error(Code::EDGE, span, message);
            return Typed::error(span);
        }
        self.unsupported("exit()", Type::Int(Range::FULL), span).writing(true)
    }

    fn dynamic_template(&mut self, name: &ast::Ident) {
        match self.scopes.resolve(&name.name).map(|entry| entry.symbol.clone()) {
            Some(Symbol::Template(index)) if self.templates[index].dynamic => self.templates[index].used = true,
            Some(Symbol::Broken) => {}
            Some(_) => {
                let message = format!("`{}` is not a dynamic template", name.name);
                self.error(Code::NOT_A_TEMPLATE, name.span, message);
            }
            None => {
                let message = format!("there is no dynamic template `{}`", name.name);
                self.report_unknown(Code::NOT_A_TEMPLATE, name, message);
            }
        }
    }

    fn spawn(&mut self, template: &ast::Ident, arguments: &[ast::Expr], span: Span) -> Typed {
        self.dynamic_template(template);
        for argument in arguments {
            self.expr(argument);
        }
        self.unsupported("spawn", Type::Int(Range::FULL), span).writing(true)
    }

    /// The value of an integral expression, or of a variable of such a type.
    pub(super) fn integral(&mut self, typed: &Typed) -> Option<(Type, ExprId)> {
        self.value(typed).filter(|(ty, _)| ty.is_integral())
    }

    /// The value of an expression that is one: a number, scalar, struct or array, not a clock or channel.
    pub(super) fn value(&mut self, typed: &Typed) -> Option<(Type, ExprId)> {
        match &typed.kind {
            Kind::Value(ty, id) => Some((ty.clone(), *id)),
            Kind::Place { place, .. } if !place.ty.contains(&|ty| matches!(ty, Type::Channel(_))) => {
                if let Type::Clock { .. } = place.ty {
                    return None;
                }
                let id = match self.known_int(place) {
                    Some(value) => self.code(Expr::Int(value), typed.span),
                    None => self.code(Expr::Read(place.clone()), typed.span),
                };
                Some((place.ty.clone(), id))
            }
            _ => None,
        }
    }

    /// A global integer constant is as good as its value.
    fn known_int(&self, place: &Place) -> Option<i32> {
        if place.base != Base::Constant || !place.indices.is_empty() || !place.ty.is_discrete() {
            return None;
        }
        self.network.constants.ints.get(place.offset.ints as usize).copied()
    }

    /// A condition with its class; `None` when it is no condition at all.
    pub(super) fn condition(&mut self, typed: &Typed) -> Option<(Class, ExprId)> {
        match &typed.kind {
            Kind::Constraint(class, id) => Some((*class, *id)),
            _ => self.integral(typed).map(|(_, id)| (Class::Integral, id)),
        }
    }

    /// A condition, reported when it is none.
    pub(super) fn expect_condition(&mut self, typed: &Typed) -> Option<(Class, ExprId)> {
        if typed.is_error() {
            return None;
        }
        let condition = self.condition(typed);
        if condition.is_none() {
            let message = format!("a condition is needed here, not {}", typed.kind);
            self.error(Code::TYPE, typed.span, message);
        }
        condition
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        variable: &ast::Ident,
        written: &ast::Type,
        body: &ast::Expr,
        span: Span,
    ) -> Typed {
        if let Some(what) = self.over_processes(quantifier, written) {
            return self.unsupported(what, Type::Int(Range::FULL), span);
        }
        let Some((ty, range)) = self.binder_type(written) else { return Typed::error(span) };
        let outer = self.frame.next;
        self.scopes.push();
        let slot = self.bind(variable, ty);
        let typed = self.expr(body);
        self.scopes.pop();
        self.frame.next = outer;
        self.no_side_effects(&typed, body, "the body of a quantifier");
        if typed.is_error() {
            return typed;
        }
        match quantifier {
            Quantifier::Forall | Quantifier::Exists => {
                let Some((class, body)) = self.expect_condition(&typed) else { return Typed::error(span) };
                let id = self.code(Expr::Quantified { quantifier, number: Number::Int, slot, range, body }, span);
                let class = if quantifier == Quantifier::Exists && class > Class::Integral {
                    self.blame.beyond_guard(span, "`exists` over clock constraints");
                    Class::Constraint
                } else {
                    class
                };
                self.condition_of_class(class, id, span)
            }
            Quantifier::Sum | Quantifier::Foreach => {
                let Some((number, body)) = self.number(&typed) else {
                    let message = format!("a number is needed to sum up, not {}", typed.kind);
                    self.error(Code::TYPE, typed.span, message);
                    return Typed::error(span);
                };
                let id = self.code(Expr::Quantified { quantifier, number, slot, range, body }, span);
                let ty = if number == Number::Int { Type::Int(Range::FULL) } else { Type::Double };
                Typed::value(ty, id, span)
            }
        }
    }

    /// `forall (p : T) ...` over the running processes of a dynamic template.
    fn over_processes(&mut self, quantifier: Quantifier, written: &ast::Type) -> Option<&'static str> {
        let ast::BaseType::Named(name) = &written.base else { return None };
        match self.scopes.resolve(&name.name).map(|entry| &entry.symbol) {
            Some(Symbol::Template(index)) if self.templates[*index].dynamic => Some(match quantifier {
                Quantifier::Forall => "forall over dynamic processes",
                Quantifier::Exists => "exists over dynamic processes",
                Quantifier::Sum => "sum over dynamic processes",
                Quantifier::Foreach => "foreach over dynamic processes",
            }),
            _ => None,
        }
    }

    /// Declares a variable that code cannot assign to, in a cell of the frame.
    pub(super) fn bind(&mut self, name: &ast::Ident, ty: Type) -> u32 {
        let place = self.frame_place(ty);
        let slot = place.offset.ints;
        self.declare(name, Symbol::Variable(Variable::new(place, true)));
        slot
    }

    /// Takes cells of the frame for a variable.
    pub(super) fn frame_place(&mut self, ty: Type) -> Place {
        let offset = self.frame.next;
        self.frame.next = self.frame.next + ty.extent();
        self.frame.most = self.frame.most.max(self.frame.next);
        Place { base: Base::Frame, offset, indices: Vec::new(), ty }
    }

    pub(super) fn condition_of_class(&self, class: Class, id: ExprId, span: Span) -> Typed {
        match class {
            Class::Integral => Typed::value(Type::Bool, id, span),
            class => Typed { kind: Kind::Constraint(class, id), span, writes: false },
        }
    }

    /// A list where a value is expected (`for (...; a, b; ...)`): all are run, the last one counts.
    pub(super) fn list(&mut self, exprs: &[ast::Expr]) -> (Vec<ExprId>, Option<Typed>) {
        let mut before = Vec::new();
        let mut last = None;
        for (n, expr) in exprs.iter().enumerate() {
            let typed = self.expr(expr);
            if n + 1 < exprs.len() {
                before.extend(self.effect(&typed));
            } else {
                last = Some(typed);
            }
        }
        (before, last)
    }

    /// The code of an expression that is run for what it does.
    pub(super) fn effect(&mut self, typed: &Typed) -> Option<ExprId> {
        match &typed.kind {
            Kind::Void(id) | Kind::Value(_, id) | Kind::Constraint(_, id) => Some(*id),
            _ => self.value(typed).map(|(_, id)| id),
        }
    }

    /// A comma separated list of updates.
    pub(super) fn updates(&mut self, exprs: &[ast::Expr]) -> Vec<ExprId> {
        let mut code = Vec::new();
        for expr in exprs {
            let typed = self.expr(expr);
            if typed.is_error() {
                continue;
            }
            if !typed.writes && !matches!(typed.kind, Kind::Void(_)) {
                let harmless = matches!(&expr.kind, ExprKind::Int(_) | ExprKind::Bool(_));
                if !harmless {
                    let mut diagnostic = Diagnostic::new(Code::NO_EFFECT, expr.span, "this update changes nothing");
                    if matches!(&expr.kind, ExprKind::Binary { op: ast::BinaryOp::Eq, .. }) {
                        diagnostic = diagnostic.help("write `=` to assign");
                    }
                    self.report(diagnostic);
                }
            }
            code.extend(self.effect(&typed));
        }
        code
    }

    /// Starts a label or query with an empty frame.
    pub(super) fn fresh_frame(&mut self) {
        self.network.frame = self.network.frame.max(self.frame.most);
        self.frame.next = Extent::default();
        self.frame.most = Extent::default();
    }
}
