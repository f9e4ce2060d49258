//! Work on Zonewalk that is no part of it: `cargo xtask attack` and `cargo xtask limits`.

mod attack;
mod limits;
mod question;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let matches = command().get_matches();
    match matches.subcommand() {
        Some(("attack", arguments)) => attack::run(&plan(arguments)),
        Some(("limits", arguments)) => match limits_plan(arguments) {
            Ok(plan) => limits::run(&plan),
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::from(2)
            }
        },
        _ => ExitCode::from(2),
    }
}

fn command() -> Command {
    let number = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("N").default_value(default).value_parser(value_parser!(u64)).help(help)
    };
    let file = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("PATH")
            .default_value(default)
            .value_parser(value_parser!(PathBuf))
            .help(help)
    };
    let list = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("NAMES").value_delimiter(',').num_args(1..).help(help)
    };
    Command::new("xtask").subcommand_required(true).arg_required_else_help(true).subcommand(
        Command::new("attack")
            .about("Run the command on damaged models, queries, options, graphs and evidence, and look for what must never happen")
            .after_help(
                "Examples:\n  cargo xtask attack --inputs 10000\n  cargo xtask attack --seed 7 --first 4711 --inputs 1\n\n\
                 Exit status: 0 nothing was found, 1 faults were found (they stand in the folder --keep), 2 the attack could not begin.",
            )
            .arg(number("seed", "1", "Start of all random choices"))
            .arg(number("first", "0", "The number of the first input"))
            .arg(number("inputs", "10000", "How many inputs to make"))
            .arg(number("jobs", "2", "How many commands run at a time"))
            .arg(file("program", "target/release/zonewalk", "The command that is attacked"))
            .arg(file("keep", "target/attack", "Where inputs are kept that show a fault"))
            .arg(Arg::new("corpus").long("corpus").value_name("DIR").value_parser(value_parser!(PathBuf)).help(
                "More models to start from [default: none, so that an input is the same on every machine]",
            )),
    )
    .subcommand(
        Command::new("limits")
            .about("Ask models that are made to break limits, in every way, and measure time and memory from outside")
            .after_help(
                "Examples:\n  cargo xtask limits --part 1/20\n  cargo xtask limits --models receivers --searches auto,bfs --all\n\n\
                 Exit status: 0 all limits held, 1 some did not, 2 nothing was asked.",
            )
            .arg(number("millis", "1000", "The time limit of each command, in milliseconds"))
            .arg(number("megabytes", "200", "The memory limit of each command"))
            .arg(number("address-space", "600", "What `ulimit -v` allows the commands with a limited address space, in megabytes"))
            .arg(number("jobs", "1", "How many commands run at a time; times are true where as many processors are free"))
            .arg(file("program", "target/release/zonewalk", "The command that is measured"))
            .arg(file("keep", "target/limits", "Where the models are written"))
            .arg(list("models", "Only models with one of these in their names, separated by commas"))
            .arg(list("searches", "Only these searches, separated by commas"))
            .arg(Arg::new("part").long("part").value_name("N/M").default_value("1/1").help("Only the N-th of M shares"))
            .arg(Arg::new("all").long("all").action(ArgAction::SetTrue).help("Print every command")),
    )
}

fn limits_plan(arguments: &ArgMatches) -> Result<limits::Plan, String> {
    let number = |name: &str| arguments.get_one::<u64>(name).copied().unwrap_or_default();
    let path = |name: &str| arguments.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    let list = |name: &str| arguments.get_many::<String>(name).unwrap_or_default().cloned().collect();
    let part = arguments.get_one::<String>("part").map_or("1/1", String::as_str);
    let shares = part.split_once('/').and_then(|(n, of)| Some((n.parse().ok()?, of.parse().ok()?)));
    let Some(part) = shares.filter(|(n, of): &(usize, usize)| *n >= 1 && n <= of) else {
        return Err(format!("`{part}` is no share; write for example --part 1/20"));
    };
    Ok(limits::Plan {
        limits: limits::Limits {
            time: Duration::from_millis(number("millis")),
            memory: number("megabytes") << 20,
            address_space: number("address-space") << 20,
        },
        jobs: number("jobs").max(1) as usize,
        program: path("program"),
        keep: path("keep"),
        models: list("models"),
        searches: list("searches"),
        part,
        all: arguments.get_flag("all"),
    })
}

fn plan(arguments: &ArgMatches) -> attack::Plan {
    let number = |name: &str| arguments.get_one::<u64>(name).copied().unwrap_or_default();
    let path = |name: &str| arguments.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    attack::Plan {
        seed: number("seed"),
        first: number("first"),
        inputs: number("inputs"),
        jobs: number("jobs").max(1) as usize,
        program: path("program"),
        keep: path("keep"),
        corpus: arguments.get_one::<PathBuf>("corpus").cloned(),
    }
}
