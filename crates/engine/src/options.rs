//! The options of a search: one table that feeds the command line, the documentation and the suites.

use crate::directed::{DirectedOptions, TIES};
use crate::strategies::{Comparison, StrategyOptions};
use model::network::ExprId;
use search::deep_random::Fringe;
use walk::delay::DelayChoice;
use walk::depth::Depth;
use walk::guide::Guide;

/// The way of a name to choose delays.
pub fn delays(name: &str) -> DelayChoice {
    match name {
        "uniform" => DelayChoice::Uniform,
        "predefined" => DelayChoice::Predefined,
        "habits" => DelayChoice::Habits,
        "mixed" => DelayChoice::Mixed,
        _ => DelayChoice::Changing,
    }
}

/// The way of a name to make walks longer.
pub fn depth(name: &str) -> Depth {
    match name {
        "luby" => Depth::Luby { unit: 16 },
        _ => Depth::default(),
    }
}

const NAMED_GUIDES: [(&str, Guide); 4] =
    [("bias", Guide::Bias), ("archive", Guide::Archive), ("split", Guide::Split), ("mutate", Guide::Mutate)];

/// The guide of a name.
pub fn guide(name: &str) -> Guide {
    NAMED_GUIDES.into_iter().find(|(known, _)| *known == name).map_or(Guide::None, |(_, guide)| guide)
}

/// The name of a guide, if there is one.
pub fn guide_name(guide: Guide) -> Option<&'static str> {
    NAMED_GUIDES.into_iter().find(|(_, known)| *known == guide).map(|(name, _)| name)
}

/// What deep random search leaves in its fringe, by name.
pub fn fringe(name: &str) -> Fringe {
    match name {
        "children" => Fringe::Children,
        _ => Fringe::Nodes,
    }
}

/// The way of a name to compare states.
pub fn comparison(name: &str) -> Comparison {
    match name {
        "equality" => Comparison::Equality,
        _ => Comparison::Inclusion,
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// Without the leading `--`.
    pub name: &'static str,
    /// What stands for the value in the help; empty for a switch.
    pub value: &'static str,
    /// The words that are allowed; empty when the value is a number or free.
    pub values: &'static [&'static str],
    pub default: Option<&'static str>,
    pub help: &'static str,
}

pub const SEARCHES: &[&str] = &[
    "auto",
    "dive",
    "rank",
    "bfs",
    "dfs",
    "rdfs",
    "random",
    "drs",
    "highway",
    "highway-approx",
    "gbfs",
    "astar",
    "ut",
    "ua",
    "sem",
    "ret",
    "rcf",
    "rlc",
    "rlc-a",
];

/// Searches by random walks.
pub const WALKS: &[&str] = &["sem", "ret", "rcf", "rlc", "rlc-a"];

pub const DELAYS: &[&str] = &["uniform", "predefined", "changing", "habits", "mixed"];

pub const DEPTHS: &[&str] = &["doubling", "luby"];

/// Searches by simulation, which prove nothing.
pub const SIMULATIONS: &[&str] = &["random", "highway", "highway-approx"];

pub const FRINGES: &[&str] = &["nodes", "children"];

pub const COMPARISONS: &[&str] = &["inclusion", "equality"];

pub const GUIDES: &[&str] = &["none", "bias", "archive", "split", "mutate"];

pub const HEURISTICS: &[&str] = &["null", "dL", "dU", "hL", "hU"];

pub const OPTIONS: &[OptionRow] = &[
    OptionRow {
        name: "search",
        value: "NAME",
        values: SEARCHES,
        default: Some("auto"),
        help: "How to search: several ways at once (auto), every state (dive to rdfs, drs), some (random, highway), by heuristics (gbfs to ua), by random walks (sem to rlc-a)",
    },
    OptionRow {
        name: "heuristic",
        value: "NAME",
        values: HEURISTICS,
        default: None,
        help: "Gbfs, astar, ut, ua: nothing, the largest or summed graph distance, the layers or the length of a relaxed plan [default: hU; astar: hL]",
    },
    OptionRow {
        name: "tie",
        value: "NAME",
        values: TIES,
        default: Some("lifo"),
        help: "Directed searches: which of several best states goes first, the newest, the oldest or any",
    },
    OptionRow {
        name: "exploration",
        value: "P",
        values: &[],
        default: Some("0"),
        help: "Directed searches: with this probability any state that waits is taken, not the best",
    },
    OptionRow {
        name: "preferred",
        value: "",
        values: &[],
        default: None,
        help: "Directed searches: states by transitions of relaxed plans wait in a second queue",
    },
    OptionRow {
        name: "plateau-guard",
        value: "N",
        values: &[],
        default: Some("0"),
        help: "Ua: permit more transitions after more than N states in a row that led to nothing better",
    },
    OptionRow {
        name: "useless",
        value: "",
        values: &[],
        default: None,
        help: "Ua: put transitions off that seem useless, as ut does",
    },
    OptionRow {
        name: "cache-heuristic",
        value: "SWITCH",
        values: &["on", "off"],
        default: Some("on"),
        help: "Directed searches: remember the heuristic values of discrete states",
    },
    OptionRow {
        name: "log-heuristic",
        value: "FILE",
        values: &[],
        default: None,
        help: "Directed searches: write the heuristic value of each explored state as CSV; `zonewalk plot` draws it",
    },
    OptionRow { name: "seed", value: "N", values: &[], default: Some("1"), help: "Start of all random choices" },
    OptionRow {
        name: "threads",
        value: "N",
        values: &[],
        default: None,
        help: "How many threads to use [default: all cores]",
    },
    OptionRow {
        name: "time-limit",
        value: "TIME",
        values: &[],
        default: None,
        help: "Stop a query after this time, such as 60s, 5m or 1h",
    },
    OptionRow {
        name: "memory-limit",
        value: "SIZE",
        values: &[],
        default: None,
        help: "Stop a query at this much memory, such as 500M or 4G",
    },
    OptionRow {
        name: "max-depth",
        value: "N",
        values: &[],
        default: None,
        help: "Look no deeper than this many steps",
    },
    OptionRow {
        name: "delay",
        value: "NAME",
        values: DELAYS,
        default: Some("changing"),
        help: "When a random walk takes a step: any moment, the ends of its window 40 % each, eleven mixtures in turn, every process always early or always late for a while, or that in every second walk (in place of the default in `auto` where clocks can stop)",
    },
    OptionRow {
        name: "depth",
        value: "NAME",
        values: DEPTHS,
        default: Some("doubling"),
        help: "How long random walks may become, where --max-depth does not say",
    },
    OptionRow {
        name: "walks",
        value: "N",
        values: &[],
        default: None,
        help: "Stop a query after this many random walks; drs: walks from the initial state before others [default: 1]",
    },
    OptionRow {
        name: "states",
        value: "N",
        values: &[],
        default: None,
        help: "Explore at most this many states; random and highway: in each simulation [default there: 50000]",
    },
    OptionRow {
        name: "width",
        value: "N",
        values: &[],
        default: Some("32"),
        help: "Highway: how many states of each level are kept",
    },
    OptionRow {
        name: "restarts",
        value: "N",
        values: &[],
        default: Some("0"),
        help: "Random and highway: how many more simulations are made when one finds nothing",
    },
    OptionRow {
        name: "cutoff",
        value: "N",
        values: &[],
        default: None,
        help: "Drs: look no deeper than this many steps",
    },
    OptionRow {
        name: "increment",
        value: "N",
        values: &[],
        default: None,
        help: "Drs: first look this deep, then deeper by as much again; 1 finds the shortest runs [default: no steps]",
    },
    OptionRow {
        name: "fringe",
        value: "NAME",
        values: FRINGES,
        default: Some("nodes"),
        help: "Drs: what waits, states with successors that were not taken or these successors",
    },
    OptionRow {
        name: "compare",
        value: "NAME",
        values: COMPARISONS,
        default: Some("inclusion"),
        help: "Drs and highway: whether a zone within a known one is new",
    },
    OptionRow {
        name: "guide",
        value: "NAME",
        values: GUIDES,
        default: Some("none"),
        help: "What random walks remember: a leaning towards the goal, an archive of states, the best states of each generation, a good walk to change",
    },
    OptionRow {
        name: "level",
        value: "EXPR",
        values: &[],
        default: None,
        help: "An integer expression that is greater where the goal is nearer, for --guide archive, split (then the default) and mutate",
    },
    OptionRow { name: "shortest", value: "", values: &[], default: None, help: "Find a run with the fewest steps" },
    OptionRow { name: "fastest", value: "", values: &[], default: None, help: "Find a run that takes the least time" },
    OptionRow {
        name: "trace",
        value: "FORM",
        values: &["text", "json", "none"],
        default: Some("text"),
        help: "How to show a run",
    },
    OptionRow {
        name: "certify",
        value: "",
        values: &[],
        default: None,
        help: "Check a certificate when an E<> or A[] query has no witness, and a relation when a refinement holds",
    },
    OptionRow {
        name: "certificate",
        value: "FILE",
        values: &[],
        default: None,
        help: "Write that certificate or relation to a file; the number of the query is added when there are several",
    },
    OptionRow {
        name: "component",
        value: "FILE",
        values: &[],
        default: None,
        help: "Write the component that get-component: or prune: makes, as ECDAR's JSON if the name ends so, else as a model in XML",
    },
    OptionRow {
        name: "alpha",
        value: "P",
        values: &[],
        default: Some("0.05"),
        help: "Statistics: intervals have confidence 1 - P; a test calls a true claim false with at most P",
    },
    OptionRow {
        name: "beta",
        value: "P",
        values: &[],
        default: Some("0.05"),
        help: "Statistics: a test calls a false claim true with at most P",
    },
    OptionRow {
        name: "epsilon",
        value: "P",
        values: &[],
        default: Some("0.05"),
        help: "Statistics: how far an estimate may lie from the ends of its interval",
    },
    OptionRow {
        name: "delta",
        value: "P",
        values: &[],
        default: Some("0.01"),
        help: "Statistics: how far from its bound a probability that is tested need not be told apart from it",
    },
    OptionRow {
        name: "lower-delta",
        value: "P",
        values: &[],
        default: None,
        help: "Statistics: the same below its bound only",
    },
    OptionRow {
        name: "upper-delta",
        value: "P",
        values: &[],
        default: None,
        help: "Statistics: the same above its bound only",
    },
    OptionRow {
        name: "u0",
        value: "RATIO",
        values: &[],
        default: Some("0.9"),
        help: "Statistics: odds up to which the left of two compared probabilities counts as smaller",
    },
    OptionRow {
        name: "u1",
        value: "RATIO",
        values: &[],
        default: Some("1.1"),
        help: "Statistics: odds from which it counts as larger",
    },
    OptionRow {
        name: "discretization",
        value: "TIME",
        values: &[],
        default: Some("0.01"),
        help: "Statistics: the longest time step for clocks whose rates change while time passes",
    },
    OptionRow {
        name: "csv",
        value: "FILE",
        values: &[],
        default: None,
        help: "Write the curves of a simulation or of an estimate to a file; numbered as --certificate is",
    },
    OptionRow {
        name: "plot",
        value: "FILE",
        values: &[],
        default: None,
        help: "Draw the same curves as an SVG picture",
    },
];

/// The options of one run.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    pub search: String,
    pub heuristic: Option<String>,
    pub directed: DirectedOptions,
    pub seed: u64,
    pub threads: Option<usize>,
    pub time_limit: Option<std::time::Duration>,
    pub memory_limit: Option<u64>,
    pub max_depth: Option<u64>,
    pub delays: DelayChoice,
    pub depth: Depth,
    pub guide: Guide,
    /// What tells guided walks how near the goal is; an expression of the model's network.
    pub level: Option<ExprId>,
    /// How many random walks there may be.
    pub walks: Option<u64>,
    pub strategies: StrategyOptions,
    pub preference: Preference,
    pub statistics: StatisticalOptions,
    pub certify: bool,
    /// Keep the certificate in the answer.
    pub keep_certificate: bool,
}

/// How sure and how precise statistics are to be; the names are those of `verifyta`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StatisticalOptions {
    pub alpha: f64,
    pub beta: f64,
    pub epsilon: f64,
    pub lower_delta: f64,
    pub upper_delta: f64,
    pub u0: f64,
    pub u1: f64,
    pub discretization: f64,
}

impl Default for StatisticalOptions {
    fn default() -> StatisticalOptions {
        StatisticalOptions {
            alpha: 0.05,
            beta: 0.05,
            epsilon: 0.05,
            lower_delta: 0.01,
            upper_delta: 0.01,
            u0: 0.9,
            u1: 1.1,
            discretization: 0.01,
        }
    }
}

/// Which run to look for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Preference {
    #[default]
    Any,
    Shortest,
    Fastest,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            search: "auto".to_owned(),
            heuristic: None,
            directed: DirectedOptions::default(),
            seed: 1,
            threads: None,
            time_limit: None,
            memory_limit: None,
            max_depth: None,
            delays: DelayChoice::default(),
            depth: Depth::default(),
            guide: Guide::default(),
            level: None,
            walks: None,
            strategies: StrategyOptions::default(),
            preference: Preference::Any,
            statistics: StatisticalOptions::default(),
            certify: false,
            keep_certificate: false,
        }
    }
}

/// `60s`, `5m`, `1h`, `500ms`; a bare number counts seconds.
pub fn parse_time(text: &str) -> Result<std::time::Duration, String> {
    let units = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("", 1_000)];
    parse_scaled(text, &units)
        .map(std::time::Duration::from_millis)
        .ok_or_else(|| format!("`{text}` is not a time; write for example 500ms, 60s, 5m or 1h"))
}

/// `500M`, `4G`, `64K`; a bare number counts bytes.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let units = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("T", 1 << 40), ("", 1)];
    let trimmed = text.trim_end_matches("iB").trim_end_matches('B');
    parse_scaled(trimmed, &units).ok_or_else(|| format!("`{text}` is not a size; write for example 500M or 4G"))
}

/// A number strictly between 0 and 1.
pub fn parse_probability(text: &str) -> Result<f64, String> {
    let value = text.trim().parse::<f64>().ok().filter(|value| *value > 0.0 && *value < 1.0);
    value.ok_or_else(|| format!("`{text}` is not a number between 0 and 1"))
}

/// A number from 0 on, and below 1.
pub fn parse_chance(text: &str) -> Result<f64, String> {
    let value = text.trim().parse::<f64>().ok().filter(|value| (0.0..1.0).contains(value));
    value.ok_or_else(|| format!("`{text}` is not a number from 0 up to, but not including, 1"))
}

/// A number greater than 0.
pub fn parse_positive(text: &str) -> Result<f64, String> {
    let value = text.trim().parse::<f64>().ok().filter(|value| *value > 0.0 && value.is_finite());
    value.ok_or_else(|| format!("`{text}` is not a number greater than 0"))
}

fn parse_scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    units.iter().find_map(|(unit, scale)| {
        let number = text.trim().strip_suffix(unit)?.trim();
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| number.parse::<u64>().ok()?.checked_mul(*scale)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::{parse_chance, parse_positive, parse_probability, parse_size, parse_time};

    #[test]
    fn probabilities_lie_between_0_and_1() {
        assert_eq!(parse_probability("0.05"), Ok(0.05));
        assert_eq!(parse_positive("1.1"), Ok(1.1));
        for wrong in ["", "0", "1", "-0.5", "nan", "5 %"] {
            assert!(parse_probability(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_chance("0"), Ok(0.0));
        for wrong in ["", "1", "-0.1", "nan"] {
            assert!(parse_chance(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "0", "-1", "inf", "nan"] {
            assert!(parse_positive(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_and_sizes_have_units() {
        let times = [("500ms", 500), ("60s", 60_000), ("5m", 300_000), ("1h", 3_600_000), ("7", 7_000)];
        for (text, millis) in times {
            assert_eq!(parse_time(text).map(|time| time.as_millis()), Ok(millis), "{text}");
        }
        for (text, bytes) in [("4G", 4 << 30), ("500M", 500 << 20), ("64KiB", 64 << 10), ("12", 12)] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for wrong in ["", "s", "-1s", "1.5x", "99999999999999999999G"] {
            assert!(parse_time(wrong).is_err() && parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
