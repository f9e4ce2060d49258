//! What refinement is about: the rules, and a run that breaks one.
//!
//! `S <= T` holds if a relation of pairs contains the initial one and in each of its pairs: what T
//! may receive S may receive, what S may output T may output, and T may wait as long as S
//! (definition of Goorden and others 2023). An action that only one side knows is made by that side
//! alone: an input of T, or an output of S. Both sides are deterministic, so the pair after an
//! action is given, and the relation can only be the set of reachable pairs
//! ([`pairs`](crate::pairs)): a search looks for one that breaks a rule.

use crate::pairs::{Label, Pair, Pairs};
use crate::world::Step;
use search::goal::Goal;
use search::system::TransitionSystem;
use std::ops::ControlFlow;
use zones::Constraint;

/// An action of both sides, or of one.
#[derive(Clone, Debug)]
pub struct PairStep {
    pub action: u32,
    pub output: bool,
    pub left: Option<Step>,
    pub right: Option<Step>,
}

/// Which rule a pair breaks, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Broken {
    /// The left side outputs what the right one cannot.
    Output { action: u32, left: Step, place: Vec<Constraint> },
    /// The right side receives what the left one cannot.
    Input { action: u32, right: Step, place: Vec<Constraint> },
    /// The left side may wait longer: up to where the constraint on the right side is broken.
    Delay { limit: Constraint },
}

/// The steps that lead to a pair that breaks a rule.
#[derive(Clone, Debug)]
pub struct Violation {
    pub path: Vec<PairStep>,
    pub broken: Broken,
}

/// A rule is broken.
#[derive(Clone, Copy, Default, Debug)]
pub struct BreaksRule;

impl<'w, 'n> Goal<Pairs<'w, 'n>> for BreaksRule {
    fn holds(&mut self, _: &Pairs<'w, 'n>, pair: &Pair) -> Result<bool, <Pairs<'w, 'n> as TransitionSystem>::Error> {
        Ok(pair.broken.is_some())
    }

    /// Said of the step, so that a broken rule is not stored like a pair.
    fn holds_for_step(&mut self, _: &Pairs<'w, 'n>, label: Label) -> bool {
        label.breaks
    }
}

impl Pairs<'_, '_> {
    /// The violation at the end of a trace to a pair that breaks a rule; `None` if the labels do
    /// not lead to one.
    pub fn violation(&self, labels: &[Label]) -> Option<Violation> {
        let mut scratch = <Self as TransitionSystem>::Scratch::default();
        let mut at: Option<Pair> = None;
        // What fails elsewhere is of no concern here.
        let _ = self.initial(&mut scratch, &mut |pair| {
            at = Some(pair.clone());
            ControlFlow::Break(())
        });
        let (mut at, mut path) = (at?, Vec::with_capacity(labels.len()));
        for label in labels {
            let mut next = None;
            let _ = self.successors(&mut scratch, &at, &mut |own, pair| {
                if own != *label {
                    return ControlFlow::Continue(());
                }
                next = Some(pair.clone());
                ControlFlow::Break(())
            });
            let next = next?;
            if matches!(next.broken, None | Some(Broken::Delay { .. })) {
                path.push(self.step(&at.state.slots, *label));
            }
            at = next;
        }
        Some(Violation { path, broken: at.broken? })
    }
}
