//! `Pr`, `E` and `simulate`: what random runs say.

use super::{QuestionRow, Subject};
use crate::options::statistics as options;
use crate::statistics;
use model::network::Engine;

pub static PROBABILITY: QuestionRow = QuestionRow {
    name: "Pr",
    form: "Pr[<=T](<> p)",
    options: &[options::RUNS, options::PRECISION, options::CURVES],
    ..SAMPLES
};

pub static TEST: QuestionRow =
    QuestionRow { name: "Pr test", form: "Pr[<=T](<> p) >= P", options: &[options::RUNS, options::TEST], ..SAMPLES };

pub static COMPARISON: QuestionRow = QuestionRow {
    name: "Pr comparison",
    form: "Pr[<=T](<> p) >= Pr[<=T](<> q)",
    options: &[options::RUNS, options::COMPARISON],
    ..SAMPLES
};

pub static EXPECTED: QuestionRow = QuestionRow {
    name: "E[]-value",
    form: "E[<=T](max: e)",
    options: &[options::RUNS, options::PRECISION, options::CURVES],
    ..SAMPLES
};

pub static SIMULATE: QuestionRow =
    QuestionRow { name: "simulate", form: "simulate[<=T] {e}", options: &[options::RUNS, options::CURVES], ..SAMPLES };

/// What all have.
const SAMPLES: QuestionRow = QuestionRow {
    subject: Subject::Samples,
    engine: Some(Engine::Statistical),
    answer: |answer, asked, query, watch| statistics::answer(answer, asked, &query.kind, watch),
    ..super::UNANSWERED
};
