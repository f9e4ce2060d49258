//! The constants with which clocks are compared from here on: what extrapolation and simulation may rely on.
//!
//! Per clock the largest constant `L` of a lower guard (`x > c`, `x >= c`) and the largest constant `U` of an upper guard
//! (Behrmann, Bouyer, Larsen, Pelánek, "Lower and upper bounds in zone-based abstractions of timed automata", 2006). A clock that is
//! not compared has [`ClockBounds::NONE`]. Kept in the form in which the tests use them: as encoded bounds.

use crate::bound::Bound;

/// L and U for the clocks of a zone. Clock 0 has L = U = 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClockBounds {
    lower: Vec<i32>,
    upper: Vec<i32>,
    /// Per clock `2L + 1`: a bound of `clock - y` beyond this raw value has a constant above L. Always so without L.
    pub(crate) above: Vec<i32>,
    /// Per clock `-2U`: a bound of `y - clock` below this raw value has a constant below -U. Always so without U.
    pub(crate) below: Vec<i32>,
}

impl ClockBounds {
    /// The clock is not compared: minus infinity.
    pub const NONE: i32 = i32::MIN;

    /// L and U of the clocks 1, 2, ...; the reference clock is added.
    ///
    /// # Panics
    /// If the lengths differ or a constant is neither `NONE` nor admissible and not negative.
    pub fn new(lower: &[i32], upper: &[i32]) -> ClockBounds {
        let mut bounds = ClockBounds::default();
        bounds.set(lower, upper);
        bounds
    }

    /// The same constant for both: M.
    pub fn same(maximal: &[i32]) -> ClockBounds {
        ClockBounds::new(maximal, maximal)
    }

    /// `new` without a new allocation.
    pub fn set(&mut self, lower: &[i32], upper: &[i32]) {
        assert_eq!(lower.len(), upper.len());
        for (own, constants) in [(&mut self.lower, lower), (&mut self.upper, upper)] {
            own.clear();
            own.push(0);
            own.extend_from_slice(constants);
            for &constant in constants {
                let valid = constant == ClockBounds::NONE || (constant >= 0 && Bound::is_admissible(constant.into()));
                assert!(valid, "no bound of a clock: {constant}");
            }
        }
        self.encode();
    }

    fn encode(&mut self) {
        self.above.clear();
        self.above.extend(self.lower.iter().map(|&l| if l == ClockBounds::NONE { i32::MIN } else { 2 * l + 1 }));
        self.below.clear();
        self.below.extend(self.upper.iter().map(|&u| if u == ClockBounds::NONE { i32::MAX } else { -2 * u }));
    }

    /// Clocks, the reference clock included.
    pub fn dim(&self) -> usize {
        self.lower.len()
    }

    pub fn lower(&self, clock: usize) -> i32 {
        self.lower[clock]
    }

    pub fn upper(&self, clock: usize) -> i32 {
        self.upper[clock]
    }

    /// Whether L = U for every clock.
    pub fn is_same(&self) -> bool {
        self.lower == self.upper
    }

    /// M = max(L, U) for both.
    pub fn maximal(&self) -> ClockBounds {
        let maximal: Vec<i32> = self.lower.iter().zip(&self.upper).map(|(&lower, &upper)| lower.max(upper)).collect();
        ClockBounds::same(&maximal[1..])
    }
}
