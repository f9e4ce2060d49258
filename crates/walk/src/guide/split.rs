//! Importance splitting: walks that come nearer to the goal are continued several times, the others are given up.
//!
//! A generation of walks starts from a few states. Of each walk the state with the best score is kept (least distance,
//! or the greatest level that the user gave, then the most progress towards a deadline, see [`crate::distance`]), the best quarter of these become the states from which the next
//! generation starts. Levels need not be given: each generation's best quarter is the next level (adaptive multilevel
//! splitting, Cérou & Guyader 2007, here to find and not to estimate). When generations stop getting better, the next one starts at
//! the beginning again, with longer walks.

use super::{Ended, Found, Lineage, Party, extended, found};
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
    let mut length = FIRST;
    loop {
        party.walker.restart();
        let score = party.distance.score(party.walker);
        let mut parents = vec![Particle { snapshot: party.walker.snapshot(), lineage: Vec::new(), score }];
        let (mut best, mut waited) = (i64::MIN, 0);
        while waited < PATIENCE {
            let mut children: Vec<Particle> = Vec::with_capacity(GENERATION + KEPT);
            for n in 0..GENERATION {
                let parent = &parents[n % parents.len()];
                party.walker.resume(&parent.snapshot);
                let lineage = parent.lineage.clone();
                let distance = party.distance;
                let mut child: Option<Particle> = None;
                let (stretch, ended) = party.stretch(length, &mut |walker, stretch| {
                    let score = distance.score(walker);
                    if child.as_ref().is_none_or(|child| score > child.score) {
                        let lineage = extended(&lineage, stretch);
                        match &mut child {
                            Some(child) => {
                                walker.snapshot_into(&mut child.snapshot);
                                (child.lineage, child.score) = (lineage, score);
                            }
                            None => child = Some(Particle { snapshot: walker.snapshot(), lineage, score }),
                        }
                    }
                    true
                });
                match ended {
                    Ended::Found(result) => return Some(found(&lineage, stretch, result)),
                    Ended::Stopped => return None,
                    Ended::After => {}
                }
                children.extend(child);
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
