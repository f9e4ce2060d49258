//! ECDAR's projects: a folder with one JSON file per component.
//!
//! ```text
//! Project/GlobalDeclarations.json   { "declarations": "broadcast chan a, b;" }
//!         SystemDeclarations.json   { "declarations": "system A, B; IO A { a?, b! }" }
//!         Components/A.json         { "name", "declarations", "locations": [...], "edges": [...] }
//!         Queries.json              [ { "query": "refinement: A <= B" } ]
//! ```
//! A component becomes a template, and what the folder has becomes one system, whatever the system line lists: the line
//! of real projects is often out of date. An action is any text; one that no global declaration knows becomes a channel
//! of that name. A component without an `IO` declaration has the actions of its edges. A universal location loops on
//! all actions, an inconsistent one on inputs, and no time passes in it; the edges `*` that editors draw there say the same.
//! Fields that are missing or `null` are empty. One that is something else than it has to be is an error, so that a guard which is a
//! number does not count as none.

use super::blank::is_blank;
use super::json::{self, Json, JsonKind};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{Sources, Span, Text};
use crate::syntax;
use crate::syntax::ast::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const SYNTAX: Syntax = Syntax::New;

/// Types and urgencies of locations that editors write. What is prohibited matters to the generation of tests alone.
const TYPES: &[&str] = &["NORMAL", "INITIAL", "UNIVERSAL", "INCONSISTENT"];
const URGENCIES: &[&str] = &["NORMAL", "URGENT", "COMMITTED", "PROHIBITED"];

/// Reads the project in a folder. `None` when it is none; then the diagnostics hold an error.
pub fn project(sources: &mut Sources, folder: &Path, diagnostics: &mut Diagnostics) -> Option<Document> {
    let components = component_files(folder).map_err(|error| diagnostics.push(error)).ok()?;
    let mut project = Project::default();
    if let Some(json) = optional(sources, folder, "GlobalDeclarations.json", diagnostics)? {
        fields(&json, &["declarations"], &[], diagnostics);
        let text = json.text("declarations");
        project.globals = text.map_or_else(Vec::new, |text| syntax::declarations(text, SYNTAX, diagnostics));
    }
    project.find_channels();
    if let Some(json) = optional(sources, folder, "SystemDeclarations.json", diagnostics)? {
        fields(&json, &["declarations"], &[], diagnostics);
        // An empty text, and one without a system line, is no mistake here.
        let text = json.text("declarations");
        project.io = text.map_or_else(Vec::new, |text| syntax::system(text, SYNTAX, diagnostics).items);
    }
    for path in &components {
        let json = read(sources, path, diagnostics)?;
        project.component(&json, diagnostics);
    }
    let mut document = project.document();
    if let Some(json) = optional(sources, folder, "Queries.json", diagnostics)? {
        document.queries = queries(&json, diagnostics);
    }
    Some(document)
}

fn component_files(folder: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let inner = folder.join("Components");
    let entries = std::fs::read_dir(&inner).map_err(|_| {
        let message = format!("`{}` cannot be read: it is a directory, and no ECDAR project", folder.display());
        Diagnostic::new(Code::FILE, None, message).help("such a project has a folder `Components` with JSON files")
    })?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")))
        .collect();
    files.sort();
    if files.is_empty() {
        let message = format!("`{}` has no JSON file, so the project has no components", inner.display());
        return Err(Diagnostic::new(Code::FILE, None, message));
    }
    Ok(files)
}

/// A file that may be missing. The outer `None` says that it is there and wrong.
#[allow(clippy::option_option)]
fn optional(sources: &mut Sources, folder: &Path, name: &str, diagnostics: &mut Diagnostics) -> Option<Option<Json>> {
    let path = folder.join(name);
    if !path.exists() {
        return Some(None);
    }
    Some(Some(read(sources, &path, diagnostics)?))
}

fn read(sources: &mut Sources, path: &Path, diagnostics: &mut Diagnostics) -> Option<Json> {
    let bytes = super::bytes(path, diagnostics)?;
    let file = super::add(sources, &path.display().to_string(), &bytes, diagnostics)?;
    json::parse(file, &sources.file(file).text).map_err(|error| diagnostics.push(error)).ok()
}

/// Reports what is no object, and fields of it that are there and neither `null` nor the texts and lists they have to be.
fn fields(json: &Json, texts: &[&str], lists: &[&str], diagnostics: &mut Diagnostics) {
    let JsonKind::Object(fields) = &json.kind else {
        diagnostics.push(Diagnostic::new(Code::JSON_STRUCTURE, start(json), "expected an object, `{ ... }`"));
        return;
    };
    for (name, value) in fields {
        let expected = match &value.kind {
            JsonKind::Null => continue,
            JsonKind::String(_) if !lists.contains(&name.as_str()) => continue,
            JsonKind::Array(_) if !texts.contains(&name.as_str()) => continue,
            _ if texts.contains(&name.as_str()) => "text in quotes",
            _ if lists.contains(&name.as_str()) => "a list, `[ ... ]`",
            _ => continue,
        };
        let message = format!("the field `{name}` has to be {expected}");
        diagnostics.push(Diagnostic::new(Code::JSON_STRUCTURE, start(value), message));
    }
}

fn queries(json: &Json, diagnostics: &mut Diagnostics) -> Vec<QuerySource> {
    let JsonKind::Array(queries) = &json.kind else {
        let message = "expected a list of queries, `[{ \"query\": \"refinement: A <= B\" }]`";
        diagnostics.push(Diagnostic::new(Code::JSON_STRUCTURE, start(json), message));
        return Vec::new();
    };
    let query = |query: &Json| {
        fields(query, &["query", "comment"], &[], diagnostics);
        let text = query.text("query").filter(|text| !is_blank(text.as_str()))?.clone();
        let span = text.span(0..text.as_str().len());
        let comment = query.text("comment").map_or(String::new(), |comment| comment.as_str().to_owned());
        Some(QuerySource { text, span, comment, expect: None, options: Vec::new() })
    };
    queries.iter().filter_map(query).collect()
}

#[derive(Default)]
struct Project {
    globals: Vec<Item>,
    /// Names of channels and channel arrays that are declared.
    declared: BTreeSet<Name>,
    /// Actions that nothing declares.
    actions: Vec<Ident>,
    io: Vec<Item>,
    templates: Vec<Template>,
}

impl Project {
    fn find_channels(&mut self) {
        for item in &self.globals {
            if let Item::Declaration(Declaration::Variables(variables)) = item {
                self.declared.extend(variables.declarators.iter().map(|declarator| declarator.name.name.clone()));
            }
        }
    }

    fn component(&mut self, json: &Json, diagnostics: &mut Diagnostics) {
        fields(json, &["name", "declarations"], &["locations", "edges"], diagnostics);
        let Some(name) = json.text("name").filter(|name| !is_blank(name.as_str())) else {
            diagnostics.push(Diagnostic::new(Code::JSON_STRUCTURE, start(json), "a component without a name"));
            return;
        };
        let name = ident(name);
        if !syntax::is_name(&name.name, SYNTAX) {
            let message = format!("`{}` cannot be the name of a component", name.name);
            diagnostics.push(Diagnostic::new(Code::JSON_STRUCTURE, name.span, message));
            return;
        }
        let mut template = Template::empty(name.clone(), name.span);
        if let Some(text) = json.text("declarations") {
            template.declarations = syntax::template_declarations(text, SYNTAX, diagnostics);
        }
        let mut special = Vec::new();
        for location in json.elements("locations") {
            self.location(location, &mut template, &mut special, diagnostics);
        }
        if template.init.is_none() {
            let message = format!("the component `{}` has no initial location", name.name);
            diagnostics.push(Diagnostic::new(Code::MISSING_INIT, name.span, message));
        }
        let mut own = Vec::new();
        for edge in json.elements("edges") {
            if let Some(edge) = self.edge(edge, &template, &special, diagnostics) {
                own.extend(edge.sync.clone());
                template.edges.push(edge);
            }
        }
        let declared: Vec<Sync> = self
            .io
            .iter()
            .filter_map(|item| match item {
                Item::Io(io) if io.process == name && io.arguments.is_empty() => Some(io.actions.clone()),
                _ => None,
            })
            .flatten()
            .collect();
        if declared.is_empty() {
            own.dedup_by(|a, b| a == b);
            let actions = own.iter().enumerate().filter(|(n, sync)| !own[..*n].contains(sync));
            let actions = actions.map(|(_, sync)| sync.clone()).collect();
            let io = IoDeclaration { process: name.clone(), arguments: Vec::new(), actions, span: name.span };
            self.io.push(Item::Io(io));
        }
        let alphabet = if declared.is_empty() { own } else { declared };
        for (location, universal) in special {
            loops(&location, universal, &alphabet, &mut template);
        }
        self.templates.push(template);
    }

    fn location(
        &mut self,
        json: &Json,
        template: &mut Template,
        special: &mut Vec<(Ident, bool)>,
        diagnostics: &mut Diagnostics,
    ) {
        fields(json, &["id", "type", "urgency", "invariant"], &[], diagnostics);
        let Some(id) = json.text("id").filter(|id| !is_blank(id.as_str())) else {
            diagnostics.push(Diagnostic::new(Code::JSON_STRUCTURE, start(json), "a location without an id"));
            return;
        };
        let name = ident(id);
        let word = |field: &str| json.text(field).map_or("", |text| text.as_str().trim());
        for (field, words) in [("type", TYPES), ("urgency", URGENCIES)] {
            if let Some(text) = label(json, field).filter(|text| !words.contains(&text.as_str().trim())) {
                let message =
                    format!("a location has no {field} `{}`: expected one of {}", text.as_str(), words.join(", "));
                diagnostics.push(Diagnostic::new(Code::JSON_STRUCTURE, ident(text).span, message));
            }
        }
        match word("type") {
            "INITIAL" => match &template.init {
                None => template.init = Some(name.clone()),
                Some(first) => {
                    let message = format!("the component `{}` has two initial locations", template.name.name);
                    let error = Diagnostic::new(Code::LOCATION, name.span, message);
                    diagnostics.push(error.note(first.span, "the first is here"));
                }
            },
            "UNIVERSAL" => special.push((name.clone(), true)),
            "INCONSISTENT" => special.push((name.clone(), false)),
            _ => {}
        }
        template.locations.push(Location {
            anonymous: false,
            invariant: label(json, "invariant").and_then(|text| syntax::expression(text, SYNTAX, diagnostics)),
            rate: None,
            urgent: word("urgency") == "URGENT" || word("type") == "INCONSISTENT",
            committed: word("urgency") == "COMMITTED",
            inconsistent: word("type") == "INCONSISTENT",
            span: name.span,
            name,
        });
    }

    /// An edge; none for the edges `*` of universal and inconsistent locations.
    fn edge(
        &mut self,
        json: &Json,
        template: &Template,
        special: &[(Ident, bool)],
        diagnostics: &mut Diagnostics,
    ) -> Option<Edge> {
        let texts = ["sourceLocation", "targetLocation", "status", "select", "guard", "update", "sync"];
        fields(json, &texts, &[], diagnostics);
        let action = label(json, "sync");
        if let Some(action) = action.filter(|action| action.as_str().trim() == "*") {
            let source = json.text("sourceLocation").map(ident);
            if !special.iter().any(|(location, _)| Some(location) == source.as_ref()) {
                let message = "`*` is for universal and inconsistent locations: name the action";
                diagnostics.push(Diagnostic::new(Code::JSON_STRUCTURE, ident(action).span, message));
            }
            return None;
        }
        let mut end = |field: &str| {
            let Some(id) = json.text(field) else {
                let message = format!("an edge without a `{field}`");
                diagnostics.push(Diagnostic::new(Code::JSON_STRUCTURE, start(json), message));
                return None;
            };
            let name = ident(id);
            if !template.locations.iter().any(|location| location.name == name) {
                let message = format!("no location of this component has the id `{}`", name.name);
                diagnostics.push(Diagnostic::new(Code::DANGLING_REFERENCE, name.span, message));
                return None;
            }
            Some(name)
        };
        let (source, target) = (end("sourceLocation"), end("targetLocation"));
        let status = json.text("status").map_or("", |status| status.as_str());
        let direction = match status {
            "INPUT" => Direction::Receive,
            "OUTPUT" => Direction::Send,
            _ => {
                let span = json.field("status").map_or(start(json), |status| status.span);
                let message = "an edge has the status `INPUT` or `OUTPUT`";
                diagnostics.push(Diagnostic::new(Code::JSON_STRUCTURE, span, message));
                return None;
            }
        };
        let Some(action) = action else {
            let message = "an edge without an action: timed I/O automata have inputs and outputs only";
            diagnostics.push(Diagnostic::new(Code::JSON_STRUCTURE, start(json), message));
            return None;
        };
        let text = |field: &str| label(json, field);
        Some(Edge {
            source: source?,
            target: target?,
            select: text("select").map_or_else(Vec::new, |text| syntax::select(text, SYNTAX, diagnostics)),
            guard: text("guard").and_then(|text| syntax::expression(text, SYNTAX, diagnostics)),
            update: text("update").map_or_else(Vec::new, |text| syntax::updates(text, SYNTAX, diagnostics)),
            sync: Some(Sync {
                channel: self.channel(action, diagnostics)?,
                direction,
                span: action.span(0..action.as_str().len()),
            }),
            weight: None,
            controllable: direction == Direction::Receive,
            span: start(json),
        })
    }

    /// A declared channel, perhaps with indices; else the whole text is the name of one.
    fn channel(&mut self, action: &Text, diagnostics: &mut Diagnostics) -> Option<Expr> {
        let head = action.as_str().split('[').next().unwrap_or_default().trim();
        if self.declared.contains(head) {
            return syntax::expression(action, SYNTAX, diagnostics);
        }
        let name = ident(action);
        if !self.actions.contains(&name) {
            self.actions.push(name.clone());
        }
        Some(Expr { span: name.span, kind: ExprKind::Name(name) })
    }

    fn document(mut self) -> Document {
        // Actions that only `IO` declarations name are channels as well.
        for item in &self.io {
            let Item::Io(io) = item else { continue };
            for sync in &io.actions {
                if let ExprKind::Name(name) = &sync.channel.kind
                    && !self.declared.contains(&name.name)
                    && !self.actions.contains(name)
                {
                    self.actions.push(name.clone());
                }
            }
        }
        let channels = self.actions.into_iter().map(|name| {
            let span = name.span;
            let prefix = Prefix { is_broadcast: true, ..Prefix::default() };
            let ty = Type { prefix, base: BaseType::Channel, span };
            let declarators = vec![Declarator { name, dimensions: Vec::new(), initialiser: None }];
            Item::Declaration(Declaration::Variables(Variables { ty, declarators, span }))
        });
        let processes: Vec<(Ident, u32)> = self.templates.iter().map(|template| (template.name.clone(), 0)).collect();
        let system = self.templates.first().map(|template| System { processes, span: template.span });
        let mut items = self.globals;
        items.extend(channels);
        items.extend(self.templates.into_iter().map(Item::Template));
        items.extend(self.io.into_iter().filter(|item| matches!(item, Item::Io(_))));
        Document { syntax: SYNTAX, items, system, progress: Vec::new(), gantt: Vec::new(), queries: Vec::new() }
    }
}

/// The loops of a universal location on all actions, of an inconsistent one on its inputs.
fn loops(location: &Ident, universal: bool, alphabet: &[Sync], template: &mut Template) {
    for (n, sync) in alphabet.iter().enumerate() {
        if alphabet[..n].contains(sync) || !universal && sync.direction != Direction::Receive {
            continue;
        }
        template.edges.push(Edge {
            source: location.clone(),
            target: location.clone(),
            select: Vec::new(),
            guard: None,
            sync: Some(sync.clone()),
            update: Vec::new(),
            weight: None,
            controllable: sync.direction == Direction::Receive,
            span: location.span,
        });
    }
}

/// A field with something in it.
fn label<'j>(json: &'j Json, field: &str) -> Option<&'j Text> {
    json.text(field).filter(|text| !is_blank(text.as_str()))
}

fn ident(text: &Text) -> Ident {
    let whole = text.as_str();
    let start = whole.len() - whole.trim_start().len();
    let trimmed = whole.trim();
    Ident { name: trimmed.into(), span: text.span(start..start + trimmed.len()) }
}

/// The brace that a value begins with.
fn start(json: &Json) -> Span {
    Span { end: json.span.start + 1, ..json.span }
}
