//! The command line, built from the engine's tables of options and of searches.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use engine::model::check::Override;
use engine::options::common::SEARCH;
use engine::options::effect::{Given, is_for};
use engine::options::row::{OptionRow, Value};
use engine::options::{self, Options};
use engine::questions::systems::REFINEMENT;
use engine::searches::SEARCHES;
use std::ffi::OsStr;
use std::path::PathBuf;

const ABOUT: &str = "Checks real-time systems modelled as networks of timed automata";

const EXAMPLES: &str = "\
Examples:
  zonewalk info models/train-gate.xml                 what is in a model
  zonewalk check models/train-gate.xml                answer the queries that the model contains
  zonewalk check models/fischer.xml -D N=5 -q 'A[] not deadlock'

Exit status: 0 every query satisfied, 1 some query violated, 2 bad input, 3 unsupported construct,
4 no verdict for some query, 70 internal error.";

const CHECK_IN_SHORT: &str = "\
Examples:
  zonewalk check train-gate.xml                       the queries inside the model
  zonewalk check fischer.xta fischer.q                the queries of a file
  zonewalk check fischer.xml -q 'E<> P(1).cs' --json  one query, the answer as JSON
  zonewalk check fischer.xml -q 'A[] not deadlock' --certify --time-limit 60s --memory-limit 2G";

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

An option that changes nothing about any of the queries is refused, with status 2. Of several queries it is enough that
one takes it; a query that the search cannot answer is an error of its own.

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
        .after_help(CHECK_IN_SHORT)
        .after_long_help(CHECK_EXAMPLES)
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
    options::all().into_iter().fold(command, |command, row| command.arg(option(row)))
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
    // The others are refused with a sentence about what they are for.
    let option = |row: &'static OptionRow| option(row).hide(!is_for(row, &REFINEMENT));
    options::all().into_iter().fold(command, |command, row| command.arg(option(row)))
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
fn option(row: &'static OptionRow) -> Arg {
    let arg = Arg::new(row.name)
        .long(row.name)
        .help(row.help)
        .help_heading(row.group.heading())
        .hide_short_help(!row.is_common);
    if row.is_switch() {
        return arg.action(ArgAction::SetTrue);
    }
    let arg = match row.default {
        Some(default) => arg.value_name(row.word).default_value(default),
        None => arg.value_name(row.word),
    };
    match &row.value {
        Value::File(_) => arg.value_parser(value_parser!(PathBuf)),
        Value::Expression => arg.allow_hyphen_values(true),
        _ => arg.allow_negative_numbers(true).value_parser(Reader(row)),
    }
}

/// Reads a value as the engine does.
#[derive(Clone)]
struct Reader(&'static OptionRow);

impl TypedValueParser for Reader {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        let Reader(row) = *self;
        let read = |text: &str| row.set(&mut Options::default(), text).map(|()| text.to_owned());
        read.parse_ref(command, arg, value)
    }

    /// For the help.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let Reader(row) = *self;
        match &row.value {
            _ if *row == SEARCH => {
                let named = SEARCHES.iter().map(|search| PossibleValue::new(search.name).help(search.help));
                Some(Box::new(named))
            }
            Value::Choice(choice) => Some(Box::new(choice.names().into_iter().map(PossibleValue::new))),
            _ => None,
        }
    }
}

/// The options of a run, and those of them that the user gave.
pub fn options(matches: &ArgMatches) -> (Options, Vec<Given>) {
    let (mut options, mut given) = (Options::default(), Vec::new());
    for row in options::all() {
        if matches.value_source(row.name) != Some(ValueSource::CommandLine) {
            continue;
        }
        let text = matches.try_get_one::<String>(row.name).ok().flatten().cloned().unwrap_or_default();
        // What is no value has been refused by now.
        let _ = row.set(&mut options, &text);
        given.push(Given { row, text });
    }
    (options, given)
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
