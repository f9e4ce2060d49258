//! The syntax of UPPAAL 3.x, and when to try it.

use crate::{expression, expression_in, model, model_in, text};
use model::diagnostic::Diagnostics;
use model::syntax;
use model::syntax::ast::*;

const FISCHER: &str = "
    // a classic
    clock x1; int[0,5] id := 0; const k 2, tab[2] {1, 2}; urgent chan go;
    int sum, exists, for, select;
    process P {
        state a, b { x1 =< k, id == 0 }, c;
        commit c;
        init a;
        trans a -> b { guard id == 0, x1 >= 1; sync go!; assign x1 := 0, id := 1; },
              -> c { guard x1 => k; };
    }
    process Q(clock x; int i, j; const n, m; int[0,3] a[2]) { state s; init s; }
    R := Q(x1, id, id, 3, k, tab);
    system P, R;";

#[test]
fn a_model_of_the_old_syntax() {
    let document = model(FISCHER, Syntax::Old);
    let templates: Vec<&Template> = document
        .items
        .iter()
        .filter_map(|item| if let Item::Template(template) = item { Some(template) } else { None })
        .collect();
    let [p, q] = templates[..] else { panic!("two templates") };
    let edge = &p.edges[0];
    assert_eq!(edge.guard, Some(expression("id == 0 && x1 >= 1")));
    assert_eq!(p.edges[1].source.name, edge.source.name);
    assert_eq!(p.locations[1].invariant, Some(expression("x1 <= k && id == 0")));
    let parameters: Vec<_> = q
        .parameters
        .iter()
        .map(|parameter| (&*parameter.name.name, parameter.by_reference, parameter.ty.prefix.is_const))
        .collect();
    let expected = [
        ("x", true, false),
        ("i", true, false),
        ("j", true, false),
        ("n", false, true),
        ("m", false, true),
        ("a", true, false),
    ];
    assert_eq!(parameters, expected);
}

#[test]
fn the_new_syntax_rejects_it_and_the_old_constructs_are_found() {
    let (_, errors) = model_in(FISCHER, Syntax::New);
    assert!(errors.iter().any(|error| error.contains("the constant `k` has no type")), "{errors:?}");
    assert!(errors.iter().any(|error| error.contains("`=<` is a comparison of the old syntax")), "{errors:?}");
    for old in [
        FISCHER,
        "const N 5;",
        "const A[2] {1, 2};",
        "x =< 5",
        "x => 5",
        "x >= 2, y < 3",
        "clock x; int i, j; const k",
        "clock x; int i",
        "process P { state A; init A; }",
        "process P(clock x; int i) { }",
        "process P() { state A { x <= 1, y <= 2 }; init A; }",
    ] {
        assert!(syntax::has_old_only_constructs(&text(old)), "{old}");
    }
    for new in [
        "const int N = 5; const T A[2] = {1, 2};",
        "x <= 5 && f(a, b)",
        "x = 0, y = 1",
        "int f(const int a, const T &b) { return a; }",
        "process P() { state A { x <= 1 }, B; init A; trans A -> B { guard f(1, 2); assign x = 0, y = 1; }; } system P;",
        "typedef struct { int a; int b; } S;",
    ] {
        assert!(!syntax::has_old_only_constructs(&text(new)), "{new}");
    }
}

#[test]
fn commas_join_conditions_in_the_old_syntax_only() {
    assert_eq!(expression_in("x >= 2, y < 3, a", Syntax::Old), Ok(expression("x >= 2 && y < 3 && a")));
    let errors = expression_in("x >= 2, y < 3", Syntax::New).expect_err("commas are wrong");
    assert_eq!(errors, ["1:7 conditions are joined by `&&`, not by a comma"]);
}

#[test]
fn parameters_of_labels() {
    let mut diagnostics = Diagnostics::new();
    let parameters = syntax::parameters(&text("int[0,1] &a, b; const N;"), Syntax::Old, &mut diagnostics);
    assert_eq!((parameters.len(), diagnostics.len()), (3, 0));
}
