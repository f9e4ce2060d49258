//! What a run shows about a query: the claim that `certify` checks.

use crate::questions;
use crate::report::Verdict;
use certify::{Claim, Literal};
use model::check::{Query, QueryKind, SystemExpr};
use model::network::ExprId;

/// What a witness of the query, or a counterexample to it, shows; `None` where no single run answers it.
pub fn of_run(query: &Query) -> Option<Claim> {
    (questions::of(query).claim)(&query.kind)
}

/// The verdict that such a run decides.
pub fn decided(query: &Query) -> Option<Verdict> {
    questions::of(query).decides
}

/// What a query asks of single states.
pub fn predicates(query: &Query) -> Vec<ExprId> {
    (questions::of(query).predicates)(&query.kind)
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
