//! Exact times for the runs that a search for infinite runs finds, replayed by `certify`.
//!
//! A run that ends has times by construction. For a cycle the earliest run through several rounds is made and cut where two
//! visits of the cycle's start are alike: clocks equal, or both beyond everything that they are compared with. There
//! are cycles with infinite runs and none that repeats (a clock may have to be set a little earlier each time); such a
//! run is known to exist and is not shown.

use crate::witness::{NoWitness, Witness, replayed, run};
use certify::{Claim, Ending, Run};
use search::lasso::Lasso;
use semantics::concretise::{Concretiser, Unrealisable};
use semantics::parts::{End, FollowedParts, PartGraph, PartScratch, Step};
use semantics::zone_graph::ZoneGraph;

/// Whether time must pass in every round of a cycle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Any,
    Diverges,
}

/// The rounds that are tried, one after the other.
const ROUNDS: [usize; 5] = [1, 2, 4, 8, 16];

pub fn witness(graph: &PartGraph, lasso: &Lasso<Step>, claim: Claim, progress: Progress) -> Result<Witness, NoWitness> {
    if lasso.cycle.is_empty() {
        ending_run(graph, &lasso.prefix, claim)
    } else {
        cycling_run(graph, lasso, claim, progress)
    }
}

/// A run that ends where nothing happens any more.
fn ending_run(parts: &PartGraph, steps: &[Step], claim: Claim) -> Result<Witness, NoWitness> {
    let network = parts.graph.network();
    let mut scratch = PartScratch::default();
    let mut refused = NoWitness::Unrealisable;
    for FollowedParts { state, legs } in parts.follow(steps).map_err(NoWitness::Failed)? {
        let inside = parts.bounds(&mut scratch, &state).map_err(NoWitness::Failed)?;
        let (ending, goals) = match parts.end(&mut scratch, &state).map_err(NoWitness::Failed)? {
            End::Open => continue,
            End::Idle => (Ending::IdleForever, vec![inside]),
            End::Stuck(dead) => {
                let bounds = |zone| parts.bounds_of_piece(&state.state.clocks, zone);
                (Ending::Stuck, dead.zones().iter().map(bounds).collect())
            }
        };
        for goal in goals {
            match Concretiser::new(&parts.graph.structure).run_legs(&legs, &goal) {
                Ok(timed) => match replayed(network, run(network, &timed, ending), claim) {
                    Ok(witness) => return Ok(witness),
                    Err(error) => refused = error,
                },
                Err(Unrealisable::Contradiction | Unrealisable::GaveUp) => {}
                Err(Unrealisable::Error(error)) => return Err(NoWitness::Failed(error)),
            }
        }
    }
    Err(refused)
}

/// A run through a cycle: the earliest one through several rounds, cut where two visits of the cycle's start are alike.
fn cycling_run(parts: &PartGraph, lasso: &Lasso<Step>, claim: Claim, progress: Progress) -> Result<Witness, NoWitness> {
    let Some(lasso) = from_an_action(lasso) else { return Err(NoWitness::Unrealisable) };
    for rounds in ROUNDS {
        let mut steps = lasso.prefix.clone();
        (0..rounds).for_each(|_| steps.extend(&lasso.cycle));
        for FollowedParts { legs, .. } in parts.follow(&steps).map_err(NoWitness::Failed)? {
            let mut concretiser = Concretiser::new(&parts.graph.structure);
            if progress == Progress::Diverges {
                for round in 0..rounds {
                    let start = lasso.prefix.len() + round * lasso.cycle.len();
                    concretiser = concretiser.apart(start, start + lasso.cycle.len());
                }
            }
            let timed = match concretiser.run_legs(&legs, &[]) {
                Ok(timed) => timed,
                Err(Unrealisable::Contradiction | Unrealisable::GaveUp) => continue,
                Err(Unrealisable::Error(error)) => return Err(NoWitness::Failed(error)),
            };
            let whole = run(parts.graph.network(), &timed, Ending::Open);
            if let Some(witness) = repeating(parts.graph, &whole, &lasso, rounds, claim) {
                return Ok(witness);
            }
        }
    }
    Err(NoWitness::Unrealisable)
}

/// Cuts a run through several rounds where it repeats itself. Two visits may look alike and differ for the replay; that
/// is no proof that something is wrong.
fn repeating(graph: &ZoneGraph, whole: &Run, lasso: &Lasso<Step>, rounds: usize, claim: Claim) -> Option<Witness> {
    let network = graph.network();
    let replay = certify::replay(network, whole).ok()?;
    let (before, each) = (actions(&lasso.prefix), actions(&lasso.cycle));
    let visit = |round: usize| before + round * each;
    for later in 1..=rounds {
        for earlier in 0..later {
            if !alike(graph, replay.before(visit(earlier)), replay.before(visit(later))) {
                continue;
            }
            let cut = Run {
                steps: whole.steps[..visit(later)].to_vec(),
                final_delay: certify::Rational::from_integer(0),
                ending: Ending::Lasso(visit(earlier)),
            };
            if let Ok(witness) = replayed(network, cut, claim) {
                return Some(witness);
            }
        }
    }
    None
}

fn is_action(step: &Step) -> bool {
    matches!(step, Step::Action { .. })
}

fn actions(steps: &[Step]) -> usize {
    steps.iter().filter(|step| is_action(step)).count()
}

/// The same lasso with a cycle that begins right after an action.
fn from_an_action(lasso: &Lasso<Step>) -> Option<Lasso<Step>> {
    let first = lasso.cycle.iter().position(is_action)? + 1;
    let mut turned = lasso.clone();
    turned.cycle.rotate_left(first);
    turned.prefix.extend(&lasso.cycle[..first]);
    Some(turned)
}

/// Whether two states have the same future: clocks are equal, or both beyond what they are compared with.
fn alike(graph: &ZoneGraph, a: &certify::State, b: &certify::State) -> bool {
    let beyond = |clock: usize, value: &certify::Rational| match graph.largest_constant(clock as u32) {
        Some(constant) => *value > certify::Rational::from_integer(i128::from(constant)),
        None => true,
    };
    a.discrete == b.discrete
        && a.clocks.iter().zip(&b.clocks).enumerate().all(|(n, (x, y))| x == y || beyond(n, x) && beyond(n, y))
}
