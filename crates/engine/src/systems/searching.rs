//! Searches of pairs and of single systems: how they are made, what they may use, and how they end.

use super::Question;
use crate::options::Options;
use crate::reachability::{INTERRUPTED, out_of_budget};
use crate::searches::OrderOf;
use crate::searches::orders::{Loop, Order, SMALL};
use crate::searches::strategies::{self, Comparison, Of, Own, Setting};
use refine::error::Open;
use search::budget::{Limits, Reason};
use search::goal::Goal;
use search::per_state::StateId;
use search::search::{Search, Stop};
use search::statistics::Statistics;
use search::strategy::Strategy;
use search::system::{Covering, Levelled};

/// How a search ended.
pub(super) enum Ended {
    Found(StateId),
    /// Everything was looked at.
    Nowhere,
    /// It is not known, for this reason.
    Unknown(String),
    Open(Open),
}

/// Whether the options ask for states that are compared for equality, which needs an abstraction
/// that is finite by itself.
pub(super) fn by_equality(own: Option<&Own>, options: &Options) -> bool {
    own.is_some() && options.strategies.comparison == Comparison::Equality
}

impl<'o> Question<'_, 'o, '_> {
    /// What one search may use.
    pub(super) fn search_limits(&self) -> Limits {
        let options = self.asked.options;
        let mut limits = Limits { explored: options.strategies.states, ..self.watch.limits(options) };
        limits.bytes = limits.bytes.map(|bytes| bytes.saturating_sub(self.held));
        limits
    }

    /// What a strategy with a loop of its own is made with.
    pub(super) fn setting(&self) -> Setting<'o> {
        Setting { options: self.asked.options, limits: self.search_limits(), cancel: self.watch.cancel() }
    }

    /// An order of the one loop, as it is for timed I/O systems.
    pub(super) fn order(&self, order: OrderOf) -> Order {
        let seed = self.asked.options.seed;
        order(&Loop { explores_all: false, small: SMALL, is_long: None, seed })
    }

    /// The one loop.
    pub(super) fn by_order<'a, T, G>(&self, system: &'a T, goal: G, order: OrderOf, limits: Limits) -> Of<'a, T>
    where
        T: Covering<State: Clone, Error = Open> + Levelled,
        G: Goal<T> + 'a,
    {
        let Order { frontier, levels, restarts, .. } = self.order(order);
        let search = Search::with_heuristic(system, goal, frontier, levels).limited(limits, self.watch.cancel());
        Box::new(match restarts {
            Some(restarts) => search.restarting(restarts),
            None => search,
        })
    }

    /// Steps until the search stops; `None` if `pauses` says so before. Then it can go on.
    pub(super) fn run<S: Strategy<Error = Open> + ?Sized>(
        &mut self,
        search: &mut S,
        own: Option<&Own>,
        pauses: &mut dyn FnMut(&Statistics) -> bool,
    ) -> Option<Ended> {
        let stop = loop {
            if let Some(stop) = search.step() {
                break stop;
            }
            let statistics = search.statistics();
            self.watch.tick(&|| Statistics { peak_bytes: self.held + statistics.peak_bytes, ..statistics });
            if pauses(&statistics) {
                return None;
            }
        };
        let options = self.asked.options;
        Some(match stop {
            Stop::Found(id) => Ended::Found(id),
            Stop::Exhausted { proof: true } => Ended::Nowhere,
            Stop::Exhausted { proof: false } => Ended::Unknown(strategies::nothing(own, options, &search.statistics())),
            Stop::OutOfBudget(Reason::Explored) if own.is_some_and(|own| own.simulates) => {
                Ended::Unknown(strategies::nothing(own, options, &search.statistics()))
            }
            Stop::OutOfBudget(reason) => Ended::Unknown(out_of_budget(reason).to_owned()),
            Stop::Cancelled => Ended::Unknown(INTERRUPTED.to_owned()),
            Stop::Failed { error, .. } => Ended::Open(error),
        })
    }
}
