//! Operators on integers.

use super::Result;
use crate::error::{ErrorKind, EvalError};
use model::source::Span;
use model::syntax::ast::BinaryOp;

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Eq | Ne | Lt | Le | Ge | Gt)
}

/// 32-bit integers that wrap around, division that truncates towards zero.
pub(super) fn integer_operation(op: BinaryOp, left: i32, right: i32, span: Span) -> Result<i32> {
    use BinaryOp::*;
    let error = |kind, text: &str| Err(EvalError::new(kind, Some(span), text));
    Ok(match op {
        Add => left.wrapping_add(right),
        Sub => left.wrapping_sub(right),
        Mul => left.wrapping_mul(right),
        Div | Mod if right == 0 => return error(ErrorKind::Division, "a division by zero"),
        Div => left.wrapping_div(right),
        Mod => left.wrapping_rem(right),
        ShiftLeft | ShiftRight if right < 0 => {
            return error(ErrorKind::NegativeOperand, "a shift by a negative number");
        }
        ShiftLeft => left.checked_shl(right as u32).unwrap_or(0),
        ShiftRight => left >> right.min(31),
        Power if right < 0 => return error(ErrorKind::NegativeOperand, "a negative exponent"),
        Power => left.wrapping_pow(right as u32),
        BitAnd => left & right,
        BitOr => left | right,
        BitXor => left ^ right,
        Min => left.min(right),
        Max => left.max(right),
        Eq => i32::from(left == right),
        Ne => i32::from(left != right),
        Lt => i32::from(left < right),
        Le => i32::from(left <= right),
        Ge => i32::from(left >= right),
        Gt => i32::from(left > right),
        And => i32::from(left != 0 && right != 0),
        Or => i32::from(left != 0 || right != 0),
        Xor => i32::from((left != 0) != (right != 0)),
        Imply => i32::from(left == 0 || right != 0),
    })
}
