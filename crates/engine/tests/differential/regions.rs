//! The region graph (Alur, Dill 1994), explored state by state with the rules of `certify`, which shares no code with the engines,
//! and what it says about infinite runs.
//!
//! Valuations with the same whole parts, up to the largest constant, and the same order of fractions have the same runs as
//! far as discrete states and predicates go. Each region is kept as one valuation of it: fractions are multiples of
//! `2 / D` where D is larger than twice the number of clocks, so that `1 / D` is a moment before anything else happens. A
//! step is an action, or time up to the next region. Exact for every network without comparisons between clocks and
//! without stopwatches; too large for any but the smallest.

use crate::explicit::{Failed, holds};
use certify::transition::Transition;
use certify::{Discrete, Rational, Semantics, State, rational};
use model::network::{ClockId, ExprId, Network};
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Action,
    Time,
    /// Time, to the end of a time unit since the start.
    Tick,
}

struct Node {
    steps: Vec<(usize, Step)>,
    /// Time passes for ever and nothing changes.
    idle: bool,
    /// Which of the predicates hold.
    holds: Vec<bool>,
}

/// All reachable regions; the first is the initial one.
pub struct Regions {
    nodes: Vec<Node>,
}

/// A predicate of the list, or its negation.
#[derive(Clone, Copy)]
pub struct Condition {
    pub predicate: usize,
    pub holds: bool,
}

/// Whether time units are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Units {
    Counted,
    Ignored,
}

type Key = (Discrete, Vec<i64>);

struct Explorer<'n> {
    semantics: Semantics<'n>,
    /// Parts of a time unit.
    parts: i64,
    /// The largest constant, in these parts.
    cap: i64,
    units: Units,
    transitions: HashMap<Discrete, Vec<Transition>>,
}

impl Regions {
    /// `None` when there are more regions than `limit`, no initial state, or an error.
    pub fn explore(
        network: &Network,
        predicates: &[ExprId],
        largest: i64,
        units: Units,
        limit: usize,
    ) -> Option<Regions> {
        let parts = 2 * (network.clocks.len() as i64 + 2);
        let semantics = Semantics::new(network);
        let initial = semantics.initial().ok()?;
        let mut explorer = Explorer { semantics, parts, cap: largest * parts, units, transitions: HashMap::new() };
        let mut clocks: Vec<i64> = initial.clocks.iter().map(|clock| *clock.numer() as i64 * parts).collect();
        // The last clock counts time units.
        clocks.push(0);
        let first = (initial.discrete, explorer.region(&clocks));
        let mut numbers: HashMap<Key, usize> = HashMap::from([(first.clone(), 0)]);
        let mut keys = vec![first];
        let mut nodes = Vec::new();
        while let Some(key) = keys.get(nodes.len()).cloned() {
            let (node, next) = explorer.expand(&key, predicates).ok()?;
            let mut node = node;
            for (key, step) in next {
                let number = *numbers.entry(key.clone()).or_insert_with(|| {
                    keys.push(key);
                    keys.len() - 1
                });
                node.steps.push((number, step));
            }
            nodes.push(node);
            if keys.len() > limit {
                return None;
            }
        }
        Some(Regions { nodes })
    }

    fn meets(&self, node: usize, condition: Condition) -> bool {
        self.nodes[node].holds[condition.predicate] == condition.holds
    }

    /// The regions from which some maximal run meets the condition at every moment.
    fn staying(&self, condition: Condition) -> Vec<bool> {
        let inside: Vec<bool> = (0..self.nodes.len()).map(|node| self.meets(node, condition)).collect();
        let component = self.components(&inside);
        let within = |from: usize, to: usize| inside[from] && inside[to] && component[from] == component[to];
        let mut good: Vec<bool> = (0..self.nodes.len())
            .map(|n| {
                let node = &self.nodes[n];
                let cycles = || node.steps.iter().any(|(to, step)| *step == Step::Action && within(n, *to));
                inside[n] && (node.idle || node.steps.is_empty() || cycles())
            })
            .collect();
        loop {
            let more: Vec<usize> = (0..self.nodes.len())
                .filter(|n| inside[*n] && !good[*n] && self.nodes[*n].steps.iter().any(|(to, _)| good[*to]))
                .collect();
            if more.is_empty() {
                return good;
            }
            more.into_iter().for_each(|n| good[n] = true);
        }
    }

    /// Whether some maximal run meets the condition at every moment.
    pub fn always(&self, condition: Condition) -> bool {
        self.staying(condition)[0]
    }

    /// Whether some run meets the first condition and from then on never the second.
    pub fn unanswered(&self, from: Condition, to: Condition) -> bool {
        let staying = self.staying(Condition { holds: !to.holds, ..to });
        (0..self.nodes.len()).any(|n| staying[n] && self.meets(n, from))
    }

    /// Whether some run takes infinitely many actions and meets the condition infinitely often while time diverges.
    pub fn infinitely(&self, condition: Condition) -> bool {
        let component = self.components(&vec![true; self.nodes.len()]);
        let mut found = vec![[false; 3]; self.nodes.len()];
        for (n, node) in self.nodes.iter().enumerate() {
            found[component[n]][0] |= self.meets(n, condition);
            for (to, step) in node.steps.iter().filter(|(to, _)| component[*to] == component[n]) {
                let _ = to;
                found[component[n]][1] |= *step == Step::Action;
                found[component[n]][2] |= *step == Step::Tick;
            }
        }
        found.contains(&[true; 3])
    }

    /// Numbers of the strongly connected components of the graph cut down to some nodes (Kosaraju, Sharir).
    fn components(&self, inside: &[bool]) -> Vec<usize> {
        let mut backwards = vec![Vec::new(); self.nodes.len()];
        let mut forwards = vec![Vec::new(); self.nodes.len()];
        for (n, node) in self.nodes.iter().enumerate().filter(|(n, _)| inside[*n]) {
            for (to, _) in node.steps.iter().filter(|(to, _)| inside[*to]) {
                forwards[n].push(*to);
                backwards[*to].push(n);
            }
        }
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        (0..self.nodes.len()).for_each(|start| leave(&forwards, start, &mut seen, &mut order));
        seen.fill(false);
        let mut component = vec![0; self.nodes.len()];
        for (number, start) in order.into_iter().rev().enumerate() {
            let mut members = Vec::new();
            leave(&backwards, start, &mut seen, &mut members);
            members.into_iter().for_each(|member| component[member] = number);
        }
        component
    }
}

/// Appends what is reached from `start` and not yet seen, in the order in which the search leaves it.
fn leave(steps: &[Vec<usize>], start: usize, seen: &mut [bool], left: &mut Vec<usize>) {
    let mut stack = Vec::new();
    if !std::mem::replace(&mut seen[start], true) {
        stack.push((start, 0));
    }
    while let Some((at, next)) = stack.last_mut() {
        match steps[*at].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                left.push(*at);
                stack.pop();
            }
        }
    }
}

impl Explorer<'_> {
    fn is_beyond(&self, value: i64) -> bool {
        value > self.cap
    }

    /// The valuation that stands for the region of this one.
    fn region(&self, clocks: &[i64]) -> Vec<i64> {
        let mut fractions: Vec<i64> =
            clocks.iter().filter(|value| !self.is_beyond(**value)).map(|value| value % self.parts).collect();
        fractions.push(0);
        fractions.sort_unstable();
        fractions.dedup();
        let place = |value: &i64| match self.is_beyond(*value) {
            true => self.cap + self.parts,
            false => {
                let rank = fractions.partition_point(|fraction| *fraction < value % self.parts) as i64;
                value / self.parts * self.parts + 2 * rank
            }
        };
        clocks.iter().map(place).collect()
    }

    fn expand(&mut self, key: &Key, predicates: &[ExprId]) -> Result<(Node, Vec<(Key, Step)>), Failed> {
        let (discrete, clocks) = key;
        let exact = |value: &i64| Rational::new(i128::from(*value), i128::from(self.parts));
        let (counter, known) = clocks.split_last().ok_or(Failed)?;
        let state =
            State { discrete: discrete.clone(), clocks: known.iter().map(exact).collect(), time: rational::integer(0) };
        let mut holding = Vec::new();
        for predicate in predicates {
            holding.push(self.semantics.holds(&state, *predicate)?);
        }
        let allowed = self.semantics.delays(&state)?;
        let mut next = Vec::new();
        let transitions =
            self.transitions.entry(discrete.clone()).or_insert_with(|| self.semantics.transitions(discrete));
        let mut targets = Vec::new();
        for transition in transitions.iter() {
            if holds(&transition.exists, known, self.parts)? {
                let Ok((target, map)) = &transition.effect else { return Err(Failed) };
                let value = |n: usize| {
                    let (source, offset) = map.value(ClockId::new(n));
                    source.map_or(0, |source| known[source.index()]) + offset * self.parts
                };
                let clocks: Vec<i64> = (0..known.len()).map(value).chain([*counter]).collect();
                targets.push((target.clone(), clocks));
            }
        }
        next.extend(targets.into_iter().map(|(target, clocks)| ((target, self.region(&clocks)), Step::Action)));
        let counted = self.units == Units::Counted;
        let moving: Vec<i64> =
            known.iter().copied().filter(|value| !self.is_beyond(*value)).chain(counted.then_some(*counter)).collect();
        let fraction = moving.iter().map(|value| value % self.parts).max();
        let delay = match fraction {
            None => None,
            Some(_) if moving.iter().any(|value| value % self.parts == 0) => Some(1),
            Some(largest) => Some(self.parts - largest),
        };
        if let Some(delay) = delay
            && allowed.contains(&exact(&delay))
        {
            let mut later: Vec<i64> = clocks.iter().map(|value| value + delay).collect();
            let last = later.len() - 1;
            let ticks = counted && later[last] == self.parts;
            if ticks || !counted {
                later[last] = 0;
            }
            next.push(((discrete.clone(), self.region(&later)), if ticks { Step::Tick } else { Step::Time }));
        }
        let idle = delay.is_none() && allowed.to.is_none();
        Ok((Node { steps: Vec::new(), idle, holds: holding }, next))
    }
}
