//! An archive of promising states to start from again (after Ecoffet et al.: "Go-Explore", 2019).
//!
//! States are sorted into cells by what seems to matter: the locations of the processes that the goal is about, the
//! distance to it, and the progress of the nearest deadline in 64 parts. The archive keeps one state of each cell, the one reached
//! with the fewest steps. A state is chosen among two at random, the one that was chosen less often, and on ties the nearer one;
//! a walk goes on from it, and every cell it sees that is new, or reached in fewer steps, enters the archive. So nothing that was
//! reached by luck is lost. The archive has a limit of memory; when it is full, new cells replace those chosen most often.

use super::{Ended, Found, Lineage, Party, extended, found};
use crate::walker::{Snapshot, Walker};
use std::collections::HashMap;
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

/// Steps of the first walks; they grow as walks without anything new get more.
const FIRST: u64 = 32;
const LAST: u64 = 1 << 16;

pub fn hunt(party: &mut Party) -> Option<Found> {
    let mut random = semantics::random::Random::of_run(party.settings.seed, u64::MAX);
    party.walker.restart();
    let distance = party.distance;
    let key = |walker: &mut Walker| {
        let mut hasher = DefaultHasher::new();
        distance.relevant().for_each(|process| walker.discrete().locations[process].hash(&mut hasher));
        (distance.nearness(walker), distance.progress(walker) >> 10).hash(&mut hasher);
        hasher.finish()
    };
    let mut keys: HashMap<u64, usize> = HashMap::from([(key(party.walker), 0)]);
    let score = distance.score(party.walker);
    let mut cells = vec![Cell { snapshot: party.walker.snapshot(), lineage: Vec::new(), steps: 0, chosen: 0, score }];
    let size = cells[0].snapshot.bytes().max(1);
    let most = (MEMORY / size).max(16);
    let mut length = FIRST;
    loop {
        let pick = |random: &mut semantics::random::Random| random.index(cells.len());
        let (a, b) = (pick(&mut random), pick(&mut random));
        let better = |n: usize| (std::cmp::Reverse(cells[n].chosen), cells[n].score);
        let from = if better(a) >= better(b) { a } else { b };
        cells[from].chosen += 1;
        party.totals.bytes = party.totals.bytes.max((cells.len() * size) as u64);
        party.walker.resume(&cells[from].snapshot);
        let (lineage, before) = (cells[from].lineage.clone(), cells[from].steps);
        let mut news = 0;
        let (stretch, ended) = party.stretch(length, &mut |walker, stretch| {
            let key = key(walker);
            let steps = before + stretch.steps;
            let known = keys.get(&key).copied();
            if known.is_some_and(|n| cells[n].steps <= steps) {
                return true;
            }
            let score = distance.score(walker);
            let (snapshot, lineage) = (walker.snapshot(), extended(&lineage, stretch));
            let cell = Cell { snapshot, lineage, steps, chosen: 0, score };
            news += u64::from(known.is_none());
            match known {
                Some(n) => cells[n] = Cell { chosen: cells[n].chosen, ..cell },
                None if cells.len() < most => {
                    keys.insert(key, cells.len());
                    cells.push(cell);
                }
                None => {
                    let worn = (0..cells.len()).max_by_key(|n| (cells[*n].chosen, -cells[*n].score)).unwrap_or(0);
                    keys.retain(|_, n| *n != worn);
                    keys.insert(key, worn);
                    cells[worn] = cell;
                }
            }
            true
        });
        match ended {
            Ended::Found(result) => return Some(found(&lineage, stretch, result)),
            Ended::Stopped => return None,
            Ended::After => {}
        }
        length = if news == 0 { (length + length / 8 + 1).min(LAST) } else { FIRST.max(length / 2) };
    }
}
