//! Every operation against its textbook form, at 4, 8, 20 and 37 clocks, and the step of a search as a whole.
//!
//! `cargo bench -p zonewalk-zones` prints both; `textbook` is Floyd and Warshall after every change, over the same encoded bounds.

mod textbook;

use divan::{Bencher, black_box};
use textbook::Textbook;
use zones::{AluTest, Bound, ClockBounds, Constraint, Minimal, Source, Zone, ZoneRef};

const CLOCKS: [usize; 6] = [4, 8, 10, 12, 20, 37];

fn main() {
    for clocks in CLOCKS {
        assert!(Minimal::new(ZoneRef::from_stored(clocks + 1, &stored(&sample(clocks)))).constraints().len() > clocks);
    }
    divan::main();
}

/// A zone as a search meets it: the clocks were reset one after the other, some time apart, and have upper bounds.
/// 7 and 11 have no factor in common with the numbers of clocks, so every clock has its turn.
fn sample(clocks: usize) -> Zone {
    let mut zone = Zone::zero(clocks + 1);
    for k in 0..2 * clocks {
        let clock = 1 + k * 7 % clocks;
        assert!(zone.delay_within(&[Constraint::upper(clock, Bound::le(60 + clock as i32))]));
        let _ = zone.constrain(0, clock, Bound::le(-(k as i32 % 5)));
        zone.reset(1 + (k * 11 + 1) % clocks, 0);
    }
    zone.up();
    zone
}

fn stored(zone: &Zone) -> Vec<Bound> {
    let mut bounds = Vec::new();
    zone.store(&mut bounds);
    bounds
}

fn clock_bounds(clocks: usize) -> ClockBounds {
    let constants: Vec<i32> = (0..clocks as i32).map(|clock| 10 + clock).collect();
    ClockBounds::new(&constants, &constants.iter().rev().copied().collect::<Vec<i32>>())
}

/// Runs `operation` on a fresh copy each time; the copy is part of the measure, as it is in a search.
fn on_copies(bencher: Bencher, clocks: usize, mut operation: impl FnMut(&mut Zone)) {
    let bounds = stored(&sample(clocks));
    let mut zone = Zone::zero(clocks + 1);
    bencher.bench_local(|| {
        zone.load(ZoneRef::from_stored(clocks + 1, black_box(&bounds)));
        operation(&mut zone);
        black_box(zone.at(0, 0))
    });
}

fn on_textbook(bencher: Bencher, clocks: usize, mut operation: impl FnMut(&mut Textbook)) {
    let start = Textbook::new(clocks + 1, stored(&sample(clocks)));
    let mut zone = start.clone();
    bencher.bench_local(|| {
        zone.clone_from(black_box(&start));
        operation(&mut zone);
        black_box(zone.at(0, 0))
    });
}

/// A guard, an assignment and an invariant that change something.
fn edge(clocks: usize) -> (Constraint, usize, [Constraint; 2]) {
    let invariants = [Constraint::upper(1, Bound::le(50)), Constraint::upper(clocks, Bound::le(80))];
    (Constraint::at_least(clocks / 2, 30), clocks, invariants)
}

macro_rules! pairs {
    ($($name:ident: $own:expr, $textbook:expr;)*) => {
        $(mod $name {
            use super::*;

            #[divan::bench(args = CLOCKS)]
            fn own(bencher: Bencher, clocks: usize) {
                let _ = clocks;
                #[allow(clippy::redundant_closure_call)]
                on_copies(bencher, clocks, $own(clocks));
            }

            #[divan::bench(args = CLOCKS)]
            fn textbook(bencher: Bencher, clocks: usize) {
                #[allow(clippy::redundant_closure_call)]
                on_textbook(bencher, clocks, $textbook(clocks));
            }
        })*
    };
}

pairs! {
    copy: |_| |_: &mut Zone| {}, |_| |_: &mut Textbook| {};
    constrain_lower: |clocks| move |zone: &mut Zone| assert!(zone.constrain(0, clocks / 2, Bound::le(-30))),
        |clocks| move |zone: &mut Textbook| assert!(zone.constrain(0, clocks / 2, Bound::le(-30)));
    constrain_upper: |clocks| move |zone: &mut Zone| assert!(zone.constrain(clocks / 2, 0, Bound::le(50))),
        |clocks| move |zone: &mut Textbook| assert!(zone.constrain(clocks / 2, 0, Bound::le(50)));
    up: |_| |zone: &mut Zone| zone.up(), |_| |zone: &mut Textbook| zone.up();
    down: |_| |zone: &mut Zone| zone.down(), |_| |zone: &mut Textbook| zone.down();
    reset: |clocks| move |zone: &mut Zone| zone.reset(clocks, 0), |clocks| move |zone: &mut Textbook| zone.reset(clocks, 0);
    free: |clocks| move |zone: &mut Zone| zone.free(clocks), |clocks| move |zone: &mut Textbook| zone.free(clocks);
    delay_within: |clocks| move |zone: &mut Zone| assert!(zone.delay_within(&edge(clocks).2)),
        |clocks| move |zone: &mut Textbook| zone.delay_within(&edge(clocks).2);
    remap: |clocks: usize| {
            let sources: Vec<Source> = (1..=clocks as u32)
                .map(|clock| if clock == 2 { Source::Value(0) } else { Source::Keep(clock) })
                .collect();
            move |zone: &mut Zone| zone.remap(&sources)
        },
        |_| move |zone: &mut Textbook| zone.reset(2, 0);
    select_all_but_two:
        |clocks: usize| { let kept: Vec<usize> = (3..=clocks).collect(); move |zone: &mut Zone| zone.select(&kept) },
        |clocks: usize| move |zone: &mut Textbook| { zone.free(1); zone.free(clocks); };
    extrapolate_lu: |clocks| { let bounds = clock_bounds(clocks); move |zone: &mut Zone| zone.extrapolate_lu(&bounds) },
        |clocks| { let bounds = clock_bounds(clocks); move |zone: &mut Textbook| zone.extrapolate_lu(&bounds) };
    extrapolate_lu_plus:
        |clocks| { let bounds = clock_bounds(clocks); move |zone: &mut Zone| zone.extrapolate_lu_plus(&bounds) },
        |clocks| { let bounds = clock_bounds(clocks); move |zone: &mut Textbook| zone.extrapolate_lu_plus(&bounds) };
    intersect:
        |clocks| {
            let mut other = sample(clocks);
            for clock in 1..=clocks.min(4) {
                assert!(other.constrain(clock, 0, Bound::le(60 + clock as i32)));
            }
            let other = stored(&other);
            move |zone: &mut Zone| assert!(zone.intersect(ZoneRef::from_stored(clocks + 1, &other)))
        },
        |clocks| {
            let mut other = sample(clocks);
            for clock in 1..=clocks.min(4) {
                assert!(other.constrain(clock, 0, Bound::le(60 + clock as i32)));
            }
            let other = stored(&other);
            move |zone: &mut Textbook| assert!(zone.intersect(&other))
        };
    step_alu:
        |clocks| {
            let (guard, reset, invariants) = edge(clocks);
            let bounds = clock_bounds(clocks);
            let others = textbook::candidates(&sample(clocks));
            let (mut tail, mut test) = (Vec::new(), AluTest::new());
            move |zone: &mut Zone| {
                assert!(zone.constrain_all(&[guard]));
                zone.reset(reset, 0);
                assert!(zone.delay_within(&invariants));
                tail.clear();
                zone.store(&mut tail);
                test.prepare(zone, &bounds);
                let covered = |other: &Vec<Bound>| test.is_covered_by(ZoneRef::from_stored(clocks + 1, other));
                black_box(others.iter().any(covered));
            }
        },
        |clocks| {
            let (guard, reset, invariants) = edge(clocks);
            let bounds = clock_bounds(clocks);
            let others = textbook::candidates(&sample(clocks));
            move |zone: &mut Textbook| {
                assert!(zone.constrain(guard.left as usize, guard.right as usize, guard.bound));
                zone.reset(reset, 0);
                zone.delay_within(&invariants);
                black_box(others.iter().any(|other| zone.is_subset_alu(other, &bounds)));
            }
        };
    step_extrapolate_lu_plus:
        |clocks| {
            let (guard, reset, invariants) = edge(clocks);
            let bounds = clock_bounds(clocks);
            move |zone: &mut Zone| {
                assert!(zone.constrain_all(&[guard]));
                zone.reset(reset, 0);
                assert!(zone.delay_within(&invariants));
                zone.extrapolate_lu_plus(&bounds);
            }
        },
        |clocks| {
            let (guard, reset, invariants) = edge(clocks);
            let bounds = clock_bounds(clocks);
            move |zone: &mut Textbook| {
                assert!(zone.constrain(guard.left as usize, guard.right as usize, guard.bound));
                zone.reset(reset, 0);
                zone.delay_within(&invariants);
                zone.extrapolate_lu_plus(&bounds);
            }
        };
    minimal:
        |clocks| { let bounds = stored(&sample(clocks));
            move |_: &mut Zone| { black_box(Minimal::new(ZoneRef::from_stored(clocks + 1, &bounds))); } },
        |_| |zone: &mut Textbook| { black_box(zone.close()); };
}

mod include {
    use super::*;

    /// Inclusion that holds, so that nothing is skipped.
    #[divan::bench(args = CLOCKS)]
    fn own(bencher: Bencher, clocks: usize) {
        let bounds = stored(&sample(clocks));
        let copy = bounds.clone();
        bencher.bench_local(|| {
            let stored = ZoneRef::from_stored(clocks + 1, black_box(&bounds));
            black_box(stored.is_subset(ZoneRef::from_stored(clocks + 1, black_box(&copy))))
        });
    }

    #[divan::bench(args = CLOCKS)]
    fn textbook(bencher: Bencher, clocks: usize) {
        let bounds = stored(&sample(clocks));
        let copy = bounds.clone();
        bencher.bench_local(|| black_box(&bounds).iter().zip(black_box(&copy)).all(|(a, b)| a <= b));
    }
}

mod include_alu {
    use super::*;

    /// One prepared zone against a stored one that covers it.
    #[divan::bench(args = CLOCKS)]
    fn own(bencher: Bencher, clocks: usize) {
        let bounds = stored(&sample(clocks));
        let mut test = AluTest::new();
        test.prepare(&sample(clocks), &clock_bounds(clocks));
        bencher.bench_local(|| black_box(test.is_covered_by(ZoneRef::from_stored(clocks + 1, black_box(&bounds)))));
    }

    #[divan::bench(args = CLOCKS)]
    fn textbook(bencher: Bencher, clocks: usize) {
        let bounds = stored(&sample(clocks));
        let (zone, constants) = (Textbook::new(clocks + 1, bounds.clone()), clock_bounds(clocks));
        bencher.bench_local(|| black_box(zone.is_subset_alu(black_box(&bounds), &constants)));
    }
}
