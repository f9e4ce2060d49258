//! Zones that are many, large, or costly to work on.

use super::{Row, ask, each, row, with};

const EVERY_QUESTION: &[super::Ask] = &[
    ask("E<> n == -1"),
    with("E<> n == -1", &["--certify"]),
    with("E<> n == 40", &["--fastest"]),
    with("E<> n == 40", &["--shortest"]),
    ask("A[] not deadlock"),
    ask("E[] n < 41"),
    ask("A<> n == 41"),
    ask("n == 3 --> n == 41"),
    ask("buchi: n == 41"),
    ask("sup: x[0], n"),
    ask("inf{n > 5}: x[1]"),
    ask("bounds: x[2]"),
];

pub const ROWS: &[Row] = &[
    row("many-zones", many_zones, 12, EVERY_QUESTION),
    row("hundreds-of-clocks", clocks, 300, &[ask("E<> n == -1"), ask("E[] true"), ask("E<> deadlock")]),
    row("difference-guards", differences, 8, &[ask("E<> n == -1"), ask("E[] n >= 0"), ask("E<> deadlock")]),
    row(
        "huge-constants",
        huge_constants,
        1_000_000_000,
        &[ask("E<> n == 999"), ask("sup: x"), ask("bounds: y"), ask("E[] n < 999")],
    ),
    row(
        "endless-counter",
        endless_counter,
        2_000_000_000,
        &[ask("E<> n == -1"), ask("A<> n == -1"), ask("sup: n"), ask("bounds: n")],
    ),
    row(
        "long-run",
        long_run,
        1_000_000,
        &[ask("E<> n == 1000000"), with("E<> n == 1000000", &["--fastest"]), ask("A[] n < 1000000")],
    ),
    row(
        "long-run-with-clocks",
        long_run_with_clocks,
        200_000,
        &[ask("E<> n == 200000"), with("E<> n == 200000", &["--shortest"])],
    ),
    row(
        "long-cycle",
        long_cycle,
        300_000,
        &[ask("E[] n >= 0"), ask("n == 5 --> n == 299999"), ask("buchi: n == 299999")],
    ),
    row(
        "fischer",
        fischer,
        14,
        &[ask("A[] mutual() <= 1"), ask("P(0).Req --> P(0).Cs"), with("A[] mutual() <= 1", &["--certify"])],
    ),
    row(
        "trains",
        trains,
        24,
        &[ask("E<> deadlock"), ask("T(1).Appr --> T(1).Cross"), ask("E<> len == 23"), ask("sup: len")],
    ),
    row(
        "gossip",
        gossip,
        16,
        &[
            ask("E<> forall (i : int[0, 15]) s[i] == 65535"),
            ask("A<> s[0] == 65535"),
            ask("E<> s[3] == 9 && s[4] == 17"),
        ],
    ),
    row("gossip-large", gossip, 30, &[ask("E<> forall (i : int[0, 29]) s[i] == 1073741823")]),
    row("stopwatches", stopwatches, 10, &[ask("E<> done == 9 && e[0] > 40"), ask("E<> deadlock"), ask("sup: e[0]")]),
    row(
        "stopwatch-path",
        stopwatch_path,
        3_000,
        &[ask("E<> n == 3000 && e == 1500"), ask("E<> n == 3000 && x > 9000")],
    ),
    row("time-stops", time_stops, 1, &[ask("E<> n == 60000"), ask("E[] true"), ask("buchi: true")]),
];

/// Clocks that are reset at all times.
fn many_zones(size: u32) -> String {
    format!(
        "clock x[{size}]; int[-1, 50] n;
        process P(const int[0, {}] id) {{ state A {{ x[id] <= 7 + id }}, B {{ x[id] <= 5 }}; init A; trans
            A -> B {{ guard x[id] >= 2 + id % 3; assign x[id] = 0, n = (n + id) % 41; }},
            B -> A {{ guard x[id] > 1; assign x[id] = 0; }}; }}
        system P;",
        size - 1
    )
}

fn clocks(size: u32) -> String {
    format!(
        "int[-1, 1] n;
        process P(const int[0, {}] id) {{ clock x; state A {{ x <= 7 }}; init A; trans A -> A {{ guard x >= 2; assign x = 0; }}; }}
        system P;",
        size - 1
    )
}

/// Every difference is compared with every constant.
fn differences(size: u32) -> String {
    let last = size - 1;
    format!(
        "clock x[{size}]; int[-1, 90] n;
        process P(const int[0, {last}] id) {{ state A; init A; trans
            A -> A {{ select j : int[0, {last}], k : int[0, 30]; guard j != id && x[id] - x[j] > k; assign x[j] = 0, n = k; }},
            A -> A {{ select j : int[0, {last}], k : int[0, 30]; guard j != id && x[id] - x[j] <= k; assign x[id] = 0; }}; }}
        system P;"
    )
}

/// One clock goes round in ones, the other has a far bound.
fn huge_constants(size: u32) -> String {
    format!(
        "clock x, y; int[0, 1000] n;
        process P() {{ state A {{ x <= 1 && y <= {size} }}; init A; trans
            A -> A {{ guard x == 1; assign x = 0; }}, A -> A {{ guard y >= {}; assign y = 0, n = 999; }}; }}
        system P;",
        size - 1
    )
}

fn endless_counter(size: u32) -> String {
    format!(
        "int[-1, {size}] n; clock x;
        process P(const int[0, 2] id) {{ state A {{ x <= 3 }}; init A; trans A -> A {{ guard n < {size} - 9; assign n = n + 1 + id, x = 0; }}; }}
        system P;"
    )
}

fn long_run(size: u32) -> String {
    format!(
        "int[0, {size}] n; process P() {{ state A; init A; trans A -> A {{ guard n < {size}; assign n++; }}; }} system P;"
    )
}

fn long_run_with_clocks(size: u32) -> String {
    format!(
        "int[0, {size}] n; clock x, y, z;
        process P() {{ state A {{ x <= 7 && z <= 30 }}; init A; trans
            A -> A {{ guard n < {size} && x >= 2 && y - x < 20; assign n++, x = 0, z = 0; }}, A -> A {{ guard y > 5 && x < 3; assign y = 0; }}; }}
        system P;"
    )
}

fn long_cycle(size: u32) -> String {
    format!(
        "int[0, {size}] n; clock x;
        process P() {{ state A {{ x <= 2 }}; init A; trans A -> A {{ guard x >= 1; assign n = (n + 1) % {size}, x = 0; }}; }} system P;"
    )
}

fn fischer(size: u32) -> String {
    let last = size - 1;
    format!(
        "int[-1, {last}] id = -1; int[0, {size}] inside;
        int mutual() {{ return inside; }}
        process P(const int[0, {last}] me) {{ clock x; state Idle, Req {{ x <= 2 }}, Wait, Cs; init Idle; trans
            Idle -> Req {{ guard id == -1; assign x = 0; }}, Req -> Wait {{ assign id = me, x = 0; }},
            Wait -> Req {{ guard id == -1; assign x = 0; }}, Wait -> Cs {{ guard x > 2 && id == me; assign inside++; }},
            Cs -> Idle {{ assign id = -1, inside--; }}; }}
        system P;"
    )
}

fn trains(size: u32) -> String {
    let last = size - 1;
    format!(
        "chan appr[{size}], leave[{size}], stop[{size}]; urgent chan go[{size}]; int[0, {size}] len; int[0, {last}] q[{size} + 1];
        void deq() {{ int i; for (i = 0; i < len - 1; i++) q[i] = q[i + 1]; len--; }}
        process T(const int[0, {last}] id) {{ clock x; state Safe, Appr {{ x <= 20 }}, Stop, Start {{ x <= 15 }}, Cross {{ x <= 5 }}; init Safe; trans
            Safe -> Appr {{ sync appr[id]!; assign x = 0; }}, Appr -> Cross {{ guard x >= 10; assign x = 0; }},
            Appr -> Stop {{ guard x <= 10; sync stop[id]?; }}, Stop -> Start {{ sync go[id]?; assign x = 0; }},
            Start -> Cross {{ guard x >= 7; assign x = 0; }}, Cross -> Safe {{ guard x >= 3; sync leave[id]!; }}; }}
        process G() {{ state Free, Occ, Ask; commit Ask; init Free; trans
            Free -> Occ {{ select e : int[0, {last}]; guard len == 0; sync appr[e]?; assign q[len] = e, len++; }},
            Free -> Occ {{ guard len > 0; sync go[q[0]]!; }},
            Occ -> Ask {{ select e : int[0, {last}]; sync appr[e]?; assign q[len] = e, len++; }},
            Ask -> Occ {{ sync stop[q[len - 1]]!; }},
            Occ -> Free {{ select e : int[0, {last}]; guard e == q[0]; sync leave[e]?; assign deq(); }}; }}
        system T, G;"
    )
}

/// Everybody can call everybody else; what is known is a set of bits.
fn gossip(size: u32) -> String {
    let last = size - 1;
    format!(
        "int[0, {most}] s[{size}]; chan call[{size}]; int[0, {most}] given;
        process G(const int[0, {last}] id) {{ clock x; state Start, Idle, Busy {{ x <= 60 }}, Back; commit Start, Back; init Start; trans
            Start -> Idle {{ assign s[id] = 1 << id; }},
            Idle -> Busy {{ select j : int[0, {last}]; guard j != id; sync call[j]!; assign given = s[id], x = 0; }},
            Idle -> Back {{ sync call[id]?; assign s[id] = s[id] | given, x = 0; }},
            Back -> Busy {{ }}, Busy -> Idle {{ guard x == 60; }}; }}
        system G;",
        most = (1u64 << size) - 1
    )
}

fn stopwatches(size: u32) -> String {
    format!(
        "clock e[{size}]; int[0, {size}] done; int[0, {size}] running = 0;
        process T(const int[0, {last}] id) {{ clock x;
            state Ready {{ e[id]' == 0 && x <= 90 }}, Run {{ e[id] <= 4 + id }}, Done {{ e[id]' == 0 && x <= 60 + id }}; init Ready; trans
            Ready -> Run {{ guard running == 0; assign running = 1; }}, Run -> Ready {{ guard x >= 3; assign running = 0; }},
            Run -> Done {{ guard e[id] >= 2 + id % 3; assign running = 0, done++; }},
            Done -> Ready {{ guard x >= 20 + id; assign x = 0, e[id] = 0, done--; }}; }}
        system T;",
        last = size - 1
    )
}

/// The exact times of a long path are one large linear program.
fn stopwatch_path(size: u32) -> String {
    format!(
        "clock e, x, y; int[0, {size}] n;
        process P() {{ state A {{ y <= 3 && e' == 1 }}, B {{ y <= 3 && e' == 0 }}; init A; trans
            A -> B {{ guard n < {size} && y >= 1; assign n++, y = 0; }}, B -> A {{ guard n < {size} && y >= 1; assign n++, y = 0; }}; }}
        system P;"
    )
}

/// Steps without end in no time, some of which lead away.
fn time_stops(size: u32) -> String {
    let clocks = each(size, |i| format!("y{i}"));
    format!(
        "int[0, 60000] n; clock x, {clocks};
        process P(const int[0, 3] id) {{ state A {{ x <= {size} }}; init A; trans
            A -> A {{ guard n < 59990; assign n = n + 1 + id; }}, A -> A {{ guard n > 3; assign n = n - id; }}; }}
        system P;"
    )
}
