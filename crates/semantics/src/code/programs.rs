//! All compiled code of one network.

use super::channel::{ChannelCode, constant_channel, is_fixed};
use super::compile::{Tables, Unit, compile};
use super::error::{RunError, RunErrorKind};
use super::machine::Alike;
use super::op::{CONSTANTS, STATE};
use super::timed::Timed;
use super::traits::Traits;
use model::deep_stack::on_deep_stack;
use model::network::{ExprId, Network, Place, ProcessId, ReferenceStore};

/// Labels are compiled one by one, each once, before machines run them; afterwards all threads can
/// share the programs.
#[derive(Clone)]
pub struct Programs<'n> {
    pub(super) network: &'n Network,
    pub(super) tables: Tables,
    traits: Traits,
    contexts: Vec<Context>,
    bindings: Vec<Binding>,
}

/// Where the parts of a process are.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Context {
    pub ints: u32,
    pub constants: u32,
    pub clocks: u32,
    pub channels: u32,
    /// Twice where its doubles and its constant doubles are: pointers to doubles count cells of the
    /// stack.
    pub doubles: u32,
    pub constant_doubles: u32,
    /// The first of its reference parameters in the bindings.
    pub references: u32,
}

/// What a reference parameter stands for: a pointer to integers, a first clock, a first channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    pub ints: i32,
    pub clocks: u32,
    pub channels: u32,
    pub doubles: i32,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty),* };)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name {
            pub(super) start: u32,
            $($field: $ty,)*
        }
    )*};
}

ids! {
    /// A guard or invariant.
    ConditionId {};
    /// A list of updates.
    UpdateId {};
    /// An integer or boolean expression.
    IntId {};
    /// A number of floating point.
    DoubleId {};
    /// A query predicate.
    PredicateId { discrete: bool };
    /// Which clock a place of a query stands for.
    ClockCode {};
}

impl<'n> Programs<'n> {
    /// For engines in which clocks and doubles have no value.
    pub fn new(network: &'n Network) -> Programs<'n> {
        Programs::of(network, false)
    }

    /// For statistics: clocks and doubles are values, of which conditions, integers and updates may
    /// make use.
    pub fn with_doubles(network: &'n Network) -> Programs<'n> {
        Programs::of(network, true)
    }

    fn of(network: &'n Network, with_doubles: bool) -> Programs<'n> {
        let mut contexts = Vec::with_capacity(network.processes.len());
        let mut bindings = Vec::new();
        for process in &network.processes {
            contexts.push(Context {
                ints: process.state.ints,
                constants: process.constants.ints,
                clocks: process.state.clocks,
                channels: process.state.channels,
                doubles: 2 * process.state.doubles,
                constant_doubles: 2 * process.constants.doubles,
                references: bindings.len() as u32,
            });
            bindings.extend(process.references.iter().map(|reference| {
                let store = match reference.store {
                    ReferenceStore::State => STATE,
                    ReferenceStore::Constants => CONSTANTS,
                };
                Binding {
                    ints: (store | reference.offset.ints) as i32,
                    clocks: reference.offset.clocks,
                    channels: reference.offset.channels,
                    doubles: (store | (2 * reference.offset.doubles)) as i32,
                }
            }));
        }
        if contexts.is_empty() {
            contexts.push(Context::default());
        }
        Programs { network, tables: Tables::default(), traits: Traits::new(network, with_doubles), contexts, bindings }
    }

    pub fn network(&self) -> &'n Network {
        self.network
    }

    fn unit(&mut self, unit: Unit<'_>) -> u32 {
        let (network, traits, tables) = (self.network, &self.traits, &mut self.tables);
        if traits.deep {
            on_deep_stack(|| compile(network, traits, tables, unit))
        } else {
            compile(network, traits, tables, unit)
        }
    }

    /// A guard or invariant: a conjunction once the integers are known.
    pub fn condition(&mut self, expr: ExprId) -> ConditionId {
        ConditionId { start: self.unit(Unit::Condition(expr)) }
    }

    pub fn update(&mut self, exprs: &[ExprId]) -> UpdateId {
        UpdateId { start: self.unit(Unit::Update(exprs)) }
    }

    /// An integer or boolean expression without clock constraints.
    pub fn int(&mut self, expr: ExprId) -> IntId {
        IntId { start: self.unit(Unit::Int(expr)) }
    }

    /// The truth of a condition in which clocks have values.
    pub fn truth(&mut self, expr: ExprId) -> IntId {
        IntId { start: self.unit(Unit::Truth(expr)) }
    }

    /// A number of either kind as a double.
    pub fn double(&mut self, expr: ExprId) -> DoubleId {
        DoubleId { start: self.unit(Unit::Double(expr)) }
    }

    /// The value of an integer expression that is the same in every state.
    pub fn known(&self, expr: ExprId) -> Option<i32> {
        self.traits.known(expr)
    }

    /// What is known of expressions over clocks; `None` where clocks have no value.
    pub fn timed(&self) -> Option<&Timed> {
        self.traits.timed.as_ref()
    }

    /// The channel of a synchronisation.
    pub fn channel(&mut self, place: &Place) -> ChannelCode {
        let constant = constant_channel(&self.traits, place);
        // Only an index can fail, and it has a place in the text of its own.
        let index = place.indices.first().map(|index| self.network.code.span(index.value));
        let start = match index.or(self.network.templates.first().map(|template| template.span)) {
            Some(span) if constant.is_none() => self.unit(Unit::Channel(place, span)),
            _ => 0,
        };
        ChannelCode { start, constant, fixed: constant.is_some() || is_fixed(self.network, place) }
    }

    /// The clock that a place of a query stands for, which may depend on the state.
    pub fn clock(&mut self, place: &Place) -> Option<ClockCode> {
        // Only an index can fail, and it has a place in the text of its own.
        let index = place.indices.first().map(|index| self.network.code.span(index.value));
        let span = index.or(self.network.templates.first().map(|template| template.span))?;
        Some(ClockCode { start: self.unit(Unit::Clock(place, span)) })
    }

    /// A query predicate: any combination of integers, locations, clock constraints and `deadlock`.
    pub fn predicate(&mut self, expr: ExprId) -> PredicateId {
        let discrete = !self.traits.of(expr).clocks;
        let unit = if discrete { Unit::Truth(expr) } else { Unit::Cases(expr) };
        PredicateId { start: self.unit(unit), discrete }
    }

    /// Whether a process is one of those that an answer is for, if it is of the same template.
    #[inline]
    pub fn is_alike(&self, process: ProcessId, alike: Alike) -> bool {
        let at = self.contexts[process.index()].constants + alike.at;
        // Without a constant that matters all are alike.
        let any = alike.lo == i32::MIN && alike.hi == i32::MAX;
        any || self.network.constants.ints.get(at as usize).is_some_and(|value| (alike.lo..=alike.hi).contains(value))
    }

    /// Whether evaluating an expression may end in an error, or write.
    pub fn may_fail(&self, expr: ExprId) -> bool {
        let known = self.traits.of(expr);
        known.fails || known.writes
    }

    /// Whether a predicate mentions neither clocks nor `deadlock`.
    pub fn is_discrete(&self, id: PredicateId) -> bool {
        id.discrete
    }

    /// Instructions of all code together.
    pub fn len(&self) -> usize {
        self.tables.ops.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tables.ops.is_empty()
    }

    #[inline]
    pub(super) fn context(&self, process: usize) -> &Context {
        &self.contexts[process]
    }

    #[inline]
    pub(super) fn binding(&self, context: &Context, n: u32) -> Binding {
        self.bindings[(context.references + n) as usize]
    }

    #[inline]
    pub(super) fn function(&self, function: u32) -> u32 {
        self.tables.functions[function as usize].unwrap_or(0)
    }

    /// The error of an instruction.
    pub(super) fn error(&self, pc: u32, process: ProcessId, kind: RunErrorKind) -> RunError {
        let found = self.tables.sites.binary_search_by_key(&pc, |(pc, _)| *pc);
        let site = found.ok().or(self.tables.sites.len().checked_sub(1)).map(|n| self.tables.sites[n].1);
        let Some(span) = site else { unreachable!("every instruction that can fail has a site") };
        RunError { kind, span, process }
    }
}
