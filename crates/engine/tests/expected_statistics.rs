//! Numbers that are known from elsewhere: the statistical rows of the corpus's list of expectations.
//!
//! The models are not part of this repository. `ZONEWALK_CORPUS` names the directory that holds them and `expect.tsv`;
//! without it the test says that it was skipped. Every row of the kinds below is asked:
//!
//! - An interval of ours must meet the recorded one. Ours has a confidence of 1 - 10^-6, the recorded ones mostly 95 % and
//!   from as many runs as ours or more. Two such intervals around the same number miss each other about once in a million
//!   times, so over all rows a right engine fails once in 50,000 choices of the seed; the seed is fixed.
//! - UPPAAL's four million runs are cut, see `RUNS`. `ZONEWALK_RUNS=20000` makes more. A row that names no number of runs
//!   gets `FEW`, for its model is slow and our confidence would ask for thousands.
//! - Formulas of metric interval temporal logic and queries under strategies must be refused, with a place.
//! - `DIFFERS` lists what the recorded number is not; that it still is not is tested.
//!
//! ```sh
//! ZONEWALK_CORPUS=... cargo test --release -p engine --test expected_statistics -- --nocapture
//! ```

use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::options::statistics::StatisticalOptions;
use engine::report::{Answer, Verdict};
use model::load::{load, query_text};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

const KINDS: &[&str] = &["Pr", "E[..](expect)", "simulate", "Pr compare (>= const or Pr>=Pr)"];

/// In place of four million.
const RUNS: u32 = 10_000;

/// Where UPPAAL made as many as it took for 95 %.
const FEW: u32 = 100;

/// Rows whose number is not what their model means: file, and why.
const DIFFERS: &[(&str, &str)] = &[(
    "Demos__Stratego__cartpole__cartpole.xml",
    "the recorded number is that of one integration step of 0.02; with smaller steps all methods tend to ours \
     (docs/measurements-statistics.md)",
)];

struct Row<'t> {
    file: &'t str,
    formula: &'t str,
    kind: &'t str,
    value: &'t str,
}

impl Row<'_> {
    /// The query with a number of runs that a test can make.
    fn asked(&self, runs: u32) -> String {
        match self.formula.strip_prefix("Pr[").and_then(|rest| rest.split_once(']')) {
            Some((bound, rest)) if !bound.contains(';') => format!("Pr[{bound}; {FEW}]{rest}"),
            _ => self.formula.replace("4000000", &runs.to_string()),
        }
    }

    /// Written in what Zonewalk does not know, and says so.
    fn is_refused(&self) -> bool {
        self.formula.contains(" under ") || self.formula.starts_with("Pr (")
    }
}

#[test]
fn numbers_agree_with_what_is_known() {
    let Some(root) = std::env::var_os("ZONEWALK_CORPUS").map(PathBuf::from) else {
        tell("expected statistics SKIPPED: ZONEWALK_CORPUS is not set, so there is nothing to compare with");
        return;
    };
    let text = std::fs::read_to_string(root.join("expect.tsv")).expect("the corpus has a list of expectations");
    let runs = std::env::var("ZONEWALK_RUNS").map_or(RUNS, |text| text.parse().expect("a number of runs"));
    let start = Instant::now();
    let (mut agree, mut differ, mut refused, mut complaints) = (0, 0, 0, Vec::new());
    for row in rows(&text) {
        let name = format!("{} {}", row.file, row.formula);
        let listed = DIFFERS.iter().any(|(file, _)| row.file.ends_with(file));
        if row.is_refused() {
            match refusal(&root.join(row.file), row.formula) {
                Ok(()) => refused += 1,
                Err(text) => complaints.push(format!("{name}: {text}")),
            }
            continue;
        }
        let began = Instant::now();
        let answer = ask(&root.join(row.file), &row.asked(runs));
        tell(&format!("{:5.1} s, {:?}: {name}", began.elapsed().as_secs_f64(), answer.value));
        match (agrees(&row, &answer), listed) {
            (Ok(()), false) => agree += 1,
            (Err(_), true) if answer.verdict == Verdict::Satisfied => differ += 1,
            (Ok(()), true) => complaints.push(format!("{name}: listed as different, but it agrees")),
            (Err(text), _) => complaints.push(format!("{name}: {text}")),
        }
    }
    tell(&format!(
        "expected statistics: {agree} agree, {differ} differ as listed, {refused} are refused; {:.0} s",
        start.elapsed().as_secs_f64()
    ));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(agree > 0 && refused > 0 && differ == DIFFERS.len(), "rows are missing");
}

#[test]
fn recorded_numbers_are_read() {
    assert_eq!(recorded("23.75 ± 0.125 (95% CI) | 23.75 ± 0.125 (95% CI)"), Some([23.625, 23.875]));
    assert_eq!(recorded("(1/4 runs) Pr(<> …) in [0.5,0.75] (95% CI); explored=0"), Some([0.5, 0.75]));
    assert_eq!(recorded("≥ 0.990015 (99% CI)"), Some([0.990015, 1.0]));
    assert_eq!(recorded("≤ 0.00998451 (99% CI)"), Some([0.0, 0.00998451]));
    assert_eq!(recorded("about half"), None);
}

fn ask(path: &Path, formula: &str) -> Answer {
    let loaded = load(path, &[]);
    let mut sources = loaded.sources;
    let Some(model) = loaded.model else { panic!("{} does not load", path.display()) };
    let query = model.query(&query_text(&mut sources, "row", formula));
    let statistics = StatisticalOptions { alpha: 1e-6, ..StatisticalOptions::default() };
    let report = check(
        "row",
        &sources,
        &[query],
        &Options { statistics, ..Options::default() },
        &mut Watch::none(),
        &mut |_| (),
    );
    report.results.into_iter().next().expect("one query, one answer")
}

/// That a query is recognised and refused at its place; a model that needs strategies may be refused itself.
fn refusal(path: &Path, formula: &str) -> Result<(), String> {
    let loaded = load(path, &[]);
    let mut sources = loaded.sources;
    let Some(model) = loaded.model else { return Err("the model does not load".to_owned()) };
    let query = model.query(&query_text(&mut sources, "row", formula));
    let names = query.diagnostics.iter().any(|diagnostic| {
        let message = &diagnostic.message;
        message.contains("temporal logic") || message.contains("strateg")
    });
    let told = query.query.is_none() && !query.diagnostics.is_empty();
    let report = check("row", &sources, &[query], &Options::default(), &mut Watch::none(), &mut |_| ());
    let answer = report.results.into_iter().next().expect("one query, one answer");
    if answer.unsupported && answer.verdict == Verdict::Unknown || told && names {
        return Ok(());
    }
    Err(format!("not refused: {:?} {:?} {:?}", answer.verdict, answer.value, answer.reason))
}

fn agrees(row: &Row, answer: &Answer) -> Result<(), String> {
    if answer.verdict != Verdict::Satisfied {
        return Err(format!("{:?}: {:?}", answer.verdict, answer.reason));
    }
    let Some(numbers) = &answer.statistics else { return Err("no numbers".to_owned()) };
    if row.kind == "simulate" {
        // `simulate 300 [..] {..} : 10 : p` wants ten runs, `simulate [..; 40] {..}` forty.
        let wanted = if row.formula.contains(": 10 :") { 10 } else { 40 };
        let found = numbers.satisfied.unwrap_or(0);
        return if found == wanted { Ok(()) } else { Err(format!("{found} runs, not {wanted}")) };
    }
    let Some([lo, hi]) = recorded(row.value) else { return Err(format!("no number in `{}`", row.value)) };
    match numbers.interval {
        Some([from, to]) if from <= hi && lo <= to => Ok(()),
        found => Err(format!("{found:?} does not meet [{lo}, {hi}]")),
    }
}

/// `23.77 ± 0.16`, `.. in [0.1,0.2] ..`, `≥ 0.99`, `≤ 0.01`.
fn recorded(value: &str) -> Option<[f64; 2]> {
    let first = value.split(" (95% CI)").next()?.split(" (99% CI)").next()?;
    if let Some((middle, half)) = first.split_once(" ± ") {
        let (middle, half): (f64, f64) = (middle.trim().parse().ok()?, half.trim().parse().ok()?);
        return Some([middle - half, middle + half]);
    }
    if let Some((_, interval)) = first.split_once(" in [") {
        let (lo, hi) = interval.trim_end_matches(']').split_once(',')?;
        return Some([lo.parse().ok()?, hi.parse().ok()?]);
    }
    if let Some(least) = first.strip_prefix("≥ ") {
        return Some([least.parse().ok()?, 1.0]);
    }
    Some([0.0, first.strip_prefix("≤ ")?.parse().ok()?])
}

/// Some models ask the same more than once.
fn rows(text: &str) -> Vec<Row<'_>> {
    let mut rows: Vec<Row> = Vec::new();
    let all = text.lines().skip(1).filter_map(|line| {
        let [file, formula, _, kind, _, value] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
        KINDS.contains(&kind).then_some(Row { file, formula, kind, value })
    });
    for row in all {
        if !rows.iter().any(|other| (other.file, other.formula) == (row.file, row.formula)) {
            rows.push(row);
        }
    }
    rows
}

/// To the terminal, whether or not the test passes.
fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
