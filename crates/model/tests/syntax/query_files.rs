//! Query files: lines, comments, expectations and headings.

use crate::text;
use model::diagnostic::Diagnostics;
use model::syntax;
use model::syntax::ast::{Expect, Outcome, QuerySource};

fn read(source: &str) -> Vec<QuerySource> {
    let mut diagnostics = Diagnostics::new();
    let queries = syntax::query_file(&text(source), &mut diagnostics);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    queries
}

fn lines(source: &str) -> Vec<String> {
    read(source).iter().map(|query| query.text.as_str().to_owned()).collect()
}

#[test]
fn a_file_as_the_editor_writes_it() {
    let queries = read(
        "//This file was generated from (Academic) UPPAAL 5.0.0 (rev. 714BA9DB36F49691), 2023-06-21\r\n\r\n\
         /*\r\nmutual exclusion\r\n*/\r\nA[] P.cs + Q.cs <= 1\r\n\r\n\
         /*\r\nnothing here\r\n*/\r\n//NO_QUERY\r\n\r\n\
         /*\r\n\r\n*/\r\nA[] not deadlock\\\r\n\r\n\
         /*\r\nlong\r\n*/\r\nE<> a and \\\r\n b\\\r\n and c\r\n",
    );
    let found: Vec<_> = queries.iter().map(|query| (query.comment.as_str(), query.text.as_str())).collect();
    let expected = [
        ("mutual exclusion", "A[] P.cs + Q.cs <= 1"),
        ("", "A[] not deadlock"),
        ("long", "E<> a and \\\r\n b\\\r\n and c"),
    ];
    assert_eq!(found, expected);
    for query in &queries {
        assert!(syntax::query(&query.text, &mut Diagnostics::new()).is_some());
    }
}

#[test]
fn comments_do_not_split_or_join_queries() {
    assert_eq!(lines("E<> a // first\n/* second\n E<> no */ E<> b\n\n  E<> c"), ["E<> a", "E<> b", "E<> c"]);
    assert_eq!(lines("refinement: A <= B // C\nE<> a"), ["refinement: A <= B // C", "E<> a"]);
    assert_eq!(lines("saveStrategy(\"http://x\", S)"), ["saveStrategy(\"http://x\", S)"]);
}

#[test]
fn expectations() {
    let queries =
        read("// EXPECT:T\nE<> a\n/* EXPECT:F,12MB */ E<> b\nE<> c // EXPECT: MUNSAT\nE<> d\nsup: x // EXPECT:42");
    let expected =
        |outcome: Option<Outcome>, value: Option<&str>| Some(Expect { outcome, value: value.map(str::to_owned) });
    let found: Vec<Option<Expect>> = queries.into_iter().map(|query| query.expect).collect();
    assert_eq!(
        found,
        [
            expected(Some(Outcome::Success), None),
            expected(Some(Outcome::Failure), None),
            expected(Some(Outcome::MaybeFalse), None),
            None,
            expected(None, Some("42")),
        ]
    );
}

#[test]
fn prose_is_no_query() {
    for heading in [
        "Safety properties",
        "Liveness:",
        "1. Mutual exclusion",
        "=== Safety ===",
        "----------",
        "No deadlocks",
        "A client may fail to reach the server",
        "TERMINATION (do both participants always reach their final states?)",
        "when does StsMon_P gets blocked?",
        "- the gate, again",
        "# bounded liveness",
    ] {
        assert_eq!(lines(heading), [""; 0], "{heading}");
    }
}

#[test]
fn a_mistyped_query_is_not_prose() {
    for wrong in [
        "A [] not deadlock",
        "E <> P.bad",
        "E P.bad",
        "EF bad state",
        "not deadlock",
        "P.bad",
        "goal",
        "deadlock",
        "A[] P.x and and y",
        "E<> P bad",
        "AG not deadlock",
        "x = 5",
        "x - 5",
        "f(x) y",
        "sup: x y",
        "x > 5 y",
        "P.A -> P.B",
        "sat: Scenario",
        "control: A[] safe",
    ] {
        assert_eq!(lines(wrong), [wrong], "{wrong}");
    }
}
