//! All mistakes of a text in one run, each once, with words that help.

use crate::{expression_in, model_in};
use model::syntax::ast::Syntax;

/// The messages about a model, in order.
#[track_caller]
fn errors(source: &str, expected: &[&str]) {
    let (_, found) = model_in(source, Syntax::New);
    assert_eq!(found, expected, "{source}");
}

#[test]
fn one_message_for_one_mistake() {
    errors("int x", &["1:6 expected `;` after the declaration, found the end of the text"]);
    errors("int x\nclock y;", &["1:6 expected `;` after the declaration, found `clock`"]);
    errors("int x y; int z;", &["1:7 expected `;` after the declaration, found `y`"]);
    errors("int 5; int z;", &["1:5 expected a name, found `5`"]);
    errors("int state;", &["1:5 expected a name, but `state` is a keyword"]);
    errors("int a[2] = {1, , 2}; int z;", &["1:16 expected an expression, found `,`"]);
    errors("struct { int a; int b } s; int z;", &["1:23 expected `;` after the field of the struct, found `}`"]);
    errors("int a = (1 + 2; int z;", &["1:15 expected `)` to close the parenthesis, found `;`"]);
    errors("const N = 5;", &["1:7 the constant `N` has no type"]);
    errors("} int z;", &["1:1 expected a declaration, found `}`"]);
    errors("const meta int x = 1;", &["1:7 `meta` does not go together with `const`"]);
    errors("system P", &["1:9 expected `;` after the system line, found the end of the text"]);
    errors("int a; /* open", &["1:8 the comment is not closed"]);
    errors("const string s = \"open;\nint z;", &["1:18 the string is not closed"]);
}

#[test]
fn unknown_characters_are_reported_once_a_run() {
    errors("int é = 1; int ü; int z;", &["1:5 unknown character `é`", "1:16 unknown character `ü`"]);
    errors("int a = b ≤≤ 3; int z;", &["1:11 unknown characters `≤≤`"]);
    errors("int a = 1 @ 2;", &["1:11 unknown character `@`"]);
}

#[test]
fn every_broken_statement_is_found() {
    errors(
        "void f() {\n  int a; ;\n  a = ;\n  if (a { a = 1; }\n  b = 2 3;\n  int c;\n  for (;;) a++;\n  return a\n}\nint g( { }\nint z;",
        &[
            "3:7 expected an expression, found `;`",
            "4:9 expected `)` after the condition, found `{`",
            "5:9 expected `;` after the statement, found `3`",
            "6:3 declarations cannot follow statements",
            "7:8 no part of `for (a; b; c)` can be empty",
            "8:11 expected `;` after the `return` statement, found `}`",
            "10:8 expected a type, found `{`",
        ],
    );
}

#[test]
fn every_broken_part_of_a_process_is_found() {
    errors(
        "process P() {\n  state A { x < }, B;\n  commit C;\n  init A;\n  trans A -> B { guard x > ; sync a!; assign x = 0 },\n    \
         B A { },\n    A -> B { assign x = 1; guard x > 2; },\n    A -> { };\n}\nprocess Q() { state A; }\nsystem P Q;",
        &[
            "2:17 expected an expression, found `}`",
            "3:10 the process has no location `C`",
            "5:28 expected an expression, found `;`",
            "5:52 expected `;` after the `assign` clause, found `}`",
            "6:7 expected `->` between source and target of the edge, found `A`",
            "7:28 `guard` must come before `assign`",
            "8:10 expected the target of the edge, found `{`",
            "10:9 the process `Q` has no initial location",
            "11:10 expected `;` after the system line, found `Q`",
        ],
    );
}

#[test]
fn declarations_do_not_belong_on_an_edge() {
    errors(
        "process P() {\n state A; init A;\n trans A -> A {\n  int x;\n  guard x > ;\n };\n}",
        &[
            "4:3 expected `select`, `guard`, `sync`, `assign`, `probability` or `}`, found `int`",
            "5:13 expected an expression, found `;`",
        ],
    );
}

#[test]
fn a_missing_brace_does_not_hide_the_next_process() {
    errors(
        "process P() {\n  int f() { return 1;\n  state A; init A;\n}\nprocess Q() { state B; init B; trans B -> B { guard ; }; }\nsystem P, Q;",
        &["2:22 expected `}` after the block, found `state`", "5:53 expected an expression, found `;`"],
    );
}

#[test]
fn expressions_end_where_the_label_ends() {
    let error = |source| expression_in(source, Syntax::New).expect_err("is wrong");
    assert_eq!(error("x < 5 y"), ["1:7 expected an operator or the end of the expression, found `y`"]);
    assert_eq!(error("x <"), ["1:4 expected an expression, found the end of the text"]);
    assert_eq!(error("x =< 5"), ["1:3 `=<` is a comparison of the old syntax"]);
    assert_eq!(error("4294967296"), ["1:1 the number `4294967296` does not fit into 32 bits"]);
    assert_eq!(error("a ? b"), ["1:6 expected `:` between the two values of `? :`, found the end of the text"]);
    assert_eq!(error("forall i"), ["1:8 expected `(` after `forall`, found `i`"]);
}
