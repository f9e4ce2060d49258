//! Directed searches: which heuristic and which search the options ask for, and what they report.

use super::{SearchRow, States, Way, Ways};
use crate::curves::{Curves, Series};
use crate::options::common::{EXTENT, PROOF};
use crate::options::row::{Choices, Group, Lists, OptionRow, Reals, Rows, Value};
use crate::options::{Options, Preference};
use heuristics::directed::{Logged, Settings};
use heuristics::network::Kind;
use model::network::{ExprId, Network};
use search::best_first;
use search::random::Random;
use search::statistics::Statistics;
use semantics::formula::{Formula, of_predicate};
use serde::Serialize;

pub static GBFS: SearchRow = SearchRow {
    name: "gbfs",
    help: "Greedy: the state that seems nearest to the goal first",
    when: "Take it where the goal is about locations and integers of many processes.",
    proves: true,
    ways: following(Flavour::Greedy, &[EXTENT, PROOF, FOLLOWED]),
};

pub static ASTAR: SearchRow = SearchRow {
    name: "astar",
    help: "A*: the fewest steps so far plus estimate first; the shortest runs with null, dL and hL",
    when: "Take it where a short run is wanted and breadth first sees too many states.",
    proves: true,
    ways: following(Flavour::Total, &[EXTENT, PROOF, FOLLOWED]),
};

pub static UT: SearchRow = SearchRow {
    name: "ut",
    help: "As gbfs, but transitions that seem useless are put off",
    when: "Take it where few of many transitions matter for the goal.",
    proves: true,
    ways: following(Flavour::UselessLast, &[EXTENT, PROOF, FOLLOWED]),
};

pub static UA: SearchRow = SearchRow {
    name: "ua",
    help: "As gbfs, with the transitions of relaxed plans only, and more when they lead to nothing better",
    when: "Take it on networks with very many transitions.",
    proves: true,
    ways: following(Flavour::UnderApproximation, &[EXTENT, PROOF, FOLLOWED, PERMITTED]),
};

/// Heuristics are for states.
const fn following(flavour: Flavour, options: Lists) -> Ways {
    Ways { states: Some(Way { make: States::Directed(flavour), options }), ..Ways::NONE }
}

/// The ways to follow a heuristic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    Greedy,
    /// A*.
    Total,
    UselessLast,
    UnderApproximation,
}

impl Flavour {
    /// What suits it where no heuristic is given.
    fn heuristic(self) -> Kind {
        match self {
            Flavour::Total => Kind::Layers,
            Flavour::Greedy | Flavour::UselessLast | Flavour::UnderApproximation => Kind::RelaxedPlan,
        }
    }
}

/// The heuristics.
pub static HEURISTICS: Choices<Kind> = Choices {
    named: &[
        ("null", Kind::Null),
        ("dL", Kind::LargestDistance),
        ("dU", Kind::SumOfDistances),
        ("hL", Kind::Layers),
        ("hU", Kind::RelaxedPlan),
    ],
    set: |options, kind| options.heuristic = Some(kind),
};

/// A row about directed searches.
const fn row(
    name: &'static str,
    value: Value,
    word: &'static str,
    default: Option<&'static str>,
    help: &'static str,
) -> OptionRow {
    OptionRow { name, value, word, default, group: Group::Directed, is_common: false, help }
}

pub static HEURISTIC: OptionRow = OptionRow {
    is_common: true,
    ..row(
        "heuristic",
        Value::Choice(&HEURISTICS),
        "NAME",
        None,
        "Nothing, the largest or summed graph distance, the layers or the length of a relaxed plan [default: hU; astar: hL]",
    )
};

/// Which of several best states goes first.
pub static TIES: Choices<Tie> = Choices {
    named: &[("lifo", Tie::Lifo), ("fifo", Tie::Fifo), ("random", Tie::Random)],
    set: |options, tie| options.directed.tie = tie,
};

pub static TIE: OptionRow = row(
    "tie",
    Value::Choice(&TIES),
    "NAME",
    Some("lifo"),
    "Which of several best states goes first, the newest, the oldest or any",
);

pub static EXPLORATION: OptionRow = row(
    "exploration",
    Value::Real { range: Reals::Chance, set: |options, chance| options.directed.exploration = chance },
    "P",
    Some("0"),
    "With this probability any state that waits is taken, not the best",
);

pub static PREFERRED: OptionRow = row(
    "preferred",
    Value::Switch(|options| options.directed.preferred = true),
    "",
    None,
    "States by transitions of relaxed plans wait in a second queue",
);

pub static PLATEAU_GUARD: OptionRow = row(
    "plateau-guard",
    Value::Integer { least: 0, most: u64::MAX, set: |options, guard| options.directed.plateau_guard = guard },
    "N",
    Some("0"),
    "Ua: permit more transitions after more than N states in a row that led to nothing better",
);

pub static USELESS: OptionRow = row(
    "useless",
    Value::Switch(|options| options.directed.useless = true),
    "",
    None,
    "Ua: put transitions off that seem useless, as ut does",
);

/// Whether values are remembered.
pub static CACHES: Choices<bool> =
    Choices { named: &[("on", true), ("off", false)], set: |options, cache| options.directed.cache = cache };

pub static CACHE_HEURISTIC: OptionRow = row(
    "cache-heuristic",
    Value::Choice(&CACHES),
    "SWITCH",
    Some("on"),
    "Remember the heuristic values of discrete states",
);

pub static LOG_HEURISTIC: OptionRow = row(
    "log-heuristic",
    Value::File(|options| options.directed.log = true),
    "FILE",
    None,
    "Write the heuristic value of each explored state as CSV; `zonewalk plot` draws it",
);

const FOLLOWED: Rows = &[&HEURISTIC, &TIE, &EXPLORATION, &PREFERRED, &CACHE_HEURISTIC, &LOG_HEURISTIC];
const PERMITTED: Rows = &[&PLATEAU_GUARD, &USELESS];

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

/// The search that the options ask for, if it is a directed one. A shortest or fastest run has an order of its own.
pub fn wanted(options: &Options) -> Option<Wanted> {
    let flavour = match options.search.ways.states.as_ref()?.make {
        States::Directed(flavour) if options.preference == Preference::Any => flavour,
        _ => return None,
    };
    let kind = options.heuristic.unwrap_or(flavour.heuristic());
    let directed = &options.directed;
    let is_narrow = flavour == Flavour::UnderApproximation;
    let settings = Settings {
        value: if flavour == Flavour::Total { best_first::Value::Total } else { best_first::Value::Greedy },
        ties: match directed.tie {
            Tie::Lifo => best_first::Ties::Lifo,
            Tie::Fifo => best_first::Ties::Fifo,
            Tie::Random => best_first::Ties::Random(Random::new(options.seed)),
        },
        epsilon: directed.exploration,
        prefers: directed.preferred,
        useless: flavour == Flavour::UselessLast || is_narrow && directed.useless,
        // Behind a dead end there is no goal, but there may be an error of the model, of which "nowhere" would say nothing.
        plateau_guard: is_narrow.then_some(directed.plateau_guard),
        seed: options.seed,
    };
    let plans = is_narrow || directed.preferred;
    let (name, heuristic) = (options.search.name, HEURISTICS.name(kind).unwrap_or_default());
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
