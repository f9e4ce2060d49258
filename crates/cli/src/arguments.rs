//! The command line, built from the engine's table of options.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use engine::model::check::Override;
use engine::options::{OPTIONS, OptionRow, Options, Preference, parse_size, parse_time};
use std::path::PathBuf;

const ABOUT: &str = "Checks real-time systems modelled as networks of timed automata";

const EXAMPLES: &str = "\
Examples:
  zonewalk info models/train-gate.xml                 what is in a model
  zonewalk check models/train-gate.xml                answer the queries that the model contains
  zonewalk check models/fischer.xml -D N=8 -q 'A[] not deadlock'

Exit status: 0 every query satisfied, 1 some query violated, 2 bad input, 3 unsupported construct,
4 no verdict for some query, 70 internal error.";

const CHECK_EXAMPLES: &str = "\
Examples:
  zonewalk check train-gate.xml                       the queries inside the model
  zonewalk check fischer.xta fischer.q                the queries of a file
  zonewalk check fischer.xml -q 'E<> P(1).cs' --json  one query, the answer as JSON

Queries come from -q, else from the query file, else from the model, else from a file beside the model with the same
name and the ending .q.";

const INFO_EXAMPLES: &str = "\
Examples:
  zonewalk info train-gate.xml
  zonewalk info train-gate.xml -D N=100 --json | jq .totals";

pub fn command() -> Command {
    Command::new("zonewalk")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(check())
        .subcommand(info())
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
        .arg(json());
    OPTIONS.iter().fold(command, |command, row| command.arg(option(row)))
}

fn info() -> Command {
    Command::new("info")
        .about("Show what is in a model, and which engines can run it")
        .after_help(INFO_EXAMPLES)
        .arg(model())
        .arg(define())
        .arg(json())
}

fn model() -> Arg {
    Arg::new("model")
        .value_name("MODEL")
        .help("A model: .xml, .xta or .ta")
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
        "time-limit" => arg.value_parser(parse_time),
        "memory-limit" => arg.value_parser(parse_size),
        "threads" => arg.value_parser(value_parser!(u64).range(1..=4096)),
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
        seed: number("seed").unwrap_or(default.seed),
        threads: number("threads").map(|threads| threads as usize),
        time_limit: matches.get_one("time-limit").copied(),
        memory_limit: number("memory-limit"),
        max_depth: number("max-depth"),
        preference: match (matches.get_flag("shortest"), matches.get_flag("fastest")) {
            (true, _) => Preference::Shortest,
            (_, true) => Preference::Fastest,
            _ => Preference::Any,
        },
        certify: matches.get_flag("certify"),
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
