//! Evidence from a file, checked again: traces (`zonewalk.trace/1`), counter-examples of refinements
//! (`zonewalk.refinement/1`), runs of timed I/O systems (`zonewalk.system-run/1`), all alone or inside of a report, certificates
//! (`zonewalk.certificate/1`) and relations (`zonewalk.relation/1`). Only `certify` decides. What a report says beside its runs is in `report`,
//! and evidence about explicit graphs in `graph`.

pub mod graph;
pub mod report;

use crate::replay::report::ResultRecord;
use crate::shown::{ShownRun, shown};
use crate::witness::Witness;
use certify::refinement::{PairTrace, Relation, SystemGoal, SystemRun, check_relation, replay_refinement};
use certify::{Certificate, Claim, Literal, Reason, Refusal, Trace};
use model::check::SystemExpr;
use model::network::{ExprId, Network};
use model::syntax::system_state;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// What a file holds.
pub enum Document {
    Trace(Trace),
    /// A run of two systems of which one does not refine the other.
    Pair(PairTrace),
    /// A run of a timed I/O system to a state.
    System(SystemRun),
    Report(Vec<ResultRecord>),
    /// Read later, because its form depends on the network.
    Certificate,
    /// Likewise, a proof of a refinement.
    Relation,
}

/// Why a file is no evidence, and where: line and column count from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// What became of one piece of evidence.
#[derive(Clone, Debug)]
pub enum Checked {
    Accepted(Accepted),
    Refused {
        /// Counted from 1.
        step: Option<usize>,
        reason: String,
    },
    /// It does not fit the model: names or numbers that it does not have.
    BadInput {
        step: Option<usize>,
        reason: String,
        /// The name in question.
        name: Option<String>,
    },
    /// There is nothing that decides it; the claims that are left open, none if nothing is claimed.
    Unchecked(Vec<String>),
}

#[derive(Clone, Debug)]
pub struct Accepted {
    pub shows: Shows,
    pub run: Option<AcceptedRun>,
    /// What is claimed beside it and cannot be checked.
    pub unchecked: Vec<String>,
}

#[derive(Clone, Debug)]
pub enum AcceptedRun {
    Trace(Trace, ShownRun),
    Pair(PairTrace),
    System(SystemRun),
}

/// What accepted evidence is good for.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Shows {
    /// It is a run of the model.
    Run,
    /// It is a run that decides the query.
    Witness,
    /// It is a run to an error of the model.
    Failure,
    /// No reachable state is what the query looks for.
    Certificate,
    /// A run of both sides of a refinement that breaks a rule.
    Violation,
    /// Every pair of states keeps the rules of refinement.
    Relation,
    /// The query has an error, as it is said to.
    Mistake,
}

#[derive(Deserialize)]
struct Header {
    schema: String,
}

#[derive(Deserialize)]
struct ReportFile {
    results: Vec<ResultRecord>,
}

/// Reads a file of evidence; nothing is looked up in a network yet.
pub fn read(text: &str) -> Result<Document, Mistake> {
    let header: Header = serde_json::from_str(text).map_err(|error| mistake(text, &error))?;
    match header.schema.as_str() {
        certify::trace::SCHEMA => {
            Ok(Document::Trace(serde_json::from_str(text).map_err(|error| mistake(text, &error))?))
        }
        certify::refinement::SCHEMA => {
            Ok(Document::Pair(serde_json::from_str(text).map_err(|error| mistake(text, &error))?))
        }
        "zonewalk.system-run/1" => {
            Ok(Document::System(serde_json::from_str(text).map_err(|error| mistake(text, &error))?))
        }
        "zonewalk.report/1" => {
            let report: ReportFile = serde_json::from_str(text).map_err(|error| mistake(text, &error))?;
            Ok(Document::Report(report.results))
        }
        "zonewalk.certificate/1" => Ok(Document::Certificate),
        "zonewalk.relation/1" => Ok(Document::Relation),
        other => {
            let message = format!(
                "`{other}` is no known schema: a trace, a report, a certificate or a relation of zonewalk is expected"
            );
            let (line, column) = place_of(text, "schema", other).unwrap_or((1, 1));
            Err(Mistake { line, column, message })
        }
    }
}

fn mistake(text: &str, error: &serde_json::Error) -> Mistake {
    let whole = error.to_string();
    // The place is said by line and column.
    let message = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message);
    let line = error.line().max(1);
    // The reader counts bytes, people count characters.
    let before = error.column().saturating_sub(1);
    let words = text.split('\n').nth(line - 1).unwrap_or_default();
    let column = 1 + words.char_indices().take_while(|(at, letter)| at + letter.len_utf8() <= before).count();
    Mistake { line, column, message: message.to_owned() }
}

/// The first place in a JSON text where a key has this string as its value.
pub fn place_of(text: &str, key: &str, value: &str) -> Option<(usize, usize)> {
    let quoted = serde_json::to_string(value).ok()?;
    let key = serde_json::to_string(key).ok()?;
    let at = text.match_indices(&quoted).map(|(at, _)| at).find(|at| {
        let before = text[..*at].trim_end();
        before.strip_suffix(':').is_some_and(|before| before.trim_end().ends_with(&key))
    })?;
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    Some((1 + text[..at].matches('\n').count(), 1 + text[start..at].chars().count()))
}

/// Replays a trace; with a claim it must also show that.
pub fn trace(network: &Network, trace: &Trace, claim: Option<Claim>) -> Checked {
    let run = match trace.run(network) {
        Ok(run) => run,
        Err(refusal) => return bad(refusal, unknown_process(network, trace)),
    };
    let replay = match certify::record(network, &run, claim) {
        Ok(replay) => replay,
        Err(refusal) => return refused(refusal),
    };
    if let Err(refusal) = trace.agrees(&replay.trace) {
        return refused(refusal);
    }
    let shows = if claim.is_some() { Shows::Witness } else { Shows::Run };
    let witness = Witness { run, replay };
    let shown = shown(network, &witness);
    let run = Some(AcceptedRun::Trace(witness.replay.trace, shown));
    Checked::Accepted(Accepted { shows, run, unchecked: Vec::new() })
}

/// Replays a counter-example of a refinement.
pub fn violation(network: &Network, pair: &PairTrace, (left, right): (&SystemExpr, &SystemExpr)) -> Checked {
    let example = match pair.counter_example(network) {
        Ok(example) => example,
        Err(refusal) => return bad(refusal, None),
    };
    let moves = match replay_refinement(network, left, right, &example) {
        Ok(moves) => moves,
        Err(refusal) => return refused(refusal),
    };
    match pair.agrees(&moves) {
        Ok(()) => {
            let run = Some(AcceptedRun::Pair(example.to_trace(network, moves)));
            Checked::Accepted(Accepted { shows: Shows::Violation, run, unchecked: Vec::new() })
        }
        Err(refusal) => refused(refusal),
    }
}

/// Replays a run of a timed I/O system to the state that a query writes.
pub fn system_run(
    network: &Network,
    run: &SystemRun,
    (system, start, goal): (&SystemExpr, Option<&str>, &str),
) -> Checked {
    let bad = |reason: String| Checked::BadInput { step: None, reason, name: None };
    let (start, goal) = match (start.map(system_state::parse).transpose(), system_state::parse(goal)) {
        (Ok(start), Ok(goal)) => (start, goal),
        (Err(reason), _) | (_, Err(reason)) => return bad(reason),
    };
    let asked = SystemGoal { system, start: start.as_ref(), goal: &goal };
    let replayed = run.replay(network, asked).and_then(|replayed| run.agrees(&replayed).map(|()| replayed));
    match replayed {
        Ok(run) => {
            let run = Some(AcceptedRun::System(run));
            Checked::Accepted(Accepted { shows: Shows::Witness, run, unchecked: Vec::new() })
        }
        Err(refusal) if refusal.reason == Reason::Malformed => {
            Checked::BadInput { step: refusal.step.map(|step| step + 1), reason: refusal.text, name: None }
        }
        Err(refusal) => refused(refusal),
    }
}

/// Replays a run that is said to lead to an error of the model; in its last state one of the predicates may be to blame.
pub fn failure(network: &Network, trace: &Trace, predicates: &[ExprId]) -> Checked {
    let run = match trace.run(network) {
        Ok(run) => run,
        Err(refusal) => return bad(refusal, unknown_process(network, trace)),
    };
    let tried: Vec<Option<ExprId>> = match predicates {
        [] => vec![None],
        some => some.iter().copied().map(Some).collect(),
    };
    let failing = |predicate: Option<ExprId>| certify::check_failure(network, &run, predicate).map(|_| ());
    let outcome = tried.into_iter().map(failing).reduce(|one, other| one.or(other)).unwrap_or(Ok(()));
    let checked = outcome.and_then(|()| {
        let written = crate::failure::written(network, run.clone())?;
        trace.agrees(&written.trace)?;
        Ok(AcceptedRun::Trace(written.trace, written.shown))
    });
    match checked {
        Ok(run) => Checked::Accepted(Accepted { shows: Shows::Failure, run: Some(run), unchecked: Vec::new() }),
        Err(refusal) => refused(refusal),
    }
}

/// Checks a certificate; the goal is what it is to exclude.
pub fn certificate(network: &Network, text: &str, goal: Literal) -> Checked {
    let certificate = match Certificate::from_json(network, text) {
        Ok(certificate) => certificate,
        Err(refusal) => return Checked::BadInput { step: None, reason: refusal.text, name: None },
    };
    match certify::check_certificate(network, &certificate, goal) {
        Ok(()) => Checked::Accepted(Accepted { shows: Shows::Certificate, run: None, unchecked: Vec::new() }),
        Err(refusal) if refusal.reason == Reason::Malformed => {
            Checked::BadInput { step: None, reason: refusal.text, name: None }
        }
        Err(refusal) => refused(refusal),
    }
}

/// Checks that a relation shows a refinement.
pub fn relation(network: &Network, text: &str, (left, right): (&SystemExpr, &SystemExpr)) -> Checked {
    let relation = match Relation::from_json(network, left, right, text) {
        Ok(relation) => relation,
        Err(refusal) => return Checked::BadInput { step: None, reason: refusal.text, name: None },
    };
    match check_relation(network, left, right, &relation) {
        Ok(()) => {
            let unchecked = vec!["that the left side is consistent, which a refinement supposes".to_owned()];
            Checked::Accepted(Accepted { shows: Shows::Relation, run: None, unchecked })
        }
        Err(refusal) if refusal.reason == Reason::Malformed => {
            Checked::BadInput { step: None, reason: refusal.text, name: None }
        }
        Err(refusal) => refused(refusal),
    }
}

fn refused(refusal: Refusal) -> Checked {
    Checked::Refused { step: refusal.step.map(|step| step + 1), reason: refusal.text }
}

fn bad(refusal: Refusal, name: Option<String>) -> Checked {
    Checked::BadInput { step: refusal.step.map(|step| step + 1), reason: refusal.text, name }
}

/// The first process of a trace that the network does not have.
fn unknown_process(network: &Network, trace: &Trace) -> Option<String> {
    let known: HashSet<&str> = network.processes.iter().map(|process| process.name.as_str()).collect();
    let mut edges = trace.steps.iter().flat_map(|step| &step.edges);
    edges.find(|edge| !known.contains(&*edge.process)).map(|edge| edge.process.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_have_a_place() {
        let place = |text: &str| read(text).err().map(|mistake| (mistake.line, mistake.column));
        assert_eq!(place("{\n  \"schema\": 7}"), Some((2, 13)));
        assert_eq!(place("{\"schema\":\n \"other/1\"}"), Some((2, 2)));
        assert!(place("").is_some());
        assert!(place("{\"schema\":\"zonewalk.trace/1\",\n\"steps\":3}").is_some_and(|(line, _)| line == 2));
    }

    #[test]
    fn only_values_of_the_key_count() {
        let text = "{\"P\": 1,\n \"process\" : \"P\"}";
        assert_eq!(place_of(text, "process", "P"), Some((2, 14)));
        assert_eq!(place_of(text, "process", "Q"), None);
    }
}
