//! A system whose states are compared for equality: nothing covers but what is the same. Every strategy then runs without
//! subsumption, as the paper on deep random search (Grosu, Huang, Smolka, Tan & Tripakis 2006) and Kronos do.
//!
//! The hash of the payload is one more word of the key, so that a discrete part with many zones costs no scan; the
//! comparison of payloads decides. Cost: a key of its own for every state, 8 bytes longer.

use crate::goal::Goal;
use crate::hash::FoldHasher;
use crate::system::{Covering, Relation, TransitionSystem, Visit, VisitInitial};
use std::hash::{Hash, Hasher};

/// The system without subsumption.
#[derive(Debug)]
pub struct Equality<'a, T>(pub &'a T);

/// A goal of the system, asked of the one without subsumption.
#[derive(Debug, Clone, Copy)]
pub struct EqualityGoal<G>(pub G);

impl<T: TransitionSystem> TransitionSystem for Equality<'_, T> {
    type State = T::State;
    type Label = T::Label;
    type Scratch = T::Scratch;
    type Error = T::Error;

    fn initial(&self, scratch: &mut T::Scratch, visit: &mut VisitInitial<'_, Self>) -> Result<(), T::Error> {
        self.0.initial(scratch, visit)
    }

    fn successors(
        &self,
        scratch: &mut T::Scratch,
        from: &T::State,
        visit: &mut Visit<'_, Self>,
    ) -> Result<(), T::Error> {
        self.0.successors(scratch, from, visit)
    }
}

impl<T: Covering> Covering for Equality<'_, T> {
    type Unit = T::Unit;

    fn key_words(&self) -> usize {
        self.0.key_words() + 1
    }

    fn key(&self, state: &T::State, words: &mut [u64]) {
        if let Some((last, words)) = words.split_last_mut() {
            self.0.key(state, words);
            let mut payload = Vec::new();
            self.0.pack(state, &mut payload);
            let mut hasher = FoldHasher::default();
            payload.hash(&mut hasher);
            *last = hasher.finish();
        }
    }

    fn pack(&self, state: &T::State, units: &mut Vec<T::Unit>) {
        self.0.pack(state, units);
    }

    fn unpack(&self, key: &[u64], payload: &[T::Unit], state: &mut T::State) {
        if let Some((_, words)) = key.split_last() {
            self.0.unpack(words, payload, state);
        }
    }

    fn relate(&self, stored: &[T::Unit], new: &T::State) -> Relation {
        let mut payload = Vec::with_capacity(stored.len());
        self.0.pack(new, &mut payload);
        if payload == stored { Relation::Covers } else { Relation::Neither }
    }
}

impl<T: TransitionSystem, G: Goal<T>> Goal<Equality<'_, T>> for EqualityGoal<G> {
    fn holds(&mut self, system: &Equality<'_, T>, state: &T::State) -> Result<bool, T::Error> {
        self.0.holds(system.0, state)
    }

    fn holds_for_step(&mut self, system: &Equality<'_, T>, label: T::Label) -> bool {
        self.0.holds_for_step(system.0, label)
    }
}
