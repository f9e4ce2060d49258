//! Answers queries about explicit graphs, read from Aldebaran files, with the strategies that models have. The queries are
//! those of [`model::syntax::graph_query`].

use crate::limits::{Watch, cause_text};
use crate::options::{Options, Preference, effect};
use crate::place::Place;
use crate::questions::graphs::GRAPH;
use crate::reachability::out_of_budget;
use crate::replay::Mistake;
use crate::report::{Answer, Evidence, Report, Verdict};
use crate::searches::directed::{self, Wanted};
use crate::searches::orders::{Loop, Order, SMALL, order};
use crate::searches::strategies::{self, OfGraph, Setting};
use crate::shown::ShownRun;
use certify::Trace;
use certify::trace::{SCHEMA, TraceEdge, TraceEnding, TraceStep};
use heuristics::directed::Directed;
use heuristics::explicit::GraphGuidance;
use heuristics::network::Kind;
use model::syntax::graph_query::{GraphQuery, GraphTarget, Unreadable, graph_query};
use search::aut;
use search::budget::{Limits, Reason};
use search::goal::Goal;
use search::graph::EdgeId;
pub use search::graph::Graph;
use search::search::{Depths, Search, Stop};
use std::cell::RefCell;
use std::convert::Infallible;
use std::time::Instant;

/// A query as the user wrote it: where it stands, and its text.
pub struct Written {
    pub name: String,
    pub text: String,
}

/// Reads a graph.
pub fn read(bytes: &[u8]) -> Result<Graph, Mistake> {
    aut::parse_bytes(bytes).map_err(|error| {
        let whole = error.to_string();
        // The place is said by line and column.
        let message = whole.split_once(": ").map_or(whole.as_str(), |(_, message)| message).to_owned();
        Mistake { line: error.line, column: error.column, message }
    })
}

/// A query: is the target reachable, and is that good or bad?
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Question {
    pub target: GraphTarget,
    pub found: Verdict,
    pub nowhere: Verdict,
}

impl Question {
    pub(crate) fn read(text: &str) -> Result<Question, Unreadable> {
        Ok(match graph_query(text)? {
            GraphQuery::Reachable(target) => Question { target, found: Verdict::Satisfied, nowhere: Verdict::Violated },
            GraphQuery::Unreachable(target) => {
                Question { target, found: Verdict::Violated, nowhere: Verdict::Satisfied }
            }
        })
    }
}

/// The goal of a search.
pub struct Sought(pub GraphTarget);

impl Goal<Graph> for Sought {
    fn holds(&mut self, graph: &Graph, state: &u32) -> Result<bool, Infallible> {
        Ok(self.0 == GraphTarget::Deadlock && !graph.has_successors(*state))
    }

    fn holds_for_step(&mut self, graph: &Graph, edge: EdgeId) -> bool {
        matches!(&self.0, GraphTarget::Label(label) if graph.label_name(edge) == label)
    }
}

/// Answers all queries. `done` sees each answer as it comes.
pub fn check(
    name: &str,
    graph: &Graph,
    queries: &[Written],
    options: &Options,
    watch: &mut Watch,
    done: &mut dyn FnMut(&Answer),
) -> Report {
    let mut results = Vec::with_capacity(queries.len());
    for (index, query) in queries.iter().enumerate() {
        let started = Instant::now();
        let allowance = watch.allowance(options);
        let entered = allowance.enter();
        let mut answer = Answer::new(index, query.text.trim());
        match Question::read(&query.text) {
            Ok(_) if watch.is_cancelled() => answer.reason = Some("interrupted".to_owned()),
            Ok(question) => search(&mut answer, graph, question, options, watch),
            Err((at, expected)) => {
                answer.verdict = Verdict::Error;
                answer.reason = Some(expected.to_owned());
                let column = 1 + query.text[..at].chars().count();
                answer.place = Some(Place { file: query.name.clone(), line: 1, column, path: None });
            }
        }
        if let Some(cause) = allowance.cause() {
            answer.was_cut_off(cause_text(cause));
        }
        drop(entered);
        answer.stats.time_s = started.elapsed().as_secs_f64();
        done(&answer);
        results.push(answer);
    }
    Report { schema: "zonewalk.report/1", model: name.to_owned(), seed: options.seed, results }
}

fn search(answer: &mut Answer, graph: &Graph, question: Question, options: &Options, watch: &mut Watch) {
    if !options.search.suits(GRAPH.subject) {
        answer.unsupported = true;
        answer.reason = Some(effect::unsuited(options.search, &GRAPH));
        return;
    }
    let sought = Sought(question.target.clone());
    let limits = Limits { explored: options.strategies.states, ..watch.limits(options) };
    let strategy = strategies::own(options);
    let wanted = directed::wanted(options);
    if let Some(reason) = wanted.as_ref().and_then(directed::null_misfit) {
        answer.verdict = Verdict::Error;
        answer.reason = Some(reason);
        return;
    }
    let log = RefCell::new(Vec::new());
    let (name, mut search): (&'static str, OfGraph<'_>) = match (strategy, &wanted) {
        (Some(strategy), _) => {
            let setting = Setting { options, limits, cancel: watch.cancel() };
            (options.search.name, (strategy.of_graph)(graph, sought, setting))
        }
        (None, Some(wanted)) => {
            let guidance = guidance(graph, &question.target, wanted);
            let mut search =
                Directed::new(graph, sought, guidance, wanted.settings.clone()).limited(limits, watch.cancel());
            if wanted.log {
                search = search.logging(|logged| log.borrow_mut().push(logged));
            }
            (wanted.name, Box::new(search))
        }
        (None, None) => by_order(graph, sought, options, limits, watch),
    };
    let stop = loop {
        match search.step() {
            Some(stop) => break stop,
            None => watch.tick(&|| search.statistics()),
        }
    };
    let statistics = search.statistics();
    answer.search = Some(name.to_owned());
    answer.stats = crate::check::stats(&statistics);
    answer.stats.directed = wanted.as_ref().map(|wanted| directed::stats(wanted, &statistics));
    answer.log = wanted.filter(|wanted| wanted.log).map(|wanted| directed::curve(&wanted, &log.borrow()));
    match stop {
        Stop::Found(id) => {
            let path = search.trace(id);
            if !shows(graph, &path, &question.target) {
                answer.internal = true;
                answer.reason = Some("internal error: the path is none of the graph".to_owned());
                return;
            }
            answer.verdict = question.found;
            answer.evidence = Evidence::Witness;
            answer.stats.trace_length = Some(path.len());
            answer.trace = Some(trace(graph, &path));
            answer.shown = Some(ShownRun::untimed());
            if options.preference == Preference::Fastest {
                answer.reason = Some("steps of a graph take no time, so no run is the fastest".to_owned());
            }
        }
        Stop::Exhausted { proof: true } => {
            answer.verdict = question.nowhere;
            answer.evidence = Evidence::Exhaustive;
            if options.certify {
                answer.reason = Some("not certified: certificates are for timed automata".to_owned());
            }
        }
        Stop::Exhausted { proof: false } => {
            answer.reason = Some(strategies::nothing(strategy, options, &search.statistics()));
        }
        Stop::OutOfBudget(Reason::Explored) if strategy.is_some_and(|own| own.simulates) => {
            answer.reason = Some(strategies::nothing(strategy, options, &search.statistics()));
        }
        Stop::OutOfBudget(reason) => answer.reason = Some(out_of_budget(reason).to_owned()),
        Stop::Cancelled => answer.reason = Some("interrupted".to_owned()),
        Stop::Failed { error, .. } => match error {},
    }
}

/// The one loop, in an order that the options choose.
fn by_order<'a>(
    graph: &'a Graph,
    sought: Sought,
    options: &Options,
    limits: Limits,
    watch: &Watch,
) -> (&'static str, OfGraph<'a>) {
    let searched = Loop { explores_all: false, small: SMALL, is_long: None, seed: options.seed };
    let Order { name, frontier, restarts, .. } = order(options, &searched);
    let mut search = Search::new(graph, sought, frontier).limited(limits, watch.cancel());
    if let Some(restarts) = restarts {
        search = search.restarting(restarts);
    }
    if options.preference == Preference::Shortest {
        search = search.depths(Depths::Respected);
    }
    (name, Box::new(search))
}

/// Distances in a graph are exact, whatever their name.
fn guidance(graph: &Graph, target: &GraphTarget, wanted: &Wanted) -> GraphGuidance {
    if wanted.kind == Kind::Null && !wanted.plans {
        return GraphGuidance::blind(graph);
    }
    let is_goal = |state: u32| *target == GraphTarget::Deadlock && !graph.has_successors(state);
    let is_goal_edge = |edge: EdgeId| matches!(target, GraphTarget::Label(label) if graph.label_name(edge) == label);
    let exact = GraphGuidance::exact(graph, is_goal, is_goal_edge);
    if wanted.kind == Kind::Null { exact.hiding_distances() } else { exact }
}

/// Walks the path once more, without the search.
pub(crate) fn shows(graph: &Graph, path: &[EdgeId], target: &GraphTarget) -> bool {
    let mut state = graph.initial_state();
    for edge in path {
        let (from, to) = graph.ends(*edge);
        if from != state {
            return false;
        }
        state = to;
    }
    match target {
        GraphTarget::Deadlock => !graph.has_successors(state),
        GraphTarget::Label(label) => path.last().is_some_and(|edge| graph.label_name(*edge) == label),
    }
}

pub(crate) fn trace(graph: &Graph, path: &[EdgeId]) -> Trace {
    let step = |edge: &EdgeId| {
        let (from, to) = graph.ends(*edge);
        let (process, from, to) = ("graph".into(), from.to_string().into(), to.to_string().into());
        TraceStep {
            delay: "0".to_owned(),
            time: None,
            action: graph.label_name(*edge).into(),
            edges: vec![TraceEdge { process, from, to, edge: edge.index(), select: Vec::new(), branch: 0 }],
        }
    };
    Trace {
        schema: SCHEMA.to_owned(),
        steps: path.iter().map(step).collect(),
        final_delay: "0".to_owned(),
        ending: TraceEnding::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(query: &str, search: &str) -> (Verdict, Option<Vec<String>>) {
        let edges = [(0, "coin", 1), (1, "tea", 0), (1, "say \"x\", loud", 2), (2, "i", 2), (0, "break", 3)];
        let graph = Graph::from_edges(0, 5, &edges).expect("a graph");
        let written = [Written { name: "-q".to_owned(), text: query.to_owned() }];
        let options = Options { search: search.parse().expect("a search"), ..Options::default() };
        let report = check("g.aut", &graph, &written, &options, &mut Watch::none(), &mut |_| {});
        let answer = &report.results[0];
        let labels = |trace: &Trace| trace.steps.iter().map(|step| step.action.to_string()).collect();
        (answer.verdict, answer.trace.as_ref().map(labels))
    }

    #[test]
    fn labels_and_deadlocks_are_found_in_every_order() {
        for search in ["auto", "dive", "rank", "bfs", "dfs", "rdfs", "drs", "gbfs", "astar", "ut", "ua"] {
            let one = |query, expected, path: Option<&[&str]>| {
                let path = path.map(|path| path.iter().map(|label| (*label).to_owned()).collect());
                assert_eq!(verdict(query, search), (expected, path), "{search}: {query}");
            };
            one("E<> deadlock", Verdict::Satisfied, Some(&["break"]));
            one("A[] not deadlock", Verdict::Violated, Some(&["break"]));
            one("E<> \"say \"x\", loud\"", Verdict::Satisfied, Some(&["coin", "say \"x\", loud"]));
            one("E<> \"coffee\"", Verdict::Violated, None);
            one("A[] !\"coffee\"", Verdict::Satisfied, None);
            one("A[] not (\"tea\")", Verdict::Violated, Some(&["coin", "tea"]));
        }
    }
}
