//! Work on Zonewalk that is no part of it: `cargo xtask attack`.

mod attack;

use clap::{Arg, ArgMatches, Command, value_parser};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let matches = command().get_matches();
    match matches.subcommand() {
        Some(("attack", arguments)) => attack::run(&plan(arguments)),
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
