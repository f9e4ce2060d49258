//! From the pairs of a finished proof to a relation that `certify` checks before anybody relies on
//! it.

use super::Question;
use crate::certificate::bound;
use crate::report::{Answer, Evidence};
use crate::searches::strategies::OfPairs;
use certify::refinement::{Local, Mode, PairClock, PairZone, Related, Relation, check_relation_while};
use certify::{ErrorKind, Reason};
use refine::frame::Frame;
use refine::operators;
use refine::pairs::Pair;
use refine::world::World;
use std::collections::BTreeMap;
use zones::{Constraint, Zone};

impl Question<'_, '_, '_> {
    /// Writes the relation into the answer if it is accepted; a refusal is an internal error.
    pub(super) fn certify(&mut self, answer: &mut Answer, world: &World<'_>, search: &mut OfPairs<'_>) {
        let options = self.asked.options;
        // The relation is a second copy of what is stored, and the checker makes a third one.
        let bytes = search.statistics().bytes;
        if options.memory_limit.is_some_and(|limit| self.held + 3 * bytes > limit) {
            answer.reason = Some("not certified: the memory limit leaves no room for the relation".to_owned());
            return;
        }
        let relation = relation(world, search);
        let (network, (left, right)) = (self.asked.network, self.sides);
        let mut go_on = self.deadline();
        match check_relation_while(network, left, right, &relation, &mut go_on) {
            Ok(true) => {
                answer.evidence = Evidence::Certificate;
                if options.keep_certificate {
                    answer.certificate = relation.to_json(network, left, right).ok();
                }
            }
            Ok(false) => answer.reason = Some("not certified: its check was cut off".to_owned()),
            Err(refusal) => match &refusal.reason {
                Reason::ModelError(error) if matches!(error.kind, ErrorKind::Unsupported | ErrorKind::NotAvailable) => {
                    answer.reason = Some(format!("not certified: the checker cannot evaluate it: {}", refusal.text));
                }
                _ => {
                    answer.internal = true;
                    answer.reason = Some(format!("internal error: the relation is refused: {}", refusal.text));
                }
            },
        }
    }
}

/// A frame and the zones over its clocks.
type Zones = (Frame, Vec<Zone>);

fn relation(world: &World<'_>, search: &mut OfPairs<'_>) -> Relation {
    let mut all: BTreeMap<Vec<u32>, Zones> = BTreeMap::new();
    search.each_stored(&mut |Pair { state, .. }| {
        let (_, zones) = all.entry(state.slots.clone()).or_insert_with(|| (state.frame.clone(), Vec::new()));
        zones.push(state.zone.clone());
    });
    let clocks = clocks(world);
    let mode = |mode| match mode {
        operators::Mode::Operands => Mode::Pair,
        operators::Mode::Universal => Mode::Universal,
        operators::Mode::Inconsistent => Mode::Inconsistent,
    };
    let related = |(slots, (frame, zones)): (Vec<u32>, Zones)| {
        let local = |leaf: u32| {
            let local = world.local(leaf, &slots);
            Local { location: local.location, ints: local.ints.to_vec() }
        };
        Related {
            components: (0..world.leaves.len() as u32).map(local).collect(),
            modes: world.modes(&slots).into_iter().map(mode).collect(),
            zones: zones.iter().map(|zone| pair_zone(world, &clocks, &slots, &frame, zone)).collect(),
        }
    };
    Relation { pairs: all.into_iter().map(related).collect() }
}

/// What the clocks of the world are called in relations.
fn clocks(world: &World<'_>) -> BTreeMap<u32, PairClock> {
    let mut clocks = BTreeMap::new();
    for (n, leaf) in world.leaves.iter().enumerate() {
        let component = world.component_of(n as u32);
        let own = world.network.template_of(component.process).state.clocks as usize;
        for clock in 0..component.clocks {
            let name = match clock < own {
                true => PairClock::Component { leaf: n, clock },
                false => PairClock::Urgency(n),
            };
            clocks.insert(leaf.clocks + 1 + clock as u32, name);
        }
    }
    let own = world.operators().filter_map(|operator| operator.own());
    clocks.extend(own.enumerate().map(|(number, own)| (own.clock, PairClock::Quotient(number))));
    clocks
}

/// A zone over the active clocks and those whose differences are known.
fn pair_zone(
    world: &World<'_>,
    clocks: &BTreeMap<u32, PairClock>,
    slots: &[u32],
    frame: &Frame,
    zone: &Zone,
) -> PairZone {
    let differences: Vec<Constraint> =
        (0..world.leaves.len() as u32).flat_map(|leaf| world.differences(leaf, slots)).collect();
    let mut rows: Vec<u32> = frame.clocks().to_vec();
    for clock in differences.iter().flat_map(|one| [one.left, one.right]) {
        if clock != 0 && !rows.contains(&clock) {
            rows.push(clock);
        }
    }
    let dim = rows.len() + 1;
    let mut bounds = vec![certify::zone::Bound::Infinite; dim * dim];
    for at in 0..zone.dim() * zone.dim() {
        let (i, j) = (at / zone.dim(), at % zone.dim());
        bounds[i * dim + j] = bound(zone.at(i, j), world.unit);
    }
    let row = |clock: u32| rows.iter().position(|one| *one == clock).map_or(0, |n| n + 1);
    for one in &differences {
        let entry = &mut bounds[row(one.left) * dim + row(one.right)];
        *entry = (*entry).min(bound(one.bound, world.unit));
    }
    PairZone { clocks: rows.iter().filter_map(|clock| clocks.get(clock)).copied().collect(), bounds }
}
