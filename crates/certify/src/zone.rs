//! Zones in the plainest form: a closed matrix of bounds on clock differences, index 0 standing for the constant 0.

use crate::error::{ErrorKind, EvalError};
use crate::formula::{Atom, Formula, Space};
use crate::state::ClockMap;
use model::network::{ClockId, Relation};
use std::cmp::Ordering;

/// An upper bound on a difference of two clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// `< n`
    Below(i64),
    /// `<= n`
    AtMost(i64),
    Infinite,
}

/// Tighter is less.
impl Ord for Bound {
    fn cmp(&self, other: &Bound) -> Ordering {
        let key = |bound: &Bound| match bound {
            Bound::Below(n) => (0, *n, 0),
            Bound::AtMost(n) => (0, *n, 1),
            Bound::Infinite => (1, 0, 0),
        };
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Bound) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

type Result<T> = std::result::Result<T, EvalError>;

fn overflow() -> EvalError {
    EvalError::new(ErrorKind::Overflow, None, "a bound of a zone beyond 64 bits")
}

impl Bound {
    fn plus(self, other: Bound) -> Result<Bound> {
        let sum = |a: i64, b: i64| a.checked_add(b).ok_or_else(overflow);
        Ok(match (self, other) {
            (Bound::Infinite, _) | (_, Bound::Infinite) => Bound::Infinite,
            (Bound::AtMost(a), Bound::AtMost(b)) => Bound::AtMost(sum(a, b)?),
            (Bound::Below(a) | Bound::AtMost(a), Bound::Below(b) | Bound::AtMost(b)) => Bound::Below(sum(a, b)?),
        })
    }
}

/// A set of clock values, closed and not empty: entry (i, j) is the least bound of clock i minus clock j.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Zone {
    size: usize,
    bounds: Vec<Bound>,
}

impl Zone {
    /// All clocks at least 0.
    pub fn all(clocks: usize) -> Zone {
        let size = clocks + 1;
        let mut zone = Zone { size, bounds: vec![Bound::Infinite; size * size] };
        for i in 0..size {
            zone.set(i, i, Bound::AtMost(0));
            zone.set(0, i, Bound::AtMost(0));
        }
        zone
    }

    /// The zone of these bounds; `None` when no values satisfy them.
    pub fn closed(clocks: usize, bounds: Vec<Bound>) -> Result<Option<Zone>> {
        let size = clocks + 1;
        if bounds.len() != size * size {
            return Err(EvalError::new(ErrorKind::NotAvailable, None, "a matrix of the wrong size"));
        }
        let mut zone = Zone { size, bounds };
        for k in 0..size {
            for i in 0..size {
                for j in 0..size {
                    let way = zone.get(i, k).plus(zone.get(k, j))?;
                    zone.set(i, j, way.min(zone.get(i, j)));
                }
                // A negative cycle grows without bound in later rounds: stop here.
                if zone.get(i, i) < Bound::AtMost(0) {
                    return Ok(None);
                }
            }
        }
        Ok(Some(zone))
    }

    pub fn get(&self, i: usize, j: usize) -> Bound {
        self.bounds[i * self.size + j]
    }

    fn set(&mut self, i: usize, j: usize, bound: Bound) {
        self.bounds[i * self.size + j] = bound;
    }

    pub fn clocks(&self) -> usize {
        self.size - 1
    }

    /// The part with `clock i - clock j` bounded so.
    pub fn with(&self, i: usize, j: usize, bound: Bound) -> Result<Option<Zone>> {
        if bound >= self.get(i, j) {
            return Ok(Some(self.clone()));
        }
        if self.get(j, i).plus(bound)? < Bound::AtMost(0) {
            return Ok(None);
        }
        let mut zone = self.clone();
        for a in 0..self.size {
            for b in 0..self.size {
                let way = self.get(a, i).plus(bound)?.plus(self.get(j, b))?;
                zone.set(a, b, way.min(self.get(a, b)));
            }
        }
        Ok(Some(zone))
    }

    pub fn is_inside(&self, other: &Zone) -> bool {
        self.size == other.size && self.bounds.iter().zip(&other.bounds).all(|(a, b)| a <= b)
    }

    /// The parts that are not in the other zone, no two of them overlapping; the zone itself where nothing of it is.
    pub(crate) fn outside(&self, other: &Zone) -> Result<Vec<Zone>> {
        let mut rest = self.clone();
        let mut parts = Vec::new();
        for (at, bound) in other.bounds.iter().enumerate() {
            let (i, j) = (at / self.size, at % self.size);
            let opposite = match *bound {
                _ if i == j || *bound >= rest.get(i, j) => continue,
                Bound::Infinite => continue,
                Bound::Below(n) => Bound::AtMost(-n),
                Bound::AtMost(n) => Bound::Below(-n),
            };
            parts.extend(rest.with(j, i, opposite)?);
            match rest.with(i, j, *bound)? {
                Some(inside) => rest = inside,
                None => return Ok(vec![self.clone()]),
            }
        }
        Ok(parts)
    }

    /// The values after any delay in which the clocks marked `stopped` stand still. With stopped clocks it is the usual
    /// over-approximation: how long the others ran is forgotten.
    pub(crate) fn delayed(&self, stopped: &[bool]) -> Zone {
        let mut zone = self.clone();
        let stands = |i: usize| i == 0 || stopped[i - 1];
        for i in (1..self.size).filter(|i| !stands(*i)) {
            for j in (0..self.size).filter(|j| stands(*j)) {
                zone.set(i, j, Bound::Infinite);
            }
        }
        zone
    }

    /// The values from which some delay leads into the zone, when all clocks run.
    pub(crate) fn before_delay(&self) -> Result<Option<Zone>> {
        let mut bounds = self.bounds.clone();
        (1..self.size).for_each(|j| bounds[j] = Bound::AtMost(0));
        Zone::closed(self.clocks(), bounds)
    }

    /// The values after updates.
    pub(crate) fn updated(&self, map: &ClockMap) -> Result<Zone> {
        let source = |i: usize| match i {
            0 => (0, 0),
            _ => {
                let (clock, offset) = map.value(ClockId::new(i - 1));
                (clock.map_or(0, |clock| clock.index() + 1), offset)
            }
        };
        let mut zone = self.clone();
        for i in 0..self.size {
            for j in 0..self.size {
                let ((a, plus), (b, minus)) = (source(i), source(j));
                zone.set(i, j, self.get(a, b).plus(Bound::AtMost(plus - minus))?);
            }
        }
        Ok(zone)
    }

    /// The conjunction of all bounds.
    pub(crate) fn formula(&self) -> Formula {
        let clock = |i: usize| i.checked_sub(1).map(ClockId::new);
        let mut atoms = Vec::new();
        for i in 0..self.size {
            for j in (0..self.size).filter(|j| *j != i) {
                let (relation, bound) = match self.get(i, j) {
                    Bound::Infinite => continue,
                    Bound::Below(n) => (Relation::Lt, n),
                    Bound::AtMost(n) => (Relation::Le, n),
                };
                atoms.push(Formula::atom(Atom { plus: clock(i), minus: clock(j), relation, bound }));
            }
        }
        Formula::all(atoms)
    }
}

/// Clock values of zones. Where formulas ask for deadlocks, the values from which an action can be reached by waiting.
#[derive(Default)]
pub(crate) struct Zones {
    pub actions: Option<Formula>,
}

impl Space for Zones {
    type Region = Zone;

    fn cut(&self, zone: &Zone, atom: Atom) -> Result<Vec<Zone>> {
        let index = |clock: Option<ClockId>| clock.map_or(0, |clock| clock.index() + 1);
        let (i, j, n) = (index(atom.plus), index(atom.minus), atom.bound);
        let upper = |bound| zone.with(i, j, bound);
        let lower = |bound| zone.with(j, i, bound);
        let pieces = match atom.relation {
            Relation::Lt => [upper(Bound::Below(n))?, None],
            Relation::Le => [upper(Bound::AtMost(n))?, None],
            Relation::Ge => [lower(Bound::AtMost(-n))?, None],
            Relation::Gt => [lower(Bound::Below(-n))?, None],
            Relation::Ne => [upper(Bound::Below(n))?, lower(Bound::Below(-n))?],
            Relation::Eq => match upper(Bound::AtMost(n))? {
                Some(part) => [part.with(j, i, Bound::AtMost(-n))?, None],
                None => [None, None],
            },
        };
        Ok(pieces.into_iter().flatten().collect())
    }

    fn deadlock(&self, region: &Zone, holds: bool) -> Result<Vec<Zone>> {
        match &self.actions {
            Some(actions) => crate::formula::parts(self, actions, !holds, region),
            None => Err(EvalError::new(ErrorKind::Unsupported, None, "`deadlock` stands only in a query")),
        }
    }
}
