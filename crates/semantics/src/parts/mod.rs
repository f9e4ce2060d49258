//! The zone graph in parts: delays cut where a predicate over clocks changes.
//!
//! A zone holds all moments of a delay at once, so it cannot tell whether a run that passes through it meets a predicate, or
//! keeps to it: the moments that meet it and those from which the run goes on may be different ones. Here the valuations of a
//! discrete state that its invariants allow are cut into *parts*, convex and disjoint, in each of which the predicate holds
//! everywhere or nowhere. A symbolic state lies in one part; time passes within it, and a delay that goes on into the
//! next part is a step of its own. Time-lines are straight and parts convex, so a delay visits each part at most once, in one
//! stretch, and every cycle has an action.
//!
//! From part P to part Q time passes at once in two ways: Q begins with a first moment at the open end of P, or P has a last
//! moment at the open beginning of Q. See [`zones::Zone::right_after`] and [`zones::Zone::right_before`].
//!
//! What is asked ([`Asked`]) says which parts exist. For runs that keep to a predicate there are only parts in which it
//! holds; for unanswered triggers those in which the answer does not hold, once the trigger has been seen (a step of its
//! own, from the plain graph into the parts); for infinitely many visits all parts, some of them marked.
//!
//! For time that diverges there is one more clock z and a *tick*, which needs `z >= 1`, sets z to 0 and is possible in marked
//! parts only: a run with infinitely many ticks visits them infinitely often while time diverges, and every such run
//! can tick (the strongly non-Zeno construction of Tripakis, Yovine and Bouajjani 2005, on the fly).
//!
//! Zones are extrapolated with maximal bounds (Extra⁺_M), which keeps infinite runs, and compared for equality. Comparisons
//! between clocks cut zones further before they are extrapolated, and hold again after it (Bengtsson, Yi 2003): valuations
//! that agree on these comparisons and on all clocks within their bounds have the same runs, and delays and resets keep
//! it so.
//!
//! Costs: parts are made anew for every symbolic state that is reached, a subtraction of zones per case of the predicate
//! where there is more than one; where the predicate does not speak of clocks there is one part and nothing to do.

mod cases;
mod ending;
mod follow;
mod system;

pub use ending::End;
pub use follow::FollowedParts;
pub use system::{PartState, Phase, Step};

use crate::code::{Dnf, PredicateId};
use crate::zone_graph::{Scratch, State, ZoneGraph};
use cases::Part;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is asked of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// The predicate holds at every moment.
    Always(PredicateId),
    /// `from` holds at some moment, and `to` from then on at none.
    Unanswered { from: PredicateId, to: PredicateId },
    /// The predicate is visited again and again. With a clock that nothing else uses, while time diverges.
    Infinitely { predicate: PredicateId, ticks: Option<u32> },
}

/// The zone graph of a network in the parts that a question asks for.
pub struct PartGraph<'g, 'n> {
    pub graph: &'g ZoneGraph<'n>,
    asked: Asked,
    /// A predicate could not be cut into parts somewhere.
    unclear: AtomicBool,
}

impl<'g, 'n> PartGraph<'g, 'n> {
    /// The graph should know what the predicates compare clocks with, and use maximal bounds.
    pub fn new(graph: &'g ZoneGraph<'n>, asked: Asked) -> PartGraph<'g, 'n> {
        PartGraph { graph, asked, unclear: AtomicBool::new(false) }
    }

    /// Whether a state was left out because a predicate has no parts there: it asks for deadlocks.
    pub fn unclear(&self) -> bool {
        self.unclear.load(Ordering::Relaxed)
    }

    fn note_unclear(&self) {
        self.unclear.store(true, Ordering::Relaxed);
    }
}

/// Buffers of one search.
#[derive(Default)]
pub struct PartScratch {
    inner: Scratch,
    dnf: Dnf,
    /// The parts of the discrete state in `inner.target`.
    parts: Vec<Part>,
    target: PartState,
    /// A state and all that delays lead to from it.
    later: State,
}

impl PartScratch {
    /// For following one path with zones as they are.
    fn exact() -> PartScratch {
        PartScratch { inner: Scratch::exact(), ..PartScratch::default() }
    }
}
