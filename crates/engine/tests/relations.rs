//! Positive answers about refinements as relations: `certify` accepts what the proof stored, and nothing less.
//!
//! `ZONEWALK_CORPUS` names a directory with `ecdar/expect.tsv`; without it that test says that it was skipped.

use certify::Reason;
use certify::refinement::{Relation, check_relation};
use engine::check::check;
use engine::limits::Watch;
use engine::options::Options;
use engine::report::{Answer, Evidence, Verdict};
use model::check::{Override, QueryKind};
use model::load::{Loaded, LoadedQuery, Model, load, load_bytes, query_text};
use std::path::PathBuf;

struct Asked {
    model: Model,
    query: LoadedQuery,
    answer: Answer,
}

fn ask(loaded: Loaded, query: &str) -> Asked {
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|one| one.message.as_str()).collect();
    let model = loaded.model.unwrap_or_else(|| panic!("the model does not load: {messages:?}"));
    let mut sources = loaded.sources;
    let query = model.query(&query_text(&mut sources, "query", query));
    let options = Options {
        search: "bfs".parse().expect("a search"),
        certify: true,
        keep_certificate: true,
        ..Options::default()
    };
    let queries = std::slice::from_ref(&query);
    let answer = check("model", &sources, queries, &options, &mut Watch::none(), &mut |_| {}).results.remove(0);
    Asked { model, query, answer }
}

/// The relation that was written is accepted, and with any of its discrete pairs left out it is not.
fn pairs_are_needed(asked: &Asked, what: &str) -> usize {
    assert!(!asked.answer.internal, "{what}: {:?}", asked.answer.reason);
    assert_eq!(asked.answer.evidence, Evidence::Certificate, "{what}: {:?}", asked.answer.reason);
    let text = asked.answer.certificate.as_ref().expect("the relation was to be kept");
    let Some(QueryKind::Refinement { left, right }) = asked.query.query.as_ref().map(|query| &query.kind) else {
        panic!("{what} is no refinement");
    };
    let network = asked.model.network();
    let relation = Relation::from_json(network, left, right, text).expect("what is written can be read");
    check_relation(network, left, right, &relation).expect("what is written is accepted");
    let count = relation.pairs.len();
    for left_out in (0..count).step_by(1 + count / 20) {
        let mut fewer = relation.clone();
        fewer.pairs.remove(left_out);
        let reason = check_relation(network, left, right, &fewer).expect_err(what).reason;
        assert!(matches!(reason, Reason::InitialNotCovered | Reason::SuccessorNotCovered), "{what}: {reason:?}");
    }
    count
}

#[test]
fn refinements_of_projects_are_certified() {
    let Some(root) = std::env::var_os("ZONEWALK_CORPUS").map(|root| PathBuf::from(root).join("ecdar")) else {
        eprintln!("SKIPPED: ZONEWALK_CORPUS is not set, so there is nothing to certify");
        return;
    };
    let text = std::fs::read_to_string(root.join("expect.tsv")).expect("the corpus has a list of expectations");
    let (mut certified, mut pairs) = (0, 0);
    for row in text.lines().skip(1) {
        let [model, query, expected] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        if expected != "true" || !query.starts_with("refinement") {
            continue;
        }
        let asked = ask(load(&root.join(model), &[]), query);
        pairs += pairs_are_needed(&asked, row);
        certified += 1;
    }
    eprintln!("{certified} refinements certified, with {pairs} discrete pairs");
    assert!(certified > 30, "{certified} refinements");
}

/// Integers, urgency, large constants, guards with choices, quotients, right sides that allow everything.
#[test]
fn all_features_are_certified() {
    let text = "
        broadcast chan i, o, p;
        process Counts() { int[0,3] n; clock x; state L { x <= 5000 }; init L;
            trans L -> L { guard n < 3 && x >= 1000; sync o!; assign n = n + 1, x = 0; },
                L -> L { guard n == 3; sync o!; assign n = 0; }; }
        process Any() { state L; init L; trans L -> L { sync o!; }; }
        process Slow() { clock z; state L { z <= 9000 }; init L; trans L -> L { sync o!; assign z = 0; }; }
        process Now() { state A, B; urgent B; init A; trans A -> B { sync i?; }, B -> A { sync o!; }; }
        process Soon() { clock y; state A, B { y <= 0 }; init A; trans A -> B { sync i?; assign y = 0; }, B -> A { sync o!; }; }
        process Relay() { clock y; state A, B { y <= 2 }; init A; trans A -> B { sync o?; assign y = 0; }, B -> A { sync p!; }; }
        process Whole() { clock z; state A, B { z <= 4 }, C; init A;
            trans A -> B { sync i?; assign z = 0; }, B -> C { sync o!; }, C -> A { sync p!; }, A -> C { sync o!; }, C -> C { sync o!; },
                A -> A { sync p!; }, B -> B { sync p!; }; }
        process Picks() { clock x, y; state A { x <= 9 }; init A;
            trans A -> A { guard x <= 2 || x >= 8 && y != 9; sync o!; assign x = 0; }; }
        system Counts, Any, Slow, Now, Soon, Relay, Whole, Picks;
        IO Picks { o! } IO Counts { o! } IO Any { o! } IO Slow { o! } IO Now { i?, o! } IO Soon { i?, o! } IO Relay { o?, p! }
        IO Whole { i?, o!, p! }";
    let queries = [
        "refinement: Counts <= Any",
        "refinement: Counts <= Slow",
        "refinement: Counts && Slow <= Counts",
        "refinement: Picks <= Slow",
        "refinement: Picks <= Picks",
        "refinement: Now <= Soon",
        "refinement: Soon <= Now",
        "refinement: Now || Relay <= Soon || Relay",
        "refinement: Now || Relay <= Whole",
        "refinement: Relay <= Whole \\\\ Now",
        "refinement: Now <= Whole \\\\ Relay",
    ];
    for query in queries {
        let asked = ask(load_bytes("model.xta", text.as_bytes(), &[]), query);
        if asked.answer.verdict == Verdict::Violated {
            panic!("{query}: {:?}", asked.answer.reason);
        }
        pairs_are_needed(&asked, query);
    }
}

/// With bounds that do not tell lower from upper ones this would store so many zones that nobody waits for it.
#[test]
fn large_rings_are_certified() {
    let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let rows = [
        ("leader-election-ring.xml", "N=7", "refinement: Node <= Spec"),
        ("milner-refinement.xml", "N=12", "refinement: First || Node <= Spec"),
    ];
    for (model, size, query) in rows {
        let loaded = load(&models.join(model), &[Override::parse(size).expect("a size")]);
        assert_eq!(ask(loaded, query).answer.evidence, Evidence::Certificate, "{model}");
    }
}
