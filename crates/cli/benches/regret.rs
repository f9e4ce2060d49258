//! What does `--search auto` lose to the single strategy that would have been best? Runs the suite `experiments/auto.toml` with
//! the command itself.
//!
//!     ZONEWALK_CORPUS=<directory> cargo bench -p cli --bench regret -- [--only TEXT] [--seconds S] [--seeds N] [--binary PATH]
//!
//! In a row every seed is run by `auto` and by each strategy before the next seed begins: what else the machine does meets all
//! of them. A row ends after `--seeds` seeds (31), or after five if `auto` has taken `--seconds` seconds (4). A strategy is given up if most of its runs, at
//! least two, have no answer within 2.2 times what `auto` took for the same seed (at least a tenth of a second), or if after five seeds its median is
//! more than twice the smallest one: it will not be the best. Columns: medians of wall seconds of those that `auto` is made of, over the seeds that
//! they had, the best of the other strategies, which one answered in `auto`, the seeds run, and the regret: the median of `auto` by
//! the smallest median of those that were not given up.
//!
//! Rows whose models are not part of this repository run only with `ZONEWALK_CORPUS`.

#[path = "../../../experiments/suite.rs"]
mod suite;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use suite::{Row, path, rows};

const SUITE: &str = include_str!("../../../experiments/auto.toml");
/// Search and heuristic; the first ones have columns of their own.
const STRATEGIES: [&str; 23] = [
    "ret",
    "rcf",
    "gbfs dU",
    "ua dU",
    "drs",
    "rdfs",
    "dfs",
    "rank",
    "dive",
    "bfs",
    "random",
    "highway",
    "highway-approx",
    "gbfs hU",
    "gbfs hL",
    "ut hU",
    "ut dU",
    "ua hU",
    "ua null",
    "astar hL",
    "sem",
    "rlc",
    "rlc-a",
];
const COLUMNS: usize = 9;
const LONGEST: Duration = Duration::from_secs(120);
const SHORTEST: Duration = Duration::from_millis(100);
const FEWEST: usize = 5;

struct Settings {
    only: String,
    time: Duration,
    seeds: usize,
    binary: PathBuf,
}

fn main() {
    let settings = settings();
    println!("| model | {} | best other | auto | answered by | seeds | regret |", STRATEGIES[..COLUMNS].join(" | "));
    println!("| --- |{} --- | ---: | --- | ---: | ---: |", " ---: |".repeat(COLUMNS));
    for row in rows(SUITE).iter().filter(|row| title(row).contains(&settings.only)) {
        println!("| {} | {} |", title(row), measure(row, &settings));
    }
}

fn settings() -> Settings {
    let mut settings = Settings {
        only: String::new(),
        time: Duration::from_secs(4),
        seeds: 31,
        binary: PathBuf::from(env!("CARGO_BIN_EXE_zonewalk")),
    };
    // `cargo bench` adds `--bench`.
    let mut given = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(name) = given.next() {
        let value = given.next().unwrap_or_else(|| panic!("{name} needs a value"));
        match name.as_str() {
            "--only" => settings.only = value,
            "--seconds" => settings.time = Duration::from_secs(value.parse().expect("--seconds: a number")),
            "--seeds" => settings.seeds = value.parse().expect("--seeds: a number"),
            "--binary" => settings.binary = PathBuf::from(value),
            _ => panic!("{name}: --only, --seconds, --seeds and --binary are known"),
        }
    }
    settings
}

/// The file's name behind its origin, with the folder it stood in where that is a mere number, and the constant that is another one.
fn title(row: &Row) -> String {
    let stem = Path::new(row["file"]).file_stem().unwrap_or_default().to_string_lossy();
    let parts: Vec<&str> = stem.split("__").collect();
    let name = match parts.as_slice() {
        [.., folder, name] if name.parse::<u32>().is_ok() => format!("{folder} {name}"),
        [.., name] => (*name).to_owned(),
        [] => String::new(),
    };
    row.get("define").map_or_else(|| name.clone(), |define| format!("{name} {define}"))
}

fn measure(row: &Row, settings: &Settings) -> String {
    let Some(model) = path(row, row["file"]) else {
        return format!("skipped: ZONEWALK_CORPUS is not set |{} | | ", " |".repeat(COLUMNS + 1));
    };
    let mut question = vec![model.into_os_string()];
    question.extend(row.get("queries").and_then(|file| path(row, file)).map(PathBuf::into_os_string));
    for (option, key) in [("-q", "query"), ("-D", "define")] {
        question.extend(row.get(key).into_iter().flat_map(|value| [option.into(), value.into()]));
    }
    let run = |options: &[&str], seed: usize, limit: Duration| {
        let mut command = Command::new(&settings.binary);
        command.arg("check").args(&question).args(options).args(["--trace", "none", "--seed", &seed.to_string()]);
        timed(&mut command, limit)
    };
    let (mut auto, mut answerers) = (Vec::new(), Vec::new());
    let mut singles: [Single; STRATEGIES.len()] = Default::default();
    for seed in 1..=settings.seeds {
        if seed > FEWEST && auto.iter().flatten().sum::<Duration>() > settings.time {
            break;
        }
        let Some((taken, answered)) = run(&["--stats"], seed, LONGEST) else {
            return format!("`auto` has no answer for seed {seed} |{} | | ", " |".repeat(COLUMNS + 1));
        };
        auto.push(Some(taken));
        answerers.extend(answered);
        let best = singles.iter().filter_map(|single| single.median().filter(|_| !single.failed())).min();
        for (single, strategy) in singles.iter_mut().zip(STRATEGIES) {
            let cannot_win =
                single.runs.len() >= FEWEST && single.median().zip(best).is_some_and(|(own, best)| own > best * 2);
            single.given_up |= cannot_win || single.failed();
            if !single.given_up {
                let limit = (taken * 11 / 5).max(SHORTEST);
                single.runs.push(run(&options(strategy), seed, limit).map(|run| run.0));
            }
        }
    }
    let seeds = auto.len();
    let auto = median(&auto);
    let medians: Vec<Option<Duration>> =
        singles.iter().map(|single| single.median().filter(|_| !single.failed())).collect();
    // If the one that the others were given up for fails later, their medians are what there is.
    let asked_to_the_end = singles.iter().filter(|single| !single.given_up).filter_map(Single::median).min();
    let best = asked_to_the_end.or_else(|| medians.iter().flatten().min().copied());
    let regret = best.zip(auto).map(|(best, auto)| format!("{:.2}", auto.as_secs_f64() / best.as_secs_f64()));
    let shown = |taken: &Option<Duration>| taken.map_or("-".to_owned(), |taken| format!("{:.3}", taken.as_secs_f64()));
    let columns: Vec<String> = medians[..COLUMNS].iter().map(shown).collect();
    let others = medians.iter().zip(STRATEGIES).skip(COLUMNS).filter_map(|(taken, name)| Some(((*taken)?, name)));
    let other = others.min().map_or("-".to_owned(), |(taken, name)| format!("{name} {:.3}", taken.as_secs_f64()));
    answerers.sort_unstable();
    answerers.dedup();
    let (auto, answerers, regret) = (shown(&auto), answerers.join("/"), regret.unwrap_or_default());
    format!("{} | {other} | {auto} | {answerers} | {seeds} | {regret}", columns.join(" | "))
}

/// Those of the command for a search, perhaps with its heuristic.
fn options(strategy: &str) -> Vec<&str> {
    let mut words = strategy.split(' ');
    ["--search", "--heuristic"].into_iter().zip(&mut words).flat_map(|(option, value)| [option, value]).collect()
}

/// How long a command takes until all its queries have a verdict, and the strategies that `--stats` names below them.
fn timed(command: &mut Command, limit: Duration) -> Option<(Duration, Vec<String>)> {
    let start = Instant::now();
    let limit = format!("{}ms", limit.as_millis());
    let output = command.args(["--time-limit", &limit]).stderr(Stdio::null()).output().expect("the program runs");
    let taken = start.elapsed();
    let text = String::from_utf8_lossy(&output.stdout);
    let verdict = |line: &str| matches!(line.trim(), "satisfied" | "violated");
    let queries = text.lines().filter(|line| !line.starts_with("     ")).count();
    let verdicts = text.lines().filter(|line| verdict(line)).count();
    let below = text.lines().zip(text.lines().skip(1)).filter(|(line, _)| verdict(line)).map(|(_, below)| below);
    let answerers = below.filter_map(|line| line.trim().split_once(": ")).map(|(name, _)| name.to_owned()).collect();
    (queries > 0 && queries == verdicts).then_some((taken, answerers))
}

/// The runs of one strategy.
#[derive(Default)]
struct Single {
    runs: Vec<Option<Duration>>,
    given_up: bool,
}

impl Single {
    fn median(&self) -> Option<Duration> {
        median(&self.runs)
    }

    fn failed(&self) -> bool {
        let in_vain = self.runs.iter().filter(|run| run.is_none()).count();
        in_vain >= 2 && in_vain * 2 > self.runs.len()
    }
}

/// Of runs some of which did not end; none if most did not.
fn median(runs: &[Option<Duration>]) -> Option<Duration> {
    let mut runs: Vec<Option<Duration>> = runs.to_vec();
    runs.sort_by_key(|run| run.unwrap_or(Duration::MAX));
    runs.get(runs.len() / 2).copied().flatten()
}
