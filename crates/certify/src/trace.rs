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
use crate::run::{Ending, Move, Run, Step};
use model::network::{ChannelId, EdgeId, LocationId, Network, ProcessId};
use model::syntax::ast::Name;
use num_traits::Zero;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

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
    #[serde(default = "nameless", with = "shared")]
    pub action: Name,
    pub edges: Vec<TraceEdge>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct TraceEdge {
    #[serde(with = "shared")]
    pub process: Name,
    #[serde(with = "shared")]
    pub from: Name,
    #[serde(with = "shared")]
    pub to: Name,
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

/// Names as JSON strings. They are shared, because a long run names the same few things over and over.
mod shared {
    use super::Name;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(name: &Name, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(name)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        String::deserialize(deserializer).map(Name::from)
    }
}

/// The names of a network, each made once.
pub(crate) struct Names<'n> {
    network: &'n Network,
    tau: Name,
    processes: HashMap<ProcessId, Name>,
    channels: HashMap<ChannelId, Name>,
}

impl<'n> Names<'n> {
    pub(crate) fn new(network: &'n Network) -> Names<'n> {
        Names { network, tau: Name::from("tau"), processes: HashMap::new(), channels: HashMap::new() }
    }

    fn process(&mut self, process: ProcessId) -> Name {
        let name = || Name::from(self.network.process(process).name.as_str());
        self.processes.entry(process).or_insert_with(name).clone()
    }

    fn action(&mut self, channel: Option<ChannelId>) -> Name {
        let Some(channel) = channel else { return self.tau.clone() };
        let name = || Name::from(self.network.channel_name(channel));
        self.channels.entry(channel).or_insert_with(name).clone()
    }
}

fn nameless() -> Name {
    Name::from("")
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
    /// The steps of a run with names, and how it ends.
    pub(crate) fn new(run: &Run, steps: Vec<TraceStep>) -> Trace {
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
        serde_json::from_str(text).map_err(|error| malformed(format!("this is no trace: {error}")))
    }

    /// Whether the document says of each step what a replay of its run found: the moment, and the action. What it leaves out is no
    /// claim.
    pub fn agrees(&self, found: &Trace) -> Result<(), Refusal> {
        if self.steps.len() != found.steps.len() {
            return Err(malformed(format!("{} of {} steps are made", found.steps.len(), self.steps.len())));
        }
        for (n, (step, found)) in self.steps.iter().zip(&found.steps).enumerate() {
            if !step.action.is_empty() && step.action != found.action {
                return Err(malformed(format!("the action is `{}`, not `{}`", found.action, step.action)).at(n));
            }
        }
        Ok(())
    }

    /// The run with its names looked up; where names and numbers do not agree the step is named.
    pub fn run(&self, network: &Network) -> Result<Run, Refusal> {
        if self.schema != SCHEMA {
            return Err(malformed(format!("the schema is `{}`, not `{SCHEMA}`", self.schema)));
        }
        let processes = network.processes.iter().enumerate();
        let processes = processes.map(|(n, process)| (process.name.as_str(), ProcessId::new(n))).collect();
        let mut steps = Vec::with_capacity(self.steps.len());
        let mut now = Rational::zero();
        for (n, step) in self.steps.iter().enumerate() {
            steps.push(step.read(network, &processes, &mut now).map_err(|refusal| refusal.at(n))?);
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

/// Processes by their names.
type Processes<'n> = HashMap<&'n str, ProcessId>;

fn number(text: &str) -> Result<Rational, Refusal> {
    parse(text).ok_or_else(|| malformed(format!("`{text}` is not a fraction such as `3/2`")))
}

impl TraceStep {
    /// A step that was taken at a moment; the channel, if any, is its action.
    pub(crate) fn new(names: &mut Names, step: &Step, time: Rational, channel: Option<ChannelId>) -> TraceStep {
        TraceStep {
            delay: step.delay.to_string(),
            time: Some(time.to_string()),
            action: names.action(channel),
            edges: step.moves.iter().map(|one| TraceEdge::new(names, one)).collect(),
        }
    }

    fn read(&self, network: &Network, processes: &Processes, now: &mut Rational) -> Result<Step, Refusal> {
        let delay = number(&self.delay)?;
        *now = add(now, &delay)?;
        if let Some(time) = &self.time
            && number(time)? != *now
        {
            return Err(malformed(format!("the time is given as {time}, and the delays so far make {now}")));
        }
        let moves = self.edges.iter().map(|edge| edge.read(network, processes)).collect::<Result<_, _>>()?;
        Ok(Step { delay, moves })
    }
}

impl TraceEdge {
    fn new(names: &mut Names, one: &Move) -> TraceEdge {
        let template = names.network.template_of(one.process);
        let edge = template.edge(one.edge);
        let name = |location: LocationId| template.location(location).name.clone();
        TraceEdge {
            process: names.process(one.process),
            from: name(edge.source),
            to: edge.branches.get(one.branch).map_or_else(nameless, |branch| name(branch.target)),
            edge: one.edge.index(),
            select: one.select.clone(),
            branch: one.branch,
        }
    }

    fn read(&self, network: &Network, processes: &Processes) -> Result<Move, Refusal> {
        let Some(process) = processes.get(&*self.process).copied() else {
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
