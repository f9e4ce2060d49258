//! Functions whose values are worked out by hand. Each was wrong somewhere.

use super::*;

/// Everybody has this value for the call of a function `f`, also as a constant.
fn expect(functions: &str, value: i32) {
    let text = format!(
        "{functions}\nconst int C = f(); int y;\n\
         process P() {{ state A; init A; trans A -> A {{ assign y = f(); }}; }}\nsystem P;\n"
    );
    let model = load(&text).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"));
    let network = model.network();
    assert_eq!(constant(network, "C"), Some(Value::Int(value)), "as a constant\n{text}");
    let outcome = run(network, ProcessId::new(0)).unwrap_or_else(|text| panic!("{text}"));
    let at = global(network, "y").offset.ints as usize;
    assert_eq!(outcome.map(|ints| ints[at]), Some(value), "when it runs\n{text}");
}

/// Nobody has a value for the call of a function `f`.
fn expect_failure(functions: &str) {
    let model = |constant: &str| {
        load(&format!(
            "{functions}\n{constant}int y;\n\
             process P() {{ state A; init A; trans A -> A {{ assign y = f(); }}; }}\nsystem P;\n"
        ))
    };
    assert!(model("const int C = f(); ").is_err(), "as a constant\n{functions}");
    let model = model("").unwrap_or_else(|messages| panic!("{messages:?}\n{functions}"));
    let outcome = run(model.network(), ProcessId::new(0)).unwrap_or_else(|text| panic!("{text}"));
    assert_eq!(outcome, None, "when it runs\n{functions}");
}

#[test]
fn the_target_of_a_compound_assignment_is_found_once() {
    expect("int f() { int i = 0; int a[3]; a[i++] += 5; return 100*i + 10*a[1] + a[0]; }", 105);
    expect(
        "int f() { int i = 0; int a[3] = {1, 2, 3}; a[i++] *= 7; a[i++] -= 7; return 1000*i + a[0]*10 + a[1]; }",
        2065,
    );
}

#[test]
fn the_target_of_an_inner_copy_is_found_once() {
    let types = "typedef struct { int u; int v; } S;\n";
    let body = "int f() { int i = 0; S a[3]; S b; S c; b.u = 4; b.v = 5; c = (a[i++] = b);
        return 10000*i + 1000*a[0].u + 100*a[1].u + 10*c.u + c.v; }";
    expect(&format!("{types}{body}"), 14045);
}

#[test]
fn an_assignment_to_an_assignment_finds_its_variable_once() {
    expect("int f() { int i = 0; int a[3]; (a[i++] = 5) += 2; return 100*i + 10*a[1] + a[0]; }", 107);
    expect("int f() { int i = 0; int a[3]; ++(a[i++] += 5); return 100*i + 10*a[1] + a[0]; }", 106);
    // The inner assignment says which variable it is, whatever the outer one changes.
    expect("int f() { int i = 0; int a[3]; (a[i] = 5) += (i = 2); return 100*i + 10*a[2] + a[0]; }", 207);
}

#[test]
fn a_value_is_taken_before_its_target_is_looked_for() {
    let types = "typedef struct { int u; int v; } S;\nint touch(S &e) { e.u = 9; return 0; }\n";
    let body = "int f() { S a[2]; S b; b.u = 4; a[touch(b)] = b; return 10*a[0].u + b.u; }";
    expect(&format!("{types}{body}"), 49);
    let body = "int f() { int m[2][2]; int k[2]; m[0][0] = 1; return (m[0] == (m[0] = m[1])) * 10 + m[0][0]; }";
    expect(body, 0);
}

#[test]
fn a_value_for_a_constant_reference_is_a_copy_that_fits() {
    let types = "typedef struct { int u; } S;\nint look(const S &e, S &g) { g.u = 7; return e.u; }\n";
    expect(&format!("{types}int f() {{ S g; S h; h.u = 3; return look((g = h), g) * 10 + g.u; }}"), 37);
    expect("int same(const bool &c) { return c; }\nint f() { return same(5); }", 1);
    expect_failure("int same(const int[0,3] &c) { return c; }\nint f() { return same(5); }");
}

/// Exact engines and the replay do the same with an update of a floating-point variable: what it writes on the way, and
/// nothing else.
fn left_out(declarations: &str, update: &str, ints: &[(&str, i32)]) {
    let text =
        format!("{declarations}\nprocess P() {{ state A; init A; trans A -> A {{ assign {update}; }}; }}\nsystem P;\n");
    let model = load(&text).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"));
    let network = model.network();
    let found = Everybody::run(network, ProcessId::new(0));
    assert_eq!(found.compiled, found.replayed, "{text}");
    let cells = found.compiled.unwrap_or_else(|error| panic!("{error}\n{text}"));
    for (name, value) in ints {
        assert_eq!(cells[global(network, name).offset.ints as usize], *value, "{name}\n{text}");
    }
}

#[test]
fn doubles_are_left_out_by_the_replay_as_by_the_engines() {
    let variables = "double d; double e[2]; int a[3]; int i = 5; hybrid clock h[2]; clock x;
        double step(double v) { if (v > 0.5) { return 1.0; } return 2.0; }
        double first(const int &k[3], int at) { return k[at] / 2.0; }
        double next(int &k, double v) { k++; return step(v); }";
    // A decision over doubles, and an index out of range, in what has no value here.
    left_out(variables, "d = step(d)", &[("i", 5)]);
    left_out(variables, "d = a[i] * 1.0", &[("i", 5)]);
    left_out(variables, "d = first(a, i)", &[("i", 5)]);
    left_out(variables, "e[i] = 1.0", &[("i", 5)]);
    left_out(variables, "d = d < 0.5 ? 1.0 : 2.0", &[("i", 5)]);
    // What writes is run, also where the clock or the variable is left out.
    left_out(variables, "d = (a[i] * 1.0) * (i--)", &[("i", 4)]);
    left_out(variables, "d = next(i, a[i] * 1.0 + step(d))", &[("i", 6)]);
    left_out(variables, "e[i++] = 1.0, h[i++] = 1.5, h[i++] = 0", &[("i", 8)]);
    left_out(variables, "h[i++] = h[i++]", &[("i", 7)]);
}
