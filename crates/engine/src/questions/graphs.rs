//! Queries about explicit graphs, which have a grammar of their own: [`crate::explicit`].

use super::{QuestionRow, Subject};

pub static GRAPH: QuestionRow = QuestionRow {
    name: "a query about a graph",
    form: "E<> \"label\"",
    subject: Subject::GraphStates,
    ..super::UNANSWERED
};
