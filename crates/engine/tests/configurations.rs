//! However a query about the models of this repository is searched, the answer is the recorded one: every search of the
//! option table, with and without certificates, and every abstraction in every order.
//!
//! Searches that do not see every state may give up, after a short time, and never say anything else. Queries for which the
//! default search stores more than `SMALL` states are asked with every search, and under no other abstraction; those with more
//! than `CERTIFIABLE` are not asked for certificates, which are checked by a plain program.

use certify::{Claim, Literal};
use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::problem::{Problem, Walking};
use engine::reachability::{Exploration, Outcome, reach_under};
use engine::report::{Answer, Evidence, Verdict};
use engine::searches::{SEARCHES, Search, States};
use model::check::QueryKind;
use model::load::{LoadedQuery, Model, load};
use model::network::{Expr, Network};
use model::source::Sources;
use model::syntax::ast::Outcome as Recorded;
use model::syntax::query::PathQuantifier;
use semantics::zone_graph::Abstraction;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Searches that see every state when there is no limit.
const COMPLETE: &[&str] = &["auto", "dive", "rank", "bfs", "dfs", "rdfs", "drs"];
/// For those that do not.
const PATIENCE: Duration = Duration::from_millis(20);
const SMALL: u64 = 4_000;
const CERTIFIABLE: u64 = 800;
/// Relaxed plans cost more than states do.
const DIRECTABLE: u64 = 200;
/// Without an abstraction there may be no end of states.
const STATES: u64 = 1_000;

struct Subject {
    name: String,
    sources: Sources,
    model: Model,
    queries: Vec<LoadedQuery>,
}

fn subjects() -> Vec<Subject> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let entries = std::fs::read_dir(directory).expect("the models of this repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a directory entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "xml"));
    paths.sort();
    let subject = |path: &PathBuf| {
        let loaded = load(path, &[]);
        let model = loaded.model.expect("the model loads");
        let queries = model.queries(&model.queries);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Subject { name, sources: loaded.sources, model, queries }
    };
    paths.iter().map(subject).collect()
}

impl Subject {
    fn ask(&self, query: &LoadedQuery, options: &Options) -> Answer {
        let queries = std::slice::from_ref(query);
        let report = check(&self.name, &self.sources, queries, options, &mut Watch::none(), &mut |_| ());
        report.results.into_iter().next().expect("one query, one answer")
    }

    /// The network, with the code of all queries.
    fn network(&self) -> &Network {
        let first = self.queries.iter().find_map(|loaded| loaded.query.as_ref());
        first.map_or(self.model.network(), |query| &query.network)
    }

    /// How many states a query takes breadth first; a question about deadlocks where the bounds keep them.
    fn stored(&self, query: &LoadedQuery) -> u64 {
        let Some((predicate, claim, ..)) = goal(query) else { return u64::MAX };
        let abstraction = self.is_about_deadlock(predicate).then_some(Abstraction::Maximal);
        let how = Exploration { abstraction, states: Some(SMALL) };
        let options = Options { search: "bfs".parse().expect("a search"), ..Options::default() };
        let reached = reach_under(
            &Problem::new(self.network(), predicate, claim, Walking::No, &options),
            how,
            &options,
            &mut Watch::none(),
        );
        let is_cut = matches!(reached.outcome, Outcome::Unknown(_));
        if is_cut { u64::MAX } else { reached.statistics.stored }
    }

    fn is_about_deadlock(&self, predicate: model::network::ExprId) -> bool {
        let mut found = false;
        self.network().code.walk(predicate, &mut |_, expr| found |= matches!(expr, Expr::Deadlock));
        found
    }
}

fn expected(query: &LoadedQuery) -> Verdict {
    match query.expect.as_ref().and_then(|expect| expect.outcome) {
        Some(Recorded::Success) => Verdict::Satisfied,
        Some(Recorded::Failure) => Verdict::Violated,
        other => panic!("{}: {other:?} is no outcome", query.text),
    }
}

#[test]
fn every_search_gives_the_recorded_verdict() {
    for search in COMPLETE {
        assert!(Search::named(search).is_some_and(|search| search.proves), "{search}");
    }
    let (mut decided, mut given_up, mut certified, mut uncertified) = (0, 0, 0, 0);
    for subject in subjects() {
        for query in &subject.queries {
            let stored = subject.stored(query);
            let certifies = stored <= CERTIFIABLE;
            uncertified += usize::from(!certifies);
            for (search, certify) in SEARCHES.into_iter().flat_map(|search| [(search, false), (search, true)]) {
                let is_directed =
                    search.ways.states.as_ref().is_some_and(|way| matches!(way.make, States::Directed(_)));
                let complete = COMPLETE.contains(&search.name) || is_directed && stored <= DIRECTABLE;
                if certify && !(certifies && complete) {
                    continue;
                }
                let time_limit = if complete { None } else { Some(PATIENCE) };
                let options = Options { search: search.into(), certify, time_limit, ..Options::default() };
                let answer = subject.ask(query, &options);
                let name = format!("{} {} by {}, certify: {certify}", subject.name, query.text, search.name);
                assert!(!answer.internal, "{name}: {:?}", answer.reason);
                match answer.verdict {
                    Verdict::Unknown if time_limit.is_some() => given_up += 1,
                    verdict => {
                        assert_eq!(verdict, expected(query), "{name}: {:?}", answer.reason);
                        decided += 1;
                    }
                }
                if certify && answer.evidence != Evidence::Witness {
                    assert_eq!(answer.evidence, Evidence::Certificate, "{name}: {:?}", answer.reason);
                    certified += 1;
                }
                if let Some(trace) = &answer.trace {
                    let run = trace.run(subject.network()).unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
                    certify::replay(subject.network(), &run).unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
                }
            }
        }
    }
    eprintln!(
        "{decided} verdicts, {certified} of them with a certificate; {given_up} times given up; {uncertified} queries not \
         asked for certificates"
    );
    assert!(decided > 300 && certified > 30, "{decided} decided, {certified} certified");
}

/// What a query looks for, and the verdict when it is found.
fn goal(query: &LoadedQuery) -> Option<(model::network::ExprId, Claim, Verdict, Verdict)> {
    let QueryKind::Path { quantifier, predicate, negation } = query.query.as_ref()?.kind else { return None };
    match quantifier {
        PathQuantifier::ExistsEventually => {
            Some((predicate, Claim::Reaches(Literal::is(predicate)), Verdict::Satisfied, Verdict::Violated))
        }
        PathQuantifier::AlwaysGlobally => {
            Some((negation, Claim::Reaches(Literal::is_not(predicate)), Verdict::Violated, Verdict::Satisfied))
        }
        _ => None,
    }
}

#[test]
fn every_abstraction_in_every_order_gives_the_recorded_verdict() {
    let (mut decided, mut given_up, mut large) = (0, 0, 0);
    for subject in subjects() {
        for query in &subject.queries {
            let Some((predicate, claim, found, nowhere)) = goal(query) else { continue };
            if subject.stored(query) > SMALL {
                large += 1;
                continue;
            }
            // Lower and upper bounds do not keep deadlocks.
            let abstractions: &[Abstraction] = match subject.is_about_deadlock(predicate) {
                true => &[Abstraction::Maximal, Abstraction::None],
                false => &[Abstraction::Simulation, Abstraction::LowerUpper, Abstraction::Maximal, Abstraction::None],
            };
            for (abstraction, search) in abstractions.iter().flat_map(|one| COMPLETE.iter().map(move |two| (*one, two)))
            {
                let states = (abstraction == Abstraction::None).then_some(STATES);
                let how = Exploration { abstraction: Some(abstraction), states };
                let options = Options { search: search.parse().expect("a search"), ..Options::default() };
                let reached = reach_under(
                    &Problem::new(subject.network(), predicate, claim, Walking::No, &options),
                    how,
                    &options,
                    &mut Watch::none(),
                );
                let name = format!("{} {} by {search}, {abstraction:?}", subject.name, query.text);
                let verdict = match reached.outcome {
                    Outcome::Found(_) => found,
                    Outcome::Nowhere(_) => nowhere,
                    Outcome::Unknown(_) if states.is_some() => {
                        given_up += 1;
                        continue;
                    }
                    Outcome::Unknown(reason) | Outcome::Unsupported(reason) | Outcome::Internal(reason) => {
                        panic!("{name}: {reason}")
                    }
                    _ => panic!("{name}: neither found nor nowhere"),
                };
                assert_eq!(verdict, expected(query), "{name}");
                decided += 1;
            }
        }
    }
    eprintln!("{decided} verdicts, {given_up} times given up, {large} queries with more than {SMALL} states left out");
    assert!(decided > 300, "{decided}");
}
