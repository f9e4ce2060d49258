//! The zone graph of a network: states are a discrete part and a zone over the clocks active there.
//!
//! A step intersects the zone with the guard, runs the updates, moves to the clocks that are active in the target
//! (resets, new and dropped clocks in one pass), intersects with the target's invariants and lets time pass where it may
//! (Bengtsson, Yi 2004; Daws, Yovine 1996 for active clocks). What keeps the graph finite is extrapolation of new zones, and the
//! comparison of stored ones by simulation (Herbreteau, Srivathsan, Walukiewicz 2012) or by inclusion, as [`Abstraction`] says.
//!
//! Comparisons of clocks with each other make extrapolation unsound (Bouyer 2003). With them zones stay as they are, and stored
//! ones are compared by a simulation that knows these comparisons (Gastin, Mukherjee, Srivathsan 2018). Where even that does
//! not end, as with comparisons that copies shift without end, zones are compared by inclusion alone.
//!
//! What is only approximated, always from above: the passing of time with stopped clocks, and while an urgent
//! synchronisation waits for a clock guard. [`ZoneGraph::approximates`] tells whether that can happen.
//!
//! A step allocates nothing once its buffers have grown.

mod compare;
mod constraints;
mod deferred;
mod follow;
mod priorities;
mod scratch;
mod settle;
mod state;
mod step;
mod system;

pub(crate) use constraints::push_constraints;
pub use deferred::Sketch;
pub use follow::Followed;
pub(crate) use priorities::Precondition;
pub(crate) use scratch::ClockValue;
pub use scratch::Scratch;
pub use state::State;

use crate::clock_bounds::{ClockBounds, ClockUse, DIVERGED, QueryBounds};
use crate::code::{ClockBound, PredicateId};
use crate::compiled::Compiled;
use crate::packing::Packing;
use crate::structure::Structure;
use crate::transitions::{Sink, Transitions, Valuations};
use model::network::{ExprId, Network};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use zones::{Constraint, Zone};

/// What makes the zone graph finite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abstraction {
    /// Extra⁺_LU, then the simulation that lower and upper bounds allow. For reachability.
    Simulation,
    /// Extra⁺_LU, then inclusion. For reachability; the stored zones are a certificate.
    LowerUpper,
    /// Extra⁺_M, then inclusion. Keeps deadlocks and infinite runs.
    Maximal,
    /// Inclusion of the zones as they are; need not end.
    None,
}

pub struct ZoneGraph<'n> {
    pub structure: Arc<Structure<'n>>,
    packing: Arc<Packing>,
    bounds: Arc<ClockBounds>,
    /// Bounds that a query adds in every state.
    everywhere: Vec<ClockUse>,
    pub(crate) abstraction: Abstraction,
    approximates: bool,
    /// Some number was too large for zones.
    too_large: AtomicBool,
    /// There is one clock more than the network has, which is never set: the time since the start.
    has_time: bool,
}
impl<'n> ZoneGraph<'n> {
    pub(crate) fn of(compiled: Compiled<'n>, abstraction: Abstraction) -> ZoneGraph<'n> {
        let Compiled { structure, packing, bounds, everywhere } = compiled;
        ZoneGraph {
            abstraction: if bounds.diverges { Abstraction::None } else { abstraction },
            approximates: has_rates(structure.network) || structure.has_guarded_urgency(),
            too_large: AtomicBool::new(false),
            has_time: false,
            structure,
            packing,
            bounds,
            everywhere,
        }
    }

    /// The graph of a network that is asked nothing.
    pub fn new(network: &'n Network, abstraction: Abstraction) -> ZoneGraph<'n> {
        Compiled::new(network, QueryBounds::default(), |_| ()).0.graph(abstraction)
    }

    /// The graph of a network in which a predicate is looked for, and the predicate compiled.
    pub fn for_predicate(
        network: &'n Network,
        abstraction: Abstraction,
        predicate: ExprId,
    ) -> (ZoneGraph<'n>, PredicateId) {
        let query = ClockBounds::of_predicate(network, predicate);
        let (compiled, id) = Compiled::new(network, query, |structure| structure.programs.predicate(predicate));
        (compiled.graph(abstraction), id)
    }

    /// The largest constant that a clock is compared with anywhere; `None` when it is compared with none.
    pub fn largest_constant(&self, clock: u32) -> Option<i32> {
        let everywhere = self.everywhere.iter().filter(|usage| usage.clock == clock);
        everywhere
            .chain(self.bounds.all().filter(|usage| usage.clock == clock))
            .filter_map(|u| u.lower.max(u.upper))
            .max()
    }

    /// Adds a clock that is never set, the time since the start, and gives its number. Its lower bounds are kept up to the
    /// limit; a state that is reached earlier covers one that is reached later.
    pub fn measure_time(&mut self, limit: i32) -> u32 {
        let clock = self.network().clocks.len() as u32;
        self.has_time = true;
        self.everywhere.push(ClockUse { clock, lower: None, upper: Some(limit) });
        clock
    }

    /// The clocks of the network, and the time since the start when it is measured.
    pub(crate) fn clock_count(&self) -> usize {
        self.network().clocks.len() + usize::from(self.has_time)
    }

    /// Whether the graph may have more than the network: stopwatches, and urgent synchronisations with clock guards.
    pub fn approximates(&self) -> bool {
        self.approximates
    }

    /// Whether some number was too large for zones so far. Nothing that was found out then is proved.
    pub fn too_large(&self) -> bool {
        self.too_large.load(Ordering::Relaxed)
    }

    fn note_too_large(&self) {
        self.too_large.store(true, Ordering::Relaxed);
    }

    /// As [`push_constraints`], watching the size of the number.
    pub(crate) fn constrain(&self, bound: &ClockBound, index: &[u32], out: &mut Vec<Constraint>) {
        if i64::from(bound.bound).abs() > DIVERGED {
            self.note_too_large();
        }
        push_constraints(bound, index, out);
    }

    /// A number that a clock is set to, as far as zones can hold it.
    fn settable(&self, value: i32) -> i32 {
        if i64::from(value).abs() > DIVERGED {
            self.note_too_large();
        }
        value.clamp(-(DIVERGED as i32), DIVERGED as i32)
    }

    pub fn network(&self) -> &'n Network {
        self.structure.network
    }

    /// Enters a state and lists its transitions by integers in `scratch.transitions`.
    pub fn enumerate(&self, scratch: &mut Scratch, from: &State) {
        self.enter(scratch, from);
        let Scratch { enumerator, transitions, listed, index, constraints, guarded, .. } = scratch;
        listed.clear();
        let mut clocks = Within { graph: self, zone: &from.zone, index, constraints, smaller: guarded };
        enumerator.all(&self.structure, &from.discrete, &mut clocks, transitions);
    }

    /// The same in batches: `visit` finds each in `scratch.transitions`, and may stop. There is at least one, perhaps empty.
    pub(crate) fn each_batch(
        &self,
        scratch: &mut Scratch,
        from: &State,
        visit: &mut dyn FnMut(&mut Scratch) -> ControlFlow<()>,
    ) {
        self.enter(scratch, from);
        scratch.listed.clear();
        // They are busy with the next batch while the one before is looked at.
        let mut enumerator = std::mem::take(&mut scratch.enumerator);
        let mut transitions = std::mem::take(&mut scratch.transitions);
        let (mut index, mut constraints) = (std::mem::take(&mut scratch.stream_index), Vec::new());
        index.clone_from(&scratch.index);
        let mut smaller = std::mem::replace(&mut scratch.stream_zone, Zone::zero(1));
        let (zone, constraints) = (&from.zone, &mut constraints);
        let mut clocks = Within { graph: self, zone, index: &index, constraints, smaller: &mut smaller };
        let mut take = |batch: &mut Transitions| {
            std::mem::swap(&mut scratch.transitions, batch);
            let goes_on = visit(scratch);
            std::mem::swap(&mut scratch.transitions, batch);
            goes_on
        };
        enumerator.stream(&self.structure, &from.discrete, &mut clocks, &mut Sink::new(&mut transitions, &mut take));
        scratch.enumerator = enumerator;
        scratch.transitions = transitions;
        scratch.stream_index = index;
        scratch.stream_zone = smaller;
    }
}

/// The valuations of a zone.
struct Within<'a, 'n> {
    graph: &'a ZoneGraph<'n>,
    zone: &'a Zone,
    /// Where each clock stands in it.
    index: &'a [u32],
    constraints: &'a mut Vec<Constraint>,
    smaller: &'a mut Zone,
}

impl Valuations for Within<'_, '_> {
    fn admit(&mut self, bounds: &[ClockBound]) -> bool {
        self.constraints.clear();
        bounds.iter().for_each(|bound| self.graph.constrain(bound, self.index, self.constraints));
        if !self.constraints.iter().all(|constraint| self.zone.admits(*constraint)) {
            return false;
        }
        if self.constraints.len() < 2 {
            return true;
        }
        self.smaller.copy_from(self.zone);
        self.smaller.constrain_all(self.constraints)
    }
}

/// Whether some invariant sets the rate of a clock.
fn has_rates(network: &Network) -> bool {
    let mut found = false;
    for location in network.templates.iter().flat_map(|template| &template.locations) {
        let Some(invariant) = location.invariant else { continue };
        network.code.walk(invariant, &mut |_, expr| found |= matches!(expr, model::network::Expr::Rate { .. }));
    }
    found
}
