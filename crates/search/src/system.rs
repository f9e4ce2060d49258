//! What can be searched. `TransitionSystem` has two methods; what only some systems can do is a
//! small trait of its own beside it.
//!
//! States are handed out by reference to buffers that the system reuses, so that a successor which
//! the store already covers costs no allocation. A visitor returns `ControlFlow::Break` to stop the
//! enumeration; the system then returns `Ok` at once. Systems are shared (`&self`); what they need
//! to write lives in `Scratch`, so that several searches, or several threads, can work on one
//! system.

use std::fmt;
use std::hash::Hash;
use std::ops::ControlFlow;

/// Receives the successors of a state, one by one.
pub type Visit<'v, T> =
    dyn FnMut(<T as TransitionSystem>::Label, &<T as TransitionSystem>::State) -> ControlFlow<()> + 'v;

/// Receives the initial states.
pub type VisitInitial<'v, T> = dyn FnMut(&<T as TransitionSystem>::State) -> ControlFlow<()> + 'v;

/// States and steps between them.
pub trait TransitionSystem {
    /// A state in the form the system works on. `Default` is a blank that `Covering::unpack` fills.
    type State: Default;
    /// Names one step out of a state: together with the state it is enough to repeat the step. Kept
    /// per stored state, so it should be a few bytes.
    type Label: Copy + Default + PartialEq + fmt::Debug;
    /// Buffers reused from call to call.
    type Scratch: Default;
    /// A run-time error of the model (a value out of range, a division by zero), with what is
    /// needed to explain it.
    type Error;

    /// Visits the initial states. There may be none.
    fn initial(&self, scratch: &mut Self::Scratch, visit: &mut VisitInitial<'_, Self>) -> Result<(), Self::Error>;

    /// Visits the successors of `from`, always in the same order. An error is told when all
    /// successors have been visited that do not need what failed.
    fn successors(
        &self,
        scratch: &mut Self::Scratch,
        from: &Self::State,
        visit: &mut Visit<'_, Self>,
    ) -> Result<(), Self::Error>;
}

/// How a stored state relates to a new one with the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Every trace of the new state is one of the stored state (also when both are the same).
    Covers,
    /// Every trace of the stored state is one of the new state, and not the other way round.
    Covered,
    Neither,
}

/// States that can be kept packed and compared: a discrete part (the *key*: a fixed number of
/// words, compared for equality) and a rest (the *payload*: a slice of units, compared by inclusion
/// or simulation).
///
/// Covering must be reflexive and transitive among states of one key, and monotone: if `a` covers
/// `b` then each successor of `b` is covered by the successor of `a` with the same label, and a
/// goal that holds in `b` holds in `a`. The store relies on it: it keeps, per key, payloads none of
/// which covers another.
pub trait Covering: TransitionSystem {
    /// What payloads are made of: `i32` for plain matrices, `i16` or `u8` for compressed ones.
    type Unit: Copy + Eq + Hash;

    /// The number of words of every key of this system.
    fn key_words(&self) -> usize;

    /// Writes the discrete part of `state`; `words` has `key_words` elements, of unspecified
    /// content.
    fn key(&self, state: &Self::State, words: &mut [u64]);

    /// Appends the rest of the state. Equal states append equal units; states of the same key may
    /// differ in length.
    fn pack(&self, state: &Self::State, units: &mut Vec<Self::Unit>);

    /// Rebuilds a state from its key and its payload.
    fn unpack(&self, key: &[u64], payload: &[Self::Unit], state: &mut Self::State);

    /// Compares a stored payload with a new state that has the same key, in one pass if possible.
    fn relate(&self, stored: &[Self::Unit], new: &Self::State) -> Relation;

    /// Whether the new state covers the stored one; asked when it is already known that the stored
    /// one does not cover the new one, so it may be cheaper than `relate`.
    fn is_covered(&self, stored: &[Self::Unit], new: &Self::State) -> bool {
        self.relate(stored, new) != Relation::Neither
    }

    /// Whether `covers_together` is to be asked.
    fn unites(&self) -> bool {
        false
    }

    /// Whether stored payloads of one key cover the new state together: every trace of it is one of
    /// some of them. Asked before `relate`, so one that covers it alone counts as well.
    fn covers_together<'s>(&self, stored: impl Iterator<Item = &'s [Self::Unit]> + Clone, new: &Self::State) -> bool
    where
        Self::Unit: 's,
    {
        let _ = (stored, new);
        false
    }
}

/// States and steps in words, for people.
pub trait Describe: TransitionSystem {
    fn describe_state(&self, state: &Self::State, out: &mut dyn fmt::Write) -> fmt::Result;
    fn describe_label(&self, label: Self::Label, out: &mut dyn fmt::Write) -> fmt::Result;
}

/// Successors in two stages: first the label and a sketch, which is all that a heuristic reads, and
/// the rest only when the search takes the successor up. Best-first search then pays for a zone
/// only when it pops it.
pub trait Deferred: TransitionSystem {
    /// What is known of a successor before it is built: its discrete part, and what led to it.
    type Sketch<'s>: Copy;

    /// Visits label and sketch of what may be successors, in the order of `successors`; some may
    /// turn out not to exist when they are completed.
    fn sketches(
        &self,
        scratch: &mut Self::Scratch,
        from: &Self::State,
        visit: impl FnMut(Self::Label, Self::Sketch<'_>) -> ControlFlow<()>,
    ) -> Result<(), Self::Error>;

    /// Visits the sketch of the step `label` out of `from`, if there may be such a successor.
    fn sketch(
        &self,
        scratch: &mut Self::Scratch,
        from: &Self::State,
        label: Self::Label,
        visit: impl FnOnce(Self::Label, Self::Sketch<'_>) -> ControlFlow<()>,
    ) -> Result<(), Self::Error>;

    /// Visits the successors that the step `label` out of `from` has: none, one, or several where
    /// one step leads to several states of the same discrete part.
    fn complete(
        &self,
        scratch: &mut Self::Scratch,
        from: &Self::State,
        label: Self::Label,
        visit: &mut VisitInitial<'_, Self>,
    ) -> Result<(), Self::Error>;
}

/// A topological level per state: what lies earlier in the control flow has a smaller level
/// (docs/algorithms.md §2.2).
pub trait Levelled: TransitionSystem {
    fn level(&self, state: &Self::State) -> u32;

    /// Whether no state with this key can strictly cover this one (its zone is the whole space), so
    /// that taking it up first is never a mistake.
    fn is_largest(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }
}
