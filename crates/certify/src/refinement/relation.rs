//! Relations: a set of pairs of states that shows `S <= T`.
//!
//! The definition of refinement asks for a relation, and here it is: discrete pairs with zones over the clocks of both sides;
//! clocks that a zone does not list are free. It is a proof if it contains the initial pair and every pair of it
//!
//! - meets the invariants of both sides, and what becomes of it while S waits meets that of T and is in the relation;
//! - for every output of S: wherever S can make it, T can, and whatever they become is in the relation; where T does not
//!   know the output, S moves alone;
//! - for every input of T: wherever T can take it, S can, likewise.
//!
//! "In the relation" is inclusion in the union of the zones of the discrete pair. Nothing is extrapolated here, and nothing is searched:
//! each zone is looked at once. Whether S and T are deterministic and consistent is no part of what a relation shows; that
//! their actions can be compared at all is.

use super::comparable::{Mismatch, mismatch_of};
use super::local::cells;
use super::pair_states::{PairState, PairStates, Step, some};
use super::systems::{Action, System, Systems, action_name};
use crate::certificate::{StoredZone, covered_by};
use crate::error::{Reason, Refusal};
use crate::formula::{Formula, parts};
use crate::state::ClockMap;
use crate::zone::{Bound, Zone, Zones};
use model::check::SystemExpr;
use model::deep_stack::on_deep_stack;
use model::network::{ClockId, LocationId, Network};
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Relation {
    pub pairs: Vec<Related>,
}

/// A discrete pair with the clock values that are related.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    /// For each component as it occurs in the query, from the left.
    pub components: Vec<Local>,
    /// For each quotient, inner ones first, from the left.
    pub modes: Vec<Mode>,
    pub zones: Vec<PairZone>,
}

/// The location and the integers of one component.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Local {
    pub location: LocationId,
    pub ints: Vec<i32>,
}

/// What has become of a quotient.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Mode {
    Pair,
    Universal,
    Inconsistent,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PairClock {
    /// The clock of an occurrence of a component, both counted from 0.
    Component { leaf: usize, clock: usize },
    /// Runs since the last move of a component that may be urgent.
    Urgency(usize),
    /// Runs since a quotient became inconsistent.
    Quotient(usize),
}

/// A zone over some clocks; the matrix is that of a [`StoredZone`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairZone {
    pub clocks: Vec<PairClock>,
    pub bounds: Vec<Bound>,
}

/// Checks that the relation shows `left <= right`.
pub fn check_relation(
    network: &Network,
    left: &SystemExpr,
    right: &SystemExpr,
    relation: &Relation,
) -> Result<(), Refusal> {
    check_relation_while(network, left, right, relation, &mut || true).map(|_| ())
}

/// As [`check_relation`], as long as the caller wants: it is asked before each zone. `false`: the check was given up.
pub fn check_relation_while(
    network: &Network,
    left: &SystemExpr,
    right: &SystemExpr,
    relation: &Relation,
    go_on: &mut (dyn FnMut() -> bool + Send),
) -> Result<bool, Refusal> {
    on_deep_stack(|| {
        let (systems, left, right) = Systems::of(network, left, right);
        comparable(network, &left, &right)?;
        let mut checker = Checker { states: PairStates::new(network, &systems), left, right };
        checker.check(relation, go_on)
    })
}

/// A relation says nothing where refinement is not defined.
fn comparable(network: &Network, left: &System, right: &System) -> Result<(), Refusal> {
    let Some(mismatch) = mismatch_of(left, right) else { return Ok(()) };
    let (Mismatch::Crossing(actions) | Mismatch::Inputs(actions) | Mismatch::Outputs(actions)) = mismatch;
    let names: Vec<String> = actions.iter().map(|action| action_name(network, *action)).collect();
    let text = format!("the sides cannot be compared, because of the actions {}", names.join(", "));
    Err(Refusal::new(Reason::ClaimFalse, text))
}

struct Checker<'n> {
    states: PairStates<'n>,
    left: System,
    right: System,
}

/// An action of the side that leads; what the other side does, unless it does not know the action.
struct Moves {
    action: Action,
    output: bool,
    leading: Vec<Step>,
    following: Option<Vec<Step>>,
}

type Stored = BTreeMap<PairState, Vec<Zone>>;

impl Checker<'_> {
    fn check(&mut self, relation: &Relation, go_on: &mut (dyn FnMut() -> bool + Send)) -> Result<bool, Refusal> {
        let stored = self.stored(relation)?;
        let start = self.states.start()?;
        let initial = self.initial_zone()?;
        if !stored.get(&start).map_or(Ok(false), |zones| covered_by(zones, &initial))? {
            return Err(Refusal::new(Reason::InitialNotCovered, "the relation does not contain the initial pair"));
        }
        for (state, zones) in &stored {
            let invariants = (
                self.states.invariant(&self.left, state).map_err(Refusal::from)?,
                self.states.invariant(&self.right, state)?,
            );
            let moves = self.moves(state)?;
            for zone in zones {
                if !go_on() {
                    return Ok(false);
                }
                self.waits(state, zones, zone, &invariants)?;
                for one in &moves {
                    self.acts(&stored, state, zone, one)?;
                }
            }
        }
        Ok(true)
    }

    fn stored(&self, relation: &Relation) -> Result<Stored, Refusal> {
        let malformed = |text: &str| Refusal::new(Reason::Malformed, text);
        let network = self.states.semantics.network();
        let index = |clock: &PairClock| self.states.clocks.iter().position(|one| one == clock).map(ClockId::new);
        let mut stored = Stored::new();
        for Related { components, modes, zones } in &relation.pairs {
            let fits = |(local, leaf): (&Local, &super::local::Leaf)| {
                let cells = &network.ints[cells(network, leaf.process)];
                let in_range = |(value, cell): (&i32, &model::network::IntCell)| match cell.meta {
                    true => *value == cell.initial,
                    false => cell.range.contains(*value),
                };
                local.location.index() < network.template_of(leaf.process).locations.len()
                    && local.ints.len() == cells.len()
                    && local.ints.iter().zip(cells).all(in_range)
            };
            let all_fit = components.len() == self.states.leaves.len()
                && modes.len() == self.states.quotients
                && components.iter().zip(&self.states.leaves).all(fits);
            if !all_fit {
                return Err(malformed("a pair of states that the two sides do not have"));
            }
            let state = PairState { locals: components.clone(), modes: modes.clone() };
            let list = stored.entry(state).or_default();
            for PairZone { clocks, bounds } in zones {
                let clocks = clocks.iter().map(index).collect::<Option<Vec<ClockId>>>();
                let clocks = clocks.ok_or_else(|| malformed("a zone with a clock that the two sides do not have"))?;
                list.extend(StoredZone { clocks, bounds: bounds.clone() }.full(self.states.clocks.len())?);
            }
        }
        Ok(stored)
    }

    fn initial_zone(&self) -> Result<Zone, Refusal> {
        let network = self.states.semantics.network();
        let values = self.states.semantics.start()?.clocks;
        let mut zone = Zone::all(self.states.clocks.len());
        for (n, clock) in self.states.clocks.iter().enumerate() {
            let value = match clock {
                PairClock::Component { leaf, clock } => {
                    let first = network.process(self.states.leaves[*leaf].process).state.clocks as usize;
                    i64::try_from(values[first + clock].to_integer()).unwrap_or(i64::MAX)
                }
                _ => 0,
            };
            for (i, j, bound) in [(n + 1, 0, value), (0, n + 1, -value)] {
                let Some(part) = zone.with(i, j, Bound::AtMost(bound))? else {
                    return Err(Refusal::new(Reason::NoInitialState, "the clocks have no initial values"));
                };
                zone = part;
            }
        }
        Ok(zone)
    }

    /// Everything that must be answered in a discrete pair.
    fn moves(&mut self, state: &PairState) -> Result<Vec<Moves>, Refusal> {
        let mut moves = Vec::new();
        let outputs = self.left.outputs.iter().map(|action| (*action, true));
        let inputs = self.right.inputs.iter().map(|action| (*action, false));
        for (action, output) in outputs.chain(inputs) {
            let (leads, follows) = if output { (&self.left, &self.right) } else { (&self.right, &self.left) };
            let leading = self.states.steps(leads, state, action)?;
            if leading.is_empty() {
                continue;
            }
            let following = match follows.knows(action) {
                true => Some(self.states.steps(follows, state, action)?),
                false => None,
            };
            moves.push(Moves { action, output, leading, following });
        }
        Ok(moves)
    }

    /// The rule of delays, and that the relation contains what becomes of a zone while the left side waits.
    fn waits(
        &self,
        state: &PairState,
        zones: &[Zone],
        zone: &Zone,
        (left, right): &(Formula, Formula),
    ) -> Result<(), Refusal> {
        let space = Zones::default();
        if !parts(&space, left, false, zone)?.is_empty() || !parts(&space, right, false, zone)?.is_empty() {
            let text = format!("related states break an invariant, in {}", self.describe(state));
            return Err(Refusal::new(Reason::ClaimFalse, text));
        }
        let running = vec![false; zone.clocks()];
        for waited in parts(&space, left, true, &zone.delayed(&running))? {
            if !parts(&space, right, false, &waited)?.is_empty() {
                let text = format!("the left side may wait longer than the right one, in {}", self.describe(state));
                return Err(Refusal::new(Reason::ClaimFalse, text));
            }
            if !covered_by(zones, &waited)? {
                let text = format!("waiting leads out of the relation, in {}", self.describe(state));
                return Err(Refusal::new(Reason::SuccessorNotCovered, text));
            }
        }
        Ok(())
    }

    /// The rule of an action, and that the relation contains what becomes of a zone by it.
    fn acts(&self, stored: &Stored, state: &PairState, zone: &Zone, moves: &Moves) -> Result<(), Refusal> {
        let space = Zones::default();
        for lead in &moves.leading {
            for led in parts(&space, &lead.when, true, zone)? {
                if let Some(error) = &lead.error {
                    return Err(error.clone().into());
                }
                let Some(following) = &moves.following else {
                    self.arrives(stored, state, &led, lead, moves)?;
                    continue;
                };
                if !parts(&space, &some(following), false, &led)?.is_empty() {
                    let text = format!("the rule of {} is broken, in {}", self.named(moves), self.describe(state));
                    return Err(Refusal::new(Reason::ClaimFalse, text));
                }
                for follow in following {
                    for both in parts(&space, &follow.when, true, &led)? {
                        if let Some(error) = &follow.error {
                            return Err(error.clone().into());
                        }
                        self.arrives(stored, state, &both, &lead.with(follow), moves)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn arrives(
        &self,
        stored: &Stored,
        state: &PairState,
        zone: &Zone,
        step: &Step,
        moves: &Moves,
    ) -> Result<(), Refusal> {
        let target = step.target(state);
        let next = zone.updated(&ClockMap::of(self.states.clocks.len(), step.clocks.iter().copied()))?;
        if !stored.get(&target).map_or(Ok(false), |zones| covered_by(zones, &next))? {
            let (from, to) = (self.describe(state), self.describe(&target));
            let text = format!("{} leads out of the relation, from {from} to {to}", self.named(moves));
            return Err(Refusal::new(Reason::SuccessorNotCovered, text));
        }
        Ok(())
    }

    fn named(&self, moves: &Moves) -> String {
        let mark = if moves.output { '!' } else { '?' };
        format!("{}{mark}", action_name(self.states.semantics.network(), moves.action))
    }

    fn describe(&self, state: &PairState) -> String {
        let network = self.states.semantics.network();
        let place = |(local, leaf): (&Local, &super::local::Leaf)| {
            let location = &network.template_of(leaf.process).location(local.location).name;
            format!("{}.{location}", network.process(leaf.process).name)
        };
        let places: Vec<String> = state.locals.iter().zip(&self.states.leaves).map(place).collect();
        format!("({})", places.join(", "))
    }
}
