//! Precedence, associativity and the forms of expressions.

use crate::{expression, expression_in};
use model::syntax::ast::*;

/// The same tree, written with all parentheses that matter.
#[track_caller]
fn same(short: &str, full: &str) {
    assert_eq!(expression(short), expression(full), "{short} and {full}");
}

#[test]
fn imply_or_and_xor_share_one_level_and_associate_to_the_left() {
    same("a imply b imply c", "(a imply b) imply c");
    same("a imply b or c", "(a imply b) or c");
    same("a or b imply c", "(a or b) imply c");
    same("a xor b or c", "(a xor b) or c");
    same("a || b and c", "a or (b && c)");
}

#[test]
fn unary_operators_bind_tighter_than_binary_ones() {
    same("not a == b", "(not a) == b");
    same("!x.y", "!(x.y)");
    same("!a[1]", "not (a[1])");
    same("-a ** b", "(-a) ** b");
    same("-a + b", "(-a) + b");
    same("- - a", "-(-a)");
    same("++++i", "++(++i)");
}

#[test]
fn each_level_binds_tighter_than_the_one_before() {
    let levels = ["||", "&&", "|", "^", "&", "==", "<", "<?", "<<", "+", "*", "**"];
    for pair in levels.windows(2) {
        let (low, high) = (pair[0], pair[1]);
        same(&format!("a {low} b {high} c"), &format!("a {low} (b {high} c)"));
        same(&format!("a {high} b {low} c"), &format!("(a {high} b) {low} c"));
    }
}

#[test]
fn operators_of_one_level_associate_to_the_left() {
    let levels: &[&[&str]] = &[
        &["||", "or", "xor", "imply"],
        &["&&", "and"],
        &["|"],
        &["^"],
        &["&"],
        &["==", "!="],
        &["<", "<=", ">=", ">"],
        &["<?", ">?"],
        &["<<", ">>"],
        &["+", "-"],
        &["*", "/", "%"],
        &["**"],
    ];
    for level in levels {
        for first in *level {
            for second in *level {
                same(&format!("a {first} b {second} c"), &format!("(a {first} b) {second} c"));
            }
        }
    }
}

#[test]
fn assignments_and_conditionals_associate_to_the_right() {
    same("a = b = c", "a = (b = c)");
    same("a += b := c", "a += (b = c)");
    same("a ? b : c ? d : e", "a ? b : (c ? d : e)");
    same("a ? b ? c : d : e", "a ? (b ? c : d) : e");
    same("a = b ? c : d", "a = (b ? c : d)");
    same("a or b ? c : d or e", "(a or b) ? c : (d or e)");
    same("a := b", "a = b");
}

#[test]
fn the_body_of_a_quantifier_extends_as_far_right_as_possible() {
    same("p and forall (i : T) q(i) or r", "p and (forall (i : T) (q(i) or r))");
    same("exists (i : int[0,3]) a[i] == 1 imply b", "exists (i : int[0,3]) ((a[i] == 1) imply b)");
    same("not forall (i : T) a or b", "not (forall (i : T) (a or b))");
    same("1 + sum (i : T) a[i] * 2", "1 + (sum (i : T) (a[i] * 2))");
    same("forall (i : T) a = b", "forall (i : T) (a = b)");
    same("forall (i : T) exists (j : U) a and b", "forall (i : T) (exists (j : U) (a and b))");
}

#[test]
fn comparisons_and_bit_operators_group_as_in_c() {
    same("a & b == c", "a & (b == c)");
    same("a < b < c", "(a < b) < c");
    same("a == b < c", "a == (b < c)");
}

#[test]
fn postfix_forms_bind_tightest() {
    same("P(1).a[2].b'", "((((P(1)).a)[2]).b)'");
    same("(++i)++", "(++i)++");
    same("-i++", "-(i++)");
    same("x' == 1 && y'==0", "(x' == 1) && (y' == 0)");
}

#[test]
fn longest_match_makes_tokens() {
    assert!(expression_in("i-->0", Syntax::New).is_err(), "`-->` is one symbol");
    same("i-- > 0", "(i--) > 0");
    same("a<?b", "a <? b");
    same("a/**/+/* b */c // d\n", "a + c");
    same("a + \\\n b", "a + b");
    same("a + \\  \r\n b", "a + b");
}

#[test]
fn numbers() {
    let kind = |source| expression(source).kind;
    assert_eq!(kind("010"), ExprKind::Int(10));
    assert_eq!(kind("2147483647"), ExprKind::Int(i32::MAX));
    assert_eq!(kind("-2147483648"), ExprKind::Int(i32::MIN));
    assert_eq!(kind("1.5e3"), ExprKind::Double(1500.0));
    assert_eq!(kind("1e-3"), ExprKind::Double(0.001));
    assert!(matches!(kind("-5"), ExprKind::Unary { op: UnaryOp::Minus, .. }));
    for wrong in ["2147483648", "a - 2147483648", "99999999999999999999999", ".5", "5.", "1e999"] {
        assert!(expression_in(wrong, Syntax::New).is_err(), "{wrong}");
    }
}

#[test]
fn later_keywords_are_names_where_nothing_else_fits() {
    let words = "exit string query location random hybrid dynamic import IO double round A E U W R M sup inf bounds simulation spawn \
                 foreach numOf deadlock control under Pr";
    for word in words.split_whitespace() {
        assert!(matches!(expression(word).kind, ExprKind::Name(_)), "{word}");
        same(&format!("{word} + 1"), &format!("({word}) + (1)"));
    }
    assert_eq!(expression("exit()").kind, ExprKind::Exit);
    assert!(matches!(expression("spawn T(1, true)").kind, ExprKind::Spawn { .. }));
    assert!(matches!(expression("P.init").kind, ExprKind::Member { .. }));
}

#[test]
fn blank_labels_are_nothing() {
    let mut diagnostics = model::diagnostic::Diagnostics::new();
    for blank in ["", "  \r\n\t", "// nothing", "/* nothing */ // at all"] {
        assert_eq!(model::syntax::expression(&crate::text(blank), Syntax::New, &mut diagnostics), None);
        assert_eq!(model::syntax::updates(&crate::text(blank), Syntax::New, &mut diagnostics), Vec::new());
    }
    assert!(diagnostics.is_empty());
}
