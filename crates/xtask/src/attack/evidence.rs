//! What the command says about sound models, and changes of it: reports, traces, certificates, relations.

use super::judge::Judge;
use super::seeds::Model;
use search::random::Random;
use serde_json::{Map, Value};
use std::path::Path;

/// How many queries of a model evidence is made for.
const QUERIES: usize = 4;

/// Larger documents are left out.
const LARGEST: usize = 1 << 16;

/// A document about a model, and the query it is about.
#[derive(Clone)]
pub struct Evidence {
    pub model: Model,
    pub query: String,
    pub document: Value,
    /// Of the query, if the document is a report.
    pub verdict: Option<String>,
}

impl Evidence {
    /// Whether the document does not name its query.
    pub fn wants_query(&self) -> bool {
        self.verdict.is_none()
    }

    /// For a certificate, a query that it must not answer: the state in which a model begins is what such a query looks for, because it is
    /// not what this one looks for.
    pub fn opposite(&self) -> Option<String> {
        let is_certificate = self.document.get("schema").and_then(Value::as_str) == Some("zonewalk.certificate/1");
        let query = self.query.trim_start();
        let quantifier = ["A[]", "E<>"].into_iter().find(|quantifier| query.starts_with(quantifier))?;
        let predicate = &query[quantifier.len()..];
        is_certificate.then(|| format!("{quantifier} not ({predicate})"))
    }
}

/// The evidence of the first queries of a model. How much is searched is counted in states, so that the documents are the same
/// on every machine.
pub fn about(model: &Model, judge: &Judge, scratch: &Path) -> Vec<Evidence> {
    let mut found = Vec::new();
    for query in model.queries.iter().take(QUERIES) {
        let of = |mut document: Value, verdict: Option<String>| {
            without_times(&mut document);
            Evidence { model: model.clone(), query: query.clone(), document, verdict }
        };
        let Some((report, certificate)) = judge.evidence(model, query, scratch) else { continue };
        let run = ["/results/0/trace", "/results/0/refinement"].iter().find_map(|at| report.pointer(at));
        let run = run.filter(|run| run.is_object()).cloned();
        if run.is_none() && certificate.is_none() {
            continue;
        }
        let verdict = report.pointer("/results/0/verdict").and_then(Value::as_str).map(str::to_owned);
        found.extend(run.map(|run| of(run, None)));
        found.extend(certificate.map(|certificate| of(certificate, None)));
        found.push(of(report, verdict));
    }
    found.retain(|one| one.document.to_string().len() <= LARGEST);
    found
}

/// Sets to 0 what differs from run to run.
fn without_times(document: &mut Value) {
    for result in document.get_mut("results").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(stats) = result.get_mut("stats").and_then(Value::as_object_mut) {
            for name in ["time_s", "peak_memory_mb"] {
                if let Some(value) = stats.get_mut(name) {
                    *value = Value::from(0);
                }
            }
        }
    }
}

/// One to three changes somewhere in the document.
pub fn change(random: &mut Random, document: &Value) -> Value {
    let mut document = document.clone();
    for _ in 0..=random.index(3) {
        let count = nodes(&document);
        let at = random.index(count);
        let donor = nth(&document, random.index(count)).cloned().unwrap_or(Value::Null);
        if let Some(node) = nth_mut(&mut document, at) {
            change_node(random, node, donor);
        }
    }
    document
}

fn change_node(random: &mut Random, node: &mut Value, donor: Value) {
    let pick = random.below(8);
    match node {
        Value::Number(number) if pick < 4 => {
            let value = number.as_i64().unwrap_or(0);
            let near = [value.wrapping_add(1), value.wrapping_sub(1), 0, -1, i64::MAX, i64::from(i32::MAX), 1 << 40];
            *node = Value::from(near[random.index(near.len())]);
        }
        Value::String(text) if pick < 4 => {
            let changed = super::damage::damage(random, text.as_bytes());
            *text = String::from_utf8_lossy(&changed).into_owned();
        }
        Value::Bool(value) if pick < 4 => *value = !*value,
        Value::Array(items) if pick < 6 && !items.is_empty() => {
            let (one, other) = (random.index(items.len()), random.index(items.len()));
            match pick {
                0 | 1 => drop(items.remove(one)),
                2 | 3 => items.insert(other, items[one].clone()),
                _ => items.swap(one, other),
            }
        }
        Value::Object(fields) if pick < 6 && !fields.is_empty() => change_fields(random, fields, donor),
        _ => {
            *node = match pick {
                6 => donor,
                _ => [
                    Value::Null,
                    Value::from(""),
                    Value::from(0),
                    Value::from(0.5),
                    Value::Array(vec![]),
                    Value::Object(Map::new()),
                ][random.index(6)]
                .clone(),
            }
        }
    }
}

fn change_fields(random: &mut Random, fields: &mut Map<String, Value>, donor: Value) {
    let names: Vec<String> = fields.keys().cloned().collect();
    let name = &names[random.index(names.len())];
    match random.below(3) {
        0 => drop(fields.remove(name)),
        1 => drop(fields.insert(name.clone(), donor)),
        _ => {
            let value = fields.remove(name).unwrap_or(Value::Null);
            fields.insert(names[random.index(names.len())].clone(), value);
        }
    }
}

fn nodes(value: &Value) -> usize {
    1 + children(value).map(nodes).sum::<usize>()
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(fields) => Box::new(fields.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// The node with a number, counted from the root in the order of writing.
fn nth(value: &Value, at: usize) -> Option<&Value> {
    let mut left = at;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if left == 0 {
            return Some(value);
        }
        left -= 1;
        let mut below: Vec<&Value> = children(value).collect();
        below.reverse();
        open.extend(below);
    }
    None
}

fn nth_mut(value: &mut Value, at: usize) -> Option<&mut Value> {
    let mut left = at;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if left == 0 {
            return Some(value);
        }
        left -= 1;
        let mut below: Vec<&mut Value> = match value {
            Value::Array(items) => items.iter_mut().collect(),
            Value::Object(fields) => fields.values_mut().collect(),
            _ => Vec::new(),
        };
        below.reverse();
        open.extend(below);
    }
    None
}
