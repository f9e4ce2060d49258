//! Small systems for the tests: random explicit graphs and random interval programs, both with a naive
//! exploration to compare with.
#![allow(dead_code)]

pub mod structures;

use search::graph::Graph;
use search::random::Random;
use search::system::{Covering, Levelled, Relation, TransitionSystem, Visit, VisitInitial};
use std::collections::{BTreeSet, VecDeque};

/// A random graph, the number of states and edges drawn up to the given ones.
pub fn random_graph(random: &mut Random, states: u32, edges: u32) -> Graph {
    let states = 1 + random.below(u64::from(states)) as u32;
    let edges: Vec<(u32, &str, u32)> = (0..random.below(u64::from(edges) + 1))
        .map(|_| (random.index(states as usize) as u32, "e", random.index(states as usize) as u32))
        .collect();
    Graph::from_edges(0, states, &edges).expect("states in range")
}

/// The distance of each state from the initial one, by the plainest breadth-first search.
pub fn distances(graph: &Graph) -> Vec<Option<usize>> {
    let mut distances = vec![None; graph.states() as usize];
    distances[graph.initial_state() as usize] = Some(0);
    let mut queue = VecDeque::from([graph.initial_state()]);
    while let Some(state) = queue.pop_front() {
        for (_, to) in graph.edges_of(state) {
            if distances[to as usize].is_none() {
                distances[to as usize] = distances[state as usize].map(|steps| steps + 1);
                queue.push_back(to);
            }
        }
    }
    distances
}

pub const TOP: i32 = 15;

#[derive(Debug, Clone, Copy)]
pub enum Effect {
    Add(i32),
    Set(i32),
    /// To anything from here upwards: time passes.
    Up,
}

/// From a location, if the value is within the bounds, to another with an effect. All effects are monotone.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub from: u32,
    pub to: u32,
    pub low: i32,
    pub high: i32,
    pub effect: Effect,
}

/// Programs over one value from 0 to `TOP`, explored with intervals: the whole of subsumption in small.
#[derive(Debug, Clone)]
pub struct Intervals {
    pub locations: u32,
    pub start: (i32, i32),
    pub rules: Vec<Rule>,
    /// Taking this rule is a run-time error.
    pub faulty: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Interval {
    pub location: u32,
    pub low: i32,
    pub high: i32,
}

impl Interval {
    fn bounds(payload: &[i16]) -> (i32, i32) {
        let bound = |unit: Option<&i16>| unit.map_or(0, |bound| i32::from(*bound));
        (bound(payload.first()), bound(payload.last()))
    }
}

impl Intervals {
    pub fn random(random: &mut Random) -> Self {
        let locations = 1 + random.below(6) as u32;
        let value = |random: &mut Random| random.below(TOP as u64 + 1) as i32;
        let rules = (0..random.below(16))
            .map(|_| {
                let (a, b) = (value(random), value(random));
                let effect = match random.below(3) {
                    0 => Effect::Add(random.below(7) as i32 - 3),
                    1 => Effect::Set(value(random)),
                    _ => Effect::Up,
                };
                let mut location = || random.below(u64::from(locations)) as u32;
                Rule { from: location(), to: location(), low: a.min(b), high: a.max(b), effect }
            })
            .collect();
        let low = value(random);
        Self { locations, start: (low, low), rules, faulty: None }
    }

    fn apply(&self, rule: &Rule, from: &Interval) -> Option<Interval> {
        let (low, high) = (from.low.max(rule.low), from.high.min(rule.high));
        if rule.from != from.location || low > high {
            return None;
        }
        let (low, high) = match rule.effect {
            Effect::Add(n) => ((low + n).clamp(0, TOP), (high + n).clamp(0, TOP)),
            Effect::Set(n) => (n, n),
            Effect::Up => (low, TOP),
        };
        Some(Interval { location: rule.to, low, high })
    }

    /// The successor by one rule, for replaying traces.
    pub fn replay(&self, from: &Interval, label: u32) -> Option<Interval> {
        self.apply(&self.rules[label as usize], from)
    }

    /// All reachable (location, value), one value at a time.
    pub fn reachable(&self) -> BTreeSet<(u32, i32)> {
        let mut seen: BTreeSet<(u32, i32)> = (self.start.0..=self.start.1).map(|value| (0, value)).collect();
        let mut stack: Vec<(u32, i32)> = seen.iter().copied().collect();
        while let Some((location, value)) = stack.pop() {
            for rule in &self.rules {
                let Some(next) = self.apply(rule, &Interval { location, low: value, high: value }) else { continue };
                for value in next.low..=next.high {
                    if seen.insert((next.location, value)) {
                        stack.push((next.location, value));
                    }
                }
            }
        }
        seen
    }
}

impl TransitionSystem for Intervals {
    type State = Interval;
    type Label = u32;
    type Scratch = ();
    type Error = &'static str;

    fn initial(&self, (): &mut (), visit: &mut VisitInitial<'_, Self>) -> Result<(), Self::Error> {
        let _ = visit(&Interval { location: 0, low: self.start.0, high: self.start.1 });
        Ok(())
    }

    fn successors(&self, (): &mut (), from: &Interval, visit: &mut Visit<'_, Self>) -> Result<(), Self::Error> {
        let mut result = Ok(());
        for (label, rule) in (0..).zip(&self.rules) {
            let Some(next) = self.apply(rule, from) else { continue };
            if self.faulty == Some(label) {
                result = Err("faulty rule");
                continue;
            }
            if visit(label, &next).is_break() {
                return Ok(());
            }
        }
        result
    }
}

impl Covering for Intervals {
    type Unit = i16;

    fn key_words(&self) -> usize {
        1
    }

    fn key(&self, state: &Interval, words: &mut [u64]) {
        words[0] = u64::from(state.location);
    }

    fn pack(&self, state: &Interval, units: &mut Vec<i16>) {
        // Points take one unit, and the point 0 none, so that payload lengths differ.
        if state.high != 0 {
            units.push(state.low as i16);
        }
        if state.high != state.low {
            units.push(state.high as i16);
        }
    }

    fn unpack(&self, key: &[u64], payload: &[i16], state: &mut Interval) {
        let (low, high) = Interval::bounds(payload);
        *state = Interval { location: key[0] as u32, low, high };
    }

    fn relate(&self, stored: &[i16], new: &Interval) -> Relation {
        let (low, high) = Interval::bounds(stored);
        if low <= new.low && new.high <= high {
            Relation::Covers
        } else if new.low <= low && high <= new.high {
            Relation::Covered
        } else {
            Relation::Neither
        }
    }
}

impl Levelled for Intervals {
    fn level(&self, state: &Interval) -> u32 {
        state.location
    }

    fn is_largest(&self, state: &Interval) -> bool {
        (state.low, state.high) == (0, TOP)
    }
}
