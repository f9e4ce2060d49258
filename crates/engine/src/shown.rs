//! What a trace does not say and people want to see: which variables each step changed, and how the run goes on.

use crate::witness::Witness;
pub use certify::refinement::{ActionKind, BrokenRule, PairTrace, PairTraceStep, StartState, SystemRun};
pub use certify::trace::{Trace, TraceEdge, TraceStep};
use certify::{Changes, Ending, Rational};
use model::network::Network;
use std::collections::BTreeMap;

/// Goes with a trace, step by step.
#[derive(Clone, PartialEq, Debug)]
pub struct ShownRun {
    /// False for paths of explicit graphs: they have neither times nor processes.
    pub timed: bool,
    changes: Changes,
    /// Of every variable that changes.
    names: BTreeMap<u32, String>,
    pub final_delay: Option<String>,
    /// What comes after the last step, when that matters.
    pub ending: Option<String>,
}

impl ShownRun {
    /// A path of an explicit graph.
    pub fn untimed() -> ShownRun {
        let (changes, names) = (Changes::default(), BTreeMap::new());
        ShownRun { timed: false, changes, names, final_delay: None, ending: None }
    }

    /// The variables that a step changed, and their new values.
    pub fn changes(&self, step: usize) -> impl Iterator<Item = (&str, i32)> {
        let name = |cell| self.names.get(cell).map_or("", String::as_str);
        self.changes.of(step).iter().map(move |(cell, value)| (name(cell), *value))
    }
}

/// What goes with the witness's trace.
pub fn shown(network: &Network, witness: &Witness) -> ShownRun {
    let changes = witness.replay.changes.clone();
    let mut names = BTreeMap::new();
    for cell in changes.cells() {
        names.entry(cell).or_insert_with(|| network.int_name(cell as usize));
    }
    let zero = Rational::from_integer(0);
    ShownRun {
        timed: true,
        changes,
        names,
        final_delay: (witness.run.final_delay != zero).then(|| witness.run.final_delay.to_string()),
        ending: match witness.run.ending {
            Ending::Open => None,
            Ending::Lasso(step) => Some(format!("and from step {} on for ever", step + 1)),
            Ending::IdleForever => Some("and then nothing happens for ever while time passes".to_owned()),
            Ending::Stuck => Some("and then nothing can happen any more".to_owned()),
        },
    }
}
