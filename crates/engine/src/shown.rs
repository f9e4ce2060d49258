//! A replayed run for people: per step the time, the action, who moved from where to where, and only what changed.

use crate::witness::Witness;
use certify::{Ending, Rational, State};
use model::network::Network;

/// One step of a run in words.
#[derive(Clone, PartialEq, Debug)]
pub struct ShownStep {
    /// The moment of the action.
    pub time: String,
    pub delay: String,
    pub action: String,
    /// Process, from, to.
    pub moves: Vec<(String, String, String)>,
    /// Variables and their new values.
    pub changes: Vec<(String, String)>,
}

/// A run in words.
#[derive(Clone, PartialEq, Debug)]
pub struct ShownRun {
    pub steps: Vec<ShownStep>,
    pub final_delay: Option<String>,
    /// What comes after the last step, when that matters.
    pub ending: Option<String>,
}

pub fn shown(network: &Network, witness: &Witness) -> ShownRun {
    let mut before = &witness.replay.initial;
    let mut steps = Vec::new();
    for (n, step) in witness.trace.steps.iter().enumerate() {
        // A run that fails has a last step that leads nowhere.
        let after = witness.replay.steps.get(n).map_or(before, |(_, after)| after);
        steps.push(ShownStep {
            time: step.time.clone().unwrap_or_default(),
            delay: step.delay.clone(),
            action: step.action.clone(),
            moves: step.edges.iter().map(|edge| (edge.process.clone(), edge.from.clone(), edge.to.clone())).collect(),
            changes: changes(network, before, after),
        });
        before = after;
    }
    let zero = Rational::from_integer(0);
    ShownRun {
        steps,
        final_delay: (witness.run.final_delay != zero).then(|| witness.run.final_delay.to_string()),
        ending: match witness.run.ending {
            Ending::Open => None,
            Ending::Lasso(step) => Some(format!("and from step {} on for ever", step + 1)),
            Ending::IdleForever => Some("and then nothing happens for ever while time passes".to_owned()),
            Ending::Stuck => Some("and then nothing can happen any more".to_owned()),
        },
    }
}

fn changes(network: &Network, before: &State, after: &State) -> Vec<(String, String)> {
    let pairs = before.discrete.ints.iter().zip(&after.discrete.ints).enumerate();
    pairs
        .filter(|(_, (old, new))| old != new)
        .map(|(cell, (_, new))| (network.int_name(cell), new.to_string()))
        .collect()
}
