//! Federations: finite unions of zones of one dimension.
//!
//! What zones are not closed under (complement, union) federations are. Zones in a federation may overlap; one that is
//! included in another is dropped when it is added. Questions about the union as a whole (inclusion, equality) are answered exactly,
//! by subtraction (see [`subtract`](crate::Federation::subtract)); their cost can grow exponentially with the number of zones, in practice it stays small.
//!
//! `predt` is the operator of timed games and of deadlock and refinement checks (Cassez, David, Fleury, Larsen, Lime,
//! "Efficient on-the-fly algorithms for the analysis of timed games", CONCUR 2005, theorem 4).

use crate::view::{Constraint, ZoneRef};
use crate::zone::Zone;

/// A union of zones; without zones it is empty.
#[derive(Clone, Debug)]
pub struct Federation {
    pub(crate) dim: usize,
    pub(crate) zones: Vec<Zone>,
}

impl Federation {
    pub fn empty(dim: usize) -> Federation {
        Federation { dim, zones: Vec::new() }
    }

    pub fn universal(dim: usize) -> Federation {
        Federation::from(Zone::universal(dim))
    }

    /// Clocks, the reference clock included.
    pub fn dim(&self) -> usize {
        self.dim
    }

    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    pub fn is_empty(&self) -> bool {
        self.zones.is_empty()
    }

    /// Adds a zone, unless one zone includes it, and drops the zones that it includes.
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn add(&mut self, zone: Zone) {
        assert_eq!(self.dim, zone.dim());
        if self.zones.iter().any(|other| zone.is_subset(other)) {
            return;
        }
        self.zones.retain(|other| !other.is_subset(&zone));
        self.zones.push(zone);
    }

    /// Becomes the union of both.
    pub fn unite(&mut self, other: &Federation) {
        for zone in &other.zones {
            self.add(zone.clone());
        }
    }

    /// Keeps what is also in the zone.
    pub fn intersect_zone(&mut self, with: &Zone) {
        let mut bounds = Vec::new();
        with.store(&mut bounds);
        let with = ZoneRef::from_stored(with.dim(), &bounds);
        self.rework(|mut zone, result| {
            if zone.intersect(with) {
                result.add(zone);
            }
        });
    }

    /// Keeps what is in both.
    pub fn intersect(&mut self, other: &Federation) {
        let mut result = Federation::empty(self.dim);
        for zone in &other.zones {
            let mut part = self.clone();
            part.intersect_zone(zone);
            result.unite(&part);
        }
        *self = result;
    }

    /// Keeps what meets the constraint.
    pub fn constrain(&mut self, constraint: Constraint) {
        self.rework(|mut zone, result| {
            if zone.constrain_all(&[constraint]) {
                result.add(zone);
            }
        });
    }

    /// Adds what can be reached by letting time pass.
    pub fn up(&mut self) {
        self.each(Zone::up);
    }

    /// Adds what can reach the federation by letting time pass.
    pub fn down(&mut self) {
        self.each(Zone::down);
    }

    /// `clock := value`.
    pub fn reset(&mut self, clock: usize, value: i32) {
        self.each(|zone| zone.reset(clock, value));
    }

    /// Forgets the value of a clock.
    pub fn free(&mut self, clock: usize) {
        self.each(|zone| zone.free(clock));
    }

    /// Applies an operation that cannot empty a zone to each.
    pub fn each(&mut self, mut operation: impl FnMut(&mut Zone)) {
        self.rework(|mut zone, result| {
            operation(&mut zone);
            result.add(zone);
        });
    }

    fn rework(&mut self, mut place: impl FnMut(Zone, &mut Federation)) {
        let mut result = Federation::empty(self.dim);
        for zone in self.zones.drain(..) {
            place(zone, &mut result);
        }
        *self = result;
    }

    /// Whether the union includes the zone, exactly.
    #[must_use]
    pub fn includes(&self, zone: &Zone) -> bool {
        if self.zones.iter().any(|other| zone.is_subset(other)) {
            return true;
        }
        let mut rest = Federation::from(zone.clone());
        rest.subtract(self);
        rest.is_empty()
    }

    /// Whether the other union includes this one, exactly.
    #[must_use]
    pub fn is_subset(&self, other: &Federation) -> bool {
        self.zones.iter().all(|zone| other.includes(zone))
    }

    /// Drops zones that the others cover together.
    pub fn reduce(&mut self) {
        let mut k = 0;
        while k < self.zones.len() {
            let zone = self.zones.swap_remove(k);
            if !self.includes(&zone) {
                self.zones.push(zone);
                let last = self.zones.len() - 1;
                self.zones.swap(k, last);
                k += 1;
            }
        }
    }

    /// The valuations that can reach `self` by letting time pass without being in `avoid` on the way or at the end.
    ///
    /// For zones G and B: `(G↓ \ B↓) ∪ ((G ∩ B↓) \ B)↓`; for unions the union over G of the intersection over B.
    pub fn predt(&self, avoid: &Federation) -> Federation {
        let mut result = Federation::empty(self.dim);
        for good in &self.zones {
            let mut safe = Federation::from(good.clone());
            safe.down();
            for bad in &avoid.zones {
                safe.intersect(&predt_zone(good, bad));
            }
            result.unite(&safe);
        }
        result
    }
}

fn predt_zone(good: &Zone, bad: &Zone) -> Federation {
    let mut before_bad = bad.clone();
    before_bad.down();
    let mut result = Federation::from(good.clone());
    result.down();
    result.subtract_zone(&before_bad);
    let mut in_time = Federation::from(good.clone());
    in_time.intersect_zone(&before_bad);
    in_time.subtract_zone(bad);
    in_time.down();
    result.unite(&in_time);
    result
}

impl From<Zone> for Federation {
    fn from(zone: Zone) -> Federation {
        Federation { dim: zone.dim(), zones: vec![zone] }
    }
}
