//! The store with synthetic states: a discrete part of 32 bytes and a payload of 400 bytes (a zone of ten
//! clocks as `i32`). Inserting states that are new, that are covered, and that cover; the memory per state is
//! printed first.

use divan::counter::ItemsCount;
use search::random::Random;
use search::store::Store;
use search::system::{Covering, Relation, TransitionSystem, Visit, VisitInitial};
use std::convert::Infallible;
use std::hint::black_box;

const UNITS: usize = 100;
const STATES: u64 = 200_000;

struct Synthetic;

#[derive(Clone)]
struct Point {
    key: [u64; 4],
    units: [i32; UNITS],
}

impl Default for Point {
    fn default() -> Self {
        Self { key: [0; 4], units: [0; UNITS] }
    }
}

impl TransitionSystem for Synthetic {
    type State = Point;
    type Label = u64;
    type Scratch = ();
    type Error = Infallible;

    fn initial(&self, (): &mut (), _: &mut VisitInitial<'_, Self>) -> Result<(), Infallible> {
        Ok(())
    }

    fn successors(&self, (): &mut (), _: &Point, _: &mut Visit<'_, Self>) -> Result<(), Infallible> {
        Ok(())
    }
}

impl Covering for Synthetic {
    type Unit = i32;

    fn key_words(&self) -> usize {
        4
    }

    fn key(&self, state: &Point, words: &mut [u64]) {
        words.copy_from_slice(&state.key);
    }

    fn pack(&self, state: &Point, units: &mut Vec<i32>) {
        units.extend_from_slice(&state.units);
    }

    fn unpack(&self, key: &[u64], payload: &[i32], state: &mut Point) {
        state.key.copy_from_slice(key);
        state.units.copy_from_slice(payload);
    }

    fn relate(&self, stored: &[i32], new: &Point) -> Relation {
        let (mut covers, mut covered) = (true, true);
        for (old, new) in stored.chunks(20).zip(new.units.chunks(20)) {
            covers &= old.iter().zip(new).fold(true, |all, (old, new)| all & (old >= new));
            covered &= old.iter().zip(new).fold(true, |all, (old, new)| all & (old <= new));
            if !covers && !covered {
                return Relation::Neither;
            }
        }
        if covers { Relation::Covers } else { Relation::Covered }
    }
}

/// State number `n`, `per_key` of them sharing a key; those of one key are incomparable.
fn point(n: u64, per_key: u64) -> Point {
    let key = Random::new(n / per_key).next_u64();
    let mut point = Point { key: [key, n / per_key, 0, 1], ..Point::default() };
    let place = (n % per_key) as i32;
    point.units.fill(100);
    point.units[3] = place;
    point.units[77] = -place;
    point
}

fn filled(per_key: u64) -> Store<i32> {
    let mut store = Store::new(&Synthetic);
    for n in 0..STATES {
        store.insert(&Synthetic, &point(n, per_key));
    }
    store
}

/// New states, `per_key` of them under each key.
#[divan::bench(args = [1, 10, 100], sample_count = 5, sample_size = 1)]
fn insert_new(bencher: divan::Bencher<'_, '_>, per_key: u64) {
    bencher.counter(ItemsCount::new(STATES)).bench(|| filled(black_box(per_key)));
}

/// States that a stored one covers.
#[divan::bench(args = [1, 10, 100], sample_count = 5, sample_size = 1)]
fn insert_covered(bencher: divan::Bencher<'_, '_>, per_key: u64) {
    let mut store = filled(per_key);
    bencher.counter(ItemsCount::new(STATES)).bench_local(|| {
        for n in 0..STATES {
            let mut point = point(n, per_key);
            point.units[50] -= 1;
            black_box(store.insert(&Synthetic, &point));
        }
    });
}

/// States that cover the one stored, whose room they take.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn insert_covering(bencher: divan::Bencher<'_, '_>) {
    let mut store = filled(1);
    let mut round = 0;
    bencher.counter(ItemsCount::new(STATES)).bench_local(|| {
        round += 1;
        for n in 0..STATES {
            let mut point = point(n, 1);
            point.units[50] += round;
            black_box(store.insert(&Synthetic, &point));
        }
    });
}

fn main() {
    for per_key in [1, 10, 100] {
        let store = filled(per_key);
        let beyond = (store.bytes() - store.payload_bytes()) as f64 / STATES as f64;
        let payload = store.payload_bytes() as f64 / STATES as f64;
        println!(
            "{per_key:>3} states a key: {beyond:.1} bytes a state beyond its payload, {payload:.1} for the payload"
        );
    }
    divan::main();
}
