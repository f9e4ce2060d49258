//! Closed intervals of moments.

use super::line::Line;
use model::network::Relation;

/// Ticks of a time unit.
pub const UNIT: i64 = 1 << 20;

/// A moment that never comes. Runs end long before it.
pub const FOREVER: i64 = 1 << 62;

/// The moments from one to another, both included; none when `to` is before `from`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Window {
    pub from: i64,
    pub to: i64,
}

impl Window {
    pub const EMPTY: Window = Window { from: 0, to: -1 };

    #[inline]
    pub fn is_empty(self) -> bool {
        self.to < self.from
    }

    #[inline]
    pub fn meet(self, other: Window) -> Window {
        Window { from: self.from.max(other.from), to: self.to.min(other.to) }
    }

    #[inline]
    pub fn contains(self, moment: i64) -> bool {
        self.from <= moment && moment <= self.to
    }

    /// Keeps the moments at which the value compares with the bound as wanted; the bound counts ticks. `!=` is not for
    /// windows: it leaves two of them.
    #[inline]
    pub fn require(&mut self, line: Line, relation: Relation, bound: i64) {
        match relation {
            Relation::Le => self.at_most(line, bound),
            Relation::Lt => self.at_most(line, bound - 1),
            Relation::Ge => self.at_least(line, bound),
            Relation::Gt => self.at_least(line, bound + 1),
            Relation::Eq => {
                self.at_most(line, bound);
                self.at_least(line, bound);
            }
            Relation::Ne => {}
        }
    }

    #[inline]
    fn at_most(&mut self, line: Line, bound: i64) {
        match line.rate {
            1 => self.to = self.to.min(line.at + (bound - line.value)),
            0 if line.value > bound => *self = Window::EMPTY,
            0 => {}
            rate if rate > 0 => self.to = self.to.min(line.reaches(bound, false)),
            _ => self.from = self.from.max(line.reaches(bound, true)),
        }
    }

    #[inline]
    fn at_least(&mut self, line: Line, bound: i64) {
        match line.rate {
            1 => self.from = self.from.max(line.at + (bound - line.value)),
            0 if line.value < bound => *self = Window::EMPTY,
            0 => {}
            rate if rate > 0 => self.from = self.from.max(line.reaches(bound, true)),
            _ => self.to = self.to.min(line.reaches(bound, false)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every relation, rate and bound against the values themselves.
    #[test]
    fn a_window_is_the_set_of_its_moments() {
        let relations = [Relation::Lt, Relation::Le, Relation::Eq, Relation::Ge, Relation::Gt];
        for rate in -3..=3 {
            for value in -7..=7 {
                for bound in -12..=12 {
                    for relation in relations {
                        let line = Line { value, at: 4, rate };
                        let mut window = Window { from: 0, to: 9 };
                        window.require(line, relation, bound);
                        for moment in 0..=9 {
                            let now = value + rate * (moment - 4);
                            let holds = match relation {
                                Relation::Lt => now < bound,
                                Relation::Le => now <= bound,
                                Relation::Eq => now == bound,
                                Relation::Ge => now >= bound,
                                Relation::Gt => now > bound,
                                Relation::Ne => now != bound,
                            };
                            assert_eq!(
                                window.contains(moment),
                                holds,
                                "{value}+{rate}t {relation:?} {bound} at {moment}"
                            );
                        }
                    }
                }
            }
        }
    }
}
