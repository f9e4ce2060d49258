//! No input makes the checker panic, hang, run out of stack or of memory.
//!
//! Test threads have 2 MiB of stack: what is returned must also be dropped there.

use model::diagnostic::Diagnostic;
use model::load::load_bytes;
use std::path::Path;
use std::time::{Duration, Instant};

/// Loads a text, asks all queries it contains, and gives back the code and the place of the first error.
fn outcome(name: &str, bytes: &[u8]) -> Option<&'static str> {
    let mut loaded = load_bytes(name, bytes, &[]);
    let first = loaded.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    if let Some(Diagnostic { span: None, message, code, .. }) = first {
        assert!(["E0401", "E0406"].contains(&code.0), "an error without a place: {message}");
    }
    if let Some(model) = &mut loaded.model {
        for query in model.queries.clone() {
            model.query(&query);
        }
        model.unused();
    }
    assert_eq!(loaded.model.is_none(), first.is_some(), "a model, or an error that says why there is none");
    first.map(|diagnostic| diagnostic.code.0)
}

/// A debug build on a busy machine is slow; without a limit these would take hours.
const LIMIT: Duration = Duration::from_secs(60);

fn giant(what: &str, source: &str, expected: Option<&str>) {
    let start = Instant::now();
    let found = outcome("giant.xta", source.as_bytes());
    let time = start.elapsed();
    println!("{:>8.3} s  {found:?}  {what}", time.as_secs_f64());
    assert_eq!(found, expected, "{what}");
    assert!(time < LIMIT, "{what} took {time:?}");
}

/// Declarations beside a template that is always fine.
fn declared(declarations: &str) -> String {
    format!("{declarations}\nprocess T() {{ state A; init A; }} system T;")
}

fn updated(declarations: &str, update: &str) -> String {
    format!("{declarations}\nprocess T() {{ state A; init A; trans A -> A {{ assign {update}; }}; }} system T;")
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn giant_sizes_are_refused() {
    giant("an array", &declared("int a[2147483647];"), Some("E0315"));
    giant("a matrix", &declared("int a[1000000][1000000];"), Some("E0315"));
    giant("an index type", &declared("int a[int32_t];"), Some("E0315"));
    giant("a local array", &updated("void f() { int a[2147483647]; a[0] = 1; }", "f()"), Some("E0315"));
    giant("an array of nothing", &declared("struct { int a[0]; } a[2147483647][2147483647];"), None);
    giant("many arrays", &declared(&lines(100, |n| format!("int a{n}[1000000];"))), Some("E0315"));
    giant("a scalar set", &declared("typedef scalar[2147483647] S; S s; int a[S];"), Some("E0315"));
    let doubling = lines(60, |n| format!("typedef struct {{ T{n} a, b; }} T{};", n + 1));
    giant("doubling structs", &declared(&format!("typedef int T0; {doubling} T60 t;")), Some("E0315"));
    let select = "process T() { state A; init A; trans A -> A { select i : int[0,2147483647]; }; } system T;";
    giant("a select", select, Some("E0315"));
    let product =
        "process T() { state A; init A; trans A -> A { select a : int16_t, b : int16_t, c : int32_t; }; } system T;";
    giant("a product of selects", product, Some("E0315"));
    let branch =
        "process T() { state A; branchpoint b; init A; trans A -> b { }, b -> A { select i : int32_t; }; } system T;";
    giant("a select on a branch", branch, Some("E0315"));
    let processes = "process T(int32_t i, int[0,9] j) { state A; init A; } system T;";
    giant("processes", processes, Some("E0402"));
    let processes = "process T(int[0,2147483646] i) { state A; init A; } system T;";
    giant("more processes", processes, Some("E0315"));
    let arrays = "process T(const int[0,999999] i) { int a[100]; state A; init A; } system T;";
    giant("a million processes with arrays", arrays, Some("E0315"));
    let constants = "process T(const int[0,999999] i) { const int a[100] = {i}; state A; init A; } system T;";
    giant("a million processes with constants", constants, Some("E0315"));
    let forms = "process T(const int[0,999999] i) { int[0,i] a; state A; init A; } system T;";
    giant("a million forms", forms, Some("E0315"));
}

#[test]
fn a_million_processes_load() {
    giant("a million processes", "process T(const int[0,999999] i) { clock x; state A; init A; } system T;", None);
}

#[test]
fn evaluation_ends() {
    let endless = "int f() { int i = 0; while (true) { i = 1 - i; } return i; }";
    giant("an endless loop", &declared(&format!("{endless} int a = f();")), Some("E0313"));
    giant(
        "many endless loops",
        &declared(&format!("{endless} {}", lines(2000, |n| format!("int a{n} = f();")))),
        Some("E0313"),
    );
    giant("an endless size", &declared(&format!("{endless} int a[f()];")), Some("E0313"));
    giant("a quantifier over everything", &declared("int a = sum (i : int32_t) sum (j : int32_t) 1;"), Some("E0313"));
    giant(
        "an iteration over everything",
        &declared("int f() { for (i : int32_t) { for (j : int32_t) { } } return 1; } int a = f();"),
        Some("E0313"),
    );
    let chain = lines(5000, |n| format!("int f{}() {{ return f{n}() + 1; }}", n + 1));
    giant("a chain of calls", &declared(&format!("int f0() {{ return 0; }} {chain} int a = f5000();")), None);
    let doubling = lines(100, |n| format!("int f{}() {{ return f{n}() | f{n}(); }}", n + 1));
    giant(
        "doubling calls",
        &updated(&format!("int f0() {{ return 1; }} {doubling} int a = f100();"), "a = f100()"),
        Some("E0313"),
    );
    giant(
        "doubling calls in an update",
        &updated(&format!("int f0() {{ return 1; }} {doubling} int a;"), "a = f100()"),
        None,
    );
    giant(
        "doubling calls in a guard",
        &format!(
            "int f0() {{ return 1; }} {doubling} process T() {{ state A {{ f100() == 3 }}; init A; trans A -> A {{ guard f100() == 1; }}; }} system T;"
        ),
        None,
    );
    let locals = lines(1000, |n| format!("const int c{n} = {n};"));
    giant(
        "constants beside a large array",
        &updated(&format!("void f() {{ int a[8000000]; {locals} a[0] = c999; }}"), "f()"),
        None,
    );
    let references = lines(200, |n| format!("int f{}(const int &a[100000]) {{ return f{n}(a) + 1; }}", n + 1));
    giant(
        "large arrays by reference",
        &declared(&format!(
            "const int A[100000] = {{1}}; int f0(const int &a[100000]) {{ return a[0]; }} {references} int a = f200(A);"
        )),
        None,
    );
    let values = lines(200, |n| format!("int f{}(int a[100000]) {{ return f{n}(a) + 1; }}", n + 1));
    giant(
        "large arrays by value",
        &declared(&format!(
            "const int A[100000] = {{1}}; int f0(int a[100000]) {{ return a[0]; }} {values} int a = f200(A);"
        )),
        Some("E0313"),
    );
}

#[test]
fn deep_nesting_ends() {
    let n = 100_000;
    giant("parentheses", &declared(&format!("int a = {}1{};", "(".repeat(n), ")".repeat(n))), Some("E0105"));
    giant("minus", &declared(&format!("int a = {}1;", "- ".repeat(n))), Some("E0105"));
    giant("not", &declared(&format!("int a = {}1;", "!".repeat(n))), Some("E0105"));
    giant("ternaries", &declared(&format!("int a = {}1{};", "1 ? ".repeat(n), " : 2".repeat(n))), Some("E0105"));
    giant("ternaries to the right", &declared(&format!("int a = {}1;", "1 ? 2 : ".repeat(n))), Some("E0105"));
    giant("sums", &declared(&format!("int a = {}1;", "1 + ".repeat(n))), Some("E0105"));
    giant("blocks", &updated(&format!("void f() {{ {}{} }}", "{".repeat(n), "}".repeat(n)), "f()"), Some("E0105"));
    giant("ifs", &updated(&format!("void f() {{ {} ; }}", "if (1) ".repeat(n)), "f()"), Some("E0105"));
    giant("else ifs", &updated(&format!("void f() {{ {} ; }}", "if (1) ; else ".repeat(n)), "f()"), None);
    giant("dimensions", &declared(&format!("int a{};", "[1]".repeat(n))), Some("E0315"));
    giant("indices", &updated("int a;", &format!("a{} = 1", "[0]".repeat(n))), Some("E0105"));
    giant("structs", &declared(&format!("{}int a;{} s;", "struct { ".repeat(n), " } b;".repeat(n))), Some("E0105"));
    let chain = lines(n, |n| format!("typedef struct {{ T{n} a; }} T{};", n + 1));
    giant("structs by name", &declared(&format!("typedef int T0; {chain} T{n} t;")), Some("E0315"));
    let chain = lines(n, |n| format!("typedef T{n} T{}[1];", n + 1));
    giant("arrays by name", &declared(&format!("typedef int T0; {chain} T{n} t;")), Some("E0315"));
    let chain = lines(900, |n| format!("typedef struct {{ T{n} a; }} T{};", n + 1));
    giant("structs just within", &updated(&format!("typedef int T0; {chain} T900 s, t;"), "s = t"), None);
    giant("steps", &updated("int i;", &format!("{}i", "++".repeat(500))), None);
    giant("assignments", &updated("int i, j;", &format!("{}3", "(i ? i : j) = ".repeat(500))), None);
    giant("assigned assignments", &updated("int i;", &format!("{}i{}", "(".repeat(500), " = 1)".repeat(500))), None);
    giant("sums just within", &updated("int i;", &format!("i = {}1", "i + ".repeat(3900))), None);
    giant("parentheses just within", &updated("int i;", &format!("i = {}i{}", "(".repeat(900), ")".repeat(900))), None);
    let xor = "x < 1 xor ".repeat(500);
    giant("xor over clocks", &updated(&format!("clock x; void f() {{ if ({xor} x < 2) ; }}"), "f()"), None);
    let quantifiers = (0..300).map(|n| format!("forall (i{n} : int[0,1]) ")).collect::<String>();
    giant(
        "quantifiers",
        &format!("int i; process T() {{ state A; init A; trans A -> A {{ guard {quantifiers} i > 0; }}; }} system T;"),
        None,
    );
    giant("initialisers", &declared(&format!("int a[1] = {}1{};", "{".repeat(n), "}".repeat(n))), Some("E0105"));
}

#[test]
fn many_things_are_no_trouble() {
    giant("globals", &declared(&lines(50_000, |n| format!("int v{n} = {n} % 7;"))), None);
    giant("errors", &declared(&lines(20_000, |n| format!("int v{n} = unknown{n};"))), Some("E0201"));
    let both =
        format!("{} {}", lines(50_000, |n| format!("int v{n};")), lines(20_000, |n| format!("int w{n} = x{n};")));
    giant("names and errors", &declared(&both), Some("E0201"));
    let instances = lines(50_000, |n| format!("P{n} = T({n});"));
    let names = (0..50_000).map(|n| format!("P{n}")).collect::<Vec<_>>().join(", ");
    giant("instances", &format!("process T(const int i) {{ state A; init A; }} {instances} system {names};"), None);
    let edges = (0..20_000).map(|n| format!("A -> A {{ guard i == {n}; assign f(); }}")).collect::<Vec<_>>().join(", ");
    let functions = lines(300, |n| format!("void f{}() {{ f{n}(); i = 1; i = 2; i = 3; }}", n + 1));
    giant(
        "edges that call",
        &format!(
            "int i; void f0() {{ i = 0; }} {functions} void f() {{ f300(); }} process T() {{ state A; init A; trans {edges}; }} system T;"
        ),
        None,
    );
    let templates = lines(5_000, |n| format!("process T{n}() {{ state A; init A; }}"));
    let names = (0..5_000).map(|n| format!("T{n}")).collect::<Vec<_>>().join(" < ");
    giant("templates", &format!("{templates} system {names};"), None);
    let fields = lines(10_000, |n| format!("int f{n};"));
    giant("fields", &updated(&format!("struct {{ {fields} }} s;"), "s.f9999 = s.f5000"), None);
    let values = (0..100_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    giant("initial values", &declared(&format!("const int a[100000] = {{{values}}};")), None);
}

/// Marsaglia's xorshift: the same run each time, and nothing to depend on.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list.get(self.below(list.len())).copied().unwrap_or_default()
    }
}

/// Words and signs, with the blanks between them.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 1,
        _ if c.is_whitespace() => 2,
        _ => 3,
    };
    let mut tokens = Vec::new();
    let (mut start, mut last) = (0, 0);
    for (at, c) in text.char_indices() {
        if at > start && (kind(c) != last || kind(c) == 3) {
            tokens.extend(text.get(start..at));
            start = at;
        }
        last = kind(c);
    }
    tokens.extend(text.get(start..));
    tokens
}

const WORDS: &[&str] = &[
    "int",
    "bool",
    "clock",
    "chan",
    "const",
    "meta",
    "scalar",
    "struct",
    "typedef",
    "void",
    "double",
    "urgent",
    "broadcast",
    "forall",
    "exists",
    "sum",
    "true",
    "false",
    "deadlock",
    "not",
    "and",
    "or",
    "imply",
    "xor",
    "return",
    "for",
    "while",
    "if",
    "else",
    "x",
    "i",
    "N",
    "id",
    "0",
    "1",
    "-1",
    "2147483647",
    "1.5",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    "=",
    ":=",
    "+=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    "**",
    "!",
    "?",
    "&",
    "|",
    "'",
    ".",
    "++",
    "--",
    "->",
    "-->",
    "E<>",
    "A[]",
    "int[0,3]",
    "[2]",
    "(0)",
    "x' == 1",
    "&lt;",
];

fn mutated(random: &mut Random, text: &str) -> String {
    let mut tokens: Vec<&str> = tokens(text);
    let own: Vec<&str> = tokens.iter().copied().filter(|token| !token.trim().is_empty()).collect();
    for _ in 0..1 + random.below(6) {
        let at = random.below(tokens.len());
        let other = if random.below(2) == 0 { random.pick(WORDS) } else { random.pick(&own) };
        match random.below(5) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, other),
            2 => tokens.insert(at, " "),
            3 => tokens.swap(at, random.below(own.len()).min(at)),
            _ => tokens[at] = other,
        }
        if tokens.is_empty() {
            return String::new();
        }
    }
    tokens.concat()
}

const SNIPPETS: &[&str] = &[
    "const int N = 3; typedef int[0,N-1] id_t; int a[id_t]; struct { int x; clock c; bool b[2]; } s[2];
     int sum_of(const int &v[id_t]) { int r; for (i : id_t) r += v[i]; return r; }
     void swap(int &p, int &q) { int t = p; p = q; q = t; }
     chan go[id_t]; urgent broadcast chan all; clock x;
     process P(const id_t id, int &r) { clock y; const int M = N + id; int b[2] = {id, M}; state A { y <= M }, B, C;
       commit B; init A; trans A -> B { select k : id_t; guard y >= k && a[k] < 3; sync go[k]!; assign y = 0, r = k; },
       B -> C { sync all?; assign swap(a[0], a[1]), s[1].x = sum_of(a); }, C -> A { guard forall (i : id_t) a[i] == 0; }; }
     process Q(const id_t i) { state A; branchpoint b; init A; trans A -> b { guard i > 0; sync go[i]?; },
       b -> A { probability 2; assign s[0].c = 0; }, b -> A { }; }
     R(const id_t k) = P(k, a[1]); P0 = R(2); system P0, Q;
     query { E<> P0.A and forall (i : id_t) Q(i).A }",
    "typedef scalar[3] S; S who; int seen[S]; meta int m; const string t = \"a\"; double d = 1.5; hybrid clock h;
     before_update { m = 0 } after_update { m++ } int f(int n) { if (n > 2) return n; else { while (n < 5) n++; return n - 1; } }
     chan c; chan priority c < default;
     process T(const S me) { int i = 2; state A { h' == 2 && x' == 0 ; 3 : 2 }, B; clock x; urgent B; init A;
       trans A -> B { guard seen[me] == 0 && f(i) > 1; sync c!; assign who = me, seen[me]++, i = f(3); },
       -> A { sync c?; assign i -= 1, x = 3; }; }
     system T;",
    "const N 3; int v := 0; chan a, b; process P(int &x; const k) { clock t; state S { t<=k, x<3 }, U; init S;
       trans S -> U { guard t>=1, x==0; sync a!; assign t:=0, x:=x+1; }; } p := P(v, 2); system p;",
];

/// Small changes to models that load: most give something that is nearly right, where checks are easily forgotten.
#[test]
fn damaged_models_never_panic() {
    let mut random = Random(0x5eed_0002);
    for _ in 0..250 {
        for snippet in SNIPPETS {
            outcome("damaged.xta", mutated(&mut random, snippet).as_bytes());
        }
    }
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut names: Vec<_> = std::fs::read_dir(directory)
        .expect("the models of this repository")
        .map(|entry| entry.expect("a directory entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "xml"))
        .collect();
    names.sort();
    for path in names {
        let model = std::fs::read_to_string(&path).expect("a model of this repository");
        for _ in 0..25 {
            outcome("damaged.xml", mutated(&mut random, &model).as_bytes());
        }
    }
}
