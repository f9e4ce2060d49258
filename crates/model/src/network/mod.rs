//! The instantiated network: what the engines run. No names are left to look up, no sizes to compute.
//!
//! Code is kept per template; a process is a template with its own stretch of the state, its own constants and its
//! reference parameters bound. A template whose types depend on parameter values appears once per combination of those
//! values, so that within one template every type is the same for all its processes.

pub mod arithmetic;
mod code;
mod evaluate;
mod fitness;
mod ids;
mod names;
mod types;
mod walk;

pub use code::*;
pub(crate) use evaluate::fit;
pub use evaluate::{EvalError, Evaluator, LocalConstants, StateView, Value};
pub use fitness::{Effect, Engine, Fitness, Obstacle};
pub use ids::*;
pub use types::*;

use crate::shared::Shared;
use crate::source::Span;
use crate::syntax::ast::{Direction, Name};
use std::ops::{Deref, DerefMut};

/// A network together with code that is run on it. Clones share the [`Body`], and all code but
/// what is added later: so each query has a network of its own that knows the query's expressions.
#[derive(Clone, Default, Debug)]
pub struct Network {
    pub code: Code,
    /// Enough cells for the select and quantifier variables of every label and query.
    pub frame: Extent,
    body: Shared<Body>,
}

impl Deref for Network {
    type Target = Body;

    fn deref(&self) -> &Body {
        &self.body
    }
}

impl DerefMut for Network {
    fn deref_mut(&mut self) -> &mut Body {
        &mut self.body
    }
}

/// What a network is made of, beside its code.
#[derive(Clone, Default, Debug)]
pub struct Body {
    /// Declared variables, constants left out, in the order declared; offsets are absolute.
    pub globals: Vec<Variable>,
    pub global_constants: Vec<Variable>,
    pub templates: Vec<Template>,
    pub processes: Vec<Process>,
    /// Processes expanded from one name of the system line stand together.
    pub sets: Vec<ProcessSet>,
    /// The constants of the network, then those of each process.
    pub constants: Constants,
    /// Ranges and initial values of all integer cells of the state.
    pub ints: Vec<IntCell>,
    /// Initial values of all double cells of the state.
    pub doubles: Vec<f64>,
    pub clocks: Vec<Clock>,
    pub channels: Vec<Channel>,
    /// The level of edges without a channel, and of channels that no `chan priority` names.
    pub default_priority: u32,
    /// Run before the updates of every transition.
    pub before_update: Vec<ExprId>,
    /// Run after the updates of every transition.
    pub after_update: Vec<ExprId>,
    /// Inputs and outputs of processes, for timed I/O automata.
    pub io: Vec<IoSignature>,
    pub fitness: Fitness,
}

#[derive(Clone, Default, Debug)]
pub struct Constants {
    pub ints: Vec<i32>,
    pub doubles: Vec<f64>,
}

/// A declared variable, constant or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Name,
    pub ty: Type,
    /// Where it starts; relative to the process for those of a template.
    pub offset: Extent,
    pub meta: bool,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntCell {
    pub range: Range,
    pub initial: i32,
    /// Not a part of the state's identity.
    pub meta: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    pub hybrid: bool,
    pub initial: ClockInitial,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ClockInitial {
    Int(i32),
    Double(f64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channel {
    pub kind: ChannelKind,
    /// 0 is the lowest level. Edges without a channel have [`Network::default_priority`].
    pub priority: u32,
}

#[derive(Clone, Debug)]
pub struct Template {
    pub name: Name,
    pub parameters: Vec<Parameter>,
    /// Variables, relative to the process's stretch of the state.
    pub variables: Vec<Variable>,
    /// Constants, relative to the process's constants; value parameters come first.
    pub constants: Vec<Variable>,
    pub state: Extent,
    pub constant_cells: Extent,
    pub locations: Vec<Location>,
    pub initial: LocationId,
    pub edges: Vec<Edge>,
    /// Edges with select values, grouped by source location.
    pub expanded: Vec<ExpandedEdge>,
    /// Values of select variables, one after the other as [`ExpandedEdge::select`] says.
    pub select_values: Vec<i32>,
    /// For each location the stretch of `expanded` that leaves it.
    pub leaving: Vec<std::ops::Range<u32>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: Name,
    pub ty: Type,
    pub passing: Passing,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocationKind {
    Normal,
    Urgent,
    Committed,
}

#[derive(Clone, Debug)]
pub struct Location {
    pub name: Name,
    pub kind: LocationKind,
    pub invariant: Option<ExprId>,
    /// The exponential rate `r` or `r : q`.
    pub rate: Option<(ExprId, Option<ExprId>)>,
    /// In questions about timed I/O systems no time passes here and nothing is output: ECDAR's inconsistent locations. Other
    /// questions take no notice of it.
    pub inconsistent: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub source: LocationId,
    /// One cell of the frame each, from cell 0 on.
    pub select: Vec<Select>,
    pub guard: Option<ExprId>,
    pub sync: Option<Sync>,
    /// Run before the update of the branch.
    pub update: Vec<ExprId>,
    /// One for an edge that leads to a location; those of the branchpoint otherwise.
    pub branches: Vec<Branch>,
    pub controllable: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Branch {
    pub target: LocationId,
    /// Values of the branch's own select variables, cells of the frame from cell 0 on while its update runs.
    pub select: Vec<i32>,
    pub update: Vec<ExprId>,
    /// `None` is 1.
    pub weight: Option<ExprId>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Select {
    pub name: Name,
    pub range: Range,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Sync {
    pub direction: Direction,
    pub channel: Place,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExpandedEdge {
    pub edge: EdgeId,
    /// First value in [`Template::select_values`].
    pub select: u32,
}

#[derive(Clone, Debug)]
pub struct Process {
    /// `Train(3)`, `P1`.
    pub name: String,
    pub template: TemplateId,
    pub priority: u32,
    /// Where its local variables start in the state.
    pub state: Extent,
    /// Where its value parameters and constants start in the constants.
    pub constants: Extent,
    /// What its reference parameters are bound to.
    pub references: Vec<Reference>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reference {
    pub store: ReferenceStore,
    pub offset: Extent,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReferenceStore {
    State,
    Constants,
}

/// The processes of one name of the system line: one, or the product of its free parameters' ranges, first outermost.
#[derive(Clone, Debug)]
pub struct ProcessSet {
    pub name: Name,
    /// The template of its processes; they differ at most in the ranges of their variables.
    pub template: TemplateId,
    pub first: ProcessId,
    pub len: u32,
    pub ranges: Vec<Range>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct IoSignature {
    /// The processes of one name of the system line, or one of them.
    pub processes: std::ops::Range<u32>,
    pub inputs: Vec<ChannelId>,
    pub outputs: Vec<ChannelId>,
    /// Channels named without `?` or `!`: the processes synchronise on them all together, CSP style.
    pub shared: Vec<ChannelId>,
    pub span: Span,
}

impl Network {
    pub fn template(&self, id: TemplateId) -> &Template {
        &self.templates[id.index()]
    }

    pub fn process(&self, id: ProcessId) -> &Process {
        &self.processes[id.index()]
    }

    pub fn template_of(&self, id: ProcessId) -> &Template {
        self.template(self.process(id).template)
    }

    /// Whether processes have different priorities.
    pub fn has_process_priorities(&self) -> bool {
        self.processes.windows(2).any(|pair| pair[0].priority != pair[1].priority)
    }

    /// Whether clocks may run at other rates than 1.
    pub fn has_stopwatches(&self) -> bool {
        let mut found = false;
        for location in self.templates.iter().flat_map(|template| &template.locations) {
            if let Some(invariant) = location.invariant {
                self.code.walk(invariant, &mut |_, expr| found |= matches!(expr, Expr::Rate { .. }));
            }
        }
        found
    }
}

impl Location {
    /// The one location of a template that declares none.
    pub(crate) fn anonymous(span: Span) -> Location {
        let (name, kind) = (Name::from("_"), LocationKind::Normal);
        Location { name, kind, invariant: None, rate: None, inconsistent: false, span }
    }
}

impl Template {
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.index()]
    }

    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.index()]
    }

    /// The edges that leave a location, one per combination of select values.
    pub fn leaving(&self, location: LocationId) -> &[ExpandedEdge] {
        let range = &self.leaving[location.index()];
        &self.expanded[range.start as usize..range.end as usize]
    }

    /// The values of the select variables of an expanded edge.
    pub fn select_values(&self, expanded: ExpandedEdge) -> &[i32] {
        let start = expanded.select as usize;
        &self.select_values[start..start + self.edge(expanded.edge).select.len()]
    }
}
