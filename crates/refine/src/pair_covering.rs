//! How pairs are stored and compared: which pairs need not be looked at because others are known.

use crate::frame::Active;
use crate::pairs::{Comparison, Pair, Pairs};
use crate::zone_state::{read_key, stored, words_of, write_key};
use search::system::{Covering, Levelled, Relation};
use zones::{Bound, Federation};

/// Beyond so many zones their union is not asked whether it covers a zone.
const UNION: usize = 24;

/// Set in the first word of the key of a broken rule. Local states have smaller numbers.
const BROKEN: u64 = 1 << 63;

impl Covering for Pairs<'_, '_> {
    type Unit = Bound;

    fn key_words(&self) -> usize {
        words_of(self.world.slots)
    }

    fn key(&self, pair: &Pair, words: &mut [u64]) {
        write_key(&pair.state.slots, words);
        if pair.broken.is_some()
            && let Some(first) = words.first_mut()
        {
            *first |= BROKEN;
        }
    }

    fn pack(&self, pair: &Pair, units: &mut Vec<Bound>) {
        units.extend_from_slice(&pair.bounds);
    }

    fn unpack(&self, key: &[u64], payload: &[Bound], pair: &mut Pair) {
        let Pair { state, broken, bounds, test } = pair;
        read_key(key, self.world.slots, &mut state.slots);
        self.simulation.frame(self.world, &state.slots, &mut Active::default(), &mut state.frame);
        state.zone.load(stored(&state.frame, payload));
        *broken = None;
        bounds.clear();
        bounds.extend_from_slice(payload);
        if self.comparison == Comparison::Simulation {
            test.prepare(&state.zone, state.frame.bounds());
        }
    }

    fn relate(&self, known: &[Bound], new: &Pair) -> Relation {
        let zone = stored(&new.state.frame, known);
        let covers = match self.comparison {
            Comparison::Simulation => new.test.is_covered_by(zone),
            Comparison::Inclusion => new.state.zone.is_subset_of(zone),
        };
        if covers {
            Relation::Covers
        } else if self.is_covered(known, new) {
            Relation::Covered
        } else {
            Relation::Neither
        }
    }

    fn is_covered(&self, known: &[Bound], new: &Pair) -> bool {
        let frame = &new.state.frame;
        let zone = stored(frame, known);
        match self.comparison {
            Comparison::Simulation => zone.is_subset_alu(stored(frame, &new.bounds), frame.bounds()),
            Comparison::Inclusion => new.state.zone.is_superset_of(zone),
        }
    }

    fn unites(&self) -> bool {
        self.comparison == Comparison::Inclusion
    }

    fn covers_together<'s>(&self, known: impl Iterator<Item = &'s [Bound]> + Clone, new: &Pair) -> bool {
        let frame = &new.state.frame;
        let zones = || known.clone().map(|known| stored(frame, known));
        if zones().any(|zone| new.state.zone.is_subset_of(zone)) {
            return true;
        }
        if !(2..=UNION).contains(&zones().take(UNION + 1).count()) {
            return false;
        }
        let mut rest = Federation::from(new.state.zone.clone());
        zones().any(|zone| {
            rest.subtract_zone(&zone.to_zone());
            rest.is_empty()
        })
    }
}

impl Levelled for Pairs<'_, '_> {
    fn level(&self, pair: &Pair) -> u32 {
        self.levels.of(self.world, &pair.state.slots)
    }

    fn is_largest(&self, pair: &Pair) -> bool {
        pair.state.is_largest()
    }
}
