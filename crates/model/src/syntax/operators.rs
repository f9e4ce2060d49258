//! Binary and assignment operators: spellings and precedence, for the parser and the printer.
//!
//! The levels are those of UPPAAL's grammar, 1 binding least. `or`, `xor` and `imply` share one level and associate to
//! the left, so `a imply b imply c` is `(a imply b) imply c`.

use super::ast::BinaryOp;

/// Anything, also a quantifier whose body is an assignment.
pub(super) const ANY: u8 = 4;
pub(super) const ASSIGN: u8 = 5;
pub(super) const CONDITIONAL: u8 = 6;
pub(super) const RELATION: u8 = 13;
pub(super) const UNARY: u8 = 19;
pub(super) const POSTFIX: u8 = 21;

/// Operator, level, spelling as printed, other spellings.
const BINARY: &[(BinaryOp, u8, &str, &[&str])] = &[
    (BinaryOp::Or, 7, "||", &["or"]),
    (BinaryOp::Xor, 7, "xor", &[]),
    (BinaryOp::Imply, 7, "imply", &[]),
    (BinaryOp::And, 8, "&&", &["and"]),
    (BinaryOp::BitOr, 9, "|", &[]),
    (BinaryOp::BitXor, 10, "^", &[]),
    (BinaryOp::BitAnd, 11, "&", &[]),
    (BinaryOp::Eq, 12, "==", &[]),
    (BinaryOp::Ne, 12, "!=", &[]),
    (BinaryOp::Lt, RELATION, "<", &[]),
    (BinaryOp::Le, RELATION, "<=", &["=<"]),
    (BinaryOp::Ge, RELATION, ">=", &["=>"]),
    (BinaryOp::Gt, RELATION, ">", &[]),
    (BinaryOp::Min, 14, "<?", &[]),
    (BinaryOp::Max, 14, ">?", &[]),
    (BinaryOp::ShiftLeft, 15, "<<", &[]),
    (BinaryOp::ShiftRight, 15, ">>", &[]),
    (BinaryOp::Add, 16, "+", &[]),
    (BinaryOp::Sub, 16, "-", &[]),
    (BinaryOp::Mul, 17, "*", &[]),
    (BinaryOp::Div, 17, "/", &[]),
    (BinaryOp::Mod, 17, "%", &[]),
    (BinaryOp::Power, 18, "**", &[]),
];

const ASSIGNMENTS: &[(&str, Option<BinaryOp>)] = &[
    ("=", None),
    (":=", None),
    ("+=", Some(BinaryOp::Add)),
    ("-=", Some(BinaryOp::Sub)),
    ("*=", Some(BinaryOp::Mul)),
    ("/=", Some(BinaryOp::Div)),
    ("%=", Some(BinaryOp::Mod)),
    ("&=", Some(BinaryOp::BitAnd)),
    ("|=", Some(BinaryOp::BitOr)),
    ("^=", Some(BinaryOp::BitXor)),
    ("<<=", Some(BinaryOp::ShiftLeft)),
    (">>=", Some(BinaryOp::ShiftRight)),
];

/// The binary operator of a spelling, with its level.
pub(super) fn binary(spelling: &str) -> Option<(BinaryOp, u8)> {
    let row = BINARY.iter().find(|(_, _, printed, others)| *printed == spelling || others.contains(&spelling));
    row.map(|(op, level, ..)| (*op, *level))
}

/// The assignment of a spelling; the inner `None` is the plain one.
pub(super) fn assignment(spelling: &str) -> Option<Option<BinaryOp>> {
    ASSIGNMENTS.iter().find(|(symbol, _)| *symbol == spelling).map(|(_, op)| *op)
}

impl BinaryOp {
    /// The level of precedence, higher binding tighter.
    pub(super) fn level(self) -> u8 {
        BINARY.iter().find(|(op, ..)| *op == self).map_or(ANY, |(_, level, ..)| *level)
    }

    /// The operator as it is printed.
    pub fn symbol(self) -> &'static str {
        BINARY.iter().find(|(op, ..)| *op == self).map_or("?", |(_, _, symbol, _)| symbol)
    }
}
