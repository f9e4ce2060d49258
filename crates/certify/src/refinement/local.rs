//! What a component does in a local state, as conditions on the clocks of a pair.

use super::relation::Local;
use crate::error::{ErrorKind, EvalError};
use crate::formula::{Atom, Formula};
use crate::run::Move;
use crate::semantics::Semantics;
use crate::state::Discrete;
use model::network::*;
use model::syntax::ast::Direction;

type Result<T> = std::result::Result<T, EvalError>;

/// What clocks become: the old value of a clock, if any, plus a constant.
pub(super) type ClockChanges = Vec<(ClockId, (Option<ClockId>, i64))>;

/// One occurrence of a component: where its clocks are among those of the pair.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub process: ProcessId,
    pub first_clock: usize,
    /// Set to 0 by every move of the component; it has one if it may be urgent.
    pub urgency: Option<usize>,
}

/// A local state with everything evaluated.
#[derive(Clone, Debug)]
pub(super) struct Behaviour {
    pub invariant: Formula,
    pub edges: Vec<LocalEdge>,
}

#[derive(Clone, Debug)]
pub(super) struct LocalEdge {
    pub channel: ChannelId,
    pub output: bool,
    /// The guard, and the target's invariant before the updates.
    pub when: Formula,
    pub effect: Result<(Local, ClockChanges)>,
}

fn unsupported(text: &str) -> EvalError {
    EvalError::new(ErrorKind::Unsupported, None, text)
}

/// Whether a process has a location or a channel that may keep time from passing.
pub(super) fn may_be_urgent(network: &Network, process: ProcessId) -> bool {
    let locations = &network.template_of(process).locations;
    locations.iter().any(|location| location.kind != LocationKind::Normal || location.inconsistent)
        || network.channels.iter().any(|channel| channel.kind.urgent)
}

impl Leaf {
    /// The state of the network in which the component is in a local state, and all else as at the start.
    fn discrete(&self, semantics: &Semantics<'_>, local: &Local) -> Result<Discrete> {
        let network = semantics.network();
        let mut discrete = semantics.start()?.discrete;
        discrete.locations[self.process.index()] = local.location;
        discrete.ints[cells(network, self.process)].copy_from_slice(&local.ints);
        Ok(discrete)
    }

    pub fn start(&self, semantics: &Semantics<'_>) -> Result<Local> {
        let network = semantics.network();
        let discrete = semantics.start()?.discrete;
        let ints = discrete.ints[cells(network, self.process)].to_vec();
        Ok(Local { location: discrete.locations[self.process.index()], ints })
    }

    pub fn behaviour(&self, semantics: &Semantics<'_>, local: &Local) -> Result<Behaviour> {
        let network = semantics.network();
        let discrete = self.discrete(semantics, local)?;
        let mut invariant = vec![self.renamed(network, &semantics.invariant_of(&discrete, self.process))?];
        let mut edges = Vec::new();
        let location = network.template_of(self.process).location(local.location);
        let mut urgent = location.kind != LocationKind::Normal || location.inconsistent;
        // Nothing that is drawn at an inconsistent location counts.
        let offers = if location.inconsistent { Vec::new() } else { semantics.offers(&discrete, self.process) };
        for offer in offers {
            let Some((channel, direction)) = offer.channel else {
                return Err(unsupported("an edge without an action"));
            };
            let output = match direction {
                Direction::Send => true,
                Direction::Receive => false,
                Direction::Csp => return Err(unsupported("an action without `?` or `!`")),
            };
            if output && network.channels[channel.index()].kind.urgent {
                if offer.guard != Formula::True {
                    return Err(unsupported("a clock guard on an output over an urgent channel"));
                }
                urgent = true;
            }
            for branch in 0..network.template_of(self.process).edge(offer.edge).branches.len() {
                let step = Move { process: self.process, edge: offer.edge, select: offer.select.clone(), branch };
                let (when, effect) = self.effect(semantics, &discrete, &offer.guard, &step)?;
                edges.push(LocalEdge { channel, output, when, effect });
            }
        }
        if let (true, Some(clock)) = (urgent, self.urgency) {
            invariant.push(at_zero(clock));
        }
        Ok(Behaviour { invariant: Formula::all(invariant), edges })
    }

    #[allow(clippy::type_complexity)]
    fn effect(
        &self,
        semantics: &Semantics<'_>,
        discrete: &Discrete,
        guard: &Formula,
        step: &Move,
    ) -> Result<(Formula, Result<(Local, ClockChanges)>)> {
        let network = semantics.network();
        let (target, map) = match semantics.fire(discrete, std::slice::from_ref(step)) {
            Ok(fired) => fired,
            Err(error) => return Ok((self.renamed(network, guard)?, Err(error))),
        };
        let own = cells(network, self.process);
        let foreign = |n: usize| !own.contains(&n) && target.ints[n] != discrete.ints[n];
        if (0..target.ints.len()).any(foreign) {
            return Err(unsupported("a component changes a global variable"));
        }
        let defined = map
            .demands()
            .iter()
            .map(|(atom, error)| Formula::any([Formula::atom(*atom), Formula::Error(error.clone())]));
        let inside = semantics.invariant_of(&target, self.process).before(&map);
        let when = Formula::all([guard.clone()].into_iter().chain(defined).chain([inside]));
        let mut clocks = ClockChanges::new();
        for (clock, (source, offset)) in map.changes() {
            let source = source.map(|source| self.clock(network, source)).transpose()?;
            clocks.push((self.clock(network, clock)?, (source, offset)));
        }
        clocks.extend(self.urgency.map(|clock| (ClockId::new(clock), (None, 0))));
        let local = Local { location: target.locations[self.process.index()], ints: target.ints[own].to_vec() };
        Ok((self.renamed(network, &when)?, Ok((local, clocks))))
    }

    /// A clock of the component among those of the pair.
    fn clock(&self, network: &Network, clock: ClockId) -> Result<ClockId> {
        let first = network.process(self.process).state.clocks as usize;
        match clock.index().checked_sub(first) {
            Some(own) if own < clock_count(network, self.process) => Ok(ClockId::new(self.first_clock + own)),
            _ => Err(unsupported("a component uses a global clock")),
        }
    }

    fn renamed(&self, network: &Network, formula: &Formula) -> Result<Formula> {
        let all = |parts: &[Formula]| parts.iter().map(|part| self.renamed(network, part)).collect::<Result<Vec<_>>>();
        Ok(match formula {
            Formula::Atom(atom) => {
                let clock = |clock: Option<ClockId>| clock.map(|clock| self.clock(network, clock)).transpose();
                Formula::Atom(Atom { plus: clock(atom.plus)?, minus: clock(atom.minus)?, ..*atom })
            }
            Formula::And(parts) => Formula::And(all(parts)?),
            Formula::Or(parts) => Formula::Or(all(parts)?),
            Formula::Not(inner) => Formula::Not(Box::new(self.renamed(network, inner)?)),
            Formula::Rate(..) => return Err(unsupported("clocks that stop")),
            Formula::True | Formula::False | Formula::Deadlock | Formula::Error(_) => formula.clone(),
        })
    }
}

/// The clock has not moved since it was set to 0.
pub(super) fn at_zero(clock: usize) -> Formula {
    Formula::atom(Atom { plus: Some(ClockId::new(clock)), minus: None, relation: Relation::Le, bound: 0 })
}

/// The integers of a process.
pub(super) fn cells(network: &Network, process: ProcessId) -> std::ops::Range<usize> {
    let own = network.process(process).state;
    own.ints as usize..(own + network.template_of(process).state).ints as usize
}

pub(super) fn clock_count(network: &Network, process: ProcessId) -> usize {
    network.template_of(process).state.clocks as usize
}
