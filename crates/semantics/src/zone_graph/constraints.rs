//! Clock bounds of guards and invariants as constraints on a zone.

use crate::code::ClockBound;
use model::network::Relation;
use zones::{Bound, Constraint};

/// A clock bound as constraints on a zone whose clocks stand where `index` says. A clock that is not there is not
/// constrained: it is inactive, so nothing depends on it.
pub(crate) fn push_constraints(bound: &ClockBound, index: &[u32], out: &mut Vec<Constraint>) {
    let at = |clock: Option<model::network::ClockId>| {
        clock.map_or(Some(0), |clock| Some(index[clock.index()]).filter(|n| *n > 0))
    };
    let (Some(plus), Some(minus)) = (at(bound.plus), at(bound.minus)) else { return };
    let mut push = |left: u32, right: u32, constant: i32, strict: bool| {
        let bound = if strict { Bound::try_lt(constant) } else { Bound::try_le(constant) };
        if left == right {
            // `x - x` is 0: the constraint holds always or never.
            if constant < 0 || strict && constant == 0 {
                out.push(Constraint { left: left.max(1), right: 0, bound: Bound::LT_ZERO });
            }
            return;
        }
        // Beyond what a bound can hold: larger than every value, or smaller.
        let limit = Bound::MAX_CONSTANT;
        let bound = bound.unwrap_or(if constant > 0 { Bound::le(limit) } else { Bound::le(-limit) });
        out.push(Constraint { left, right, bound });
    };
    let constant = bound.bound;
    match bound.relation {
        Relation::Lt => push(plus, minus, constant, true),
        Relation::Le => push(plus, minus, constant, false),
        Relation::Ge => push(minus, plus, constant.saturating_neg(), false),
        Relation::Gt => push(minus, plus, constant.saturating_neg(), true),
        Relation::Eq => {
            push(plus, minus, constant, false);
            push(minus, plus, constant.saturating_neg(), false);
        }
        // Only in predicates, which split it.
        Relation::Ne => {}
    }
}
