//! The digitised semantics, explored state by state with the rules of `certify`, which shares no code with the engines.
//!
//! Time passes in ticks. In a network whose comparisons are all weak a tick of one time unit shows every discrete state that
//! dense time reaches (Henzinger, Manna, Pnueli 1992), so an exploration that came to its end is the whole truth about
//! these. In others ticks are fractions, and what is found is some of what there is: enough to catch an engine that proves
//! too much, while an engine that finds too much is caught by the replay of its witness.
//!
//! States are kept as they are after an action. Clocks beyond every constant are as good as at the cap, unless clocks are
//! compared with each other or lowered.

use crate::draft::Traits;
use certify::formula::{Atom, Formula};
use certify::line::Interval;
use certify::transition::Transition;
use certify::{Discrete, Literal, Rational, Semantics, State, rational};
use model::network::{ClockId, Network, Relation};
use std::collections::{BTreeSet, HashMap};

/// What a query asks of single states.
#[derive(Clone, Default)]
pub struct Wanted {
    /// A predicate and whether it is to hold; without one every state is meant.
    pub literal: Option<Literal>,
    /// The clock whose values are asked for; it may depend on the state.
    pub clocks: Vec<Picked>,
}

/// A clock that is meant in the states in which an integer cell has a value, or in all.
#[derive(Clone, Copy)]
pub struct Picked {
    pub clock: ClockId,
    pub by: Option<(usize, i32)>,
}

/// A state as it is after an action, clocks in ticks.
pub struct Node {
    pub discrete: Discrete,
    pub clocks: Vec<i64>,
    /// The states after a delay and an action, each with whether the delay took time.
    pub next: Vec<(usize, bool)>,
    /// Time may pass for ever.
    pub idle: bool,
    /// Nothing can happen any more.
    pub stuck: bool,
}

#[derive(Default)]
pub struct Explicit {
    pub nodes: Vec<Node>,
    pub discrete: BTreeSet<Discrete>,
    /// For each query the discrete states that meet it at some moment.
    pub found: Vec<BTreeSet<Discrete>>,
    /// For each query the values of its clock.
    pub values: Vec<Values>,
    /// Something cannot be evaluated in a reachable state.
    pub error: bool,
    /// Every state was looked at.
    pub complete: bool,
    pub has_initial: bool,
    pub ticks: i64,
    /// Clocks of nodes are not more than this many ticks, if it means anything: then they may be more.
    pub cap: Option<i64>,
}

/// The least and the largest value of a clock, with whether it is only approached; no largest: no bound.
#[derive(Clone, Default, Debug)]
pub struct Values {
    pub least: Option<(Rational, bool)>,
    pub largest: Option<(Option<Rational>, bool)>,
    /// Some values are only known to be beyond the cap.
    pub beyond: bool,
}

/// Beyond every constant of the networks, in time units of scale 1.
const BEYOND: i64 = 10;

struct Explorer<'n> {
    semantics: Semantics<'n>,
    result: Explicit,
    known: HashMap<(Discrete, Vec<i64>), usize>,
    transitions: HashMap<Discrete, Vec<Transition>>,
    limit: usize,
}

/// An error of the model, or something that `certify` does not evaluate.
pub struct Failed;

pub fn explore(network: &Network, traits: Traits, scale: i64, wanted: &[Wanted], limit: usize) -> Explicit {
    let ticks = match (traits.closed, network.clocks.len()) {
        (true, _) => 1,
        (_, 0 | 1) => 2,
        _ => 4,
    };
    let saturates = !traits.diagonal && !traits.lowers;
    let result = Explicit {
        found: vec![BTreeSet::new(); wanted.len()],
        values: vec![Values::default(); wanted.len()],
        complete: true,
        ticks,
        cap: saturates.then_some(BEYOND * scale * ticks),
        ..Explicit::default()
    };
    let (semantics, known, transitions) = (Semantics::new(network), HashMap::new(), HashMap::new());
    let mut explorer = Explorer { semantics, result, known, transitions, limit };
    let Ok(initial) = explorer.semantics.initial() else { return explorer.result };
    explorer.result.has_initial = true;
    let clocks = initial.clocks.iter().map(|clock| *clock.numer() as i64 * ticks).collect();
    explorer.node(initial.discrete, clocks);
    let last = BEYOND * scale * ticks + ticks;
    let mut at = 0;
    while at < explorer.result.nodes.len() {
        if explorer.expand(at, wanted, last).is_err() {
            explorer.result.error = true;
            explorer.result.nodes[at].stuck = false;
        }
        at += 1;
    }
    explorer.result
}

impl Explorer<'_> {
    /// The number of a state; none when there are too many.
    fn node(&mut self, discrete: Discrete, clocks: Vec<i64>) -> Option<usize> {
        let key = (discrete, clocks);
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        let nodes = &mut self.result.nodes;
        if nodes.len() >= self.limit {
            self.result.complete = false;
            return None;
        }
        self.known.insert(key.clone(), nodes.len());
        let (discrete, clocks) = key;
        self.result.discrete.insert(discrete.clone());
        nodes.push(Node { discrete, clocks, next: Vec::new(), idle: false, stuck: false });
        Some(nodes.len() - 1)
    }

    fn expand(&mut self, at: usize, wanted: &[Wanted], last: i64) -> Result<(), Failed> {
        let (discrete, clocks) = (self.result.nodes[at].discrete.clone(), self.result.nodes[at].clocks.clone());
        let (ticks, cap) = (self.result.ticks, self.result.cap);
        let exact = |value: &i64| Rational::new(i128::from(*value), i128::from(ticks));
        let state = State {
            discrete: discrete.clone(),
            clocks: clocks.iter().map(exact).collect(),
            time: rational::integer(0),
        };
        let allowed = self.semantics.delays(&state)?;
        let rates = self.semantics.rates(&discrete)?;
        for (n, wanted) in wanted.iter().enumerate() {
            let moments = match wanted.literal {
                Some(Literal { predicate, holds }) => self.semantics.moments(&state, predicate, holds, &allowed)?,
                None => vec![allowed.clone()],
            };
            if !moments.is_empty() && !self.result.found[n].contains(&discrete) {
                self.result.found[n].insert(discrete.clone());
            }
            let is_meant = |picked: &&Picked| picked.by.is_none_or(|(cell, value)| discrete.ints[cell] == value);
            if let Some(clock) = wanted.clocks.iter().find(is_meant).map(|picked| picked.clock.index()) {
                let capped = cap.is_some_and(|cap| clocks[clock] >= cap);
                for moments in &moments {
                    self.result.values[n].add(&state.clocks[clock], rates[clock], moments, capped);
                }
            }
        }
        self.result.nodes[at].idle = allowed.to.is_none();
        self.result.nodes[at].stuck = self.semantics.is_deadlock(&state)?;
        if !self.transitions.contains_key(&discrete) {
            self.transitions.insert(discrete.clone(), self.semantics.transitions(&discrete));
        }
        let (mut failed, evaluated) = (None, self.semantics.evaluated(&discrete));
        for delay in 0..=last {
            if !within(&allowed, delay, ticks) {
                break;
            }
            let now: Vec<i64> = clocks.iter().zip(&rates).map(|(clock, rate)| clock + delay * rate).collect();
            failed = evaluated.iter().find_map(|guard| holds(guard, &now, ticks).err()).or(failed);
            let mut next = Vec::new();
            for transition in &self.transitions[&discrete] {
                match holds(&transition.exists, &now, ticks) {
                    Ok(false) => {}
                    Ok(true) => {
                        let Ok((target, map)) = &transition.effect else { continue };
                        let value = |n: usize| {
                            let (source, offset) = map.value(ClockId::new(n));
                            let value = source.map_or(0, |source| now[source.index()]) + offset * ticks;
                            cap.map_or(value, |cap| value.min(cap))
                        };
                        next.push((target.clone(), (0..now.len()).map(value).collect()));
                    }
                    Err(error) => failed = Some(error),
                }
            }
            for (target, clocks) in next {
                if let Some(node) = self.node(target, clocks) {
                    self.result.nodes[at].next.push((node, delay > 0));
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

impl Values {
    /// A clock begins with a value and grows during the moments. What it really is when it is capped is not known.
    fn add(&mut self, value: &Rational, rate: i64, moments: &Interval, capped: bool) {
        let rate = Rational::from_integer(i128::from(rate));
        let still = rate == Rational::from_integer(0);
        let from = (value + moments.from * rate, moments.from_open && !still);
        let to = match moments.to {
            _ if still => (Some(*value), false),
            Some(to) => (Some(value + to * rate), moments.to_open),
            None => (None, true),
        };
        self.beyond |= capped;
        if !capped && self.least.is_none_or(|least| from < least) {
            self.least = Some(from);
        }
        let more = |(known, open): (Option<Rational>, bool)| match (known, to.0) {
            (None, _) => false,
            (_, None) => true,
            (Some(known), Some(value)) => value > known || value == known && open && !to.1,
        };
        if self.largest.is_none_or(more) {
            self.largest = Some(to);
        }
    }
}

fn within(allowed: &Interval, delay: i64, ticks: i64) -> bool {
    allowed.contains(&Rational::new(i128::from(delay), i128::from(ticks)))
}

impl From<certify::EvalError> for Failed {
    fn from(_: certify::EvalError) -> Failed {
        Failed
    }
}

/// Whether a formula holds at one moment. From left to right, as far as needed.
pub fn holds(formula: &Formula, clocks: &[i64], ticks: i64) -> Result<bool, Failed> {
    let holds = |formula: &Formula| holds(formula, clocks, ticks);
    Ok(match formula {
        Formula::True | Formula::Rate(..) => true,
        Formula::False | Formula::Deadlock => false,
        Formula::Atom(atom) => compares(atom, clocks, ticks),
        Formula::Not(inner) => !holds(inner)?,
        Formula::And(parts) => {
            for part in parts {
                if !holds(part)? {
                    return Ok(false);
                }
            }
            true
        }
        Formula::Or(parts) => {
            for part in parts {
                if holds(part)? {
                    return Ok(true);
                }
            }
            false
        }
        Formula::Error(_) => return Err(Failed),
    })
}

fn compares(atom: &Atom, clocks: &[i64], ticks: i64) -> bool {
    let value = |clock: Option<ClockId>| clock.map_or(0, |clock| clocks[clock.index()]);
    let (difference, bound) = (value(atom.plus) - value(atom.minus), atom.bound * ticks);
    match atom.relation {
        Relation::Lt => difference < bound,
        Relation::Le => difference <= bound,
        Relation::Eq => difference == bound,
        Relation::Ne => difference != bound,
        Relation::Ge => difference >= bound,
        Relation::Gt => difference > bound,
    }
}
