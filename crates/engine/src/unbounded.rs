//! Whether a clock grows without end: two ways to show it with what a network really does.
//!
//! Either time can pass for ever at the end of a path, which its exact zone tells. Or a run along the path has a part that can
//! be repeated for ever, during which time passes and the clock is not set: `certify` replays it as a lasso, and the clock is
//! beyond everything that it is compared with whenever the lasso closes.
//!
//! That the clock is as much larger at the end of the part as time has passed does not yet show that it is not set: it may have
//! begun with 0 and been set to 0 at once. So the part is repeated. A clock that is set in every round has the same value at
//! the end of all rounds, or with copies from clock to clock that of another one: after as many rounds as there are clocks it
//! is a constant, or it is copied in a circle and never set. Then one more round must make it larger by the time of a round.

use crate::extremum::values::{first, number};
use crate::witness::attains_run;
use certify::{Claim, Ending, Literal, Rational, Run};
use model::network::{ClockId, Expr, ExprId, Network, Relation};
use semantics::code::ClockBound;
use semantics::predicate_goal::PredicateGoal;
use semantics::zone_graph::{Followed, ZoneGraph};

/// Longer paths are not asked.
const STEPS: usize = 2_000;
/// How many parts of a run are tried.
const LASSOS: usize = 64;
/// Longer runs are not replayed to see a part repeated.
const REPEATED: usize = 100_000;

/// The clock that is asked about.
#[derive(Clone, Copy)]
pub struct Growing {
    pub clock: u32,
    /// It is meant in every state, not only in the one at the end of the path.
    pub is_fixed: bool,
    /// Values beyond this one are of interest: the earliest run may be one in which no time passes.
    pub beyond: i32,
}

/// A clock takes values without bound where the predicate holds.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// All positions from this one on are among them, if that is known.
    pub from: Option<i64>,
}

/// Whether the clock takes values without bound where the predicate holds. `None`: it is not known.
pub fn grows_without_end(
    graph: &ZoneGraph,
    labels: &[u32],
    growing: Growing,
    mut goal: Option<&mut PredicateGoal>,
    predicate: Option<ExprId>,
) -> Option<Growth> {
    if labels.len() > STEPS || graph.approximates() || graph.too_large() {
        return None;
    }
    let followed = graph.follow(labels).ok()?;
    for Followed { state, .. } in &followed {
        let Some(n) = state.clocks.iter().position(|active| *active == growing.clock) else { continue };
        let parts = match &mut goal {
            Some(goal) => goal.parts(graph, state).unwrap_or_default(),
            None => vec![state.zone.clone()],
        };
        let endless = parts.iter().filter(|part| part.upper(n + 1).is_infinite());
        if let Some(from) = endless.map(|part| first(part.lower(n + 1))).min() {
            return (!graph.too_large()).then_some(Growth { from: Some(from) });
        }
    }
    let plus = Some(ClockId::new(growing.clock as usize));
    let far = ClockBound { plus, minus: None, relation: Relation::Gt, bound: growing.beyond };
    let late = repeats(graph, labels, growing, goal.as_deref_mut(), predicate, &[far]);
    if late.is_some_and(|growth| growth.from.is_some()) {
        return late;
    }
    repeats(graph, labels, growing, goal, predicate, &[]).or(late)
}

fn repeats(
    graph: &ZoneGraph,
    labels: &[u32],
    growing: Growing,
    goal: Option<&mut PredicateGoal>,
    predicate: Option<ExprId>,
    end: &[ClockBound],
) -> Option<Growth> {
    let network = graph.network();
    let (run, replay) = attains_run(graph, labels, goal, None, end)?;
    let value = |step: usize| replay.before(step).clocks.get(growing.clock as usize).copied();
    let has_copies = copies_clocks(network);
    let mut best = None;
    let mut tried = 0;
    // In other states another clock may be meant.
    let ends = if growing.is_fixed { 1..=run.steps.len() } else { run.steps.len()..=run.steps.len() };
    for to in ends.rev() {
        for from in (0..to).rev() {
            let (first, last) = (replay.before(from), replay.before(to));
            let passed = last.time - first.time;
            let grown = value(to).zip(value(from)).map(|(later, earlier)| later - earlier);
            if first.discrete != last.discrete || passed <= Rational::from_integer(0) || grown != Some(passed) {
                continue;
            }
            tried += 1;
            if tried > LASSOS {
                return best;
            }
            let part = (run.steps[..to].to_vec(), from);
            if !is_repeated(network, &part, growing.clock, has_copies) {
                continue;
            }
            let (steps, final_delay) = (part.0, Rational::from_integer(0));
            let lasso = Run { steps, final_delay, ending: Ending::Lasso(from) };
            let shows = |claim: Claim| certify::check_claim(network, &lasso, claim).is_ok();
            // Whether the predicate holds all the time from some moment of a round on, so that no value is left out.
            let always = match predicate {
                Some(p) => shows(Claim::NeverAnswered { from: Literal::is(p), to: Literal::is_not(p) }),
                None => certify::replay(network, &lasso).is_ok(),
            };
            if always && growing.is_fixed && !has_copies {
                let from = value(to).and_then(|value| i64::try_from(value.ceil().to_integer()).ok());
                return Some(Growth { from: from.map(number) });
            }
            // At another moment of the round another clock may be meant, or the clock may have a value that is copied back later.
            let is_one = growing.is_fixed && !has_copies;
            let is_met = || predicate.is_some_and(|p| shows(Claim::InfinitelyOften(Literal::is(p))));
            if always || is_one && is_met() {
                best = Some(Growth { from: None });
            }
        }
    }
    best
}

/// Whether the clock grows in every further round of a part of a run, which goes from a step to the end.
fn is_repeated(network: &Network, (steps, from): &(Vec<certify::Step>, usize), clock: u32, has_copies: bool) -> bool {
    let round = &steps[*from..];
    let rounds = if has_copies { network.clocks.len() + 2 } else { 2 };
    if steps.len() + round.len().saturating_mul(rounds) > REPEATED {
        return false;
    }
    let mut repeated = steps.clone();
    (1..rounds).for_each(|_| repeated.extend_from_slice(round));
    let end = repeated.len();
    let run = Run { steps: repeated, final_delay: Rational::from_integer(0), ending: Ending::Open };
    let Ok(replay) = certify::replay(network, &run) else { return false };
    let (before, after) = (replay.before(end - round.len()), replay.before(end));
    let values = after.clocks.get(clock as usize).zip(before.clocks.get(clock as usize));
    values.is_some_and(|(later, earlier)| later - earlier == after.time - before.time)
}

/// Whether clocks are set to the values of others anywhere.
fn copies_clocks(network: &Network) -> bool {
    let mut all = (0..network.code.len()).map(|n| network.code.expr(ExprId::new(n)));
    all.any(|expr| matches!(expr, Expr::SetClock { source: Some(_), .. }))
}
