//! How long replaying a long run takes, and how much memory: `cargo bench -p zonewalk-certify --bench replay`.
//!
//! Each run is made, replayed and written down in a process of its own, which tells the processor time and the peak
//! resident memory, loading the model, making the run and the trace included; the bench fails when one takes more than
//! 0.3 s or 50 MB.

use certify::{Ending, Move, Rational, Run, Step, record};
use model::check::Override;
use model::load::{Model, load, load_bytes};
use model::network::{EdgeId, Network, ProcessId};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

const TIME: Duration = Duration::from_millis(300);
const MEGABYTES: u64 = 50;

/// Set in a process that replays one run and tells what it took.
const ONE: &str = "ZONEWALK_BENCH_REPLAY_ONE";

/// A name, and a model with a run of it.
type Case = (&'static str, fn() -> (Model, Run));

const CASES: [Case; 2] = [("4000 steps, 2000 trains", trains), ("100000 steps, one lamp", lamp)];

fn main() -> ExitCode {
    if let Some(name) = std::env::var_os(ONE) {
        return one(&name.to_string_lossy());
    }
    println!("{:<24} {:>9} {:>13}", "one replay", "time", "peak memory");
    let beyond = CASES.iter().filter(|(name, _)| !measure_alone(name)).count();
    if beyond > 0 {
        eprintln!("more than {TIME:?} or {MEGABYTES} MB");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Every train but the first approaches and is told to stop, while the first is on its way to the bridge.
fn trains() -> (Model, Run) {
    const TRAINS: i32 = 2000;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/train-gate.xml");
    let define = Override::parse(&format!("N={TRAINS}")).expect("NAME=VALUE");
    let model = load(&path, &[define]).model.expect("a model");
    let network = model.network();
    let gate = |from, to, select: &[i32]| by_name(network, TRAINS as usize, from, to, select);
    let train = |id: i32, from, to| by_name(network, id as usize, from, to, &[]);
    let mut steps = Vec::new();
    for id in 0..TRAINS {
        let (delay, now) = (Rational::new(1, 256), Rational::from_integer(0));
        let approaches = train(id, "Safe", "Appr");
        if id == 0 {
            steps.push(Step { delay, moves: vec![approaches, gate("Free", "Occ", &[id])] });
            continue;
        }
        steps.push(Step { delay, moves: vec![approaches, gate("Occ", "Stopping", &[id])] });
        steps.push(Step { delay: now, moves: vec![gate("Stopping", "Occ", &[]), train(id, "Appr", "Stop")] });
    }
    steps.push(Step { delay: Rational::from_integer(5), moves: vec![train(0, "Appr", "Cross")] });
    let run = Run { steps, final_delay: Rational::from_integer(0), ending: Ending::Open };
    (model, run)
}

/// The edge of a process between two locations with so many select variables.
fn by_name(network: &Network, process: usize, from: &str, to: &str, select: &[i32]) -> Move {
    let process = ProcessId::new(process);
    let template = network.template_of(process);
    let name = |location| &*template.location(location).name;
    let edge = template.edges.iter().position(|edge| {
        (name(edge.source), name(edge.branches[0].target), edge.select.len()) == (from, to, select.len())
    });
    Move { process, edge: EdgeId::new(edge.expect("an edge")), select: select.to_vec(), branch: 0 }
}

/// A lamp that is switched on and off.
fn lamp() -> (Model, Run) {
    let text = "clock x; int[0,9] n; process Lamp() { state off {x <= 9}, on {x <= 7}; init off;
        trans off -> on {guard x >= 1; assign x = 0, n = (n + 1) % 10;}, on -> off {guard x <= 4; assign x = 0;}; }
        system Lamp;";
    let model = load_bytes("lamp.xta", text.as_bytes(), &[]).model.expect("a model");
    let step = |n: usize| Step {
        delay: Rational::new(3 + (n % 5) as i128, 3),
        moves: vec![Move { process: ProcessId::new(0), edge: EdgeId::new(n % 2), select: Vec::new(), branch: 0 }],
    };
    let steps = (0..100_000).map(step).collect();
    (model, Run { steps, final_delay: Rational::from_integer(1), ending: Ending::Open })
}

/// Whether a replay in a process of its own stays within the limits.
fn measure_alone(name: &str) -> bool {
    let this = std::env::current_exe().expect("the path of this program");
    let output = Command::new(this).env(ONE, name).output().expect("this program runs again");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [micros, kilobytes] = numbers[..] else {
        eprintln!("{name}: {}", String::from_utf8_lossy(&output.stderr));
        return false;
    };
    let time = Duration::from_micros(micros);
    println!("{name:<24} {:>6.1} ms {:>10.1} MB", time.as_secs_f64() * 1e3, kilobytes as f64 / 1e3);
    time <= TIME && kilobytes <= MEGABYTES * 1000
}

/// Replays one run and prints microseconds and kilobytes.
fn one(wanted: &str) -> ExitCode {
    let start = Instant::now();
    let Some((_, make)) = CASES.into_iter().find(|(name, _)| *name == wanted) else { return ExitCode::FAILURE };
    let (model, run) = make();
    let recorded = record(model.network(), &run, None);
    if let Err(refusal) = recorded {
        eprintln!("refused: {refusal}");
        return ExitCode::FAILURE;
    }
    println!("{} {}", processor_time(start).as_micros(), peak_kilobytes());
    ExitCode::SUCCESS
}

/// What this process has used of the processors so far: other work on the machine does not count. The time since its
/// start where the system does not tell.
fn processor_time(start: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The fields after the name, which is in brackets; 14 and 15 of all are user and system time in 1/100 s.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |field: usize| fields.get(field).and_then(|text| text.parse::<u64>().ok());
    ticks(11)
        .zip(ticks(12))
        .map_or_else(|| start.elapsed(), |(user, system)| Duration::from_millis(10 * (user + system)))
}

/// The most memory that this process ever had resident; 0 where the system does not tell.
fn peak_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).map_or(0, |kib| kib * 1024 / 1000)
}
