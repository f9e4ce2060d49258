//! Explicit graphs.

use super::{Row, ask, with};
use std::fmt::Write;

const fn graph(name: &'static str, generate: fn(u32) -> String, size: u32, asks: &'static [super::Ask]) -> Row {
    Row { name, generate, size, ending: "aut", is_refused: false, asks }
}

pub const ROWS: &[Row] = &[
    graph("graph-claims-1e9", claims, 1_000_000_000, &[ask("E<> deadlock"), ask("E<> \"b\"")]),
    Row { is_refused: true, ..graph("graph-claims-edges", claims_edges, 1_000_000_000, &[ask("E<> deadlock")]) },
    graph(
        "graph-1e6",
        ladder,
        1_000_000,
        &[ask("E<> deadlock"), ask("E<> \"end\""), with("E<> \"end\"", &["--shortest"])],
    ),
    graph("graph-star", star, 1_000_000, &[ask("E<> deadlock"), ask("E<> \"none\"")]),
    graph("graph-labels", labels, 200_000, &[ask("E<> \"l199999\"")]),
];

/// Few edges between a thousand million states.
fn claims(size: u32) -> String {
    format!("des (0, 3, {size})\n(0, \"a\", {})\n({}, \"b\", 0)\n(0, \"a\", 5)\n", size - 1, size - 1)
}

/// The first line tells of edges that are not there.
fn claims_edges(size: u32) -> String {
    format!("des (0, {size}, 3)\n(0, \"a\", 1)\n(1, \"b\", 2)\n(2, \"a\", 0)\n")
}

/// A long way with a shortcut now and then.
fn ladder(size: u32) -> String {
    let mut text = format!("des (0, {}, {})\n", size, size);
    for i in 0..size - 1 {
        let _ = writeln!(text, "({i}, \"{}\", {})", if i % 7 == 0 { "a" } else { "i" }, i + 1);
    }
    let _ = writeln!(text, "({}, \"end\", {})", size - 1, size / 2);
    text
}

/// All edges begin in one state.
fn star(size: u32) -> String {
    let mut text = format!("des (0, {}, {})\n", size - 1, size);
    for i in 1..size {
        let _ = writeln!(text, "(0, \"a\", {i})");
    }
    text
}

/// Every edge has a label of its own.
fn labels(size: u32) -> String {
    let mut text = format!("des (0, {size}, {})\n", size + 1);
    for i in 0..size {
        let _ = writeln!(text, "({i}, \"l{i}\", {})", i + 1);
    }
    text
}
