//! Constants at the limits: exact as long as bounds are admissible, noticed when they are not.

mod twin;

use twin::{Random, Twin};
use zones::{Bound, Constraint, Source, Zone};

const MAX: i32 = Bound::MAX_CONSTANT;

#[test]
fn sequences_with_huge_constants_are_exact_or_marked() {
    let (mut exact, mut marked) = (0, 0);
    for seed in 0..30_000 {
        let mut random = Random::new(seed);
        let dim = 2 + random.below(if seed % 10 == 0 { 50 } else { 6 });
        let max = i64::from([MAX, MAX / 2, MAX / 4][random.below(3)]);
        let mut zone = if random.chance(50) { Zone::zero(dim) } else { Zone::universal(dim) };
        let mut twin = Twin::of(&zone);
        for _ in 0..if dim > 8 { 4 } else { 12 } {
            let clock = 1 + random.below(dim - 1);
            let other = random.below(dim);
            let near = |random: &mut Random| (max - random.between(0, 2)) as i32;
            match random.below(7) {
                0 => {
                    zone.up();
                    twin.up();
                }
                1 => {
                    let value = near(&mut random);
                    zone.reset(clock, value);
                    twin.reset(clock, value.into());
                }
                2 => {
                    let offset = near(&mut random) * if random.chance(50) { 1 } else { -1 };
                    let (left, expected) =
                        (zone.copy_sum(clock, other, offset), twin.copy_sum(clock, other, offset.into()));
                    assert_eq!(left, expected);
                    if !left {
                        break;
                    }
                }
                3 => {
                    let value = near(&mut random);
                    let invariant = Constraint::upper(clock, Bound::le(value));
                    let left = zone.delay_within(&[invariant]);
                    assert_eq!(left, twin.constrain(clock, 0, Some((value.into(), true))));
                    if !left {
                        break;
                    }
                    twin.up();
                    assert!(twin.constrain(clock, 0, Some((value.into(), true))));
                }
                _ => {
                    let constant = near(&mut random) * if random.chance(50) { 1 } else { -1 };
                    let bound = if random.chance(50) { Bound::le(constant) } else { Bound::lt(constant) };
                    let left = zone.constrain(clock, other, bound);
                    assert_eq!(left, twin.constrain(clock, other, twin::limit(bound)));
                    if !left {
                        break;
                    }
                }
            }
            let admissible = twin.limits.iter().flatten().all(|&(c, _)| Bound::is_admissible(c));
            if !admissible {
                assert!(zone.overflowed(), "{twin:?} cannot be represented");
            }
            if zone.overflowed() {
                assert!(!admissible, "{twin:?} can be represented");
                marked += 1;
                break;
            }
            assert_eq!(Twin::of(&zone), twin);
            exact += 1;
        }
    }
    assert!(exact > 10_000 && marked > 1_000, "both happen: {exact}, {marked}");
}

#[test]
fn an_overflow_is_remembered_until_cleared_and_only_adds_valuations() {
    let mut zone = Zone::universal(4);
    assert!(zone.constrain(1, 2, Bound::le(MAX)) && !zone.overflowed());
    assert!(zone.constrain(2, 3, Bound::le(MAX)));
    assert!(zone.overflowed());
    assert!(zone.at(1, 3).is_infinite(), "2^29 is no constant, so nothing is said");
    zone.set_zero(4);
    assert!(zone.overflowed());
    zone.clear_overflow();
    assert!(!zone.overflowed());
}

#[test]
fn values_at_the_limit_can_be_assigned() {
    let mut zone = Zone::zero(2);
    zone.reset(1, MAX);
    zone.insert(Source::Value(MAX));
    zone.remap(&[Source::Keep(2), Source::Value(0), Source::Keep(1)]);
    assert_eq!((zone.at(1, 2), zone.at(2, 1)), (Bound::le(MAX), Bound::le(-MAX)));
    assert!(zone.is_valid() && !zone.overflowed());
    assert!(!zone.shift(2, -1), "clocks are not negative");
    assert!(zone.shift(1, 1) && zone.overflowed());
}

#[test]
#[should_panic(expected = "strictly between")]
fn inadmissible_constants_are_refused() {
    let _ = Bound::le(MAX + 1);
}
