//! All checks of one network: whatever is asked, however it is searched, the answers agree.

use crate::draft::Draft;
use crate::explicit::{self, Explicit, Picked, Wanted};
use crate::random::Random;
use crate::zones::{self, Explored, Order};
use crate::{answers, certificates, directed, laws, number, strategies, walks};
use certify::{Claim, Literal};
use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::problem::{Problem, Walking};
use engine::reachability::{Exploration, Outcome, reach_under};
use engine::report::{Answer, Verdict};
use model::check::{Quantity, QueryKind};
use model::load::{Loaded, LoadedQuery, Model, load_bytes, query_text};
use model::network::{ClockId, Network};
use model::source::Sources;
use model::syntax::query::PathQuantifier;
use semantics::zone_graph::Abstraction;
use std::collections::BTreeSet;

/// A disagreement. The kind stays the same while a network is shrunk.
#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: String,
    pub text: String,
}

pub fn failure<T>(kind: impl Into<String>, text: impl Into<String>) -> Result<T, Failure> {
    Err(Failure { kind: kind.into(), text: text.into() })
}

/// How much is looked at.
#[derive(Clone, Copy)]
pub struct Effort {
    /// States of the explicit exploration.
    pub explicit: usize,
    /// States of each zone graph.
    pub symbolic: u64,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { explicit: 300, symbolic: 2_000 }
    }
}

/// A loaded network with its queries.
pub struct Subject {
    pub sources: Sources,
    pub model: Model,
    pub queries: Vec<LoadedQuery>,
}

impl Subject {
    pub fn load(draft: &Draft) -> Result<Subject, Failure> {
        Subject::of_text(&draft.to_string(), &draft.queries)
    }

    pub fn of_text(text: &str, queries: &[String]) -> Result<Subject, Failure> {
        let Loaded { mut sources, diagnostics, model } = load_bytes("draft.xta", text.as_bytes(), &[]);
        let Some(model) = model else {
            let messages: Vec<&str> = diagnostics.iter().map(|one| one.message.as_str()).collect();
            return failure(format!("the network does not load: {}", messages.join("; ")), String::new());
        };
        let written: Vec<_> = queries.iter().map(|query| query_text(&mut sources, "query", query)).collect();
        let loaded = model.queries(&written);
        for query in &loaded {
            if let Some(first) = query.diagnostics.iter().find(|one| one.is_error()) {
                return failure(format!("a query does not load: {}", first.message), query.text.clone());
            }
        }
        Ok(Subject { sources, model, queries: loaded })
    }

    /// The network, with the code of all queries.
    pub fn network(&self) -> &Network {
        let first = self.queries.first().and_then(|loaded| loaded.query.as_ref());
        first.map_or(self.model.network(), |query| &query.network)
    }

    pub fn answers(&self, options: &Options) -> Vec<Answer> {
        self.answers_to(&self.queries, options)
    }

    /// The answer to one of the queries.
    pub fn answer(&self, index: usize, options: &Options) -> Option<Answer> {
        self.answers_to(&self.queries[index..=index], options).pop()
    }

    fn answers_to(&self, queries: &[LoadedQuery], options: &Options) -> Vec<Answer> {
        check("draft", &self.sources, queries, options, &mut Watch::none(), &mut |_| ()).results
    }
}

/// Runs every check on a network.
pub fn examine(draft: &Draft, seed: u64, effort: Effort) -> Result<(), Failure> {
    let subject = match Subject::load(draft) {
        // There is nothing to ask of a network without a first state.
        Err(failure) if failure.kind.contains("whose invariant does not hold at the start") => return Ok(()),
        other => other?,
    };
    let mut random = Random::new(seed);
    let truth = explored(draft, &subject, effort);
    if !truth.has_initial {
        return Ok(());
    }
    graphs(draft, &subject, &truth, effort, &mut random)?;
    let answers = subject.answers(&patient());
    walks::know(&subject, seed)?;
    for (index, answer) in answers.iter().enumerate() {
        walks::agree(&subject, index, answer, &mut random)?;
        strategies::agree(&subject, index, answer, &mut Random::new(seed ^ (index as u64 + 1) << 32))?;
        answers::is_right(draft, &subject, &truth, index, answer)?;
        searches(draft, &subject, index, answer, effort, &mut random)?;
        directed::agree(draft, &subject, index, answer, effort, &mut random)?;
        if is_proof(&subject.queries[index], answer.verdict) {
            certificates::hold(draft, &subject, &truth, index, answer, &mut random)?;
        }
    }
    laws::hold(draft, &answers, &mut random)
}

/// Whether an answer says that a state is nowhere.
fn is_proof(query: &LoadedQuery, verdict: Verdict) -> bool {
    let Some(QueryKind::Path { quantifier, .. }) = query.query.as_ref().map(|query| &query.kind) else { return false };
    matches!(
        (quantifier, verdict),
        (PathQuantifier::ExistsEventually, Verdict::Violated) | (PathQuantifier::AlwaysGlobally, Verdict::Satisfied)
    )
}

/// The default options, with an end for networks whose graph has none. `ZONEWALK_FUZZ_PATIENCE` says after how many
/// milliseconds that is: most of the time of a long run goes into the few networks that nothing decides.
pub fn patient() -> Options {
    let patience = std::time::Duration::from_millis(number("ZONEWALK_FUZZ_PATIENCE", 1_000));
    Options { memory_limit: Some(1 << 19), time_limit: Some(patience), ..Options::default() }
}

/// What a query asks of single states; nothing where it is about whole runs.
pub fn asked(loaded: &LoadedQuery, network: &Network) -> Wanted {
    let Some(query) = &loaded.query else { return Wanted::default() };
    match &query.kind {
        QueryKind::Path { quantifier: PathQuantifier::ExistsEventually, predicate, .. } => {
            Wanted { literal: Some(Literal::is(*predicate)), clocks: Vec::new() }
        }
        QueryKind::Path { quantifier: PathQuantifier::AlwaysGlobally, predicate, .. } => {
            Wanted { literal: Some(Literal::is_not(*predicate)), clocks: Vec::new() }
        }
        QueryKind::Extremum { predicate, quantities, .. } => {
            let name = match quantities.first() {
                Some(Quantity::Clock(_)) => measured(&loaded.text),
                _ => "",
            };
            Wanted { literal: predicate.map(Literal::is), clocks: picked(network, name) }
        }
        _ => Wanted::default(),
    }
}

/// The clocks that a name may stand for: `x`, `xs[1]`, or `xs[j]` with the element that `j` picks.
fn picked(network: &Network, name: &str) -> Vec<Picked> {
    let clocks = || (0..network.clocks.len()).map(ClockId::new);
    if let Some(clock) = clocks().find(|clock| network.clock_name(*clock) == name) {
        return vec![Picked { clock, by: None }];
    }
    let Some((array, index)) = name.strip_suffix(']').and_then(|name| name.split_once('[')) else { return Vec::new() };
    let Some(cell) = (0..network.ints.len()).find(|cell| network.int_name(*cell) == index) else { return Vec::new() };
    let element = |clock: ClockId| {
        let name = network.clock_name(clock);
        let value = name.strip_prefix(array)?.strip_prefix('[')?.strip_suffix(']')?.parse().ok()?;
        Some(Picked { clock, by: Some((cell, value)) })
    };
    clocks().filter_map(element).collect()
}

/// What a query for an extremum is about: `x` of `sup{P.A}: x`.
pub fn measured(query: &str) -> &str {
    query.rsplit(": ").next().unwrap_or_default()
}

fn explored(draft: &Draft, subject: &Subject, effort: Effort) -> Explicit {
    let list: Vec<Wanted> = subject.queries.iter().map(|query| asked(query, subject.network())).collect();
    explicit::explore(subject.network(), draft.traits, draft.scale, &list, effort.explicit)
}

/// The zone graph reaches the same discrete states under every abstraction and in every order, and all that are known.
fn graphs(
    draft: &Draft,
    subject: &Subject,
    truth: &Explicit,
    effort: Effort,
    random: &mut Random,
) -> Result<(), Failure> {
    let network = subject.network();
    let orders = [Order::Depth, Order::RandomDepth(random.next()), Order::Random(random.next())];
    let settings = [
        (Abstraction::Simulation, Order::Breadth),
        (Abstraction::Simulation, *random.pick(&orders)),
        (Abstraction::LowerUpper, Order::Breadth),
        (Abstraction::LowerUpper, *random.pick(&orders)),
        (Abstraction::Maximal, *random.pick(&orders)),
        (Abstraction::None, Order::Breadth),
    ];
    let mut first: Option<(BTreeSet<certify::Discrete>, String)> = None;
    for (abstraction, order) in settings {
        let name = format!("{abstraction:?} {order:?}");
        let limit = if abstraction == Abstraction::None { effort.symbolic.min(300) } else { effort.symbolic };
        let states = match zones::explore(network, abstraction, order, limit) {
            Explored::All(states) => states,
            Explored::Cut(states) => {
                if let Some(extra) = exact(draft, truth).and_then(|known| states.difference(known).next().cloned()) {
                    return failure("the zone graph reaches too much", format!("{name}: {extra:?}"));
                }
                continue;
            }
            Explored::Failed(error) => {
                if !draft.traits.errors {
                    return failure("an error that is none", format!("{name}: {error}"));
                }
                if truth.complete && !truth.error && draft.traits.closed {
                    return failure("an error that is none", format!("{name}: {error}"));
                }
                continue;
            }
        };
        if let Some(missed) = truth.discrete.difference(&states).next() {
            return failure("the zone graph misses a state", format!("{name}: {missed:?}"));
        }
        if truth.error {
            return failure("the zone graph misses an error", name);
        }
        if let Some(extra) = exact(draft, truth).and_then(|known| states.difference(known).next()) {
            return failure("the zone graph reaches too much", format!("{name}: {extra:?}"));
        }
        match &first {
            None => first = Some((states, name)),
            Some((other, _)) if *other == states => {}
            Some((other, other_name)) => {
                let one = other.symmetric_difference(&states).next();
                return failure("two zone graphs differ", format!("{other_name}, {name}: {one:?}"));
            }
        }
    }
    Ok(())
}

/// The reachable discrete states, where the explicit exploration knows them all.
pub fn exact<'a>(draft: &Draft, truth: &'a Explicit) -> Option<&'a BTreeSet<certify::Discrete>> {
    (draft.traits.closed && truth.complete && !truth.error).then_some(&truth.discrete)
}

pub fn may_give_up(draft: &Draft, reason: Option<&str>) -> bool {
    draft.traits.approximated
        || reason.is_some_and(|reason| {
            ["limit", "whose index depends on the state"].iter().any(|known| reason.contains(known))
        })
}

/// The outcome of a search in one word.
fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Found(_) | Outcome::FoundWithoutTimes => "found",
        Outcome::Nowhere(_) => "nowhere",
        Outcome::Unknown(_) | Outcome::Unsupported(_) => "unknown",
        Outcome::ModelError(..) => "error",
        Outcome::Internal(_) => "internal",
    }
}

/// The same query by other searches and under other abstractions has the same answer.
fn searches(
    draft: &Draft,
    subject: &Subject,
    index: usize,
    answer: &Answer,
    effort: Effort,
    random: &mut Random,
) -> Result<(), Failure> {
    let loaded = &subject.queries[index];
    let Some(QueryKind::Path { quantifier, predicate, negation }) = loaded.query.as_ref().map(|query| &query.kind)
    else {
        return Ok(());
    };
    if !matches!(quantifier, PathQuantifier::ExistsEventually | PathQuantifier::AlwaysGlobally) {
        return Ok(());
    }
    let always = *quantifier == PathQuantifier::AlwaysGlobally;
    let (goal, claim) = match always {
        true => (*negation, Claim::Reaches(Literal::is_not(*predicate))),
        false => (*predicate, Claim::Reaches(Literal::is(*predicate))),
    };
    let expected = match (answer.verdict, always) {
        (Verdict::Satisfied, false) | (Verdict::Violated, true) => "found",
        (Verdict::Violated, false) | (Verdict::Satisfied, true) => "nowhere",
        (Verdict::Error, _) => "error",
        _ => "unknown",
    };
    let about_deadlock = loaded.text.contains("deadlock");
    let choices: &[Abstraction] = if about_deadlock {
        &[Abstraction::Maximal, Abstraction::None]
    } else {
        &[Abstraction::Simulation, Abstraction::LowerUpper, Abstraction::Maximal, Abstraction::None]
    };
    for _ in 0..2 {
        let abstraction = *random.pick(choices);
        let options = Options {
            search: random.pick(&["bfs", "rank", "dive", "dfs", "rdfs", "drs"]).parse().expect("a search"),
            seed: random.next(),
            ..Options::default()
        };
        let states = if abstraction == Abstraction::None { effort.symbolic.min(300) } else { effort.symbolic };
        let how = Exploration { abstraction: Some(abstraction), states: Some(states) };
        let reached = reach_under(
            &Problem::new(subject.network(), goal, claim, Walking::No, &options),
            how,
            &options,
            &mut Watch::none(),
        );
        let said = word(&reached.outcome);
        let text = format!("{}: {expected} by default, {said} by {abstraction:?} {}", loaded.text, options.search);
        match &reached.outcome {
            Outcome::Internal(reason) => return failure("an internal error", format!("{text}: {reason}")),
            Outcome::Unknown(reason) | Outcome::Unsupported(reason) if !may_give_up(draft, Some(reason)) => {
                return failure("no verdict without a reason", format!("{text}: {reason}"));
            }
            Outcome::ModelError(error, _) if !draft.traits.errors => {
                return failure("an error that is none", format!("{text}: {error}"));
            }
            _ => {}
        }
        // Which of an error and a goal comes first depends on the order; with one of them reachable nothing is proved.
        if matches!((said, expected), ("nowhere", "found" | "error") | ("found" | "error", "nowhere")) {
            return failure("two searches differ", text);
        }
    }
    Ok(())
}
