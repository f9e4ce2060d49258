//! Verdicts that are known from elsewhere: the symbolic rows of the corpus's list of expectations.
//!
//! The models are not part of this repository. `ZONEWALK_CORPUS` names the directory that holds them and `expect.tsv`;
//! without it the test says that it was skipped. A row that does not agree stands in `expectations.tsv` with the reason,
//! as does one that takes too long. A verdict that contradicts a row that is not listed fails the test, and so does a listed
//! disagreement that has gone. `ZONEWALK_QUERY_SECONDS` raises the time for a query, and then the slow rows run too.

use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::report::{Answer, Verdict};
use model::load::{load, query_text};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const LISTED: &str = include_str!("expectations.tsv");

/// For one query, unless the environment says otherwise.
const SECONDS: u64 = 20;
/// No query is begun after this time, unless the environment gives queries more than `SECONDS`.
const WHOLE: Duration = Duration::from_secs(6 * 60);
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
    without_verdict: usize,
    skipped: usize,
}

#[test]
fn verdicts_agree_with_what_is_known() {
    let Some(root) = std::env::var_os("ZONEWALK_CORPUS").map(PathBuf::from) else {
        tell("expectations SKIPPED: ZONEWALK_CORPUS is not set, so there is nothing to compare with");
        return;
    };
    let text = std::fs::read_to_string(root.join("expect.tsv")).expect("the corpus has a list of expectations");
    let asked = std::env::var("ZONEWALK_QUERY_SECONDS").ok().map(|text| text.parse().expect("a number of seconds"));
    let seconds = asked.unwrap_or(SECONDS);
    let (listed, start) = (listed(), Instant::now());
    let (mut counts, mut complaints) = (Counts::default(), Vec::new());
    for row in rows(&text) {
        let name = format!("{} {}", row.file, row.formula);
        let status = listed.iter().find(|listed| row.is(listed)).map(|listed| listed.status);
        let late = asked.is_none() && start.elapsed() > WHOLE;
        if late || status == Some(Status::Unasked) || status == Some(Status::Slow) && asked.is_none() {
            let why = if late { "no time left".to_owned() } else { format!("{status:?}") };
            tell(&format!("skipped ({why}): {name}"));
            counts.skipped += 1;
            continue;
        }
        let answer = ask(&root.join(row.file), row.formula, Duration::from_secs(seconds));
        let expected = if row.outcome == "success" { Verdict::Satisfied } else { Verdict::Violated };
        match (answer.verdict, status) {
            (Verdict::Unknown, _) => {
                let reason = answer.reason.unwrap_or_default();
                tell(&format!("no verdict ({reason}): {name}"));
                counts.without_verdict += 1;
            }
            (verdict, Some(Status::Differs)) if verdict == expected => {
                complaints.push(format!("{name}: listed as different, but it agrees"));
            }
            (verdict, None | Some(Status::Slow)) if verdict != expected => {
                complaints.push(format!("{name}: {verdict:?}, not {}: {:?}", row.outcome, answer.reason));
            }
            (_, Some(Status::Differs)) => counts.differ_as_listed += 1,
            _ => counts.agree += 1,
        }
    }
    tell(&format!(
        "expectations: {} agree, {} differ as listed, {} without a verdict, {} skipped; {:.0} s",
        counts.agree,
        counts.differ_as_listed,
        counts.without_verdict,
        counts.skipped,
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
    let Some(mut model) = loaded.model else { panic!("{} does not load", path.display()) };
    let source = query_text(&mut sources, "row", formula);
    let query = model.query(&source);
    let options = Options { time_limit: Some(time), memory_limit: Some(4 << 30), ..Options::default() };
    let report = check("row", &sources, &model, &[query], &options, &mut Watch::none(), &mut |_| ());
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
