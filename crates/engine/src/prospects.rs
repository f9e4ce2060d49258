//! Whether a search that follows a heuristic is worth its share of the cores.
//!
//! A greedy search that comes nearer and nearer to the goal is worth more than its share: its time counts by half. One that never comes
//! nearer knows nothing of the goal, and has hardly anything after [`PATIENCE`]. One that has come nearer may be on a plateau: it has its
//! share for [`LONG_PATIENCE`], or as long again as it took to come there, and hardly anything afterwards. When it comes nearer at last, what it has missed is made up
//! for. An under-approximation is hopeful if it has come nearer than the greedy search, by less than half of the transitions; with more
//! it is one more greedy search.
//!
//! These rules are read off the models of the papers (`docs/measurements-strategies.md`): where a greedy search was first, its least
//! estimate fell from the start and most often all the time, and where it was lost it never fell, or soon fell no more.

use search::statistics::Statistics;
use std::time::Duration;

/// What a greedy search has before its time counts.
const AT_FIRST: Duration = Duration::from_millis(3);
const PATIENCE: Duration = Duration::from_millis(12);
const LONG_PATIENCE: Duration = Duration::from_secs(2);

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

    /// How far a greedy search is, in what it would have had if it had its share all the time.
    pub fn greedy_progress(&self) -> Duration {
        let vain = self.spent.saturating_sub(self.nearer);
        if !self.came_nearer() {
            return self.spent.saturating_sub(AT_FIRST) * 3 / 2 + vain.saturating_sub(PATIENCE) * 6;
        }
        self.nearer / 2 + vain + vain.saturating_sub(LONG_PATIENCE.max(self.nearer)) * 7
    }

    /// Whether an under-approximation comes nearer than the greedy search, by few transitions.
    pub fn is_ahead_of(&self, greedy: &Account) -> bool {
        let least = |account: &Account| account.prospects.map_or(u32::MAX, |known| known.least);
        self.came_nearer() && self.prospects.is_some_and(|known| known.narrow) && least(self) < least(greedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_nearer_counts_less_and_what_is_in_vain_more() {
        let ms = Duration::from_millis;
        let nearer = Some(Prospects { first: 5, least: 4, narrow: false });
        let far = Some(Prospects { first: 5, least: 5, narrow: false });
        // Own time when it came as near as it is, own time, prospects: how far it is.
        let cases = [
            (0, 3, None, 0),
            (0, 9, far, 9),
            (0, 33, far, 45 + 21 * 6),
            (20, 20, nearer, 10),
            (80, 80, nearer, 40),
            (20, 60, nearer, 10 + 40),
            (20, 2_520, nearer, 10 + 2_500 + 500 * 7),
            (3_000, 7_000, nearer, 1_500 + 4_000 + 1_000 * 7),
        ];
        for (nearer, spent, prospects, expected) in cases {
            let account = Account { spent: ms(spent), nearer: ms(nearer), prospects };
            assert_eq!(account.greedy_progress(), ms(expected), "{account:?}");
        }
    }

    #[test]
    fn what_comes_nearer_late_is_made_up_for() {
        let ms = Duration::from_millis;
        let mut account = Account { spent: ms(5), ..Account::default() };
        account.note(Prospects { first: 9, least: 9, narrow: false });
        account.spent = ms(100);
        account.note(Prospects { first: 9, least: 9, narrow: false });
        let before = account.greedy_progress();
        account.note(Prospects { first: 9, least: 8, narrow: false });
        assert!(account.greedy_progress() < before / 8);
    }

    #[test]
    fn an_under_approximation_is_ahead_when_it_comes_nearer_by_few_transitions() {
        let account = |first, least, narrow| Account {
            prospects: Some(Prospects { first, least, narrow }),
            ..Account::default()
        };
        let cases = [
            (account(5, 4, true), account(5, 5, false), true),
            (account(5, 5, true), account(5, 5, false), false),
            (account(5, 4, false), account(5, 5, false), false),
            (account(5, 4, true), account(5, 4, false), false),
            (account(5, 4, true), Account::default(), true),
            (Account::default(), account(5, 5, false), false),
        ];
        for (narrow, greedy, expected) in cases {
            assert_eq!(narrow.is_ahead_of(&greedy), expected, "{narrow:?} {greedy:?}");
        }
    }
}
