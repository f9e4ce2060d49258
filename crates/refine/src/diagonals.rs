//! Comparisons of clocks with each other, turned into something that local states know.
//!
//! While time passes a difference `x - y` stays as it is; only a reset of x or y changes it, and
//! when x is set to v, `x - y < c` will hold if `y > v - c` holds then. So each comparison that a
//! component makes is a bit of its local states, and every edge that resets one of the two clocks
//! becomes two, with a constraint on the other clock that says what the bit will be (Bérard,
//! Diekert, Gastin and Petit 1998). What is left compares clocks with numbers only, which
//! extrapolation by M bounds needs: with comparisons of clocks it would be wrong (Bouyer 2003). A
//! component with n comparisons may get 2^n times as many local states. Only those are made that
//! edges lead to and that some valuation fits ([`DifferenceBounds`]): n comparisons of the same two
//! clocks have n + 1 outcomes, and those of k clocks as many as their hyperplanes cut the space
//! into, a polynomial in n.

use crate::component::LocalState;
use crate::difference_bounds::{DifferenceBounds, bound};
use crate::unfold::Limit;
use crate::world::{Slots, World, moved};
use model::network::Relation;
use std::cmp::Ordering;
use zones::Constraint;

/// Beyond so many comparisons a component is not unfolded.
pub(crate) const DIAGONALS: usize = 1 << 10;
/// Beyond so many cases an edge is not split.
const CASES: usize = 1 << 12;

/// `left - right ≺ constant`, where left is the lesser clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Diagonal {
    pub left: u32,
    pub right: u32,
    pub constant: i32,
    pub strict: bool,
}

/// What a comparison of two different clocks demands: each comparison in its normal form, and
/// whether it is to hold.
pub(crate) fn demands(plus: u32, minus: u32, relation: Relation, bound: i32) -> Option<Vec<(Diagonal, bool)>> {
    let at_most = |strict: bool| upper(plus, minus, bound, strict);
    let at_least = |strict: bool| upper(minus, plus, bound.checked_neg()?, strict);
    Some(match relation {
        Relation::Lt => vec![at_most(true)?],
        Relation::Le => vec![at_most(false)?],
        Relation::Ge => vec![at_least(false)?],
        Relation::Gt => vec![at_least(true)?],
        Relation::Eq => vec![at_most(false)?, at_least(false)?],
        Relation::Ne => return None,
    })
}

/// `plus - minus ≺ bound`.
fn upper(plus: u32, minus: u32, bound: i32, strict: bool) -> Option<(Diagonal, bool)> {
    Some(match plus < minus {
        true => (Diagonal { left: plus, right: minus, constant: bound, strict }, true),
        // It holds unless the difference the other way round is below.
        false => (Diagonal { left: minus, right: plus, constant: bound.checked_neg()?, strict: !strict }, false),
    })
}

/// What is demanded of other clocks when an edge is taken, and the bits after it.
pub(crate) type Case = (Vec<Limit>, Vec<bool>);

impl Diagonal {
    pub fn holds(&self, left: i32, right: i32) -> bool {
        let difference = i64::from(left) - i64::from(right);
        let constant = i64::from(self.constant);
        if self.strict { difference < constant } else { difference <= constant }
    }

    /// Adds whether it holds to what is known; `false` if that is impossible.
    #[must_use]
    pub fn add(&self, holds: bool, known: &mut DifferenceBounds) -> bool {
        let constant = i64::from(self.constant);
        match holds {
            true => known.constrain(self.left, self.right, bound(constant, self.strict)),
            false => known.constrain(self.right, self.left, bound(-constant, !self.strict)),
        }
    }

    /// The condition on the clock that is not reset under which it holds after resets; `Err` if it
    /// is known. `None` if a constant is too large.
    fn after(&self, resets: &[(u32, i32)], now: bool) -> Option<Result<Limit, bool>> {
        let value = |clock: u32| resets.iter().find(|(reset, _)| *reset == clock).map(|(_, value)| *value);
        Some(match (value(self.left), value(self.right)) {
            (None, None) => Err(now),
            (Some(left), Some(right)) => Err(self.holds(left, right)),
            // left - v ≺ c
            (None, Some(right)) => Ok(Limit {
                clock: self.left,
                upper: true,
                constant: self.constant.checked_add(right)?,
                strict: self.strict,
            }),
            // v - right ≺ c
            (Some(left), None) => Ok(Limit {
                clock: self.right,
                upper: false,
                constant: left.checked_sub(self.constant)?,
                strict: self.strict,
            }),
        })
    }
}

/// The outcomes of all comparisons that some valuation has; `None` if there are too many.
pub(crate) fn outcomes(diagonals: &[Diagonal], clocks: usize) -> Option<Vec<Vec<bool>>> {
    let mut outcomes = vec![(DifferenceBounds::new(clocks), Vec::new())];
    for diagonal in diagonals {
        let mut next = Vec::new();
        for (known, bits) in outcomes {
            for bit in [true, false] {
                let mut known = known.clone();
                if diagonal.add(bit, &mut known) {
                    next.push((known, [&bits[..], &[bit]].concat()));
                }
            }
        }
        outcomes = next;
        if outcomes.len() > CASES {
            return None;
        }
    }
    Some(outcomes.into_iter().map(|(_, bits)| bits).collect())
}

/// The cases of an edge with these resets, where `before` is known when it is taken; `None` if
/// there are too many, or a constant is too large.
pub(crate) fn cases(
    diagonals: &[Diagonal],
    resets: &[(u32, i32)],
    bits: &[bool],
    before: &DifferenceBounds,
) -> Option<Vec<Case>> {
    let mut cases: Vec<(Case, DifferenceBounds)> = vec![(Default::default(), before.clone())];
    for (diagonal, now) in diagonals.iter().zip(bits) {
        let condition = diagonal.after(resets, *now)?;
        let Ok(limit) = condition else {
            let bit = condition.err().unwrap_or(*now);
            cases.iter_mut().for_each(|((_, bits), _)| bits.push(bit));
            continue;
        };
        let mut next = Vec::new();
        for ((limits, bits), known) in cases {
            for (limit, bit) in [(limit, true), (limit.negated(), false)] {
                let mut known = known.clone();
                if known.limit(limit) {
                    next.push(((with(&limits, limit), [&bits[..], &[bit]].concat()), known));
                }
            }
        }
        cases = next;
        if cases.len() > CASES {
            return None;
        }
    }
    Some(cases.into_iter().map(|(case, _)| case).collect())
}

/// Limits that do not contradict each other and one more, each clock with one at most on either
/// side.
fn with(limits: &[Limit], new: Limit) -> Vec<Limit> {
    let is_weaker = |one: &Limit, other: &Limit| match one.constant.cmp(&other.constant) {
        Ordering::Equal => other.strict || !one.strict,
        order => (order == Ordering::Greater) == one.upper,
    };
    let rival = |one: &&Limit| (one.clock, one.upper) == (new.clock, new.upper);
    let tightest = limits.iter().find(rival).filter(|known| is_weaker(&new, known)).copied().unwrap_or(new);
    limits.iter().filter(|one| !rival(one)).copied().chain([tightest]).collect()
}

impl World<'_> {
    /// What the local state of a leaf knows about differences of its clocks.
    pub fn differences(&self, leaf: u32, slots: &Slots) -> Vec<Constraint> {
        let base = self.leaves[leaf as usize].clocks;
        let LocalState { differences, .. } = self.local(leaf, slots);
        differences.iter().map(|one| moved(*one, base)).collect()
    }
}
