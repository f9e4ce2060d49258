//! The table of questions.
//!
//! A row says what a form of query is called, what kind of question it is (and so which searches may answer: those of
//! [`crate::searches`] that suit the kind), which of a model's engines it needs, what a run that is found shows and decides,
//! which options mean something for it beside those of searches, and who answers. Forms that are alike share a file.

pub mod extremes;
pub mod graphs;
pub mod infinite_runs;
pub mod samples;
pub mod states;
pub mod systems;

use crate::check::Asked;
use crate::limits::Watch;
use crate::options::row::Lists;
use crate::report::{Answer, Verdict};
use certify::Claim;
use model::check::{Query, QueryKind};
use model::network::{Engine, ExprId};
use model::syntax::query::{Extremum, PathQuantifier, SystemCheck};

/// All questions, in the order of the documentation.
pub static QUESTIONS: [&QuestionRow; 23] = [
    &states::EXISTS_EVENTUALLY,
    &states::ALWAYS_GLOBALLY,
    &infinite_runs::EXISTS_GLOBALLY,
    &infinite_runs::ALWAYS_EVENTUALLY,
    &infinite_runs::LEADS_TO,
    &infinite_runs::BUCHI,
    &extremes::SUP,
    &extremes::INF,
    &extremes::BOUNDS,
    &samples::PROBABILITY,
    &samples::TEST,
    &samples::COMPARISON,
    &samples::EXPECTED,
    &samples::SIMULATE,
    &systems::REFINEMENT,
    &systems::CONSISTENCY,
    &systems::DETERMINISM,
    &systems::SPECIFICATION,
    &systems::IMPLEMENTATION,
    &systems::PRUNE,
    &systems::GET_COMPONENT,
    &systems::REACHABILITY,
    &graphs::GRAPH,
];

/// The row of a query.
pub fn of(query: &Query) -> &'static QuestionRow {
    match &query.kind {
        QueryKind::Path { quantifier, .. } => match quantifier {
            PathQuantifier::ExistsEventually => &states::EXISTS_EVENTUALLY,
            PathQuantifier::AlwaysGlobally => &states::ALWAYS_GLOBALLY,
            PathQuantifier::ExistsGlobally => &infinite_runs::EXISTS_GLOBALLY,
            PathQuantifier::AlwaysEventually => &infinite_runs::ALWAYS_EVENTUALLY,
        },
        QueryKind::LeadsTo { .. } => &infinite_runs::LEADS_TO,
        QueryKind::Buchi { .. } => &infinite_runs::BUCHI,
        QueryKind::Extremum { kind, .. } => match kind {
            Extremum::Sup => &extremes::SUP,
            Extremum::Inf => &extremes::INF,
            Extremum::Bounds => &extremes::BOUNDS,
        },
        QueryKind::Probability(_) => &samples::PROBABILITY,
        QueryKind::ProbabilityTest { .. } => &samples::TEST,
        QueryKind::ProbabilityComparison { .. } => &samples::COMPARISON,
        QueryKind::Expected { .. } => &samples::EXPECTED,
        QueryKind::Simulate { .. } => &samples::SIMULATE,
        QueryKind::Refinement { .. } => &systems::REFINEMENT,
        QueryKind::SystemCheck { check, .. } => match check {
            SystemCheck::Consistency => &systems::CONSISTENCY,
            SystemCheck::Determinism => &systems::DETERMINISM,
            SystemCheck::Specification => &systems::SPECIFICATION,
            SystemCheck::Implementation => &systems::IMPLEMENTATION,
            SystemCheck::Prune => &systems::PRUNE,
            SystemCheck::GetComponent => &systems::GET_COMPONENT,
        },
        QueryKind::SystemReachability { .. } => &systems::REACHABILITY,
        QueryKind::Unsupported { .. } => &UNSUPPORTED,
    }
}

/// One row of the table.
pub struct QuestionRow {
    /// The form of the query, in short.
    pub name: &'static str,
    /// How it is written.
    pub form: &'static str,
    pub subject: Subject,
    /// The engine that a model has to be fit for; `None` where the fitness of the network has no say in it.
    pub engine: Option<Engine>,
    /// The verdict that a run decides; `None` where no single run does.
    pub decides: Option<Verdict>,
    /// What such a run shows, where `certify` replays it as one of the network.
    pub claim: fn(&QueryKind) -> Option<Claim>,
    /// What is asked of single states.
    pub predicates: fn(&QueryKind) -> Vec<ExprId>,
    /// The options that mean something for it, beside those of its searches.
    pub options: Lists,
    pub answer: fn(&mut Answer, &Asked<'_>, &Query, &mut Watch<'_>),
}

/// Kinds of questions, by what has to be looked for. A search suits a kind or not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Subject {
    /// A state of a model.
    States,
    /// A state or a step of an explicit graph.
    GraphStates,
    InfiniteRuns,
    /// The largest and smallest values in all states.
    Extremes,
    /// Pairs of states of two systems.
    Pairs,
    /// Random runs. There is one way to make them.
    Samples,
    /// A state of one timed I/O system.
    SystemStates,
    /// What holds of one timed I/O system. There is one way to find that out.
    System,
    /// No engine has it.
    Unsupported,
}

impl Subject {
    /// What it asks about, in few words.
    pub fn title(self) -> &'static str {
        match self {
            Subject::States => "states",
            Subject::GraphStates => "graphs",
            Subject::InfiniteRuns => "infinite runs",
            Subject::Extremes => "extreme values",
            Subject::Pairs => "refinements",
            Subject::Samples => "samples",
            Subject::SystemStates => "states of systems",
            Subject::System => "systems",
            Subject::Unsupported => "nothing",
        }
    }

    /// Whether searches can be chosen.
    pub fn has_searches(self) -> bool {
        !matches!(self, Subject::Samples | Subject::System | Subject::Unsupported)
    }
}

/// A question about which nothing is said yet.
const UNANSWERED: QuestionRow = QuestionRow {
    name: "unsupported",
    form: "",
    subject: Subject::Unsupported,
    engine: None,
    decides: None,
    claim: |_| None,
    predicates: |_| Vec::new(),
    options: &[],
    answer: |answer, _, _, _| answer.reason = Some("no engine for this query yet".to_owned()),
};

/// A query that no engine answers; who read it says what it is.
pub static UNSUPPORTED: QuestionRow = UNANSWERED;

#[cfg(test)]
mod tests {
    use super::QUESTIONS;
    use crate::searches::SEARCHES;

    #[test]
    fn questions_have_names_of_their_own_and_somebody_who_answers() {
        for row in QUESTIONS {
            assert_eq!(QUESTIONS.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
            let suited = SEARCHES.iter().filter(|search| search.suits(row.subject)).count();
            assert_eq!(suited > 0, row.subject.has_searches(), "{}", row.name);
            assert!(suited == 0 || suited > 1, "{}: with one search there is nothing to choose", row.name);
        }
    }
}
