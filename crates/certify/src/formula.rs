//! Conditions after everything discrete in them is evaluated: what remains speaks about clocks only.
//!
//! One formula serves for a state at one moment, for all moments of a delay and for a zone. [`parts`] cuts a region of any
//! of these kinds into the parts where a formula holds, or does not hold. Evaluation is from left to right and stops when
//! the result is known, so that an error in a formula counts only where it is reached: `x < 5 && a[i] > 0` with a bad
//! index is an error at the moments with `x < 5` and false at the others.

use crate::error::{ErrorKind, EvalError};
use crate::state::ClockMap;
use model::network::{ClockId, Relation};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    True,
    False,
    Atom(Atom),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Not(Box<Formula>),
    /// `x' == n`: always true, and says how fast the clock runs.
    Rate(ClockId, i32),
    Deadlock,
    /// Evaluation ends here.
    Error(EvalError),
}

/// `plus - minus ~ bound`, where an absent clock is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atom {
    pub plus: Option<ClockId>,
    pub minus: Option<ClockId>,
    pub relation: Relation,
    pub bound: i64,
}

impl Atom {
    pub(crate) fn negated(self) -> Atom {
        let relation = match self.relation {
            Relation::Lt => Relation::Ge,
            Relation::Le => Relation::Gt,
            Relation::Eq => Relation::Ne,
            Relation::Ne => Relation::Eq,
            Relation::Ge => Relation::Lt,
            Relation::Gt => Relation::Le,
        };
        Atom { relation, ..self }
    }

    /// True or false where no clock is left to ask.
    fn formula(self) -> Formula {
        if self.plus != self.minus {
            return Formula::Atom(self);
        }
        truth(compare(self.relation, 0.cmp(&self.bound)))
    }

    /// The condition on the clocks before the updates that is this condition after them.
    fn before(self, map: &ClockMap) -> Formula {
        let (plus, added) = self.plus.map_or((None, 0), |clock| map.value(clock));
        let (minus, subtracted) = self.minus.map_or((None, 0), |clock| map.value(clock));
        Atom { plus, minus, relation: self.relation, bound: self.bound - added + subtracted }.formula()
    }
}

pub(crate) fn compare(relation: Relation, order: std::cmp::Ordering) -> bool {
    match relation {
        Relation::Lt => order.is_lt(),
        Relation::Le => order.is_le(),
        Relation::Eq => order.is_eq(),
        Relation::Ne => order.is_ne(),
        Relation::Ge => order.is_ge(),
        Relation::Gt => order.is_gt(),
    }
}

fn truth(value: bool) -> Formula {
    if value { Formula::True } else { Formula::False }
}

impl Formula {
    pub(crate) fn truth(value: bool) -> Formula {
        truth(value)
    }

    pub(crate) fn atom(atom: Atom) -> Formula {
        atom.formula()
    }

    /// The conjunction in this order, without what is known.
    pub(crate) fn all(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Formula::True => {}
                Formula::And(parts) => kept.extend(parts),
                Formula::False if kept.is_empty() => return Formula::False,
                Formula::False | Formula::Error(_) => {
                    kept.push(part);
                    break;
                }
                _ => kept.push(part),
            }
        }
        match kept.len() {
            0 => Formula::True,
            1 => kept.remove(0),
            _ => Formula::And(kept),
        }
    }

    /// The disjunction in this order, without what is known.
    pub(crate) fn any(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Formula::False => {}
                Formula::Or(parts) => kept.extend(parts),
                Formula::True if kept.is_empty() => return Formula::True,
                Formula::True | Formula::Error(_) => {
                    kept.push(part);
                    break;
                }
                _ => kept.push(part),
            }
        }
        match kept.len() {
            0 => Formula::False,
            1 => kept.remove(0),
            _ => Formula::Or(kept),
        }
    }

    pub(crate) fn negate(self) -> Formula {
        match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Error(error) => Formula::Error(error),
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// The condition before the updates that is this condition after them.
    pub(crate) fn before(&self, map: &ClockMap) -> Formula {
        match self {
            Formula::Atom(atom) => atom.before(map),
            Formula::And(parts) => Formula::all(parts.iter().map(|part| part.before(map))),
            Formula::Or(parts) => Formula::any(parts.iter().map(|part| part.before(map))),
            Formula::Not(inner) => inner.before(map).negate(),
            other => other.clone(),
        }
    }

    /// Every clock that the formula speaks about.
    pub(crate) fn for_each_clock(&self, visit: &mut dyn FnMut(ClockId)) {
        match self {
            Formula::Atom(atom) => atom.plus.into_iter().chain(atom.minus).for_each(visit),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| part.for_each_clock(visit)),
            Formula::Not(inner) => inner.for_each_clock(visit),
            Formula::Rate(clock, _) => visit(*clock),
            Formula::True | Formula::False | Formula::Deadlock | Formula::Error(_) => {}
        }
    }

    pub(crate) fn mentions_deadlock(&self) -> bool {
        match self {
            Formula::Deadlock => true,
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(Formula::mentions_deadlock),
            Formula::Not(inner) => inner.mentions_deadlock(),
            _ => false,
        }
    }
}

/// A kind of region that constraints on clocks can cut: moments of a delay, or valuations of a zone.
pub(crate) trait Space {
    type Region: Clone;

    /// The parts of the region where the constraint holds, none of them empty, no two overlapping.
    fn cut(&self, region: &Self::Region, atom: Atom) -> Result<Vec<Self::Region>, EvalError>;

    /// The parts where the state is a deadlock, or is none.
    fn deadlock(&self, _region: &Self::Region, _holds: bool) -> Result<Vec<Self::Region>, EvalError> {
        Err(EvalError::new(ErrorKind::Unsupported, None, "`deadlock` cannot be evaluated here"))
    }
}

/// The parts of a region where the formula holds (`want`), or where it does not; no two overlap.
pub(crate) fn parts<S: Space>(
    space: &S,
    formula: &Formula,
    want: bool,
    region: &S::Region,
) -> Result<Vec<S::Region>, EvalError> {
    match formula {
        Formula::True | Formula::Rate(..) => Ok(if want { vec![region.clone()] } else { Vec::new() }),
        Formula::False => Ok(if want { Vec::new() } else { vec![region.clone()] }),
        Formula::Atom(atom) => space.cut(region, if want { *atom } else { atom.negated() }),
        Formula::Not(inner) => parts(space, inner, !want, region),
        Formula::Deadlock => space.deadlock(region, want),
        Formula::Error(error) => Err(error.clone()),
        // A conjunction goes on where all so far hold and is decided as false where one does not; a disjunction is the
        // other way round.
        Formula::And(list) => sequence(space, list, true, want, region),
        Formula::Or(list) => sequence(space, list, false, want, region),
    }
}

/// Goes through the list as long as its members have the value `on`; the region left over at the end has it for all.
fn sequence<S: Space>(
    space: &S,
    list: &[Formula],
    on: bool,
    want: bool,
    region: &S::Region,
) -> Result<Vec<S::Region>, EvalError> {
    let mut going = vec![region.clone()];
    let mut decided = Vec::new();
    for formula in list {
        let mut next = Vec::new();
        for region in &going {
            next.extend(parts(space, formula, on, region)?);
            if want != on {
                decided.extend(parts(space, formula, !on, region)?);
            }
        }
        going = next;
        if going.is_empty() {
            break;
        }
    }
    Ok(if want == on { going } else { decided })
}
