//! What a search did, as data; every strategy reports the same figures. Nothing here is printed by this crate.

use std::time::Duration;

/// Counts of a search so far. After restarts the counts of work (explored, generated, covered, erased) are sums
/// over all rounds; the others are of the current round, peaks of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// States whose successors were generated.
    pub explored: u64,
    /// Successors generated, initial states included.
    pub generated: u64,
    /// States in the store now.
    pub stored: u64,
    /// Generated states that a stored one covered.
    pub covered: u64,
    /// Stored states that a later one covered.
    pub erased: u64,
    /// Stored states whose successors are still to be generated.
    pub waiting: u64,
    pub peak_waiting: u64,
    pub peak_stored: u64,
    /// The greatest number of steps by which a stored state was reached.
    pub depth: u32,
    /// Distinct discrete parts in the store now.
    pub keys: u64,
    pub restarts: u64,
    /// Of directed searches: how many estimates were computed.
    pub evaluations: u64,
    /// Of directed searches: the estimate of the first state explored, and the least so far.
    pub estimates: Option<(u32, u32)>,
    /// Of under-approximation refinement: how often transitions were to be added, how many are allowed, how many of
    /// them the run found has, and how many there are; all 0 in other searches.
    pub refinements: u64,
    pub allowed: u64,
    pub used: u64,
    pub transitions: u64,
    /// Of random walks: how many there were, their steps together, and how long the last ones may become.
    pub walks: u64,
    pub steps: u64,
    pub walk_depth: u64,
    /// The chances, in per cent, with which the latest walk acts at the earliest and at the latest possible moment.
    pub walk_delays: (u8, u8),
    /// Steps of the best run so far, when runs are still being improved.
    pub best_steps: Option<u64>,
    /// Memory held now by store, frontier and side tables.
    pub bytes: u64,
    pub peak_bytes: u64,
    pub elapsed: Duration,
}
