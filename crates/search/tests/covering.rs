//! Subsumption on intervals: the stored states are exactly what can be reached, none covers another, traces through
//! erased states replay.

mod toys;

use search::frontier::{Fifo, Frontier, Lifo, Uniform};
use search::goal::state_goal;
use search::random::Random;
use search::search::{Restarts, Search, Stop};
use search::store::{Insertion, Status, Store};
use search::system::{Covering, Relation, TransitionSystem, Visit, VisitInitial};
use std::collections::BTreeSet;
use toys::{Interval, Intervals};

fn orders(seed: u64) -> Vec<Box<dyn Frontier>> {
    vec![
        Box::new(Fifo::default()),
        Box::new(Lifo::default()),
        Box::new(Lifo::shuffled(seed)),
        Box::new(Uniform::new(seed)),
    ]
}

#[test]
fn the_stored_states_are_exactly_what_is_reachable() {
    let mut random = Random::new(1);
    let mut erased = 0;
    for seed in 0..500 {
        let program = Intervals::random(&mut random);
        let expected = program.reachable();
        for frontier in orders(seed) {
            let mut search = Search::new(&program, state_goal(|_: &Interval| false), frontier);
            assert_eq!(search.run(), Stop::Exhausted { proof: true });
            let mut values = BTreeSet::new();
            let mut states: Vec<Interval> = Vec::new();
            for id in search.store().live().collect::<Vec<_>>() {
                let mut state = Interval::default();
                assert!(search.load(id, &mut state));
                values.extend((state.low..=state.high).map(|value| (state.location, value)));
                states.push(state);
            }
            assert_eq!(values, expected);
            assert_eq!(states.len() as u64, search.statistics().stored);
            for (index, a) in states.iter().enumerate() {
                for b in states[..index].iter().filter(|b| b.location == a.location) {
                    let mut packed = Vec::new();
                    program.pack(a, &mut packed);
                    assert_eq!(program.relate(&packed, b), Relation::Neither, "{a:?} {b:?}");
                }
            }
            erased += search.statistics().erased;
        }
    }
    assert!(erased > 100, "the programs exercise erasure: {erased}");
}

/// Intervals of which several may cover one.
struct United<'a>(&'a Intervals);

impl TransitionSystem for United<'_> {
    type State = Interval;
    type Label = <Intervals as TransitionSystem>::Label;
    type Scratch = <Intervals as TransitionSystem>::Scratch;
    type Error = <Intervals as TransitionSystem>::Error;

    fn initial(&self, scratch: &mut Self::Scratch, visit: &mut VisitInitial<'_, Self>) -> Result<(), Self::Error> {
        self.0.initial(scratch, visit)
    }

    fn successors(
        &self,
        scratch: &mut Self::Scratch,
        from: &Interval,
        visit: &mut Visit<'_, Self>,
    ) -> Result<(), Self::Error> {
        self.0.successors(scratch, from, visit)
    }
}

impl Covering for United<'_> {
    type Unit = i16;

    fn key_words(&self) -> usize {
        self.0.key_words()
    }

    fn key(&self, state: &Interval, words: &mut [u64]) {
        self.0.key(state, words);
    }

    fn pack(&self, state: &Interval, units: &mut Vec<i16>) {
        self.0.pack(state, units);
    }

    fn unpack(&self, key: &[u64], payload: &[i16], state: &mut Interval) {
        self.0.unpack(key, payload, state);
    }

    fn relate(&self, stored: &[i16], new: &Interval) -> Relation {
        self.0.relate(stored, new)
    }

    fn unites(&self) -> bool {
        true
    }

    fn covers_together<'s>(&self, stored: impl Iterator<Item = &'s [i16]> + Clone, new: &Interval) -> bool {
        let point = |value| Interval { location: new.location, low: value, high: value };
        let covers = |value| stored.clone().any(|one| self.0.relate(one, &point(value)) == Relation::Covers);
        (new.low..=new.high).all(covers)
    }
}

#[test]
fn states_that_several_cover_together_are_not_stored_and_nothing_is_lost() {
    let mut random = Random::new(9);
    let mut saved = 0;
    for seed in 0..500 {
        let program = Intervals::random(&mut random);
        let (expected, united) = (program.reachable(), United(&program));
        for (alone, together) in orders(seed).into_iter().zip(orders(seed)) {
            let mut search = Search::new(&united, state_goal(|_: &Interval| false), together);
            assert_eq!(search.run(), Stop::Exhausted { proof: true });
            let mut values = BTreeSet::new();
            for id in search.store().live().collect::<Vec<_>>() {
                let mut state = Interval::default();
                assert!(search.load(id, &mut state));
                values.extend((state.low..=state.high).map(|value| (state.location, value)));
            }
            assert_eq!(values, expected);
            let mut plain = Search::new(&program, state_goal(|_: &Interval| false), alone);
            plain.run();
            saved += u64::from(plain.statistics().generated > search.statistics().generated);
        }
    }
    assert!(saved > 20, "some states are covered by several: {saved}");
}

#[test]
fn traces_through_erased_states_replay() {
    let mut random = Random::new(2);
    let mut through_dead = 0;
    for seed in 0..500 {
        let program = Intervals::random(&mut random);
        let (location, value) = (random.below(u64::from(program.locations)) as u32, random.below(16) as i32);
        let holds = |state: &Interval| state.location == location && state.low <= value && value <= state.high;
        let reachable = program.reachable().contains(&(location, value));
        for frontier in orders(seed) {
            let mut search = Search::new(&program, state_goal(holds), frontier);
            match search.run() {
                Stop::Found(id) => {
                    assert!(reachable);
                    let end = replayed(&program, &search.trace(id));
                    assert!(end.is_some_and(|end| holds(&end)));
                    let states = search.steps().states(id);
                    through_dead += states.iter().filter(|&&id| search.store().status(id) == Status::Dead).count();
                }
                stop => assert_eq!((stop, reachable), (Stop::Exhausted { proof: true }, false)),
            }
        }
    }
    assert!(through_dead > 10, "some traces pass erased states: {through_dead}");
}

/// The state at the end of a trace.
fn replayed(program: &Intervals, trace: &[u32]) -> Option<Interval> {
    let start = Interval { location: 0, low: program.start.0, high: program.start.1 };
    trace.iter().try_fold(start, |state, &label| program.replay(&state, label))
}

#[test]
fn dead_states_give_their_ids_back_and_traces_stand() {
    let mut random = Random::new(4);
    let (mut all, mut ids, mut all_needed) = (0, 0, 0);
    for seed in 0..500 {
        let program = Intervals::random(&mut random);
        for frontier in orders(seed) {
            let mut search = Search::new(&program, state_goal(|_: &Interval| false), frontier);
            assert_eq!(search.run(), Stop::Exhausted { proof: true });
            let mut needed = BTreeSet::new();
            for id in search.store().live().collect::<Vec<_>>() {
                let mut state = Interval::default();
                assert!(search.load(id, &mut state));
                assert_eq!(replayed(&program, &search.trace(id)), Some(state));
                needed.extend(search.steps().states(id));
            }
            for id in needed.iter().filter(|id| search.store().status(**id) == Status::Dead) {
                let coverer = search.store().coverer(*id).map(|coverer| search.steps().last(coverer).is_some());
                assert_eq!(coverer, Some(true), "a state that kills is a successor");
            }
            ids += search.store().ids();
            all_needed += needed.len();
            all += search.statistics().erased as usize + search.store().len();
        }
    }
    assert!(all > ids + 1000 && ids - all_needed <= ids / 16, "of {all} ids {ids} are kept and {all_needed} needed");
}

#[test]
fn remembered_states_keep_their_traces() {
    let mut random = Random::new(5);
    for seed in 0..200 {
        let program = Intervals::random(&mut random);
        for (frontier, restarting) in orders(seed).into_iter().zip([false, true, true, false]) {
            let mut search = Search::new(&program, state_goal(|_: &Interval| true), frontier);
            if restarting {
                search = search.restarting(Restarts { first: 3, growth: 200 });
            }
            let mut ends = Vec::new();
            while let Stop::Found(id) = search.run() {
                let mut state = Interval::default();
                assert!(search.load(id, &mut state));
                search.remember(ends.len(), id);
                ends.push(state);
            }
            for (n, end) in ends.iter().enumerate() {
                assert_eq!(search.remembered(n).and_then(|trace| replayed(&program, &trace)), Some(*end));
            }
            assert_eq!(search.remembered(ends.len()), None);
        }
    }
}

#[test]
fn a_bigger_state_kills_and_is_remembered() {
    let program = Intervals { locations: 2, start: (0, 0), rules: Vec::new(), faulty: None };
    let mut store = Store::new(&program);
    let at = |low, high| Interval { location: 1, low, high };
    let Insertion::New(first) = store.insert(&program, &at(2, 3)) else { panic!("new") };
    assert_eq!(store.insert(&program, &at(2, 3)), Insertion::Covered(first));
    let Insertion::New(apart) = store.insert(&program, &at(8, 9)) else { panic!("new") };
    assert!(store.pass(first));
    let Insertion::New(big) = store.insert(&program, &at(1, 9)) else { panic!("new") };
    assert_eq!(store.erased(), [(apart, Status::Waiting), (first, Status::Passed)]);
    assert_eq!((store.len(), store.waiting(), store.ids(), store.keys()), (1, 1, 3, 1));
    assert_eq!((store.coverer(first), store.coverer(big)), (Some(big), None));
    assert!(!store.pass(apart) && store.pass(big) && !store.pass(big));
    assert!(!store.load(&program, first, &mut Interval::default()));
    assert_eq!(store.coverer_of(&program, &at(4, 5)), Some(big));
    assert_eq!(store.coverer_of(&program, &at(0, 5)), None);
    store.forget(big);
    assert_eq!((store.len(), store.coverer_of(&program, &at(4, 5))), (0, None));
}

#[test]
fn a_run_time_error_names_the_state_it_happened_in() {
    let mut random = Random::new(3);
    let mut failures = 0;
    for _ in 0..200 {
        let mut program = Intervals::random(&mut random);
        if program.rules.is_empty() {
            continue;
        }
        let faulty = random.index(program.rules.len()) as u32;
        program.faulty = Some(faulty);
        let mut search = Search::new(&program, state_goal(|_: &Interval| false), Fifo::default());
        if let Stop::Failed { at, error } = search.run() {
            failures += 1;
            assert_eq!(error, "faulty rule");
            let trace = at.map(|at| search.trace(at)).unwrap_or_default();
            let state = replayed(&program, &trace);
            assert!(state.is_some_and(|state| program.replay(&state, faulty).is_some()));
            assert_eq!(search.run(), Stop::Exhausted { proof: false }, "the error is told once, and nothing is proved");
            // Everything has been seen that does not need the rule.
            let stored = search.statistics().stored;
            drop(search);
            program.faulty = None;
            program.rules.remove(faulty as usize);
            let mut without = Search::new(&program, state_goal(|_: &Interval| false), Fifo::default());
            assert_eq!(without.run(), Stop::Exhausted { proof: true });
            assert_eq!(stored, without.statistics().stored);
        }
    }
    assert!(failures > 20);
}

#[test]
fn a_goal_may_fail_too() {
    struct Fails;
    impl search::goal::Goal<Intervals> for Fails {
        fn holds(&mut self, _: &Intervals, _: &Interval) -> Result<bool, &'static str> {
            Err("no value")
        }
    }
    let program = Intervals { locations: 1, start: (0, 0), rules: Vec::new(), faulty: None };
    assert!(matches!(
        Search::new(&program, Fails, Fifo::default()).run(),
        Stop::Failed { at: Some(_), error: "no value" }
    ));
}
