//! When to take a transition: the earliest moment, the latest, or one in between.
//!
//! Errors hide at the ends of windows, so the ends are drawn with probabilities of their own (Kiviriga, Larsen, Nyman:
//! "Randomized Reachability Analysis in Uppaal", FMICS 2021). A window without an end is cut where nothing changes any more.
//!
//! Habits are ours. In a schedule an error often takes several steps of one process that are all late while another one is always
//! early, and a mixture that is the same for all processes has such a conjunction with a probability that falls with every step of it. So
//! every process has a habit, early or late, and keeps it for a stretch of the walk; then all of them are drawn anew. Three things are drawn for
//! a stretch beside the habits:
//!
//! - Its length, one of [`STRETCHES`] alike. Habits are of use while what they bring about lasts, one cycle of a schedule for instance, and
//!   nobody knows how many steps that is. A stretch that is too short never holds a whole one; one that is too long only tries
//!   the same again, with other orders of the same moments. So most steps lie in long stretches.
//! - The share of processes that are late, every share alike: among n processes 0, 1, ... n late ones are equally likely, and which
//!   ones they are too. Were each of them late with 50 %, nearly all stretches would have half of them late, and an error that takes fourteen
//!   early and two late ones of sixteen would come up once in 65,536 stretches; here once in 2,040.
//! - Whether habits race. A walk draws a transition first and its moment then, so a process that is early by habit still comes after
//!   another one whenever that one is drawn, and of some tens of steps hardly all are early. In a race each possible transition has
//!   the moment that the habit of its process gives it, and one of those with the earliest is drawn. A process that is early and can always
//!   act at once then keeps all others from acting, so only half of the stretches, drawn too, are races. Only `ret` knows them.
//!
//! A process is the one that begins the transition, in a refinement it is the action. The habits of a stretch follow from two drawn
//! numbers and the process, so nothing is stored. Moments between the ends are never drawn: where an error needs one, `changing` has to find it.

use search::random::Random;
use semantics::concrete::Window;

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
    /// Every process is early or late for a while.
    Habits,
    /// Every second walk has habits, the others are as those of `Changing`.
    Mixed,
}

/// How a walk draws its moments.
#[derive(Clone, Copy, Debug)]
pub struct Delays {
    distribution: Distribution,
    habits: Option<Habits>,
}

/// Which processes are early and which are late, and for how many steps still.
#[derive(Clone, Copy, Default, Debug)]
struct Habits {
    drawn: u64,
    /// The share of late processes, of 2^64.
    late: u64,
    races: bool,
    left: u32,
}

/// How many steps of a walk habits may last.
pub const STRETCHES: [u32; 5] = [256, 512, 1024, 2048, 4096];

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
            _ if self.has_habits(walk) => ends(50, 50),
            _ => CYCLE[(walk % CYCLE.len() as u64) as usize],
        }
    }

    /// The cycle has an odd number of distributions, so that each of them has its turn where every second walk has habits.
    fn has_habits(self, walk: u64) -> bool {
        self == DelayChoice::Habits || self == DelayChoice::Mixed && walk % 2 == 1
    }

    /// Whether late steps of a walk give way to others, where walks know that (those over pairs do): in every second cycle of distributions.
    pub fn gives_way(self, walk: u64) -> bool {
        self == DelayChoice::Changing && (walk / CYCLE.len() as u64) % 2 == 1
    }

    /// What a walk begins with.
    pub fn begin(self, walk: u64) -> Delays {
        Delays { distribution: self.of_walk(walk), habits: self.has_habits(walk).then(Habits::default) }
    }
}

impl From<Distribution> for Delays {
    fn from(distribution: Distribution) -> Delays {
        Delays { distribution, habits: None }
    }
}

impl Delays {
    /// Draws a moment of a window that is not empty, for a step that `mover` begins.
    #[inline]
    pub fn draw(&mut self, mover: u32, window: Window, random: &mut Random) -> i64 {
        self.begin_step(random);
        self.moment(mover, window, random)
    }

    /// A step begins: one less of its stretch is left. Says whether the earliest moment decides.
    #[inline]
    pub fn begin_step(&mut self, random: &mut Random) -> bool {
        let Some(habits) = &mut self.habits else { return false };
        if habits.left == 0 {
            let left = STRETCHES[random.index(STRETCHES.len())];
            let (drawn, late, races) = (random.next_u64(), random.next_u64(), random.below(2) == 1);
            *habits = Habits { drawn, late, races, left };
        }
        habits.left -= 1;
        habits.races
    }

    /// Draws a moment of a window within a step that has begun.
    #[inline]
    pub fn moment(&self, mover: u32, window: Window, random: &mut Random) -> i64 {
        match &self.habits {
            None => self.distribution.draw(window, random),
            Some(habits) if habits.is_late(mover) => window.to,
            Some(_) => window.from,
        }
    }

    /// Draws whether a step is to be late.
    #[inline]
    pub fn is_late(&self, random: &mut Random) -> bool {
        random.below(100) < u64::from(self.distribution.latest)
    }
}

impl Habits {
    fn is_late(&self, mover: u32) -> bool {
        Random::of_run(self.drawn, u64::from(mover)).next_u64() < self.late
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
