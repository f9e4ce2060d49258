//! A symbolic state: the discrete part, and a zone over the clocks that are active there.

use super::{Abstraction, Scratch, ZoneGraph};
use crate::clock_bounds::ClockUse;
use crate::code::Discrete;
use crate::structure::marks;
use model::network::{LocationId, ProcessId};
use zones::{Constraint, Packed, Zone};

/// A symbolic state.
#[derive(Clone)]
pub struct State {
    pub discrete: Discrete,
    /// The discrete part, packed.
    pub(super) words: Vec<u64>,
    /// What each process adds to the work.
    pub(super) marks: Vec<u8>,
    /// How far into the control flow the processes are, taken together.
    pub(crate) level: u32,
    /// The clocks of the zone: clock `clocks[i]` of the network is clock `i + 1` of the zone.
    pub clocks: Vec<u32>,
    pub zone: Zone,
    pub(super) bounds: zones::ClockBounds,
    /// The zone as it is stored and compared.
    pub(super) packed: Packed,
    /// The comparisons between clocks of the zone, and their opposites.
    pub(super) cuts: Vec<Constraint>,
    /// Which clocks have been seen while the active ones are collected.
    pub(super) seen: Vec<bool>,
}

impl Default for State {
    fn default() -> State {
        State {
            discrete: Discrete { locations: Vec::new(), ints: Vec::new() },
            words: Vec::new(),
            marks: Vec::new(),
            level: 0,
            clocks: Vec::new(),
            zone: Zone::zero(1),
            bounds: zones::ClockBounds::default(),
            packed: Packed::new(),
            cuts: Vec::new(),
            seen: Vec::new(),
        }
    }
}

impl State {
    /// Takes over the discrete part of another state.
    pub(crate) fn set_discrete(&mut self, from: &State) {
        self.discrete.locations.clone_from(&from.discrete.locations);
        self.discrete.ints.clone_from(&from.discrete.ints);
        self.words.clone_from(&from.words);
        self.marks.clone_from(&from.marks);
        self.level = from.level;
    }
}
impl ZoneGraph<'_> {
    /// The clocks active in a discrete state, with their bounds.
    pub(crate) fn activate(&self, scratch: &mut Scratch) {
        let Scratch { machine, target, target_index, lower, upper, .. } = scratch;
        target_index.resize(self.clock_count(), 0);
        target.clocks.clear();
        lower.clear();
        upper.clear();
        let mut add = |usage: &ClockUse, clocks: &mut Vec<u32>| {
            let at = &mut target_index[usage.clock as usize];
            if *at == 0 {
                clocks.push(usage.clock);
                *at = clocks.len() as u32;
                lower.push(zones::ClockBounds::NONE);
                upper.push(zones::ClockBounds::NONE);
            }
            let n = *at as usize - 1;
            (lower[n], upper[n]) = self.with_use((lower[n], upper[n]), usage);
        };
        for usage in &self.everywhere {
            add(usage, &mut target.clocks);
        }
        let varying = self.bounds.varying();
        for process in marks::with(&target.marks, marks::CLOCKS) {
            let location = target.discrete.locations[process].index();
            let now = varying.at(process, location);
            for usage in self.bounds.at(process, location) {
                match now.iter().find(|now| now.clock == usage.clock) {
                    Some(now) => {
                        let (programs, state) = (&self.structure.programs, &target.discrete);
                        let (lower, upper) = varying.bounds(now, ProcessId::new(process), programs, machine, state);
                        add(&ClockUse { lower, upper, ..*usage }, &mut target.clocks);
                    }
                    None => add(usage, &mut target.clocks),
                }
            }
        }
        for clock in &target.clocks {
            target_index[*clock as usize] = 0;
        }
        target.bounds.set(lower, upper);
    }

    /// Lower and upper bound of a clock that is also used so.
    pub(super) fn with_use(&self, (lower, upper): (i32, i32), usage: &ClockUse) -> (i32, i32) {
        let none = zones::ClockBounds::NONE;
        let (low, high) = (usage.lower.unwrap_or(none), usage.upper.unwrap_or(none));
        let (low, high) =
            if self.abstraction == Abstraction::Maximal { (low.max(high), low.max(high)) } else { (low, high) };
        (lower.max(low), upper.max(high))
    }

    pub(super) fn marks_at(&self, process: usize, location: LocationId) -> u8 {
        let has_clocks = !self.bounds.at(process, location.index()).is_empty();
        self.structure.location(process, location).marks | if has_clocks { marks::CLOCKS } else { 0 }
    }

    /// Fills in what follows from the locations of a state.
    pub(super) fn mark(&self, state: &mut State) {
        let State { discrete, marks, level, .. } = state;
        marks.clear();
        marks.extend(discrete.locations.iter().enumerate().map(|(process, at)| self.marks_at(process, *at)));
        let levels = discrete.locations.iter().enumerate();
        *level = levels.map(|(process, at)| self.structure.location(process, *at).level).sum();
    }
}
