//! What kind of question a query is, and which engine it is for.

use model::check::{Query, QueryKind};
use model::network::Engine;
use model::syntax::query::{Extremum, PathQuantifier, SystemCheck};

/// The short name of a query's form, as `info` shows it.
pub fn name(query: &Query) -> &'static str {
    match &query.kind {
        QueryKind::Path { quantifier, .. } => match quantifier {
            PathQuantifier::ExistsEventually => "E<>",
            PathQuantifier::AlwaysGlobally => "A[]",
            PathQuantifier::ExistsGlobally => "E[]",
            PathQuantifier::AlwaysEventually => "A<>",
        },
        QueryKind::LeadsTo { .. } => "-->",
        QueryKind::Extremum { kind, .. } => match kind {
            Extremum::Sup => "sup",
            Extremum::Inf => "inf",
            Extremum::Bounds => "bounds",
        },
        QueryKind::Buchi { .. } => "buchi",
        QueryKind::Probability(_) => "Pr",
        QueryKind::ProbabilityTest { .. } => "Pr test",
        QueryKind::ProbabilityComparison { .. } => "Pr comparison",
        QueryKind::Expected { .. } => "E[]-value",
        QueryKind::Simulate { .. } => "simulate",
        QueryKind::Refinement { .. } => "refinement",
        QueryKind::SystemCheck { check, .. } => match check {
            SystemCheck::Consistency => "consistency",
            SystemCheck::Determinism => "determinism",
            SystemCheck::Specification => "specification",
            SystemCheck::Implementation => "implementation",
            SystemCheck::Prune => "prune",
            SystemCheck::GetComponent => "get-component",
        },
        QueryKind::SystemReachability { .. } => "reachability",
        QueryKind::Unsupported { .. } => "unsupported",
    }
}

/// The engine that such a query needs; `None` when there is none, or when the network's fitness has no say in it.
pub fn engine(query: &Query) -> Option<Engine> {
    match &query.kind {
        QueryKind::Path { .. } | QueryKind::LeadsTo { .. } | QueryKind::Extremum { .. } | QueryKind::Buchi { .. } => {
            Some(Engine::Symbolic)
        }
        QueryKind::Probability(_)
        | QueryKind::ProbabilityTest { .. }
        | QueryKind::ProbabilityComparison { .. }
        | QueryKind::Expected { .. }
        | QueryKind::Simulate { .. } => Some(Engine::Statistical),
        QueryKind::Refinement { .. }
        | QueryKind::SystemCheck { .. }
        | QueryKind::SystemReachability { .. }
        | QueryKind::Unsupported { .. } => None,
    }
}
