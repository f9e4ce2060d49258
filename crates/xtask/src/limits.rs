//! Limits, held or not: models that are made to break them, asked in every way.
//!
//! A command is given a time and a memory limit, and measured from outside: from its start to its end, reading the model
//! included. It may take 1.2 times the time and 0.2 s more (of the processor that much for each thread) and 1.2 times the memory,
//! and it always ends by itself with a status that means something and a report, also where the address space is limited.
//! Time in which others had the processors is taken off, as far as the system tells, and a command that took a little too long is
//! asked twice more.

mod measure;
mod models;

use crate::question;
use engine::searches::Search;
use measure::{Measure, Measured};
use models::{Ask, Row};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What every command is given.
#[derive(Clone, Copy)]
pub struct Limits {
    pub time: Duration,
    pub memory: u64,
    /// Of the commands under a limited address space.
    pub address_space: u64,
}

/// What to ask.
pub struct Plan {
    pub limits: Limits,
    pub jobs: usize,
    pub program: PathBuf,
    /// The models are written here.
    pub keep: PathBuf,
    /// Only models whose name has one of these in it, if there are any.
    pub models: Vec<String>,
    /// Only these searches, if there are any.
    pub searches: Vec<String>,
    /// The share to run: the first of two numbers out of the second.
    pub part: (usize, usize),
    /// Print every command, not only those that broke a limit.
    pub all: bool,
}

/// One command.
struct Case {
    row: &'static Row,
    ask: &'static Ask,
    search: Search,
    threads: u32,
    is_narrow: bool,
}

fn cases(plan: &Plan) -> Vec<Case> {
    let wanted = |name: &str, list: &[String]| list.is_empty() || list.iter().any(|one| name.contains(one.as_str()));
    let mut cases = Vec::new();
    for row in models::all().filter(|row| wanted(row.name, &plan.models)) {
        for ask in row.asks {
            let name = format!("{}.{}", row.name, row.ending);
            for search in question::searches(question::of(&name, ask.query), ask.options) {
                if !plan.searches.is_empty() && !plan.searches.iter().any(|one| one == search.name) {
                    continue;
                }
                for (threads, is_narrow) in [(1, false), (2, false), (1, true), (2, true)] {
                    cases.push(Case { row, ask, search, threads, is_narrow });
                }
            }
        }
    }
    // Neighbours go to different shares, so that each share has something of every model.
    let (n, of) = plan.part;
    cases.into_iter().enumerate().filter(|(at, _)| (at + at / of) % of == n - 1).map(|(_, case)| case).collect()
}

impl Case {
    fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.{}", self.row.name, self.row.ending))
    }

    fn words(&self, plan: &Plan) -> Vec<String> {
        let mut words: Vec<String> =
            ["check", &self.file(&plan.keep).display().to_string()].map(str::to_owned).to_vec();
        let limits = [
            ("--query", self.ask.query.to_owned()),
            ("--search", self.search.name.to_owned()),
            ("--threads", self.threads.to_string()),
            ("--time-limit", format!("{}ms", plan.limits.time.as_millis())),
            ("--memory-limit", format!("{}M", plan.limits.memory >> 20)),
        ];
        words.extend(limits.into_iter().flat_map(|(name, value)| [name.to_owned(), value]));
        words.extend(self.ask.options.iter().map(|&word| word.to_owned()));
        words.push("--json".to_owned());
        words
    }

    /// As one would type it.
    fn typed(&self, plan: &Plan) -> String {
        let quoted = |word: &String| {
            let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
            if is_plain { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
        };
        let line = self.words(plan).iter().map(quoted).collect::<Vec<_>>().join(" ");
        let narrow =
            if self.is_narrow { format!("ulimit -v {}; ", plan.limits.address_space >> 10) } else { String::new() };
        format!("({narrow}{} {line})", plan.program.display())
    }
}

pub fn run(plan: &Plan) -> ExitCode {
    match try_all(plan) {
        Ok(results) => {
            let broken = results.iter().filter(|(_, measured)| !measured.faults.is_empty()).count();
            report(plan, &results);
            ExitCode::from(u8::from(broken > 0))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn try_all(plan: &Plan) -> Result<Vec<(Case, Measured)>, String> {
    let program = std::fs::canonicalize(&plan.program)
        .map_err(|error| format!("`{}`: {error}; build it with `cargo build --release`", plan.program.display()))?;
    let cases = cases(plan);
    if cases.is_empty() {
        return Err("no command is left; look at --models, --searches and --part".to_owned());
    }
    let write = |case: &Case| -> std::io::Result<()> {
        let file = case.file(&plan.keep);
        std::fs::create_dir_all(&plan.keep)?;
        std::fs::write(file, (case.row.generate)(case.row.size))
    };
    let mut last = "";
    for case in &cases {
        if case.row.name != last {
            write(case).map_err(|error| format!("`{}`: {error}", case.file(&plan.keep).display()))?;
            last = case.row.name;
        }
    }
    let measure = Measure::new(program, plan.limits);
    let next = AtomicUsize::new(0);
    let results: Mutex<BTreeMap<usize, Measured>> = Mutex::default();
    std::thread::scope(|scope| {
        for job in 0..plan.jobs {
            let (cases, measure, next, results) = (&cases, &measure, &next, &results);
            let folder = plan.keep.join(format!("job-{job}"));
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(at) else { return };
                    let words = case.words(plan);
                    let measured = measure.measure(&words, case.threads, case.is_narrow, case.row.is_refused, &folder);
                    if plan.all || !measured.faults.is_empty() {
                        println!("{}", line(case, &measured));
                    }
                    if let Ok(mut results) = results.lock() {
                        results.insert(at, measured);
                    }
                }
            });
        }
    });
    let results = results.into_inner().map_err(|_| "a thread ended by a panic".to_owned())?;
    Ok(cases.into_iter().zip(results.into_values()).collect())
}

fn line(case: &Case, measured: &Measured) -> String {
    let faults: Vec<String> = measured.faults.iter().map(ToString::to_string).collect();
    let space = if case.is_narrow { "narrow" } else { "" };
    let options = case.ask.options.join(" ");
    format!(
        "{:<24} {:<14} {} {:<6} {:>5.2} s {:>5.2} s {:>5} MB  {:<40} {options}  {} {}",
        case.row.name,
        case.search.name,
        case.threads,
        space,
        measured.wall.as_secs_f64(),
        measured.processor.as_secs_f64(),
        measured.bytes >> 20,
        case.ask.query.chars().take(60).collect::<String>(),
        measured.verdict,
        if faults.is_empty() { String::new() } else { format!("BROKEN {}", faults.join("; ")) },
    )
}

fn report(plan: &Plan, results: &[(Case, Measured)]) {
    let mut statuses: BTreeMap<Option<i32>, u64> = BTreeMap::new();
    for (_, measured) in results {
        *statuses.entry(measured.status).or_default() += 1;
    }
    let broken: Vec<&(Case, Measured)> = results.iter().filter(|(_, measured)| !measured.faults.is_empty()).collect();
    if !broken.is_empty() {
        println!("\nto try again:");
    }
    for (case, measured) in &broken {
        println!(
            "{}\n    {}",
            case.typed(plan),
            measured.faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        );
    }
    let statuses: Vec<String> = statuses
        .iter()
        .map(|(status, count)| format!("{}: {count}", status.map_or("signal".to_owned(), |status| status.to_string())))
        .collect();
    println!("\ncommands by exit status: {}", statuses.join("  "));
    println!("{} within their limits, {} not", results.len() - broken.len(), broken.len());
}
