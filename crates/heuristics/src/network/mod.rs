//! Guidance in the zone graph of a network: one of the estimates, operators, relaxed plans, and a cache of estimates.
//!
//! Estimates ignore clocks, so states of the same discrete part have the same one: with a cache it is computed once (Mcta's
//! `-c2`). A graph distance costs less than looking it up, so only relaxed plans are cached. Relaxed plans are those of `hU`
//! whatever the estimate is.

pub mod conditions;
pub mod graph_distance;
pub mod operators;

use crate::guidance::{Guidance, Operator};
use crate::interrupt::Interrupt;
use crate::relaxed::{Relaxation, task::Task};
use graph_distance::{GraphDistance, Joined};
use model::network::{EdgeId, ExprId};
use operators::Operators;
use search::heuristic::Estimate;
use search::keys::Keys;
use semantics::code::{Discrete, Machine, PredicateId};
use semantics::formula::{Formula, of_predicate};
use semantics::zone_graph::{Sketch, State, ZoneGraph};

/// The estimates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// 0 everywhere.
    Null,
    /// The largest graph distance.
    LargestDistance,
    /// The sum of graph distances.
    SumOfDistances,
    /// The layers of a relaxed plan.
    Layers,
    /// The transitions of a relaxed plan.
    RelaxedPlan,
}

impl Kind {
    /// Whether it never exceeds the true distance.
    pub fn is_admissible(self) -> bool {
        matches!(self, Kind::Null | Kind::LargestDistance | Kind::Layers)
    }

    fn uses_plans(self) -> bool {
        matches!(self, Kind::Layers | Kind::RelaxedPlan)
    }
}

/// An entry of the cache that is not there yet, and the one of a dead end.
const UNKNOWN: u32 = u32::MAX;
const DEAD: u32 = u32::MAX - 1;

pub struct NetworkGuidance<'n> {
    kind: Kind,
    predicate: PredicateId,
    machine: Machine,
    operators: Operators,
    distance: Option<GraphDistance<'n>>,
    relaxation: Option<Relaxation<'n>>,
    cache: Option<Cache>,
    /// The relaxed plan of the state with these words.
    planned: Vec<u64>,
    plan: Vec<(u32, u32)>,
    counted: Vec<(u32, u32)>,
    evaluations: u64,
    /// The edges behind actions, for distances without an operator.
    edges: Vec<(u32, u32)>,
}

struct Cache {
    keys: Keys,
    values: Vec<u32>,
}

impl<'n> NetworkGuidance<'n> {
    /// `plans`: relaxed plans will be asked for, whatever the estimate. `predicate` is the goal, compiled in the graph. After an
    /// interruption every estimate is a dead end that is not reliable.
    pub fn new(
        graph: &ZoneGraph<'n>,
        goal: ExprId,
        predicate: PredicateId,
        kind: Kind,
        plans: bool,
        caches: bool,
        mut interrupt: Interrupt,
    ) -> NetworkGuidance<'n> {
        let structure = &graph.structure;
        // What is false everywhere is still explored: people measure state spaces so.
        let kind = if of_predicate(structure.network, goal) == Formula::FALSE { Kind::Null } else { kind };
        let operators = Operators::new(structure);
        let distance = match kind {
            Kind::LargestDistance => Some(GraphDistance::new(structure, goal, Joined::Maximum)),
            Kind::SumOfDistances => Some(GraphDistance::new(structure, goal, Joined::Sum)),
            _ => None,
        };
        let relaxation = (plans || kind.uses_plans()).then(|| {
            let task = Task::new(structure, &operators, goal, &mut interrupt);
            Relaxation::new(task, interrupt)
        });
        let words = search::system::Covering::key_words(graph);
        let cache = (caches && kind.uses_plans()).then(|| Cache { keys: Keys::new(words), values: Vec::new() });
        let mut edges = Vec::new();
        if distance.is_some() {
            for (n, process) in structure.network.processes.iter().enumerate() {
                let template = structure.network.template(process.template);
                for expanded in &template.expanded {
                    let branches = template.edge(expanded.edge).branches.len();
                    edges.extend(std::iter::repeat_n((n as u32, expanded.edge.index() as u32), branches));
                }
            }
        }
        NetworkGuidance {
            kind,
            predicate,
            machine: Machine::default(),
            operators,
            distance,
            relaxation,
            cache,
            planned: Vec::new(),
            plan: Vec::new(),
            counted: Vec::new(),
            evaluations: 0,
            edges,
        }
    }

    /// The estimate of a state from scratch; `None` for a dead end.
    pub fn fresh(&mut self, state: &Discrete) -> Option<u32> {
        self.evaluations += 1;
        match self.kind {
            Kind::Null => Some(0),
            Kind::LargestDistance | Kind::SumOfDistances => self.distance.as_mut()?.enter(state),
            Kind::Layers | Kind::RelaxedPlan => self.relaxed(state, None),
        }
    }

    fn relaxed(&mut self, state: &Discrete, banned: Option<(u32, u32)>) -> Option<u32> {
        let relaxation = self.relaxation.as_mut()?;
        let layers = relaxation.evaluate(state, banned)?;
        if self.kind == Kind::Layers {
            return Some(layers);
        }
        self.counted.clear();
        relaxation.plan(&mut self.counted);
        Some(self.counted.len() as u32)
    }

    fn cached(&mut self, words: &[u64], state: &Discrete) -> Option<u32> {
        let key = self.cache.as_mut().and_then(|cache| cache.keys.intern(words)).map(|key| key as usize);
        let Some(key) = key else { return self.fresh(state) };
        if let Some(cache) = &mut self.cache {
            if cache.values.len() <= key {
                cache.values.resize(key + 1, UNKNOWN);
            }
            match cache.values[key] {
                UNKNOWN => {}
                DEAD => return None,
                value => return Some(value),
            }
        }
        let value = self.fresh(state);
        if let Some(cache) = &mut self.cache {
            cache.values[key] = value.map_or(DEAD, |value| value.min(DEAD - 1));
        }
        value
    }

    /// All dead ends are reliable, since they ignore nothing but time, unless an evaluation was interrupted.
    fn judged(&self, value: Option<u32>) -> Estimate {
        let reliable = self.relaxation.as_ref().is_none_or(|relaxation| !relaxation.interrupt.is_over());
        value.map_or(Estimate::DeadEnd { reliable }, Estimate::Value)
    }

    /// Makes `plan` the relaxed plan of a state.
    fn plan_for(&mut self, words: &[u64], state: &Discrete) -> bool {
        if self.planned == words {
            return true;
        }
        self.planned.clear();
        self.plan.clear();
        let Some(relaxation) = &mut self.relaxation else { return false };
        if relaxation.evaluate(state, None).is_none() {
            return false;
        }
        relaxation.plan(&mut self.plan);
        self.planned.extend_from_slice(words);
        true
    }
}

impl<'n> Guidance<ZoneGraph<'n>> for NetworkGuidance<'n> {
    fn enter(&mut self, _: &ZoneGraph<'n>, state: &State) -> Estimate {
        let value = match &mut self.distance {
            Some(distance) => distance.enter(&state.discrete),
            None => self.cached(state.words(), &state.discrete),
        };
        self.judged(value)
    }

    fn estimate(&mut self, _: &ZoneGraph<'n>, sketch: Sketch<'_>) -> Estimate {
        let value = match &mut self.distance {
            Some(distance) => {
                self.evaluations += 1;
                distance.estimate(&sketch)
            }
            None => self.cached(sketch.words, sketch.target),
        };
        self.judged(value)
    }

    fn may_be_goal(&mut self, graph: &ZoneGraph<'n>, sketch: Sketch<'_>) -> bool {
        self.machine.truth(&graph.structure.programs, self.predicate, sketch.target).unwrap_or(true)
    }

    fn operator(&mut self, graph: &ZoneGraph<'n>, _: u32, sketch: Sketch<'_>) -> Operator {
        self.operators.of_moves(&graph.structure, sketch.moves, sketch.channel)
    }

    fn plan(&mut self, _: &ZoneGraph<'n>, state: &State, plan: &mut Vec<Operator>) {
        if self.plan_for(state.words(), &state.discrete) {
            plan.extend(self.plan.iter().map(|pair| self.operators.of_pair(*pair)));
        }
    }

    fn without(&mut self, _: &ZoneGraph<'n>, state: &State, operator: Operator) -> Estimate {
        let pair = self.operators.pair(operator);
        if let Some(distance) = &mut self.distance {
            self.evaluations += 1;
            let edge = |action: u32| {
                let (process, edge) = *self.edges.get(action as usize)?;
                Some((process as usize, EdgeId::new(edge as usize)))
            };
            let edges: Vec<(usize, EdgeId)> = [edge(pair.0), edge(pair.1)].into_iter().flatten().collect();
            let value = distance.without(&state.discrete, &edges);
            return self.judged(value);
        }
        if self.kind == Kind::Null {
            return Estimate::Value(0);
        }
        // A plan without the operator is one of the network without it.
        if !self.plan_for(state.words(), &state.discrete) || self.plan.binary_search(&pair).is_err() {
            let value = self.cached(state.words(), &state.discrete);
            return self.judged(value);
        }
        self.evaluations += 1;
        let value = self.relaxed(&state.discrete, Some(pair));
        // Other states may not do without it: nothing is said of the whole network.
        value.map_or(Estimate::DeadEnd { reliable: false }, Estimate::Value)
    }

    fn operators(&self) -> u64 {
        self.operators.total()
    }

    fn evaluations(&self) -> u64 {
        self.evaluations
    }

    fn bytes(&self) -> usize {
        self.operators.bytes()
            + self.distance.as_ref().map_or(0, GraphDistance::bytes)
            + self.cache.as_ref().map_or(0, |cache| cache.keys.bytes() + cache.values.capacity() * 4)
    }
}
