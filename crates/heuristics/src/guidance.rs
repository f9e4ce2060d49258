//! What a directed search asks about states: estimates of the distance to the goal, which operator a step is an instance of, and
//! which operators a relaxed plan has.
//!
//! An operator is a transition of the network rather than of its state space: an internal edge, or a sending edge with a
//! receiving one (the "structural transitions" of docs/algorithms.md §3.1). Useless transitions and under-approximations are about operators.

use search::heuristic::Estimate;
use search::system::Deferred;

/// Names an operator; numbers are given as operators are first met.
pub type Operator = u32;

/// What a directed search asks.
pub trait Guidance<T: Deferred> {
    /// The estimate of a state; the sketches that follow are of its successors.
    fn enter(&mut self, system: &T, state: &T::State) -> Estimate;

    /// The estimate of a successor of the state that was entered last.
    fn estimate(&mut self, system: &T, sketch: T::Sketch<'_>) -> Estimate;

    /// Whether the goal may hold in a successor whose estimate is 0.
    fn may_be_goal(&mut self, system: &T, sketch: T::Sketch<'_>) -> bool {
        let _ = (system, sketch);
        true
    }

    /// The operator of a step.
    fn operator(&mut self, system: &T, label: T::Label, sketch: T::Sketch<'_>) -> Operator;

    /// Appends the operators of a relaxed plan of a state, each once; none if there is no plan.
    fn plan(&mut self, system: &T, state: &T::State, plan: &mut Vec<Operator>);

    /// The estimate of the state that was entered last in the system without an operator.
    fn without(&mut self, system: &T, state: &T::State, operator: Operator) -> Estimate;

    /// How many operators there are.
    fn operators(&self) -> u64;

    /// How many estimates were computed.
    fn evaluations(&self) -> u64;

    /// Memory held by caches.
    fn bytes(&self) -> usize;
}
