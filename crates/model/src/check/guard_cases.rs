//! Guards that offer a choice: `x <= 2 || x >= 8`, `x != 5`.
//!
//! UPPAAL has no such guards, timed I/O automata do: ECDAR's components may have them. An edge with one becomes several, with
//! conjunctions that exclude each other, so that every engine sees conjunctions only and a component that is deterministic
//! stays so.
//!
//! `a || b` holds if `a` does, or if `!a && b` does, and does not hold if `!a && !b` does; what is evaluated first stays first.
//! Cases that contradict themselves are left out as far as constants tell, so n comparisons of a clock with numbers have some
//! n cases; those of n clocks may have 2^n, hence a limit.

use super::Checker;
use crate::network::{ClockConstraint, Expr, ExprId, Relation, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// Beyond so many cases a guard is refused.
const CASES: usize = 1 << 8;
/// So is one with so many conditions.
const CONDITIONS: usize = 1 << 10;

/// Why a guard is not split.
pub(super) enum Unsplit {
    /// Clocks in something else than comparisons with integers, joined by logical operators.
    Form,
    Cases,
}

#[derive(Clone)]
enum Atom {
    /// The bound's value, where parameters do not matter.
    Clock(Rc<ClockConstraint>, Option<i32>, ExprId),
    /// A condition on integers, or its negation.
    Int(ExprId, bool),
}

type Case = Vec<Atom>;

/// Per condition and truth value the conjunctions that exclude each other, of which one holds where it has that value.
type Known = HashMap<(ExprId, bool), Rc<Vec<Case>>>;

impl Checker {
    /// Conjunctions that exclude each other, of which one holds where the guard does.
    pub(super) fn guard_cases(&mut self, guard: ExprId) -> Result<Vec<ExprId>, Unsplit> {
        let mut conditions = 0;
        self.network.code.walk_outside_functions(vec![guard], &mut |_, _| conditions += 1);
        if conditions > CONDITIONS {
            return Err(Unsplit::Cases);
        }
        let cases = self.cases(guard, true, &mut Known::new())?;
        let span = self.network.code.span(guard);
        let mut guards: Vec<ExprId> = cases.iter().map(|case| self.conjunction(case, guard)).collect();
        if guards.is_empty() {
            guards.push(self.code(Expr::Int(0), span));
        }
        Ok(guards)
    }

    fn cases(&self, id: ExprId, truth: bool, known: &mut Known) -> Result<Rc<Vec<Case>>, Unsplit> {
        if let Some(cases) = known.get(&(id, truth)) {
            return Ok(cases.clone());
        }
        let cases = match self.network.code.expr(id) {
            _ if !self.has_clocks(id) => vec![vec![Atom::Int(id, truth)]],
            Expr::Not(inner) => self.cases(*inner, !truth, known)?.to_vec(),
            Expr::ClockConstraint(constraint) => self.comparison_cases(constraint, truth, id),
            // One that decides, or the other one.
            expr @ (Expr::And(left, right) | Expr::Or(left, right)) => {
                let decides = matches!(expr, Expr::Or(..));
                let both = match decides == truth {
                    true => product(&self.cases(*left, !truth, known)?, &self.cases(*right, truth, known)?)?,
                    false => product(&self.cases(*left, truth, known)?, &self.cases(*right, truth, known)?)?,
                };
                let alone = if decides == truth { self.cases(*left, truth, known)?.to_vec() } else { Vec::new() };
                alone.into_iter().chain(both).collect()
            }
            _ => return Err(Unsplit::Form),
        };
        if cases.len() > CASES {
            return Err(Unsplit::Cases);
        }
        let cases = Rc::new(cases);
        known.insert((id, truth), cases.clone());
        Ok(cases)
    }

    fn comparison_cases(&self, constraint: &ClockConstraint, truth: bool, id: ExprId) -> Vec<Case> {
        let value = match self.evaluate(constraint.bound) {
            (Ok(Value::Int(value)), 0) => Some(value),
            _ => None,
        };
        let relations: &[Relation] = match (constraint.relation, truth) {
            (Relation::Lt, true) | (Relation::Ge, false) => &[Relation::Lt],
            (Relation::Le, true) | (Relation::Gt, false) => &[Relation::Le],
            (Relation::Ge, true) | (Relation::Lt, false) => &[Relation::Ge],
            (Relation::Gt, true) | (Relation::Le, false) => &[Relation::Gt],
            (Relation::Eq, true) | (Relation::Ne, false) => &[Relation::Eq],
            (Relation::Ne, true) | (Relation::Eq, false) => &[Relation::Lt, Relation::Gt],
        };
        let atom = |relation: &Relation| {
            Atom::Clock(Rc::new(ClockConstraint { relation: *relation, ..constraint.clone() }), value, id)
        };
        relations.iter().map(atom).filter(Atom::is_possible).map(|atom| vec![atom]).collect()
    }

    fn has_clocks(&self, id: ExprId) -> bool {
        let mut found = false;
        self.network.code.walk_outside_functions(vec![id], &mut |_, expr| {
            found |= matches!(expr, Expr::ClockConstraint(_) | Expr::ClockValue(_) | Expr::Rate { .. });
        });
        found
    }

    fn conjunction(&mut self, case: &Case, guard: ExprId) -> ExprId {
        let span = self.network.code.span(guard);
        let mut all = None;
        for atom in case {
            let next = match atom {
                Atom::Clock(constraint, _, origin) => {
                    let span = self.network.code.span(*origin);
                    self.code(Expr::ClockConstraint((**constraint).clone()), span)
                }
                Atom::Int(id, true) => *id,
                Atom::Int(id, false) => self.code(Expr::Not(*id), span),
            };
            all = Some(match all {
                None => next,
                Some(before) => self.code(Expr::And(before, next), span),
            });
        }
        all.unwrap_or_else(|| self.code(Expr::Int(1), span))
    }
}

/// Values a difference of clocks may have, in halves of a unit: the odd ones are what lies between integers.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Interval {
    from: i64,
    to: i64,
}

impl Interval {
    const ALL: Interval = Interval { from: i64::MIN / 4, to: i64::MAX / 4 };

    fn of(relation: Relation, value: i32) -> Interval {
        let value = 2 * i64::from(value);
        match relation {
            Relation::Lt => Interval { to: value - 1, ..Interval::ALL },
            Relation::Le => Interval { to: value, ..Interval::ALL },
            Relation::Eq => Interval { from: value, to: value },
            Relation::Ne => Interval::ALL,
            Relation::Ge => Interval { from: value, ..Interval::ALL },
            Relation::Gt => Interval { from: value + 1, ..Interval::ALL },
        }
    }

    fn mirrored(self) -> Interval {
        Interval { from: -self.to, to: -self.from }
    }

    fn meets(self, other: Interval) -> bool {
        self.from.max(other.from) <= self.to.min(other.to)
    }

    fn is_within(self, other: Interval) -> bool {
        other.from <= self.from && self.to <= other.to
    }
}

impl Atom {
    /// Clocks are not negative.
    fn is_possible(&self) -> bool {
        let Atom::Clock(constraint, Some(value), _) = self else { return true };
        let own = Interval::of(constraint.relation, *value);
        let clock = Interval { from: 0, ..Interval::ALL };
        match (&constraint.plus, &constraint.minus) {
            (Some(_), None) => own.meets(clock),
            (None, Some(_)) => own.meets(clock.mirrored()),
            _ => true,
        }
    }

    /// What two atoms say about the same thing, if they do.
    fn compared(&self, other: &Atom) -> Option<(Interval, Interval)> {
        match (self, other) {
            (Atom::Int(one, a), Atom::Int(two, b)) if one == two => {
                let truth = |holds: &bool| Interval::of(Relation::Eq, i32::from(*holds));
                Some((truth(a), truth(b)))
            }
            (Atom::Clock(one, a, _), Atom::Clock(two, b, _)) => {
                let is_same = one.plus == two.plus && one.minus == two.minus;
                let is_mirrored = one.plus == two.minus && one.minus == two.plus;
                match (a, b) {
                    (Some(a), Some(b)) if is_same || is_mirrored => {
                        let two = Interval::of(two.relation, *b);
                        Some((Interval::of(one.relation, *a), if is_same { two } else { two.mirrored() }))
                    }
                    _ if is_same && one.bound == two.bound => {
                        Some((Interval::of(one.relation, 0), Interval::of(two.relation, 0)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// All that two splits have in common.
fn product(left: &[Case], right: &[Case]) -> Result<Vec<Case>, Unsplit> {
    let mut cases = Vec::new();
    for one in left {
        for other in right {
            let mut case = one.clone();
            if other.iter().all(|atom| join(&mut case, atom)) {
                if cases.len() == CASES {
                    return Err(Unsplit::Cases);
                }
                cases.push(case);
            }
        }
    }
    Ok(cases)
}

/// Adds a condition to a conjunction; `false` if they contradict each other.
fn join(case: &mut Case, atom: &Atom) -> bool {
    for known in case.iter() {
        match known.compared(atom) {
            Some((known, new)) if !known.meets(new) => return false,
            Some((known, new)) if known.is_within(new) => return true,
            _ => {}
        }
    }
    // What the new one says better; conditions on integers keep their places, since an evaluation may fail.
    case.retain(|known| {
        matches!(known, Atom::Int(..)) || !known.compared(atom).is_some_and(|(known, new)| new.is_within(known))
    });
    case.push(atom.clone());
    true
}
