//! Attacks on the command: damaged models, queries, options, graphs, tables and evidence.
//!
//! An input is made from a sound one by a few random changes, of bytes or of structure, and given to the command with small
//! limits. What must never happen is in `judge`: an internal error, a signal, a limit that does not hold, JSON that is none,
//! searches that contradict each other, a run that the replay refuses. A fault is made smaller (`shrink`) and kept.
//!
//! Input `i` under a seed is always the same one, so a number is all that a report needs. Only what the limits cut off depends on
//! the machine. The command runs as a process of its own: this costs some milliseconds an input, and in exchange signals, memory
//! and processor time are those that a user would see.

mod case;
mod damage;
mod evidence;
mod judge;
#[cfg(test)]
mod judge_tests;
mod options;
mod seeds;
mod shrink;
mod tokens;

use case::{Case, Kind};
use judge::{Fault, Judge, Outcome};
use seeds::Seeds;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What to attack, and how long.
pub struct Plan {
    pub seed: u64,
    pub first: u64,
    pub inputs: u64,
    pub jobs: usize,
    pub program: PathBuf,
    pub keep: PathBuf,
    pub corpus: Option<PathBuf>,
}

/// How many faults that are alike are made smaller: that takes a thousand times as long as finding them.
const SHRUNK: usize = 3;

/// What came of the inputs of each kind.
#[derive(Default)]
struct Tally {
    statuses: BTreeMap<(Kind, Option<i32>), u64>,
    inputs: BTreeMap<Kind, u64>,
    compared: u64,
    replayed: u64,
    faults: Vec<String>,
    known: Vec<Fault>,
}

pub fn run(plan: &Plan) -> ExitCode {
    let started = Instant::now();
    match attack(plan) {
        Ok(tally) => {
            report(plan, &tally, started.elapsed());
            ExitCode::from(u8::from(!tally.faults.is_empty()))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn attack(plan: &Plan) -> Result<Tally, String> {
    let program = std::fs::canonicalize(&plan.program)
        .map_err(|error| format!("`{}`: {error}; build it with `cargo build --release`", plan.program.display()))?;
    let scratch = scratch_folder()?;
    let judge = Judge::new(program);
    let seeds = Seeds::read(plan.corpus.as_deref(), &judge, &scratch.join("seeds"))?;
    let next = AtomicU64::new(plan.first);
    let tally = Mutex::new(Tally::default());
    let end = plan.first.saturating_add(plan.inputs);
    std::thread::scope(|scope| {
        for job in 0..plan.jobs {
            let (judge, seeds, next, tally) = (&judge, &seeds, &next, &tally);
            let folder = scratch.join(format!("job-{job}"));
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end {
                        return;
                    }
                    let case = Case::of(plan.seed, number, seeds);
                    let outcome = judge.judge(&case, &folder);
                    let fault = outcome.fault.clone().map(|fault| {
                        let is_new = tally.lock().is_ok_and(|mut tally| tally.is_new(&fault));
                        keep(plan, number, &case, &fault, is_new.then_some((judge, folder.as_path())))
                    });
                    if let Ok(mut tally) = tally.lock() {
                        tally.add(case.kind, &outcome, fault);
                    }
                }
            });
        }
    });
    let _ = std::fs::remove_dir_all(&scratch);
    tally.into_inner().map_err(|_| "a thread of the attack ended by a panic".to_owned())
}

/// A folder of this process, in memory where the system has such a place.
fn scratch_folder() -> Result<PathBuf, String> {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = base.join(format!("zonewalk-attack-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
    Ok(folder)
}

/// Makes an input with a fault smaller, if there are means for it, writes it down, and says where it is.
fn keep(plan: &Plan, number: u64, case: &Case, fault: &Fault, means: Option<(&Judge, &Path)>) -> String {
    let small = means.map_or_else(|| case.clone(), |(judge, folder)| shrink::shrink(case, fault, judge, folder));
    let kept = plan.keep.join(format!("{}-{number}", plan.seed));
    let written = small.write(&kept).and_then(|()| std::fs::write(kept.join("COMMANDS"), small.commands_as_text()));
    let place = match written {
        Ok(()) => kept.display().to_string(),
        Err(error) => format!("not kept: {error}"),
    };
    let line = format!("input {number} ({}): {fault}; {place}", case.kind.name());
    eprintln!("{line}");
    line
}

impl Tally {
    /// Whether few faults like this one have been seen.
    fn is_new(&mut self, fault: &Fault) -> bool {
        let alike = self.known.iter().filter(|known| known.is_like(fault)).count();
        self.known.push(fault.clone());
        alike < SHRUNK
    }

    fn add(&mut self, kind: Kind, outcome: &Outcome, fault: Option<String>) {
        *self.inputs.entry(kind).or_default() += 1;
        for status in &outcome.statuses {
            *self.statuses.entry((kind, *status)).or_default() += 1;
        }
        self.compared += outcome.compared;
        self.replayed += outcome.replayed;
        self.faults.extend(fault);
    }
}

fn report(plan: &Plan, tally: &Tally, taken: Duration) {
    println!("{:<12} {:>9}   commands by exit status", "kind", "inputs");
    for (kind, inputs) in &tally.inputs {
        let statuses: Vec<String> = tally
            .statuses
            .iter()
            .filter(|((of, _), _)| of == kind)
            .map(|((_, status), count)| {
                let name = status.map_or("signal".to_owned(), |status| status.to_string());
                format!("{name}: {count}")
            })
            .collect();
        println!("{:<12} {inputs:>9}   {}", kind.name(), statuses.join("  "));
    }
    println!("{} answers were compared with those of another search, {} runs replayed", tally.compared, tally.replayed);
    for fault in &tally.faults {
        println!("FAULT {fault}");
    }
    let passed = tally.inputs.values().sum::<u64>() - tally.faults.len() as u64;
    let (seconds, end) = (taken.as_secs_f64(), plan.first.saturating_add(plan.inputs));
    let rate = plan.inputs as f64 / seconds.max(0.001);
    println!("attack with seed {}, inputs {} to {end}, {seconds:.0} s, {rate:.0} inputs/s", plan.seed, plan.first);
    println!("{passed} passed, {} failed", tally.faults.len());
}
