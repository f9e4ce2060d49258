//! When to take a transition: the earliest moment, the latest, or one in between.
//!
//! Errors hide at the ends of windows, so the ends are drawn with probabilities of their own (Kiviriga, Larsen, Nyman:
//! "Randomized Reachability Analysis in Uppaal", FMICS 2021). A window without an end is cut where nothing changes any more.

use semantics::concrete::Window;
use semantics::random::Random;

/// Percentages for the earliest and for the latest moment; the rest is spread evenly over the moments between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Distribution {
    pub earliest: u8,
    pub latest: u8,
}

/// How the distribution changes from walk to walk.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum DelayChoice {
    /// Every moment of the window alike.
    Uniform,
    /// 40 % each for the ends.
    Predefined,
    /// Eleven distributions, one per walk, again and again.
    #[default]
    Changing,
}

const fn ends(earliest: u8, latest: u8) -> Distribution {
    Distribution { earliest, latest }
}

pub const PREDEFINED: Distribution = ends(40, 40);

/// The cycle of the paper's table 3.
pub const CYCLE: [Distribution; 11] = [
    ends(60, 40),
    ends(70, 30),
    ends(80, 20),
    ends(90, 10),
    ends(100, 0),
    ends(0, 100),
    ends(10, 90),
    ends(20, 80),
    ends(30, 70),
    ends(40, 60),
    PREDEFINED,
];

impl DelayChoice {
    /// The distribution of a walk.
    pub fn of_walk(self, walk: u64) -> Distribution {
        match self {
            DelayChoice::Uniform => ends(0, 0),
            DelayChoice::Predefined => PREDEFINED,
            DelayChoice::Changing => CYCLE[(walk % CYCLE.len() as u64) as usize],
        }
    }
}

impl Distribution {
    /// Draws a moment of a window that is not empty.
    #[inline]
    pub fn draw(self, window: Window, random: &mut Random) -> i64 {
        if window.from == window.to {
            return window.from;
        }
        let percent = if self.earliest == 0 && self.latest == 0 { 100 } else { random.below(100) as u8 };
        if percent < self.earliest {
            window.from
        } else if percent < self.earliest + self.latest {
            window.to
        } else if self.earliest == 0 && self.latest == 0 {
            window.from + random.below((window.to - window.from + 1) as u64) as i64
        } else if window.to - window.from == 1 {
            window.from + random.below(2) as i64
        } else {
            window.from + 1 + random.below((window.to - window.from - 1) as u64) as i64
        }
    }
}
