//! When the engines begin that look for a state beside the exhaustive one.
//!
//! A query that is answered soon does not need them, and a thread costs a tenth of a millisecond. Where all cores are busy a new thread has to wait for some
//! milliseconds, so they are made before they are needed.

use crate::turns::Role;
use std::time::{Duration, Instant};

const BEGINNINGS: [(Role, Duration); 6] = [
    (Role::Walk, Duration::from_micros(500)),
    (Role::Greedy, Duration::from_micros(1_500)),
    (Role::Narrow, Duration::from_micros(1_500)),
    (Role::Channels, Duration::from_micros(1_500)),
    (Role::Deep, Duration::from_millis(5)),
    (Role::Split, Duration::from_millis(5)),
];
/// When those that follow a heuristic begin that shows no way.
const POSTPONED: Duration = Duration::from_millis(8);
/// By how much all are earlier in a large network.
const AHEAD: Duration = Duration::from_millis(2);

/// The engines beside the exhaustive one.
pub(crate) struct Others {
    /// Who has not begun, and when that is due; the soonest first.
    due: Vec<(Role, Duration)>,
    running: u32,
    /// What the times of beginnings are counted from.
    started: Instant,
}

impl Others {
    pub fn new(started: Instant, is_large: bool) -> Others {
        let ahead = if is_large { AHEAD } else { Duration::ZERO };
        let started = started.checked_sub(ahead).unwrap_or(started);
        Others { due: BEGINNINGS.to_vec(), running: 0, started }
    }

    /// Starts those that are due; `start` says whether it has.
    pub fn start_due(&mut self, start: &mut dyn FnMut(Role) -> bool) {
        while self.due.first().is_some_and(|(_, at)| self.started.elapsed() >= *at) {
            let (role, _) = self.due.remove(0);
            self.running += u32::from(start(role));
        }
    }

    /// Those that follow a heuristic begin later if they have not begun: it shows no way.
    pub fn postpone_directed(&mut self) {
        for (role, at) in &mut self.due {
            if matches!(role, Role::Greedy | Role::Narrow) {
                *at = POSTPONED.max(*at);
            }
        }
        self.due.sort_by_key(|(_, at)| *at);
    }

    /// One of them has ended.
    pub fn ended(&mut self) {
        self.running -= 1;
    }

    pub fn have_ended(&self) -> bool {
        self.running == 0 && self.due.is_empty()
    }

    /// How long to wait before the next one begins, or for `longest`.
    pub fn pause(&self, longest: Duration) -> Duration {
        self.due.first().map_or(longest, |(_, at)| at.saturating_sub(self.started.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_heuristic_shows_no_way_those_that_follow_it_begin_after_the_others() {
        let mut others = Others::new(Instant::now(), false);
        others.postpone_directed();
        let order: Vec<Role> = others.due.iter().map(|(role, _)| *role).collect();
        assert_eq!(order, [Role::Walk, Role::Channels, Role::Deep, Role::Split, Role::Greedy, Role::Narrow]);
    }

    #[test]
    fn in_a_large_network_some_begin_at_once() {
        let begun = |mut others: Others| {
            let mut begun = Vec::new();
            others.start_due(&mut |role| {
                begun.push(role);
                true
            });
            begun
        };
        let first = [Role::Walk, Role::Greedy, Role::Narrow, Role::Channels];
        assert!(begun(Others::new(Instant::now(), true)).starts_with(&first));
        assert_eq!(begun(Others::new(Instant::now() + Duration::from_secs(3600), false)), []);
    }
}
