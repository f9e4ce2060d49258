//! Strategies that are more than an order of the one loop: random simulation, highway search and deep random search. What their
//! options are, how they are made for any system, and what it means when they find nothing.

use crate::options::{Options, Preference};
use search::budget::Limits;
use search::deep_random::{DeepRandom, Fringe, Settings};
use search::goal::Goal;
use search::highway::Highway;
use search::lanes::Selection;
use search::random_simulation::RandomSimulation;
use search::statistics::Statistics;
use search::strategy::{Simulations, Strategy};
use search::system::{Covering, TransitionSystem};
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

/// One of these strategies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    Random,
    Highway(Selection),
    DeepRandom,
}

/// The strategy that the options ask for, if it is one of these. A shortest run is found breadth first.
pub fn named(options: &Options) -> Option<Named> {
    match options.search.as_str() {
        _ if options.preference != Preference::Any => None,
        "random" => Some(Named::Random),
        "highway" => Some(Named::Highway(Selection::Ideal)),
        "highway-approx" => Some(Named::Highway(Selection::Approximate)),
        "drs" => Some(Named::DeepRandom),
        _ => None,
    }
}

/// Whether it simulates, and so proves nothing.
pub fn is_simulation(strategy: Named) -> bool {
    matches!(strategy, Named::Random | Named::Highway(_))
}

/// The parameters of deep random search.
pub fn deep_random(options: &Options) -> Settings {
    let depth = options.max_depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX));
    let StrategyOptions { cutoff, increment, fringe, .. } = options.strategies;
    let cutoff = [cutoff, depth].into_iter().flatten().min();
    Settings { walks: options.walks.unwrap_or(1), cutoff, increment, fringe }
}

type Boxed<'a, T> = Box<
    dyn Strategy<
            State = <T as TransitionSystem>::State,
            Label = <T as TransitionSystem>::Label,
            Error = <T as TransitionSystem>::Error,
        > + 'a,
>;

/// A strategy for a system, with its name.
pub fn strategy<'a, T: Covering<State: Clone>, G: Goal<T> + 'a>(
    system: &'a T,
    goal: G,
    strategy: Named,
    options: &Options,
    limits: Limits,
    cancel: Option<Arc<AtomicBool>>,
) -> (&'static str, Boxed<'a, T>) {
    let StrategyOptions { width, restarts, .. } = options.strategies;
    let simulations = Simulations { states: limits.explored.or(Some(SIMULATED)), restarts };
    // The limit is one of each simulation.
    let limits = if is_simulation(strategy) { Limits { explored: None, ..limits } } else { limits };
    let seed = options.seed;
    match strategy {
        Named::Random => {
            let search = RandomSimulation::new(system, goal, seed).simulating(simulations).limited(limits, cancel);
            ("random", Box::new(search))
        }
        Named::Highway(selection) => {
            let name = if selection == Selection::Ideal { "highway" } else { "highway-approx" };
            let search = Highway::new(system, goal, selection, width, seed);
            (name, Box::new(search.simulating(simulations).limited(limits, cancel)))
        }
        Named::DeepRandom => {
            let search = DeepRandom::new(system, goal, deep_random(options), seed);
            ("drs", Box::new(search.limited(limits, cancel)))
        }
    }
}

/// Why there is no answer when a search ended that proves nothing.
pub fn nothing(strategy: Option<Named>, options: &Options, statistics: &Statistics) -> String {
    match strategy {
        Some(Named::DeepRandom) => match deep_random(options).cutoff {
            Some(depth) => format!("there is none up to depth {depth}, and more states lie deeper"),
            None => "the search was cut off".to_owned(),
        },
        Some(_) => {
            let visited = format!("in {} states", statistics.explored);
            let who = match statistics.restarts {
                0 => "the simulation did not meet it".to_owned(),
                restarts => format!("none of {} simulations met it", restarts + 1),
            };
            format!("{who} {visited}, which does not show that there is nothing")
        }
        None => "the search was cut off".to_owned(),
    }
}
