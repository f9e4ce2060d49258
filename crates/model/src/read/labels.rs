//! The labels of locations and transitions, sorted by kind.
//!
//! UPPAAL parses the labels of a transition in the order of the file, so that a `select` after a guard comes too late.
//! Here they are collected first, and the order means nothing. Of several labels of one kind the last counts; empty
//! ones, and those that hold only a comment, do not count at all. Kinds that UPPAAL does not know are for other tools.

use super::blank::is_blank;
use super::xml_element::Element;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Text;

#[derive(Default)]
pub struct Labels {
    pub select: Option<Text>,
    pub guard: Option<Text>,
    pub sync: Option<Text>,
    pub update: Option<Text>,
    pub weight: Option<Text>,
}

#[derive(Default)]
pub struct LocationLabels {
    pub invariant: Option<Text>,
    pub rate: Option<Text>,
}

pub fn of_edge(element: Element, diagnostics: &mut Diagnostics) -> Labels {
    let mut labels = Labels::default();
    for (kind, label) in labelled(element, diagnostics) {
        match kind {
            "select" => keep(&mut labels.select, label, kind, diagnostics),
            "guard" => keep(&mut labels.guard, label, kind, diagnostics),
            "synchronisation" => keep(&mut labels.sync, label, kind, diagnostics),
            "assignment" => keep(&mut labels.update, label, kind, diagnostics),
            "probability" => keep(&mut labels.weight, label, kind, diagnostics),
            "synchronization" if !is_blank(label.text().as_str()) => {
                let message = "a label of the kind `synchronization` is not read";
                diagnostics.push(ignored(label, message).help("UPPAAL spells the kind `synchronisation`"));
            }
            "invariant" | "exponentialrate" => misplaced(label, kind, "transition", diagnostics),
            _ => {}
        }
    }
    labels
}

pub fn of_location(element: Element, diagnostics: &mut Diagnostics) -> LocationLabels {
    let mut labels = LocationLabels::default();
    for (kind, label) in labelled(element, diagnostics) {
        match kind {
            "invariant" => keep(&mut labels.invariant, label, kind, diagnostics),
            "exponentialrate" => keep(&mut labels.rate, label, kind, diagnostics),
            "select" | "guard" | "synchronisation" | "assignment" | "probability" => {
                misplaced(label, kind, "location", diagnostics);
            }
            _ => {}
        }
    }
    labels
}

/// The labels that hold something, with their kinds.
fn labelled<'a>(element: Element<'a>, diagnostics: &mut Diagnostics) -> Vec<(&'a str, Element<'a>)> {
    let mut labels = Vec::new();
    for label in element.children_named("label") {
        match label.attribute("kind") {
            Some(kind) => labels.push((kind.value, label)),
            None if is_blank(label.text().as_str()) => {}
            None => diagnostics.push(ignored(label, "a label without a kind is not read")),
        }
    }
    labels
}

fn keep(slot: &mut Option<Text>, label: Element, kind: &str, diagnostics: &mut Diagnostics) {
    let text = label.text();
    if is_blank(text.as_str()) {
        return;
    }
    if let Some(earlier) = slot.replace(text) {
        let message = format!("of several labels of the kind `{kind}` only the last counts");
        let span = earlier.span(0..earlier.as_str().len());
        diagnostics.push(Diagnostic::new(Code::IGNORED, span, message).note(label.start_tag(), "the last is here"));
    }
}

fn misplaced(label: Element, kind: &str, place: &str, diagnostics: &mut Diagnostics) {
    if !is_blank(label.text().as_str()) {
        diagnostics.push(ignored(label, &format!("a label of the kind `{kind}` means nothing on a {place}")));
    }
}

fn ignored(label: Element, message: &str) -> Diagnostic {
    Diagnostic::new(Code::IGNORED, label.start_tag(), message)
}
