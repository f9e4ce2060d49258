//! Timed I/O systems, asked in many ways: explicit games, laws of the theory, walks. All from fixed seeds.

mod ask;
mod draft;
mod explicit;
mod laws;
mod quotient_laws;
#[path = "../common/side_by_side.rs"]
mod side_by_side;
mod walks;

use crate::ask::Asked;
use crate::draft::{Bounds, Component, I, O, P, Q, component, text, variant};
use crate::explicit::{Time, refines};
use engine::options::Options;
use model::load::load_bytes;
use search::random::Random;
use side_by_side::side_by_side;
use walk::delay::DelayChoice;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

/// Orders of the search that see every state, and those that do not.
const COMPLETE: [&str; 5] = ["dfs", "rdfs", "rank", "dive", "drs"];
const PARTIAL: [&str; 3] = ["random", "highway", "highway-approx"];

/// The proof, by simulation, by a relation and in every order, says what an explicit game over regions says, and for systems
/// without strict bounds what the one in whole steps says. Walks find nothing where the proof holds, and nearly always something
/// where it fails. `ZONEWALK_GAMES` systems are drawn, 400 unless told otherwise.
#[test]
fn explicit_games_and_walks_agree_with_the_proof() {
    let games = number("ZONEWALK_GAMES", 400);
    let counted = side_by_side(0..games, |seed| {
        let [mut held, mut failed, mut found, mut stepped, mut skipped] = [0u64; 5];
        let mut random = Random::new(seed);
        let bounds = if seed % 3 == 0 { Bounds::Closed } else { Bounds::Any };
        let a = component("A", &[I], &[O, Q], bounds, &mut random);
        let b = component("B", &[O], &[P], bounds, &mut random);
        let c = variant(&a, "C", bounds, &mut random);
        let d = variant(&b, "D", bounds, &mut random);
        let e = component("E", &[I], &[O, Q], bounds, &mut random);
        let text = text(&[&a, &b, &c, &d, &e]);
        let mut asked = Asked::new(load_bytes("systems.xta", text.as_bytes(), &[]), &text);
        let cases: [(&str, &[&Component], &str, &[&Component]); 7] = [
            ("A", &[&a], "C", &[&c]),
            ("C", &[&c], "A", &[&a]),
            ("B", &[&b], "D", &[&d]),
            ("A", &[&a], "E", &[&e]),
            ("A && E", &[&a, &e], "C", &[&c]),
            ("A", &[&a], "C && E", &[&c, &e]),
            ("A || B", &[&a, &b], "C || D", &[&c, &d]),
        ];
        for (left, lefts, right, rights) in cases {
            let clocks: usize = lefts.iter().chain(rights).map(|one| one.clocks).sum();
            let Some(proved) = asked.refines(left, right) else { continue };
            let fail = |what: &str, holds: bool| {
                panic!("seed {seed}: {left} <= {right}: {proved} by the proof, {holds} by {what}\n{text}")
            };
            let related = asked.has_relation(left, right);
            if related != proved {
                fail("a relation", related);
            }
            let complete = COMPLETE[seed as usize % COMPLETE.len()];
            if asked.refines_by(left, right, complete, seed) != Some(proved) {
                fail(complete, !proved);
            }
            let partial = PARTIAL[seed as usize % PARTIAL.len()];
            if asked.refines_by(left, right, partial, seed).is_some_and(|found| found || proved) {
                fail(partial, !proved);
            }
            // More clocks have too many regions.
            if clocks <= 4 {
                let explicit = refines(lefts, rights, Time::Regions);
                if explicit != proved {
                    fail("regions", explicit);
                }
            } else {
                skipped += 1;
            }
            if bounds == Bounds::Closed {
                stepped += 1;
                let explicit = refines(lefts, rights, Time::Steps);
                if explicit != proved {
                    fail("whole steps", explicit);
                }
            }
            let search = if seed % 2 == 0 { "rcf" } else { "ret" }.parse().expect("a search");
            let options = Options {
                search,
                walks: Some(300),
                max_depth: Some(30),
                threads: Some(1),
                delays: DelayChoice::Predefined,
                ..Options::default()
            };
            let by_walks = asked.walks_find(left, right, &options);
            match proved {
                true if by_walks => fail("walks", false),
                true => held += 1,
                false => {
                    failed += 1;
                    found += u64::from(by_walks);
                }
            }
        }
        [held, failed, found, stepped, skipped]
    });
    let sum = |n: usize| counted.iter().map(|counts| counts[n]).sum::<u64>();
    let (held, failed, found, stepped, skipped) = (sum(0), sum(1), sum(2), sum(3), sum(4));
    eprintln!(
        "{held} hold, {failed} fail, walks found {found} of these; {stepped} also in whole steps; {skipped} without regions"
    );
    assert!(held > games && failed > games);
    assert!(found * 100 >= failed * 97, "walks found {found} of {failed}");
}
