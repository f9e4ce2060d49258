//! The `zonewalk` command: arguments, text, JSON. No logic of its own: it asks `engine` and prints.

mod arguments;
mod check;
mod check_graph;
mod guardian;
mod info;
mod interrupt;
mod output;
mod plot;
mod progress;
mod render;
mod replay;
mod trace;

use engine::model::deep_stack::on_deep_stack;
use engine::report::Status;
use std::process::ExitCode;

/// Limits of memory are those of the whole process.
#[global_allocator]
static ALLOCATOR: allowance::memory::Counting = allowance::memory::Counting;

fn main() -> ExitCode {
    // All of it on one stack that is deep enough for reading, checking and replaying.
    let status = std::panic::catch_unwind(|| on_deep_stack(run)).unwrap_or_else(|_| {
        output::message("internal error: this is a bug in zonewalk; please report it with the model and the command");
        Status::Internal
    });
    ExitCode::from(output::complete(status).code())
}

fn run() -> Status {
    let matches = match arguments::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version are what was asked for; everything else is a mistake in the command.
            let printed = error.print();
            if error.use_stderr() {
                return Status::BadInput;
            }
            output::written(printed);
            return Status::Satisfied;
        }
    };
    match matches.subcommand() {
        Some(("check", arguments)) => check::run(arguments),
        Some(("refine", arguments)) => check::run(arguments),
        Some(("info", arguments)) => info::run(arguments),
        Some(("replay", arguments)) => replay::run(arguments),
        Some(("plot", arguments)) => plot::run(arguments),
        _ => Status::BadInput,
    }
}
