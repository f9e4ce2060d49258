//! `sup`, `inf` and `bounds`: which values do expressions take over all states?

use super::{QuestionRow, Subject};
use crate::check::Asked;
use crate::extremum;
use crate::limits::Watch;
use crate::report::Answer;
use model::check::{Query, QueryKind};
use model::network::Engine;

pub static SUP: QuestionRow = QuestionRow { name: "sup", form: "sup{p}: e", ..EXTREMES };

pub static INF: QuestionRow = QuestionRow { name: "inf", form: "inf{p}: e", ..EXTREMES };

pub static BOUNDS: QuestionRow = QuestionRow { name: "bounds", form: "bounds{p}: e", ..EXTREMES };

/// What all have.
const EXTREMES: QuestionRow = QuestionRow {
    subject: Subject::Extremes,
    engine: Some(Engine::Symbolic),
    predicates: |kind| match kind {
        QueryKind::Extremum { predicate, .. } => predicate.iter().copied().collect(),
        _ => Vec::new(),
    },
    answer,
    ..super::UNANSWERED
};

fn answer(answer: &mut Answer, asked: &Asked, query: &Query, watch: &mut Watch) {
    if let QueryKind::Extremum { kind, predicate, quantities } = &query.kind {
        extremum::answer(answer, asked, *kind, *predicate, quantities, watch);
    }
}
