//! Queries about timed I/O systems: one system, or two of which one is to refine the other.

use super::{QuestionRow, Subject};
use crate::check::Asked;
use crate::limits::Watch;
use crate::options::systems::MADE;
use crate::place::Place;
use crate::report::{Answer, Verdict};
use crate::systems;
use model::check::Query;

pub static REFINEMENT: QuestionRow = QuestionRow {
    name: "refinement",
    form: "refinement: A <= B",
    subject: Subject::Pairs,
    decides: Some(Verdict::Violated),
    ..SYSTEM
};

pub static CONSISTENCY: QuestionRow = QuestionRow { name: "consistency", form: "consistency: A", ..SYSTEM };

pub static DETERMINISM: QuestionRow = QuestionRow { name: "determinism", form: "determinism: A", ..SYSTEM };

pub static SPECIFICATION: QuestionRow = QuestionRow { name: "specification", form: "specification: A", ..SYSTEM };

pub static IMPLEMENTATION: QuestionRow = QuestionRow { name: "implementation", form: "implementation: A", ..SYSTEM };

pub static PRUNE: QuestionRow = QuestionRow { name: "prune", form: "prune: A", options: &[MADE], ..SYSTEM };

pub static GET_COMPONENT: QuestionRow =
    QuestionRow { name: "get-component", form: "get-component: A", options: &[MADE], ..SYSTEM };

pub static REACHABILITY: QuestionRow = QuestionRow {
    name: "reachability",
    form: "reachability: A @ s -> t",
    subject: Subject::SystemStates,
    decides: Some(Verdict::Satisfied),
    ..SYSTEM
};

/// What all have.
const SYSTEM: QuestionRow = QuestionRow { subject: Subject::System, answer, ..super::UNANSWERED };

fn answer(answer: &mut Answer, asked: &Asked, query: &Query, watch: &mut Watch) {
    systems::answer(answer, asked, &query.kind, watch);
    // What is wrong with a combination of systems is in the query.
    if answer.verdict == Verdict::Error && answer.spans.is_empty() {
        answer.place = Some(Place::of(asked.sources, query.span));
        answer.spans = vec![query.span];
    }
}
