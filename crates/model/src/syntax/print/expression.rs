//! Expressions. A quantifier needs parentheses wherever something follows it, because its body would swallow that.

use super::super::ast::*;
use super::super::operators::{ANY, ASSIGN, CONDITIONAL, POSTFIX, UNARY};
use super::list;
use std::fmt::{Display, Formatter, Result};

/// Whether more of the same expression stands behind a part of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    Nothing,
    Something,
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write(f, self, ANY, Behind::Nothing)
    }
}

impl Display for Ident {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.name)
    }
}

/// Writes an operand of an operator that takes only what binds at least as tightly as `level`.
fn write(f: &mut Formatter<'_>, expr: &Expr, level: u8, behind: Behind) -> Result {
    let bare = match &expr.kind {
        // Prefix operators may stand behind any other operator.
        ExprKind::Quantified { .. } => behind == Behind::Nothing && level <= UNARY,
        _ => own_level(&expr.kind) >= level,
    };
    if bare {
        return write_bare(f, &expr.kind, behind);
    }
    f.write_str("(")?;
    write_bare(f, &expr.kind, Behind::Nothing)?;
    f.write_str(")")
}

fn own_level(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Quantified { .. } => ANY,
        ExprKind::Assign { .. } => ASSIGN,
        ExprKind::Conditional { .. } => CONDITIONAL,
        ExprKind::Binary { op, .. } => op.level(),
        ExprKind::Unary { .. } | ExprKind::Step { fix: Fix::Prefix, .. } => UNARY,
        ExprKind::Int(value) if *value < 0 => UNARY,
        _ => POSTFIX,
    }
}

fn write_bare(f: &mut Formatter<'_>, kind: &ExprKind, behind: Behind) -> Result {
    match kind {
        ExprKind::Int(value) => write!(f, "{value}"),
        ExprKind::Double(value) => write!(f, "{value:?}"),
        ExprKind::Bool(value) => write!(f, "{value}"),
        ExprKind::String(text) => write!(f, "\"{text}\""),
        ExprKind::Name(name) => name.fmt(f),
        ExprKind::Call { callee, arguments } => {
            write(f, callee, POSTFIX, Behind::Something)?;
            write_arguments(f, arguments)
        }
        ExprKind::Index { base, index } => {
            write(f, base, POSTFIX, Behind::Something)?;
            write!(f, "[{index}]")
        }
        ExprKind::Member { base, member } => {
            write(f, base, POSTFIX, Behind::Something)?;
            write!(f, ".{member}")
        }
        ExprKind::Rate(clock) => {
            write(f, clock, POSTFIX, Behind::Something)?;
            f.write_str("'")
        }
        ExprKind::Step { op, fix: Fix::Postfix, operand } => {
            write(f, operand, POSTFIX, Behind::Something)?;
            f.write_str(step_symbol(*op))
        }
        ExprKind::Step { op, fix: Fix::Prefix, operand } => {
            f.write_str(step_symbol(*op))?;
            write(f, operand, UNARY, behind)
        }
        ExprKind::Unary { op, operand } => write_unary(f, *op, operand, behind),
        ExprKind::Binary { op, left, right } => {
            write(f, left, op.level(), Behind::Something)?;
            write!(f, " {} ", op.symbol())?;
            write(f, right, op.level() + 1, behind)
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            write(f, condition, CONDITIONAL + 1, Behind::Something)?;
            write!(f, " ? {then} : ")?;
            write(f, otherwise, CONDITIONAL, behind)
        }
        ExprKind::Assign { op, target, value } => {
            write(f, target, ASSIGN + 1, Behind::Something)?;
            write!(f, " {}= ", op.map_or("", BinaryOp::symbol))?;
            write(f, value, ASSIGN, behind)
        }
        ExprKind::Quantified { quantifier, variable, ty, body } => {
            write!(f, "{quantifier} ({variable} : {ty}) ")?;
            write(f, body, ANY, behind)
        }
        ExprKind::Deadlock => f.write_str("deadlock"),
        ExprKind::Spawn { template, arguments } => {
            write!(f, "spawn {template}")?;
            write_arguments(f, arguments)
        }
        ExprKind::Exit => f.write_str("exit()"),
        ExprKind::NumberOf(template) => write!(f, "numOf({template})"),
        ExprKind::Error => f.write_str("<error>"),
    }
}

fn write_arguments(f: &mut Formatter<'_>, arguments: &[Expr]) -> Result {
    f.write_str("(")?;
    list(f, arguments)?;
    f.write_str(")")
}

fn write_unary(f: &mut Formatter<'_>, op: UnaryOp, operand: &Expr, behind: Behind) -> Result {
    f.write_str(match op {
        UnaryOp::Not => "!",
        UnaryOp::Minus => "-",
        UnaryOp::Plus => "+",
    })?;
    // Two signs without a blank would be one symbol.
    let signed = match &operand.kind {
        ExprKind::Unary { op, .. } => *op != UnaryOp::Not,
        ExprKind::Step { fix, .. } => *fix == Fix::Prefix,
        ExprKind::Int(value) => *value < 0,
        _ => false,
    };
    if signed && op != UnaryOp::Not {
        f.write_str(" ")?;
    }
    write(f, operand, UNARY, behind)
}

fn step_symbol(op: StepOp) -> &'static str {
    match op {
        StepOp::Increment => "++",
        StepOp::Decrement => "--",
    }
}

impl Display for Quantifier {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Quantifier::Forall => "forall",
            Quantifier::Exists => "exists",
            Quantifier::Sum => "sum",
            Quantifier::Foreach => "foreach",
        })
    }
}

impl Display for Sync {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write(f, &self.channel, CONDITIONAL + 1, Behind::Something)?;
        f.write_str(match self.direction {
            Direction::Send => "!",
            Direction::Receive => "?",
            Direction::Csp => "",
        })
    }
}
