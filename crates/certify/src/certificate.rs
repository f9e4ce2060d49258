//! Certificates of unreachability: a set of states that contains the initial ones, that no action and no delay leaves, and
//! that has nothing in common with the goal (an inductive invariant).
//!
//! A certificate lists discrete states with zones; clocks that a zone does not list are free. The check does for every
//! stored zone what the semantics says: each action transition with its guards, synchronisation, priorities and target
//! invariants, split where receivers of a broadcast or higher priorities depend on clocks, then the delay. The result must
//! lie inside the stored zones of its discrete state: one of them, or, as there are several ways to split, their union.
//!
//! Where the check does not follow the semantics exactly it allows more than the network does, so that an accepted
//! certificate is a proof all the same: with stopwatches the delay of zones is an over-approximation, and time may run on
//! after a clock guard has enabled an urgent synchronisation in the middle of a delay.

use crate::claim::Literal;
use crate::error::{ErrorKind, EvalError, Reason, Refusal};
use crate::formula::parts;
use crate::semantics::Semantics;
use crate::state::Discrete;
use crate::symbolic::Steps;
use crate::zone::{Bound, Zone, Zones};
use model::deep_stack::on_deep_stack;
use model::network::{ClockId, Network};
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Certificate {
    pub entries: Vec<Entry>,
}

/// A discrete state with the clock values that are stored for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub discrete: Discrete,
    pub zones: Vec<StoredZone>,
}

/// A zone over some of the clocks; the others are free.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredZone {
    pub clocks: Vec<ClockId>,
    /// A square matrix row by row, with one row more than there are clocks: entry (i, j) bounds clock i minus clock j, and
    /// row and column 0 stand for the constant 0.
    pub bounds: Vec<Bound>,
}

/// Bounds in certificates stay below this, so that sums of them cannot overflow.
pub(crate) const LARGEST_BOUND: i64 = 1 << 40;

impl StoredZone {
    /// All clocks of a zone.
    pub fn of(zone: &Zone) -> StoredZone {
        let size = zone.clocks() + 1;
        let bounds = (0..size * size).map(|at| zone.get(at / size, at % size)).collect();
        StoredZone { clocks: (0..zone.clocks()).map(ClockId::new).collect(), bounds }
    }

    /// As a zone over all clocks of a network; `None` when it is empty.
    pub(crate) fn full(&self, clocks: usize) -> Result<Option<Zone>, Refusal> {
        let malformed = |text: &str| Err(Refusal::new(Reason::Malformed, text));
        let rows = self.clocks.len() + 1;
        if self.bounds.len() != rows * rows {
            return malformed("a zone whose matrix does not fit its clocks");
        }
        let mut seen = vec![false; clocks];
        for clock in &self.clocks {
            match seen.get_mut(clock.index()) {
                Some(seen) if !*seen => *seen = true,
                _ => return malformed("a zone with a clock twice, or one that the network does not have"),
            }
        }
        let size = clocks + 1;
        let all = Zone::all(clocks);
        let mut bounds: Vec<Bound> = (0..size * size).map(|at| all.get(at / size, at % size)).collect();
        let index = |n: usize| n.checked_sub(1).map_or(0, |n| self.clocks[n].index() + 1);
        for (at, bound) in self.bounds.iter().enumerate() {
            match *bound {
                Bound::Below(n) | Bound::AtMost(n) if n.unsigned_abs() >= LARGEST_BOUND as u64 => {
                    return malformed("a zone with a bound that is too large");
                }
                _ => {}
            }
            let entry = &mut bounds[index(at / rows) * size + index(at % rows)];
            *entry = (*entry).min(*bound);
        }
        Ok(Zone::closed(clocks, bounds)?)
    }
}

/// Checks that no reachable state satisfies the goal, from the certificate alone.
pub fn check_certificate(network: &Network, certificate: &Certificate, goal: Literal) -> Result<(), Refusal> {
    check_certificate_while(network, certificate, goal, &mut || true).map(|_| ())
}

/// As [`check_certificate`], as long as the caller wants: it is asked before each zone. `false`: the check was given up.
pub fn check_certificate_while(
    network: &Network,
    certificate: &Certificate,
    goal: Literal,
    go_on: &mut (dyn FnMut() -> bool + Send),
) -> Result<bool, Refusal> {
    on_deep_stack(|| Checker { steps: Steps { semantics: Semantics::new(network) }, goal }.check(certificate, go_on))
}

struct Checker<'n> {
    steps: Steps<'n>,
    goal: Literal,
}

/// The zones of each discrete state, over all clocks.
type Stored = BTreeMap<Discrete, Vec<Zone>>;

impl Checker<'_> {
    fn check(&self, certificate: &Certificate, go_on: &mut (dyn FnMut() -> bool + Send)) -> Result<bool, Refusal> {
        let stored = self.stored(certificate)?;
        let (initial, zones) = self.steps.initial()?;
        for zone in &zones {
            if !covered(&stored, &initial, zone)? {
                let text = "the certificate does not contain all initial states";
                return Err(Refusal::new(Reason::InitialNotCovered, text));
            }
        }
        for (discrete, zones) in &stored {
            let transitions = self.steps.semantics.transitions(discrete);
            for zone in zones {
                if !go_on() {
                    return Ok(false);
                }
                self.excludes_goal(discrete, zone)?;
                for (target, successor) in self.steps.successors(&transitions, zone)? {
                    if !covered(&stored, &target, &successor)? {
                        let text = format!(
                            "a step leads out of the certificate, from {} to {}",
                            self.describe(discrete),
                            self.describe(&target)
                        );
                        return Err(Refusal::new(Reason::SuccessorNotCovered, text));
                    }
                }
            }
        }
        Ok(true)
    }

    fn stored(&self, certificate: &Certificate) -> Result<Stored, Refusal> {
        let network = self.steps.semantics.network();
        let mut stored = Stored::new();
        for entry in &certificate.entries {
            let Discrete { locations, ints } = &entry.discrete;
            let fits = locations.len() == network.processes.len()
                && ints.len() == network.ints.len()
                && (self.steps.semantics.processes().zip(locations))
                    .all(|(process, location)| location.index() < network.template_of(process).locations.len())
                && (ints.iter().zip(&network.ints))
                    .all(|(value, cell)| if cell.meta { *value == cell.initial } else { cell.range.contains(*value) });
            if !fits {
                return Err(Refusal::new(Reason::Malformed, "a state that the network does not have"));
            }
            let zones = stored.entry(entry.discrete.clone()).or_default();
            for zone in &entry.zones {
                zones.extend(zone.full(network.clocks.len())?);
            }
        }
        Ok(stored)
    }

    fn excludes_goal(&self, discrete: &Discrete, zone: &Zone) -> Result<(), Refusal> {
        let formula = self.steps.semantics.predicate(discrete, self.goal.predicate);
        let actions = if formula.mentions_deadlock() { Some(self.steps.actions(discrete, zone)?) } else { None };
        if !parts(&Zones { actions }, &formula, self.goal.holds, zone)?.is_empty() {
            let text = format!("the certificate contains the goal, in {}", self.describe(discrete));
            return Err(Refusal::new(Reason::GoalInside, text));
        }
        Ok(())
    }

    fn describe(&self, discrete: &Discrete) -> String {
        let places = self.steps.semantics.processes().map(|process| self.steps.semantics.place(discrete, process));
        format!("({})", places.collect::<Vec<_>>().join(", "))
    }
}

/// A zone is cut at most so often.
const MOST_CUTS: usize = 100_000;

/// Whether the stored zones of a discrete state include a zone, one of them or all together.
fn covered(stored: &Stored, discrete: &Discrete, zone: &Zone) -> Result<bool, EvalError> {
    stored.get(discrete).map_or(Ok(false), |zones| covered_by(zones, zone))
}

/// Whether zones include a zone, one of them or all together: they are taken away from it one by one. One part of what is left is
/// looked at after the other, so that few are kept, and a zone that has nothing of a part does not cut it.
pub(crate) fn covered_by(zones: &[Zone], zone: &Zone) -> Result<bool, EvalError> {
    if zones.iter().any(|other| zone.is_inside(other)) {
        return Ok(true);
    }
    // Each part with the number of zones that have been taken away from it.
    let mut left = vec![(zone.clone(), 0)];
    let mut cuts = 0;
    while let Some((part, taken)) = left.pop() {
        let Some(other) = zones.get(taken) else { return Ok(false) };
        let outside = part.outside(other)?;
        cuts += usize::from(outside.first() != Some(&part));
        if cuts > MOST_CUTS {
            return Err(EvalError::new(ErrorKind::Unsupported, None, "a zone that is covered by too many others"));
        }
        let rest = &zones[taken + 1..];
        let is_open = |part: &Zone| !rest.iter().any(|other| part.is_inside(other));
        left.extend(outside.into_iter().filter(is_open).map(|part| (part, taken + 1)));
    }
    Ok(true)
}

#[cfg(test)]
#[path = "certificate_tests.rs"]
mod tests;
