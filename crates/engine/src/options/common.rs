//! Options of every run, and those about runs and evidence that several kinds of search share.

use super::row::{Choices, Group, OptionRow, Rows, Value};
use super::{Preference, SearchChoice, TraceForm};
use crate::searches::auto::AUTO;

pub static SEARCH: OptionRow = OptionRow {
    name: "search",
    value: Value::Choice(&SearchChoice),
    word: "NAME",
    default: Some(AUTO.name),
    group: Group::Search,
    is_common: true,
    help: "How to search: several ways at once (auto), every state (dive to rdfs, drs), some (random, highway), by \
           heuristics (gbfs to ua), by random walks (sem to rlc-a)",
};

pub static MAX_DEPTH: OptionRow = OptionRow {
    name: "max-depth",
    value: Value::Integer { least: 0, most: u64::MAX, set: |options, depth| options.max_depth = Some(depth) },
    word: "N",
    default: None,
    group: Group::Search,
    is_common: false,
    help: "Look no deeper than this many steps",
};

pub static STATES: OptionRow = OptionRow {
    name: "states",
    value: Value::Integer { least: 1, most: u64::MAX, set: |options, states| options.strategies.states = Some(states) },
    word: "N",
    default: None,
    group: Group::Search,
    is_common: false,
    help: "Explore at most this many states; random and highway: in each simulation [default there: 50000]",
};

pub static SHORTEST: OptionRow = OptionRow {
    name: "shortest",
    value: Value::Switch(|options| options.preference = Preference::Shortest),
    word: "",
    default: None,
    group: Group::Search,
    is_common: true,
    help: "Find a run with the fewest steps: breadth first; walks look for better runs until the time limit",
};

pub static FASTEST: OptionRow = OptionRow {
    name: "fastest",
    value: Value::Switch(|options| options.preference = Preference::Fastest),
    word: "",
    default: None,
    group: Group::Search,
    is_common: true,
    help: "Find a run that takes the least time: the earliest states first; walks as with --shortest",
};

pub static SEED: OptionRow = OptionRow {
    name: "seed",
    value: Value::Integer { least: 0, most: u64::MAX, set: |options, seed| options.seed = seed },
    word: "N",
    default: Some("1"),
    group: Group::Limits,
    is_common: true,
    help: "Start of all random choices",
};

pub static THREADS: OptionRow = OptionRow {
    name: "threads",
    value: Value::Integer { least: 1, most: 4096, set: |options, threads| options.threads = Some(threads as usize) },
    word: "N",
    default: None,
    group: Group::Limits,
    is_common: true,
    help: "How many threads to use [default: all cores]",
};

pub static TIME_LIMIT: OptionRow = OptionRow {
    name: "time-limit",
    value: Value::Time(|options, limit| options.time_limit = Some(limit)),
    word: "TIME",
    default: None,
    group: Group::Limits,
    is_common: true,
    help: "Stop a query after this time, such as 60s, 5m or 1h",
};

pub static MEMORY_LIMIT: OptionRow = OptionRow {
    name: "memory-limit",
    value: Value::Size(|options, limit| options.memory_limit = Some(limit)),
    word: "SIZE",
    default: None,
    group: Group::Limits,
    is_common: true,
    help: "Stop a query at this much memory, such as 500M or 4G",
};

/// The forms of a run that is shown.
pub static TRACES: Choices<TraceForm> = Choices {
    named: &[("text", TraceForm::Text), ("json", TraceForm::Json), ("none", TraceForm::None)],
    set: |options, form| options.trace = form,
};

pub static TRACE: OptionRow = OptionRow {
    name: "trace",
    value: Value::Choice(&TRACES),
    word: "FORM",
    default: Some("text"),
    group: Group::Evidence,
    is_common: true,
    help: "How to show a run",
};

pub static CERTIFY: OptionRow = OptionRow {
    name: "certify",
    value: Value::Switch(|options| options.certify = true),
    word: "",
    default: None,
    group: Group::Evidence,
    is_common: true,
    help: "Check a certificate when an E<> or A[] query has no witness, and a relation when a refinement holds",
};

pub static CERTIFICATE: OptionRow = OptionRow {
    name: "certificate",
    value: Value::File(|options| (options.certify, options.keep_certificate) = (true, true)),
    word: "FILE",
    default: None,
    group: Group::Evidence,
    is_common: false,
    help: "Write that certificate or relation to a file; the number of the query is added when there are several",
};

/// What every question takes, however it is answered.
pub const ALWAYS: Rows = &[&SEARCH, &SEED, &THREADS, &TIME_LIMIT, &MEMORY_LIMIT, &TRACE];

/// How far a search of states may go.
pub const EXTENT: Rows = &[&MAX_DEPTH, &STATES];

/// Of searches that can prove that there is nothing.
pub const PROOF: Rows = &[&CERTIFY, &CERTIFICATE];

pub const SHORT: Rows = &[&SHORTEST];

pub const PREFERENCE: Rows = &[&SHORTEST, &FASTEST];
