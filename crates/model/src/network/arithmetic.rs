//! Operators and built-in functions on numbers, as the language defines them: 32-bit integers that wrap around, division
//! that truncates, `log` to base 10.

use super::code::Builtin;
use super::evaluate::Value;
use crate::syntax::ast::BinaryOp;

/// The reason when there is no value.
pub fn int_binary(op: BinaryOp, left: i32, right: i32) -> std::result::Result<i32, &'static str> {
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
        ShiftLeft | ShiftRight if right < 0 => return Err("a shift by a negative number"),
        ShiftLeft => left.checked_shl(right as u32).unwrap_or(0),
        ShiftRight => left >> right.min(31),
        Add => left.wrapping_add(right),
        Sub => left.wrapping_sub(right),
        Mul => left.wrapping_mul(right),
        Div | Mod if right == 0 => return Err("a division by zero"),
        Div => left.wrapping_div(right),
        Mod => left.wrapping_rem(right),
        Power if right < 0 => return Err("a negative exponent"),
        Power => left.wrapping_pow(right as u32),
    })
}

pub fn double_binary(op: BinaryOp, left: f64, right: f64) -> Option<Value> {
    use BinaryOp::*;
    let truth = |value: bool| Some(Value::Int(i32::from(value)));
    match op {
        Eq => truth(left == right),
        Ne => truth(left != right),
        Lt => truth(left < right),
        Le => truth(left <= right),
        Ge => truth(left >= right),
        Gt => truth(left > right),
        Add => Some(Value::Double(left + right)),
        Sub => Some(Value::Double(left - right)),
        Mul => Some(Value::Double(left * right)),
        Div => Some(Value::Double(left / right)),
        Mod => Some(Value::Double(left % right)),
        Min => Some(Value::Double(left.min(right))),
        Max => Some(Value::Double(left.max(right))),
        Power => Some(Value::Double(left.powf(right))),
        Or | Xor | Imply | And | BitOr | BitXor | BitAnd | ShiftLeft | ShiftRight => None,
    }
}

pub fn double_builtin(function: Builtin, values: &[f64]) -> Option<Value> {
    use Builtin::*;
    let number = |value: f64| Some(Value::Double(value));
    let truth = |value: bool| Some(Value::Int(i32::from(value)));
    match (function, values) {
        (Fint, [x]) => Some(Value::Int(*x as i32)),
        (Fabs, [x]) => number(x.abs()),
        (Exp, [x]) => number(x.exp()),
        (Exp2, [x]) => number(x.exp2()),
        (Expm1, [x]) => number(x.exp_m1()),
        (Ln, [x]) => number(x.ln()),
        // Base 10 for historical reasons.
        (Log | Log10, [x]) => number(x.log10()),
        (Log2, [x]) => number(x.log2()),
        (Log1p, [x]) => number(x.ln_1p()),
        (Sqrt, [x]) => number(x.sqrt()),
        (Cbrt, [x]) => number(x.cbrt()),
        (Sin, [x]) => number(x.sin()),
        (Cos, [x]) => number(x.cos()),
        (Tan, [x]) => number(x.tan()),
        (Asin, [x]) => number(x.asin()),
        (Acos, [x]) => number(x.acos()),
        (Atan, [x]) => number(x.atan()),
        (Sinh, [x]) => number(x.sinh()),
        (Cosh, [x]) => number(x.cosh()),
        (Tanh, [x]) => number(x.tanh()),
        (Asinh, [x]) => number(x.asinh()),
        (Acosh, [x]) => number(x.acosh()),
        (Atanh, [x]) => number(x.atanh()),
        (Ceil, [x]) => number(x.ceil()),
        (Floor, [x]) => number(x.floor()),
        (Trunc, [x]) => number(x.trunc()),
        (Round, [x]) => number(x.round()),
        (Fmod, [x, y]) => number(x % y),
        (Fmax, [x, y]) => number(x.max(*y)),
        (Fmin, [x, y]) => number(x.min(*y)),
        (Fdim, [x, y]) => number((x - y).max(0.0)),
        (Pow, [x, y]) => number(x.powf(*y)),
        (Hypot, [x, y]) => number(x.hypot(*y)),
        (Atan2, [x, y]) => number(x.atan2(*y)),
        (Copysign, [x, y]) => number(x.copysign(*y)),
        (Ldexp, [x, y]) => number(x * y.exp2()),
        (Fma, [x, y, z]) => number(x.mul_add(*y, *z)),
        (Isfinite, [x]) => truth(x.is_finite()),
        (Isinf, [x]) => truth(x.is_infinite()),
        (Isnan, [x]) => truth(x.is_nan()),
        (Isnormal, [x]) => truth(x.is_normal()),
        (Signbit, [x]) => truth(x.is_sign_negative()),
        _ => None,
    }
}
