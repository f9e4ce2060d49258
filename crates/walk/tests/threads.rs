//! The same seed finds the same walk, however many threads look for it.

use semantics::model::load::load_bytes;
use semantics::structure::Structure;
use walk::delay::DelayChoice;
use walk::depth::Depth;
use walk::hunt::{Ceiling, Settings, hunt};
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
    let mut model = load_bytes("m.xta", MODEL.as_bytes(), &[]).model.expect("it loads");
    let mut sources = semantics::model::source::Sources::default();
    let text = semantics::model::load::query_text(&mut sources, "q", "E<> P1.cs && P2.cs && P3.wait");
    let query = model.query(&text).query.expect("it resolves");
    let semantics::model::check::QueryKind::Path { predicate, .. } = query.kind else { panic!("a path query") };
    let mut structure = Structure::new(model.network());
    let preparation = prepare(&mut structure);
    let goal = structure.programs.predicate(predicate);
    let tables = Tables::new(&structure, &preparation, 0).expect("small");
    for strategy in [Strategy::Ret, Strategy::Rcf, Strategy::Rlc, Strategy::RlcA, Strategy::Sem] {
        for seed in 1..=4 {
            let found = |threads| {
                let settings = Settings {
                    strategy,
                    delays: DelayChoice::Changing,
                    depth: Depth::Fixed(60),
                    seed,
                    threads,
                    bias: None,
                };
                hunt(&tables, goal, &settings, Ceiling::default(), 0..400, &|| false, &mut |_| {}).0
            };
            let alone = found(1);
            assert!(alone.is_some() || strategy != Strategy::Ret, "seed {seed} finds nothing");
            assert_eq!(alone, found(2), "{strategy:?} seed {seed}");
            assert_eq!(alone, found(5), "{strategy:?} seed {seed}");
        }
    }
}
