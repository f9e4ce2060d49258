//! Mutation of a good walk: keep its beginning, draw the rest anew, and keep the new walk if it comes at least as near to
//! the goal (after the corner search of randomised falsification: with delays at the ends of windows a walk is a string of choices).
//!
//! Where the walk is cut is random, more often late than early, and as often within the last 2 steps as within the last 4, 8 and so on. Sixteen mutations are made of the same walk at a time. After many
//! mutations without anything better the search starts with fresh walks. Some states on the way to the best one are kept, the denser the
//! nearer to it and all of the last steps, and a walk is cut at one of them; so a mutation costs the steps it draws anew, and not those of the beginning.

use super::{Found, Generation, Lineage, Party, Stretch, Task, extended, found};
use crate::walker::{Snapshot, Walker};
use search::random::Random;
use std::sync::Arc;

/// Mutations without a better walk before a fresh one.
const PATIENCE: u32 = 400;
/// Mutations that are made together.
const TOGETHER: usize = 16;
/// Steps of a fresh walk at first, and at most.
const FIRST: u64 = 1 << 8;
const LAST: u64 = 1 << 14;
/// A state is kept after so many steps, and those of the last so many steps.
const APART: u64 = 16;
/// A state that is an odd multiple of 2^k `APART`s from the start is kept for so many times 2^k `APART`s.
const KEPT: u64 = 4;

/// The best walk up to its best state.
#[derive(Clone, Default)]
struct Best {
    score: Option<i64>,
    lineage: Lineage,
    steps: u64,
    /// States on the way, the last one first.
    states: Vec<Kept>,
}

#[derive(Clone)]
struct Kept {
    steps: u64,
    snapshot: Arc<Snapshot>,
}

pub fn hunt(party: &mut Party) -> Option<Found> {
    let distance = party.distance;
    let mut random = Random::of_run(party.settings.seed, u64::MAX);
    let mut length = FIRST;
    loop {
        let mut best = Best::default();
        let mut waited = 0;
        while waited < PATIENCE {
            let beginnings: Vec<Best> = (0..TOGETHER).map(|_| best.cut(&mut random)).collect();
            fn task(beginning: &Best, steps: u64) -> Task<'_> {
                Task { from: beginning.state(), lineage: &beginning.lineage, steps }
            }
            let tasks: Vec<Task> = beginnings.iter().map(|beginning| task(beginning, length)).collect();
            let made = party.generation(&tasks, &|_, walker, stretch, best: &mut Option<(i64, Stretch)>| {
                let score = distance.score(walker);
                if best.is_none_or(|(known, _)| score > known) {
                    *best = Some((score, stretch));
                }
            });
            let made = match made {
                Generation::Found(n, stretch, result) => return Some(found(&beginnings[n].lineage, stretch, result)),
                Generation::Stopped => return None,
                Generation::After(made) => made,
            };
            for (mut beginning, (_, reached)) in beginnings.into_iter().zip(made) {
                waited += 1;
                let Some((score, stretch)) = reached else { continue };
                if Some(score) < best.score {
                    continue;
                }
                waited = if Some(score) > best.score { 0 } else { waited };
                // Once more, for the states on the way.
                let from = beginning.states.first().map(|kept| Arc::clone(&kept.snapshot));
                let (before, states) = (beginning.steps, &mut beginning.states);
                let end = before + stretch.steps;
                let again = party.retrace(from.as_deref(), stretch, &mut |walker, made| {
                    keep(states, before + made.steps, end, walker);
                });
                if again.is_err() {
                    // It has gone well once.
                    continue;
                }
                let lineage = extended(&beginning.lineage, stretch);
                best = Best { score: Some(score), lineage, steps: end, states: beginning.states };
            }
            let held = best.states.iter().map(|kept| kept.snapshot.bytes()).sum::<usize>();
            party.totals.bytes = party.totals.bytes.max(held as u64);
        }
        length = if length < LAST { 2 * length } else { FIRST };
    }
}

impl Best {
    /// A beginning of the walk, up to one of the states that are kept.
    fn cut(&self, random: &mut Random) -> Best {
        // The later of two cuts, or one near the end: at any scale alike.
        let cut = match random.below(2) {
            0 => random.below(self.steps + 1).max(random.below(self.steps + 1)),
            _ => {
                let scales = u64::from(u64::BITS - self.steps.leading_zeros());
                let scale = random.below(scales + 1);
                self.steps.saturating_sub(random.below(1 << scale))
            }
        };
        let states: Vec<Kept> = self.states.iter().filter(|kept| kept.steps <= cut).cloned().collect();
        let steps = states.first().map_or(0, |kept| kept.steps);
        Best { score: None, lineage: prefix(&self.lineage, steps), steps, states }
    }

    fn state(&self) -> Option<&Snapshot> {
        self.states.first().map(|kept| &*kept.snapshot)
    }
}

/// Adds the present state of a walk that goes on until `end`, and drops those that have become too dense.
fn keep(states: &mut Vec<Kept>, steps: u64, end: u64, walker: &Walker) {
    let is_last = |steps: u64| end - steps < APART;
    if !steps.is_multiple_of(APART) && !is_last(steps) {
        return;
    }
    let number = |steps: u64| steps / APART;
    let is_dense = |kept: &Kept| {
        !kept.steps.is_multiple_of(APART)
            || number(steps - kept.steps) > KEPT << number(kept.steps).trailing_zeros().min(32)
    };
    states.retain(|kept| is_last(kept.steps) || !is_dense(kept));
    states.insert(0, Kept { steps, snapshot: Arc::new(walker.snapshot()) });
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
