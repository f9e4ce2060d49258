//! Random runs of the library's models, made by enumerating transitions, replay rule by rule: two ways through the
//! semantics that must agree.

use certify::line::Interval;
use certify::transition::Transition;
use certify::{Ending, Rational, Reason, Run, Semantics, State, Step, rational, replay};
use model::load::load;
use std::path::Path;

/// Xorshift: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }

    fn moment(&mut self, interval: &Interval) -> Rational {
        let length = interval.to.map_or(rational::integer(7), |to| to - interval.from);
        let parts = 1 + self.below(6) as i128;
        let at = interval.from + length * Rational::new(self.below(parts as usize + 1) as i128, parts);
        if interval.contains(&at) { at } else { interval.from + length / rational::integer(2) }
    }
}

fn walk(semantics: &Semantics, random: &mut Random, length: usize) -> Run {
    let mut run = Run { steps: Vec::new(), final_delay: rational::integer(0), ending: Ending::Open };
    let mut state = semantics.initial().unwrap();
    for _ in 0..length {
        let allowed = semantics.delays(&state).unwrap();
        let transitions = semantics.transitions(&state.discrete);
        let mut choices = Vec::new();
        for transition in &transitions {
            for moments in semantics.moments_of(&state, transition, &allowed).unwrap() {
                choices.push((transition, moments));
            }
        }
        if choices.is_empty() {
            assert!(semantics.is_deadlock(&state).unwrap());
            run.ending = Ending::Stuck;
            break;
        }
        let (transition, moments) = &choices[random.below(choices.len())];
        let delay = random.moment(moments);
        let delayed = semantics.delay(&state, &delay).unwrap();
        agrees(semantics, &delayed, &transitions);
        let next = semantics.step(&delayed, &transition.moves).unwrap();
        run.steps.push(Step { delay, moves: transition.moves.clone() });
        state = next;
    }
    run
}

/// A transition exists exactly when its edges can be taken.
fn agrees(semantics: &Semantics, state: &State, transitions: &[Transition]) {
    let now = Interval::point(rational::integer(0));
    for transition in transitions {
        let exists = !semantics.moments_of(state, transition, &now).unwrap().is_empty();
        let step = semantics.step(state, &transition.moves);
        assert_eq!(exists, step.is_ok(), "{:?}: {step:?}", transition.moves);
    }
}

#[test]
fn random_runs_of_all_models_replay() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut walked = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "xml") {
            continue;
        }
        let loaded = load(&path, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{}", path.display()));
        let semantics = Semantics::new(model.network());
        for seed in 1..4 {
            let run = walk(&semantics, &mut Random(0x9E37_79B9_7F4A_7C15 ^ seed), 25);
            let replayed = replay(model.network(), &run).unwrap();
            assert_eq!(replayed.steps.len(), run.steps.len());
            refuses_broken_runs(&model, &run);
        }
        walked += 1;
    }
    assert!(walked >= 10);
}

/// What is left out or moved in time is noticed, in the step where it happens.
fn refuses_broken_runs(model: &model::load::Model, run: &Run) {
    for n in 0..run.steps.len() {
        let mut broken = run.clone();
        broken.ending = Ending::Open;
        broken.steps.truncate(n + 1);
        broken.steps[n].moves.push(run.steps[n].moves[0].clone());
        assert_eq!(replay(model.network(), &broken).unwrap_err().reason, Reason::MovesTwice);
        broken.steps[n].moves.clear();
        assert_eq!(replay(model.network(), &broken).unwrap_err().step, Some(n));
        if run.steps[n].moves.len() > 1 {
            broken.steps[n].moves = run.steps[n].moves[1..].to_vec();
            assert!(replay(model.network(), &broken).is_err());
        }
    }
}
