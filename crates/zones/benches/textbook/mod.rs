//! Zones as in the textbook: a full closure after every change. What the crate is measured against.

use zones::{Bound, ClockBounds, Constraint, Zone};

#[derive(Clone)]
pub struct Textbook {
    dim: usize,
    bounds: Vec<Bound>,
}

impl Textbook {
    pub fn new(dim: usize, bounds: Vec<Bound>) -> Textbook {
        Textbook { dim, bounds }
    }

    pub fn at(&self, i: usize, j: usize) -> Bound {
        self.bounds[i * self.dim + j]
    }

    fn set(&mut self, i: usize, j: usize, bound: Bound) {
        self.bounds[i * self.dim + j] = bound;
    }

    pub fn close(&mut self) -> bool {
        for k in 0..self.dim {
            for i in 0..self.dim {
                let first = self.at(i, k);
                if first.is_infinite() {
                    continue;
                }
                for j in 0..self.dim {
                    let detour = first + self.at(k, j);
                    if detour < self.at(i, j) {
                        self.set(i, j, detour);
                    }
                }
            }
            if self.at(k, k) < Bound::LE_ZERO {
                return false;
            }
        }
        true
    }

    pub fn constrain(&mut self, i: usize, j: usize, bound: Bound) -> bool {
        if bound < self.at(i, j) {
            self.set(i, j, bound);
            return self.close();
        }
        true
    }

    pub fn up(&mut self) {
        for i in 1..self.dim {
            self.set(i, 0, Bound::INFINITY);
        }
    }

    pub fn down(&mut self) {
        for j in 1..self.dim {
            self.set(0, j, Bound::LE_ZERO);
        }
        self.close();
    }

    pub fn free(&mut self, clock: usize) {
        for j in (0..self.dim).filter(|&j| j != clock) {
            self.set(clock, j, Bound::INFINITY);
            self.set(j, clock, if j == 0 { Bound::LE_ZERO } else { Bound::INFINITY });
        }
        self.close();
    }

    pub fn reset(&mut self, clock: usize, value: i32) {
        for j in (0..self.dim).filter(|&j| j != clock) {
            self.set(clock, j, self.at(0, j) + Bound::le(value));
            self.set(j, clock, self.at(j, 0) + Bound::le(-value));
        }
    }

    pub fn delay_within(&mut self, invariants: &[Constraint]) {
        for delay in [true, false] {
            for c in invariants {
                let bound = c.bound.min(self.at(c.left as usize, c.right as usize));
                self.set(c.left as usize, c.right as usize, bound);
            }
            self.close();
            if delay {
                self.up();
            }
        }
    }

    pub fn intersect(&mut self, other: &[Bound]) -> bool {
        for (mine, &theirs) in self.bounds.iter_mut().zip(other) {
            *mine = (*mine).min(theirs);
        }
        self.close()
    }

    pub fn extrapolate_lu(&mut self, bounds: &ClockBounds) {
        for i in 0..self.dim {
            for j in (0..self.dim).filter(|&j| j != i) {
                if self.at(i, j).constant() > bounds.lower(i) {
                    self.set(i, j, Bound::INFINITY);
                } else if -self.at(i, j).constant() > bounds.upper(j) {
                    self.set(i, j, Bound::lt(-bounds.upper(j)));
                }
            }
        }
        self.close();
    }

    pub fn extrapolate_lu_plus(&mut self, bounds: &ClockBounds) {
        let old = self.clone();
        for i in 0..self.dim {
            for j in (0..self.dim).filter(|&j| j != i) {
                let far = -old.at(0, i).constant() > bounds.lower(i) || -old.at(0, j).constant() > bounds.upper(j);
                if old.at(i, j).constant() > bounds.lower(i) || (i != 0 && far) {
                    self.set(i, j, Bound::INFINITY);
                } else if i == 0 && -old.at(0, j).constant() > bounds.upper(j) {
                    self.set(i, j, Bound::lt(-bounds.upper(j)));
                }
            }
        }
        self.close();
    }

    pub fn is_subset_alu(&self, other: &[Bound], bounds: &ClockBounds) -> bool {
        (0..self.dim).filter(|&x| self.at(0, x) >= Bound::le(-bounds.upper(x))).all(|x| {
            (0..self.dim).all(|y| {
                let theirs = other[y * self.dim + x];
                theirs >= self.at(y, x) || theirs + Bound::lt(-bounds.lower(y)) >= self.at(0, x)
            })
        })
    }
}

/// Eight stored zones that a new one is compared with and that differ from it in one way or another.
pub fn candidates(zone: &Zone) -> Vec<Vec<Bound>> {
    (1..=8)
        .map(|k| {
            let mut other = zone.clone();
            let clock = 1 + k * 3 % (zone.dim() - 1);
            let _ = other.constrain(clock, 0, Bound::lt(40 + k as i32));
            let mut bounds = Vec::new();
            other.store(&mut bounds);
            bounds
        })
        .collect()
}
