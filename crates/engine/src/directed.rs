//! Directed searches: which heuristic and which search the options ask for, and what they report.

use crate::curves::{Curves, Series};
use crate::options::{Options, Preference};
use heuristics::directed::{Logged, Settings};
use heuristics::network::Kind;
use model::network::{ExprId, Network};
use search::best_first::{Ties, Value};
use search::random::Random;
use search::statistics::Statistics;
use semantics::formula::{Formula, of_predicate};
use serde::Serialize;

/// The searches that follow a heuristic.
pub const DIRECTED: &[&str] = &["gbfs", "astar", "ut", "ua"];

pub const TIES: &[&str] = &["lifo", "fifo", "random"];

/// The options of directed searches.
#[derive(Clone, PartialEq, Debug)]
pub struct DirectedOptions {
    pub tie: Tie,
    /// The probability with which any waiting successor is taken.
    pub exploration: f64,
    pub preferred: bool,
    /// Under-approximation puts useless transitions off as well.
    pub useless: bool,
    pub plateau_guard: u64,
    pub cache: bool,
    /// Keep the heuristic value of every explored state.
    pub log: bool,
}

impl Default for DirectedOptions {
    fn default() -> DirectedOptions {
        DirectedOptions {
            tie: Tie::Lifo,
            exploration: 0.0,
            preferred: false,
            useless: false,
            plateau_guard: 0,
            cache: true,
            log: false,
        }
    }
}

/// Which of several successors with the same value goes first.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Tie {
    /// The newest.
    #[default]
    Lifo,
    Fifo,
    Random,
}

/// The tie-break of a name.
pub fn tie(name: &str) -> Tie {
    match name {
        "fifo" => Tie::Fifo,
        "random" => Tie::Random,
        _ => Tie::Lifo,
    }
}

/// A directed search.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub name: &'static str,
    pub heuristic: &'static str,
    pub kind: Kind,
    pub settings: Settings,
    /// Relaxed plans are needed, whatever the heuristic.
    pub plans: bool,
    pub cache: bool,
    pub log: bool,
}

const NAMES: [(&str, Kind); 5] = [
    ("null", Kind::Null),
    ("dL", Kind::LargestDistance),
    ("dU", Kind::SumOfDistances),
    ("hL", Kind::Layers),
    ("hU", Kind::RelaxedPlan),
];

/// The search that the options ask for, if it is a directed one. A shortest or fastest run has an order of its own.
pub fn wanted(options: &Options) -> Option<Wanted> {
    if options.preference != Preference::Any {
        return None;
    }
    let name = DIRECTED.iter().find(|name| **name == options.search)?;
    let given = options.heuristic.as_deref();
    let (heuristic, kind) = NAMES.into_iter().find(|(name, _)| Some(*name) == given).unwrap_or(match *name {
        "astar" => ("hL", Kind::Layers),
        _ => ("hU", Kind::RelaxedPlan),
    });
    let directed = &options.directed;
    let settings = Settings {
        value: if *name == "astar" { Value::Total } else { Value::Greedy },
        ties: match directed.tie {
            Tie::Lifo => Ties::Lifo,
            Tie::Fifo => Ties::Fifo,
            Tie::Random => Ties::Random(Random::new(options.seed)),
        },
        epsilon: directed.exploration,
        prefers: directed.preferred,
        useless: *name == "ut" || *name == "ua" && directed.useless,
        // Behind a dead end there is no goal, but there may be an error of the model, of which "nowhere" would say nothing.
        plateau_guard: (*name == "ua").then_some(directed.plateau_guard),
        seed: options.seed,
    };
    let plans = *name == "ua" || directed.preferred;
    Some(Wanted { name, heuristic, kind, settings, plans, cache: directed.cache, log: directed.log })
}

/// Why the heuristic is none for this search and goal.
pub fn misfit(wanted: &Wanted, network: &Network, goal: ExprId, options: &Options) -> Option<String> {
    if let Some(text) = null_misfit(wanted) {
        return Some(text);
    }
    let given = options.heuristic.is_some();
    let formula = of_predicate(network, goal);
    let blind = formula == Formula::Unknown || formula == Formula::TRUE;
    (given && wanted.kind != Kind::Null && blind).then(|| {
        format!(
            "the heuristic {} counts locations and integers, and this goal is about neither; use --heuristic null",
            wanted.heuristic
        )
    })
}

/// What a search without any heuristic cannot do.
pub fn null_misfit(wanted: &Wanted) -> Option<String> {
    let useless = wanted.settings.useless && wanted.kind == Kind::Null;
    useless.then(|| "without a heuristic no transition seems useless; use another one than --heuristic null".to_owned())
}

/// What a directed search reports beside what all do.
#[derive(Clone, Copy, Serialize, Debug)]
pub struct DirectedStats {
    pub heuristic: &'static str,
    /// Estimates that were computed.
    pub evaluations: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under_approximation: Option<UnderApproximation>,
}

/// The transitions of an under-approximation.
#[derive(Clone, Copy, Serialize, Debug)]
pub struct UnderApproximation {
    pub refinements: u64,
    /// How many transitions were permitted, how many of them the run has, and how many the network has.
    pub allowed: u64,
    pub used: u64,
    pub all: u64,
    /// `allowed / all`
    pub share: f64,
}

pub fn stats(wanted: &Wanted, statistics: &Statistics) -> DirectedStats {
    let share = statistics.allowed as f64 / statistics.transitions.max(1) as f64;
    let under_approximation = wanted.settings.plateau_guard.map(|_| UnderApproximation {
        refinements: statistics.refinements,
        allowed: statistics.allowed,
        used: statistics.used,
        all: statistics.transitions,
        share: (share * 1e4).round() / 1e4,
    });
    DirectedStats { heuristic: wanted.heuristic, evaluations: statistics.evaluations, under_approximation }
}

/// What the axes of that curve show.
pub const EXPLORED: &str = "explored states";
pub const HEURISTIC_VALUE: &str = "heuristic value";

/// The heuristic values of the explored states as a curve.
pub fn curve(wanted: &Wanted, log: &[Logged]) -> Curves {
    let points = (1..).zip(log).map(|(n, logged)| (f64::from(n), f64::from(logged.estimate))).collect();
    let name = format!("{} {}", wanted.name, wanted.heuristic);
    Curves { series: vec![Series { name, run: 0, points }], x: EXPLORED.to_owned(), y: HEURISTIC_VALUE.to_owned() }
}
