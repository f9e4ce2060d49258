//! The syntax tree of a query, one variant per form of the query language.

use super::ast::{Expr, Ident, Name};
use crate::source::Span;

#[derive(Clone, Debug)]
pub struct Query {
    pub kind: QueryKind,
    /// `under Strategy`
    pub under: Option<Ident>,
    pub span: Span,
}

/// Two queries are the same when they are written alike, wherever they stand.
impl PartialEq for Query {
    fn eq(&self, other: &Query) -> bool {
        self.kind == other.kind && self.under == other.under
    }
}

#[derive(Clone, PartialEq, Debug)]
#[allow(clippy::large_enum_variant)] // there are a few queries to a model, never many
pub enum QueryKind {
    /// `E<> p`, `A[] p`, `E[] p`, `A<> p`
    Path { quantifier: PathQuantifier, predicate: Expr },
    /// `p --> q`
    LeadsTo { from: Expr, to: Expr },
    /// `sup{p}: e, f`
    Extremum { kind: Extremum, predicate: Option<Expr>, expressions: Vec<Expr> },
    /// `buchi: p`: a run that visits `p` infinitely often while time diverges. An addition of Zonewalk.
    Buchi(Expr),
    /// `Pr[<=T](<> p)`
    Probability(Probability),
    /// `Pr[..](..) >= 0.5`, `<=`
    ProbabilityTest { probability: Probability, at_least: bool, bound: f64, bound_span: Span },
    /// `Pr[..](..) >= Pr[..](..)`
    ProbabilityComparison { left: Probability, right: Probability },
    /// `E[<=T;N](max: e)`
    Expected { bound: RunBound, kind: Extremum, expression: Expr },
    /// `simulate [<=T;N] {e, f} : n : p`
    Simulate { bound: RunBound, expressions: Vec<Expr>, filter: Option<(Option<Expr>, Expr)> },
    /// `Pr (p U[a,b] q)`: weighted metric interval temporal logic, kept as text.
    Mitl(String),
    /// `refinement: A || B <= S`
    Refinement { left: SystemExpr, right: SystemExpr },
    /// `consistency: E`, `determinism: E`, `specification: E`, `implementation: E`, `prune: E`, `get-component: E`
    SystemCheck { check: SystemCheck, system: SystemExpr, save_as: Option<Ident> },
    /// `reachability: E @ init -> state`, the two states kept as text with their places.
    SystemReachability { system: SystemExpr, start: Option<(String, Span)>, goal: (String, Span) },
    /// Recognised, and answered by no engine: `control:`, `strategy S = ...`, `minE`, `saveStrategy`, `sat:` and so on.
    /// The word says which.
    Unsupported { what: &'static str },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PathQuantifier {
    ExistsEventually,
    AlwaysGlobally,
    ExistsGlobally,
    AlwaysEventually,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extremum {
    Sup,
    Inf,
    Bounds,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Probability {
    pub bound: RunBound,
    pub path: RunPath,
}

#[derive(Clone, PartialEq, Debug)]
pub enum RunPath {
    Eventually(Expr),
    Globally(Expr),
    Until(Expr, Expr),
}

/// `[<=T; N]`, `[#<=N]`, `[x<=T]`
#[derive(Clone, PartialEq, Debug)]
pub struct RunBound {
    pub measure: RunMeasure,
    pub limit: Expr,
    pub runs: Option<Expr>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum RunMeasure {
    Time,
    Steps,
    Clock(Expr),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SystemCheck {
    Consistency,
    Determinism,
    Specification,
    Implementation,
    Prune,
    GetComponent,
}

/// An expression over timed I/O systems.
#[derive(Clone, PartialEq, Debug)]
pub enum SystemExpr {
    /// A component, perhaps with arguments: `A`, `Node(3)`. Ecdar tells several instances of one component apart by a
    /// mark in brackets that has no other meaning: `A[1] || A[2]`.
    Component { name: Ident, arguments: Vec<Expr>, instance: Option<Name> },
    /// `A || B`
    Compose(Box<SystemExpr>, Box<SystemExpr>),
    /// `A && B`
    Conjoin(Box<SystemExpr>, Box<SystemExpr>),
    /// `A \\ B`, `A // B`
    Quotient(Box<SystemExpr>, Box<SystemExpr>),
}
