//! Zones over the clocks that matter in a discrete state.
//!
//! A zone has a row for each clock that some part of the system still compares with a constant
//! before it is reset (Daws and Yovine 1996), in ascending order. A [`Frame`] says which these are,
//! and their largest constants (M bounds). Valuations that agree on the clocks below their
//! constants are bisimilar in time, so extrapolation by M keeps every verdict about refinement; one
//! by lower and upper bounds apart would not, it keeps reachability only (which `simulation.rs`
//! makes refinement a question of).

use crate::world::{NodeId, Slots, World};
use zones::{Bound, ClockBounds, Constraint, Source, Zone};

#[derive(Clone, Default, Debug)]
pub struct Frame {
    /// The clocks of the world that rows 1, 2, ... stand for.
    clocks: Vec<u32>,
    bounds: ClockBounds,
}

/// Clocks that are to make a frame, each with the largest constants of lower and of upper bounds;
/// and room to work in.
#[derive(Default)]
pub struct Active {
    pub clocks: Vec<(u32, i32, i32)>,
    maximal: Vec<(u32, i32)>,
    lower: Vec<i32>,
    upper: Vec<i32>,
}

impl Active {
    /// The clocks of systems, and others that somebody compares with constants.
    pub fn watch(&mut self, world: &World<'_>, systems: &[NodeId], slots: &Slots, watched: &[(u32, i32)]) {
        let Active { clocks, maximal, .. } = self;
        maximal.clear();
        systems.iter().for_each(|system| world.active(*system, slots, maximal));
        maximal.extend_from_slice(watched);
        maximal.sort_unstable_by_key(|(clock, constant)| (*clock, std::cmp::Reverse(*constant)));
        maximal.dedup_by_key(|(clock, _)| *clock);
        clocks.clear();
        clocks.extend(maximal.iter().map(|(clock, constant)| (*clock, *constant, *constant)));
    }
}

impl Frame {
    pub fn new(world: &World<'_>, systems: &[NodeId], slots: &Slots) -> Frame {
        Frame::watching(world, systems, slots, &[])
    }

    /// With further clocks that somebody compares with constants.
    pub fn watching(world: &World<'_>, systems: &[NodeId], slots: &Slots, watched: &[(u32, i32)]) -> Frame {
        let (mut frame, mut active) = (Frame::default(), Active::default());
        active.watch(world, systems, slots, watched);
        frame.set(&mut active);
        frame
    }

    /// Becomes the frame of these clocks.
    pub fn set(&mut self, active: &mut Active) {
        let Active { clocks, lower, upper, .. } = active;
        clocks.sort_unstable();
        self.clocks.clear();
        lower.clear();
        upper.clear();
        for (clock, below, above) in clocks {
            self.clocks.push(*clock);
            lower.push(*below);
            upper.push(*above);
        }
        self.bounds.set(lower, upper);
    }

    pub fn bounds(&self) -> &ClockBounds {
        &self.bounds
    }

    pub fn dim(&self) -> usize {
        self.clocks.len() + 1
    }

    /// The clocks of the world that rows 1, 2, ... stand for.
    pub fn clocks(&self) -> &[u32] {
        &self.clocks
    }

    /// The row of a clock. One that is compared has a row: components of which this is not known
    /// are refused (`knows_its_clocks`).
    fn row(&self, clock: u32) -> u32 {
        self.clocks.binary_search(&clock).map_or(0, |at| at as u32 + 1)
    }

    pub fn constraint(&self, one: Constraint) -> Constraint {
        Constraint { left: self.row(one.left), right: self.row(one.right), bound: one.bound }
    }

    pub fn constraints(&self, list: &[Constraint]) -> Vec<Constraint> {
        list.iter().map(|one| self.constraint(*one)).collect()
    }

    /// The zone of the start.
    pub fn start(&self, world: &World<'_>) -> Zone {
        let mut zone = Zone::zero(self.dim());
        let values = world.initial_values();
        for (row, clock) in (1..).zip(&self.clocks) {
            let value = values[*clock as usize - 1];
            if value != 0 {
                zone.reset(row, value);
            }
        }
        zone
    }

    /// All valuations that meet the constraints, which are on clocks of the frame.
    pub fn where_all(&self, conjunction: &[Constraint]) -> Option<Zone> {
        let mut zone = Zone::universal(self.dim());
        zone.constrain_all(&self.constraints(conjunction)).then_some(zone)
    }

    /// Where a clock comes from in a zone of this frame: anything if the frame does not have it.
    pub fn source(&self, clock: u32) -> Source {
        self.clocks.binary_search(&clock).map_or(Source::Free, |at| Source::Keep(at as u32 + 1))
    }

    /// A zone of another frame after resets as one of this.
    pub fn receive(&self, zone: &mut Zone, from: &Frame, resets: &[(u32, i32)], sources: &mut Vec<Source>) {
        sources.clear();
        sources.extend(self.clocks.iter().map(|clock| match resets.iter().rev().find(|(reset, _)| reset == clock) {
            Some((_, value)) => Source::Value(*value),
            None => from.source(*clock),
        }));
        zone.remap(sources);
    }

    pub fn extrapolate(&self, zone: &mut Zone) {
        zone.extrapolate_m_plus(&self.bounds);
    }

    /// What a zone says about each clock alone, on the clocks of the world.
    pub fn bounds_of(&self, zone: &Zone) -> Vec<Constraint> {
        let mut constraints = Vec::new();
        for (row, clock) in (1..).zip(&self.clocks) {
            for (left, right, bound) in [(*clock, 0, zone.upper(row)), (0, *clock, zone.lower(row))] {
                if !bound.is_infinite() && bound != Bound::LE_ZERO {
                    constraints.push(Constraint { left, right, bound });
                }
            }
        }
        constraints
    }
}
