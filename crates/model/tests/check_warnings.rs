//! Warnings for what is legal and surely not meant, and none for what models do on purpose.

use model::load::load_bytes;

/// The codes of all warnings with what they point at, those about unused names last.
fn warnings(source: &str) -> Vec<String> {
    let mut loaded = load_bytes("model.xta", source.as_bytes(), &[]);
    let Some(model) = &mut loaded.model else {
        panic!("{source}\n{:?}", loaded.diagnostics);
    };
    for query in model.queries.clone() {
        assert!(model.query(&query).query.is_some(), "{source}");
    }
    loaded.diagnostics.extend(model.unused());
    let place = |span: Option<_>| span.map_or("", |span| loaded.sources.raw(span));
    loaded.diagnostics.iter().map(|warning| format!("{} {}", warning.code.0, place(warning.span))).collect()
}

fn check(rows: &[(&str, &[&str])], wrap: impl Fn(&str) -> String) {
    for (text, expected) in rows {
        assert_eq!(warnings(&wrap(text)), *expected, "{text}");
    }
}

#[test]
fn conditions_that_ranges_decide() {
    let rows: &[(&str, &[&str])] = &[
        ("i <= 10", &["W0004 i <= 10"]),
        ("i < 0", &["W0005 i < 0"]),
        ("i <= 5 && x > 3", &["W0004 i <= 5"]),
        ("i > 5 && x > 3", &["W0005 i > 5 && x > 3"]),
        ("i <= 4 && x > 3", &[]),
        ("i + 1 >= 1", &["W0004 i + 1 >= 1"]),
        ("2 * i == 11", &["W0005 2 * i == 11"]),
        ("2 * i == 3", &[]),
        ("-i > 0", &["W0005 -i > 0"]),
        ("a[i] == 4", &["W0005 a[i] == 4"]),
        ("s.f != 7", &["W0004 s.f != 7"]),
        ("b == 2", &["W0005 b == 2"]),
        ("!(i <= 10)", &["W0005 !(i <= 10)"]),
        ("i <= 10 || x < 2", &["W0004 i <= 10 || x < 2"]),
        ("i <= 10 imply x < 2", &["W0004 i <= 10"]),
        ("x >= 0", &["W0004 x >= 0"]),
        ("0 > x", &["W0005 0 > x"]),
        ("x > 0", &[]),
        ("1 < 2", &["W0004 1 < 2"]),
        // on purpose
        ("true", &[]),
        ("1", &[]),
        ("false && i > 3", &[]),
        ("true || i > 3", &[]),
        ("FIXED", &[]),
        ("FIXED && i > 3", &[]),
        ("FIXED == 0", &[]),
        ("i >= LIMIT", &[]),
        ("x >= LIMIT", &[]),
        ("v > 1", &[]),
        ("w > 1", &[]),
        ("n <= 10", &["W0004 n <= 10"]),
        ("forall (k : int[0,2]) k < 5", &[]),
        ("f() == 3", &[]),
        ("g <= 40000", &["W0004 g <= 40000"]),
    ];
    let declarations = "clock x; int[0,5] i; int[0,3] a[6]; struct { int[1,3] f; } s; bool b; int g;
        const bool FIXED = true; const int LIMIT = 0; const int MAX = 1; int[0,MAX] v; typedef int[0,MAX] t; t w;
        typedef int[0,9] digit; digit n; int f() { return 3; }";
    let used = "x = 0, i = f(), a[0] = 0, s.f = 1, b = true, g = 1, v = MAX, w = LIMIT, n = FIXED";
    check(rows, |guard| {
        format!(
            "{declarations} process T() {{ state A; init A; trans A -> A {{ guard {guard}; assign {used}; }}; }} system T;"
        )
    });
    check(&[("x <= 5", &[]), ("x <= 5 && x >= 0", &["W0004 x >= 0"]), ("x' == 0", &[])], |invariant| {
        format!("clock x; process T() {{ state A {{ {invariant} }}; init A; }} system T;")
    });
}

#[test]
fn names() {
    let rows: &[(&str, &[&str])] = &[
        // hidden names
        (
            "int i; process T() { clock i; state A { i < 3 }; init A; trans A -> A { }; } system T;",
            &["W0001 i", "W0002 i"],
        ),
        (
            "int i; process T() { int j; state A; init A; trans A -> A { select i : int[0,2]; assign j = i; }; } system T;",
            &["W0001 i", "W0002 i"],
        ),
        (
            "int i; void f() { int i; i = 1; } process T() { state A; init A; trans A -> A { assign f(), i = 1; }; } system T;",
            &["W0001 i"],
        ),
        (
            "int i; process T() { state A; init A; trans A -> A { guard exists (i : int[0,2]) i > 1; assign i = 1; }; } system T;",
            &["W0001 i"],
        ),
        (
            "void f() { int i; { int i; i = 1; } i = 2; } process T() { state A; init A; trans A -> A { assign f(); }; } system T;",
            &["W0001 i"],
        ),
        // a parameter is often called like what is passed for it
        (
            "int i; void f(int i) { i = 1; } process T(int &i) { state A; init A; trans A -> A { assign f(i); }; } P = T(i); system P;",
            &[],
        ),
        (
            "typedef int[0,255] uint8_t; uint8_t i; process T() { state A; init A; trans A -> A { assign i = 1; }; } system T;",
            &[],
        ),
        // unused names
        (
            "int i; clock x; chan c; const int N = 1; int f() { return 1; } process T() { state A; init A; } system T;",
            &["W0002 i", "W0002 x", "W0002 c", "W0002 N", "W0002 f"],
        ),
        ("process T() { int i; clock x; state A; init A; } system T;", &["W0002 i", "W0002 x"]),
        ("int i; process T() { int j; state A; init A; } system T; query { E<> i == T.j }", &[]),
        ("int i; process T() { state A; init A; } system T; progress { i; } ", &[]),
        ("int i; process T() { state A; init A; } system T; gantt { g : i > 0 -> 1; }", &[]),
        ("chan c; chan priority c < default; process T() { state A; init A; } system T;", &[]),
        ("process T(int i) { state A; init A; } P = T(1); system P;", &[]),
        ("process T() { int i; state A; init A; } process U() { state A; init A; } system U;", &["W0002 T"]),
        ("process T() { state A; init A; } P = T(); Q = T(); system P;", &["W0002 Q"]),
        (
            "process T(const int n) { int a[n]; state A; init A; } P = T(1); Q = T(2); system P, Q; query { E<> P.a[0] == 1 }",
            &[],
        ),
        ("void __ON_BEGIN__() { } process T() { state A; init A; } system T;", &[]),
        // no effect
        ("int i; process T() { state A; init A; trans A -> A { assign i == 1; }; } system T;", &["W0003 i == 1"]),
        (
            "int i; int f() { i + 1; return i; } process T() { state A; init A; trans A -> A { guard f() > 1; }; } system T;",
            &["W0003 i + 1"],
        ),
        (
            "void f(int &i) { i = 1; } void g() { int j; f(j); } process T() { state A; init A; trans A -> A { assign g(), 1; }; } system T;",
            &[],
        ),
        (
            "urgent chan u; clock x; process T() { state A; init A; trans A -> A { guard x > 1; sync u!; }; } system T;",
            &["W0009 x > 1"],
        ),
        (
            "const int a[2] = {1}; process T() { int i = a[0]; state A; init A; } system T; query { E<> T.i > 0 }",
            &["W0010 {1}"],
        ),
        ("process T() { state A; branchpoint b; init A; trans A -> b { }; } system T;", &["W0007 A -> b { }"]),
    ];
    check(rows, |text| text.to_owned());
}

#[test]
fn meta_variables_that_decide_something() {
    let rows: &[(&str, &[&str])] = &[
        ("guard m == 1; assign m = 1, i = 2;", &["W0012 m"]),
        ("guard i == 1; assign m = 1, i = m + k[0];", &[]),
        ("guard k[i] == 1; assign i = 0, m = 1;", &["W0012 k[i]"]),
        ("guard i == 1 && l > 0; sync c[l]!; assign i = m, l = k[0];", &["W0012 l", "W0012 l"]),
        ("sync c[i]!; assign l = 1, m = l, k[1] = 0;", &[]),
        // inside functions it may have been written before
        ("guard f() == 1; assign i = 1, m = k[0];", &[]),
    ];
    check(rows, |label| {
        format!(
            "clock x; meta int m; int i; meta int k[2]; chan c[2]; clock y; int f() {{ return m; }}
            process T() {{ int n; meta int[0,1] l; state A {{ x <= i }}, B; init A; trans A -> B {{ {label} }}, B -> A {{ guard y > 0; sync c[n]?; assign i = f() + l + k[1], n = 0, x = 0; }}; }} system T;"
        )
    });
}
