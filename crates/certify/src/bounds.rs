//! The largest number that each clock is ever compared with.
//!
//! A lasso may come back with other clock values as long as nobody can tell. Above the largest number that a clock is
//! compared with, nobody can, unless the clock is copied to another clock. Where two clocks are compared with each other,
//! their difference must come back too, or be beyond all numbers it is compared with, on the same side: delays do not change it,
//! and when one of the two is set to a number, the other is above what can then be told. Bounds that are neither constant nor
//! variables with a declared range count as unknown, and then the clock must come back exactly; so must two clocks that
//! are compared where clocks can stand still, and a clock that may run backwards.

use crate::interpreter::Interpreter;
use crate::rational::{Rational, integer, subtract};
use crate::semantics::Semantics;
use model::network::*;
use model::source::Span;

pub(crate) struct Bounds {
    /// `None`: every value matters. -1: no value does.
    largest: Vec<Option<i64>>,
    /// Clocks that are compared with each other, and the largest number that their difference is compared with.
    compared: Vec<(usize, usize, i64)>,
}

impl Bounds {
    pub(crate) fn is_beyond(&self, clock: usize, value: &Rational) -> bool {
        matches!(self.largest.get(clock), Some(Some(bound)) if *value > integer(*bound))
    }

    /// Two clocks whose difference tells the states apart.
    pub(crate) fn told_apart(&self, first: &[Rational], last: &[Rational]) -> Option<(usize, usize)> {
        let differs = |&&(plus, minus, bound): &&(usize, usize, i64)| {
            let difference = |clocks: &[Rational]| subtract(clocks.get(plus)?, clocks.get(minus)?).ok();
            let (Some(a), Some(b)) = (difference(first), difference(last)) else { return true };
            let (low, high) = (integer(-bound), integer(bound));
            a != b && !(a > high && b > high || a < low && b < low)
        };
        self.compared.iter().find(differs).map(|&(plus, minus, _)| (plus, minus))
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
    let mut bounds = Bounds { largest: vec![Some(-1); network.clocks.len()], compared: Vec::new() };
    let mut largest_set = Some(0);
    let mut stops = false;
    for process in semantics.processes() {
        let template = network.template_of(process);
        let mut code: Vec<ExprId> = template.locations.iter().filter_map(|location| location.invariant).collect();
        for edge in &template.edges {
            code.extend(edge.guard);
            code.extend(&edge.update);
            code.extend(edge.branches.iter().flat_map(|branch| &branch.update));
        }
        for root in code {
            note(network, Some(process), root, &mut bounds);
            network.code.walk(root, &mut |_, expr| match expr {
                Expr::Rate { clock, rate, .. } => {
                    stops = true;
                    if may_be_negative(network, Some(process), *rate) {
                        let clocks = clocks_at(network, Some(process), clock, network.code.span(root));
                        clocks.into_iter().for_each(|clock| bounds.raise(clock, None));
                    }
                }
                Expr::SetClock { source: None, offset, .. } => {
                    let set = magnitude(network, Some(process), *offset);
                    largest_set = largest_set.zip(set).map(|(a, b): (i64, i64)| a.max(b));
                }
                _ => {}
            });
        }
    }
    for root in predicates.iter().chain(&network.before_update).chain(&network.after_update) {
        note(network, None, *root, &mut bounds);
    }
    for root in network.before_update.iter().chain(&network.after_update) {
        let mut sets = false;
        network.code.walk(*root, &mut |_, expr| sets |= matches!(expr, Expr::SetClock { .. }));
        largest_set = largest_set.filter(|_| !sets);
    }
    for (plus, minus, bound) in bounds.compared.clone() {
        let bound = largest_set.filter(|_| !stops).and_then(|set| bound.checked_add(set));
        bounds.raise(plus, bound);
        bounds.raise(minus, bound);
    }
    bounds
}

fn note(network: &Network, process: Option<ProcessId>, root: ExprId, bounds: &mut Bounds) {
    network.code.walk(root, &mut |id, expr| match expr {
        Expr::ClockConstraint(constraint) => {
            let bound = magnitude(network, process, constraint.bound);
            let clocks = |place: &Place| clocks_at(network, process, place, network.code.span(id));
            let plus = constraint.plus.as_ref().map(clocks).unwrap_or_default();
            let minus = constraint.minus.as_ref().map(clocks).unwrap_or_default();
            plus.iter().chain(&minus).for_each(|clock| bounds.raise(*clock, bound));
            if let Some(bound) = bound {
                let pairs = plus.iter().flat_map(|plus| minus.iter().map(move |minus| (*plus, *minus, bound)));
                bounds.compared.extend(pairs);
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

/// Whether a rate can be below zero, so that a clock comes back from beyond everything that it is compared with.
fn may_be_negative(network: &Network, process: Option<ProcessId>, rate: ExprId) -> bool {
    match network.code.expr(rate) {
        Expr::Read(Place { ty: Type::Int(range), .. }) => range.lo < 0,
        _ if magnitude(network, process, rate).is_none() => true,
        _ => Interpreter::constant(network, process).int(rate).map_or(true, |value| value < 0),
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
