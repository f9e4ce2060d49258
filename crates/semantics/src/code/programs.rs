//! All compiled code of one network.

use super::channel::{ChannelCode, constant_channel, is_fixed};
use super::compile::{Tables, Unit, compile};
use super::error::{RunError, RunErrorKind};
use super::machine::Alike;
use super::op::{CONSTANTS, STATE};
use super::traits::Traits;
use model::deep_stack::on_deep_stack;
use model::network::{ExprId, Network, Place, ProcessId, ReferenceStore};

/// Labels are compiled one by one, each once, before machines run them; afterwards all threads can share the programs.
pub struct Programs<'n> {
    pub(super) network: &'n Network,
    pub(super) tables: Tables,
    traits: Traits,
    contexts: Vec<Context>,
    bindings: Vec<Binding>,
}

/// Where the parts of a process are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub ints: u32,
    pub constants: u32,
    pub clocks: u32,
    pub channels: u32,
    /// The first of its reference parameters in the bindings.
    pub references: u32,
}

/// What a reference parameter stands for: a pointer to integers, a first clock, a first channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    pub ints: i32,
    pub clocks: u32,
    pub channels: u32,
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
    /// A query predicate.
    PredicateId { discrete: bool };
    /// Which clock a place of a query stands for.
    ClockCode {};
}

impl<'n> Programs<'n> {
    pub fn new(network: &'n Network) -> Programs<'n> {
        let mut contexts = Vec::with_capacity(network.processes.len());
        let mut bindings = Vec::new();
        for process in &network.processes {
            contexts.push(Context {
                ints: process.state.ints,
                constants: process.constants.ints,
                clocks: process.state.clocks,
                channels: process.state.channels,
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
                }
            }));
        }
        if contexts.is_empty() {
            contexts.push(Context { ints: 0, constants: 0, clocks: 0, channels: 0, references: 0 });
        }
        Programs { network, tables: Tables::default(), traits: Traits::new(network), contexts, bindings }
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
