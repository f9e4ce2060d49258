//! Runs one command, measures it, and compares that with its limits.

use super::Limits;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::BufReader;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// Beyond this many times its time or memory limit a command is ended from outside.
const PATIENCE: u32 = 8;

/// How often a command is asked that took too long: others may have had the processors.
const TRIES: usize = 3;

/// The parts of a report that count here. A report may be far larger than the memory of this program ought to be: what a
/// process has used at its start is counted as memory of the command that it becomes.
#[derive(Deserialize)]
struct Report {
    results: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    verdict: String,
    reason: Option<String>,
}

/// How a command broke its limits, or what else must not happen.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    Signal(i32),
    Status(i32),
    Panic(String),
    Hangs(Duration),
    /// Bytes of memory when it was ended from outside.
    Grows(u64),
    Processor(Duration, Duration),
    Wall(Duration, Duration),
    Memory(u64, u64),
    NoJson(String),
    /// The row says that the model is one, and it is none.
    Refused(String),
    NotRun(String),
}

impl Fault {
    /// Whether the time is too long, but not so long that others can hardly be the cause.
    fn is_about_time(&self) -> bool {
        match self {
            Fault::Processor(used, allowed) | Fault::Wall(used, allowed) => *used < *allowed * 3,
            _ => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Fault::Signal(signal) => write!(f, "signal {signal}"),
            Fault::Status(status) => write!(f, "exit status {status}"),
            Fault::Panic(text) => write!(f, "panic: {text}"),
            Fault::Hangs(time) => write!(f, "no end after {:.1} s", time.as_secs_f64()),
            Fault::Grows(bytes) => write!(f, "ended from outside at {} MB", bytes >> 20),
            Fault::Processor(used, allowed) => {
                write!(f, "processor {:.2} s > {:.2} s", used.as_secs_f64(), allowed.as_secs_f64())
            }
            Fault::Wall(used, allowed) => {
                write!(f, "wall {:.2} s > {:.2} s", used.as_secs_f64(), allowed.as_secs_f64())
            }
            Fault::Memory(used, allowed) => write!(f, "memory {} MB > {} MB", used >> 20, allowed >> 20),
            Fault::NoJson(text) => write!(f, "no JSON: {text}"),
            Fault::Refused(text) => write!(f, "not asked: {text}"),
            Fault::NotRun(text) => write!(f, "not run: {text}"),
        }
    }
}

/// What a command used.
#[derive(Clone, Default)]
pub struct Measured {
    pub status: Option<i32>,
    pub wall: Duration,
    /// The part of it in which others had the processors.
    pub waited: Duration,
    pub processor: Duration,
    pub bytes: u64,
    pub verdict: String,
    pub faults: Vec<Fault>,
}

pub struct Measure {
    program: PathBuf,
    limits: Limits,
    running: Arc<Mutex<Running>>,
}

/// What is known about commands that run.
#[derive(Default)]
struct Running {
    deadlines: BTreeMap<u32, Instant>,
    /// Those that were ended because of their memory, and how much they had.
    ended: BTreeMap<u32, u64>,
    /// How long the thread of a process that waited longest has waited for a processor.
    waited: BTreeMap<u32, Duration>,
}

/// The resident memory of a process, in bytes.
fn resident(process: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()).unwrap_or(0) << 10
}

/// How long a thread of this process has waited for a processor at most; as far as the system tells.
fn waited(process: u32) -> Duration {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Duration::ZERO };
    let of = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("schedstat")).ok();
    let nanoseconds = |text: String| text.split_whitespace().nth(1)?.parse::<u64>().ok();
    let longest = threads.flatten().filter_map(of).filter_map(nanoseconds).max();
    Duration::from_nanos(longest.unwrap_or(0))
}

/// Ends commands that take far too long or far too much.
fn watch(running: &Mutex<Running>, memory: u64) {
    loop {
        std::thread::sleep(Duration::from_millis(20));
        let Ok(mut running) = running.lock() else { return };
        let Running { deadlines, ended, waited: longest } = &mut *running;
        for (process, deadline) in deadlines {
            let bytes = resident(*process);
            let known = longest.entry(*process).or_default();
            *known = waited(*process).max(*known);
            if bytes > memory {
                ended.insert(*process, bytes);
            }
            if bytes > memory || *deadline + *known < Instant::now() {
                let _ = Command::new("kill").args(["-9", &process.to_string()]).stderr(Stdio::null()).status();
            }
        }
    }
}

impl Measure {
    pub fn new(program: PathBuf, limits: Limits) -> Measure {
        let running: Arc<Mutex<Running>> = Arc::default();
        let (watched, memory) = (running.clone(), limits.memory * u64::from(PATIENCE));
        std::thread::spawn(move || watch(&watched, memory));
        Measure { program, limits, running }
    }

    /// Runs the command; again where it took too long.
    pub fn measure(
        &self,
        words: &[String],
        threads: u32,
        is_narrow: bool,
        is_refused: bool,
        folder: &Path,
    ) -> Measured {
        let mut best = self.once(words, threads, is_narrow, is_refused, folder);
        for _ in 1..TRIES {
            if best.faults.is_empty() || !best.faults.iter().all(Fault::is_about_time) {
                break;
            }
            let again = self.once(words, threads, is_narrow, is_refused, folder);
            if again.faults.len() < best.faults.len() || again.processor < best.processor {
                best = again;
            }
        }
        best
    }

    fn once(&self, words: &[String], threads: u32, is_narrow: bool, is_refused: bool, folder: &Path) -> Measured {
        self.run(words, threads, is_narrow, is_refused, folder)
            .unwrap_or_else(|error| Measured { faults: vec![Fault::NotRun(error.to_string())], ..Measured::default() })
    }

    fn run(
        &self,
        words: &[String],
        threads: u32,
        is_narrow: bool,
        is_refused: bool,
        folder: &Path,
    ) -> std::io::Result<Measured> {
        fs::create_dir_all(folder)?;
        let (out, err) = (folder.join("out"), folder.join("err"));
        let mut command = if is_narrow {
            let mut shell = Command::new("sh");
            let kilobytes = (self.limits.address_space >> 10).to_string();
            shell.args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &kilobytes]).arg(&self.program);
            shell
        } else {
            Command::new(&self.program)
        };
        let started = Instant::now();
        let mut child = command
            .args(words)
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(fs::File::create(&out)?)
            .stderr(fs::File::create(&err)?)
            .spawn()?;
        let (process, deadline) = (child.id(), started + self.limits.time * PATIENCE);
        if let Ok(mut running) = self.running.lock() {
            running.deadlines.insert(process, deadline);
        }
        let used = child.wait4();
        let wall = started.elapsed();
        let (mut ended, mut waited) = (None, Duration::ZERO);
        if let Ok(mut running) = self.running.lock() {
            running.deadlines.remove(&process);
            ended = running.ended.remove(&process);
            waited = running.waited.remove(&process).unwrap_or_default();
        }
        let used = used?;
        let mut measured = Measured {
            status: used.status.code(),
            wall,
            waited,
            processor: used.rusage.utime + used.rusage.stime,
            bytes: used.rusage.maxrss,
            ..Measured::default()
        };
        if ended.is_some() || started + wall >= deadline + waited {
            measured.faults.push(ended.map_or(Fault::Hangs(wall), Fault::Grows));
            return Ok(measured);
        }
        let report = serde_json::from_reader(BufReader::new(fs::File::open(&out)?));
        let err = String::from_utf8_lossy(&fs::read(&err)?).into_owned();
        self.judge(&mut measured, threads, is_refused, used.status.signal(), report, &err);
        Ok(measured)
    }

    fn judge(
        &self,
        measured: &mut Measured,
        threads: u32,
        is_refused: bool,
        signal: Option<i32>,
        report: serde_json::Result<Report>,
        err: &str,
    ) {
        let mut faults = Vec::new();
        if let Some(line) = err.lines().find(|line| line.contains("panicked at")) {
            faults.push(Fault::Panic(line.to_owned()));
        }
        match (measured.status, signal) {
            (Some(0..=4), _) => {}
            (Some(status), _) => faults.push(Fault::Status(status)),
            (None, signal) => faults.push(Fault::Signal(signal.unwrap_or(0))),
        }
        let allowed = |time: Duration| time * 6 / 5 + Duration::from_millis(200);
        let (wall, processor) = (allowed(self.limits.time), allowed(self.limits.time * threads));
        if measured.processor > processor {
            faults.push(Fault::Processor(measured.processor, processor));
        }
        let own = measured.wall.saturating_sub(measured.waited);
        if own > wall {
            faults.push(Fault::Wall(own, wall));
        }
        let bytes = self.limits.memory / 5 * 6;
        if measured.bytes > bytes {
            faults.push(Fault::Memory(measured.bytes, bytes));
        }
        let answer = report.as_ref().ok().and_then(|report| report.results.first());
        if let Some(answer) = answer {
            measured.verdict =
                format!("{} {}", answer.verdict, answer.reason.as_deref().unwrap_or("")).trim().to_owned();
        }
        match (&report, measured.status) {
            // A model or a command that is wrong has no report.
            (_, Some(2)) if answer.is_none() => {
                measured.verdict = "refused".to_owned();
                let line = err.lines().find(|line| line.contains("error")).unwrap_or("no message");
                if !is_refused {
                    faults.push(Fault::Refused(line.to_owned()));
                }
            }
            (Err(error), Some(_)) => faults.push(Fault::NoJson(error.to_string())),
            (Ok(_), Some(0..=4)) if answer.is_none() => {
                faults.push(Fault::NoJson("the report has no answer".to_owned()))
            }
            _ => {}
        }
        measured.faults = faults;
    }
}
