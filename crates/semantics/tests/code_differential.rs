//! Random models: compiled code and a naive tree walk agree on values, states, clock assignments, conditions under
//! sampled clock valuations, channels and errors.

mod support;

use model::check::QueryKind;
use model::load::query_text;
use model::network::{ClockId, LocationId, Network, ProcessId};
use model::source::Sources;
use semantics::code::{ClockBound, Discrete, Dnf, Facts, Machine, Programs, RunErrorKind};
use support::naive::{Naive, holds};
use support::random::Random;
use support::{generate, load};

const MODELS: u64 = 200;
const STATES: usize = 6;

fn random_state(network: &Network, random: &mut Random) -> Discrete {
    let mut state = Discrete::initial(network);
    for (cell, value) in network.ints.iter().zip(&mut state.ints) {
        let (lo, hi) = (cell.range.lo.max(-20), cell.range.hi.min(20));
        *value = if random.one_in(3) { *value } else { random.between(lo.min(hi), hi.max(lo)) };
    }
    for (n, location) in state.locations.iter_mut().enumerate() {
        *location = LocationId::new(random.below(network.template_of(ProcessId::new(n)).locations.len()));
    }
    state
}

fn random_clocks(network: &Network, random: &mut Random) -> Vec<i64> {
    network.clocks.iter().map(|_| i64::from(random.between(0, 24))).collect()
}

fn bound_holds(bound: &ClockBound, clocks: &[i64]) -> bool {
    let value = |clock: Option<ClockId>| clock.map_or(0, |clock| clocks[clock.index()]);
    holds(value(bound.plus) - value(bound.minus), bound.relation, 2 * i64::from(bound.bound))
}

#[derive(Default, Debug)]
struct Tally {
    good: usize,
    failed: usize,
}

impl Tally {
    fn count<T>(&mut self, result: &Result<T, RunErrorKind>) {
        match result {
            Ok(_) => self.good += 1,
            Err(_) => self.failed += 1,
        }
    }
}

#[test]
fn labels_of_random_models() {
    let (mut guards, mut updates, mut channels) = (Tally::default(), Tally::default(), Tally::default());
    let mut machine = Machine::new();
    for seed in 0..MODELS {
        let text = generate::model(seed);
        let model = load(&text);
        let network = model.network();
        let mut programs = Programs::new(network);
        let mut random = Random::new(seed ^ 0xabcd);
        for template in 0..1 {
            for edge in &network.templates[template].edges {
                let guard = edge.guard.map(|guard| (guard, programs.condition(guard)));
                let updates_of_edge: Vec<_> = edge.update.iter().chain(&edge.branches[0].update).copied().collect();
                let update = programs.update(&updates_of_edge);
                let channel = edge.sync.as_ref().map(|sync| (&sync.channel, programs.channel(&sync.channel)));
                for _ in 0..STATES {
                    let process = ProcessId::new(random.below(2));
                    let select = [random.between(0, 2)];
                    let state = random_state(network, &mut random);
                    let mut naive = Naive::new(network, process, &select, &state);
                    if let Some((place, code)) = channel {
                        let expected = naive.channel(place);
                        let found = machine.channel(&programs, code, process, &select, &state);
                        assert_eq!(found.map(|id| id.index()).map_err(|e| e.kind), expected, "seed {seed}\n{text}");
                        channels.count(&expected);
                    }
                    if let Some((expr, id)) = guard {
                        let mut facts = Facts::default();
                        let found = machine.condition(&programs, id, process, &select, &state, &mut facts);
                        for _ in 0..4 {
                            naive.clocks = random_clocks(network, &mut random);
                            let expected = naive.truth(expr);
                            // With clocks that decide first the tree walk may not come to what fails.
                            match (&found, &expected) {
                                (Ok(found), Ok(expected)) => {
                                    let all = facts.bounds.iter().all(|bound| bound_holds(bound, &naive.clocks));
                                    assert_eq!(*found && all, *expected, "seed {seed}\n{text}");
                                }
                                (Err(found), Err(expected)) => assert_eq!(found.kind, *expected, "seed {seed}\n{text}"),
                                (Err(_), Ok(_)) => {}
                                (Ok(found), Err(error)) => panic!("seed {seed}: {found}, {error}\n{text}"),
                            }
                            guards.count(&expected);
                        }
                    }
                    let mut naive = Naive::new(network, process, &select, &state);
                    let expected = naive.update(&updates_of_edge);
                    let (mut after, mut resets) = (state.clone(), Vec::new());
                    let found = machine.update(&programs, update, process, &select, &mut after, &mut resets);
                    assert_eq!(found.map_err(|error| error.kind), expected, "seed {seed}, {process:?}\n{text}");
                    if expected.is_ok() {
                        assert_eq!(after, naive.state, "seed {seed}\n{text}");
                        assert_eq!(resets, naive.resets, "seed {seed}\n{text}");
                    }
                    updates.count(&expected);
                }
            }
        }
    }
    for tally in [&guards, &updates, &channels] {
        assert!(2 * tally.good > tally.failed && tally.failed > 10, "{guards:?} {updates:?} {channels:?}");
    }
}

#[test]
fn random_predicates() {
    let mut tally = Tally::default();
    let mut machine = Machine::new();
    let mut dnf = Dnf::default();
    let mut largest = 0;
    for seed in 0..MODELS {
        let text = generate::model(seed);
        let model = load(&text);
        let mut sources = Sources::new();
        let written = [0, 1, 2, 3, 4, 5].map(|n| {
            let query = format!("E<> {}", generate::predicate(seed * 100 + n));
            query_text(&mut sources, "query", &query)
        });
        let queries = model.queries(&written);
        let mut predicates = Vec::new();
        for loaded in &queries {
            let Some(query) = &loaded.query else { panic!("{}\n{:#?}", loaded.text, loaded.diagnostics) };
            let QueryKind::Path { predicate, .. } = query.kind else { panic!() };
            predicates.push((predicate, loaded.text.clone()));
        }
        let network = &queries[0].query.as_ref().expect("it resolves").network;
        let mut programs = Programs::new(network);
        let mut random = Random::new(seed);
        for (predicate, query) in predicates {
            let id = programs.predicate(predicate);
            for _ in 0..STATES {
                let state = random_state(network, &mut random);
                let found = machine.predicate(&programs, id, &state, &mut dnf);
                largest = largest.max(dnf.len());
                for _ in 0..6 {
                    let mut naive = Naive::new(network, ProcessId::new(0), &[], &state);
                    naive.clocks = random_clocks(network, &mut random);
                    naive.deadlock = random.one_in(2);
                    let expected = naive.truth(predicate);
                    match (&found, &expected) {
                        (Ok(()), Ok(expected)) => {
                            let holds = dnf.iter().any(|case| {
                                case.deadlock.is_none_or(|wanted| wanted == naive.deadlock)
                                    && case.bounds.iter().all(|bound| bound_holds(bound, &naive.clocks))
                            });
                            assert_eq!(holds, *expected, "seed {seed} {query}\n{text}");
                            if programs.is_discrete(id) {
                                assert_eq!(machine.truth(&programs, id, &state), Ok(*expected));
                            }
                        }
                        (Err(found), Err(expected)) => {
                            assert!(
                                found.kind == *expected || !programs.is_discrete(id),
                                "seed {seed} {query}: {found}, {expected}"
                            );
                        }
                        (Err(_), Ok(_)) => assert!(!programs.is_discrete(id), "seed {seed} {query}"),
                        (Ok(()), Err(error)) => panic!("seed {seed} {query}: {error}"),
                    }
                    tally.count(&expected);
                }
            }
        }
    }
    assert!(tally.good > tally.failed && largest > 20, "{tally:?} {largest}");
}
