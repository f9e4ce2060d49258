//! Every form of query, and what is said about texts that are none.

use crate::{query, query_of};
use model::syntax::query::*;

#[test]
fn queries_print_as_they_are_read() {
    for source in [
        "E<> P.A && x > 3",
        "A[] !deadlock",
        "E[] P.A || Q.B",
        "A<> forall (i : id_t) P(i).done",
        "P.A --> Q.B",
        "A[] P.A under S",
        "sup: x, y",
        "inf{P.A}: P.x",
        "bounds{x > 1}: y",
        "sup{D.Max}: D.t under safe",
        "buchi: P.A",
        "Pr[<=100](<> P.A)",
        "Pr[#<=100; 50](<> P.A)",
        "Pr[x<=10 * N]([] P.A)",
        "Pr[<=100](P.A U P.B)",
        "Pr[<=100](<> P.A) >= 0.9",
        "Pr[<=100](<> P.A) <= 0.25",
        "Pr[<=100](<> P.A) >= Pr[<=50](<> P.B)",
        "E[<=100; 20](max: x + y)",
        "E[x<=100](min: y)",
        "simulate [<=100] {x, y}",
        "simulate [<=100; 3] {x} : 1 : P.A",
        "simulate [<=100; 3] {foreach (p : T) p.x} : P.A",
        "E<> numOf(T) > 2",
        "refinement: A || B && C // D <= (A || B) && S",
        "consistency: Node(3) || Node(4)",
        "determinism: A[1] && A[2]",
        "get-component: A || B save-as C",
        "prune: A",
        "reachability: A || B @ A.L1 && A.x < 3 -> B.L2",
        "Pr (<>[0,10] p && (q U[1,2] r))",
    ] {
        let printed = query(source).to_string();
        assert_eq!(printed, source);
        assert_eq!(query(&printed), query(source));
    }
}

#[test]
fn other_spellings_mean_the_same() {
    for (written, plain) in [
        ("E<>\nP.A\r\n and x>3 // why", "E<> P.A && x > 3"),
        ("/* a */ A[]not deadlock", "A[] !deadlock"),
        ("simulate 5 [<=10] { x }", "simulate [<=10; 5] {x}"),
        ("simulate N [<=10] { x }: 1 : y", "simulate [<=10; N] {x} : 1 : y"),
        ("Pr[<=9](<>p) <= Pr[<=5](<>q)", "Pr[<=5](<> q) >= Pr[<=9](<> p)"),
        ("Pr[<=9](<> p) ?", "Pr[<=9](<> p)"),
        ("E<> x =< 5", "E<> x <= 5"),
        ("refinement: A <= B \\ C", "refinement: A <= B // C"),
        ("refinement: A <= B // A refines B", "refinement: A <= B"),
        ("E<> A[1] == E[2] and sup < inf", "E<> A[1] == E[2] && sup < inf"),
        ("E[1].x --> A[2].y", "E[1].x --> A[2].y"),
    ] {
        assert_eq!(query(written), query(plain), "{written}");
    }
}

#[test]
fn queries_of_other_tools_are_recognised() {
    for (source, word) in [
        ("control: A[] safe", "control"),
        ("E<> control: A<> goal", "control"),
        ("control_t*(2, 3): A<> goal", "control_t*"),
        ("{a, b} control: A[] safe", "control under partial observation"),
        ("strategy S = control: A<> P.done", "strategy"),
        ("strategy S = minE (cost) [<=10] {} -> {x} : <> goal under T", "strategy"),
        ("minE(cost)[<=10] : <> goal", "minE"),
        ("saveStrategy(\"f.json\", S)", "saveStrategy"),
        ("sat: Scenario", "sat"),
        ("A[ p U q ]", "A[ p U q ]"),
        ("bisim-minim: A", "bisim-minim"),
    ] {
        assert_eq!(query(source).kind, QueryKind::Unsupported { what: word }, "{source}");
    }
}

#[test]
fn nothing_is_no_query_and_no_error() {
    for blank in ["", " \n ", "// only a comment", "/* only */ // comments", "//NO_QUERY"] {
        assert_eq!(query_of(blank), Ok(None));
    }
}

#[test]
fn mistakes() {
    let errors = |source| query_of(source).expect_err("is wrong");
    assert_eq!(errors("P.A and x > 3"), ["1:1 this is an expression, not a query"]);
    assert_eq!(errors("A [] p"), ["1:1 `A []` is written without a blank"]);
    assert_eq!(errors("A[] (p and A<> q)"), ["1:12 `A<>` cannot stand inside a formula"]);
    assert_eq!(errors("E<> p q"), ["1:7 expected an operator or the end of the query, found `q`"]);
    assert_eq!(errors("E<>"), ["1:4 expected an expression, found the end of the text"]);
    assert_eq!(errors("Pr[<=5](p)"), ["1:10 expected `U`, as in `Pr[<=T](p U q)`, found `)`"]);
    assert_eq!(errors("sup{p} x"), ["1:8 expected `:` before the expressions, found `x`"]);
    assert_eq!(errors("refinement: A B"), ["1:15 expected `<=` between the two systems, found `B`"]);
    assert_eq!(errors("p --> q --> r"), ["1:9 expected an operator or the end of the query, found `-->`"]);
}
