//! Evidence that somebody changed: every field of reports, traces, certificates and relations, one at a time. What `replay` still
//! accepts must still be true; what it does not look at it must say, or it stands in the table of what is no claim.

mod changes;
mod graphs;

use certify::Rational;
use changes::{Changed, changes};
use engine::check::check;
use engine::claim;
use engine::limits::Watch;
use engine::options::{Options, Preference};
use engine::replay::report::{self, ResultRecord};
use engine::replay::{self, Accepted, AcceptedRun, Checked, Document};
use engine::report::{Evidence, Report, Verdict};
use model::check::Query;
use model::load::{Loaded, LoadedQuery, Model, load_bytes, query_text};
use model::source::Sources;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Fields of a report that claim nothing about the model, and why.
const INFORMATION: &[(&str, &str)] = &[
    ("model", "the name of a file when the report was made; a replay is about the model that it is given"),
    ("seed", "how to ask again"),
    ("results/*/reason", "words; those about an error are said to be unchecked"),
    ("results/*/place", "goes with the words of the reason"),
    ("results/*/place/file", "goes with the words of the reason"),
    ("results/*/place/line", "goes with the words of the reason"),
    ("results/*/place/column", "goes with the words of the reason"),
    ("results/*/place/path", "goes with the words of the reason"),
    ("results/*/search", "how the run was found, which does not matter to what it shows"),
    ("results/*/stats/time_s", "how long the search took"),
    ("results/*/stats/states_explored", "how the search went"),
    ("results/*/stats/states_generated", "how the search went"),
    ("results/*/stats/states_stored", "how the search went"),
    ("results/*/stats/walks", "how the search went"),
    ("results/*/stats/steps", "how the search went"),
    ("results/*/stats/restarts", "how the search went"),
    ("results/*/stats/peak_memory_mb", "how the search went"),
    ("results/*/stats/guide", "how the search went"),
];

const WORLD: &str = "clock x;
int[0,3] n = 0;
chan c[2];
broadcast chan b;
process P() {
  state A { x <= 5 }, B, G;
  branchpoint k;
  init A;
  trans
    A -> B { guard x >= 1; sync c[1]!; assign x = 0; },
    A -> G { guard x >= 5; },
    B -> k { select i : int[1,2]; guard x > 1 && n == 0; sync b!; assign n = i; },
    k -> G { probability 2; },
    k -> B { assign n = 0; };
}
process Q() {
  state I, J;
  init I;
  trans I -> J { sync c[1]?; }, I -> I { sync b?; }, J -> I { sync b?; };
}
P1 = P();
Q1 = Q();
system P1, Q1;
";

const FAILING: &str = "clock x;
int[0,2] n = 0;
process P() { state A; init A; trans A -> A { guard x >= 2; assign n = n + 1, x = 0; }; }
P1 = P();
system P1;
";

const LAMP: &str = "clock x;
int[0,3] n = 0;
broadcast chan press;
process P() { state A { x <= 2 }; init A; trans A -> A { guard x >= 1 && n < 3; sync press!; assign n = n + 1, x = 0; }; }
P1 = P();
system P1;
";

const MACHINES: &str = "broadcast chan coin, tea;
process Fast() { clock x; state A, B { x <= 2 }; init A;
  trans A -> B { sync coin?; assign x = 0; }, B -> B { sync coin?; }, B -> A { guard x >= 1; sync tea!; }; }
process Slow() { clock y; state A, B { y <= 9 }; init A;
  trans A -> B { sync coin?; assign y = 0; }, B -> B { sync coin?; }, B -> A { sync tea!; }; }
F = Fast();
S = Slow();
system F, S;
IO F { coin?, tea! }
IO S { coin?, tea! }
";

struct World {
    sources: Sources,
    model: Model,
    /// What the engine says of queries that changed reports ask.
    known: BTreeMap<String, (Verdict, Option<String>)>,
}

impl World {
    fn new(text: &str) -> World {
        let Loaded { sources, diagnostics, model } = load_bytes("model.xta", text.as_bytes(), &[]);
        let messages: Vec<&str> = diagnostics.iter().map(|one| one.message.as_str()).collect();
        let model = model.unwrap_or_else(|| panic!("the model does not load: {messages:?}"));
        World { sources, model, known: BTreeMap::new() }
    }

    fn query(&mut self, text: &str) -> LoadedQuery {
        self.model.query(&query_text(&mut self.sources, "query", text))
    }

    /// Several queries, with one network.
    fn queries(&mut self, texts: &[&str]) -> Vec<Query> {
        let written: Vec<_> = texts.iter().map(|text| query_text(&mut self.sources, "query", text)).collect();
        let loaded = self.model.queries(&written).into_iter();
        loaded.map(|loaded| loaded.query.expect("a query without errors")).collect()
    }

    fn ask(&mut self, queries: &[&str], options: &Options) -> Report {
        let queries: Vec<LoadedQuery> = queries.iter().map(|query| self.query(query)).collect();
        check("model.xta", &self.sources, &queries, options, &mut Watch::none(), &mut |_| {})
    }

    /// The verdict, and the value of the fastest run.
    fn truth(&mut self, query: &str) -> (Verdict, Option<String>) {
        if let Some(known) = self.known.get(query) {
            return known.clone();
        }
        let options = Options { search: "bfs".parse().expect("a search"), threads: Some(1), ..Options::default() };
        let verdict = self.ask(&[query], &options).results[0].verdict;
        let fastest = self.ask(&[query], &Options { preference: Preference::Fastest, ..options });
        let truth = (verdict, fastest.results[0].value.clone());
        self.known.insert(query.to_owned(), truth.clone());
        truth
    }

    /// What becomes of each answer of a report; nothing when it is no report.
    fn replay(&mut self, text: &str) -> Vec<(ResultRecord, Checked)> {
        let Ok(Document::Report(records)) = replay::read(text) else { return Vec::new() };
        let mut rows = Vec::new();
        for (at, record) in records.into_iter().enumerate() {
            let query = self.query(&record.query);
            if query.query.is_none() && !record.is_error() {
                return Vec::new();
            }
            let checked = report::result(at, &record, query.query.as_ref());
            rows.push((record, checked));
        }
        rows
    }
}

fn options(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options { search: "bfs".parse().expect("a search"), threads: Some(1), ..Options::default() };
    change(&mut options);
    options
}

/// `results/0/trace/steps/3` is `results/*/trace/steps/*`.
fn pattern(place: &str) -> String {
    let part = |part: &str| if part.parse::<usize>().is_ok() { "*".to_owned() } else { part.to_owned() };
    place.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn time(text: &Value) -> Rational {
    certify::rational::parse(text.as_str().unwrap_or_default()).unwrap_or_else(|| panic!("{text} is no time"))
}

/// Whether all that the document says about this answer is true, or left open by the replay. The answer has been accepted.
fn is_true(world: &mut World, answer: &Value, accepted: &Accepted) -> Result<(), String> {
    let word = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
    let (verdict, value) = world.truth(&word("query"));
    let holds = |what: &str, holds: bool| if holds { Ok(()) } else { Err(format!("{what} is false")) };
    holds("the verdict", serde_json::to_value(verdict).ok().as_ref() == Some(&answer["verdict"]))?;
    let runs = ["trace", "refinement", "system_run"];
    let has_run = runs.iter().any(|name| answer[name].is_object());
    let evidence = if has_run { "witness" } else { "none" };
    holds("the evidence", word("evidence") == evidence)?;
    let steps = runs.iter().find_map(|name| answer[name]["steps"].as_array());
    let length = &answer["stats"]["trace_length"];
    holds("the length", length.is_null() || length.as_u64() == steps.map(|steps| steps.len() as u64))?;
    if let Some(said) = answer["value"].as_str() {
        let is_open = accepted.unchecked.iter().any(|claim| claim.contains("no run takes less time"));
        holds("the value", is_open || Some(said) == value.as_deref())?;
        let delays = answer["trace"]["steps"].as_array().into_iter().flatten().map(|step| time(&step["delay"]));
        let total: Rational = delays.sum::<Rational>() + answer["trace"].get("final_delay").map_or(0.into(), time);
        let of_run = match said.strip_prefix("> ") {
            Some(bound) => total > time(&Value::from(bound)),
            None => total == time(&Value::from(said)),
        };
        holds("the time of the run", of_run)?;
    }
    if let Some(rule) = answer["failure"].as_str() {
        holds("the failure", answer["refinement"]["broken"] == *rule)?;
    }
    for name in ["statistics", "component"] {
        holds(
            name,
            answer.get(name).is_none_or(Value::is_null) || accepted.unchecked.iter().any(|one| one.contains(name)),
        )?;
    }
    match &accepted.run {
        Some(AcceptedRun::Trace(trace, _)) => agrees(&answer["trace"], &serde_json::to_value(trace).expect("JSON")),
        Some(AcceptedRun::Pair(pair)) => agrees(&answer["refinement"], &serde_json::to_value(pair).expect("JSON")),
        Some(AcceptedRun::System(run)) => agrees(&answer["system_run"], &serde_json::to_value(run).expect("JSON")),
        None => Ok(()),
    }
}

/// Whether all that a written run says is what the replay found. What it leaves out it does not say.
fn agrees(written: &Value, found: &Value) -> Result<(), String> {
    match (written, found) {
        (Value::Object(written), Value::Object(found)) => {
            let known = |(name, value): &(&String, &Value)| !value.is_null() && found.contains_key(*name);
            written.iter().filter(known).try_for_each(|(name, value)| agrees(value, &found[name]))
        }
        (Value::Array(written), Value::Array(found)) if written.len() == found.len() => {
            written.iter().zip(found).try_for_each(|(written, found)| agrees(written, found))
        }
        (Value::String(written), Value::String(found)) if written != found && !written.is_empty() => {
            let times = [written, found].map(|text| certify::rational::parse(text));
            let same = times[0].is_some() && times[0] == times[1];
            if same { Ok(()) } else { Err(format!("it says {written} and did {found}")) }
        }
        _ if written == found || written.as_str() == Some("") => Ok(()),
        _ => Err(format!("it says {written} and did {found}")),
    }
}

/// What the changes of a report came to.
#[derive(Default, Debug)]
struct Tally {
    changes: usize,
    accepted: usize,
    unchecked: usize,
    refused: usize,
    information: BTreeSet<String>,
}

fn attack(world: &mut World, report: &Report, tally: &mut Tally) {
    let document = serde_json::to_value(report).expect("JSON");
    let before = world.replay(&document.to_string());
    assert_eq!(before.len(), report.results.len());
    for ((record, checked), answer) in before.iter().zip(&report.results) {
        let by_run = answer.evidence == Evidence::Witness || answer.verdict == Verdict::Error;
        match checked {
            Checked::Accepted(accepted) if by_run => {
                let said = &document["results"][record.index];
                is_true(world, said, accepted).unwrap_or_else(|why| panic!("{why}: {said}"));
            }
            Checked::Unchecked(_) if !by_run => {}
            other => panic!("what was written is not accepted: {}: {other:?}", record.query),
        }
    }
    for Changed { place, how, document } in changes(&document) {
        tally.changes += 1;
        let is_information = INFORMATION.iter().any(|(known, _)| *known == pattern(&place));
        if is_information {
            tally.information.insert(pattern(&place));
        }
        let rows = world.replay(&document.to_string());
        tally.refused += usize::from(rows.is_empty());
        for (at, (record, checked)) in rows.iter().enumerate() {
            match checked {
                Checked::Accepted(accepted) => {
                    tally.accepted += 1;
                    let said = &document["results"][at];
                    is_true(world, said, accepted)
                        .unwrap_or_else(|why| panic!("{place}, {how}: accepted, and {why}: {}", record.query));
                }
                // What is not checked must not look as if it were: the verdict that is open is named.
                Checked::Unchecked(claims) => {
                    tally.unchecked += 1;
                    let verdict = document["results"][at]["verdict"].as_str().unwrap_or_default();
                    let named = match verdict {
                        "unknown" => true,
                        "error" => claims.iter().any(|claim| claim.contains("an error")),
                        verdict => claims.iter().any(|claim| claim.contains(&format!("that the query is {verdict}"))),
                    };
                    assert!(named, "{place}, {how}: {claims:?}");
                    for name in ["value", "failure"] {
                        let said = document["results"][at][name].as_str();
                        let is_open = |said: &str| claims.iter().any(|claim| claim.contains(&format!("`{said}`")));
                        assert!(said.is_none_or(is_open), "{place}, {how}: {claims:?}");
                    }
                }
                Checked::Refused { .. } | Checked::BadInput { .. } => {
                    tally.refused += 1;
                    assert!(!is_information || !how.contains(" for "), "{place}, {how}: {checked:?}");
                }
            }
        }
    }
}

#[test]
fn changed_reports_are_refused_or_still_true() {
    let mut tally = Tally::default();
    let mut world = World::new(WORLD);
    let any = options(|_| {});
    let report = world.ask(&["E<> P1.G && n == 2", "A[] n < 2"], &any);
    attack(&mut world, &report, &mut tally);
    for (query, verdict) in [
        ("A[] not P1.G", Verdict::Violated),
        ("E[] n <= 3", Verdict::Satisfied),
        ("A<> Q1.J", Verdict::Violated),
        ("P1.A --> P1.G", Verdict::Violated),
        ("buchi: true", Verdict::Satisfied),
        ("E<> deadlock", Verdict::Satisfied),
        ("A[] n <= 3", Verdict::Satisfied),
        ("E<> n == 3", Verdict::Violated),
        ("sup: n", Verdict::Satisfied),
        ("E<> P1.Nowhere", Verdict::Error),
    ] {
        let report = world.ask(&[query], &any);
        assert_eq!(report.results[0].verdict, verdict, "{query}: {:?}", report.results[0].reason);
        attack(&mut world, &report, &mut tally);
    }
    let fastest = options(|options| options.preference = Preference::Fastest);
    for query in ["E<> P1.G", "E<> n == 1 && Q1.I"] {
        let report = world.ask(&[query], &fastest);
        assert!(report.results[0].value.is_some(), "{query}");
        attack(&mut world, &report, &mut tally);
    }
    let walked = options(|options| options.search = "ret".parse().expect("a search"));
    let report = world.ask(&["E<> P1.G"], &walked);
    attack(&mut world, &report, &mut tally);
    let cut =
        options(|options| (options.search, options.strategies.states) = ("random".parse().expect("a search"), Some(1)));
    let report = world.ask(&["E<> n == 3"], &cut);
    assert_eq!(report.results[0].verdict, Verdict::Unknown);
    attack(&mut world, &report, &mut tally);
    let certified = options(|options| options.certify = true);
    let report = world.ask(&["A[] n <= 3"], &certified);
    assert_eq!(report.results[0].evidence, Evidence::Certificate);
    attack(&mut world, &report, &mut tally);

    let mut world = World::new(FAILING);
    let report = world.ask(&["E<> x > 3 && n == 2 && x < 0"], &any);
    assert!(report.results[0].trace.is_some() && report.results[0].verdict == Verdict::Error);
    attack(&mut world, &report, &mut tally);

    let mut world = World::new(LAMP);
    let report = world.ask(&["Pr[<=4; 20](<> n == 2)"], &any);
    assert_eq!(report.results[0].evidence, Evidence::Statistical, "{:?}", report.results[0].reason);
    attack(&mut world, &report, &mut tally);

    let mut world = World::new(MACHINES);
    let reached = "reachability: S @ init -> S.B && S.y > 3";
    let report = world.ask(&["refinement: F <= S", "refinement: S <= F", "get-component: F", reached], &any);
    let verdicts: Vec<Verdict> = report.results.iter().map(|answer| answer.verdict).collect();
    assert_eq!(verdicts, [Verdict::Satisfied, Verdict::Violated, Verdict::Satisfied, Verdict::Satisfied]);
    attack(&mut world, &report, &mut tally);

    eprintln!(
        "{} changes: {} answers accepted, {} unchecked, {} refused",
        tally.changes, tally.accepted, tally.unchecked, tally.refused
    );
    assert!(tally.changes > 10_000 && tally.accepted > 500 && tally.refused > 5_000, "{tally:?}");
    let table: BTreeSet<String> = INFORMATION.iter().map(|(place, _)| (*place).to_owned()).collect();
    let idle: Vec<&String> = table.difference(&tally.information).collect();
    assert!(idle.iter().all(|place| place.ends_with("guide")), "no report has these fields: {idle:?}");
}

/// The lists by which a file is known to belong to a model.
fn is_header(place: &str) -> bool {
    ["schema", "processes", "clocks", "ints", "components", "quotients"]
        .contains(&place.split('/').next().unwrap_or_default())
}

#[test]
fn changed_traces_are_refused_or_still_true() {
    let mut world = World::new(WORLD);
    let (mut accepted, mut refused) = (0, 0);
    for (query, never) in [
        ("E<> P1.G && n == 2", "E<> n == 3"),
        ("A[] n < 2", "A[] n < 3"),
        ("E[] n <= 3", "E[] n > 0"),
        ("P1.A --> P1.G", "P1.A --> (P1.A || P1.B || P1.G)"),
        ("buchi: true", "buchi: n == 3"),
        ("E<> deadlock", "E<> P1.A && deadlock"),
    ] {
        let report = world.ask(&[query], &options(|_| {}));
        let trace = serde_json::to_value(report.results[0].trace.as_ref().expect("a run")).expect("JSON");
        let queries = world.queries(&[query, never]);
        let claims: Vec<_> = queries.iter().map(claim::of_run).collect();
        for Changed { place, how, document } in changes(&trace) {
            let Ok(Document::Trace(read)) = replay::read(&document.to_string()) else {
                refused += 1;
                continue;
            };
            let network = &queries[0].network;
            let checked = replay::trace(network, &read, claims[1]);
            assert!(!matches!(checked, Checked::Accepted(_)), "{place}, {how}: shows {never}, which nothing does");
            match replay::trace(network, &read, claims[0]) {
                Checked::Accepted(Accepted { run: Some(AcceptedRun::Trace(found, _)), .. }) => {
                    assert!(!is_header(&place), "{place}, {how}");
                    agrees(&document, &serde_json::to_value(found).expect("JSON"))
                        .unwrap_or_else(|why| panic!("{place}, {how}: {why}"));
                    accepted += 1;
                }
                _ => refused += 1,
            }
        }
    }
    assert!(accepted > 50 && refused > 1_000, "{accepted} accepted, {refused} refused");
}

#[test]
fn changed_certificates_never_show_what_is_false() {
    let mut world = World::new(WORLD);
    let (mut accepted, mut refused) = (0, 0);
    let keeping = options(|options| (options.certify, options.keep_certificate) = (true, true));
    for (query, never) in [("A[] n <= 2 || P1.A", "A[] n < 2"), ("E<> n == 3", "E<> P1.G && Q1.I")] {
        let text = world.ask(&[query], &keeping).results[0].certificate.clone().expect("a certificate");
        let queries = world.queries(&[query, never]);
        let goals: Vec<_> = queries.iter().filter_map(claim::of_certificate).collect();
        let document: Value = serde_json::from_str(&text).expect("JSON");
        let network = &queries[0].network;
        assert!(matches!(replay::certificate(network, &text, goals[0]), Checked::Accepted(_)), "{query}");
        for Changed { place, how, document } in changes(&document) {
            let text = document.to_string();
            if !matches!(replay::read(&text), Ok(Document::Certificate)) {
                refused += 1;
                continue;
            }
            let checked = replay::certificate(network, &text, goals[1]);
            assert!(!matches!(checked, Checked::Accepted(_)), "{place}, {how}: shows {never}, which is false");
            if let Checked::Accepted(_) = replay::certificate(network, &text, goals[0]) {
                assert!(!is_header(&place), "{place}, {how}");
                accepted += 1;
            } else {
                refused += 1;
            }
        }
    }
    assert!(accepted > 20 && refused > 1_000, "{accepted} accepted, {refused} refused");
}

#[test]
fn changed_relations_and_counter_examples_never_show_what_is_false() {
    let mut world = World::new(MACHINES);
    let keeping = options(|options| (options.certify, options.keep_certificate) = (true, true));
    let report = world.ask(&["refinement: F <= S", "refinement: S <= F"], &keeping);
    let queries = ["refinement: F <= S", "refinement: S <= F"].map(|text| world.query(text).query.expect("a query"));
    let [holds, fails] = queries.each_ref().map(|query| claim::of_pair(query).expect("two sides"));
    let network = world.model.network();
    let text = report.results[0].certificate.clone().expect("a relation");
    let (mut accepted, mut refused) = (0, 0);
    assert!(matches!(replay::relation(network, &text, holds), Checked::Accepted(_)));
    for Changed { place, how, document } in changes(&serde_json::from_str(&text).expect("JSON")) {
        let text = document.to_string();
        let is_relation = matches!(replay::read(&text), Ok(Document::Relation));
        let shown = |sides| is_relation && matches!(replay::relation(network, &text, sides), Checked::Accepted(_));
        assert!(!shown(fails), "{place}, {how}: shows a refinement that there is not");
        let is_accepted = shown(holds);
        assert!(!is_accepted || !is_header(&place), "{place}, {how}");
        *if is_accepted { &mut accepted } else { &mut refused } += 1;
    }
    assert!(accepted > 5 && refused > 200, "relations: {accepted} accepted, {refused} refused");
    let pair = serde_json::to_value(report.results[1].refinement.as_ref().expect("a run")).expect("JSON");
    let (mut accepted, mut refused) = (0, 0);
    for Changed { place, how, document } in changes(&pair) {
        let Ok(Document::Pair(read)) = replay::read(&document.to_string()) else {
            refused += 1;
            continue;
        };
        let checked = replay::violation(network, &read, holds);
        assert!(!matches!(checked, Checked::Accepted(_)), "{place}, {how}: shows a violation that there is not");
        match replay::violation(network, &read, fails) {
            Checked::Accepted(Accepted { run: Some(AcceptedRun::Pair(found)), .. }) => {
                agrees(&document, &serde_json::to_value(found).expect("JSON"))
                    .unwrap_or_else(|why| panic!("{place}, {how}: {why}"));
                accepted += 1;
            }
            _ => refused += 1,
        }
    }
    assert!(accepted > 2 && refused > 200, "counter-examples: {accepted} accepted, {refused} refused");
}
