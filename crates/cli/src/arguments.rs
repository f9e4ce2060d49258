//! The command line, built from the engine's table of options.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use engine::directed::{DirectedOptions, tie};
use engine::model::check::Override;
use engine::options::{
    OPTIONS, OptionRow, Options, Preference, StatisticalOptions, parse_chance, parse_positive, parse_probability,
    parse_size, parse_time,
};
use engine::strategies::StrategyOptions;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

const ABOUT: &str = "Checks real-time systems modelled as networks of timed automata";

const EXAMPLES: &str = "\
Examples:
  zonewalk info models/train-gate.xml                 what is in a model
  zonewalk check models/train-gate.xml                answer the queries that the model contains
  zonewalk check models/fischer.xml -D N=5 -q 'A[] not deadlock'

Exit status: 0 every query satisfied, 1 some query violated, 2 bad input, 3 unsupported construct,
4 no verdict for some query, 70 internal error.";

const CHECK_EXAMPLES: &str = "\
Examples:
  zonewalk check train-gate.xml                       the queries inside the model
  zonewalk check fischer.xta fischer.q                the queries of a file
  zonewalk check fischer.xml -q 'E<> P(1).cs' --json  one query, the answer as JSON

  zonewalk check fischer.xml -q 'A[] not deadlock' --certify --time-limit 60s --memory-limit 2G
  zonewalk check jobs.xml -q 'E<> done' --fastest --trace json
  zonewalk check large.xml -q 'E<> error' --search ret --time-limit 60s
  zonewalk check large.xml -q 'A[] not error' --search drs --increment 50
  zonewalk check large.xml -q 'E<> error' --search highway --width 32 --restarts 10
  zonewalk check large.xml -q 'E<> error' --search gbfs --heuristic dU
  zonewalk check large.xml -q 'E<> error' --search ua --plateau-guard 50 --stats --log-heuristic ua.csv
  zonewalk check radio.xml -q 'Pr[<=100](<> Sender.lost)' --epsilon 0.01 --alpha 0.01
  zonewalk check radio.xml -q 'simulate [<=100;5] {load, Sender.x}' --plot load.svg --csv load.csv
  zonewalk check graph.aut -q 'E<> deadlock' -q 'A[] not \"error\"'

An explicit graph (Aldebaran, .aut) is asked `E<> deadlock`, `E<> \"label\"`, `A[] not deadlock` or
`A[] not \"label\"`: whether a state without successors, or a step with that label, is reachable.

Ctrl-C or SIGTERM ends the current search, whose answer is then unknown, and those after it; the report is written
all the same. A second one ends the program.

Queries come from -q, else from the query file, else from the model, else from a file beside the model with the same
name and the ending .q.";

const REFINE_EXAMPLES: &str = "\
Examples:
  zonewalk refine university.xml 'Administration || Researcher || Machine <= Spec'
  zonewalk refine EcdarProject 'Machine <= Spec // Administration // Researcher'
  zonewalk refine milner.xml 'Node <= Spec' -D N=50 --search rcf

The model has IO declarations, or is the folder of an ECDAR project. A system is a component, a
composition (||), a conjunction (&&) or a quotient (// or \\); the name of several processes stands
for all of them composed. As a query of `zonewalk check` the same question is
`refinement: A || B <= S`; there are also `consistency:`, `determinism:`, `specification:`,
`implementation:`, `reachability:`, `prune:` and `get-component:`.

Components have to be deterministic: where one is not, the answer is `violated`, its edges are
shown, and the exit status is 2 (bad input).";

const INFO_EXAMPLES: &str = "\
Examples:
  zonewalk info train-gate.xml
  zonewalk info train-gate.xml -D N=100 --json | jq .totals";

const REPLAY_EXAMPLES: &str = "\
Examples:
  zonewalk check fischer.xml --json > report.json; zonewalk replay fischer.xml report.json
  zonewalk replay fischer.xml trace.json -q 'E<> P(1).cs'
  zonewalk replay fischer.xml certificate.json -q 'A[] not deadlock'
  zonewalk replay machine.xml relation.json -q 'refinement: Machine || Researcher <= Spec'

A trace is replayed step by step with exact times, without the engines that find runs. A report's runs must also show
the verdicts that it gives. What nothing in the file decides, such as a verdict after a search of all states, is printed
as not checked.

Exit status: 0 accepted, 1 refused, 2 bad input, 4 some verdict could not be checked.";

const PLOT_EXAMPLES: &str = "\
Examples:
  zonewalk check large.xml -q 'E<> error' --search gbfs --log-heuristic gbfs.csv
  zonewalk check large.xml -q 'E<> error' --search ua --log-heuristic ua.csv
  zonewalk plot gbfs.csv ua.csv --out curves.svg

Tables are those of `check --log-heuristic` and `check --csv`.

Exit status: 0 drawn, 2 bad input.";

pub fn command() -> Command {
    Command::new("zonewalk")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(check())
        .subcommand(refine())
        .subcommand(info())
        .subcommand(replay())
        .subcommand(plot())
}

fn check() -> Command {
    let command = Command::new("check")
        .about("Answer queries about a model")
        .after_help(CHECK_EXAMPLES)
        .arg(model())
        .arg(
            Arg::new("queries")
                .value_name("QUERIES.q")
                .help("A file of queries, one a line")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("query")
                .short('q')
                .long("query")
                .value_name("QUERY")
                .help("A query; may be given several times")
                .action(ArgAction::Append),
        )
        .arg(define())
        .arg(json())
        .arg(stats());
    OPTIONS.iter().fold(command, |command, row| command.arg(option(row)))
}

fn refine() -> Command {
    let command = Command::new("refine")
        .about("Check whether a timed I/O system refines another")
        .after_help(REFINE_EXAMPLES)
        .arg(model())
        .arg(
            Arg::new("refinement")
                .value_name("REFINEMENT")
                .help("Two systems, such as 'A || B <= S'; also && (conjunction) and // (quotient)")
                .required(true),
        )
        .arg(define())
        .arg(json())
        .arg(stats());
    OPTIONS.iter().fold(command, |command, row| command.arg(option(row)))
}

fn stats() -> Arg {
    Arg::new("stats")
        .long("stats")
        .help("Print how much was searched after each verdict; on terminals it is always printed")
        .action(ArgAction::SetTrue)
}

fn info() -> Command {
    Command::new("info")
        .about("Show what is in a model, and which engines can run it")
        .after_help(INFO_EXAMPLES)
        .arg(model())
        .arg(define())
        .arg(json())
}

fn replay() -> Command {
    Command::new("replay")
        .about("Check traces, a report, a certificate or the relation of a refinement against a model")
        .after_help(REPLAY_EXAMPLES)
        .arg(model())
        .arg(
            Arg::new("evidence")
                .value_name("EVIDENCE.json")
                .help("A trace, a report, a certificate or a relation, as `check` writes them")
                .required(true)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("query")
                .short('q')
                .long("query")
                .value_name("QUERY")
                .help("What the evidence is to decide [default: the query in the report]"),
        )
        .arg(define())
        .arg(json())
}

fn plot() -> Command {
    Command::new("plot")
        .about("Draw curves that `check` wrote as tables")
        .after_help(PLOT_EXAMPLES)
        .arg(
            Arg::new("tables")
                .value_name("FILE.csv")
                .help("Tables; several are drawn into one picture")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("out")
                .short('o')
                .long("out")
                .value_name("FILE.svg")
                .help("The picture [default: the first table's name with the ending .svg]")
                .value_parser(value_parser!(PathBuf)),
        )
}

fn model() -> Arg {
    Arg::new("model")
        .value_name("MODEL")
        .help(
            "A model: .xml, .xta, .ta, or the folder of an ECDAR project; `check` and `replay` also take a graph: .aut",
        )
        .required(true)
        .value_parser(value_parser!(PathBuf))
}

fn define() -> Arg {
    Arg::new("define")
        .short('D')
        .value_name("NAME=VALUE")
        .help("Give a global constant another value; may be given several times")
        .action(ArgAction::Append)
        .value_parser(Override::parse)
}

fn json() -> Arg {
    Arg::new("json").long("json").help("Print one JSON document and nothing else").action(ArgAction::SetTrue)
}

/// One row of the engine's table as an argument.
fn option(row: &OptionRow) -> Arg {
    let arg = Arg::new(row.name).long(row.name).help(row.help);
    if row.value.is_empty() {
        let arg = arg.action(ArgAction::SetTrue);
        return if row.name == "shortest" { arg.conflicts_with("fastest") } else { arg };
    }
    let arg = arg.value_name(row.value);
    let arg = match row.default {
        Some(default) => arg.default_value(default),
        None => arg,
    };
    match row.name {
        _ if !row.values.is_empty() => arg.value_parser(PossibleValuesParser::new(row.values)),
        "certificate" | "component" | "csv" | "plot" | "log-heuristic" => arg.value_parser(value_parser!(PathBuf)),
        "alpha" | "beta" | "epsilon" | "delta" | "lower-delta" | "upper-delta" => arg.value_parser(parse_probability),
        "u0" | "u1" | "discretization" => arg.value_parser(parse_positive),
        "exploration" => arg.value_parser(parse_chance),
        "time-limit" => arg.value_parser(parse_time),
        "memory-limit" => arg.value_parser(parse_size),
        "level" => arg.allow_hyphen_values(true),
        "threads" => arg.value_parser(value_parser!(u64).range(1..=4096)),
        "walks" | "states" => arg.value_parser(value_parser!(u64).range(1..)),
        "width" | "increment" => arg.value_parser(value_parser!(u64).range(1..=u64::from(u32::MAX))),
        "cutoff" => arg.value_parser(value_parser!(u64).range(..=u64::from(u32::MAX))),
        _ => arg.value_parser(value_parser!(u64)),
    }
}

/// The options of a run as the user gave them.
pub fn options(matches: &ArgMatches) -> Options {
    let word = |name: &str| matches.get_one::<String>(name).cloned();
    let number = |name: &str| matches.get_one::<u64>(name).copied();
    let default = Options::default();
    Options {
        search: word("search").unwrap_or(default.search),
        heuristic: word("heuristic"),
        directed: directed(matches),
        seed: number("seed").unwrap_or(default.seed),
        threads: number("threads").map(|threads| threads as usize),
        time_limit: matches.get_one("time-limit").copied(),
        memory_limit: number("memory-limit"),
        max_depth: number("max-depth"),
        delays: word("delay").map_or(default.delays, |name| engine::options::delays(&name)),
        walks: number("walks"),
        guide: word("guide").map_or(default.guide, |name| engine::options::guide(&name)),
        // Its names are those of the model, which is not read yet.
        level: None,
        depth: word("depth").map_or(default.depth, |name| engine::options::depth(&name)),
        preference: match (matches.get_flag("shortest"), matches.get_flag("fastest")) {
            (true, _) => Preference::Shortest,
            (_, true) => Preference::Fastest,
            _ => Preference::Any,
        },
        strategies: strategies(matches),
        statistics: statistics(matches),
        certify: matches.get_flag("certify") || matches.contains_id("certificate"),
        keep_certificate: matches.contains_id("certificate"),
    }
}

fn strategies(matches: &ArgMatches) -> StrategyOptions {
    let default = StrategyOptions::default();
    let number = |name: &str| matches.get_one::<u64>(name).copied();
    let small = |name: &str| number(name).and_then(|number| u32::try_from(number).ok());
    let word = |name: &str| matches.get_one::<String>(name);
    StrategyOptions {
        states: number("states"),
        width: small("width").and_then(|width| NonZeroUsize::new(width as usize)).unwrap_or(default.width),
        restarts: number("restarts").unwrap_or(default.restarts),
        cutoff: small("cutoff"),
        increment: small("increment").and_then(NonZeroU32::new),
        fringe: word("fringe").map_or(default.fringe, |name| engine::options::fringe(name)),
        comparison: word("compare").map_or(default.comparison, |name| engine::options::comparison(name)),
    }
}

fn directed(matches: &ArgMatches) -> DirectedOptions {
    let default = DirectedOptions::default();
    let word = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    DirectedOptions {
        tie: word("tie").map_or(default.tie, tie),
        exploration: matches.get_one::<f64>("exploration").copied().unwrap_or(default.exploration),
        preferred: matches.get_flag("preferred"),
        useless: matches.get_flag("useless"),
        plateau_guard: matches.get_one::<u64>("plateau-guard").copied().unwrap_or(default.plateau_guard),
        cache: word("cache-heuristic") != Some("off"),
        log: matches.contains_id("log-heuristic"),
    }
}

fn statistics(matches: &ArgMatches) -> StatisticalOptions {
    let default = StatisticalOptions::default();
    let number = |name: &str, default: f64| matches.get_one::<f64>(name).copied().unwrap_or(default);
    StatisticalOptions {
        alpha: number("alpha", default.alpha),
        beta: number("beta", default.beta),
        epsilon: number("epsilon", default.epsilon),
        lower_delta: number("lower-delta", number("delta", default.lower_delta)),
        upper_delta: number("upper-delta", number("delta", default.upper_delta)),
        u0: number("u0", default.u0),
        u1: number("u1", default.u1),
        discretization: number("discretization", default.discretization),
    }
}

pub fn overrides(matches: &ArgMatches) -> Vec<Override> {
    matches.get_many("define").into_iter().flatten().cloned().collect()
}

pub fn model_path(matches: &ArgMatches) -> PathBuf {
    matches.get_one::<PathBuf>("model").cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
