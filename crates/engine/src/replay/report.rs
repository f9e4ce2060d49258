//! What a report says, held against the runs in it.
//!
//! | claim | checked |
//! | --- | --- |
//! | `index`, `query` | the place in the report; the query is read again |
//! | `verdict` by a run | the run is replayed, and shows just this verdict of this query |
//! | `verdict` without a run | not checked, and said so; only that a query is wrong shows by itself |
//! | `evidence` | fits the verdict, the query and what is there |
//! | `value` of a run | that the run takes so long, not that none takes less |
//! | `failure` of a refinement | the rule that the run breaks |
//! | `stats.trace_length` | the steps of the run |
//! | all other values, components and samples | not checked, and said so |
//!
//! The rest is information: the name of the model, the seed, how the search went, and what was said in words.

use super::{Accepted, Checked, Shows, failure, system_run, trace, violation};
use crate::claim;
use crate::questions;
use crate::report::{Evidence, Verdict};
use certify::refinement::{BrokenRule, PairTrace, SystemRun};
use certify::{Rational, Trace};
use model::check::{Query, QueryKind};
use model::network::Engine;
use serde::Deserialize;
use serde_json::{Map, Value};

/// One answer as it stands in a report.
#[derive(Clone, Deserialize, Debug)]
pub struct ResultRecord {
    pub index: usize,
    pub query: String,
    pub(super) verdict: Verdict,
    pub(super) evidence: Evidence,
    pub trace: Option<Trace>,
    pub refinement: Option<PairTrace>,
    pub system_run: Option<SystemRun>,
    pub(super) value: Option<String>,
    pub(super) failure: Option<String>,
    pub(super) stats: StatsRecord,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Clone, Deserialize, Debug)]
pub(super) struct StatsRecord {
    pub trace_length: Option<usize>,
}

/// Fields that claim nothing that a run could show: how the search went, and what was said in words.
const INFORMATION: &[&str] = &["reason", "search", "place"];

/// What is missing where a run would decide.
pub(super) const NO_RUN: &str = "the report does not hold the run";

/// What such an answer leaves.
pub(super) const SEARCHED: &str = "a search of all states leaves nothing to replay";

type Outcome = Result<Checked, String>;

/// Checks what a report says at this place; `None` stands for a query that has an error.
pub fn result(at: usize, record: &ResultRecord, query: Option<&Query>) -> Checked {
    let outcome = record.in_order(at).and_then(|()| match query {
        Some(query) => record.check(query),
        None => record.mistake(),
    });
    outcome.unwrap_or_else(|reason| Checked::Refused { step: None, reason })
}

impl ResultRecord {
    /// Whether the answer is said to be that the query or the model has an error.
    pub fn is_error(&self) -> bool {
        self.verdict == Verdict::Error
    }

    pub(super) fn in_order(&self, at: usize) -> Result<(), String> {
        if self.index != at {
            return Err(format!("the answer says that it is the one with index {}, not {at}", self.index));
        }
        let runs = [self.trace.is_some(), self.refinement.is_some(), self.system_run.is_some()];
        if runs.into_iter().filter(|has| *has).count() > 1 {
            return Err("the answer has runs of several kinds".to_owned());
        }
        Ok(())
    }

    pub(super) fn mistake(&self) -> Outcome {
        let has_run = self.trace.is_some()
            || self.refinement.is_some()
            || self.system_run.is_some()
            || self.stats.trace_length.is_some();
        let has_value = self.value.is_some() || self.failure.is_some();
        let claims_more = self.evidence != Evidence::None || has_run || has_value;
        match self.verdict {
            Verdict::Error if !claims_more => {
                Ok(Checked::Accepted(Accepted { shows: Shows::Mistake, run: None, unchecked: self.left_open() }))
            }
            _ => Err("the query has an error, and the report answers it".to_owned()),
        }
    }

    fn check(&self, query: &Query) -> Outcome {
        let checked = match (&self.trace, &self.refinement, &self.system_run) {
            (Some(run), ..) => self.with_run(query, run)?,
            (None, Some(pair), _) => self.with_pair(query, pair)?,
            (None, None, Some(run)) => self.with_system_run(query, run)?,
            (None, None, None) => self.without_run(query)?,
        };
        Ok(match checked {
            Checked::Accepted(mut accepted) => {
                accepted.unchecked.extend(self.left_open());
                Checked::Accepted(accepted)
            }
            Checked::Unchecked(mut claims) => {
                claims.extend(self.value.iter().map(|value| format!("the value `{value}`")));
                claims.extend(self.failure.iter().map(|failure| format!("the failure `{failure}`")));
                claims.extend(self.stats.trace_length.map(|steps| format!("that the run has {steps} steps")));
                claims.extend(self.left_open());
                Checked::Unchecked(claims)
            }
            other => other,
        })
    }

    /// Claims in fields about which runs say nothing.
    pub(super) fn left_open(&self) -> Vec<String> {
        let said = |(name, value): (&String, &Value)| !INFORMATION.contains(&name.as_str()) && !value.is_null();
        self.others.iter().filter(|field| said(*field)).map(|(name, _)| format!("what it says as `{name}`")).collect()
    }

    /// Whether what is said about a run is about such a one.
    pub(super) fn fits_run(&self, run: &Trace) -> Result<(), String> {
        if self.evidence != Evidence::Witness {
            return Err("the evidence is a run, and the report says that it is something else".to_owned());
        }
        if self.stats.trace_length.is_some_and(|steps| steps != run.steps.len()) {
            return Err(format!("the run has {} steps, and the report says another number", run.steps.len()));
        }
        Ok(())
    }

    fn with_run(&self, query: &Query, run: &Trace) -> Outcome {
        self.fits_run(run)?;
        if self.failure.is_some() {
            return Err("only queries about systems have failures of this kind".to_owned());
        }
        if self.verdict == Verdict::Error {
            if self.value.is_some() {
                return Err("an error has no value".to_owned());
            }
            let mut checked = failure(&query.network, run, &claim::predicates(query));
            if let Checked::Accepted(accepted) = &mut checked {
                accepted.unchecked.push("the words about the error, and its place".to_owned());
            }
            return Ok(checked);
        }
        let (Some(shown), Some(claim)) = (claim::decided(query), claim::of_run(query)) else {
            return Err("no run of the model answers such a query".to_owned());
        };
        if self.verdict != shown {
            return Err(format!("such a run shows that the query is {}", word(shown)));
        }
        let mut checked = trace(&query.network, run, Some(claim));
        if let (Some(value), Checked::Accepted(accepted)) = (&self.value, &mut checked) {
            takes(run, value)?;
            accepted.unchecked.push("that no run takes less time".to_owned());
        }
        Ok(checked)
    }

    fn with_pair(&self, query: &Query, pair: &PairTrace) -> Outcome {
        if self.evidence != Evidence::Witness {
            return Err("the evidence is a run, and the report says that it is something else".to_owned());
        }
        let Some(sides) = claim::of_pair(query) else {
            return Err("no run of two systems answers such a query".to_owned());
        };
        if self.verdict != Verdict::Violated {
            return Err("such a run shows that the query is violated".to_owned());
        }
        let rule = match pair.broken {
            BrokenRule::Output => "output",
            BrokenRule::Input => "input",
            BrokenRule::Delay => "delay",
        };
        if self.failure.as_deref().is_some_and(|failure| failure != rule) {
            return Err(format!("the run breaks the rule `{rule}`, and the report says another one"));
        }
        if self.value.is_some() || self.stats.trace_length.is_some_and(|steps| steps != pair.steps.len()) {
            return Err("the run of two systems has another length, or a value".to_owned());
        }
        Ok(violation(&query.network, pair, sides))
    }

    fn with_system_run(&self, query: &Query, run: &SystemRun) -> Outcome {
        if self.evidence != Evidence::Witness {
            return Err("the evidence is a run, and the report says that it is something else".to_owned());
        }
        let Some(asked) = claim::of_system_run(query) else {
            return Err("no run of a timed I/O system answers such a query".to_owned());
        };
        if self.verdict != Verdict::Satisfied {
            return Err("such a run shows that the query is satisfied".to_owned());
        }
        if self.value.is_some() || self.failure.is_some() {
            return Err("a state that is reached has no value, and breaks no rule".to_owned());
        }
        if self.stats.trace_length.is_some_and(|steps| steps != run.steps.len()) {
            return Err(format!("the run has {} steps, and the report says another number", run.steps.len()));
        }
        Ok(system_run(&query.network, run, asked))
    }

    fn without_run(&self, query: &Query) -> Outcome {
        let is_statistical = questions::of(query).engine == Some(Engine::Statistical);
        let by_run = claim::decided(query) == Some(self.verdict);
        let open = |why: String| Ok(Checked::Unchecked(vec![why]));
        let verdict = word(self.verdict);
        match (self.verdict, self.evidence) {
            (Verdict::Unknown, Evidence::None) => Ok(Checked::Unchecked(Vec::new())),
            (Verdict::Unknown, _) => Err("an unknown answer has no evidence".to_owned()),
            (Verdict::Error, Evidence::None) => open("that the model or the query has an error".to_owned()),
            (Verdict::Error, Evidence::Witness) => open(format!("that the model has an error: {NO_RUN}")),
            (Verdict::Error, _) => Err("an error is shown by a run, or by nothing".to_owned()),
            (_, Evidence::Witness) if by_run => open(format!("that the query is {verdict}: {NO_RUN}")),
            (_, Evidence::Witness) => Err(format!("no run shows that such a query is {verdict}")),
            (_, Evidence::Certificate) if by_run || !has_certificates(query) => {
                Err(format!("no certificate shows that such a query is {verdict}"))
            }
            (_, Evidence::Certificate) => open(format!(
                "that the query is {verdict}: its certificate is a file of its own (`check --certificate FILE`)"
            )),
            (_, Evidence::Statistical) if is_statistical => {
                open(format!("that the query is {verdict}: samples cannot be replayed"))
            }
            (_, Evidence::Exhaustive) if !is_statistical => open(format!(
                "that the query is {verdict}: a search of all states leaves nothing to replay; ask it again, with                  --certify where that is possible"
            )),
            (_, Evidence::None) => open(format!("that the query is {verdict}: no evidence is given")),
            _ => Err("the evidence does not fit the query".to_owned()),
        }
    }
}

fn has_certificates(query: &Query) -> bool {
    claim::of_certificate(query).is_some() || matches!(query.kind, QueryKind::Refinement { .. })
}

pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Satisfied => "satisfied",
        Verdict::Violated => "violated",
        Verdict::Unknown => "unknown",
        Verdict::Error => "an error",
    }
}

/// Whether a run takes the time that is given as `7/2`, or more than it where it is given as `> 7/2`. The run has been
/// replayed.
fn takes(run: &Trace, value: &str) -> Result<(), String> {
    let unreadable = || format!("the value `{value}` is no time such as `7/2` or `> 7/2`");
    let (bound, is_open) = value.strip_prefix("> ").map_or((value, false), |bound| (bound, true));
    let bound = certify::rational::parse(bound).ok_or_else(unreadable)?;
    let delays = run.steps.iter().map(|step| &step.delay).chain([&run.final_delay]);
    let delays: Option<Vec<Rational>> = delays.map(|delay| certify::rational::parse(delay)).collect();
    let total: Rational = delays.ok_or_else(unreadable)?.into_iter().sum();
    match (is_open, total == bound, total > bound) {
        (false, true, _) | (true, _, true) => Ok(()),
        _ => Err(format!("the run takes {total}, and the report says `{value}`")),
    }
}
