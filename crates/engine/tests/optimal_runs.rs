//! `--shortest` and `--fastest` give runs that nothing beats, and certificates are accepted: on random small networks,
//! compared with what other queries say about the same system.

use engine::check::check;
use engine::limits::Watch;
use engine::model::load::{load_bytes, query_text};
use engine::options::{Options, Preference};
use engine::report::{Answer, Evidence, Verdict};

fn ask(model: &str, query: &str, options: &Options) -> Answer {
    let loaded = load_bytes("m.xta", model.as_bytes(), &[]);
    let mut sources = loaded.sources;
    let parsed = loaded.model.unwrap_or_else(|| panic!("{:?}\n{model}", loaded.diagnostics));
    let written = query_text(&mut sources, "query", query);
    let queries = [parsed.query(&written)];
    let mut report = check("m.xta", &sources, &queries, options, &mut Watch::none(), &mut |_| {});
    let answer = report.results.remove(0);
    assert!(!answer.internal, "{query}: {:?}\n{model}", answer.reason);
    answer
}

fn preferring(preference: Preference) -> Options {
    Options { preference, ..Options::default() }
}

/// A small generator of the same numbers for the same seed (Knuth's MMIX constants).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Two processes with two clocks each, an integer and a channel. `t` is never set, `n` counts steps when `counting`.
fn network(seed: u64, counting: bool) -> String {
    let mut numbers = Numbers(seed * 7919 + 1);
    let mut text = "clock t;\nint[0,3] v = 0;\nint[0,8] n = 0;\nchan c;\n".to_owned();
    for name in ["P", "Q"] {
        text.push_str(&format!("process {name}() {{\n  clock x, y;\n  state "));
        let states: Vec<String> = (0..4)
            .map(|state| match numbers.below(3) {
                0 => format!("s{state} {{ x <= {} }}", 2 + numbers.below(5)),
                _ => format!("s{state}"),
            })
            .collect();
        text.push_str(&states.join(", "));
        text.push_str(";\n  init s0;\n  trans ");
        let mut edges = Vec::new();
        for edge in 0..7 {
            // The first ones make every location reachable as far as guards allow.
            let (from, to) =
                if edge < 3 { (edge, edge + 1) } else { (numbers.below(4) as usize, numbers.below(4) as usize) };
            let (clock, bound) = (["x", "y"][numbers.below(2) as usize], numbers.below(6));
            let relation = [">=", ">", "<=", "<", ">="][numbers.below(5) as usize];
            let mut guard = format!("{clock} {relation} {bound}");
            let mut update = vec!["x = 0", "y = 0", "v = (v + 1) % 4", "v = 0"][numbers.below(4) as usize].to_owned();
            if numbers.below(3) == 0 {
                guard.push_str(&format!(" && v == {}", numbers.below(3)));
            }
            let sync = match numbers.below(5) {
                0 if name == "P" => "sync c!; ",
                0 => "sync c?; ",
                _ => "",
            };
            if counting && !(sync.contains('?')) {
                guard.push_str(" && n < 8");
                update.push_str(", n = n + 1");
            }
            edges.push(format!("s{from} -> s{to} {{ guard {guard}; {sync}assign {update}; }}"));
        }
        text.push_str(&edges.join(",\n        "));
        text.push_str(";\n}\n");
    }
    text.push_str("A = P();\nB = Q();\nsystem A, B;\n");
    text
}

const GOALS: [&str; 3] = ["A.s3 && B.s2", "A.s2 && B.s3 && v == 2", "B.s3 && A.y > 2 && B.x <= 4"];

const SEEDS: u64 = 100;

#[test]
fn no_run_is_faster_than_the_fastest() {
    let (mut reached, mut open) = (0, 0);
    for seed in 0..SEEDS {
        let model = network(seed, false);
        for goal in GOALS {
            let fastest = ask(&model, &format!("E<> {goal}"), &preferring(Preference::Fastest));
            let Some(value) = fastest.value else { continue };
            let within = |bound: String| {
                let answer = ask(&model, &format!("E<> ({goal}) && t {bound}"), &Options::default());
                answer.verdict == Verdict::Satisfied
            };
            let time = value.trim_start_matches("> ").parse::<i32>().expect("a time");
            let attained = !value.starts_with('>');
            assert_eq!(within(format!("<= {time}")), attained, "seed {seed}, {goal}: {value}\n{model}");
            assert!(!within(format!("< {time}")), "seed {seed}, {goal}: {value}\n{model}");
            assert!(within(format!("< {}", time + 1)), "seed {seed}, {goal}: {value}\n{model}");
            reached += 1;
            open += u32::from(!attained);
        }
    }
    assert!(reached > 60 && open > 10, "{reached} reached, {open} of them not in the least time");
}

#[test]
fn no_run_is_shorter_than_the_shortest() {
    let mut reached = 0;
    for seed in 0..SEEDS {
        for goal in GOALS {
            let shortest = ask(&network(seed, false), &format!("E<> {goal}"), &preferring(Preference::Shortest));
            let Some(length) = shortest.trace.map(|trace| trace.steps.len()).filter(|length| *length <= 8) else {
                continue;
            };
            let counting = network(seed, true);
            let with = |steps: String| {
                let answer = ask(&counting, &format!("E<> ({goal}) && n {steps}"), &Options::default());
                answer.verdict == Verdict::Satisfied
            };
            assert!(with(format!("<= {length}")) && !with(format!("< {length}")), "seed {seed}, {goal}\n{counting}");
            reached += 1;
        }
    }
    assert!(reached > 60, "{reached}");
}

#[test]
fn what_is_not_reachable_is_certified() {
    let certify = Options { certify: true, ..Options::default() };
    let mut certified = 0;
    for seed in 0..SEEDS {
        for goal in GOALS.into_iter().chain(["deadlock"]) {
            let answer = ask(&network(seed, false), &format!("A[] not ({goal})"), &certify);
            if answer.verdict == Verdict::Satisfied {
                assert_eq!(answer.evidence, Evidence::Certificate, "seed {seed}, {goal}: {:?}", answer.reason);
                certified += 1;
            } else {
                assert_eq!(answer.evidence, Evidence::Witness);
            }
        }
    }
    assert!(certified > 20, "{certified}");
}

/// One step of 10 time units, or three that take more than 3 together.
const DETOUR: &str = "clock x;
process P() {
  state A, B, C, G;
  init A;
  trans A -> G { guard x >= 10; }, A -> B { guard x > 1; assign x = 0; },
        B -> C { guard x >= 2; assign x = 0; }, C -> G { };
}
P1 = P();
system P1;
";

#[test]
fn the_shortest_run_need_not_be_the_fastest() {
    let steps = |model: &str, preference| {
        let answer = ask(model, "E<> P1.G", &preferring(preference));
        (answer.trace.map(|trace| trace.steps.len()), answer.value)
    };
    assert_eq!(steps(DETOUR, Preference::Shortest), (Some(1), None));
    assert_eq!(steps(DETOUR, Preference::Fastest), (Some(3), Some("> 3".to_owned())));
    let closed = DETOUR.replace("x > 1", "x >= 1");
    assert_eq!(steps(&closed, Preference::Fastest), (Some(3), Some("3".to_owned())));
}
