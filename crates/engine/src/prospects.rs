//! Whether a search is worth its share of the cores.
//!
//! A proof whose waiting states are at most half of those it has explored may soon be done: its first [`PROOF`] do not count. One that grows is far
//! from its end: it has [`GROWING`], and what it has after that counts twice until it has had as much as the other.
//!
//! The share of a search that follows a heuristic is 1 at first, and what it takes to set it up does not count. A greedy search goes before all others
//! until it has had [`AT_FIRST`], and as long as it comes nearer and nearer to the goal up to [`EARLY`]; after that its time counts by a quarter
//! while it comes nearer. What a [`Probe`] has done for it is what it has at first. One that never comes nearer knows nothing of the goal, and has hardly anything after [`PATIENCE`]; where
//! the first estimate is 1 there is nothing to come nearer to: it begins after [`LATER`], and has hardly anything. One that has come nearer may be on a
//! plateau: before [`EARLY`] it has a quarter of its share from four times what it took to come there on (or at once, if nothing is expected to be found), then its share for 16 times what it took to come there, half of it up to
//! [`LONG_PATIENCE`], and hardly anything afterwards. When it comes nearer at last, what it has missed is made up for.
//!
//! An under-approximation is there soon or hardly ever. Where there are many transitions and the greedy search has come nearer it goes before all others
//! until it has had [`NARROW_PATIENCE`], and up to [`EARLY`] as long as it comes nearer, now and then, by less than half of the transitions (with more it is one
//! more greedy search). Otherwise it begins after [`LATER`]. One that has come nearer by few transitions has eight times its share until [`SOON_ENOUGH`] if it is
//! nearer than the greedy search, three times until [`SOON`] if it is not. The others have a third until [`SOON`], or [`PATIENCE`] if the greedy search
//! has come nearer, and a ninth afterwards.
//!
//! These rules are read off the models of the papers (`docs/measurements-strategies.md`): where a greedy search was first, its least
//! estimate fell from the start and most often all the time, and where it was lost it never fell, or soon fell no more. Where
//! something was to be reached and the exhaustive search was first after more than a few milliseconds, it had at most 0.4 states
//! waiting for each explored. Where others were first most have more, but not all from the start (goss-4).

use search::statistics::Statistics;
use std::time::{Duration, Instant};

/// What a proof has before its time counts, if it may soon be done and if it grows.
const PROOF: Duration = Duration::from_millis(16);
const GROWING: Duration = Duration::from_millis(4);
/// What a greedy search has before its time counts.
const AT_FIRST: Duration = Duration::from_millis(1);
const PATIENCE: Duration = Duration::from_millis(4);
const NARROW_PATIENCE: Duration = Duration::from_millis(2);
const LONG_PATIENCE: Duration = Duration::from_secs(2);
/// Before that, time on a long plateau counts four times: those who are there soon have their chance then.
const EARLY: Duration = Duration::from_millis(25);
/// A search that takes longer to be set up is not before all others any more.
const SET_UP: Duration = Duration::from_millis(5);
const SOON: Duration = Duration::from_millis(10);
const SOON_ENOUGH: Duration = Duration::from_millis(400);
/// When it begins, if not sooner.
const LATER: Duration = Duration::from_millis(10);

/// What a search says about itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct News {
    /// More states wait than half of those explored: the end is far.
    pub grows: bool,
    /// `None` if it follows no heuristic, or has not begun.
    pub prospects: Option<Prospects>,
}

impl News {
    pub fn of(statistics: &Statistics) -> News {
        News { grows: statistics.waiting * 2 > statistics.explored, prospects: Prospects::of(statistics) }
    }
}

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
    fn of(statistics: &Statistics) -> Option<Prospects> {
        let (first, least) = statistics.estimates?;
        Some(Prospects { first, least, narrow: statistics.allowed * 2 < statistics.transitions })
    }
}

/// What the threads of a role have had, and what came of it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Account {
    pub spent: Duration,
    pub grows: bool,
    pub prospects: Option<Prospects>,
    /// What was spent when it came as near to the goal as it is.
    pub nearer: Duration,
}

impl Account {
    /// Takes in what the search says after what it has spent.
    pub fn note(&mut self, news: News) {
        self.grows = news.grows;
        let Some(prospects) = news.prospects else { return };
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
    pub fn is_blind(&self) -> bool {
        self.prospects.is_some_and(|known| known.first <= 1)
    }

    pub fn came_nearer(&self) -> bool {
        self.prospects.is_some_and(|known| known.least < known.first)
    }

    /// Whether it came near at first, if at all, and not for long.
    pub fn is_stuck(&self) -> bool {
        self.prospects.is_some() && !self.is_blind() && self.spent > self.nearer * 4
    }

    /// How long it may be on a plateau. Where the estimate is 0 all that is missing is the right time, of which it knows nothing.
    fn patience(&self) -> Duration {
        match self.prospects {
            Some(Prospects { least: 0, .. }) => PATIENCE,
            _ => (self.nearer.max(AT_FIRST) * 16).min(LONG_PATIENCE).max(self.nearer),
        }
    }

    /// Whether a greedy search is being set up, has just begun, or comes nearer all the time and has not had much: then it may be there soon.
    pub fn is_promising(&self) -> bool {
        match self.prospects {
            None => self.spent < SET_UP,
            Some(_) if self.is_blind() => false,
            Some(_) if self.came_nearer() => self.spent < EARLY && self.spent < self.nearer + AT_FIRST,
            Some(_) => self.spent < AT_FIRST,
        }
    }

    /// The same for an under-approximation.
    pub fn is_narrow_promising(&self, greedy: &Account) -> bool {
        let hopes = match self.prospects {
            None => greedy.came_nearer() && !greedy.is_blind(),
            Some(known) => known.narrow && self.spent < self.nearer * 2 + NARROW_PATIENCE,
        };
        hopes && self.spent < EARLY
    }

    /// Of a greedy search that begins anew after a probe in vain: it has had what it has at first.
    pub fn after_probe(self) -> Account {
        Account { spent: self.spent.max(self.nearer + AT_FIRST), ..self }
    }

    /// How far a proof is, in what it would have had if it had its share all the time.
    pub fn proof_progress(&self) -> Duration {
        match self.grows {
            true => self.spent.saturating_sub(GROWING) + self.spent.min(PROOF).saturating_sub(GROWING),
            false => self.spent.saturating_sub(PROOF),
        }
    }

    /// How far a greedy search is, in what it would have had if it had its share all the time; `expects_proof`: most likely there is nothing to come nearer to.
    pub fn greedy_progress(&self, expects_proof: bool) -> Duration {
        let vain = self.spent.saturating_sub(self.nearer);
        if self.prospects.is_none() {
            return self.spent.saturating_sub(SET_UP) * 3 / 2;
        }
        if self.is_blind() {
            return LATER + self.spent * 15 / 2;
        }
        if !self.came_nearer() {
            return self.spent.saturating_sub(AT_FIRST) * 3 / 2 + vain.saturating_sub(PATIENCE) * 6;
        }
        let plateau = self.nearer * if expects_proof { 1 } else { 4 };
        let early = self.spent.min(EARLY).saturating_sub(plateau.max(AT_FIRST));
        let beyond = vain.saturating_sub(self.patience());
        let far_beyond = vain.saturating_sub(LONG_PATIENCE.max(self.nearer));
        (self.nearer / 4 + vain).saturating_sub(AT_FIRST) + early * 3 + beyond + far_beyond * 6
    }

    /// The same for an under-approximation.
    pub fn narrow_progress(&self, greedy: &Account) -> Duration {
        if greedy.prospects.is_none() || greedy.is_blind() {
            return LATER + self.spent * 9;
        }
        if self.prospects.is_none() {
            let set_up = self.spent.saturating_sub(SET_UP) * 3;
            return set_up + LATER;
        }
        let least = |account: &Account| account.prospects.map_or(u32::MAX, |known| known.least);
        let is_hopeful = self.came_nearer() && self.prospects.is_some_and(|known| known.narrow);
        let (counted, enough) = match is_hopeful {
            true if least(self) < least(greedy) => (self.spent / 8, SOON_ENOUGH),
            true => (self.spent / 3, SOON),
            false if greedy.came_nearer() => (self.spent * 3, PATIENCE),
            false => (self.spent * 3, SOON),
        };
        counted + self.spent.saturating_sub(enough) * 6
    }
}

/// How far a probe goes, in states.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// What it explores in all.
    pub most: u64,
    /// What it explores without coming nearer, beside twice what it took to come so near.
    pub vain: u64,
}

/// A short greedy search that goes on as long as it comes nearer, whatever time that takes: it ends at the same state on every machine.
#[derive(Debug)]
pub struct Probe {
    pub account: Account,
    reach: Reach,
    /// When it began to explore.
    begun: Option<Instant>,
    /// What was explored when it came as near as it is, and how near.
    nearest: (u64, u32),
}

impl Probe {
    pub fn of(reach: Reach) -> Probe {
        Probe { account: Account::default(), reach, begun: None, nearest: (0, 0) }
    }

    pub fn goes_on(&mut self, statistics: &Statistics) -> bool {
        let news = News::of(statistics);
        let Some(prospects) = news.prospects else { return true };
        if self.begun.is_none() || prospects.least < self.nearest.1 {
            self.nearest = (statistics.explored, prospects.least);
        }
        self.account.spent = self.begun.get_or_insert_with(Instant::now).elapsed();
        self.account.note(news);
        let most = self.reach.most.min(self.nearest.0 * 2 + self.reach.vain);
        !self.account.is_blind() && statistics.explored < most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(first: u32, least: u32) -> News {
        News { grows: false, prospects: Some(Prospects { first, least, narrow: false }) }
    }

    #[test]
    fn a_proof_that_grows_has_less_at_first() {
        let ms = Duration::from_millis;
        let cases = [(4, true, 0), (5, true, 2), (16, true, 24), (20, true, 28), (16, false, 0), (20, false, 4)];
        for (spent, grows, expected) in cases {
            let account = Account { spent: ms(spent), grows, ..Account::default() };
            assert_eq!(account.proof_progress(), ms(expected), "{account:?}");
        }
    }

    #[test]
    fn a_search_grows_while_more_states_wait_than_half_of_those_explored() {
        let grows = |waiting, explored| News::of(&Statistics { waiting, explored, ..Statistics::default() }).grows;
        assert_eq!((grows(10, 19), grows(10, 20)), (true, false));
    }

    #[test]
    fn a_probe_ends_when_it_comes_no_nearer() {
        /// What is explored until it ends, if the estimate falls by one whenever `every` states were explored.
        fn explored(first: u32, every: u64) -> u64 {
            let mut probe = Probe::of(Reach { most: 1_000, vain: 16 });
            let estimates = |explored: u64| Some((first, first.saturating_sub((explored / every) as u32)));
            let statistics =
                |explored| Statistics { explored, estimates: estimates(explored), ..Statistics::default() };
            (1..).find(|explored| !probe.goes_on(&statistics(*explored))).unwrap_or_default()
        }
        // First estimate, explored from one estimate to the next: what is explored.
        let cases = [(1, 5, 1), (9, 100, 2 + 16), (9, 10, 90 * 2 + 16), (9, 20, 2 + 16), (2_000, 10, 1_000)];
        for (first, every, expected) in cases {
            assert_eq!(explored(first, every), expected, "{first} {every}");
        }
    }

    #[test]
    fn what_comes_nearer_counts_less_and_what_is_in_vain_more() {
        let ms = Duration::from_millis;
        let nearer = Some(Prospects { first: 5, least: 4, narrow: false });
        let far = Some(Prospects { first: 5, least: 5, narrow: false });
        let blind = Some(Prospects { first: 1, least: 1, narrow: false });
        let there = Some(Prospects { first: 5, least: 0, narrow: false });
        // Own time when it came as near as it is, own time, prospects: how far it is.
        let cases = [
            (0, 5, None, 0),
            (0, 15, None, 15),
            (0, 1, far, 0),
            (0, 3, far, 3),
            (0, 33, far, 48 + 29 * 6),
            (0, 4, blind, 10 + 30),
            (4, 4, nearer, 0),
            (20, 20, nearer, 5 - 1),
            (80, 80, nearer, 20 - 1),
            (4, 9, nearer, 1 + 5 - 1),
            (4, 20, nearer, 1 + 16 - 1 + 4 * 3),
            (20, 60, nearer, 5 + 40 - 1),
            (40, 60, nearer, 10 + 20 - 1),
            (20, 420, nearer, 5 + 400 - 1 + 80),
            (20, 2_520, nearer, 5 + 2_500 - 1 + 2_180 + 500 * 6),
            (3_000, 7_000, nearer, 750 + 4_000 - 1 + 1_000 * 7),
            (40, 60, there, 10 + 20 - 1 + 16),
        ];
        let account = Account { spent: ms(9), nearer: ms(4), prospects: nearer, grows: true };
        assert_eq!(account.greedy_progress(true), ms(1 + 5 - 1 + 5 * 3), "a proof is expected");
        for (nearer, spent, prospects, expected) in cases {
            let account = Account { spent: ms(spent), nearer: ms(nearer), prospects, grows: true };
            assert_eq!(account.greedy_progress(false), ms(expected), "{account:?}");
        }
    }

    #[test]
    fn what_may_be_there_soon_goes_first() {
        let ms = Duration::from_millis;
        let account = |nearer, spent, prospects: Option<(u32, u32, bool)>| Account {
            spent: ms(spent),
            nearer: ms(nearer),
            prospects: prospects.map(|(first, least, narrow)| Prospects { first, least, narrow }),
            ..Account::default()
        };
        let greedy = [
            (account(0, 4, None), true),
            (account(0, 5, None), false),
            (account(0, 0, Some((5, 5, false))), true),
            (account(0, 1, Some((5, 5, false))), false),
            (account(0, 0, Some((1, 1, false))), false),
            (account(10, 10, Some((5, 3, false))), true),
            (account(10, 11, Some((5, 3, false))), false),
            (account(25, 25, Some((5, 3, false))), false),
        ];
        for (account, expected) in greedy {
            assert_eq!(account.is_promising(), expected, "{account:?}");
            assert!(account.prospects.is_none() || !account.after_probe().is_promising(), "{account:?}");
        }
        let (far, near) = (account(0, 3, Some((5, 5, false))), account(1, 3, Some((5, 4, false))));
        let narrow = [
            (account(0, 0, None), far, false),
            (account(0, 0, None), near, true),
            (account(8, 17, Some((5, 4, true))), far, true),
            (account(8, 18, Some((5, 4, true))), far, false),
            (account(8, 17, Some((5, 4, false))), far, false),
            (account(0, 1, Some((5, 5, true))), near, true),
            (account(0, 2, Some((5, 5, true))), near, false),
            (account(20, 25, Some((5, 4, true))), near, false),
        ];
        for (account, greedy, expected) in narrow {
            assert_eq!(account.is_narrow_promising(&greedy), expected, "{account:?} {greedy:?}");
        }
    }

    #[test]
    fn what_comes_nearer_late_is_made_up_for() {
        let ms = Duration::from_millis;
        let mut account = Account { spent: ms(5), ..Account::default() };
        account.note(news(9, 9));
        account.spent = ms(100);
        account.note(news(9, 9));
        let before = account.greedy_progress(false);
        account.note(news(9, 8));
        assert!(account.greedy_progress(false) < before / 8);
    }

    #[test]
    fn what_it_takes_to_set_a_search_up_does_not_count() {
        let ms = Duration::from_millis;
        let mut account = Account { spent: ms(30), ..Account::default() };
        account.note(news(9, 9));
        assert_eq!((account.spent, account.nearer), (Duration::ZERO, Duration::ZERO));
        account.spent = ms(5);
        account.note(news(9, 7));
        assert_eq!((account.spent, account.nearer), (ms(5), ms(5)));
    }

    #[test]
    fn an_under_approximation_has_more_when_it_comes_nearer_by_few_transitions() {
        let ms = Duration::from_millis;
        let account = |first, least, narrow| Account {
            spent: ms(30),
            prospects: Some(Prospects { first, least, narrow }),
            ..Account::default()
        };
        let set_up = |spent| Account { spent: ms(spent), ..Account::default() };
        let (far, near, blind) = (account(5, 5, false), account(5, 4, false), account(1, 1, false));
        let cases = [
            (account(5, 4, true), far, ms(30) / 8),
            (account(5, 3, true), near, ms(30) / 8),
            (account(5, 4, true), near, ms(10 + 20 * 6)),
            (account(5, 4, false), far, ms(90 + 20 * 6)),
            (account(5, 5, true), far, ms(90 + 20 * 6)),
            (account(5, 5, true), near, ms(90 + 26 * 6)),
            (account(1, 1, true), blind, ms(10 + 30 * 9)),
            // Before it begins, and while it is set up.
            (set_up(0), set_up(1), ms(10)),
            (set_up(0), blind, ms(10)),
            (set_up(0), far, ms(10)),
            (set_up(4), near, LATER),
            (set_up(7), near, ms(6) + LATER),
        ];
        for (narrow, greedy, expected) in cases {
            assert_eq!(narrow.narrow_progress(&greedy), expected, "{narrow:?} {greedy:?}");
        }
    }
}
