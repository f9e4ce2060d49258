//! Explicit graphs: a graph is one process whose locations are all there is, so every distance of the names for networks is
//! the exact one, by breadth-first search backwards from the goal. An operator is an edge, and a relaxed plan a shortest path.
//!
//! Cost: 4 bytes a state that has an edge.

use crate::guidance::{Guidance, Operator};
use search::graph::{EdgeId, Graph};
use search::heuristic::Estimate;
use std::collections::{HashMap, HashSet, VecDeque};

/// Distances in a graph, or none.
pub struct GraphGuidance {
    /// For states from which the goal can be reached; `None`: nothing is known.
    distances: Option<HashMap<u32, u32>>,
    /// The step that is the goal, for states that have one.
    last: HashMap<u32, EdgeId>,
    edges: u64,
    evaluations: u64,
    /// Distances are for plans only.
    hidden: bool,
}

impl GraphGuidance {
    /// Knows nothing: the estimate `null`.
    pub fn blind(graph: &Graph) -> GraphGuidance {
        GraphGuidance {
            distances: None,
            last: HashMap::new(),
            edges: graph.edges() as u64,
            evaluations: 0,
            hidden: false,
        }
    }

    /// The number of steps to the goal. `is_goal` says of a state, `is_goal_edge` of a step, whether it is the goal.
    pub fn exact(
        graph: &Graph,
        mut is_goal: impl FnMut(u32) -> bool,
        mut is_goal_edge: impl FnMut(EdgeId) -> bool,
    ) -> GraphGuidance {
        let mut before: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut distances: HashMap<u32, u32> = HashMap::new();
        let (mut waiting, mut last) = (VecDeque::new(), HashMap::new());
        let mut seen = HashSet::from([graph.initial_state()]);
        let mut stack = vec![graph.initial_state()];
        while let Some(state) = stack.pop() {
            if is_goal(state) && distances.insert(state, 0).is_none() {
                waiting.push_back(state);
            }
            for (edge, to) in graph.edges_of(state) {
                before.entry(to).or_default().push(state);
                // The step itself still has to be made.
                if is_goal_edge(edge) {
                    last.entry(state).or_insert(edge);
                    if distances.insert(state, 0).is_none() {
                        waiting.push_back(state);
                    }
                }
                if seen.insert(to) {
                    stack.push(to);
                }
            }
        }
        while let Some(state) = waiting.pop_front() {
            let next = distances.get(&state).copied().unwrap_or(0) + 1;
            for source in before.get(&state).into_iter().flatten() {
                if !distances.contains_key(source) {
                    distances.insert(*source, next);
                    waiting.push_back(*source);
                }
            }
        }
        GraphGuidance { distances: Some(distances), last, ..GraphGuidance::blind(graph) }
    }

    /// Distances are used for plans only, and every estimate is 0.
    pub fn hiding_distances(mut self) -> GraphGuidance {
        self.hidden = true;
        self
    }

    fn of(&self, state: u32) -> Estimate {
        match &self.distances {
            None => Estimate::Value(0),
            Some(_) if self.hidden => Estimate::Value(0),
            Some(known) => known.get(&state).map_or(Estimate::DeadEnd { reliable: true }, |n| Estimate::Value(*n)),
        }
    }
}

impl Guidance<Graph> for GraphGuidance {
    fn enter(&mut self, _: &Graph, state: &u32) -> Estimate {
        self.of(*state)
    }

    fn estimate(&mut self, _: &Graph, sketch: u32) -> Estimate {
        self.evaluations += 1;
        self.of(sketch)
    }

    fn operator(&mut self, _: &Graph, label: EdgeId, _: u32) -> Operator {
        label.index() as Operator
    }

    fn plan(&mut self, graph: &Graph, state: &u32, plan: &mut Vec<Operator>) {
        let (Some(known), mut at) = (&self.distances, *state) else { return };
        while let Some(distance) = known.get(&at).filter(|distance| **distance > 0) {
            let nearer = |to: u32| known.get(&to).is_some_and(|next| next < distance);
            let Some((edge, to)) = graph.edges_of(at).find(|(_, to)| nearer(*to)) else { return };
            plan.push(edge.index() as Operator);
            at = to;
        }
        plan.extend(self.last.get(&at).map(|edge| edge.index() as Operator));
    }

    fn without(&mut self, graph: &Graph, state: &u32, operator: Operator) -> Estimate {
        let Some(known) = &self.distances else { return Estimate::Value(0) };
        if known.get(state) == Some(&0) {
            return Estimate::Value(0);
        }
        // The nearest successor by another edge.
        let others = graph.edges_of(*state).filter(|(edge, _)| edge.index() as Operator != operator);
        let best = others.filter_map(|(_, to)| known.get(&to)).min();
        best.map_or(Estimate::DeadEnd { reliable: false }, |best| Estimate::Value(best + 1))
    }

    fn operators(&self) -> u64 {
        self.edges
    }

    fn evaluations(&self) -> u64 {
        self.evaluations
    }

    fn bytes(&self) -> usize {
        self.distances.as_ref().map_or(0, |known| known.capacity() * 16)
    }
}
