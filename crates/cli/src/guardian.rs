//! The last resort of limits: a thread that ends the command where the work cannot.
//!
//! Whatever takes long asks its [`allowance`] and ends in order, with an answer and time for the next query. Where that does not happen
//! within a tenth of the time limit more, or a second after somebody asked the program to end, or where there is no memory to go on
//! with, this thread says what is known: the answers so far, and "unknown" for the others. Then the command ends, with a status that means something and without a signal.

use crate::{check, output};
use allowance::{Cause, memory};
use clap::ArgMatches;
use engine::limits::cause_text;
use engine::options::{Options, TraceForm};
use engine::report::{Answer, Report, Status};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Memory that is not allocated, such as stacks and the program itself, and what a limit leaves for it.
const OTHER: u64 = 16 << 20;
/// Bytes of a page, where pages are small. On systems with larger ones less is seen than there is.
const PAGE: u64 = 4096;
/// How often the guardian looks when nothing calls it.
const LOOK: Duration = Duration::from_millis(10);
/// How long the work may take to end in order when it is interrupted.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the guardian knows about the command.
struct Known {
    model: String,
    seed: u64,
    json: bool,
    trace: TraceForm,
    queries: Vec<String>,
    /// As JSON says them where that was asked for; otherwise they have been shown.
    answers: Vec<Answer>,
    /// How many queries have answers.
    answered: usize,
    /// When the work on the present one is given up.
    until: Option<Instant>,
    interrupted: Arc<AtomicBool>,
    /// When that was seen.
    asked_to_end: Option<Instant>,
    is_over: bool,
}

/// Watches over a command until it is dropped.
pub struct Guardian {
    known: Arc<Mutex<Known>>,
    begun: Instant,
    limit: Option<Duration>,
}

impl Guardian {
    /// Begins to watch. The first query's time counts from here on, so that reading the model is a part of it.
    pub fn begin(matches: &ArgMatches, path: &Path, options: &Options, interrupted: Arc<AtomicBool>) -> Guardian {
        let begun = Instant::now();
        // `refine` has none.
        let words = matches.try_get_many::<String>("query").ok().flatten().into_iter().flatten();
        let known = Known {
            model: path.display().to_string(),
            seed: options.seed,
            json: matches.get_flag("json"),
            trace: options.trace,
            queries: words.cloned().collect(),
            answers: Vec::new(),
            answered: 0,
            until: until(begun, options.time_limit),
            interrupted,
            asked_to_end: None,
            is_over: false,
        };
        let known = Arc::new(Mutex::new(known));
        let watched = known.clone();
        let most = options.memory_limit.map(|limit| limit.saturating_add(limit / 8));
        let ceiling =
            options.memory_limit.map(|limit| limit.saturating_add(limit / 8).saturating_sub(OTHER).max(OTHER));
        let thread = std::thread::Builder::new().name("guardian".to_owned()).stack_size(1 << 20);
        // Where no thread can be made there is none to spare for the work either.
        let _ = thread.spawn(move || {
            memory::guard();
            memory::set_ceiling(ceiling);
            watch(&watched, most);
        });
        Guardian { known, begun, limit: options.time_limit }
    }

    /// When the command began.
    pub fn begun(&self) -> Instant {
        self.begun
    }

    /// These are the queries.
    pub fn asks(&self, queries: impl Iterator<Item = String>) {
        self.lock().queries = queries.collect();
    }

    /// Another query has its answer.
    pub fn answered(&self, answer: &Answer) {
        let mut known = self.lock();
        known.answered = answer.index + 1;
        known.until = until(Instant::now(), self.limit);
        if known.json && known.answered < known.queries.len() {
            known.answers.push(answer.clone());
        }
        if known.answered == known.queries.len() {
            known.is_over = true;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        self.lock().is_over = true;
    }
}

/// When work that was to end at a limit is given up.
fn until(begun: Instant, limit: Option<Duration>) -> Option<Instant> {
    begun.checked_add(limit? + limit? / 10 + Duration::from_millis(100))
}

/// The memory of the process as the system sees it, where it tells.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    pages.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()?.checked_mul(PAGE)
}

/// `most`: with more memory than that the work is given up.
fn watch(known: &Mutex<Known>, most: Option<u64>) {
    loop {
        std::thread::park_timeout(LOOK);
        let is_too_large = most.is_some_and(|most| {
            let resident = resident().unwrap_or(0);
            memory::set_resident(resident);
            resident > most
        });
        let mut known = match known.try_lock() {
            Ok(known) => known,
            Err(TryLockError::Poisoned(known)) => known.into_inner(),
            // Somebody is about to say something, or sleeps for ever with it in hand.
            Err(TryLockError::WouldBlock) if memory::is_exhausted() => std::process::exit(end_blindly()),
            Err(TryLockError::WouldBlock) => continue,
        };
        if memory::is_exhausted() {
            end(&mut known, Cause::Memory);
        }
        if known.is_over {
            return;
        }
        if is_too_large {
            end(&mut known, Cause::Memory);
        }
        if known.interrupted.load(Ordering::Relaxed)
            && known.asked_to_end.get_or_insert_with(Instant::now).elapsed() >= PATIENCE
        {
            end(&mut known, Cause::Cancelled);
        }
        if known.until.is_some_and(|until| Instant::now() >= until) {
            end(&mut known, Cause::Time);
        }
    }
}

fn end_blindly() -> i32 {
    output::last_words(b"", format!("unknown: {}\n", cause_text(Cause::Memory)).as_bytes());
    i32::from(Status::NoVerdict.code())
}

/// Says what is known and ends the command.
fn end(known: &mut Known, cause: Cause) -> ! {
    let mut results = std::mem::take(&mut known.answers);
    let mut text = String::new();
    for (index, query) in known.queries.iter().enumerate().skip(known.answered) {
        let mut answer = Answer::new(index, query);
        answer.reason = Some(match index == known.answered {
            true => cause_text(cause).to_owned(),
            false => format!("not asked: {} while query {} was answered", cause_text(cause), known.answered + 1),
        });
        text += &check::text(&answer, known.trace, false);
        results.push(answer);
    }
    let is_empty = results.is_empty();
    let report =
        Report { schema: "zonewalk.report/1", model: std::mem::take(&mut known.model), seed: known.seed, results };
    let status = match is_empty {
        true => Status::NoVerdict,
        false => report.status().strongest(Status::NoVerdict),
    };
    if known.json {
        text = output::json_text(&report) + "\n";
    }
    let message = match is_empty {
        true => format!("error: {} while the model was read\n", cause_text(cause)),
        false => String::new(),
    };
    output::last_words(text.as_bytes(), message.as_bytes());
    std::process::exit(i32::from(status.code()))
}
