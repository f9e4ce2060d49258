//! `zonewalk plot`: pictures of curves that `check` wrote as tables.

use crate::{output, render};
use clap::ArgMatches;
use engine::curves::Curves;
use engine::curves_file::read;
use engine::report::Status;
use std::path::PathBuf;

pub fn run(matches: &ArgMatches) -> Status {
    let paths: Vec<PathBuf> = matches.get_many("tables").into_iter().flatten().cloned().collect();
    let mut all: Option<Curves> = None;
    for path in &paths {
        let name = path.display().to_string();
        let text = match std::fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                output::message(&format!("error: `{name}` cannot be read: {error}"));
                return Status::BadInput;
            }
        };
        let mut curves = match read(&text) {
            Ok(curves) => curves,
            Err(mistake) => {
                output::message(&render::mistake(&name, &text, mistake.line, mistake.column, &mistake.message));
                return Status::BadInput;
            }
        };
        if paths.len() > 1 {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            curves.series.iter_mut().for_each(|series| series.name = format!("{stem}: {}", series.name));
        }
        match &mut all {
            Some(all) => all.series.extend(curves.series),
            None => all = Some(curves),
        }
    }
    let Some(curves) = all else { return Status::BadInput };
    let beside = || paths.first().map(|path| path.with_extension("svg")).unwrap_or_default();
    let target = matches.get_one::<PathBuf>("out").cloned().unwrap_or_else(beside);
    match std::fs::write(&target, curves.svg()) {
        Ok(()) => {
            output::result(&format!("{}\n", target.display()));
            Status::Satisfied
        }
        Err(error) => {
            output::message(&format!("error: `{}` cannot be written: {error}", target.display()));
            Status::BadInput
        }
    }
}
