//! An archive of promising states to start from again (after Ecoffet et al.: "Go-Explore", 2019).
//!
//! States are sorted into cells by what seems to matter: the locations of the processes that the goal is about, the
//! distance to it, and the progress of the nearest deadline in 64 parts. The archive keeps one state of each cell, the one reached
//! with the fewest steps. A state is chosen among two at random, the one that was chosen less often, and on ties the nearer one;
//! a walk goes on from it, and every cell it sees that is new, or reached in fewer steps, enters the archive. So nothing that was
//! reached by luck is lost. The archive has a limit of memory; when it is full, new cells replace those chosen most often.
//!
//! Sixteen states are chosen at a time, and what their walks have seen enters the archive when all of them have ended.

use super::{Found, Generation, Lineage, Party, Stretch, Task, extended, found};
use crate::walker::{Snapshot, Walker};
use search::random::Random;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

struct Cell {
    snapshot: Snapshot,
    lineage: Lineage,
    steps: u64,
    chosen: u64,
    score: i64,
}

/// Bytes of all states in the archive.
const MEMORY: usize = 32 << 20;

/// Walks that are made together.
const TOGETHER: usize = 16;

/// Steps of the first walks; they grow as walks without anything new get more.
const FIRST: u64 = 32;
const LAST: u64 = 1 << 16;

/// What a walk saw: each cell once, reached in fewer steps than the archive knows.
#[derive(Default)]
struct Seen {
    keys: HashSet<u64>,
    cells: Vec<(u64, Snapshot, Stretch, i64)>,
}

struct Archive {
    cells: Vec<Cell>,
    keys: HashMap<u64, usize>,
    /// How many cells there may be.
    most: usize,
}

impl Archive {
    /// Whether a cell is new or reached in fewer steps.
    fn wants(&self, key: u64, steps: u64) -> bool {
        self.keys.get(&key).is_none_or(|n| steps < self.cells[*n].steps)
    }

    /// Takes a cell; says whether it is new.
    fn take(&mut self, key: u64, cell: Cell) -> bool {
        match self.keys.get(&key) {
            Some(n) => {
                let chosen = self.cells[*n].chosen;
                self.cells[*n] = Cell { chosen, ..cell };
                return false;
            }
            None if self.cells.len() < self.most => {
                self.keys.insert(key, self.cells.len());
                self.cells.push(cell);
            }
            None => {
                let worn = |n: &usize| (self.cells[*n].chosen, -self.cells[*n].score);
                let worn = (0..self.cells.len()).max_by_key(worn).unwrap_or(0);
                self.keys.retain(|_, n| *n != worn);
                self.keys.insert(key, worn);
                self.cells[worn] = cell;
            }
        }
        true
    }

    /// Chooses a cell to go on from.
    fn choose(&mut self, random: &mut Random) -> usize {
        let (a, b) = (random.index(self.cells.len()), random.index(self.cells.len()));
        let better = |n: usize| (std::cmp::Reverse(self.cells[n].chosen), self.cells[n].score);
        let chosen = if better(a) >= better(b) { a } else { b };
        self.cells[chosen].chosen += 1;
        chosen
    }
}

pub fn hunt(party: &mut Party) -> Option<Found> {
    let mut random = Random::of_run(party.settings.seed, u64::MAX);
    let distance = party.distance;
    let key = |walker: &mut Walker| {
        let mut hasher = DefaultHasher::new();
        distance.relevant().for_each(|process| walker.discrete().locations[process].hash(&mut hasher));
        (distance.nearness(walker), distance.progress(walker) >> 10).hash(&mut hasher);
        hasher.finish()
    };
    let (walker, _) = party.leader();
    walker.restart();
    let (first, score) = (key(walker), distance.score(walker));
    let start = Cell { snapshot: walker.snapshot(), lineage: Vec::new(), steps: 0, chosen: 0, score };
    let size = start.snapshot.bytes().max(1);
    let most = (MEMORY / size).max(TOGETHER);
    let mut archive = Archive { cells: vec![start], keys: HashMap::from([(first, 0)]), most };
    let mut length = FIRST;
    loop {
        let chosen: Vec<usize> = (0..TOGETHER).map(|_| archive.choose(&mut random)).collect();
        let from = |n: usize| &archive.cells[chosen[n]];
        let tasks: Vec<Task> = (0..TOGETHER)
            .map(|n| Task { from: Some(&from(n).snapshot), lineage: &from(n).lineage, steps: length })
            .collect();
        let room = (archive.most / TOGETHER).max(1);
        let made = party.generation(&tasks, &|n, walker, stretch, seen: &mut Seen| {
            let key = key(walker);
            let steps = from(n).steps + stretch.steps;
            if seen.cells.len() < room && archive.wants(key, steps) && seen.keys.insert(key) {
                seen.cells.push((key, walker.snapshot(), stretch, distance.score(walker)));
            }
        });
        let made = match made {
            Generation::Found(n, stretch, result) => return Some(found(&from(n).lineage, stretch, result)),
            Generation::Stopped => return None,
            Generation::After(made) => made,
        };
        let origins: Vec<(Lineage, u64)> = (0..TOGETHER).map(|n| (from(n).lineage.clone(), from(n).steps)).collect();
        for ((lineage, before), (_, seen)) in origins.iter().zip(made) {
            let mut news = false;
            for (key, snapshot, stretch, score) in seen.cells {
                let steps = before + stretch.steps;
                if archive.wants(key, steps) {
                    let lineage = extended(lineage, stretch);
                    news |= archive.take(key, Cell { snapshot, lineage, steps, chosen: 0, score });
                }
            }
            length = if news { FIRST.max(length / 2) } else { (length + length / 8 + 1).min(LAST) };
        }
        party.totals.bytes = party.totals.bytes.max((archive.cells.len() * size) as u64);
    }
}
