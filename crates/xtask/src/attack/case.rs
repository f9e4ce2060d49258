//! One input: files, and the commands that get them.

use super::seeds::{File, Model, Seeds};
use super::{damage, evidence, options, tokens};
use crate::question;
use engine::model::load::{load_bytes, query_text};
use engine::searches::Search;
use engine::searches::orders::BFS;
use search::random::Random;
use std::panic::catch_unwind;
use std::path::Path;

/// What is damaged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Bytes,
    Structure,
    Query,
    Options,
    Graph,
    Project,
    Table,
    Evidence,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bytes => "bytes",
            Kind::Structure => "structure",
            Kind::Query => "query",
            Kind::Options => "options",
            Kind::Graph => "graph",
            Kind::Project => "project",
            Kind::Table => "table",
            Kind::Evidence => "evidence",
        }
    }

    /// Structure has the largest share: what still loads goes deepest.
    fn drawn(random: &mut Random) -> Kind {
        match random.below(20) {
            0..=1 => Kind::Bytes,
            2..=10 => Kind::Structure,
            11..=12 => Kind::Query,
            13..=14 => Kind::Options,
            15 => Kind::Graph,
            16 => Kind::Project,
            17 => Kind::Table,
            _ => Kind::Evidence,
        }
    }
}

/// How long and how large a command may become.
#[derive(Clone, Copy)]
pub struct Limits {
    pub millis: u64,
    pub megabytes: u64,
    pub threads: u64,
}

/// One call of the program, in the folder of its case.
#[derive(Clone)]
pub struct Call {
    pub arguments: Vec<String>,
    /// The limits among its arguments.
    pub limits: Option<Limits>,
    /// Answers are compared with those of the other calls that say so.
    pub compared: bool,
    /// The runs in its report are replayed.
    pub replayed: bool,
    /// What it must not go against, where changed evidence is replayed.
    pub truth: Option<Truth>,
}

/// What is known about the query of some evidence.
#[derive(Clone)]
pub enum Truth {
    /// Its verdict.
    Verdict { query: String, verdict: String },
    /// It is answered the other way, so that no evidence of this kind is right.
    Nothing,
}

#[derive(Clone)]
pub struct Case {
    pub kind: Kind,
    pub files: Vec<File>,
    /// The file that was changed.
    pub changed: usize,
    pub calls: Vec<Call>,
}

/// An input is cut off early: deep faults are those of the differential tests, here the way in is attacked. One in eight has more
/// time.
const MILLIS: u64 = 40;
const MORE_MILLIS: u64 = 200;
const MEGABYTES: u64 = 150;

/// How many changes are tried until one is accepted.
const TRIES: u64 = 8;

impl Case {
    /// The input of a number under a seed.
    pub fn of(seed: u64, number: u64, seeds: &Seeds) -> Case {
        let mut random = Random::of_run(seed, number);
        let random = &mut random;
        match Kind::drawn(random) {
            kind @ (Kind::Bytes | Kind::Structure | Kind::Query | Kind::Options) => about_model(random, kind, seeds),
            Kind::Graph => about_graph(random, seeds),
            Kind::Project => about_project(random, seeds),
            Kind::Table => {
                let (name, bytes) = pick(random, &seeds.tables).clone();
                let bytes = damage::damage(random, &bytes);
                let call = Call::plain(["plot", &name, "--out", "out.svg"]);
                Case { kind: Kind::Table, files: vec![(name, bytes)], changed: 0, calls: vec![call] }
            }
            Kind::Evidence => about_evidence(random, seeds),
        }
    }

    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
        std::fs::create_dir_all(folder)?;
        for (name, bytes) in &self.files {
            let path = folder.join(name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(path, bytes)?;
        }
        Ok(())
    }

    /// The commands as one would type them.
    pub fn commands_as_text(&self) -> String {
        let quoted = |word: &String| {
            let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
            if plain { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
        };
        let line =
            |call: &Call| format!("zonewalk {}\n", call.arguments.iter().map(quoted).collect::<Vec<_>>().join(" "));
        self.calls.iter().map(line).collect()
    }
}

impl Call {
    fn plain<const N: usize>(words: [&str; N]) -> Call {
        let arguments = words.map(str::to_owned).to_vec();
        Call { arguments, limits: None, compared: false, replayed: false, truth: None }
    }

    /// `check` with limits.
    fn check(random: &mut Random, given: &str, query: &str, search: Search, more: Vec<String>) -> Call {
        let millis = if random.below(8) == 0 { MORE_MILLIS } else { MILLIS };
        let limits = Limits { millis, megabytes: MEGABYTES, threads: 1 + random.below(2) };
        let mut arguments: Vec<String> =
            ["check", given, "--json", "--query", query, "--search", search.name].map(str::to_owned).to_vec();
        arguments.extend(["--time-limit".to_owned(), format!("{}ms", limits.millis)]);
        arguments.extend(["--memory-limit".to_owned(), format!("{}M", limits.megabytes)]);
        arguments.extend(["--threads".to_owned(), limits.threads.to_string()]);
        arguments.extend(more);
        Call { arguments, limits: Some(limits), compared: true, replayed: random.below(4) == 0, truth: None }
    }
}

fn pick<'a, T>(random: &mut Random, items: &'a [T]) -> &'a T {
    &items[random.index(items.len())]
}

fn about_model(random: &mut Random, kind: Kind, seeds: &Seeds) -> Case {
    let Model { mut files, given, queries } = pick(random, &seeds.models).clone();
    let mut query = match queries.is_empty() {
        true => "A[] not deadlock".to_owned(),
        false => pick(random, &queries).clone(),
    };
    let mut changed = (files[0].1.clone(), query.clone());
    let text = String::from_utf8_lossy(&files[0].1).into_owned();
    // What is refused at the door tells little: a few changes are tried until one is accepted.
    for _ in 0..if random.below(4) == 0 { 1 } else { TRIES } {
        let (mut bytes, mut asked) = (files[0].1.clone(), query.clone());
        match kind {
            Kind::Bytes => bytes = damage::damage(random, &bytes),
            Kind::Structure if given.ends_with(".xml") => bytes = tokens::change_xml(random, &text).into_bytes(),
            Kind::Structure => bytes = tokens::change(random, &text, false).into_bytes(),
            Kind::Query => asked = changed_query(random, &query, &text),
            _ => {}
        }
        changed = (bytes, asked);
        if is_accepted(&given, &changed) {
            break;
        }
    }
    (files[0].1, query) = changed;
    let one = if random.below(3) == 0 { Search::default() } else { options::search(random) };
    let other = if random.below(2) == 0 { Search::from(&BFS) } else { options::search(random) };
    let has_options = kind == Kind::Options || random.below(4) == 0;
    let more = if has_options { options::some(random, one, question::of(&given, &query)) } else { Vec::new() };
    let mut calls =
        vec![Call::check(random, &given, &query, one, more), Call::check(random, &given, &query, other, Vec::new())];
    if random.below(8) == 0 {
        calls.push(Call::plain(["info", &given, "--json"]));
    }
    Case { kind, files, changed: 0, calls }
}

/// Whether a model and a query about it have no errors. A panic is for the command to show.
fn is_accepted(given: &str, (bytes, query): &(Vec<u8>, String)) -> bool {
    let load = || {
        let mut loaded = load_bytes(given, bytes, &[]);
        let query = query_text(&mut loaded.sources, "query", query);
        loaded.model.is_some_and(|model| !model.query(&query).diagnostics.has_errors())
    };
    catch_unwind(load).unwrap_or(true)
}

/// A query of words that were exchanged, some of them for words of the model.
fn changed_query(random: &mut Random, query: &str, model: &str) -> String {
    let mut query = query.to_owned();
    if random.below(2) == 0 {
        let (of_query, of_model) = (tokens::words(&query), tokens::words(model));
        if !of_query.is_empty() && !of_model.is_empty() {
            let (to, from) = (pick(random, &of_query).clone(), pick(random, &of_model).clone());
            query = format!("{}{}{}", &query[..to.start], &model[from], &query[to.end..]);
        }
    }
    match random.below(4) {
        0 => String::from_utf8_lossy(&damage::damage(random, query.as_bytes())).replace('\0', "0"),
        _ => tokens::change(random, &query, false).replace('\0', "0"),
    }
}

fn about_graph(random: &mut Random, seeds: &Seeds) -> Case {
    let Model { mut files, given, queries } = pick(random, &seeds.graphs).clone();
    let query = pick(random, &queries).clone();
    let text = String::from_utf8_lossy(&files[0].1).into_owned();
    files[0].1 = match random.below(2) {
        0 => damage::damage(random, &files[0].1),
        _ => tokens::change(random, &text, false).into_bytes(),
    };
    let search = options::search(random);
    let calls = vec![
        Call::check(random, &given, &query, search, Vec::new()),
        Call::check(random, &given, &query, Search::from(&BFS), Vec::new()),
    ];
    Case { kind: Kind::Graph, files, changed: 0, calls }
}

fn about_project(random: &mut Random, seeds: &Seeds) -> Case {
    let Model { mut files, given, queries } = pick(random, &seeds.projects).clone();
    let query = pick(random, &queries).clone();
    let changed = random.index(files.len());
    let bytes = &files[changed].1;
    files[changed].1 = match (random.below(3), serde_json::from_slice(bytes)) {
        (0, _) | (_, Err(_)) => damage::damage(random, bytes),
        (1, Ok(document)) => evidence::change(random, &document).to_string().into_bytes(),
        (_, Ok(_)) => tokens::change(random, &String::from_utf8_lossy(bytes), false).into_bytes(),
    };
    let calls = [Search::default(), Search::from(&BFS)]
        .map(|search| Call::check(random, &given, &query, search, Vec::new()))
        .to_vec();
    Case { kind: Kind::Project, files, changed, calls }
}

fn about_evidence(random: &mut Random, seeds: &Seeds) -> Case {
    if seeds.evidence.is_empty() {
        return about_graph(random, seeds);
    }
    let evidence = pick(random, &seeds.evidence);
    let mut files = evidence.model.files.clone();
    let bytes = match random.below(4) {
        0 => damage::damage(random, evidence.document.to_string().as_bytes()),
        _ => evidence::change(random, &evidence.document).to_string().into_bytes(),
    };
    files.push(("evidence.json".to_owned(), bytes));
    let changed = files.len() - 1;
    let mut call = Call::plain(["replay", &evidence.model.given, "evidence.json", "--json"]);
    let mut query = evidence.query.clone();
    match (&evidence.verdict, evidence.opposite()) {
        (Some(verdict), _) => call.truth = Some(Truth::Verdict { query: query.clone(), verdict: verdict.clone() }),
        (None, Some(opposite)) if random.below(2) == 0 => {
            query = opposite;
            call.truth = Some(Truth::Nothing);
        }
        _ => {}
    }
    if evidence.wants_query() {
        call.arguments.extend(["--query".to_owned(), query]);
    }
    Case { kind: Kind::Evidence, files, changed, calls: vec![call] }
}
