//! Random walks on random networks: what a walk knows without looking is right after every step, no walk reaches what
//! the exhaustive engine says is nowhere, and what it says is somewhere is found.

use crate::compare::{Failure, Subject, failure};
use crate::random::Random;
use engine::options::Options;
use engine::report::{Answer, Verdict};
use engine::searches::walks::{DELAYS, DEPTHS, GUIDES};
use model::check::QueryKind;
use model::syntax::query::PathQuantifier;
use semantics::concrete::System;
use semantics::structure::Structure;
use walk::audit::Shadow;
use walk::delay::DelayChoice;
use walk::strategy::{Chooser, Strategy};
use walk::tables::{Tables, prepare};
use walk::walker::Walker;

/// A few walks with a look at everything after every step.
pub fn know(subject: &Subject, seed: u64) -> Result<(), Failure> {
    let mut structure = Structure::new(subject.network());
    let preparation = prepare(&mut structure);
    let Ok(tables) = Tables::new(&structure, &preparation, 0) else { return Ok(()) };
    let (Ok(Some(mut walker)), Ok(Some(mut shadow))) = (Walker::new(&tables), Shadow::new(System::new(&structure)))
    else {
        return Ok(());
    };
    let initial = shadow.state.clone();
    let mut chooser = Chooser::new(Strategy::Ret, &walker);
    for walk in 0..3 {
        let mut random = search::random::Random::of_run(seed, walk);
        let mut delays = DelayChoice::Changing.begin(walk);
        walker.restart();
        shadow.state = initial.clone();
        for step in 0..12 {
            match shadow.difference(&mut walker) {
                Ok(None) => {}
                Ok(Some(text)) => return failure("a walk knows something wrong", format!("step {step}: {text}")),
                // The model has an error here.
                Err(_) => break,
            }
            let Ok(Some(moment)) = chooser.choose(&mut walker, &mut delays, &mut random) else {
                break;
            };
            let followed = shadow.take(&walker, moment);
            if walker.take(moment).is_err() || followed.is_err() {
                break;
            }
        }
    }
    Ok(())
}

/// Walks do not contradict the answer to a query. How many goals there were to find, and how many were found.
pub fn agree(subject: &Subject, index: usize, answer: &Answer, random: &mut Random) -> Result<(u32, u32), Failure> {
    let loaded = &subject.queries[index];
    let Some(QueryKind::Path { quantifier, .. }) = loaded.query.as_ref().map(|query| &query.kind) else {
        return Ok((0, 0));
    };
    let sought = match quantifier {
        PathQuantifier::ExistsEventually => Verdict::Satisfied,
        PathQuantifier::AlwaysGlobally => Verdict::Violated,
        _ => return Ok((0, 0)),
    };
    let search = *random.pick(&["sem", "ret", "ret", "rcf", "rlc", "rlc-a"]);
    let options = Options {
        search: search.parse().expect("a search"),
        seed: random.next(),
        threads: Some(1),
        walks: Some(60),
        max_depth: Some(30),
        delays: random.pick(DELAYS.named).1,
        depth: random.pick(DEPTHS.named).1,
        guide: random.pick(GUIDES.named).1,
        ..Options::default()
    };
    let Some(walked) = subject.answer(index, &options) else { return Ok((0, 0)) };
    let text =
        || format!("{}: {:?}, by {search} {:?} {:?}", loaded.text, answer.verdict, walked.verdict, walked.reason);
    if walked.internal {
        return failure("a walk with an internal error", text());
    }
    let said = [Verdict::Satisfied, Verdict::Violated];
    if said.contains(&walked.verdict) && walked.verdict != sought {
        return failure("a walk that proves something", text());
    }
    if walked.verdict == sought && said.contains(&answer.verdict) && answer.verdict != sought {
        return failure("a walk to what is nowhere", text());
    }
    let there = answer.verdict == sought;
    Ok((u32::from(there), u32::from(there && walked.verdict == sought)))
}
