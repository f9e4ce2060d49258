//! Whether a search that follows a heuristic is worth its share of the cores.
//!
//! - A greedy search that never comes nearer to the goal knows nothing of it: it is hopeful for [`PATIENCE`]. One that has come nearer
//!   may be on a plateau for long and is hopeful for [`LONG_PATIENCE`], or as long again as it took to come as near as it is. When it
//!   comes nearer at last, what it has missed is made up for. While it comes nearer during the first [`HEAD_START`], its time counts half.
//! - An under-approximation is hopeful if it has come nearer by less than half of the transitions; with more it is one more greedy
//!   search.
//!
//! These rules are read off the models of the papers (`docs/measurements-strategies.md`): where a greedy search was first, its least
//! estimate fell from the start, and where it was lost it most often never fell.

use search::statistics::Statistics;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_millis(20);
const LONG_PATIENCE: Duration = Duration::from_secs(2);
const HEAD_START: Duration = Duration::from_millis(50);

/// What a search that follows a heuristic says about itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prospects {
    /// The estimate at the start, and the least so far.
    pub first: u32,
    pub least: u32,
    /// Most of the transitions are not permitted.
    pub narrow: bool,
}

impl Prospects {
    /// `None` if it follows none, or has not begun.
    pub fn of(statistics: &Statistics) -> Option<Prospects> {
        let (first, least) = statistics.estimates?;
        Some(Prospects { first, least, narrow: statistics.allowed * 2 < statistics.transitions })
    }
}

/// What the threads of a role have had, and what came of it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Account {
    pub spent: Duration,
    pub prospects: Option<Prospects>,
    /// What was spent when it came as near to the goal as it is.
    pub nearer: Duration,
}

impl Account {
    /// Takes in what the search says after what it has spent.
    pub fn note(&mut self, prospects: Prospects) {
        if self.prospects.is_none_or(|before| prospects.least < before.least) {
            self.nearer = self.spent;
        }
        self.prospects = Some(prospects);
    }

    fn came_nearer(&self) -> bool {
        self.prospects.is_some_and(|known| known.least < known.first)
    }

    /// What is not counted of the time of a greedy search.
    pub fn head_start(&self) -> Duration {
        if self.came_nearer() { self.nearer.min(HEAD_START) / 2 } else { Duration::ZERO }
    }

    /// What a greedy search has spent beyond its patience without coming nearer.
    pub fn too_long(&self) -> Duration {
        let patience = if self.came_nearer() { LONG_PATIENCE.max(self.nearer) } else { PATIENCE };
        self.spent.saturating_sub(self.nearer).saturating_sub(patience)
    }

    /// Whether an under-approximation comes nearer by few transitions.
    pub fn is_narrowing(&self) -> bool {
        self.came_nearer() && self.prospects.is_some_and(|known| known.narrow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_longer_with_what_came_nearer() {
        let ms = Duration::from_millis;
        let prospects = |first, least, narrow| Some(Prospects { first, least, narrow });
        // Own time when it came nearer, own time, prospects of the greedy search: what it is beyond its patience.
        let cases = [
            (0, 10, None, 0),
            (0, 50, prospects(5, 5, false), 30),
            (10, 1_000, prospects(5, 4, false), 0),
            (10, 2_500, prospects(5, 4, false), 490),
            (9_000, 17_000, prospects(5, 4, false), 0),
        ];
        for (nearer, spent, prospects, expected) in cases {
            let account = Account { spent: ms(spent), nearer: ms(nearer), prospects };
            assert_eq!(account.too_long(), ms(expected), "{account:?}");
        }
    }

    #[test]
    fn what_comes_nearer_late_is_made_up_for() {
        let ms = Duration::from_millis;
        let mut account = Account { spent: ms(5), ..Account::default() };
        account.note(Prospects { first: 9, least: 9, narrow: false });
        account.spent = ms(100);
        account.note(Prospects { first: 9, least: 9, narrow: false });
        assert_eq!(account.too_long(), ms(75));
        account.note(Prospects { first: 9, least: 8, narrow: false });
        assert_eq!(account.too_long(), ms(0));
    }
}
