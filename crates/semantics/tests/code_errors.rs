//! Evaluations without a result: each kind, with the place in the text, and loops that do not end.

mod support;

use model::network::{ProcessId, Range};
use semantics::code::{Discrete, Machine, Programs, RunError, RunErrorKind};
use support::load;

const HEAD: &str =
    "int[0,3] i; int j; int n = -1; bool b; int a[3]; int o[int[2,4]]; int m[2][2]; clock x; clock xs[2];
typedef struct { int[0,3] u; int[0,1] v; } S; S s; const int[0,2] K[2] = {1, 2};
int[0,5] small(int[0,9] p) { return p; }
void set(int[0,3] &p, int v) { p = v; }
void sure(int p) { assert p > 0; }
void forever() { while (true) { j = 0; } }
void doubling() { int k; for (k = 0; k < 2000000000; k++) { } }
void deep0() { j = 0; }
void deep1() { deep0(); deep0(); } void deep2() { deep1(); deep1(); } void deep3() { deep2(); deep2(); }
";

/// Runs an update in the initial state; the error and the text it points at.
fn run(update: &str) -> Result<(), (RunErrorKind, String)> {
    let text = format!("{HEAD}process P() {{ state A; init A; trans A -> A {{ assign {update}; }}; }} system P;");
    let model = load(&text);
    let network = model.network();
    let mut programs = Programs::new(network);
    let id = programs.update(&network.templates[0].edges[0].update);
    let mut state = Discrete::initial(network);
    let mut machine = Machine::new().with_step_limit(10_000);
    let result = machine.update(&programs, id, ProcessId::new(0), &[], &mut state, &mut Vec::new());
    result.map_err(|RunError { kind, span, process }| {
        assert_eq!(process, ProcessId::new(0));
        (kind, text[span.start as usize..span.end as usize].to_owned())
    })
}

#[test]
fn every_kind_of_error() {
    let out = |value, lo, hi| RunErrorKind::OutOfRange { value, range: Range { lo, hi } };
    let index = |value, lo, len| RunErrorKind::Index { value, lo, len };
    let table: &[(&str, RunErrorKind, &str)] = &[
        ("i = 4", out(4, 0, 3), "i = 4"),
        ("i = j - 1", out(-1, 0, 3), "i = j - 1"),
        ("j = 32767, j++", out(32768, -32768, 32767), "j++"),
        ("i--", out(-1, 0, 3), "i--"),
        ("i += 7", out(7, 0, 3), "i += 7"),
        ("s.u = 3, s.v = s.u", out(3, 0, 1), "s.v = s.u"),
        ("small(10)", out(10, 0, 9), "10"),
        ("j = small(7)", out(7, 0, 5), "p"),
        ("set(i, 5)", out(5, 0, 3), "p = v"),
        ("a[3] = 0", index(3, 0, 3), "3"),
        ("a[n] = 0", index(-1, 0, 3), "n"),
        ("j = a[j + 3]", index(3, 0, 3), "j + 3"),
        ("j = o[1]", index(1, 2, 3), "1"),
        ("j = o[j + 5]", index(5, 2, 3), "j + 5"),
        ("j = m[1][2]", index(2, 0, 2), "2"),
        ("j = m[j + 2][n]", index(2, 0, 2), "j + 2"),
        ("j = K[i + 2]", index(2, 0, 2), "i + 2"),
        ("xs[i + 2] = 0", index(2, 0, 2), "i + 2"),
        ("j = 1 / i", RunErrorKind::DivisionByZero, "1 / i"),
        ("j = 1 % i", RunErrorKind::DivisionByZero, "1 % i"),
        ("j = 1 / 0", RunErrorKind::DivisionByZero, "1 / 0"),
        ("j = 1 << n", RunErrorKind::NegativeShift { by: -1 }, "1 << n"),
        ("j >>= -2", RunErrorKind::NegativeShift { by: -2 }, "j >>= -2"),
        ("j = 2 ** n", RunErrorKind::NegativeExponent { exponent: -1 }, "2 ** n"),
        ("x = n", RunErrorKind::NegativeClock { value: -1 }, "x = n"),
        ("x = -3", RunErrorKind::NegativeClock { value: -3 }, "x = -3"),
        ("sure(1), sure(0)", RunErrorKind::AssertionFailed, "p > 0"),
        ("forever()", RunErrorKind::EndlessLoop, "true"),
        ("doubling()", RunErrorKind::EndlessLoop, "k < 2000000000"),
    ];
    for (update, kind, at) in table {
        assert_eq!(run(update), Err((*kind, (*at).to_owned())), "{update}");
    }
}

#[test]
fn no_error_where_none_is_due() {
    for update in [
        "i = i + 5 - 5",
        "b = 7",
        "j = i != 0 && 1 / i > 0",
        "j = i == 0 || a[9] > 0",
        "j = i == 0 ? 1 : 1 / i",
        "x = x - 3",
        "deep3()",
        "j = 2147483647 + 1 + 2147483647 + 1",
    ] {
        assert_eq!(run(update), Ok(()), "{update}");
    }
}

#[test]
fn calls_that_double_come_to_an_end() {
    let mut text = "int j; void f0() { j = 1; }\n".to_owned();
    for n in 1..60 {
        text += &format!("void f{n}() {{ f{0}(); f{0}(); }}\n", n - 1);
    }
    text += "process P() { state A; init A; trans A -> A { assign f59(); }; } system P;";
    let model = load(&text);
    let network = model.network();
    let mut programs = Programs::new(network);
    let id = programs.update(&network.templates[0].edges[0].update);
    let mut machine = Machine::new().with_step_limit(1_000_000);
    let result =
        machine.update(&programs, id, ProcessId::new(0), &[], &mut Discrete::initial(network), &mut Vec::new());
    assert_eq!(result.map_err(|error| error.kind), Err(RunErrorKind::EndlessLoop));
}

#[test]
fn what_cannot_be_computed_says_so() {
    let text = "double d; int i; clock x; int f() { if (x < 3) return 1; else return 2; }
        process P() { state A; init A; trans A -> A { assign i = fint(d); }, A -> A { assign i = f(); },
        A -> A { assign d = 2.5, i = 1, d = d * i++; }; } system P;";
    let model = load(text);
    let network = model.network();
    let mut programs = Programs::new(network);
    let mut machine = Machine::new();
    let results: Vec<_> = network.templates[0]
        .edges
        .iter()
        .map(|edge| {
            let id = programs.update(&edge.update);
            let mut state = Discrete::initial(network);
            let result = machine.update(&programs, id, ProcessId::new(0), &[], &mut state, &mut Vec::new());
            result.map(|()| state.ints).map_err(|error| error.kind)
        })
        .collect();
    assert!(matches!(results[0], Err(RunErrorKind::Unsupported(_))), "{:?}", results[0]);
    assert!(matches!(results[1], Err(RunErrorKind::Unsupported(_))), "{:?}", results[1]);
    assert_eq!(results[2], Ok(vec![2]), "assignments to doubles are left out, what they do to integers is not");
}
