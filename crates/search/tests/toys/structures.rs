//! The structures of the paper on highway search (Engels et al. 2009, appendix A), as `.aut` graphs.

use std::fmt::Write;

/// A graph as text, from named states.
fn aut<S: Ord + Copy>(first: S, edges: &[(S, String, S)]) -> String {
    let mut states: Vec<S> = edges.iter().flat_map(|(from, _, to)| [*from, *to]).chain([first]).collect();
    states.sort_unstable();
    states.dedup();
    let number = |state: &S| states.binary_search(state).unwrap_or_default();
    let mut text = format!("des ({},{},{})\n", number(&first), edges.len(), states.len());
    for (from, label, to) in edges {
        let _ = writeln!(text, "({},\"{label}\",{})", number(from), number(to));
    }
    text
}

/// A diamond `width` states wide: from one corner to the opposite one of a square. At its widest part, state j says
/// `report(j)`.
pub fn diamond(width: u32) -> String {
    let last = width - 1;
    let mut edges = Vec::new();
    for (i, j) in (0..width).flat_map(|i| (0..width).map(move |j| (i, j))) {
        if i + j == last {
            edges.push(((i, j), format!("report({j})"), (i, j)));
        }
        if j < last {
            edges.push(((i, j), "tau".to_owned(), (i, j + 1)));
        }
        if i < last {
            edges.push(((i, j), "tau".to_owned(), (i + 1, j)));
        }
    }
    aut((0, 0), &edges)
}

/// One way of `length + 1` steps to a deadlock; from each of its states a detour as long as the way so far leads back to the
/// start.
pub fn back_loops(length: u32) -> String {
    // (0, n, 0) is on the way, (1, n, m) on the detour that began at m, (2, 0, 0) the deadlock.
    let way = |n| (0, n, 0);
    let mut edges = vec![(way(0), "tau".to_owned(), way(0)), (way(length), "tau".to_owned(), (2, 0, 0))];
    for n in 0..=length {
        if n < length {
            edges.push((way(n), "tau".to_owned(), way(n + 1)));
        }
        if n > 0 {
            // The first state of a detour behaves as `Q(n-1, n-1)`, which the paper's process is at once.
            let m = n - 1;
            let to = if m == 0 { way(0) } else { (1, m - 1, m) };
            edges.push((way(n), "tau".to_owned(), to));
            for k in 0..m {
                let to = if k == 0 { way(0) } else { (1, k - 1, m) };
                edges.push(((1, k, m), "tau".to_owned(), to));
            }
        }
    }
    edges.sort();
    edges.dedup();
    aut(way(0), &edges)
}

/// `count` components of `size` states, each complete, reached from the initial state; the last state of a component says
/// `report(id)` and stops.
pub fn components(count: u32, size: u32) -> String {
    let mut edges = Vec::new();
    for id in 1..=count {
        edges.push(((0, 0), format!("ini({id})"), (id, 1)));
        for (from, to) in (1..=size).flat_map(|from| (1..=size).map(move |to| (from, to))) {
            if from != to {
                edges.push(((id, from), format!("scc({id})"), (id, to)));
            }
        }
        edges.push(((id, size), format!("report({id})"), (id, size + 1)));
    }
    aut((0, 0), &edges)
}
