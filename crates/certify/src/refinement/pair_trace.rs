//! Counter-examples of refinements as JSON: `zonewalk.refinement/1`.
//!
//! ```json
//! {"schema": "zonewalk.refinement/1",
//!  "steps": [{"delay": "3/2", "time": "3/2", "action": "grant", "kind": "input",
//!             "left": [{"process": "Machine", "from": "Idle", "to": "Busy", "edge": 0}], "right": []}],
//!  "final_delay": "2", "broken": "output", "action": "coffee"}
//! ```
//! Each step is an output of the left side or an input of the right one, `time` is its moment. `broken` is `output`, `input` or
//! `delay`; a delay has no action. The new input of quotients is called `i_new`, with a `'` if a component
//! outputs a channel of that name.

use super::counter_example::{CounterExample, PairMoves, Rule};
use super::systems::{Action, action_name};
use crate::error::{Reason, Refusal};
use crate::rational::{Rational, add, parse};
use crate::trace::TraceEdge;
use model::network::{ChannelId, Network};
use num_traits::Zero;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

pub const SCHEMA: &str = "zonewalk.refinement/1";

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct PairTrace {
    pub schema: String,
    pub steps: Vec<PairTraceStep>,
    pub final_delay: String,
    pub broken: BrokenRule,
    /// The action that one side makes and the other does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum BrokenRule {
    Output,
    Input,
    Delay,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct PairTraceStep {
    pub delay: String,
    pub time: String,
    pub action: String,
    pub kind: ActionKind,
    /// Edges of the components of each side; one that ignores an input has none.
    pub left: Vec<TraceEdge>,
    pub right: Vec<TraceEdge>,
}

/// An output of the left side, or an input of the right one.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum ActionKind {
    Output,
    Input,
}

pub(super) fn malformed(text: String) -> Refusal {
    Refusal::new(Reason::Malformed, text)
}

pub(super) fn number(text: &str) -> Result<Rational, Refusal> {
    parse(text).ok_or_else(|| malformed(format!("`{text}` is not a fraction such as `3/2`")))
}

impl CounterExample {
    /// With names, and the edges that a replay found.
    pub fn to_trace(&self, network: &Network, moves: Vec<PairMoves>) -> PairTrace {
        let mut names: BTreeMap<Action, String> = BTreeMap::new();
        let mut name = |action: Action| names.entry(action).or_insert_with(|| action_name(network, action)).clone();
        let mut time = Rational::zero();
        let mut steps = Vec::with_capacity(moves.len());
        for ((delay, action), PairMoves { left, right, kind }) in self.steps.iter().zip(moves) {
            time += delay;
            let (delay, time) = (delay.to_string(), time.to_string());
            steps.push(PairTraceStep { delay, time, action: name(*action), kind, left, right });
        }
        let (broken, action) = match self.broken {
            Rule::Output(action) => (BrokenRule::Output, Some(name(action))),
            Rule::Input(action) => (BrokenRule::Input, Some(name(action))),
            Rule::Delay => (BrokenRule::Delay, None),
        };
        PairTrace { schema: SCHEMA.to_owned(), steps, final_delay: self.final_delay.to_string(), broken, action }
    }
}

impl PairTrace {
    /// What the document says, names looked up. Its edges are not looked at: they follow from the actions.
    pub fn counter_example(&self, network: &Network) -> Result<CounterExample, Refusal> {
        if self.schema != SCHEMA {
            return Err(malformed(format!("the schema is `{}`, not `{SCHEMA}`", self.schema)));
        }
        let named = |n: usize| {
            let channel = ChannelId::new(n);
            (network.channel_name(channel), Action::Channel(channel))
        };
        let channels: HashMap<String, Action> = (0..network.channels.len()).map(named).collect();
        let find = |name: &str| match channels.get(name) {
            Some(action) => Ok(*action),
            None if name == action_name(network, Action::New) => Ok(Action::New),
            None => Err(malformed(format!("the model has no action `{name}`"))),
        };
        let mut steps = Vec::with_capacity(self.steps.len());
        let mut now = Rational::zero();
        for (n, step) in self.steps.iter().enumerate() {
            let mut read = || {
                let delay = number(&step.delay)?;
                now = add(&now, &delay)?;
                if number(&step.time)? != now {
                    let said = &step.time;
                    return Err(malformed(format!("the time is given as {said}, and the delays so far make {now}")));
                }
                Ok((delay, find(&step.action)?))
            };
            steps.push(read().map_err(|refusal| refusal.at(n))?);
        }
        let broken = match (self.broken, &self.action) {
            (BrokenRule::Output, Some(action)) => Rule::Output(find(action)?),
            (BrokenRule::Input, Some(action)) => Rule::Input(find(action)?),
            (BrokenRule::Delay, None) => Rule::Delay,
            (BrokenRule::Delay, Some(_)) => return Err(malformed("a delay that is an action".to_owned())),
            (_, None) => return Err(malformed("a broken rule without the action".to_owned())),
        };
        Ok(CounterExample { steps, final_delay: number(&self.final_delay)?, broken })
    }

    /// Whether the document names the same edges and kinds of actions as the replay.
    pub fn agrees(&self, moves: &[PairMoves]) -> Result<(), Refusal> {
        for (n, (step, found)) in self.steps.iter().zip(moves).enumerate() {
            if (&step.left, &step.right, step.kind) != (&found.left, &found.right, found.kind) {
                return Err(malformed("other edges are taken than those that are written".to_owned()).at(n));
            }
        }
        Ok(())
    }
}
