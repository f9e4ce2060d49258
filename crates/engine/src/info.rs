//! What is in a model, as plain data: `zonewalk info` prints it, as text or as JSON.

use crate::place::{Message, Place};
use crate::questions;
use model::check::QueryKind;
use model::diagnostic::Diagnostics;
use model::load::{LoadedQuery, Model};
use model::network::{ClockInitial, Effect, Engine, LocationKind, Network, Type, Variable};
use model::source::Sources;
use model::syntax::ast::Outcome;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

#[derive(Clone, Serialize, Debug)]
pub struct Info {
    pub schema: &'static str,
    pub model: String,
    pub totals: Totals,
    pub templates: Vec<TemplateInfo>,
    pub processes: Vec<ProcessInfo>,
    pub clocks: Vec<ClockInfo>,
    pub variables: Vec<VariableInfo>,
    pub channels: Vec<ChannelInfo>,
    pub priorities: Priorities,
    pub queries: Vec<QueryInfo>,
    pub engines: Vec<EngineInfo>,
    pub messages: Vec<Message>,
}

#[derive(Clone, Serialize, Debug)]
pub struct Totals {
    pub processes: usize,
    pub locations: usize,
    pub edges: usize,
    pub clocks: usize,
    pub variables: usize,
    /// Bits of all integer variables, packed by their ranges.
    pub bits: u64,
    pub channels: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize, Debug)]
pub struct TemplateInfo {
    pub name: String,
    pub parameters: Vec<String>,
    pub processes: usize,
    pub locations: usize,
    pub urgent: usize,
    pub committed: usize,
    pub edges: usize,
    /// With selects expanded.
    pub expanded_edges: usize,
}

/// A name of the system line.
#[derive(Clone, Serialize, Debug)]
pub struct ProcessInfo {
    pub name: String,
    pub template: String,
    pub count: u32,
    /// The first and the last process of the name.
    pub first: String,
    pub last: String,
    pub priority: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize, Debug)]
pub struct ClockInfo {
    pub name: String,
    /// The template whose processes have it; `None` for a global one.
    pub template: Option<String>,
    pub count: u32,
    pub hybrid: bool,
    pub initial: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize, Debug)]
pub struct VariableInfo {
    pub name: String,
    pub template: Option<String>,
    #[serde(rename = "type")]
    pub ty: String,
    /// Integer and double cells in one process.
    pub cells: u32,
    pub lo: Option<i32>,
    pub hi: Option<i32>,
    /// Bits of all integer cells in one process.
    pub bits: u64,
    pub meta: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize, Debug)]
pub struct ChannelInfo {
    pub name: String,
    pub template: Option<String>,
    pub count: u32,
    pub urgent: bool,
    pub broadcast: bool,
    /// The levels of its elements: one number when they are alike.
    pub priorities: Vec<u32>,
}

#[derive(Clone, Serialize, Debug)]
pub struct Priorities {
    pub channels: bool,
    pub processes: bool,
}

#[derive(Clone, Serialize, Debug)]
pub struct QueryInfo {
    pub index: usize,
    pub query: String,
    pub comment: String,
    pub kind: String,
    /// The outcome recorded in the file.
    pub expect: Option<&'static str>,
    pub expect_value: Option<String>,
    pub supported: bool,
    /// Why it is not supported, or what is wrong with it.
    pub note: Option<String>,
    pub place: Option<Place>,
}

#[derive(Clone, Serialize, Debug)]
pub struct EngineInfo {
    pub name: &'static str,
    /// `yes`, `approximately` or `no`.
    pub fits: &'static str,
    pub obstacles: Vec<ObstacleInfo>,
}

#[derive(Clone, Serialize, Debug)]
pub struct ObstacleInfo {
    pub effect: &'static str,
    pub reason: String,
    pub place: Option<Place>,
}

/// Collects everything `info` shows.
pub fn info(name: &str, sources: &Sources, model: &Model, queries: &[LoadedQuery], diagnostics: &Diagnostics) -> Info {
    let network = model.network();
    let used = templates_in_use(network);
    let scoped: Vec<(Option<String>, &[Variable])> = std::iter::once((None, network.globals.as_slice()))
        .chain(
            used.iter()
                .map(|n| (Some(network.templates[*n].name.to_string()), network.templates[*n].variables.as_slice())),
        )
        .collect();
    Info {
        schema: "zonewalk.info/1",
        model: name.to_owned(),
        totals: totals(network),
        templates: templates(network, &used),
        processes: processes(network),
        clocks: distinct(scoped.iter().flat_map(|(scope, list)| clocks(network, scope.as_ref(), list))),
        variables: distinct(scoped.iter().flat_map(|(scope, list)| variables(scope.as_ref(), list))),
        channels: distinct(scoped.iter().flat_map(|(scope, list)| channels(network, scope.as_ref(), list))),
        priorities: Priorities {
            channels: network.channels.iter().any(|channel| channel.priority != network.default_priority),
            processes: network.has_process_priorities(),
        },
        queries: queries.iter().enumerate().map(|(n, query)| self::query(n, sources, query)).collect(),
        engines: Engine::ALL.iter().map(|engine| self::engine(*engine, sources, network)).collect(),
        messages: diagnostics.iter().map(|diagnostic| Message::of(sources, diagnostic)).collect(),
    }
}

/// Rows in their order, each once: a template whose types depend on its parameters is there in several forms.
fn distinct<T: Clone + Eq + Hash>(rows: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    rows.filter(|row| seen.insert(row.clone())).collect()
}

/// One row for all forms of a template that look alike.
fn templates(network: &Network, used: &[usize]) -> Vec<TemplateInfo> {
    let mut processes = vec![0; network.templates.len()];
    for process in &network.processes {
        processes[process.template.index()] += 1;
    }
    let mut rows: Vec<TemplateInfo> = Vec::new();
    let mut places: HashMap<TemplateInfo, usize> = HashMap::new();
    for n in used {
        let row = template(network, *n);
        let at = *places.entry(row.clone()).or_insert_with(|| {
            rows.push(row);
            rows.len() - 1
        });
        rows[at].processes += processes[*n];
    }
    rows
}

/// Templates that processes are made of, in the order written.
fn templates_in_use(network: &Network) -> Vec<usize> {
    let mut used: Vec<usize> = network.processes.iter().map(|process| process.template.index()).collect();
    used.sort_unstable();
    used.dedup();
    used
}

fn totals(network: &Network) -> Totals {
    let of = |count: &dyn Fn(&model::network::Template) -> usize| {
        network.processes.iter().map(|process| count(network.template(process.template))).sum()
    };
    Totals {
        processes: network.processes.len(),
        locations: of(&|template| template.locations.len()),
        edges: of(&|template| template.expanded.len()),
        clocks: network.clocks.len(),
        variables: network.ints.len() + network.doubles.len(),
        bits: network.ints.iter().filter(|cell| !cell.meta).map(|cell| u64::from(cell.range.bits())).sum(),
        channels: network.channels.len(),
    }
}

/// The row of one form, its processes not counted yet.
fn template(network: &Network, n: usize) -> TemplateInfo {
    let template = &network.templates[n];
    let count = |kind| template.locations.iter().filter(|location| location.kind == kind).count();
    TemplateInfo {
        name: template.name.to_string(),
        parameters: template
            .parameters
            .iter()
            .map(|parameter| match parameter.passing {
                model::network::Passing::Reference(_) => format!("{} &{}", parameter.ty, parameter.name),
                model::network::Passing::Value(_) => format!("{} {}", parameter.ty, parameter.name),
            })
            .collect(),
        processes: 0,
        locations: template.locations.len(),
        urgent: count(LocationKind::Urgent),
        committed: count(LocationKind::Committed),
        edges: template.edges.len(),
        expanded_edges: template.expanded.len(),
    }
}

fn processes(network: &Network) -> Vec<ProcessInfo> {
    let of = |set: &model::network::ProcessSet| {
        let range = set.first.index()..set.first.index() + set.len as usize;
        let members = network.processes.get(range).unwrap_or(&[]);
        let name = |process: Option<&model::network::Process>| process.map_or(String::new(), |p| p.name.clone());
        ProcessInfo {
            name: set.name.to_string(),
            template: members.first().map_or(String::new(), |first| network.template(first.template).name.to_string()),
            count: set.len,
            first: name(members.first()),
            last: name(members.last()),
            priority: members.first().map_or(0, |first| first.priority),
        }
    };
    network.sets.iter().map(of).collect()
}

fn clocks(network: &Network, scope: Option<&String>, variables: &[Variable]) -> Vec<ClockInfo> {
    let of = |variable: &Variable| {
        let count = variable.ty.extent().clocks;
        let first = variable.offset.clocks as usize;
        let initial = scope.is_none().then(|| network.clocks.get(first).map(|clock| clock.initial)).flatten();
        ClockInfo {
            name: variable.name.to_string(),
            template: scope.cloned(),
            count,
            hybrid: variable.ty.contains(&|part| matches!(part, Type::Clock { hybrid: true })),
            initial: match initial {
                None | Some(ClockInitial::Int(0)) => None,
                Some(ClockInitial::Int(value)) => Some(value.to_string()),
                Some(ClockInitial::Double(value)) => Some(value.to_string()),
            },
        }
    };
    variables.iter().filter(|variable| variable.ty.extent().clocks > 0).map(of).collect()
}

fn variables(scope: Option<&String>, variables: &[Variable]) -> Vec<VariableInfo> {
    let of = |variable: &Variable| {
        let (mut bits, mut range) = (0, None);
        variable.ty.for_each_int(&mut |cell| {
            bits += u64::from(cell.bits());
            range = match range {
                None => Some((cell.lo, cell.hi)),
                Some((lo, hi)) => Some((cell.lo.min(lo), cell.hi.max(hi))),
            };
        });
        let extent = variable.ty.extent();
        VariableInfo {
            name: variable.name.to_string(),
            template: scope.cloned(),
            ty: variable.ty.to_string(),
            cells: extent.ints + extent.doubles,
            lo: range.map(|(lo, _)| lo),
            hi: range.map(|(_, hi)| hi),
            bits,
            meta: variable.meta,
        }
    };
    let has_cells = |variable: &&Variable| variable.ty.extent().ints + variable.ty.extent().doubles > 0;
    variables.iter().filter(has_cells).map(of).collect()
}

fn channels(network: &Network, scope: Option<&String>, variables: &[Variable]) -> Vec<ChannelInfo> {
    let of = |variable: &Variable| {
        let Type::Channel(kind) = variable.ty.innermost() else { return None };
        let count = variable.ty.extent().channels;
        let first = variable.offset.channels as usize;
        let elements = network.channels.get(first..first + count as usize).unwrap_or(&[]);
        let mut priorities: Vec<u32> = elements.iter().map(|channel| channel.priority).collect();
        priorities.dedup();
        Some(ChannelInfo {
            name: variable.name.to_string(),
            template: scope.cloned(),
            count,
            urgent: kind.urgent,
            broadcast: kind.broadcast,
            priorities: if scope.is_none() { priorities } else { Vec::new() },
        })
    };
    variables.iter().filter_map(of).collect()
}

fn query(index: usize, sources: &Sources, loaded: &LoadedQuery) -> QueryInfo {
    let mut info = QueryInfo {
        index,
        query: loaded.text.clone(),
        comment: loaded.comment.clone(),
        kind: "error".to_owned(),
        expect: loaded.expect.as_ref().and_then(|expect| expect.outcome).map(|outcome| match outcome {
            Outcome::Success => "satisfied",
            Outcome::Failure => "violated",
            Outcome::MaybeTrue => "maybe satisfied",
            Outcome::MaybeFalse => "maybe violated",
            Outcome::Error => "error",
        }),
        expect_value: loaded.expect.as_ref().and_then(|expect| expect.value.clone()),
        supported: false,
        note: None,
        place: None,
    };
    match &loaded.query {
        None => {
            let first = loaded.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
            info.note = first.map(|diagnostic| diagnostic.message.clone());
            info.place = first.and_then(|diagnostic| diagnostic.span).map(|span| Place::of(sources, span));
        }
        Some(query) => {
            info.kind = questions::of(query).name.to_owned();
            info.supported = !matches!(query.kind, QueryKind::Unsupported { .. }) && query.unsupported.is_empty();
            if let QueryKind::Unsupported { what } = query.kind {
                info.note = Some(what.to_owned());
            } else if let Some((what, span)) = query.unsupported.first() {
                info.note = Some(what.clone());
                info.place = Some(Place::of(sources, *span));
            }
            info.place.get_or_insert_with(|| Place::of(sources, query.span));
        }
    }
    info
}

fn engine(engine: Engine, sources: &Sources, network: &Network) -> EngineInfo {
    let obstacles: Vec<_> = network.fitness.of(engine).collect();
    let fits = match (network.fitness.allows(engine), obstacles.is_empty()) {
        (false, _) => "no",
        (true, false) => "approximately",
        (true, true) => "yes",
    };
    let obstacles = obstacles
        .into_iter()
        .map(|obstacle| ObstacleInfo {
            effect: match obstacle.effect {
                Effect::Excludes => "excludes",
                Effect::Approximates => "approximates",
            },
            reason: obstacle.reason.clone(),
            place: obstacle.span.map(|span| Place::of(sources, span)),
        })
        .collect();
    EngineInfo { name: engine.name(), fits, obstacles }
}

/// What `--json` prints about a model that does not load.
#[derive(Clone, Serialize, Debug)]
pub struct Failure {
    pub schema: &'static str,
    pub model: String,
    pub messages: Vec<Message>,
}

impl Failure {
    pub fn of(name: &str, sources: &Sources, diagnostics: &Diagnostics) -> Failure {
        Failure {
            schema: "zonewalk.failure/1",
            model: name.to_owned(),
            messages: diagnostics.iter().map(|diagnostic| Message::of(sources, diagnostic)).collect(),
        }
    }
}
