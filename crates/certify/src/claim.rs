//! What a run proves.
//!
//! Predicates are evaluated at every moment of a run: after each action, and at all moments of each delay, not only at its
//! ends. A claim about what always holds, or never comes, needs a run that is complete: it closes to a lasso, idles for
//! ever, or is stuck. Of a run that ends so, also the moments of the delays that remain count.

use crate::course::Course;
use crate::error::{EvalError, Reason, Refusal};
use crate::line::{Interval, after_all};
use crate::replay::{Replay, Watch, replay_asking, walk};
use crate::run::{Ending, Run};
use crate::semantics::Semantics;
use crate::state::State;
use model::deep_stack::on_deep_stack;
use model::network::{ExprId, Network};

/// A predicate, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Literal {
    pub predicate: ExprId,
    /// False: the negation.
    pub holds: bool,
}

impl Literal {
    pub fn is(predicate: ExprId) -> Literal {
        Literal { predicate, holds: true }
    }

    pub fn is_not(predicate: ExprId) -> Literal {
        Literal { predicate, holds: false }
    }
}

/// What a run is said to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// It holds in the last state: a witness of `E<> p`, a counterexample to `A[] not p`.
    Reaches(Literal),
    /// It holds at every moment of a complete run: a witness of `E[] p`, a counterexample to `A<> not p`.
    Always(Literal),
    /// At some moment `from` holds, and from that moment on `to` never does: a counterexample to `from --> to`.
    NeverAnswered { from: Literal, to: Literal },
    /// A lasso on which time passes and in whose loop it holds at some moment: a witness of `buchi: p`.
    InfinitelyOften(Literal),
}

impl Claim {
    fn predicates(self) -> Vec<ExprId> {
        match self {
            Claim::Reaches(p) | Claim::Always(p) | Claim::InfinitelyOften(p) => vec![p.predicate],
            Claim::NeverAnswered { from, to } => vec![from.predicate, to.predicate],
        }
    }
}

/// Replays a run and checks that it shows what is claimed. Gives the last state.
pub fn check_claim(network: &Network, run: &Run, claim: Claim) -> Result<State, Refusal> {
    on_deep_stack(|| check_watched(&Semantics::new(network), run, Some(claim), &mut ()))
}

/// As [`check_claim`], with somebody who looks on. Of a claim about the last state nothing else is kept.
pub(crate) fn check_watched(
    semantics: &Semantics,
    run: &Run,
    claim: Option<Claim>,
    watch: &mut impl Watch,
) -> Result<State, Refusal> {
    let predicates = claim.map(Claim::predicates).unwrap_or_default();
    let last = walk(semantics, run, &predicates, &mut Course::new(semantics)?, watch)?;
    match claim {
        None => {}
        Some(Claim::Reaches(goal)) => reaches(semantics, &last, goal)?,
        Some(claim) => {
            let replay = replay_asking(semantics, run, &predicates)?;
            Checked { semantics, run, replay: &replay }.shows(claim)?;
        }
    }
    Ok(last)
}

/// Checks that a run leads to an error of the model: its last step, its final delay, or the predicate in its last state
/// cannot be evaluated. What this crate alone cannot evaluate is no error of the model.
pub fn check_failure(network: &Network, run: &Run, predicate: Option<ExprId>) -> Result<EvalError, Refusal> {
    on_deep_stack(|| {
        let semantics = Semantics::new(network);
        let outcome = check_watched(&semantics, run, None, &mut ()).and_then(|last| match predicate {
            Some(predicate) => Ok(semantics.holds(&last, predicate).map(|_| ())?),
            None => Ok(()),
        });
        let Err(refusal) = outcome else { return refused("nothing goes wrong in this run") };
        let at_the_end = refusal.step.is_none_or(|step| step + 1 == run.steps.len());
        match refusal.reason {
            Reason::ModelError(error) if at_the_end && error.kind.is_of_the_model() => Ok(error),
            _ => Err(refusal),
        }
    })
}

fn reaches(semantics: &Semantics, last: &State, goal: Literal) -> Result<(), Refusal> {
    if semantics.holds(last, goal.predicate)? != goal.holds {
        return refused("the last state is not what was looked for");
    }
    Ok(())
}

struct Checked<'a> {
    semantics: &'a Semantics<'a>,
    run: &'a Run,
    replay: &'a Replay,
}

fn refused<T>(text: &str) -> Result<T, Refusal> {
    Err(Refusal::new(Reason::ClaimFalse, text))
}

impl Checked<'_> {
    fn shows(&self, claim: Claim) -> Result<(), Refusal> {
        match claim {
            Claim::Reaches(goal) => reaches(self.semantics, &self.replay.last, goal),
            Claim::Always(goal) => self.always(goal),
            Claim::NeverAnswered { from, to } => self.never_answered(from, to),
            Claim::InfinitelyOften(goal) => self.infinitely_often(goal),
        }
    }

    /// The stretches of time of the run: where each begins, and its moments.
    fn stretches(&self) -> Result<Vec<(&State, Interval)>, Refusal> {
        let mut stretches: Vec<(&State, Interval)> = (self.run.steps.iter().enumerate())
            .map(|(n, step)| (self.replay.before(n), Interval::until(step.delay)))
            .collect();
        stretches.push((self.replay.before(self.run.steps.len()), Interval::until(self.run.final_delay)));
        if matches!(self.run.ending, Ending::IdleForever | Ending::Stuck) {
            stretches.push((&self.replay.last, self.semantics.delays(&self.replay.last)?));
        }
        Ok(stretches)
    }

    fn moments(
        &self,
        state: &State,
        literal: Literal,
        holds: bool,
        within: &Interval,
    ) -> Result<Vec<Interval>, Refusal> {
        Ok(self.semantics.moments(state, literal.predicate, literal.holds == holds, within)?)
    }

    fn complete(&self) -> Result<(), Refusal> {
        match self.run.ending {
            Ending::Open => Err(Refusal::new(Reason::OpenEnd, "the run does not say how it goes on")),
            _ => Ok(()),
        }
    }

    fn always(&self, goal: Literal) -> Result<(), Refusal> {
        self.complete()?;
        for (n, (state, within)) in self.stretches()?.into_iter().enumerate() {
            if let Some(moment) = self.moments(state, goal, false, &within)?.first() {
                let text = format!("what should always hold does not, {} time units after this state", moment.from);
                return Err(Refusal::new(Reason::ClaimFalse, text).at(n));
            }
        }
        Ok(())
    }

    /// Looks backwards for the moments after which `to` never holds.
    fn never_answered(&self, from: Literal, to: Literal) -> Result<(), Refusal> {
        self.complete()?;
        let stretches = self.stretches()?;
        if let Ending::Lasso(back) = self.run.ending {
            for (state, within) in stretches.iter().skip(back) {
                if !self.moments(state, to, true, within)?.is_empty() {
                    return refused("the answer comes again and again in the loop");
                }
            }
        }
        for (state, within) in stretches.iter().rev() {
            let answers = self.moments(state, to, true, within)?;
            if let Some(quiet) = after_all(&answers, within)
                && !self.moments(state, from, true, &quiet)?.is_empty()
            {
                return Ok(());
            }
            if !answers.is_empty() {
                break;
            }
        }
        refused("no moment of the run waits for an answer that never comes")
    }

    fn infinitely_often(&self, goal: Literal) -> Result<(), Refusal> {
        let Ending::Lasso(back) = self.run.ending else {
            return Err(Refusal::new(Reason::OpenEnd, "only a lasso visits something infinitely often"));
        };
        if self.replay.last.time == self.replay.before(back).time {
            return refused("no time passes in the loop");
        }
        for (state, within) in self.stretches()?.iter().skip(back) {
            if !self.moments(state, goal, true, within)?.is_empty() {
                return Ok(());
            }
        }
        refused("the loop does not visit what was looked for")
    }
}
