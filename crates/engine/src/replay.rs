//! Evidence from a file, checked again: traces (`zonewalk.trace/1`), counter-examples of refinements
//! (`zonewalk.refinement/1`), both alone or inside of a report, certificates (`zonewalk.certificate/1`) and relations
//! (`zonewalk.relation/1`). Only `certify` decides.

use crate::shown::{ShownRun, shown};
use crate::witness::Witness;
use certify::refinement::{PairTrace, Relation, check_relation, replay_refinement};
use certify::{Certificate, Claim, Literal, Reason, Refusal, Run, Trace};
use model::check::SystemExpr;
use model::network::Network;
use serde::{Deserialize, Serialize};

/// What a file holds.
pub enum Document {
    /// One trace, or those of a report.
    Traces(Vec<Recorded>),
    /// Read later, because its form depends on the network.
    Certificate,
    /// Likewise, a proof of a refinement.
    Relation,
}

/// A run and what it is said to show.
pub struct Recorded {
    /// As in the report it stands in.
    pub query: Option<String>,
    pub run: RecordedRun,
}

pub enum RecordedRun {
    /// A run of the network; perhaps it is said to lead to an error of the model.
    Trace { trace: Trace, fails: bool },
    /// A run of two systems of which one does not refine the other.
    Pair(PairTrace),
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
}

#[derive(Clone, Debug)]
pub struct Accepted {
    pub shows: Shows,
    pub run: Option<AcceptedRun>,
}

#[derive(Clone, Debug)]
pub enum AcceptedRun {
    Trace(Trace, ShownRun),
    Pair(PairTrace),
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
}

#[derive(Deserialize)]
struct Header {
    schema: String,
}

#[derive(Deserialize)]
struct ReportFile {
    results: Vec<ResultRecord>,
}

#[derive(Deserialize)]
struct ResultRecord {
    query: String,
    #[serde(default)]
    verdict: String,
    trace: Option<Trace>,
    refinement: Option<PairTrace>,
}

/// Reads a file of evidence; nothing is looked up in a network yet.
pub fn read(text: &str) -> Result<Document, Mistake> {
    let header: Header = serde_json::from_str(text).map_err(|error| mistake(text, &error))?;
    match header.schema.as_str() {
        "zonewalk.trace/1" => {
            let trace = serde_json::from_str(text).map_err(|error| mistake(text, &error))?;
            Ok(Document::Traces(vec![Recorded { query: None, run: RecordedRun::Trace { trace, fails: false } }]))
        }
        "zonewalk.refinement/1" => {
            let pair = serde_json::from_str(text).map_err(|error| mistake(text, &error))?;
            Ok(Document::Traces(vec![Recorded { query: None, run: RecordedRun::Pair(pair) }]))
        }
        "zonewalk.report/1" => {
            let report: ReportFile = serde_json::from_str(text).map_err(|error| mistake(text, &error))?;
            let recorded = |record: ResultRecord| {
                let fails = record.verdict == "error";
                let trace = record.trace.map(|trace| RecordedRun::Trace { trace, fails });
                let run = trace.or(record.refinement.map(RecordedRun::Pair))?;
                Some(Recorded { query: Some(record.query), run })
            };
            Ok(Document::Traces(report.results.into_iter().filter_map(recorded).collect()))
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
pub fn trace(network: &Network, trace: &Trace, fails: bool, claim: Option<Claim>) -> Checked {
    let run = match trace.run(network) {
        Ok(run) => run,
        Err(refusal) => {
            let name = unknown_process(trace, &refusal);
            return Checked::BadInput { step: refusal.step.map(|step| step + 1), reason: refusal.text, name };
        }
    };
    if fails {
        return failure(network, run, claim);
    }
    match certify::record(network, &run, claim) {
        Ok(replay) => {
            let shows = if claim.is_some() { Shows::Witness } else { Shows::Run };
            let witness = Witness { run, replay };
            let shown = shown(network, &witness);
            Checked::Accepted(Accepted { shows, run: Some(AcceptedRun::Trace(witness.replay.trace, shown)) })
        }
        Err(refusal) => refused(refusal),
    }
}

/// Replays a counter-example of a refinement.
pub fn violation(network: &Network, pair: &PairTrace, (left, right): (&SystemExpr, &SystemExpr)) -> Checked {
    let bad = |refusal: Refusal| Checked::BadInput {
        step: refusal.step.map(|step| step + 1),
        reason: refusal.text,
        name: None,
    };
    let example = match pair.counter_example(network) {
        Ok(example) => example,
        Err(refusal) => return bad(refusal),
    };
    let moves = match replay_refinement(network, left, right, &example) {
        Ok(moves) => moves,
        Err(refusal) => return refused(refusal),
    };
    match pair.agrees(&moves) {
        Ok(()) => {
            let run = AcceptedRun::Pair(example.to_trace(network, moves));
            Checked::Accepted(Accepted { shows: Shows::Violation, run: Some(run) })
        }
        Err(refusal) => refused(refusal),
    }
}

/// A run that is said to lead to an error of the model.
fn failure(network: &Network, run: Run, claim: Option<Claim>) -> Checked {
    let predicate = match claim {
        Some(Claim::Reaches(goal)) => Some(goal.predicate),
        _ => None,
    };
    match certify::check_failure(network, &run, predicate) {
        Ok(_) => {
            let run =
                crate::failure::written(network, run).map(|failure| AcceptedRun::Trace(failure.trace, failure.shown));
            Checked::Accepted(Accepted { shows: Shows::Failure, run })
        }
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
        Ok(()) => Checked::Accepted(Accepted { shows: Shows::Certificate, run: None }),
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
        Ok(()) => Checked::Accepted(Accepted { shows: Shows::Relation, run: None }),
        Err(refusal) if refusal.reason == Reason::Malformed => {
            Checked::BadInput { step: None, reason: refusal.text, name: None }
        }
        Err(refusal) => refused(refusal),
    }
}

fn refused(refusal: Refusal) -> Checked {
    Checked::Refused { step: refusal.step.map(|step| step + 1), reason: refusal.text }
}

fn unknown_process(trace: &Trace, refusal: &Refusal) -> Option<String> {
    let step = trace.steps.get(refusal.step?)?;
    let named = |edge: &&certify::trace::TraceEdge| refusal.text.contains(&format!("`{}`", edge.process));
    (refusal.reason == Reason::UnknownProcess).then(|| step.edges.iter().find(named))?.map(|e| e.process.to_string())
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
