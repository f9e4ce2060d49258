//! Strategies and delays have the distributions they claim, on models where these can be computed by hand. Seeds are
//! fixed; a limit that a right implementation exceeds once in a thousand seeds is not exceeded by these.

use model::load::load_bytes;
use model::network::Network;
use search::random::Random;
use semantics::concrete::{System, UNIT, Window};
use semantics::structure::Structure;
use std::collections::BTreeMap;
use walk::delay::{CYCLE, DelayChoice, Delays, Distribution, STRETCHES};
use walk::strategy::{Chooser, Strategy};
use walk::tables::{Tables, prepare};
use walk::walker::Walker;

const DRAWS: u64 = 20_000;

/// The value that chi-square with so many degrees of freedom exceeds once in a thousand times (Wilson, Hilferty 1931).
fn limit(freedom: usize) -> f64 {
    let n = freedom as f64;
    let part = 2.0 / (9.0 * n);
    n * (1.0 - part + 3.0902 * part.sqrt()).powi(3)
}

/// Counts against probabilities; what has probability 0 must not happen.
fn fits<K: Ord + std::fmt::Debug>(counts: &BTreeMap<K, u64>, expected: &BTreeMap<K, f64>, what: &str) {
    let total: u64 = counts.values().sum();
    assert!(counts.keys().all(|key| expected.contains_key(key)), "{what}: {counts:?}, expected {expected:?}");
    let chi: f64 = expected
        .iter()
        .map(|(key, probability)| {
            let (count, wanted) = (*counts.get(key).unwrap_or(&0) as f64, probability * total as f64);
            (count - wanted).powi(2) / wanted
        })
        .sum();
    assert!(chi < limit((expected.len() - 1).max(1)), "{what}: chi-square {chi:.1}, {counts:?}, {expected:?}");
}

fn with_network<R>(text: &str, work: impl FnOnce(&Network) -> R) -> R {
    let loaded = load_bytes("m.xta", text.as_bytes(), &[]);
    let Some(model) = loaded.model else { panic!("{:?}\n{text}", loaded.diagnostics) };
    work(model.network())
}

/// The edges of the first step, many times over: a transition is named by its processes and edges.
fn first_steps(network: &Network, strategy: Strategy, draws: u64) -> BTreeMap<Vec<(u32, u32)>, u64> {
    let mut structure = Structure::new(network);
    let preparation = prepare(&mut structure);
    let tables = Tables::new(&structure, &preparation, 0).expect("small");
    let mut walker = Walker::new(&tables).expect("no error").expect("invariants hold");
    let mut chooser = Chooser::new(strategy, &walker);
    let mut counts = BTreeMap::new();
    for draw in 0..draws {
        let mut random = Random::of_run(11, draw);
        walker.restart();
        chooser.begin();
        let drawn = chooser.choose(&mut walker, &mut Distribution { earliest: 50, latest: 50 }.into(), &mut random);
        drawn.expect("no error").expect("something is possible");
        *counts.entry(walker.moves().iter().map(|one| (one.process, one.expanded)).collect()).or_default() += 1;
    }
    counts
}

/// Senders with one, two and many receivers, internal edges, selects, gates, guards that hold later or never.
const CROWD: &str = "chan a, b; broadcast chan c; clock x; int id;
    process S1() { state A; init A; trans A -> A { sync a!; }, A -> A { guard x >= 3; }; }
    process S2() { state A { x <= 5 }; init A;
    trans A -> A { guard x <= 1; sync b!; }, A -> A { guard x > 7; sync b!; }; }
    process S3() { state A, B; init A; trans A -> B { select i : int[0,6]; guard i >= 2; }, B -> A { sync b!; }; }
    process Q(const int n) { state A, B; init A;
    trans A -> B { guard id == n; }, A -> A { sync a?; }, A -> B { sync b?; }, A -> A { guard n > 4; sync b?; },
    B -> A { sync c!; }, A -> A { sync c!; }, A -> B { sync c?; }; }
    Q0 = Q(0); Q1 = Q(1); Q2 = Q(2); Q3 = Q(3); Q4 = Q(4); Q5 = Q(5); Q6 = Q(6); Q7 = Q(7); Q8 = Q(0);
    system S1, S2, S3, Q0, Q1, Q2, Q3, Q4, Q5, Q6, Q7, Q8;";

/// Every transition that the semantics from scratch allows is equally likely.
#[test]
fn ret_is_uniform() {
    for text in [CROWD, FIGURE_1] {
        with_network(text, |network| {
            let structure = Structure::new(network);
            let mut system = System::new(&structure);
            let initial = system.initial().expect("no error").expect("invariants hold");
            let all = system.candidates(&initial).expect("no error");
            let share = 1.0 / all.len() as f64;
            let name = |one: &semantics::concrete::Candidate| {
                one.moves.iter().map(|part| (part.process, part.expanded)).collect::<Vec<_>>()
            };
            let expected = all.iter().map(|one| (name(one), share)).collect();
            fits(&first_steps(network, Strategy::Ret, 3 * DRAWS), &expected, "ret");
        });
    }
}

/// A channel first, then what happens on it.
#[test]
fn rcf_takes_channels_alike() {
    with_network(CROWD, |network| {
        let structure = Structure::new(network);
        let mut system = System::new(&structure);
        let initial = system.initial().expect("no error").expect("invariants hold");
        let all = system.candidates(&initial).expect("no error");
        let channel = |one: &semantics::concrete::Candidate| {
            let first = one.moves[0];
            structure.known_channel(first.process as usize, first.expanded)
        };
        let mut channels: BTreeMap<Option<u32>, f64> = BTreeMap::new();
        all.iter().for_each(|one| *channels.entry(channel(one)).or_default() += 1.0);
        let share = 1.0 / channels.len() as f64;
        let expected = all
            .iter()
            .map(|one| {
                let name = one.moves.iter().map(|part| (part.process, part.expanded)).collect::<Vec<_>>();
                (name, share / channels[&channel(one)])
            })
            .collect();
        fits(&first_steps(network, Strategy::Rcf, 3 * DRAWS), &expected, "rcf");
    });
}

/// Figure 1 of "Randomized Reachability Analysis in Uppaal": a loop that is open from 901 to 1000, a way to the goal that
/// is open from 0 to 1.
const FIGURE_1: &str = "clock x;
    process P() { state Init { x <= 1000 }, Goal; init Init;
    trans Init -> Goal { guard x <= 1; }, Init -> Init { guard x > 900; assign x = 0; }; }
    system P;";

fn goal_share(strategy: Strategy, draws: u64) -> BTreeMap<bool, u64> {
    with_network(FIGURE_1, |network| {
        let counts = first_steps(network, strategy, draws);
        let mut shares = BTreeMap::new();
        counts.iter().for_each(|(moves, count)| *shares.entry(moves[0].1 == 0).or_default() += count);
        shares
    })
}

#[test]
fn figure_1_of_the_reachability_paper() {
    let half = BTreeMap::from([(true, 0.5), (false, 0.5)]);
    fits(&goal_share(Strategy::Ret, DRAWS), &half, "ret");
    // One time unit of 1 + 100 leads to the goal.
    let share = 1.0 / 101.0;
    let expected = BTreeMap::from([(true, share), (false, 1.0 - share)]);
    fits(&goal_share(Strategy::Sem, 3 * DRAWS), &expected, "sem");
}

/// Figure 2: the left loop must be taken each time it is possible, seven times in a row.
const FIGURE_2: &str = "int i, j;
    process P() { state Init, Goal; init Init;
    trans Init -> Init { guard i == 2; assign i = 0, j = j + 1; }, Init -> Init { guard i < 100; assign i = i + 1; },
    Init -> Goal { guard j >= 7; }; }
    system P;";

/// Walks of 60 steps that reach the goal.
fn reaching_goal(strategy: Strategy, walks: u64) -> u64 {
    with_network(FIGURE_2, |network| {
        let mut structure = Structure::new(network);
        let preparation = prepare(&mut structure);
        let tables = Tables::new(&structure, &preparation, 0).expect("small");
        let mut walker = Walker::new(&tables).expect("no error").expect("invariants hold");
        let mut chooser = Chooser::new(strategy, &walker);
        let mut reached = 0;
        for walk in 0..walks {
            let mut random = Random::of_run(5, walk);
            walker.restart();
            chooser.begin();
            for _ in 0..60 {
                let choice =
                    chooser.choose(&mut walker, &mut Distribution { earliest: 100, latest: 0 }.into(), &mut random);
                let Ok(Some(moment)) = choice else { break };
                walker.take(moment).expect("no error");
                if walker.discrete().locations[0].index() == 1 {
                    reached += 1;
                    break;
                }
            }
        }
        reached
    })
}

#[test]
fn figure_2_of_the_reachability_paper() {
    assert_eq!(reaching_goal(Strategy::Rlc, 200), 200);
    // Seven times the right one of two: less than 1 % of the walks.
    let by_chance = reaching_goal(Strategy::Ret, 20_000);
    assert!(by_chance < 200, "{by_chance}");
    let expected = BTreeMap::from([(true, 1.0 / 128.0), (false, 127.0 / 128.0)]);
    // The last step, to the goal, is one of two or three and comes sooner or later, or the loop closes for good.
    assert!(by_chance as f64 <= 20_000.0 * expected[&true] * 1.3, "{by_chance}");
}

/// Figure 2 of "Randomized Refinement Checking of Timed I/O Automata": a narrow guard, open for one of a million units.
#[test]
fn figure_2_of_the_refinement_paper() {
    let text = "clock x;
        process P() { state Init { x <= 1000000 }, Error; init Init;
        trans Init -> Error { guard x == 500000; }, Init -> Init { assign x = 0; }; }
        system P;";
    with_network(text, |network| {
        let half = BTreeMap::from([(vec![(0, 0)], 0.5), (vec![(0, 1)], 0.5)]);
        fits(&first_steps(network, Strategy::Ret, DRAWS), &half, "ret");
        // A window of one moment among others is never drawn.
        let all = BTreeMap::from([(vec![(0, 1)], 1.0)]);
        fits(&first_steps(network, Strategy::Sem, DRAWS), &all, "sem");
    });
}

/// Figure 7 of the same: two edges on one channel, one on another. By channels the undesired one is taken half of the
/// time, by transitions a third.
#[test]
fn figure_7_of_the_refinement_paper() {
    let text = "broadcast chan a, u, f; clock x, y;
        process P() { state Init { x <= 1 }, Error; init Init;
        trans Init -> Init { guard x == 1; sync a!; assign x = 0; }, Init -> Init { guard x == 1; sync a!; assign x = 0; },
        Init -> Init { sync u!; assign x = 0, y = 0; }, Init -> Error { guard x == 0 && y == 8; sync f!; }; }
        system P;";
    with_network(text, |network| {
        let third = 1.0 / 3.0;
        let by_transition = BTreeMap::from([(vec![(0, 0)], third), (vec![(0, 1)], third), (vec![(0, 2)], third)]);
        fits(&first_steps(network, Strategy::Ret, DRAWS), &by_transition, "ret");
        let by_channel = BTreeMap::from([(vec![(0, 0)], 0.25), (vec![(0, 1)], 0.25), (vec![(0, 2)], 0.5)]);
        fits(&first_steps(network, Strategy::Rcf, DRAWS), &by_channel, "rcf");
    });
}

/// The delay of `sem` is uniform over the union of the windows; who moves is uniform among those who can then.
#[test]
fn sem_draws_the_delay_first() {
    let text = "clock x;
        process P() { state A { x <= 10 }, B, C, D; init A;
        trans A -> B { }, A -> C { guard x >= 5; }, A -> D { guard x >= 2 && x <= 4; }; }
        system P;";
    // B alone in [0,2) and (4,5), B and D in [2,4], B and C in [5,10].
    let expected = BTreeMap::from([
        (vec![(0, 0)], (3.0 + 1.0 + 2.5) / 10.0),
        (vec![(0, 1)], 2.5 / 10.0),
        (vec![(0, 2)], 1.0 / 10.0),
    ]);
    with_network(text, |network| fits(&first_steps(network, Strategy::Sem, DRAWS), &expected, "sem"));
}

/// Among edges that were taken equally often `rlc` takes each alike: the first three steps are a random order.
#[test]
fn rlc_takes_the_least_covered_alike() {
    let text = "process P() { state A; init A; trans A -> A { }, A -> A { }, A -> A { }; } system P;";
    with_network(text, |network| {
        let mut structure = Structure::new(network);
        let preparation = prepare(&mut structure);
        let tables = Tables::new(&structure, &preparation, 0).expect("small");
        let mut walker = Walker::new(&tables).expect("no error").expect("invariants hold");
        for (strategy, again) in [(Strategy::Rlc, true), (Strategy::RlcA, false)] {
            let mut chooser = Chooser::new(strategy, &walker);
            let mut orders: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            for walk in 0..DRAWS {
                let mut random = Random::of_run(3, walk);
                walker.restart();
                chooser.begin();
                let mut order = Vec::new();
                for _ in 0..3 {
                    let choice =
                        chooser.choose(&mut walker, &mut Distribution { earliest: 100, latest: 0 }.into(), &mut random);
                    let moment = choice.expect("no error").expect("always possible");
                    order.push(walker.moves()[0].expanded);
                    walker.take(moment).expect("no error");
                }
                *orders.entry(order).or_default() += 1;
            }
            let permutations = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
            let expected = permutations.iter().map(|order| (order.to_vec(), 1.0 / 6.0)).collect();
            fits(&orders, &expected, if again { "rlc" } else { "rlc-a" });
        }
    });
}

/// The ends of a window have the percentages of the distribution, the rest is even in between.
#[test]
fn delays_have_the_shares_of_their_distribution() {
    let window = Window { from: 3 * UNIT, to: 8 * UNIT };
    let mut distributions: Vec<Distribution> = CYCLE.to_vec();
    distributions.push(DelayChoice::Uniform.of_walk(0));
    for (n, distribution) in distributions.iter().enumerate() {
        let mut random = Random::of_run(9, n as u64);
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for _ in 0..DRAWS {
            let moment = distribution.draw(window, &mut random);
            assert!(window.contains(moment));
            // The ends, and the five units between them.
            let place = match moment {
                _ if moment == window.from => 10,
                _ if moment == window.to => 11,
                _ => ((moment - window.from) / UNIT) as u32,
            };
            *counts.entry(place).or_default() += 1;
        }
        let (earliest, latest) = (f64::from(distribution.earliest) / 100.0, f64::from(distribution.latest) / 100.0);
        let between = (1.0 - earliest - latest) / 5.0;
        let mut expected: BTreeMap<u32, f64> = (0..5).map(|place| (place, between)).collect();
        expected.extend([(10, earliest), (11, latest)]);
        expected.retain(|_, share| *share > 0.0);
        fits(&counts, &expected, &format!("{distribution:?}"));
        let mut late: BTreeMap<u32, u64> = BTreeMap::new();
        for _ in 0..DRAWS {
            *late.entry(u32::from(Delays::from(*distribution).is_late(&mut random))).or_default() += 1;
        }
        let mut expected: BTreeMap<u32, f64> = [(0, 1.0 - latest), (1, latest)].into();
        expected.retain(|_, share| *share > 0.0);
        fits(&late, &expected, &format!("late by {distribution:?}"));
    }
    assert_eq!(CYCLE.len(), 11);
    assert_eq!(DelayChoice::Changing.of_walk(13), CYCLE[2]);
}

/// Which of the first processes are late now; the walk itself goes on as if nobody had asked.
fn late_ones(delays: &Delays, random: &Random, processes: u32) -> Vec<bool> {
    let window = Window { from: 3 * UNIT, to: 8 * UNIT };
    let is_late = |process| {
        let moment = delays.clone().draw(process, window, &mut random.clone());
        assert!(moment == window.from || moment == window.to);
        moment == window.to
    };
    (0..processes).map(is_late).collect()
}

/// Each number of late processes is equally likely, and so are those who are late when so many are.
#[test]
fn habits_have_every_share_of_late_processes_alike() {
    let mut counts: BTreeMap<Vec<bool>, u64> = BTreeMap::new();
    for draw in 0..DRAWS {
        let delays = DelayChoice::Habits.begin(draw);
        *counts.entry(late_ones(&delays, &Random::of_run(9, draw), 3)).or_default() += 1;
    }
    let ways = [1.0, 3.0, 3.0, 1.0];
    let all = (0..8).map(|bits| (0..3).map(|process| bits >> process & 1 == 1).collect::<Vec<bool>>());
    let share = |late: &Vec<bool>| 0.25 / ways[late.iter().filter(|one| **one).count()];
    fits(&counts, &all.map(|late| (late.clone(), share(&late))).collect(), "who is late");
}

/// Every second walk has habits, and the others have all distributions of the cycle.
#[test]
fn mixed_walks_have_habits_and_the_whole_cycle() {
    let habits = DelayChoice::Habits.of_walk(0);
    let plain: Vec<Distribution> = (0..22).step_by(2).map(|walk| DelayChoice::Mixed.of_walk(walk)).collect();
    assert!(CYCLE.iter().all(|distribution| plain.contains(distribution)));
    assert!((1..22).step_by(2).all(|walk| DelayChoice::Mixed.of_walk(walk) == habits));
}

/// Habits stay what they are for a stretch, and each length of a stretch is equally likely.
#[test]
fn habits_last_for_every_length_of_a_stretch_alike() {
    let window = Window { from: 3 * UNIT, to: 8 * UNIT };
    let mut random = Random::of_run(9, 100);
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for _ in 0..1000 {
        let mut delays = DelayChoice::Habits.begin(7);
        // With so many processes two stretches hardly ever have the same habits.
        let mut first = None;
        let mut steps = 0;
        for length in STRETCHES {
            while steps < length {
                delays.draw(steps % 5, window, &mut random);
                steps += 1;
                if steps == length - 1 || steps == 1 {
                    let habits = late_ones(&delays, &random, 400);
                    assert_eq!(*first.get_or_insert_with(|| habits.clone()), habits, "after {steps} steps");
                }
            }
            if first != Some(late_ones(&delays, &random, 400)) {
                break;
            }
        }
        *counts.entry(steps).or_default() += 1;
    }
    fits(&counts, &STRETCHES.map(|length| (length, 0.2)).into(), "lengths of stretches");
}

/// In a race the earliest moments win, each transition that has them alike; in half of the stretches there is none.
#[test]
fn habits_race_in_half_of_the_stretches() {
    let text = "clock x; process P() { state A { x <= 9 }, B; init A; trans A -> B { guard x >= 2; }; }
        process Q() { state A { x <= 7 }, B; init A; trans A -> B { guard x >= 4; }; }
        process R() { state A { x <= 9 }, B, C; init A; trans A -> B { guard x >= 2; }, A -> C { guard x >= 4; }; }
        P1 = P(); Q1 = Q(); R1 = R(); system P1, Q1, R1;";
    // Time has to stop at 7. By habits, the earliest and latest moments of P, Q, and both edges of R.
    let moments = [[2, 7], [4, 7], [2, 7], [4, 7]];
    let process = [0, 1, 2, 2];
    let ways = [1.0, 3.0, 3.0, 1.0];
    let mut expected: BTreeMap<(usize, i64), f64> = BTreeMap::new();
    for habits in 0..8_usize {
        let late = |process: usize| habits >> process & 1;
        let share = 0.25 / ways[habits.count_ones() as usize] / 2.0;
        let all: Vec<i64> = (0..4).map(|edge| moments[edge][late(process[edge])]).collect();
        let first = all.iter().min().copied().unwrap_or(0);
        let tied = all.iter().filter(|moment| **moment == first).count() as f64;
        for (edge, moment) in all.iter().enumerate() {
            *expected.entry((edge, *moment)).or_default() += share / 4.0;
            if *moment == first {
                *expected.entry((edge, *moment)).or_default() += share / tied;
            }
        }
    }
    with_network(text, |network| {
        let mut structure = Structure::new(network);
        let preparation = prepare(&mut structure);
        let tables = Tables::new(&structure, &preparation, 0).expect("small");
        let mut walker = Walker::new(&tables).expect("no error").expect("invariants hold");
        let mut chooser = Chooser::new(Strategy::Ret, &walker);
        let mut counts: BTreeMap<(usize, i64), u64> = BTreeMap::new();
        for draw in 0..3 * DRAWS {
            let mut random = Random::of_run(13, draw);
            walker.restart();
            chooser.begin();
            let drawn = chooser.choose(&mut walker, &mut DelayChoice::Habits.begin(draw), &mut random);
            let moment = drawn.expect("no error").expect("something is possible");
            let first = walker.moves()[0];
            let edge = if first.process < 2 { first.process } else { 2 + first.expanded };
            *counts.entry((edge as usize, moment / UNIT)).or_default() += 1;
        }
        fits(&counts, &expected, "races");
    });
}
