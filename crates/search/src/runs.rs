//! Which runs a liveness search looks for. A query is an implementor of [`Runs`]; three that cannot fail are here:
//! runs that stay within a set as long as they go on (`E[] p`), runs that visit marked states infinitely often
//! (Büchi), and runs that stay within a set from some state on (the counter-examples of leads-to).

use crate::lasso::Marks;
use crate::system::TransitionSystem;

/// Where a run of interest begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// In an initial state.
    Initial,
    /// In any reachable state for which `Runs::starts` holds.
    Reachable,
    /// The same, and once it has held it holds for ever: the states before are another part of the graph, which is searched
    /// for starts alone and may be pruned like any search for states.
    Entered,
}

/// A set of runs: they begin in a start state, stay within a set of states, and then either end where they may
/// or go on for ever and collect all wanted marks again and again.
///
/// If the search prunes by subsumption, all answers must respect covering: what holds of a state holds of those
/// that cover it.
pub trait Runs<T: TransitionSystem> {
    fn start(&self) -> Start {
        Start::Initial
    }

    fn starts(&mut self, system: &T, state: &T::State) -> Result<bool, T::Error> {
        let _ = (system, state);
        Ok(true)
    }

    /// Whether a run may be in this state.
    fn stays(&mut self, system: &T, state: &T::State) -> Result<bool, T::Error> {
        let _ = (system, state);
        Ok(true)
    }

    /// Whether a run that has come here may stop: a deadlock, or time that can pass for ever.
    fn ends(&mut self, system: &T, state: &T::State) -> Result<bool, T::Error> {
        let _ = (system, state);
        Ok(false)
    }

    /// The marks that an infinite run must visit infinitely often. None: any cycle will do.
    fn wanted(&self) -> Marks {
        Marks::NONE
    }

    fn marks(&mut self, system: &T, state: &T::State) -> Result<Marks, T::Error> {
        let _ = (system, state);
        Ok(Marks::NONE)
    }
}

/// Runs from an initial state on which `stays` always holds: witnesses of `E[] stays`. They go on for ever or
/// end where `ends` holds.
#[derive(Debug, Clone, Copy)]
pub struct Always<P, E> {
    pub stays: P,
    pub ends: E,
}

impl<T: TransitionSystem, P: FnMut(&T::State) -> bool, E: FnMut(&T::State) -> bool> Runs<T> for Always<P, E> {
    fn stays(&mut self, _: &T, state: &T::State) -> Result<bool, T::Error> {
        Ok((self.stays)(state))
    }

    fn ends(&mut self, _: &T, state: &T::State) -> Result<bool, T::Error> {
        Ok((self.ends)(state))
    }
}

/// Infinite runs from an initial state that visit each of the wanted marks infinitely often (generalised Büchi).
#[derive(Debug, Clone, Copy)]
pub struct Infinitely<M> {
    pub wanted: Marks,
    pub marks: M,
}

impl<T: TransitionSystem, M: FnMut(&T::State) -> Marks> Runs<T> for Infinitely<M> {
    fn wanted(&self) -> Marks {
        self.wanted
    }

    fn marks(&mut self, _: &T, state: &T::State) -> Result<Marks, T::Error> {
        Ok((self.marks)(state))
    }
}

/// Runs that reach a state of `trigger` and never again one of `response`: counter-examples of
/// `trigger --> response`.
#[derive(Debug, Clone, Copy)]
pub struct Unanswered<P, Q, E> {
    pub trigger: P,
    pub response: Q,
    pub ends: E,
}

impl<T, P, Q, E> Runs<T> for Unanswered<P, Q, E>
where
    T: TransitionSystem,
    P: FnMut(&T::State) -> bool,
    Q: FnMut(&T::State) -> bool,
    E: FnMut(&T::State) -> bool,
{
    fn start(&self) -> Start {
        Start::Reachable
    }

    fn starts(&mut self, _: &T, state: &T::State) -> Result<bool, T::Error> {
        Ok((self.trigger)(state))
    }

    fn stays(&mut self, _: &T, state: &T::State) -> Result<bool, T::Error> {
        Ok(!(self.response)(state))
    }

    fn ends(&mut self, _: &T, state: &T::State) -> Result<bool, T::Error> {
        Ok((self.ends)(state))
    }
}
