//! Conditions taken apart once, so that the delays at which they hold can be computed: which parts
//! time has no part in, and which compare sums of clocks. The parts themselves are register code.

use super::machine::ClockOf;
use model::network::{Base, Expr, ExprId, Network, Number, Place, Range, Relation};
use model::source::Span;
use model::syntax::ast::{BinaryOp, Quantifier};
use semantics::code::{DoubleId, IntId, Programs, Timed};

/// A guard, an invariant or a formula.
#[derive(Debug)]
pub struct Condition {
    /// Whether it holds now.
    pub truth: IntId,
    /// A conjunction of fixed parts and clock constraints: whether it holds now can be seen without
    /// running all its code.
    pub is_plain: bool,
    pub parts: Parts,
}

impl Condition {
    /// Whether time has no part in it.
    pub fn is_fixed(&self) -> bool {
        matches!(self.parts, Parts::Fixed(_))
    }
}

#[derive(Debug)]
pub enum Parts {
    /// No time passes in it.
    Fixed(IntId),
    And(Box<Parts>, Box<Parts>),
    Or(Box<Parts>, Box<Parts>),
    Not(Box<Parts>),
    Choice {
        condition: Box<Parts>,
        then: Box<Parts>,
        otherwise: Box<Parts>,
    },
    /// Of all values (`forall`) or of some.
    Each {
        forall: bool,
        slot: u32,
        range: Range,
        body: Box<Parts>,
        span: Span,
    },
    Clocks {
        plus: Option<ClockOf>,
        minus: Option<ClockOf>,
        relation: Relation,
        bound: Amount,
    },
    Compare {
        relation: Relation,
        left: Line,
        right: Line,
    },
    /// It can only be looked at.
    Unclear,
}

/// A number that may change while time passes.
#[derive(Debug)]
pub enum Line {
    Fixed(Amount),
    Clock(ClockOf),
    Negate(Box<Line>),
    Join(BinaryOp, Box<Line>, Box<Line>),
    Choice(IntId, Box<Line>, Box<Line>),
    Unclear,
}

/// A number as it is now.
#[derive(Clone, Copy, Debug)]
pub enum Amount {
    Constant(f64),
    /// An integer of the state.
    Cell(u32),
    Code(DoubleId),
}

impl Parts {
    fn is_plain(&self) -> bool {
        match self {
            Parts::Fixed(_) | Parts::Clocks { .. } => true,
            Parts::And(left, right) => left.is_plain() && right.is_plain(),
            _ => false,
        }
    }
}

/// Compiles labels and takes them apart.
pub struct Compiler<'c, 'n> {
    pub network: &'n Network,
    pub programs: &'c mut Programs<'n>,
}

impl Compiler<'_, '_> {
    pub fn timed(&self, id: ExprId) -> bool {
        self.programs.timed().is_none_or(|timed| timed.timed(id))
    }

    pub fn facts(&self, look: impl FnOnce(&Timed) -> bool) -> bool {
        self.programs.timed().is_some_and(look)
    }

    pub fn condition(&mut self, id: ExprId) -> Condition {
        let truth = self.programs.truth(id);
        let parts = if self.timed(id) { self.parts(id) } else { Parts::Fixed(truth) };
        Condition { truth, is_plain: parts.is_plain(), parts }
    }

    fn parts(&mut self, id: ExprId) -> Parts {
        if !self.timed(id) {
            return Parts::Fixed(self.programs.truth(id));
        }
        let code = &self.network.code;
        match code.expr(id) {
            Expr::And(left, right) => Parts::And(Box::new(self.parts(*left)), Box::new(self.parts(*right))),
            Expr::Or(left, right) => Parts::Or(Box::new(self.parts(*left)), Box::new(self.parts(*right))),
            Expr::Not(operand) => Parts::Not(Box::new(self.parts(*operand))),
            Expr::Conditional { condition, then, otherwise } => Parts::Choice {
                condition: Box::new(self.parts(*condition)),
                then: Box::new(self.parts(*then)),
                otherwise: Box::new(self.parts(*otherwise)),
            },
            Expr::Quantified {
                quantifier: quantifier @ (Quantifier::Forall | Quantifier::Exists),
                slot,
                range,
                body,
                ..
            } => {
                let (forall, span) = (*quantifier == Quantifier::Forall, code.span(*body));
                Parts::Each { forall, slot: *slot, range: *range, body: Box::new(self.parts(*body)), span }
            }
            Expr::ClockConstraint(constraint) => Parts::Clocks {
                plus: constraint.plus.as_ref().map(|place| self.clock(place)),
                minus: constraint.minus.as_ref().map(|place| self.clock(place)),
                relation: constraint.relation,
                bound: self.amount(constraint.bound),
            },
            Expr::Binary { op, number: Number::Double, left, right } => match Relation::of(*op) {
                Some(relation) => Parts::Compare { relation, left: self.line(*left), right: self.line(*right) },
                None => Parts::Unclear,
            },
            _ => Parts::Unclear,
        }
    }

    pub fn amount(&mut self, id: ExprId) -> Amount {
        match self.network.code.expr(id) {
            Expr::Int(value) => Amount::Constant(f64::from(*value)),
            Expr::Double(value) => Amount::Constant(*value),
            Expr::ToDouble(operand) => self.amount(*operand),
            Expr::Read(place) if place.base == Base::Global && place.indices.is_empty() && place.ty.is_integral() => {
                Amount::Cell(place.offset.ints)
            }
            _ => match self.programs.known(id) {
                Some(value) => Amount::Constant(f64::from(value)),
                None => Amount::Code(self.programs.double(id)),
            },
        }
    }

    pub fn line(&mut self, id: ExprId) -> Line {
        if !self.timed(id) {
            return Line::Fixed(self.amount(id));
        }
        match self.network.code.expr(id) {
            Expr::ClockValue(place) => Line::Clock(self.clock(place)),
            Expr::Negate(Number::Double, operand) => Line::Negate(Box::new(self.line(*operand))),
            Expr::Binary { op, number: Number::Double, left, right } => {
                Line::Join(*op, Box::new(self.line(*left)), Box::new(self.line(*right)))
            }
            Expr::Conditional { condition, then, otherwise } if !self.timed(*condition) => {
                let condition = self.programs.truth(*condition);
                Line::Choice(condition, Box::new(self.line(*then)), Box::new(self.line(*otherwise)))
            }
            _ => Line::Unclear,
        }
    }

    pub fn clock(&mut self, place: &Place) -> ClockOf {
        match (&place.base, place.indices.is_empty()) {
            (Base::Global, true) => ClockOf::Global(place.offset.clocks),
            (Base::Local, true) => ClockOf::Local(place.offset.clocks),
            _ => self.programs.clock(place).map_or(ClockOf::Global(place.offset.clocks), ClockOf::Code),
        }
    }
}
