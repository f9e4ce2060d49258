//! Certificates made by exploring small models, and what happens when they are damaged.

use super::*;
use model::check::QueryKind;
use model::load::{Model, load, load_bytes, query_text};
use std::path::Path;

fn text_model(text: &str) -> Model {
    let loaded = load_bytes("test.xta", text.as_bytes(), &[]);
    let messages: Vec<String> = loaded.diagnostics.iter().map(|d| d.message.clone()).collect();
    loaded.model.unwrap_or_else(|| panic!("{messages:?}"))
}

/// The goal whose unreachability answers `A[] p` (with yes) or `E<> p` (with no), and the network with its code.
fn goal(model: &Model, query: &str) -> (Literal, Network) {
    let source = query_text(&mut model::source::Sources::new(), "query", query);
    let Some(resolved) = model.query(&source).query else { panic!("{query}") };
    match resolved.kind {
        QueryKind::Path { predicate, .. } => (Literal { predicate, holds: query.starts_with("E<>") }, resolved.network),
        other => panic!("{query}: {other:?}"),
    }
}

/// Forgets constants above `largest`, so that there are finitely many zones.
fn widened(zone: &Zone, largest: i64) -> Zone {
    let size = zone.clocks() + 1;
    let wide = |bound: Bound| match bound {
        Bound::AtMost(n) | Bound::Below(n) if n > largest => Bound::Infinite,
        Bound::AtMost(n) | Bound::Below(n) if n < -largest => Bound::Below(-largest),
        bound => bound,
    };
    let bounds = (0..size * size).map(|at| wide(zone.get(at / size, at % size))).collect();
    Zone::closed(zone.clocks(), bounds).unwrap().unwrap()
}

/// All reachable states, as a certificate.
fn explored(network: &Network, largest: i64) -> Certificate {
    let steps = Steps { semantics: Semantics::new(network) };
    let mut stored: Vec<(Discrete, Vec<Zone>)> = Vec::new();
    let (initial, zones) = steps.initial().unwrap();
    let mut waiting: Vec<(Discrete, Zone)> = zones.into_iter().map(|zone| (initial.clone(), zone)).collect();
    while let Some((discrete, zone)) = waiting.pop() {
        let zone = widened(&zone, largest);
        let at = stored.iter().position(|(other, _)| *other == discrete).unwrap_or_else(|| {
            stored.push((discrete.clone(), Vec::new()));
            stored.len() - 1
        });
        let zones = &mut stored[at].1;
        if zones.iter().any(|other| zone.is_inside(other)) {
            continue;
        }
        zones.retain(|other| !other.is_inside(&zone));
        zones.push(zone.clone());
        waiting.extend(steps.successors(&steps.semantics.transitions(&discrete), &zone).unwrap());
    }
    let entry = |(discrete, zones): (Discrete, Vec<Zone>)| Entry {
        discrete,
        zones: zones.iter().map(StoredZone::of).collect(),
    };
    Certificate { entries: stored.into_iter().map(entry).collect() }
}

const FISCHER: &str = "int[0,2] id; const int k = 2;
    process P(const int[1,2] pid) { clock x; state A, req {x <= k}, wait, cs; init A; trans
    A -> req {guard id == 0; assign x = 0;}, req -> wait {guard x <= k; assign x = 0, id = pid;},
    wait -> req {guard id == 0; assign x = 0;}, wait -> cs {guard x > k && id == pid;}, cs -> A {assign id = 0;}; } system P;";
const BROADCAST: &str = "broadcast chan c; clock x, y; int[0,3] n;
    process S() { state a {x <= 4}; init a; trans a -> a {guard x >= 1; sync c!; assign x = 0;}; }
    process R() { state a, b; init a; trans a -> b {guard y >= 3; sync c?; assign n = 1;}, b -> b {sync c?; assign n = 2;}; } system S, R;";
const LEVELS: &str = "chan priority default < high; chan high; clock x; int[0,1] n;
    process P() { state a {x <= 5}, b; init a; trans a -> a {guard x >= 3; assign n = 1, x = 0;}, a -> a {guard x >= 2; sync high!; assign x = 0;}; }
    process Q() { state a; init a; trans a -> a {sync high?;}; } system P, Q;";
const STOPWATCH: &str = "clock x, t; process P() { state run {t <= 2}, rest {x' == 0 && t <= 5}, end; init run; trans run -> rest {assign t = 0;},
    rest -> end {guard t == 5;}; } system P;";
const URGENT: &str =
    "urgent chan c; clock x; int[0,1] n; process P() { state a, b; init a; trans a -> b {guard n == 0; sync c!;}; }
    process Q() { state a; init a; trans a -> a {sync c?;}, a -> a {guard x > 0; assign n = 1;}; } system P, Q;";
const COPY: &str = "clock x, y; process P() { state a {x <= 3}, b {x <= 5}, c; init a; trans a -> b {assign y = x + 1;}, b -> c {guard x == 5;}; } system P;";
const NEVER_DIVIDES: &str = "clock x; int[0,1] i; process P() { state a, b; urgent a; init a; trans a -> a {}, a -> b {guard x >= 1; assign i = 1 / i;}; } system P;";

#[test]
fn what_holds_is_certified_and_what_does_not_is_not() {
    let rows: &[(&str, &str, i64, &str)] = &[
        (FISCHER, "A[] not (P(1).cs && P(2).cs)", 2, "ok"),
        (FISCHER, "A[] not deadlock", 2, "ok"),
        (FISCHER, "E<> P(1).cs && P(2).wait", 2, "GoalInside"),
        (FISCHER, "E<> P(1).req && P(1).x > 2", 2, "ok"),
        (BROADCAST, "E<> n == 2 && y < 4", 4, "ok"),
        (BROADCAST, "E<> n == 1 && y < 3", 4, "ok"),
        (BROADCAST, "E<> n == 0 && y > 7", 8, "ok"),
        (BROADCAST, "E<> n == 0 && y > 6", 8, "GoalInside"),
        (LEVELS, "E<> n == 1", 5, "ok"),
        (LEVELS, "A[] not deadlock", 5, "ok"),
        (LEVELS, "A[] x < 5", 5, "GoalInside"),
        (STOPWATCH, "E<> P.end && t == 5 && x > 2", 9, "ok"),
        (STOPWATCH, "E<> P.end && t == 6 && x > 2", 9, "GoalInside"),
        (STOPWATCH, "E<> P.rest && x > 2", 9, "ok"),
        (STOPWATCH, "A[] not deadlock", 9, "ModelError"),
        (URGENT, "E<> n == 1 && P.a", 5, "ok"),
        (URGENT, "A[] not deadlock", 5, "ok"),
        (COPY, "E<> P.c && x == 5 && y != 6", 9, "ok"),
        (COPY, "A[] not deadlock", 9, "GoalInside"),
        (NEVER_DIVIDES, "A[] not deadlock", 1, "ok"),
    ];
    for (text, query, largest, expected) in rows {
        let (goal, network) = goal(&text_model(text), query);
        let certificate = explored(&network, *largest);
        let found = match check_certificate(&network, &certificate, goal) {
            Ok(()) => "ok".to_owned(),
            Err(refusal) => format!("{:?}", refusal.reason),
        };
        assert!(found.starts_with(expected), "{query}: {found}");
    }
}

#[test]
fn models_of_the_library_are_certified() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/fischer.xml");
    let constants = [model::check::Override::parse("N=3").unwrap()];
    let model = load(&path, &constants).model.unwrap();
    let source = model.queries[0].clone();
    let query = model.query(&source).query.unwrap();
    let (QueryKind::Path { predicate, .. }, network) = (query.kind, &query.network) else {
        panic!("the first query is mutual exclusion");
    };
    let certificate = explored(network, 2);
    assert_eq!(check_certificate(network, &certificate, Literal::is_not(predicate)), Ok(()));
    let json = certificate.to_json(network).unwrap();
    assert_eq!(Certificate::from_json(network, &json), Ok(certificate));
}

/// Whether one certificate has all states of another.
fn has_all(network: &Network, certificate: &Certificate, of: &Certificate) -> bool {
    let zones = |certificate: &Certificate| -> Stored {
        let full = |zone: &StoredZone| zone.full(network.clocks.len()).unwrap();
        let entries = certificate.entries.iter();
        entries.map(|entry| (entry.discrete.clone(), entry.zones.iter().filter_map(full).collect())).collect()
    };
    let stored = zones(certificate);
    zones(of).iter().all(|(discrete, zones)| zones.iter().all(|zone| covered(&stored, discrete, zone).unwrap()))
}

/// Every single loss is noticed: a state, a zone, one bound made tighter. What other zones make up for is no loss.
#[test]
fn damaged_certificates_are_refused() {
    for (text, query, largest) in [(FISCHER, "A[] not (P(1).cs && P(2).cs)", 2), (BROADCAST, "E<> n == 2 && y < 4", 4)]
    {
        let (goal, network) = goal(&text_model(text), query);
        let network = &network;
        let certificate = explored(network, largest);
        let accepts = |certificate: &Certificate| check_certificate(network, certificate, goal).is_ok();
        assert!(accepts(&certificate));
        let mut lost = 0;
        for n in 0..certificate.entries.len() {
            let mut less = certificate.clone();
            less.entries.remove(n);
            assert!(!accepts(&less), "without state {n}");
            for z in 0..certificate.entries[n].zones.len() {
                let mut less = certificate.clone();
                less.entries[n].zones.remove(z);
                assert!(!accepts(&less), "without zone {z} of state {n}");
                let size = network.clocks.len() + 1;
                for at in (0..size * size).filter(|at| at / size != at % size) {
                    let mut tighter = certificate.clone();
                    let bound = &mut tighter.entries[n].zones[z].bounds[at];
                    let Bound::AtMost(value) = *bound else { continue };
                    *bound = Bound::Below(value);
                    let nothing_lost = has_all(network, &tighter, &certificate);
                    assert_eq!(accepts(&tighter), nothing_lost, "zone {z} of state {n} with a tighter bound {at}");
                    lost += usize::from(!nothing_lost);
                }
            }
        }
        assert!(lost > 10, "{lost}");
    }
}

/// It does not matter how a set of states is divided into zones.
#[test]
fn certificates_in_pieces_are_accepted() {
    for (text, query, largest) in [(FISCHER, "A[] not (P(1).cs && P(2).cs)", 2), (BROADCAST, "E<> n == 2 && y < 4", 4)]
    {
        let (goal, network) = goal(&text_model(text), query);
        let mut pieces = explored(&network, largest);
        let clocks = network.clocks.len();
        for zones in pieces.entries.iter_mut().map(|entry| &mut entry.zones) {
            let whole: Vec<Zone> = zones.iter().filter_map(|zone| zone.full(clocks).unwrap()).collect();
            let cut = |zone: &Zone| {
                let parts = [zone.with(1, 0, Bound::Below(1)).unwrap(), zone.with(0, 1, Bound::AtMost(-1)).unwrap()];
                parts.into_iter().flatten().map(|part| StoredZone::of(&part)).collect::<Vec<_>>()
            };
            *zones = whole.iter().flat_map(cut).collect();
        }
        assert_eq!(check_certificate(&network, &pieces, goal), Ok(()));
        pieces.entries[0].zones.remove(0);
        assert!(check_certificate(&network, &pieces, goal).is_err());
    }
}
