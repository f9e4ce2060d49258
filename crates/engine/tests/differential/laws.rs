//! Changes to a network that change no answer.

use crate::compare::{Failure, Subject, failure, patient};
use crate::draft::{Draft, Kind, Location, Process};
use crate::random::Random;
use engine::report::{Answer, Verdict};

/// A change, and its name.
type Law = (&'static str, fn(&mut Draft));

const LAWS: &[Law] = &[
    ("an unused clock", |draft| draft.globals.push("clock unused;".to_owned())),
    ("an isolated process", |draft| {
        let location = Location { name: "Alone".to_owned(), kind: Kind::Normal, invariant: Vec::new() };
        draft
            .processes
            .insert(0, Process { name: "Isolated".to_owned(), locations: vec![location], ..Process::default() });
    }),
    ("edges in reverse", |draft| draft.processes.iter_mut().for_each(|process| process.edges.reverse())),
    ("time scaled", |draft| draft.scale *= 3),
    ("processes in reverse", |draft| {
        if !draft.traits.ordered {
            draft.processes.reverse();
        }
    }),
    ("a clock set and never read", |draft| {
        draft.globals.insert(0, "clock written;".to_owned());
        for edge in draft.processes.iter_mut().flat_map(|process| &mut process.edges) {
            edge.update.push("written = 1*K".to_owned());
        }
    }),
];

/// One law, chosen at random, holds.
pub fn hold(draft: &Draft, answers: &[Answer], random: &mut Random) -> Result<(), Failure> {
    let (name, change) = random.pick(LAWS);
    let mut changed = draft.clone();
    change(&mut changed);
    let subject = Subject::load(&changed)?;
    for (before, after) in answers.iter().zip(subject.answers(&patient())) {
        let comparable = |answer: &Answer| matches!(answer.verdict, Verdict::Satisfied | Verdict::Violated);
        // Values of clocks grow with the scale.
        let timed = draft.scale != changed.scale && before.query.ends_with(|last| "xyz]c".contains(last));
        let same = before.verdict == after.verdict && (timed || before.value == after.value);
        if comparable(before) && comparable(&after) && !same {
            let text = format!(
                "{name}: {} was {:?} {:?} and is {:?} {:?}",
                before.query, before.verdict, before.value, after.verdict, after.value
            );
            return failure(format!("law: {name}"), text);
        }
        if after.internal {
            return failure(format!("law: {name}"), format!("{name}: {}: {:?}", after.query, after.reason));
        }
    }
    Ok(())
}
