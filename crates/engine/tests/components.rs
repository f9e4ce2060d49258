//! Components that `get-component:` and `prune:` write: read back beside the model they come from, they are what they are said to be.
//!
//! `ZONEWALK_LAWS` random models (8 unless told otherwise) from fixed seeds. `ZONEWALK_CORPUS` names a directory with `ecdar/expect.tsv`;
//! without it that test says that it was skipped.

use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::report::{Answer, ComponentFile, Verdict};
use model::load::{Loaded, load, load_bytes, query_text};
use search::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn ask(loaded: Loaded, queries: &[String]) -> Vec<Answer> {
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|one| one.message.as_str()).collect();
    let mut sources = loaded.sources;
    let model = loaded.model.unwrap_or_else(|| panic!("the model does not load: {messages:?}"));
    let queries: Vec<_> = queries.iter().map(|text| model.query(&query_text(&mut sources, "query", text))).collect();
    let time_limit = Some(Duration::from_secs(3));
    let options = Options { search: "bfs".parse().expect("a search"), time_limit, ..Options::default() };
    check("model", &sources, &queries, &options, &mut Watch::none(), &mut |_| {}).results
}

/// Whether a refinement holds; `None` if a precondition of it fails.
fn holds(answer: &Answer, text: &str) -> Option<bool> {
    assert!(!answer.internal, "{}: {:?}\n{text}", answer.query, answer.reason);
    match (answer.verdict, answer.failure) {
        (Verdict::Satisfied, _) => Some(true),
        (Verdict::Violated, Some("output" | "input" | "delay")) => Some(false),
        (Verdict::Violated, Some(_)) => None,
        // What pruning writes may compare clocks in more ways than can be read, or take too long.
        _ if answer.reason.as_ref().is_some_and(|reason| reason.contains("in too many ways")) => None,
        _ if answer.reason.as_ref().is_some_and(|reason| reason.contains("time limit")) => None,
        _ => panic!("{}: {:?}\n{text}", answer.query, answer.reason),
    }
}

/// A model whose parts can be added to.
#[derive(Clone, Default)]
struct Parts {
    channels: BTreeSet<String>,
    templates: Vec<String>,
    names: Vec<String>,
    io: Vec<String>,
}

impl Parts {
    fn xml(&self) -> String {
        let channels: Vec<&str> = self.channels.iter().map(String::as_str).collect();
        format!(
            "<nta><declaration>broadcast chan {};</declaration>\n{}\n<system>system {};\n{}</system></nta>",
            channels.join(", "),
            self.templates.join("\n"),
            self.names.join(", "),
            self.io.join("\n")
        )
    }

    /// Adds a component that was written.
    fn add(&mut self, file: &ComponentFile) {
        let between = |from: &str, to: &str| {
            let start = file.xml.find(from).expect("a part of the model") + from.len();
            let end = start + file.xml[start..].find(to).expect("its end");
            &file.xml[start..end]
        };
        self.channels.extend(between("broadcast chan ", ";").split(", ").map(str::to_owned));
        self.templates.push(format!("<template>{}</template>", between("<template>", "</template>")));
        self.names.push(file.name.clone());
        self.io.push(between(";\nIO", "</system>").trim().to_owned());
        let last = self.io.last_mut().expect("it was pushed");
        *last = format!("IO {last}");
    }

    fn load(&self) -> Loaded {
        load_bytes("parts.xml", self.xml().as_bytes(), &[])
    }
}

/// A random component with one or two clocks; guards of one action exclude each other.
fn component(name: &str, inputs: &[&str], outputs: &[&str], random: &mut Random) -> String {
    let locations = 2 + random.index(3);
    let clocks = if random.index(4) == 0 { 2 } else { 1 };
    let clock = |random: &mut Random| if random.index(clocks) == 0 { "x" } else { "y" };
    let mut text = format!(
        "<template><name>{name}</name><declaration>{}</declaration>\n",
        if clocks == 1 { "clock x;" } else { "clock x, y;" }
    );
    for n in 0..locations {
        let invariant = match random.index(3) {
            0 => {
                let relation = if random.index(3) == 0 { "&lt;" } else { "&lt;=" };
                format!("<label kind=\"invariant\">{} {relation} {}</label>", clock(random), 2 + random.index(3))
            }
            _ => String::new(),
        };
        text += &format!("<location id=\"{name}{n}\"><name>L{n}</name>{invariant}</location>\n");
    }
    text += &format!("<init ref=\"{name}0\"/>\n");
    for from in 0..locations {
        for (action, mark) in inputs.iter().map(|a| (a, '?')).chain(outputs.iter().map(|a| (a, '!'))) {
            let bound = 1 + random.index(3);
            let one = clock(random);
            let guards = match random.index(7) {
                0 => vec![String::new()],
                1 => vec![format!("{one} &gt;= {bound}")],
                2 => vec![format!("{one} &lt; {bound}"), format!("{one} &gt;= {}", bound + 1)],
                3 => vec![format!("{one} &lt;= {bound}")],
                4 if mark == '?' => vec![format!("{one} &gt; {bound} &amp;&amp; {one} &lt; {}", bound + 2)],
                _ => vec![],
            };
            for guard in guards {
                let to = random.index(locations);
                let update =
                    ["x = 0", "x = 0", "", "y = 0", "x = 0, y = 0"][random.index(if clocks == 1 { 3 } else { 5 })];
                text += &format!(
                    "<transition><source ref=\"{name}{from}\"/><target ref=\"{name}{to}\"/><label kind=\"guard\">{guard}</label>\
                     <label kind=\"synchronisation\">{action}{mark}</label><label kind=\"assignment\">{update}</label></transition>\n"
                );
            }
        }
    }
    text + "</template>"
}

/// Systems, with their outputs.
const EXPRESSIONS: [(&str, &str); 8] = [
    ("A0", "oq"),
    ("A1", "oq"),
    ("B0", "p"),
    ("A0 && A1", "oq"),
    ("A0 || B0", "opq"),
    ("(A0 && A1) || B0", "opq"),
    ("C0 \\\\ A0", "p"),
    ("C0 \\\\ B0", "oq"),
];

fn random_model(seed: u64) -> Parts {
    let mut random = Random::new(5000 + seed);
    let mut parts = Parts::default();
    let groups: [(&str, &[&str], &[&str]); 4] = [
        ("A0", &["i"], &["o", "q"]),
        ("A1", &["i"], &["o", "q"]),
        ("B0", &["o"], &["p"]),
        ("C0", &["i"], &["o", "p", "q"]),
    ];
    for (name, inputs, outputs) in groups {
        parts.templates.push(component(name, inputs, outputs, &mut random));
        parts.names.push(name.to_owned());
        let actions: Vec<String> =
            inputs.iter().map(|a| format!("{a}?")).chain(outputs.iter().map(|a| format!("{a}!"))).collect();
        parts.io.push(format!("IO {name} {{ {} }}", actions.join(", ")));
        parts.channels.extend(inputs.iter().chain(outputs).map(|action| (*action).to_owned()));
    }
    parts
}

#[test]
fn random_components_are_what_they_are_said_to_be() {
    let count: u64 = std::env::var("ZONEWALK_LAWS").ok().map_or(8, |text| text.parse().expect("a number of models"));
    let mut tested: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for seed in 0..count {
        let mut parts = random_model(seed);
        let makes = |query: &str| -> Vec<String> {
            let of = |(n, (system, _)): (usize, &(&str, &str))| format!("{query}: {system} save-as {}{n}", &query[..1]);
            EXPRESSIONS.iter().enumerate().map(of).collect()
        };
        let made = ask(parts.load(), &[makes("get-component"), makes("prune")].concat());
        for answer in &made {
            assert!(!answer.internal, "{}: {:?}\n{}", answer.query, answer.reason, parts.xml());
            match &answer.component {
                Some(file) => parts.add(file),
                None => assert_ne!(holds(answer, &parts.xml()), Some(true), "{}: {:?}", answer.query, answer.reason),
            }
        }
        let text = parts.xml();
        let there = |name: &str| parts.names.iter().any(|other| other == name);
        // The two queries of each law must have the same answer, or the first must hold.
        let mut laws: Vec<(&str, String, Option<String>)> = Vec::new();
        for (n, (system, outputs)) in EXPRESSIONS.iter().enumerate() {
            let (written, pruned) = (format!("g{n}"), format!("p{n}"));
            let quotient = system.contains('\\');
            for component in ["A0", "A1", "B0", "C0"].iter().filter(|_| there(&written)) {
                let (left, right) = (format!("{component} <= {system}"), format!("{component} <= {written}"));
                laws.push(("written, right", left, Some(right)));
            }
            // Outputs that only the left side has would keep it consistent where the right side is not.
            for (m, _) in EXPRESSIONS.iter().enumerate().filter(|(_, (_, others))| others == outputs) {
                let component = format!("p{m}");
                if there(&pruned) && there(&component) {
                    let (left, right) = (format!("{component} <= {system}"), format!("{component} <= {pruned}"));
                    laws.push(("implementations", left, Some(right)));
                }
            }
            if there(&written) {
                laws.push((
                    if quotient { "written quotient" } else { "written" },
                    format!("{written} <= {system}"),
                    None,
                ));
                // A quotient may refuse an input that a component ignores.
                if !quotient {
                    laws.push(("written", format!("{system} <= {written}"), None));
                }
            }
            if there(&pruned) {
                laws.push((if quotient { "pruned quotient" } else { "pruned" }, format!("{pruned} <= {system}"), None));
                if there(&written) {
                    laws.push(("pruned", format!("{pruned} <= {written}"), None));
                }
            }
        }
        let queries: Vec<String> = laws
            .iter()
            .flat_map(|(_, one, other)| [one.clone(), other.clone().unwrap_or_else(|| one.clone())])
            .map(|query| format!("refinement: {query}"))
            .collect();
        let answers = ask(parts.load(), &queries);
        for ((law, one, other), pair) in laws.iter().zip(answers.chunks(2)) {
            let (Some(first), Some(second)) = (holds(&pair[0], &text), holds(&pair[1], &text)) else { continue };
            tested.entry(law).or_default()[usize::from(first)] += 1;
            let said = format!(
                "seed {seed}, {law}: {one} is {first}, {other:?} is {second}: {:?} {:?}\n{text}",
                pair[0].reason, pair[1].reason
            );
            assert_eq!(first, second, "{said}");
            assert!(first || other.is_some(), "{said}");
        }
        // What is pruned is consistent, and pruning it changes nothing.
        let pruned: Vec<&String> = parts.names.iter().filter(|name| name.starts_with('p')).collect();
        let queries: Vec<String> = pruned
            .iter()
            .flat_map(|name| [format!("consistency: {name}"), format!("prune: {name} save-as again_{name}")])
            .collect();
        let answers = ask(parts.load(), &queries);
        let mut again = parts.clone();
        for answer in &answers {
            assert_ne!(holds(answer, &text), Some(false), "seed {seed}, {}: {:?}\n{text}", answer.query, answer.reason);
            assert_eq!(answer.failure, None, "seed {seed}, {}: {:?}\n{text}", answer.query, answer.reason);
            answer.component.iter().for_each(|file| again.add(file));
        }
        let queries: Vec<String> = pruned
            .iter()
            .filter(|name| again.names.iter().any(|other| *other == format!("again_{name}")))
            .flat_map(|name| {
                [format!("refinement: {name} <= again_{name}"), format!("refinement: again_{name} <= {name}")]
            })
            .collect();
        for answer in ask(again.load(), &queries) {
            let holds = holds(&answer, &text);
            holds.into_iter().for_each(|holds| tested.entry("pruned twice").or_default()[usize::from(holds)] += 1);
            assert_ne!(holds, Some(false), "seed {seed}, {}: {:?}\n{}", answer.query, answer.reason, again.xml());
        }
    }
    eprintln!("how often a law was put to the test (false, true): {tested:?}");
    for (law, least) in [
        ("written", 6),
        ("written, right", 6),
        ("written quotient", 3),
        ("pruned", 6),
        ("pruned quotient", 3),
        ("implementations", 6),
    ] {
        assert!(tested.get(law).is_some_and(|counts| counts[1] >= least), "{law}: {tested:?}");
    }
}

/// Nothing may lead into `inc`: S has to output before the input can come that would, and W cannot help it.
const INC: &str = "
    <nta><declaration>broadcast chan i, o;</declaration>
    <template><name>S</name><declaration>clock x;</declaration>
    <location id='a'/><location id='b'/><location id='c'/><location id='d'><name>inc</name></location><init ref='a'/>
    <transition><source ref='a'/><target ref='b'/><label kind='synchronisation'>o!</label></transition>
    <transition><source ref='b'/><target ref='c'/><label kind='guard'>x &lt; 3</label>
    <label kind='synchronisation'>o!</label></transition>
    <transition><source ref='b'/><target ref='d'/><label kind='guard'>x &gt; 4</label>
    <label kind='synchronisation'>i?</label></transition>
    <transition><source ref='d'/><target ref='c'/><label kind='synchronisation'>o!</label></transition></template>
    <template><name>E</name><declaration>clock x;</declaration>
    <location id='e'/><location id='f'><label kind='invariant'>x &lt; 3</label></location><location id='g'/><init ref='e'/>
    <transition><source ref='e'/><target ref='f'/><label kind='synchronisation'>o!</label></transition>
    <transition><source ref='f'/><target ref='g'/><label kind='synchronisation'>o!</label></transition></template>
    <template><name>W</name><location id='h'/><location id='j'><name>inc</name></location><init ref='h'/>
    <transition><source ref='h'/><target ref='j'/><label kind='synchronisation'>i?</label></transition></template>
    <system>system S, E, W; IO S { i?, o! } IO E { i?, o! } IO W { i?, o! }</system></nta>";

#[test]
fn locations_named_inc_are_inconsistent_as_in_ecdar() {
    let load = |text: &str| load_bytes("inc.xml", text.as_bytes(), &[]);
    let queries = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect::<Vec<String>>();
    let answers =
        ask(load(INC), &queries(&["prune: S save-as P", "consistency: W", "prune: W", "reachability: W -> W.inc"]));
    let pruned = answers[0].component.as_ref().expect("S has an implementation");
    assert!(!pruned.xml.contains("inc"), "{}", pruned.xml);
    assert_eq!((answers[1].failure, answers[2].failure), (Some("inconsistent"), Some("inconsistent")));
    assert_eq!(answers[3].verdict, Verdict::Satisfied, "it is reached all the same: {:?}", answers[3].reason);
    let start = pruned.xml.find("<template>").expect("a template");
    let end = pruned.xml.find("</template>").expect("its end");
    let template = &pruned.xml[start..end];
    let both = INC
        .replace("<system>system S", &format!("{template}</template><system>system P, S"))
        .replace("IO S", "IO P { i?, o! } IO S");
    for answer in ask(load(&both), &queries(&["refinement: P <= E", "refinement: E <= P", "refinement: P <= S"])) {
        assert_eq!(holds(&answer, &both), Some(true), "{}: {:?}\n{both}", answer.query, answer.reason);
    }
    // Under another name it is a location like any other.
    let other = ask(load(&INC.replace("inc<", "Inc<")), &queries(&["consistency: W"]));
    assert_eq!(other[0].verdict, Verdict::Satisfied);
    // What is written is never mistaken for one.
    let text =
        "broadcast chan i; process W() { state inc; init inc; trans inc -> inc { sync i?; }; } system W; IO W { i? }";
    let written = ask(load_bytes("inc.xta", text.as_bytes(), &[]), &queries(&["get-component: W", "consistency: W"]));
    assert!(!written[0].component.as_ref().expect("a component").xml.contains(">inc<"));
    assert_eq!(written[1].verdict, Verdict::Satisfied);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in std::fs::read_dir(from).expect("a directory") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() { copy(&path, &target) } else { std::fs::copy(&path, &target).map(|_| ()).expect("a copy") }
    }
}

/// The expressions of the recorded queries about ECDAR projects, written as components of the project.
#[test]
fn components_of_projects_are_written_and_read_again() {
    let Some(root) = std::env::var_os("ZONEWALK_CORPUS").map(|root| PathBuf::from(root).join("ecdar")) else {
        eprintln!("SKIPPED: ZONEWALK_CORPUS is not set, so there are no projects");
        return;
    };
    let text = std::fs::read_to_string(root.join("expect.tsv")).expect("the corpus has a list of expectations");
    let mut systems: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in text.lines().skip(1) {
        let [model, query, _] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let Some(sides) = query.strip_prefix("refinement:") else { continue };
        if root.join(model).is_dir() {
            systems.entry(model).or_default().extend(sides.split("<=").map(str::trim));
        }
    }
    let (mut written, mut equivalent) = (0, 0);
    for (model, systems) in systems {
        let systems: Vec<&str> = systems.into_iter().collect();
        let makes: Vec<String> =
            systems.iter().enumerate().map(|(n, system)| format!("get-component: {system} save-as Made{n}")).collect();
        let made = ask(load(&root.join(model), &[]), &makes);
        let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("projects").join(model);
        copy(&root.join(model), &project);
        let mut queries = Vec::new();
        for (n, (answer, system)) in made.iter().zip(&systems).enumerate() {
            let Some(file) = &answer.component else { continue };
            let path = project.join("Components").join(format!("Made{n}.json"));
            std::fs::write(path, file.ecdar.as_ref().expect("projects have no channel arrays")).expect("a file");
            written += 1;
            queries.push(format!("refinement: Made{n} <= {system}"));
            queries.push(format!("refinement: {system} <= Made{n}"));
        }
        for answer in ask(load(&project, &[]), &queries) {
            if let Some(holds) = holds(&answer, model) {
                assert!(holds, "{model}: {}: {:?}", answer.query, answer.reason);
                equivalent += 1;
            }
        }
    }
    eprintln!("{written} components written, {equivalent} refinements hold");
    assert!(written > 30 && equivalent > 60, "{written} {equivalent}");
}
