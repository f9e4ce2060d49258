//! Expressions as tall, deep and wide as the front end lets them be: they compile and run, or say why not.

mod support;

use model::check::QueryKind;
use model::load::query_text;
use model::network::ProcessId;
use model::source::Sources;
use semantics::code::{Discrete, Dnf, Machine, Programs, RunErrorKind};
use support::load;

/// The value of `i` after an update.
fn run(head: &str, update: &str) -> Result<i32, RunErrorKind> {
    let text =
        format!("int i = 1; {head} process P() {{ state A; init A; trans A -> A {{ assign {update}; }}; }} system P;");
    let model = load(&text);
    let network = model.network();
    let mut programs = Programs::new(network);
    let id = programs.update(&network.templates[0].edges[0].update);
    let mut state = Discrete::initial(network);
    let result = Machine::new().update(&programs, id, ProcessId::new(0), &[], &mut state, &mut Vec::new());
    result.map(|()| state.ints[0]).map_err(|error| error.kind)
}

#[test]
fn tall_expressions() {
    let sum = vec!["i"; 3_900].join(" + ");
    assert_eq!(run("", &format!("i = {sum}")), Ok(3_900));
    let right = format!("i = {}i{}", "i + (".repeat(400), ")".repeat(400));
    assert_eq!(run("", &right), Ok(401));
    let choice = format!("i = {}7{}", "i == 5 ? 1 : (".repeat(400), ")".repeat(400));
    assert_eq!(run("", &choice), Ok(7));
    let and = vec!["i < 9"; 3_000].join(" && ");
    assert_eq!(run("", &format!("i = {and}")), Ok(1));
}

#[test]
fn deep_statements_and_calls() {
    let nested = format!("void f() {{ {} i++; {} }}", "if (i > 0) {".repeat(400), "}".repeat(400));
    assert_eq!(run(&nested, "f()"), Ok(2));
    let mut chain = "int f0(int p) { return p + 1; }".to_owned();
    for n in 1..500 {
        chain += &format!("int f{n}(int p) {{ int a[300]; a[7] = p; return f{}(a[7]) + 1; }}\n", n - 1);
    }
    assert_eq!(run(&chain, "i = f499(0)"), Ok(500));
    assert_eq!(
        run("int f(int p) { return p + 1; }", &format!("i = {}0{}", "f(".repeat(300), ")".repeat(300))),
        Ok(300)
    );
}

#[test]
fn large_local_variables() {
    let near = "void f() { int a[30000]; a[29999] = 5; i = a[29999] + a[3]; }";
    assert_eq!(run(near, "f()"), Ok(5));
    let far = "void f() { int a[300000]; a[299999] = 5; i = a[299999]; }";
    assert!(matches!(run(far, "f()"), Err(RunErrorKind::Unsupported(_))));
}

#[test]
fn predicates_with_too_many_cases() {
    let model = load("clock x[40]; process P() { state A; init A; } system P;");
    let mut sources = Sources::new();
    let product = "forall (i : int[0,39]) (x[i] < 2 || x[i] > 5)".to_owned();
    let doubled = (0..40).map(|n| format!("x[{n}] < 3")).collect::<Vec<_>>().join(" xor ");
    for text in [product, doubled] {
        let loaded = model.query(&query_text(&mut sources, "query", &format!("E<> {text}")));
        let query = loaded.query.expect("it resolves");
        let (QueryKind::Path { predicate, .. }, network) = (query.kind, &query.network) else { panic!("{text}") };
        let mut programs = Programs::new(network);
        let id = programs.predicate(predicate);
        let result = Machine::new().predicate(&programs, id, &Discrete::initial(network), &mut Dnf::default());
        let kind = result.unwrap_err().kind;
        assert!(matches!(kind, RunErrorKind::TooManyCases | RunErrorKind::Unsupported(_)), "{kind:?}");
    }
}
