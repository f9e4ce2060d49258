//! Deadlocks in two attempts: coarse bounds prove that there are none where they can, and where they cannot the exact ones decide.

use engine::limits::Watch;
use engine::model::check::QueryKind;
use engine::model::load::{load_bytes, query_text};
use engine::options::Options;
use engine::problem::{Problem, Walking};
use engine::reachability::{Exploration, Outcome, reach_under};
use semantics::zone_graph::Abstraction;

#[derive(PartialEq, Debug)]
enum Said {
    Found,
    Nowhere,
    Unknown,
}

fn ask(text: &str, abstraction: Option<Abstraction>) -> Said {
    let mut loaded = load_bytes("m.xta", text.as_bytes(), &[]);
    let model = loaded.model.take().unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics));
    let source = query_text(&mut loaded.sources, "query", "E<> deadlock");
    let query = model.query(&source).query.expect("a query");
    let QueryKind::Path { predicate, .. } = query.kind else { panic!("a path query") };
    let claim = certify::Claim::Reaches(certify::Literal::is(predicate));
    let how = Exploration { abstraction, states: None };
    let options = Options { search: "bfs".parse().expect("a search"), ..Options::default() };
    match reach_under(
        &Problem::new(&query.network, predicate, claim, Walking::No, &options),
        how,
        &options,
        &mut Watch::none(),
    )
    .outcome
    {
        Outcome::Found(_) => Said::Found,
        Outcome::Nowhere(_) => Said::Nowhere,
        Outcome::Unknown(_) => Said::Unknown,
        _ => panic!("neither found nor nowhere\n{text}"),
    }
}

#[test]
fn coarse_bounds_prove_what_they_can_and_leave_the_rest_to_exact_ones() {
    let loop_over_l = |kind: &str, guard: &str| {
        format!(
            "clock x; process P() {{ state A {{ x <= 3 }}, L; {kind} init A;
             trans A -> L {{ }}, L -> A {{ guard {guard}; assign x = 0; }}; }} system P;"
        )
    };
    let rows = [
        // Time does not pass in L, and x is at most 3 there; coarse bounds let it be larger.
        (loop_over_l("urgent L;", "x <= 5"), Said::Unknown, Said::Nowhere),
        // x may be more than 2.
        (loop_over_l("urgent L;", "x <= 2"), Said::Found, Said::Found),
        // One may wait too long in L.
        (loop_over_l("", "x <= 5"), Said::Found, Said::Found),
        (loop_over_l("", "x >= 5"), Said::Nowhere, Said::Nowhere),
    ];
    for (text, coarse, right) in rows {
        assert_eq!(ask(&text, Some(Abstraction::LowerUpper)), coarse, "{text}");
        assert_eq!(ask(&text, Some(Abstraction::Maximal)), right, "{text}");
        assert_eq!(ask(&text, None), right, "{text}");
    }
}
