//! The rules of the language, one row each: what is accepted loads, what is forbidden gets its code.

use model::load::{Loaded, load_bytes, query_text};

/// The codes of all errors, each once, in the order found; empty when the model loads.
fn errors(loaded: &Loaded) -> String {
    codes(loaded.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).map(|diagnostic| diagnostic.code.0))
}

fn codes(found: impl Iterator<Item = &'static str>) -> String {
    let mut list: Vec<&str> = Vec::new();
    for code in found {
        if !list.contains(&code) {
            list.push(code);
        }
    }
    list.join(" ")
}

fn load(source: &str) -> Loaded {
    load_bytes("model.xta", source.as_bytes(), &[])
}

/// Checks a table whose rows are put into a model by `wrap`, and says all that is wrong at once.
fn check(rows: &[(&str, &str)], wrap: impl Fn(&str) -> String) {
    let mut wrong = Vec::new();
    for (text, expected) in rows {
        let loaded = load(&wrap(text));
        let found = errors(&loaded);
        if found != *expected {
            let said: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
            wrong.push(format!("{text}\n    expected `{expected}`, found `{found}`: {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn declarations() {
    let rows = [
        // variables and their types
        ("int a; int[0,5] b = 3; bool c = true; clock x; chan d; double e = 1.5;", ""),
        ("int a[3], b[2][4]; clock xs[3]; urgent broadcast chan cs[2];", ""),
        ("const int N = 4; int[0,N-1] i; int a[N+1];", ""),
        ("int a[int[3,5]]; int b = 0;", ""),
        ("typedef int[0,3] id_t; int a[id_t]; id_t i = 3;", ""),
        ("typedef scalar[3] S; S s; int a[S]; S t[S];", ""),
        ("typedef struct { int a; bool b[2]; clock x; double d; } R; R r; R rs[2];", ""),
        ("struct { int a; struct { int b; } inner; } s = { 1, { 2 } };", ""),
        ("meta int m = 2; meta bool f[2];", ""),
        ("hybrid clock h; const string s = \"text\";", ""),
        ("clock x = 5, y = 0;", ""),
        ("int8_t a = INT8_MIN; uint16_t b = UINT16_MAX; const double c = M_PI;", ""),
        ("typedef int[0,255] uint8_t; uint8_t a = 255;", ""),
        ("const int big = 2147483647, small = -2147483648;", ""),
        ("int a = 32768;", "E0312"),
        ("const int a = 32768;", ""),
        ("typedef int word; const word a = 40000;", "E0312"),
        ("int a = 2147483648;", "E0103"),
        ("int[0,3] a = 4;", "E0312"),
        ("int[5,3] a;", "E0311"),
        ("int[5,3] a[2];", "E0311"),
        ("struct { int[5,3] a; } s;", "E0311"),
        ("int[0,a] b;", "E0201"),
        ("int n; int[0,n] b;", "E0305"),
        ("int n = 2; int a[n];", "E0305"),
        ("int a[-1];", "E0311"),
        ("int a[0];", ""),
        ("int a[1.5];", "E0301"),
        ("int[0,1.5] a;", "E0301"),
        ("int a[bool];", ""),
        ("scalar[0] s;", "E0311"),
        ("void v;", "E0316"),
        ("string s;", "E0316"),
        ("const clock x;", "E0316"),
        ("meta clock x;", "E0316"),
        ("struct { chan c; } s;", "E0316"),
        ("struct { const int a; } s;", "E0316"),
        ("struct { int a; int a; } s;", "E0202"),
        ("urgent int a;", "E0301"),
        ("int a; bool a;", "E0202"),
        ("unknown_t a; int b = a + 1;", "E0203"),
        ("typedef unknown_t known_t; known_t a; known_t b[2];", "E0203"),
        ("int a; a b;", "E0203"),
        ("typedef struct { Node next; } Node;", "E0207"),
        ("int a[2147483647];", "E0315"),
        ("int a[1000000][1000000];", "E0315"),
        ("int a[int32_t];", "E0315"),
        // initial values
        ("const int a;", "E0304"),
        ("const int a[2] = {1, 2}; int b = a[1];", ""),
        ("const int a[2] = {1, 2}; int b = a[2];", "E0313"),
        ("int a[2] = {x: 1, 2};", "E0304"),
        ("int a[2][2] = {{1,2},{3,4}};", ""),
        ("typedef scalar[2] S; int a[S] = {1,2};", "E0304"),
        ("struct { int a; int b; } s = { b: 1, a: 2 };", ""),
        ("struct { int a; int b; int c; } s = { b: 1, 3, a: 2 };", ""),
        ("struct { int a; int b; } s = { 1 };", "E0304"),
        ("struct { int a; int b; } s = { 1, 2, 3 };", "E0304"),
        ("struct { int a; int b; } s = { a: 1, a: 2 };", "E0304"),
        ("struct { int a; } s = { c: 1 };", "E0206"),
        ("int a = 1; int b = a;", "E0305"),
        ("int a; int b = a++;", "E0306"),
        ("int a = 1 / 0;", "E0313"),
        ("int a = 1 << -1;", "E0313"),
        ("int a = true + 5 % -3;", ""),
        ("clock x = -1;", "E0312"),
        ("int a = 1.5;", "E0304"),
        ("double d = 1;", ""),
        ("double d = random(3);", "E0305"),
        ("int a = {1, 2};", "E0304"),
        ("clock x; int a = x;", "E0304"),
        ("int f() { return 3; } int a[f()]; int b = f();", ""),
        ("int v; int f() { return v; } int a[f()];", "E0305"),
        // broken declarations are reported once
        ("int[0,q] a; int b = a; int f() { return a; }", "E0201"),
        ("q f(int a) { return a; } int b = f(1);", "E0203"),
        ("int f(q a) { return a; } int b = f(1);", "E0203"),
        // priorities
        ("chan a, b[3]; chan priority a, b[0] < default < b[1], b[2];", ""),
        ("chan a; chan priority a < default; chan priority default < a;", "E0405"),
        ("int a; chan priority a;", "E0405"),
        ("chan a[2]; chan priority a[2] < default;", "E0312"),
        ("chan a[2]; int i; chan priority a[i] < default;", "E0305"),
        ("int i; before_update { i = 0 } after_update { i = 1, i++ }", ""),
        ("before_update { q = 0 }", "E0201"),
        ("import \"lib.so\" { int f(int a); };", ""),
    ];
    check(&rows, |text| format!("{text}\nprocess T() {{ state A; init A; }} system T;"));
}

#[test]
fn functions() {
    let rows = [
        ("int f(int a, const int b, int &c) { c = a; a = b; return c; }", ""),
        ("void f() { }", ""),
        ("int f() { if (true) return 1; else return 2; }", ""),
        ("int f() { if (true) return 1; else if (false) { return 2; } else { return 3; } }", ""),
        ("int f() { do { return 1; } while (true); }", ""),
        ("int f() { if (true) return 1; }", "E0314"),
        ("int f() { while (true) return 1; }", "E0314"),
        ("int f() { }", "E0314"),
        ("int f() { return; }", "E0314"),
        ("void f() { return 1; }", "E0314"),
        ("bool f() { return 1.5; }", "E0314"),
        ("double f() { return 1; }", ""),
        ("typedef struct { int a; } R; R f() { R r; return r; } int x[1]; void g() { x[0] = f().a; }", ""),
        ("typedef int A[2]; A f() { A a; return a; }", "E0316"),
        ("clock f() { clock x; return x; }", "E0316"),
        ("chan f() { }", "E0316"),
        ("int f() { return f(); }", "E0207"),
        ("void f(int n) { if (n > 0) f(n - 1); }", "E0207"),
        ("int g() { return f(); } int f() { return 1; }", "E0201"),
        ("void f() { int i; for (i = 0; i < 3; i++) { int j = i; j++; } }", ""),
        ("void f() { for (i : int[0,3]) { int j = i; j++; } }", ""),
        ("void f() { for (i : int[0,3]) i = 2; }", "E0302"),
        ("void f() { int i; while (i < 3, i < 4) i++; do i--; while (i > 0); }", ""),
        ("void f() { int i = 3; assert i == 3; }", ""),
        ("void f() { int i = 3; assert i++ == 3; }", "E0306"),
        ("void f() { int i = 3; int j = i++; }", "E0306"),
        ("int v; void f() { int j = v; v = j; }", ""),
        ("void f() { chan c; }", "E0316"),
        ("typedef scalar[2] S; void f() { S s; }", "E0316"),
        ("typedef scalar[2] S; void f() { int a[S]; }", "E0316"),
        ("void f(chan &c) { }", "E0316"),
        ("typedef scalar[2] S; int v[S]; void f(S s) { v[s] = 1; }", ""),
        ("void f(int a) { int a; }", "E0202"),
        ("void f() { int n = 2; int a[n]; }", "E0305"),
        ("void f() { const int n = 2; int a[n]; a[1] = n; }", ""),
        ("void f(int n) { const int m = n; int k = m; k++; }", ""),
        ("const int C = 1; void f() { C = 2; }", "E0302"),
        ("void f(const int a) { a = 2; }", "E0302"),
        ("void f(const int &a) { a = 2; }", "E0302"),
        ("void f() { double d; d += 1; }", "E0301"),
        ("void f() { double d; d++; }", "E0301"),
        ("void f() { bool b; b++; }", "E0301"),
        ("void f() { int i; ++++i; (++i)++; (i = 3) += 2; i = i = 2; }", ""),
        ("void f() { int i; i++ ++; }", "E0302"),
        ("void f() { int a, b; (true ? a : b) = 3; }", ""),
        ("const int b = 1; void f() { int a; (true ? a : b) = 3; }", "E0302"),
        ("void f() { 3 = 4; }", "E0302"),
        // calls
        ("void g(int &a) { a = 1; } int v; void f() { g(v); }", ""),
        ("void g(int &a) { a = 1; } void f() { g(3); }", "E0303"),
        ("void g(int &a) { a = 1; } int[0,5] v; void f() { g(v); }", "E0303"),
        ("void g(int[0,5] &a) { a = 1; } int v; void f() { g(v); }", "E0303"),
        ("void g(int[0,5] &a) { a = 1; } int[0,5] v[2]; void f() { g(v[1]); }", ""),
        ("struct { int a; } s; void g(int &a) { a = 1; } void f() { g(s.a); }", ""),
        ("const int C = 3; void g(const int &a) { int b = a; } void f() { g(C); g(4); }", ""),
        ("const int C = 3; void g(int &a) { a = 1; } void f() { g(C); }", "E0303"),
        ("int v[3]; int g(int a[3]) { return a[0]; } void f() { v[0] = g(v); }", ""),
        ("int v[2]; int g(int a[3]) { return a[0]; } void f() { v[0] = g(v); }", "E0303"),
        ("int g(int a) { return a; } void f() { g(); }", "E0303"),
        ("int g(int a) { return a; } void f() { g(1, 2); }", "E0303"),
        ("int g(int a) { return a; } clock x; void f() { g(x); }", "E0303"),
        ("void f() { int i = abs(-3); double d = pow(2, 0.5) + log(i); }", ""),
        ("void f() { int i = abs(1.5); }", "E0303"),
        ("void f() { int i = 3; i(); }", "E0204"),
        ("int i = f(); int f() { return 1; }", "E0201"),
        ("void exit() { } void f() { exit(); }", ""),
        ("int round(int a) { return a; } int v = round(3);", ""),
        // operators and types
        ("struct { int a; } s, t; void f() { s = t; if (s == t) s.a = 1; }", ""),
        ("struct { int a; } s; struct { int b; } t; void f() { s = t; }", "E0301"),
        ("struct { int a; } s; struct { int[0,2] a; } t; void f() { s = t; }", "E0301"),
        ("int a[2], b[2]; void f() { a = b; if (a != b) a[0] = 1; }", ""),
        ("int a[2], b[3]; void f() { a = b; }", "E0301"),
        ("int a[2], b[int[1,2]]; bool f() { return a == b; }", "E0301"),
        ("typedef scalar[2] S; S s, t; void f() { s = t; if (s == t) s = t; }", ""),
        ("typedef scalar[2] S; typedef scalar[2] R; S s; R r; void f() { s = r; }", "E0301"),
        ("typedef scalar[2] S; S s; bool f() { return s < s; }", "E0301"),
        ("typedef scalar[2] S; S s; void f() { s = 1; }", "E0301"),
        ("typedef scalar[2] S; S s; int a[2]; void f() { a[s] = 1; }", "E0301"),
        ("typedef scalar[2] S; int a[S]; void f() { a[1] = 1; }", "E0301"),
        ("chan c; int f() { return c + 1; }", "E0301"),
        ("double d; int f() { return d % 2 > 0; }", "E0301"),
        ("double d; int f() { return d << 2; }", "E0301"),
        ("int i; void f() { i = 1 <? 2 >? 3; i = 5 & 3 | 1 ^ 2; i = 2 ** 3; i <<= 1; i |= 2; }", ""),
        ("int i; int f() { return i ? 1 : 2; }", ""),
        ("int i; struct { int a; } s; int f() { return i ? 1 : s; }", "E0301"),
        ("int a; int f() { return a[1]; }", "E0301"),
        ("int a; int f() { return a.b; }", "E0206"),
        ("struct { int a; } s; int f() { return s.b; }", "E0206"),
        ("int f() { return forall (i : int[0,3]) i < 5; }", ""),
        ("int f() { return sum (i : int[0,3]) i; }", ""),
        ("const int N = 0; int f() { return forall (i : int[0,N-1]) false; }", ""),
        ("int f() { return forall (i : double) i < 5; }", "E0301"),
        ("int v; int f() { return forall (i : int[0,3]) (v = i) < 5; }", "E0306"),
        ("int v; int g(int &a) { a = 1; return a; } int f() { return forall (i : int[0,3]) g(v) == i; }", "E0306"),
        ("int g(int &a) { a = 1; return a; } int f() { int v; return exists (i : int[0,3]) g(v) == i; }", "E0306"),
        ("int f() { return exists (i : int[0,3]) i++ == 1; }", "E0302"),
        ("typedef scalar[3] S; int v[S]; int f() { return forall (s : S) v[s] == 1; }", ""),
        ("bool f() { return deadlock; }", "E0201"),
        ("process_t f() { }", "E0203"),
    ];
    check(&rows, |text| format!("{text}\nprocess T() {{ state A; init A; }} system T;"));
}

const LABELS: &str = "clock x, y; int i, j; const int N = 2; int a[3]; bool done; double d; chan c, cs[3];
    urgent chan u; broadcast chan b; hybrid clock h; int get() { return i; } int put() { i = 1; return i; }
    void by(int &r) { r = 1; } bool test(int &r) { r = 1; return true; } typedef scalar[2] S; S s;";

#[test]
fn guards() {
    let rows = [
        ("x < 5 && 5 < x && x >= i", ""),
        ("x == 5 and x - y == 3 and x == y", ""),
        ("x - y < i + 1 && i > x - y && x + 2 <= y && 2 + x <= y && x - 2 <= y", ""),
        ("x - y + 1 <= 3 && 1 + (x - y) <= 3", ""),
        ("done || x <= 5", ""),
        ("done imply x <= 5", ""),
        ("x <= 5 imply done", "E0308"),
        ("x <= 5 || y <= 5", "E0308"),
        ("x != 5", "E0308"),
        ("!(x < 5)", "E0308"),
        ("x' == 1", "E0308"),
        ("forall (k : int[0,2]) x > a[k]", ""),
        ("exists (k : int[0,2]) x > a[k]", "E0308"),
        ("exists (k : int[0,2]) a[k] > 1", ""),
        ("get() == 1 && a[get()] > 2", ""),
        ("put() == 1", "E0306"),
        ("test(i)", "E0306"),
        ("i = 1", "E0306"),
        ("i++ > 0", "E0306"),
        ("a[i++] > 0", "E0306"),
        ("by(i)", "E0306 E0308"),
        ("x", "E0308"),
        ("c", "E0308"),
        ("i", ""),
        ("d > 1.5", ""),
        ("x <= 1.5", ""),
        ("5 - x <= 3", ""),
        ("s == s", ""),
        ("deadlock", "E0201"),
        ("q > 1", "E0201"),
        ("x < 1 ? true : false", ""),
    ];
    check(&rows, |text| {
        format!("{LABELS} process T() {{ state A; init A; trans A -> A {{ guard {text}; }}; }} system T;")
    });
}

#[test]
fn invariants() {
    let rows = [
        ("x < 5 && x >= 0 && x <= y && x - y <= 3", ""),
        ("x == 0", "E0309"),
        ("x != 5", "E0309"),
        ("x <= 5 || y <= 5", "E0309"),
        ("done || x <= 5", ""),
        ("!done imply x <= 5", ""),
        ("x' == 0 && x <= 5", ""),
        ("0 == x'", ""),
        ("h' == 2.5 * d", ""),
        ("x' == done && forall (k : int[0,2]) y <= a[k]", ""),
        ("x' <= 1", "E0307"),
        ("i' == 1", "E0307"),
        ("x' == 1 && x == 0", "E0309"),
        ("x >= 1.5", "E0309"),
        ("put() == 0", "E0306"),
        ("x", "E0309"),
        ("x <= 5 && i <= 5", ""),
        ("i > 5", "E0407"),
        ("x >= 1", "E0407"),
    ];
    check(&rows, |text| format!("{LABELS} process T() {{ state A {{ {text} }}; init A; }} system T;"));
}

#[test]
fn edges() {
    let rows = [
        ("select k : int[0,2], l : S; guard a[k] > 0; sync cs[k]!; assign i = k, s = l;", ""),
        ("select k : int[0,2]; assign k = 2;", "E0302"),
        ("select k : double; ", "E0301"),
        ("select k : int[0,i]; ", "E0305"),
        ("select k : int[0,2147483647]; ", "E0315"),
        ("select k : int[0,-1]; ", ""),
        ("sync c!;", ""),
        ("sync cs!;", "E0310"),
        ("sync i!;", "E0310"),
        ("sync cs[i++]!;", "E0306"),
        ("sync q!;", "E0201"),
        ("assign x = 0, y = x, x = y + 2, x = i;", ""),
        ("assign x = -1;", ""),
        ("assign x += 1;", "E0301"),
        ("assign x++;", "E0301"),
        ("assign i = x;", "E0301"),
        ("assign d = x, d = i, h = d;", ""),
        ("assign i = d;", "E0301"),
        ("assign i = 1.5;", "E0301"),
        ("assign c = 1;", "E0301"),
        ("assign N = 1;", "E0302"),
        ("assign by(i), by(a[1]), put(), get();", ""),
        ("assign by(N);", "E0303"),
        ("assign a = a, a[0] = a[1] = 3;", ""),
        ("assign i == 1;", ""),
        ("assign exit();", "E0404"),
        ("assign done = 5;", ""),
    ];
    check(&rows, |text| format!("{LABELS} process T() {{ state A; init A; trans A -> A {{ {text} }}; }} system T;"));
}

#[test]
fn templates() {
    let rows = [
        ("process T() { state A, B; commit B; urgent A; init A; } system T;", ""),
        ("process T() { state A; commit A; urgent A; init A; } system T;", "E0403"),
        ("process T() { state A, A; init A; } system T;", "E0202"),
        ("process T() { int A; state A; init A; } system T;", "E0202"),
        ("process T() { state A; init B; } system T;", "E0012"),
        ("process T() { state A; init A; trans A -> B { }; } system T;", "E0013"),
        ("process T() { state A; branchpoint b; init b; } system T;", "E0012"),
        (
            "process T() { state A; branchpoint b; init A; trans A -> b { guard true; }, b -> A { probability 3; }; } system T;",
            "",
        ),
        (
            "chan c; process T() { state A; branchpoint b; init A; trans A -> b { sync c!; }, b -> A { sync c!; }; } system T;",
            "E0404",
        ),
        (
            "process T() { state A; branchpoint b, c; init A; trans A -> b { }, b -> c { }, c -> A { }; } system T;",
            "E0404",
        ),
        (
            "process T() { state A; branchpoint b; init A; trans A -> b { }, b -> A { select i : int[0,2]; probability i; }; } system T;",
            "",
        ),
        (
            "clock x; process T() { state A; branchpoint b; init A; trans A -> b { }, b -> A { probability x < 1; }; } system T;",
            "E0301",
        ),
        ("chan c; process T() { state A; init A; trans A -> A { sync c; }; } system T;", ""),
        ("chan c; process T() { state A; init A; trans A -> A { sync c; }, A -> A { sync c!; }; } system T;", "E0404"),
        ("process T() { state A { ; 3 }, B { true ; 1 : 2 }; init A; } system T;", ""),
        (
            "process T() { const int N = 2; int a[N]; int f() { return a[1]; } clock x; state A { x <= N }; init A; } system T;",
            "",
        ),
        ("process T() { state A; init A; }", "E0401"),
        ("process T() { state A; init A; } system U;", "E0205"),
        ("int i; process T() { state A; init A; } system i;", "E0205"),
        ("process T() { state A; init A; } system T, T;", "E0202"),
        ("process T() { state A; init A; } process U() { state A; init A; } system T < U;", ""),
        ("process T() { } system T;", ""),
        ("chan a[2], b; process T() { state A; init A; } system T; IO T { a[0]?, a[1]?, b! }", ""),
        ("chan a; process T(int[0,1] i) { state A; init A; } system T; IO T(1) { a? }", ""),
        ("int a; process T() { state A; init A; } system T; IO T { a? }", "E0310"),
        ("chan a[2]; process T() { state A; init A; } system T; IO T { a[2]? }", "E0312"),
        ("process T() { int i = j; state A; init A; } int j; system T;", "E0201"),
        // parameters
        (
            "process T(clock &x, chan &c, int &i, const int n, int m, bool b[2]) { state A; init A; } clock x; chan c; int i; const bool b[2] = {1, 0}; P = T(x, c, i, 2, 3, b); system P;",
            "",
        ),
        ("process T(clock x) { state A; init A; } system T;", "E0316"),
        ("process T(chan c) { state A; init A; } system T;", "E0316"),
        ("process T(int i) { state A; init A; trans A -> A { assign i = 2, i++; }; } P = T(3); system P;", ""),
        ("process T(const int i) { state A; init A; trans A -> A { assign i = 2; }; } P = T(3); system P;", "E0302"),
        (
            "void by(int &r) { r = 1; } process T(int i) { state A; init A; trans A -> A { assign by(i); }; } P = T(3); system P;",
            "",
        ),
        ("process T(int n) { int a[n]; void f() { int n; n = 3; } state A; init A; } P = T(3); system P;", ""),
        (
            "process T(int a[2]) { state A; init A; trans A -> A { assign a[1] = 2; }; } const int b[2] = {1,2}; P = T(b); system P;",
            "",
        ),
        ("process T(const int n) { int a[n]; state A; init A; } P = T(2); Q = T(3); system P, Q;", ""),
        ("process T(const int n, int[0,n] k) { state A; init A; } P = T(2, 1); Q = T(5, 4); system P, Q;", ""),
        ("process T(const int n, int[0,n] k) { state A; init A; } P = T(2, 1); Q = T(5, 6); system P, Q;", "E0312"),
        ("process T(int i) { state A; init A; } P = T(); system P;", "E0303"),
        ("process T() { state A; init A; } P = T(1); system P;", "E0303"),
        ("process T(int[0,2] i) { state A; init A; } P = T(3); system P;", "E0312"),
        ("process T(int i) { state A; init A; } int v; P = T(v); system P;", "E0305"),
        ("process T(int i) { state A; init A; } int v; P = T(v); process U() { state A; init A; } system U;", "E0305"),
        ("process T(const int &i) { state A; init A; } int v; P = T(v); system P;", "E0305"),
        ("process T(const int &i) { state A; init A; } const int v = 1; P = T(v); Q = T(2); system P, Q;", ""),
        ("process T(int &i) { state A; init A; } P = T(2); system P;", "E0303"),
        ("process T(int &i) { state A; init A; } const int v = 1; P = T(v); system P;", "E0303"),
        ("process T(int &i) { state A; init A; } int[0,5] v; P = T(v); system P;", "E0303"),
        (
            "process T(int &i) { state A; init A; } int v[2]; struct { int a; } s; P = T(v[1]); Q = T(s.a); system P, Q;",
            "",
        ),
        ("process T(int &i) { state A; init A; } int v[2]; P = T(v[2]); system P;", "E0312"),
        ("process T(int &i) { state A; init A; } int v[2], k; P = T(v[k]); system P;", "E0305"),
        ("process T(int &i) { state A; init A; } int v, w; P = T(true ? v : w); system P;", "E0303"),
        ("process T(chan &c[2]) { state A; init A; trans A -> A { sync c[1]!; }; } chan d[2]; P = T(d); system P;", ""),
        ("process T(chan &c[2]) { state A; init A; } chan d[3]; P = T(d); system P;", "E0303"),
        // what a channel may stand for
        ("process T(urgent chan &c) { state A; init A; } chan d; P = T(d); system P;", ""),
        ("process T(broadcast chan &c) { state A; init A; } chan d; P = T(d); system P;", ""),
        ("process T(chan &c) { state A; init A; } urgent chan d; P = T(d); system P;", "E0303"),
        ("process T(chan &c) { state A; init A; } broadcast chan d; P = T(d); system P;", "E0303"),
        ("process T(urgent chan &c) { state A; init A; } broadcast chan d; P = T(d); system P;", ""),
        ("process T(broadcast chan &c) { state A; init A; } urgent chan d; P = T(d); system P;", "E0303"),
        // partial instantiation and free parameters
        (
            "process T(int &x, const int i, int k) { state A; init A; } int v, w[3]; Q(int &x, const int i) = T(x, i, 2*i); P(int &y) = Q(y, 3); P1 = P(v); P2 = P(w[2]); system P1, P2;",
            "",
        ),
        ("process T(int[0,2] i, int[0,1] j) { state A; init A; } Q(int[0,2] i) = T(i, 1); system T, Q;", ""),
        ("process T(int &i) { state A; init A; } system T;", "E0402"),
        ("process T(int i) { state A; init A; } system T;", "E0402"),
        ("process T(bool i) { state A; init A; } system T;", "E0402"),
        ("typedef scalar[3] S; process T(const S i) { state A; init A; } system T;", ""),
        ("process T(int[1,3] n) { int a[n]; state A; init A; } system T;", "E0402"),
        ("process T(int[1,3] n) { const int m = n + 1; int a[m]; state A; init A; } system T;", "E0402"),
        ("process T(int[1,3] n) { state A; init A; trans A -> A { select i : int[0,n]; }; } system T;", "E0402"),
        ("process T(int[1,3] n) { typedef int[0,n] R; int a[R]; state A; init A; } system T;", "E0402"),
        ("process T(int[1,3] n) { scalar[n] s; state A; init A; } system T;", "E0402"),
        ("process T(const int n) { int a[n]; state A; init A; } Q(int[1,3] k) = T(k + 1); system Q;", "E0402"),
        ("process T(const int n, int[0,2] i) { int a[n]; state A; init A; } Q(int[0,2] k) = T(2, k); system Q;", ""),
        ("process T(int[1,3] n) { int[0,n] v; state A; init A; } system T;", ""),
        ("process T(int[1,3] n) { bool f() { return forall (i : int[0,n]) i > 3; } state A; init A; } system T;", ""),
        ("process T(int[0,2147483646] n) { state A; init A; } system T;", "E0315"),
        ("process T(int[0,-1] n) { state A; init A; } system T;", ""),
        (
            "dynamic D(int i); process D(int i) { state A; init A; trans A -> A { assign exit(); }; } process T() { state A; init A; trans A -> A { assign spawn D(2); }; } system T;",
            "",
        ),
        ("process T() { state A; init A; trans A -> A { assign spawn D(2); }; } system T;", "E0205"),
        ("process T() { state A; init A; } progress { 1; }", "E0401"),
        ("int i; process T() { state A; init A; } system T; progress { i; } gantt { g : i > 0 -> 1; }", ""),
    ];
    check(&rows, |text| text.to_owned());
}

#[test]
fn queries() {
    let model = "int v; int a[3]; clock x; const int N = 3; typedef int[0,2] id_t; double d; chan c;
        typedef scalar[2] S; int sv[S]; int put() { v = 1; return v; } int get(int i) { return a[i]; }
        process T(const id_t id) { clock y; int w; int arr[2]; bool f(int k) { return w > k; } void g() { w = 1; }
            state A, B { y <= 3 }; init A; trans A -> B { }; }
        process U(int &r) { state A; init A; } V = U(a[1]); process Empty(int[0,-1] i) { int e; state A; init A; }
        process Out() { state A; init A; } system T, V, Empty;";
    let mut loaded = load(model);
    assert_eq!(errors(&loaded), "");
    let rows = [
        ("E<> T(0).A", ""),
        ("E<> T(v).A and V.A", ""),
        ("A[] forall (i : id_t) T(i).A imply T(i).y <= N && x != 3", ""),
        ("A[] sum (i : id_t) T(i).A <= 1", ""),
        ("E[] x > 3 || !(T(0).y < 2)", ""),
        ("A<> T(1).w == 3", ""),
        ("T(1).A --> T(1).B", ""),
        ("A[] not deadlock", ""),
        ("E<> deadlock && v == 1", ""),
        ("E[] deadlock", "E0503"),
        ("A<> deadlock", "E0503"),
        ("deadlock --> v == 1", "E0503"),
        ("sup{deadlock}: v", "E0503"),
        ("Pr[<=10](<> deadlock)", "E0503"),
        ("E<> T(3).A", "E0312"),
        ("E<> T.A", "E0303"),
        ("E<> T(1, 2).A", "E0303"),
        ("E<> V(1).A", "E0303"),
        ("E<> T(1).C", "E0206"),
        ("E<> T(1)", "E0301"),
        ("E<> Q.A", "E0201"),
        ("E<> Out.A", "E0204"),
        ("E<> T(1).id == 1 && V.r == 2 && T(0).arr[1] == 0", ""),
        ("E<> T(1).location == 0", ""),
        ("E<> T(1).f(2)", ""),
        ("E<> T(1).g()", "E0306 E0301"),
        ("E<> put() == 1", "E0306"),
        ("E<> get(1) == 1", ""),
        ("E<> v = 1", "E0306"),
        ("E<> T(v++).A", "E0306"),
        ("E<> v++ == 1", "E0306"),
        ("E<> x", "E0301"),
        ("E<> c", "E0301"),
        ("E<> x' == 1", "E0301"),
        ("E<> forall (s : S) sv[s] == 1", ""),
        ("E<> forall (p : T) p.A", "E0203"),
        ("E<> forall (i : int[0,-1]) Empty(i).e == 1", ""),
        ("E<> forall (i : int[0,-1]) Empty(i).A", ""),
        ("E<> Empty(0).A", "E0312"),
        ("sup: v, x, T(1).y", ""),
        ("inf{v > 1}: a[2] + 1", ""),
        ("bounds: x", ""),
        ("sup: x - T(1).y", "E0301"),
        ("sup: x < 3", "E0301"),
        ("sup: d", "E0301"),
        ("sup: put()", "E0306"),
        ("Pr[<=10](<> v == 1)", ""),
        ("Pr[#<=N](<> v == 1)", ""),
        ("Pr[x<=10; 100]([] v == 1)", ""),
        ("Pr[v<=10](<> v == 1)", "E0307"),
        ("Pr[<=v](<> v == 1)", "E0305"),
        ("Pr[<=2.5](<> v == 1)", "E0301"),
        ("Pr[<=-1](<> v == 1)", ""),
        ("Pr[<=1; -1](<> v == 1)", "E0312"),
        ("Pr[<=1e3](<> v == 1)", ""),
        ("Pr[<=10](<> v == 1) >= 0.5", ""),
        ("Pr[<=10](<> v == 1) >= 1.5", "E0501"),
        ("Pr[<=10](v == 0 U v == 1)", ""),
        ("Pr[<=10](<> v == 1) >= Pr[<=20](<> v == 2)", ""),
        ("E[<=10; 100](max: v)", ""),
        ("E[<=10; 100](min: x)", ""),
        ("simulate [<=10; 3] { v, x, T(0).A } : v == 3", ""),
        ("simulate 3 [<=10] { d }", ""),
        ("E<> A[] v == 1", "E0504"),
        ("E<> v == ", "E0104"),
        ("control: A[] v == 1", ""),
        ("strategy s = control: A<> v == 1", ""),
        ("E<> numOf(Nothing) > 1", "E0205"),
        ("E<> nonsense(3)", "E0201"),
    ];
    let model = loaded.model.take().expect("no errors, so there is a model");
    let mut wrong = Vec::new();
    for (text, expected) in rows {
        let source = query_text(&mut loaded.sources, "query", text);
        let query = model.query(&source);
        let found = codes(query.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.code.0));
        if found != expected || query.query.is_some() != expected.is_empty() {
            let said: Vec<&str> = query.diagnostics.iter().map(|d| d.message.as_str()).collect();
            wrong.push(format!("{text}\n    expected `{expected}`, found `{found}`: {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn queries_do_not_change_their_model() {
    let text = "clock x; int v; process T() { state A, B; init A; trans A -> B { guard x > 3; }; } system T;";
    let mut loaded = load_bytes("m.xta", text.as_bytes(), &[]);
    let model = loaded.model.take().expect("no errors, so there is a model");
    let before = model.network().code.len();
    let written = ["E<> v == 1 && x > 2", "A[] forall (i : int[0,3]) v != i", "E<> T.B imply nonsense"]
        .map(|query| query_text(&mut loaded.sources, "query", query));
    let alone: Vec<_> = written.iter().map(|source| model.query(source)).collect();
    assert_eq!(model.network().code.len(), before, "each query keeps its code for itself");
    let owned = |query: &model::load::LoadedQuery| query.query.as_ref().map(|query| query.network.code.len());
    assert!(alone.iter().all(|query| owned(query).is_none_or(|len| len > before)));
    // Several queries have one network, and the same messages.
    let together = model.queries(&written);
    let [first, second, third] = &together[..] else { panic!("three queries") };
    assert_eq!(owned(first), owned(second));
    assert!(owned(first) > owned(&alone[0]) && third.query.is_none());
    for (one, other) in alone.iter().zip(&together) {
        let said = |query: &model::load::LoadedQuery| query.diagnostics.iter().map(|d| d.message.clone()).collect();
        let (one, other): (Vec<String>, Vec<String>) = (said(one), said(other));
        assert_eq!(one, other);
    }
    // All of them share what the model is made of.
    let queries = together.iter().chain(&alone).filter_map(|loaded| loaded.query.as_ref());
    assert!(queries.into_iter().all(|query| std::ptr::eq(&query.network.processes, &model.network().processes)));
}
