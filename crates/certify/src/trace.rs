//! Runs as JSON: `zonewalk.trace/1`.
//!
//! ```json
//! {"schema": "zonewalk.trace/1",
//!  "steps": [{"delay": "3/2", "time": "3/2", "action": "appr[0]",
//!             "edges": [{"process": "Train(0)", "from": "Safe", "to": "Appr", "edge": 0}]}],
//!  "final_delay": "0", "ending": "open"}
//! ```
//! Edges carry `select` and `branch` where they have any. The ending is `"open"`, `"idle"`, `"stuck"` or `{"lasso": 2}`.
//! Times are exact fractions; `time` is the moment of the action. An internal action is called `tau`.

use crate::error::{Reason, Refusal};
use crate::rational::{Rational, add, parse};
use crate::replay::Replay;
use crate::run::{Ending, Move, Run, Step};
use crate::semantics::Semantics;
use model::deep_stack::on_deep_stack;
use model::network::{EdgeId, LocationId, Network, ProcessId};
use num_traits::Zero;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "zonewalk.trace/1";

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Trace {
    pub schema: String,
    pub steps: Vec<TraceStep>,
    #[serde(default = "zero")]
    pub final_delay: String,
    #[serde(default)]
    pub ending: TraceEnding,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct TraceStep {
    pub delay: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    #[serde(default)]
    pub action: String,
    pub edges: Vec<TraceEdge>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct TraceEdge {
    pub process: String,
    pub from: String,
    pub to: String,
    pub edge: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub select: Vec<i32>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub branch: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum TraceEnding {
    #[default]
    Open,
    Idle,
    Stuck,
    Lasso(usize),
}

fn zero() -> String {
    "0".to_owned()
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

fn malformed(text: String) -> Refusal {
    Refusal::new(Reason::Malformed, text)
}

impl Trace {
    /// A replayed run, with names. The replay may stop before the last step, where that step is the one that fails.
    pub fn new(network: &Network, run: &Run, replay: &Replay) -> Trace {
        on_deep_stack(|| Trace::with_names(&Semantics::new(network), run, replay))
    }

    fn with_names(semantics: &Semantics, run: &Run, replay: &Replay) -> Trace {
        let network = semantics.network();
        let steps = (run.steps.iter().enumerate())
            .map(|(n, step)| {
                let failing = || semantics.delay(replay.before(n), &step.delay).unwrap_or_else(|_| replay.last.clone());
                let state = &replay.steps.get(n).map_or_else(failing, |(state, _)| state.clone());
                let channel = step
                    .moves
                    .first()
                    .and_then(|one| semantics.offer(&state.discrete, one.process, one.edge, &one.select).channel);
                TraceStep {
                    delay: step.delay.to_string(),
                    time: Some(state.time.to_string()),
                    action: channel.map_or("tau".to_owned(), |(channel, _)| network.channel_name(channel)),
                    edges: step.moves.iter().map(|one| TraceEdge::new(network, one)).collect(),
                }
            })
            .collect();
        let ending = match run.ending {
            Ending::Open => TraceEnding::Open,
            Ending::IdleForever => TraceEnding::Idle,
            Ending::Stuck => TraceEnding::Stuck,
            Ending::Lasso(to) => TraceEnding::Lasso(to),
        };
        Trace { schema: SCHEMA.to_owned(), steps, final_delay: run.final_delay.to_string(), ending }
    }

    /// Reads a document; nothing is looked up in a network yet.
    pub fn parse(text: &str) -> Result<Trace, Refusal> {
        let trace: Trace =
            serde_json::from_str(text).map_err(|error| malformed(format!("this is no trace: {error}")))?;
        if trace.schema != SCHEMA {
            return Err(malformed(format!("the schema is `{}`, not `{SCHEMA}`", trace.schema)));
        }
        Ok(trace)
    }

    /// The run with its names looked up; where names and numbers do not agree the step is named.
    pub fn run(&self, network: &Network) -> Result<Run, Refusal> {
        let mut steps = Vec::with_capacity(self.steps.len());
        let mut now = Rational::zero();
        for (n, step) in self.steps.iter().enumerate() {
            steps.push(step.read(network, &mut now).map_err(|refusal| refusal.at(n))?);
        }
        let ending = match self.ending {
            TraceEnding::Open => Ending::Open,
            TraceEnding::Idle => Ending::IdleForever,
            TraceEnding::Stuck => Ending::Stuck,
            TraceEnding::Lasso(to) => Ending::Lasso(to),
        };
        Ok(Run { steps, final_delay: number(&self.final_delay)?, ending })
    }
}

fn number(text: &str) -> Result<Rational, Refusal> {
    parse(text).ok_or_else(|| malformed(format!("`{text}` is not a fraction such as `3/2`")))
}

impl TraceStep {
    fn read(&self, network: &Network, now: &mut Rational) -> Result<Step, Refusal> {
        let delay = number(&self.delay)?;
        *now = add(now, &delay)?;
        if let Some(time) = &self.time
            && number(time)? != *now
        {
            return Err(malformed(format!("the time is given as {time}, and the delays so far make {now}")));
        }
        let moves = self.edges.iter().map(|edge| edge.read(network)).collect::<Result<_, _>>()?;
        Ok(Step { delay, moves })
    }
}

impl TraceEdge {
    fn new(network: &Network, one: &Move) -> TraceEdge {
        let template = network.template_of(one.process);
        let edge = template.edge(one.edge);
        let name = |location: LocationId| template.location(location).name.to_string();
        TraceEdge {
            process: network.process(one.process).name.clone(),
            from: name(edge.source),
            to: edge.branches.get(one.branch).map_or(String::new(), |branch| name(branch.target)),
            edge: one.edge.index(),
            select: one.select.clone(),
            branch: one.branch,
        }
    }

    fn read(&self, network: &Network) -> Result<Move, Refusal> {
        let found = network.processes.iter().position(|process| process.name == self.process);
        let Some(process) = found.map(ProcessId::new) else {
            return Err(Refusal::new(Reason::UnknownProcess, format!("there is no process `{}`", self.process)));
        };
        let template = network.template_of(process);
        let Some(edge) = template.edges.get(self.edge) else {
            let text = format!("`{}` has no edge {}: it has {}", self.process, self.edge, template.edges.len());
            return Err(Refusal::new(Reason::UnknownEdge, text));
        };
        let Some(branch) = edge.branches.get(self.branch) else {
            let text = format!("edge {} of `{}` has no branch {}", self.edge, self.process, self.branch);
            return Err(Refusal::new(Reason::UnknownBranch, text));
        };
        let ends = [edge.source, branch.target].map(|location| &*template.location(location).name);
        if ends != [&*self.from, &*self.to] {
            let [from, to] = ends;
            let text = format!(
                "edge {} of `{}` leads from `{from}` to `{to}`, not from `{}` to `{}`",
                self.edge, self.process, self.from, self.to
            );
            return Err(malformed(text));
        }
        Ok(Move { process, edge: EdgeId::new(self.edge), select: self.select.clone(), branch: self.branch })
    }
}
