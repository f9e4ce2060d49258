//! The XPath of each part of a model: `/nta/template[2]/transition[3]/label[1]`.
//!
//! UPPAAL names places like this, and tools around it look for these paths. Nothing inside of other elements (graphics,
//! stored results, sequence charts) has a place that anyone would name.

use super::xml_element::Element;
use crate::source::Span;

/// The elements of which there are several side by side; their paths have a number.
const NUMBERED: [&str; 6] = ["label", "transition", "location", "template", "query", "branchpoint"];

/// The elements that stand alone.
fn is_single(tag: &str) -> bool {
    matches!(
        tag,
        "declaration"
            | "name"
            | "parameter"
            | "init"
            | "source"
            | "target"
            | "urgent"
            | "committed"
            | "instantiation"
            | "system"
            | "queries"
            | "formula"
            | "comment"
            | "expect"
    )
}

/// All parts of a model with their paths, in the order of the file.
pub fn paths(root: Element) -> Vec<(Span, String)> {
    let mut paths = Vec::new();
    add(root, format!("/{}", root.tag()), &mut paths);
    paths
}

/// Recursion is as deep as the elements nest, see [`crate::limits::XML_DEPTH`].
fn add(element: Element, path: String, paths: &mut Vec<(Span, String)>) {
    let at = paths.len();
    paths.push((element.own_part(), String::new()));
    let mut counts = [0u32; NUMBERED.len()];
    for child in element.children() {
        let tag = child.tag();
        if let Some((_, count)) = NUMBERED.iter().zip(&mut counts).find(|(numbered, _)| **numbered == tag) {
            *count += 1;
            add(child, format!("{path}/{tag}[{count}]"), paths);
        } else if is_single(tag) {
            add(child, format!("{path}/{tag}"), paths);
        }
    }
    if let Some((_, own)) = paths.get_mut(at) {
        *own = path;
    }
}
