//! Operators on 32-bit integers: they wrap around, division truncates, shifts and powers want no negative right side.

use super::error::RunErrorKind;
use model::syntax::ast::BinaryOp;

#[inline(never)]
pub(crate) fn int_binary(op: BinaryOp, left: i32, right: i32) -> Result<i32, RunErrorKind> {
    use BinaryOp::*;
    Ok(match op {
        Or => i32::from(left != 0 || right != 0),
        Imply => i32::from(left == 0 || right != 0),
        And => i32::from(left != 0 && right != 0),
        Xor => i32::from((left != 0) != (right != 0)),
        BitOr => left | right,
        BitXor => left ^ right,
        BitAnd => left & right,
        Eq => i32::from(left == right),
        Ne => i32::from(left != right),
        Lt => i32::from(left < right),
        Le => i32::from(left <= right),
        Ge => i32::from(left >= right),
        Gt => i32::from(left > right),
        Min => left.min(right),
        Max => left.max(right),
        ShiftLeft | ShiftRight if right < 0 => return Err(RunErrorKind::NegativeShift { by: right }),
        ShiftLeft => left.checked_shl(right as u32).unwrap_or(0),
        ShiftRight => left >> right.min(31),
        Add => left.wrapping_add(right),
        Sub => left.wrapping_sub(right),
        Mul => left.wrapping_mul(right),
        Div | Mod if right == 0 => return Err(RunErrorKind::DivisionByZero),
        Div => left.wrapping_div(right),
        Mod => left.wrapping_rem(right),
        Power if right < 0 => return Err(RunErrorKind::NegativeExponent { exponent: right }),
        Power => left.wrapping_pow(right as u32),
    })
}

/// A comparison; its result is 0 or 1.
pub(crate) fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Eq | Ne | Lt | Le | Ge | Gt)
}

/// `a op b` as `b op' a`.
pub(crate) fn mirrored(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Lt => Gt,
        Le => Ge,
        Ge => Le,
        Gt => Lt,
        other => other,
    }
}

/// `!(a op b)` as `a op' b`.
pub(crate) fn negated(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Eq => Ne,
        Ne => Eq,
        Lt => Ge,
        Le => Gt,
        Ge => Lt,
        Gt => Le,
        other => other,
    }
}
