//! Every operation agrees with the textbook: 100,000 random sequences, compared bound by bound after every step.

mod twin;

use twin::{Random, Twin, bound};
use zones::{Bound, Constraint, Source, Unclosed, Zone, ZoneRef};

const SEQUENCES: u64 = 100_000;

#[track_caller]
fn check(zone: &Zone, twin: &Twin, what: &str) {
    assert_eq!(&Twin::of(zone), twin, "{what}: {zone}");
    assert!(zone.is_valid(), "{what}: {zone}");
    assert!(!zone.overflowed());
}

/// One random operation on both; false once nothing is left.
fn step(random: &mut Random, zone: &mut Zone, twin: &mut Twin, max: i64) -> bool {
    let dim = zone.dim();
    let operation = random.below(17);
    let what = format!("operation {operation} on {zone}");
    if dim == 1 && operation != 11 {
        zone.up();
        zone.down();
        check(zone, twin, &what);
        return true;
    }
    let clock = 1 + random.below(dim.max(2) - 1);
    let other = random.below(dim);
    match operation {
        0..=3 => {
            let limit = match random.below(3) {
                0 => (clock, 0, random.bound(0, max)),
                1 => (0, clock, random.bound(-max, 0)),
                _ => (clock, other, random.bound(-max, max)),
            };
            let before = zone.clone();
            let left = zone.constrain(limit.0, limit.1, limit.2);
            assert_eq!(left, twin.constrain(limit.0, limit.1, twin::limit(limit.2)), "{what}");
            if !left {
                assert!(*zone == before, "an empty intersection changes nothing");
                return false;
            }
        }
        4 => {
            zone.up();
            twin.up();
        }
        5 => {
            zone.down();
            twin.down();
        }
        6 => {
            let value = random.between(0, max);
            zone.reset(clock, value as i32);
            twin.reset(clock, value);
        }
        7 => {
            zone.free(clock);
            twin.free(clock);
        }
        8 => {
            let offset = if random.chance(30) { 0 } else { random.between(-3, 3) };
            if offset == 0 {
                zone.copy_clock(clock, other);
                assert!(twin.copy_sum(clock, other, 0));
            } else {
                let left = zone.copy_sum(clock, other, offset as i32);
                assert_eq!(left, twin.copy_sum(clock, other, offset), "{what}");
                if !left {
                    return false;
                }
            }
        }
        9 => {
            let invariants: Vec<Constraint> = (0..random.below(4))
                .map(|_| match random.below(4) {
                    0 => Constraint::new(0, clock, random.bound(-2, 0)),
                    1 => Constraint::new(clock, 1 + random.below(dim - 1), random.bound(0, max)),
                    _ => Constraint::upper(1 + random.below(dim - 1), random.bound(0, max)),
                })
                .collect();
            let apply = |twin: &mut Twin| {
                invariants.iter().all(|c| twin.constrain(c.left as usize, c.right as usize, twin::limit(c.bound)))
            };
            let left = zone.delay_within(&invariants);
            assert_eq!(left, apply(twin), "{what}");
            if !left {
                return false;
            }
            twin.up();
            assert!(apply(twin));
        }
        10 => {
            let mut kept: Vec<usize> = (1..dim).filter(|_| random.chance(70)).collect();
            for i in (1..kept.len()).rev() {
                kept.swap(i, random.below(i + 1));
            }
            zone.select(&kept);
            *twin = twin.select(&kept);
        }
        11 if dim < 12 => {
            let value = random.between(0, max);
            let source = if random.chance(50) { Source::Free } else { Source::Value(value as i32) };
            zone.insert(source);
            *twin = twin.insert_free();
            if source != Source::Free {
                twin.reset(dim, value);
            }
        }
        12 => {
            let sources: Vec<Source> = (1..dim as u32)
                .map(|clock| match random.below(6) {
                    0 => Source::Value(random.between(0, max) as i32),
                    1 => Source::Free,
                    _ => Source::Keep(clock),
                })
                .collect();
            zone.remap(&sources);
            for (clock, source) in (1..).zip(sources) {
                match source {
                    Source::Value(value) => twin.reset(clock, value.into()),
                    Source::Free => twin.free(clock),
                    Source::Keep(_) => {}
                }
            }
        }
        16 => {
            let clocks = random.below(8);
            let sources: Vec<Source> = (0..clocks)
                .map(|_| match random.below(6) {
                    0 => Source::Value(random.between(0, max) as i32),
                    1 => Source::Free,
                    _ => Source::Keep(1 + random.below(dim - 1) as u32),
                })
                .collect();
            zone.remap(&sources);
            let mut wide = twin.clone();
            let mut order = Vec::new();
            for source in sources {
                let fresh = wide.dim;
                wide = wide.insert_free();
                match source {
                    Source::Keep(clock) => assert!(wide.copy_sum(fresh, clock as usize, 0)),
                    Source::Value(value) => wide.reset(fresh, value.into()),
                    Source::Free => {}
                }
                order.push(fresh);
            }
            *twin = wide.select(&order);
        }
        13 => {
            let with = random.zone(dim, max);
            let mut arena = Vec::new();
            with.store(&mut arena);
            let left = zone.intersect(ZoneRef::from_stored(dim, &arena));
            assert_eq!(left, twin.intersect(&Twin::of(&with)), "{what} with {with}");
            assert!(zone.is_valid());
            if !left {
                return false;
            }
        }
        14 => {
            let stopped: Vec<bool> = (0..dim).map(|_| random.chance(40)).collect();
            zone.up_stopped(&stopped);
            for i in (1..dim).filter(|&i| !stopped[i]) {
                twin.set(i, 0, None);
                for j in (1..dim).filter(|&j| stopped[j]) {
                    twin.set(i, j, None);
                }
            }
            let unclosed = twin.clone();
            assert!(twin.close());
            assert_eq!(&unclosed, twin, "letting time pass for some clocks keeps the matrix closed");
        }
        _ => {
            let mut unclosed = Unclosed::from(zone.clone());
            for _ in 0..random.below(4) {
                let (i, j, limit) = (random.below(dim), random.below(dim), random.bound(-max, max));
                unclosed.constrain(i, j, limit);
                if twin::tighter(twin::limit(limit), twin.at(i, j)) {
                    twin.set(i, j, twin::limit(limit));
                }
            }
            match unclosed.close() {
                Some(closed) => {
                    assert!(twin.close());
                    *zone = closed;
                }
                None => {
                    assert!(!twin.close(), "{what}");
                    return false;
                }
            }
        }
    }
    check(zone, twin, &what);
    true
}

#[test]
fn random_sequences_agree_with_the_textbook() {
    let mut arena: Vec<Bound> = Vec::new();
    let mut zone = Zone::zero(1);
    for seed in 0..SEQUENCES {
        let mut random = Random::new(seed + 1);
        let dim = match seed % 100 {
            0 => 13 + random.below(12),
            1..=9 => 7 + random.below(6),
            _ => 1 + random.below(6),
        };
        let max = [3, 10, 1000][random.below(3)];
        let mut twin = if random.chance(50) {
            zone.set_zero(dim);
            Twin::zero(dim)
        } else {
            zone.set_universal(dim);
            Twin::universal(dim)
        };
        check(&zone, &twin, "the start");
        let steps = if dim > 12 { 4 } else { 10 };
        for _ in 0..steps {
            if !step(&mut random, &mut zone, &mut twin, max) {
                break;
            }
        }
        if zone.dim() == twin.dim {
            arena.clear();
            zone.store(&mut arena);
            let stored = ZoneRef::from_stored(zone.dim(), &arena);
            assert!(stored.to_zone() == zone);
            assert!(zone.is_subset_of(stored) && zone.is_superset_of(stored));
        }
    }
}

#[test]
fn wide_zones_agree_with_the_textbook() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let dim = 25 + random.below(40);
        let mut zone = random.zone(dim, 50);
        let mut twin = Twin::of(&zone);
        for _ in 0..6 {
            if !step(&mut random, &mut zone, &mut twin, 50) {
                break;
            }
        }
    }
}

#[test]
fn comparisons_agree_with_the_textbook() {
    for seed in 0..50_000 {
        let mut random = Random::new(seed);
        let dim = 1 + random.below(7);
        let (a, b) = (random.zone(dim, 4), random.zone(dim, 4));
        let (twin_a, twin_b) = (Twin::of(&a), Twin::of(&b));
        let (below, above) = (twin_a.is_subset(&twin_b), twin_b.is_subset(&twin_a));
        assert_eq!(a.is_subset(&b), below);
        let relation = a.relation(&b);
        assert_eq!(
            relation,
            match (below, above) {
                (true, true) => zones::Relation::Equal,
                (true, false) => zones::Relation::Subset,
                (false, true) => zones::Relation::Superset,
                (false, false) => zones::Relation::Different,
            }
        );
        let (mut left, mut right) = (Vec::new(), Vec::new());
        a.store(&mut left);
        b.store(&mut right);
        let (left, right) = (ZoneRef::from_stored(dim, &left), ZoneRef::from_stored(dim, &right));
        assert_eq!(left.is_subset(right), below);
        assert_eq!(left.relation(right), relation);
        assert_eq!(a.is_subset_of(right), below);
        assert_eq!(a.is_superset_of(right), above);
        assert_eq!(a == b, below && above);
        assert_eq!(left == right, below && above);
    }
}

#[test]
fn bounds_of_the_twin_and_of_the_crate_are_the_same() {
    for raw in -9..9 {
        let own = Bound::from_raw(raw).unwrap();
        assert_eq!(bound(twin::limit(own)), own);
    }
}
