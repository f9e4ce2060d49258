//! Evidence about explicit graphs: a path from the initial state, step by step. There are neither certificates nor times.

use super::report::{NO_RUN, ResultRecord, SEARCHED, word};
use super::{Accepted, AcceptedRun, Checked, Shows};
use crate::explicit::{self, Question};
use crate::report::{Evidence, Verdict};
use crate::shown::ShownRun;
use certify::Trace;
use search::graph::Graph;

/// Checks what a report about a graph says at this place.
pub fn result(graph: &Graph, at: usize, record: &ResultRecord) -> Checked {
    let outcome = record.in_order(at).and_then(|()| match Question::read(&record.query) {
        Ok(question) => check(graph, record, &question),
        Err(_) => record.mistake(),
    });
    outcome.unwrap_or_else(|reason| Checked::Refused { step: None, reason })
}

/// Follows a path; with a query it must also show what that looks for. The error is what a query should be.
pub fn trace(graph: &Graph, trace: &Trace, query: Option<&str>) -> Result<Checked, &'static str> {
    let question = query.map(Question::read).transpose().map_err(|(_, expected)| expected)?;
    Ok(followed(graph, trace, question.as_ref()))
}

fn followed(graph: &Graph, trace: &Trace, question: Option<&Question>) -> Checked {
    let refused = |step: Option<usize>, reason: &str| Checked::Refused { step, reason: reason.to_owned() };
    let mut state = graph.initial_state();
    let mut path = Vec::with_capacity(trace.steps.len());
    for (n, step) in trace.steps.iter().enumerate() {
        let [taken] = step.edges.as_slice() else { return refused(Some(n + 1), "a step of a graph is one edge") };
        let Some((edge, to)) = graph.edges_of(state).find(|(edge, _)| edge.index() == taken.edge) else {
            return refused(Some(n + 1), "the edge does not leave the state that the path is in");
        };
        path.push(edge);
        state = to;
    }
    let written = explicit::trace(graph, &path);
    if let Some(n) = (0..path.len()).find(|n| written.steps[*n] != trace.steps[*n]) {
        return refused(Some(n + 1), "the edge has other ends, or another label");
    }
    if written != *trace {
        return refused(None, "a path of a graph takes no time and says nothing about what comes after");
    }
    if question.is_some_and(|question| !explicit::shows(graph, &path, &question.target)) {
        return refused(None, "the path does not end with what was looked for");
    }
    let shows = if question.is_some() { Shows::Witness } else { Shows::Run };
    let run = Some(AcceptedRun::Trace(written, ShownRun::untimed()));
    Checked::Accepted(Accepted { shows, run, unchecked: Vec::new() })
}

fn check(graph: &Graph, record: &ResultRecord, question: &Question) -> Result<Checked, String> {
    if record.value.is_some() || record.failure.is_some() || record.refinement.is_some() {
        return Err("an answer about a graph has neither values nor systems".to_owned());
    }
    let Some(run) = &record.trace else { return without_run(record, question) };
    record.fits_run(run)?;
    if record.verdict != question.found {
        return Err(format!("such a path shows that the query is {}", word(question.found)));
    }
    let mut checked = followed(graph, run, Some(question));
    if let Checked::Accepted(accepted) = &mut checked {
        accepted.unchecked.extend(record.left_open());
    }
    Ok(checked)
}

fn without_run(record: &ResultRecord, question: &Question) -> Result<Checked, String> {
    let verdict = word(record.verdict);
    let mut claims = match (record.verdict, record.evidence) {
        (Verdict::Unknown, Evidence::None) => Vec::new(),
        (Verdict::Error, Evidence::None) => vec!["that the query has an error".to_owned()],
        (known, Evidence::Witness) if known == question.found => vec![format!("that the query is {verdict}: {NO_RUN}")],
        (known, Evidence::Exhaustive) if known == question.nowhere => {
            vec![format!("that the query is {verdict}: {SEARCHED}; ask it again")]
        }
        _ => return Err("the evidence does not fit the verdict".to_owned()),
    };
    claims.extend(record.stats.trace_length.map(|steps| format!("that the run has {steps} steps")));
    claims.extend(record.left_open());
    Ok(Checked::Unchecked(claims))
}
