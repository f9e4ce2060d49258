//! Federations, minimal forms and the operations on zones, point by point.

mod twin;

use twin::{Random, Twin, grid, stored};
use zones::{Federation, Minimal, Zone, ZoneRef};

fn contains(federation: &Federation, point: &[i64], scale: i64) -> bool {
    federation.zones().iter().any(|zone| zone.contains(point, scale))
}

fn random_federation(random: &mut Random, dim: usize, max: i64, most: usize) -> Federation {
    let mut federation = Federation::empty(dim);
    for _ in 0..random.below(most + 1) {
        federation.add(random.zone(dim, max));
    }
    federation
}

#[test]
fn a_minus_b_and_a_with_b_make_up_a() {
    let points = [grid(1, 4, 6), grid(2, 2, 6), grid(3, 2, 4)];
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let clocks = if seed % 20 == 0 { 3 } else { 1 + random.below(2) };
        let (a, b) =
            (random_federation(&mut random, clocks + 1, 4, 3), random_federation(&mut random, clocks + 1, 4, 3));
        let (mut minus, mut both, mut united) = (a.clone(), a.clone(), a.clone());
        minus.subtract(&b);
        both.intersect(&b);
        united.unite(&b);
        let mut reduced = united.clone();
        reduced.reduce();
        for zone in minus.zones().iter().chain(both.zones()) {
            assert!(zone.is_valid());
        }
        let scale = if clocks == 1 { 4 } else { 2 };
        for point in &points[clocks - 1] {
            let (in_a, in_b) = (contains(&a, point, scale), contains(&b, point, scale));
            assert_eq!(contains(&minus, point, scale), in_a && !in_b);
            assert_eq!(contains(&both, point, scale), in_a && in_b);
            assert_eq!(contains(&united, point, scale), in_a || in_b);
            assert_eq!(contains(&reduced, point, scale), in_a || in_b);
        }
        let mut disjoint = minus.clone();
        disjoint.intersect(&b);
        assert!(disjoint.is_empty(), "(A \\ B) and B have nothing in common");
        let mut whole = minus.clone();
        whole.unite(&both);
        assert!(whole.is_subset(&a) && a.is_subset(&whole), "(A \\ B) and (A with B) make up A");
        assert_eq!(a.is_subset(&b), minus.is_empty());
        assert!(reduced.is_subset(&united) && united.is_subset(&reduced));
        assert!(reduced.zones().len() <= united.zones().len());
    }
}

#[test]
fn a_hull_is_the_smallest_zone_around_two() {
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let dim = 2 + random.below(3);
        let (a, b) = (random.zone(dim, 4), random.zone(dim, 4));
        let hull = a.hull(&b);
        assert!(hull.is_valid() && a.is_subset(&hull) && b.is_subset(&hull));
        for (i, j) in (0..dim).flat_map(|i| (0..dim).map(move |j| (i, j))) {
            assert!(hull.at(i, j) == a.at(i, j) || hull.at(i, j) == b.at(i, j), "no zone around both is smaller");
        }
        let mut both = a.clone();
        let mut expected = Federation::from(a);
        expected.intersect(&Federation::from(b.clone()));
        assert_eq!(both.intersect_zone(&b), !expected.is_empty());
        assert!(expected.is_empty() || expected.is_subset(&Federation::from(both)));
    }
}

#[test]
fn a_zone_can_be_included_in_a_union_but_in_no_part() {
    let mut square = Zone::universal(3);
    assert!(square.constrain(1, 0, zones::Bound::le(2)) && square.constrain(2, 0, zones::Bound::le(2)));
    let mut below = square.clone();
    assert!(below.constrain(1, 2, zones::Bound::le(0)));
    let mut above = square.clone();
    assert!(above.constrain(2, 1, zones::Bound::lt(0)));
    let mut halves = Federation::from(below);
    assert!(!halves.includes(&square));
    halves.add(above);
    assert!(halves.includes(&square));
}

#[test]
fn predt_reaches_the_good_without_touching_the_bad() {
    let points = grid(2, 2, 5);
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let good = random_federation(&mut random, 3, 4, 2);
        let bad = random_federation(&mut random, 3, 4, 2);
        let result = good.predt(&bad);
        for point in &points {
            // Memberships along the delay change only where a coordinate is a whole number: quarters see everything.
            let quarters = |delay: i64| [2 * point[0] + delay, 2 * point[1] + delay];
            let expected = (0..=40)
                .take_while(|&delay| !contains(&bad, &quarters(delay), 4))
                .any(|delay| contains(&good, &quarters(delay), 4));
            assert_eq!(contains(&result, point, 2), expected, "{point:?}, good {good:?}, bad {bad:?}");
        }
    }
}

#[test]
fn minimal_forms_mean_the_same_and_nothing_in_them_is_idle() {
    let mut total = (0, 0);
    for seed in 0..30_000 {
        let mut random = Random::new(seed);
        let dim = 1 + random.below(7);
        let max = if random.chance(10) { 1 << 20 } else { 6 };
        let (zone, other) = (random.zone(dim, max), random.zone(dim, max));
        let (bounds, others) = (stored(&zone), stored(&other));
        let (view, other_view) = (ZoneRef::from_stored(dim, &bounds), ZoneRef::from_stored(dim, &others));
        let minimal = Minimal::new(view);
        assert!(minimal.to_zone() == zone);
        total = (total.0 + minimal.constraints().len(), total.1 + dim * (dim - 1));
        for skipped in 0..minimal.constraints().len() {
            let mut rest = minimal.constraints().to_vec();
            rest.remove(skipped);
            let mut weaker = Zone::universal(dim);
            assert!(weaker.constrain_all(&rest));
            assert!(weaker != zone, "constraint {skipped} of {minimal:?} follows from the others");
        }
        assert_eq!(minimal.includes(other_view), other_view.is_subset(view));
        let mut words = vec![7];
        minimal.pack(&mut words);
        assert_eq!(Minimal::packed_len(&words[1..]), words.len() - 1);
        assert_eq!(Minimal::unpack(dim, &words[1..]).constraints(), minimal.constraints());
        assert_eq!(Minimal::packed_includes(&words[1..], other_view), other_view.is_subset(view));
    }
    assert!(2 * total.0 < total.1, "less than half of the bounds are needed");
}

#[test]
fn operations_do_to_sets_what_they_do_to_points() {
    let points = grid(2, 2, 5);
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let zone = random.zone(3, 4);
        let twin = Twin::of(&zone);
        let contains = |zone: &Zone, point: &[i64; 2]| zone.contains(point, 4);
        let (mut up, mut down, mut reset, mut free) = (zone.clone(), zone.clone(), zone.clone(), zone.clone());
        up.up();
        down.down();
        reset.reset(1, 2);
        free.free(1);
        for point in &points {
            let at = |delay: i64| [2 * point[0] + delay, 2 * point[1] + delay];
            let here = at(0);
            assert_eq!(contains(&zone, &here), twin.contains(&[0, here[0], here[1]], 4));
            let earlier = (0..=here[0].min(here[1])).any(|delay| contains(&zone, &at(-delay)));
            assert_eq!(contains(&up, &here), earlier);
            assert_eq!(contains(&down, &here), (0..=40).any(|delay| contains(&zone, &at(delay))));
            let some = (0..=60).any(|value| contains(&zone, &[value, here[1]]));
            assert_eq!(contains(&free, &here), some);
            assert_eq!(contains(&reset, &here), some && here[0] == 8);
        }
    }
}
