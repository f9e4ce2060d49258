//! Directed searches on random networks: with every heuristic, tie-break and plateau guard they say what the default search
//! says; A* with an admissible heuristic finds runs as short as breadth-first search; on the way to a goal no admissible
//! estimate exceeds what is left of the way, no state is a dead end, and what is estimated from the state before is what is
//! estimated from scratch.

use crate::compare::{Effort, Failure, Subject, failure, may_give_up};
use crate::draft::Draft;
use crate::random::Random;
use certify::{Claim, Literal};
use engine::limits::Watch;
use engine::options::{Options, Preference};
use engine::problem::{Problem, Walking};
use engine::reachability::{Exploration, Outcome, reach_under};
use engine::report::{Answer, Verdict};
use engine::searches::directed::{DirectedOptions, HEURISTICS, Tie};
use heuristics::guidance::Guidance;
use heuristics::interrupt::Interrupt;
use heuristics::network::{Kind, NetworkGuidance};
use model::check::QueryKind;
use model::network::ExprId;
use model::syntax::query::PathQuantifier;
use search::budget::Limits;
use search::frontier::Fifo;
use search::heuristic::Estimate;
use search::search::{Search, Stop};
use search::system::{Deferred, TransitionSystem};
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{Abstraction, Scratch, State, ZoneGraph};
use std::ops::ControlFlow;

/// What a query looks for, what a run to it shows, and whether finding it is the verdict.
struct Looked {
    goal: ExprId,
    claim: Claim,
    expected: &'static str,
    abstraction: Abstraction,
}

fn looked(subject: &Subject, index: usize, answer: &Answer) -> Option<Looked> {
    let loaded = &subject.queries[index];
    let QueryKind::Path { quantifier, predicate, negation } = loaded.query.as_ref()?.kind else { return None };
    let (goal, claim, found, nowhere) = match quantifier {
        PathQuantifier::ExistsEventually => {
            (predicate, Claim::Reaches(Literal::is(predicate)), Verdict::Satisfied, Verdict::Violated)
        }
        PathQuantifier::AlwaysGlobally => {
            (negation, Claim::Reaches(Literal::is_not(predicate)), Verdict::Violated, Verdict::Satisfied)
        }
        _ => return None,
    };
    let expected = match answer.verdict {
        verdict if verdict == found => "found",
        verdict if verdict == nowhere => "nowhere",
        Verdict::Error => "error",
        _ => "unknown",
    };
    let deadlock = loaded.text.contains("deadlock");
    let abstraction = if deadlock { Abstraction::Maximal } else { Abstraction::Simulation };
    Some(Looked { goal, claim, expected, abstraction })
}

/// Directed searches agree with the answer to a query.
pub fn agree(
    draft: &Draft,
    subject: &Subject,
    index: usize,
    answer: &Answer,
    effort: Effort,
    random: &mut Random,
) -> Result<(), Failure> {
    let Some(Looked { goal, claim, expected, abstraction }) = looked(subject, index, answer) else { return Ok(()) };
    let how = Exploration { abstraction: Some(abstraction), states: Some(effort.symbolic) };
    let network = subject.network();
    for search in ["gbfs", "astar", "ut", "ua"] {
        let from = if search == "ut" { 1 } else { 0 };
        let heuristic = random.pick(&HEURISTICS.named[from..]).1;
        let directed = DirectedOptions {
            tie: *random.pick(&[Tie::Lifo, Tie::Fifo, Tie::Random]),
            exploration: *random.pick(&[0.0, 0.0, 0.3]),
            preferred: random.one_in(3),
            useless: heuristic != Kind::Null && random.one_in(2),
            plateau_guard: *random.pick(&[0, 1, 5, 50]),
            cache: random.one_in(2),
            log: false,
        };
        let options = Options {
            search: search.parse().expect("a search"),
            heuristic: Some(heuristic),
            directed,
            seed: random.next(),
            certify: random.one_in(4) && abstraction == Abstraction::Simulation,
            ..Options::default()
        };
        // Certificates are of zones that are compared by inclusion.
        let how = if options.certify { Exploration { abstraction: Some(Abstraction::LowerUpper), ..how } } else { how };
        let reached =
            reach_under(&Problem::new(network, goal, claim, Walking::No, &options), how, &options, &mut Watch::none());
        let said = match &reached.outcome {
            Outcome::Found(_) | Outcome::FoundWithoutTimes => "found",
            Outcome::Nowhere(_) => "nowhere",
            Outcome::Unknown(_) | Outcome::Unsupported(_) => "unknown",
            Outcome::ModelError(..) => "error",
            Outcome::Internal(_) => "internal",
        };
        let text = format!("{}: {expected}, {said} by {options:?}", subject.queries[index].text);
        match &reached.outcome {
            Outcome::Internal(reason) => return failure("an internal error of a directed search", text + reason),
            Outcome::Unknown(reason) | Outcome::Unsupported(reason) if !may_give_up(draft, Some(reason)) => {
                return failure("a directed search without a verdict", text + reason);
            }
            _ => {}
        }
        if matches!((said, expected), ("nowhere", "found" | "error") | ("found" | "error", "nowhere")) {
            return failure("a directed search differs", text);
        }
        let admissible = heuristic.is_admissible() && options.directed.exploration == 0.0;
        if let (Outcome::Found(witness), "astar", true, false) =
            (&reached.outcome, search, admissible, options.directed.preferred || draft.traits.approximated)
        {
            let breadth = Options { preference: Preference::Shortest, ..Options::default() };
            let shortest = reach_under(
                &Problem::new(network, goal, claim, Walking::No, &breadth),
                how,
                &breadth,
                &mut Watch::none(),
            );
            if let Outcome::Found(best) = &shortest.outcome
                && best.run.steps.len() != witness.run.steps.len()
            {
                let (best, steps) = (best.run.steps.len(), witness.run.steps.len());
                return failure("a run of A* that is not the shortest", format!("{text}: {best}, {steps}"));
            }
        }
    }
    estimates(subject, index, goal, abstraction, effort)
}

/// Estimates along a run to the goal.
fn estimates(
    subject: &Subject,
    index: usize,
    goal: ExprId,
    abstraction: Abstraction,
    effort: Effort,
) -> Result<(), Failure> {
    let network = subject.network();
    let (graph, predicate) = ZoneGraph::for_predicate(network, abstraction, goal);
    let limits = Limits { explored: Some(effort.symbolic), ..Limits::default() };
    let mut search = Search::new(&graph, PredicateGoal::new(&graph, predicate), Fifo::default()).limited(limits, None);
    let Stop::Found(id) = search.run() else { return Ok(()) };
    let labels = search.trace(id);
    let mut scratch = Scratch::default();
    for &(name, kind) in HEURISTICS.named {
        let mut guidance = NetworkGuidance::new(&graph, goal, predicate, kind, true, false, Interrupt::never());
        let mut scratch_guidance =
            NetworkGuidance::new(&graph, goal, predicate, kind, false, false, Interrupt::never());
        let mut state = State::default();
        let _ = graph.initial(&mut scratch, &mut |first| {
            state = first.clone();
            ControlFlow::Break(())
        });
        for (n, label) in labels.iter().enumerate() {
            let left = (labels.len() - n) as u32;
            let text = |value: &dyn std::fmt::Debug| {
                format!("{}: {name} says {value:?} at step {n} of {labels:?}", subject.queries[index].text)
            };
            match guidance.enter(&graph, &state) {
                Estimate::DeadEnd { .. } => return failure("a dead end that is none", text(&"dead end")),
                Estimate::Value(value) if kind.is_admissible() && value > left => {
                    return failure("an admissible estimate that is too large", text(&value));
                }
                Estimate::Value(_) => {}
            }
            let mut wrong = None;
            let _ = graph.sketches(&mut scratch, &state, |_, sketch| {
                let estimated = guidance.estimate(&graph, sketch);
                let fresh = scratch_guidance.fresh(sketch.target);
                let fresh = fresh.map_or(Estimate::DeadEnd { reliable: true }, Estimate::Value);
                if estimated != fresh {
                    wrong = Some((estimated, fresh));
                }
                ControlFlow::Continue(())
            });
            if let Some(wrong) = wrong {
                return failure("an estimate that depends on the way", text(&wrong));
            }
            let mut next = None;
            let _ = graph.complete(&mut scratch, &state, *label, &mut |found| {
                next = Some(found.clone());
                ControlFlow::Break(())
            });
            let Some(next) = next else { return Ok(()) };
            state = next;
        }
        if let Estimate::DeadEnd { .. } = guidance.enter(&graph, &state) {
            return failure("a goal that is a dead end", format!("{}: {name}", subject.queries[index].text));
        }
        if kind.is_admissible() && guidance.enter(&graph, &state) != Estimate::Value(0) {
            return failure("a goal that is far away", format!("{}: {name}", subject.queries[index].text));
        }
    }
    Ok(())
}
