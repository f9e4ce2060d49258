//! The smallest network that still shows a failure: leave something out, or make a number smaller, as long as the failure
//! stays.

use crate::draft::{Draft, Kind};

/// Shrinks until no single change keeps `fails` true.
pub fn shrink(mut draft: Draft, fails: &mut dyn FnMut(&Draft) -> bool) -> Draft {
    loop {
        let Some(smaller) = smaller(&draft).into_iter().find(|smaller| fails(smaller)) else { return draft };
        draft = smaller;
    }
}

/// All networks that one change makes smaller, the largest changes first.
fn smaller(draft: &Draft) -> Vec<Draft> {
    let mut list = Vec::new();
    let mut add = |change: &dyn Fn(&mut Draft)| {
        let mut smaller = draft.clone();
        change(&mut smaller);
        list.push(smaller);
    };
    for n in 0..draft.queries.len() {
        if draft.queries.len() > 1 {
            add(&|draft| draft.queries = vec![draft.queries[n].clone()]);
        }
    }
    if !draft.queries.is_empty() {
        add(&|draft| draft.queries.clear());
    }
    for p in 0..draft.processes.len() {
        add(&|draft| drop(draft.processes.remove(p)));
    }
    for (p, process) in draft.processes.iter().enumerate() {
        for l in 1..process.locations.len() {
            add(&|draft| {
                let process = &mut draft.processes[p];
                let name = process.locations.remove(l).name;
                process.edges.retain(|edge| edge.from != name && edge.to != name);
            });
        }
        for e in 0..process.edges.len() {
            add(&|draft| drop(draft.processes[p].edges.remove(e)));
        }
        if process.above {
            add(&|draft| draft.processes[p].above = false);
        }
        if !process.parameters.is_empty() {
            add(&|draft| {
                draft.processes[p].parameters.clear();
                draft.processes[p].arguments.clear();
            });
        }
    }
    for n in 0..draft.globals.len() {
        add(&|draft| drop(draft.globals.remove(n)));
    }
    for n in 0..draft.io.len() {
        add(&|draft| drop(draft.io.remove(n)));
    }
    labels(draft, &mut add);
    numbers(draft, &mut list);
    list.retain(|smaller| smaller.processes.iter().all(|process| !process.locations.is_empty()));
    list.retain(|smaller| !smaller.processes.is_empty());
    list
}

/// Takes a change to try.
type Add<'a> = dyn FnMut(&dyn Fn(&mut Draft)) + 'a;

fn labels(draft: &Draft, add: &mut Add) {
    for (p, process) in draft.processes.iter().enumerate() {
        for n in 0..process.locals.len() {
            add(&|draft| drop(draft.processes[p].locals.remove(n)));
        }
        for (l, location) in process.locations.iter().enumerate() {
            if !location.invariant.is_empty() {
                add(&|draft| draft.processes[p].locations[l].invariant.clear());
            }
            if matches!(location.kind, Kind::Urgent | Kind::Committed) {
                add(&|draft| draft.processes[p].locations[l].kind = Kind::Normal);
            }
        }
        for (e, edge) in process.edges.iter().enumerate() {
            for n in 0..edge.guard.len() {
                add(&|draft| drop(draft.processes[p].edges[e].guard.remove(n)));
            }
            for n in 0..edge.update.len() {
                add(&|draft| drop(draft.processes[p].edges[e].update.remove(n)));
            }
            for n in 0..edge.select.len() {
                add(&|draft| drop(draft.processes[p].edges[e].select.remove(n)));
            }
            if edge.sync.is_some() {
                add(&|draft| draft.processes[p].edges[e].sync = None);
            }
        }
    }
}

/// One number in one label becomes smaller by one, or zero.
fn numbers(draft: &Draft, list: &mut Vec<Draft>) {
    let count = texts(&mut draft.clone()).len();
    for n in 0..count {
        let text = texts(&mut draft.clone())[n].clone();
        for (at, digit) in text.char_indices() {
            // Only numbers of time units: `3*K`.
            let Some(value) = digit.to_digit(10).filter(|value| *value > 0 && text[at + 1..].starts_with("*K")) else {
                continue;
            };
            for less in [0, value - 1] {
                let mut smaller = draft.clone();
                texts(&mut smaller)[n].replace_range(at..=at, &less.to_string());
                list.push(smaller);
                if value == 1 {
                    break;
                }
            }
        }
    }
}

/// All texts with numbers in them.
fn texts(draft: &mut Draft) -> Vec<&mut String> {
    let mut texts: Vec<&mut String> = draft.queries.iter_mut().collect();
    for process in &mut draft.processes {
        texts.extend(process.locations.iter_mut().flat_map(|location| &mut location.invariant));
        texts.extend(process.edges.iter_mut().flat_map(|edge| edge.guard.iter_mut().chain(&mut edge.update)));
    }
    texts
}
