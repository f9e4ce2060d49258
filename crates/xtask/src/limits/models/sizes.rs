//! Models that are large before the first step: processes, selects, arrays, text.

use super::{Row, ask, each, refused, row, with};

pub const ROWS: &[Row] = &[
    refused("processes-1e9", processes, 999, &[ask("E<> n > 4")]),
    row("processes-1e6", processes, 99, &[ask("E<> n > 4"), ask("E[] true"), ask("E<> deadlock")]),
    row("processes-1e5", many, 99_999, &[ask("E<> n > 4"), ask("n > 0 --> n > 4")]),
    refused("select-cube", select_cube, 999, &[ask("E<> n > 4")]),
    row("select-cube-small", select_cube, 100, &[ask("E<> n == -1"), ask("A<> n == 7")]),
    row("array-large", array, 2_000_000, &[ask("E<> n > 999"), ask("E[] n >= 0")]),
    refused("array-too-large", array_cube, 1_000, &[ask("E<> n > 4")]),
    row("clock-array", clock_array, 600, &[ask("E<> n > 999"), ask("E<> deadlock")]),
    row("clock-array-large", clock_array, 30_000, &[ask("E<> n > 999"), ask("E[] true")]),
    row("channel-array", channel_array, 1_000, &[ask("E<> n > 4")]),
    row("locations-1e5", locations, 100_000, &[ask("E<> P.L99999"), with("E<> P.L99999", &["--shortest"])]),
    row("edges-1e5", edges, 100_000, &[ask("E<> n == 99999 && m == 99998"), ask("A<> n == 99999")]),
    row("edges-with-clocks", clock_edges, 30_000, &[ask("E<> n == -1"), ask("E<> deadlock")]),
    row("deep-expression", deep_expression, 900, &[ask("E<> n == 2"), ask("E[] n < 2")]),
    row("long-expression", long_expression, 3_900, &[ask("E<> n == 7"), ask("sup: n")]),
    row("deep-statements", deep_statements, 300, &[ask("E<> n == 901")]),
    row("constants-1e6", constants, 1_000_000, &[ask("E<> n == 12345")]),
    row("priorities", priorities, 300, &[ask("E<> n > 900"), ask("A[] not deadlock")]),
    row("committed", committed, 24, &[ask("E<> n == 23"), with("E<> n == -1", &["--certify"])]),
];

/// A template of three parameters.
fn processes(size: u32) -> String {
    format!(
        "int[0, 9] n;
        process P(const int[0, {size}] a, const int[0, {size}] b, const int[0, {size}] c) {{
            state A, B; init A; trans A -> B {{ guard n < 9; assign n++; }}; }}
        system P;"
    )
}

fn many(size: u32) -> String {
    format!(
        "int[0, 9] n; clock x;
        process P(const int[0, {size}] a) {{ state A {{ x <= 5 }}, B; init A; trans A -> B {{ guard n < 9 && x > 1; assign n++; }}; }}
        system P;"
    )
}

fn select_cube(size: u32) -> String {
    format!(
        "int n;
        process P() {{ state A; init A; trans
            A -> A {{ select i : int[0, {size}], j : int[0, {size}], k : int[0, {size}]; guard i != j || k > n; assign n = (i * 3 + j * 5 + k) % 4001; }}; }}
        system P;"
    )
}

/// Each step changes one cell, so a state is as large as the array.
fn array(size: u32) -> String {
    format!(
        "int[0, 1023] a[{size}]; int[0, 1023] n;
        process P(const int[0, 1] id) {{ state A; init A; trans
            A -> A {{ guard n < 1023; assign a[n * 7] = (a[n * 7] + id) % 1000, n++; }}, A -> A {{ guard n > 0; assign n--; }}; }}
        system P;"
    )
}

fn array_cube(size: u32) -> String {
    format!(
        "int a[{size}][{size}][{size}]; int n;
        process P() {{ state A; init A; trans A -> A {{ assign a[0][0][0] = 1, n = 1 - n; }}; }} system P;"
    )
}

fn clock_array(size: u32) -> String {
    let last = size - 1;
    format!(
        "clock x[{size}]; int[0, 1023] n;
        process P() {{ state A {{ x[0] <= 9 }}; init A; trans
            A -> A {{ select i : int[0, {last}]; guard x[i] >= 3 && n < 1000; assign x[i] = 0, n++; }}; }}
        system P;"
    )
}

fn channel_array(size: u32) -> String {
    let last = size - 1;
    format!(
        "broadcast chan c[{size}][{size}]; int[0, 9] n;
        process S() {{ state A; init A; trans A -> A {{ select i : int[0, {last}], j : int[0, {last}]; guard n < 9; sync c[i][j]!; assign n++; }}; }}
        process R(const int[0, 3] id) {{ state A; init A; trans A -> A {{ select i : int[0, {last}]; sync c[i][id]?; assign n = 0; }}; }}
        system S, R;"
    )
}

/// A chain that a search has to go to its end.
fn locations(size: u32) -> String {
    let states = each(size, |i| format!("L{i} {{ x <= 3 }}"));
    let edges = each(size - 1, |i| format!("L{i} -> L{} {{ guard x >= {}; assign x = 0; }}", i + 1, i % 3));
    format!("process P() {{ clock x; state {states}; init L0; trans {edges}; }} system P;")
}

/// One location with as many ways out.
fn edges(size: u32) -> String {
    let edges = each(size, |i| format!("A -> A {{ guard n != {i}; assign m = n, n = {i}; }}"));
    format!("int[0, {size}] n, m; process P() {{ state A; init A; trans {edges}; }} system P;")
}

fn clock_edges(size: u32) -> String {
    let edges = each(size, |i| {
        format!("A -> A {{ guard x > {} && y < {}; assign {} = 0; }}", i % 97, i, ["x", "y", "z"][i as usize % 3])
    });
    format!("int n; clock x, y, z; process P() {{ state A {{ z <= 500 }}; init A; trans {edges}; }} system P;")
}

fn deep_expression(size: u32) -> String {
    let (open, close) = ("(n + ".repeat(size as usize), ")".repeat(size as usize));
    format!(
        "int[0, 5] n; process P() {{ state A; init A; trans A -> A {{ guard {open}1{close} < 100000; assign n = 1 - n; }}; }} system P;"
    )
}

fn long_expression(size: u32) -> String {
    let sum = "n + ".repeat(size as usize);
    format!("int n; process P() {{ state A; init A; trans A -> A {{ assign n = ({sum} 1) % 1009; }}; }} system P;")
}

fn deep_statements(size: u32) -> String {
    let (open, close) = ("if (k >= 0) { k++; ".repeat(size as usize), "}".repeat(size as usize));
    let loops = "for (i = 0; i < 3; i++) { k = (k + i) % 900; } ".repeat(size as usize);
    format!(
        "int n; int f(int k) {{ int i; {open} {loops} {close} return k; }}
        process P() {{ state A; init A; trans A -> A {{ assign n = f(n) % 900; }}; }} system P;"
    )
}

/// A table as long as the text of a model can hold.
fn constants(size: u32) -> String {
    let values = each(size, |i| (i % 30_011).to_string());
    format!(
        "const int T[{size}] = {{ {values} }}; int n;
        process P() {{ state A; init A; trans A -> A {{ select i : int[0, {}]; assign n = T[i]; }}; }} system P;",
        size - 1
    )
}

/// Every process and every channel has a rank of its own.
fn priorities(size: u32) -> String {
    let names: Vec<String> = (0..size).map(|i| format!("P{i}")).collect();
    let made: String = (0..size).map(|i| format!("P{i} = P({i});\n")).collect();
    let channels = (0..size).map(|i| format!("c[{i}]")).collect::<Vec<_>>().join(" < ");
    format!(
        "chan c[{size}]; chan priority {channels}; int[0, 1000] n;
        process P(const int id) {{ clock x; state A {{ x <= 9 }}, B; init A; trans
            A -> B {{ guard x > 1 && n < 1000; sync c[id]!; assign n++, x = 0; }}, B -> A {{ assign x = 0; }},
            A -> A {{ select i : int[0, {}]; sync c[i]?; assign x = 0; }}; }}
        {made} system {};",
        size - 1,
        names.join(" < ")
    )
}

/// No time passes, and every order is possible.
fn committed(size: u32) -> String {
    format!(
        "int[-1, 100] n;
        process P(const int[0, {}] id) {{ state A, B, C, D; commit A, B, C; init A; trans
            A -> B {{ }}, B -> C {{ assign n = id; }}, C -> D {{ }}, C -> A {{ }}; }}
        system P;",
        size - 1
    )
}
