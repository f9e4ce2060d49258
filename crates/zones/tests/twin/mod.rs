//! The textbook twin of a zone: 64-bit constants, strictness as a flag, Floyd and Warshall after every step.
//! Nothing is shared with the crate but the two types at its border.

#![allow(dead_code)]

use zones::{Bound, Zone};

/// A bound: nothing for infinity, else the constant and whether it is weak.
pub type Limit = Option<(i64, bool)>;

#[derive(Clone, PartialEq, Debug)]
pub struct Twin {
    pub dim: usize,
    pub limits: Vec<Limit>,
}

pub fn tighter(a: Limit, b: Limit) -> bool {
    match (a, b) {
        (None, _) => false,
        (_, None) => true,
        (Some((c, weak)), Some((d, other))) => c < d || (c == d && !weak && other),
    }
}

pub fn sum(a: Limit, b: Limit) -> Limit {
    let ((c, weak), (d, other)) = (a?, b?);
    Some((c + d, weak && other))
}

pub fn limit(bound: Bound) -> Limit {
    (!bound.is_infinite()).then(|| (i64::from(bound.constant()), !bound.is_strict()))
}

pub fn bound(limit: Limit) -> Bound {
    match limit {
        None => Bound::INFINITY,
        Some((c, true)) => Bound::le(c as i32),
        Some((c, false)) => Bound::lt(c as i32),
    }
}

const ZERO: Limit = Some((0, true));

impl Twin {
    pub fn universal(dim: usize) -> Twin {
        let mut twin = Twin { dim, limits: vec![None; dim * dim] };
        for i in 0..dim {
            twin.set(i, i, ZERO);
            twin.set(0, i, ZERO);
        }
        twin
    }

    pub fn zero(dim: usize) -> Twin {
        Twin { dim, limits: vec![ZERO; dim * dim] }
    }

    pub fn of(zone: &Zone) -> Twin {
        let dim = zone.dim();
        let limits = (0..dim * dim).map(|k| limit(zone.at(k / dim, k % dim))).collect();
        Twin { dim, limits }
    }

    pub fn at(&self, i: usize, j: usize) -> Limit {
        self.limits[i * self.dim + j]
    }

    pub fn set(&mut self, i: usize, j: usize, limit: Limit) {
        self.limits[i * self.dim + j] = limit;
    }

    /// Floyd and Warshall; false if empty.
    pub fn close(&mut self) -> bool {
        for k in 0..self.dim {
            for i in 0..self.dim {
                for j in 0..self.dim {
                    let detour = sum(self.at(i, k), self.at(k, j));
                    if tighter(detour, self.at(i, j)) {
                        self.set(i, j, detour);
                    }
                }
            }
            if (0..self.dim).any(|i| tighter(self.at(i, i), ZERO)) {
                return false;
            }
        }
        true
    }

    pub fn constrain(&mut self, i: usize, j: usize, limit: Limit) -> bool {
        if tighter(limit, self.at(i, j)) {
            self.set(i, j, limit);
        }
        self.close()
    }

    pub fn up(&mut self) {
        for i in 1..self.dim {
            self.set(i, 0, None);
        }
        assert!(self.close());
    }

    pub fn down(&mut self) {
        for j in 1..self.dim {
            self.set(0, j, ZERO);
        }
        assert!(self.close());
    }

    /// Projects the clock away and puts it back without bounds.
    pub fn free(&mut self, clock: usize) {
        for j in (0..self.dim).filter(|&j| j != clock) {
            self.set(clock, j, None);
            self.set(j, clock, if j == 0 { ZERO } else { None });
        }
        assert!(self.close());
    }

    pub fn reset(&mut self, clock: usize, value: i64) {
        self.free(clock);
        assert!(self.constrain(clock, 0, Some((value, true))));
        assert!(self.constrain(0, clock, Some((-value, true))));
    }

    /// Through a fresh clock, so that the same code serves `x := x + c`.
    pub fn copy_sum(&mut self, clock: usize, other: usize, offset: i64) -> bool {
        let mut wide = self.insert_free();
        let fresh = self.dim;
        if !wide.constrain(fresh, other, Some((offset, true))) || !wide.constrain(other, fresh, Some((-offset, true))) {
            return false;
        }
        let order: Vec<usize> = (1..self.dim).map(|i| if i == clock { fresh } else { i }).collect();
        *self = wide.select(&order);
        true
    }

    pub fn insert_free(&self) -> Twin {
        let mut wide = Twin::universal(self.dim + 1);
        for i in 0..self.dim {
            for j in 0..self.dim {
                wide.set(i, j, self.at(i, j));
            }
        }
        assert!(wide.close());
        wide
    }

    pub fn select(&self, kept: &[usize]) -> Twin {
        let old: Vec<usize> = [0].iter().chain(kept).copied().collect();
        let mut twin = Twin::universal(old.len());
        for (i, &a) in old.iter().enumerate() {
            for (j, &b) in old.iter().enumerate() {
                twin.set(i, j, self.at(a, b));
            }
        }
        twin
    }

    pub fn intersect(&mut self, other: &Twin) -> bool {
        for (mine, &theirs) in self.limits.iter_mut().zip(&other.limits) {
            if tighter(theirs, *mine) {
                *mine = theirs;
            }
        }
        self.close()
    }

    pub fn is_subset(&self, other: &Twin) -> bool {
        self.limits.iter().zip(&other.limits).all(|(&mine, &theirs)| !tighter(theirs, mine))
    }

    /// Membership of a point given in `1/scale` units; `point[0]` is 0.
    pub fn contains(&self, point: &[i64], scale: i64) -> bool {
        (0..self.dim).all(|i| {
            (0..self.dim).all(|j| match self.at(i, j) {
                None => true,
                Some((c, weak)) => {
                    let difference = point[i] - point[j];
                    difference < c * scale || (weak && difference == c * scale)
                }
            })
        })
    }
}

/// Marsaglia's xorshift64*.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Uniform below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (((self.next() >> 32) * n as u64) >> 32) as usize
    }

    /// Uniform between both, inclusive.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn bound(&mut self, low: i64, high: i64) -> Bound {
        let constant = self.between(low, high) as i32;
        if self.chance(50) { Bound::le(constant) } else { Bound::lt(constant) }
    }

    /// A random zone with constants up to about `max`.
    pub fn zone(&mut self, dim: usize, max: i64) -> Zone {
        let mut zone = if self.chance(50) { Zone::universal(dim) } else { Zone::zero(dim) };
        if dim == 1 {
            return zone;
        }
        for _ in 0..self.below(3 * dim + 2) {
            let clock = 1 + self.below(dim - 1);
            match self.below(8) {
                0 | 1 => zone.up(),
                2 => zone.reset(clock, self.between(0, max / 2) as i32),
                3 => zone.free(clock),
                4 => {
                    let other = self.below(dim);
                    let _ = other != clock && zone.constrain(clock, other, self.bound(-max, max));
                }
                5 | 6 => {
                    let _ = zone.constrain(clock, 0, self.bound(1, max));
                }
                _ => {
                    let _ = zone.constrain(0, clock, self.bound(-max, 0));
                }
            }
        }
        zone
    }
}

/// All points with coordinates `0, 1/scale, ..., max`, without the reference clock.
pub fn grid(clocks: usize, scale: i64, max: i64) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for _ in 0..clocks {
        let longer = |point: &Vec<i64>| {
            let point = point.clone();
            (0..=scale * max).map(move |value| point.iter().copied().chain([value]).collect::<Vec<i64>>())
        };
        points = points.iter().flat_map(longer).collect();
    }
    points
}

/// The bounds of a zone without padding.
pub fn stored(zone: &Zone) -> Vec<Bound> {
    let mut bounds = Vec::new();
    zone.store(&mut bounds);
    bounds
}

/// Whether some valuation of the zone LU-simulates the point (in `1/scale` units) and meets the given diagonal
/// constraints: for each clock the same value, or one between L and the point's, or a larger one if the point's is above U.
/// Decided exactly, by trying all combinations of these cases.
pub fn is_simulated(
    point: &[i64],
    scale: i64,
    zone: &Twin,
    lower: &[i32],
    upper: &[i32],
    diagonals: &[(usize, usize, Limit)],
) -> bool {
    let mut start = zone.clone();
    for limit in start.limits.iter_mut().flatten() {
        limit.0 *= scale;
    }
    for &(i, j, limit) in diagonals {
        let value = |clock: usize| if clock == 0 { 0 } else { point[clock - 1] };
        let scaled = limit.map(|(c, weak)| (c * scale, weak));
        let holds = scaled.is_none_or(|(c, weak)| value(i) - value(j) < c || (weak && value(i) - value(j) == c));
        if holds && !start.constrain(i, j, scaled) {
            return false;
        }
    }
    let cases = 3usize.pow(point.len() as u32);
    (0..cases).any(|case| {
        let mut candidate = start.clone();
        (0..point.len()).all(|k| {
            let (clock, value) = (k + 1, point[k]);
            match case / 3usize.pow(k as u32) % 3 {
                0 => {
                    candidate.constrain(clock, 0, Some((value, true)))
                        && candidate.constrain(0, clock, Some((-value, true)))
                }
                1 => {
                    candidate.constrain(clock, 0, Some((value, false)))
                        && (lower[k] == i32::MIN
                            || candidate.constrain(0, clock, Some((-i64::from(lower[k]) * scale, false))))
                }
                _ => {
                    (upper[k] == i32::MIN || value > i64::from(upper[k]) * scale)
                        && candidate.constrain(0, clock, Some((-value, false)))
                }
            }
        })
    })
}
