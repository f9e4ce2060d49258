//! Useless transitions (Wehrle, Kupferschmid & Podelski, ICAPS 2008 and TACAS 2009; docs/algorithms.md §3.5).
//!
//! A transition t from s to s' is useless if some shortest run from s to the goal avoids it: d(s without t) <= d(s'). With an
//! estimate h instead of the distance it is *relatively* useless: h(s without t) <= h(s'). A successor by a relatively
//! useless transition waits with its depth added to its estimate, as Mcta's documentation says, so it is put off and not dropped:
//! the search stays complete.
//!
//! Removing a transition makes no estimate smaller, so h(s) <= h(s') is asked first and is most often false where it matters.
//! This is exact for graph distances and for the number of layers of a relaxed plan; for the length of a relaxed plan, which
//! may shrink when a transition is removed, it is one more heuristic choice. Where t is not in the relaxed plan of s, that plan
//! exists without t as well, and nothing is computed (the guidance knows).
//!
//! Cost: one more estimate for each transition of the relaxed plan that leads no nearer.

use crate::guidance::{Guidance, Operator};
use search::heuristic::Estimate;
use search::system::Deferred;

/// Whether a transition out of the state that was entered seems useless; `estimates` are those of the state and the successor.
pub(super) fn seems_useless<T: Deferred, H: Guidance<T>>(
    system: &T,
    guidance: &mut H,
    state: &T::State,
    operator: Operator,
    estimates: (u32, u32),
) -> bool {
    let (here, there) = estimates;
    here <= there && matches!(guidance.without(system, state, operator), Estimate::Value(without) if without <= there)
}
