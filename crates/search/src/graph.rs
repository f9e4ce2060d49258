//! Explicit graphs: states are numbers, labels are edges with names. Read from Aldebaran files (`aut`) or built
//! in memory. They implement every trait, so that each strategy runs on them; the subsumption-free case.
//! Cost: 12 bytes an edge, 8 bytes a state with successors, each distinct name once.

use crate::system::{Covering, Deferred, Describe, Levelled, Relation, TransitionSystem, Visit, VisitInitial};
use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::ops::{ControlFlow, Range};

/// Names an edge of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EdgeId(u32);

impl EdgeId {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is wrong with the numbers of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphError {
    /// A state number that is not below the number of states.
    NoSuchState(u64),
    /// More edges or names than there are numbers for.
    TooBig,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchState(state) => write!(f, "there is no state {state}"),
            Self::TooBig => write!(f, "the graph has too many edges"),
        }
    }
}

impl std::error::Error for GraphError {}

/// An explicit graph with one initial state.
#[derive(Debug, Clone)]
pub struct Graph {
    initial: u32,
    states: u32,
    /// Source, label and target of each edge, sorted by source; edges of one source in the order given.
    edges: Vec<[u32; 3]>,
    /// The states that have successors, in order, and where their edges begin. A state that is named by no edge
    /// takes no room, however many a file claims to have.
    sources: Vec<[u32; 2]>,
    names: Vec<Box<str>>,
    /// Per entry of `sources`: its topological level.
    levels: Vec<u32>,
}

/// Collects edges.
#[derive(Debug, Clone)]
pub struct GraphBuilder {
    initial: u32,
    states: u32,
    edges: Vec<[u32; 3]>,
    names: Vec<Box<str>>,
    name_ids: HashMap<Box<str>, u32>,
}

impl GraphBuilder {
    pub fn new(initial: u32, states: u32) -> Result<Self, GraphError> {
        if initial >= states {
            return Err(GraphError::NoSuchState(u64::from(initial)));
        }
        Ok(Self { initial, states, edges: Vec::new(), names: Vec::new(), name_ids: HashMap::new() })
    }

    pub fn edge(&mut self, from: u32, name: &str, to: u32) -> Result<(), GraphError> {
        if let Some(state) = [from, to].into_iter().find(|&state| state >= self.states) {
            return Err(GraphError::NoSuchState(u64::from(state)));
        }
        if self.edges.len() >= u32::MAX as usize - 1 {
            return Err(GraphError::TooBig);
        }
        let name = match self.name_ids.get(name) {
            Some(&id) => id,
            None => {
                let id = self.names.len() as u32;
                self.names.push(name.into());
                self.name_ids.insert(name.into(), id);
                id
            }
        };
        self.edges.push([from, name, to]);
        Ok(())
    }

    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    pub fn build(mut self) -> Graph {
        self.edges.sort_by_key(|&[from, ..]| from);
        let mut sources: Vec<[u32; 2]> = Vec::new();
        for (index, &[from, ..]) in (0..).zip(&self.edges) {
            if sources.last().is_none_or(|&[last, _]| last != from) {
                sources.push([from, index]);
            }
        }
        let mut graph = Graph {
            initial: self.initial,
            states: self.states,
            edges: self.edges,
            sources,
            names: self.names,
            levels: Vec::new(),
        };
        graph.levels = graph.topological_levels();
        graph
    }
}

impl Graph {
    /// A graph in memory: initial state, number of states, edges.
    pub fn from_edges(initial: u32, states: u32, edges: &[(u32, &str, u32)]) -> Result<Self, GraphError> {
        let mut builder = GraphBuilder::new(initial, states)?;
        for &(from, name, to) in edges {
            builder.edge(from, name, to)?;
        }
        Ok(builder.build())
    }

    pub const fn initial_state(&self) -> u32 {
        self.initial
    }

    pub const fn states(&self) -> u32 {
        self.states
    }

    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    pub fn label_name(&self, edge: EdgeId) -> &str {
        &self.names[self.edges[edge.index()][1] as usize]
    }

    /// The distinct label names, in the order of first use.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// Source and target of an edge.
    pub fn ends(&self, edge: EdgeId) -> (u32, u32) {
        let [from, _, to] = self.edges[edge.index()];
        (from, to)
    }

    pub fn has_successors(&self, state: u32) -> bool {
        self.source(state).is_some()
    }

    /// Where `state` is in `sources`; at its own place if every state has successors.
    fn source(&self, state: u32) -> Option<usize> {
        match self.sources.get(state as usize) {
            Some(&[from, _]) if from == state => Some(state as usize),
            _ => self.sources.binary_search_by_key(&state, |&[from, _]| from).ok(),
        }
    }

    fn edges_at(&self, source: usize) -> Range<usize> {
        let end = self.sources.get(source + 1).map_or(self.edges.len(), |&[_, start]| start as usize);
        self.sources[source][1] as usize..end
    }

    /// The edges out of `state`.
    pub fn edges_of(&self, state: u32) -> impl Iterator<Item = (EdgeId, u32)> + '_ {
        let range = self.source(state).map_or(0..0, |source| self.edges_at(source));
        range.map(|index| (EdgeId(index as u32), self.edges[index][2]))
    }

    /// Reverse postorder of a depth-first search, back edges ignored: 0 for the initial state.
    fn topological_levels(&self) -> Vec<u32> {
        let mut levels = vec![u32::MAX; self.sources.len()];
        let mut seen = vec![false; self.sources.len()];
        let mut finished = Vec::new();
        let mut stack: Vec<(usize, Range<usize>)> = Vec::new();
        if let Some(source) = self.source(self.initial) {
            seen[source] = true;
            stack.push((source, self.edges_at(source)));
        }
        while let Some((source, rest)) = stack.last_mut() {
            let Some(edge) = rest.next() else {
                finished.push(*source);
                stack.pop();
                continue;
            };
            if let Some(next) = self.source(self.edges[edge][2])
                && !seen[next]
            {
                seen[next] = true;
                stack.push((next, self.edges_at(next)));
            }
        }
        for (level, source) in (0..).zip(finished.into_iter().rev()) {
            levels[source] = level;
        }
        levels
    }
}

impl TransitionSystem for Graph {
    type State = u32;
    type Label = EdgeId;
    type Scratch = ();
    type Error = Infallible;

    fn initial(&self, (): &mut (), visit: &mut VisitInitial<'_, Self>) -> Result<(), Infallible> {
        let _ = visit(&self.initial);
        Ok(())
    }

    fn successors(&self, (): &mut (), from: &u32, visit: &mut Visit<'_, Self>) -> Result<(), Infallible> {
        let _ = self.edges_of(*from).try_for_each(|(edge, to)| visit(edge, &to));
        Ok(())
    }
}

impl Covering for Graph {
    type Unit = u8;

    fn key_words(&self) -> usize {
        1
    }

    fn key(&self, state: &u32, words: &mut [u64]) {
        words[0] = u64::from(*state);
    }

    fn pack(&self, _: &u32, _: &mut Vec<u8>) {}

    fn unpack(&self, key: &[u64], _: &[u8], state: &mut u32) {
        *state = key[0] as u32;
    }

    fn relate(&self, _: &[u8], _: &u32) -> Relation {
        Relation::Covers
    }
}

impl Deferred for Graph {
    /// The target.
    type Sketch<'s> = u32;

    fn sketches(
        &self,
        (): &mut (),
        from: &u32,
        mut visit: impl FnMut(EdgeId, u32) -> ControlFlow<()>,
    ) -> Result<(), Infallible> {
        let _ = self.edges_of(*from).try_for_each(|(edge, to)| visit(edge, to));
        Ok(())
    }

    fn sketch(
        &self,
        (): &mut (),
        from: &u32,
        label: EdgeId,
        visit: impl FnOnce(EdgeId, u32) -> ControlFlow<()>,
    ) -> Result<(), Infallible> {
        if let Some(&[_, _, to]) = self.edges.get(label.index()).filter(|&&[source, ..]| source == *from) {
            let _ = visit(label, to);
        }
        Ok(())
    }

    fn complete(
        &self,
        scratch: &mut (),
        from: &u32,
        label: EdgeId,
        visit: &mut VisitInitial<'_, Self>,
    ) -> Result<(), Infallible> {
        self.sketch(scratch, from, label, |_, to| visit(&to))
    }
}

impl Levelled for Graph {
    fn level(&self, state: &u32) -> u32 {
        self.source(*state).map_or(u32::MAX, |source| self.levels[source])
    }
}

impl Describe for Graph {
    fn describe_state(&self, state: &u32, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{state}")
    }

    fn describe_label(&self, label: EdgeId, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str(self.label_name(label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diamond() -> Graph {
        let edges = [(0, "b", 2), (3, "back", 0), (0, "a", 1), (1, "c", 3), (2, "c", 3), (1, "a", 2)];
        Graph::from_edges(0, 5, &edges).unwrap()
    }

    #[test]
    fn edges_of_a_state_keep_their_order() {
        let graph = diamond();
        let of = |state| graph.edges_of(state).map(|(edge, to)| (graph.label_name(edge), to)).collect::<Vec<_>>();
        assert_eq!(of(0), [("b", 2), ("a", 1)]);
        assert_eq!(of(4), []);
        assert_eq!(graph.names().collect::<Vec<_>>(), ["b", "back", "a", "c"]);
    }

    #[test]
    fn states_out_of_range_are_refused() {
        assert_eq!(Graph::from_edges(1, 1, &[]).unwrap_err(), GraphError::NoSuchState(1));
        assert_eq!(Graph::from_edges(0, 2, &[(0, "a", 2)]).unwrap_err(), GraphError::NoSuchState(2));
    }

    #[test]
    fn levels_rise_along_edges_but_back_edges() {
        let graph = diamond();
        let level = |state| graph.level(&state);
        assert!(level(0) < level(1) && level(1) < level(2) && level(2) < level(3));
        assert_eq!(level(4), u32::MAX, "never reached");
    }

    #[test]
    fn a_label_repeats_its_step() {
        let graph = diamond();
        let completed = |from: u32, label: EdgeId| {
            let mut found = Vec::new();
            let _ = graph.complete(&mut (), &from, label, &mut |to| {
                found.push(*to);
                ControlFlow::Continue(())
            });
            found
        };
        for from in 0..5 {
            let _ = graph.sketches(&mut (), &from, |label, expected| {
                assert_eq!(completed(from, label), [expected]);
                assert_eq!(completed(from + 1, label), []);
                ControlFlow::Continue(())
            });
        }
        let (mut text, label) = (String::new(), graph.edges_of(3).next().map(|(edge, _)| edge));
        graph.describe_state(&3, &mut text).unwrap();
        label.map(|label| graph.describe_label(label, &mut text));
        assert_eq!(text, "3back");
    }
}
