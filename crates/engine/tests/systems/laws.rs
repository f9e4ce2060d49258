//! Laws of the theory, asked of random small systems and of the components of real projects.
//!
//! A law whose condition does not hold says nothing; how often each was put to the test is counted.

use crate::ask::Asked;
use crate::draft::{Bound, Bounds, Component, Edge, I, O, P, Q, R, component, text, variant};
use crate::number;
use crate::quotient_laws::{goes_on, hold_for_quotients};
use crate::side_by_side::side_by_side;
use model::load::{load, load_bytes};
use search::random::Random;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Default)]
pub struct Counts {
    /// Per law how often what it speaks about did not hold and did.
    laws: BTreeMap<&'static str, [usize; 2]>,
    pub queries: usize,
}

impl Counts {
    pub fn count(&mut self, law: &'static str, holds: bool) {
        self.laws.entry(law).or_default()[usize::from(holds)] += 1;
    }

    fn add(&mut self, other: Counts) {
        self.queries += other.queries;
        for (law, [fails, holds]) in other.laws {
            let own = self.laws.entry(law).or_default();
            (own[0], own[1]) = (own[0] + fails, own[1] + holds);
        }
    }

    fn show(&self) {
        eprintln!("{} queries; how often a law was put to the test (false, true): {:?}", self.queries, self.laws);
    }
}

/// What must hold whenever its preconditions do.
pub fn must(asked: &mut Asked, counts: &mut Counts, law: &'static str, left: &str, right: &str) {
    if let Some(holds) = asked.refines(left, right) {
        counts.count(law, holds);
        assert!(holds, "{law} fails: {left} <= {right}\n{}", asked.text);
    }
}

fn equal(asked: &mut Asked, counts: &mut Counts, law: &'static str, left: &str, right: &str) {
    must(asked, counts, law, left, right);
    must(asked, counts, law, right, left);
}

/// All laws of three systems.
fn hold(asked: &mut Asked, counts: &mut Counts, [a, b, c]: [&str; 3]) {
    must(asked, counts, "S <= S", a, a);
    must(asked, counts, "A && B <= A", &format!("{a} && {b}"), a);
    must(asked, counts, "A && B <= B", &format!("{a} && {b}"), b);
    for (operator, commutes, associates) in [
        ("||", "A || B = B || A", "(A || B) || C = A || (B || C)"),
        ("&&", "A && B = B && A", "(A && B) && C = A && (B && C)"),
    ] {
        equal(asked, counts, commutes, &format!("{a} {operator} {b}"), &format!("{b} {operator} {a}"));
        let (left, right) =
            (format!("({a} {operator} {b}) {operator} {c}"), format!("{a} {operator} ({b} {operator} {c})"));
        equal(asked, counts, associates, &left, &right);
    }
    if asked.refines(a, b) == Some(true) {
        if asked.refines(b, c) == Some(true) {
            must(asked, counts, "A <= B and B <= C imply A <= C", a, c);
        }
        let law = "A <= B implies A || C <= B || C";
        must(asked, counts, law, &format!("{a} || {c}"), &format!("{b} || {c}"));
    }
    let whole = asked.refines(&format!("{a} || {b}"), c);
    for (part, divisor) in [(b, a), (a, b)] {
        let law = "A || B <= C iff B <= C \\\\ A";
        let quotient = format!("{c} \\\\ {divisor}");
        let divided = asked.refines(part, &quotient);
        let Some(whole) = whole else { continue };
        // What has an implementation refines nothing that has none.
        let divided = divided.or_else(|| asked.is_inconsistent(&quotient).then_some(false));
        if let Some(divided) = divided {
            counts.count(law, whole);
            assert_eq!(whole, divided, "{law} fails: {a} || {b} <= {c}, {part} <= {quotient}\n{}", asked.text);
        }
    }
}

/// A specification that allows everything within a time.
fn anything(name: &str, outputs: &[usize]) -> Component {
    let edge = |&action: &usize| Edge { from: 0, to: 0, action, guard: Vec::new(), resets: vec![0] };
    Component {
        name: name.to_owned(),
        clocks: 1,
        invariants: vec![vec![Bound { clock: 0, upper: true, constant: 9, strict: false }]],
        edges: outputs.iter().map(edge).collect(),
        inputs: vec![I],
        outputs: outputs.to_vec(),
    }
}

/// So many systems are asked everything, and others a part that is drawn.
const ALL: u64 = 40;

/// `ZONEWALK_LAWS` systems, 60 unless told otherwise. What is not asked of all is drawn: one of `ZONEWALK_SHARE` laws, 6 unless
/// told otherwise.
#[test]
fn laws_hold_for_random_systems() {
    let systems = number("ZONEWALK_LAWS", 60);
    let share = number("ZONEWALK_SHARE", 6).max(1) as usize;
    let counted = side_by_side(0..systems, |seed| {
        let mut counts = Counts::default();
        system(seed, share, &mut counts);
        counts
    });
    let mut counts = Counts::default();
    counted.into_iter().for_each(|one| counts.add(one));
    counts.show();
    for (law, [fails, holds]) in &counts.laws {
        // Few systems implement two others at once: among a thousand there are some.
        assert!(*holds > 0 || systems < 1_000 && law.starts_with("X <= (C && D)"), "{law}");
        assert!(!law.contains("iff") || *fails > 0, "{law}");
    }
    assert!(counts.queries > 1_000, "{}", counts.queries);
}

/// A random system with its laws.
fn system(seed: u64, share: usize, counts: &mut Counts) {
    let mut random = Random::new(seed);
    let a0 = component("A0", &[I], &[O, Q], Bounds::Any, &mut random);
    let a1 = variant(&a0, "A1", Bounds::Any, &mut random);
    let a2 = variant(&a1, "A2", Bounds::Any, &mut random);
    let b0 = component("B0", &[O], &[P], Bounds::Any, &mut random);
    let b1 = variant(&b0, "B1", Bounds::Any, &mut random);
    let d0 = component("D0", &[P], &[R], Bounds::Any, &mut random);
    let c0 = component("C0", &[I], &[O, P, Q], Bounds::Any, &mut random);
    let c1 = anything("C1", &[O, P, Q]);
    let c2 = component("C2", &[I], &[O, P, Q, R], Bounds::Any, &mut random);
    let c3 = anything("C3", &[O, P, Q, R]);
    let all = [&a0, &a1, &a2, &b0, &b1, &c0, &c1, &d0, &c2, &c3];
    let text = format!("// Seed {seed}.\n{}", text(&all));
    let mut asked = Asked::new(load_bytes("laws.xta", text.as_bytes(), &[]), &text);
    let mut asks = |share: usize| seed < ALL || random.index(share) == 0;
    for systems in [
        ["A0", "A1", "A2"],
        ["A1", "A2", "A0"],
        ["A2", "A1", "B0"],
        ["A0", "A1", "B1"],
        ["B0", "B1", "A0"],
        ["B1", "B0", "A1"],
        ["A0", "B0", "C0"],
        ["A0", "B0", "C1"],
        ["A1", "B1", "C1"],
        ["A2", "B0", "A1 || B1"],
        ["A0", "B0", "A0 || B0"],
        ["A0 && A1", "A2", "B0"],
        ["B0", "D0", "A1"],
        ["C0", "C1", "C0 && C1"],
    ] {
        if asks(share) {
            hold(&mut asked, counts, systems);
        }
    }
    let going_on: Vec<&str> = all.iter().filter(|one| goes_on(one)).map(|one| one.name.as_str()).collect();
    hold_for_quotients(&mut asked, counts, &going_on, &mut || asks(share));
    counts.queries += asked.queries;
}

/// Directories with components, and files with more than one.
fn projects(root: &Path) -> Vec<(PathBuf, Vec<String>)> {
    let mut rows: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    let expected = std::fs::read_to_string(root.join("expect.tsv")).expect("the corpus has a list of expectations");
    for row in expected.lines().skip(1) {
        let project = root.join(row.split('\t').next().unwrap_or_default());
        rows.entry(project.clone()).or_insert_with(|| {
            let files = std::fs::read_dir(project.join("Components")).into_iter().flatten().flatten();
            let names = files.filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned()));
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        });
    }
    rows.into_iter().filter(|(_, names)| !names.is_empty()).collect()
}

/// Every component by itself, and `ZONEWALK_LAWS` triples of each project (60 unless told otherwise).
#[test]
fn laws_hold_for_the_components_of_projects() {
    let Some(root) = std::env::var_os("ZONEWALK_CORPUS").map(|root| PathBuf::from(root).join("ecdar")) else {
        eprintln!("SKIPPED: ZONEWALK_CORPUS is not set, so there are no projects");
        return;
    };
    let mut counts = Counts::default();
    let mut components = 0;
    for (project, names) in projects(&root) {
        let mut asked = Asked::new(load(&project, &[]), &project.display().to_string());
        let mut random = Random::new(1);
        components += names.len();
        names.iter().for_each(|name| must(&mut asked, &mut counts, "S <= S", name, name));
        for _ in 0..number("ZONEWALK_LAWS", 60) {
            let systems = [0; 3].map(|_| names[random.index(names.len())].as_str());
            hold(&mut asked, &mut counts, systems);
        }
        counts.queries += asked.queries;
    }
    counts.show();
    assert!(components > 40, "{components} components");
    assert!(counts.queries > 1_000, "{}", counts.queries);
}
