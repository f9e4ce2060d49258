//! Whether a search that follows a heuristic is worth its share of the cores.
//!
//! The share of each is 1 at first, and what it takes to set the search up does not count. A greedy search that comes nearer and nearer to the goal is worth
//! more: its time counts by a quarter. One that never comes nearer knows nothing of the goal, and has hardly anything after [`PATIENCE`]; where
//! the first estimate is 1 there is nothing to come nearer to, and it has hardly anything from the start. One that has come nearer may be on a
//! plateau: it has its share for [`LONG_PATIENCE`], or as long again as it took to come there, and hardly anything afterwards. When it
//! comes nearer at last, what it has missed is made up for.
//!
//! An under-approximation is there soon or hardly ever. It begins when it is known whether the greedy search sees anything, and waits for [`BLIND`]
//! if that does not. It has three times its share while it has come nearer by less than half of the transitions (with more it is one more greedy search):
//! until [`SOON_ENOUGH`] if it is nearer than the greedy search, until [`SOON`] if it is as near. Otherwise it has a third until [`SOON`], and a ninth
//! afterwards.
//!
//! These rules are read off the models of the papers (`docs/measurements-strategies.md`): where a greedy search was first, its least
//! estimate fell from the start and most often all the time, and where it was lost it never fell, or soon fell no more.

use search::statistics::Statistics;
use std::cmp::Ordering;
use std::time::Duration;

/// What a greedy search and an under-approximation have before their time counts.
const AT_FIRST: Duration = Duration::from_millis(2);
const AT_ONCE: Duration = Duration::from_millis(1);
const PATIENCE: Duration = Duration::from_millis(12);
const LONG_PATIENCE: Duration = Duration::from_secs(2);
const SOON: Duration = Duration::from_millis(15);
const SOON_ENOUGH: Duration = Duration::from_millis(400);
const BLIND: Duration = Duration::from_millis(10);
/// Before anybody else who has had nothing.
const NEXT: Duration = Duration::from_nanos(1);

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
        if self.prospects.is_none() {
            // So far it was set up.
            self.spent = Duration::ZERO;
        }
        if self.prospects.is_none_or(|before| prospects.least < before.least) {
            self.nearer = self.spent;
        }
        self.prospects = Some(prospects);
    }

    /// Whether its estimates cannot fall before it is there.
    fn is_blind(&self) -> bool {
        self.prospects.is_some_and(|known| known.first <= 1)
    }

    fn came_nearer(&self) -> bool {
        self.prospects.is_some_and(|known| known.least < known.first)
    }

    /// Whether a greedy search has hardly anything any more, or was none.
    pub fn is_given_up(&self) -> bool {
        let vain = self.spent.saturating_sub(self.nearer);
        match self.came_nearer() {
            true => vain > LONG_PATIENCE.max(self.nearer),
            false => self.prospects.is_none() || self.is_blind() || vain > PATIENCE,
        }
    }

    /// How far a greedy search is, in what it would have had if it had its share all the time.
    pub fn greedy_progress(&self) -> Duration {
        let vain = self.spent.saturating_sub(self.nearer);
        if self.is_blind() {
            return self.spent * 15 / 2;
        }
        if !self.came_nearer() {
            return self.spent.saturating_sub(AT_FIRST) * 3 / 2 + vain.saturating_sub(PATIENCE) * 6;
        }
        self.nearer / 4 + vain + vain.saturating_sub(LONG_PATIENCE.max(self.nearer)) * 7
    }

    /// The same for an under-approximation.
    pub fn narrow_progress(&self, greedy: &Account) -> Duration {
        if greedy.prospects.is_none() {
            return self.spent + NEXT;
        }
        if greedy.is_blind() {
            return BLIND + self.spent * 9;
        }
        let least = |account: &Account| account.prospects.map_or(u32::MAX, |known| known.least);
        let is_hopeful = self.came_nearer() && self.prospects.is_some_and(|known| known.narrow);
        let (thirds, enough) = match least(self).cmp(&least(greedy)) {
            Ordering::Less if is_hopeful => (1, SOON_ENOUGH),
            Ordering::Equal if is_hopeful => (1, SOON),
            _ => (9, SOON),
        };
        self.spent.saturating_sub(AT_ONCE) * thirds / 3 + self.spent.saturating_sub(enough) * 6
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
        let blind = Some(Prospects { first: 1, least: 1, narrow: false });
        // Own time when it came as near as it is, own time, prospects: how far it is.
        let cases = [
            (0, 2, None, 0),
            (0, 8, far, 9),
            (0, 32, far, 45 + 20 * 6),
            (0, 4, blind, 30),
            (20, 20, nearer, 5),
            (80, 80, nearer, 20),
            (20, 60, nearer, 5 + 40),
            (20, 2_520, nearer, 5 + 2_500 + 500 * 7),
            (3_000, 7_000, nearer, 750 + 4_000 + 1_000 * 7),
        ];
        for (nearer, spent, prospects, expected) in cases {
            let account = Account { spent: ms(spent), nearer: ms(nearer), prospects };
            assert_eq!(account.greedy_progress(), ms(expected), "{account:?}");
        }
    }

    #[test]
    fn what_is_in_vain_is_given_up() {
        let ms = Duration::from_millis;
        let account = |nearer, spent, first, least| Account {
            spent: ms(spent),
            nearer: ms(nearer),
            prospects: Some(Prospects { first, least, narrow: false }),
        };
        let cases = [
            (Account::default(), true),
            (account(0, 1, 1, 1), true),
            (account(0, 10, 5, 5), false),
            (account(0, 13, 5, 5), true),
            (account(10, 2_000, 5, 4), false),
            (account(10, 2_011, 5, 4), true),
            (account(3_000, 6_000, 5, 4), false),
        ];
        for (account, expected) in cases {
            assert_eq!(account.is_given_up(), expected, "{account:?}");
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
    fn what_it_takes_to_set_a_search_up_does_not_count() {
        let ms = Duration::from_millis;
        let mut account = Account { spent: ms(30), ..Account::default() };
        account.note(Prospects { first: 9, least: 9, narrow: false });
        assert_eq!((account.spent, account.nearer), (Duration::ZERO, Duration::ZERO));
        account.spent = ms(5);
        account.note(Prospects { first: 9, least: 7, narrow: false });
        assert_eq!((account.spent, account.nearer), (ms(5), ms(5)));
    }

    #[test]
    fn an_under_approximation_has_more_when_it_comes_nearer_by_few_transitions() {
        let (us, ms) = (Duration::from_micros, Duration::from_millis);
        let account = |first, least, narrow| Account {
            spent: ms(31),
            prospects: Some(Prospects { first, least, narrow }),
            ..Account::default()
        };
        let (far, near) = (account(5, 5, false), account(5, 4, false));
        let unknown = Account::default();
        let cases = [
            (account(5, 4, true), far, ms(10)),
            (account(5, 4, true), near, ms(10 + 16 * 6)),
            (account(5, 4, false), far, ms(90 + 16 * 6)),
            (account(5, 5, true), far, ms(90 + 16 * 6)),
            (account(5, 5, true), near, ms(90 + 16 * 6)),
            (account(1, 1, true), account(1, 1, false), ms(10 + 31 * 9)),
            (unknown, unknown, us(0) + NEXT),
            (unknown, account(1, 1, false), ms(10)),
            (unknown, far, ms(0)),
        ];
        for (narrow, greedy, expected) in cases {
            assert_eq!(narrow.narrow_progress(&greedy), expected, "{narrow:?} {greedy:?}");
        }
    }
}
