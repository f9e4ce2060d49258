//! XML models: from the text of a file to a [`Document`].
//!
//! This happens in two steps. First the XML is taken apart into a [`RawModel`], whose names and references are resolved
//! and whose labels are still text. Then the texts are parsed, in the syntax that fits them (see [`super::dialect`]).

use super::dialect;
use super::xml_element::{Element, XmlFile};
use super::xml_queries;
use super::xml_scan::{Outline, scan};
use super::xml_template::{RawEdge, RawLocation, RawTemplate, only, template};
use super::{xml_error, xml_paths};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::limits;
use crate::source::{FileId, Sources, Span, Text};
use crate::syntax;
use crate::syntax::ast::{Document, Edge, Ident, Item, Location, QuerySource, Syntax, Template};
use std::borrow::Cow;

/// What inconsistent locations are called in the XML of ECDAR, which has no attribute for them. (Its JSON has one.)
const INCONSISTENT: &str = "inc";

/// An XML model whose texts are not parsed yet.
struct RawModel {
    declarations: Option<Text>,
    templates: Vec<RawTemplate>,
    /// Names of live sequence charts.
    charts: Vec<Ident>,
    instantiation: Option<Text>,
    system: Option<Text>,
    queries: Vec<QuerySource>,
    /// The start tag of the root element.
    root: Span,
}

/// Reads the XML model that is the text of a file of `sources`. `None` when the file is no model at all.
pub fn model(sources: &mut Sources, file: FileId, diagnostics: &mut Diagnostics) -> Option<Document> {
    let taken_apart = take_apart(file, &sources.file(file).text, diagnostics);
    let (raw, paths) = match taken_apart {
        Ok(parts) => parts,
        Err(error) => {
            diagnostics.push(error);
            return None;
        }
    };
    for (span, path) in paths {
        sources.add_fragment(span, path);
    }
    let place = raw.system.as_ref().map_or(raw.root, |text| text.span(0..text.as_str().len()));
    Some(dialect::parse(&raw.texts(), place, diagnostics, |syntax, diagnostics| raw.document(syntax, diagnostics)))
}

type Paths = Vec<(Span, String)>;

fn take_apart(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Result<(RawModel, Paths), Diagnostic> {
    let outline = scan(file, text)?;
    let shown = shown_to_parser(text, &outline);
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        nodes_limit: 2 * limits::XML_NODES as u32,
        ..roxmltree::ParsingOptions::default()
    };
    let tree = roxmltree::Document::parse_with_options(&shown, options)
        .map_err(|error| xml_error::diagnostic(file, &shown, &error))?;
    let xml = XmlFile { file, text, entities: &outline.entities };
    let root = Element::new(xml, tree.root_element());
    if !matches!(root.tag(), "nta" | "project") {
        let message = format!("the root element is `<{}>`, and that of an UPPAAL model is `<nta>`", root.tag());
        return Err(Diagnostic::new(Code::XML_STRUCTURE, root.start_tag(), message));
    }
    Ok((RawModel::new(root, diagnostics), xml_paths::paths(root)))
}

/// The text with blanks in place of what the XML parser would stumble over for no good reason. Offsets stay.
fn shown_to_parser<'a>(text: &'a str, outline: &Outline) -> Cow<'a, str> {
    if outline.blank.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for stretch in &outline.blank {
        shown.push_str(text.get(shown.len()..stretch.start).unwrap_or_default());
        shown.extend(std::iter::repeat_n(' ', stretch.len()));
    }
    shown.push_str(text.get(shown.len()..).unwrap_or_default());
    Cow::Owned(shown)
}

impl RawModel {
    fn new(root: Element, diagnostics: &mut Diagnostics) -> RawModel {
        let mut text = |tag| only(root, tag, diagnostics).map(Element::text);
        RawModel {
            declarations: text("declaration"),
            instantiation: text("instantiation"),
            system: text("system"),
            templates: root
                .children_named("template")
                .enumerate()
                .map(|(at, element)| template(element, at + 1, diagnostics))
                .collect(),
            charts: root
                .children_named("lsc")
                .filter_map(|chart| super::names::name(chart.child("name")?, diagnostics))
                .collect(),
            queries: root.children_named("queries").flat_map(xml_queries::queries).collect(),
            root: root.start_tag(),
        }
    }

    /// All texts that are parsed in the syntax of the model.
    fn texts(&self) -> Vec<&Text> {
        let mut texts: Vec<&Text> = Vec::new();
        texts.extend(&self.declarations);
        for template in &self.templates {
            texts.extend(template.parameters.iter().chain(&template.declarations));
            texts.extend(template.locations.iter().filter_map(|location| location.invariant.as_ref()));
            for edge in &template.edges {
                texts.extend(edge.labels.guard.iter().chain(&edge.labels.sync).chain(&edge.labels.update));
            }
        }
        texts.extend(self.instantiation.iter().chain(&self.system));
        texts
    }

    /// Parses all texts.
    fn document(&self, syntax: Syntax, diagnostics: &mut Diagnostics) -> Document {
        let mut items = Vec::new();
        if let Some(text) = &self.declarations {
            items.extend(syntax::declarations(text, syntax, diagnostics));
        }
        items.extend(self.templates.iter().map(|template| Item::Template(template.parse(syntax, diagnostics))));
        items.extend(self.charts.iter().cloned().map(Item::LiveSequenceChart));
        if let Some(text) = &self.instantiation {
            items.extend(syntax::declarations(text, syntax, diagnostics));
        }
        let queries = self.queries.clone();
        let mut document = Document { syntax, items, system: None, progress: Vec::new(), gantt: Vec::new(), queries };
        let Some(text) = &self.system else {
            let message = "the model has no `<system>` element, so it has no processes";
            diagnostics.push(Diagnostic::new(Code::NO_SYSTEM, self.root, message));
            return document;
        };
        let part = syntax::system(text, syntax, diagnostics);
        document.items.extend(part.items);
        document.system = part.system;
        document.progress = part.progress;
        document.gantt = part.gantt;
        document.queries.extend(part.queries);
        document
    }
}

impl RawTemplate {
    fn parse(&self, syntax: Syntax, diagnostics: &mut Diagnostics) -> Template {
        Template {
            name: self.name.clone(),
            parameters: parse(&self.parameters, syntax::parameters, syntax, diagnostics),
            declarations: parse(&self.declarations, syntax::template_declarations, syntax, diagnostics),
            locations: self.locations.iter().map(|location| location.parse(syntax, diagnostics)).collect(),
            branchpoints: self.branchpoints.clone(),
            init: self.init.clone(),
            edges: self.edges.iter().map(|edge| edge.parse(syntax, diagnostics)).collect(),
            span: self.name.span,
        }
    }
}

impl RawLocation {
    fn parse(&self, syntax: Syntax, diagnostics: &mut Diagnostics) -> Location {
        Location {
            name: self.name.clone(),
            anonymous: self.anonymous,
            invariant: parse(&self.invariant, syntax::expression, syntax, diagnostics),
            rate: parse(&self.rate, syntax::rate, syntax, diagnostics),
            urgent: self.urgent,
            committed: self.committed,
            inconsistent: !self.anonymous && *self.name.name == *INCONSISTENT,
            span: self.name.span,
        }
    }
}

impl RawEdge {
    fn parse(&self, syntax: Syntax, diagnostics: &mut Diagnostics) -> Edge {
        let labels = &self.labels;
        Edge {
            source: self.source.clone(),
            target: self.target.clone(),
            select: parse(&labels.select, syntax::select, syntax, diagnostics),
            guard: parse(&labels.guard, syntax::expression, syntax, diagnostics),
            sync: parse(&labels.sync, syntax::sync, syntax, diagnostics),
            update: parse(&labels.update, syntax::updates, syntax, diagnostics),
            weight: parse(&labels.weight, syntax::expression, syntax, diagnostics),
            controllable: self.controllable,
            span: self.span,
        }
    }
}

/// Parses a text that may be missing.
fn parse<T: Default>(
    text: &Option<Text>,
    parser: fn(&Text, Syntax, &mut Diagnostics) -> T,
    syntax: Syntax,
    diagnostics: &mut Diagnostics,
) -> T {
    text.as_ref().map(|text| parser(text, syntax, diagnostics)).unwrap_or_default()
}
