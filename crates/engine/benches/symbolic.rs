//! How fast and how small is the search of the zone graph? Runs the suite `experiments/symbolic.toml`, each row in a process
//! of its own, so that its processor time and the peak of its resident memory are those of the row.
//!
//! Rows whose models are not part of this repository run only with `ZONEWALK_CORPUS`. Columns: states explored and
//! stored, states explored a second of processor time, processor seconds and peak MB of the whole process, bytes a stored state
//! takes beside its zone and for its zone, and wall seconds from the start of loading.

#[path = "../../../experiments/suite.rs"]
mod suite;

use model::check::{Override, QueryKind};
use model::load::{load, query_text};
use search::budget::Limits;
use search::heuristic::Levels;
use search::rank::Ranked;
use search::search::{Search, Stop};
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{Abstraction, ZoneGraph};
use std::process::Command;
use std::time::Instant;
use suite::{Row, path, rows};

const SUITE: &str = include_str!("../../../experiments/symbolic.toml");
const ROW: &str = "ZONEWALK_ROW";

fn main() {
    let rows = rows(SUITE);
    if let Ok(row) = std::env::var(ROW) {
        let row = &rows[row.parse::<usize>().expect("the number of a row")];
        return measure(row);
    }
    println!(
        "| model | explored | stored | states/s | cpu s | peak MB | bytes/state | of them zone | wall s | TChecker |"
    );
    println!("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --- |");
    let this = std::env::current_exe().expect("the path of this program");
    for (n, row) in rows.iter().enumerate() {
        let status = Command::new(&this).env(ROW, n.to_string()).status().expect("the program runs");
        assert!(status.success(), "row {n}: {}", row["file"]);
    }
}

fn measure(row: &Row) {
    let Some(path) = path(row, row["file"]) else {
        println!("| {} | skipped: ZONEWALK_CORPUS is not set | | | | | | | | |", row["file"]);
        return;
    };
    let start = Instant::now();
    let overrides: Vec<Override> =
        row.get("define").into_iter().map(|define| Override::parse(define).expect("NAME=VALUE")).collect();
    let loaded = load(&path, &overrides);
    let mut sources = loaded.sources;
    let model = loaded.model.expect("a model without errors");
    let source = query_text(&mut sources, "query", row["query"]);
    let query = model.query(&source).query.expect("a query without errors");
    let (QueryKind::Path { negation, .. }, network) = (query.kind, &query.network) else {
        panic!("the suite asks for invariants: {}", row["query"]);
    };
    let (graph, goal) = ZoneGraph::for_predicate(network, Abstraction::Simulation, negation);
    let explored = row.get("explore").map(|count| count.parse().expect("a number of states"));
    let limits = Limits { explored, ..Limits::default() };
    let goal = PredicateGoal::new(&graph, goal);
    let mut search = Search::with_heuristic(&graph, goal, Ranked::default(), Levels).limited(limits, None);
    let stop = search.run();
    assert!(matches!(stop, Stop::Exhausted { proof: true } | Stop::OutOfBudget(_)), "the invariant holds");
    let (statistics, zones) = (search.statistics(), search.store().payload_bytes() as u64);
    let (cpu, peak, wall) = (processor_seconds(), peak_kb(), start.elapsed().as_secs_f64());
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let define = row.get("define").map(|define| format!(" {define}")).unwrap_or_default();
    let stored = statistics.stored.max(1);
    let theirs = row.get("stored").map_or(String::new(), |stored| {
        let cpu = row.get("cpu").map_or(String::new(), |cpu| format!("{cpu} s, "));
        let memory = row.get("memory").map_or(String::new(), |memory| format!("{memory} MB, "));
        format!("{cpu}{memory}{stored} stored")
    });
    println!(
        "| {name}{define} | {} | {} | {:.0} | {cpu:.2} | {:.1} | {} | {} | {wall:.2} | {theirs} |",
        statistics.explored,
        statistics.stored,
        statistics.explored as f64 / cpu.max(0.01),
        peak as f64 / 1000.0,
        statistics.bytes / stored,
        zones / stored,
    );
}

/// Of this process in user mode; the kernel counts in hundredths of a second.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    after_name.split(' ').nth(11).and_then(|ticks| ticks.parse::<f64>().ok()).map_or(0.0, |ticks| ticks / 100.0)
}

/// The peak of resident memory.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).map_or(0, |kib| kib * 1024 / 1000)
}
