//! Guards and invariants that declared ranges decide: `i <= 10` for an `int[0,5] i`, `x >= 0` for a clock.
//!
//! Values of constants and parameters are taken as unknown, although they are known here, and so are ranges that they
//! decide: `FIXED && ...` with a constant is how a model has variants, and `count >= LIMIT` is no mistake because today's
//! limit is 0. So are quantifiers and calls. What remains and is decided all the same was surely not meant.

use super::Checker;
use super::scope::Symbol;
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{Base, Range, Type};
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

/// Both ends belong to it. Wide enough for sums and products of 32-bit integers.
#[derive(Clone, Copy, PartialEq)]
struct Interval {
    lo: i64,
    hi: i64,
}

/// No integer reaches this, and a clock has no other upper end.
const ENDLESS: i64 = i64::MAX;

#[derive(Clone, Copy)]
struct Truth {
    holds: bool,
    /// A plain `true` or `1` is why, which is written on purpose.
    literal: bool,
}

struct Decided {
    span: Span,
    holds: bool,
    /// "`i` is `int[0,5]`"
    reasons: Vec<String>,
}

impl Checker {
    pub(super) fn warn_decided(&mut self, condition: &Expr, what: &str) {
        // Ranges that depend on a parameter's value say nothing about other values: look at the general form only.
        if self.context.template.as_ref().is_some_and(|template| template.known != 0) {
            return;
        }
        let mut found = Vec::new();
        self.decide(condition, &mut found);
        for Decided { span, holds, reasons } in found {
            let part = if span == condition.span { what } else { "condition" };
            let (code, verb) =
                if holds { (Code::ALWAYS_TRUE, "always holds") } else { (Code::ALWAYS_FALSE, "never holds") };
            let diagnostic = Diagnostic::new(code, span, format!("this {part} {verb}"));
            self.report(if reasons.is_empty() { diagnostic } else { diagnostic.label(reasons.join(", ")) });
        }
    }

    /// Whether a condition is true or false in every state. The largest decided parts are added to `found`.
    fn decide(&mut self, expr: &Expr, found: &mut Vec<Decided>) -> Option<Truth> {
        let mark = found.len();
        let truth = match &expr.kind {
            ExprKind::Bool(value) => return Some(Truth { holds: *value, literal: true }),
            ExprKind::Int(value) => return Some(Truth { holds: *value != 0, literal: true }),
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                let truth = self.decide(operand, found)?;
                Truth { holds: !truth.holds, ..truth }
            }
            ExprKind::Binary { op: op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Imply), left, right } => {
                let (left, right) = (self.decide(left, found), self.decide(right, found));
                let left = left.map(|truth| Truth { holds: truth.holds != (*op == BinaryOp::Imply), ..truth });
                junction(*op == BinaryOp::And, left, right)?
            }
            ExprKind::Binary { op, left, right } => {
                let mut reasons = Vec::new();
                let (a, b) = (self.interval(left, &mut reasons)?, self.interval(right, &mut reasons)?);
                let holds = compare(*op, a, b)?;
                found.push(Decided { span: expr.span, holds, reasons });
                return Some(Truth { holds, literal: false });
            }
            _ => return None,
        };
        if !truth.literal {
            let mut reasons: Vec<String> = Vec::new();
            for reason in found.drain(mark..).flat_map(|part| part.reasons) {
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
            found.push(Decided { span: expr.span, holds: truth.holds, reasons });
        }
        Some(truth)
    }

    fn interval(&mut self, expr: &Expr, reasons: &mut Vec<String>) -> Option<Interval> {
        let interval = match &expr.kind {
            ExprKind::Int(value) => Interval { lo: i64::from(*value), hi: i64::from(*value) },
            ExprKind::Bool(value) => Interval { lo: i64::from(*value), hi: i64::from(*value) },
            ExprKind::Name(_) | ExprKind::Index { .. } | ExprKind::Member { .. } => {
                let (name, ty) = self.variable_type(expr)?;
                let (interval, reason) = match ty {
                    Type::Clock { hybrid: false } => {
                        (Interval { lo: 0, hi: ENDLESS }, format!("the clock `{name}` is never below 0"))
                    }
                    Type::Int(Range::FULL) => return None,
                    Type::Int(range) => {
                        let interval = Interval { lo: range.lo.into(), hi: range.hi.into() };
                        (interval, format!("`{name}` is between {} and {}", range.lo, range.hi))
                    }
                    Type::Bool => (Interval { lo: 0, hi: 1 }, format!("`{name}` is `bool`")),
                    _ => return None,
                };
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
                interval
            }
            ExprKind::Unary { op: UnaryOp::Plus, operand } => self.interval(operand, reasons)?,
            ExprKind::Unary { op: UnaryOp::Minus, operand } => {
                let operand = self.bounded(operand, reasons)?;
                Interval { lo: -operand.hi, hi: -operand.lo }
            }
            ExprKind::Binary { op, left, right } => {
                let (a, b) = (self.bounded(left, reasons)?, self.bounded(right, reasons)?);
                match op {
                    BinaryOp::Add => Interval { lo: a.lo + b.lo, hi: a.hi + b.hi },
                    BinaryOp::Sub => Interval { lo: a.lo - b.hi, hi: a.hi - b.lo },
                    BinaryOp::Mul => {
                        let corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
                        let (first, rest) = corners.split_first()?;
                        Interval {
                            lo: rest.iter().fold(*first, |lo, corner| lo.min(*corner)),
                            hi: rest.iter().fold(*first, |hi, corner| hi.max(*corner)),
                        }
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        // Beyond 32 bits arithmetic wraps around.
        let fits = |value: i64| i32::try_from(value).is_ok();
        (fits(interval.lo) && (fits(interval.hi) || interval.hi == ENDLESS)).then_some(interval)
    }

    fn bounded(&mut self, expr: &Expr, reasons: &mut Vec<String>) -> Option<Interval> {
        self.interval(expr, reasons).filter(|interval| interval.hi != ENDLESS)
    }

    /// The type of a variable, an element or a field that can have more than one value, and the name of the variable.
    fn variable_type(&mut self, expr: &Expr) -> Option<(String, Type)> {
        match &expr.kind {
            ExprKind::Name(name) => match &self.scopes.resolve(&name.name)?.symbol {
                Symbol::Variable(variable) => match variable.place.base {
                    Base::Constant | Base::LocalConstant => None,
                    _ if !variable.fixed_range => None,
                    _ => Some((name.name.to_string(), variable.place.ty.clone())),
                },
                _ => None,
            },
            ExprKind::Index { base, .. } => match self.variable_type(base)? {
                (name, Type::Array(array)) => Some((format!("{name}[]"), array.element.clone())),
                _ => None,
            },
            ExprKind::Member { base, member } => {
                let (name, ty) = self.variable_type(base)?;
                Some((format!("{name}.{}", member.name), ty.field(&member.name)?.1.clone()))
            }
            _ => None,
        }
    }
}

/// A conjunction or a disjunction: one side that decides is enough.
fn junction(is_and: bool, left: Option<Truth>, right: Option<Truth>) -> Option<Truth> {
    let decides = |truth: &Truth| truth.holds != is_and;
    match (left, right) {
        (Some(truth), _) if decides(&truth) => Some(truth),
        (_, Some(truth)) if decides(&truth) => Some(truth),
        (Some(left), Some(right)) => Some(Truth { holds: is_and, literal: left.literal && right.literal }),
        _ => None,
    }
}

fn compare(op: BinaryOp, a: Interval, b: Interval) -> Option<bool> {
    let decide = |always: bool, never: bool| (always || never).then_some(always);
    match op {
        BinaryOp::Lt => decide(a.hi < b.lo, a.lo >= b.hi),
        BinaryOp::Le => decide(a.hi <= b.lo, a.lo > b.hi),
        BinaryOp::Gt => decide(a.lo > b.hi, a.hi <= b.lo),
        BinaryOp::Ge => decide(a.lo >= b.hi, a.hi < b.lo),
        BinaryOp::Eq => decide(a.lo == a.hi && a == b, a.hi < b.lo || b.hi < a.lo),
        BinaryOp::Ne => decide(a.hi < b.lo || b.hi < a.lo, a.lo == a.hi && a == b),
        _ => None,
    }
}
