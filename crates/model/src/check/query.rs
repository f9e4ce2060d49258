//! Queries with their names resolved against the network.

use super::Checker;
use super::scope::Symbol;
use super::typed::{Class, Kind, Typed};
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{Expr, ExprId, Network, Number, Place, ProcessId, Type, Value};
use crate::source::Span;
use crate::syntax::ast;
use crate::syntax::query as written;
use crate::syntax::query::{Extremum, PathQuantifier, SystemCheck};

/// A query whose expressions are code of its network.
#[derive(Clone, Debug)]
pub struct Query {
    pub kind: QueryKind,
    /// The network of the model, with the code of the query.
    pub network: Network,
    /// An integer expression that is greater where the goal is nearer, if somebody gave one.
    pub level: Option<ExprId>,
    /// What in it no engine can run, with its place.
    pub unsupported: Vec<(String, Span)>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum QueryKind {
    /// `E<> p`, `A[] p`, `E[] p`, `A<> p`
    Path {
        quantifier: PathQuantifier,
        predicate: ExprId,
        /// `!p` as code: half of these queries look for that.
        negation: ExprId,
    },
    /// `p --> q`
    LeadsTo {
        from: ExprId,
        to: ExprId,
        /// `!q`
        negation: ExprId,
    },
    /// `sup{p}: e, f`
    Extremum {
        kind: Extremum,
        predicate: Option<ExprId>,
        quantities: Vec<Quantity>,
    },
    /// `buchi: p`
    Buchi {
        predicate: ExprId,
    },
    Probability(ResolvedProbability),
    ProbabilityTest {
        probability: ResolvedProbability,
        at_least: bool,
        bound: f64,
    },
    ProbabilityComparison {
        left: ResolvedProbability,
        right: ResolvedProbability,
    },
    Expected {
        bound: ResolvedBound,
        kind: Extremum,
        number: Number,
        expression: ExprId,
    },
    Simulate {
        bound: ResolvedBound,
        expressions: Vec<(Number, ExprId)>,
        filter: Option<(Option<i32>, ExprId)>,
    },
    Refinement {
        left: SystemExpr,
        right: SystemExpr,
    },
    SystemCheck {
        check: SystemCheck,
        system: SystemExpr,
        save_as: Option<ast::Name>,
    },
    /// The states stay text: they are written in the language of the component's locations.
    SystemReachability {
        system: SystemExpr,
        start: Option<(String, Span)>,
        goal: (String, Span),
    },
    /// Recognised, and answered by no engine.
    Unsupported {
        what: &'static str,
    },
}

/// What `sup`, `inf` and `bounds` ask for.
#[derive(Clone, Debug)]
pub enum Quantity {
    Int(ExprId),
    Clock(Place),
}

#[derive(Clone, Debug)]
pub struct ResolvedProbability {
    pub bound: ResolvedBound,
    pub path: ResolvedPath,
}

#[derive(Clone, Debug)]
pub enum ResolvedPath {
    Eventually(ExprId),
    Globally(ExprId),
    Until(ExprId, ExprId),
}

#[derive(Clone, Debug)]
pub struct ResolvedBound {
    pub measure: ResolvedMeasure,
    pub limit: i32,
    pub runs: Option<i32>,
}

#[derive(Clone, Debug)]
pub enum ResolvedMeasure {
    Time,
    Steps,
    Clock(Place),
}

/// An expression over timed I/O systems, its components found among the processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SystemExpr {
    /// A process. The mark tells instances of one component apart where a query speaks about their states.
    Component {
        process: ProcessId,
        instance: Option<ast::Name>,
    },
    /// The name of a set of processes: all of them composed.
    All {
        first: ProcessId,
        len: u32,
    },
    Compose(Box<SystemExpr>, Box<SystemExpr>),
    Conjoin(Box<SystemExpr>, Box<SystemExpr>),
    Quotient(Box<SystemExpr>, Box<SystemExpr>),
}

impl Checker {
    pub(super) fn query(&mut self, query: &written::Query) -> Option<Query> {
        self.context.in_query = true;
        self.query_obstacles.clear();
        self.fresh_frame();
        let kind = match &query.under {
            Some(_) => Some(QueryKind::Unsupported { what: "a query under a strategy" }),
            None => self.query_kind(&query.kind),
        };
        self.context.in_query = false;
        self.fresh_frame();
        let mut unsupported = std::mem::take(&mut self.query_obstacles);
        let kind = kind?;
        for condition in symbolic_conditions(&kind) {
            if let Some(span) = self.floating_part(condition) {
                unsupported.push(("a floating-point value, which zones do not have".to_owned(), span));
            }
        }
        Some(Query { kind, network: self.network.clone(), level: None, unsupported, span: query.span })
    }

    /// An integer expression in the language of queries.
    pub(super) fn level(&mut self, expr: &ast::Expr) -> Option<ExprId> {
        self.context.in_query = true;
        self.fresh_frame();
        let id = match self.quantity(expr)? {
            Quantity::Int(id) => Some(id),
            Quantity::Clock(_) => {
                self.error(Code::TYPE, expr.span, "a level is an integer, not a clock");
                None
            }
        };
        self.fresh_frame();
        id
    }

    fn query_kind(&mut self, query: &written::QueryKind) -> Option<QueryKind> {
        use written::QueryKind as Written;
        Some(match query {
            Written::Path { quantifier, predicate } => {
                let quantifier = *quantifier;
                if !matches!(quantifier, PathQuantifier::ExistsEventually | PathQuantifier::AlwaysGlobally) {
                    self.no_deadlock(predicate);
                }
                let predicate = self.predicate(predicate)?;
                QueryKind::Path { quantifier, predicate, negation: self.negation(predicate) }
            }
            Written::LeadsTo { from, to } => {
                self.no_deadlock(from);
                self.no_deadlock(to);
                let (from, to) = (self.predicate(from), self.predicate(to));
                let (from, to) = (from?, to?);
                QueryKind::LeadsTo { from, to, negation: self.negation(to) }
            }
            Written::Buchi(predicate) => {
                self.no_deadlock(predicate);
                QueryKind::Buchi { predicate: self.predicate(predicate)? }
            }
            Written::Extremum { kind, predicate, expressions } => {
                self.extremum(*kind, predicate.as_ref(), expressions)?
            }
            Written::Probability(probability) => QueryKind::Probability(self.probability(probability)?),
            Written::ProbabilityTest { probability, at_least, bound, bound_span } => {
                if !(0.0..=1.0).contains(bound) {
                    self.error(Code::QUERY, *bound_span, "a probability lies between 0 and 1");
                    return None;
                }
                let probability = self.probability(probability)?;
                QueryKind::ProbabilityTest { probability, at_least: *at_least, bound: *bound }
            }
            Written::ProbabilityComparison { left, right } => {
                let (left, right) = (self.probability(left), self.probability(right));
                QueryKind::ProbabilityComparison { left: left?, right: right? }
            }
            Written::Expected { bound, kind, expression } => {
                let bound = self.run_bound(bound);
                let (number, expression) = self.measured(expression)?;
                QueryKind::Expected { bound: bound?, kind: *kind, number, expression }
            }
            Written::Simulate { bound, expressions, filter } => self.simulate(bound, expressions, filter.as_ref())?,
            Written::Refinement { left, right } => {
                let (left, right) = (self.system_expr(left), self.system_expr(right));
                QueryKind::Refinement { left: left?, right: right? }
            }
            Written::SystemCheck { check, system, save_as } => QueryKind::SystemCheck {
                check: *check,
                system: self.system_expr(system)?,
                save_as: save_as.as_ref().map(|name| name.name.clone()),
            },
            Written::SystemReachability { system, start, goal } => QueryKind::SystemReachability {
                system: self.system_expr(system)?,
                start: start.clone(),
                goal: goal.clone(),
            },
            Written::Mitl(_) => QueryKind::Unsupported { what: "a metric interval temporal logic query" },
            Written::Unsupported { what } => QueryKind::Unsupported { what },
        })
    }

    fn extremum(
        &mut self,
        kind: Extremum,
        predicate: Option<&ast::Expr>,
        expressions: &[ast::Expr],
    ) -> Option<QueryKind> {
        let predicate = match predicate {
            Some(predicate) => {
                self.no_deadlock(predicate);
                Some(self.predicate(predicate)?)
            }
            None => None,
        };
        let quantities: Vec<Option<Quantity>> = expressions.iter().map(|expr| self.quantity(expr)).collect();
        let quantities = quantities.into_iter().collect::<Option<_>>()?;
        Some(QueryKind::Extremum { kind, predicate, quantities })
    }

    fn simulate(
        &mut self,
        bound: &written::RunBound,
        expressions: &[ast::Expr],
        filter: Option<&(Option<ast::Expr>, ast::Expr)>,
    ) -> Option<QueryKind> {
        let bound = self.run_bound(bound);
        let expressions: Vec<_> = expressions.iter().map(|expr| self.measured(expr)).collect();
        let filter = match filter {
            Some((count, predicate)) => {
                let count = match count {
                    Some(count) => Some(self.run_count(count)?),
                    None => None,
                };
                Some((count, self.run_predicate(predicate)?))
            }
            None => None,
        };
        let expressions = expressions.into_iter().collect::<Option<_>>()?;
        Some(QueryKind::Simulate { bound: bound?, expressions, filter })
    }

    fn no_deadlock(&mut self, expr: &ast::Expr) {
        let mut found = None;
        crate::syntax::walk::expr(expr, &mut |part| {
            if matches!(part.kind, ast::ExprKind::Deadlock) {
                found.get_or_insert(part.span);
            }
        });
        if let Some(span) = found {
            self.error(Code::DEADLOCK, span, "`deadlock` can be used in `E<>` and `A[]` only");
        }
    }

    /// A state predicate of a run, where `deadlock` has no meaning.
    fn run_predicate(&mut self, expr: &ast::Expr) -> Option<ExprId> {
        self.no_deadlock(expr);
        self.predicate(expr)
    }

    /// A state predicate: anything up to arbitrary clock constraints.
    fn predicate(&mut self, expr: &ast::Expr) -> Option<ExprId> {
        let typed = self.expr(expr);
        self.no_side_effects(&typed, expr, "a query");
        let (class, id) = self.expect_condition(&typed)?;
        if class == Class::Rate {
            self.error(Code::TYPE, expr.span, "a clock rate cannot be asked about");
            return None;
        }
        Some(id)
    }

    fn negation(&mut self, predicate: ExprId) -> ExprId {
        let span = self.network.code.span(predicate);
        self.code(Expr::Not(predicate), span)
    }

    fn quantity(&mut self, expr: &ast::Expr) -> Option<Quantity> {
        let typed = self.expr(expr);
        self.no_side_effects(&typed, expr, "a query");
        match &typed.kind {
            Kind::Error => None,
            Kind::Place { place, .. } if matches!(place.ty, Type::Clock { .. }) => Some(Quantity::Clock(place.clone())),
            _ => match self.integral(&typed) {
                Some((_, id)) => Some(Quantity::Int(id)),
                None => {
                    let message = format!("an integer or a clock is needed here, not {}", typed.kind);
                    self.error(Code::TYPE, expr.span, message);
                    None
                }
            },
        }
    }

    /// A number to be observed along runs; a condition counts as 0 or 1.
    fn measured(&mut self, expr: &ast::Expr) -> Option<(Number, ExprId)> {
        let typed = self.expr(expr);
        self.no_side_effects(&typed, expr, "a query");
        if typed.is_error() {
            return None;
        }
        let number = match &typed.kind {
            Kind::Constraint(_, id) => Some((Number::Int, *id)),
            Kind::Rate(place) => {
                let id = self.code(Expr::Unsupported("the rate of a clock"), typed.span);
                self.query_obstacles.push((format!("the rate of `{}`", place.ty), typed.span));
                Some((Number::Double, id))
            }
            _ => self.number(&typed),
        };
        if number.is_none() {
            self.error(Code::TYPE, expr.span, format!("a number is needed here, not {}", typed.kind));
        }
        number
    }

    fn probability(&mut self, probability: &written::Probability) -> Option<ResolvedProbability> {
        let bound = self.run_bound(&probability.bound);
        let path = match &probability.path {
            written::RunPath::Eventually(p) => self.run_predicate(p).map(ResolvedPath::Eventually),
            written::RunPath::Globally(p) => self.run_predicate(p).map(ResolvedPath::Globally),
            written::RunPath::Until(p, q) => {
                let (p, q) = (self.run_predicate(p), self.run_predicate(q));
                p.zip(q).map(|(p, q)| ResolvedPath::Until(p, q))
            }
        };
        Some(ResolvedProbability { bound: bound?, path: path? })
    }

    fn run_bound(&mut self, bound: &written::RunBound) -> Option<ResolvedBound> {
        let measure = match &bound.measure {
            written::RunMeasure::Time => Some(ResolvedMeasure::Time),
            written::RunMeasure::Steps => Some(ResolvedMeasure::Steps),
            written::RunMeasure::Clock(clock) => self.clock_place(clock).map(ResolvedMeasure::Clock),
        };
        let limit = self.query_constant(&bound.limit);
        let runs = match &bound.runs {
            Some(runs) => Some(self.run_count(runs)?),
            None => None,
        };
        // A bound that is computed from the size of the model may come out negative: such runs end at once.
        Some(ResolvedBound { measure: measure?, limit: limit?.max(0), runs })
    }

    fn clock_place(&mut self, expr: &ast::Expr) -> Option<Place> {
        let typed: Typed = self.expr(expr);
        match typed.kind {
            Kind::Error => None,
            Kind::Place { place, .. } if matches!(place.ty, Type::Clock { .. }) => Some(place),
            kind => {
                self.error(Code::CLOCK_USE, expr.span, format!("a clock is needed here, not {kind}"));
                None
            }
        }
    }

    fn run_count(&mut self, expr: &ast::Expr) -> Option<i32> {
        let count = self.query_constant(expr)?;
        if count < 0 {
            self.error(Code::OUT_OF_RANGE, expr.span, format!("there cannot be {count} runs"));
            return None;
        }
        Some(count)
    }

    fn query_constant(&mut self, expr: &ast::Expr) -> Option<i32> {
        let typed = self.expr(expr);
        if typed.is_error() {
            return None;
        }
        let Some((_, id)) = self.number(&typed) else {
            self.error(Code::TYPE, expr.span, format!("a number is needed here, not {}", typed.kind));
            return None;
        };
        match self.evaluate(id).0 {
            Ok(Value::Int(value)) => Some(value),
            // `1e6` is a whole number as well.
            Ok(Value::Double(value)) if value >= 0.0 && value.fract() == 0.0 && value <= f64::from(i32::MAX) => {
                Some(value as i32)
            }
            Ok(_) => {
                self.error(Code::TYPE, expr.span, "an integer is needed here");
                None
            }
            Err(error) => {
                self.report_evaluation(error, expr.span);
                None
            }
        }
    }

    fn system_expr(&mut self, system: &written::SystemExpr) -> Option<SystemExpr> {
        let mut both = |left: &written::SystemExpr, right: &written::SystemExpr| {
            let (left, right) = (self.system_expr(left), self.system_expr(right));
            left.zip(right).map(|(left, right)| (Box::new(left), Box::new(right)))
        };
        match system {
            written::SystemExpr::Compose(left, right) => both(left, right).map(|(l, r)| SystemExpr::Compose(l, r)),
            written::SystemExpr::Conjoin(left, right) => both(left, right).map(|(l, r)| SystemExpr::Conjoin(l, r)),
            written::SystemExpr::Quotient(left, right) => both(left, right).map(|(l, r)| SystemExpr::Quotient(l, r)),
            written::SystemExpr::Component { name, arguments, instance } => {
                if let Some(Symbol::Processes(set)) = self.scopes.resolve(&name.name).map(|entry| &entry.symbol)
                    && arguments.is_empty()
                    && !self.network.sets[*set].ranges.is_empty()
                {
                    let set = &self.network.sets[*set];
                    return Some(SystemExpr::All { first: set.first, len: set.len });
                }
                let process = self.component(name, arguments)?;
                Some(SystemExpr::Component { process, instance: instance.clone() })
            }
        }
    }

    fn component(&mut self, name: &ast::Ident, arguments: &[ast::Expr]) -> Option<ProcessId> {
        match self.scopes.resolve(&name.name).map(|entry| entry.symbol.clone()) {
            Some(Symbol::Processes(set)) => {
                let typed = self.process_of_set(set, arguments, name.span);
                self.fixed_process(&typed)
            }
            Some(Symbol::Template(_) | Symbol::Instance(_)) => {
                let message = format!("`{}` is not in the system line", name.name);
                let help = format!("add it: `system ..., {};`", name.name);
                self.report(Diagnostic::new(Code::NOT_A_TEMPLATE, name.span, message).help(help));
                None
            }
            _ => {
                let message = format!("there is no component `{}`", name.name);
                self.report_unknown(Code::NOT_A_TEMPLATE, name, message);
                None
            }
        }
    }
}

/// What an exhaustive search has to evaluate.
fn symbolic_conditions(kind: &QueryKind) -> Vec<ExprId> {
    match kind {
        QueryKind::Path { predicate, .. } | QueryKind::Buchi { predicate } => vec![*predicate],
        QueryKind::LeadsTo { from, to, .. } => vec![*from, *to],
        QueryKind::Extremum { predicate, .. } => predicate.iter().copied().collect(),
        _ => Vec::new(),
    }
}
