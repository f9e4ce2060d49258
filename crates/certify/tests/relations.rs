//! Relations of refinements: a right one is accepted, and whatever is taken away or added too much is refused.

mod common;

use certify::Reason;
use certify::refinement::{Local, Mode, PairClock, PairZone, Related, Relation, check_relation};
use certify::zone::Bound;
use common::model;
use model::check::{QueryKind, SystemExpr};
use model::load::{Model, query_text};
use model::network::LocationId;

/// A answers within 1 and 3, S allows up to 4, and N never answers.
const TEXT: &str = "broadcast chan i, o;
    process A() { clock x; state Idle, Busy { x <= 3 }; init Idle;
        trans Idle -> Busy { sync i?; assign x = 0; }, Busy -> Idle { guard x >= 1; sync o!; }; }
    process S() { clock z; state Idle, Busy { z <= 4 }; init Idle;
        trans Idle -> Busy { sync i?; assign z = 0; }, Busy -> Idle { sync o!; }; }
    process N() { state Idle, Now; urgent Now; init Idle;
        trans Idle -> Now { sync i?; }, Now -> Idle { sync o!; }; }
    process K() { int[0,2] n; state Idle; init Idle; trans Idle -> Idle { guard n < 2; sync i?; assign n = n + 1; }; }
    system A, S, N, K;
    IO A { i?, o! } IO S { i?, o! } IO N { i?, o! } IO K { i?, o! }";

fn sides(model: &mut Model, query: &str) -> (SystemExpr, SystemExpr) {
    let mut sources = model::source::Sources::new();
    match model.query(&query_text(&mut sources, "query", query)).query.unwrap().kind {
        QueryKind::Refinement { left, right } => (left, right),
        other => panic!("{other:?}"),
    }
}

/// Upper bounds on differences of the clocks x and z, which are 1 and 2; 0 is the constant.
fn zone(bounds: &[(usize, usize, i64)]) -> PairZone {
    let clocks = [0, 1].map(|leaf| PairClock::Component { leaf, clock: 0 }).to_vec();
    let mut matrix = vec![Bound::Infinite; 9];
    bounds.iter().for_each(|(i, j, n)| matrix[i * 3 + j] = Bound::AtMost(*n));
    PairZone { clocks, bounds: matrix }
}

fn pair(left: usize, right: usize, zones: Vec<PairZone>) -> Related {
    let local = |location| Local { location: LocationId::new(location), ints: Vec::new() };
    Related { components: vec![local(left), local(right)], modes: Vec::new(), zones }
}

/// x = z, and x is at most so much and at least so much.
fn equal(least: i64, most: i64) -> PairZone {
    zone(&[(1, 2, 0), (2, 1, 0), (1, 0, most), (0, 1, -least)])
}

#[test]
fn a_relation_is_checked_in_every_respect() {
    let mut model = model(TEXT);
    let (left, right) = sides(&mut model, "refinement: A <= S");
    let idle = || pair(0, 0, vec![zone(&[])]);
    let busy = |zones| pair(1, 1, zones);
    let whole = || busy(vec![equal(0, 3)]);
    let rows = [
        ("the relation", vec![idle(), whole()], None),
        ("the same in two parts", vec![idle(), busy(vec![equal(0, 1), equal(1, 3)])], None),
        ("more than is reached", vec![idle(), busy(vec![equal(0, 3), zone(&[(1, 0, 3), (2, 1, 1)])])], None),
        ("nothing", vec![], Some(Reason::InitialNotCovered)),
        ("no initial pair", vec![whole()], Some(Reason::InitialNotCovered)),
        ("not all of the initial pair", vec![pair(0, 0, vec![equal(1, 9)]), whole()], Some(Reason::InitialNotCovered)),
        ("no successor", vec![idle()], Some(Reason::SuccessorNotCovered)),
        ("not all of the idle pair", vec![pair(0, 0, vec![equal(0, 9)]), whole()], Some(Reason::SuccessorNotCovered)),
        ("no delay", vec![idle(), busy(vec![equal(0, 0)])], Some(Reason::SuccessorNotCovered)),
        ("a short delay", vec![idle(), busy(vec![equal(0, 2)])], Some(Reason::SuccessorNotCovered)),
        ("a gap", vec![idle(), busy(vec![equal(0, 1), equal(2, 3)])], Some(Reason::SuccessorNotCovered)),
        ("an empty zone", vec![idle(), busy(vec![equal(3, 0)])], Some(Reason::SuccessorNotCovered)),
        ("beyond an invariant", vec![idle(), busy(vec![equal(0, 4)])], Some(Reason::ClaimFalse)),
        ("clocks apart", vec![idle(), busy(vec![zone(&[(1, 0, 3), (2, 0, 4)])])], Some(Reason::ClaimFalse)),
        ("an output alone", vec![idle(), whole(), pair(1, 0, vec![zone(&[(1, 0, 3)])])], Some(Reason::ClaimFalse)),
        ("a delay alone", vec![idle(), whole(), pair(0, 1, vec![zone(&[(2, 0, 4)])])], Some(Reason::ClaimFalse)),
        ("a location too many", vec![idle(), whole(), pair(2, 0, vec![])], Some(Reason::Malformed)),
        ("a mode too many", vec![Related { modes: vec![Mode::Pair], ..idle() }, whole()], Some(Reason::Malformed)),
        ("a component too few", vec![Related { components: Vec::new(), ..idle() }, whole()], Some(Reason::Malformed)),
    ];
    for (what, pairs, expected) in rows {
        let relation = Relation { pairs };
        let found = check_relation(model.network(), &left, &right, &relation).err().map(|refusal| refusal.reason);
        assert_eq!(found, expected, "{what}");
        let text = relation.to_json(model.network(), &left, &right).unwrap();
        assert_eq!(Relation::from_json(model.network(), &left, &right, &text).unwrap(), relation, "{what}");
    }
}

/// S does not refine A, whatever is written.
#[test]
fn no_relation_shows_what_is_false() {
    let mut model = model(TEXT);
    let (left, right) = sides(&mut model, "refinement: S <= A");
    for zones in [vec![equal(0, 3)], vec![equal(0, 4)], vec![zone(&[(1, 0, 4), (2, 0, 3)])], vec![], vec![equal(1, 3)]]
    {
        let relation = Relation { pairs: vec![pair(0, 0, vec![zone(&[])]), pair(1, 1, zones)] };
        assert!(check_relation(model.network(), &left, &right, &relation).is_err(), "{relation:?}");
    }
}

/// The clock of urgency stands at 0 as long as no time passes, and a refinement is refused whose actions cannot be compared.
#[test]
fn urgency_and_integers_are_checked() {
    let mut model = model(TEXT);
    let urgent = |bound| PairZone {
        clocks: vec![PairClock::Urgency(0), PairClock::Component { leaf: 1, clock: 0 }],
        bounds: vec![
            Bound::AtMost(0),
            Bound::AtMost(0),
            Bound::AtMost(0),
            bound,
            Bound::AtMost(0),
            bound,
            bound,
            bound,
            bound,
        ],
    };
    let free = PairZone { clocks: Vec::new(), bounds: vec![Bound::AtMost(0)] };
    let (left, right) = sides(&mut model, "refinement: N <= S");
    for (bound, accepted) in [(Bound::AtMost(0), true), (Bound::AtMost(1), false), (Bound::Infinite, false)] {
        let pairs = vec![pair(0, 0, vec![free.clone()]), pair(1, 1, vec![urgent(bound)])];
        let checked = check_relation(model.network(), &left, &right, &Relation { pairs });
        assert_eq!(checked.is_ok(), accepted, "{bound:?}: {checked:?}");
    }
    let (left, right) = sides(&mut model, "refinement: K <= K");
    let with = |n: i32, m: i32| {
        let local = |n| Local { location: LocationId::new(0), ints: vec![n] };
        Related { components: vec![local(n), local(m)], modes: Vec::new(), zones: vec![free.clone()] }
    };
    let rows = [
        (vec![with(0, 0), with(1, 1), with(2, 2)], None),
        (vec![with(0, 0), with(1, 1)], Some(Reason::SuccessorNotCovered)),
        (vec![with(0, 0), with(1, 1), with(2, 2), with(3, 3)], Some(Reason::Malformed)),
    ];
    for (pairs, expected) in rows {
        let checked = check_relation(model.network(), &left, &right, &Relation { pairs });
        assert_eq!(checked.err().map(|refusal| refusal.reason), expected);
    }
}

/// Text that is no relation, or one of another query.
#[test]
fn bad_files_are_refused() {
    let mut model = model(TEXT);
    let (left, right) = sides(&mut model, "refinement: A <= S");
    let other = sides(&mut model, "refinement: S <= A");
    let relation = Relation { pairs: vec![pair(0, 0, vec![zone(&[])]), pair(1, 1, vec![equal(0, 3)])] };
    let text = relation.to_json(model.network(), &left, &right).unwrap();
    assert!(Relation::from_json(model.network(), &other.0, &other.1, &text).is_err());
    let damages = [
        ("zonewalk.relation/1", "zonewalk.relation/2"),
        ("\"modes\":[]", "\"modes\":[3]"),
        ("\"clocks\":[0,1]", "\"clocks\":[0,7]"),
        ("\"locations\":[1,1]", "\"locations\":[1]"),
        ("\"locations\":[1,1]", "\"locations\":[1,-1]"),
        ("null", "99999999999999999"),
        ("null", "1e3"),
    ];
    for (old, new) in damages {
        assert!(text.contains(old), "{text}");
        let refusal = Relation::from_json(model.network(), &left, &right, &text.replacen(old, new, 1)).unwrap_err();
        assert_eq!(refusal.reason, Reason::Malformed);
    }
    for end in 0..text.len() {
        assert!(Relation::from_json(model.network(), &left, &right, &text[..end]).is_err());
    }
    // Matrices that do not fit are noticed when the relation is checked.
    let mut short = relation.clone();
    short.pairs[0].zones[0].bounds.pop();
    let refusal = check_relation(model.network(), &left, &right, &short).unwrap_err();
    assert_eq!(refusal.reason, Reason::Malformed);
}
