//! The parts of a discrete state: what its invariants allow, cut along a predicate into disjoint convex pieces.

use super::{Asked, PartGraph, PartScratch, Phase};
use crate::code::{ClockBound, Dnf, PredicateId, RunError};
use model::network::{ClockId, Relation};
use zones::{Constraint, Federation, Minimal, Zone, ZoneRef};

/// A convex set of valuations.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The invariants, and what cuts the part out.
    pub constraints: Vec<Constraint>,
    /// Whether it is to be visited infinitely often.
    pub marked: bool,
    /// It is all that the invariants allow.
    pub whole: bool,
}

impl Part {
    fn of(zone: &Zone, marked: bool) -> Part {
        Part { constraints: constraints_of(zone), marked, whole: false }
    }

    /// The part as a zone; `None` when it is empty.
    pub fn zone(&self, dim: usize) -> Option<Zone> {
        let mut zone = Zone::universal(dim);
        zone.constrain_all(&self.constraints).then_some(zone)
    }

    /// What cuts the part out, as bounds on clocks of the network.
    pub fn bounds(&self, clocks: &[u32]) -> Vec<ClockBound> {
        if self.whole {
            return Vec::new();
        }
        self.constraints.iter().map(|constraint| bound_of(clocks, constraint)).collect()
    }
}

/// A constraint on a zone over some clocks of the network as a bound on these.
pub(super) fn bound_of(clocks: &[u32], constraint: &Constraint) -> ClockBound {
    let clock = |n: u32| n.checked_sub(1).and_then(|n| clocks.get(n as usize)).map(|c| ClockId::new(*c as usize));
    ClockBound {
        plus: clock(constraint.left),
        minus: clock(constraint.right),
        relation: if constraint.bound.is_strict() { Relation::Lt } else { Relation::Le },
        bound: constraint.bound.constant(),
    }
}

fn constraints_of(zone: &Zone) -> Vec<Constraint> {
    let mut tight = Vec::new();
    zone.store(&mut tight);
    Minimal::new(ZoneRef::from_stored(zone.dim(), &tight)).constraints().to_vec()
}

/// A predicate in one discrete state.
enum Cut {
    True,
    False,
    /// Where it holds, within the invariants; the zones may overlap.
    Zones(Vec<Zone>),
}

impl PartGraph<'_, '_> {
    /// Fills in `scratch.parts` for the discrete state in `scratch.inner.target`, whose clocks are activated and whose
    /// invariants are evaluated.
    pub(super) fn cut_up(&self, scratch: &mut PartScratch, phase: Phase) -> Result<(), RunError> {
        scratch.parts.clear();
        if phase == Phase::Before {
            self.push_whole(scratch, false);
            return Ok(());
        }
        let (predicate, holds) = match self.asked {
            Asked::Always(predicate) => (predicate, true),
            Asked::Unanswered { to, .. } => (to, false),
            Asked::Infinitely { predicate, .. } => (predicate, true),
        };
        let all = matches!(self.asked, Asked::Infinitely { .. });
        match self.cut(scratch, predicate)? {
            Cut::True if holds || all => self.push_whole(scratch, all),
            Cut::False if !holds || all => self.push_whole(scratch, false),
            Cut::True | Cut::False => {}
            Cut::Zones(cases) => {
                let mut outside = Federation::from(match self.invariants(scratch) {
                    Some(zone) => zone,
                    None => return Ok(()),
                });
                for (n, case) in cases.iter().enumerate() {
                    outside.subtract_zone(case);
                    if holds {
                        let mut inside = Federation::from(case.clone());
                        cases[..n].iter().for_each(|earlier| inside.subtract_zone(earlier));
                        scratch.parts.extend(inside.zones().iter().map(|zone| Part::of(zone, all)));
                    }
                }
                if !holds || all {
                    scratch.parts.extend(outside.zones().iter().map(|zone| Part::of(zone, false)));
                }
            }
        }
        Ok(())
    }

    fn push_whole(&self, scratch: &mut PartScratch, marked: bool) {
        let constraints = scratch.inner.constraints.clone();
        scratch.parts.push(Part { constraints, marked, whole: true });
    }

    /// All that the invariants in `scratch.inner.constraints` allow.
    fn invariants(&self, scratch: &PartScratch) -> Option<Zone> {
        let mut zone = Zone::universal(scratch.inner.target.clocks.len() + 1);
        zone.constrain_all(&scratch.inner.constraints).then_some(zone)
    }

    /// Where the trigger holds, in the discrete state of `scratch.inner.target` and within its invariants.
    pub(super) fn triggers(&self, scratch: &mut PartScratch, trigger: PredicateId) -> Result<Vec<Zone>, RunError> {
        Ok(match self.cut(scratch, trigger)? {
            Cut::True => self.invariants(scratch).into_iter().collect(),
            Cut::False => Vec::new(),
            Cut::Zones(zones) => zones,
        })
    }

    fn cut(&self, scratch: &mut PartScratch, predicate: PredicateId) -> Result<Cut, RunError> {
        let programs = &self.graph.structure.programs;
        let PartScratch { inner, dnf, .. } = scratch;
        if programs.is_discrete(predicate) {
            let truth = inner.machine.truth(programs, predicate, &inner.target.discrete)?;
            return Ok(if truth { Cut::True } else { Cut::False });
        }
        dnf.clear();
        inner.machine.predicate(programs, predicate, &inner.target.discrete, dnf)?;
        if dnf.is_true() || dnf.is_false() {
            return Ok(if dnf.is_true() { Cut::True } else { Cut::False });
        }
        Ok(self.zones(scratch))
    }

    /// The zones of the cases in `scratch.dnf`.
    fn zones(&self, scratch: &mut PartScratch) -> Cut {
        let Some(whole) = self.invariants(scratch) else { return Cut::False };
        let mut index = vec![0; self.graph.clock_count()];
        for (n, clock) in scratch.inner.target.clocks.iter().enumerate() {
            index[*clock as usize] = n as u32 + 1;
        }
        let mut zones = Vec::new();
        for case in Dnf::iter(&scratch.dnf) {
            if case.deadlock.is_some() {
                self.note_unclear();
                continue;
            }
            let meeting = |bounds: &mut dyn Iterator<Item = ClockBound>| {
                let mut constraints = Vec::new();
                bounds.for_each(|bound| self.graph.constrain(&bound, &index, &mut constraints));
                let mut zone = whole.clone();
                zone.constrain_all(&constraints).then_some(zone)
            };
            let unequal = |bound: &&ClockBound| bound.relation == Relation::Ne;
            let Some(zone) = meeting(&mut case.bounds.iter().copied()) else { continue };
            let mut pieces = Federation::from(zone);
            for bound in case.bounds.iter().filter(unequal) {
                if let Some(zone) = meeting(&mut std::iter::once(ClockBound { relation: Relation::Eq, ..*bound })) {
                    pieces.subtract_zone(&zone);
                }
            }
            zones.extend_from_slice(pieces.zones());
        }
        if zones.is_empty() { Cut::False } else { Cut::Zones(zones) }
    }
}
