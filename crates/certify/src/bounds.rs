//! The largest number that each clock is ever compared with.
//!
//! A lasso may come back with other clock values as long as nobody can tell. Above the largest number that a clock is
//! compared with, nobody can, unless the clock is compared with or copied to another clock. Bounds that are neither
//! constant nor variables with a declared range count as unknown, and then the clock must come back exactly.

use crate::interpreter::Interpreter;
use crate::rational::{Rational, integer};
use crate::semantics::Semantics;
use model::network::*;
use model::source::Span;

pub(crate) struct Bounds {
    /// `None`: every value matters. -1: no value does.
    largest: Vec<Option<i64>>,
}

impl Bounds {
    pub(crate) fn is_beyond(&self, clock: usize, value: &Rational) -> bool {
        matches!(self.largest.get(clock), Some(Some(bound)) if *value > integer(*bound))
    }

    fn raise(&mut self, clock: usize, bound: Option<i64>) {
        if let Some(known) = self.largest.get_mut(clock) {
            *known = known.zip(bound).map(|(a, b)| a.max(b));
        }
    }
}

/// The bounds from all guards, invariants, updates, and these predicates.
pub(crate) fn bounds(semantics: &Semantics, predicates: &[ExprId]) -> Bounds {
    let network = semantics.network();
    let mut bounds = Bounds { largest: vec![Some(-1); network.clocks.len()] };
    for process in semantics.processes() {
        let template = network.template_of(process);
        let mut code: Vec<ExprId> = template.locations.iter().filter_map(|location| location.invariant).collect();
        for edge in &template.edges {
            code.extend(edge.guard);
            code.extend(&edge.update);
            code.extend(edge.branches.iter().flat_map(|branch| &branch.update));
        }
        code.into_iter().for_each(|root| note(network, Some(process), root, &mut bounds));
    }
    for root in predicates.iter().chain(&network.before_update).chain(&network.after_update) {
        note(network, None, *root, &mut bounds);
    }
    bounds
}

fn note(network: &Network, process: Option<ProcessId>, root: ExprId, bounds: &mut Bounds) {
    network.code.walk(root, &mut |id, expr| match expr {
        Expr::ClockConstraint(constraint) => {
            let bound = match (&constraint.plus, &constraint.minus) {
                (Some(_), Some(_)) => None,
                _ => magnitude(network, process, constraint.bound),
            };
            for place in constraint.plus.iter().chain(&constraint.minus) {
                clocks_at(network, process, place, network.code.span(id))
                    .into_iter()
                    .for_each(|clock| bounds.raise(clock, bound));
            }
        }
        Expr::SetClock { target, source: Some(source), .. } => {
            for place in [target, source] {
                clocks_at(network, process, place, network.code.span(id))
                    .into_iter()
                    .for_each(|clock| bounds.raise(clock, None));
            }
        }
        _ => {}
    });
}

/// The largest absolute value that a bound can have.
fn magnitude(network: &Network, process: Option<ProcessId>, bound: ExprId) -> Option<i64> {
    if let Ok(value) = Interpreter::constant(network, process).int(bound) {
        // Select and quantifier variables read as 0 here, so a constant is believed only where none is read.
        let mut framed = false;
        network.code.walk(bound, &mut |_, expr| framed |= matches!(expr, Expr::Read(p) if p.base == Base::Frame));
        if !framed {
            return Some(i64::from(value).abs());
        }
    }
    match network.code.expr(bound) {
        Expr::Read(Place { ty: Type::Int(range), .. }) => {
            Some(i64::from(range.lo).abs().max(i64::from(range.hi).abs()))
        }
        _ => None,
    }
}

/// The clocks that a place can stand for; all where that is not known.
fn clocks_at(network: &Network, process: Option<ProcessId>, place: &Place, span: Span) -> Vec<usize> {
    if place.indices.is_empty()
        && let Ok(clock) = Interpreter::constant(network, process).clock(place, span)
    {
        return vec![clock.index()];
    }
    (0..network.clocks.len()).collect()
}
