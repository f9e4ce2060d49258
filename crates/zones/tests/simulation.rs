//! The a≼LU test and the test with diagonal constraints against brute force over sampled points.
//!
//! a≼LU of a zone with integer constants is a union of regions, so the points with denominator `clocks + 1` decide it.

mod twin;

use twin::{Random, Twin, grid, is_simulated, limit, stored};
use zones::{AluTest, Bound, ClockBounds, Constraint, Packed, Zone, ZoneRef};

fn constants(random: &mut Random, clocks: usize, max: i64) -> Vec<i32> {
    (0..clocks).map(|_| if random.chance(15) { ClockBounds::NONE } else { random.between(0, max) as i32 }).collect()
}

/// Constants of the zones; beyond twice of them all points of a zone look alike.
const MAX: i64 = 3;

#[test]
fn alu_inclusion_is_simulation_of_every_point() {
    let points = [grid(1, 2, 2 * MAX + 1), grid(2, 3, 2 * MAX + 1), grid(3, 4, MAX + 1)];
    let (mut covered, mut beyond_plain) = (0, 0);
    let mut test = AluTest::new();
    for seed in 0..6_000 {
        let mut random = Random::new(seed);
        let clocks = if seed % 60 == 0 { 3 } else { 1 + random.below(2) };
        let max = if clocks == 3 { 1 } else { MAX };
        let (zone, other) = (random.zone(clocks + 1, max), random.zone(clocks + 1, max));
        let (lower, upper) = (constants(&mut random, clocks, max), constants(&mut random, clocks, max));
        let bounds = ClockBounds::new(&lower, &upper);
        let (left, right) = (stored(&zone), stored(&other));
        let (left, right) = (ZoneRef::from_stored(clocks + 1, &left), ZoneRef::from_stored(clocks + 1, &right));
        let twin = Twin::of(&other);
        let scale = clocks as i64 + 1;
        let expected = points[clocks - 1]
            .iter()
            .filter(|point| zone.contains(point, scale))
            .all(|point| is_simulated(point, scale, &twin, &lower, &upper, &[]));
        assert_eq!(left.is_subset_alu(right, &bounds), expected, "{zone} in {other}, L {lower:?}, U {upper:?}");
        test.prepare(&zone, &bounds);
        assert_eq!(test.is_covered_by(right), expected, "{zone} in {other}, L {lower:?}, U {upper:?}");
        covered += usize::from(expected);
        beyond_plain += usize::from(expected && !left.is_subset(right));
    }
    assert!(covered > 500 && beyond_plain > 100, "the samples exercise the property: {covered}, {beyond_plain}");
}

#[test]
fn the_prepared_test_is_the_plain_test_in_all_dimensions() {
    let mut test = AluTest::new();
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let dim = 1 + random.below(20);
        let (zone, mut other) = (random.zone(dim, 5), random.zone(dim, 5));
        let (lower, upper) = (constants(&mut random, dim - 1, 5), constants(&mut random, dim - 1, 5));
        let bounds = ClockBounds::new(&lower, &upper);
        if random.chance(50) && dim > 1 {
            // Close to the zone, so that the answer is open.
            other.copy_from(&zone);
            other.extrapolate_lu(&bounds);
            let _ = other.constrain(1 + random.below(dim - 1), 0, random.bound(1, 10));
        }
        let (left, right) = (stored(&zone), stored(&other));
        let (left, right) = (ZoneRef::from_stored(dim, &left), ZoneRef::from_stored(dim, &right));
        test.prepare(&zone, &bounds);
        assert_eq!(test.is_covered_by(right), left.is_subset_alu(right, &bounds));
        let same = bounds.maximal();
        test.prepare(&zone, &same);
        assert_eq!(test.is_covered_by(right), left.is_subset_am(right, &bounds));
        assert!(!left.is_subset(right) || test.is_covered_by(right), "inclusion implies simulation");
    }
}

#[test]
fn packed_zones_compare_as_the_plain_tests_say() {
    let (mut packed, mut restored, mut wide) = (Packed::new(), Zone::zero(1), 0);
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let dim = 1 + random.below(if seed % 100 == 0 { 80 } else { 20 });
        // Some zones have bounds beyond 16 bits.
        let max = if random.chance(20) { 20_000 } else { 5 };
        let (zone, mut other) = (random.zone(dim, max), random.zone(dim, max));
        let (lower, upper) = (constants(&mut random, dim - 1, max), constants(&mut random, dim - 1, max));
        let bounds = ClockBounds::new(&lower, &upper);
        if random.chance(50) && dim > 1 {
            other.copy_from(&zone);
            other.extrapolate_lu(&bounds);
            let _ = other.constrain(1 + random.below(dim - 1), 0, random.bound(1, 2 * max));
        }
        packed.set(&other);
        let kept = packed.units().to_vec();
        restored.unpack(dim, &kept);
        assert!(restored == other && restored.is_valid());
        let (left, right) = (stored(&zone), stored(&other));
        let (left, right) = (ZoneRef::from_stored(dim, &left), ZoneRef::from_stored(dim, &right));
        packed.set(&zone);
        assert_eq!(packed.is_covered_by(&kept, None), left.is_subset(right));
        assert_eq!(packed.covers(&kept, None), right.is_subset(left));
        assert_eq!(packed.is_covered_by(&kept, Some(&bounds)), left.is_subset_alu(right, &bounds));
        assert_eq!(packed.covers(&kept, Some(&bounds)), right.is_subset_alu(left, &bounds));
        wide += usize::from(kept.len() > dim * (dim - 1));
    }
    assert!(wide > 500, "the samples exercise the wide form: {wide}");
}

#[test]
fn simulation_with_diagonals_is_simulation_of_every_point() {
    let points = grid(2, 3, 2 * MAX + 1);
    let mut simulated = 0;
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let (zone, other) = (random.zone(3, MAX), random.zone(3, MAX));
        let (lower, upper) = (constants(&mut random, 2, MAX), constants(&mut random, 2, MAX));
        let diagonals: Vec<Constraint> =
            (0..random.below(3)).map(|k| Constraint::new(1 + k % 2, 2 - k % 2, random.bound(-2, 2))).collect();
        let limits: Vec<_> = diagonals.iter().map(|c| (c.left as usize, c.right as usize, limit(c.bound))).collect();
        let twin = Twin::of(&other);
        let expected = points
            .iter()
            .filter(|point| zone.contains(point, 3))
            .all(|point| is_simulated(point, 3, &twin, &lower, &upper, &limits));
        let bounds = ClockBounds::new(&lower, &upper);
        assert_eq!(zone.is_simulated_by(&other, &bounds, &diagonals), expected, "{zone} by {other}, {diagonals:?}");
        simulated += usize::from(expected);
    }
    assert!(simulated > 100, "the samples exercise the property: {simulated}");
}

#[test]
fn splitting_decides_every_diagonal_and_keeps_every_point() {
    let points = grid(3, 2, 4);
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let zone = random.zone(4, 4);
        let diagonals: Vec<Constraint> = (0..random.below(4))
            .map(|_| (1 + random.below(3), 1 + random.below(3), random.bound(-2, 2)))
            .filter(|(i, j, _)| i != j)
            .map(|(i, j, bound)| Constraint::new(i, j, bound))
            .collect();
        let parts = zone.clone().split(&diagonals);
        for part in &parts {
            assert!(part.is_valid());
            assert!(diagonals.iter().all(|&diagonal| part.implies(diagonal) || !part.admits(diagonal)));
        }
        for point in &points {
            let found = parts.iter().filter(|part| part.contains(point, 2)).count();
            assert_eq!(found, usize::from(zone.contains(point, 2)), "each point in exactly one part");
        }
    }
}

#[test]
fn a_clock_without_bounds_is_ignored() {
    let mut zone = zones::Zone::zero(2);
    assert!(zone.constrain(1, 0, Bound::le(0)));
    let mut later = zones::Zone::universal(2);
    assert!(later.constrain(0, 1, Bound::le(-7)));
    let (left, right) = (stored(&zone), stored(&later));
    let (left, right) = (ZoneRef::from_stored(2, &left), ZoneRef::from_stored(2, &right));
    let none = ClockBounds::same(&[ClockBounds::NONE]);
    assert!(left.is_subset_alu(right, &none) && right.is_subset_alu(left, &none));
    assert!(!left.is_subset_alu(right, &ClockBounds::same(&[9])));
}
