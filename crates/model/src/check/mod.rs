//! From the syntax tree to the network: names, types, constants, templates, processes.
//!
//! Declarations are taken in the order written, because a name is visible only after its declaration. A template is
//! checked where it stands, with its parameters unknown; if no type in it depends on a parameter, that is already its
//! final form. Otherwise it is elaborated again for each combination of the values that matter.

mod assignment;
mod call;
mod channel;
mod clock;
mod combination;
mod constant;
mod declaration;
mod edge;
mod expression;
mod guard_cases;
mod initialiser;
mod instantiate;
mod interval;
mod operator;
mod overrides;
mod place;
mod predeclared;
mod query;
mod scope;
mod statement;
mod template;
mod typed;
mod types;
mod warnings;

pub use overrides::Override;
pub use query::{
    Quantity, Query, QueryKind, ResolvedBound, ResolvedMeasure, ResolvedPath, ResolvedProbability, SystemExpr,
};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::limits;
use crate::network::{
    Argument, Effect, Engine, ExprId, Extent, LocalConstants, Network, Obstacle, Passing, Place, TemplateId, Type,
};
use crate::shared::Shared;
use crate::source::Span;
use crate::syntax::ast;
use scope::{Entry, Scope, Scopes, Symbol};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Checks a document and builds its network. With errors the network is incomplete and only good for messages.
pub fn check(document: ast::Document, overrides: &[Override], diagnostics: &mut Diagnostics) -> Checked {
    let mut checker = Checker::new(document.syntax, overrides.to_vec());
    checker.is_incomplete = diagnostics.has_errors();
    checker.document(document);
    diagnostics.extend(std::mem::take(&mut checker.diagnostics));
    Checked { checker }
}

/// A checked model: the network, and the names to resolve queries with.
pub struct Checked {
    checker: Checker,
}

impl Checked {
    pub fn network(&self) -> &Network {
        &self.checker.network
    }

    /// Warnings for what neither the model nor a query resolved so far uses.
    pub fn unused(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::new();
        self.checker.unused().into_iter().for_each(|diagnostic| diagnostics.push(diagnostic));
        diagnostics
    }

    /// Begins to resolve queries.
    pub fn resolver(&self) -> Resolver {
        Resolver { checker: self.checker.clone() }
    }

    /// Gives a query a level. Errors are added to the diagnostics; then the query has none.
    pub fn level(&self, query: &mut Query, level: &ast::Expr, diagnostics: &mut Diagnostics) {
        let mut checker = self.checker.clone();
        checker.network = query.network.clone();
        let resolved = checker.level(level);
        query.level = resolved.filter(|_| !checker.diagnostics.has_errors());
        diagnostics.extend(checker.diagnostics);
        query.network = checker.network;
    }
}

/// Resolves queries one after the other. The network of each has the code of those before it, too.
pub struct Resolver {
    checker: Checker,
}

impl Resolver {
    /// Resolves a query against the network. `None` when it has errors, which are added to the diagnostics.
    pub fn query(&mut self, query: &crate::syntax::query::Query, diagnostics: &mut Diagnostics) -> Option<Query> {
        let resolved = self.checker.query(query);
        let said = std::mem::take(&mut self.checker.diagnostics);
        let ok = !said.has_errors();
        diagnostics.extend(said);
        resolved.filter(|_| ok)
    }

    /// The network with the code of all queries so far.
    pub fn network(&mut self) -> Network {
        self.checker.network.code.seal();
        self.checker.network.clone()
    }
}

/// Queries are resolved by clones, which share what they only read.
#[derive(Clone)]
struct Checker {
    syntax: ast::Syntax,
    network: Network,
    diagnostics: Diagnostics,
    scopes: Scopes,
    /// Global declarations so far.
    order: usize,
    overrides: Shared<Vec<Override>>,
    templates: Shared<Vec<TemplateDefinition>>,
    instances: Shared<Vec<InstanceDefinition>>,
    /// What is known of each template of the network beyond its code.
    forms: Shared<Vec<Form>>,
    /// What the query at hand needs and no engine has.
    query_obstacles: Vec<(String, Span)>,
    scalar_sets: u32,
    /// The model declares inputs and outputs.
    timed_io: bool,
    context: Context,
    /// Cells of the frame in use and the most that were, for the label, function or query at hand.
    frame: Frame,
    /// Something could not be read: names may be missing because of that.
    is_incomplete: bool,
    /// Why the condition at hand is more than a guard or an invariant may be.
    blame: Blame,
    /// Steps of evaluation that are left for the whole model, and for each query.
    steps: Steps,
    /// Edges and branches of all templates so far, with their selects expanded.
    expanded: u64,
    branches: u64,
    /// The names of the type definition at hand.
    defining: Vec<ast::Name>,
}

/// A number of steps that becomes smaller where it is only read otherwise.
struct Steps(AtomicU64);

impl Steps {
    fn new(steps: u64) -> Steps {
        Steps(AtomicU64::new(steps))
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn spend(&self, steps: u64) {
        self.0.store(self.get().saturating_sub(steps), Ordering::Relaxed);
    }
}

impl Clone for Steps {
    fn clone(&self) -> Steps {
        Steps::new(self.get())
    }
}

/// A template as written.
#[derive(Clone)]
struct TemplateDefinition {
    template: Arc<ast::Template>,
    /// Globals declared before it.
    horizon: usize,
    dynamic: bool,
    /// The parameters on which types depend, as a bit set; grows when an elaboration finds more.
    relevant: u64,
    /// Those among them that sizes of arrays, scalar sets and selects depend on.
    sizing: u64,
    /// Value parameters that the template changes, and that are therefore variables.
    assigned: u64,
    /// Elaborated forms by the values of the relevant parameters.
    forms: HashMap<Vec<i32>, TemplateId>,
    /// Parameters, as the elaboration without values sees them.
    parameters: Vec<ParameterType>,
    used: bool,
}

/// An elaborated template, beside its [`crate::network::Template`].
#[derive(Clone)]
struct Form {
    /// For `P.x` in queries.
    members: Scope,
    obstacles: Vec<Obstacle>,
    /// Initial values of variables and constants, evaluated for each process.
    initialisers: Vec<(Place, ExprId)>,
}

#[derive(Clone, Debug)]
struct ParameterType {
    name: ast::Ident,
    ty: Type,
    by_reference: bool,
    constant: bool,
}

/// `Q(int &x) = P(x, 2);`
#[derive(Clone)]
struct InstanceDefinition {
    name: ast::Ident,
    parameters: Vec<(ParameterType, Passing)>,
    /// A template or another instance.
    base: Symbol,
    arguments: Vec<Argument>,
    used: bool,
}

/// The first part of a condition with `==` on clocks, and the first that is not even a guard, with the reason.
#[derive(Clone, Copy, Default, Debug)]
struct Blame {
    equality: Option<Span>,
    beyond_guard: Option<(Span, &'static str)>,
}

impl Blame {
    fn beyond_guard(&mut self, span: Span, reason: &'static str) {
        self.beyond_guard.get_or_insert((span, reason));
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Frame {
    next: Extent,
    most: Extent,
}

/// What is being checked: decides where variables go and what may be read.
#[derive(Clone, Default)]
struct Context {
    template: Option<TemplateContext>,
    function: Option<FunctionContext>,
    /// Process members and `deadlock` can be named.
    in_query: bool,
}

/// A template under elaboration.
#[derive(Clone, Default)]
struct TemplateContext {
    local: LocalConstants,
    /// The parameters with a value in this elaboration.
    known: u64,
    relevant: u64,
    sizing: u64,
    assigned: u64,
    /// First cells and ends of the value parameters that may be changed, and which parameters these are.
    changeable: Vec<(Extent, Extent, u64)>,
    obstacles: Vec<Obstacle>,
    variables: Vec<crate::network::Variable>,
    constants: Vec<crate::network::Variable>,
    state: Extent,
    constant_cells: Extent,
    /// Initial values of variables and constants, in order.
    initialisers: Vec<(Place, ExprId)>,
    references: u32,
    /// Its processes come and go while the system runs.
    dynamic: bool,
}

#[derive(Clone)]
struct FunctionContext {
    name: ast::Name,
    result: Type,
    writes: bool,
    is_local: bool,
    references: u32,
}

impl Checker {
    fn new(syntax: ast::Syntax, overrides: Vec<Override>) -> Checker {
        let mut checker = Checker {
            syntax,
            network: Network::default(),
            diagnostics: Diagnostics::new(),
            scopes: Scopes::new(),
            order: 0,
            overrides: overrides.into(),
            templates: Shared::default(),
            instances: Shared::default(),
            forms: Shared::default(),
            query_obstacles: Vec::new(),
            scalar_sets: 0,
            timed_io: false,
            context: Context::default(),
            frame: Frame::default(),
            is_incomplete: false,
            blame: Blame::default(),
            steps: Steps::new(limits::MODEL_STEPS),
            expanded: 0,
            branches: 0,
            defining: Vec::new(),
        };
        checker.predeclare();
        checker
    }

    fn document(&mut self, document: ast::Document) {
        self.timed_io = document.items.iter().any(|item| matches!(item, ast::Item::Io(_)));
        let mut io = Vec::new();
        let mut priorities = Vec::new();
        for item in document.items {
            match item {
                ast::Item::Declaration(declaration) => self.declaration(&declaration),
                ast::Item::Template(template) => self.template(template),
                ast::Item::Instantiation(instantiation) => self.instantiation(instantiation),
                ast::Item::ChannelPriority(priority) => priorities.push(priority),
                ast::Item::BeforeUpdate(list) => self.network.before_update = self.updates(&list),
                ast::Item::AfterUpdate(list) => self.network.after_update = self.updates(&list),
                ast::Item::Dynamic { name, parameters, span } => self.dynamic(&name, &parameters, span),
                ast::Item::Import(import) => self.import(&import),
                ast::Item::Io(declaration) => io.push(declaration),
                ast::Item::LiveSequenceChart(name) => self.declare(&name, Symbol::LiveSequenceChart),
            }
        }
        self.report_unused_overrides();
        self.channel_priorities(&priorities);
        // The reader has said so when there is none.
        if let Some(system) = &document.system {
            self.system(system);
        }
        self.io_signatures(&io);
        self.mark_shown(&document.progress, &document.gantt);
        if !self.diagnostics.has_errors() {
            self.initial_state();
        }
        self.one_style_of_synchronisation();
        self.meta_in_conditions();
        self.find_obstacles();
        self.network.frame = self.network.frame.max(self.frame.most);
        self.forget_trees();
        self.network.code.seal();
    }

    /// Progress measures and Gantt charts have no meaning here, but what they name is used.
    fn mark_shown(&mut self, progress: &[ast::ProgressMeasure], gantt: &[ast::GanttChart]) {
        let measures = progress.iter().flat_map(|measure| measure.guard.iter().chain([&measure.measure]));
        let bars = gantt.iter().flat_map(|chart| &chart.bars).flat_map(|bar| [&bar.condition, &bar.colour]);
        for expr in measures.chain(bars) {
            crate::syntax::walk::expr(expr, &mut |part| {
                if let ast::ExprKind::Name(name) = &part.kind {
                    self.scopes.resolve(&name.name);
                }
            });
        }
    }

    /// Queries need only the names of templates. Trees are dropped here, where the stack is deep enough for them.
    fn forget_trees(&mut self) {
        for definition in self.templates.iter_mut() {
            let (name, span) = (definition.template.name.clone(), definition.template.span);
            definition.template = Arc::new(ast::Template::empty(name, span));
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    /// Something that keeps engines from running the model, or makes their answers approximate.
    fn obstacle(&mut self, engines: &[Engine], effect: Effect, reason: &str, span: Span) {
        if self.context.in_query {
            self.query_obstacles.push((reason.to_owned(), span));
            return;
        }
        match &mut self.context.template {
            Some(template) => {
                for engine in engines {
                    template.obstacles.push(Obstacle {
                        engine: *engine,
                        effect,
                        reason: reason.to_owned(),
                        span: Some(span),
                    });
                }
            }
            None => self.network.fitness.add(engines, effect, reason, Some(span)),
        }
    }

    fn in_template(&self) -> bool {
        self.context.template.is_some()
    }

    fn in_function(&self) -> bool {
        self.context.function.is_some()
    }

    /// Declares a name in the innermost scope; reports a name that is taken, warns of one that is hidden.
    fn declare(&mut self, name: &ast::Ident, symbol: Symbol) {
        if self.scopes.depth() > scope::GLOBAL + 1
            && let Some(hidden) = self.scopes.hidden_by(&name.name).filter(|hidden| *hidden != name.span)
        {
            let message = format!("`{}` hides another declaration of that name", name.name);
            self.report(Diagnostic::new(Code::SHADOWS, name.span, message).note(hidden, "the hidden one"));
        }
        self.declare_silently(name, symbol);
    }

    /// Parameters are often called like the global variables that are passed for them, and may be there for the sake of
    /// the caller: no warnings about them.
    fn declare_parameter_name(&mut self, name: &ast::Ident, variable: scope::Variable) {
        self.declare_silently(name, Symbol::Variable(variable));
        self.scopes.resolve(&name.name);
    }

    fn declare_silently(&mut self, name: &ast::Ident, symbol: Symbol) {
        let order = self.order;
        if self.scopes.depth() == scope::GLOBAL + 1 {
            self.order += 1;
        }
        let entry = Entry::new(symbol, Some(name.span), order);
        let taken =
            self.scopes.innermost().and_then(|scope| scope.declare(&name.name, entry).map(|earlier| earlier.span));
        if let Some(earlier) = taken {
            let message = format!("`{}` is declared twice", name.name);
            let mut diagnostic = Diagnostic::new(Code::DUPLICATE, name.span, message);
            if let Some(earlier) = earlier {
                diagnostic = diagnostic.note(earlier, "first declared here");
            }
            self.report(diagnostic);
        }
    }
}
