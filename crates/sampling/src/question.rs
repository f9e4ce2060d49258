//! What is asked of runs, compiled: the bound that ends them, and what is looked at along them.

use super::condition::{Amount, Compiler, Condition, Line};
use super::machine::ClockOf;
use super::sampler::Question;
use super::system::System;
use model::check::{ResolvedBound, ResolvedMeasure, ResolvedPath};
use model::network::{Code, Expr, ExprId, Number, Relation};
use model::syntax::ast::{BinaryOp, Quantifier};
use model::syntax::query::Extremum;
use semantics::code::{Programs, Timed};

/// A question with its code, which stands behind that of the model.
pub struct Asked<'n> {
    pub programs: Programs<'n>,
    pub bound: Bound,
    pub kind: Kind,
    /// Whether a run has to be looked at in small steps of time.
    pub small: bool,
}

pub enum Kind {
    Path(Formula),
    Extremum(Extremum, Observed),
    Curves(Vec<Observed>, Option<Condition>),
}

/// Where a run ends.
pub struct Bound {
    pub limit: i32,
    pub measure: Measure,
}

pub enum Measure {
    Time,
    Steps,
    Clock(ClockOf),
}

pub enum Formula {
    Eventually(Condition),
    Globally(Condition),
    Until(Condition, Condition),
}

/// A number that is looked at.
pub struct Observed {
    pub number: Number,
    pub value: Amount,
    /// How it changes while time passes; `None` when it does not.
    pub line: Option<Line>,
}

impl<'n> Asked<'n> {
    pub fn new(system: &System<'n>, question: Question<'_>) -> Asked<'n> {
        let mut programs = system.programs.clone();
        let mut compiler = Compiler { network: system.network, programs: &mut programs };
        let (bound, kind, small) = match question {
            Question::Path { bound, path } => {
                let (formula, small) = compiler.formula(path);
                (bound, Kind::Path(formula), small)
            }
            Question::Extremum { bound, kind, number, expression } => {
                let small = !compiler.is_line(expression);
                (bound, Kind::Extremum(kind, compiler.observed(number, expression)), small)
            }
            Question::Curves { bound, expressions, filter } => {
                let straight = expressions.iter().all(|(_, id)| compiler.is_line(*id))
                    && filter.is_none_or(|filter| compiler.is_straight(filter));
                let observed = expressions.iter().map(|(number, id)| compiler.observed(*number, *id)).collect();
                (bound, Kind::Curves(observed, filter.map(|filter| compiler.condition(filter))), !straight)
            }
        };
        let bound = compiler.bound(bound);
        Asked { programs, bound, kind, small }
    }
}

impl Compiler<'_, '_> {
    fn bound(&mut self, bound: &ResolvedBound) -> Bound {
        let measure = match &bound.measure {
            ResolvedMeasure::Time => Measure::Time,
            ResolvedMeasure::Steps => Measure::Steps,
            ResolvedMeasure::Clock(place) => Measure::Clock(self.clock(place)),
        };
        Bound { limit: bound.limit, measure }
    }

    /// A formula, and whether it has to be looked at in small steps.
    fn formula(&mut self, path: &ResolvedPath) -> (Formula, bool) {
        match path {
            ResolvedPath::Eventually(p) => (Formula::Eventually(self.condition(*p)), !self.is_straight(*p)),
            ResolvedPath::Globally(p) => (Formula::Globally(self.condition(*p)), !self.is_straight(*p)),
            ResolvedPath::Until(p, q) => {
                let small = !(self.is_straight(*p) && self.is_straight(*q));
                (Formula::Until(self.condition(*p), self.condition(*q)), small)
            }
        }
    }

    fn observed(&mut self, number: Number, id: ExprId) -> Observed {
        let line = self.timed(id).then(|| self.line(id));
        Observed { number, value: self.amount(id), line }
    }

    fn is_straight(&self, id: ExprId) -> bool {
        self.facts(|timed| is_straight(&self.network.code, timed, id))
    }

    fn is_line(&self, id: ExprId) -> bool {
        self.facts(|timed| is_line(&self.network.code, timed, id))
    }
}

/// Whether a condition has a window in every state: it compares sums of clocks.
fn is_straight(code: &Code, timed: &Timed, id: ExprId) -> bool {
    let of = |id: &ExprId| is_straight(code, timed, *id);
    !timed.timed(id)
        || match code.expr(id) {
            Expr::And(left, right) | Expr::Or(left, right) => of(left) && of(right),
            Expr::Not(operand) => of(operand),
            Expr::ClockConstraint(_) => true,
            Expr::Conditional { condition, then, otherwise } => of(condition) && of(then) && of(otherwise),
            Expr::Quantified { quantifier: Quantifier::Forall | Quantifier::Exists, body, .. } => of(body),
            Expr::Binary { op, number: Number::Double, left, right } if Relation::of(*op).is_some() => {
                is_line(code, timed, *left) && is_line(code, timed, *right)
            }
            _ => false,
        }
}

/// Whether a number is a sum of clocks with constant factors.
fn is_line(code: &Code, timed: &Timed, id: ExprId) -> bool {
    let of = |id: &ExprId| is_line(code, timed, *id);
    !timed.timed(id)
        || match code.expr(id) {
            Expr::ClockValue(_) => true,
            Expr::Negate(Number::Double, operand) => of(operand),
            Expr::Conditional { condition, then, otherwise } => !timed.timed(*condition) && of(then) && of(otherwise),
            Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub, number: Number::Double, left, right } => {
                of(left) && of(right)
            }
            Expr::Binary { op: BinaryOp::Mul, number: Number::Double, left, right } => {
                of(left) && of(right) && (!timed.timed(*left) || !timed.timed(*right))
            }
            Expr::Binary { op: BinaryOp::Div, number: Number::Double, left, right } => of(left) && !timed.timed(*right),
            _ => false,
        }
}
