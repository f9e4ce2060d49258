//! Every construct of the new syntax parses, and means what it says.

use crate::{model, text};
use model::diagnostic::Diagnostics;
use model::syntax;
use model::syntax::ast::*;

#[test]
fn declarations() {
    for source in [
        "int a; int[0,3] b = 2, c[2] = {1, 2}; const int N = 4, M[2][N] = {{1}, {2}};",
        "bool b = true; clock x, y[3] = {0, 0, 0}; hybrid clock z; double d = 1.5; meta int m; const string s = \"text\";",
        "chan a; urgent chan b; broadcast chan c; urgent broadcast chan d[3];",
        "typedef int[0,7] id_t; typedef struct { int a, b[2]; id_t c; } S, T[2]; S s = {a: 1, {1, 2}, 3}; id_t i;",
        "typedef scalar[3] set_t; int a[set_t]; int b[int[3,5]]; int c[scalar[2]]; struct { int x; } p;",
        "int f(int a, int &b, const S &c[2]) { return a; } void g() { }",
        "before_update { a = 1, b = 2 } after_update { c++ }",
        "import \"lib.so\" { int f(int a); g = double h(); }; import \"m.so\" int k();",
        "dynamic T(int i, bool b); chan priority a, b[0] < default < c; chan priority a;",
        "P = Q(); R(int &x, const int[0,2] i) = P(x, data[i].a, 2 * i); Z := R(y, 1);",
        "IO P { a?, b! } IO Q(2) { c[2]?, d! } IO R { }",
        "int string = 1; bool exit; int query, location; clock A, E, U; typedef int import; int8_t i8;",
    ] {
        let items = model(source, Syntax::New).items;
        assert!(items.len() >= 2, "{source}");
    }
}

#[test]
fn statements() {
    let source = "void f(int a) {
        int i = 0; id_t j; typedef int[0,1] t;
        ;
        i = 1, j = 2;
        for (i = 0, j = 1; i < 3; i++, j--) { a[i] = j; }
        for (k : int[0,3]) a[k] = k;
        for (k : id_t) { for (l : id_t) ; }
        while (i > 0) i--;
        do { i++; } while (i < 10);
        if (i == 0) i = 1; else if (i == 1) i = 2; else { i = 3; }
        if (a) if (b) c(); else d();
        assert i > 0;
        return;
    }";
    let document = model(source, Syntax::New);
    let [Item::Declaration(Declaration::Function(function))] = &document.items[..] else { panic!("one function") };
    assert_eq!(function.body.declarations.len(), 3);
    let statements = &function.body.statements;
    assert_eq!(statements.len(), 11);
    let StatementKind::If { arms, otherwise } = &statements[7].kind else { panic!("a chain of ifs") };
    assert_eq!((arms.len(), otherwise.is_some()), (2, true));
    let StatementKind::If { arms, otherwise: None } = &statements[8].kind else { panic!("no else of its own") };
    assert!(matches!(&arms[0].1.kind, StatementKind::If { otherwise: Some(_), .. }), "else belongs to the nearest if");
}

#[test]
fn processes() {
    let source = "process P(int i, chan &c) {
        clock x; urgent chan u; int f() { return 1; }
        state A { x <= 5 }, B { x' == 0 && x <= 3; 2 : 3 }, C { ; 4 }, D;
        branchpoint K;
        commit B; urgent C, D;
        init A;
        trans A -> B { select n : int[0,3], m : id_t; guard x > 1 && n != m; sync c[n]!; assign x = 0, f(); },
              -> C { },
              B -u-> K { sync c?; },
              K -> D { probability 3; };
    }
    system P < Q, R;
    progress { a; b > 1 : c; }
    gantt { G(i : int[0,2]) : P(i).A -> 1, for (j : id_t) x > j -> 2; H : true -> 0; }
    query { E<> P.A }
    query { sup{P.A}: x }";
    let document = model(source, Syntax::New);
    let [Item::Template(template)] = &document.items[..] else { panic!("one template") };
    let names: Vec<&str> = template.locations.iter().map(|location| &*location.name.name).collect();
    assert_eq!(names, ["A", "B", "C", "D"]);
    assert!(template.locations[1].committed && template.locations[2].urgent && template.locations[3].urgent);
    assert!(template.locations[0].invariant.is_some() && template.locations[0].rate.is_none());
    assert!(matches!(template.locations[1].rate, Some((_, Some(_)))));
    assert!(template.locations[2].invariant.is_none() && template.locations[2].rate.is_some());
    assert_eq!(template.declarations.len(), 3);
    let edges: Vec<_> =
        template.edges.iter().map(|edge| (&*edge.source.name, &*edge.target.name, edge.controllable)).collect();
    assert_eq!(edges, [("A", "B", true), ("A", "C", true), ("B", "K", false), ("K", "D", true)]);
    assert_eq!(template.edges[0].update.len(), 2);
    assert_eq!(template.edges[2].sync.as_ref().map(|sync| sync.direction), Some(Direction::Receive));
    let system: Vec<_> = document
        .system
        .iter()
        .flat_map(|system| &system.processes)
        .map(|(name, level)| (&*name.name, *level))
        .collect();
    assert_eq!(system, [("P", 0), ("Q", 1), ("R", 1)]);
    assert_eq!((document.progress.len(), document.gantt.len()), (2, 2));
    let queries: Vec<&str> = document.queries.iter().map(|query| query.text.as_str().trim()).collect();
    assert_eq!(queries, ["E<> P.A", "sup{P.A}: x"]);
}

#[test]
fn labels() {
    let mut diagnostics = Diagnostics::new();
    let new = Syntax::New;
    let sync = |source, diagnostics: &mut Diagnostics| {
        syntax::sync(&text(source), new, diagnostics).map(|sync| sync.direction)
    };
    assert_eq!(sync("a[i ? 1 : 2]!", &mut diagnostics), Some(Direction::Send));
    assert_eq!(sync("a?", &mut diagnostics), Some(Direction::Receive));
    assert_eq!(sync("a", &mut diagnostics), Some(Direction::Csp));
    assert_eq!(sync(" // none", &mut diagnostics), None);
    assert_eq!(syntax::select(&text("i : int[0,3], j : T"), new, &mut diagnostics).len(), 2);
    assert_eq!(syntax::updates(&text("x = 0, i++, f(x, y)"), new, &mut diagnostics).len(), 3);
    assert!(matches!(syntax::rate(&text("1 : 2"), new, &mut diagnostics), Some((_, Some(_)))));
    assert_eq!(syntax::parameters(&text("int i, const T &j[2], chan &c"), new, &mut diagnostics).len(), 3);
    assert_eq!(syntax::template_declarations(&text("int i; void f() { i = 1; }"), new, &mut diagnostics).len(), 2);
    let part = syntax::system(&text("P = Q();\nsystem P;\nIO P { a? }\nprogress { x; }"), new, &mut diagnostics);
    assert_eq!((part.items.len(), part.system.is_some(), part.progress.len()), (2, true, 1));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
}

#[test]
fn places_lead_back_through_entities() {
    // `a &amp;&amp; b` in a file, of which the parser sees `a && b`.
    let mut sources = model::source::Sources::new();
    let file = sources.add("test", "a &amp;&amp; b".to_owned());
    let decoded = model::source::Text::decoded(file, "a && b".to_owned(), vec![(0, 0), (2, 2), (3, 7), (4, 12)], 14);
    let expr = syntax::expression(&decoded, Syntax::New, &mut Diagnostics::new()).expect("parses");
    let ExprKind::Binary { right, .. } = &expr.kind else { panic!("a conjunction") };
    assert_eq!(sources.raw(expr.span), "a &amp;&amp; b");
    assert_eq!(sources.raw(right.span), "b");
    let slice = decoded.slice(2..6);
    assert_eq!((slice.as_str(), sources.raw(slice.span(3..4))), ("&& b", "b"));
}
