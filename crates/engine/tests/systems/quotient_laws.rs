//! Laws of quotients: on both sides of `<=`, nested, and among the operands of all operators.
//!
//! Two laws of implementations are none of specifications: `(C \\ A) \\ B` and `C \\ (A || B)` have the same implementations, and the
//! first one does not refine the second, for it notices a step later that nothing can be done any more. And what is said of all X that
//! refine a quotient is said of such that go on by themselves wherever they are: an X that is stuck somewhere breaks no rule there.

use crate::ask::Asked;
use crate::draft::Component;
use crate::laws::{Counts, must};

/// Quotients of random systems: A0 and A1 have i? o! q!, B0 and B1 o? p!, D0 p? r!, C0 and C1 i? o! p! q!, C2 and C3 r! as well.
const SYSTEMS: [&str; 15] = [
    "C0 \\\\ A0",
    "C1 \\\\ B0",
    "C0 \\\\ (A0 || B0)",
    "(C0 \\\\ A0) \\\\ B0",
    "(C1 \\\\ B1) \\\\ A1",
    "((C2 \\\\ A0) \\\\ B0) \\\\ D0",
    "(C3 \\\\ D0) \\\\ (A1 || B0)",
    "(C0 \\\\ A0) && (C1 \\\\ A1)",
    "(C0 && C1) \\\\ B0",
    "(C0 \\\\ A0) || A1",
    "(C0 \\\\ A0) || (C0 \\\\ B0)",
    "(C2 \\\\ D0) \\\\ (C0 \\\\ B0)",
    "C2 \\\\ (C0 \\\\ B0)",
    "C3 \\\\ ((C1 \\\\ A0) || A1)",
    "((C0 \\\\ A0) && B0) || D0",
];

/// Quotients whose actions are alike, in four groups.
const ALIKE: [&[&str]; 4] = [
    &["C0 \\\\ A0", "C1 \\\\ A0", "C0 \\\\ A1", "(C0 && C1) \\\\ A0", "(C0 \\\\ A0) && (C1 \\\\ A1)"],
    &["C0 \\\\ B0", "C1 \\\\ B0", "C1 \\\\ B1", "(C1 \\\\ B0) && (C0 \\\\ B1)"],
    &[
        "(C2 \\\\ A0) \\\\ B0",
        "C2 \\\\ (A0 || B0)",
        "(C3 \\\\ A1) \\\\ B0",
        "(C3 && C2) \\\\ (B0 || A0)",
        "(C2 \\\\ B0) \\\\ A0",
    ],
    &["(C0 \\\\ A0) || A0", "(C1 \\\\ A0) || A1", "(C0 \\\\ B0) || (C0 \\\\ A0)", "(C0 \\\\ B0) || B1"],
];

/// Whether an output goes on wherever an invariant ends the waiting: one that is always possible.
pub fn goes_on(component: &Component) -> bool {
    component.invariants.iter().enumerate().all(|(location, invariant)| {
        invariant.is_empty()
            || component.edges.iter().any(|edge| {
                let resets_all = (0..component.clocks).all(|clock| edge.resets.contains(&clock));
                edge.from == location && edge.guard.is_empty() && resets_all && component.outputs.contains(&edge.action)
            })
    })
}

/// The laws for which `asks` says so; what may be in the place of X are the components of the list.
pub fn hold_for_quotients(asked: &mut Asked, counts: &mut Counts, going_on: &[&str], asks: &mut dyn FnMut() -> bool) {
    for system in SYSTEMS.into_iter().filter(|_| asks()).collect::<Vec<_>>() {
        must(asked, counts, "Q <= Q", system, system);
    }
    for alike in ALIKE.into_iter().filter(|_| asks()).collect::<Vec<_>>() {
        for a in alike {
            for b in alike.iter().filter(|b| *b != a && asked.refines(a, b) == Some(true)).collect::<Vec<_>>() {
                for c in alike.iter().filter(|c| asked.refines(b, c) == Some(true)).collect::<Vec<_>>() {
                    must(asked, counts, "Q <= R and R <= S imply Q <= S", a, c);
                }
            }
        }
    }
    for (c, a, b) in [("C0", "A0", "B0"), ("C2", "A1", "B0"), ("C3", "B0", "A0"), ("C2 \\\\ D0", "B1", "A0")] {
        if !asks() {
            continue;
        }
        let (nested, flat) = (format!("({c} \\\\ {a}) \\\\ {b}"), format!("{c} \\\\ ({a} || {b})"));
        must(asked, counts, "C \\\\ (A || B) <= (C \\\\ A) \\\\ B", &flat, &nested);
    }
    let xs = |list: &'static [&'static str]| list.iter().filter(|x| going_on.contains(x));
    for x in xs(&["D0"]) {
        for (c, a, b) in [("C2", "A0", "B0"), ("C3", "A1", "B0"), ("C3", "B1", "A0")] {
            if !asks() {
                continue;
            }
            let nested = format!("({c} \\\\ {a}) \\\\ {b}");
            iff(
                asked,
                counts,
                "A || B || X <= C iff X <= (C \\\\ A) \\\\ B",
                &format!("{a} || {b} || {x}"),
                c,
                x,
                &nested,
            );
            let flat = format!("{c} \\\\ ({a} || {b})");
            iff(asked, counts, "X <= C \\\\ (A || B) iff X <= (C \\\\ A) \\\\ B", x, &flat, x, &nested);
        }
    }
    for (x, c, a) in
        [("B0", "C2 \\\\ D0", "C0 \\\\ B0"), ("B1", "C3 \\\\ D0", "C1 \\\\ B0"), ("B0", "C3 \\\\ D0", "A0")]
    {
        if going_on.contains(&x) && asks() {
            let (left, right) = (format!("({a}) || {x}"), format!("({c}) \\\\ ({a})"));
            iff(asked, counts, "A || X <= C iff X <= C \\\\ A, C and perhaps A a quotient", &left, c, x, &right);
        }
    }
    for (list, a, b) in [(["B0", "B1"], "A0", "A1"), (["A0", "A1"], "B0", "B1")] {
        for x in list.iter().filter(|x| going_on.contains(x)) {
            if !asks() {
                continue;
            }
            let implements = |asked: &mut Asked, c: &str, a: &str| asked.implements(x, &format!("({c}) \\\\ {a}"));
            let both = implements(asked, "C0 && C1", a);
            if let (Some(both), Some(first), Some(second)) =
                (both, implements(asked, "C0", a), implements(asked, "C1", a))
            {
                let law = "X <= (C && D) \\\\ A iff X <= C \\\\ A and X <= D \\\\ A";
                counts.count(law, both);
                assert_eq!(both, first && second, "{law} fails: {x}, {a}\n{}", asked.text);
            }
            for (c, d) in [("C0", "C1"), ("C1", "C0")] {
                if asked.refines(c, d) == Some(true) && implements(asked, c, a) == Some(true) {
                    implied(asked, counts, "C <= D and X <= C \\\\ A imply X <= D \\\\ A", x, &format!("{d} \\\\ {a}"));
                }
                for (less, more) in [(a, b), (b, a)] {
                    if asked.refines(less, more) == Some(true) && implements(asked, c, more) == Some(true) {
                        let law = "A <= B and X <= C \\\\ B imply X <= C \\\\ A";
                        implied(asked, counts, law, x, &format!("{c} \\\\ {less}"));
                    }
                }
            }
        }
    }
    for (a, b) in [("A0", "A1"), ("A1", "A0")] {
        if asks() && asked.refines(a, b) == Some(true) {
            let law = "A <= B implies Q || A <= Q || B";
            must(asked, counts, law, &format!("(C0 \\\\ A0) || {a}"), &format!("(C0 \\\\ A0) || {b}"));
        }
    }
}

/// What has an implementation refines nothing that has none.
fn implied(asked: &mut Asked, counts: &mut Counts, law: &'static str, x: &str, system: &str) {
    if let Some(holds) = asked.implements(x, system) {
        counts.count(law, holds);
        assert!(holds, "{law} fails: {x} <= {system}\n{}", asked.text);
    }
}

/// One refinement holds if and only if another does.
fn iff(asked: &mut Asked, counts: &mut Counts, law: &'static str, a: &str, b: &str, c: &str, d: &str) {
    if let (Some(one), Some(other)) = (asked.implements(a, b), asked.implements(c, d)) {
        counts.count(law, one);
        assert_eq!(one, other, "{law} fails: {a} <= {b}, {c} <= {d}\n{}", asked.text);
    }
}
