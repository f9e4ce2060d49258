//! Broadcasts and handshakes whose combinations of partners are too many to list.

use super::{Row, ask, row};

pub const ROWS: &[Row] = &[
    row("receivers-26", receivers, 26, &[ask("E<> n > 4"), ask("A[] not deadlock")]),
    row("receivers-40", receivers, 40, &[ask("E<> n > 4"), ask("E[] true"), ask("sup: n")]),
    row("receivers-4000", receivers, 4_000, &[ask("E<> n > 4")]),
    row("receivers-guarded", guarded, 30, &[ask("E<> n > 4"), ask("E<> deadlock")]),
    row("receivers-own-clocks", own_clocks, 24, &[ask("E<> n > 8"), ask("n > 0 --> n > 4")]),
    row("receivers-branches", branches, 26, &[ask("E<> n > 4")]),
    row("receivers-select", selecting, 65_536, &[ask("E<> n > 4")]),
    row("receivers-two-selects", two_selects, 1_000, &[ask("E<> n > 4")]),
    row("receivers-parameter", parameter, 65_536, &[ask("E<> n > 4"), ask("A<> n > 4")]),
    row("receivers-writing", writing, 28, &[ask("E<> n == 77"), ask("bounds: n")]),
    row("select-over-channels", select_over_channels, 2_000, &[ask("E<> n > 4"), ask("E<> deadlock")]),
    row("handshakes", handshakes, 1_000, &[ask("E<> n > 4"), ask("buchi: n > 4")]),
];

/// Every receiver has two ways to hear each signal.
fn receivers(size: u32) -> String {
    format!(
        "broadcast chan a; int[0, 9] n;
        process S() {{ clock x; state A {{ x <= 2 }}; init A; trans A -> A {{ guard x >= 1 && n < 9; sync a!; assign n++, x = 0; }}; }}
        process R(const int[0, {}] id) {{ state A, B, C; init A; trans
            A -> B {{ sync a?; }}, A -> C {{ sync a?; }}, B -> A {{ sync a?; }}, B -> C {{ sync a?; }},
            C -> A {{ sync a?; }}, C -> B {{ sync a?; }}; }}
        system S, R;",
        size - 1
    )
}

/// The ways to hear depend on clocks.
fn guarded(size: u32) -> String {
    format!(
        "broadcast chan a; int[0, 9] n; clock y;
        process S() {{ state A; init A; trans A -> A {{ guard n < 9; sync a!; assign n++, y = 0; }}; }}
        process R(const int[0, {}] id) {{ state A, B; init A; trans
            A -> B {{ guard y >= id; sync a?; }}, A -> A {{ guard y <= 2 * id; sync a?; }},
            B -> A {{ guard y > id; sync a?; }}, B -> B {{ sync a?; }}; }}
        system S, R;",
        size - 1
    )
}

/// Which receivers hear is another question for every clock.
fn own_clocks(size: u32) -> String {
    format!(
        "broadcast chan a; int[0, 9] n;
        process S() {{ state A; init A; trans A -> A {{ guard n < 9; sync a!; assign n++; }}; }}
        process R(const int[0, {}] id) {{ clock x; state A, B; init A; trans
            A -> B {{ guard x >= 3 + id; sync a?; assign x = 0; }}, B -> A {{ guard x > 2; sync a?; }}, A -> A {{ assign x = 0; }}; }}
        system S, R;",
        size - 1
    )
}

/// A receiver lands in one of three places, by chance.
fn branches(size: u32) -> String {
    format!(
        "broadcast chan a; int[0, 9] n;
        process S() {{ state A; init A; trans A -> A {{ guard n < 9; sync a!; assign n++; }}; }}
        process R(const int[0, {}] id) {{ int[0, 3] k; state A; branchpoint b; init A; trans
            A -> b {{ sync a?; }}, b -> A {{ probability 1; }}, b -> A {{ assign k = 1; probability 2; }},
            b -> A {{ assign k = 2; probability 3; }}; }}
        system S, R;",
        size - 1
    )
}

fn selecting(size: u32) -> String {
    format!(
        "broadcast chan a; int[0, 9] n;
        process S() {{ state A; init A; trans A -> A {{ guard n < 9; sync a!; assign n++; }}; }}
        process R(const int[0, 2] id) {{ int[0, {size}] k; state A; init A; trans
            A -> A {{ select i : int[0, {size}]; sync a?; assign k = i; }}; }}
        system S, R;"
    )
}

fn two_selects(size: u32) -> String {
    format!(
        "broadcast chan a; int[0, 9] n;
        process S() {{ state A; init A; trans A -> A {{ guard n < 9; sync a!; assign n++; }}; }}
        process R(const int[0, 9] id) {{ int k; state A; init A; trans
            A -> A {{ select i : int[0, {size}], j : int[0, {size}]; guard (i + j) % 7 == id; sync a?; assign k = i - j; }}; }}
        system S, R;"
    )
}

fn parameter(size: u32) -> String {
    format!(
        "broadcast chan a; int[0, 9] n;
        process S() {{ state A; init A; trans A -> A {{ guard n < 9; sync a!; assign n++; }}; }}
        process R(const int[0, {size}] id) {{ state A, B; init A; trans
            A -> B {{ sync a?; }}, A -> A {{ sync a?; }}, B -> A {{ sync a?; }}; }}
        system S, R;"
    )
}

/// Each choice leads to another value.
fn writing(size: u32) -> String {
    format!(
        "broadcast chan a; int n;
        process S() {{ state A; init A; trans A -> A {{ sync a!; assign n = n % 2; }}; }}
        process R(const int[0, {}] id) {{ state A; init A; trans
            A -> A {{ sync a?; assign n = (n * 3 + id) % 9973; }}, A -> A {{ sync a?; assign n = (n * 5 + 1) % 9973; }}; }}
        system S, R;",
        size - 1
    )
}

/// Every process can call on any channel.
fn select_over_channels(size: u32) -> String {
    let last = size - 1;
    format!(
        "chan c[{size}]; int[0, 9] n;
        process P(const int[0, {last}] id) {{ state A, B; init A; trans
            A -> B {{ select i : int[0, {last}]; guard i != id && n < 9; sync c[i]!; assign n++; }},
            A -> B {{ sync c[id]?; }}, B -> A {{ }}; }}
        system P;"
    )
}

fn handshakes(size: u32) -> String {
    let last = size - 1;
    format!(
        "chan c; int[0, 9] n;
        process S(const int[0, {last}] id) {{ state A, B; init A; trans A -> B {{ guard n < 9; sync c!; assign n++; }}, B -> A {{ }}; }}
        process R(const int[0, {last}] id) {{ state A, B; init A; trans A -> B {{ sync c?; }}, B -> A {{ }}; }}
        system S, R;"
    )
}
