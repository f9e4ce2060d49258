//! Sampling, directed searches and refinement.

use super::{Row, ask, each, row, with};

pub const ROWS: &[Row] = &[
    row(
        "statistics",
        radio,
        30,
        &[
            ask("Pr[<=1000000000](<> n == -1)"),
            ask("Pr[#<=1000000000](<> n == -1)"),
            ask("Pr[<=100](<> n > 20) >= 0.5"),
            with("Pr[<=100](<> n > 20)", &["--epsilon", "0.000001"]),
            ask("E[<=100; 1000000000](max: n)"),
            ask("simulate[<=1000000; 1000000000] { n, x }"),
            ask("simulate[<=1000000000; 1] { n, x }"),
        ],
    ),
    row("statistics-large", radio, 5_000, &[ask("Pr[<=100](<> n > 20)"), ask("simulate[<=1000; 1000] { n }")]),
    row("statistics-no-time", no_time, 1, &[ask("Pr[<=10](<> n == -1)"), ask("E[<=10; 100](max: n)")]),
    row("puzzle", puzzle, 5, &[ask("E<> solved()"), with("E<> solved()", &["--preferred", "--heuristic", "dU"])]),
    row("towers", towers, 12, &[ask("E<> forall (i : int[0, 11]) at[i] == 2")]),
    row(
        "large-values",
        large_values,
        2_000_000_000,
        &[ask("E<> a == 1999999999 && b == 7"), ask("E<> a + b == 1234567891")],
    ),
    row(
        "many-values",
        many_values,
        3_000,
        &[ask("E<> v[2999] == 2999 && v[2998] == 17"), with("E<> v[7] == 2999", &["--heuristic", "hL"])],
    ),
    row(
        "refinement",
        systems,
        10,
        &[
            ask(
                "refinement: C0 || C1 || C2 || C3 || C4 || C5 || C6 || C7 || C8 || C9 <= C0 || C1 || C2 || C3 || C4 || C5 || C6 || C7 || C8 || C9",
            ),
            ask("consistency: C0 || C1 || C2 || C3 || C4 || C5 || C6 || C7 || C8 || C9"),
            ask("determinism: C0 || C1 || C2 || C3 || C4 || C5 || C6 || C7 || C8 || C9"),
            ask("prune: C0 || C1 || C2 || C3 || C4 || C5 || C6 || C7 || C8 || C9"),
            ask("get-component: C0 || C1 || C2 || C3 || C4 || C5 || C6 || C7 || C8 || C9"),
            with(
                "refinement: C0 || C1 || C2 || C3 || C4 || C5 || C6 <= C0 || C1 || C2 || C3 || C4 || C5 || C6",
                &["--certify"],
            ),
            ask("refinement: C0 || C1 || C2 <= (C0 || C1 || C2 || C3) // C3"),
            ask(
                "reachability: C0 || C1 || C2 || C3 || C4 || C5 || C6 || C7 -> C0.D && C1.D && C2.D && C3.D && C4.D && C5.D && C6.D && C7.D",
            ),
        ],
    ),
];

fn radio(size: u32) -> String {
    format!(
        "broadcast chan send; int n; clock x;
        process S(const int[0, {}] id) {{ clock y; state A {{ y <= 5 }}, B; init A; trans
            A -> B {{ guard y >= 1; sync send!; assign n = (n + 1) % 30, x = 0; }}, B -> A {{ assign y = 0; }}; }}
        process R() {{ state A, B; init A; trans A -> B {{ sync send?; }}, B -> A {{ sync send?; }}; }}
        system S, R;",
        size - 1
    )
}

/// Steps that take no time, so that no run comes to its bound.
fn no_time(_: u32) -> String {
    "int n; process P() { clock x; state A { x <= 0 }; init A; trans A -> A { assign n = 1 - n; }; } system P;"
        .to_owned()
}

/// Sliding tiles.
fn puzzle(size: u32) -> String {
    let (cells, last) = (size * size, size * size - 1);
    let start = each(cells, |i| ((i * 7 + 3) % cells).to_string());
    format!(
        "const int N = {size}; int[0, {last}] t[{cells}] = {{ {start} }};
        bool solved() {{ return forall (i : int[0, {last}]) t[i] == i; }}
        bool beside(int a, int b) {{ return a % N == b % N && (a - b == N || b - a == N) || a / N == b / N && (a - b == 1 || b - a == 1); }}
        process P() {{ state A; init A; trans
            A -> A {{ select i : int[0, {last}], j : int[0, {last}]; guard t[i] == 0 && beside(i, j); assign t[i] = t[j], t[j] = 0; }}; }}
        system P;"
    )
}

fn towers(size: u32) -> String {
    let last = size - 1;
    format!(
        "int[0, 2] at[{size}];
        process P(const int[0, {last}] d) {{ clock x; state A {{ x <= 4 }}; init A; trans
            A -> A {{ select p : int[0, 2]; guard x >= 1 && p != at[d] && forall (i : int[0, {last}]) (i >= d || (at[i] != at[d] && at[i] != p));
                assign at[d] = p, x = 0; }}; }}
        system P;"
    )
}

/// Sets of values that only grow become very large.
fn large_values(size: u32) -> String {
    format!(
        "int[0, {size}] a, b;
        process P() {{ state A; init A; trans
            A -> A {{ guard a < {size} - 5; assign a = a + 1; }}, A -> A {{ guard b < {size} - 5; assign b = b + 3; }},
            A -> A {{ assign a = (a * 2 + b) % {size}; }}, A -> A {{ assign b = a ^ b; }}; }}
        system P;"
    )
}

fn many_values(size: u32) -> String {
    let last = size - 1;
    format!(
        "int[0, {last}] v[{size}];
        process P(const int[0, 99] id) {{ state A; init A; trans
            A -> A {{ select i : int[0, {last}]; guard i % 100 == id && v[i] < {last}; assign v[i] = v[i] + 1; }},
            A -> A {{ select i : int[1, {last}]; guard i % 100 == id; assign v[i] = v[i - 1]; }}; }}
        system P;"
    )
}

/// Components that have nothing to do with each other.
fn systems(size: u32) -> String {
    let channels = each(size, |i| format!("i{i}, o{i}"));
    let components: String = (0..size)
        .map(|i| {
            format!(
                "process C{i}() {{ clock x, y; state A, B {{ x <= {} }}, D; init A; trans
                    A -> B {{ guard y >= 1; sync i{i}?; assign x = 0; }}, A -> A {{ guard y < 1; sync i{i}?; }},
                    B -> D {{ guard x >= 2; sync o{i}!; assign y = 0; }}, B -> B {{ sync i{i}?; }},
                    D -> A {{ sync i{i}?; assign x = 0, y = 0; }}; }}\n",
                5 + i
            )
        })
        .collect();
    let names = each(size, |i| format!("C{i}"));
    let declared: String = (0..size).map(|i| format!("IO C{i} {{ i{i}?, o{i}! }}\n")).collect();
    format!("broadcast chan {channels};\n{components}system {names};\n{declared}")
}
