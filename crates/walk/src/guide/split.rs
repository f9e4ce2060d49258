//! Importance splitting: walks that come nearer to the goal are continued several times, the others are given up.
//!
//! A generation of walks starts from a few states. Of each walk the state with the best score is kept (least distance,
//! or the greatest level that the user gave, then the most progress towards a deadline, see [`crate::distance`]), the best quarter of these become the states from which the next
//! generation starts. Levels need not be given: each generation's best quarter is the next level (adaptive multilevel
//! splitting, Cérou & Guyader 2007, here to find and not to estimate). When generations stop getting better, the next one starts at
//! the beginning again, with longer walks.

use super::{Found, Generation, Lineage, Party, Stretch, Task, extended, found};
use crate::walker::Snapshot;

/// Walks of a generation, and how many of them have descendants.
const GENERATION: usize = 64;
const KEPT: usize = 16;
/// Generations without a better state before it starts anew.
const PATIENCE: u32 = 6;
/// Steps of the first walks; doubled at every new start.
const FIRST: u64 = 1 << 8;
const LAST: u64 = 1 << 14;

struct Particle {
    snapshot: Snapshot,
    lineage: Lineage,
    score: i64,
}

pub fn hunt(party: &mut Party) -> Option<Found> {
    let distance = party.distance;
    let mut length = FIRST;
    loop {
        let mut parents: Vec<Particle> = Vec::new();
        let (mut best, mut waited) = (i64::MIN, 0);
        while waited < PATIENCE {
            let of = |n: usize| parents.get(n % parents.len().max(1));
            let lineage = |n: usize| of(n).map_or(&[][..], |parent| &parent.lineage);
            let snapshot = |n: usize| of(n).map(|parent| &parent.snapshot);
            let tasks: Vec<Task> =
                (0..GENERATION).map(|n| Task { from: snapshot(n), lineage: lineage(n), steps: length }).collect();
            let made = party.generation(&tasks, &|_, walker, stretch, child: &mut Option<(Snapshot, Stretch, i64)>| {
                let score = distance.score(walker);
                match child {
                    Some((_, _, best)) if score <= *best => {}
                    Some((snapshot, at, best)) => {
                        walker.snapshot_into(snapshot);
                        (*at, *best) = (stretch, score);
                    }
                    None => *child = Some((walker.snapshot(), stretch, score)),
                }
            });
            let made = match made {
                Generation::Found(n, stretch, result) => return Some(found(lineage(n), stretch, result)),
                Generation::Stopped => return None,
                Generation::After(made) => made,
            };
            let mut children: Vec<Particle> = Vec::with_capacity(GENERATION + KEPT);
            for (n, (_, child)) in made.into_iter().enumerate() {
                let Some((snapshot, stretch, score)) = child else { continue };
                children.push(Particle { snapshot, lineage: extended(lineage(n), stretch), score });
            }
            let held = children.iter().chain(&parents).map(|particle| particle.snapshot.bytes()).sum::<usize>();
            party.totals.bytes = party.totals.bytes.max(held as u64);
            // Parents compete too: what is better than all children is not lost.
            children.append(&mut parents);
            children.sort_by_key(|particle| std::cmp::Reverse(particle.score));
            children.truncate(KEPT);
            parents = children;
            let now = parents.first().map_or(i64::MIN, |particle| particle.score);
            waited = if now > best { 0 } else { waited + 1 };
            best = best.max(now);
        }
        length = (2 * length).min(LAST);
    }
}
