//! What a run shows about a query: the claim that `certify` checks.

use crate::report::Verdict;
use certify::{Claim, Literal};
use model::check::{Query, QueryKind, SystemExpr};
use model::network::ExprId;
use model::syntax::query::PathQuantifier;

/// What a witness of the query, or a counterexample to it, shows; `None` where no single run answers it.
pub fn of_run(query: &Query) -> Option<Claim> {
    match &query.kind {
        QueryKind::Path { quantifier, predicate, .. } => Some(match quantifier {
            PathQuantifier::ExistsEventually => Claim::Reaches(Literal::is(*predicate)),
            PathQuantifier::AlwaysGlobally => Claim::Reaches(Literal::is_not(*predicate)),
            PathQuantifier::ExistsGlobally => Claim::Always(Literal::is(*predicate)),
            PathQuantifier::AlwaysEventually => Claim::Always(Literal::is_not(*predicate)),
        }),
        QueryKind::LeadsTo { from, to, .. } => {
            Some(Claim::NeverAnswered { from: Literal::is(*from), to: Literal::is(*to) })
        }
        QueryKind::Buchi { predicate, .. } => Some(Claim::InfinitelyOften(Literal::is(*predicate))),
        _ => None,
    }
}

/// The verdict that such a run decides.
pub fn decided(query: &Query) -> Option<Verdict> {
    match &query.kind {
        QueryKind::Path { quantifier: PathQuantifier::ExistsEventually | PathQuantifier::ExistsGlobally, .. }
        | QueryKind::Buchi { .. }
        | QueryKind::SystemReachability { .. } => Some(Verdict::Satisfied),
        QueryKind::Path { .. } | QueryKind::LeadsTo { .. } | QueryKind::Refinement { .. } => Some(Verdict::Violated),
        _ => None,
    }
}

/// What a query asks of single states.
pub fn predicates(query: &Query) -> Vec<ExprId> {
    match &query.kind {
        QueryKind::Path { predicate, .. } | QueryKind::Buchi { predicate } => vec![*predicate],
        QueryKind::LeadsTo { from, to, .. } => vec![*from, *to],
        QueryKind::Extremum { predicate, .. } => predicate.iter().copied().collect(),
        _ => Vec::new(),
    }
}

/// What a certificate for the query excludes; `None` where there is no such certificate.
pub fn of_certificate(query: &Query) -> Option<Literal> {
    match of_run(query) {
        Some(Claim::Reaches(goal)) => Some(goal),
        _ => None,
    }
}

/// The system of a reachability query, the states it starts from unless that is the initial one, and the state to reach.
pub fn of_system_run(query: &Query) -> Option<(&SystemExpr, Option<&str>, &str)> {
    match &query.kind {
        QueryKind::SystemReachability { system, start, goal } => {
            let start = start.as_ref().map(|(text, _)| text.as_str()).filter(|text| text.trim() != "init");
            Some((system, start, &goal.0))
        }
        _ => None,
    }
}

/// The two sides of a refinement.
pub fn of_pair(query: &Query) -> Option<(&SystemExpr, &SystemExpr)> {
    match &query.kind {
        QueryKind::Refinement { left, right } => Some((left, right)),
        _ => None,
    }
}
