//! Laws of timed I/O systems, asked of random small ones: `ZONEWALK_LAWS` systems (40 unless told otherwise) from fixed seeds.
//!
//! Of each random model there are components A0, A1, A2 over the same actions, B0, B1 that take A's output, and specifications C0, C1
//! of A and B together. A law whose condition does not hold says nothing; how often each was put to the test is counted.

use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::report::{Answer, Evidence, Verdict};
use model::load::{load_bytes, query_text};
use search::random::Random;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A component: per action and location at most two edges, with guards that exclude each other.
fn component(name: &str, inputs: &[&str], outputs: &[&str], random: &mut Random) -> String {
    let locations = 2 + random.index(2);
    let mut text = format!("process {name}() {{\n clock x;\n state ");
    let names: Vec<String> = (0..locations)
        .map(|n| match random.index(3) {
            0 => format!("L{n} {{ x {} {} }}", if random.index(3) == 0 { "<" } else { "<=" }, 2 + random.index(3)),
            _ => format!("L{n}"),
        })
        .collect();
    let _ = write!(text, "{};\n init L0;\n trans ", names.join(", "));
    let mut edges = Vec::new();
    for from in 0..locations {
        let actions = inputs.iter().map(|a| (a, '?')).chain(outputs.iter().map(|a| (a, '!')));
        for (action, mark) in actions {
            let mut edge = |guard: String| {
                let to = random.index(locations);
                let reset = if random.index(2) == 0 { " assign x = 0;" } else { "" };
                let guard = if guard.is_empty() { guard } else { format!(" guard {guard};") };
                edges.push(format!("L{from} -> L{to} {{{guard} sync {action}{mark};{reset} }}"));
            };
            let bound = 1 + from + action.len();
            match (mark, edges_of(from, action, name)) {
                (_, 0) => edge(String::new()),
                (_, 1) => edge(format!("x >= {bound}")),
                (_, 2) => {
                    edge(format!("x < {bound}"));
                    edge(format!("x >= {}", bound + 1));
                }
                (_, 3) => edge(format!("x <= {bound}")),
                _ => {}
            }
        }
    }
    if edges.is_empty() {
        edges.push(format!("L0 -> L0 {{ guard x < 0; sync {}!; }}", outputs[0]));
    }
    let _ = write!(text, "{};\n}}\n", edges.join(",\n  "));
    text
}

/// A specification that allows everything within a time.
fn anything(name: &str, outputs: &[&str]) -> String {
    let loops: Vec<String> =
        outputs.iter().map(|action| format!("L0 -> L0 {{ sync {action}!; assign x = 0; }}")).collect();
    format!("process {name}() {{\n clock x;\n state L0 {{ x <= 9 }};\n init L0;\n trans {};\n}}\n", loops.join(", "))
}

fn without_invariants(component: &str) -> String {
    let line = |line: &str| match line.trim_start().starts_with("state") {
        true => line.split('{').map(|part| part.split('}').next_back().unwrap_or(part)).collect(),
        false => line.to_owned(),
    };
    component.lines().map(|text| line(text) + "\n").collect()
}

/// Spreads the shapes of edges over locations and actions, the same for all draws of a name.
fn edges_of(from: usize, action: &str, name: &str) -> usize {
    let sum: usize = action.bytes().chain(name.bytes()).map(usize::from).sum();
    (sum * 7 + from * 5) % 6
}

struct Laws {
    model: model::load::Model,
    sources: model::source::Sources,
    text: String,
    asked: BTreeMap<String, Option<bool>>,
    asks: usize,
}

impl Laws {
    fn new(seed: u64) -> Laws {
        let mut random = Random::new(seed);
        let mut text = String::from("broadcast chan i, o, p, q;\n");
        let tag = random.next_u64() % 1000;
        let mut names = Vec::new();
        let mut io = String::new();
        let groups: [(&str, usize, &[&str], &[&str]); 3] =
            [("A", 3, &["i"], &["o", "q"]), ("B", 2, &["o"], &["p"]), ("C", 2, &["i"], &["o", "p", "q"])];
        for (group, count, inputs, outputs) in groups {
            let mut before = String::new();
            for n in 0..count {
                let name = format!("{group}{n}");
                // The last of a group is related to the one before it, so that some refinements hold.
                let written = match (group, n + 1 == count) {
                    ("C", true) => anything(&name, outputs),
                    (_, true) => without_invariants(&before).replacen(&format!("{group}{}", n - 1), &name, 1),
                    // The tag changes the shape, and the name is the one that queries use.
                    _ => {
                        let tagged = format!("{name}_{}", tag + n as u64);
                        component(&tagged, inputs, outputs, &mut random).replacen(&tagged, &name, 1)
                    }
                };
                text += &written;
                before = written;
                let actions: Vec<String> =
                    inputs.iter().map(|a| format!("{a}?")).chain(outputs.iter().map(|a| format!("{a}!"))).collect();
                let _ = writeln!(io, "IO {name} {{ {} }}", actions.join(", "));
                names.push(name);
            }
        }
        let _ = write!(text, "system {};\n{io}", names.join(", "));
        let loaded = load_bytes("laws.xta", text.as_bytes(), &[]);
        let messages: Vec<String> = loaded.diagnostics.iter().map(|one| one.message.clone()).collect();
        let model = loaded.model.unwrap_or_else(|| panic!("{messages:?}\n{text}"));
        Laws { model, sources: loaded.sources, text, asked: BTreeMap::new(), asks: 0 }
    }

    fn answer(&mut self, query: &str, options: &Options) -> Answer {
        let loaded = self.model.query(&query_text(&mut self.sources, "query", query));
        self.asks += 1;
        let queries = [loaded];
        check("laws", &self.sources, &self.model, &queries, options, &mut Watch::none(), &mut |_| {}).results.remove(0)
    }

    /// Whether a refinement holds; `None` if a precondition of it fails.
    fn refines(&mut self, left: &str, right: &str) -> Option<bool> {
        let query = format!("refinement: {left} <= {right}");
        if let Some(known) = self.asked.get(&query) {
            return *known;
        }
        let answer = self.answer(&query, &Options { search: "bfs".to_owned(), certify: true, ..Options::default() });
        assert!(!answer.internal, "{query}: {:?}\n{}", answer.reason, self.text);
        let verdict = match (answer.verdict, answer.failure) {
            (Verdict::Satisfied, _) => Some(true),
            (Verdict::Violated, Some("output" | "input" | "delay")) => {
                assert!(answer.refinement.is_some());
                Some(false)
            }
            (Verdict::Violated, Some("nondeterministic" | "inconsistent" | "empty-initial-state")) => None,
            other => panic!("{query}: {other:?} {:?}\n{}", answer.reason, self.text),
        };
        // Every proof is a relation that the checker accepts.
        if verdict == Some(true) {
            assert_eq!(answer.evidence, Evidence::Certificate, "{query}: {:?}\n{}", answer.reason, self.text);
        }
        // Walks find nothing where the proof holds.
        let walks = self.answer(
            &query,
            &Options { search: "rcf".to_owned(), walks: Some(60), threads: Some(1), ..Options::default() },
        );
        assert!(!walks.internal, "{query}: {:?}\n{}", walks.reason, self.text);
        if verdict == Some(true) {
            assert_eq!(walks.verdict, Verdict::Unknown, "{query}: {:?}\n{}", walks.reason, self.text);
        }
        let found = walks.verdict == Verdict::Violated;
        if verdict == Some(false) {
            *self.asked.entry(format!("found {found}")).or_insert(Some(found)) = Some(found);
        }
        self.asked.insert(query, verdict);
        verdict
    }
}

fn laws() -> u64 {
    std::env::var("ZONEWALK_LAWS").ok().map_or(40, |text| text.parse().expect("a number of systems"))
}

#[test]
fn laws_hold_for_random_systems() {
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut asks = 0;
    for seed in 0..laws() {
        let mut laws = Laws::new(seed);
        let mut count = |law: &'static str, side: bool| counts.entry(law).or_default()[usize::from(side)] += 1;
        let fail = |law: &str, what: &str, text: &str| panic!("seed {seed}: {law} fails for {what}\n{text}");
        let text = laws.text.clone();
        for a in ["A0", "A1", "A2", "B0", "B1", "C0", "C1", "A0 || B0", "A0 && A1", "A1 || B1"] {
            if let Some(holds) = laws.refines(a, a) {
                count("reflexive", holds);
                if !holds {
                    fail("S <= S", a, &text);
                }
            }
        }
        for (a, b) in [("A0", "A1"), ("A1", "A2"), ("A2", "A0"), ("C0", "C1")] {
            for side in [a, b] {
                if let Some(holds) = laws.refines(&format!("{a} && {b}"), side) {
                    count("lower bound", holds);
                    if !holds {
                        fail("A && B <= A", &format!("{a} && {b} <= {side}"), &text);
                    }
                }
            }
            if laws.refines(&format!("{a} && {b}"), &format!("{b} && {a}")) == Some(false) {
                fail("commutativity of &&", &format!("{a}, {b}"), &text);
            }
            for (c, d) in [(a, b), (b, a)] {
                for e in ["A0", "A1", "A2"] {
                    let known = [laws.refines(c, d), laws.refines(d, e), laws.refines(c, e)];
                    if let [Some(true), Some(true), Some(holds)] = known {
                        count("transitive", holds);
                        if !holds {
                            fail("transitivity", &format!("{c} <= {d} <= {e}"), &text);
                        }
                    }
                }
            }
        }
        for a in ["A0", "A1", "A2"] {
            for b in ["B0", "B1"] {
                let composed = format!("{a} || {b}");
                if laws.refines(&composed, &format!("{b} || {a}")) == Some(false) {
                    fail("commutativity of ||", &composed, &text);
                }
                for c in ["C0", "C1"] {
                    let whole = laws.refines(&composed, c);
                    let divided = [(b, a), (a, b)].map(|(x, y)| laws.refines(x, &format!("{c} \\\\ {y}")));
                    for quotient in divided {
                        if let (Some(whole), Some(quotient)) = (whole, quotient) {
                            count("quotient", whole);
                            if whole != quotient {
                                fail("A || B <= C iff B <= C \\\\ A", &format!("{composed} <= {c}: {whole}"), &text);
                            }
                        }
                    }
                }
                for other in ["A0", "A1", "A2"] {
                    if other != a && laws.refines(a, other) == Some(true) {
                        let after = laws.refines(&composed, &format!("{other} || {b}"));
                        if let Some(holds) = after {
                            count("composition", holds);
                            if !holds {
                                fail("A <= B implies A || C <= B || C", &format!("{composed}, {other}"), &text);
                            }
                        }
                    }
                }
            }
        }
        asks += laws.asks;
    }
    eprintln!("{asks} queries; how often a law was put to the test (false, true): {counts:?}");
    assert!(counts["reflexive"][1] > 0 && counts["quotient"][0] > 0, "{counts:?}");
}
