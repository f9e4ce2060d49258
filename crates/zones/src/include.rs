//! Comparing zones: inclusion, equality, and which of two includes the other.
//!
//! Both matrices are closed, so inclusion is the comparison of all bounds, `O(n²)`; on stored zones that is one run over two
//! slices, a vector at a time, that ends with the first block that decides.

use crate::bound::Bound;
use crate::vector::all_le;
use crate::view::ZoneRef;
use crate::zone::Zone;

/// How two sets of valuations lie to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Equal,
    /// The first is strictly included in the second.
    Subset,
    /// The first strictly includes the second.
    Superset,
    /// Neither includes the other.
    Different,
}

impl ZoneRef<'_> {
    /// Whether every valuation of this zone is in the other.
    #[must_use]
    #[inline]
    pub fn is_subset(self, other: ZoneRef<'_>) -> bool {
        debug_assert_eq!(self.dim(), other.dim());
        all_le(self.bounds(), other.bounds())
    }

    /// Compares both ways in one pass.
    #[must_use]
    pub fn relation(self, other: ZoneRef<'_>) -> Relation {
        debug_assert_eq!(self.dim(), other.dim());
        relation(self.bounds(), other.bounds())
    }
}

impl Zone {
    /// Whether every valuation of this zone is in the other.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn is_subset(&self, other: &Zone) -> bool {
        assert_eq!(self.dim, other.dim);
        all_le(&self.cells, &other.cells)
    }

    /// Whether every valuation of this zone is in the stored one.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn is_subset_of(&self, other: ZoneRef<'_>) -> bool {
        assert_eq!(self.dim, other.dim());
        (0..self.dim).all(|i| all_le(self.row(i), other.row(i)))
    }

    /// Whether every valuation of the stored zone is in this one.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn is_superset_of(&self, other: ZoneRef<'_>) -> bool {
        assert_eq!(self.dim, other.dim());
        (0..self.dim).all(|i| all_le(other.row(i), self.row(i)))
    }

    /// Compares both ways in one pass.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn relation(&self, other: &Zone) -> Relation {
        assert_eq!(self.dim, other.dim);
        relation(&self.cells, &other.cells)
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Zone) -> bool {
        self.dim == other.dim && self.cells == other.cells
    }
}

impl Eq for Zone {}

fn relation(left: &[Bound], right: &[Bound]) -> Relation {
    let (mut below, mut above) = (false, false);
    for (left, right) in left.chunks(16).zip(right.chunks(16)) {
        for (a, b) in left.iter().zip(right) {
            below |= a < b;
            above |= a > b;
        }
        if below && above {
            return Relation::Different;
        }
    }
    match (below, above) {
        (false, false) => Relation::Equal,
        (true, false) => Relation::Subset,
        (false, true) => Relation::Superset,
        (true, true) => Relation::Different,
    }
}
