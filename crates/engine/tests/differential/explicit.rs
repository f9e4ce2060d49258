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
use certify::{Discrete, Rational, Semantics, State, rational};
use model::network::{ClockId, ExprId, Network, Relation};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// A predicate to look for, or its negation.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub predicate: ExprId,
    pub holds: bool,
}

pub struct Explicit {
    pub discrete: BTreeSet<Discrete>,
    /// For each predicate whether some state meets it, and which discrete states do.
    pub found: Vec<BTreeSet<Discrete>>,
    /// Something cannot be evaluated in a reachable state.
    pub error: bool,
    /// Every state was looked at.
    pub complete: bool,
    pub has_initial: bool,
}

/// Beyond every constant of the networks, in time units of scale 1.
const BEYOND: i64 = 10;

struct Explorer<'n> {
    semantics: Semantics<'n>,
    ticks: i64,
    cap: i64,
    saturates: bool,
    transitions: HashMap<Discrete, Vec<Transition>>,
}

/// An error of the model, or something that `certify` does not evaluate.
struct Failed;

pub fn explore(network: &Network, traits: Traits, scale: i64, wanted: &[Wanted], limit: usize) -> Explicit {
    let ticks = match (traits.closed, network.clocks.len()) {
        (true, _) => 1,
        (_, 0 | 1) => 2,
        _ => 4,
    };
    let mut explorer = Explorer {
        semantics: Semantics::new(network),
        ticks,
        cap: BEYOND * scale * ticks,
        saturates: !traits.diagonal && !traits.errors,
        transitions: HashMap::new(),
    };
    let mut result = Explicit {
        discrete: BTreeSet::new(),
        found: vec![BTreeSet::new(); wanted.len()],
        error: false,
        complete: true,
        has_initial: true,
    };
    let Ok(initial) = explorer.semantics.initial() else {
        result.has_initial = false;
        return result;
    };
    let clocks = initial.clocks.iter().map(|clock| *clock.numer() as i64 * ticks).collect();
    let first = (initial.discrete, clocks);
    let mut seen: HashSet<(Discrete, Vec<i64>)> = HashSet::from([first.clone()]);
    let mut waiting = VecDeque::from([first]);
    while let Some((discrete, clocks)) = waiting.pop_front() {
        result.discrete.insert(discrete.clone());
        let mut next = Vec::new();
        if explorer.expand(&discrete, &clocks, wanted, &mut result, &mut next).is_err() {
            result.error = true;
        }
        for state in next {
            if seen.len() >= limit {
                result.complete = false;
                break;
            }
            if seen.insert(state.clone()) {
                waiting.push_back(state);
            }
        }
    }
    result
}

impl Explorer<'_> {
    fn expand(
        &mut self,
        discrete: &Discrete,
        clocks: &[i64],
        wanted: &[Wanted],
        result: &mut Explicit,
        next: &mut Vec<(Discrete, Vec<i64>)>,
    ) -> Result<(), Failed> {
        let exact = |value: &i64| Rational::new(i128::from(*value), i128::from(self.ticks));
        let state = State {
            discrete: discrete.clone(),
            clocks: clocks.iter().map(exact).collect(),
            time: rational::integer(0),
        };
        let allowed = self.semantics.delays(&state)?;
        for (wanted, found) in wanted.iter().zip(&mut result.found) {
            if !found.contains(discrete)
                && !self.semantics.moments(&state, wanted.predicate, wanted.holds, &allowed)?.is_empty()
            {
                found.insert(discrete.clone());
            }
        }
        let transitions =
            self.transitions.entry(discrete.clone()).or_insert_with(|| self.semantics.transitions(discrete));
        let mut failed = None;
        for delay in 0..=self.cap + self.ticks {
            if !within(&allowed, delay, self.ticks) {
                break;
            }
            let now: Vec<i64> = clocks.iter().map(|clock| clock + delay).collect();
            for transition in transitions.iter() {
                match holds(&transition.exists, &now, self.ticks) {
                    Ok(false) => {}
                    Ok(true) => {
                        let Ok((target, map)) = &transition.effect else { continue };
                        let value = |n: usize| {
                            let (source, offset) = map.value(ClockId::new(n));
                            let value = source.map_or(0, |source| now[source.index()]) + offset * self.ticks;
                            if self.saturates { value.min(self.cap) } else { value }
                        };
                        next.push((target.clone(), (0..now.len()).map(value).collect()));
                    }
                    Err(error) => failed = Some(error),
                }
            }
        }
        failed.map_or(Ok(()), Err)
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
fn holds(formula: &Formula, clocks: &[i64], ticks: i64) -> Result<bool, Failed> {
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
