//! Verdicts that are known from elsewhere: the symbolic rows of the corpus's list of expectations.
//!
//! The models are not part of this repository. `ZONEWALK_CORPUS` names the directory that holds them and `expect.tsv`;
//! without it the test says that it was skipped. Every other row is asked, and must agree unless `expectations.tsv` lists it
//! with the reason:
//!
//! | status | what it means |
//! | --- | --- |
//! | `differs` | the row contradicts the stored model; that it still does is tested |
//! | `slow` | no verdict in the time of a test; it is asked for a short time, and a verdict must be the expected one |
//! | `unasked` | the row is no query about the stored model |
//!
//! A row without a verdict that is not listed as slow fails the test, and so does a listed disagreement that has gone.
//! The whole list with 60 s for each query, slow rows included:
//!
//! ```sh
//! ZONEWALK_CORPUS=... ZONEWALK_QUERY_SECONDS=60 cargo test --release -p engine --test expectations -- --nocapture
//! ```

use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::report::{Answer, Verdict};
use model::load::{load, query_text};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const LISTED: &str = include_str!("expectations.tsv");

/// For one query, unless the environment says otherwise: much more than any needs on a machine that has nothing else to do.
const SECONDS: u64 = 180;
const SLOW_SECONDS: u64 = 2;
const BYTES: u64 = 4 << 30;
const KINDS: &[&str] = &["E<>", "A[]", "E[]", "A<>", "-->", "sup", "inf"];
const CONFIDENCES: &[&str] = &["A", "B", "D"];

struct Expectation<'t> {
    file: &'t str,
    formula: &'t str,
    outcome: &'t str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    /// The row contradicts what the stored model does.
    Differs,
    /// It takes longer than a test may.
    Slow,
    /// The row cannot be asked as it stands.
    Unasked,
}

struct Listed {
    status: Status,
    file: &'static str,
    formula: &'static str,
}

#[derive(Default)]
struct Counts {
    agree: usize,
    differ_as_listed: usize,
    slow: usize,
    unasked: usize,
}

#[test]
fn verdicts_agree_with_what_is_known() {
    let Some(root) = std::env::var_os("ZONEWALK_CORPUS").map(PathBuf::from) else {
        tell("expectations SKIPPED: ZONEWALK_CORPUS is not set, so there is nothing to compare with");
        return;
    };
    let text = std::fs::read_to_string(root.join("expect.tsv")).expect("the corpus has a list of expectations");
    let asked = std::env::var("ZONEWALK_QUERY_SECONDS").ok().map(|text| text.parse().expect("a number of seconds"));
    let (listed, start) = (listed(), Instant::now());
    let (mut counts, mut complaints) = (Counts::default(), Vec::new());
    for row in rows(&text) {
        let name = format!("{} {}", row.file, row.formula);
        let status = listed.iter().find(|listed| row.is(listed)).map(|listed| listed.status);
        if status == Some(Status::Unasked) {
            tell(&format!("unasked: {name}"));
            counts.unasked += 1;
            continue;
        }
        let seconds = asked.unwrap_or(if status == Some(Status::Slow) { SLOW_SECONDS } else { SECONDS });
        let answer = ask(&root.join(row.file), row.formula, Duration::from_secs(seconds));
        let expected = if row.outcome == "success" { Verdict::Satisfied } else { Verdict::Violated };
        let (said, reason) = (answer.verdict, answer.reason.unwrap_or_default());
        tell(&format!("{:5.1} s, {said:?}: {name}", answer.stats.time_s));
        match status {
            Some(Status::Differs) if said == expected => {
                complaints.push(format!("{name}: listed as different, but it agrees"));
            }
            Some(Status::Differs) if matches!(said, Verdict::Satisfied | Verdict::Violated) => {
                counts.differ_as_listed += 1;
            }
            Some(Status::Slow) if said == Verdict::Unknown => counts.slow += 1,
            _ if said == expected => counts.agree += 1,
            _ => complaints.push(format!("{name}: {said:?}, not {}: {reason}", row.outcome)),
        }
    }
    tell(&format!(
        "expectations: {} agree, {} differ as listed, {} are listed as slow and had no verdict, {} cannot be asked; {:.0} s",
        counts.agree,
        counts.differ_as_listed,
        counts.slow,
        counts.unasked,
        start.elapsed().as_secs_f64(),
    ));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(counts.agree > 0, "no row agrees");
}

#[test]
fn every_row_of_the_list_gives_a_reason() {
    for row in lines() {
        let [_, _, _, reason] = row[..] else { panic!("not four columns: {row:?}") };
        assert!(reason.split_whitespace().count() >= 5, "no reason that a person would agree with: {row:?}");
    }
    assert_eq!(listed().len(), lines().count());
}

impl Expectation<'_> {
    fn is(&self, listed: &Listed) -> bool {
        self.file.ends_with(listed.file) && (listed.formula == "*" || self.formula.starts_with(listed.formula))
    }
}

fn ask(path: &Path, formula: &str, time: Duration) -> Answer {
    let loaded = load(path, &[]);
    let mut sources = loaded.sources;
    let Some(model) = loaded.model else { panic!("{} does not load", path.display()) };
    let source = query_text(&mut sources, "row", formula);
    let query = model.query(&source);
    let options = Options { time_limit: Some(time), memory_limit: Some(BYTES), ..Options::default() };
    let report = check("row", &sources, &[query], &options, &mut Watch::none(), &mut |_| ());
    report.results.into_iter().next().expect("one query, one answer")
}

fn rows(text: &str) -> impl Iterator<Item = Expectation<'_>> {
    text.lines().skip(1).filter_map(|line| {
        let [file, formula, outcome, kind, confidence, ..] = line.split('\t').collect::<Vec<_>>()[..] else {
            return None;
        };
        let wanted = KINDS.contains(&kind) && CONFIDENCES.contains(&confidence);
        wanted.then_some(Expectation { file, formula, outcome })
    })
}

fn lines() -> impl Iterator<Item = Vec<&'static str>> {
    LISTED.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn listed() -> Vec<Listed> {
    let of = |row: Vec<&'static str>| {
        let status = match row[0] {
            "differs" => Status::Differs,
            "slow" => Status::Slow,
            "unasked" => Status::Unasked,
            other => panic!("no such status: {other}"),
        };
        Listed { status, file: row[1], formula: row[2] }
    };
    lines().map(of).collect()
}

/// To the terminal, whether or not the test passes.
fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
