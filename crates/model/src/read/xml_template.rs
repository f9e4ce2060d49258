//! The templates of an XML model, their labels not parsed yet.
//!
//! The order of the children of a template does not matter here, though UPPAAL's document type prescribes one: programs
//! that write models do not always keep to it. Ids are looked up per template, since many files use `id0`, `id1` and so
//! on anew in each.

use super::labels::{self, Labels};
use super::names;
use super::xml_element::{Attribute, Element};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{Span, Text};
use crate::syntax::ast::Ident;
use std::collections::HashMap;

pub struct RawTemplate {
    pub name: Ident,
    pub parameters: Option<Text>,
    pub declarations: Option<Text>,
    pub locations: Vec<RawLocation>,
    pub branchpoints: Vec<Ident>,
    pub init: Option<Ident>,
    pub edges: Vec<RawEdge>,
}

pub struct RawLocation {
    pub name: Ident,
    pub anonymous: bool,
    pub invariant: Option<Text>,
    pub rate: Option<Text>,
    pub urgent: bool,
    pub committed: bool,
}

pub struct RawEdge {
    pub source: Ident,
    pub target: Ident,
    pub labels: Labels,
    pub controllable: bool,
    pub span: Span,
}

/// What the ids of a template stand for.
type Ids<'a> = HashMap<&'a str, (Node, Ident)>;

#[derive(Clone, Copy, PartialEq)]
enum Node {
    Location,
    Branchpoint,
}

pub fn template(element: Element, number: usize, diagnostics: &mut Diagnostics) -> RawTemplate {
    let name = match element.child("name").and_then(|name| names::name(name, diagnostics)) {
        Some(name) => name,
        None => {
            let span = element.start_tag();
            diagnostics.push(Diagnostic::new(Code::XML_STRUCTURE, span, "a template without a name"));
            Ident { name: format!("_template{number}").into(), span }
        }
    };
    let mut ids = Ids::new();
    let locations = element.children_named("location").map(|child| location(child, &mut ids, diagnostics)).collect();
    let branchpoints = element
        .children_named("branchpoint")
        .map(|child| {
            let name = unnamed(child, diagnostics);
            declare(child, Node::Branchpoint, &name, &mut ids, diagnostics);
            name
        })
        .collect();
    RawTemplate {
        parameters: only(element, "parameter", diagnostics).map(Element::text),
        declarations: only(element, "declaration", diagnostics).map(Element::text),
        locations,
        branchpoints,
        init: init(element, &name, &ids, diagnostics),
        edges: element.children_named("transition").filter_map(|child| edge(child, &ids, diagnostics)).collect(),
        name,
    }
}

/// The child of a tag that may stand once. UPPAAL reads the first.
pub fn only<'a>(element: Element<'a>, tag: &str, diagnostics: &mut Diagnostics) -> Option<Element<'a>> {
    let mut children = element.children_named(tag);
    let first = children.next()?;
    if let Some(second) = children.next() {
        let message = format!("only the first `<{tag}>` is read, this one is not");
        let first = first.start_tag();
        let warning = Diagnostic::new(Code::IGNORED, second.start_tag(), message);
        diagnostics.push(warning.note(first, "the first is here"));
    }
    Some(first)
}

fn location<'a>(element: Element<'a>, ids: &mut Ids<'a>, diagnostics: &mut Diagnostics) -> RawLocation {
    let given = element.child("name").and_then(|name| names::name(name, diagnostics));
    let anonymous = given.is_none();
    let name = given.unwrap_or_else(|| unnamed(element, diagnostics));
    declare(element, Node::Location, &name, ids, diagnostics);
    let labels = labels::of_location(element, diagnostics);
    let urgent = element.child("urgent");
    let committed = element.child("committed");
    if let (Some(urgent), Some(_)) = (urgent, committed) {
        let message = format!("the location `{}` is both urgent and committed", name.name);
        diagnostics.push(Diagnostic::new(Code::LOCATION, name.span, message).note(urgent.start_tag(), "urgent here"));
    }
    RawLocation {
        name,
        anonymous,
        invariant: labels.invariant,
        rate: labels.rate,
        urgent: urgent.is_some(),
        committed: committed.is_some(),
    }
}

/// The name of a location without one, and of every branchpoint: `_` and the id, as UPPAAL shows them in traces.
fn unnamed(element: Element, diagnostics: &mut Diagnostics) -> Ident {
    let span = element.start_tag();
    let id = element.attribute("id").map(|id| id.value).filter(|id| !id.trim().is_empty());
    if id.is_none() {
        let message = format!("a {} without an id", element.tag());
        diagnostics.push(Diagnostic::new(Code::XML_STRUCTURE, span, message));
    }
    Ident { name: format!("_{}", id.unwrap_or_default()).into(), span }
}

fn declare<'a>(element: Element<'a>, node: Node, name: &Ident, ids: &mut Ids<'a>, diagnostics: &mut Diagnostics) {
    let Some(id) = element.attribute("id") else { return };
    if let Some((_, first)) = ids.insert(id.value, (node, name.clone())) {
        let message = format!("the id `{}` is used twice in one template; references to it mean this one", id.value);
        diagnostics.push(Diagnostic::new(Code::IGNORED, id.span, message).note(first.span, "also the id of this one"));
    }
}

fn init(element: Element, template: &Ident, ids: &Ids, diagnostics: &mut Diagnostics) -> Option<Ident> {
    let message = || format!("the template `{}` has no initial location", template.name);
    let Some(init) = only(element, "init", diagnostics) else {
        diagnostics.push(Diagnostic::new(Code::MISSING_INIT, template.span, message()));
        return None;
    };
    let Some(reference) = init.attribute("ref") else {
        diagnostics.push(Diagnostic::new(Code::MISSING_INIT, init.start_tag(), message()).label("names no location"));
        return None;
    };
    let (node, name) = resolve(reference, ids, diagnostics)?;
    if node == Node::Branchpoint {
        let message = format!("`{}` is a branchpoint and cannot be the initial location", reference.value);
        diagnostics.push(Diagnostic::new(Code::DANGLING_REFERENCE, reference.span, message));
        return None;
    }
    Some(name)
}

/// The name behind a reference, at the place of the reference.
fn resolve(reference: Attribute, ids: &Ids, diagnostics: &mut Diagnostics) -> Option<(Node, Ident)> {
    let Some((node, ident)) = ids.get(reference.value) else {
        let message = format!("no location of this template has the id `{}`", reference.value);
        diagnostics.push(Diagnostic::new(Code::DANGLING_REFERENCE, reference.span, message));
        return None;
    };
    Some((*node, Ident { name: ident.name.clone(), span: reference.span }))
}

fn edge(element: Element, ids: &Ids, diagnostics: &mut Diagnostics) -> Option<RawEdge> {
    let source = end(element, "source", ids, diagnostics);
    let target = end(element, "target", ids, diagnostics);
    let labels = labels::of_edge(element, diagnostics);
    Some(RawEdge {
        source: source?,
        target: target?,
        labels,
        controllable: element.attribute("controllable").is_none_or(|controllable| controllable.value == "true"),
        span: element.start_tag(),
    })
}

fn end(element: Element, tag: &str, ids: &Ids, diagnostics: &mut Diagnostics) -> Option<Ident> {
    match element.child(tag).and_then(|end| end.attribute("ref")) {
        Some(reference) => resolve(reference, ids, diagnostics).map(|(_, name)| name),
        None => {
            let message = format!("a transition without a {tag}");
            diagnostics.push(Diagnostic::new(Code::XML_STRUCTURE, element.start_tag(), message));
            None
        }
    }
}
