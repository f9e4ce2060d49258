//! What code says about clocks: bounds and rates from conditions, assignments from updates.

use model::network::{ClockId, Relation};

/// `plus - minus ~ bound`; an absent clock is 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClockBound {
    pub plus: Option<ClockId>,
    pub minus: Option<ClockId>,
    /// [`Relation::Ne`] comes from predicates only.
    pub relation: Relation,
    pub bound: i32,
}

/// The clock part of a condition: all of it must hold.
#[derive(PartialEq, Eq, Default, Debug)]
pub struct Facts {
    pub bounds: Vec<ClockBound>,
    pub rates: Vec<(ClockId, i32)>,
}

impl Clone for Facts {
    fn clone(&self) -> Facts {
        Facts { bounds: self.bounds.clone(), rates: self.rates.clone() }
    }

    /// Without new memory where there is enough.
    fn clone_from(&mut self, other: &Facts) {
        self.bounds.clone_from(&other.bounds);
        self.rates.clone_from(&other.rates);
    }
}

impl Facts {
    pub fn clear(&mut self) {
        self.bounds.clear();
        self.rates.clear();
    }
}

/// `target := source + offset`, or `target := offset`. Without a source the offset is not negative; with one the sum
/// may be, and that is for the owner of the clocks to find out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClockUpdate {
    pub target: ClockId,
    pub source: Option<ClockId>,
    pub offset: i32,
}

/// What updates did: clock assignments in their order, and the integer cells that were written, some perhaps twice, with
/// what they held before. Read backwards the cells take the updates back.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Effects {
    pub resets: Vec<ClockUpdate>,
    pub written: Vec<(u32, i32)>,
}

impl Effects {
    pub fn clear(&mut self) {
        self.resets.clear();
        self.written.clear();
    }
}
