//! Extrapolations against their definitions, and as abstractions: nothing is lost, and what is gained is simulated.

mod twin;

use twin::{Limit, Random, Twin, grid, is_simulated, tighter};
use zones::{ClockBounds, Zone};

type Constants = [i32];

fn constants(random: &mut Random, clocks: usize, max: i64) -> Vec<i32> {
    (0..clocks).map(|_| if random.chance(20) { ClockBounds::NONE } else { random.between(0, max) as i32 }).collect()
}

/// The constant of a clock, nothing for minus infinity; the reference clock has 0.
fn of(constants: &Constants, clock: usize) -> Option<i64> {
    let constant = if clock == 0 { 0 } else { constants[clock - 1] };
    (constant != ClockBounds::NONE).then_some(constant.into())
}

/// `value > constant`, true for minus infinity.
fn beyond(value: i64, constant: Option<i64>) -> bool {
    constant.is_none_or(|constant| value > constant)
}

/// `(<, -U(j))`, or no more than that clocks are not negative.
fn lowered(i: usize, upper: Option<i64>) -> Limit {
    match (upper, i) {
        (Some(constant), _) => Some((-constant, false)),
        (None, 0) => Some((0, true)),
        (None, _) => None,
    }
}

/// Extra_LU by its definition.
fn extra_lu(zone: &Twin, lower: &Constants, upper: &Constants) -> Twin {
    let mut result = zone.clone();
    for i in 0..zone.dim {
        for j in (0..zone.dim).filter(|&j| j != i) {
            let Some((c, _)) = zone.at(i, j) else { continue };
            if beyond(c, of(lower, i)) {
                result.set(i, j, None);
            } else if beyond(-c, of(upper, j)) {
                result.set(i, j, lowered(i, of(upper, j)));
            }
        }
    }
    assert!(result.close());
    result
}

/// Extra⁺_LU by its definition.
fn extra_lu_plus(zone: &Twin, lower: &Constants, upper: &Constants) -> Twin {
    let mut result = zone.clone();
    let first = |clock: usize| zone.at(0, clock).unwrap().0;
    for i in 0..zone.dim {
        for j in (0..zone.dim).filter(|&j| j != i) {
            let Some((c, _)) = zone.at(i, j) else { continue };
            let far = i != 0 && (beyond(-first(i), of(lower, i)) || beyond(-first(j), of(upper, j)));
            if beyond(c, of(lower, i)) || far {
                result.set(i, j, None);
            } else if i == 0 && beyond(-first(j), of(upper, j)) {
                result.set(i, j, lowered(i, of(upper, j)));
            }
        }
    }
    assert!(result.close());
    result
}

#[test]
fn extrapolations_follow_their_definitions_and_lose_nothing() {
    for seed in 0..60_000 {
        let mut random = Random::new(seed);
        let dim = if seed % 50 == 0 { 9 + random.below(20) } else { 1 + random.below(6) };
        let zone = random.zone(dim, 8);
        let (lower, upper) = (constants(&mut random, dim - 1, 8), constants(&mut random, dim - 1, 8));
        let maximal: Vec<i32> = lower.iter().zip(&upper).map(|(&l, &u)| l.max(u)).collect();
        let bounds = ClockBounds::new(&lower, &upper);
        let twin = Twin::of(&zone);
        let check = |extrapolate: fn(&mut Zone, &ClockBounds), expected: Twin| {
            let mut result = zone.clone();
            extrapolate(&mut result, &bounds);
            assert_eq!(Twin::of(&result), expected, "of {zone} with L {lower:?}, U {upper:?}");
            assert!(result.is_valid());
            assert!(zone.is_subset(&result));
            result
        };
        let lu = check(Zone::extrapolate_lu, extra_lu(&twin, &lower, &upper));
        let lu_plus = check(Zone::extrapolate_lu_plus, extra_lu_plus(&twin, &lower, &upper));
        let m = check(Zone::extrapolate_m, extra_lu(&twin, &maximal, &maximal));
        let m_plus = check(Zone::extrapolate_m_plus, extra_lu_plus(&twin, &maximal, &maximal));
        assert!(m.is_subset(&m_plus) && m.is_subset(&lu) && lu.is_subset(&lu_plus) && m_plus.is_subset(&lu_plus));
    }
}

#[test]
fn what_extrapolation_adds_is_simulated_by_the_zone() {
    let points = [grid(1, 2, 7), grid(2, 3, 7)];
    let mut gained = 0;
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let clocks = 1 + random.below(2);
        let zone = random.zone(clocks + 1, 6);
        let (lower, upper) = (constants(&mut random, clocks, 4), constants(&mut random, clocks, 4));
        let maximal: Vec<i32> = lower.iter().zip(&upper).map(|(&l, &u)| l.max(u)).collect();
        let bounds = ClockBounds::new(&lower, &upper);
        let twin = Twin::of(&zone);
        let scale = clocks as i64 + 1;
        let (mut lu, mut m) = (zone.clone(), zone.clone());
        lu.extrapolate_lu_plus(&bounds);
        m.extrapolate_m_plus(&bounds);
        for point in &points[clocks - 1] {
            if lu.contains(point, scale) && !zone.contains(point, scale) {
                gained += 1;
                assert!(is_simulated(point, scale, &twin, &lower, &upper, &[]), "{point:?} of {lu}, not from {zone}");
            }
            if m.contains(point, scale) && !zone.contains(point, scale) {
                assert!(is_simulated(point, scale, &twin, &maximal, &maximal, &[]), "{point:?} of {m} from {zone}");
            }
        }
    }
    assert!(gained > 10_000, "the samples exercise the property");
}

#[test]
fn the_order_of_limits_is_tightness() {
    assert!(tighter(Some((1, false)), Some((1, true))) && tighter(Some((1, true)), None));
}
