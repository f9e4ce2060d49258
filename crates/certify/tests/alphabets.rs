//! The actions of a system are those of its expression, wherever that stands: found here for expressions drawn at random.

mod common;

use certify::refinement::{Mismatch, mismatch};
use common::model;
use model::check::{QueryKind, SystemExpr};
use model::load::{Model, query_text};

const TEXT: &str = "broadcast chan i, o, p;
    process A() { state L; init L; trans L -> L { sync i?; }, L -> L { sync o!; }; }
    process B() { state L; init L; trans L -> L { sync o?; }, L -> L { sync p!; }; }
    process C() { state L; init L; trans L -> L { sync i?; }, L -> L { sync o!; }, L -> L { sync p!; }; }
    system A, B, C;
    IO A { i?, o! } IO B { o?, p! } IO C { i?, o!, p! }";

fn sides(model: &mut Model, query: &str) -> (SystemExpr, SystemExpr) {
    let mut sources = model::source::Sources::new();
    let loaded = model.query(&query_text(&mut sources, "query", query));
    match loaded.query.unwrap_or_else(|| panic!("{query}: {:?}", loaded.diagnostics)).kind {
        QueryKind::Refinement { left, right } => (left, right),
        other => panic!("{other:?}"),
    }
}

/// An expression, whether it has a meaning or not.
fn drawn(seed: &mut u64, depth: u32) -> String {
    let mut next = |n: u64| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) % n
    };
    let (choice, name) = (next(4), ["A", "B", "C"][next(3) as usize]);
    if depth == 0 || choice == 0 {
        return name.to_owned();
    }
    let operator = ["\\\\", "||", "&&"][next(3) as usize];
    let (left, right) = (drawn(seed, depth - 1), drawn(seed, depth - 1));
    format!("({left} {operator} {right})")
}

#[test]
fn a_system_has_the_same_actions_on_both_sides() {
    let mut model = model(TEXT);
    let mut quotients = 0;
    for seed in 0..2_000u64 {
        let mut state = seed;
        let (a, b) = (drawn(&mut state, 3), drawn(&mut state, 3));
        quotients += usize::from(a.contains('\\'));
        let (left, right) = sides(&mut model, &format!("refinement: {a} <= {a}"));
        // A composition whose operands receive what they send has no meaning at all, which is not asked here.
        let own = mismatch(model.network(), &left, &right);
        assert!(!matches!(own, Some(Mismatch::Inputs(_) | Mismatch::Outputs(_))), "{a}: {own:?}");
        // Beside another system as well.
        let (left, right) = sides(&mut model, &format!("refinement: {a} || {b} <= {a} || {b}"));
        let own = mismatch(model.network(), &left, &right);
        assert!(!matches!(own, Some(Mismatch::Inputs(_) | Mismatch::Outputs(_))), "{a} || {b}: {own:?}");
    }
    assert!(quotients > 500, "{quotients}");
}

#[test]
fn actions_that_do_not_fit_are_named() {
    let mut model = model(TEXT);
    let names = |model: &mut Model, query: &str| {
        let (left, right) = sides(model, query);
        mismatch(model.network(), &left, &right).map(|mismatch| match mismatch {
            Mismatch::Crossing(actions) => ("crossing", actions.len()),
            Mismatch::Inputs(actions) => ("inputs", actions.len()),
            Mismatch::Outputs(actions) => ("outputs", actions.len()),
        })
    };
    for (query, expected) in [
        ("A <= C", Some(("outputs", 1))),
        ("C <= A", None),
        ("A <= B", Some(("crossing", 1))),
        ("B <= C \\\\ A", None),
        ("C \\\\ A <= B", Some(("inputs", 2))),
        ("(C \\\\ A) \\\\ B <= C \\\\ (A || B)", None),
        ("C \\\\ (A || B) <= (C \\\\ A) \\\\ B", None),
        ("C \\\\ (C \\\\ B) <= C \\\\ A", None),
    ] {
        assert_eq!(names(&mut model, &format!("refinement: {query}")), expected, "{query}");
    }
}
