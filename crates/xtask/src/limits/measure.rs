//! Runs one command, measures it, and compares that with its limits.

use super::Limits;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// Beyond this many times its limit a command is ended from outside.
const PATIENCE: u32 = 20;

/// How often a command is asked again that took too long: others may have had the processors.
const TRIES: usize = 3;

/// How a command broke its limits, or what else must not happen.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    Signal(i32),
    Status(i32),
    Panic(String),
    Hangs(Duration),
    Processor(Duration, Duration),
    Wall(Duration, Duration),
    Memory(u64, u64),
    NoJson(String),
    /// The row says that the model is one, and it is none.
    Refused(String),
    NotRun(String),
}

impl Fault {
    fn is_about_time(&self) -> bool {
        matches!(self, Fault::Processor(..) | Fault::Wall(..))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Fault::Signal(signal) => write!(f, "signal {signal}"),
            Fault::Status(status) => write!(f, "exit status {status}"),
            Fault::Panic(text) => write!(f, "panic: {text}"),
            Fault::Hangs(time) => write!(f, "no end after {:.1} s", time.as_secs_f64()),
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
    pub processor: Duration,
    pub bytes: u64,
    pub verdict: String,
    pub faults: Vec<Fault>,
}

pub struct Measure {
    program: PathBuf,
    limits: Limits,
    deadlines: Arc<Mutex<BTreeMap<u32, Instant>>>,
}

impl Measure {
    pub fn new(program: PathBuf, limits: Limits) -> Measure {
        let deadlines: Arc<Mutex<BTreeMap<u32, Instant>>> = Arc::default();
        let watched = deadlines.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(200));
                let Ok(running) = watched.lock() else { return };
                for process in running.iter().filter(|(_, at)| **at < Instant::now()).map(|(process, _)| *process) {
                    let _ = Command::new("kill").args(["-9", &process.to_string()]).stderr(Stdio::null()).status();
                }
            }
        });
        Measure { program, limits, deadlines }
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
        if let Ok(mut deadlines) = self.deadlines.lock() {
            deadlines.insert(process, deadline);
        }
        let used = child.wait4();
        if let Ok(mut deadlines) = self.deadlines.lock() {
            deadlines.remove(&process);
        }
        let (used, wall) = (used?, started.elapsed());
        let mut measured = Measured {
            status: used.status.code(),
            wall,
            processor: used.rusage.utime + used.rusage.stime,
            bytes: used.rusage.maxrss,
            ..Measured::default()
        };
        let (out, err) = (fs::read(&out)?, String::from_utf8_lossy(&fs::read(&err)?).into_owned());
        if Instant::now() >= deadline {
            measured.faults.push(Fault::Hangs(wall));
            return Ok(measured);
        }
        self.judge(&mut measured, threads, is_refused, used.status.signal(), &out, &err);
        Ok(measured)
    }

    fn judge(
        &self,
        measured: &mut Measured,
        threads: u32,
        is_refused: bool,
        signal: Option<i32>,
        out: &[u8],
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
        if measured.wall > wall {
            faults.push(Fault::Wall(measured.wall, wall));
        }
        let bytes = self.limits.memory / 5 * 6;
        if measured.bytes > bytes {
            faults.push(Fault::Memory(measured.bytes, bytes));
        }
        let report = serde_json::from_slice::<serde_json::Value>(out);
        let answer = report.as_ref().ok().and_then(|report| report.pointer("/results/0"));
        let told = |name: &str| answer.and_then(|answer| answer.get(name)).and_then(|told| told.as_str()).unwrap_or("");
        measured.verdict = format!("{} {}", told("verdict"), told("reason")).trim().to_owned();
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
