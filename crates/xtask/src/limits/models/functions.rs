//! Code that takes long or never ends, wherever a model may have code; quantifiers over many values.

use super::{Row, ask, refused, row};

const LONG: &str =
    "int slow(int k) { int[0, 2000000000] i; for (i = 0; i < 1000000000; i++) { k = (k * 5 + i) % 1009; } return k; }";
const ENDLESS: &str = "int never() { int i = 0; while (true) { i = 1 - i; } return i; }";

pub const ROWS: &[Row] = &[
    refused("initialiser-endless", initialiser_endless, 1, &[ask("E<> n > 4")]),
    refused("initialisers-too-long", initialisers_long, 300, &[ask("E<> n > 4")]),
    row("initialisers-long", initialisers_long, 5, &[ask("E<> n > 4")]),
    row("template-initialisers", template_initialisers, 1_000, &[ask("E<> n > 4")]),
    row("guard-endless", guard_endless, 0, &[ask("E<> n > 4"), ask("E[] true")]),
    row("guard-long", guard_long, 0, &[ask("E<> n > 4"), ask("E<> deadlock")]),
    row("update-endless", update_endless, 0, &[ask("E<> n > 4"), ask("A<> n > 4")]),
    row("update-long", update_long, 3_000_000, &[ask("E<> n == -1"), ask("E[] n >= 0"), ask("sup: n")]),
    row("invariant-long", invariant_long, 3_000_000, &[ask("E<> n > 99"), ask("E<> deadlock"), ask("bounds: x")]),
    row(
        "query-endless",
        query_code,
        0,
        &[ask("E<> never() == 2"), ask("n == 1 --> never() == 2"), ask("sup: never()")],
    ),
    row("query-long", query_code, 1, &[ask("E<> slow(n) == -1"), ask("A<> slow(n) == -1"), ask("inf{slow(n) > 3}: n")]),
    row("weights-long", weights_long, 0, &[ask("E<> n > 4"), ask("Pr[<=100](<> n > 4)")]),
    row("quantifiers-in-a-guard", guard_quantifiers, 999, &[ask("E<> n > 4"), ask("E<> deadlock")]),
    row(
        "quantifiers-in-a-query",
        counter,
        999,
        &[
            ask(
                "E<> forall (i : int[0, 9999]) forall (j : int[0, 9999]) forall (k : int[0, 9999]) i + j + k + n >= 0 && n > 99",
            ),
            ask("A<> exists (i : int[0, 9999]) exists (j : int[0, 9999]) exists (k : int[0, 9999]) i + j + k + n < 0"),
            ask("sup: sum (i : int[0, 99999]) (n + i) % 2"),
        ],
    ),
    row(
        "cases-over-clocks",
        cases,
        30,
        &[
            ask("E<> forall (i : int[0, 29]) (x[i] < 3 || x[i] > 5) && n == 7"),
            ask("A[] exists (i : int[0, 29]) (x[i] >= 3 && x[i] <= 5 && x[0] != 4) || n < 7"),
            ask("E[] forall (i : int[0, 29]) (x[i] < 3 || x[i] > 5)"),
            ask("A<> exists (i : int[0, 29]) (x[i] >= 3 && x[i] <= 5)"),
            ask("n == 3 --> forall (i : int[0, 29]) (x[i] < 3 || x[i] > 5)"),
            ask("sup{forall (i : int[0, 29]) (x[i] < 3 || x[i] > 5)}: x[0]"),
            ask("buchi: forall (i : int[0, 29]) (x[i] < 3 || x[i] > 5)"),
        ],
    ),
    row(
        "differences-of-clocks",
        cases,
        31,
        &[
            ask("E<> forall (i : int[0, 14]) forall (j : int[15, 29]) (x[i] - x[j] < 1 || x[i] - x[j] > 2) && n == 7"),
            ask("E[] forall (i : int[0, 14]) forall (j : int[15, 29]) (x[i] - x[j] < 1 || x[i] - x[j] > 2)"),
        ],
    ),
];

fn initialiser_endless(_: u32) -> String {
    format!("{ENDLESS} int n = never(); process P() {{ state A; init A; trans A -> A {{ assign n = 1; }}; }} system P;")
}

/// No single one is too long.
fn initialisers_long(size: u32) -> String {
    let variables: String = (0..size).map(|i| format!("int v{i} = some({i});\n")).collect();
    format!(
        "int some(int k) {{ int[0, 2000000000] i; for (i = 0; i < 300000; i++) {{ k = (k * 5 + i) % 1009; }} return k; }}
        int n; {variables} process P() {{ state A; init A; trans A -> A {{ assign n = 1; }}; }} system P;"
    )
}

/// The same for the variables of processes.
fn template_initialisers(size: u32) -> String {
    format!(
        "int some(int k) {{ int i; for (i = 0; i < 900; i++) {{ k = (k * 5 + i) % 1009; }} return k; }}
        int n; process P(const int[0, {size}] id) {{ int v = some(id); state A; init A; trans A -> A {{ assign n = 1 - n; }}; }}
        system P;"
    )
}

fn guard_endless(_: u32) -> String {
    format!(
        "{ENDLESS} int n; process P() {{ state A; init A; trans A -> A {{ guard never() == 1; assign n = 1; }}; }} system P;"
    )
}

fn guard_long(_: u32) -> String {
    format!(
        "{LONG} int[0, 100] n; clock x;
        process P(const int[0, 9] id) {{ state A {{ x <= 3 }}; init A; trans
            A -> A {{ guard slow(n) >= 0 && n < 100; assign n++, x = 0; }}; }}
        system P;"
    )
}

fn update_endless(_: u32) -> String {
    format!("{ENDLESS} int n; process P() {{ state A; init A; trans A -> A {{ assign n = never(); }}; }} system P;")
}

/// A step takes long, but no single one too long.
fn update_long(size: u32) -> String {
    format!(
        "int some(int k) {{ int[0, 2000000000] i; for (i = 0; i < {size}; i++) {{ k = (k * 5 + i) % 1009; }} return k; }}
        int n; process P(const int[0, 3] id) {{ clock x; state A {{ x <= 3 }}; init A; trans
            A -> A {{ guard x >= 1; assign n = some(n + id), x = 0; }}; }}
        system P;"
    )
}

fn invariant_long(size: u32) -> String {
    format!(
        "int some(int k) {{ int[0, 2000000000] i; for (i = 0; i < {size}; i++) {{ k = (k * 5 + i) % 1009; }} return k; }}
        int[0, 1000] n; clock x; process P(const int[0, 3] id) {{ state A {{ x <= some(n) }}; init A; trans
            A -> A {{ guard n < 1000; assign n++, x = 0; }}; }}
        system P;"
    )
}

fn query_code(_: u32) -> String {
    format!(
        "{LONG} {ENDLESS} int n; clock x;
        process P() {{ state A {{ x <= 3 }}; init A; trans A -> A {{ guard x >= 1; assign n = (n + 1) % 1000, x = 0; }}; }} system P;"
    )
}

fn weights_long(_: u32) -> String {
    format!(
        "{LONG} int[0, 9] n; process P() {{ clock x; state A {{ x <= 3 }}; branchpoint b; init A; trans
            A -> b {{ guard n < 9; }}, b -> A {{ assign n++, x = 0; probability 1 + slow(n); }}, b -> A {{ assign x = 0; probability 3; }}; }}
        system P;"
    )
}

fn guard_quantifiers(size: u32) -> String {
    format!(
        "int[0, 9] n; clock x; process P(const int[0, 9] id) {{ state A {{ x <= 3 }}; init A; trans
            A -> A {{ guard n < 9 && forall (i : int[0, {size}]) forall (j : int[0, {size}]) forall (k : int[0, {size}]) i + j + k >= n;
                assign n++, x = 0; }}; }}
        system P;"
    )
}

fn counter(size: u32) -> String {
    format!(
        "int[0, {size}] n; process P(const int[0, 3] id) {{ clock x; state A {{ x <= 3 }}; init A; trans
            A -> A {{ guard x >= 1 && n < {size}; assign n++, x = 0; }}, A -> A {{ guard n == {size}; assign n = 0; }}; }}
        system P;"
    )
}

fn cases(size: u32) -> String {
    let last = size - 1;
    format!(
        "clock x[{size}]; int[0, 9] n;
        process P(const int[0, {last}] id) {{ state A {{ x[id] <= 9 }}; init A; trans
            A -> A {{ guard x[id] >= 2; assign x[id] = 0, n = (n + id) % 8; }}; }}
        system P;"
    )
}
