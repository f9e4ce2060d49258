//! `E[] p`, `A<> p`, `p --> q` and `buchi: p`: is there an infinite run, or one that cannot go on, of some kind?

use super::{QuestionRow, Subject};
use crate::check::{Asked, conclude};
use crate::claim;
use crate::limits::Watch;
use crate::liveness::{always, infinitely, unanswered};
use crate::reachability::Reached;
use crate::report::{Answer, Verdict};
use crate::searches::InfiniteRuns;
use certify::{Claim, Literal};
use model::check::{Query, QueryKind};
use model::network::{Engine, ExprId};

pub static EXISTS_GLOBALLY: QuestionRow = QuestionRow {
    name: "E[]",
    form: "E[] p",
    decides: Some(Verdict::Satisfied),
    claim: |kind| predicate(kind).map(|predicate| Claim::Always(Literal::is(predicate))),
    answer: |answer, asked, query, watch| {
        let QueryKind::Path { predicate, .. } = query.kind else { return };
        look(answer, asked, query, Some(predicate), watch, |claim, watch| {
            always(asked.network, predicate, claim, asked.options, watch)
        });
    },
    ..RUNS
};

pub static ALWAYS_EVENTUALLY: QuestionRow = QuestionRow {
    name: "A<>",
    form: "A<> p",
    decides: Some(Verdict::Violated),
    claim: |kind| predicate(kind).map(|predicate| Claim::Always(Literal::is_not(predicate))),
    answer: |answer, asked, query, watch| {
        let QueryKind::Path { negation, .. } = query.kind else { return };
        look(answer, asked, query, Some(negation), watch, |claim, watch| {
            always(asked.network, negation, claim, asked.options, watch)
        });
    },
    ..RUNS
};

pub static LEADS_TO: QuestionRow = QuestionRow {
    name: "-->",
    form: "p --> q",
    decides: Some(Verdict::Violated),
    claim: |kind| match kind {
        QueryKind::LeadsTo { from, to, .. } => {
            Some(Claim::NeverAnswered { from: Literal::is(*from), to: Literal::is(*to) })
        }
        _ => None,
    },
    predicates: |kind| match kind {
        QueryKind::LeadsTo { from, to, .. } => vec![*from, *to],
        _ => Vec::new(),
    },
    answer: |answer, asked, query, watch| {
        let QueryKind::LeadsTo { from, to, .. } = query.kind else { return };
        look(answer, asked, query, None, watch, |claim, watch| {
            unanswered(asked.network, from, to, claim, asked.options, watch)
        });
    },
    ..RUNS
};

pub static BUCHI: QuestionRow = QuestionRow {
    name: "buchi",
    form: "buchi: p",
    decides: Some(Verdict::Satisfied),
    claim: |kind| predicate(kind).map(|predicate| Claim::InfinitelyOften(Literal::is(predicate))),
    answer: |answer, asked, query, watch| {
        let QueryKind::Buchi { predicate } = query.kind else { return };
        look(answer, asked, query, None, watch, |claim, watch| {
            infinitely(asked.network, predicate, claim, asked.options, watch)
        });
    },
    ..RUNS
};

/// What all have.
const RUNS: QuestionRow = QuestionRow {
    subject: Subject::InfiniteRuns,
    engine: Some(Engine::Symbolic),
    predicates: |kind| predicate(kind).into_iter().collect(),
    ..super::UNANSWERED
};

fn predicate(kind: &QueryKind) -> Option<ExprId> {
    match kind {
        QueryKind::Path { predicate, .. } | QueryKind::Buchi { predicate } => Some(*predicate),
        _ => None,
    }
}

/// Looks for a run, and writes what came of it into the answer.
fn look(
    answer: &mut Answer,
    asked: &Asked,
    query: &Query,
    goal: Option<ExprId>,
    watch: &mut Watch,
    search: impl FnOnce(Claim, &mut Watch) -> Reached,
) {
    let (Some(claim), Some(found)) = (claim::of_run(query), claim::decided(query)) else { return };
    let how = asked.options.search.ways.infinite_runs.as_ref().map(|way| way.make);
    if how == Some(InfiniteRuns::ComponentsAllTheSame) {
        watch.note(&format!(
            "note: infinite runs are looked for by components, depth first: `--search {}` changes nothing about that",
            asked.options.search
        ));
    }
    let reached = search(claim, watch);
    conclude(answer, asked, reached, goal, found, found.opposite());
}
