//! The answers of a run as plain data: what the JSON contract says, and the exit status that follows from it.

use crate::curves::Curves;
use crate::place::Place;
use crate::searches::directed::DirectedStats;
use crate::shown::ShownRun;
pub use crate::systems::ComponentFile;
use model::source::Span;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Debug)]
pub struct Report {
    pub schema: &'static str,
    pub model: String,
    pub seed: u64,
    pub results: Vec<Answer>,
}

/// The answer to one query.
#[derive(Clone, Serialize, Debug)]
pub struct Answer {
    pub index: usize,
    pub query: String,
    pub verdict: Verdict,
    pub reason: Option<String>,
    pub evidence: Evidence,
    pub search: Option<String>,
    pub value: Option<String>,
    /// Which rule or precondition of a query about timed I/O systems fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<&'static str>,
    /// Where the reason points to.
    pub place: Option<Place>,
    /// An error of the model that was met on the way to the answer, elsewhere than on its run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_error: Option<ModelError>,
    pub stats: Stats,
    pub trace: Option<certify::Trace>,
    /// Why one system does not refine another: the run of both sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refinement: Option<certify::refinement::PairTrace>,
    /// How a timed I/O system reaches a state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_run: Option<certify::refinement::SystemRun>,
    /// The component that a query makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<ComponentFile>,
    /// What samples showed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Statistics>,
    /// Curves to write or to draw.
    #[serde(skip)]
    pub curves: Option<Curves>,
    /// The heuristic values of explored states, to be written.
    #[serde(skip)]
    pub log: Option<Curves>,
    /// The run in words.
    #[serde(skip)]
    pub shown: Option<ShownRun>,
    /// The text of the certificate, when it is to be written.
    #[serde(skip)]
    pub certificate: Option<String>,
    /// The expressions or edges that the reason points to.
    #[serde(skip)]
    pub spans: Vec<Span>,
    /// Whether the query needs something that no engine has.
    #[serde(skip)]
    pub unsupported: bool,
    /// Whether the answer is negative because the query is about systems of another kind: it supposes that they are
    /// deterministic, and does not ask for it.
    #[serde(skip)]
    pub unfit: bool,
    /// Engines disagree: a bug.
    #[serde(skip)]
    pub internal: bool,
}

/// An error of the model beside an answer.
#[derive(Clone, Serialize, Debug)]
pub struct ModelError {
    pub reason: String,
    pub place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Satisfied,
    Violated,
    Unknown,
    Error,
}

impl Verdict {
    /// What it means that nothing is found where this is what a finding decides.
    pub fn opposite(self) -> Verdict {
        match self {
            Verdict::Satisfied => Verdict::Violated,
            Verdict::Violated => Verdict::Satisfied,
            Verdict::Unknown | Verdict::Error => self,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    Witness,
    Certificate,
    Exhaustive,
    Statistical,
    None,
}

#[derive(Clone, Copy, Default, Serialize, Debug)]
pub struct Stats {
    pub time_s: f64,
    pub states_explored: u64,
    pub states_generated: u64,
    pub states_stored: u64,
    pub walks: u64,
    pub steps: u64,
    pub restarts: u64,
    /// Steps of the run that was found.
    pub trace_length: Option<usize>,
    pub peak_memory_mb: u64,
    /// Of a directed search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directed: Option<DirectedStats>,
    /// What walks went by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guide: Option<&'static str>,
}

/// What samples showed: how they were judged, and the numbers behind it.
#[derive(Clone, Default, Serialize, Debug)]
pub struct Statistics {
    pub method: &'static str,
    pub runs: u64,
    /// Runs on which the formula held.
    pub satisfied: Option<u64>,
    pub confidence: f64,
    /// The probability or the mean lies in it.
    pub interval: Option<[f64; 2]>,
    /// Of the values in the histogram.
    pub mean: Option<f64>,
    pub deviation: Option<f64>,
    /// Where the values of runs lie: extrema, or the time, steps or clock value at which formulas were decided.
    pub histogram: Option<Histogram>,
    /// The share of runs whose value is at most so much.
    pub cumulative: Vec<Share>,
    /// Runs that ended because time could not pass.
    pub time_locks: u64,
    /// Runs that ended because they made very many steps in no time.
    pub zeno: u64,
    /// Runs without any step.
    pub without_steps: u64,
}

#[derive(Clone, Serialize, Debug)]
pub struct Histogram {
    pub start: f64,
    pub width: f64,
    pub counts: Vec<u64>,
}

#[derive(Clone, Copy, Serialize, Debug)]
pub struct Share {
    pub at: f64,
    pub share: f64,
    /// The ends of the confidence interval.
    pub from: f64,
    pub to: f64,
}

/// How a run ends, for scripts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Satisfied,
    Violated,
    BadInput,
    Unsupported,
    NoVerdict,
    Internal,
}

impl Status {
    pub fn code(self) -> u8 {
        match self {
            Status::Satisfied => 0,
            Status::Violated => 1,
            Status::BadInput => 2,
            Status::Unsupported => 3,
            Status::NoVerdict => 4,
            Status::Internal => 70,
        }
    }

    /// The one that wins when several apply: 70, 2, 3, 1, 4, 0.
    pub fn strongest(self, other: Status) -> Status {
        let strength = |status: Status| match status {
            Status::Satisfied => 0,
            Status::NoVerdict => 1,
            Status::Violated => 2,
            Status::Unsupported => 3,
            Status::BadInput => 4,
            Status::Internal => 5,
        };
        if strength(self) >= strength(other) { self } else { other }
    }
}

impl Answer {
    /// Not known yet.
    pub fn new(index: usize, query: &str) -> Answer {
        Answer {
            index,
            query: query.to_owned(),
            verdict: Verdict::Unknown,
            reason: None,
            evidence: Evidence::None,
            search: None,
            value: None,
            failure: None,
            place: None,
            model_error: None,
            stats: Stats::default(),
            trace: None,
            refinement: None,
            system_run: None,
            component: None,
            statistics: None,
            curves: None,
            log: None,
            shown: None,
            spans: Vec::new(),
            certificate: None,
            unsupported: false,
            unfit: false,
            internal: false,
        }
    }

    /// Something on the way was left unfinished, for this reason: what rests on everything having been seen is not known.
    pub(crate) fn was_cut_off(&mut self, reason: &str) {
        let rests_on_all = matches!(self.evidence, Evidence::Exhaustive | Evidence::Certificate | Evidence::None);
        let says_something = matches!(self.verdict, Verdict::Satisfied | Verdict::Violated) || self.internal;
        if rests_on_all && says_something {
            let Answer { index, query, search, stats, .. } = self;
            let (index, search, stats) = (*index, search.take(), *stats);
            *self = Answer { search, stats, reason: Some(reason.to_owned()), ..Answer::new(index, query) };
        }
    }

    pub fn status(&self) -> Status {
        match self.verdict {
            _ if self.internal => Status::Internal,
            Verdict::Satisfied => Status::Satisfied,
            Verdict::Violated if self.unfit => Status::BadInput,
            Verdict::Violated => Status::Violated,
            Verdict::Error => Status::BadInput,
            Verdict::Unknown if self.unsupported => Status::Unsupported,
            Verdict::Unknown => Status::NoVerdict,
        }
    }
}

impl Report {
    pub fn status(&self) -> Status {
        self.results.iter().map(Answer::status).fold(Status::Satisfied, Status::strongest)
    }
}

#[cfg(test)]
mod tests {
    use super::Status::*;

    #[test]
    fn the_strongest_of_70_2_3_1_4_0_wins() {
        let order = [Internal, BadInput, Unsupported, Violated, NoVerdict, Satisfied];
        assert_eq!(order.map(|status| status.code()), [70, 2, 3, 1, 4, 0]);
        for (i, strong) in order.iter().enumerate() {
            for weak in &order[i..] {
                assert_eq!(strong.strongest(*weak), *strong);
                assert_eq!(weak.strongest(*strong), *strong);
            }
        }
    }
}
