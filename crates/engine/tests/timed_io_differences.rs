//! Components that compare clocks with each other. The engines turn comparisons into local states, the checker of evidence compares clocks: every
//! answer about random components must pass it, as a counter-example or as a relation. `ZONEWALK_LAWS` models (12 unless told
//! otherwise) from fixed seeds.

use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::report::{Answer, Evidence, Verdict};
use model::load::{Loaded, load_bytes, query_text};
use search::random::Random;

fn ask(loaded: Loaded, queries: &[String], options: &Options) -> Vec<Answer> {
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|one| one.message.as_str()).collect();
    let mut sources = loaded.sources;
    let model = loaded.model.unwrap_or_else(|| panic!("the model does not load: {messages:?}"));
    let queries: Vec<_> = queries.iter().map(|text| model.query(&query_text(&mut sources, "query", text))).collect();
    check("model", &sources, &queries, options, &mut Watch::none(), &mut |_| {}).results
}

/// A component that compares so many of its three clocks; guards of one action exclude each other.
fn component(name: &str, clocks: usize, random: &mut Random) -> String {
    let locations = 2 + random.index(2);
    let comparison = |random: &mut Random| {
        let one = random.index(clocks);
        let other = (one + 1 + random.index(clocks - 1)) % clocks;
        let (one, other) = (["x", "y", "z"][one], ["x", "y", "z"][other]);
        let relation = ["<", "<=", ">", ">=", "=="][random.index(5)];
        (format!("{one} - {other}"), relation, random.index(4) as i64 - 1)
    };
    let states: Vec<String> = (0..locations)
        .map(|n| match random.index(4) {
            0 => format!("L{n} {{ x <= {} }}", 2 + random.index(3)),
            1 => format!("L{n} {{ y < {} }}", 3 + random.index(3)),
            _ => format!("L{n}"),
        })
        .collect();
    let mut edges = Vec::new();
    for from in 0..locations {
        for action in ["i?", "j?", "o!"] {
            let resets = |random: &mut Random| match random.index(3 + clocks) {
                0 => "assign x = 0;",
                1 => "assign y = 0;",
                2 => "assign x = 1, y = 0;",
                3 => "assign y = 2;",
                4 => "",
                _ => "assign z = 0;",
            };
            let mut edge = |guard: &str, random: &mut Random| {
                let (to, resets) = (random.index(locations), resets(random));
                let guard = if guard.is_empty() { String::new() } else { format!("guard {guard};") };
                edges.push(format!("L{from} -> L{to} {{ {guard} sync {action}; {resets} }}"));
            };
            let (difference, relation, constant) = comparison(random);
            let opposite = match relation {
                "<" => ">=",
                "<=" => ">",
                ">" => "<=",
                ">=" => "<",
                _ => "<",
            };
            let guard = format!("{difference} {relation} {constant}");
            match random.index(5) {
                0 => edge("", random),
                1 => edge(&guard, random),
                2 => {
                    edge(&guard, random);
                    edge(&format!("{difference} {opposite} {constant} && x <= 3"), random);
                }
                3 => edge(&format!("{guard} && y >= 1"), random),
                _ => {}
            }
        }
    }
    if edges.is_empty() {
        edges.push("L0 -> L0 { sync o!; }".to_owned());
    }
    let (states, edges) = (states.join(", "), edges.join(",\n  "));
    format!("process {name}() {{\n clock x, y, z;\n state {states};\n init L0;\n trans {edges};\n}}\n")
}

#[test]
fn answers_about_random_components_pass_the_checker() {
    let count: u64 = std::env::var("ZONEWALK_LAWS").ok().map_or(12, |text| text.parse().expect("a number of models"));
    let names = ["A", "B", "C"];
    let (mut holds, mut fails) = (0, 0);
    for seed in 0..count {
        let mut random = Random::new(1000 + seed);
        let mut text = String::from("broadcast chan i, j, o;\n");
        let clocks = 2 + seed as usize % 2;
        names.iter().for_each(|name| text += &component(name, clocks, &mut random));
        text += "system A, B, C;\nIO A { i?, j?, o! }\nIO B { i?, j?, o! }\nIO C { i?, j?, o! }\n";
        let mut queries = Vec::new();
        for one in names {
            for other in names {
                queries.push(format!("refinement: {one} <= {other}"));
                queries.push(format!("refinement: {one} && {other} <= {one}"));
                queries.push(format!("refinement: {one} <= {other} && {one}"));
            }
        }
        let load = || load_bytes("random.xta", text.as_bytes(), &[]);
        let options = Options { search: "bfs".parse().expect("a search"), certify: true, ..Options::default() };
        let proofs = ask(load(), &queries, &options);
        let options = Options {
            search: "rcf".parse().expect("a search"),
            walks: Some(20),
            threads: Some(1),
            ..Options::default()
        };
        let walks = ask(load(), &queries, &options);
        for ((proof, walk), query) in proofs.iter().zip(&walks).zip(&queries) {
            let said = format!("seed {seed}, {query}: {:?} {:?}\n{text}", proof.reason, walk.reason);
            assert!(!proof.internal && !walk.internal, "{said}");
            match (proof.verdict, proof.failure) {
                (Verdict::Satisfied, _) => {
                    assert_eq!(proof.evidence, Evidence::Certificate, "{said}");
                    assert_eq!(walk.verdict, Verdict::Unknown, "{said}");
                    holds += 1;
                }
                (Verdict::Violated, Some("output" | "input" | "delay")) => fails += 1,
                (Verdict::Violated, Some("nondeterministic" | "inconsistent" | "empty-initial-state")) => continue,
                _ => panic!("{said}"),
            }
            let (one, rest) = query["refinement: ".len()..].split_once(" <= ").expect("two sides");
            let law = one == rest || one.starts_with(&format!("{rest} && "));
            assert!(!law || proof.verdict == Verdict::Satisfied, "{said}");
        }
    }
    eprintln!("{holds} refinements certified, {fails} refuted");
    assert!(holds > 20 && fails > 20, "{holds} {fails}");
}

/// Comparisons of the same clocks know each other: their number does not double local states, whatever their order.
#[test]
fn many_comparisons() {
    for (clocks, count) in [(2, 64), (3, 12)] {
        let name = |n: usize| ["x", "y", "z"][n % clocks];
        let reset = |n: usize| format!("A -> A {{ guard {0} <= 20; sync i{0}?; assign {0} = 0; }}", name(n));
        let output = |n: usize| {
            let (one, other, least) = (name(n), name(n + 1), n * 7 % count / clocks);
            format!("A -> A {{ guard {one} - {other} >= {least} && {one} - {other} < {}; sync o{n}!; }}", least + 1)
        };
        let edges: Vec<String> = (0..clocks).map(reset).chain((0..count).map(output)).collect();
        let free: Vec<String> = (0..count).map(|n| format!("A -> A {{ sync o{n}!; }}")).collect();
        let outputs: Vec<String> = (0..count).map(|n| format!("o{n}")).collect();
        let inputs: Vec<String> = (0..clocks).map(|n| format!("i{}", name(n))).collect();
        let io = format!("{}!, {}?", outputs.join("!, "), inputs.join("?, "));
        let text = format!(
            "broadcast chan {}, {};
             process Compares() {{ clock x, y, z; state A; init A; trans {}; }}
             process Free() {{ state A; init A; trans {}; }}
             system Compares, Free; IO Compares {{ {io} }} IO Free {{ {io} }}",
            outputs.join(", "),
            inputs.join(", "),
            edges.join(", "),
            free.join(", ")
        );
        let queries =
            ["refinement: Compares <= Free", "refinement: Compares <= Compares", "refinement: Free <= Compares"];
        let options = Options { search: "bfs".parse().expect("a search"), certify: true, ..Options::default() };
        let answers = ask(load_bytes("many.xta", text.as_bytes(), &[]), &queries.map(str::to_owned), &options);
        let found: Vec<_> = answers.iter().map(|answer| (answer.verdict, answer.evidence, answer.failure)).collect();
        let certified = (Verdict::Satisfied, Evidence::Certificate, None);
        let refuted = (Verdict::Violated, Evidence::Witness, Some("output"));
        assert_eq!(found, [certified, certified, refuted], "{clocks} clocks: {:?}", answers[0].reason);
    }
}

/// From any state that is written, also from those that nothing leads to.
#[test]
fn states_to_start_from() {
    let text = "
        broadcast chan o;
        process A() { clock x, y; state L, M; init L;
            trans L -> M { guard x - y >= 1; sync o!; }, L -> L { sync o!; assign x = 0, y = 0; }; }
        process B() { clock x; int[0,5] n; state L, M, K; init L;
            trans L -> L { guard x >= 1; sync o!; }, M -> K { guard n == 3; sync o!; }; }
        process C() { clock x; int n; state L, M; init L; trans L -> M { guard n == 3; sync o!; }; }
        system A, B, C; IO A { o! } IO B { o! } IO C { o! }";
    let rows = [
        ("A @ init -> A.M", Verdict::Violated),
        ("A @ A.M -> A.M", Verdict::Satisfied),
        ("A @ A.L && A.x > 3 && A.y < 1 -> A.M", Verdict::Satisfied),
        ("A @ A.L && A.x > 3 && A.y > 3 && A.x <= 4 && A.y <= 4 -> A.M", Verdict::Violated),
        ("B @ B.L -> B.K", Verdict::Violated),
        ("B @ B.M -> B.K", Verdict::Satisfied),
        ("B @ B.M && B.n == 3 && B.x > 7 -> B.K", Verdict::Satisfied),
        ("B @ B.M && B.n != 3 -> B.K", Verdict::Violated),
        // Its integer has too many values.
        ("C @ C.M -> C.M", Verdict::Satisfied),
        ("C @ C.n == 3 -> C.M", Verdict::Unknown),
    ];
    let queries: Vec<String> = rows.iter().map(|(query, _)| format!("reachability: {query}")).collect();
    let answers = ask(load_bytes("starts.xta", text.as_bytes(), &[]), &queries, &Options::default());
    for (answer, (query, expected)) in answers.iter().zip(rows) {
        assert_eq!(answer.verdict, expected, "{query}: {:?}", answer.reason);
    }
}

#[test]
fn known_answers() {
    let text = "
        broadcast chan i, o;
        process Later() { clock x, y; state A, B; init A; trans A -> B { sync i?; assign x = 0; }, B -> A { guard y - x >= 2; sync o!; }; }
        process Plain() { clock y; state A, B, C; init A;
            trans A -> B { guard y >= 2; sync i?; }, A -> C { guard y < 2; sync i?; }, B -> A { sync o!; }; }
        process Equal() { clock x, y; state A, B { x <= 3 }; init A;
            trans A -> B { guard x - y == 0; sync i?; }, B -> A { guard x == y; sync o!; assign y = 0; }; }
        system Later, Plain, Equal;
        IO Later { i?, o! } IO Plain { i?, o! } IO Equal { i?, o! }";
    let rows = [
        // In B the difference is the time of the last input in A.
        ("refinement: Later <= Plain", None),
        ("refinement: Plain <= Later", None),
        ("refinement: Later <= Later", None),
        ("refinement: Equal <= Equal", None),
        ("refinement: Later <= Equal", Some("delay")),
        ("reachability: Equal @ init -> Equal.B", None),
        ("reachability: Equal @ Equal.A && Equal.x > 2 && Equal.y < 1 -> Equal.B", Some("unreachable")),
        ("reachability: Equal @ Equal.A && Equal.x > 2 && Equal.y > 2 -> Equal.B", None),
    ];
    let queries: Vec<String> = rows.iter().map(|(query, _)| (*query).to_owned()).collect();
    let options = Options { certify: true, ..Options::default() };
    let answers = ask(load_bytes("known.xta", text.as_bytes(), &[]), &queries, &options);
    for (answer, (query, expected)) in answers.iter().zip(rows) {
        assert_eq!(answer.verdict == Verdict::Satisfied, expected.is_none(), "{query}: {:?}", answer.reason);
    }
}
