//! Whether refinement is defined between two systems at all: found out from their expressions, before anything moves.
//!
//! That the actions of two systems do not fit is an answer like any other, and has no run and no relation that could be checked. So whoever gives
//! it asks here, and whoever does not give it as well.

use super::systems::{Action, System, Systems};
use model::check::SystemExpr;
use model::deep_stack::on_deep_stack;
use model::network::Network;

/// What is in the way, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// Inputs of one side are outputs of the other.
    Crossing(Vec<Action>),
    /// Inputs of the left side that the right one does not have.
    Inputs(Vec<Action>),
    /// Outputs of the right side that the left one does not have.
    Outputs(Vec<Action>),
}

/// Why refinement is not defined between two systems, if it is not.
pub fn mismatch(network: &Network, left: &SystemExpr, right: &SystemExpr) -> Option<Mismatch> {
    mismatch_while(network, left, right, &mut || true).flatten()
}

/// As [`mismatch`], as long as the caller wants; the outer `None`: it was given up.
#[allow(clippy::option_option)]
pub fn mismatch_while(
    network: &Network,
    left: &SystemExpr,
    right: &SystemExpr,
    go_on: &mut (dyn FnMut() -> bool + Send),
) -> Option<Option<Mismatch>> {
    on_deep_stack(|| {
        let mut systems = Systems::none(network, &[left, right]);
        if !systems.prepare(&[left, right], go_on) {
            return None;
        }
        let (left, right) = (systems.system(left), systems.system(right));
        Some(mismatch_of(&left, &right))
    })
}

pub(super) fn mismatch_of(left: &System, right: &System) -> Option<Mismatch> {
    let crossing = &(&left.inputs & &right.outputs) | &(&left.outputs & &right.inputs);
    if !crossing.is_empty() {
        return Some(Mismatch::Crossing(crossing.into_iter().collect()));
    }
    let inputs = &left.inputs - &right.inputs;
    if !inputs.is_empty() {
        return Some(Mismatch::Inputs(inputs.into_iter().collect()));
    }
    let outputs = &right.outputs - &left.outputs;
    if outputs.is_empty() { None } else { Some(Mismatch::Outputs(outputs.into_iter().collect())) }
}
