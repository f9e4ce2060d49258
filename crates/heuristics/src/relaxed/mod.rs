//! Relaxed plans by the monotonicity abstraction, `hL` and `hU` (Kupferschmid, Hoffmann, Dierks & Behrmann, SPIN 2006; docs/algorithms.md §3.4).
//!
//! In the relaxed network a process may be in several locations and a cell may hold several values, and these sets only grow.
//! Clocks are ignored. An edge can be taken when its source is in the set of its process, each conjunct of its guard holds for
//! some values in the sets, and a partner is ready; it adds its target and every value that its updates can compute from the
//! sets. *Layer* i has what i transitions in parallel can reach. `hL` is the first layer in which the goal holds, and never exceeds
//! the true distance; `hU` is the number of operators of a relaxed plan, which is read off backwards from the goal: each fact
//! by the action that added it first, with what that action needed. Without such a layer the goal is out of reach whatever
//! clocks do, and this is reliable.
//!
//! Over the full language: guards and updates are run by the register code, over all combinations of values in the sets of the
//! cells they read, each combination once ([`explore`]). Beyond [`COMBINATIONS`] of them, and for a cell with more than
//! [`VALUES`] values, intervals take over: a condition is then judged by interval arithmetic, and an update gives its cells their
//! whole range. Receivers see what senders write in the same transition, so effects flow on within a layer.
//!
//! Synchronisation is factored by channel: a sender waits for any ready receiver of another process and the other way round, so
//! that no list of all pairs is made. A broadcast needs nobody; CSP style edges are taken alone, which over-approximates.
//!
//! Cost: an evaluation touches each action of a reached location once, and runs each conjunct and update once per combination.

pub mod explore;
pub mod goal;
mod judge;
mod meet;
mod plan;
pub mod task;
mod units;
mod values;

use task::Task;

/// Combinations of values that a condition or an update is run for.
pub const COMBINATIONS: u64 = 4096;
/// Values of a cell that are kept one by one.
pub const VALUES: usize = 256;

pub use explore::Relaxation;
pub type RelaxedTask<'n> = Task<'n>;
