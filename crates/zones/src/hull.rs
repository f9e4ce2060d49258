//! The smallest zone around two, and what two have in common.
//!
//! The entrywise maximum of two closed matrices is closed, and no smaller zone includes both. `O(n²)`.

use crate::bound::Bound;
use crate::view::ZoneRef;
use crate::zone::Zone;

impl Zone {
    /// The smallest zone around both.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn hull(&self, other: &Zone) -> Zone {
        assert_eq!(self.dim(), other.dim());
        let mut bounds = Vec::new();
        self.store(&mut bounds);
        let mut others = Vec::new();
        other.store(&mut others);
        let hull: Vec<Bound> = bounds.into_iter().zip(others).map(|(one, other)| one.max(other)).collect();
        ZoneRef::from_stored(self.dim(), &hull).to_zone()
    }

    /// Keeps the valuations that are also in the other zone. Answers whether there are any; if not, the zone holds some
    /// unspecified valid zone.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use = "false says that the zones are disjoint"]
    pub fn intersect_zone(&mut self, other: &Zone) -> bool {
        let mut bounds = Vec::new();
        other.store(&mut bounds);
        self.intersect(ZoneRef::from_stored(other.dim(), &bounds))
    }
}
