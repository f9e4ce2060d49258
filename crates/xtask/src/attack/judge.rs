//! Runs the commands of an input, and knows what must never happen.

use super::case::{Call, Case, Truth};
use super::seeds::{File, Model};
use crate::question;
use engine::options::effect::has_effect;
use engine::options::{self, Options};
use engine::searches::Search;
use engine::searches::orders::BFS;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// A command hangs that has taken so much processor time, whatever its limits say, or has not ended for so long. The machine may be
/// busy with other things.
const PROCESSOR: Duration = Duration::from_secs(8);
const PATIENCE: Duration = Duration::from_secs(120);

/// A command is ended before it takes the memory of the whole machine, in megabytes.
const GROWN: u64 = 1000;

/// What must never happen.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    Internal,
    Panic(String),
    Signal(i32),
    Status(i32),
    Hangs,
    /// Processor time in milliseconds, and how much was allowed.
    Time(u64, u64),
    /// Megabytes, and how many were allowed.
    Memory(u64, u64),
    NoJson(String),
    Contradiction(String),
    Refused(String),
    /// Changed evidence is accepted that says what is not so.
    Forged(String),
}

impl Fault {
    /// Whether another fault is of the same kind: what shrinking has to keep.
    pub fn is_like(&self, other: &Fault) -> bool {
        match (self, other) {
            (Fault::Signal(one), Fault::Signal(other)) | (Fault::Status(one), Fault::Status(other)) => one == other,
            (Fault::Panic(one), Fault::Panic(other)) => one == other,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Fault::Internal => write!(f, "an internal error (70)"),
            Fault::Panic(text) => write!(f, "a panic: {text}"),
            Fault::Signal(signal) => write!(f, "ended by signal {signal}"),
            Fault::Status(status) => write!(f, "exit status {status}, which means nothing"),
            Fault::Hangs => write!(f, "no end after {} s of processor time", PROCESSOR.as_secs()),
            Fault::Time(used, allowed) => write!(f, "{used} ms of processor time, {allowed} ms allowed"),
            Fault::Memory(used, allowed) => write!(f, "{used} MB, {allowed} MB allowed"),
            Fault::NoJson(text) => write!(f, "standard output is no JSON: {text}"),
            Fault::Contradiction(text) => write!(f, "searches contradict each other: {text}"),
            Fault::Refused(text) => write!(f, "the replay refuses a run: {text}"),
            Fault::Forged(text) => write!(f, "the replay accepts what is false: {text}"),
        }
    }
}

/// What came of an input.
#[derive(Default)]
pub struct Outcome {
    /// Of each command; none when a signal ended it.
    pub statuses: Vec<Option<i32>>,
    pub compared: u64,
    pub replayed: u64,
    pub fault: Option<Fault>,
}

/// A command that has ended.
struct Ended {
    status: Option<i32>,
    signal: Option<i32>,
    hung: bool,
    processor: Duration,
    megabytes: u64,
    out: Vec<u8>,
    err: String,
}

pub struct Judge {
    program: PathBuf,
    /// When running commands began, and whether they had to be ended.
    running: Arc<Mutex<BTreeMap<u32, (Instant, bool)>>>,
}

impl Judge {
    pub fn new(program: PathBuf) -> Judge {
        let running: Arc<Mutex<BTreeMap<u32, (Instant, bool)>>> = Arc::default();
        let watched = running.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(100));
                let Ok(mut running) = watched.lock() else { return };
                for (process, (began, ended)) in running.iter_mut() {
                    let waited = began.elapsed();
                    let hangs = waited > PROCESSOR && processor_time(*process).is_none_or(|used| used > PROCESSOR);
                    if hangs || waited > PATIENCE || resident(*process) > GROWN {
                        *ended = true;
                        let _ = Command::new("kill").args(["-9", &process.to_string()]).stderr(Stdio::null()).status();
                    }
                }
            }
        });
        Judge { program, running }
    }

    /// Runs the commands of an input in a folder, until one shows a fault.
    pub fn judge(&self, case: &Case, folder: &Path) -> Outcome {
        let mut outcome = Outcome::default();
        if let Err(error) = case.write(folder) {
            outcome.fault = Some(Fault::NoJson(format!("the input cannot be written: {error}")));
            return outcome;
        }
        let mut reports: Vec<Value> = Vec::new();
        for call in &case.calls {
            let ended = match self.run(&call.arguments, folder) {
                Ok(ended) => ended,
                Err(error) => {
                    outcome.fault = Some(Fault::NoJson(format!("the program cannot be run: {error}")));
                    return outcome;
                }
            };
            outcome.statuses.push(ended.status);
            outcome.fault = fault_of(call, &ended);
            if outcome.fault.is_some() {
                return outcome;
            }
            let Ok(report) = serde_json::from_slice::<Value>(&ended.out) else { continue };
            if let Some(truth) = &call.truth {
                outcome.fault = forged(truth, &case.files[case.changed].1, &report);
            }
            if call.replayed {
                outcome.fault = self.refusal(case, &report, folder, &mut outcome.replayed);
            }
            if call.compared {
                outcome.compared += reports.len() as u64;
                outcome.fault =
                    outcome.fault.take().or_else(|| reports.iter().find_map(|other| contradiction(other, &report)));
                reports.push(report);
            }
            if outcome.fault.is_some() {
                return outcome;
            }
        }
        outcome
    }

    fn run(&self, arguments: &[String], folder: &Path) -> std::io::Result<Ended> {
        let (out, err) = (folder.join(".out"), folder.join(".err"));
        forget_own_peak();
        let mut child = Command::new(&self.program)
            .args(arguments)
            .current_dir(folder)
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(fs::File::create(&out)?)
            .stderr(fs::File::create(&err)?)
            .spawn()?;
        let process = child.id();
        if let Ok(mut running) = self.running.lock() {
            running.insert(process, (Instant::now(), false));
        }
        let used = child.wait4();
        let hung =
            self.running.lock().ok().and_then(|mut running| running.remove(&process)).is_some_and(|(_, ended)| ended);
        let used = used?;
        // A process that becomes a command brings its largest size along: that is no memory of the command.
        let megabytes = Some(used.rusage.maxrss >> 20).filter(|size| *size > own_peak()).unwrap_or(0);
        Ok(Ended {
            status: used.status.code(),
            signal: used.status.signal(),
            hung,
            processor: used.rusage.utime + used.rusage.stime,
            megabytes,
            out: fs::read(&out)?,
            err: String::from_utf8_lossy(&fs::read(&err)?).into_owned(),
        })
    }

    /// Replays the runs of a report that this program has written.
    fn refusal(&self, case: &Case, report: &Value, folder: &Path, replayed: &mut u64) -> Option<Fault> {
        let has_run = ["/results/0/trace", "/results/0/refinement"]
            .iter()
            .any(|at| report.pointer(at).is_some_and(Value::is_object));
        if !has_run {
            return None;
        }
        let given = case.calls[0].arguments.get(1)?.clone();
        fs::write(folder.join("report.json"), report.to_string()).ok()?;
        let ended = self.run(&["replay".to_owned(), given, "report.json".to_owned()], folder).ok()?;
        *replayed += 1;
        let text = || {
            ended.err.lines().chain(String::from_utf8_lossy(&ended.out).lines()).take(3).collect::<Vec<_>>().join(" / ")
        };
        (ended.status != Some(0)).then(|| Fault::Refused(text()))
    }

    /// The queries that the program finds in a model; none when it cannot be read.
    pub fn queries(&self, files: &[File], given: &str, folder: &Path) -> Vec<String> {
        let case = Case { kind: super::case::Kind::Query, files: files.to_vec(), changed: 0, calls: Vec::new() };
        if case.write(folder).is_err() {
            return Vec::new();
        }
        let arguments = ["info", given, "--json"].map(str::to_owned);
        let info = self.run(&arguments, folder).ok().and_then(|ended| serde_json::from_slice::<Value>(&ended.out).ok());
        let queries = info.as_ref().and_then(|info| info.get("queries")).and_then(Value::as_array);
        let text =
            |query: &Value| query.get("text").or_else(|| query.get("query")).and_then(Value::as_str).map(str::to_owned);
        queries.map(|queries| queries.iter().filter_map(text).collect()).unwrap_or_default()
    }

    /// The report about a query, and its certificate if there is one.
    pub fn evidence(&self, model: &Model, query: &str, folder: &Path) -> Option<(Value, Option<Value>)> {
        let case =
            Case { kind: super::case::Kind::Evidence, files: model.files.clone(), changed: 0, calls: Vec::new() };
        case.write(folder).ok()?;
        let words = ["check", &model.given, "--json", "--query", query, "--threads", "1", "--time-limit", "20s"];
        let mut arguments = words.map(str::to_owned).to_vec();
        let question = question::of(&model.given, query);
        let options = [("search", BFS.name), ("states", "2000"), ("certificate", "certificate.json")];
        let chosen = Options { search: Search::from(&BFS), ..Options::default() };
        for (name, value) in options {
            // The others would be refused.
            if options::named(name).is_some_and(|row| has_effect(row, &chosen, question)) {
                arguments.extend([format!("--{name}"), value.to_owned()]);
            }
        }
        let report = serde_json::from_slice(&self.run(&arguments, folder).ok()?.out).ok()?;
        let certificate =
            fs::read(folder.join("certificate.json")).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Some((report, certificate))
    }
}

/// The most memory that this program has had since it was forgotten, in megabytes; 0 where the system does not tell.
fn own_peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        peak.and_then(|peak| peak.trim().strip_suffix("kB")).and_then(|peak| peak.trim().parse::<u64>().ok());
    kilobytes.map_or(0, |kilobytes| kilobytes >> 10)
}

/// Models are read here, too, and some of them are large for a moment.
fn forget_own_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// What a running process has in memory, in megabytes; 0 where the system does not tell it in pages of 4 KB.
fn resident(process: u32) -> u64 {
    let sizes = fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    sizes.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).map_or(0, |pages| pages >> 8)
}

/// What a running process has used of the processor, where the system tells it in hundredths of a second.
fn processor_time(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name may hold anything; the fields after it are separated by spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let hundredths: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(10 * hundredths))
}

/// What one command did wrong.
fn fault_of(call: &Call, ended: &Ended) -> Option<Fault> {
    if ended.hung {
        let allowed = call.limits.map_or(GROWN, |limits| limits.megabytes * 6 / 5);
        let has_grown = ended.megabytes >= GROWN;
        return Some(if has_grown { Fault::Memory(ended.megabytes, allowed) } else { Fault::Hangs });
    }
    // Where it was, without the thread.
    if let Some((_, place)) = ended.err.lines().find_map(|line| line.split_once("panicked at ")) {
        return Some(Fault::Panic(place.trim_end_matches(':').to_owned()));
    }
    match (ended.status, ended.signal) {
        (Some(70), _) => return Some(Fault::Internal),
        (Some(0..=4), _) => {}
        (Some(status), _) => return Some(Fault::Status(status)),
        (None, signal) => return Some(Fault::Signal(signal.unwrap_or(0))),
    }
    if let Some(limits) = call.limits {
        let allowed = limits.millis * limits.threads * 6 / 5 + 200;
        let used = ended.processor.as_millis() as u64;
        if used > allowed {
            return Some(Fault::Time(used, allowed));
        }
        let allowed = limits.megabytes * 6 / 5;
        if ended.megabytes > allowed {
            return Some(Fault::Memory(ended.megabytes, allowed));
        }
    }
    let asked = call.arguments.iter().any(|word| word == "--json");
    if asked
        && !ended.out.is_empty()
        && let Err(error) = serde_json::from_slice::<Value>(&ended.out)
    {
        return Some(Fault::NoJson(error.to_string()));
    }
    // An answer that was asked for as JSON is there, unless the command itself was wrong.
    (asked && ended.out.is_empty() && ended.status != Some(2)).then(|| Fault::NoJson("there is none".to_owned()))
}

/// What a replay accepts of a changed document although it is false.
fn forged(truth: &Truth, document: &[u8], replayed: &Value) -> Option<Fault> {
    let document = serde_json::from_slice::<Value>(document).unwrap_or_default();
    let rows = replayed.get("results").and_then(Value::as_array)?;
    let accepted =
        |at: usize| rows.get(at).and_then(|row| row.get("verdict")).and_then(Value::as_str) == Some("accepted");
    match truth {
        Truth::Nothing => accepted(0).then(|| Fault::Forged("a certificate of what is false".to_owned())),
        Truth::Verdict { query, verdict } => {
            let said = document.get("results").and_then(Value::as_array)?;
            let text = |answer: &Value, name: &str| answer.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
            let is_false = |at: &usize| {
                accepted(*at) && text(&said[*at], "query") == *query && text(&said[*at], "verdict") != *verdict
            };
            let at = (0..said.len()).find(is_false)?;
            Some(Fault::Forged(format!("{} for {query}, which is {verdict}", text(&said[at], "verdict"))))
        }
    }
}

/// How two reports about the same queries contradict each other, if they do.
fn contradiction(one: &Value, other: &Value) -> Option<Fault> {
    let results = |report: &'_ Value| report.get("results").and_then(Value::as_array).cloned().unwrap_or_default();
    for (one, other) in results(one).iter().zip(&results(other)) {
        let text = |answer: &Value, name: &str| answer.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
        let verdicts = [text(one, "verdict"), text(other, "verdict")];
        let evidence = [text(one, "evidence"), text(other, "evidence")];
        let searches = [text(one, "search"), text(other, "search")];
        if evidence.iter().any(|evidence| evidence == "statistical") {
            continue;
        }
        let definite = |at: usize| ["satisfied", "violated"].contains(&verdicts[at].as_str());
        let proved = |at: usize| definite(at) && ["exhaustive", "certificate"].contains(&evidence[at].as_str());
        let runs = [one, other].map(|answer| answer.get("trace").is_some_and(Value::is_object));
        let failed = |at: usize| verdicts[at] == "error" && runs[at];
        let differ = definite(0) && definite(1) && verdicts[0] != verdicts[1];
        let proof_of_errors = (proved(0) && failed(1)) || (proved(1) && failed(0));
        let values = [text(one, "value"), text(other, "value")];
        let values_differ =
            proved(0) && proved(1) && values[0] != values[1] && values.iter().all(|value| !value.is_empty());
        if differ || proof_of_errors || values_differ {
            let said = |at: usize| format!("{} {} ({}, {})", verdicts[at], values[at], searches[at], evidence[at]);
            return Some(Fault::Contradiction(format!("{} and {}", said(0), said(1))));
        }
    }
    None
}
