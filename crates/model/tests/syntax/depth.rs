//! Input that nests deeply or goes on for long is an error or loads; it never overflows a stack.

use crate::{expression_in, model_in, query_of};
use model::limits;
use model::syntax::ast::Syntax;

/// Reads on the large stack that callers provide, and drops what was read on a small one. Returns the errors.
fn errors_of<T: Send + 'static>(read: impl FnOnce() -> (T, Vec<String>) + Send + 'static) -> Vec<String> {
    let large = std::thread::Builder::new().stack_size(limits::STACK_BYTES).spawn(read);
    let (tree, errors) = large.expect("spawns").join().expect("does not panic");
    let small = std::thread::Builder::new().stack_size(2 << 20).spawn(move || drop(tree));
    small.expect("spawns").join().expect("drops");
    errors
}

fn expression_errors(source: String) -> Vec<String> {
    errors_of(move || match expression_in(&source, Syntax::New) {
        Ok(expr) => (Some(expr), Vec::new()),
        Err(errors) => (None, errors),
    })
}

fn model_errors(source: String) -> Vec<String> {
    errors_of(move || model_in(&source, Syntax::New))
}

fn query_errors(source: String) -> Vec<String> {
    errors_of(move || match query_of(&source) {
        Ok(query) => (query, Vec::new()),
        Err(errors) => (None, errors),
    })
}

#[track_caller]
fn too_deep(errors: &[String]) {
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains("nested deeper") || errors[0].contains("in a row"), "{errors:?}");
}

#[test]
fn nested_expressions() {
    let n = 10_000;
    for (open, close) in [
        ("(", ")"),
        ("-", ""),
        ("!", ""),
        ("++", ""),
        ("a[", "]"),
        ("f(", ")"),
        ("a = ", ""),
        ("a ? b : ", ""),
        ("a ? ", " : b"),
        ("forall (i : T) ", ""),
        ("1 + (", ")"),
    ] {
        too_deep(&expression_errors(format!("{}1{}", open.repeat(n), close.repeat(n))));
        let fits = limits::NESTING as usize - 1;
        assert_eq!(expression_errors(format!("{}1{}", open.repeat(fits), close.repeat(fits))), [""; 0], "{open}");
    }
    too_deep(&expression_errors("(".repeat(n)));
    too_deep(&expression_errors("sum (i : int[0, ".repeat(n)));
}

#[test]
fn long_expressions() {
    for (head, link) in [("a", "+a"), ("a", " and a"), ("a", "[0]"), ("a", ".a"), ("a", "'"), ("a", "()"), ("a", "++")]
    {
        too_deep(&expression_errors(format!("{head}{}", link.repeat(100_000))));
        let fits = limits::HEIGHT as usize - 1;
        assert_eq!(expression_errors(format!("{head}{}", link.repeat(fits))), [""; 0], "{link}");
    }
}

#[test]
fn height_adds_up_over_nesting() {
    let chain = "+a".repeat(3_000);
    too_deep(&expression_errors(format!("(((a{chain}){chain}){chain})")));
    too_deep(&expression_errors(format!("forall (i : int[0, (forall (j : int[0, a{chain}]) b){chain}]) c")));
    too_deep(&expression_errors(format!("f(1, a{chain}){chain}")));
}

#[test]
fn nested_declarations_and_statements() {
    let n = 10_000;
    too_deep(&model_errors(format!("void f() {{ {} }}", "{".repeat(n))));
    too_deep(&model_errors(format!("void f() {{ {}; }}", "if (a) ".repeat(n))));
    too_deep(&model_errors(format!("void f() {{ {}; }}", "while (a) ".repeat(n))));
    too_deep(&model_errors(format!("int a = {}1{};", "{".repeat(n), "}".repeat(n))));
    too_deep(&model_errors(format!("{} int a;", "struct { ".repeat(n))));
    let chain = format!("void f() {{ {} ; }}", "if (a) ; else ".repeat(n));
    assert_eq!(model_errors(chain), [""; 0], "a chain of ifs does not nest");
}

#[test]
fn long_and_nested_queries() {
    too_deep(&query_errors(format!("E<> {}1", "(".repeat(10_000))));
    too_deep(&query_errors(format!("E<> a{}", " or a".repeat(100_000))));
    too_deep(&query_errors(format!("refinement: {}A", "(".repeat(10_000))));
    too_deep(&query_errors(format!("consistency: A{}", "||A".repeat(100_000))));
    too_deep(&query_errors(format!("consistency: ((A{0}){0})", "||A".repeat(800))));
}
