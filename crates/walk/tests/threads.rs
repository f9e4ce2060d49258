//! The same seed finds the same walk, however many threads look for it.

use model::load::load_bytes;
use semantics::code::PredicateId;
use semantics::structure::Structure;
use walk::delay::DelayChoice;
use walk::depth::Depth;
use walk::distance::Distance;
use walk::guide::{Party, archive, mutate, split};
use walk::hunt::{Ceiling, Settings, Totals, hunt};
use walk::strategy::Strategy;
use walk::tables::{Tables, prepare};

const MODEL: &str = "const int k = 2; int[0,6] id;
    process P(const int pid) { clock x; state A, req { x <= k }, wait, cs; init A;
    trans A -> req { guard id == 0; assign x = 0; }, req -> wait { guard x <= k; assign x = 0, id = pid; },
    wait -> cs { guard x >= k && id == pid; }, wait -> req { guard id == 0; assign x = 0; },
    cs -> A { assign id = 0; }; }
    P1 = P(1); P2 = P(2); P3 = P(3); P4 = P(4); P5 = P(5); P6 = P(6);
    system P1, P2, P3, P4, P5, P6;";

#[test]
fn a_seed_finds_the_same_walk_with_any_number_of_threads() {
    with_tables("E<> P1.cs && P2.cs && P3.wait", &|tables, goal, _| unguided(tables, goal));
}

#[test]
fn guided_walks_do_not_depend_on_the_number_of_threads() {
    with_tables("E<> P1.cs && P2.cs && P3.cs", &guided);
}

fn guided(tables: &Tables, goal: PredicateId, distance: &Distance) {
    for (name, hunt) in
        [("archive", archive::hunt as fn(&mut Party) -> _), ("split", split::hunt), ("mutate", mutate::hunt)]
    {
        for seed in 1..=3 {
            let found = |threads| {
                let settings = Settings { seed, threads, ..settings(Strategy::Ret) };
                let (stop, mut progress) = (|| false, |_: &Totals| {});
                let party = Party::new(tables, goal, distance, settings, &stop, &mut progress);
                let mut party = party.expect("no error").expect("it starts");
                party.most = 3_000;
                let found = hunt(&mut party);
                let mut steps = Vec::new();
                if let Some(found) = &found {
                    party.repeat(&found.lineage, &mut steps).expect("a lineage repeats");
                    assert_eq!(steps.len() as u64, found.steps, "{name} seed {seed}");
                    let (walker, goal) = party.leader();
                    assert_eq!(goal.reached(walker).map(|moment| moment.is_some()), Ok(true), "{name} seed {seed}");
                }
                (found, steps)
            };
            let alone = found(1);
            assert!(alone.0.is_some(), "{name} seed {seed} finds nothing");
            assert_eq!(alone, found(2), "{name} seed {seed}");
            assert_eq!(alone, found(5), "{name} seed {seed}");
        }
    }
}

fn settings(strategy: Strategy) -> Settings {
    Settings { strategy, delays: DelayChoice::Changing, depth: Depth::Fixed(60), seed: 1, threads: 1, bias: None }
}

fn with_tables(query: &str, test: &dyn Fn(&Tables, PredicateId, &Distance)) {
    let model = load_bytes("m.xta", MODEL.as_bytes(), &[]).model.expect("it loads");
    let mut sources = model::source::Sources::default();
    let text = model::load::query_text(&mut sources, "q", query);
    let query = model.query(&text).query.expect("it resolves");
    let model::check::QueryKind::Path { predicate, .. } = query.kind else { panic!("a path query") };
    let mut structure = Structure::new(&query.network);
    let preparation = prepare(&mut structure);
    let goal = structure.programs.predicate(predicate);
    let tables = Tables::new(&structure, &preparation, 0).expect("small");
    test(&tables, goal, &Distance::new(&query.network, predicate));
}

fn unguided(tables: &Tables, goal: PredicateId) {
    let strategies = [Strategy::Ret, Strategy::Rcf, Strategy::Rlc, Strategy::RlcA, Strategy::Sem];
    let changing = strategies.map(|strategy| (strategy, DelayChoice::Changing));
    for (strategy, delays) in changing.into_iter().chain([(Strategy::Ret, DelayChoice::Habits)]) {
        for seed in 1..=4 {
            let found = |threads| {
                let settings = Settings { seed, threads, delays, ..settings(strategy) };
                hunt(tables, goal, &settings, Ceiling::default(), 0..400, &|| false, &mut |_| {}).found
            };
            let alone = found(1);
            assert!(alone.is_some() || strategy != Strategy::Ret, "seed {seed} finds nothing");
            assert_eq!(alone, found(2), "{strategy:?} {delays:?} seed {seed}");
            assert_eq!(alone, found(5), "{strategy:?} {delays:?} seed {seed}");
        }
    }
}
