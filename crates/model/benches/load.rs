//! How long large models take to load, and how much memory: `cargo bench -p zonewalk-model --bench load`.
//!
//! Every model is first loaded once in a process of its own, which tells the time from a cold start and the peak
//! resident memory; the run fails when one of them takes more than a second or 300 MB. Then divan repeats the loads and
//! gives the distribution of times. Models that are not part of this repository are measured when `ZONEWALK_CORPUS`
//! names the directory that holds them.

use model::check::Override;
use model::load::load;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

const TIME: Duration = Duration::from_secs(1);
const MEGABYTES: u64 = 300;

/// Set in a process that loads one model and tells what it took.
const ONE: &str = "ZONEWALK_BENCH_LOAD_ONE";

/// A model and the constant that gives its size.
#[derive(Clone)]
struct Case {
    name: &'static str,
    path: PathBuf,
    define: Option<&'static str>,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name)
    }
}

fn cases() -> Vec<Case> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let own = |name, file: &str, define| Case { name, path: models.join(file), define: Some(define) };
    let mut cases = vec![
        own("train-gate N=2000", "train-gate.xml", "N=2000"),
        own("milner N=5000", "milner.xml", "N=5000"),
        own("fischer N=50", "fischer.xml", "N=50"),
    ];
    if let Some(corpus) = std::env::var_os("ZONEWALK_CORPUS").map(PathBuf::from) {
        let theirs = |name, file| Case { name, path: corpus.join(file), define: None };
        cases.push(theirs("corpus train-2000N", "papers/train-gate/rra__Train__train-2000N.xml"));
        cases.push(theirs("corpus minepump-hvmexp", "papers/tetasarts/rra__TetaSARTS__minepump-hvmexp.xml"));
    }
    cases
}

fn main() -> ExitCode {
    if let Some(name) = std::env::var_os(ONE) {
        return one(&name.to_string_lossy());
    }
    println!("{:<24} {:>9} {:>13}", "one load, cold", "time", "peak memory");
    let beyond = cases().iter().filter(|case| !measure_alone(case)).count();
    if beyond > 0 {
        eprintln!("more than {TIME:?} or {MEGABYTES} MB");
        return ExitCode::FAILURE;
    }
    println!();
    divan::main();
    ExitCode::SUCCESS
}

#[divan::bench(args = cases(), sample_count = 30)]
fn load_model(case: &Case) {
    divan::black_box(load(&case.path, &overrides(case)));
}

/// Whether a load in a process of its own stays within the limits.
fn measure_alone(case: &Case) -> bool {
    let this = std::env::current_exe().expect("the path of this program");
    let output = Command::new(this).env(ONE, case.name).output().expect("this program runs again");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [micros, kilobytes] = numbers[..] else {
        eprintln!("{case}: {}", String::from_utf8_lossy(&output.stderr));
        return false;
    };
    let time = Duration::from_micros(micros);
    println!("{:<24} {:>6.1} ms {:>10.1} MB", case.name, time.as_secs_f64() * 1e3, kilobytes as f64 / 1e3);
    time <= TIME && kilobytes <= MEGABYTES * 1000
}

/// Loads one model and prints microseconds and kilobytes.
fn one(name: &str) -> ExitCode {
    let Some(case) = cases().into_iter().find(|case| case.name == name) else { return ExitCode::FAILURE };
    let start = Instant::now();
    let loaded = load(&case.path, &overrides(&case));
    let time = start.elapsed();
    if loaded.model.is_none() {
        let first = loaded.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        eprintln!("does not load: {}", first.map_or("no error given", |error| &error.message));
        return ExitCode::FAILURE;
    }
    println!("{} {}", time.as_micros(), peak_kilobytes());
    ExitCode::SUCCESS
}

/// The most memory that this process ever had resident; 0 where the system does not tell.
fn peak_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).map_or(0, |kib| kib * 1024 / 1000)
}

fn overrides(case: &Case) -> Vec<Override> {
    case.define.into_iter().map(|define| Override::parse(define).expect("NAME=VALUE")).collect()
}
