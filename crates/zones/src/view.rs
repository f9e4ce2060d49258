//! A stored zone: a borrowed, closed, non-empty matrix without padding, row after row.
//!
//! Searches keep millions of zones in arenas of bounds. A [`ZoneRef`] is a dimension and a slice of such an arena; all
//! comparisons between zones are made on it, because without padding a comparison is one run over `dim * dim` bounds.

use crate::bound::Bound;
use crate::zone::Zone;

/// One constraint `x_left - x_right ≺ bound`; clock 0 is the reference clock, which is always zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Constraint {
    pub left: u32,
    pub right: u32,
    pub bound: Bound,
}

impl Constraint {
    #[inline]
    pub fn new(left: usize, right: usize, bound: Bound) -> Constraint {
        Constraint { left: left as u32, right: right as u32, bound }
    }

    /// `clock ≺ bound`.
    #[inline]
    pub fn upper(clock: usize, bound: Bound) -> Constraint {
        Constraint::new(clock, 0, bound)
    }

    /// `clock >= constant`.
    ///
    /// # Panics
    /// If the constant is not admissible.
    #[inline]
    pub fn at_least(clock: usize, constant: i32) -> Constraint {
        Constraint::new(0, clock, Bound::le(-constant))
    }

    /// `clock > constant`.
    ///
    /// # Panics
    /// If the constant is not admissible.
    #[inline]
    pub fn above(clock: usize, constant: i32) -> Constraint {
        Constraint::new(0, clock, Bound::lt(-constant))
    }

    /// The complement, again a constraint.
    #[inline]
    pub fn negated(self) -> Constraint {
        Constraint { left: self.right, right: self.left, bound: self.bound.negated() }
    }
}

/// A closed, non-empty zone in storage.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ZoneRef<'a> {
    dim: usize,
    bounds: &'a [Bound],
}

impl<'a> ZoneRef<'a> {
    /// Looks at bounds that [`Zone::store`] wrote for a zone of this dimension.
    ///
    /// # Panics
    /// If the length is not `dim * dim`.
    #[inline]
    pub fn from_stored(dim: usize, bounds: &'a [Bound]) -> ZoneRef<'a> {
        assert_eq!(bounds.len(), dim * dim, "a zone of dimension {dim} has {} bounds", dim * dim);
        ZoneRef { dim, bounds }
    }

    /// Clocks, the reference clock included.
    #[inline]
    pub fn dim(self) -> usize {
        self.dim
    }

    /// The bound of `x_i - x_j`.
    #[inline]
    pub fn at(self, i: usize, j: usize) -> Bound {
        assert!(j < self.dim);
        self.bounds[i * self.dim + j]
    }

    /// All bounds, row after row.
    #[inline]
    pub fn bounds(self) -> &'a [Bound] {
        self.bounds
    }

    #[inline]
    pub(crate) fn row(self, i: usize) -> &'a [Bound] {
        &self.bounds[i * self.dim..][..self.dim]
    }

    pub fn to_zone(self) -> Zone {
        let mut zone = Zone::zero(self.dim);
        zone.load(self);
        zone
    }
}

/// Closed, with a zero diagonal, clocks not negative and all bounds admissible.
pub(crate) fn is_closed(dim: usize, bounds: &[Bound]) -> bool {
    let at = |i: usize, j: usize| bounds[i * dim + j];
    (0..dim).all(|i| {
        at(i, i) == Bound::LE_ZERO
            && at(0, i) <= Bound::LE_ZERO
            && (0..dim).all(|j| (0..dim).all(|k| at(i, j) <= at(i, k) + at(k, j)))
    })
}

impl std::fmt::Debug for ZoneRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The finite bounds that say something, as constraints over `x1`, `x2`, ...
impl std::fmt::Display for ZoneRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut first = true;
        for i in 0..self.dim {
            for j in 0..self.dim {
                let bound = self.at(i, j);
                if i == j || bound.is_infinite() || (i == 0 && bound == Bound::LE_ZERO) {
                    continue;
                }
                f.write_str(if std::mem::take(&mut first) { "" } else { " && " })?;
                match (i, j) {
                    (0, _) => write!(f, "-x{j}{bound}")?,
                    (_, 0) => write!(f, "x{i}{bound}")?,
                    _ => write!(f, "x{i}-x{j}{bound}")?,
                }
            }
        }
        if first { f.write_str("true") } else { Ok(()) }
    }
}
