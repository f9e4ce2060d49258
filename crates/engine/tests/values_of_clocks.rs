//! `sup`, `inf` and `bounds` of clocks against the region graph (Alur, Dill 1994) of small random automata.
//!
//! A region says for each clock its whole part, whether it has a fraction, and the order of the fractions: exactly what tells
//! which numbers and which gaps between neighbouring numbers a clock takes. Clocks are followed up to a number far beyond all
//! constants, so that lists with gaps are compared there as well.

use engine::check::check;
use engine::limits::Watch;
use engine::model::load::{load_bytes, query_text};
use engine::options::Options;
use engine::report::{Answer, Verdict};
use search::random::Random;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

/// Clocks are followed up to here.
const MOST: u32 = 30;
const CLOCKS: usize = 2;
const NAMES: [&str; CLOCKS] = ["x", "y"];
/// Two for invariants, five for guards, all for predicates.
const RELATIONS: [&str; 6] = ["<", "<=", "==", ">=", ">", "!="];

/// `clock relation constant`
type Comparison = (usize, &'static str, u32);

struct Edge {
    from: usize,
    to: usize,
    guard: Vec<Comparison>,
    resets: Vec<usize>,
}

struct Automaton {
    /// The invariants, and whether no time passes.
    locations: Vec<(Vec<Comparison>, bool)>,
    edges: Vec<Edge>,
}

/// Where the predicate holds: a location, or anywhere; and a comparison, perhaps.
type Predicate = (Option<usize>, Option<Comparison>);

/// For each clock its whole part and the rank of its fraction among all, 0 for none.
type Region = [(u32, u32); CLOCKS];

fn holds(region: &Region, (clock, relation, constant): Comparison) -> bool {
    let at = position(region[clock]);
    let bound = 2 * constant;
    match relation {
        "<" => at < bound,
        "<=" => at <= bound,
        "==" => at == bound,
        ">=" => at >= bound,
        "!=" => at != bound,
        _ => at > bound,
    }
}

/// 2n for the number n, 2n + 1 for what is between n and n + 1.
fn position((whole, rank): (u32, u32)) -> u32 {
    2 * whole + u32::from(rank > 0)
}

/// Clocks beyond `MOST` are all alike, and the ranks have no gaps.
fn normal(mut region: Region) -> Region {
    for clock in &mut region {
        if position(*clock) > 2 * MOST {
            *clock = (MOST + 1, 0);
        }
    }
    let ranks: BTreeSet<u32> = region.iter().map(|(_, rank)| *rank).filter(|rank| *rank > 0).collect();
    for (_, rank) in &mut region {
        *rank = ranks.iter().position(|known| known == rank).map_or(0, |at| at as u32 + 1);
    }
    region
}

/// What comes next while time passes.
fn later(region: &Region) -> Region {
    let mut next = *region;
    let followed = |clock: &(u32, u32)| clock.0 <= MOST;
    let has_whole = region.iter().any(|clock| followed(clock) && clock.1 == 0);
    let highest = region.iter().map(|(_, rank)| *rank).max().unwrap_or(0);
    for clock in next.iter_mut().filter(|clock| followed(clock)) {
        *clock = match *clock {
            (whole, rank) if has_whole => (whole, rank + 1),
            (whole, rank) if rank == highest => (whole + 1, 0),
            unchanged => unchanged,
        };
    }
    normal(next)
}

impl Automaton {
    fn random(random: &mut Random) -> Automaton {
        let count = 2 + random.index(3);
        let upper = |random: &mut Random| {
            let clock = random.index(CLOCKS);
            (clock, RELATIONS[random.index(2)], 1 + random.below(4) as u32)
        };
        let any = |random: &mut Random| (random.index(CLOCKS), RELATIONS[random.index(5)], random.below(5) as u32);
        let locations = (0..count)
            .map(|_| {
                let invariants = (0..random.index(3)).map(|_| upper(random)).collect();
                (invariants, random.below(3) == 0)
            })
            .collect();
        let edges = (0..count + random.index(4))
            .map(|_| Edge {
                from: random.index(count),
                to: random.index(count),
                guard: (0..random.index(3)).map(|_| any(random)).collect(),
                resets: (0..CLOCKS).filter(|_| random.below(3) == 0).collect(),
            })
            .collect();
        Automaton { locations, edges }
    }

    fn text(&self) -> String {
        let all = |list: &[Comparison]| {
            let parts: Vec<String> = list.iter().map(|one| comparison(*one)).collect();
            if parts.is_empty() { "true".to_owned() } else { parts.join(" && ") }
        };
        let states: Vec<String> =
            (0..).zip(&self.locations).map(|(n, (invariants, _))| format!("L{n} {{ {} }}", all(invariants))).collect();
        let urgent: Vec<String> =
            (0..).zip(&self.locations).filter(|(_, (_, stays))| *stays).map(|(n, _)| format!("L{n}")).collect();
        let mut text = format!("clock x, y;\nprocess P() {{\n  state {};\n", states.join(", "));
        if !urgent.is_empty() {
            let _ = writeln!(text, "  urgent {};", urgent.join(", "));
        }
        let edge = |edge: &Edge| {
            let resets: Vec<String> = edge.resets.iter().map(|clock| format!("{} = 0", NAMES[*clock])).collect();
            let assign = if resets.is_empty() { String::new() } else { format!(" assign {};", resets.join(", ")) };
            format!("    L{} -> L{} {{ guard {};{assign} }}", edge.from, edge.to, all(&edge.guard))
        };
        let edges: Vec<String> = self.edges.iter().map(edge).collect();
        let _ = write!(text, "  init L0;\n  trans\n{};\n}}\nsystem P;\n", edges.join(",\n"));
        text
    }

    /// The positions that a clock takes where the predicate holds.
    fn positions(&self, clock: usize, (location, compared): Predicate) -> BTreeSet<u32> {
        let inside = |region: &Region, at: usize| self.locations[at].0.iter().all(|one| holds(region, *one));
        let mut found = BTreeSet::new();
        let start = (0, [(0, 0); CLOCKS]);
        let mut waiting: Vec<(usize, Region)> = if inside(&start.1, 0) { vec![start] } else { Vec::new() };
        let mut known: HashSet<(usize, Region)> = waiting.iter().copied().collect();
        while let Some((at, region)) = waiting.pop() {
            let is_meant = location.is_none_or(|location| location == at);
            if is_meant && compared.is_none_or(|one| holds(&region, one)) {
                found.insert(position(region[clock]));
            }
            let mut next = Vec::new();
            let after = later(&region);
            if !self.locations[at].1 && inside(&after, at) {
                next.push((at, after));
            }
            for edge in self.edges.iter().filter(|edge| edge.from == at) {
                if edge.guard.iter().all(|one| holds(&region, *one)) {
                    let mut target = region;
                    edge.resets.iter().for_each(|clock| target[*clock] = (0, 0));
                    next.push((edge.to, normal(target)));
                }
            }
            for (at, region) in next {
                if inside(&region, at) && known.insert((at, region)) {
                    waiting.push((at, region));
                }
            }
        }
        found
    }
}

fn comparison((clock, relation, constant): Comparison) -> String {
    format!("{} {relation} {constant}", NAMES[clock])
}

/// The positions of a text such as `0 .. 3, > 4 .. < 6, 8, > 9 .. inf`, as far as they are followed.
fn said(text: &str) -> BTreeSet<u32> {
    let number = |text: &str| text.trim().parse::<u32>().unwrap_or_else(|_| panic!("`{text}` is no number"));
    let first = |text: &str| match text.trim().strip_prefix('>') {
        Some(rest) => 2 * number(rest) + 1,
        None => 2 * number(text),
    };
    let last = |text: &str| match (text.trim(), text.trim().strip_prefix('<')) {
        ("inf", _) => u32::MAX,
        (_, Some(rest)) => 2 * number(rest) - 1,
        _ => 2 * number(text),
    };
    let mut found = BTreeSet::new();
    for part in text.split(", ").filter(|_| text != "no state") {
        let (from, to) = part.split_once(" .. ").unwrap_or((part, part));
        let (from, to) = (first(from), last(to));
        assert!(from <= to, "{text}");
        found.extend((from..=to.min(2 * MOST + 2)).map(|at| at.min(2 * MOST + 2)));
        if to > 2 * MOST {
            found.insert(2 * MOST + 2);
        }
    }
    // All that is beyond is one position here.
    if found.remove(&(2 * MOST + 1)) {
        found.insert(2 * MOST + 2);
    }
    found
}

fn ask(text: &str, queries: &[String]) -> Vec<Answer> {
    let loaded = load_bytes("m.xta", text.as_bytes(), &[]);
    let mut sources = loaded.sources;
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics));
    let queries: Vec<_> = queries.iter().map(|query| model.query(&query_text(&mut sources, "query", query))).collect();
    let time_limit = Some(std::time::Duration::from_secs(2));
    let options =
        Options { search: "bfs".parse().expect("a search"), threads: Some(1), time_limit, ..Options::default() };
    check("m.xta", &sources, &queries, &options, &mut Watch::none(), &mut |_| {}).results
}

#[test]
fn values_agree_with_the_region_graph() {
    let (mut compared, mut with_gaps, mut without_end, mut unknown) = (0, 0, 0, 0);
    for seed in 0..1_000 {
        let mut random = Random::new(seed);
        let automaton = Automaton::random(&mut random);
        let text = automaton.text();
        // Where no time passes gaps are seen most often.
        let count = automaton.locations.len();
        let start = random.index(count);
        let urgent = (0..count).map(|n| (start + n) % count).find(|at| automaton.locations[*at].1);
        let location = urgent.unwrap_or(start);
        let one = (random.index(CLOCKS), RELATIONS[2 + random.index(4)], random.below(6) as u32);
        let predicates: [Predicate; 4] =
            [(None, None), (Some(location), None), (Some(location), Some(one)), (None, Some(one))];
        for predicate in predicates {
            let clock = random.index(CLOCKS);
            let truth = automaton.positions(clock, predicate);
            let parts: Vec<String> =
                [predicate.0.map(|at| format!("P.L{at}")), predicate.1.map(comparison)].into_iter().flatten().collect();
            let only = if parts.is_empty() { String::new() } else { format!("{{{}}}", parts.join(" && ")) };
            let queries = ["bounds", "sup", "inf"].map(|kind| format!("{kind}{only}: {}", NAMES[clock]));
            let answers = ask(&text, &queries);
            if answers[0].reason.as_ref().is_some_and(|reason| reason.contains("invariant does not hold")) {
                continue;
            }
            let told = |answer: &Answer| {
                format!(
                    "seed {seed}, {}: {:?} {:?} {:?}\n{truth:?}\n{text}",
                    answer.query, answer.verdict, answer.value, answer.reason
                )
            };
            let is_endless = truth.contains(&(2 * MOST + 2));
            for (answer, kind) in answers.iter().zip(["bounds", "sup", "inf"]) {
                if answer.verdict != Verdict::Satisfied {
                    let is_list =
                        kind == "bounds" && answer.reason.as_ref().is_some_and(|reason| reason.contains("without end"));
                    assert!(is_list && is_endless, "{}", told(answer));
                    unknown += 1;
                    continue;
                }
                let value = answer.value.as_deref().unwrap_or_default();
                let fits = match kind {
                    "bounds" => said(value) == truth,
                    "sup" => match value.strip_prefix("< ") {
                        Some(open) => truth.last() == said(&format!("0 .. < {open}")).last(),
                        None if value == "no state" => truth.is_empty(),
                        None => truth.last() == said(&format!("0 .. {value}")).last(),
                    },
                    _ if value == "no state" => truth.is_empty(),
                    _ => truth.first() == said(&format!("{value} .. inf")).first(),
                };
                assert!(fits, "{}", told(answer));
                compared += 1;
            }
            let neighbours = truth.iter().zip(truth.iter().skip(1));
            with_gaps +=
                usize::from(neighbours.filter(|(one, next)| **one + 1 < **next && **next <= 2 * MOST).count() > 0);
            without_end += usize::from(is_endless);
        }
    }
    println!("{compared} answers, {with_gaps} lists with gaps, {without_end} without end, {unknown} not known");
    assert!(
        compared > 2_000 && with_gaps > 50 && without_end > 100 && unknown * 10 < compared,
        "{compared} {with_gaps} {without_end} {unknown}"
    );
}
