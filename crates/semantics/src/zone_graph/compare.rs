//! What is stored of a state, and when one stored state makes another superfluous.

use super::{Abstraction, State, ZoneGraph};
use crate::clock_bounds::ClockUse;
use crate::structure::marks;
use search::system::{self, Covering};
use zones::{Bound, Constraint, Zone};

impl ZoneGraph<'_> {
    /// Whether stored zones are compared knowing the comparisons between clocks.
    pub(super) fn knows_cuts(&self) -> bool {
        self.abstraction != Abstraction::None && !self.bounds.cuts.is_empty()
    }

    /// Whether what is stored need not include what it makes superfluous, so that it is no inductive set.
    pub fn compares_by_simulation(&self) -> bool {
        self.abstraction == Abstraction::Simulation || self.knows_cuts()
    }

    /// The bounds within which states are compared by simulation.
    fn simulation<'s>(&self, state: &'s State) -> Option<&'s zones::ClockBounds> {
        (self.abstraction == Abstraction::Simulation).then_some(&state.bounds)
    }

    /// The comparisons between clocks of a zone, and their opposites.
    pub(super) fn cut(&self, clocks: &[u32], index: &mut [u32], cuts: &mut Vec<Constraint>) {
        cuts.clear();
        for (n, clock) in clocks.iter().enumerate() {
            index[*clock as usize] = n as u32 + 1;
        }
        for cut in &self.bounds.cuts {
            let (left, right) = (index[cut.plus as usize], index[cut.minus as usize]);
            if left > 0 && right > 0 {
                let bound = if cut.strict { Bound::lt(cut.constant) } else { Bound::le(cut.constant) };
                let constraint = Constraint { left, right, bound };
                cuts.extend([constraint, constraint.negated()]);
            }
        }
        for clock in clocks {
            index[*clock as usize] = 0;
        }
    }

    /// The bounds and comparisons of a state whose clocks are known.
    fn bound(&self, state: &mut State) {
        let mut index = vec![0; self.clock_count()];
        self.cut(&state.clocks, &mut index, &mut state.cuts);
        let none = zones::ClockBounds::NONE;
        let uses = |clock: u32| {
            let local = marks::with(&state.marks, marks::CLOCKS)
                .flat_map(|process| self.bounds.at(process, state.discrete.locations[process].index()));
            let uses = self.everywhere.iter().chain(local).filter(move |usage| usage.clock == clock);
            uses.fold((none, none), |(low, high), usage| self.with_use((low, high), usage))
        };
        let (lower, upper): (Vec<i32>, Vec<i32>) = state.clocks.iter().map(|clock| uses(*clock)).unzip();
        state.bounds.set(&lower, &upper);
    }

    /// Whether the simulation that knows the comparisons between clocks covers a zone by another; `by` is the state for whose
    /// location both are.
    fn simulated(&self, zone: &Zone, other: &Zone, by: &State) -> bool {
        zone.is_simulated_by(other, &by.bounds, &by.cuts)
    }
}

impl Covering for ZoneGraph<'_> {
    type Unit = i16;

    fn key_words(&self) -> usize {
        self.packing.words()
    }

    fn key(&self, state: &State, words: &mut [u64]) {
        words.copy_from_slice(&state.words);
    }

    fn pack(&self, state: &State, units: &mut Vec<i16>) {
        units.extend_from_slice(state.packed.units());
    }

    fn unpack(&self, key: &[u64], payload: &[i16], state: &mut State) {
        self.packing.unpack(key, &mut state.words, &mut state.discrete);
        self.mark(state);
        let State { discrete, marks, clocks, seen, .. } = state;
        clocks.clear();
        seen.resize(self.clock_count(), false);
        let mut add = |usage: &ClockUse| {
            if !std::mem::replace(&mut seen[usage.clock as usize], true) {
                clocks.push(usage.clock);
            }
        };
        self.everywhere.iter().for_each(&mut add);
        for process in marks::with(marks, marks::CLOCKS) {
            self.bounds.at(process, discrete.locations[process].index()).iter().for_each(&mut add);
        }
        for clock in clocks.iter() {
            seen[*clock as usize] = false;
        }
        state.zone.unpack(state.clocks.len() + 1, payload);
        state.packed.set_stored(state.clocks.len() + 1, payload);
        if self.knows_cuts() {
            self.bound(state);
        } else {
            // Nothing compares by simulation what was stored: a comparison without bounds fails loudly.
            state.bounds.set(&[], &[]);
        }
    }

    fn relate(&self, stored: &[i16], new: &State) -> system::Relation {
        if self.knows_cuts() {
            let mut other = Zone::zero(1);
            other.unpack(new.clocks.len() + 1, stored);
            return if self.simulated(&new.zone, &other, new) {
                system::Relation::Covers
            } else if self.simulated(&other, &new.zone, new) {
                system::Relation::Covered
            } else {
                system::Relation::Neither
            };
        }
        if new.packed.is_covered_by(stored, self.simulation(new)) {
            system::Relation::Covers
        } else if self.is_covered(stored, new) {
            system::Relation::Covered
        } else {
            system::Relation::Neither
        }
    }

    fn is_covered(&self, stored: &[i16], new: &State) -> bool {
        if self.knows_cuts() {
            let mut other = Zone::zero(1);
            other.unpack(new.clocks.len() + 1, stored);
            return self.simulated(&other, &new.zone, new);
        }
        new.packed.covers(stored, self.simulation(new))
    }
}
