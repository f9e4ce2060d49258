//! Mutation of a good walk: keep its beginning, draw the rest anew, and keep the new walk if it comes at least as near to
//! the goal (after the corner search of randomised falsification: with delays at the ends of windows a walk is a string of choices).
//!
//! Where the walk is cut is random, more often late than early. After many mutations without anything better the search starts with a
//! fresh walk. Only choices are kept: a beginning is walked again, which costs its steps.

use super::{Ended, Found, Lineage, Party, Stretch, extended, found};

/// Mutations without a better walk before a fresh one.
const PATIENCE: u32 = 400;
/// Steps of a fresh walk at first, and at most.
const FIRST: u64 = 1 << 8;
const LAST: u64 = 1 << 14;

pub fn hunt(party: &mut Party) -> Option<Found> {
    let mut random = semantics::random::Random::of_run(party.settings.seed, u64::MAX);
    let mut length = FIRST;
    loop {
        let mut best: (i64, Lineage) = (i64::MIN, Vec::new());
        let mut waited = 0;
        while waited < PATIENCE {
            let total: u64 = best.1.iter().map(|stretch| stretch.steps).sum();
            // The later of two cuts.
            let cut = random.below(total + 1).max(random.below(total + 1));
            let beginning = prefix(&best.1, cut);
            if let Err(error) = party.repeat(&beginning, None) {
                return Some(found(&beginning, Stretch { walk: 0, steps: 0 }, Err(error)));
            }
            let distance = party.distance;
            let mut reached: Option<(i64, Stretch)> = None;
            let (stretch, ended) = party.stretch(length, &mut |walker, stretch| {
                let score = distance.score(walker);
                if reached.is_none_or(|(best, _)| score > best) {
                    reached = Some((score, stretch));
                }
                true
            });
            match ended {
                Ended::Found(result) => return Some(found(&beginning, stretch, result)),
                Ended::Stopped => return None,
                Ended::After => {}
            }
            waited += 1;
            if let Some((score, stretch)) = reached
                && score >= best.0
            {
                waited = if score > best.0 { 0 } else { waited };
                best = (score, extended(&beginning, stretch));
            }
        }
        length = (2 * length).min(LAST);
    }
}

/// The first steps of a lineage.
fn prefix(lineage: &[Stretch], mut steps: u64) -> Lineage {
    let mut kept = Vec::new();
    for stretch in lineage {
        let part = stretch.steps.min(steps);
        steps -= part;
        if part > 0 {
            kept.push(Stretch { steps: part, ..*stretch });
        }
    }
    kept
}
