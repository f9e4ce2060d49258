//! The buffers of one search, so that a step allocates nothing once they have grown.

use super::State;
use crate::code::{Effects, Facts, Machine};
use crate::transitions::{Enumerator, Transitions};
use zones::{Constraint, Source, Zone};

/// Buffers of one search.
pub struct Scratch {
    pub(super) enumerator: Enumerator,
    pub transitions: Transitions,
    /// The packed discrete state whose transitions these are, as far as it is known.
    pub(super) listed: Vec<u64>,
    pub(crate) urgent: Transitions,
    pub(crate) machine: Machine,
    pub(crate) facts: Facts,
    /// What the last transition did to the target's discrete part, and who took part in it: all in which the target differs
    /// from the source.
    pub(super) effects: Effects,
    pub(super) moved: Vec<u32>,
    /// Position of each network clock in the source zone; 0 when it is not there.
    pub(crate) index: Vec<u32>,
    /// The clocks that have a position there.
    pub(super) entered: Vec<u32>,
    /// The same while clocks of the target are collected.
    pub(super) target_index: Vec<u32>,
    pub(super) sources: Vec<Source>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) stopped: Vec<bool>,
    pub(super) lower: Vec<i32>,
    pub(super) upper: Vec<i32>,
    pub(crate) values: Vec<(u32, ClockValue)>,
    /// Clocks that are lowered, by how much: where one is smaller there is an error.
    pub(super) lowered: Vec<(u32, i32)>,
    pub(crate) target: State,
    /// The zone of the source after the guard.
    pub(crate) guarded: Zone,
    /// `index` and a zone of their own for transitions that are listed while others are taken.
    pub(super) stream_index: Vec<u32>,
    pub(super) stream_zone: Zone,
    /// Zones are left as they are, for following one path exactly.
    pub(super) exact: bool,
}

impl Scratch {
    /// Makes the target's discrete part that of a state, from where updates start.
    pub(crate) fn start_from(&mut self, state: &State) {
        self.target.set_discrete(state);
        self.effects.clear();
        self.moved.clear();
    }
}

/// What a clock holds after the updates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ClockValue {
    Constant(i32),
    /// The value that a clock had before, and what is added.
    Old(u32, i32),
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch {
            enumerator: Enumerator::new(),
            transitions: Transitions::new(),
            listed: Vec::new(),
            urgent: Transitions::new(),
            machine: Machine::default(),
            facts: Facts::default(),
            effects: Effects::default(),
            moved: Vec::new(),
            index: Vec::new(),
            entered: Vec::new(),
            target_index: Vec::new(),
            sources: Vec::new(),
            constraints: Vec::new(),
            stopped: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            values: Vec::new(),
            lowered: Vec::new(),
            target: State::default(),
            guarded: Zone::zero(1),
            stream_index: Vec::new(),
            stream_zone: Zone::zero(1),
            exact: false,
        }
    }
}

impl Scratch {
    /// For following one path with zones as they are.
    pub(crate) fn exact() -> Scratch {
        Scratch { exact: true, ..Scratch::default() }
    }
}
