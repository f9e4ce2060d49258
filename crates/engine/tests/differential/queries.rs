//! Random queries about a network.

use crate::draft::{Draft, Kind};
use crate::labels::{Scope, Style};
use crate::random::Random;

pub fn queries(random: &mut Random, draft: &Draft, scope: &Scope, style: &Style) -> Vec<String> {
    let mut list: Vec<String> = (0..3)
        .map(|_| {
            let parts: Vec<String> = (0..1 + random.below(2)).map(|_| atom(random, draft, scope, style)).collect();
            let joint = *random.pick(&[" && ", " && ", " || "]);
            let predicate = parts.join(joint);
            match random.below(3) {
                0 => format!("A[] not ({predicate})"),
                _ => format!("E<> {predicate}"),
            }
        })
        .collect();
    list.push(match random.below(4) {
        0 => "A[] not deadlock".to_owned(),
        1 => format!("E<> deadlock && {}", place(random, draft)),
        _ => "E<> deadlock".to_owned(),
    });
    let only = |random: &mut Random| match random.one_in(3) {
        true => format!("{{{}}}", place(random, draft)),
        false => String::new(),
    };
    if let Some((name, _)) = scope.ints.first() {
        let extremum = random.pick(&["sup", "inf", "bounds"]);
        list.push(format!("{extremum}{}: {name}", only(random)));
    }
    let (extremum, clock) = (random.pick(&["sup", "inf"]), random.pick(&scope.clocks).clone());
    list.push(format!("{extremum}{}: {clock}", only(random)));
    list.push(liveness(random, draft, scope, style));
    list
}

/// About whole runs.
fn liveness(random: &mut Random, draft: &Draft, scope: &Scope, style: &Style) -> String {
    let discrete = |random: &mut Random| match scope.ints.first().filter(|_| random.one_in(3)) {
        Some((name, hi)) => format!("{name} {} {}", random.pick(&["==", "!="]), random.below(hi + 1)),
        None => format!("{}{}", random.pick(&["", "!"]), place(random, draft)),
    };
    let predicate = |random: &mut Random| match random.below(5) {
        0 => atom(random, draft, scope, style),
        1 => format!("({} || {})", discrete(random), discrete(random)),
        _ => discrete(random),
    };
    match random.below(5) {
        0 => format!("E[] {}", predicate(random)),
        1 | 2 => format!("A<> {}", predicate(random)),
        3 => format!("{} --> {}", predicate(random), predicate(random)),
        _ => format!("buchi: {}", predicate(random)),
    }
}

fn place(random: &mut Random, draft: &Draft) -> String {
    let process = random.pick(&draft.processes);
    let places: Vec<&str> = (process.locations.iter())
        .filter(|location| location.kind != Kind::Branchpoint)
        .map(|location| location.name.as_str())
        .collect();
    format!("{}.{}", process.instance(), random.pick(&places))
}

fn atom(random: &mut Random, draft: &Draft, scope: &Scope, style: &Style) -> String {
    match random.below(6) {
        0 | 1 => {
            let clocks = scope.clocks.iter().cloned();
            let local = |process: &crate::draft::Process| {
                process.locals.iter().any(|line| line == "clock z;").then(|| format!("{}.z", process.instance()))
            };
            let clocks: Vec<String> = clocks.chain(draft.processes.iter().filter_map(local)).collect();
            let operator = random.pick(&["<=", ">=", "==", "<", ">", "!="]);
            let clock = random.pick(&clocks);
            if style.diagonal && random.one_in(2) {
                return format!("{clock} - {} {operator} {}*K", random.pick(&clocks), random.below(4));
            }
            format!("{clock} {operator} {}*K", random.below(8))
        }
        2 if !scope.ints.is_empty() => {
            let (name, hi) = random.pick(&scope.ints);
            format!("{name} {} {}", random.pick(&["==", "!=", ">"]), random.below(hi + 1))
        }
        3 if scope.meta => "m == 1".to_owned(),
        _ => place(random, draft),
    }
}
