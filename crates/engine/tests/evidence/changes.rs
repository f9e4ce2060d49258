//! Every change of one field of a JSON document: other values of the same type, other types, left out, doubled, swapped.

use serde_json::Value;
use std::collections::BTreeSet;

/// A changed document, and where and how it was changed: `results/0/verdict`, `"violated" for "satisfied"`.
pub struct Changed {
    pub place: String,
    pub how: String,
    pub document: Value,
}

/// Words that mean something in some field.
const WORDS: &[&str] = &[
    "satisfied",
    "violated",
    "unknown",
    "error",
    "witness",
    "certificate",
    "exhaustive",
    "statistical",
    "none",
    "open",
    "idle",
    "stuck",
    "output",
    "input",
    "delay",
    "tau",
    "0",
    "1",
    "7/2",
    "-1",
    "> 1",
    "> 0",
    "é",
    "",
    "zonewalk.trace/1",
    "zonewalk.report/1",
];

/// All documents that differ from this one in one place.
pub fn changes(document: &Value) -> Vec<Changed> {
    let mut words: BTreeSet<String> = WORDS.iter().map(|&word| word.to_owned()).collect();
    let mut places = Vec::new();
    visit(document, String::new(), &mut places, &mut words);
    let mut all = Vec::new();
    for place in &places {
        let Some(old) = document.pointer(place) else { continue };
        let mut put = |how: String, change: &dyn Fn(&mut Value)| {
            let mut document = document.clone();
            change(&mut document);
            all.push(Changed { place: place.trim_start_matches('/').to_owned(), how, document });
        };
        for new in replacements(old, &words) {
            put(format!("{new} for {old}"), &|document| {
                if let Some(node) = document.pointer_mut(place) {
                    *node = new.clone();
                }
            });
        }
        let Some((parent, name)) = place.rsplit_once('/') else { continue };
        match document.pointer(parent) {
            Some(Value::Object(fields)) => {
                put("left out".to_owned(), &|document| {
                    document.pointer_mut(parent).and_then(Value::as_object_mut).map(|fields| fields.remove(name));
                });
                put("renamed".to_owned(), &|document| {
                    if let Some(fields) = document.pointer_mut(parent).and_then(Value::as_object_mut)
                        && let Some(value) = fields.remove(name)
                    {
                        fields.insert(format!("{name}_"), value);
                    }
                });
                for (other, value) in fields.iter().filter(|(other, value)| *other != name && *value != old) {
                    if std::mem::discriminant(value) == std::mem::discriminant(old) {
                        put(format!("swapped with {other}"), &|document| {
                            if let Some(fields) = document.pointer_mut(parent).and_then(Value::as_object_mut) {
                                fields.insert(name.to_owned(), value.clone());
                                fields.insert(other.clone(), old.clone());
                            }
                        });
                    }
                }
            }
            Some(Value::Array(items)) => {
                let Ok(at) = name.parse::<usize>() else { continue };
                let edit = |document: &mut Value, change: &dyn Fn(&mut Vec<Value>)| {
                    if let Some(items) = document.pointer_mut(parent).and_then(Value::as_array_mut) {
                        change(items);
                    }
                };
                put("left out".to_owned(), &|document| edit(document, &|items| drop(items.remove(at))));
                put("doubled".to_owned(), &|document| edit(document, &|items| items.insert(at, items[at].clone())));
                for other in (at + 1..items.len()).filter(|other| items[*other] != *old) {
                    put(format!("swapped with {other}"), &|document| edit(document, &|items| items.swap(at, other)));
                }
            }
            _ => {}
        }
    }
    all
}

/// The places of all nodes, as JSON pointers, and all words.
fn visit(node: &Value, place: String, places: &mut Vec<String>, words: &mut BTreeSet<String>) {
    match node {
        Value::Object(fields) => {
            for (name, value) in fields {
                visit(value, format!("{place}/{name}"), places, words);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                visit(value, format!("{place}/{at}"), places, words);
            }
        }
        Value::String(word) if word.len() <= 40 => {
            words.insert(word.clone());
        }
        _ => {}
    }
    places.push(place);
}

fn replacements(old: &Value, words: &BTreeSet<String>) -> Vec<Value> {
    let mut new: Vec<Value> = vec![
        Value::Null,
        Value::from(true),
        Value::from(0),
        Value::from("x"),
        Value::Array(Vec::new()),
        Value::Object(serde_json::Map::new()),
    ];
    match old {
        Value::Number(number) => {
            let value = number.as_i64().unwrap_or_default();
            let near =
                [value.wrapping_add(1), value.wrapping_sub(1), value.wrapping_add(2), 1, 2, 5, -1, 1 << 33, i64::MAX];
            new.extend(near.map(Value::from));
            new.push(Value::from(0.5));
        }
        Value::String(word) => {
            new.extend(words.iter().map(|word| Value::from(word.as_str())));
            new.push(Value::from(format!("{word}0")));
            new.push(Value::from(format!(" {word}")));
        }
        Value::Bool(value) => new.push(Value::from(!value)),
        // Where something may stand that does not.
        Value::Null => new.extend(words.iter().map(|word| Value::from(word.as_str()))),
        _ => {}
    }
    new.retain(|value| value != old);
    new
}
