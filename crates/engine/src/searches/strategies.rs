//! Strategies that are more than an order of the one loop: what their options are, how they are made for every kind of system,
//! and what it means when they find nothing. Each family is a file beside this one.

use super::States;
use crate::explicit::Sought;
use crate::options::row::{Choices, Group, OptionRow, Value};
use crate::options::{Options, Preference};
use refine::error::Open;
use refine::explore::{self, Exploration};
use refine::pairs::{self, Pair, Pairs};
use refine::refinement::BreaksRule;
use refine::zone_state::ZoneState;
use search::budget::Limits;
use search::deep_random::Fringe;
use search::equality::{Equality, EqualityGoal};
use search::goal::StateGoal;
use search::graph::{EdgeId, Graph};
use search::statistics::Statistics;
use search::strategy::{Simulations, Strategy};
use search::system::TransitionSystem;
use semantics::code::RunError;
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{State, ZoneGraph};
use std::convert::Infallible;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// When a state has been there before.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Comparison {
    /// When a stored state covers it.
    #[default]
    Inclusion,
    /// When it is the same, zone and all.
    Equality,
}

/// The options of these strategies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StrategyOptions {
    /// States that may be explored; of a simulation, that each may visit.
    pub states: Option<u64>,
    /// Lanes of a highway.
    pub width: NonZeroUsize,
    /// Simulations after the first.
    pub restarts: u64,
    pub cutoff: Option<u32>,
    pub increment: Option<NonZeroU32>,
    pub fringe: Fringe,
    pub comparison: Comparison,
}

impl Default for StrategyOptions {
    fn default() -> StrategyOptions {
        StrategyOptions {
            states: None,
            width: NonZeroUsize::MIN.saturating_add(31),
            restarts: 0,
            cutoff: None,
            increment: None,
            fringe: Fringe::Nodes,
            comparison: Comparison::Inclusion,
        }
    }
}

/// States that a simulation may visit where nothing else is said: what the paper on highway search takes.
pub const SIMULATED: u64 = 50_000;

/// Ways to compare states.
pub static COMPARISONS: Choices<Comparison> = Choices {
    named: &[("inclusion", Comparison::Inclusion), ("equality", Comparison::Equality)],
    set: |options, comparison| options.strategies.comparison = comparison,
};

pub static COMPARE: OptionRow = OptionRow {
    name: "compare",
    value: Value::Choice(&COMPARISONS),
    word: "NAME",
    default: Some("inclusion"),
    group: Group::Strategies,
    is_common: false,
    help: "Drs and highway: whether a zone within a known one is new",
};

pub static RESTARTS: OptionRow = OptionRow {
    name: "restarts",
    value: Value::Integer { least: 0, most: u64::MAX, set: |options, more| options.strategies.restarts = more },
    word: "N",
    default: Some("0"),
    group: Group::Strategies,
    is_common: false,
    help: "Random and highway: how many more simulations are made when one finds nothing",
};

/// A strategy, as it is made for each kind of system. The macro `for_every_system` makes all of them from one function.
#[derive(Clone, Copy)]
pub struct Own {
    pub of_zones: for<'a, 'n> fn(&'a ZoneGraph<'n>, PredicateGoal, Setting<'_>) -> OfZones<'a>,
    /// Zones that are not compared.
    pub of_unequal_zones:
        for<'a, 'g, 'n> fn(&'a Equality<'g, ZoneGraph<'n>>, EqualityGoal<PredicateGoal>, Setting<'_>) -> OfZones<'a>,
    pub of_graph: for<'a> fn(&'a Graph, Sought, Setting<'_>) -> OfGraph<'a>,
    pub of_pairs: for<'a, 'w, 'n> fn(&'a Pairs<'w, 'n>, BreaksRule, Setting<'_>) -> OfPairs<'a>,
    pub of_unequal_pairs:
        for<'a, 'g, 'w, 'n> fn(&'a Equality<'g, Pairs<'w, 'n>>, EqualityGoal<BreaksRule>, Setting<'_>) -> OfPairs<'a>,
    pub of_system: for<'a, 'w, 'n> fn(&'a Exploration<'w, 'n>, SystemGoal<'a>, Setting<'_>) -> OfSystem<'a>,
    pub of_unequal_system: for<'a, 'g, 'w, 'n> fn(
        &'a Equality<'g, Exploration<'w, 'n>>,
        EqualityGoal<SystemGoal<'a>>,
        Setting<'_>,
    ) -> OfSystem<'a>,
    /// It looks at some states only, and a limit of states is one of each simulation.
    pub simulates: bool,
    /// Why there is no answer when it has ended without one.
    pub nothing: fn(&Options, &Statistics) -> String,
}

pub type OfZones<'a> = Box<dyn Strategy<State = State, Label = u32, Error = RunError> + 'a>;
pub type OfGraph<'a> = Box<dyn Strategy<State = u32, Label = EdgeId, Error = Infallible> + 'a>;
pub type OfPairs<'a> = Box<dyn Strategy<State = Pair, Label = pairs::Label, Error = Open> + 'a>;
pub type OfSystem<'a> = Box<dyn Strategy<State = ZoneState, Label = explore::Label, Error = Open> + 'a>;

/// A predicate over the states of a timed I/O system.
pub type SystemGoal<'a> = StateGoal<Box<dyn FnMut(&ZoneState) -> bool + 'a>>;

/// The same for any system.
pub type Of<'a, T> = Box<
    dyn Strategy<
            State = <T as TransitionSystem>::State,
            Label = <T as TransitionSystem>::Label,
            Error = <T as TransitionSystem>::Error,
        > + 'a,
>;

/// What a strategy is made with.
pub struct Setting<'o> {
    pub options: &'o Options,
    pub limits: Limits,
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Setting<'_> {
    /// How a simulation is made, and the limits of all of them together.
    pub fn simulations(&self) -> (Simulations, Limits) {
        let states = self.limits.explored.or(Some(SIMULATED));
        let restarts = self.options.strategies.restarts;
        (Simulations { states, restarts }, Limits { explored: None, ..self.limits })
    }
}

/// A strategy that is made by one function for any system.
macro_rules! for_every_system {
    ($make:ident, simulates: $simulates:expr, nothing: $nothing:expr) => {
        $crate::searches::strategies::Own {
            of_zones: |graph, goal, setting| $make(graph, goal, setting),
            of_unequal_zones: |graph, goal, setting| $make(graph, goal, setting),
            of_graph: |graph, goal, setting| $make(graph, goal, setting),
            of_pairs: |pairs, goal, setting| $make(pairs, goal, setting),
            of_unequal_pairs: |pairs, goal, setting| $make(pairs, goal, setting),
            of_system: |system, goal, setting| $make(system, goal, setting),
            of_unequal_system: |system, goal, setting| $make(system, goal, setting),
            simulates: $simulates,
            nothing: $nothing,
        }
    };
}
pub(super) use for_every_system;

/// The strategy that the options ask for, if it is one with a loop of its own. A shortest run is found breadth first.
pub fn own(options: &Options) -> Option<&'static Own> {
    match &options.search.row().ways.states.as_ref()?.make {
        States::Own(own) if options.preference == Preference::Any => Some(own),
        _ => None,
    }
}

/// Why there is no answer when a search ended that proves nothing.
pub fn nothing(own: Option<&Own>, options: &Options, statistics: &Statistics) -> String {
    own.map_or_else(|| "the search was cut off".to_owned(), |own| (own.nothing)(options, statistics))
}

/// What it means that simulations have found nothing.
pub(super) fn not_met(_: &Options, statistics: &Statistics) -> String {
    let visited = format!("in {} states", statistics.explored);
    let who = match statistics.restarts {
        0 => "the simulation did not meet it".to_owned(),
        restarts => format!("none of {} simulations met it", restarts + 1),
    };
    format!("{who} {visited}, which does not show that there is nothing")
}
