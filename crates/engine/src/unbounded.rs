//! Whether a clock grows without end: two ways to show it with what a network really does.
//!
//! Either time can pass for ever at the end of a path, which its exact zone tells. Or a run along the path has a part that can
//! be repeated for ever, during which time passes and the clock is not set: `certify` replays it as a lasso, and the clock is
//! beyond everything that it is compared with whenever the lasso closes.

use crate::witness::attains_run;
use certify::{Claim, Ending, Literal, Rational, Run};
use model::network::ExprId;
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{Followed, ZoneGraph};

/// Longer paths are not asked.
const STEPS: usize = 2_000;
/// How many parts of a run are tried.
const LASSOS: usize = 64;

/// Whether the clock takes values without bound where the predicate holds. `false`: it is not known.
pub fn grows_without_end(
    graph: &ZoneGraph,
    labels: &[u32],
    clock: u32,
    mut goal: Option<&mut PredicateGoal>,
    predicate: Option<ExprId>,
) -> bool {
    if labels.len() > STEPS || graph.approximates() || graph.too_large() {
        return false;
    }
    let Ok(followed) = graph.follow(labels) else { return false };
    for Followed { state, .. } in &followed {
        let Some(n) = state.clocks.iter().position(|active| *active == clock) else { continue };
        let parts = match &mut goal {
            Some(goal) => goal.parts(graph, state).unwrap_or_default(),
            None => vec![state.zone.clone()],
        };
        if parts.iter().any(|part| part.upper(n + 1).is_infinite()) {
            return !graph.too_large();
        }
    }
    repeats(graph, labels, clock, goal, predicate)
}

fn repeats(
    graph: &ZoneGraph,
    labels: &[u32],
    clock: u32,
    goal: Option<&mut PredicateGoal>,
    predicate: Option<ExprId>,
) -> bool {
    let network = graph.network();
    let Some((run, replay)) = attains_run(graph, labels, goal, None, &[]) else { return false };
    let value = |step: usize| replay.before(step).clocks.get(clock as usize).copied();
    let mut tried = 0;
    for to in (1..=run.steps.len()).rev() {
        for from in (0..to).rev() {
            let (first, last) = (replay.before(from), replay.before(to));
            let passed = last.time - first.time;
            let grown = value(to).zip(value(from)).map(|(later, earlier)| later - earlier);
            if first.discrete != last.discrete || passed <= Rational::from_integer(0) || grown != Some(passed) {
                continue;
            }
            tried += 1;
            if tried > LASSOS {
                return false;
            }
            let final_delay = Rational::from_integer(0);
            let lasso = Run { steps: run.steps[..to].to_vec(), final_delay, ending: Ending::Lasso(from) };
            let is_one = match predicate {
                Some(predicate) => {
                    certify::check_claim(network, &lasso, Claim::InfinitelyOften(Literal::is(predicate))).is_ok()
                }
                None => certify::replay(network, &lasso).is_ok(),
            };
            if is_one {
                return true;
            }
        }
    }
    false
}
