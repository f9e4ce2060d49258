//! Runs of one timed I/O system to a state that a reachability query writes, as JSON: `zonewalk.system-run/1`.
//!
//! ```json
//! {"schema": "zonewalk.system-run/1", "start": null,
//!  "steps": [{"delay": "3/2", "time": "3/2", "action": "grant", "kind": "input",
//!             "edges": [{"process": "Machine", "from": "Idle", "to": "Busy", "edge": 0}]}],
//!  "final_delay": "2"}
//! ```
//! The environment sends any input at any time, so a step is an input or an output of the system. Where the query says from which states to
//! start, `start` says in which one the run does: for each component as it occurs in the query its location, its integers and the
//! values of its clocks. All else follows from delays and actions, as in [`counter_example`](super::counter_example), whose rules are used;
//! but a system need not be deterministic here, and where a component can go several ways its edge says which one it goes.

use super::counter_example::{Pair, Result};
use super::local::cells;
use super::pair_trace::{ActionKind, malformed, number};
use super::systems::{System, Systems, action_name};
use crate::error::{Reason, Refusal};
use crate::rational::{Rational, add, subtract};
use crate::trace::TraceEdge;
use model::check::SystemExpr;
use model::deep_stack::on_deep_stack;
use model::network::{LocationId, Network};
use model::syntax::system_state::{Component, Predicate, Relation};
use num_traits::{Signed, Zero};
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "zonewalk.system-run/1";

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct SystemRun {
    pub schema: String,
    pub start: Option<Vec<StartState>>,
    pub steps: Vec<SystemStep>,
    pub final_delay: String,
}

/// Where a component starts.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct StartState {
    pub component: String,
    pub location: String,
    pub ints: Vec<i32>,
    pub clocks: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct SystemStep {
    pub delay: String,
    pub time: String,
    pub action: String,
    pub kind: ActionKind,
    /// Edges of the components; one that ignores an input has none.
    pub edges: Vec<TraceEdge>,
}

/// What a reachability query says: a system, the states to start from if it names some, and the state to reach.
#[derive(Clone, Copy, Debug)]
pub struct SystemGoal<'q> {
    pub system: &'q SystemExpr,
    pub start: Option<&'q Predicate>,
    pub goal: &'q Predicate,
}

impl SystemRun {
    /// A run whose delays, actions and edges are known; a replay finds the rest.
    pub fn new(
        network: &Network,
        start: Option<Vec<StartState>>,
        steps: Vec<(Rational, super::systems::Action, Vec<TraceEdge>)>,
        final_delay: &Rational,
    ) -> SystemRun {
        let mut time = Rational::zero();
        let mut written = Vec::with_capacity(steps.len());
        for (delay, action, edges) in steps {
            time += delay;
            written.push(SystemStep {
                delay: delay.to_string(),
                time: time.to_string(),
                action: action_name(network, action),
                kind: ActionKind::Input,
                edges,
            });
        }
        SystemRun { schema: SCHEMA.to_owned(), start, steps: written, final_delay: final_delay.to_string() }
    }

    /// Replays the run. The same with the edges and kinds of actions that were found, or why it does not reach the state.
    pub fn replay(&self, network: &Network, asked: SystemGoal<'_>) -> Result<SystemRun> {
        on_deep_stack(|| self.replayed(network, asked))
    }

    fn replayed(&self, network: &Network, asked: SystemGoal<'_>) -> Result<SystemRun> {
        let (systems, system) = Systems::one(network, asked.system);
        let mut states = States { pair: Pair::new(network, &systems)?, network, systems };
        match (&self.start, asked.start) {
            (None, None) => {}
            (Some(start), Some(predicate)) => {
                states.begin(start)?;
                if !states.holds(predicate)? {
                    return Err(claim_false("the run does not start where the query says"));
                }
            }
            _ => return Err(malformed("the query and the run do not agree on a state to start from".to_owned())),
        }
        if !states.pair.holds(&system)? {
            return Err(Refusal::new(Reason::NoInitialState, "the invariants do not hold at the start"));
        }
        let mut steps = Vec::with_capacity(self.steps.len());
        let mut time = Rational::zero();
        for (n, step) in self.steps.iter().enumerate() {
            let mut made = || {
                let delay = number(&step.delay)?;
                time = add(&time, &delay)?;
                if number(&step.time)? != time {
                    let said = &step.time;
                    return Err(malformed(format!("the time is given as {said}, and the delays so far make {time}")));
                }
                states.step(&system, &delay, step)
            };
            steps.push(made().map_err(|refusal| refusal.at(n))?);
        }
        states.pair.wait(&[&system], &number(&self.final_delay)?)?;
        if !states.holds(asked.goal)? {
            return Err(claim_false("the run does not end in the state to reach"));
        }
        Ok(SystemRun { steps, ..self.clone() })
    }

    /// Whether the document names the same edges and kinds of actions as its replay.
    pub fn agrees(&self, replayed: &SystemRun) -> Result<()> {
        if self.schema != SCHEMA {
            return Err(malformed(format!("the schema is `{}`, not `{SCHEMA}`", self.schema)));
        }
        match self.steps.iter().zip(&replayed.steps).position(|(own, found)| own != found) {
            Some(n) => Err(malformed("other edges are taken than those that are written".to_owned()).at(n)),
            None => Ok(()),
        }
    }
}

fn claim_false(text: &str) -> Refusal {
    Refusal::new(Reason::ClaimFalse, text)
}

struct States<'n> {
    network: &'n Network,
    systems: Systems<'n>,
    pair: Pair<'n>,
}

impl States<'_> {
    /// Puts the components where they start.
    fn begin(&mut self, start: &[StartState]) -> Result<()> {
        if start.len() != self.systems.leaves.len() {
            return Err(malformed("the run starts with other components than the query has".to_owned()));
        }
        for (leaf, state) in start.iter().enumerate() {
            let process = self.systems.leaves[leaf];
            let template = self.network.template_of(process);
            let own = &self.network.ints[cells(self.network, process)];
            let named = *self.network.process(process).name == *state.component;
            let location = template.locations.iter().position(|location| *location.name == *state.location);
            let in_range = |(value, cell): (&i32, &model::network::IntCell)| match cell.meta {
                true => *value == cell.initial,
                false => cell.range.contains(*value),
            };
            let fits = named && own.len() == state.ints.len() && state.ints.iter().zip(own).all(in_range);
            let (true, Some(location)) = (fits, location) else {
                let text = format!("`{}` has no such state to start from", state.component);
                return Err(malformed(text));
            };
            let clocks = state.clocks.iter().map(|value| number(value)).collect::<Result<Vec<Rational>>>()?;
            if clocks.len() != template.state.clocks as usize || clocks.iter().any(Signed::is_negative) {
                return Err(malformed(format!("`{}` has no such values of its clocks", state.component)));
            }
            self.pair.put(leaf, LocationId::new(location), &state.ints, &clocks)?;
        }
        Ok(())
    }

    fn step(&mut self, system: &System, delay: &Rational, step: &SystemStep) -> Result<SystemStep> {
        self.pair.wait(&[system], delay)?;
        let known = system.inputs.iter().chain(&system.outputs);
        let Some(action) = known.copied().find(|action| action_name(self.network, *action) == step.action) else {
            return Err(malformed(format!("the system has no action `{}`", step.action)));
        };
        self.pair.chosen.clone_from(&step.edges);
        let Some(changes) = self.pair.successor(system, action)? else {
            return Err(Refusal::new(Reason::GuardFalse, "the system cannot make the action"));
        };
        let kind = if system.outputs.contains(&action) { ActionKind::Output } else { ActionKind::Input };
        Ok(SystemStep { kind, edges: self.pair.apply(changes)?, ..step.clone() })
    }

    fn holds(&mut self, predicate: &Predicate) -> Result<bool> {
        match predicate {
            Predicate::Truth(value) => Ok(*value),
            Predicate::At { component, location } => {
                let leaf = self.leaf(component)?;
                let template = self.network.template_of(self.systems.leaves[leaf]);
                let named = template.locations.iter().position(|other| *other.name == **location);
                let Some(named) = named else { return Err(unknown(component, location)) };
                Ok(self.pair.location(leaf).index() == named)
            }
            Predicate::Compare { component, variable, relation, constant } => {
                let leaf = self.leaf(component)?;
                let value = self.value(leaf, component, variable)?;
                let difference = subtract(&value, &Rational::from_integer(i128::from(*constant)))?;
                let order = difference.cmp(&Rational::zero());
                Ok(match relation {
                    Relation::Lt => order.is_lt(),
                    Relation::Le => order.is_le(),
                    Relation::Eq => order.is_eq(),
                    Relation::Ge => order.is_ge(),
                    Relation::Gt => order.is_gt(),
                    Relation::Ne => order.is_ne(),
                })
            }
            Predicate::Not(inner) => Ok(!self.holds(inner)?),
            Predicate::All(parts) | Predicate::Any(parts) => {
                let decides = matches!(predicate, Predicate::Any(_));
                for part in parts {
                    if self.holds(part)? == decides {
                        return Ok(decides);
                    }
                }
                Ok(!decides)
            }
        }
    }

    /// The one occurrence of a component that a query names.
    fn leaf(&self, component: &Component) -> Result<usize> {
        let fits = |leaf: &usize| {
            let instance = self.systems.instances[*leaf].as_ref();
            *self.network.process(self.systems.leaves[*leaf]).name == *component.name
                && component.instance.as_ref().is_none_or(|wanted| instance.is_some_and(|own| **own == **wanted))
        };
        let mut found = (0..self.systems.leaves.len()).filter(fits);
        match (found.next(), found.next()) {
            (Some(leaf), None) => Ok(leaf),
            _ => Err(malformed(format!("the query does not say which component `{}` is", component.name))),
        }
    }

    fn value(&mut self, leaf: usize, component: &Component, name: &str) -> Result<Rational> {
        let template = self.network.template_of(self.systems.leaves[leaf]);
        let variable = template.variables.iter().find(|variable| *variable.name == *name);
        let Some(variable) = variable else { return Err(unknown(component, name)) };
        let extent = variable.ty.extent();
        match (extent.clocks, extent.ints) {
            (1, 0) => self.pair.clock(leaf, variable.offset.clocks as usize),
            (0, 1) => Ok(Rational::from_integer(self.pair.int(leaf, variable.offset.ints as usize).into())),
            _ => Err(unknown(component, name)),
        }
    }
}

fn unknown(component: &Component, name: &str) -> Refusal {
    malformed(format!("`{}` has no location, clock or integer `{name}`", component.name))
}
